#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/scene/import/paper2_scene.h"
#include "crumple/world/world.h"
#include "tests/authors_data.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// A folder as the authors have it: scenes below, particles elsewhere.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("crumple_authors_{}", testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(path_);
    fs::create_directories(path_ / "scenes");
    fs::create_directories(path_ / "inputFiles" / "noise");
    std::ofstream file(path_ / "inputFiles" / "noise" / "block.txt");
    for (int x = 0; x < 5; ++x) {
      for (int y = 0; y < 5; ++y) {
        for (int z = 0; z < 5; ++z) file << 0.1 * x << ' ' << 0.1 * y << ' ' << 0.1 * z << '\n';
      }
    }
  }
  ~Folder() { fs::remove_all(path_); }

  Result<Scene> scene(const std::string& keys) const {
    return parse_scene(fmt::format(R"({{"particleFiles": ["inputFiles/noise/block.txt"], {} "nClusters": 4, "neighborRadius": 0.3}})", keys),
                       path_ / "scenes" / "block.json");
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

const clusters::BodySettings& soft(const Scene& scene) {
  return *scene.bodies.front().of<clusters::BodySettings>();
}

void expect_complaint(const Folder& folder, const std::string& keys, const std::string& what) {
  const Result<Scene> scene = folder.scene(keys);
  ASSERT_FALSE(scene) << keys;
  EXPECT_NE(scene.error().text.find(what), std::string::npos) << scene.error().text;
}

TEST(AuthorsClustersScene, becomes_one_body_with_their_step_and_fifteen_seconds) {
  const Folder folder;
  const Result<Scene> scene = folder.scene(R"("dt": 0.01, "mass": 0.2, "gravity": [0, -5, 0], // a comment
                                              "initialStretch": [1.5, 1, 1],)");
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_EQ(scene->dt(), 0.01);
  EXPECT_EQ(scene->fps, 60);
  EXPECT_EQ(scene->seconds, 15);
  EXPECT_EQ(scene->gravity, Vec3(0, -5, 0));
  ASSERT_EQ(scene->bodies.size(), 1u);
  EXPECT_NEAR(*scene->bodies[0].mass, 125 * 0.2, 1e-12);
  EXPECT_NEAR(*soft(*scene).clusters.stiffness, 1 / 0.36, 1e-9);  // all of the way in each of their steps
  EXPECT_EQ(soft(*scene).fill.prestretch, Vec3(1.5, 1, 1));
  EXPECT_EQ(soft(*scene).clusters.clusters, 4);
  EXPECT_TRUE(scene->notes.empty());
}

TEST(AuthorsClustersScene, shares_of_a_step_become_rates) {
  const Folder folder;
  const Result<Scene> scene =
      folder.scene(R"("dt": 0.0333333333333333333, "springDamping": 0.25, "hardening": 0.01, "alpha": 0.8, "yield": 1e100, "nu": 2,
    "toughness": 0.1, "toughnessBoost": 3, "toughnessFalloff": 0.05, "gamma": 0.3, "omega": 0.4, "numConstraintIters": 7,)");
  ASSERT_TRUE(scene) << scene.error().text;
  const clusters::Settings& s = soft(*scene).clusters;
  EXPECT_NEAR(std::exp(-s.damping / 30), 0.75, 1e-12);
  EXPECT_NEAR(s.hardening, 0.3, 1e-12);
  EXPECT_NEAR(*s.stiffness * 4, 0.8, 1e-12);  // it counts with the square of the step
  EXPECT_NEAR(s.flow, 1, 1e-12);
  EXPECT_EQ(s.yield, 1e12);
  EXPECT_EQ(s.stretch, 0.3);
  EXPECT_EQ(s.relax, 0.4);
  EXPECT_EQ(s.sweeps, 7);
  EXPECT_EQ(s.boost, 3);
  EXPECT_EQ(s.held_toughness, 1);
  EXPECT_TRUE(s.boosted_at_start);
  EXPECT_EQ(soft(*folder.scene("")).clusters.held_toughness, 10);
}

TEST(AuthorsClustersScene, has_all_their_loads) {
  const Folder folder;
  const Result<Scene> scene = folder.scene(R"("planes": [[0, 2, 0, -2]],
    "movingPlanes": [{"normal": [3, 0, 0], "offset": 0.35, "velocity": 0.5, "lifetime": 4}],
    "twistingPlanes": [{"normal": [0, 1, 0], "offset": 0.3, "angularVelocity": 0.3, "width": 1, "lifetime": 10}],
    "tiltingPlanes": [{"normal": [0, 0, 2], "tilt": [2, 0, 0], "offset": 0.35, "angularVelocity": 2}],
    "projectiles": [{"start": [0, 0, -2], "velocity": [0, 0, 2], "radius": 0.05, "momentumScale": 7}],
    "cylinders": [{"normal": [0, 0, 1], "supportPoint": [0, -1, 0], "radius": 0.4}],)");
  ASSERT_TRUE(scene) << scene.error().text;
  const particles::Boundary& loads = soft(*scene).boundary;
  EXPECT_EQ(loads.planes[0].normal, Vec3::UnitY());
  EXPECT_EQ(loads.planes[0].offset, -2);
  EXPECT_NEAR(std::exp(-loads.planes[0].touch.drag / 60), 0.4, 1e-12);
  ASSERT_EQ(loads.clamps.size(), 3u);
  EXPECT_EQ(loads.clamps[0].velocity, Vec3(0.5, 0, 0));
  EXPECT_TRUE(loads.clamps[0].blocks);
  EXPECT_EQ(loads.clamps[0].end, 4);
  EXPECT_EQ(loads.clamps[1].spin, Vec3(0, 0.3, 0));
  EXPECT_EQ(loads.clamps[1].center, Vec3(0, 0, 0));
  EXPECT_EQ(loads.clamps[1].end, 10);
  EXPECT_EQ(loads.clamps[2].spin, Vec3(2, 0, 0));
  EXPECT_EQ(loads.clamps[2].center, Vec3(0, 0, 0.35));
  EXPECT_EQ(loads.clamps[2].end, particles::kForever);
  EXPECT_NEAR(loads.balls[0].push, 7 * 60, 1e-9);
  EXPECT_EQ(loads.balls[0].center, Vec3(0, 0, -2));
  EXPECT_NEAR(loads.cylinders[0].kick, 2, 1e-12);
  EXPECT_EQ(loads.cylinders[0].point, Vec3(0, -1, 0));
}

TEST(AuthorsClustersScene, a_moving_plane_that_holds_nothing_still_keeps_particles_out) {
  const Folder folder;
  const Result<Scene> scene =
      folder.scene(R"("movingPlanes": [{"normal": [0, -1, 0], "offset": 2, "velocity": 0.5}], "twistingPlanes": [{"offset": 7}],)");
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_TRUE(soft(*scene).boundary.clamps.empty());
  ASSERT_EQ(soft(*scene).boundary.planes.size(), 1u);
  EXPECT_EQ(soft(*scene).boundary.planes[0].normal, Vec3::UnitY());
  EXPECT_EQ(soft(*scene).boundary.planes[0].offset, -2);
  EXPECT_EQ(soft(*scene).boundary.planes[0].velocity, Vec3(0, -0.5, 0));
  EXPECT_EQ(scene->notes, (std::vector<std::string>{"left out: movingPlanes that hold nothing", "left out: twistingPlanes that hold nothing"}));
}

TEST(AuthorsClustersScene, what_is_switched_off_is_off) {
  const Folder folder;
  const Result<Scene> off = folder.scene(R"("toughness": 0.1, "fracture": "off", "delayRepeatedFracture": "off", "selfCollisions": "off",)");
  const Result<Scene> on = folder.scene(R"("toughness": 0.1, "fracture": "on",)");
  EXPECT_GE(soft(*off).clusters.toughness, clusters::kNeverTears);
  EXPECT_FALSE(soft(*off).clusters.delay);
  EXPECT_FALSE(soft(*off).clusters.self_collision);
  EXPECT_EQ(soft(*on).clusters.toughness, 0.1);
  EXPECT_TRUE(soft(*on).clusters.delay);
  EXPECT_TRUE(soft(*on).clusters.self_collision);
}

TEST(AuthorsClustersScene, names_what_it_leaves_out) {
  const Folder folder;
  const Result<Scene> scene = folder.scene(R"("blackhole": 2, "clusterKernel": 4, "projectiles": [{"start": [0, 0, 9], "color": 3}],)");
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_EQ(scene->notes, (std::vector<std::string>{"left out: blackhole", "left out: clusterKernel 4", "left out: color of projectiles"}));
}

TEST(AuthorsClustersScene, particles_are_found_above_beside_or_among_data_and_otherwise_the_line_is_named) {
  const Folder folder;
  const auto file_of = [&](const std::string& name) {
    const Result<Scene> scene = parse_scene(fmt::format("{{\n\"particleFiles\": [\"{}\"]}}", name), folder / "scenes/block.json");
    return scene ? scene->bodies[0].particles[0].file : scene.error().text;
  };
  EXPECT_EQ(file_of("inputFiles/noise/block.txt"), "../inputFiles/noise/block.txt");
  EXPECT_NE(file_of("noise/block.txt").find("scenes/block.json:2: \"particleFiles\": "), std::string::npos) << file_of("noise/block.txt");
  fs::create_directories(folder / "data");
  fs::rename(folder / "inputFiles/noise/block.txt", folder / "data/block.txt");
  EXPECT_EQ(file_of("noise/block.txt"), "../data/block.txt");
  fs::rename(folder / "data/block.txt", folder / "scenes/block.txt");
  EXPECT_EQ(file_of("noise/block.txt"), "block.txt");
}

TEST(AuthorsClustersScene, moving_files_have_a_size_a_place_and_a_velocity) {
  const Folder folder;
  const Result<Scene> scene =
      folder.scene(R"("movingParticleFiles": [{"filename": "inputFiles/noise/block.txt", "scale": 2, "offset": [3, 0, 0], "velocity": [0, 1, 0]}],)");
  ASSERT_TRUE(scene) << scene.error().text;
  ASSERT_EQ(scene->bodies[0].particles.size(), 2u);
  EXPECT_EQ(scene->bodies[0].particles[1].scale, 2);
  EXPECT_EQ(scene->bodies[0].particles[1].at, Vec3(3, 0, 0));
  EXPECT_EQ(scene->bodies[0].particles[1].velocity, Vec3(0, 1, 0));
  EXPECT_EQ(soft(*scene).clusters.clusters, 8);  // they give each file its own
  EXPECT_NEAR(*scene->bodies[0].mass, 25, 1e-12);
}

TEST(AuthorsClustersScene, mistakes_are_refused_with_their_line) {
  const Folder folder;
  expect_complaint(folder, "\n\"alpha\": -0.5,", "block.json:2: \"alpha\": must be between 0 and 10000");
  expect_complaint(folder, "\n\"dt\": -1,", "block.json:2: \"dt\": must be between");
  expect_complaint(folder, "\n\"numConstraintIters\": -1,", "block.json:2: \"numConstraintIters\": must be between 0 and 100");
  expect_complaint(folder, "\n\"toughness\": \"high\",", "block.json:2: \"toughness\": expected a number, not a text");
  expect_complaint(folder, "\n\n\"planes\": [[0, 1, 0]],", "block.json:3: \"planes\": expected four numbers");
  expect_complaint(folder, "\"planes\": [[0, 0, 0, 1]],", "the normal has no length");
  expect_complaint(folder, "\n\"twistingPlanes\": [{\n\"normal\": [0, 0, 0]}],", "block.json:3: \"normal\": has no length");
  expect_complaint(folder, "\"twistingPlanes\": [{\"lifetime\": 0}],", "\"lifetime\": must be between");
  expect_complaint(folder, "\n\"movingPlanes\": [{\"velocity\": 1e300}],", "block.json:2: \"velocity\": must be between");
  expect_complaint(folder, "\n\"gravity\": [0, 1e300, 0],", "block.json:2: \"gravity\": has a number that is too large");
  expect_complaint(folder, "\"projectiles\": [3],", "\"projectiles\": expected objects");
  expect_complaint(folder, "\"initialStretch\": [0, 1, 1],", "\"initialStretch\": must be");
}

TEST(AuthorsClustersScene, every_scene_of_theirs_is_read_and_what_it_says_survives_writing) {
  if (!authors_data()) GTEST_SKIP() << kNoAuthorsData;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(*authors_data() / "clusters")) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const Result<Scene> scene = load_scene(entry.path());
    ASSERT_TRUE(scene) << scene.error().text;
    EXPECT_TRUE(scene->notes.empty()) << entry.path() << ": " << scene->notes[0];
    const std::string written = write_json(scene_json(*scene));
    const Result<Scene> again = parse_scene(written, entry.path());
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(write_json(scene_json(*again)), written);
    const Result<Paper2Body> plain = load_paper2_body(entry.path());
    ASSERT_TRUE(plain) << plain.error().text;
    EXPECT_NEAR(plain->particles.masses[0] * static_cast<double>(plain->particles.positions.size()), *scene->bodies[0].mass, 1e-9);
  }
  EXPECT_EQ(count, 7);
}

