#include "crumple/rig/score_fragments.h"

#include "crumple/geometry/bvh.h"
#include "crumple/math/union_find.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace crumple {
namespace {

constexpr double kSamePlace = 1e-6;  // of the body's diagonal

/// One side of one tetrahedron.
struct TetFace {
  std::array<int, 3> vertices;  // ascending
  int tet, side;                // opposite corner
};

std::vector<TetFace> sorted_faces(const TetMesh& mesh) {
  std::vector<TetFace> faces;
  faces.reserve(4 * mesh.tets.size());
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    for (int side = 0; side < 4; ++side) {
      TetFace face{{}, static_cast<int>(t), side};
      for (int k = 0, next = 0; k < 4; ++k) {
        if (k != side) face.vertices[static_cast<size_t>(next++)] = mesh.tets[t][static_cast<size_t>(k)];
      }
      std::sort(face.vertices.begin(), face.vertices.end());
      faces.push_back(face);
    }
  }
  std::sort(faces.begin(), faces.end(),
            [](const TetFace& a, const TetFace& b) { return a.vertices != b.vertices ? a.vertices < b.vertices : a.tet < b.tet; });
  return faces;
}

class Grouping {
 public:
  explicit Grouping(CutBody& body) : body_(body), groups_(body.fragments.size()) {}

  void run() {
    join_within_tets();
    const std::vector<TetFace> faces = sorted_faces(body_.mesh);
    for (size_t i = 0; i < faces.size(); ++i) {
      for (size_t j = i + 1; j < faces.size() && faces[j].vertices == faces[i].vertices; ++j) join_across(faces[i], faces[j]);
    }
    number_pieces();
  }

 private:
  const ConvexCell& cell_of(const Fragment& fragment) const { return body_.cells[static_cast<size_t>(fragment.cell)]; }

  void touch(int from, int to, const Patch& patch) {
    const Fragment &a = body_.fragments[static_cast<size_t>(from)], &b = body_.fragments[static_cast<size_t>(to)];
    if (cell_of(a).label == cell_of(b).label) groups_.merge(from, to);
    body_.contacts.push_back({from, to, patch});
  }

  void join_within_tets() {
    for (size_t t = 0; t < body_.mesh.tets.size(); ++t) {
      for (int i = body_.first[t]; i < body_.first[t + 1]; ++i) {
        for (int j = i + 1; j < body_.first[t + 1]; ++j) {
          const Fragment &a = body_.fragments[static_cast<size_t>(i)], &b = body_.fragments[static_cast<size_t>(j)];
          const Patch patch = shared_patch(a, cell_of(a), b, cell_of(b));
          if (patch.area > 0) touch(i, j, patch);
        }
      }
    }
  }

  /// Fragments of one cell go on across the face; those of different cells touch there only if a cut lies in the face.
  void join_across(const TetFace& one, const TetFace& other) {
    for (int i = body_.first[static_cast<size_t>(one.tet)]; i < body_.first[static_cast<size_t>(one.tet) + 1]; ++i) {
      for (int j = body_.first[static_cast<size_t>(other.tet)]; j < body_.first[static_cast<size_t>(other.tet) + 1]; ++j) {
        const Fragment &from = body_.fragments[static_cast<size_t>(i)], &to = body_.fragments[static_cast<size_t>(j)];
        if (!(from.face_areas[static_cast<size_t>(one.side)] > 0 && to.face_areas[static_cast<size_t>(other.side)] > 0)) continue;
        if (from.cell == to.cell) {
          groups_.merge(i, j);
        } else if (lies_in(from, one.side) && lies_in(to, other.side)) {
          const Patch patch = shared_patch(from, cell_of(from), to, cell_of(to));
          if (patch.area > 0) touch(i, j, patch);
        }
      }
    }
  }

  static bool lies_in(const Fragment& fragment, int side) {
    return std::any_of(fragment.cuts.begin(), fragment.cuts.end(), [&](const FragmentFace& face) { return face.tet_face == side; });
  }

