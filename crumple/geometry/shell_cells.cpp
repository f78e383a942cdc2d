#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "crumple/geometry/cell_parts.h"
#include "crumple/geometry/cells.h"
#include "crumple/geometry/mesh_topology.h"

namespace crumple {
namespace {

using Solid = ConvexPolyhedron<3>;

// Of a shell's size: how far its corners may be off its planes, and planes of two shells from each other.
constexpr double kFlatness = 1e-6;
// Of the box: what two shells may have in common.
constexpr double kOverlap = 1e-9;
constexpr size_t kMaxSides = 2000;
constexpr size_t kMaxCells = 20000;

std::string place_text(const Vec3& place) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", place.x(), place.y(), place.z());
}

/// A shell as it is read: doubled vertices are one, triangles without three corners are gone.
struct Shell {
  std::string name;  // "shell 2"
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
  double size = 0;             // diagonal of its box
  Vec3 middle = Vec3::Zero();  // of its corners
  std::vector<int> sides;      // tags of its planes
  Solid solid;                 // what is within the box
  Bounds bounds;               // of that
};

Vec3 corner(const Shell& shell, const Triangle& triangle, size_t i) {
  return shell.positions[static_cast<size_t>(triangle[i])];
}
Vec3 twice_area(const Shell& shell, const Triangle& triangle) {
  const Vec3 a = corner(shell, triangle, 0);
  return (corner(shell, triangle, 1) - a).cross(corner(shell, triangle, 2) - a);
}

Result<Shell> read_shell(const TriMesh& mesh, size_t number) {
  Shell shell;
  shell.name = fmt::format("shell {}", number + 1);
  const auto count = static_cast<int>(mesh.positions.size());
  if (mesh.triangles.empty()) return input_error(shell.name + " has no triangles");
  Bounds bounds;
  for (const Triangle& triangle : mesh.triangles) {
    for (const int v : triangle) {
      if (v < 0 || v >= count) return input_error(fmt::format("{} names vertex {}, but has {} vertices", shell.name, v, count));
      const Vec3& position = mesh.positions[static_cast<size_t>(v)];
      if (!position.allFinite()) return input_error(fmt::format("{} has a vertex that is no finite place (vertex {})", shell.name, v));
      bounds.add(position);
    }
  }
  shell.size = bounds.diagonal();
  if (!(shell.size > 0) || !std::isfinite(shell.size)) return input_error(shell.name + " is a single point, or too large");
  shell.positions = mesh.positions;
  const std::vector<int> same = first_in_place(mesh.positions, kFlatness * shell.size, std::vector<bool>(mesh.positions.size(), false));
  const auto first = [&](int v) { return same[static_cast<size_t>(v)]; };
  for (const auto& [a, b, c] : mesh.triangles) {
    const Triangle merged = {first(a), first(b), first(c)};
    if (merged[0] != merged[1] && merged[1] != merged[2] && merged[2] != merged[0]) shell.triangles.push_back(merged);
  }
  if (shell.triangles.empty()) return input_error(shell.name + " has no triangle with an area");
  shell.middle = 0.5 * (bounds.low + bounds.high);
  return shell;
}

/// Every edge must be used by two triangles. Which way they run does not matter for a convex shell.
Result<void> check_closed(const Shell& shell) {
  std::vector<int> itself(shell.positions.size());
  std::iota(itself.begin(), itself.end(), 0);
  size_t open = 0, crowded = 0;
  Vec3 open_at = Vec3::Zero(), crowded_at = Vec3::Zero();
  const std::vector<EdgeUse> uses = sorted_edge_uses(shell.triangles, itself);
  for_each_edge(uses, [&](const EdgeUse* use, size_t count) {
    const Vec3 middle = 0.5 * (shell.positions[static_cast<size_t>(use->low)] + shell.positions[static_cast<size_t>(use->high)]);
    if (count == 1 && open++ == 0) open_at = middle;
    if (count > 2 && crowded++ == 0) crowded_at = middle;
  });
  if (open > 0) {
    return input_error(fmt::format("{} is open: {} of its edges {} one face only, one of them at {}; close it", shell.name, open,
                                   open == 1 ? "has" : "have", place_text(open_at)));
  }
  if (crowded > 0) {
    return input_error(fmt::format("{} has an edge of more than two faces at {}; keep its outer faces only", shell.name, place_text(crowded_at)));
  }
  return {};
}

/// Planes of all shells. A face that lies in a plane already known gets that one, so that shells with a common face have it exactly in common.
class Planes {
 public:
  /// The tag of the plane through a face of the shell, seen from inside it.
  int find_or_add(const Shell& shell, const Triangle& face) {
    const Vec3 normal = twice_area(shell, face).normalized();
    for (size_t k = 0; k < planes_.size(); ++k) {
      if (std::abs(planes_[k].head<3>().dot(normal)) > 0.999 && lies_in(shell, face, planes_[k]))
        return side_tag(static_cast<int>(k), faces_in(shell, planes_[k]));
    }
    Linear plane;
    plane << normal, -normal.dot(corner(shell, face, 0));
    planes_.push_back(plane);
    return side_tag(static_cast<int>(planes_.size()) - 1, faces_in(shell, plane));
  }
  Linear side(int tag) const { return side_of_tag(planes_, tag); }
  static bool lies_in(const Shell& shell, const Triangle& face, const Linear& plane) {
    for (size_t i = 0; i < 3; ++i) {
      if (std::abs(plane.head<3>().dot(corner(shell, face, i)) + plane[3]) > kFlatness * shell.size) return false;
    }
    return true;
  }

