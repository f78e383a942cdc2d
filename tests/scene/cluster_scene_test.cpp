#include <filesystem>
#include <fstream>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/geometry/winding.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/world/world.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

Result<Scene> with_clusters(const std::string& keys) {
  return parse_scene(fmt::format(R"({{"crumple": 1, "bodies": [{{"name": "bar", "box": [1, 0.2, 0.2], "clusters": {{{}}}}}]}})", keys), "bar.json");
}

const particles::Boundary& loads_of(const Scene& scene) {
  return scene.bodies.front().of<clusters::BodySettings>()->boundary;
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
  const particles::Clamp& clamp = loads_of(*again).clamps[0];
  EXPECT_EQ(clamp.normal, loads_of(*scene).clamps[0].normal);
  const Vec3 normal = Vec3(2, 1, 0).normalized();
  EXPECT_NEAR((clamp.velocity - Vec3(0, 0, 1) - 0.5 * normal).norm(), 0, 1e-12);
  EXPECT_NEAR((clamp.spin - std::numbers::pi / 2 * normal - std::numbers::pi * Vec3::UnitZ()).norm(), 0, 1e-12);
  EXPECT_EQ(clamp.end, 2);
  EXPECT_FALSE(clamp.center);
  EXPECT_EQ(loads_of(*again).clamps[1].offset, -particles::kForever);
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

World built(const std::string& keys, const std::string& body = "") {
  const std::string text = fmt::format(R"({{"crumple": 1, "gravity": [0, 0, 0], "substeps": 1, "bodies": [
    {{"name": "bar", "box": [1, 0.2, 0.2],{} "clusters": {{"particles": 600, "clusters": 20, {}}}}}]}})",
                                       body, keys);
  const Result<Scene> scene = parse_scene(text, "bar.json");
  EXPECT_TRUE(scene) << scene.error().text;
  Result<World> world = World::build(*scene);
  EXPECT_TRUE(world) << world.error().text;
  return std::move(*world);
}

const SoftInside layer_of(const World& world) {
  return soft_inside(world.bodies().front());
}

/// Mean place of the particles that began where `which` says.
template <class Which>
Vec3 middle_of(const SoftInside layer, const Which& which) {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (int i = 0; i < layer.state.particles(); ++i) {
    const Vec3 start =
        layer.model.origin + layer.model.rest[static_cast<size_t>(layer.state.original[static_cast<size_t>(i)])].head<3>().cast<double>();
    if (which(start)) sum += clusters::position(layer.model, layer.state, i), ++count;
  }
  EXPECT_GT(count, 0);
  return sum / std::max(count, 1);
}

TEST(ClusterScene, a_clamp_without_a_centre_turns_about_the_middle_of_what_it_holds) {
  World world =
      built(R"("clamps": [{"normal": [1, 0, 0], "offset": 2.3, "twist": 90}, {"normal": [-1, 0, 0], "offset": -1.7}])", R"( "at": [2, 3, 4],)");
  const auto held = [](const Vec3& start) { return start.x() > 2.3; };
  const auto high = [](const Vec3& start) { return start.x() > 2.3 && start.y() > 3.05; };
  const Vec3 before = middle_of(layer_of(world), held), up = middle_of(layer_of(world), high) - before;
  for (int k = 0; k < 60; ++k) world.step();
  const Vec3 after = middle_of(layer_of(world), held), turned = middle_of(layer_of(world), high) - after;
  EXPECT_NEAR((after - before).norm(), 0, 1e-4);
  EXPECT_NEAR((turned - Vec3(up.x(), -up.z(), up.y())).norm(), 0, 1e-3);  // a quarter turn about x
}

TEST(ClusterScene, a_clamp_with_a_region_moves_that_and_no_more) {
  World world =
      built(R"("stretch": 10, "stiffness": 0, "clamps": [{"within": {"at": [0.5, 0, 0], "radius": 0.2}, "velocity": [0, 2, 0], "end": 0.5}])");
  const auto inside = [](const Vec3& start) { return (start - Vec3(0.5, 0, 0)).norm() <= 0.2; };
  const auto far_away = [](const Vec3& start) { return start.x() < 0; };
  const Vec3 before = middle_of(layer_of(world), inside), elsewhere = middle_of(layer_of(world), far_away);
  for (int k = 0; k < 30; ++k) world.step();
  EXPECT_NEAR((middle_of(layer_of(world), inside) - before - Vec3(0, 1, 0)).norm(), 0, 1e-3);
  EXPECT_LT((middle_of(layer_of(world), far_away) - elsewhere).norm(), 0.2);
}