TEST(AuthorsClustersScene, an_alpha_above_one_is_taken_as_it_is_and_what_it_does_is_said) {
  const Folder folder;
  const Result<Scene> swings = folder.scene(R"("alpha": 1.5, "dt": 0.01,)"), bursts = folder.scene(R"("alpha": 3.5, "springDamping": 0.4,)");
  ASSERT_TRUE(swings && bursts);
  EXPECT_NEAR(*soft(*swings).clusters.stiffness * 0.36, 1.5, 1e-12);
  EXPECT_EQ(soft(*swings).clusters.overshoot, 1.5);
  EXPECT_EQ(soft(*folder.scene("")).clusters.overshoot, 1);
  ASSERT_EQ(swings->notes.size(), 1u);
  ASSERT_EQ(bursts->notes.size(), 1u);
  EXPECT_NE(bursts->notes[0].find("below 3.2 it does not"), std::string::npos) << bursts->notes[0];
}

TEST(AuthorsClustersScene, a_free_body_with_an_alpha_below_four_stays_together_and_one_above_does_not) {
  const Folder folder;
  for (const double alpha : {1.5, 3.5, 4.5}) {
    Result<World> world = World::build(*folder.scene(fmt::format(R"("alpha": {}, "gravity": [0, 0, 0], "initialStretch": [1.02, 1, 1], "numConstraintIters": 0, "selfCollisions": "off",)", alpha)));
    ASSERT_TRUE(world) << world.error().text;
    for (int k = 0; k < 60; ++k) world->step();
    const double energy = world->kinetic_energy();
    EXPECT_EQ(energy < 1 && !world->bodies()[0].frozen, alpha < 4) << alpha << " " << energy;
  }
}