 private:
  static bool faces_in(const Shell& shell, const Linear& plane) { return plane.head<3>().dot(shell.middle) + plane[3] > 0; }
  std::vector<Linear> planes_;
};

/// Large triangles first: they say best where a plane is.
Result<void> find_sides(Shell& shell, Planes& planes) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t t = 0; t < shell.triangles.size(); ++t) order.emplace_back(-twice_area(shell, shell.triangles[t]).norm(), t);
  std::sort(order.begin(), order.end());
  for (const auto& [size, t] : order) {
    // Thinner than the flatness asked for: its neighbours bound the shell.
    if (-size <= kFlatness * shell.size * shell.size * 1e-3) continue;
    const Triangle& face = shell.triangles[t];
    const auto known = [&](int tag) { return Planes::lies_in(shell, face, planes.side(tag)); };
    if (std::any_of(shell.sides.begin(), shell.sides.end(), known)) continue;
    shell.sides.push_back(planes.find_or_add(shell, face));
    if (shell.sides.size() > kMaxSides) {
      return input_error(fmt::format("{} has more than {} flat sides; simplify it", shell.name, kMaxSides));
    }
  }
  return {};
}

Result<void> check_convex(const Shell& shell, const Planes& planes) {
  double farthest = 2 * kFlatness * shell.size;  // a plane may be moved to a known one by the flatness, and a corner off it by as much
  Vec3 at = Vec3::Zero();
  bool found = false;
  for (const int tag : shell.sides) {
    const Linear side = planes.side(tag);
    for (const Triangle& triangle : shell.triangles) {
      for (size_t i = 0; i < 3; ++i) {
        const double outside = side.head<3>().dot(corner(shell, triangle, i)) + side[3];
        if (outside > farthest) farthest = outside, at = corner(shell, triangle, i), found = true;
      }
    }
  }
  if (!found) return {};
  return input_error(
      fmt::format("{} is not convex: its corner at {} lies {:.3g} m outside the plane of another of its faces; divide it into convex shells",
                  shell.name, place_text(at), farthest));
}

Result<void> fill_box(Shell& shell, const Planes& planes, const Bounds& box) {
  shell.solid = box_polyhedron(box);
  for (const int tag : shell.sides) {
    if (!shell.solid.clip(planes.side(tag), rounding_of(box), tag)) {
      const Bounds own = bounds_of(shell.positions);
      return input_error(fmt::format("{} is flat or lies outside the body: it reaches from {} to {}, the body from {} to {}", shell.name,
                                     place_text(own.low), place_text(own.high), place_text(box.low), place_text(box.high)));
    }
  }
  shell.bounds = bounds_of(shell.solid.points);
  return {};
}

Result<Shell> prepare_shell(const TriMesh& mesh, size_t number, Planes& planes, const Bounds& box) {
  Result<Shell> shell = read_shell(mesh, number);
  if (!shell) return shell.error();
  if (Result<void> closed = check_closed(*shell); !closed) return closed.error();
  if (Result<void> sides = find_sides(*shell, planes); !sides) return sides.error();
  if (Result<void> convex = check_convex(*shell, planes); !convex) return convex.error();
  if (Result<void> within = fill_box(*shell, planes, box); !within) return within.error();
  return shell;
}

