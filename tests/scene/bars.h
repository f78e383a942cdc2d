#pragma once

#include "crumple/geometry/cells.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/score.h"
#include "tests/scene/scenes.h"
#include "tests/shapes.h"

namespace crumple {

inline constexpr double kDensity = 100;   // kg/m^3
inline constexpr double kArea = 0.25;     // m^2: the bar of tests/shapes.h is 2 x 0.5 x 0.5 m
inline constexpr double kBarMass = 50;    // kg

/// Bars in files: whole, in two halves, in four quarters, in eight Voronoi cells.
class BarTest : public testing::Test {
 protected:
  BarTest() : folder_(testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  std::string bar(int cells, const std::vector<CutPlane>& planes) {
    Asset asset = read(write(bar_asset(cells)));
    if (!planes.empty()) score(asset, cells_between_planes(planes, bounds_of(asset.tets.positions)));
    return write(asset);
  }
  std::string halves(int cells = 3) { return bar(cells, {{Vec3::UnitX(), 0.0}}); }
  std::string quarters(int cells = 3) { return bar(cells, {{Vec3::UnitX(), 0.0}, {Vec3::UnitX(), 0.47}, {Vec3::UnitX(), -0.51}}); }
  std::string shards() {
    Asset asset = read(write(bar_asset(3)));
    const std::vector<Vec3> seeds = {{-0.9, 0.1, 0}, {-0.6, -0.1, 0.1}, {-0.3, 0.15, -0.1}, {0, -0.1, 0}, {0.2, 0.1, 0.15}, {0.4, -0.15, -0.1}, {0.7, 0.1, 0}, {0.9, -0.1, 0.1}};
    score(asset, voronoi_cells(seeds, bounds_of(asset.tets.positions)));
    return write(asset);
  }

  Scene scene(const std::string& asset, const std::string& inside) {
    const std::string text = R"({"crumple": 1, "gravity": [0, 0, 0], "assets": {"bar": ")" + asset + R"("}, )" + inside + "}";
    Result<Scene> parsed = parse_scene(text, folder_ / "scene.json");
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text);
    return parsed ? *parsed : Scene{};
  }
  /// A ball flies into the end of the bar, along its axis.
  Scene shot(const std::string& asset, double strength, int substeps, double ball_mass = 5, double speed = 10) {
    return scene(asset, fmt::format(R"("substeps": {}, "seconds": 1, "bodies": [
      {{"name": "bar", "asset": "bar", "density": {}, "material": {{"restitution": 0}}, "pieces": {{"strength": {}, "settle": 0}}}},
      {{"name": "ball", "sphere": 0.2, "at": [-1.6, 0, 0], "mass": {}, "velocity": [{}, 0, 0], "material": {{"restitution": 0}}}}])",
                                    substeps, kDensity, strength, ball_mass, speed));
  }
  ScratchFolder folder_;

 private:
  void score(Asset& asset, const std::vector<ConvexCell>& cells) {
    Result<ScoreReport> report = score_asset(asset, cells);
    ASSERT_TRUE(report) << report.error().text;
  }
  std::string write(const Asset& asset) {
    const std::filesystem::path file = folder_ / fmt::format("bar{}.glb", written_++);
    Result<void> done = io::write_asset(asset, file);
    EXPECT_TRUE(done) << (done ? "" : done.error().text);
    return file.string();
  }
  /// As artists do it: what is scored has been in a file, in single precision.
  Asset read(const std::string& file) {
    Result<Asset> asset = io::read_asset(file);
    EXPECT_TRUE(asset) << (asset ? "" : asset.error().text);
    return asset ? std::move(*asset) : Asset{};
  }
  int written_ = 0;
};

struct BarMomentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double mass = 0;
};

/// Of all dynamic bodies, about the origin.
inline BarMomentum momentum_of(const World& world) {
  BarMomentum sum;
  for (size_t b = 0; b < world.bodies().size(); ++b) {
    const Body& body = world.bodies()[b];
    if (body.description->motion != rigid::Motion::Dynamic) continue;
    for (size_t p = 0; p < body.parts.size(); ++p) {
      const Part& part = body.parts[p];
      const rigid::PartState state = world.part_state(static_cast<int>(b), static_cast<int>(p));
      const Mat3& axes = state.place.rotation;
      sum.mass += part.mass;
      sum.linear += part.mass * state.velocity;
      sum.angular += state.place.translation.cross(part.mass * state.velocity) + axes * part.inertia.cwiseProduct(axes.transpose() * state.spin);
    }
  }
  return sum;
}

}  // namespace crumple
