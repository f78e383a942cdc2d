#include "crumple/math/polar.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "crumple/math/svd.h"

namespace crumple {
namespace {

constexpr int kMaxRounds = 7;  // a guess within half a turn or so needs no more

#define CRUMPLE_KERNELS "crumple/math/polar_kernels.inl"
#include "crumple/math/each_width.inl"

template <class T>
Eigen::Quaternion<T> unit_or_identity(const Eigen::Quaternion<T>& guess) {
  const T squared = guess.squaredNorm();
  return squared > std::numeric_limits<T>::min() && std::isfinite(squared) ? guess.normalized() : Eigen::Quaternion<T>::Identity();
}

/// From singular values: R = U V^T. Where s1 + s2 = 0 (s2 may be negative) any turn in the plane of the last two is as good: the one nearest to the
/// guess.
template <class T>
Eigen::Quaternion<T> rotation_by_svd(const Svd<T>& parts, const Eigen::Quaternion<T>& given) {
  using Matrix = Eigen::Matrix<T, 3, 3>;
  const Eigen::Quaternion<T> guess = unit_or_identity(given);
  if (!(parts.s[0] > 0)) return guess;  // zero, or not finite
  Matrix turn = Matrix::Identity();
  if (parts.s[1] + parts.s[2] <= 8 * std::numeric_limits<T>::epsilon() * parts.s[0]) {
    const Matrix wish = parts.u.transpose() * guess.toRotationMatrix() * parts.v;
    const T sine = wish(2, 1) - wish(1, 2), cosine = wish(1, 1) + wish(2, 2), size = std::hypot(sine, cosine);
    if (size > std::numeric_limits<T>::epsilon()) turn(1, 1) = turn(2, 2) = cosine / size, turn(2, 1) = sine / size, turn(1, 2) = -sine / size;
  }
  const Eigen::Quaternion<T> found(Matrix(parts.u * turn * parts.v.transpose()));
  return found.normalized();
}

template <class T>
void climb_many(const T* matrices, size_t count, T* rotations, unsigned char* done) {
  if (has_wider) return wider::climb_many(matrices, count, rotations, done);
  if (has_wide) return wide::climb_many(matrices, count, rotations, done);
  plain::climb_many(matrices, count, rotations, done);
}

}  // namespace

template <class T>
Eigen::Quaternion<T> nearest_rotation(const Eigen::Matrix<T, 3, 3>& matrix, const Eigen::Quaternion<T>& guess) {
  Eigen::Matrix<T, 3, 3> columns = matrix;
  Eigen::Quaternion<T> found = guess;
  if (plain::climb<T, bool>(columns.data(), found.coeffs().data())) return found;
  return rotation_by_svd(svd(matrix), guess);
}

template <class T>
void nearest_rotations(std::span<const Eigen::Matrix<T, 3, 3>> matrices, std::span<Eigen::Quaternion<T>> rotations) {
  assert(rotations.size() == matrices.size());
  constexpr size_t kBlock = 64;
  std::array<unsigned char, kBlock> done;
  std::array<Eigen::Matrix<T, 3, 3>, kBlock> rest, u, v;
  std::array<Eigen::Matrix<T, 3, 1>, kBlock> s;
  std::array<size_t, kBlock> place;
  for (size_t at = 0; at < matrices.size(); at += kBlock) {
    const size_t count = std::min(kBlock, matrices.size() - at);
    climb_many(matrices[at].data(), count, rotations[at].coeffs().data(), done.data());
    size_t left = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!done[i]) place[left] = at + i, rest[left++] = matrices[at + i];
    }
    svd<T>({rest.data(), left}, {u.data(), left}, {s.data(), left}, {v.data(), left});
    for (size_t i = 0; i < left; ++i) rotations[place[i]] = rotation_by_svd<T>({u[i], s[i], v[i]}, rotations[place[i]]);
  }
}

template Eigen::Quaterniond nearest_rotation(const Eigen::Matrix3d&, const Eigen::Quaterniond&);
template Eigen::Quaternionf nearest_rotation(const Eigen::Matrix3f&, const Eigen::Quaternionf&);
template void nearest_rotations(std::span<const Eigen::Matrix3d>, std::span<Eigen::Quaterniond>);
template void nearest_rotations(std::span<const Eigen::Matrix3f>, std::span<Eigen::Quaternionf>);

}  // namespace crumple
