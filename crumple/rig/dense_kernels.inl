// Included by dense_kernels.cpp once for each instruction set, in its own namespace; CRUMPLE_VECTOR_BYTES is its register's size.
// Factors are made with the same narrower registers everywhere: their tiles would not fit wider ones.

template <class T>
struct Vector;
template <>
struct Vector<double> {
  typedef double Type __attribute__((vector_size(32)));
  static constexpr int kWidth = 4;
};
template <>
struct Vector<float> {
  typedef float Type __attribute__((vector_size(32)));
  static constexpr int kWidth = 8;
};

/// A register from anywhere in memory, and back.
template <class T, class V>
inline void load(const T* from, V& to) {
  __builtin_memcpy(&to, from, sizeof(V));
}
template <class T, class V>
inline void store(const V& from, T* to) {
  __builtin_memcpy(to, &from, sizeof(V));
}

/// C -= A B for a tile of two vectors by four columns; B is given row after row, `b_step` apart.
template <class T>
inline void subtract_tile(const T* a, int a_step, const T* b, int b_step, int depth, T* c, int c_step) {
  using V = typename Vector<T>::Type;
  constexpr int W = Vector<T>::kWidth;
  V low[4], high[4];
  for (int k = 0; k < 4; ++k) {
    load(c + k * c_step, low[k]);
    load(c + k * c_step + W, high[k]);
  }
  for (int p = 0; p < depth; ++p, a += a_step, b += b_step) {
    V a0, a1;
    load(a, a0);
    load(a + W, a1);
    for (int k = 0; k < 4; ++k) {
      low[k] -= a0 * b[k];
      high[k] -= a1 * b[k];
    }
  }
  for (int k = 0; k < 4; ++k) {
    store(low[k], c + k * c_step);
    store(high[k], c + k * c_step + W);
  }
}

/// Cholesky of a 4 x 4 block and the rows below it.
template <class T>
inline bool eliminate_four(T* matrix, int height, int j) {
  for (int c = j; c < j + 4; ++c) {
    T* column = matrix + static_cast<long>(c) * height;
    for (int q = j; q < c; ++q) {
      const T* other = matrix + static_cast<long>(q) * height;
      const T factor = other[c];
      for (int i = c; i < height; ++i) column[i] -= other[i] * factor;
    }
    if (!(column[c] > 0)) return false;
    const T root = __builtin_sqrt(column[c]), scale = 1 / root;
    column[c] = root;
    for (int i = c + 1; i < height; ++i) column[i] *= scale;
  }
  return true;
}

// Tiles that straddle the diagonal also write above it, where nothing is ever read back into the lower triangle. Finished
// columns are copied to `packed`, a tile's rows together, because steps of a whole column cost a page each.
template <class T>
inline bool eliminate_columns(T* matrix, int height, int pivots, T* packed) {
  constexpr int kRows = 2 * Vector<T>::kWidth;
  const long tile = static_cast<long>(kRows) * pivots;
  const auto subtract_finished = [&](int j, int depth) {
    const T* b = packed + j / kRows * tile + j % kRows;
    T* columns = matrix + static_cast<long>(j) * height;
    for (int i = j / kRows * kRows; i < height; i += kRows) subtract_tile(packed + i / kRows * tile, kRows, b, kRows, depth, columns + i, height);
  };
  for (int j = 0; j < pivots; j += 4) {
    if (j > 0) subtract_finished(j, j);
    if (!eliminate_four(matrix, height, j)) return false;
    for (int c = j; c < j + 4; ++c) {
      for (int i = j / kRows * kRows; i < height; i += kRows) {
        const T* from = matrix + static_cast<long>(c) * height + i;
        T* to = packed + i / kRows * tile + c * kRows;
        for (int r = 0; r < kRows; ++r) to[r] = from[r];
      }
    }
  }
  for (int j = pivots; j < height; j += 4) subtract_finished(j, pivots);
  return true;
}

/// The inverse is packed: four rows of a column together, then the next column, then the next four rows.
template <class T>
inline void invert_all(int height, int pivots, T* inverse, T* four, const T* packed) {
  constexpr int kRows = 2 * Vector<T>::kWidth;
  const long tile = static_cast<long>(kRows) * pivots, step = 4L * pivots;
  for (int j = 0; j < pivots; j += 4) {
    // `four` holds four columns of L11^-1, row after row from row j on.
    for (int i = j / kRows * kRows; i < pivots; i += kRows) {
      const int first = i < j ? j : i, end = i + kRows < pivots ? i + kRows : pivots;
      T result[4 * kRows] = {};
      for (int c = 0; c < 4; ++c) {
        if (j + c >= i && j + c < i + kRows) result[c * kRows + j + c - i] = 1;
      }
      const T* rows = packed + i / kRows * tile;
      if (i > j) subtract_tile(rows + j * kRows, kRows, four, 4, i - j, result, kRows);
      for (int p = first; p < end; ++p) {
        const T scale = 1 / rows[p * kRows + p - i];
        for (int c = 0; c < 4; ++c) {
          const T x = result[c * kRows + p - i] * scale;
          four[(p - j) * 4 + c] = x;
          for (int r = p - i + 1; r < kRows; ++r) result[c * kRows + r] -= rows[p * kRows + r] * x;
        }
      }
    }
    for (int i = pivots / kRows * kRows; i < height; i += kRows) {
      T result[4 * kRows] = {};
      subtract_tile(packed + i / kRows * tile + j * kRows, kRows, four, 4, pivots - j, result, kRows);
      for (int r = 0; r < kRows; ++r) {
        for (int c = 0; c < 4; ++c) inverse[(i + r) / 4 * step + (j + c) * 4 + r % 4] = result[c * kRows + r];
      }
    }
    for (int i = 0; i < pivots; ++i) {
      for (int c = 0; c < 4; ++c) inverse[i / 4 * step + (j + c) * 4 + i % 4] = i < j ? T(0) : four[(i - j) * 4 + c];
    }
  }
}

