#pragma once

#include <cmath>
#include <vector>

#include "crumple/core/random.h"
#include "crumple/math/types.h"

namespace crumple {

using LongMat = Eigen::Matrix<long double, 3, 3>;
using LongVec = Eigen::Matrix<long double, 3, 1>;

inline Mat3 random_matrix(Random& random, double size = 1) {
  Mat3 matrix;
  for (int k = 0; k < 9; ++k) matrix.data()[k] = random.range(-size, size);
  return matrix;
}
inline Quat random_rotation(Random& random) {
  Quat turn(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
  return turn.normalized();
}

/// Matrices that are easy to get wrong: every rank, repeated and graded values, reflections, tiny and huge numbers.
inline std::vector<Mat3> hard_matrices() {
  Random random(11);
  std::vector<Mat3> all = {Mat3::Zero(), Mat3::Identity(), -Mat3::Identity(), Mat3::Ones(), Vec3(1, 1, -1).asDiagonal(), Vec3(3, 3, 1).asDiagonal()};
  Mat3 cycle = Mat3::Zero(), single = Mat3::Zero(), shear = Mat3::Identity();
  cycle(0, 1) = cycle(1, 2) = cycle(2, 0) = 1, single(2, 1) = -5, shear(0, 2) = 1e8;
  all.insert(all.end(), {cycle, single, shear});
  const Vec3 values[] = {{1, 1, 1},     {2, 1, 1},        {2, 2, 1},         {1, 1, -1},        {2, 1, -1},
                         {2, 2, -2},    {1, 0.5, 0},      {1, 0, 0},         {1, 1e-8, 1e-9},   {1, 1, 1e-7},
                         {1, 1, 1e-16}, {1, 1e-9, -1e-9}, {1, 1e-16, 1e-17}, {1, 1e-40, 1e-41}, {1, 1 - 1e-9, 1 - 2e-9}};
  for (const Vec3& s : values) {
    for (int i = 0; i < 20; ++i) {
      const Mat3 left = random_rotation(random).toRotationMatrix(), right = random_rotation(random).toRotationMatrix();
      all.push_back(left * s.asDiagonal() * right);
      all.push_back(left * s.asDiagonal());
      all.push_back(s.asDiagonal() * right);
    }
  }
  for (int i = 0; i < 30; ++i) {
    const Vec3 a = random_matrix(random).col(0), b = random_matrix(random).col(0);
    all.push_back(a * b.transpose());
    Mat3 flat = random_matrix(random);
    flat.col(2) = flat.col(0) + flat.col(1);
    all.push_back(flat);
  }
  return all;
}

/// Makes the columns of a matrix orthogonal by textbook Jacobi rotations in extended precision: matrix v = b.
inline void reference_svd(const LongMat& matrix, LongMat& b, LongMat& v) {
  b = matrix, v = LongMat::Identity();
  for (int sweep = 0; sweep < 40; ++sweep) {
    for (const auto& [p, q] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
      const long double a = b.col(p).squaredNorm(), c = b.col(p).dot(b.col(q)), d = b.col(q).squaredNorm();
      if (std::abs(c) <= 1e-21L * std::sqrt(a) * std::sqrt(d)) continue;
      const long double angle = 0.5L * std::atan2(2 * c, a - d), cosine = std::cos(angle), sine = std::sin(angle);
      for (LongMat* m : {&b, &v}) {
        const LongVec x = m->col(p), y = m->col(q);
        m->col(p) = cosine * x + sine * y, m->col(q) = cosine * y - sine * x;
      }
    }
  }
}

}  // namespace crumple
