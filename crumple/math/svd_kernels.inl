// Included by svd.cpp once for each instruction set.

#include "crumple/math/lanes.inl"

/// Turns columns p and q of b (and of v with them) so that they become orthogonal, or nearly. The angle is not exact, the rotation is: its half-angle's
/// tangent is taken as c / 2d instead of tan(atan(2c / d) / 4), which saves two roots and a division and costs nothing once angles are small.
template <class Real, class Mask>
inline void turn_columns(Real* b, Real* v, int p, int q, const Mask& open, Mask& rough) {
  typedef typename NumberOf<Real>::Type T;
  constexpr T kDone = 4 * std::numeric_limits<T>::epsilon();
  constexpr T kFine = sizeof(T) == 8 ? T(0x1p-26) : T(0x1p-12);  // its square is rounding error
  constexpr T kLeast = sizeof(T) == 8 ? T(1e-110) : std::numeric_limits<T>::min();  // shorter columns are nothing, and their powers below zero
  const Real zero = {}, one = zero + T(1);
  Real *bp = b + 3 * p, *bq = b + 3 * q, *vp = v + 3 * p, *vq = v + 3 * q;
  const Real a = dot(bp, bp), c = dot(bp, bq), d = dot(bq, bq), squares = a * d;
  const Mask active = open & (c * c > kDone * kDone * squares) & (squares > kLeast);
  const Real unit = sizeof(T) == 8 ? one : inverse_power(a + d), size = magnitude(c) * unit, gap = magnitude(a - d) * unit;
  const Real steep = size * (gap + T(1.7) * size), run = T(2) * gap * gap + size * (T(3.4) * gap + T(4.104193) * size);
  const Real across = active ? with_sign(steep, c * (a - d)) : zero, along = active ? run : one;
  const Real above = across * across, below = along * along, share = one / (above + below);
  const Real cosine = (below - above) * share, sine = T(2) * across * along * share;
  for (int k = 0; k < 3; ++k) {
    const Real x = bp[k], y = bq[k], s = vp[k], t = vq[k];
    bp[k] = cosine * x + sine * y, bq[k] = cosine * y - sine * x;
    vp[k] = cosine * s + sine * t, vq[k] = cosine * t - sine * s;
  }
  rough = rough | (active & ((c * c > kFine * kFine * squares) | (sine * sine > kFine * kFine)));
}

/// Swaps two columns where the second is longer; one changes its sign, so that a rotation stays one.
template <class Real>
inline void sort_columns(Real* b, Real* v, Real* squares, int p, int q) {
  const auto swap = squares[p] < squares[q];
  const auto exchange = [&](Real& x, Real& y) {
    const Real old = x;
    x = swap ? y : x, y = swap ? -old : y;
  };
  for (int k = 0; k < 3; ++k) exchange(b[3 * p + k], b[3 * q + k]), exchange(v[3 * p + k], v[3 * q + k]);
  const Real old = squares[p];
  squares[p] = swap ? squares[q] : old, squares[q] = swap ? old : squares[q];
}

/// A vector across a unit vector: its cross product with the axis it is farthest from.
template <class Real>
inline void across(const Real* u, Real* out) {
  const Real zero = {}, x = magnitude(u[0]), y = magnitude(u[1]), z = magnitude(u[2]);
  const auto use_z = (z <= x) & (z <= y);
  const auto use_y = y <= x;
  const Real by_z[3] = {-u[1], u[0], zero}, by_y[3] = {u[2], zero, -u[0]}, by_x[3] = {zero, -u[2], u[1]};
  for (int k = 0; k < 3; ++k) out[k] = use_z ? by_z[k] : (use_y ? by_y[k] : by_x[k]);
}

