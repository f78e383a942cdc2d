#include "crumple/geometry/doctor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/mesh_topology.h"
#include "crumple/geometry/winding.h"

namespace crumple {
namespace {

using Kind = MeshFinding::Kind;

constexpr double kFarthest = 1e12;  // metres: products of coordinates beyond lose all digits
constexpr size_t kHolesListed = 8;
constexpr size_t kPlacesListed = 24;
constexpr float kSameNormal = 0.9998f;  // cosine of about a degree: normals closer than this are one
constexpr double kTinyArea = 0.01;   // of all area: loose specks with more than that are part of the model
constexpr double kHoleEffort = 2e8;  // points tested while filling all holes: about a second

std::string near_text(const Vec3& place) {
  return fmt::format("near {:.4g} {:.4g} {:.4g}", place.x(), place.y(), place.z());
}

const char* plural(size_t count, const char* one, const char* many) {
  return count == 1 ? one : many;
}

/// Do all vertices lie in one plane?
bool is_planar(const TriMesh& mesh, double diagonal) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : mesh.positions) middle += p / static_cast<double>(mesh.positions.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : mesh.positions) spread += (p - middle) * (p - middle).transpose();
  const Vec3 normal = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(0);
  double farthest = 0;
  for (const Vec3& p : mesh.positions) farthest = std::max(farthest, std::abs((p - middle).dot(normal)));
  return farthest <= 1e-6 * diagonal;
}

/// Where something was found: how often, and the first few places.
struct Spots {
  size_t count = 0;
  std::vector<Vec3> some;
  void add(const Vec3& place) {
    if (++count <= kPlacesListed) some.push_back(place);
  }
  Vec3 first() const { return some.empty() ? Vec3(Vec3::Zero()) : some[0]; }
};

/// One mesh on the table. The steps stand in the order they must run; each leaves the mesh valid for the next.
class Doctor {
 public:
  Doctor(TriMesh& mesh, const RepairSettings& settings, bool repairing) : mesh_(mesh), settings_(settings), repairing_(repairing) {}

  MeshReport run() {
    drop_unfit_attributes(mesh_);
    drop_bad_corners();
    if (mesh_.triangles.empty()) {
      add(Kind::Empty, 1, Vec3::Zero(), false, "the mesh has no usable triangle");
      return std::move(report_);
    }
    measure_size();
    weld();
    drop_degenerate();
    drop_doubled_faces();
    turn_flipped();
    fill_holes();
    turn_outward();
    report_tiny_shells();
    drop_unused();
    report_size();
    return std::move(report_);
  }

 private:
  void add(Kind kind, size_t count, const Vec3& place, bool repaired, std::string text) {
    report_.findings.push_back({kind, count, place, {}, repaired && repairing_, std::move(text)});
  }
  void add(Kind kind, const Spots& places, bool repaired, std::string text) {
    report_.findings.push_back({kind, places.count, places.first(), places.some, repaired && repairing_, std::move(text)});
  }
  /// What repair did, or would do.
  std::string done(const char* did, const char* would) const { return repairing_ ? fmt::format(" ({})", did) : fmt::format(" (repair {})", would); }
  Vec3 middle(size_t t) const {
    const auto& [a, b, c] = mesh_.triangles[t];
    return (mesh_.positions[a] + mesh_.positions[b] + mesh_.positions[c]) / 3.0;
  }
  Vec3 area(size_t t) const {
    const auto& [a, b, c] = mesh_.triangles[t];
    return 0.5 * (mesh_.positions[b] - mesh_.positions[a]).cross(mesh_.positions[c] - mesh_.positions[a]);
  }
  template <class Keep>
  void filter(const Keep& keep) {
    keep_triangles(mesh_, keep);
  }

