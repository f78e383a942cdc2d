// Included once for each instruction set, in its own namespace; CRUMPLE_VECTOR_BYTES is its register's size. A Real below is one number or a
// register of them: kernels are written once, without branches on values, and give the same bits either way.

typedef double Doubles __attribute__((vector_size(CRUMPLE_VECTOR_BYTES)));
typedef float Floats __attribute__((vector_size(CRUMPLE_VECTOR_BYTES)));

template <class T>
struct RegisterOf;
template <>
struct RegisterOf<double> {
  typedef Doubles Type;
};
template <>
struct RegisterOf<float> {
  typedef Floats Type;
};

template <class Real>
struct NumberOf {
  typedef std::remove_cvref_t<decltype(Real{}[0])> Type;
};
template <>
struct NumberOf<double> {
  typedef double Type;
};
template <>
struct NumberOf<float> {
  typedef float Type;
};

inline double root(double x) { return __builtin_sqrt(x); }
inline float root(float x) { return __builtin_sqrtf(x); }
#if defined(__x86_64__)
#if CRUMPLE_VECTOR_BYTES == 16
inline Doubles root(Doubles x) { return _mm_sqrt_pd(x); }
inline Floats root(Floats x) { return _mm_sqrt_ps(x); }
#elif CRUMPLE_VECTOR_BYTES == 32
inline Doubles root(Doubles x) { return _mm256_sqrt_pd(x); }
inline Floats root(Floats x) { return _mm256_sqrt_ps(x); }
#else
inline Doubles root(Doubles x) { return _mm512_maskz_sqrt_pd(0xFF, x); }
inline Floats root(Floats x) { return _mm512_maskz_sqrt_ps(0xFFFF, x); }
#endif
#else
template <class Real>
inline Real root(Real x) {
  for (size_t lane = 0; lane < sizeof(Real) / sizeof(x[0]); ++lane) x[lane] = root(x[lane]);
  return x;
}
#endif

inline bool any(bool mask) { return mask; }
template <class Mask>
inline bool any(const Mask& mask) {
  Mask zero = {};
  return __builtin_memcmp(&mask, &zero, sizeof(Mask)) != 0;
}

inline double magnitude(double x) { return __builtin_fabs(x); }
inline float magnitude(float x) { return __builtin_fabsf(x); }
inline Doubles magnitude(Doubles x) { return (Doubles)((decltype(x < x))x & 0x7FFFFFFFFFFFFFFFll); }
inline Floats magnitude(Floats x) { return (Floats)((decltype(x < x))x & 0x7FFFFFFF); }
/// The first number with the sign of the second.
inline double with_sign(double x, double y) { return __builtin_copysign(x, y); }
inline float with_sign(float x, float y) { return __builtin_copysignf(x, y); }
template <class Real>
inline Real with_sign(Real x, Real y) {
  typedef decltype(x < x) Bits;
  const Bits bits = (Bits)magnitude(x), keep = (Bits)magnitude(y);
  return (Real)(bits | ((Bits)y ^ keep));
}
template <class Real>
inline Real greater(Real a, Real b) {
  return a > b ? a : b;
}
/// The power of two at or below a positive number that is not denormal, and its inverse, which the largest numbers do not have.
inline double power_below(double x) { return std::bit_cast<double>(std::bit_cast<int64_t>(x) & 0x7FF0000000000000ll); }
inline float power_below(float x) { return std::bit_cast<float>(std::bit_cast<int32_t>(x) & 0x7F800000); }
inline Doubles power_below(Doubles x) { return (Doubles)((decltype(x < x))x & 0x7FF0000000000000ll); }
inline Floats power_below(Floats x) { return (Floats)((decltype(x < x))x & 0x7F800000); }
inline double inverse_power(double x) { return std::bit_cast<double>(0x7FE0000000000000ll - std::bit_cast<int64_t>(power_below(x))); }
inline float inverse_power(float x) { return std::bit_cast<float>(0x7F000000 - std::bit_cast<int32_t>(power_below(x))); }
inline Doubles inverse_power(Doubles x) { return (Doubles)(0x7FE0000000000000ll - (decltype(x < x))power_below(x)); }
inline Floats inverse_power(Floats x) { return (Floats)(0x7F000000 - (decltype(x < x))power_below(x)); }

template <class Real>
inline Real dot(const Real* a, const Real* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// What a matrix was divided by: two powers of two, since one could be too large or too small.
template <class Real>
struct Scale {
  Real power, more;
};

/// Brings the largest entry of each matrix into [1, 2), exactly. One that is not finite becomes zero and is reported.
template <class Real, class Mask>
inline Scale<Real> normalize(Real* a, Mask& bad) {
  typedef typename NumberOf<Real>::Type T;
  constexpr T kTiny = sizeof(T) == 8 ? T(0x1p-500) : T(0x1p-60f), kHuge = 1 / kTiny;
  const Real zero = {}, one = zero + T(1);
  Real largest = zero, poison = zero;
  for (int k = 0; k < 9; ++k) poison += a[k] * T(0), largest = greater(magnitude(a[k]), largest);
  bad = !(poison == zero);
  Real more = largest < kTiny ? zero + kTiny : one;
  more = largest > kHuge ? zero + kHuge : more;
  const Mask nothing = bad | (largest == zero);
  const Real inverse = one / more, size = nothing ? one : largest * inverse, shrink = inverse_power(size);
  for (int k = 0; k < 9; ++k) a[k] = nothing ? zero : a[k] * inverse * shrink;
  return {power_below(size), more};
}

/// Reads one number of each of `count` items that lie `stride` apart; lanes beyond get zero.
template <class Real, class T>
inline Real gather(const T* from, int stride, int count) {
  Real lanes = {};
  for (int lane = 0; lane < count; ++lane) lanes[lane] = from[lane * stride];
  return lanes;
}
template <class Real, class T>
inline void scatter(const Real& lanes, T* to, int stride, int count) {
  for (int lane = 0; lane < count; ++lane) to[lane * stride] = lanes[lane];
}
