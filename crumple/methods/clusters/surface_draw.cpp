#include <algorithm>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/geometry/surface_caps.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

/// One corner of the drawn surface: a place, and a group of connected cells there.
struct Corner {
  int32_t place = 0;
  bool parted = false;          // other cells share the place, but not the corner
  std::vector<int32_t> owners;  // originals
  int32_t cell = -1;            // one of its cells
};

/// Finds the corner of a cell at a place.
class Corners {
 public:
  Corners(const Solid& solid, const Bonds& bonds, const std::vector<uint8_t>& seen)
      : solid_(solid), bonds_(bonds), first_(solid.places().size(), -1) {
    for (int place = 0; place < static_cast<int>(first_.size()); ++place) {
      if (seen[at(place)]) add(place);
    }
  }
  const std::vector<Corner>& all() const { return corners_; }
  int32_t find(int place, int cell) const {
    const int32_t first = first_[at(place)];
    for (int32_t k = split_[at(first)]; k >= 0 && at(k) < links_.size() && links_[at(k)].place == place; ++k) {
      if (links_[at(k)].cell == cell) return links_[at(k)].corner;
    }
    return first;
  }

 private:
  struct Link {
    int32_t place, cell, corner;
  };

  void add(int place) {
    first_[at(place)] = static_cast<int32_t>(corners_.size());
    cells_.clear();
    bool parted = false;
    for (const int32_t f : solid_.faces_at(place)) {
      const Solid::Face& face = solid_.faces()[at(f)];
      cells_.push_back(face.inner);
      if (face.outer >= 0) cells_.push_back(face.outer);
      parted = parted || bonds_.parted[at(f)];
    }
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
    group_.resize(cells_.size());
    for (size_t k = 0; k < cells_.size(); ++k) group_[k] = parted ? k : 0;
    if (parted) join(place);
    for (size_t k = 0; k < cells_.size(); ++k) {
      if (group_[k] == k) add_group(place, k, parted);
    }
    for (size_t k = 0; parted && k < cells_.size(); ++k) links_.push_back({place, cells_[k], corner_of_group_[group_[k]]});
  }

  /// Cells on both sides of an intact face are in one group, labelled by its first.
  void join(int place) {
    const auto number = [&](int32_t cell) { return static_cast<size_t>(std::lower_bound(cells_.begin(), cells_.end(), cell) - cells_.begin()); };
    for (const int32_t f : solid_.faces_at(place)) {
      const Solid::Face& face = solid_.faces()[at(f)];
      if (face.outer < 0 || bonds_.parted[at(f)]) continue;
      const size_t a = group_[number(face.inner)], b = group_[number(face.outer)];
      for (size_t& g : group_) g = g == std::max(a, b) ? std::min(a, b) : g;
    }
  }

  void add_group(int place, size_t group, bool parted) {
    Corner corner{place, parted, {}, cells_[group]};
    for (size_t k = 0; k < cells_.size(); ++k) {
      if (group_[k] == group && bonds_.owner[at(cells_[k])] >= 0) corner.owners.push_back(bonds_.owner[at(cells_[k])]);
    }
    std::sort(corner.owners.begin(), corner.owners.end());
    corner.owners.erase(std::unique(corner.owners.begin(), corner.owners.end()), corner.owners.end());
    corner_of_group_.resize(std::max(corner_of_group_.size(), group + 1));
    corner_of_group_[group] = static_cast<int32_t>(corners_.size());
    split_.push_back(parted ? static_cast<int32_t>(links_.size()) : -1);
    corners_.push_back(std::move(corner));
  }

  const Solid& solid_;
  const Bonds& bonds_;
  std::vector<Corner> corners_;
  std::vector<int32_t> first_;  // #places: a corner
  std::vector<int32_t> split_;  // #corners: where links of their place begin; -1: the place has only this corner
  std::vector<Link> links_;     // by place
  std::vector<int32_t> cells_;
  std::vector<size_t> group_;
  std::vector<int32_t> corner_of_group_;
};

/// Chooses the particles that carry corners: of each particle around, the copy that has most in common with the corner's cells.
class Carrying {
 public:
  Carrying(const SurfaceModel& model, const State& state, const Matter& matter, const Solid& solid)
      : model_(model), state_(state), matter_(matter), solid_(solid) {}

  /// `carriers`: the originals around, initially.
  void choose(const Corner& corner, Carriers& carriers, int32_t& owner) {
    owner = find_owner(corner, carriers.particle[0]);
    // All particles around a corner may belong to other pieces.
    bool whole = !corner.parted && matter_.is_untouched(state_.original[at(owner)]);
    for (size_t k = 0; whole && k < kCarriers; ++k) whole = carriers.weight[k] == 0 || matter_.is_untouched(carriers.particle[k]);
    if (whole) {
      for (int32_t& particle : carriers.particle) particle = std::max(matter_.home[at(particle)], 0);
      return;
    }
    gather_clusters(corner, owner);
    keep_related(carriers, owner);
  }