bool apart(const Bounds& a, const Bounds& b) {
  return (a.low.array() > b.high.array()).any() || (b.low.array() > a.high.array()).any();
}

/// What a shell leaves of a part, as convex parts; the part itself if they have nothing in common. Returns the volume that is taken.
double subtract(const Solid& part, const Shell& shell, const Planes& planes, double tolerance, std::vector<Solid>& left) {
  Solid common = part;
  for (const int tag : shell.sides) {
    if (common.clip(planes.side(tag), tolerance, tag)) continue;
    left.push_back(part);
    return 0;
  }
  Solid rest = part;
  for (const int tag : shell.sides) {
    Solid beyond = rest;
    if (beyond.place(planes.side(tag), tolerance) != Solid::Place::Across) continue;
    beyond.clip(-planes.side(tag), tolerance, tag ^ 1);
    rest.clip(planes.side(tag), tolerance, tag);
    left.push_back(std::move(beyond));
  }
  return measure(common).volume;
}

ConvexCell to_cell(const Solid& solid, const Planes& planes, int label) {
  ConvexCell cell;
  cell.label = label;
  for (const int tag : tags_of(solid)) cell.sides.push_back(half_space(planes.side(tag), -1));
  return cell;
}

/// The shell without what earlier ones have of it.
Result<std::vector<Solid>> own_parts(std::span<const Shell> earlier, const Shell& shell, const Planes& planes, const Bounds& box) {
  std::vector<Solid> parts = {shell.solid}, left;
  const double allowed = kOverlap * (box.high - box.low).prod();
  for (const Shell& other : earlier) {
    if (apart(other.bounds, shell.bounds)) continue;
    double common = 0;
    left.clear();
    for (const Solid& part : parts) common += subtract(part, other, planes, rounding_of(box), left);
    if (common > allowed) {
      return input_error(fmt::format("{} and {} overlap by {:.3g} m^3; move them apart or let them share a face", other.name, shell.name, common));
    }
    parts.swap(left);
  }
  return parts;
}

Error too_many_cells() {
  return input_error(fmt::format("the shells leave more than {} convex cells of the body; use fewer or simpler ones", kMaxCells));
}

Result<std::vector<Solid>> remainder(std::span<const Shell> shells, const Planes& planes, const Bounds& box) {
  std::vector<Solid> parts = {box_polyhedron(box)}, left;
  for (const Shell& shell : shells) {
    left.clear();
    for (const Solid& part : parts) {
      if (apart(bounds_of(part.points), shell.bounds)) {
        left.push_back(part);
      } else {
        subtract(part, shell, planes, rounding_of(box), left);
      }
    }
    parts.swap(left);
    if (parts.size() > kMaxCells) return too_many_cells();
  }
  return parts;
}

}  // namespace

Result<std::vector<ConvexCell>> cells_of_shells(std::span<const TriMesh> meshes, std::span<const int> labels, const Bounds& box) {
  if (meshes.size() != labels.size()) return input_error(fmt::format("{} shells have {} labels; each needs one", meshes.size(), labels.size()));
  if (box.empty()) return input_error("there is nothing to cut: the body's box is empty");
  Planes planes;
  std::vector<Shell> shells;
  std::vector<ConvexCell> cells;
  for (size_t i = 0; i < meshes.size(); ++i) {
    Result<Shell> shell = prepare_shell(meshes[i], i, planes, box);
    if (!shell) return shell.error();
    Result<std::vector<Solid>> parts = own_parts(shells, *shell, planes, box);
    if (!parts) return parts.error();
    for (const Solid& part : *parts) cells.push_back(to_cell(part, planes, labels[i]));
    if (cells.size() > kMaxCells) return too_many_cells();
    shells.push_back(std::move(*shell));
  }
  Result<std::vector<Solid>> rest = remainder(shells, planes, box);
  if (!rest) return rest.error();
  const int rest_label = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  for (const Solid& part : *rest) cells.push_back(to_cell(part, planes, rest_label));
  return cells;
}

}  // namespace crumple
