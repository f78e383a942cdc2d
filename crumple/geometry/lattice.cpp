#include "crumple/geometry/lattice.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/core/timer.h"
#include "crumple/geometry/bvh.h"
#include "crumple/geometry/inflate.h"
#include "crumple/geometry/mesh_topology.h"
#include "crumple/geometry/stuffing.h"
#include "crumple/geometry/tet_quality.h"
#include "crumple/geometry/thickness.h"
#include "crumple/geometry/winding.h"

namespace crumple {
namespace {

constexpr double kMaxPoints = 6e6;  // of the lattice: about 36 million tetrahedra before trimming
constexpr int kMargin = 3;           // cells around the surface, so that growing never reaches the end of the lattice
constexpr double kBand = 2.5;        // cells: distances beyond are not measured
constexpr double kTolerance = 0.01;  // cells: a surface vertex outside by less counts as inside
constexpr int kGrowRounds = 14;      // by distance; later rounds fill whole tetrahedra, which always succeeds
constexpr int kFillRounds = 24;      // rounds up to this fill them halfway only
constexpr double kLateSlack = 0.1;   // cells that a point may stay outside then
constexpr int kInflatePasses = 6;
constexpr double kGrowStep = 0.1;    // cells, more in each round
constexpr double kGrowReach = 0.75;  // cells around the point
constexpr double kThinning = 0.15;   // cells: points nearer to each other are looked at once first
constexpr int kMaxRounds = 40;
constexpr size_t kMaxSamples = 200000;  // of the surface, beside its vertices
constexpr size_t kMaxThicknessSamples = 8000;

Result<void> check_lattice(const LatticeSettings& settings) {
  if (!std::isfinite(settings.cell_size) || settings.cell_size < 0)
    return input_error("cell size must be a positive number of metres (or 0: use the number of cells)");
  if (settings.cell_size == 0 && (settings.cells < 2 || settings.cells > 1000)) {
    return input_error(fmt::format("{} cells along the longest side: give 2 to 1000", settings.cells));
  }
  if (!(settings.thin_allowed >= 0)) return input_error("the share of thin parts allowed must be 0 or more");
  return {};
}

Result<void> check_surface(const TriMesh& surface, const MeshReport& report) {
  if (surface.triangles.empty()) return input_error("the surface has no usable triangle: nothing to fill with tetrahedra");
  for (const MeshFinding::Kind fatal :
       {MeshFinding::Kind::NotFinite, MeshFinding::Kind::BadIndex, MeshFinding::Kind::Empty, MeshFinding::Kind::Flat}) {
    const MeshFinding* finding = report.find(fatal);
    if (finding && !finding->repaired) return input_error("the surface cannot be filled with tetrahedra: " + finding->text);
  }
  return {};
}

Result<BccLattice> make_lattice(const TriMesh& surface, const LatticeSettings& settings) {
  Bounds bounds;
  for (const Triangle& triangle : surface.triangles) {
    for (const int v : triangle) bounds.add(surface.positions[v]);
  }
  const Vec3 size = bounds.high - bounds.low;
  BccLattice lattice;
  lattice.cell = settings.cell_size > 0 ? settings.cell_size : size.maxCoeff() / settings.cells;
  double points = 2;
  for (int axis = 0; axis < 3; ++axis) points *= std::ceil(size[axis] / lattice.cell) + 2 * kMargin;
  if (!(points < kMaxPoints)) {
    return input_error(
        fmt::format("cells of {:.4g} m in a surface of {:.4g} x {:.4g} x {:.4g} m need {:.2g} lattice points, more than {:.2g}: use larger cells",
                    lattice.cell, size.x(), size.y(), size.z(), points, kMaxPoints));
  }
  for (int axis = 0; axis < 3; ++axis) lattice.cells[axis] = static_cast<int>(std::ceil(size[axis] / lattice.cell)) + 2 * kMargin;
  // Half a cell off the box's corner: flat sides then lie between layers of lattice points, not on them by the last digit.
  const Vec3 room = lattice.cell * Vec3(lattice.cells[0], lattice.cells[1], lattice.cells[2]) - size;
  lattice.origin = bounds.low - 0.5 * room;
  return lattice;
}

/// Positive inside, about the distance to the surface near it.
std::vector<double> sample_values(const BccLattice& lattice, const TriangleTree& tree, const WindingTree& winding) {
  std::vector<double> values(static_cast<size_t>(lattice.size()));
  const double band = kBand * lattice.cell;
  parallel_for(values.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3 point = lattice.position(static_cast<int>(i));
      const double distance = std::min(tree.closest(point, band).distance, band);
      values[i] = winding.inside(point) ? distance : -distance;
    }
  });
  return values;
}