TEST(AuthorsClustersScene, changes_name_their_keys_or_ours) {
  const Folder folder;
  const auto changed = [&](std::vector<std::string> changes) {
    return parse_scene(R"({"particleFiles": ["inputFiles/noise/block.txt"], "nClusters": 4, "neighborRadius": 0.3})", folder / "scenes/block.json", changes);
  };
  const Result<Scene> scene = changed({"/alpha=0.5", "/bodies/body/clusters/toughness=0.2", "/seconds=2", "/planes=[[0, 1, 0, -2]]"});
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_EQ(*soft(*scene).clusters.stiffness, 0.5);
  EXPECT_EQ(soft(*scene).clusters.toughness, 0.2);
  EXPECT_EQ(soft(*scene).boundary.planes.size(), 1u);
  EXPECT_EQ(scene->seconds, 2);
  EXPECT_NE(changed({"/alpah=0.5"}).error().text.find("has a key \"alpah\""), std::string::npos);
  EXPECT_NE(changed({"/alpha=-1"}).error().text.find("\"alpha\": must be between"), std::string::npos);
}

TEST(AuthorsClustersScene, the_camera_sees_the_body_and_the_floor_and_torn_faces_have_a_color) {
  const Folder folder;
  const Result<Scene> scene = folder.scene(R"("planes": [[0, 1, 0, -2]],)");
  ASSERT_TRUE(scene) << scene.error().text;
  const Vec3 target = *scene->camera.target;
  EXPECT_NEAR((target - Vec3(0.2, -0.8, 0.2)).norm(), 0, 1e-9);
  EXPECT_GT((*scene->camera.eye - target).norm() * std::tan(0.5 * *scene->camera.fov * 3.14159 / 180), 1.2);
  EXPECT_GT((scene->bodies[0].look->color - soft(*scene).inner->color).norm(), 0.3f);
}