 private:
  /// The particle that owns the matter of a corner.
  int32_t find_owner(const Corner& corner, int32_t nearest) {
    const Vec3& place = solid_.places()[at(corner.place)];
    int32_t best = -1;
    double least = 1e300;
    for (const int32_t o : corner.owners) {
      const double squared = (model_.rest[at(o)] - place).squaredNorm();
      if (squared < least) least = squared, best = o;
    }
    if (best < 0 && solid_.cell_of(nearest) == corner.cell) best = nearest;
    if (best < 0) {
      const auto fits = [&](int32_t i) { return solid_.cell_of(i) == corner.cell && matter_.home[at(i)] >= 0; };
      model_.nearest.find(place, 1, 1e300, fits, scratch_);
      best = scratch_.empty() ? nearest : scratch_[0].point;
    }
    return std::max(matter_.home[at(best)], 0);
  }

  /// Clusters of the corner's cells, weighted by nearness.
  void gather_clusters(const Corner& corner, int32_t owner) {
    clusters_.clear();
    const auto add = [&](int32_t particle, float weight) {
      const size_t begin = at(state_.entry_begin[at(particle)]), end = begin + at(state_.entry_count[at(particle)]);
      for (size_t e = begin; e < end; ++e) clusters_.push_back({state_.entry_cluster[e], weight * state_.entry_share[e]});
    };
    const double core = 0.1 * model_.spacing;
    for (const int32_t o : corner.owners) {
      const double squared = (model_.rest[at(o)] - solid_.places()[at(corner.place)]).squaredNorm() + core * core;
      add(matter_.home[at(o)], static_cast<float>(model_.spacing * model_.spacing / squared));
    }
    if (corner.owners.empty()) add(owner, 1);
    std::stable_sort(clusters_.begin(), clusters_.end(), [](const Weighted& a, const Weighted& b) { return a.cluster < b.cluster; });
    size_t count = 0;
    for (const Weighted& w : clusters_) {
      if (count > 0 && clusters_[count - 1].cluster == w.cluster)
        clusters_[count - 1].weight += w.weight;
      else
        clusters_[count++] = w;
    }
    clusters_.resize(count);
  }

  /// Share of a particle's mass that moves with the clusters of the corner.
  float in_common(int32_t particle) const {
    float sum = 0;
    const size_t begin = at(state_.entry_begin[at(particle)]), end = begin + at(state_.entry_count[at(particle)]);
    for (size_t e = begin; e < end; ++e) {
      for (const auto& [cluster, weight] : clusters_)
        sum += cluster == state_.entry_cluster[e] ? weight * state_.entry_share[e] * state_.mass[at(particle)] : 0;
    }
    return sum;
  }

  void keep_related(Carriers& carriers, int32_t owner) const {
    double sum = 0;
    for (size_t k = 0; k < kCarriers; ++k) {
      if (carriers.weight[k] == 0) continue;
      float most = 0;
      int32_t best = -1;
      for (const int32_t copy : matter_.copies_of(carriers.particle[k])) {
        const float common = in_common(copy);
        if (common > most) most = common, best = copy;
      }
      if (best < 0) carriers.weight[k] = 0;
      carriers.particle[k] = std::max(best, 0);
      sum += carriers.weight[k];
    }
    if (!(sum > 1e-6)) {
      carriers = Carriers();
      carriers.particle[0] = owner, carriers.weight[0] = 1;
      return;
    }
    for (float& w : carriers.weight) w = static_cast<float>(w / sum);
  }

  const SurfaceModel& model_;
  const State& state_;
  const Matter& matter_;
  const Solid& solid_;
  std::vector<NearestPoints::Found> scratch_;
  struct Weighted {
    int32_t cluster;
    float weight;
  };
  std::vector<Weighted> clusters_;
};

/// Vertices by a pair of numbers; equal pairs give the same vertex.
class Vertices {
 public:
  explicit Vertices(size_t keys) : first_(keys, -1) {}
  int find_or_add(int key, int32_t other, bool& is_new) {
    for (int32_t v = first_[at(key)]; v >= 0; v = next_[at(v)]) {
      if (other_[at(v)] == other) return is_new = false, v;
    }
    next_.push_back(first_[at(key)]), other_.push_back(other);
    is_new = true;
    return first_[at(key)] = static_cast<int32_t>(next_.size()) - 1;
  }

 private:
  std::vector<int32_t> first_, next_, other_;
};