/// Grows the values until the body encloses its surface and its boundary is a manifold.
class Grower {
 public:
  Grower(const BccLattice& lattice, std::vector<double> values, std::vector<Vec3> points)
      : lattice_(lattice), values_(std::move(values)), lift_(values_.size(), 0.0), points_(std::move(points)) {
    // One point in each small place will do until the last rounds.
    const std::vector<int> first = first_in_place(points_, kThinning * lattice.cell, std::vector<bool>(points_.size(), false));
    for (size_t i = 0; i < points_.size(); ++i) {
      if (first[i] == static_cast<int>(i)) active_.push_back(points_[i]);
    }
    for (int p = 0; p < lattice_.size(); ++p) {
      if (on_rim(p)) values_[p] = -kBand * lattice_.cell;
    }
  }

  /// False if the last round still had something to mend (never seen; the caller refuses).
  bool run(bool enclose, int& rounds) {
    for (rounds = 1; rounds <= kMaxRounds; ++rounds) {
      stuffing_ = stuff(lattice_, values_);
      if (!mend_touching()) continue;
      if (!enclose || grow(rounds)) return true;
    }
    return false;
  }
  Stuffing take() { return std::move(stuffing_); }

 private:
  bool on_rim(int point) const {
    const std::array<int, 3> at = lattice_.halves(point);
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] <= 1 || at[axis] >= 2 * lattice_.cells[axis] - 1) return true;
    }
    return false;
  }

  /// Where two sides of a narrow gap moved onto one lattice point, the gap is filled there.
  bool mend_touching() {
    const std::vector<int> bad = non_manifold_vertices(stuffing_.boundary);
    for (const int v : bad) {
      const int point = stuffing_.lattice_point[v];
      // A cut lies inside an edge and always has a whole fan; only lattice points can touch.
      if (point < 0 || on_rim(point)) continue;
      values_[point] = values_[point] > 0 ? 4 * values_[point] : 0.5 * lattice_.cell;
    }
    return bad.empty();
  }

  /// True if all points are inside, after moving the boundary to those that nearly are. Points found inside are not asked again until
  /// all are: growing seldom loses one.
  bool grow(int round) {
    Inflater inflater(stuffing_.mesh, stuffing_.boundary, lattice_.cell, slack());
    std::vector<Vec3> outside = inflater.run(active_, kInflatePasses);
    if (outside.empty()) outside = inflater.run(points_, kInflatePasses);
    if (round > kGrowRounds) forget_near(outside);
    if (outside.empty()) return true;
    std::fill(lift_.begin(), lift_.end(), 0.0);
    for (const Vec3& point : outside) {
      if (round > kGrowRounds)
        fill_around(point, round > kFillRounds ? 1e3 : 0.3);
      else
        lift_around(point, kGrowStep * (1 + 0.5 * round) * lattice_.cell);
    }
    for (size_t p = 0; p < values_.size(); ++p) {
      if (lift_[p] > 0) values_[p] += lift_[p];
    }
    return false;
  }
  double slack() const { return 0.5 * kTolerance * lattice_.cell; }
  /// The few points that no round could reach may stay a little outside: filling tetrahedra for them makes lumps.
  void forget_near(std::vector<Vec3>& outside) const {
    const std::vector<TriangleTree::Hit> hits = OutsideTest(stuffing_.mesh.positions, stuffing_.boundary).look(outside);
    size_t kept = 0;
    for (size_t i = 0; i < outside.size(); ++i) {
      if (hits[i].distance > kLateSlack * lattice_.cell) outside[kept++] = outside[i];
    }
    outside.resize(kept);
  }

  template <class Visit>
  void visit_near(const Vec3& place, double radius, const Visit& visit) {
    const Vec3 at = (place - lattice_.origin) * (2 / lattice_.cell);
    const double reach = 2 * radius / lattice_.cell;
    std::array<int, 3> from{}, to{};
    for (int axis = 0; axis < 3; ++axis) {
      from[axis] = std::max(2, static_cast<int>(std::ceil(at[axis] - reach)));
      to[axis] = std::min(2 * lattice_.cells[axis] - 2, static_cast<int>(std::floor(at[axis] + reach)));
    }
    for (int z = from[2]; z <= to[2]; ++z) {
      for (int y = from[1]; y <= to[1]; ++y) {
        for (int x = from[0]; x <= to[0]; ++x) {
          const bool in_lattice = (x - y) % 2 == 0 && (y - z) % 2 == 0;
          if (in_lattice && (Vec3(x, y, z) - at).squaredNorm() <= reach * reach) visit(lattice_.at({x, y, z}));
        }
      }
    }
  }

  void lift_around(const Vec3& place, double amount) {
    visit_near(place, kGrowReach * lattice_.cell, [&](int point) { lift_[point] = std::max(lift_[point], amount); });
  }
  /// All corners of the lattice's tetrahedron around a place lie within a cell of it: with all of them far inside it is kept whole.
  void fill_around(const Vec3& place, double cells) {
    visit_near(place, lattice_.cell, [&](int point) { values_[point] = std::max(values_[point], cells * lattice_.cell); });
  }

  const BccLattice& lattice_;
  std::vector<double> values_, lift_;  // #lattice points
  std::vector<Vec3> points_;           // to be enclosed
  std::vector<Vec3> active_;           // those not yet seen inside
  Stuffing stuffing_;
};

