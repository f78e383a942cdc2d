// Included by lane_kernels.cpp once for each instruction set, in its own namespace; CRUMPLE_VECTOR_BYTES is its register's size.

typedef double Vector __attribute__((vector_size(CRUMPLE_VECTOR_BYTES), aligned(8), may_alias));
constexpr int kWidth = CRUMPLE_VECTOR_BYTES / 8, kVectors = kLanes / kWidth;

/// One row of lanes in registers.
struct Row {
  Vector part[kVectors];
};

inline Row load(const double* from) {
  Row row;
  for (int i = 0; i < kVectors; ++i) row.part[i] = *reinterpret_cast<const Vector*>(from + i * kWidth);
  return row;
}
inline void store(const Row& row, double* to) {
  for (int i = 0; i < kVectors; ++i) *reinterpret_cast<Vector*>(to + i * kWidth) = row.part[i];
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

void bend_of(const Matrix& matrix, const double* values, double* bend) {
  for (int i = 0; i < matrix.rows; ++i) {
    Row sum = row_times(matrix, matrix.stiffness, i, values);
    for (Vector& part : sum.part) part *= matrix.shrink[i];
    store(sum, bend + static_cast<long>(i) * kLanes);
  }
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
      Vector& value = *reinterpret_cast<Vector*>(values + static_cast<long>(i) * kLanes + part * kWidth);
      const Vector zero = {}, one = zero + 1.0;
      Vector next = value - slope.part[part] * matrix.step[i];
      next = next > zero ? next : zero;
      next = next < one ? next : one;
      change.part[part] = next - value;
      value = next;
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
