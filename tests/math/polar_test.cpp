#include "crumple/math/polar.h"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "tests/math/matrices.h"

namespace crumple {
namespace {

/// U V^T in extended precision, of a matrix with three values that are not zero; `gap` gets (s1 + s2) / s0, whose smallness makes the rotation
/// uncertain.
LongMat reference_rotation(const Mat3& matrix, double& gap) {
  LongMat b, v;
  reference_svd(matrix.cast<long double>(), b, v);
  int least = 0;
  for (int k = 1; k < 3; ++k) least = b.col(k).norm() < b.col(least).norm() ? k : least;
  const int p = (least + 1) % 3, q = (least + 2) % 3;
  const LongVec x = b.col(p).normalized(), y = b.col(q).normalized(), z = x.cross(y);
  gap = static_cast<double>((std::min(b.col(p).norm(), b.col(q).norm()) + b.col(least).dot(z)) / std::max(b.col(p).norm(), b.col(q).norm()));
  return x * v.col(p).transpose() + y * v.col(q).transpose() + z * v.col(p).cross(v.col(q)).transpose();
}

template <class T>
void expect_exact(const Mat3& matrix, const Eigen::Quaternion<T>& guess) {
  double gap = 0;
  const Eigen::Matrix<T, 3, 3> given = matrix.cast<T>();
  const LongMat exact = reference_rotation(given.template cast<double>(), gap);
  const Eigen::Quaternion<T> found = nearest_rotation(given, guess);
  const double error = static_cast<double>((found.toRotationMatrix().template cast<long double>() - exact).norm());
  EXPECT_LE(error, 20 * std::numeric_limits<T>::epsilon() / gap + 20 * std::numeric_limits<T>::epsilon()) << matrix << "\ngap " << gap;
  EXPECT_NEAR(found.norm(), 1, 4 * std::numeric_limits<T>::epsilon());
}

TEST(Polar, is_exact_to_rounding_from_a_near_guess_and_from_any) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Quat turn = random_rotation(random), near = turn * Quat(Eigen::AngleAxisd(random.range(0, 0.3), Vec3::UnitY()));
    const Mat3 strained = turn.toRotationMatrix() * (Mat3::Identity() + random_matrix(random, 0.3));
    expect_exact<double>(strained, near);
    expect_exact<float>(strained, near.cast<float>());
    const Mat3 any = random_matrix(random);  // half of them inverted
    expect_exact<double>(any, random_rotation(random));
    expect_exact<float>(any, random_rotation(random).cast<float>());
  }
}

TEST(Polar, no_other_rotation_is_nearer_even_to_inverted_and_flat_matrices) {
  Random random(4);
  std::vector<Mat3> all = hard_matrices();
  for (int i = 0; i < 200; ++i) all.push_back(random_matrix(random));
  for (const Mat3& matrix : all) {
    const Mat3 found = nearest_rotation<double>(matrix, random_rotation(random)).toRotationMatrix();
    EXPECT_LE((found.transpose() * found - Mat3::Identity()).norm(), 1e-14);
    EXPECT_GT(found.col(0).cross(found.col(1)).dot(found.col(2)), 0.9);
    const double reached = (found.array() * matrix.array()).sum(), slack = 1e-14 * matrix.norm();
    for (int i = 0; i < 20; ++i) {
      const Mat3 other = random_rotation(random).toRotationMatrix();
      const Mat3 beside = found * Eigen::AngleAxisd(1e-3, random_matrix(random).col(0).normalized()).toRotationMatrix();
      EXPECT_LE((other.array() * matrix.array()).sum(), reached + slack) << matrix;
      EXPECT_LE((beside.array() * matrix.array()).sum(), reached + slack) << matrix;
    }
  }
}

TEST(Polar, does_not_mind_tiny_and_huge_numbers) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const Mat3 matrix = random_matrix(random);
    const Quat guess = random_rotation(random), plain = nearest_rotation(matrix, guess);
    for (const double scale : {0x1p-900, 0x1p-300, 0x1p300, 0x1p1000})
      EXPECT_EQ(nearest_rotation<double>(matrix * scale, guess).coeffs(), plain.coeffs());
  }
}

TEST(Polar, the_guess_decides_where_the_matrix_does_not) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    const Quat guess = random_rotation(random);
    EXPECT_LE((nearest_rotation<double>(Mat3::Zero(), guess).coeffs() - guess.coeffs()).norm(), 1e-15);
    // A line: b must turn to a, and the guess is turned there by the shortest way (about b's image x a).
    const Vec3 a = random_matrix(random).col(0).normalized(), b = random_matrix(random).col(1).normalized();
    const Mat3 found = nearest_rotation<double>(2.5 * a * b.transpose(), guess).toRotationMatrix();
    const Vec3 from = guess * b, axis = from.cross(a);
    const Mat3 shortest = Eigen::AngleAxisd(std::atan2(axis.norm(), from.dot(a)), axis.normalized()) * guess.toRotationMatrix();
    EXPECT_LE((found * b - a).norm(), 1e-14);
    EXPECT_LE((found - shortest).norm(), 1e-12);
  }
}

TEST(Polar, what_is_no_number_gives_the_guess_and_a_bad_guess_is_no_harm) {
  const Quat guess(Eigen::AngleAxisd(1, Vec3::UnitX()));
  Mat3 bad = Mat3::Identity();
  bad(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_LE((nearest_rotation(bad, guess).coeffs() - guess.coeffs()).norm(), 1e-15);
  const Mat3 turned = 2 * guess.toRotationMatrix();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Quat& poor : {Quat(0, 0, 0, 0), Quat(nan, 0, 0, 0), Quat(1e200, 1e200, 0, 0), Quat(1e-200, 0, 0, 0), Quat(2, 0, 0, 0)}) {
    EXPECT_LE((nearest_rotation(turned, poor).toRotationMatrix() - guess.toRotationMatrix()).norm(), 1e-14) << poor.coeffs();
    EXPECT_TRUE(nearest_rotation<double>(Mat3::Zero(), poor).coeffs().allFinite());
  }
}

template <class T>
void expect_same_bits_in_company() {
  using Matrix = Eigen::Matrix<T, 3, 3>;
  Random random(7);
  std::vector<Matrix> matrices;
  std::vector<Eigen::Quaternion<T>> guesses;
  for (const Mat3& matrix : hard_matrices()) {
    matrices.push_back(matrix.cast<T>()), guesses.push_back(random_rotation(random).cast<T>());
    matrices.push_back((guesses.back().toRotationMatrix() + random_matrix(random, 0.3).cast<T>())), guesses.push_back(guesses.back());
  }
  for (const size_t count : {size_t{0}, size_t{1}, size_t{9}, size_t{64}, size_t{65}, matrices.size()}) {
    std::vector<Eigen::Quaternion<T>> found(guesses.begin(), guesses.begin() + static_cast<long>(count));
    nearest_rotations<T>(std::span<const Matrix>(matrices.data(), count), found);
    for (size_t i = 0; i < count; ++i) {
      const Eigen::Quaternion<T> alone = nearest_rotation(matrices[i], guesses[i]);
      EXPECT_EQ(std::memcmp(found[i].coeffs().data(), alone.coeffs().data(), 4 * sizeof(T)), 0) << matrices[i];
    }
  }
}

TEST(Polar, has_the_same_bits_alone_and_among_others) {
  expect_same_bits_in_company<double>();
  expect_same_bits_in_company<float>();
}

}  // namespace
}  // namespace crumple
