#pragma once

#include <vector>

#include "crumple/math/types.h"

/// Shapes of a surface over time as sums of few displacements: what morph targets of animation formats hold.
namespace crumple {

/// Displacements from the rest shape, one row for each moment.
struct ShapeRows {
  int vertices = 0;
  std::vector<Vec3f> moves;  // #rows x #vertices, row after row; metres

  int count() const { return vertices == 0 ? 0 : static_cast<int>(moves.size()) / vertices; }
};

/// Displacement of some vertices at weight 1.
struct ShapeTarget {
  std::vector<int> vertices;  // ascending
  std::vector<Vec3f> moves;   // #vertices, metres
};

struct ShapeBasis {
  std::vector<ShapeTarget> targets;  // those that move the most first
  std::vector<float> weights;        // #rows x #targets, row after row: -0.5 to 0.5
  std::vector<int> levels;           // #vertices: number of targets, from the first on, that may move it

  float weight(int row, int target) const { return weights[static_cast<size_t>(row) * targets.size() + static_cast<size_t>(target)]; }
};

struct ShapeBasisSettings {
  double tolerance = 0.001;  // metres: no vertex of any row is farther from its place
  double unit = 0;           // metres: moves are whole multiples of it; 0: any numbers
};

/// Few targets whose weighted sums give all rows back. Principal directions of the rows [Halko et al. 2011], a block at a time, each of what those
/// before leave over on vertices and in rows that are still off: small remainders cost targets of few vertices. Rounding to the unit is part of the
/// loop, so later targets correct it.
ShapeBasis find_shape_basis(const ShapeRows& rows, const ShapeBasisSettings& settings);

/// Displacements of other vectors on the same vertices, such as normals, for the targets of a basis: least squares over all rows. `levels` as in the basis.
std::vector<std::vector<Vec3f>> fit_to_weights(const ShapeBasis& basis, const ShapeRows& rows, const std::vector<int>& levels);

/// The target that lets all weights run from 0 to 1, as programs with sliders want it: where some weights are negative, all of these are raised by the
/// same amount, and its own weight takes that back. Empty if no weight is negative. Changes the weights of the others, and not what they add up to.
struct CounterTarget {
  std::vector<int> targets;    // that it takes back; weight 1 of it is -1 of each
  std::vector<float> weights;  // #rows
};
CounterTarget raise_weights(ShapeBasis& basis);

}  // namespace crumple
