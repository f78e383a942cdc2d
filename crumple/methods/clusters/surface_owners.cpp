#include <algorithm>
#include <cmath>

#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

constexpr double kNear = 0.02;  // spacings: so near to a plane no side can be told
constexpr int kRounds = 4;      // of asking neighbours
constexpr double kReach = 4;    // spacings within which a cell looks for its owner

size_t at(int index) {
  return static_cast<size_t>(index);
}

constexpr int32_t kOpen = -3;  // owner not known yet

/// Finds out whose cells are.
class Owners {
 public:
  Owners(const SurfaceModel& model, const Matter& matter, const Solid& solid, std::span<const Crack> cracks)
      : model_(model), matter_(matter), solid_(solid), cracks_(cracks), owner_(solid.cells().size(), kOpen) {}

  std::vector<int32_t> find() {
    for (size_t c = 0; c < owner_.size(); ++c) {
      const Solid::Cell& cell = solid_.cells()[c];
      if (cell.particles.size() > 1) owner_[c] = kWhole;
      if (cell.particles.size() == 1 && fits(cell.particles[0], cell)) owner_[c] = cell.particles[0];
    }
    for (int round = 0; round < kRounds; ++round) ask_around();
    ask_nearest();
    return std::move(owner_);
  }

 private:
  /// What a particle's clusters say counts; where they say nothing, its place does.
  int side_of(int original, int crack) const {
    if (const int known = matter_.side_of(original, crack); known != 0) return known;
    const Divider& plane = cracks_[at(crack)].plane;
    return plane.normal.dot(model_.rest[at(original)]) > plane.offset ? 1 : -1;
  }

  /// Whether matter of a particle may be here: on its own side of all cracks that are known to either.
  bool fits(int32_t original, const Solid::Cell& cell) const {
    for (const CrackSide& s : cell.sides) {
      if (side_of(original, s.crack) != s.side) return false;
    }
    for (const CrackSide& s : matter_.sides_of(original)) {
      const Divider& plane = cracks_[at(s.crack)].plane;
      const double height = plane.normal.dot(cell.center) - plane.offset;
      if (height * s.side < -kNear * model_.spacing) return false;
    }
    return true;
  }

  /// What a crack has cut off its particle goes to the cell that it touches most, other than through a crack.
  void ask_around() {
    std::vector<int32_t> found(owner_);
    for (size_t c = 0; c < owner_.size(); ++c) {
      if (owner_[c] != kOpen) continue;
      double most = 0;
      for (const int32_t f : solid_.cells()[c].faces) {
        const Solid::Face& face = solid_.faces()[at(f)];
        if (face.outer < 0 || face.cut % 2 == 0) continue;
        const int32_t other = owner_[at(face.inner == static_cast<int>(c) ? face.outer : face.inner)];
        const double area = solid_.area_of(f);
        if (other >= 0 && area > most && fits(other, solid_.cells()[c])) most = area, found[c] = other;
      }
    }
    owner_.swap(found);
  }

  void ask_nearest() {
    std::vector<NearestPoints::Found> scratch;
    for (size_t c = 0; c < owner_.size(); ++c) {
      if (owner_[c] != kOpen) continue;
      const Solid::Cell& cell = solid_.cells()[c];
      model_.nearest.find(
          cell.center, 1, kReach * model_.spacing, [&](int32_t i) { return fits(i, cell); }, scratch);
      if (scratch.empty())
        model_.nearest.find(
            cell.center, 1, 1e300, [](int32_t) { return true; }, scratch);
      owner_[c] = scratch[0].point;
    }
  }

  const SurfaceModel& model_;
  const Matter& matter_;
  const Solid& solid_;
  std::span<const Crack> cracks_;
  std::vector<int32_t> owner_;
};

}  // namespace

std::vector<int32_t> find_owners(const SurfaceModel& surface_model, const Matter& matter, const Solid& solid, std::span<const Crack> cracks) {
  return Owners(surface_model, matter, solid, cracks).find();
}

}  // namespace crumple::clusters
