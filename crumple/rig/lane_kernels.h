#pragma once

/// The sparse inner loops of many box problems side by side, compiled for AVX-512, AVX2 and the baseline; all give the same bits.
/// Arrays hold kLanes values a row, row after row.
namespace crumple::lane {

inline constexpr int kLanes = 16;

/// The energy Q = B B^T with B = K M^-1/2, as K and B of the same pattern: K w / sqrt(m), here called the bend of w, is half of it.
struct Matrix {
  int rows, free;  // the free rows come first
  const int *start, *column;
  const double* stiffness;  // K_ij
  const double* scaled;     // K_ij / sqrt(m_j)
  const double* shrink;     // 1 / sqrt(m_i)
  const double* step;       // 1 / Q_ii
};

/// bend = M^-1/2 K values; `squares` gets its sum of squares, twice the energy, in each lane.
void bend_of(const Matrix& matrix, const double* values, double* bend, double* squares);
/// gradient = Q values, from their bend.
void gradient_of(const Matrix& matrix, const double* bend, double* gradient);
/// One sweep of projected Gauss-Seidel over the free rows: each takes its best value in [0, 1], one after the other. The bend is kept.
void sweep(const Matrix& matrix, bool backward, double* values, double* bend);
/// Sums over all rows of bend(a)^2, bend(a) bend(b) and bend(b)^2: what Q makes of two directions. kLanes each.
void products(const Matrix& matrix, const double* a, const double* b, double* aa, double* ab, double* bb);

/// Rows that a bound and the gradient hold may not move. Minus the gradient of the others (zero for those), its greatest, and the
/// greatest gradient of all rows.
void find_forces(const Matrix& matrix, const double* values, const double* gradient, float* force, double* open, double* greatest);
void find_forces(const Matrix& matrix, const double* values, const double* gradient, double* force, double* open, double* greatest);
/// Two directions without rows that may not move, and how fast energy falls along them; `smooth` is read from `answer`.
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const float* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope);
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const double* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope);
/// The step a smooth + b last, which is left in `last`, what of it stays in the box, and how fast energy falls along that.
void bend_into_box(const Matrix& matrix, const double* values, const double* gradient, const double* smooth, const double* a, const double* b,
                   double* last, double* move, double* slope);
/// values += length move.
void advance(const double* move, const double* length, int rows, double* values);

}  // namespace crumple::lane
