#include "crumple/scene/import/paper1_scene.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/world/world.h"
#include "tests/authors_data.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

class AuthorsScene : public testing::Test {
 protected:
  void SetUp() override {
    if (!authors_data()) GTEST_SKIP() << kNoAuthorsData;
  }
  Scene load(const std::string& name) const {
    Result<Scene> scene = load_scene(*authors_data() / "examples" / name);
    EXPECT_TRUE(scene) << scene.error().text;
    return scene ? *scene : Scene();
  }
  const BodyDescription& body(const Scene& scene, const std::string& name) const {
    return *std::find_if(scene.bodies.begin(), scene.bodies.end(), [&](const BodyDescription& b) { return b.name == name; });
  }
};

TEST_F(AuthorsScene, all_of_them_load_and_read_back_in_our_format) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(*authors_data() / "examples")) {
    if (entry.path().extension() != ".json" || entry.path().stem() == "barrelStackParams") continue;
    const Result<Scene> scene = load_scene(entry.path());
    ASSERT_TRUE(scene) << scene.error().text;
    const Result<Scene> ours = parse_scene(write_json(scene_json(*scene)), entry.path());
    ASSERT_TRUE(ours) << ours.error().text;
    EXPECT_EQ(write_json(scene_json(*ours)), write_json(scene_json(*scene))) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 13);
}

TEST_F(AuthorsScene, parameters_mean_the_same_here) {
  const Scene scene = load("varyingRadius.json");
  ASSERT_EQ(scene.bodies.size(), 8u);  // ground, dock, wall, five barrels
  EXPECT_EQ(scene.dt(), 0.0041166666);
  EXPECT_EQ(scene.seconds, 5);
  const double radii[] = {0.01, 0.5, 1, 1.25, 10};  // 0.01 m / (1, 0.02, 0.01, 0.008, 0.001)
  for (int i = 0; i < 5; ++i) {
    const examples::Settings& s = *body(scene, fmt::format("plastic {}", i)).of<examples::Settings>();
    EXPECT_NEAR(s.gain, 86.944, 1e-3);      // 88 dt 240
    EXPECT_NEAR(s.yield, 0.097166, 1e-6);   // 4e-4 m / dt
    EXPECT_NEAR(s.radius, radii[i], 1e-12);
    EXPECT_NEAR(s.lag, 0.949408, 1e-6);     // 0.95 ^ (1 / (240 dt))
    EXPECT_EQ(s.recover, 1);
    EXPECT_EQ(s.soften, 300);
    EXPECT_EQ(s.rule, examples::Rule::Direction);
  }
  EXPECT_EQ(body(scene, "plastic 0").material.restitution, 0.8);
  EXPECT_EQ(body(scene, "box 0").box, (std::vector<double>{2, 1.5, 20}));
  EXPECT_EQ(body(scene, "box 0").material.restitution, 0);
  EXPECT_EQ(body(scene, "box 0").motion, rigid::Motion::Static);
  EXPECT_EQ(body(scene, "ground").material.restitution, 0.5);
}

TEST_F(AuthorsScene, a_step_at_frame_rate_keeps_their_meaning_of_yield_and_rate) {
  const Scene scene = load("loadingDock.json");
  const examples::Settings& s = *body(scene, "plastic 0").of<examples::Settings>();
  EXPECT_NEAR(s.gain, 58 * 4, 1e-9);
  // What a hit must exceed at this step is 4e-4 m / (1/60 s) = 0.024 m/s; ours grows fourfold from the reference step to this one.
  EXPECT_NEAR(s.yield, 0.006, 1e-12);
  EXPECT_NEAR(s.radius, 0.01 / 0.015, 1e-12);
  EXPECT_NEAR(s.lag, 0.987259, 1e-6);  // 0.95 ^ (1/4)
}

TEST_F(AuthorsScene, their_offset_is_where_the_centre_of_mass_starts_and_masses_agree) {
  const Scene scene = load("varyingRadius.json");
  const Result<World> world = World::build(scene);
  ASSERT_TRUE(world) << world.error().text;
  for (int i = 0; i < 5; ++i) {
    EXPECT_LT((world->part_state(3 + i).place.translation - Vec3(0, 3, i - 2)).norm(), 1e-5);
    EXPECT_NEAR(world->bodies()[static_cast<size_t>(3 + i)].mass, 215.878, 0.01);
  }
}

