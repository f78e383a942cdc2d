#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/bench.h"
#include "crumple/geometry/refine.h"
#include "crumple/methods/dents/print.h"
#include "crumple/methods/dents/sheet.h"

namespace crumple::bench {
namespace {

using namespace dents;

std::vector<Vec3f> points_of(const TriMesh& mesh, const Vec3& at) {
  std::vector<Vec3f> points;
  for (const Vec3& p : mesh.positions) points.push_back((p + at).cast<float>());
  return points;
}

/// Every Gaussian at every cell.
Map brute_force(const Grid& grid, const Map& map, double sigma) {
  Map result(map.size(), 0.0);
  const double c = 0.5 / (sigma * sigma) * grid.cell * grid.cell;
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) {
      double most = 0;
      for (int l = 0; l < grid.ny; ++l) {
        for (int k = 0; k < grid.nx; ++k) most = std::max(most, map[grid.at(k, l)] * std::exp(-c * ((i - k) * (i - k) + (j - l) * (j - l))));
      }
      result[grid.at(i, j)] = most;
    }
  }
  return result;
}

}  // namespace

/// The parts of paper 3's table 1 by the size of the map, and whole dents on a target of 34,000 triangles.
Result<Json> run_dents(const Request&) {
  TriMesh ball = refined(make_sphere(0.1), 0.006);
  for (Vec3& p : ball.positions) p *= 0.1 / p.norm();
  const TriMesh plate = refined(make_box(Vec3(1.4, 0.2, 1.4)), 0.0125, 60000);
  const std::vector<Vec3f> plate_points = points_of(plate, Vec3(0, -0.1, 0)), ball_points = points_of(ball, Vec3(0, 0.1, 0));
  const std::vector<SurfaceNow> target = {{plate_points, plate.triangles}}, projectile = {{ball_points, ball.triangles}};
  const PressFrame frame = press_frame(Vec3::Zero(), -Vec3::UnitY(), -Vec3::UnitY(), 1);
  const Contour contour = find_contour(frame, target, projectile);
  const double depth = 0.025, sigma = 0.006;

  Json json = Json::object({{"target_triangles", plate.triangles.size()}, {"projectile_triangles", ball.triangles.size()}});
  std::vector<Vec3> pressed;
  for (const Vec3f& p : ball_points) pressed.push_back(frame.to_press(p.cast<double>()));
  for (const int n : {25, 50, 100, 200, 400}) {
    const Grid grid = grid_over(-0.11, 0.11, -0.11, 0.11, 0.22 / n, n);
    Map punch;
    const double zbuffer = least_seconds(5, [&] { punch.assign(grid.size(), kNone), rasterise(grid, pressed, ball.triangles, Keep::Most, Facing::Any, -1e299, punch); });
    Map profile(grid.size());
    for (size_t i = 0; i < profile.size(); ++i) profile[i] = punch[i] == kNone ? 0 : std::max(0.0, punch[i] + depth);
    Map broad;
    const double broaden = least_seconds(5, [&] { broad = gauss_envelope(grid, profile, sigma); });
    const double smooth = least_seconds(3, [&] {
      Map map = broad;
      spread_heat(grid, map, 0.5 * sigma, false), spread_heat(grid, map, 0.5 * sigma, true);
    });
    const std::string name = fmt::format("grid_{}", n);
    json[name] = Json::object({{"zbuffer_s", zbuffer}, {"broaden_s", broaden}, {"smooth_s", smooth}});
    if (n == 100) json["broaden_over_bruteforce"] = least_seconds(1, [&] { broad = brute_force(grid, profile, sigma); }) / broaden;
  }
  PrintSettings settings;
  settings.cells = 100;
  Print print;
  json["dent_at_100_s"] = least_seconds(5, [&] { print = make_print(find_contour(frame, target, projectile), target, projectile, depth, 1, settings); });
  settings.cells = 400;
  json["dent_s"] = least_seconds(5, [&] { print = make_print(find_contour(frame, target, projectile), target, projectile, depth, 1, settings); });
  const double whole = least_seconds(3, [&] {
    print = make_print(find_contour(frame, target, projectile), target, projectile, depth, 1, settings);
    double sum = 0;
    for (const Vec3f& p : plate_points) sum += print.move(p.cast<double>()).norm();
    if (!(sum > 0)) std::abort();
  });
  json["dents_per_s"] = 1 / whole;
  return json;
}

}  // namespace crumple::bench
