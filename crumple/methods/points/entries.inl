// Included once for each width of registers; see entries.cpp.

using V4 = double __attribute__((vector_size(32)));

inline V4 load(const Vec4* at) {
  V4 value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline void store(Vec4* at, V4 value) {
  std::memcpy(at->data(), &value, sizeof value);
}
using F4 = float __attribute__((vector_size(16)));

inline F4 load(const Eigen::Vector4f* at) {
  F4 value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline void store(Eigen::Vector4f* at, F4 value) {
  std::memcpy(at->data(), &value, sizeof value);
}
inline F4 all(float value) {
  return F4{value, value, value, value};
}
inline V4 all(double value) {
  return V4{value, value, value, value};
}

inline void sum_gradient(const Entries& entries, const Vec4* places, int own, Vec4 (&columns)[3]) {
  const V4 here = load(places + own);
  V4 x = {}, y = {}, z = {};
  for (int s = 0; s < entries.count; ++s) {
    const double* u = entries.u[s].data();
    const V4 way = all(u[3]) * (load(places + entries.slots[s]) - here);
    x += all(u[0]) * way, y += all(u[1]) * way, z += all(u[2]) * way;
  }
  store(columns, x), store(columns + 1, y), store(columns + 2, z);
}

inline void add_pushes(const Entries& entries, const Vec4* places, int own, const Vec4 (&h)[3], double k, Vec4* forces) {
  const V4 here = load(places + own), hx = load(h), hy = load(h + 1), hz = load(h + 2), stiff = all(k);
  V4 sum = {};
  for (int s = 0; s < entries.count; ++s) {
    const double* u = entries.u[s].data();
    const int slot = entries.slots[s];
    const V4 q = all(u[3]) * ((all(u[0]) * hx + all(u[1]) * hy) + (all(u[2]) * hz + stiff * (load(places + slot) - here)));
    sum += q;
    store(forces + slot, load(forces + slot) - q);
  }
  store(forces + own, load(forces + own) + sum);
}

template <class Number, class Row>
inline void add_differences(const float* coefficients, const uint16_t* slots, int count, const Row* values, int own, Row* sums) {
  const auto here = load(values + own);
  auto sum = here - here;
  for (int s = 0; s < count; ++s) {
    const auto q = all(static_cast<Number>(coefficients[s])) * (load(values + slots[s]) - here);
    sum += q;
    store(sums + slots[s], load(sums + slots[s]) - q);
  }
  store(sums + own, load(sums + own) + sum);
}
inline void add_differences(const float* coefficients, const uint16_t* slots, int count, const Vec4* values, int own, Vec4* sums) {
  add_differences<double>(coefficients, slots, count, values, own, sums);
}
inline void add_differences(const float* coefficients, const uint16_t* slots, int count, const Eigen::Vector4f* values, int own, Eigen::Vector4f* sums) {
  add_differences<float>(coefficients, slots, count, values, own, sums);
}
