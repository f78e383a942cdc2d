#include "crumple/rig/paint.h"

#include <gtest/gtest.h>

#include "assets/generator/drum.h"
#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/rigged_body.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

/// A sheet of the plane y = 0, from -1 to 1 along x and z.
TriMesh sheet(int cells) {
  TriMesh mesh;
  for (int z = 0; z <= cells; ++z) {
    for (int x = 0; x <= cells; ++x) mesh.positions.emplace_back(2.0 * x / cells - 1, 0, 2.0 * z / cells - 1);
  }
  for (int z = 0; z < cells; ++z) {
    for (int x = 0; x < cells; ++x) {
      const int a = z * (cells + 1) + x, b = a + cells + 1;
      mesh.triangles.push_back({a, b, a + 1});
      mesh.triangles.push_back({a + 1, b, b + 1});
    }
  }
  return mesh;
}

template <class Function>
PaintedMap painted(std::string name, const TriMesh& surface, const Function& factor) {
  PaintedMap map{std::move(name), {}};
  for (const Vec3& p : surface.positions) map.values.push_back(static_cast<float>(factor(p)));
  return map;
}

double slope(const Vec3& p) {
  return 3 + 1.5 * p.x() - 0.75 * p.z();
}

TEST(Paint, a_linear_function_is_carried_over_exactly) {
  const TriMesh surface = sheet(7);
  Random random(1);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.emplace_back(random.range(-1, 1), random.range(-0.3, 0.3), random.range(-1, 1));
  const std::vector<PaintedMap> maps = {painted("yield", surface, slope), painted("radius", surface, [](const Vec3& p) { return 2 - p.x(); })};
  const std::vector<PaintedMap> there = maps_on_points(maps, surface, points);
  ASSERT_EQ(there.size(), 2u);
  EXPECT_EQ(there[0].name, "yield");
  EXPECT_EQ(there[1].name, "radius");
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(there[0].values[i], slope(points[i]), 2e-6);
    EXPECT_NEAR(there[1].values[i], 2 - points[i].x(), 2e-6);
  }
}

TEST(Paint, points_beyond_the_rim_get_what_the_rim_has) {
  const TriMesh surface = sheet(4);
  const std::vector<PaintedMap> maps = {painted("gain", surface, slope)};
  const std::vector<PaintedMap> there = maps_on_points(maps, surface, std::vector<Vec3>{{5, 1, 0.2}, {-9, 0, -9}});
  EXPECT_NEAR(there[0].values[0], slope({1, 0, 0.2}), 2e-6);
  EXPECT_NEAR(there[0].values[1], slope({-1, 0, -1}), 2e-6);
}

TEST(Paint, one_factor_everywhere_is_that_factor_to_the_last_bit) {
  Asset asset = bar_asset(2);
  asset.maps = {painted("yield", asset.surface, [](const Vec3&) { return 0.3f; })};
  const PaintedFactors factors = painted_factors(asset);
  ASSERT_EQ(factors.yield.size(), asset.tets.positions.size());
  for (const float factor : factors.yield) EXPECT_EQ(factor, 0.3f);
  EXPECT_TRUE(factors.gain.empty());
  EXPECT_TRUE(factors.radius.empty());
  EXPECT_TRUE(factors.strength.empty());
}

TEST(Paint, every_knob_has_its_own_factors) {
  Asset asset = bar_asset(2);
  for (size_t knob = 0; knob < kPaintedKnobs.size(); ++knob) {
    asset.maps.push_back(painted(std::string(kPaintedKnobs[knob]), asset.surface, [&](const Vec3&) { return 2 + static_cast<double>(knob); }));
  }
  const PaintedFactors factors = painted_factors(asset);
  const std::vector<float>* all[] = {&factors.yield, &factors.gain, &factors.radius, &factors.strength, &factors.toughness, &factors.stiffness, &factors.flow};
  ASSERT_EQ(std::size(all), kPaintedKnobs.size());
  for (size_t knob = 0; knob < kPaintedKnobs.size(); ++knob) {
    ASSERT_EQ(all[knob]->size(), asset.tets.positions.size());
    for (const float factor : *all[knob]) EXPECT_EQ(factor, 2 + static_cast<float>(knob));
  }
}

TEST(Paint, a_vertex_of_the_surface_keeps_its_own_factor) {
  Asset asset = bar_asset(2);
  asset.maps = {painted("gain", asset.surface, [](const Vec3& p) { return p.x() > 0.1 ? 0.0 : 4.0; })};
  const PaintedFactors factors = painted_factors(asset);
  for (const Triangle& face : asset.surface.triangles) {
    for (const int v : face) EXPECT_NEAR(factors.gain[static_cast<size_t>(v)], asset.maps[0].values[static_cast<size_t>(v)], 1e-6);
  }
}

TEST(Paint, triangles_without_area_give_no_nonsense) {
  TriMesh surface;
  surface.positions = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  surface.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 1, 1}};
  const std::vector<PaintedMap> maps = {{"yield", {1, 2, 3, 4}}};
  const std::vector<PaintedMap> there = maps_on_points(maps, surface, std::vector<Vec3>{{0, 0, 0}, {0.5, 1, 0}, {9, 9, 9}});
  for (const float factor : there[0].values) {
    EXPECT_TRUE(factor >= 1 && factor <= 4) << factor;
  }
}

TEST(Paint, factors_do_not_change_with_the_size_of_the_body_or_the_order_of_its_vertices) {
  Asset asset = bar_asset(3);
  asset.maps = {painted("radius", asset.surface, [](const Vec3& p) { return 1.5 + p.x(); })};
  Asset changed = asset;
  order_vertices(changed);
  scale_asset(changed, 4);
  EXPECT_EQ(changed.maps[0].values, asset.maps[0].values);
  const std::shared_ptr<const RiggedBody> body = rig_body(std::move(changed));
  const PaintedFactors before = painted_factors(asset);
  for (size_t v = 0; v < body->paint.radius.size(); ++v) {
    // The nearest of the vertices before; inner ones are as near to two sides, which have the same factors here.
    const Vec3 place = body->asset.tets.positions[v] / 4;
    size_t same = 0;
    while ((asset.tets.positions[same] - place).norm() > 1e-9) ++same;
    EXPECT_NEAR(body->paint.radius[v], before.radius[same], 1e-5) << place.transpose();
  }
}

TEST(Paint, the_painted_drum_among_the_assets_is_the_one_the_generator_makes) {
  const Asset made = generator::make_painted_drum();
  const Result<Asset> read = io::read_asset(std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / "painted_drum.glb");
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->maps.size(), made.maps.size());
  for (const PaintedMap& map : made.maps) {
    const PaintedMap* same = find_map(read->maps, map.name);
    ASSERT_NE(same, nullptr) << map.name;
    EXPECT_EQ(same->values, map.values);
  }
  EXPECT_EQ(read->surface.colors, made.surface.colors);
}

TEST(Paint, is_the_same_for_any_number_of_threads) {
  Asset asset = bar_asset(5);
  asset.maps = {painted("yield", asset.surface, [](const Vec3& p) { return 2 + std::sin(9 * p.x() + 5 * p.y()); })};
  const int before = thread_count();
  set_thread_count(1);
  const PaintedFactors one = painted_factors(asset);
  set_thread_count(5);
  EXPECT_EQ(painted_factors(asset).yield, one.yield);
  set_thread_count(before);
}

}  // namespace
}  // namespace crumple
