// Included by polar.cpp once for each instruction set. Quaternions are (x, y, z, w), matrices lie by columns.

#include "crumple/math/lanes.inl"

/// R^T A for the rotation R of a unit quaternion.
template <class Real>
inline void turn_back(const Real* q, const Real* a, Real* m) {
  typedef typename NumberOf<Real>::Type T;
  const Real x = T(2) * q[0], y = T(2) * q[1], z = T(2) * q[2], w = q[3];
  const Real xx = x * q[0], yy = y * q[1], zz = z * q[2], xy = x * q[1], xz = x * q[2], yz = y * q[2], wx = w * x, wy = w * y, wz = w * z;
  const Real one = Real{} + T(1);
  const Real columns[9] = {one - yy - zz, xy + wz, xz - wy, xy - wz, one - xx - zz, yz + wx, xz + wy, yz - wx, one - xx - yy};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) m[3 * column + row] = dot(columns + 3 * row, a + 3 * column);
  }
}

/// Newton's method for the greatest R : A. With M = R^T A, turning R by w gains w.z - w.H w / 2, where z is the vector of M's skew part and H = tr(M) - sym(M).
/// There is only one maximum: z = 0 with H positive. Lanes that do not get there soon say so.
template <class Real, class Mask>
inline Mask climb(Real* a, Real* q) {
  typedef typename NumberOf<Real>::Type T;
  constexpr T kFine = sizeof(T) == 8 ? T(0x1p-20) : T(0x1p-10);  // a step like this leaves its cube: the gain has no third derivative at its peak
  constexpr T kFlat = sizeof(T) == 8 ? T(1e-6) : T(1e-3);        // of tr(H)^3: below, H is too near to singular
  const Real zero = {}, one = zero + T(1);
  Mask bad;
  normalize(a, bad);
  Mask open = !bad, done = one < zero;
  for (int round = 0; round < kMaxRounds && any(open); ++round) {
    Real m[9];
    turn_back(q, a, m);
    const Real z[3] = {m[5] - m[7], m[6] - m[2], m[1] - m[3]};
    const Real h00 = m[4] + m[8], h11 = m[0] + m[8], h22 = m[0] + m[4];
    const Real h01 = T(-0.5) * (m[1] + m[3]), h02 = T(-0.5) * (m[2] + m[6]), h12 = T(-0.5) * (m[5] + m[7]);
    const Real c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    const Real c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    const Real determinant = h00 * c00 + h01 * c01 + h02 * c02, trace = h00 + h11 + h22;
    const Mask peak = (h00 > zero) & (c22 > zero) & (determinant > kFlat * trace * trace * trace);
    const Real share = one / (peak ? determinant : one);
    const Real w[3] = {(c00 * z[0] + c01 * z[1] + c02 * z[2]) * share, (c01 * z[0] + c11 * z[1] + c12 * z[2]) * share,
                       (c02 * z[0] + c12 * z[1] + c22 * z[2]) * share};
    const Real length = dot(w, w);
    const Mask go = open & peak & (length < T(16));
    // Without strain w is the axis times the tangent of the angle; (w, 2 + w.w / 2) is nearly its quaternion, but for length.
    const Real c = T(2) + T(0.5) * length, i = w[0], j = w[1], k = w[2];
    const Real next[4] = {q[0] * c + q[3] * i + q[1] * k - q[2] * j, q[1] * c + q[3] * j + q[2] * i - q[0] * k, q[2] * c + q[3] * k + q[0] * j - q[1] * i,
                          q[3] * c - q[0] * i - q[1] * j - q[2] * k};
    const Real shrink = one / root(dot(next, next) + next[3] * next[3]);
    for (int n = 0; n < 4; ++n) q[n] = go ? next[n] * shrink : q[n];
    done = done | (go & (length < kFine * kFine));
    open = go & (length >= kFine * kFine);
  }
  return done;
}

/// `done` says which ones are.
template <class T>
inline void climb_all(const T* matrices, size_t count, T* rotations, unsigned char* done) {
  typedef typename RegisterOf<T>::Type Real;
  typedef decltype(Real{} < Real{}) Mask;
  constexpr size_t kWidth = sizeof(Real) / sizeof(T);
  for (size_t at = 0; at < count; at += kWidth) {
    const int lanes = static_cast<int>(std::min(kWidth, count - at));
    Real a[9], q[4];
    for (int k = 0; k < 9; ++k) a[k] = gather<Real>(matrices + 9 * at + k, 9, lanes);
    for (int k = 0; k < 4; ++k) q[k] = gather<Real>(rotations + 4 * at + k, 4, lanes);
    const Mask good = climb<Real, Mask>(a, q);
    for (int lane = 0; lane < lanes; ++lane) {
      done[at + static_cast<size_t>(lane)] = good[lane] != 0;
      for (int k = 0; k < 4 && good[lane] != 0; ++k) rotations[4 * (at + static_cast<size_t>(lane)) + k] = q[k][lane];
    }
  }
}
void climb_many(const double* matrices, size_t count, double* rotations, unsigned char* done) { climb_all(matrices, count, rotations, done); }
void climb_many(const float* matrices, size_t count, float* rotations, unsigned char* done) { climb_all(matrices, count, rotations, done); }
