// Included by block_kernels.cpp once for each instruction set, inside a namespace of its own. Every number is the same sum in the same order in all of them.

#if CRUMPLE_VECTOR_BYTES == 64
struct Column {
  __m512d all;  // the last two lanes are of no use

  // Not masked loads and stores: those of neighbouring columns overlap and would wait for each other.
  static Column load(const double* from) {
    return {_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(from)), _mm256_castpd128_pd256(_mm_loadu_pd(from + 4)), 1)};
  }
  void store(double* to) const {
    _mm256_storeu_pd(to, _mm512_castpd512_pd256(all));
    _mm_storeu_pd(to + 4, _mm256_castpd256_pd128(_mm512_extractf64x4_pd(all, 1)));
  }
  void add(const Column& other, double factor) { all += other.all * factor; }
  void subtract(const Column& other, double factor) { all -= other.all * factor; }
  void scale(double factor) { all *= factor; }
};
#elif CRUMPLE_VECTOR_BYTES == 32
struct Column {
  typedef double Four __attribute__((vector_size(32), aligned(8)));
  typedef double Two __attribute__((vector_size(16), aligned(8)));
  Four low;
  Two high;

  static Column load(const double* from) { return {*reinterpret_cast<const Four*>(from), *reinterpret_cast<const Two*>(from + 4)}; }
  void store(double* to) const {
    *reinterpret_cast<Four*>(to) = low;
    *reinterpret_cast<Two*>(to + 4) = high;
  }
  void add(const Column& other, double factor) { low += other.low * factor, high += other.high * factor; }
  void subtract(const Column& other, double factor) { low -= other.low * factor, high -= other.high * factor; }
  void scale(double factor) { low *= factor, high *= factor; }
};
#else
struct Column {
  typedef double Two __attribute__((vector_size(16), aligned(8)));
  Two a, b, c;

  static Column load(const double* from) {
    const Two* in = reinterpret_cast<const Two*>(from);
    return {in[0], in[1], in[2]};
  }
  void store(double* to) const {
    Two* out = reinterpret_cast<Two*>(to);
    out[0] = a, out[1] = b, out[2] = c;
  }
  void add(const Column& other, double factor) { a += other.a * factor, b += other.b * factor, c += other.c * factor; }
  void subtract(const Column& other, double factor) { a -= other.a * factor, b -= other.b * factor, c -= other.c * factor; }
  void scale(double factor) { a *= factor, b *= factor, c *= factor; }
};
#endif

struct Block {
  Column column[6];

  explicit Block(const Mat6& from) {
    for (int k = 0; k < 6; ++k) column[k] = Column::load(from.data() + 6 * k);
  }
};

inline void add_product(Mat6& c, const Mat6& a, const Mat6& b) {
  const Block left(a);
  for (int j = 0; j < 6; ++j) {
    Column sum = Column::load(c.data() + 6 * j);
    for (int k = 0; k < 6; ++k) sum.add(left.column[k], b.data()[6 * j + k]);
    sum.store(c.data() + 6 * j);
  }
}

/// C -= A B^T.
inline void subtract_product(Mat6& c, const Block& a, const Mat6& b) {
  for (int j = 0; j < 6; ++j) {
    Column sum = Column::load(c.data() + 6 * j);
    for (int k = 0; k < 6; ++k) sum.subtract(a.column[k], b.data()[6 * k + j]);
    sum.store(c.data() + 6 * j);
  }
}

/// X := X L^-T. Triangles, not an inverse: a pivot whose directions differ by a factor of 1e8 in stiffness costs four digits, not eight.
inline void divide_by_transpose(Mat6& x, const Mat6& l) {
  Block block(x);
  for (int j = 0; j < 6; ++j) {
    for (int k = 0; k < j; ++k) block.column[j].subtract(block.column[k], l.data()[6 * k + j]);
    block.column[j].scale(l.data()[7 * j]);
    block.column[j].store(x.data() + 6 * j);
  }
}

inline void eliminate(const BlockPattern& pattern, size_t column, Mat6* blocks, Mat6* pivots) {
  const size_t begin = pattern.start[column], end = pattern.start[column + 1];
  const int* below = pattern.below.data();
  for (size_t p = begin; p < end; ++p) divide_by_transpose(blocks[p], pivots[column]);
  for (size_t q = begin; q < end; ++q) {
    const size_t target = static_cast<size_t>(below[q]);
    subtract_product(pivots[target], Block(blocks[q]), blocks[q]);
    size_t to = pattern.start[target];
    for (size_t p = q + 1; p < end; ++p, ++to) {
      while (below[to] != below[p]) ++to;
      subtract_product(blocks[to], Block(blocks[p]), blocks[q]);
    }
  }
}