/// Texture coordinates and colours of marks, from those of the artist's vertices.
template <class T>
std::vector<T> spread_over_marks(const std::vector<T>& given, const std::vector<Solid::Mark>& marks) {
  std::vector<T> all(given);
  if (given.empty()) return all;
  for (size_t m = given.size(); m < marks.size(); ++m)
    all.push_back(all[at(marks[m].a)] + marks[m].share * (all[at(marks[m].b)] - all[at(marks[m].a)]));
  return all;
}

/// The mark of a face's corner.
int mark_at(const Solid::Face& face, int place) {
  for (const Solid::Side& side : face.rim) {
    if (side.a == place) return side.mark_a;
  }
  return 0;
}

void draw_skin(const SurfaceModel& model, const Corners& corners, const Bonds& bonds, Solid& solid, Surface& surface) {
  const std::vector<Vec2f> uvs = spread_over_marks(model.mesh->uvs, solid.marks());
  const std::vector<Vec3f> colors = spread_over_marks(model.mesh->colors, solid.marks());
  auto skin = std::make_shared<TriMesh>();
  Vertices vertices(solid.marks().size());
  surface.skin_point.clear(), surface.skin_piece.clear();
  for (size_t f = 0; f < solid.faces().size(); ++f) {
    const Solid::Face& face = solid.faces()[f];
    if (face.outer >= 0 || bonds.piece[at(face.inner)] < 0) continue;
    for (Triangle triangle : solid.triangles_of(static_cast<int>(f))) {
      for (int& v : triangle) {
        bool is_new = false;
        const int place = v, mark = mark_at(face, place);
        const int32_t corner = corners.find(place, face.inner);
        v = vertices.find_or_add(mark, corner, is_new);
        if (!is_new) continue;
        skin->positions.push_back(at(mark) < model.mesh->positions.size() ? model.mesh->positions[at(mark)] : solid.places()[at(place)]);
        if (!uvs.empty()) skin->uvs.push_back(uvs[at(mark)]);
        if (!colors.empty()) skin->colors.push_back(colors[at(mark)]);
        surface.skin_point.push_back(corner);
      }
      skin->triangles.push_back(triangle);
      surface.skin_piece.push_back(bonds.piece[at(face.inner)]);
    }
  }
  surface.skin = std::move(skin);
}

std::shared_ptr<TriMesh> draw_inner(const Corners& corners, const Bonds& bonds, Solid& solid, Surface& surface) {
  auto inner = std::make_shared<TriMesh>();
  Vertices vertices(corners.all().size());
  surface.inner_point.clear(), surface.inner_piece.clear(), surface.inner_crack.clear();
  for (size_t f = 0; f < solid.faces().size(); ++f) {
    if (!bonds.parted[f]) continue;
    const Solid::Face& face = solid.faces()[f];
    const PlaneFrame frame(face.normal);
    for (const Triangle& places : solid.triangles_of(static_cast<int>(f))) {
      for (const int32_t cell : {face.inner, face.outer}) {
        if (bonds.piece[at(cell)] < 0) continue;
        Triangle triangle;
        for (size_t k = 0; k < 3; ++k) {
          bool is_new = false;
          const int32_t corner = corners.find(places[k], cell);
          triangle[k] = vertices.find_or_add(corner, face.cut, is_new);
          if (!is_new) continue;
          inner->positions.push_back(solid.places()[at(places[k])]);
          inner->uvs.push_back(frame(inner->positions.back()).cast<float>());
          surface.inner_point.push_back(corner);
        }
        if (cell == face.outer) std::swap(triangle[1], triangle[2]);
        inner->triangles.push_back(triangle);
        surface.inner_piece.push_back(bonds.piece[at(cell)]);
        surface.inner_crack.push_back(face.cut % 2 == 0 ? face.cut / 2 : -1);
      }
    }
  }
  return inner;
}

/// Places that are on a surface.
std::vector<uint8_t> find_seen(const Solid& solid, const Bonds& bonds) {
  std::vector<uint8_t> seen(solid.places().size(), 0);
  for (size_t f = 0; f < solid.faces().size(); ++f) {
    if (solid.faces()[f].outer >= 0 && !bonds.parted[f]) continue;
    for (const Solid::Side& side : solid.faces()[f].rim) seen[at(side.a)] = 1;
  }
  return seen;
}

/// Particles around visible places. Entries of `known` are from an earlier search, or have zero weight.
void look_around(const SurfaceModel& model, const std::vector<Vec3>& places, const std::vector<uint8_t>& seen, std::vector<Carriers>& known,
                 std::vector<Carriers>& others) {
  others.resize(places.size() - known.size());
  parallel_for(places.size(), 256, [&](size_t begin, size_t end) {
    std::vector<NearestPoints::Found> scratch;
    for (size_t p = begin; p < end; ++p) {
      Carriers& carriers = p < known.size() ? known[p] : others[p - known.size()];
      if (seen[p] && carriers.weight[0] == 0) carriers = find_carriers(model, places[p], scratch);
    }
  });
}