TEST(ClusterScene, a_projectile_is_at_its_place_when_it_starts) {
  World world = built(R"("projectiles": [{"at": [0, 0, -0.3], "velocity": [0, 0, 1], "radius": 0.15, "start": 0.5}])");
  for (int k = 0; k < 33; ++k) world.step();  // it touches after 0.05 s
  EXPECT_LT(clusters::linear_momentum(layer_of(world).model, layer_of(world).state).norm(), 1e-3);
  for (int k = 0; k < 10; ++k) world.step();
  EXPECT_GT(clusters::linear_momentum(layer_of(world).model, layer_of(world).state).z(), 1);
}

TEST(ClusterScene, loads_that_hold_nothing_are_refused_with_their_place) {
  const auto complaint = [](const std::string& keys) {
    const Result<Scene> scene = with_clusters(R"("particles": 300, "clusters": 5, )" + keys);
    const Result<World> world = World::build(*scene);
    return world ? "" : world.error().text;
  };
  EXPECT_EQ(complaint(R"("clamps": [{"normal": [0, 1, 0], "offset": 0}, {"normal": [1, 0, 0], "offset": 0.6}])"),
            "bar.json:1: /bodies/bar/clusters/clamps/1: holds nothing; no particle begins beyond 0.6 m along its normal");
  EXPECT_EQ(complaint(R"("clamps": [{"within": {"at": [0, 1, 0], "box": [0.1, 0.1, 0.1]}}])"),
            "bar.json:1: /bodies/bar/clusters/clamps/0: holds nothing; no particle begins \"within\" its region");
  EXPECT_EQ(complaint(R"("paint": [{"map": "yield", "at": [5, 0, 0], "radius": 1, "value": 0}])"),
            "bar.json:1: /bodies/bar/clusters/paint/0: meets no particle; places are in the body's own frame");
}

/// Where clusters were cut, along x, and by how much they were pulled.
std::vector<double> cuts_when_pulled(const std::string& paint) {
  World world = built(paint + R"("toughness": 0.15, "flow": 0, "boost": 10, "falloff": 0, "clamps": [
    {"normal": [1, 0, 0], "offset": 0.42, "speed": 0.25}, {"normal": [-1, 0, 0], "offset": 0.42, "speed": 0.25}])");
  for (int k = 0; k < 60 && layer_of(world).state.totals.splits < 3; ++k) world.step();
  std::vector<double> cuts;
  for (const clusters::CutPlane& plane : layer_of(world).state.planes) {
    if (plane.crack >= 0) cuts.push_back(layer_of(world).model.origin.x() + plane.offset * plane.normal.x());
  }
  return cuts;
}

TEST(ClusterScene, a_bar_tears_where_it_is_painted_weak) {
  for (const double x : {0.0, 0.25}) {
    const std::vector<double> cuts = cuts_when_pulled(
        fmt::format(R"("paint": [{{"map": "toughness", "at": [{0}, -1, 0], "to": [{0}, 1, 0], "radius": 0.15, "value": 0.2}}],)", x));
    ASSERT_GE(cuts.size(), 2u) << x;
    for (const double cut : cuts) EXPECT_NEAR(cut, x, 0.15) << x;
  }
}

TEST(ClusterScene, strokes_lie_over_each_other_and_fade_beyond_their_radius) {
  const World world = built(R"("paint": [{"map": "toughness", "at": [0, 0, 0], "radius": 5, "value": 3},
    {"map": "toughness", "at": [-0.5, 0, 0], "to": [-0.5, 1, 0], "radius": 0.2, "soft": 0.2, "value": 1},
    {"map": "yield", "at": [0.5, 0, 0], "radius": 0.3, "value": 0}])");
  const clusters::Model& model = layer_of(world).model;
  ASSERT_EQ(model.toughness.size(), model.rest.size());
  ASSERT_EQ(model.yield.size(), model.rest.size());
  for (size_t i = 0; i < model.rest.size(); ++i) {
    const Vec3 p = model.origin + model.rest[i].head<3>().cast<double>();
    const double away = Vec3(p.x() + 0.5, std::min(p.y(), 0.0), p.z()).norm(), u = std::clamp((0.4 - away) / 0.2, 0.0, 1.0);
    EXPECT_NEAR(model.toughness[i], 3 - 2 * u * u * (3 - 2 * u), 1e-4);
    const double from_dot = (p - Vec3(0.5, 0, 0)).norm();
    if (std::abs(from_dot - 0.3) <= 1e-5) continue;
    EXPECT_EQ(model.yield[i], from_dot < 0.3 ? 0 : 1);
  }
}

