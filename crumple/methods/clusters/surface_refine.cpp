#include <algorithm>

#include "crumple/core/index.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

constexpr double kExtend = 2;  // spacings: possible extension of a crack beyond its cluster

/// Whether a crack that was cut runs between two cells.
bool are_apart(const Solid::Cell& a, const Solid::Cell& b) {
  for (size_t i = 0, j = 0; i < a.sides.size() && j < b.sides.size();) {
    if (a.sides[i].crack == b.sides[j].crack && a.sides[i].side != b.sides[j].side) return true;
    a.sides[i].crack < b.sides[j].crack ? ++i : ++j;
  }
  return false;
}

/// Cuts finer where cells are not uniform.
class Refining {
 public:
  Refining(const SurfaceModel& model, const State& state, const Matter& matter, std::span<const Crack> cracks, Solid& solid)
      : model_(model), state_(state), matter_(matter), cracks_(cracks), solid_(solid), slack_(kSlack * model.spacing) {}

  void run(std::span<const int32_t> hangs_on) {
    part_pieces(hangs_on);
    std::vector<uint8_t> astray(model_.rest.size(), 0);
    for (size_t i = 0; i < astray.size(); ++i) astray[i] = is_astray(static_cast<int>(i)) ? 1 : 0;
    for (size_t i = 0; i < astray.size(); ++i) {
      if (astray[i]) isolate(static_cast<int>(i));
    }
    for (const auto& [a, b] : model_.near) {
      if (matter_.is_untouched(a) && matter_.is_untouched(b)) continue;
      if (!astray[at(a)] && !astray[at(b)]) check_pair(a, b);
    }
  }

 private:
  /// Cells with particles of different pieces.
  void part_pieces(std::span<const int32_t> hangs_on) {
    for (int c = 0; c < static_cast<int>(solid_.cells().size()); ++c) {
      while (is_mixed(c, hangs_on) && solid_.divide_between_particles(c, slack_)) {
      }
    }
  }
  bool is_mixed(int cell, std::span<const int32_t> hangs_on) const {
    const auto piece = [&](int32_t i) { return matter_.home[at(i)] < 0 ? -1 : hangs_on[at(matter_.home[at(i)])]; };
    const std::vector<int32_t>& inside = solid_.cells()[at(cell)].particles;
    return std::any_of(inside.begin(), inside.end(), [&](int32_t i) { return piece(i) != piece(inside[0]); });
  }

  /// Whether a particle lies on another side than its clusters: it was across the plane in the world when they were split.
  bool is_astray(int original) const {
    if (matter_.is_untouched(original) || solid_.cell_of(original) < 0) return false;
    const std::vector<CrackSide>& sides = solid_.cells()[at(solid_.cell_of(original))].sides;
    return std::any_of(sides.begin(), sides.end(), [&](const CrackSide& s) { return matter_.side_of(original, s.crack) == -s.side; });
  }

  void isolate(int original) {
    while (solid_.cell_of(original) >= 0 && solid_.divide_between_particles(solid_.cell_of(original), slack_)) {
    }
  }

  /// Cuts further where connected neighbours have a crack between them, or separated ones have none.
  void check_pair(int a, int b) {
    const int32_t p = matter_.home[at(a)], q = matter_.home[at(b)];
    const bool hold = p >= 0 && q >= 0 && together(state_, p, q);
    const int in = solid_.cell_of(a), out = solid_.cell_of(b);
    if (in < 0 || out < 0) return;
    const bool apart = in != out && are_apart(solid_.cells()[at(in)], solid_.cells()[at(out)]);
    if (hold != apart) return;
    isolate(a), isolate(b);
    if (!hold) extend(a, b);
  }

  /// Extends a crack beyond its end while it runs between separated clusters.
  void extend(int a, int b) {
    double nearest = kExtend * model_.spacing;
    int best = -1;
    const Vec3 &p = model_.rest[at(a)], &q = model_.rest[at(b)];
    for (const int one : {a, b}) {
      for (const CrackSide& side : matter_.sides_of(one)) {
        const Crack& crack = cracks_[at(side.crack)];
        const double low = crack.plane.normal.dot(p) - crack.plane.offset, high = crack.plane.normal.dot(q) - crack.plane.offset;
        const double beyond = std::max(0.0, (0.5 * (p + q) - crack.center).norm() - crack.radius);
        if (low * high < 0 && beyond < nearest) nearest = beyond, best = side.crack;
      }
    }
    if (best < 0) return;
    for (const int one : {a, b}) {
      const int cell = solid_.cell_of(one);
      if (cell < 0 || is_splinter(solid_.cells()[at(cell)], model_.spacing)) continue;
      const std::vector<CrackSide>& sides = solid_.cells()[at(cell)].sides;
      if (std::none_of(sides.begin(), sides.end(), [&](const CrackSide& s) { return s.crack == best; }))
        solid_.divide(cell, cracks_[at(best)].plane, slack_);
    }
  }

  const SurfaceModel& model_;
  const State& state_;
  const Matter& matter_;
  std::span<const Crack> cracks_;
  Solid& solid_;
  double slack_;
};

}  // namespace

void refine(const SurfaceModel& surface_model, const State& state, const Matter& matter, std::span<const Crack> cracks,
            std::span<const int32_t> hangs_on, Solid& solid) {
  Refining(surface_model, state, matter, cracks, solid).run(hangs_on);
}

}  // namespace crumple::clusters