  /// In the order of cells, then of tetrahedra.
  void number_pieces() {
    std::vector<std::pair<int, int>> firsts;  // lowest cell and lowest fragment of each group
    std::vector<int> lowest_cell(body_.fragments.size(), -1);
    for (size_t i = 0; i < body_.fragments.size(); ++i) {
      int& lowest = lowest_cell[static_cast<size_t>(groups_.of(static_cast<int>(i)))];
      lowest = lowest < 0 ? body_.fragments[i].cell : std::min(lowest, body_.fragments[i].cell);
    }
    for (size_t i = 0; i < lowest_cell.size(); ++i) {
      if (lowest_cell[i] >= 0) firsts.emplace_back(lowest_cell[i], static_cast<int>(i));
    }
    std::sort(firsts.begin(), firsts.end());
    std::vector<int> number(body_.fragments.size(), -1);
    for (size_t p = 0; p < firsts.size(); ++p) number[static_cast<size_t>(firsts[p].second)] = static_cast<int>(p);
    body_.piece_of.resize(body_.fragments.size());
    for (size_t i = 0; i < body_.fragments.size(); ++i) body_.piece_of[i] = number[static_cast<size_t>(groups_.of(static_cast<int>(i)))];
    body_.pieces = static_cast<int>(firsts.size());
  }

  CutBody& body_;
  UnionFind groups_;
};

/// Numbers pieces without gaps after some have joined others; `into` says where each has gone.
void renumber(CutBody& body, std::vector<int>& into) {
  std::vector<int> number(into.size(), -1);
  int next = 0;
  for (size_t p = 0; p < into.size(); ++p) {
    if (into[p] == static_cast<int>(p)) number[p] = next++;
  }
  const auto target = [&](int piece) {
    while (into[static_cast<size_t>(piece)] != piece) piece = into[static_cast<size_t>(piece)];
    return number[static_cast<size_t>(piece)];
  };
  for (int& piece : body.piece_of) piece = target(piece);
  body.pieces = next;
}

std::vector<int> unmoved(int pieces) {
  std::vector<int> into(static_cast<size_t>(pieces));
  std::iota(into.begin(), into.end(), 0);
  return into;
}

/// The neighbour with which a piece shares the largest patch; -1 if it has none.
int closest_neighbor(int piece, const std::map<std::pair<int, int>, Patch>& patches) {
  int best = -1;
  double most = 0;
  for (const auto& [pair, patch] : patches) {
    if (pair.first != piece && pair.second != piece) continue;
    if (patch.area > most) most = patch.area, best = pair.first == piece ? pair.second : pair.first;
  }
  return best;
}

}  // namespace

std::span<const Fragment> CutBody::fragments_of(int tet) const {
  const auto begin = static_cast<size_t>(first[static_cast<size_t>(tet)]), end = static_cast<size_t>(first[static_cast<size_t>(tet) + 1]);
  return std::span(fragments).subspan(begin, end - begin);
}

CutBody cut_body(const TetMesh& mesh, std::span<const ConvexCell> cells) {
  CutBody body{mesh, cells, kSamePlace * bounds_of(mesh.positions).diagonal(), {}, {}, {}, {}, 0};
  body.fragments = cut_tets(mesh, cells, body.slack);
  body.first.assign(mesh.tets.size() + 1, 0);
  for (const Fragment& fragment : body.fragments) ++body.first[static_cast<size_t>(fragment.tet) + 1];
  std::partial_sum(body.first.begin(), body.first.end(), body.first.begin());
  Grouping(body).run();
  return body;
}

std::vector<double> piece_volumes(const CutBody& body) {
  std::vector<double> volumes(static_cast<size_t>(body.pieces), 0);
  for (size_t i = 0; i < body.fragments.size(); ++i) volumes[static_cast<size_t>(body.piece_of[i])] += body.fragments[i].volume;
  return volumes;
}

std::map<std::pair<int, int>, Patch> piece_patches(const CutBody& body) {
  std::map<std::pair<int, int>, Patch> patches;
  for (const FragmentContact& contact : body.contacts) {
    const int a = body.piece_of[static_cast<size_t>(contact.from)], b = body.piece_of[static_cast<size_t>(contact.to)];
    if (a == b) continue;
    Patch patch = contact.patch;
    if (a > b) patch.normal = -patch.normal;
    patches[{std::min(a, b), std::max(a, b)}].add(patch);
  }
  return patches;
}

