#include "crumple/math/svd.h"

#include <cstring>
#include <limits>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tests/math/matrices.h"

namespace crumple {
namespace {

/// The singular values in extended precision, descending, the last with the determinant's sign.
LongVec reference_values(const LongMat& matrix) {
  LongMat b, v;
  reference_svd(matrix, b, v);
  LongVec s(b.col(0).norm(), b.col(1).norm(), b.col(2).norm());
  std::sort(s.data(), s.data() + 3, std::greater<>());
  if (matrix.col(0).cross(matrix.col(1)).dot(matrix.col(2)) < 0) s[2] = -s[2];
  return s;
}

template <class T>
void expect_good(const Eigen::Matrix<T, 3, 3>& matrix, const Svd<T>& parts) {
  using Matrix = Eigen::Matrix<T, 3, 3>;
  const T epsilon = std::numeric_limits<T>::epsilon();
  for (const Matrix& turn : {parts.u, parts.v}) {
    EXPECT_LE((turn.transpose() * turn - Matrix::Identity()).norm(), 20 * epsilon) << matrix;
    EXPECT_NEAR(turn.determinant(), 1, 20 * epsilon) << matrix;
  }
  EXPECT_GE(parts.s[0], parts.s[1]) << matrix;
  EXPECT_GE(parts.s[1], std::abs(parts.s[2])) << matrix;
  const LongMat wide = matrix.template cast<long double>();
  const LongMat back =
      parts.u.template cast<long double>() * parts.s.template cast<long double>().asDiagonal() * parts.v.template cast<long double>().transpose();
  // Denormal numbers have fewer digits.
  const long double size = wide.norm(), floor = 4 * static_cast<long double>(std::numeric_limits<T>::denorm_min());
  EXPECT_LE((back - wide).norm(), 16 * epsilon * size + floor) << matrix;
  const LongVec values = reference_values(wide);
  for (int k = 0; k < 2; ++k) EXPECT_LE(std::abs(parts.s[k] - values[k]), 8 * epsilon * size + floor) << matrix;
  EXPECT_LE(std::abs(std::abs(parts.s[2]) - std::abs(values[2])), 8 * epsilon * size + floor) << matrix;
  // The sign of a last value that is nothing but rounding is open.
  EXPECT_TRUE(std::abs(values[2]) <= 16 * epsilon * size + floor || (parts.s[2] < 0) == (values[2] < 0)) << matrix;
}

TEST(Svd, is_exact_to_rounding_for_random_matrices) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const Mat3 matrix = random_matrix(random);
    expect_good<double>(matrix, svd(matrix));
    const Eigen::Matrix3f single = matrix.cast<float>();
    expect_good<float>(single, svd(single));
  }
}

TEST(Svd, is_exact_to_rounding_for_degenerate_repeated_and_inverted_matrices) {
  for (const Mat3& matrix : hard_matrices()) {
    expect_good<double>(matrix, svd(matrix));
    const Eigen::Matrix3f single = matrix.cast<float>();
    expect_good<float>(single, svd(single));
  }
}

TEST(Svd, does_not_mind_tiny_and_huge_numbers) {
  for (const Mat3& matrix : hard_matrices()) {
    for (const double scale : {1e-310, 1e-300, 1e-160, 1e160, 1e299}) {
      const Mat3 scaled = matrix * scale;
      expect_good<double>(scaled, svd(scaled));
    }
    for (const float scale : {1e-42f, 1e-38f, 1e-20f, 1e20f, 1e29f}) {
      const Eigen::Matrix3f scaled = matrix.cast<float>() * scale;
      expect_good<float>(scaled, svd(scaled));
    }
  }
}

TEST(Svd, knows_small_values_as_well_as_large_ones) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    // Well-conditioned columns of very different lengths: every value is known to as many digits as the entries.
    const Mat3 matrix =
        random_rotation(random).toRotationMatrix() * (Mat3::Identity() + random_matrix(random, 0.2)) * Vec3(1, 1e-10, -1e-20).asDiagonal();
    const Vec3 values = svd(matrix).s;
    const LongVec reference = reference_values(matrix.cast<long double>());
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(static_cast<double>(values[k] / reference[k]), 1, 1e-14);
  }
}

TEST(Svd, of_what_is_known_is_known) {
  const auto zero = svd<double>(Mat3::Zero());
  EXPECT_EQ(zero.s, Vec3(0, 0, 0));
  EXPECT_EQ(zero.u, Mat3::Identity());
  EXPECT_EQ(zero.v, Mat3::Identity());
  EXPECT_EQ(svd<double>(Mat3::Identity()).s, Vec3(1, 1, 1));
  EXPECT_EQ(svd<double>(-Mat3::Identity()).s, Vec3(1, 1, -1));
  EXPECT_EQ(svd<double>(Vec3(0.5, -3, 2).asDiagonal()).s, Vec3(3, 2, -0.5));
  // A shear by g stretches by (sqrt(g^2 + 4) +- g) / 2.
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 0.75;
  const Vec3 s = svd(shear).s;
  EXPECT_NEAR(s[0], (std::sqrt(0.75 * 0.75 + 4) + 0.75) / 2, 1e-15);
  EXPECT_NEAR(s[1], 1, 1e-15);
  EXPECT_NEAR(s[2], (std::sqrt(0.75 * 0.75 + 4) - 0.75) / 2, 1e-15);
}

TEST(Svd, of_no_number_says_so) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Mat3 matrix = Mat3::Identity();
    matrix(1, 2) = bad;
    const auto parts = svd(matrix);
    EXPECT_TRUE(parts.s.array().isNaN().all());
    EXPECT_EQ(parts.u, Mat3::Identity());
    EXPECT_EQ(parts.v, Mat3::Identity());
  }
}

template <class T>
void expect_same_svd_in_company() {
  using Matrix = Eigen::Matrix<T, 3, 3>;
  using Vector = Eigen::Matrix<T, 3, 1>;
  std::vector<Matrix> matrices;
  for (const Mat3& matrix : hard_matrices()) matrices.push_back(matrix.cast<T>());
  matrices[5](0, 0) = std::numeric_limits<T>::quiet_NaN();
  for (size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{17}, matrices.size()}) {
    std::vector<Matrix> u(count), v(count);
    std::vector<Vector> s(count);
    svd<T>(std::span<const Matrix>(matrices.data(), count), u, s, v);
    for (size_t i = 0; i < count; ++i) {
      const Svd<T> alone = svd(matrices[i]);
      EXPECT_EQ(std::memcmp(u[i].data(), alone.u.data(), sizeof(Matrix)), 0) << matrices[i];
      EXPECT_EQ(std::memcmp(v[i].data(), alone.v.data(), sizeof(Matrix)), 0) << matrices[i];
      EXPECT_TRUE(i == 5 || std::memcmp(s[i].data(), alone.s.data(), sizeof(Vector)) == 0) << matrices[i];
    }
  }
}

TEST(Svd, has_the_same_bits_alone_and_among_others) {
  expect_same_svd_in_company<double>();
  expect_same_svd_in_company<float>();
}

}  // namespace
}  // namespace crumple
