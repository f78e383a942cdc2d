#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple {

struct CarrySettings {
  double smooth = 1e-4;  // bending of the field of displacements over a cell, against errors on the surface
};

/// Moves the vertices of tetrahedra such that the points they carry land where they should, with least squares, as smoothly as that allows:
/// what is added is the jump of the displacement's gradient over the faces between tetrahedra, which no affine motion has. So
/// rigid motions are carried exactly, and vertices far from any point follow their surroundings.
/// `shapes` is #points x `examples`; what comes back is #vertices x `examples`. `counts` says how much each point matters.
Result<std::vector<Vec3>> carry_to_tets(const TetMesh& mesh, std::span<const Tetrahedron> corners, std::span<const std::array<double, 4>> shares,
                                        std::span<const double> counts, std::span<const Vec3> points, std::span<const Vec3> shapes, int examples,
                                        const CarrySettings& settings = {});

}  // namespace crumple
