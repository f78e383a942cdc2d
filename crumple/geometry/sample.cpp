#include "crumple/geometry/sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "crumple/core/random.h"
#include "crumple/geometry/bvh.h"
#include "crumple/geometry/doctor.h"
#include "crumple/geometry/point_grid.h"
#include "crumple/geometry/winding.h"

namespace crumple {
namespace {

constexpr double kInset = 1e-3;         // spacings: the layer on the surface lies inside by this much
constexpr double kDarts = 14;           // thrown at each square of the spacing: nearly no room is left
constexpr double kSurfaceFill = 0.605;  // points that fit on a square of the spacing, and into a cube of it: measured
constexpr double kInnerFill = 0.576;
constexpr double kBccCell = 1.1547005383792515;  // 2 / sqrt(3): the cube's side over the distance to its middle

Result<void> check_sampling(const SampleSettings& settings) {
  if (!std::isfinite(settings.spacing) || !(settings.spacing > 0))
    return input_error(fmt::format("a spacing of {} m between points: give a length above 0", settings.spacing));
  if (settings.attempts < 1 || settings.attempts > 1000)
    return input_error(fmt::format("{} attempts around each point: give 1 to 1000", settings.attempts));
  if (settings.most_points < 1 || settings.most_points > 50000000) return input_error("the most points that may be made: give 1 to 50000000");
  return {};
}

/// A surface and what the doctor said of it.
struct Prepared {
  TriMesh surface;
  bool closed = false;
};

/// A copy that the rest can rely on.
Result<Prepared> prepare(const TriMesh& given, const SampleSettings& settings, bool needs_volume) {
  if (const Result<void> good = check_sampling(settings); !good) return good.error();
  TriMesh surface = given;
  const MeshReport report = settings.repair ? repair(surface) : examine(surface);
  if (surface.triangles.empty()) return input_error("the surface has no usable triangle: nothing to put points in");
  for (const MeshFinding::Kind fatal :
       {MeshFinding::Kind::NotFinite, MeshFinding::Kind::BadIndex, MeshFinding::Kind::Empty, MeshFinding::Kind::Flat}) {
    if (fatal == MeshFinding::Kind::Flat && !needs_volume) continue;
    const MeshFinding* finding = report.find(fatal);
    if (finding && !finding->repaired) return input_error("the surface cannot be sampled: " + finding->text);
  }
  return Prepared{std::move(surface), report.closed()};
}

Bounds bounds_of_triangles(const TriMesh& surface) {
  Bounds box;
  for (const Triangle& triangle : surface.triangles) {
    for (const int v : triangle) box.add(surface.positions[v]);
  }
  return box;
}

/// Triangles, to be drawn with a chance that is their share of the area.
class AreaTable {
 public:
  explicit AreaTable(const TriMesh& surface) : surface_(surface) {
    double sum = 0;
    for (const auto& [a, b, c] : surface.triangles) {
      sum += 0.5 * (surface.positions[b] - surface.positions[a]).cross(surface.positions[c] - surface.positions[a]).norm();
      until_.push_back(sum);
    }
  }
  double area() const { return until_.back(); }

  /// A place on the surface and the normal there.
  SurfaceSample draw(Random& random) const {
    const auto found = std::upper_bound(until_.begin(), until_.end(), random.unit() * area());
    const size_t index = std::min(static_cast<size_t>(found - until_.begin()), until_.size() - 1);
    const auto& [a, b, c] = surface_.triangles[index];
    const Vec3 u = surface_.positions[b] - surface_.positions[a], v = surface_.positions[c] - surface_.positions[a], normal = u.cross(v);
    double s = random.unit(), t = random.unit();
    if (s + t > 1) s = 1 - s, t = 1 - t;
    const double size = normal.norm();
    return {surface_.positions[a] + s * u + t * v, size > 0 ? Vec3(normal / size) : Vec3(Vec3::UnitZ()), 0};
  }