/// Keys that their program reads, with another value than the default.
const std::vector<std::string> kAllKeys = {
    "/alpha=1.5", "/dt=0.016", "/mass=0.2", "/clusteringAlgorithm=1", "/clusterKernel=1", "/gamma=0.2", "/toughnessBoost=1", "/toughnessFalloff=2",
    "/hardening=0.1", "/collisionGeometryThreshold=0.4", "/outlierThreshold=3", "/fracture=on", "/delayRepeatedFracture=off",
    "/selfCollisions=off", "/initialStretch=[1.01, 1, 1]", "/planes=[[0, 1, 0, -9]]", "/springDamping=0.2", "/omega=0.5", "/numConstraintIters=3",
    "/tiltingPlanes=[{\"normal\": [0, 1, 0], \"tilt\": [1, 0, 0], \"offset\": 9, \"angularVelocity\": 0.1, \"width\": 1, \"lifetime\": 1}]",
    "/twistingPlanes=[{\"normal\": [0, 1, 0], \"offset\": 9, \"angularVelocity\": 0.1, \"width\": 1, \"lifetime\": 1}]",
    "/movingPlanes=[{\"normal\": [0, 1, 0], \"offset\": 9, \"velocity\": 0.1}]",
    "/projectiles=[{\"start\": [0, 9, 0], \"velocity\": [0, 0, 1], \"radius\": 0.1, \"momentumScale\": 3}]",
    "/cylinders=[{\"normal\": [1, 0, 0], \"supportPoint\": [0, -9, 0], \"radius\": 0.1}]"};