TEST(ClusterScene, what_is_stretched_at_the_start_springs_back) {
  World world = built(R"("prestretch": [1.1, 1, 1])", R"( "turn": [0, 0, 90],)");
  const auto length = [&] {
    return middle_of(layer_of(world), [](const Vec3& p) { return p.y() > 0.4; }).y() -
           middle_of(layer_of(world), [](const Vec3& p) { return p.y() < -0.4; }).y();
  };
  const double rest = length() / 1.1;
  EXPECT_NEAR(rest, 0.9, 0.03);
  double shortest = length();
  for (int k = 0; k < 600; ++k) world.step(), shortest = std::min(shortest, length());
  EXPECT_LT(shortest, 0.98 * rest);  // it swings, and less and less
  EXPECT_NEAR(length(), rest, 0.03 * rest);
}

class CloudFile {
 public:
  CloudFile() : path_(std::filesystem::temp_directory_path() / "crumple_cluster_scene_cloud.txt") {
    std::ofstream file(path_);
    for (int x = 0; x <= 10; ++x) {
      for (int y = 0; y <= 5; ++y) {
        for (int z = 0; z <= 5; ++z) file << 0.1 * x << ' ' << 0.1 * y << ' ' << 0.1 * z << '\n';
      }
    }
  }
  ~CloudFile() { std::filesystem::remove(path_); }
  std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(ClusterScene, a_cloud_of_particles_gets_a_closed_skin_and_weighs_what_it_fills) {
  const CloudFile file;
  const auto cloud = [&](const std::string& keys) {
    const Result<Scene> scene = parse_scene(fmt::format(R"({{"crumple": 1, "bodies": [
      {{"particles": [{{"file": "{}", "scale": 0.5, "at": [1, 0, 0], "velocity": [0, 0, 1]}}], {} "clusters": {{"clusters": 6}}}}]}})",
                                                        file.name(), keys),
                                            "cloud.json");
    EXPECT_TRUE(scene) << scene.error().text;
    Result<World> world = World::build(*scene);
    EXPECT_TRUE(world) << world.error().text;
    return std::move(*world);
  };
  const World by_density = cloud(R"("density": 500,)");
  const Body& body = by_density.bodies()[0];
  const double volume = signed_volume(body.surface->positions, body.surface->triangles);
  EXPECT_NEAR(volume, 0.53 * 0.28 * 0.28, 0.11 * volume);  // it lies 0.3 spacings outside, with bevelled edges
  EXPECT_NEAR(body.mass, 500 * volume, 1e-9);
  EXPECT_NEAR(clusters::total_mass(clusters_model(body), clusters_state(body)), body.mass, 1e-5 * body.mass);
  EXPECT_NEAR((clusters::center_of_mass(clusters_model(body), clusters_state(body)) - Vec3(1.25, 0.125, 0.125)).norm(), 0, 1e-5);
  EXPECT_NEAR((clusters::linear_momentum(clusters_model(body), clusters_state(body)) / body.mass - Vec3(0, 0, 1)).norm(), 0, 1e-5);
  EXPECT_NEAR(cloud(R"("mass": 7,)").bodies()[0].mass, 7, 1e-12);
}

TEST(ClusterScene, what_is_painted_on_an_asset_reaches_its_particles) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "crumple_cluster_scene_paint";
  std::filesystem::create_directories(folder);
  Result<Asset> drum = io::read_asset(std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / "painted_drum.glb");
  ASSERT_TRUE(drum) << drum.error().text;
  PaintedMap toughness{"toughness", {}}, yield{"yield", {}};
  for (const Vec3& p : drum->surface.positions) toughness.values.push_back(p.y() > 0 ? 2.0f : 0.5f), yield.values.push_back(1.5f);
  drum->maps = {toughness, yield};
  ASSERT_TRUE(io::write_asset(*drum, folder / "drum.glb"));
  for (const char* shape : {R"("asset": "drum", )", R"("mesh": "drum.glb", )"}) {
    const Result<Scene> scene = parse_scene(
        fmt::format(
            R"({{"crumple": 1, "assets": {{"drum": "drum.glb"}}, "bodies": [{{"name": "drum", {} "clusters": {{"particles": 800, "clusters": 12}}}}]}})",
            shape),
        folder / "drum.json");
    ASSERT_TRUE(scene) << scene.error().text;
    const Result<World> world = World::build(*scene);
    ASSERT_TRUE(world) << world.error().text;
    const clusters::Model& model = layer_of(*world).model;
    ASSERT_EQ(model.toughness.size(), model.rest.size()) << shape;
    for (size_t i = 0; i < model.rest.size(); ++i) {
      const double y = model.origin.y() + model.rest[i].y();
      if (std::abs(y) <= 0.15) continue;
      EXPECT_EQ(model.toughness[i], y > 0 ? 2.0f : 0.5f);
      EXPECT_EQ(model.yield[i], 1.5f);
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace crumple
