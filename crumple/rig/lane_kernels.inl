// Included by lane_kernels.cpp once for each instruction set, in its own namespace; CRUMPLE_VECTOR_BYTES is its register's size.

typedef double Vector __attribute__((vector_size(CRUMPLE_VECTOR_BYTES), may_alias));
typedef double Memory __attribute__((vector_size(CRUMPLE_VECTOR_BYTES), aligned(8), may_alias));  // arrays may begin anywhere
constexpr int kWidth = CRUMPLE_VECTOR_BYTES / 8, kVectors = kLanes / kWidth;

typedef float Single __attribute__((vector_size(CRUMPLE_VECTOR_BYTES / 2), aligned(4), may_alias));

/// One row of lanes in registers.
struct Row {
  Vector part[kVectors];
};

inline Row load(const double* from) {
  Row row;
  for (int i = 0; i < kVectors; ++i) row.part[i] = *reinterpret_cast<const Memory*>(from + i * kWidth);
  return row;
}
inline void store(const Row& row, double* to) {
  for (int i = 0; i < kVectors; ++i) *reinterpret_cast<Memory*>(to + i * kWidth) = row.part[i];
}
inline void add_product(Row& sum, const Row& row, double factor) {
  for (int i = 0; i < kVectors; ++i) sum.part[i] += row.part[i] * factor;
}
inline void add_product(Row& sum, const Row& a, const Row& b) {
  for (int i = 0; i < kVectors; ++i) sum.part[i] += a.part[i] * b.part[i];
}

inline Row row_times(const Matrix& matrix, const double* entries, int row, const double* values) {
  Row sum = {};
  for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k) add_product(sum, load(values + static_cast<long>(matrix.column[k]) * kLanes), entries[k]);
  return sum;
}

void bend_of(const Matrix& matrix, const double* values, double* bend, double* squares) {
  Row total = {};
  for (int i = 0; i < matrix.rows; ++i) {
    Row sum = row_times(matrix, matrix.stiffness, i, values);
    for (int part = 0; part < kVectors; ++part) sum.part[part] *= matrix.shrink[i];
    store(sum, bend + static_cast<long>(i) * kLanes);
    add_product(total, sum, sum);
  }
  store(total, squares);
}

void gradient_of(const Matrix& matrix, const double* bend, double* gradient) {
  for (int i = 0; i < matrix.rows; ++i) store(row_times(matrix, matrix.scaled, i, bend), gradient + static_cast<long>(i) * kLanes);
}

void sweep(const Matrix& matrix, bool backward, double* values, double* bend) {
  for (int count = 0; count < matrix.free; ++count) {
    const int i = backward ? matrix.free - 1 - count : count;
    const Row slope = row_times(matrix, matrix.scaled, i, bend);
    Row change;
    for (int part = 0; part < kVectors; ++part) {
      Memory* at = reinterpret_cast<Memory*>(values + static_cast<long>(i) * kLanes + part * kWidth);
      const Vector value = *at;
      const Vector zero = {}, one = zero + 1.0;
      Vector next = value - slope.part[part] * matrix.step[i];
      next = next > zero ? next : zero;
      next = next < one ? next : one;
      change.part[part] = next - value;
      *at = next;
    }
    for (int k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
      double* to = bend + static_cast<long>(matrix.column[k]) * kLanes;
      Row sum = load(to);
      add_product(sum, change, matrix.scaled[k]);
      store(sum, to);
    }
  }
}

void products(const Matrix& matrix, const double* a, const double* b, double* aa, double* ab, double* bb) {
  Row sum_aa = {}, sum_ab = {}, sum_bb = {};
  for (int i = 0; i < matrix.rows; ++i) {
    Row bend_a = row_times(matrix, matrix.stiffness, i, a), bend_b = row_times(matrix, matrix.stiffness, i, b);
    for (Vector& part : bend_a.part) part *= matrix.shrink[i];
    for (Vector& part : bend_b.part) part *= matrix.shrink[i];
    add_product(sum_aa, bend_a, bend_a);
    add_product(sum_ab, bend_a, bend_b);
    add_product(sum_bb, bend_b, bend_b);
  }
  store(sum_aa, aa);
  store(sum_ab, ab);
  store(sum_bb, bb);
}

