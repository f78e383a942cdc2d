#include <algorithm>
#include <numeric>

#include "crumple/core/parallel.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

constexpr double kReach = 4;  // spacings within which a cell looks for its owner

size_t at(int index) {
  return static_cast<size_t>(index);
}

/// What a particle's clusters say counts; where they say nothing, its place does.
int side_of(const Matter& matter, const SurfaceModel& model, std::span<const Divider> cracks, int original, int crack) {
  const std::span<const CrackSide> sides = matter.sides_of(original);
  const auto found = std::lower_bound(sides.begin(), sides.end(), crack, [](const CrackSide& s, int c) { return s.crack < c; });
  if (found != sides.end() && found->crack == crack) return found->side;
  const Divider& plane = cracks[at(crack)];
  return plane.normal.dot(model.rest[at(original)]) > plane.offset ? 1 : -1;
}

int32_t owner_of(const SurfaceModel& model, const Matter& matter, std::span<const Divider> cracks, const Solid::Cell& cell,
                 std::vector<NearestPoints::Found>& scratch) {
  if (cell.particles.size() > 1 && cell.sides.empty()) return kWhole;
  const auto fits = [&](int32_t i) {
    return std::all_of(cell.sides.begin(), cell.sides.end(),
                       [&](const CrackSide& s) { return side_of(matter, model, cracks, i, s.crack) == s.side; });
  };
  model.nearest.find(cell.center, 1, kReach * model.spacing, fits, scratch);
  if (scratch.empty())
    model.nearest.find(
        cell.center, 1, 1e300, [](int32_t) { return true; }, scratch);
  return matter.home[at(scratch[0].point)] >= 0 ? scratch[0].point : kCulled;
}

bool is_parted(const SurfaceModel& model, const State& state, const Matter& matter, const Bonds& bonds, const Solid::Face& face) {
  if (face.outer < 0) return false;
  const int32_t a = bonds.owner[at(face.inner)], b = bonds.owner[at(face.outer)];
  if (a == b) return false;
  if (a == kCulled || b == kCulled) return true;
  if (a == kWhole || b == kWhole || together(state, matter.home[at(a)], matter.home[at(b)])) return false;
  // Those that never had anything in common hold together through others, as long as no crack runs between them.
  return face.cut % 2 == 0 || began_together(model, a, b);
}

int find_root(std::vector<int32_t>& parent, int i) {
  while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
  return i;
}

}  // namespace

Bonds find_bonds(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Surface& surface,
                 std::span<const Divider> cracks) {
  const Solid& solid = surface.solid;
  Bonds bonds;
  bonds.owner.resize(solid.cells().size());
  parallel_for(bonds.owner.size(), 256, [&](size_t begin, size_t end) {
    std::vector<NearestPoints::Found> scratch;
    for (size_t c = begin; c < end; ++c) bonds.owner[c] = owner_of(surface_model, matter, cracks, solid.cells()[c], scratch);
  });
  bonds.parted.resize(solid.faces().size());
  parallel_for(bonds.parted.size(), 4096, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) bonds.parted[f] = is_parted(surface_model, state, matter, bonds, solid.faces()[f]) ? 1 : 0;
  });
  bonds.any = std::any_of(bonds.parted.begin(), bonds.parted.end(), [](uint8_t p) { return p; }) ||
              std::any_of(bonds.owner.begin(), bonds.owner.end(), [](int32_t o) { return o == kCulled; });
  bonds.piece.resize(bonds.owner.size());
  std::iota(bonds.piece.begin(), bonds.piece.end(), 0);
  for (size_t f = 0; f < bonds.parted.size(); ++f) {
    const Solid::Face& face = solid.faces()[f];
    if (face.outer < 0 || bonds.parted[f]) continue;
    const int a = find_root(bonds.piece, face.inner), b = find_root(bonds.piece, face.outer);
    bonds.piece[at(std::max(a, b))] = std::min(a, b);
  }
  for (size_t c = 0; c < bonds.piece.size(); ++c) bonds.piece[c] = find_root(bonds.piece, static_cast<int>(c));
  std::vector<int32_t> number(bonds.piece.size(), -1);
  for (size_t c = 0; c < bonds.piece.size(); ++c) {
    int32_t& mine = number[at(bonds.piece[c])];
    if (mine < 0 && bonds.owner[c] != kCulled) mine = bonds.pieces++;
    bonds.piece[c] = mine;
  }
  return bonds;
}

}  // namespace crumple::clusters