TEST(AuthorsClustersScene, every_file_of_theirs_loads_with_an_alpha_of_one_and_a_half_and_all_keys) {
  if (!authors_data()) GTEST_SKIP() << kNoAuthorsData;
  for (const auto& entry : fs::directory_iterator(*authors_data() / "clusters")) {
    if (entry.path().extension() != ".json") continue;
    std::vector<std::string> changes = kAllKeys;
    changes.push_back("/bodies/body/clusters/overshoot=2");
    std::string text = *io::read_file(entry.path());
    text.insert(text.find('{') + 1, R"("neighborRadiusMax": 1, "nClustersMax": 300, "clusterItersMax": 50, "kernelWeight": 1.5, "blackhole": 0.5, "clusterOverlap": 0.1,)");
    const Result<Scene> scene = parse_scene(text, entry.path(), changes);
    ASSERT_TRUE(scene) << scene.error().text;
    EXPECT_NEAR(*soft(*scene).clusters.stiffness * std::pow(scene->dt() * 60, 2), 1.5, 1e-9) << entry.path();
    EXPECT_EQ(soft(*scene).clusters.overshoot, 2);
  }
}

TEST(AuthorsClustersScene, a_small_file_with_an_alpha_above_one_runs) {
  const Result<Scene> scene = load_scene(fs::path(CRUMPLE_SOURCE_DIR) / "tests/corpus/authors/alpha.json", {"/seconds=0.5"});
  ASSERT_TRUE(scene) << scene.error().text;
  Result<World> world = World::build(*scene);
  ASSERT_TRUE(world) << world.error().text;
  for (int k = 0; k < 30; ++k) world->step_frame();
  EXPECT_FALSE(world->bodies()[0].frozen);
  EXPECT_LT(world->kinetic_energy(), 500);
}

TEST(AuthorsClustersScene, moves_in_the_world_as_by_the_method_alone) {
  const Folder folder;
  std::ofstream(folder / "scenes/block.json") << R"({"particleFiles": ["inputFiles/noise/block.txt"], "nClusters": 4, "neighborRadius": 0.3,
    "twistingPlanes": [{"normal": [1, 0, 0], "offset": 0.35, "angularVelocity": 2}], "planes": [[0, 1, 0, -0.1]], "nu": 1, "yield": 0.01})";
  const Result<Scene> scene = load_scene(folder / "scenes/block.json");
  ASSERT_TRUE(scene) << scene.error().text;
  Result<World> world = World::build(*scene);
  ASSERT_TRUE(world) << world.error().text;
  const Result<Paper2Body> plain = load_paper2_body(folder / "scenes/block.json");
  ASSERT_TRUE(plain) << plain.error().text;
  const Result<clusters::Model> model = clusters::build(plain->particles, plain->settings);
  ASSERT_TRUE(model) << model.error().text;
  clusters::State state = clusters::start(*model);
  clusters::Context now;
  now.dt = plain->dt, now.gravity = plain->gravity, now.boundary = &plain->boundary;
  for (int k = 0; k < 30; ++k) clusters::step(*model, state, now), world->step();
  const SoftInside layer = soft_inside(world->bodies()[0]);
  ASSERT_EQ(layer.state.particles(), state.particles());
  double moved = 0;
  for (int i = 0; i < state.particles(); ++i) {
    const Vec3 there = clusters::position(*model, state, i);
    EXPECT_NEAR((clusters::position(layer.model, layer.state, i) - there).norm(), 0, 1e-5);
    moved = std::max(moved, (there - plain->particles.positions[static_cast<size_t>(i)]).norm());
  }
  EXPECT_GT(moved, 0.1);
}

}  // namespace
}  // namespace crumple
