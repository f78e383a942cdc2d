#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "crumple/core/stop.h"
#include "crumple/geometry/lattice.h"
#include "crumple/rig/asset.h"
#include "crumple/rig/weights.h"

namespace crumple {

struct RigSettings {
  std::vector<Handle> fixed;  // handles the artist placed; they come first and keep their places and names
  int handles = 12;           // in all; what `fixed` leaves is chosen automatically
  /// Cells along the longest side. 0: as few as the model's thin parts allow (see choose_cell), within `most_tets`.
  int cells = 0;
  size_t most_tets = 20000;
  /// Thin parts that even the smallest affordable cell is too large for are thickened to about a cell; false: such models are refused.
  bool thicken = true;
  bool mirror = false;  // automatic handles of a symmetric surface are mirror images
  /// Longest edge of the drawn surface, metres; 0: as its handles need (see edge_to_follow). None: the surface keeps its triangles.
  std::optional<double> refine;
  LatticeSettings lattice;  // its cell count and size are overridden by `cells`
  WeightSettings weights;
};

struct RigReport {
  LatticeReport lattice;
  double weights_residual = 0, noise_floor = 0, target = 0;
  int cells = 0;
  std::vector<int> surface_vertices;     // #vertices of the asset's surface: their numbers in the surface given
  std::optional<int> mirrored;           // axis (0: x, 2: z) along which handles are mirror images
  std::vector<int32_t> surface_parents;  // 2 for each vertex added by refinement, see refined()
  size_t triangles_given = 0;            // of the surface, before refinement
  double edge = 0, edge_wanted = 0;      // metres: longest edges left by refinement, 0 if none was asked for; those that the handles need
  size_t handles = 0, weights_kept = 0;  // entries that are not zero
  std::vector<std::string> warnings;
  struct Seconds {
    double doctor = 0, tets = 0, handles = 0, weights = 0;
  } seconds;
};

/// What goes on meanwhile; both may be left out.
struct RigWatch {
  std::function<void(int stage, const std::string& name)> stage;  // 0 .. kRigStages - 1
  const StopFlag* cancel = nullptr;                      // looked at between stages
};
inline constexpr int kRigStages = 4;  // doctor, tetrahedra, handles, weights

/// Paper 1, algorithm 1: tetrahedra around the surface, handles, weights. The asset has one example, the rest pose. Positions are
/// rounded to single precision before weights are solved for, so the certificate is about what a file holds.
Result<Asset> make_rig(const TriMesh& surface, const RigSettings& settings, RigReport& report, const RigWatch& watch = {});

}  // namespace crumple
