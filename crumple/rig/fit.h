#pragma once

#include <functional>
#include <string>
#include <vector>

#include "crumple/core/stop.h"
#include "crumple/geometry/lattice.h"
#include "crumple/rig/asset.h"

namespace crumple {

/// A sculpted or simulated shape: the rest surface with moved vertices.
struct FitExample {
  std::string name;
  std::vector<Vec3> positions;  // #vertices of the rest surface, in their order
};

struct FitSettings {
  int bones = 0;  // 0: the fewest that reach `wanted`
  int most_bones = 32;
  double wanted = 0.003;  // root mean square error of each example over the diagonal of the rest shape
  int influences = 8;     // bones that may hold one vertex
  /// Cells along the longest side. 0: as few as thin parts allow and as many as the examples' detail needs, within `most_tets`.
  int cells = 0;
  size_t most_tets = 40000;
  LatticeSettings lattice;  // its cell count and size are overridden by `cells`
  /// What is done about an example that also stands or points elsewhere. Bodies are moved by the engine, so such a motion is no damage.
  enum class Align {
    Auto,  ///< it is taken out if nothing of the example is where it was, but a good part is in place again without it
    Always,
    Never,
  } align = Align::Auto;
};

/// Lengths over the diagonal of the rest shape.
struct FittedExample {
  std::string name;
  size_t given = 0;                      // which of those that were given
  double rms = 0, most = 0;              // errors of the surface as it will be seen
  Vec3 worst_at = Vec3::Zero();          // metres, on the rest surface
  double cells_rms = 0, cells_most = 0;  // errors that tetrahedra of this size leave however their vertices move
  bool aligned = false;                  // a motion of the whole was taken out,
  Transform motion;                      // which took the rest shape there
};

struct FitReport {
  LatticeReport lattice;
  int cells = 0, bones = 0;
  double diagonal = 0;                  // metres
  double helpful_cell = 0;              // metres: cells that would follow detail which these do not; 0 if they do
  size_t weights_kept = 0;              // entries that are not zero
  std::vector<FittedExample> examples;  // without the rest pose
  std::vector<std::string> warnings;
  struct Seconds {
    double tets = 0, carry = 0, bones = 0, measure = 0;
  } seconds;
};

/// What goes on meanwhile; both may be left out.
struct FitWatch {
  std::function<void(int stage, const std::string& name, double share)> stage;  // 0 .. kFitStages - 1; how much of it is done
  const StopFlag* cancel = nullptr;
};
inline constexpr int kFitStages = 4;  // tetrahedra, carry, bones, measure

/// A rig from shapes: tetrahedra around the rest surface, rigid bones (the asset's handles) and weights that take the surface to each of
/// the examples as nearly as they can. The drawn surface keeps the vertices of `rest` and their order. Examples that do not differ from
/// the rest shape are left out with a warning.
Result<Asset> fit_rig(const TriMesh& rest, std::vector<FitExample> examples, const FitSettings& settings, FitReport& report,
                      const FitWatch& watch = {});

}  // namespace crumple