/// Whether each place is on the skin.
std::vector<uint8_t> find_on_skin(const Solid& solid) {
  std::vector<uint8_t> on_skin(solid.places().size(), 0);
  for (const Solid::Face& face : solid.faces()) {
    if (face.outer >= 0) continue;
    for (const Solid::Side& side : face.rim) on_skin[at(side.a)] = 1;
  }
  return on_skin;
}

/// Gives crack faces their relief.
void roughen_cracks(const SurfaceModel& model, const Solid& solid, const Bonds& bonds, const Corners& corners, Surface& surface, TriMesh& inner) {
  if (model.relief <= 0 && model.grain <= 0) return;
  const std::vector<uint8_t> on_skin = find_on_skin(solid);
  std::vector<Vec3> rim;
  for (size_t f = 0; f < solid.faces().size(); ++f) {
    if (!bonds.parted[f]) continue;
    for (const Solid::Side& side : solid.faces()[f].rim) {
      if (!on_skin[at(side.a)]) continue;
      const Vec3 &a = solid.places()[at(side.a)], &b = solid.places()[at(side.b)];
      rim.push_back(a - model.center);
      if (on_skin[at(side.b)]) rim.push_back(0.5 * (a + b) - model.center);
    }
  }
  std::vector<uint8_t> fixed;
  for (const Corner& corner : corners.all()) fixed.push_back(on_skin[at(corner.place)]);
  roughen(model, std::move(fixed), rim, surface, inner);
}

/// The solid of each original; where that belongs to a piece that has a copy of it, the copy is its matter there.
void find_solids(const Matter& matter, const Bonds& bonds, const Solid& solid, std::span<const int32_t> hangs_on, Surface& surface) {
  surface.home = matter.home;
  surface.solid_of.assign(matter.home.size(), -1);
  std::vector<std::array<int32_t, 2>> pairs;  // solid, piece
  for (size_t i = 0; i < surface.solid_of.size(); ++i) {
    if (const int cell = solid.cell_of(static_cast<int>(i)); cell >= 0) surface.solid_of[i] = bonds.piece[at(cell)];
    if (surface.solid_of[i] >= 0 && matter.home[i] >= 0) pairs.push_back({surface.solid_of[i], hangs_on[at(matter.home[i])]});
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<int32_t> piece_of(at(bonds.pieces), -1);
  std::vector<std::ptrdiff_t> most(at(bonds.pieces), 0);
  for (auto begin = pairs.begin(); begin != pairs.end();) {
    const auto end = std::upper_bound(begin, pairs.end(), *begin);
    if (end - begin > most[at((*begin)[0])]) most[at((*begin)[0])] = end - begin, piece_of[at((*begin)[0])] = (*begin)[1];
    begin = end;
  }
  for (size_t i = 0; i < surface.solid_of.size(); ++i) {
    const int32_t piece = surface.solid_of[i] < 0 ? -1 : piece_of[at(surface.solid_of[i])];
    if (piece < 0 || matter.home[i] < 0 || hangs_on[at(matter.home[i])] == piece) continue;
    for (const int32_t copy : matter.copies_of(static_cast<int>(i))) {
      if (hangs_on[at(copy)] == piece) surface.home[i] = copy;
    }
  }
}

}  // namespace

void draw(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Bonds& bonds, std::span<const int32_t> hangs_on,
          Solid& solid, Surface& surface) {
  const std::vector<uint8_t> seen = find_seen(solid, bonds);
  std::vector<Carriers> finer;
  surface.around.resize(surface.solid.places().size());
  look_around(surface_model, solid.places(), seen, surface.around, finer);
  const Corners corners(solid, bonds, seen);
  const size_t count = corners.all().size();
  surface.rest.resize(count), surface.carriers.resize(count), surface.owner.resize(count);
  parallel_for(count, 512, [&](size_t begin, size_t end) {
    Carrying carrying(surface_model, state, matter, solid);
    for (size_t p = begin; p < end; ++p) {
      surface.rest[p] = (solid.places()[at(corners.all()[p].place)] - surface_model.center).cast<float>();
      const size_t place = at(corners.all()[p].place), known = surface.around.size();
      surface.carriers[p] = place < known ? surface.around[place] : finer[place - known];
      carrying.choose(corners.all()[p], surface.carriers[p], surface.owner[p]);
    }
  });
  draw_skin(surface_model, corners, bonds, solid, surface);
  const std::shared_ptr<TriMesh> inner = draw_inner(corners, bonds, solid, surface);
  roughen_cracks(surface_model, solid, bonds, corners, surface, *inner);
  surface.inner = inner;
  surface.torn = true, surface.pieces = bonds.pieces;
  find_solids(matter, bonds, solid, hangs_on, surface);
}

}  // namespace crumple::clusters