Result<void> check_thickness(const TriMesh& surface, const WindingTree& winding, double cell, double allowed, LatticeReport& report) {
  const std::vector<SurfaceSample> all = sample_surface(surface, 0.5 * cell, kMaxThicknessSamples);
  std::vector<SurfaceSample> samples;
  const size_t stride = all.size() / kMaxThicknessSamples + 1;
  for (size_t i = 0; i < all.size(); i += stride) samples.push_back(all[i]);
  const Thickness thickness = measure_thickness(winding, samples, cell, allowed);
  report.thin_share = thickness.thin_share;
  if (thickness.thin_share > 0) report.thinnest = thickness.thinnest, report.thinnest_at = thickness.thinnest_at;
  if (thickness.needed >= cell) return {};
  const Vec3& at = thickness.thinnest_at;
  return input_error(
      fmt::format("{:.0f} per cent of the surface is thinner than a cell of {:.4g} m (thinnest {:.4g} m near {:.4g} {:.4g} {:.4g}): "
                  "use a cell size of {:.4g} m or less",
                  100 * thickness.thin_share, cell, thickness.thinnest, at.x(), at.y(), at.z(), 0.98 * thickness.needed));
}

/// Positions of vertices that a triangle uses.
std::vector<Vec3> used_positions(const TriMesh& surface) {
  std::vector<bool> used(surface.positions.size(), false);
  for (const Triangle& triangle : surface.triangles) {
    for (const int v : triangle) used[v] = true;
  }
  std::vector<Vec3> points;
  for (size_t v = 0; v < used.size(); ++v) {
    if (used[v]) points.push_back(surface.positions[v]);
  }
  return points;
}

