#pragma once

/// The dense inner loops of the sparse Cholesky factorisation, compiled for AVX-512, AVX2 and the
/// baseline; all give the same bits.
/// Matrices are column after column with `height` rows, a multiple of kRowTile; `pivots` is a multiple of kPivotTile.
namespace crumple::dense {

inline constexpr int kPivotTile = 4;
inline constexpr int kRowTile = 16;
inline constexpr int kFloatLanes = 16, kDoubleLanes = 8;

/// Eliminates the first `pivots` columns of a symmetric matrix of which the lower triangle is given: those become columns
/// [L11; L21] of its Cholesky factor, the rest its Schur complement. `inverse` receives P = [L11^-1; -L21 L11^-1], with which
/// both halves of a solve are products, in an order that suits them. False if the matrix is not positive definite.
bool eliminate(double* matrix, int height, int pivots, double* inverse);
bool eliminate(float* matrix, int height, int pivots, float* inverse);

/// out = P in, for several right-hand sides side by side; `in` has `pivots` rows, `out` has `height`.
void multiply(const double* inverse, int height, int pivots, const double* in, double* out);
void multiply(const float* inverse, int height, int pivots, const float* in, float* out);

/// out = P^T in; `in` has `height` rows, `out` has `pivots`.
void multiply_transposed(const double* inverse, int height, int pivots, const double* in, double* out);
void multiply_transposed(const float* inverse, int height, int pivots, const float* in, float* out);

/// out -= A in for sixteen right-hand sides; A has any `height` and is packed like the inverse: four rows of a column together.
void subtract_product(const double* matrix, int height, int depth, const double* in, double* out);
void subtract_product(const float* matrix, int height, int depth, const float* in, float* out);

}  // namespace crumple::dense