 private:
  const TriMesh& surface_;
  std::vector<double> until_;  // #triangles: area up to and with it
};

Result<void> check_count(double expected, double cells, const SampleSettings& settings) {
  if (expected > static_cast<double>(settings.most_points)) {
    return input_error(fmt::format("a spacing of {:.4g} m makes about {:.3g} points, more than the {} allowed: use a spacing of {:.4g} m or more",
                                   settings.spacing, expected, settings.most_points,
                                   settings.spacing * std::cbrt(1.05 * expected / static_cast<double>(settings.most_points))));
  }
  if (cells > PointGrid::kMaxCells) {
    return input_error(fmt::format("a spacing of {:.4g} m is too fine for a box that needs {:.3g} cells of it: use a spacing of {:.4g} m or more",
                                   settings.spacing, cells, settings.spacing * std::cbrt(1.05 * cells / PointGrid::kMaxCells)));
  }
  return {};
}

double estimated_points(double spacing, double volume, double area) {
  const double shell = 0.508 * spacing * area;  // the layer on the surface keeps others away
  return kSurfaceFill * area / (spacing * spacing) + kInnerFill * std::max(0.0, volume - shell) / (spacing * spacing * spacing);
}

/// Tells inside from outside quickly: cells that the surface does not come near are asked once, or not at all if a neighbour was.
class InsideTest {
 public:
  InsideTest(const Prepared& body, const PointGrid& grid, double cell)
      : tree_(body.surface.positions, body.surface.triangles),
        winding_(body.surface.positions, body.surface.triangles),
        closed_(body.closed),
        grid_(grid),
        reach_(0.5001 * std::sqrt(3.0) * cell),
        kinds_(grid.cells(), Unknown) {}

  bool inside(const Vec3& place) const { return winding_.inside(place); }
  bool inside(const Vec3& place, int cell) {
    if (kinds_[cell] == Unknown) kinds_[cell] = look(cell);
    return kinds_[cell] == Mixed ? winding_.inside(place) : kinds_[cell] == Inner;
  }

 private:
  enum Kind : unsigned char { Unknown, Inner, Outer, Mixed };
  Kind look(int cell) const {
    const Vec3 middle = grid_.cell_middle(cell);
    if (tree_.closest(middle, reach_).triangle >= 0) return Mixed;
    // Two balls that no triangle touches and that hold the way from middle to middle: nothing can change in between, unless there are holes.
    for (const int other : grid_.beside(cell)) {
      if (closed_ && other >= 0 && (kinds_[other] == Inner || kinds_[other] == Outer)) return kinds_[other];
    }
    const double winding = winding_.winding(middle);
    if (std::abs(winding - std::round(winding)) > 0.1) return Mixed;  // near a hole, where inside ends without a triangle
    return winding > 0.5 ? Inner : Outer;
  }
  TriangleTree tree_;
  WindingTree winding_;
  bool closed_;
  const PointGrid& grid_;
  double reach_;
  std::vector<Kind> kinds_;  // #cells
};

/// A place between one and two spacings away from another, evenly in the volume there.
Vec3 place_around(const Vec3& middle, double spacing, Random& random) {
  for (;;) {
    // One by one: compilers evaluate arguments in an order of their own.
    const double z = random.range(-2, 2);
    const double y = random.range(-2, 2);
    const double x = random.range(-2, 2);
    const Vec3 away(x, y, z);
    const double squared = away.squaredNorm();
    if (squared >= 1 && squared <= 4) return middle + spacing * away;
  }
}

/// Points that are about to fill the inside, in the order in which they were found.
class BlueNoise {
 public:
  BlueNoise(const Prepared& body, const AreaTable& areas, const Bounds& box, const SampleSettings& settings)
      : settings_(settings), areas_(areas), grid_(box, settings.spacing), test_(body, grid_, settings.spacing), random_(settings.seed) {}

  /// The layer on the surface; or, without it, points around such places, so that every part of the body gets its first ones.
  void start() {
    const double squares = areas_.area() / (settings_.spacing * settings_.spacing), darts = (settings_.hug ? kDarts : 2) * squares;
    for (double i = 0; i < darts + 100; ++i) {
      const SurfaceSample sample = areas_.draw(random_);
      const Vec3 inset = kInset * settings_.spacing * sample.normal;
      if (settings_.hug) {
        const Vec3 place = sample.point - inset;
        const int cell = grid_.cell_at(place);
        // Where shells overlap there is surface in the middle of the body: no layer there.
        if (cell >= 0 && grid_.is_free(place, cell) && test_.inside(place) && !test_.inside(sample.point + inset)) grid_.add(place, cell);
      } else {
        try_to_add(sample.point + place_around(Vec3::Zero(), 0.5 * settings_.spacing, random_));
      }
    }
  }

  /// Bridson's loop: a random active point gets neighbours until it has no room.
  void fill() {
    std::vector<int> active(grid_.points().size());
    for (size_t i = 0; i < active.size(); ++i) active[i] = static_cast<int>(i);
    while (!active.empty() && grid_.points().size() < settings_.most_points) {
      const int at = random_.below(static_cast<int>(active.size()));
      const Vec3 middle = grid_.points()[active[at]];
      bool added = false;
      for (int i = 0; i < settings_.attempts && !added; ++i) added = try_to_add(place_around(middle, settings_.spacing, random_));
      if (added) {
        active.push_back(static_cast<int>(grid_.points().size()) - 1);
      } else {
        active[at] = active.back(), active.pop_back();
      }
    }
  }
  std::vector<Vec3> take() { return grid_.take(); }

