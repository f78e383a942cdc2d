#include "crumple/rig/score_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "crumple/core/parallel.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/math/single.h"
#include "crumple/math/union_find.h"
#include "crumple/rig/score_holes.h"
#include "crumple/rig/score_locate.h"

namespace crumple {
namespace {

constexpr size_t kVoices = 64;  // triangles that say which piece a part of the surface belongs to

bool before(const Vec3& a, const Vec3& b) {
  return a.x() != b.x() ? a.x() < b.x() : a.y() != b.y() ? a.y() < b.y() : a.z() < b.z();
}

/// A number for each place, equal for equal places.
std::vector<int> number_places(const std::vector<const Vec3*>& points) {
  std::vector<int> order(points.size()), number(points.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](int i) -> const Vec3& { return *points[static_cast<size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return at(a) != at(b) ? before(at(a), at(b)) : a < b; });
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && at(order[i]) == at(order[i - 1]);
    number[static_cast<size_t>(order[i])] = same ? number[static_cast<size_t>(order[i - 1])] : static_cast<int>(i);
  }
  return number;
}

void number_places(std::vector<CellSurface>& cells) {
  std::vector<const Vec3*> points;
  for (const CellSurface& cell : cells) {
    for (const TriMesh* mesh : {&cell.cut.skin, &cell.cut.caps}) {
      for (const Vec3& point : mesh->positions) points.push_back(&point);
    }
  }
  const std::vector<int> numbers = number_places(points);
  auto next = numbers.begin();
  for (CellSurface& cell : cells) {
    const auto take = [&](size_t count) {
      const auto begin = next;
      next += static_cast<ptrdiff_t>(count);
      return std::vector<int>(begin, next);
    };
    cell.skin_place = take(cell.cut.skin.positions.size());
    cell.cap_place = take(cell.cut.caps.positions.size());
  }
}

/// Parts are numbered by their first triangle.
void find_parts(CellSurface& cell) {
  std::vector<int> places = cell.skin_place;
  places.insert(places.end(), cell.cap_place.begin(), cell.cap_place.end());
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const auto local = [&](int place) { return static_cast<int>(std::lower_bound(places.begin(), places.end(), place) - places.begin()); };
  UnionFind parts(places.size());
  const auto join = [&](const TriMesh& mesh, const std::vector<int>& place) {
    for (const Triangle& triangle : mesh.triangles) {
      for (size_t k = 1; k < 3; ++k) parts.merge(local(place[static_cast<size_t>(triangle[0])]), local(place[static_cast<size_t>(triangle[k])]));
    }
  };
  join(cell.cut.skin, cell.skin_place);
  join(cell.cut.caps, cell.cap_place);
  std::vector<int> number(places.size(), -1);
  const auto count = [&](const TriMesh& mesh, const std::vector<int>& place, std::vector<int>& part) {
    for (const Triangle& triangle : mesh.triangles) {
      int& known = number[static_cast<size_t>(parts.of(local(place[static_cast<size_t>(triangle[0])])))];
      if (known < 0) known = cell.parts++;
      part.push_back(known);
    }
  };
  count(cell.cut.skin, cell.skin_place, cell.skin_part);
  count(cell.cut.caps, cell.cap_place, cell.cap_part);
}

Vec3 middle_of(const TriMesh& mesh, const Triangle& triangle) {
  return (mesh.positions[static_cast<size_t>(triangle[0])] + mesh.positions[static_cast<size_t>(triangle[1])] +
          mesh.positions[static_cast<size_t>(triangle[2])]) /
         3;
}

/// The piece of every part of one cell: where most of its triangles are.
std::vector<int> pieces_of_parts(const CellSurface& cell, int index, const PieceLocator& locator) {
  std::vector<Vec3> points;
  std::vector<int> part;
  std::vector<size_t> count(static_cast<size_t>(cell.parts), 0), seen = count;
  for (const int p : cell.skin_part) ++count[static_cast<size_t>(p)];
  for (const int p : cell.cap_part) ++count[static_cast<size_t>(p)];
  const auto ask = [&](const TriMesh& mesh, const std::vector<int>& parts) {
    for (size_t t = 0; t < parts.size(); ++t) {
      const auto p = static_cast<size_t>(parts[t]);
      const size_t stride = std::max<size_t>(1, count[p] / kVoices);
      if (seen[p]++ % stride == 0) points.push_back(middle_of(mesh, mesh.triangles[t])), part.push_back(parts[t]);
    }
  };
  ask(cell.cut.skin, cell.skin_part);
  ask(cell.cut.caps, cell.cap_part);
  const std::vector<int> found = locator.pieces_at(index, points);
  std::vector<std::map<int, int>> votes(static_cast<size_t>(cell.parts));
  for (size_t i = 0; i < found.size(); ++i) ++votes[static_cast<size_t>(part[i])][found[i]];
  std::vector<int> pieces;
  for (const std::map<int, int>& vote : votes) {
    pieces.push_back(std::max_element(vote.begin(), vote.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first);
  }
  return pieces;
}

/// What lies behind each cap triangle.
struct Behind {
  std::vector<int> cell, piece;  // #caps triangles of a cell; -1: nothing
};

class Drawing {
 public:
  Drawing(const CutBody& body, const std::vector<CellSurface>& cells, int closing) : body_(body), cells_(cells), closing_(closing), locator_(body) {
    for (const CellSurface& cell : cells_) {
      for (const Vec3& point : cell.cut.skin.positions) bounds_.add(point);
    }
  }

  DrawnPieces run() {
    for (size_t c = 0; c < cells_.size(); ++c) piece_of_.push_back(pieces_of_parts(cells_[c], static_cast<int>(c), locator_));
    find_behind();
    add_patches();
    drop_walls();
    result_.surfaces.resize(static_cast<size_t>(body_.pieces));
    result_.volumes.assign(static_cast<size_t>(body_.pieces), 0);
    for (size_t c = 0; c < cells_.size(); ++c) add_cell(c);
    for (const PieceSurface& surface : result_.surfaces) {
      const TriMesh* parts[] = {&surface.skin, &surface.cut};
      result_.closed.push_back(measure_closed(parts).closed);
    }
    return std::move(result_);
  }

 private:
  int own_piece(size_t cell, size_t cap) const { return piece_of_[cell][static_cast<size_t>(cells_[cell].cap_part[cap])]; }

  /// Cells behind caps, from what the cell knows of its sides or else by looking a little farther; then pieces, all questions to a cell at once.
  void find_behind() {
    const double step = 1e-6 * bounds_.diagonal();
    std::vector<std::vector<std::pair<size_t, size_t>>> asked(cells_.size());  // by the cell behind: caps
    for (size_t c = 0; c < cells_.size(); ++c) {
      const CellSurface& cell = cells_[c];
      const size_t caps = cell.cut.caps.triangles.size();
      behind_.push_back({std::vector<int>(caps, -1), std::vector<int>(caps, -1)});
      for (size_t t = 0; t < caps; ++t) {
        const HalfSpace& side = body_.cells[c].sides[static_cast<size_t>(cell.cut.cap_side[t])];
        const int other = side.beyond >= 0 ? side.beyond : cell_at(middle_of(cell.cut.caps, cell.cut.caps.triangles[t]) + step * side.normal, c);
        behind_[c].cell[t] = other;
        if (other >= 0) asked[static_cast<size_t>(other)].emplace_back(c, t);
      }
    }
    for (size_t other = 0; other < cells_.size(); ++other) {
      std::vector<Vec3> points;
      for (const auto& [c, t] : asked[other]) points.push_back(middle_of(cells_[c].cut.caps, cells_[c].cut.caps.triangles[t]));
      const std::vector<int> found = locator_.pieces_at(static_cast<int>(other), points);
      for (size_t i = 0; i < found.size(); ++i) behind_[asked[other][i].first].piece[asked[other][i].second] = found[i];
    }
  }

  int cell_at(const Vec3& point, size_t except) const {
    for (size_t c = 0; c < body_.cells.size(); ++c) {
      const std::vector<HalfSpace>& sides = body_.cells[c].sides;
      const bool inside = std::all_of(sides.begin(), sides.end(), [&](const HalfSpace& side) { return side.normal.dot(point) <= side.offset; });
      if (c != except && inside) return static_cast<int>(c);
    }
    return -1;
  }

  /// Both sides of a cut have caps; one is enough.
  void add_patches() {
    std::map<std::pair<int, int>, Patch> from_above;
    for (size_t c = 0; c < cells_.size(); ++c) {
      const TriMesh& caps = cells_[c].cut.caps;
      for (size_t t = 0; cells_[c].cut.closed && t < caps.triangles.size(); ++t) {
        const int own = own_piece(c, t), other = behind_[c].piece[t];
        if (other < 0 || other == own) continue;
        auto [i, j, k] = caps.triangles[t];
        if (own > other) std::swap(j, k);
        auto& patches = behind_[c].cell[t] > static_cast<int>(c) ? result_.patches : from_above;
        patches[{std::min(own, other), std::max(own, other)}].add_triangle(
            caps.positions[static_cast<size_t>(i)], caps.positions[static_cast<size_t>(j)], caps.positions[static_cast<size_t>(k)]);
      }
    }
    for (const auto& [pair, patch] : from_above) {
      Patch& known = result_.patches[pair];
      if (known.area < 0.5 * patch.area) known = patch;
    }
  }

  /// Caps between cells of one piece are walls inside it. Both sides of a wall go, if they end along the same edges: then nothing opens.
  void drop_walls() {
    std::map<std::array<int, 3>, std::vector<std::pair<size_t, size_t>>> walls;  // by both cells and the piece: caps
    for (size_t c = 0; c < cells_.size(); ++c) {
      dropped_.emplace_back(cells_[c].cut.caps.triangles.size(), false);
      for (size_t t = 0; t < dropped_[c].size(); ++t) {
        const int own = own_piece(c, t), here = static_cast<int>(c), other = behind_[c].cell[t];
        if (other >= 0 && behind_[c].piece[t] == own) walls[{std::min(here, other), std::max(here, other), own}].emplace_back(c, t);
      }
    }
    for (const auto& [key, caps] : walls) {
      TriMesh wall;
      for (const auto& [c, t] : caps) {
        const TriMesh& mesh = cells_[c].cut.caps;
        const int first = static_cast<int>(wall.positions.size());
        for (const int v : mesh.triangles[t]) wall.positions.push_back(mesh.positions[static_cast<size_t>(v)]);
        wall.triangles.push_back({first, first + 1, first + 2});
      }
      const TriMesh* both_sides[] = {&wall};
      if (!measure_closed(both_sides).closed) continue;
      for (const auto& [c, t] : caps) dropped_[c][t] = true;
    }
  }

  void add_cell(size_t c) {
    const CellSurface& cell = cells_[c];
    const SurfaceCut& cut = cell.cut;
    for (int piece : std::set<int>(piece_of_[c].begin(), piece_of_[c].end())) {
      const auto ours = [&](const std::vector<int>& part, size_t t) { return piece_of_[c][static_cast<size_t>(part[t])] == piece; };
      PieceSurface& surface = result_.surfaces[static_cast<size_t>(piece)];
      std::vector<int> skin, closing, caps, all_caps;
      for (size_t t = 0; t < cut.skin.triangles.size(); ++t) {
        if (!ours(cell.skin_part, t)) continue;
        (cut.triangle[t] >= closing_ ? closing : skin).push_back(static_cast<int>(t));
      }
      for (size_t t = 0; t < cut.caps.triangles.size(); ++t) {
        if (!ours(cell.cap_part, t)) continue;
        all_caps.push_back(static_cast<int>(t));
        if (!dropped_[c][t]) caps.push_back(static_cast<int>(t));
      }
      result_.volumes[static_cast<size_t>(piece)] += volume(cut.skin, skin) + volume(cut.skin, closing) + volume(cut.caps, all_caps);
      append(cut.skin, skin, true, surface.skin);
      append(cut.skin, closing, false, surface.cut);
      append(cut.caps, caps, false, surface.cut);
    }
  }

  double volume(const TriMesh& mesh, const std::vector<int>& triangles) const {
    const Vec3 origin = 0.5 * (bounds_.low + bounds_.high);
    double six = 0;
    for (const int t : triangles) {
      const auto& [a, b, c] = mesh.triangles[static_cast<size_t>(t)];
      six += (mesh.positions[static_cast<size_t>(a)] - origin)
                 .cross(mesh.positions[static_cast<size_t>(b)] - origin)
                 .dot(mesh.positions[static_cast<size_t>(c)] - origin);
    }
    return six / 6;
  }

  /// Adds triangles with the vertices they use, in single precision. Sides of a cell share no vertices, so edges between cut faces stay sharp.
  static void append(const TriMesh& from, const std::vector<int>& triangles, bool is_skin, TriMesh& to) {
    std::map<int, int> copies;
    if (is_skin) copy_names(from, to);
    for (const int t : triangles) {
      const Triangle& triangle = from.triangles[static_cast<size_t>(t)];
      Triangle copy;
      for (size_t k = 0; k < 3; ++k) {
        const auto v = static_cast<size_t>(triangle[k]);
        const auto [place, is_new] = copies.try_emplace(triangle[k], static_cast<int>(to.positions.size()));
        copy[k] = place->second;
        if (!is_new) continue;
        to.positions.push_back(to_single(from.positions[v]));
        if (is_skin) {
          each_attribute(from, to, [&](const auto& values, auto& added) { added.push_back(values[v]); });
        } else {
          to.uvs.push_back(from.uvs[v]);
        }
      }
      is_skin ? add_triangle(copy, from, t, to) : to.triangles.push_back(copy);
    }
  }

  const CutBody& body_;
  const std::vector<CellSurface>& cells_;
  int closing_;
  PieceLocator locator_;
  Bounds bounds_;
  std::vector<std::vector<int>> piece_of_;  // #cells x parts
  std::vector<Behind> behind_;              // #cells
  std::vector<std::vector<bool>> dropped_;  // #cells x caps
  DrawnPieces result_;
};

}  // namespace

std::vector<CellSurface> cut_drawn(const TriMesh& surface, std::span<const ConvexCell> cells, double edge) {
  std::vector<CellSurface> drawn(cells.size());
  parallel_for(cells.size(), 1, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) drawn[c].cut = cut_surface(surface, cells[c], edge);
  });
  number_places(drawn);
  parallel_for(cells.size(), 1, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) find_parts(drawn[c]);
  });
  return drawn;
}

DrawnPieces draw_pieces(const CutBody& body, const std::vector<CellSurface>& cells, int closing) {
  return Drawing(body, cells, closing).run();
}

}  // namespace crumple
