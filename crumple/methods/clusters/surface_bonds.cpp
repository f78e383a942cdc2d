#include <algorithm>
#include <cmath>
#include <numeric>

#include "crumple/core/parallel.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

constexpr double kNear = 0.02;         // spacings: so near to a plane no side can be told
constexpr int kRounds = 4;             // of asking neighbours
constexpr double kThroughCrack = 0.3;  // how much touching through a crack counts
constexpr double kReach = 4;           // spacings within which a cell looks for its owner

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

constexpr int32_t kOpen = -3;  // owner not known yet

/// Finds out whose cells are.
class Owners {
 public:
  Owners(const SurfaceModel& model, const Matter& matter, const Solid& solid, std::span<const Divider> cracks)
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
  /// Whether matter of a particle may be here: on its own side of all cracks that are known to either.
  bool fits(int32_t original, const Solid::Cell& cell) const {
    for (const CrackSide& s : cell.sides) {
      if (side_of(matter_, model_, cracks_, original, s.crack) != s.side) return false;
    }
    for (const CrackSide& s : matter_.sides_of(original)) {
      const double height = cracks_[at(s.crack)].normal.dot(cell.center) - cracks_[at(s.crack)].offset;
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
  std::span<const Divider> cracks_;
  std::vector<int32_t> owner_;
};

/// Whether clusters of one still remember the other: a copy of it that a tear has left with them.
bool remembers(const State& state, const Matter& matter, int32_t a, int32_t b) {
  const auto knows = [&](int32_t one, int32_t other) {
    const std::span<const int32_t> copies = matter.copies_of(other);
    return std::any_of(copies.begin(), copies.end(), [&](int32_t copy) { return together(state, matter.home[at(one)], copy); });
  };
  return knows(a, b) || knows(b, a);
}

/// Whether a crack is known to run between two particles.
bool are_opposite(const Matter& matter, int32_t a, int32_t b) {
  const std::span<const CrackSide> mine = matter.sides_of(a), theirs = matter.sides_of(b);
  for (size_t i = 0, j = 0; i < mine.size() && j < theirs.size();) {
    if (mine[i].crack == theirs[j].crack && mine[i].side != theirs[j].side) return true;
    mine[i].crack < theirs[j].crack ? ++i : ++j;
  }
  return false;
}

/// What decides whether cells hold together.
struct Judge {
  const SurfaceModel& model;
  const State& state;
  const Matter& matter;
  std::vector<int32_t> hangs_on;  // #particles: pieces of the state

  bool parts(int32_t a, int32_t b, bool crack) const {
    if (a == b) return false;
    if (a == kCulled || b == kCulled) return true;
    const int32_t p = matter.home[at(a)], q = matter.home[at(b)];
    if (together(state, p, q)) return false;
    if (crack || hangs_on[at(p)] != hangs_on[at(q)] || are_opposite(matter, a, b)) return true;
    // Where a split cluster ended, without a plane between them, particles stretch what is between them as long as either side has a memory of the
    // other: cracks follow planes. Those that never had anything in common hold together through others.
    return began_together(model, a, b) && !remembers(state, matter, a, b);
  }
};

/// Of a cell with many particles the one nearest to a face.
int32_t nearest_in(const SurfaceModel& model, const Solid& solid, int cell, const Solid::Face& face) {
  Vec3 middle = Vec3::Zero();
  for (const Solid::Side& side : face.rim) middle += solid.places()[at(side.a)];
  middle /= static_cast<double>(face.rim.size());
  std::vector<NearestPoints::Found> found;
  model.nearest.find(
      middle, 1, kReach * model.spacing, [&](int32_t i) { return solid.cell_of(i) == cell; }, found);
  return found.empty() ? solid.cells()[at(cell)].particles[0] : found[0].point;
}

/// Whose matter is on both sides of each face.
using Beside = std::vector<std::array<int32_t, 2>>;

/// Only for cells with many particles: a cell of one has its owner on all sides.
Beside find_beside(const SurfaceModel& model, const Matter& matter, const Solid& solid, const std::vector<int32_t>& owner) {
  Beside beside(solid.faces().size(), {kWhole, kWhole});
  parallel_for(beside.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const Solid::Face& face = solid.faces()[f];
      if (face.outer < 0) continue;
      for (const size_t k : {0u, 1u}) {
        const int cell = k == 0 ? face.inner : face.outer;
        if (owner[at(cell)] != kWhole) continue;
        const int32_t nearest = nearest_in(model, solid, cell, face);
        beside[f][k] = matter.home[at(nearest)] < 0 ? kCulled : nearest;
      }
    }
  });
  return beside;
}