/// Right-hand sides lie side by side, as many registers as they need.
template <class T>
struct Lanes;
template <>
struct Lanes<double> {
  typedef double Type __attribute__((vector_size(CRUMPLE_VECTOR_BYTES)));
  static constexpr int kWidth = CRUMPLE_VECTOR_BYTES / 8, kParts = kDoubleLanes / kWidth;
};
template <>
struct Lanes<float> {
  typedef float Type __attribute__((vector_size(CRUMPLE_VECTOR_BYTES)));
  static constexpr int kWidth = CRUMPLE_VECTOR_BYTES / 4, kParts = kFloatLanes / kWidth;
};

/// Four rows of lanes in registers.
template <class T>
struct Sums {
  using V = typename Lanes<T>::Type;
  static constexpr int W = Lanes<T>::kWidth, P = Lanes<T>::kParts;
  V of[4][P] = {};
  /// Row r gets x times factor[r * step].
  inline void add(const T* x, const T* factor, long step) {
    for (int part = 0; part < P; ++part) {
      V lanes;
      load(x + part * W, lanes);
      for (int r = 0; r < 4; ++r) of[r][part] += lanes * factor[r * step];
    }
  }
  inline void write(T* to, long step) const {
    for (int r = 0; r < 4; ++r) {
      for (int part = 0; part < P; ++part) store(of[r][part], to + r * step + part * W);
    }
  }
};

template <class T>
inline void multiply_lanes(const T* inverse, int height, int pivots, const T* in, T* out) {
  constexpr int L = Lanes<T>::kWidth * Lanes<T>::kParts;
  for (int i = 0; i < height; i += 4) {
    const int depth = i < pivots ? i + 4 : pivots;  // L11^-1 is lower triangular
    const T* p = inverse + static_cast<long>(i) * pivots;
    Sums<T> sums;
    for (int k = 0; k < depth; ++k) sums.add(in + static_cast<long>(k) * L, p + 4L * k, 1);
    sums.write(out + static_cast<long>(i) * L, L);
  }
}

template <class T>
inline void multiply_transposed_lanes(const T* inverse, int height, int pivots, const T* in, T* out) {
  constexpr int L = Lanes<T>::kWidth * Lanes<T>::kParts;
  for (int j = 0; j < pivots; j += 4) {
    const T* p = inverse + static_cast<long>(j) * pivots + j * 4;
    const T* x = in + static_cast<long>(j) * L;
    Sums<T> sums;
    for (int i = j; i < height; i += 4, p += 4L * pivots) {
      for (int r = 0; r < 4; ++r, x += L) sums.add(x, p + r, 4);
    }
    sums.write(out + static_cast<long>(j) * L, L);
  }
}

template <class T>
inline void subtract_lanes(const T* matrix, int height, int depth, const T* in, T* out) {
  constexpr int L = Lanes<T>::kWidth * Lanes<T>::kParts;
  for (int i = 0; i < height; i += 4, matrix += 4L * depth) {
    for (int first = 0; first < kFloatLanes; first += L) {
      Sums<T> sums;
      for (int k = 0; k < depth; ++k) sums.add(in + static_cast<long>(k) * kFloatLanes + first, matrix + 4L * k, 1);
      T results[4 * L];
      sums.write(results, L);
      for (int r = 0; r < 4 && i + r < height; ++r) {
        for (int l = 0; l < L; ++l) out[static_cast<long>(i + r) * kFloatLanes + first + l] -= results[r * L + l];
      }
    }
  }
}

bool eliminate(double* m, int height, int pivots, double* inverse, double* packed, double* four) {
  if (!eliminate_columns(m, height, pivots, packed)) return false;
  invert_all(height, pivots, inverse, four, packed);
  return true;
}
bool eliminate(float* m, int height, int pivots, float* inverse, float* packed, float* four) {
  if (!eliminate_columns(m, height, pivots, packed)) return false;
  invert_all(height, pivots, inverse, four, packed);
  return true;
}
void multiply(const double* p, int height, int pivots, const double* in, double* out) { multiply_lanes(p, height, pivots, in, out); }
void multiply(const float* p, int height, int pivots, const float* in, float* out) { multiply_lanes(p, height, pivots, in, out); }
void multiply_transposed(const double* p, int height, int pivots, const double* in, double* out) {
  multiply_transposed_lanes(p, height, pivots, in, out);
}
void multiply_transposed(const float* p, int height, int pivots, const float* in, float* out) {
  multiply_transposed_lanes(p, height, pivots, in, out);
}
void subtract_product(const double* matrix, int height, int depth, const double* in, double* out) { subtract_lanes(matrix, height, depth, in, out); }
void subtract_product(const float* matrix, int height, int depth, const float* in, float* out) { subtract_lanes(matrix, height, depth, in, out); }