TEST_F(AuthorsScene, a_car_drives_by_script_into_a_stack_of_thirty_barrels) {
  const Scene scene = load("crownVicBarrelsSingle.json");
  ASSERT_EQ(scene.bodies.size(), 34u);
  EXPECT_EQ(scene.seconds, 6);
  const BodyDescription& car = body(scene, "plastic 0");
  ASSERT_EQ(car.script.size(), 1u);
  EXPECT_EQ(*car.script[0].velocity, Vec3(7.4, 0, -7.5));
  EXPECT_EQ(car.script[0].until, 0.75);
  EXPECT_EQ(car.density, 6000);
  EXPECT_NEAR(car.of<examples::Settings>()->gain, 300, 1e-9);       // 250 x 0.005 x 240
  EXPECT_NEAR(car.of<examples::Settings>()->yield, 0.0015, 1e-12);  // 9e-6 / 0.005 / 1.2
  EXPECT_NEAR(car.of<examples::Settings>()->lag, std::exp(std::log(0.7) / 1.2), 1e-12);
  const Vec3 forward = rotation_of(car) * Vec3::UnitX();
  EXPECT_NEAR(forward.z(), std::sin(0.765), 1e-9);  // turned by -0.765 about y
  EXPECT_NEAR(body(scene, "barrel 29").of<examples::Settings>()->yield, 1.5, 1e-9);
  EXPECT_FALSE(scene.notes.empty());
}

TEST_F(AuthorsScene, pipes_and_planes_of_the_pachinko_stand_where_they_stood) {
  const Scene scene = load("plinko.json");
  EXPECT_EQ(scene.bodies.size(), 35u);
  EXPECT_EQ(body(scene, "plane 0").plane, (std::vector<double>{0, 0, -1, -1}));
  EXPECT_FALSE(body(scene, "plane 0").look->visible);
  const BodyDescription& pipe = body(scene, "mesh 4");
  EXPECT_EQ(pipe.mesh, "pipe.obj");
  EXPECT_EQ(pipe.scale, 0.2);
  EXPECT_EQ(pipe.at, Vec3(0, 0, -1.1));
  EXPECT_LT((rotation_of(pipe) * Vec3::UnitY() - Vec3::UnitZ()).norm(), 1e-6);  // a quarter turn about x
}

TEST_F(AuthorsScene, changes_are_for_scenes_of_our_own) {
  const Result<Scene> scene = load_scene(*authors_data() / "examples" / "plinko.json", {"/fps=3"});
  ASSERT_FALSE(scene);
  EXPECT_NE(scene.error().text.find("convert this one with 'crumple check' first"), std::string::npos);
}

TEST(AuthorsSceneText, rigid_bodies_without_a_script_fall_and_those_with_one_are_driven) {
  const Result<Scene> scene = parse_scene(R"({"ground": false, "gravity": -3, "bulletObjects": [
    {"shape": "sphere", "mass": 2, "radius": 0.5, "offset": [0, 5, 0]},
    {"shape": "sphere", "mass": 2, "constantForce": [1, 0, 0], "constantForceFrames": 30},
    {"shape": "box", "mass": 0, "constantForce": [0, 1, 0]}]} and what follows is ignored)", "x.json");
  ASSERT_TRUE(scene) << scene.error().text;
  ASSERT_EQ(scene->bodies.size(), 3u);
  EXPECT_EQ(scene->gravity, Vec3(0, -3, 0));
  EXPECT_TRUE(scene->bodies[0].script.empty());
  EXPECT_EQ(scene->bodies[0].mass, 2);
  EXPECT_EQ(scene->bodies[1].script.at(0).until, 0.5);
  EXPECT_EQ(scene->bodies[2].motion, rigid::Motion::Scripted);
  EXPECT_FALSE(scene->bodies[2].script.at(0).until);
  EXPECT_EQ(scene->dt(), 1.0 / 60);
}

}  // namespace
}  // namespace crumple