 private:
  bool try_to_add(const Vec3& place) {
    const int cell = grid_.cell_at(place);
    if (cell < 0 || !grid_.is_free(place, cell) || !test_.inside(place, cell)) return false;
    grid_.add(place, cell);
    return true;
  }

  const SampleSettings& settings_;
  const AreaTable& areas_;
  PointGrid grid_;
  InsideTest test_;
  Random random_;
};

/// The points of a cubic grid whose cells fill a box, each in the middle of its cell; the body-centred one has two in each.
std::vector<Vec3> grid_points(const Bounds& box, double step, bool centred) {
  int count[3];
  for (int k = 0; k < 3; ++k) count[k] = std::max(1, static_cast<int>(std::ceil((box.high[k] - box.low[k]) / step - 1e-6)));
  const Vec3 low = 0.5 * (box.low + box.high - step * Vec3(count[0], count[1], count[2]));
  std::vector<Vec3> points;
  for (int z = 0; z < count[2]; ++z) {
    for (int y = 0; y < count[1]; ++y) {
      for (int x = 0; x < count[0]; ++x) {
        const Vec3 corner = low + step * Vec3(x, y, z);
        if (!centred) points.push_back(corner + Vec3::Constant(0.5 * step));
        if (centred) points.insert(points.end(), {corner + Vec3::Constant(0.25 * step), corner + Vec3::Constant(0.75 * step)});
      }
    }
  }
  return points;
}

std::vector<Vec3> keep_inside(const Prepared& body, const Bounds& box, double spacing, const std::vector<Vec3>& points) {
  const PointGrid grid(box, spacing);
  InsideTest test(body, grid, spacing);
  std::vector<Vec3> kept;
  for (const Vec3& point : points) {
    const int cell = grid.cell_at(point);
    if (cell >= 0 && test.inside(point, cell)) kept.push_back(point);
  }
  return kept;
}

}  // namespace

double spacing_for(double points, double volume, double area) {
  double low = 0, high = std::sqrt(area) + std::cbrt(volume);
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (estimated_points(middle, volume, area) > points ? low : high) = middle;
  }
  return high;
}

Result<std::vector<Vec3>> sample_inside(const TriMesh& given, const SampleSettings& settings) {
  const Result<Prepared> body = prepare(given, settings, true);
  if (!body) return body.error();
  const TriMesh& surface = body->surface;
  const Bounds box = bounds_of_triangles(surface);
  const AreaTable areas(surface);
  const double volume = std::abs(signed_volume(surface.positions, surface.triangles)), spacing = settings.spacing;
  const double expected = settings.kind == SampleKind::BlueNoise ? estimated_points(spacing, volume, areas.area())
                                                                 : (settings.kind == SampleKind::Bcc ? 1.3 : 1) * volume / std::pow(spacing, 3);
  if (const Result<void> good = check_count(expected, PointGrid::cells_for(box, spacing), settings); !good) return good.error();
  std::vector<Vec3> points;
  if (settings.kind == SampleKind::BlueNoise) {
    BlueNoise noise(*body, areas, box, settings);
    noise.start();
    noise.fill();
    points = noise.take();
  } else {
    const bool centred = settings.kind == SampleKind::Bcc;
    points = keep_inside(*body, box, spacing, grid_points(box, centred ? kBccCell * spacing : spacing, centred));
  }
  if (points.empty()) return input_error(fmt::format("no point lies inside the surface at a spacing of {:.4g} m: use a smaller spacing", spacing));
  return points;
}

Result<std::vector<SurfaceSample>> sample_on(const TriMesh& given, const SampleSettings& settings) {
  const Result<Prepared> body = prepare(given, settings, false);
  if (!body) return body.error();
  const Bounds box = bounds_of_triangles(body->surface);
  const AreaTable areas(body->surface);
  const double squares = areas.area() / (settings.spacing * settings.spacing);
  if (const Result<void> good = check_count(kSurfaceFill * squares, PointGrid::cells_for(box, settings.spacing), settings); !good)
    return good.error();
  PointGrid grid(box, settings.spacing);
  Random random(settings.seed);
  std::vector<SurfaceSample> samples;
  for (double i = 0; i < kDarts * squares + 100; ++i) {
    const SurfaceSample sample = areas.draw(random);
    const int cell = grid.cell_at(sample.point);
    if (cell < 0 || !grid.is_free(sample.point, cell)) continue;
    grid.add(sample.point, cell);
    samples.push_back(sample);
  }
  for (SurfaceSample& sample : samples) sample.area = areas.area() / static_cast<double>(samples.size());
  return samples;
}

}  // namespace crumple