bool is_parted(const Judge& judge, const std::vector<int32_t>& owner, const Solid::Face& face, const std::array<int32_t, 2>& beside) {
  if (face.outer < 0) return false;
  const int32_t a = owner[at(face.inner)], b = owner[at(face.outer)];
  return judge.parts(a == kWhole ? beside[0] : a, b == kWhole ? beside[1] : b, face.cut % 2 == 0);
}

int find_root(std::vector<int32_t>& parent, int i) {
  while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
  return i;
}

/// Names each set of cells that hold together by its first.
std::vector<int32_t> connected(const Solid& solid, const std::vector<uint8_t>& parted) {
  std::vector<int32_t> root(solid.cells().size());
  std::iota(root.begin(), root.end(), 0);
  for (size_t f = 0; f < parted.size(); ++f) {
    const Solid::Face& face = solid.faces()[f];
    if (face.outer < 0 || parted[f]) continue;
    const int a = find_root(root, face.inner), b = find_root(root, face.outer);
    root[at(std::max(a, b))] = std::min(a, b);
  }
  for (size_t c = 0; c < root.size(); ++c) root[c] = find_root(root, static_cast<int>(c));
  return root;
}

/// A few cells that hang on nothing, although their particles hang on others, are crumbs that only geometry has made: they go to the neighbour that
/// they touch most.
bool give_away_crumbs(const Judge& judge, const Solid& solid, Bonds& bonds) {
  const double crumb = 8 * std::pow(judge.model.spacing, 3);
  std::vector<double> size(bonds.piece.size(), 0);
  for (size_t c = 0; c < bonds.piece.size(); ++c) size[at(bonds.piece[c])] += solid.cells()[c].volume;
  std::vector<int32_t> owner(bonds.owner);
  bool any = false;
  const auto piece = [&](int32_t o) { return judge.hangs_on[at(judge.matter.home[at(o)])]; };
  for (size_t c = 0; c < owner.size(); ++c) {
    if (bonds.owner[c] < 0 || size[at(bonds.piece[c])] > crumb) continue;
    double most = 0;
    for (const int32_t f : solid.cells()[c].faces) {
      const Solid::Face& face = solid.faces()[at(f)];
      const int32_t other = face.inner == static_cast<int>(c) ? face.outer : face.inner;
      if (other < 0 || bonds.owner[at(other)] < 0 || size[at(bonds.piece[at(other)])] <= size[at(bonds.piece[c])]) continue;
      if (piece(bonds.owner[at(other)]) != piece(bonds.owner[c])) continue;
      const double area = solid.area_of(f) * (face.cut % 2 == 0 ? kThroughCrack : 1);
      if (area > most) most = area, owner[c] = bonds.owner[at(other)], any = true;
    }
  }
  bonds.owner.swap(owner);
  return any;
}

}  // namespace

Bonds find_bonds(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Surface& surface,
                 std::span<const Divider> cracks) {
  const Solid& solid = surface.solid;
  Bonds bonds;
  bonds.owner = Owners(surface_model, matter, solid, cracks).find();
  for (int32_t& owner : bonds.owner) owner = owner >= 0 && matter.home[at(owner)] < 0 ? kCulled : owner;
  const Judge judge{surface_model, state, matter, pieces(state).of_particle};
  const Beside beside = find_beside(surface_model, matter, solid, bonds.owner);
  bonds.parted.resize(solid.faces().size());
  for (int round = 0; round < kRounds; ++round) {
    parallel_for(bonds.parted.size(), 2048, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) bonds.parted[f] = is_parted(judge, bonds.owner, solid.faces()[f], beside[f]) ? 1 : 0;
    });
    bonds.piece = connected(solid, bonds.parted);
    if (round + 1 == kRounds || !give_away_crumbs(judge, solid, bonds)) break;
  }
  std::vector<int32_t> number(bonds.piece.size(), -1);
  for (size_t c = 0; c < bonds.piece.size(); ++c) {
    int32_t& mine = number[at(bonds.piece[c])];
    if (mine < 0 && bonds.owner[c] != kCulled) mine = bonds.pieces++;
    bonds.piece[c] = mine;
  }
  return bonds;
}

}  // namespace crumple::clusters