std::vector<Vec3> points_to_enclose(const TriMesh& surface, double cell) {
  std::vector<Vec3> points = used_positions(surface);
  // Triangles smaller than the spacing of samples are held by their corners.
  const double spacing = 0.5 * cell;
  TriMesh large;
  large.positions = surface.positions;
  for (const Triangle& t : surface.triangles) {
    const Vec3 &a = surface.positions[t[0]], &b = surface.positions[t[1]], &c = surface.positions[t[2]];
    if (std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()}) > spacing) large.triangles.push_back(t);
  }
  for (const SurfaceSample& sample : sample_surface(large, spacing, kMaxSamples)) points.push_back(sample.point);
  return points;
}

void measure(const TetMesh& mesh, const std::vector<Triangle>& boundary, const TriMesh& surface, LatticeReport& report) {
  report.tets = mesh.tets.size(), report.vertices = mesh.positions.size();
  const DihedralRange angles = dihedral_range(mesh);
  report.smallest_angle = angles.smallest, report.largest_angle = angles.largest;
  report.volume = total_volume(mesh);
  report.surface_volume = signed_volume(surface.positions, surface.triangles);
  report.volume_error = report.surface_volume != 0 ? (report.volume - report.surface_volume) / std::abs(report.surface_volume) : 0;
  report.parts = connected_parts(mesh);
  const std::vector<TriangleTree::Hit> hits = OutsideTest(mesh.positions, boundary).look(used_positions(surface));
  size_t enclosed = 0;
  for (const TriangleTree::Hit& hit : hits) {
    enclosed += hit.distance <= kTolerance * report.cell_size;
    report.farthest_outside = std::max(report.farthest_outside, hit.distance);
  }
  report.enclosed = hits.empty() ? 1 : static_cast<double>(enclosed) / static_cast<double>(hits.size());
}

}  // namespace

Result<TetMesh> fill_with_tets(const TriMesh& given, const LatticeSettings& settings, LatticeReport& report) {
  report = {};
  if (const Result<void> good = check_lattice(settings); !good) return good.error();
  TriMesh surface = given;
  {
    const WallTimer timer(report.seconds.repair);
    report.surface = settings.repair ? repair(surface) : examine(surface);
  }
  if (const Result<void> good = check_surface(surface, report.surface); !good) return good.error();
  const Result<BccLattice> lattice = make_lattice(surface, settings);
  if (!lattice) return lattice.error();
  report.cell_size = lattice->cell;
  const TriangleTree tree(surface.positions, surface.triangles);
  const WindingTree winding(surface.positions, surface.triangles);
  {
    const WallTimer timer(report.seconds.thickness);
    const Result<void> good = check_thickness(surface, winding, lattice->cell, settings.thin_allowed, report);
    if (!good) return good.error();
  }
  std::vector<double> values;
  {
    const WallTimer timer(report.seconds.sample);
    values = sample_values(*lattice, tree, winding);
  }
  Stuffing stuffing;
  {
    const WallTimer timer(report.seconds.stuff);
    Grower grower(*lattice, std::move(values), points_to_enclose(surface, lattice->cell));
    if (!grower.run(settings.enclose, report.rounds)) {
      return input_error(fmt::format("no body of tetrahedra encloses this surface at a cell size of {:.4g} m: use smaller cells", lattice->cell));
    }
    stuffing = grower.take();
  }
  if (stuffing.mesh.tets.empty())
    return input_error(fmt::format("nothing of the surface's inside is seen at a cell size of {:.4g} m: use smaller cells", lattice->cell));
  const WallTimer timer(report.seconds.measure);
  measure(stuffing.mesh, stuffing.boundary, surface, report);
  return std::move(stuffing.mesh);
}

}  // namespace crumple
