#include "crumple/rig/lane_kernels.h"

namespace crumple::lane {
namespace {

#define CRUMPLE_KERNELS "crumple/rig/lane_kernels.inl"
#include "crumple/math/each_width.inl"

}  // namespace

void bend_of(const Matrix& matrix, const double* values, double* bend, double* squares) {
  CRUMPLE_PICK(bend_of, matrix, values, bend, squares);
}
void gradient_of(const Matrix& matrix, const double* bend, double* gradient) {
  CRUMPLE_PICK(gradient_of, matrix, bend, gradient);
}
void sweep(const Matrix& matrix, bool backward, double* values, double* bend) {
  CRUMPLE_PICK(sweep, matrix, backward, values, bend);
}
void products(const Matrix& matrix, const double* a, const double* b, double* aa, double* ab, double* bb) {
  CRUMPLE_PICK(products, matrix, a, b, aa, ab, bb);
}
void find_forces(const Matrix& matrix, const double* values, const double* gradient, float* force, double* open, double* greatest) {
  CRUMPLE_PICK(find_forces, matrix, values, gradient, force, open, greatest);
}
void find_forces(const Matrix& matrix, const double* values, const double* gradient, double* force, double* open, double* greatest) {
  CRUMPLE_PICK(find_forces, matrix, values, gradient, force, open, greatest);
}
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const float* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope) {
  CRUMPLE_PICK(restrict_directions, matrix, values, gradient, answer, smooth, last, smooth_slope, last_slope);
}
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const double* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope) {
  CRUMPLE_PICK(restrict_directions, matrix, values, gradient, answer, smooth, last, smooth_slope, last_slope);
}
void bend_into_box(const Matrix& matrix, const double* values, const double* gradient, const double* smooth, const double* a, const double* b,
                   double* last, double* move, double* slope) {
  CRUMPLE_PICK(bend_into_box, matrix, values, gradient, smooth, a, b, last, move, slope);
}
void advance(const double* move, const double* length, int rows, double* values) {
  CRUMPLE_PICK(advance, move, length, rows, values);
}

}  // namespace crumple::lane