inline Vector load_part(const double* from) { return *reinterpret_cast<const Memory*>(from); }
inline Vector load_part(const float* from) { return __builtin_convertvector(*reinterpret_cast<const Single*>(from), Vector); }
inline void store_part(const Vector& part, double* to) { *reinterpret_cast<Memory*>(to) = part; }
inline void store_part(const Vector& part, float* to) { *reinterpret_cast<Single*>(to) = __builtin_convertvector(part, Single); }

/// Calls body(part of the row, where it begins) for each part of the rows.
template <class Body>
inline void for_parts(int rows, const Body& body) {
  for (long at = 0, end = static_cast<long>(rows) * kLanes; at < end;) {
    for (int part = 0; part < kVectors; ++part, at += kWidth) body(part, at);
  }
}

/// Zero where a row is at a bound and the gradient holds it there.
inline Vector where_loose(const Vector& value, const Vector& gradient, const Vector& each) {
  const Vector zero = {}, one = zero + 1.0;
  const auto stuck = ((value <= zero) & (gradient >= zero)) | ((value >= one) & (gradient <= zero));
  return stuck ? zero : each;
}

template <class T>
inline void forces_of(const Matrix& matrix, const double* values, const double* gradient, T* force, double* open, double* greatest) {
  Row follows = {}, sizes = {};
  const auto grow = [](Vector& most, const Vector& each) {
    const Vector size = each < Vector{} ? -each : each;
    most = size > most ? size : most;
  };
  for_parts(matrix.free, [&](int part, long at) {
    const Vector slope = load_part(gradient + at), loose = where_loose(load_part(values + at), slope, slope);
    grow(sizes.part[part], slope);
    grow(follows.part[part], loose);
    store_part(-loose, force + at);
  });
  const long fixed = static_cast<long>(matrix.free) * kLanes;
  for_parts(matrix.rows - matrix.free, [&](int part, long at) { grow(sizes.part[part], load_part(gradient + fixed + at)); });
  store(follows, open);
  store(sizes, greatest);
}
void find_forces(const Matrix& matrix, const double* values, const double* gradient, float* force, double* open, double* greatest) {
  forces_of(matrix, values, gradient, force, open, greatest);
}
void find_forces(const Matrix& matrix, const double* values, const double* gradient, double* force, double* open, double* greatest) {
  forces_of(matrix, values, gradient, force, open, greatest);
}

template <class T>
inline void loosened(const Matrix& matrix, const double* values, const double* gradient, const T* answer, double* smooth, double* last, double* smooth_slope,
                     double* last_slope) {
  Row smooth_sum = {}, last_sum = {};
  for_parts(matrix.free, [&](int part, long at) {
    const Vector value = load_part(values + at), slope = load_part(gradient + at);
    const Vector a = where_loose(value, slope, load_part(answer + at)), b = where_loose(value, slope, load_part(last + at));
    store_part(a, smooth + at);
    store_part(b, last + at);
    smooth_sum.part[part] -= slope * a;
    last_sum.part[part] -= slope * b;
  });
  store(smooth_sum, smooth_slope);
  store(last_sum, last_slope);
}
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const float* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope) {
  loosened(matrix, values, gradient, answer, smooth, last, smooth_slope, last_slope);
}
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const double* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope) {
  loosened(matrix, values, gradient, answer, smooth, last, smooth_slope, last_slope);
}

void bend_into_box(const Matrix& matrix, const double* values, const double* gradient, const double* smooth, const double* a, const double* b, double* last,
                   double* move, double* slope) {
  const Row factor_a = load(a), factor_b = load(b);
  const Vector zero = {}, one = zero + 1.0;
  Row sum = {};
  for_parts(matrix.free, [&](int part, long at) {
    const Vector value = load_part(values + at), step = factor_a.part[part] * load_part(smooth + at) + factor_b.part[part] * load_part(last + at);
    Vector next = value + step;
    next = next > zero ? next : zero;
    next = next < one ? next : one;
    store_part(step, last + at);
    store_part(next - value, move + at);
    sum.part[part] -= load_part(gradient + at) * (next - value);
  });
  store(sum, slope);
}

void advance(const double* move, const double* length, int rows, double* values) {
  const Row factor = load(length);
  for_parts(rows, [&](int part, long at) { store_part(load_part(values + at) + factor.part[part] * load_part(move + at), values + at); });
}
