#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/scene/scene.h"

namespace crumple {
namespace {

Result<Scene> with_clusters(const std::string& keys) {
  return parse_scene(fmt::format(R"({{"crumple": 1, "bodies": [{{"name": "bar", "box": [1, 0.2, 0.2], "clusters": {{{}}}}}]}})", keys), "bar.json");
}

const clusters::Loads& loads_of(const Scene& scene) {
  return scene.bodies.front().clusters->loads;
}

void expect_complaint(const std::string& keys, const std::string& what) {
  const Result<Scene> scene = with_clusters(keys);
  ASSERT_FALSE(scene) << keys;
  EXPECT_NE(scene.error().text.find(what), std::string::npos) << scene.error().text;
}

TEST(ClusterScene, loads_that_are_written_mean_the_same_when_they_are_read_again) {
  const Result<Scene> scene = with_clusters(R"("clamps": [
      {"normal": [2, 1, 0], "offset": 0.3, "twist": 90, "speed": 0.5, "tilt": {"axis": [0, 0, 3], "rate": 180}, "velocity": [0, 0, 1], "end": 2},
      {"within": {"at": [0.1, 0, 0], "radius": 0.2}, "spin": [0, 1, 0], "center": [1, 2, 3], "start": 1},
      {"normal": [0, 1, 0], "offset": -1, "within": {"box": [1, 2, 3]}, "blocks": true, "friction": 0.7, "drag": 3}],
    "planes": [{"normal": [0, 2, 0], "offset": -2, "velocity": [0, 1, 0]}],
    "projectiles": [{"at": [0, 0, -1], "velocity": [0, 0, 2], "radius": 0.05, "push": 60, "start": 0.5, "end": 1.5}],
    "cylinders": [{"axis": [1, 0, 0], "at": [0, -1, 0], "radius": 0.3, "kick": 2}])");
  ASSERT_TRUE(scene) << scene.error().text;
  const std::string written = write_json(scene_json(*scene));
  const Result<Scene> again = parse_scene(written, "bar.json");
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(write_json(scene_json(*again)), written);
  const clusters::Clamp& clamp = loads_of(*again).clamps[0];
  EXPECT_EQ(clamp.normal, loads_of(*scene).clamps[0].normal);
  const Vec3 normal = Vec3(2, 1, 0).normalized();
  EXPECT_NEAR((clamp.velocity - Vec3(0, 0, 1) - 0.5 * normal).norm(), 0, 1e-12);
  EXPECT_NEAR((clamp.spin - std::numbers::pi / 2 * normal - std::numbers::pi * Vec3::UnitZ()).norm(), 0, 1e-12);
  EXPECT_EQ(clamp.end, 2);
  EXPECT_FALSE(clamp.center);
  EXPECT_EQ(loads_of(*again).clamps[1].offset, -clusters::kForever);
  EXPECT_EQ(loads_of(*again).clamps[1].within->radius, 0.2);
  EXPECT_EQ(loads_of(*again).clamps[1].center, Vec3(1, 2, 3));
  EXPECT_EQ(loads_of(*again).clamps[2].within->size, Vec3(1, 2, 3));
  EXPECT_TRUE(loads_of(*again).clamps[2].blocks);
  EXPECT_EQ(loads_of(*again).planes[0].normal, Vec3::UnitY());
  EXPECT_EQ(loads_of(*again).balls[0].push, 60);
  EXPECT_EQ(loads_of(*again).cylinders[0].kick, 2);
}

TEST(ClusterScene, loads_without_a_direction_a_place_or_a_time_are_refused_with_their_line) {
  expect_complaint(R"("clamps": [{"normal": [0, 0, 0], "offset": 1}])", "bar.json:1: /bodies/0/clusters/clamps/0/normal: has no length");
  expect_complaint(R"("clamps": [{"velocity": [0, 0, 1]}])", "/clusters/clamps/0: needs \"normal\" and \"offset\", or \"within\"");
  expect_complaint(R"("clamps": [{"normal": [1, 0, 0], "offset": 0, "start": 2, "end": 2}])", "/clamps/0/end: must be later than \"start\"");
  expect_complaint(R"("clamps": [{"within": {"at": [0, 0, 0]}}])", "/clamps/0/within: needs either \"radius\" or \"box\"");
  expect_complaint(R"("clamps": [{"within": {"radius": 1}, "blocks": true}])", "/clamps/0/blocks: a plane blocks");
  expect_complaint(R"("clamps": [{"within": {"radius": 1}, "twist": 5}])", "/clamps/0/twist: needs a \"normal\"");
  expect_complaint(R"("clamps": [{"normal": [1, 0, 0], "offset": 0, "tilt": {"axis": [0, 0, 0], "rate": 1}}])", "/clamps/0/tilt/axis: has no length");
  expect_complaint(R"("projectiles": [{"at": [0, 0, 0], "radius": 0}])", "/projectiles/0/radius: 0 is out of range");
  expect_complaint(R"("cylinders": [{"axis": [0, 0, 0], "radius": 1}])", "/cylinders/0/axis: has no length");
  expect_complaint(R"("planes": [{"offset": 1}])", "/planes/0: \"normal\" is missing");
}

}  // namespace
}  // namespace crumple
