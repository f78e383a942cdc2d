#include "crumple/math/svd.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace crumple {
namespace {

constexpr int kMaxSweeps = 16;  // random matrices need three to five

#define CRUMPLE_KERNELS "crumple/math/svd_kernels.inl"
#include "crumple/math/each_width.inl"

}  // namespace

template <class T>
Svd<T> svd(const Eigen::Matrix<T, 3, 3>& matrix) {
  Svd<T> parts;
  Eigen::Matrix<T, 3, 3> columns = matrix;
  plain::decompose(columns.data(), parts.u.data(), parts.s.data(), parts.v.data());
  return parts;
}

template <class T>
void svd(std::span<const Eigen::Matrix<T, 3, 3>> matrices, std::span<Eigen::Matrix<T, 3, 3>> u, std::span<Eigen::Matrix<T, 3, 1>> s,
         std::span<Eigen::Matrix<T, 3, 3>> v) {
  assert(u.size() == matrices.size() && s.size() == matrices.size() && v.size() == matrices.size());
  if (matrices.empty()) return;
  const auto decompose = has_wider  ? [](const T* a, size_t n, T* u, T* s, T* v) { wider::decompose_many(a, n, u, s, v); }
                         : has_wide ? [](const T* a, size_t n, T* u, T* s, T* v) { wide::decompose_many(a, n, u, s, v); }
                                    : [](const T* a, size_t n, T* u, T* s, T* v) { plain::decompose_many(a, n, u, s, v); };
  decompose(matrices[0].data(), matrices.size(), u[0].data(), s[0].data(), v[0].data());
}

template Svd<double> svd(const Eigen::Matrix3d&);
template Svd<float> svd(const Eigen::Matrix3f&);
template void svd(std::span<const Eigen::Matrix3d>, std::span<Eigen::Matrix3d>, std::span<Eigen::Vector3d>, std::span<Eigen::Matrix3d>);
template void svd(std::span<const Eigen::Matrix3f>, std::span<Eigen::Matrix3f>, std::span<Eigen::Vector3f>, std::span<Eigen::Matrix3f>);

}  // namespace crumple
