#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

constexpr double kUncertain = 0.02;  // spacings: nearer to a plane the side is uncertain
constexpr int kSearchRounds = 4;      // of search among neighbours
constexpr double kOwnerReach = 2.5;  // spacings: search radius of a cell for its owner

constexpr int32_t kOpen = -3;  // owner not known yet

/// Finds the owners of cells.
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
    for (int round = 0; round < kSearchRounds; ++round) ask_around();
    ask_nearest();
    return std::move(owner_);
  }

 private:
  /// Side of a particle, by its clusters; if they do not know the crack, by its rest position.
  int side_of(int original, int crack) const {
    if (const int known = matter_.side_of(original, crack); known != 0) return known;
    const Divider& plane = cracks_[at(crack)].plane;
    return plane.normal.dot(model_.rest[at(original)]) > plane.offset ? 1 : -1;
  }

  /// Whether a cell may belong to a particle: both on the same side of all cracks known to either.
  bool fits(int32_t original, const Solid::Cell& cell) const {
    for (const CrackSide& s : cell.sides) {
      if (side_of(original, s.crack) != s.side) return false;
    }
    for (const CrackSide& s : matter_.sides_of(original)) {
      const Divider& plane = cracks_[at(s.crack)].plane;
      const double height = plane.normal.dot(cell.center) - plane.offset;
      if (height * s.side < -kUncertain * model_.spacing) return false;
    }
    return true;
  }

  /// A cell cut off from its particle by a crack joins the cell that it touches most, other than through a crack.
  void ask_around() {
    std::vector<int32_t> found(owner_);
    parallel_for(owner_.size(), 512, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        if (owner_[c] == kOpen) found[c] = most_touched(static_cast<int>(c));
      }
    });
    owner_.swap(found);
  }
  int32_t most_touched(int cell) const {
    double most = 0;
    int32_t best = kOpen;
    for (const int32_t f : solid_.cells()[at(cell)].faces) {
      const Solid::Face& face = solid_.faces()[at(f)];
      if (face.outer < 0 || face.cut % 2 == 0) continue;
      const int32_t other = owner_[at(face.inner == cell ? face.outer : face.inner)];
      if (other < 0) continue;
      const double area = solid_.area_of(f);
      if (area > most && fits(other, solid_.cells()[at(cell)])) most = area, best = other;
    }
    return best;
  }

  void ask_nearest() {
    parallel_for(owner_.size(), 512, [&](size_t begin, size_t end) {
      std::vector<NearestPoints::Found> scratch;
      for (size_t c = begin; c < end; ++c) {
        if (owner_[c] == kOpen) owner_[c] = nearest(solid_.cells()[c], scratch);
      }
    });
  }
  int32_t nearest(const Solid::Cell& cell, std::vector<NearestPoints::Found>& scratch) const {
    const auto here = [&](int32_t i) { return fits(i, cell); };
    model_.nearest.find(cell.center, 1, kOwnerReach * model_.spacing, here, scratch);
    const auto anywhere = [](int32_t) { return true; };
    if (scratch.empty()) model_.nearest.find(cell.center, 1, 1e300, anywhere, scratch);
    return scratch[0].point;
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