  void drop_bad_corners() {
    const auto vertices = static_cast<int>(mesh_.positions.size());
    bad_.assign(mesh_.positions.size(), false);
    size_t not_finite = 0, bad_index = 0;
    for (size_t v = 0; v < mesh_.positions.size(); ++v) {
      const Vec3& p = mesh_.positions[v];
      bad_[v] = !(p.allFinite() && p.cwiseAbs().maxCoeff() < kFarthest);
      not_finite += bad_[v];
    }
    const auto known = [&](int v) { return v >= 0 && v < vertices; };
    for (const Triangle& t : mesh_.triangles) bad_index += !std::all_of(t.begin(), t.end(), known);
    filter([&](size_t t) {
      const Triangle& corners = mesh_.triangles[t];
      return std::all_of(corners.begin(), corners.end(), [&](int v) { return known(v) && !bad_[v]; });
    });
    const Vec3 example = mesh_.triangles.empty() ? Vec3(Vec3::Zero()) : middle(0);
    if (not_finite > 0) {
      add(Kind::NotFinite, not_finite, example, true,
          fmt::format("{} {} no finite place{}", not_finite, plural(not_finite, "vertex has", "vertices have"),
                      done("removed with their triangles", "removes them with their triangles")));
    }
    if (bad_index > 0) {
      add(Kind::BadIndex, bad_index, example, true,
          fmt::format("{} {} vertices that do not exist{}", bad_index, plural(bad_index, "triangle names", "triangles name"),
                      done("removed", "removes them")));
    }
  }

  void measure_size() {
    Bounds bounds;
    for (const Triangle& t : mesh_.triangles) {
      for (const int v : t) bounds.add(mesh_.positions[v]);
    }
    size_ = bounds.high - bounds.low;
    report_.diagonal = bounds.diagonal();
  }

  bool same_look(int a, int b) const {
    return (mesh_.uvs.empty() || mesh_.uvs[a] == mesh_.uvs[b]) && (mesh_.colors.empty() || mesh_.colors[a] == mesh_.colors[b]) &&
           (mesh_.normals.empty() || mesh_.normals[a].dot(mesh_.normals[b]) > kSameNormal);
  }

  void weld() {
    if (settings_.weld && !settings_.keep_creases) mesh_.normals.clear();
    same_ = first_in_place(mesh_.positions, settings_.weld_tolerance * report_.diagonal, bad_);
    Spots doubled;
    std::vector<bool> seen(mesh_.positions.size(), false);
    for (Triangle& t : mesh_.triangles) {
      for (int& v : t) {
        const int first = same_[v];
        if (first == v || !same_look(v, first)) continue;
        if (!seen[v]) seen[v] = true, doubled.add(mesh_.positions[v]);
        if (settings_.weld) v = first;
      }
    }
    if (doubled.count == 0) return;
    add(Kind::DoubledVertices, doubled, settings_.weld,
        fmt::format("{} {} on another one, {}{}", doubled.count, plural(doubled.count, "vertex lies", "vertices lie"), near_text(doubled.first()),
                    settings_.weld ? done("merged", "merges them") : " (kept: welding is off)"));
  }