Merged merge_slivers(CutBody& body, double least) {
  std::vector<double> volumes = piece_volumes(body);
  std::vector<std::map<int, double>> shared(static_cast<size_t>(body.pieces));  // m^2, with each neighbour
  for (const auto& [pair, patch] : piece_patches(body)) {
    shared[static_cast<size_t>(pair.first)][pair.second] = shared[static_cast<size_t>(pair.second)][pair.first] = patch.area;
  }
  std::set<std::pair<double, int>> small;
  for (int p = 0; p < body.pieces; ++p) {
    if (volumes[static_cast<size_t>(p)] < least) small.insert({volumes[static_cast<size_t>(p)], p});
  }
  Merged merged;
  std::vector<int> into = unmoved(body.pieces);
  while (!small.empty()) {
    const int p = small.begin()->second;
    small.erase(small.begin());
    const std::map<int, double> neighbors = std::exchange(shared[static_cast<size_t>(p)], {});
    const auto best = std::max_element(neighbors.begin(), neighbors.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == neighbors.end()) continue;
    const int q = best->first;
    for (const auto& [r, area] : neighbors) {
      shared[static_cast<size_t>(r)].erase(p);
      if (r != q) shared[static_cast<size_t>(r)][q] += area, shared[static_cast<size_t>(q)][r] += area;
    }
    into[static_cast<size_t>(p)] = q;
    ++merged.count, merged.volume += volumes[static_cast<size_t>(p)];
    const bool was_small = small.erase({volumes[static_cast<size_t>(q)], q}) > 0;
    volumes[static_cast<size_t>(q)] += volumes[static_cast<size_t>(p)];
    if (was_small && volumes[static_cast<size_t>(q)] < least) small.insert({volumes[static_cast<size_t>(q)], q});
  }
  renumber(body, into);
  return merged;
}

int join_islands(CutBody& body) {
  UnionFind groups(static_cast<size_t>(body.pieces));
  for (const auto& [pair, patch] : piece_patches(body)) groups.merge(pair.first, pair.second);
  const std::vector<double> volumes = piece_volumes(body);
  std::vector<double> sizes(static_cast<size_t>(body.pieces), 0);
  for (int p = 0; p < body.pieces; ++p) sizes[static_cast<size_t>(groups.of(p))] += volumes[static_cast<size_t>(p)];
  const int main = static_cast<int>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  std::vector<Triangle> faces;  // of all tetrahedra of the largest group
  std::vector<int> owners;      // #faces
  for (size_t i = 0; i < body.fragments.size(); ++i) {
    if (groups.of(body.piece_of[i]) != main) continue;
    const auto& [a, b, c, d] = body.mesh.tets[static_cast<size_t>(body.fragments[i].tet)];
    faces.insert(faces.end(), {{a, b, c}, {a, b, d}, {a, c, d}, {b, c, d}});
    owners.resize(faces.size(), body.piece_of[i]);
  }
  if (owners.size() == 4 * body.fragments.size()) return 0;
  const TriangleTree tree(body.mesh.positions, faces);
  struct Way {
    double distance = 1e300;
    int from = -1, to = -1;
  };
  std::map<int, Way> ways;  // from each group to the largest
  for (size_t i = 0; i < body.fragments.size(); ++i) {
    const int group = groups.of(body.piece_of[i]);
    if (group == main) continue;
    Way& way = ways[group];
    for (const int v : body.mesh.tets[static_cast<size_t>(body.fragments[i].tet)]) {
      const TriangleTree::Hit hit = tree.closest(body.mesh.positions[static_cast<size_t>(v)], way.distance);
      if (hit.triangle >= 0 && hit.distance < way.distance) way = {hit.distance, body.piece_of[i], owners[static_cast<size_t>(hit.triangle)]};
    }
  }
  std::vector<int> into = unmoved(body.pieces);
  for (const auto& [group, way] : ways) into[static_cast<size_t>(way.from)] = way.to;
  renumber(body, into);
  return static_cast<int>(ways.size());
}

int join_marked(CutBody& body, const std::vector<bool>& marked) {
  const std::map<std::pair<int, int>, Patch> patches = piece_patches(body);
  std::vector<int> into = unmoved(body.pieces);
  int joined = 0;
  for (int p = 0; p < body.pieces; ++p) {
    if (!marked[static_cast<size_t>(p)]) continue;
    int target = closest_neighbor(p, patches);
    while (target >= 0 && into[static_cast<size_t>(target)] != target) target = into[static_cast<size_t>(target)];
    if (target < 0 || target == p) continue;
    into[static_cast<size_t>(p)] = target;
    ++joined;
  }
  renumber(body, into);
  return joined;
}

}  // namespace crumple
