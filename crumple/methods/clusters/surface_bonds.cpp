#include <algorithm>
#include <cmath>
#include <numeric>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/math/union_find.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

constexpr int kSmoothings = 6;
constexpr int32_t kSmallPiece = 8;     // particles: a smaller piece keeps its cells
constexpr int kRounds = 6;             // of reassigning crumbs
constexpr double kAlongCrack = 0.15;   // cost of a crack in a plane, relative to one between particles
constexpr double kKeep = 0.4;          // cost of matter assigned to a neighbour, relative to the faces of a particle's cell
constexpr double kWorthAsking = 0.03;  // of what a cell touches
constexpr double kThroughCrack = 0.3;  // weight of a contact through a crack
constexpr double kReach = 2;           // spacings: search radius of a face for particles
constexpr size_t kCrowd = 40;          // particles: more are not tested one by one
constexpr double kCrumb = 50;          // particles: a smaller set is not a solid, unless it is a whole piece

bool is_crack(const Solid::Face& face) {
  return face.cut % 2 == 0;
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

/// Pairs of clusters that share a particle.
class ClusterLinks {
 public:
  explicit ClusterLinks(const State& state) : clusters_(at(state.clusters())) {
    for (size_t i = 0; i < state.entry_begin.size(); ++i) {
      const std::span<const int32_t> mine = clusters_of(state, static_cast<int>(i));
      for (const int32_t c : mine) {
        for (const int32_t d : mine) {
          if (c < d) pairs_.push_back(at(c) * clusters_ + at(d));
        }
      }
      if (pairs_.size() > kTidy) tidy();
    }
    tidy();
  }
  bool hold(int32_t c, int32_t d) const {
    return std::binary_search(pairs_.begin(), pairs_.end(), at(std::min(c, d)) * clusters_ + at(std::max(c, d)));
  }

 private:
  static constexpr size_t kTidy = 1 << 22;
  void tidy() {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  }
  size_t clusters_;
  std::vector<size_t> pairs_;  // ascending
};

/// Decides whether cells are connected.
struct Judge {
  const SurfaceModel& model;
  const State& state;
  const Matter& matter;
  std::span<const int32_t> hangs_on;  // #particles: pieces of the state
  std::span<const int32_t> homes;     // #pieces: originals that represent each
  ClusterLinks links;

  int32_t piece(int32_t original) const { return original == kCulled ? -1 : hangs_on[at(matter.home[at(original)])]; }
  bool parts(int32_t a, int32_t b, bool crack) const {
    if (a == b) return false;
    if (a == kCulled || b == kCulled) return true;
    if (together(state, matter.home[at(a)], matter.home[at(b)])) return false;
    if (crack || piece(a) != piece(b) || are_opposite(matter, a, b)) return true;
    // Particles without an initial common cluster are connected through others, while clusters of theirs share particles.
    return began_together(model, a, b) || !are_linked(a, b);
  }
  /// Whether a neighbour holds both, or, where none ever did, clusters of theirs share particles.
  bool are_linked(int32_t a, int32_t b) const {
    const int32_t p = matter.home[at(a)], q = matter.home[at(b)];
    bool did = false;
    for (const int32_t one : {a, b}) {
      for (const int32_t k : model.neighbors_of(one)) {
        if (!began_together(model, k, a) || !began_together(model, k, b)) continue;
        did = true;
        const int32_t between = matter.home[at(k)];
        if (between >= 0 && together(state, between, p) && together(state, between, q)) return true;
      }
    }
    return !did && share_clusters(p, q);
  }
  bool share_clusters(int32_t p, int32_t q) const {
    for (const int32_t c : clusters_of(state, p)) {
      for (const int32_t d : clusters_of(state, q)) {
        if (links.hold(c, d)) return true;
      }
    }
    return false;
  }
};

/// Whether a wall lies between two uniform cells. No crack there: separated particles would have cells of their own.
bool is_between_wholes(const std::vector<int32_t>& owner, const Solid::Face& face) {
  return !is_crack(face) && owner[at(face.inner)] == kWhole && owner[at(face.outer)] == kWhole;
}

/// Of a cell with many particles the one nearest to a face.
int32_t nearest_in(const SurfaceModel& model, const Solid& solid, int cell, const Solid::Face& face) {
  Vec3 middle = Vec3::Zero();
  for (const Solid::Side& side : face.rim) middle += solid.places()[at(side.a)];
  middle /= static_cast<double>(face.rim.size());
  const std::vector<int32_t>& inside = solid.cells()[at(cell)].particles;
  if (inside.size() > kCrowd) {
    std::vector<NearestPoints::Found> found;
    const auto is_inside = [&](int32_t i) { return solid.cell_of(i) == cell; };
    model.nearest.find(middle, 1, kReach * model.spacing, is_inside, found);
    if (!found.empty()) return found[0].point;
  }
  return *std::min_element(inside.begin(), inside.end(), [&](int32_t i, int32_t j) {
    return (model.rest[at(i)] - middle).squaredNorm() < (model.rest[at(j)] - middle).squaredNorm();
  });
}

/// Particles that own the matter on both sides of each face.
using Beside = std::vector<std::array<int32_t, 2>>;

/// Only for cells with many particles: a cell of one has its owner on all sides.
Beside find_beside(const SurfaceModel& model, const Matter& matter, const Solid& solid, const std::vector<int32_t>& owner) {
  Beside beside(solid.faces().size(), {kWhole, kWhole});
  parallel_for(beside.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const Solid::Face& face = solid.faces()[f];
      if (face.outer < 0 || is_between_wholes(owner, face)) continue;
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

/// Labels each set of connected cells by its first.
std::vector<int32_t> connected(const Solid& solid, const std::vector<uint8_t>& parted) {
  UnionFind sets(solid.cells().size());
  for (size_t f = 0; f < parted.size(); ++f) {
    const Solid::Face& face = solid.faces()[f];
    if (face.outer < 0 || parted[f]) continue;
    sets.merge(face.inner, face.outer);
  }
  std::vector<int32_t> first;
  for (size_t c = 0; c < solid.cells().size(); ++c) first.push_back(sets.of(static_cast<int>(c)));
  return first;
}

/// Finds connected cells.
class Bonding {
 public:
  Bonding(const Judge& judge, const Solid& solid, std::vector<int32_t> owner)
      : judge_(judge), solid_(solid), beside_(find_beside(judge.model, judge.matter, solid, owner)), first_(owner) {
    bonds_.owner = std::move(owner);
    bonds_.parted.resize(solid.faces().size());
    areas_.resize(solid.faces().size());
    parallel_for(areas_.size(), 2048, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) areas_[f] = solid.area_of(static_cast<int>(f));
    });
    wishes_.resize(bonds_.owner.size()), unsettled_.resize(bonds_.owner.size());
    std::iota(unsettled_.begin(), unsettled_.end(), 0);
  }

  Bonds find() {
    part_all();
    for (int round = 0; round < kSmoothings && smooth(); ++round) part_changed();
    for (int round = 0;; ++round) {
      bonds_.piece = connected(solid_, bonds_.parted);
      if (round == kRounds || !give_away_crumbs()) break;
      part_changed();
    }
    number_pieces();
    return std::move(bonds_);
  }

 private:
  /// Particle that owns the matter on one side of a face.
  int32_t label(size_t face, int cell) const {
    const int32_t owner = bonds_.owner[at(cell)];
    return owner == kWhole ? beside_[face][solid_.faces()[face].inner == cell ? 0 : 1] : owner;
  }
  static int other_cell(const Solid::Face& face, int cell) { return face.inner == cell ? face.outer : face.inner; }

  bool is_parted(size_t f) const {
    const Solid::Face& face = solid_.faces()[f];
    return face.outer >= 0 && !is_between_wholes(bonds_.owner, face) && judge_.parts(label(f, face.inner), label(f, face.outer), is_crack(face));
  }
  void part_all() {
    parallel_for(bonds_.parted.size(), 2048, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) bonds_.parted[f] = is_parted(f);
    });
  }
  /// Updates the faces of cells with a new owner.
  void part_changed() {
    for (const int32_t c : changed_) {
      for (const int32_t f : solid_.cells()[at(c)].faces) bonds_.parted[at(f)] = is_parted(at(f));
    }
    changed_.clear();
  }
  void give(size_t cell, int32_t owner) {
    if (bonds_.owner[cell] == owner) return;
    bonds_.owner[cell] = owner;
    changed_.push_back(static_cast<int32_t>(cell));
  }

  /// A contact of a cell: owner of the matter beyond it, and its cost as a crack.
  struct Contact {
    int32_t label = 0;
    bool crack = false;
    double cost = 0;
  };
  std::vector<Contact> contacts(int cell) const {
    std::vector<Contact> found;
    for (const int32_t f : solid_.cells()[at(cell)].faces) {
      const Solid::Face& face = solid_.faces()[at(f)];
      const int other = other_cell(face, cell);
      if (other < 0) continue;
      const bool crack = is_crack(face);
      const int32_t whose = label(at(f), other);
      auto same = std::find_if(found.begin(), found.end(), [&](const Contact& c) { return c.label == whose && c.crack == crack; });
      if (same == found.end()) same = found.insert(found.end(), {whose, crack, 0});
      same->cost += areas_[at(f)] * (crack ? kAlongCrack : 1);
    }
    return found;
  }

  /// Cost of an owner for a cell: its crack faces, and matter separated from its own particle.
  double cost(int cell, const std::vector<Contact>& around, int32_t owner) const {
    const Solid::Cell& c = solid_.cells()[at(cell)];
    const double spacing = judge_.model.spacing, own = c.particles.empty() ? 0.3 * kKeep : kKeep;
    double sum = judge_.parts(owner, first_[at(cell)], true) ? own * std::min(c.volume / spacing, spacing * spacing) : 0;
    for (const Contact& contact : around) sum += judge_.parts(owner, contact.label, contact.crack) ? contact.cost : 0;
    return sum;
  }

  /// Whether a cell is one of the few of its piece, and cannot go to another.
  bool is_kept(int cell, int32_t candidate) const {
    const int32_t mine = judge_.piece(first_[at(cell)] < 0 ? kCulled : first_[at(cell)]);
    if (mine < 0 || candidate < 0 || solid_.cells()[at(cell)].particles.empty()) return false;
    return judge_.homes[at(mine)] < kSmallPiece && judge_.piece(candidate) != mine;
  }

  struct Wish {
    int32_t owner = kWhole;
    double gain = 0;
  };
  /// The best new owner among the neighbours.
  Wish wish(int cell) const {
    Wish best;
    const std::vector<Contact> around = contacts(cell);
    const int32_t mine = bonds_.owner[at(cell)];
    const double now = cost(cell, around, mine), least = 1e-3 * std::pow(judge_.model.spacing, 2);
    double all = 0;
    for (const Contact& contact : around) all += contact.cost;
    for (const Contact& contact : around) {
      const int32_t candidate = contact.label;
      if (is_kept(cell, candidate)) continue;
      if (contact.cost < kWorthAsking * all || candidate < 0 || candidate == mine || candidate == best.owner) continue;
      const double gain = now - cost(cell, around, candidate);
      if (gain > least && (gain > best.gain || (gain == best.gain && candidate < best.owner))) best = {candidate, gain};
    }
    return best;
  }

  /// Shortens cracks between particles, and attracts them to the planes: a cell changes its owner if it gains more than all wishing cells
  /// around it.
  bool smooth() {
    for (const int32_t c : unsettled_) wishes_[at(c)] = {};
    const std::vector<int32_t> cells = beside_ragged_cracks(unsettled_);
    parallel_for(cells.size(), 64, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) wishes_[at(cells[k])] = wish(cells[k]);
    });
    for (int32_t c = 0; c < static_cast<int32_t>(wishes_.size()); ++c) {
      if (wishes_[at(c)].owner >= 0 && is_first(c)) give(at(c), wishes_[at(c)].owner);
    }
    // Only cells around changed ones can have a new wish.
    unsettled_.clear();
    for (const int32_t c : changed_) {
      unsettled_.push_back(c);
      for (const int32_t f : solid_.cells()[at(c)].faces) {
        if (const int other = other_cell(solid_.faces()[at(f)], c); other >= 0) unsettled_.push_back(other);
      }
    }
    std::sort(unsettled_.begin(), unsettled_.end());
    unsettled_.erase(std::unique(unsettled_.begin(), unsettled_.end()), unsettled_.end());
    return !changed_.empty();
  }
  /// Small cells at a crack that does not follow a plane.
  std::vector<int32_t> beside_ragged_cracks(const std::vector<int32_t>& cells) const {
    std::vector<int32_t> found;
    for (const int32_t c : cells) {
      const Solid::Cell& cell = solid_.cells()[at(c)];
      if (bonds_.owner[at(c)] < 0 || cell.particles.size() > 1) continue;
      if (std::any_of(cell.faces.begin(), cell.faces.end(), [&](int32_t f) { return bonds_.parted[at(f)] && !is_crack(solid_.faces()[at(f)]); }))
        found.push_back(c);
    }
    return found;
  }
  bool is_first(int32_t cell) const {
    const std::vector<int32_t>& faces = solid_.cells()[at(cell)].faces;
    return std::all_of(faces.begin(), faces.end(), [&](int32_t f) {
      const int other = other_cell(solid_.faces()[at(f)], cell);
      return other < 0 || wishes_[at(other)].owner < 0 || is_before(cell, other);
    });
  }
  /// The order does not depend on the numbering of cells.
  bool is_before(int a, int b) const {
    if (wishes_[at(a)].gain != wishes_[at(b)].gain) return wishes_[at(a)].gain > wishes_[at(b)].gain;
    const Vec3 &p = solid_.cells()[at(a)].center, &q = solid_.cells()[at(b)].center;
    return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
  }

  /// A contact of a set of connected cells.
  struct Touch {
    int32_t set = 0, other = 0, label = 0;
    double area = 0;
  };

  /// Assigns crumbs to the set that they touch most. A crumb is a small set of cells that is not the main set of its piece.
  bool give_away_crumbs() {
    const double unit = std::pow(judge_.model.spacing, 3);
    std::vector<double> size(bonds_.piece.size(), 0);
    for (size_t c = 0; c < bonds_.piece.size(); ++c) size[at(bonds_.piece[c])] += solid_.cells()[c].volume;
    const std::vector<int32_t> of = pieces_of_sets();
    std::vector<int32_t> main(judge_.hangs_on.size(), -1);
    for (size_t s = 0; s < size.size(); ++s) {
      if (of[s] >= 0 && (main[at(of[s])] < 0 || size[s] > size[at(main[at(of[s])])])) main[at(of[s])] = static_cast<int32_t>(s);
    }
    const auto is_crumb = [&](int32_t s) { return of[at(s)] >= 0 && size[at(s)] < kCrumb * unit && main[at(of[at(s)])] != s; };
    std::vector<Touch> touches;
    for (size_t f = 0; f < bonds_.parted.size(); ++f) {
      const Solid::Face& face = solid_.faces()[f];
      if (!bonds_.parted[f]) continue;
      for (const auto& [cell, other] : {std::pair(face.inner, face.outer), std::pair(face.outer, face.inner)}) {
        const int32_t s = bonds_.piece[at(cell)], t = bonds_.piece[at(other)];
        if (s == t || !is_crumb(s) || of[at(t)] < 0 || !(size[at(t)] > size[at(s)])) continue;
        const double weight = (is_crack(face) ? kThroughCrack : 1) * (of[at(s)] == of[at(t)] ? 10 : 1);
        touches.push_back({s, t, label(f, other), weight * areas_[f]});
      }
    }
    return give_to(most_touched(std::move(touches)));
  }

  /// The piece of the state that each set of cells belongs to; -1: culled, or no set.
  std::vector<int32_t> pieces_of_sets() const {
    std::vector<int32_t> of(bonds_.piece.size(), -1);
    for (size_t c = 0; c < of.size(); ++c) {
      const int32_t owner = bonds_.owner[c] == kWhole ? solid_.cells()[c].particles[0] : bonds_.owner[c];
      if (owner >= 0 && judge_.matter.home[at(owner)] >= 0) of[at(bonds_.piece[c])] = judge_.piece(owner);
    }
    return of;
  }

  /// For each set the other that it touches most, and the owner of the matter at the largest face between them.
  static std::vector<Touch> most_touched(std::vector<Touch> touches) {
    std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
      return a.set != b.set ? a.set < b.set : a.other != b.other ? a.other < b.other : a.area != b.area ? a.area > b.area : a.label < b.label;
    });
    std::vector<Touch> best;
    for (size_t begin = 0, end; begin < touches.size(); begin = end) {
      Touch sum = touches[begin];
      for (end = begin + 1; end < touches.size() && touches[end].set == sum.set && touches[end].other == sum.other; ++end)
        sum.area += touches[end].area;
      if (best.empty() || best.back().set != sum.set)
        best.push_back(sum);
      else if (sum.area > best.back().area)
        best.back() = sum;
    }
    return best;
  }

  bool give_to(const std::vector<Touch>& takers) {
    if (takers.empty()) return false;
    std::vector<int32_t> given(bonds_.owner.size(), kWhole);
    for (const Touch& t : takers) given[at(t.set)] = t.label;
    for (size_t c = 0; c < bonds_.owner.size(); ++c) {
      if (given[at(bonds_.piece[c])] >= 0) give(c, given[at(bonds_.piece[c])]);
    }
    return true;
  }

  void number_pieces() {
    std::vector<int32_t> number(bonds_.piece.size(), -1);
    for (size_t c = 0; c < bonds_.piece.size(); ++c) {
      int32_t& mine = number[at(bonds_.piece[c])];
      if (mine < 0 && bonds_.owner[c] != kCulled) mine = bonds_.pieces++;
      bonds_.piece[c] = mine;
    }
  }

  const Judge& judge_;
  const Solid& solid_;
  Beside beside_;
  std::vector<double> areas_;       // #faces, m^2
  std::vector<int32_t> first_;      // #cells: owners before anything was smoothed
  std::vector<int32_t> changed_;    // cells
  std::vector<int32_t> unsettled_;  // cells that may have a new wish
  std::vector<Wish> wishes_;        // #cells
  Bonds bonds_;
};

}  // namespace

Bonds find_bonds(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Solid& solid, std::span<const Crack> cracks,
                 std::span<const int32_t> hangs_on) {
  std::vector<int32_t> owner = find_owners(surface_model, matter, solid, cracks);
  for (int32_t& o : owner) o = o >= 0 && matter.home[at(o)] < 0 ? kCulled : o;
  std::vector<int32_t> homes(hangs_on.size() + 1, 0);
  for (const int32_t home : matter.home) homes[at(home < 0 ? static_cast<int32_t>(hangs_on.size()) : hangs_on[at(home)])] += 1;
  const Judge judge{surface_model, state, matter, hangs_on, homes, ClusterLinks(state)};
  return Bonding(judge, solid, std::move(owner)).find();
}

}  // namespace crumple::clusters