  void drop_degenerate() {
    const auto collapsed = [&](size_t t) {
      const auto& [a, b, c] = mesh_.triangles[t];
      return same_[a] == same_[b] || same_[b] == same_[c] || same_[c] == same_[a];
    };
    Spots points, needles;
    const double smallest = 1e-14 * report_.diagonal * report_.diagonal;
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      if (collapsed(t)) {
        points.add(middle(t));
      } else if (!(area(t).norm() > smallest)) {
        needles.add(middle(t));
      }
    }
    if (needles.count > 0) {
      add(Kind::Degenerate, needles, false,
          fmt::format("{} {} no area, {} (kept: removing them would open the surface)", needles.count,
                      plural(needles.count, "triangle has", "triangles have"), near_text(needles.first())));
    }
    if (points.count == 0) return;
    filter([&](size_t t) { return !collapsed(t); });
    add(Kind::Degenerate, points, true,
        fmt::format("{} {} to a line or point, {}{}", points.count, plural(points.count, "triangle has shrunk", "triangles have shrunk"),
                    near_text(points.first()), done("removed", "removes them")));
  }

  void drop_doubled_faces() {
    const DoubledFaces doubled = find_doubled_faces(mesh_.triangles, same_);
    if (doubled.count == 0) return;
    Spots places;
    places.add(middle(doubled.example));
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      if (!doubled.keep[t]) places.add(middle(t));
    }
    places.count = doubled.count;
    filter([&](size_t t) { return doubled.keep[t] != 0; });
    add(Kind::DoubledFaces, places, true,
        fmt::format("{} {} the corners of another one, {}{}", doubled.count, plural(doubled.count, "triangle has", "triangles have"),
                    near_text(places.first()), done("removed", "removes them")));
  }

  void turn_flipped() {
    uses_ = sorted_edge_uses(mesh_.triangles, same_);
    shells_ = find_shells(uses_, mesh_.triangles.size());
    Spots flipped, one_sided, crowded;
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      if (!shells_.turn[t]) continue;
      flipped.add(middle(t));
      std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
    }
    std::vector<bool> seen(shells_.count(), false);
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const auto shell = static_cast<size_t>(shells_.shell_of[t]);
      if (shells_.one_sided[shell] && !seen[shell]) seen[shell] = true, one_sided.add(middle(t));
    }
    for_each_edge(uses_, [&](const EdgeUse* use, size_t count) {
      if (count > 2) crowded.add(0.5 * (mesh_.positions[use->low] + mesh_.positions[use->high]));
    });
    if (crowded.count > 0) {
      add(Kind::NonManifoldEdges, crowded, false,
          fmt::format("{} {} more than two triangles, {} (left as is)", crowded.count, plural(crowded.count, "edge has", "edges have"),
                      near_text(crowded.first())));
    }
    if (flipped.count > 0) {
      add(Kind::FlippedFaces, flipped, true,
          fmt::format("{} {} against the neighbours, {}{}", flipped.count, plural(flipped.count, "triangle faces", "triangles face"),
                      near_text(flipped.first()), done("turned", "turns them")));
      uses_ = sorted_edge_uses(mesh_.triangles, same_);
    }
    if (one_sided.count > 0) {
      add(Kind::OneSided, one_sided, false,
          fmt::format("{} {} one side only (as a Moebius strip), {}: no orientation is right", one_sided.count,
                      plural(one_sided.count, "shell has", "shells have"), near_text(one_sided.first())));
    }
  }

  struct Hole {
    size_t edges = 0;
    double width = 0;
    Vec3 place = Vec3::Zero();
    bool filled = false;
    std::vector<Vec3> rim;  // some of it
  };

  /// One of the triangles around each vertex.
  std::vector<int> triangles_at_vertices() const {
    std::vector<int> around(mesh_.positions.size(), 0);
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      for (const int v : mesh_.triangles[t]) around[v] = around[same_[v]] = static_cast<int>(t);
    }
    return around;
  }

  void fill_holes() {
    std::vector<Hole> holes;
    double effort = kHoleEffort;
    report_.open_edges = 0;
    std::fill(shells_.open.begin(), shells_.open.end(), false);
    std::vector<int> faces(shells_.count(), 0);
    for (const int shell : shells_.shell_of) ++faces[shell];
    const std::vector<int> around = triangles_at_vertices();
    for (const Loop& loop : open_loops(uses_, shells_.shell_of, mesh_.positions.size())) {
      Hole hole;
      Bounds bounds;
      for (const int v : loop.vertices) bounds.add(mesh_.positions[v]);
      for (size_t i = 0; i < loop.vertices.size(); i += loop.vertices.size() / kPlacesListed + 1)
        hole.rim.push_back(mesh_.positions[loop.vertices[i]]);
      hole.edges = loop.vertices.size() - (loop.closed ? 0 : 1);
      hole.width = bounds.diagonal(), hole.place = 0.5 * (bounds.low + bounds.high);
      // Around a lone triangle there is nothing to close.
      if (loop.closed && faces[loop.shell] > 1 && hole.edges <= static_cast<size_t>(settings_.most_hole_edges) &&
          hole.width <= settings_.largest_hole * report_.diagonal) {
        for (const Triangle& triangle : fill_loop(mesh_.positions, loop.vertices, effort)) {
          add_triangle(triangle, mesh_, around[triangle[0]], mesh_);
          shells_.shell_of.push_back(loop.shell);
          hole.filled = true;
        }
      }
      if (!hole.filled) report_.open_edges += hole.edges, shells_.open[loop.shell] = true;
      holes.push_back(hole);
    }
    report_holes(holes);
  }

  void report_holes(std::vector<Hole>& holes) {
    std::stable_sort(holes.begin(), holes.end(), [](const Hole& a, const Hole& b) { return a.width > b.width; });
    const size_t listed = std::min(holes.size(), kHolesListed);
    for (size_t i = 0; i < listed; ++i) {
      const Hole& hole = holes[i];
      add(Kind::Hole, 1, hole.place, hole.filled,
          fmt::format("a hole of {} edges, {:.4g} m wide, {}{}", hole.edges, hole.width, near_text(hole.place),
                      hole.filled ? done("filled", "fills it") : " (left open)"));
      report_.findings.back().places = hole.rim;
    }
    if (listed == holes.size()) return;
    size_t filled = 0;
    Spots places;
    for (size_t i = listed; i < holes.size(); ++i) filled += holes[i].filled, places.add(holes[i].place);
    const size_t rest = places.count;
    add(Kind::Hole, places, filled == rest,
        fmt::format("{} smaller {}{}", rest, plural(rest, "hole", "holes"),
                    filled == rest ? done("filled", "fills them") : fmt::format(", {} of them too bent to fill", rest - filled)));
  }

  void turn_outward() {
    const std::vector<char> inward = inward_shells(mesh_, shells_);
    Spots turned;
    std::vector<char> seen = inward;
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const int shell = shells_.shell_of[t];
      if (seen[shell]) turned.add(middle(t)), seen[shell] = 0;
      if (inward[shell]) std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
    }
    face_normals_outward(mesh_);
    if (turned.count == 0) return;
    add(Kind::InsideOut, turned, true,
        fmt::format("{} {} inside out, {}{}", turned.count, plural(turned.count, "shell is", "shells are"), near_text(turned.first()),
                    done("turned", "turns them")));
  }

  void report_tiny_shells() {
    std::vector<Bounds> bounds(shells_.count());
    std::vector<double> areas(shells_.count(), 0.0);
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      for (const int v : mesh_.triangles[t]) bounds[shells_.shell_of[t]].add(mesh_.positions[v]);
      areas[shells_.shell_of[t]] += area(t).norm();
    }
    report_.shells = bounds.size();
    Spots tiny;
    std::vector<bool> is_tiny(bounds.size(), false);
    double all_area = 0, tiny_area = 0;
    for (size_t s = 0; s < bounds.size(); ++s) {
      all_area += areas[s];
      if (!(bounds[s].diagonal() < settings_.tiny_shell * report_.diagonal)) continue;
      tiny.add(0.5 * (bounds[s].low + bounds[s].high));
      is_tiny[s] = true, tiny_area += areas[s];
    }
    if (tiny.count == 0) return;
    const bool drop = settings_.drop_tiny && tiny_area <= kTinyArea * all_area;
    if (drop) drop_shells(is_tiny);
    add(Kind::TinyShells, tiny, drop,
        fmt::format("{} loose {} smaller than {:.3g} m, {}{}", tiny.count, plural(tiny.count, "shell is", "shells are"),
                    settings_.tiny_shell * report_.diagonal, near_text(tiny.first()), drop ? done("removed", "removes them") : " (kept)"));
  }

  void drop_shells(const std::vector<bool>& dropped) {
    std::vector<char> keep(mesh_.triangles.size(), 1);
    for (size_t t = 0; t < keep.size(); ++t) {
      if (!dropped[shells_.shell_of[t]]) continue;
      keep[t] = 0;
      for (const int v : mesh_.triangles[t]) bad_[v] = true;  // told of already, not to be told of as unused
    }
    filter([&](size_t t) { return keep[t] != 0; });
  }

  void drop_unused() {
    std::vector<bool> used(mesh_.positions.size(), false);
    for (const Triangle& t : mesh_.triangles) {
      for (const int v : t) used[v] = true;
    }
    Spots unused;
    for (size_t v = 0; v < used.size(); ++v) {
      if (used[v]) {
        report_.kept.push_back(static_cast<int>(v));
      } else if (!bad_[v] && same_[v] == static_cast<int>(v)) {
        unused.add(mesh_.positions[v]);  // those merged or not finite have been reported already
      }
    }
    keep_vertices(report_.kept, mesh_);
    if (unused.count == 0) return;
    add(Kind::UnusedVertices, unused, true,
        fmt::format("{} {} to no triangle, {}{}", unused.count, plural(unused.count, "vertex belongs", "vertices belong"), near_text(unused.first()),
                    done("removed", "removes them")));
  }

  void report_size() {
    report_.volume = signed_volume(mesh_.positions, mesh_.triangles);
    const double diagonal = report_.diagonal;
    const Vec3 place = mesh_.triangles.empty() ? Vec3(Vec3::Zero()) : middle(0);
    if (mesh_.triangles.empty()) add(Kind::Empty, 1, place, false, "the mesh has no usable triangle");
    // An open sheet with a bend may have no volume and still carry a body around it.
    const bool hollow = report_.closed() && !(std::abs(report_.volume) > 1e-9 * diagonal * diagonal * diagonal);
    if (!mesh_.triangles.empty() && (hollow || is_planar(mesh_, diagonal))) {
      add(Kind::Flat, 1, place, false,
          fmt::format("the mesh is flat ({:.4g} x {:.4g} x {:.4g} m with no volume): give it a thickness", size_.x(), size_.y(), size_.z()));
    }
    if (diagonal > 1000) {
      add(Kind::Units, 1, place, false,
          fmt::format("the mesh is {:.4g} m across: if it was drawn in millimetres (--unit mm) it is {:.4g} m, in centimetres (--unit cm) {:.4g} m",
                      diagonal, 0.001 * diagonal, 0.01 * diagonal));
    } else if (diagonal < 0.001) {
      add(Kind::Units, 1, place, false,
          fmt::format("the mesh is only {:.4g} m across: if it was drawn in kilometres (--unit km) it is {:.4g} m", diagonal, 1000 * diagonal));
    }
  }

  TriMesh& mesh_;
  const RepairSettings& settings_;
  const bool repairing_;
  MeshReport report_;
  Vec3 size_ = Vec3::Zero();
  std::vector<bool> bad_;      // #vertices: not finite
  std::vector<int> same_;      // #vertices: the first vertex in the same place
  std::vector<EdgeUse> uses_;  // of the triangles before holes are filled
  Shells shells_;
};

}  // namespace

const MeshFinding* MeshReport::find(MeshFinding::Kind kind) const {
  for (const MeshFinding& finding : findings) {
    if (finding.kind == kind) return &finding;
  }
  return nullptr;
}

const MeshFinding* MeshReport::hopeless() const {
  const MeshFinding* empty = find(Kind::Empty);
  return empty ? empty : find(Kind::Flat);
}

MeshReport repair(TriMesh& mesh, const RepairSettings& settings) {
  return Doctor(mesh, settings, true).run();
}

MeshReport examine(const TriMesh& mesh, const RepairSettings& settings) {
  TriMesh copy = mesh;
  return Doctor(copy, settings, false).run();
}

}  // namespace crumple