/// u and s from columns that are orthogonal and sorted. Where a column has vanished its direction is any that fits.
template <class Real>
inline void read_values(const Real* b, const Real* squares, Real* u, Real* s) {
  typedef typename NumberOf<Real>::Type T;
  constexpr T kLeast = std::numeric_limits<T>::min() * T(0x1p20);
  const Real zero = {}, one = zero + T(1);
  const auto nothing = squares[0] < T(0.25);  // a matrix that is not zero has an entry of 1 or more, so at least a third
  const Real length = nothing ? one : root(squares[0]);
  for (int k = 0; k < 3; ++k) u[k] = (nothing ? (k == 0 ? one : zero) : b[k]) / length;
  s[0] = nothing ? zero : length;
  Real rest[3], other[3];
  const Real along = dot(u, b + 3);
  for (int k = 0; k < 3; ++k) rest[k] = b[3 + k] - along * u[k];
  across(u, other);
  const Real left = dot(rest, rest);
  const auto lost = (left < kLeast) | (left < T(0.25) * squares[1]);
  for (int k = 0; k < 3; ++k) rest[k] = lost ? other[k] : rest[k];
  const Real norm = root(dot(rest, rest));
  for (int k = 0; k < 3; ++k) u[3 + k] = rest[k] / norm;
  s[1] = lost ? magnitude(dot(u + 3, b + 3)) : norm;
  s[1] = s[1] < s[0] ? s[1] : s[0];
  for (int k = 0; k < 3; ++k) u[6 + k] = u[(k + 1) % 3] * u[3 + (k + 2) % 3] - u[(k + 2) % 3] * u[3 + (k + 1) % 3];
  const Real last = dot(u + 6, b + 6);
  s[2] = last > s[1] ? s[1] : (last < -s[1] ? -s[1] : last);
}

/// Matrices by columns. Every lane stops by itself, so its neighbours do not matter.
template <class Real>
inline void decompose(Real* a, Real* u, Real* s, Real* v) {
  typedef typename NumberOf<Real>::Type T;
  typedef decltype(a[0] < a[0]) Mask;
  const Real zero = {}, one = zero + T(1);
  Mask bad;
  const Scale<Real> scale = normalize(a, bad);
  for (int k = 0; k < 9; ++k) v[k] = k % 4 == 0 ? one : zero;
  Mask open = one > zero;
  for (int sweep = 0; sweep < kMaxSweeps && any(open); ++sweep) {
    Mask rough = one < zero;
    turn_columns(a, v, 0, 1, open, rough);
    turn_columns(a, v, 0, 2, open, rough);
    turn_columns(a, v, 1, 2, open, rough);
    open = rough;
  }
  for (int k = 0; k < 9; ++k) a[k] += zero, v[k] += zero;  // a lane that waited for others has lost the sign of its zeros: so do all
  Real squares[3];
  for (int c = 0; c < 3; ++c) squares[c] = dot(a + 3 * c, a + 3 * c);
  sort_columns(a, v, squares, 0, 1);
  sort_columns(a, v, squares, 1, 2);
  sort_columns(a, v, squares, 0, 1);
  read_values(a, squares, u, s);
  for (int k = 0; k < 3; ++k) s[k] = bad ? zero + std::numeric_limits<T>::quiet_NaN() : s[k] * scale.power * scale.more;
}

template <class T>
inline void decompose_all(const T* matrices, size_t count, T* u, T* s, T* v) {
  typedef typename RegisterOf<T>::Type Real;
  constexpr size_t kWidth = sizeof(Real) / sizeof(T);
  for (size_t at = 0; at < count; at += kWidth) {
    const int lanes = static_cast<int>(std::min(kWidth, count - at));
    Real a[9], left[9], values[3], right[9];
    for (int k = 0; k < 9; ++k) a[k] = gather<Real>(matrices + 9 * at + k, 9, lanes);
    decompose(a, left, values, right);
    for (int k = 0; k < 9; ++k) scatter(left[k], u + 9 * at + k, 9, lanes), scatter(right[k], v + 9 * at + k, 9, lanes);
    for (int k = 0; k < 3; ++k) scatter(values[k], s + 3 * at + k, 3, lanes);
  }
}
void decompose_many(const double* matrices, size_t count, double* u, double* s, double* v) { decompose_all(matrices, count, u, s, v); }
void decompose_many(const float* matrices, size_t count, float* u, float* s, float* v) { decompose_all(matrices, count, u, s, v); }
