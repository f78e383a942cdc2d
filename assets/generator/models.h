#pragma once

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace crumple::generator {

// Closed surfaces without a rig, for bodies that are filled with particles or with tetrahedra. Metres, y up, boxes around them centred on the origin.

/// A bar along x, 1.6 x 0.4 x 0.4 m, its edges rounded; divided so that it bends smoothly.
TriMesh bar_model();
/// A square plate that stands in the x-y plane, 1 x 1 x 0.04 m.
TriMesh plate_model();
/// A hollow ball of 0.3 m radius with a wall of 0.03 m: an outer and an inner surface.
Result<TriMesh> shell_model();
/// A chunky heart, 0.5 m wide, that faces +z. [The shape: Taubin 1994]
Result<TriMesh> heart_model();
/// A teddy bear, 1 m tall, that faces +z with its arms stretched out.
Result<TriMesh> figure_model();
/// A round bird, 0.6 m long, that looks along +z.
Result<TriMesh> bird_model();
Result<TriMesh> hare_model();
/// A wedge of cheese, 0.5 m long with its tip towards -x; holes open at its sides and inside.
Result<TriMesh> cheese_model();

// Bodies that bend.
/// Six rods of 0.5 m between four balls, as the edges of a tetrahedron.
TriMesh jack_model();
/// A round road sign on a post of 2.6 m.
TriMesh sign_model();
/// Four upright bars of 1.8 m and three square rings that hold them.
TriMesh cage_model();
/// A wooden figure, 1.23 m tall, with its arms stretched out.
Result<TriMesh> mannequin_model();

struct Model {
  std::string_view name;
  Result<TriMesh> (*make)();
  double roughness;
};
/// All of them.
std::span<const Model> models();

/// As binary glTF with normals, and colours if it has any.
Result<void> write_model(const Model& model, const std::filesystem::path& folder);

}  // namespace crumple::generator
