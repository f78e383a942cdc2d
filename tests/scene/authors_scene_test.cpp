#include "crumple/scene/import/paper1_scene.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/io/paper1_asset.h"
#include "crumple/io/paper1_pieces.h"
#include "tests/authors_data.h"
#include "tests/scene/scenes.h"

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
  EXPECT_NEAR(car.look->color.z(), 1, 1e-6);  // #1111ff
  EXPECT_NEAR(car.look->color.x(), 0.0056, 1e-4);
  // Levels of 16, 9, 4 and 1, each on the gaps of the one below.
  const World world = built(scene);
  const auto barrel = [&](int i) { return world.part_state(body_named(world, fmt::format("barrel {}", i))).place.translation; };
  EXPECT_LT((barrel(0) - Vec3(-3, 0.39, 0)).norm(), 1e-5);
  EXPECT_LT((barrel(15) - Vec3(-3 + 3 * 0.68, 0.39, 3 * 0.68)).norm(), 1e-5);
  EXPECT_LT((barrel(16) - Vec3(-3 + 0.34, 0.39 + 0.77, 0.34)).norm(), 1e-5);
  EXPECT_LT((barrel(29) - Vec3(-3 + 3 * 0.34, 0.39 + 3 * 0.77, 3 * 0.34)).norm(), 1e-5);
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

TEST_F(AuthorsScene, takes_changes_as_our_own_do) {
  const std::filesystem::path file = *authors_data() / "examples" / "plinko.json";
  const Result<Scene> scene = load_scene(file, {"/fps=30", "/bodies/plastic 1/examples/yield=7"});
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_EQ(scene->fps, 30);
  EXPECT_EQ(body(*scene, "plastic 1").of<examples::Settings>()->yield, 7);
  EXPECT_EQ(scene->notes, load("plinko.json").notes);
  const Result<Scene> wrong = load_scene(file, {"/bodies/plastic 99/mass=1"});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text.find("plastic 9"), std::string::npos);
}

/// A scene of scored bodies, as the authors write them.
class AuthorsScored : public AuthorsScene {
 protected:
  Scene scored(const std::string& text) {
    const Result<Scene> scene = parse_scene(text, *authors_data() / "examples" / "scored.json");
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
    return scene ? *scene : Scene{};
  }
};

TEST_F(AuthorsScored, stand_where_the_sum_of_their_pieces_centres_is_put) {
  const std::filesystem::path folder = *authors_data() / "examples" / "tieFighter2";
  const Result<Asset> asset = io::read_paper1_asset(folder);
  ASSERT_TRUE(asset) << asset.error().text;
  const Result<std::vector<io::Paper1Piece>> pieces = io::read_paper1_pieces(folder, *asset);
  ASSERT_TRUE(pieces) << pieces.error().text;
  ASSERT_EQ(pieces->size(), 4u);
  // Whole tetrahedra are in one piece, cut ones in two or more: weights of one half each.
  std::map<Tetrahedron, int> times;
  for (const io::Paper1Piece& piece : *pieces) {
    for (Tetrahedron tet : piece.tets) std::sort(tet.begin(), tet.end()), ++times[tet];
  }
  EXPECT_EQ(times.size(), 4162u);
  const Vec3 sum = io::paper1_center(*asset, *pieces);
  const Scene scene = scored(R"({"plasticBodies": [{"directory": "inputFiles/tieFighter2", "scaleFactor": 0.01, "offset": [1, 2, 3], "rotation": {"angle": 1.2, "axis": [0, 1, 0]}}]})");
  const BodyDescription& ship = body(scene, "plastic 0");
  EXPECT_LT((ship.at + rotation_of(ship) * (0.01 * sum) - Vec3(1, 2, 3)).norm(), 1e-9);
  EXPECT_FALSE(ship.of<pieces::Settings>()) << "their default does not break";
}

TEST_F(AuthorsScored, break_at_their_threshold_for_each_shared_vertex) {
  for (const auto& [name, links] : {std::pair{"craneDanFracture", 1}, std::pair{"tieFighter2", 3}, std::pair{"barrel4Examples", 1}}) {
    const Scene scene = scored(fmt::format(R"({{"plasticBodies": [{{"directory": "inputFiles/{}", "scaleFactor": 0.5, "breakingThreshold": 12}}]}})", name));
    const std::optional<pieces::Settings>& settings = body(scene, "plastic 0").of<pieces::Settings>();
    ASSERT_TRUE(settings) << name;
    EXPECT_NEAR(settings->settle, 5.0 / 60, 1e-12);
    const Result<Asset> asset = io::read_paper1_asset(*authors_data() / "examples" / name);
    ASSERT_TRUE(asset) << asset.error().text;
    ASSERT_EQ(settings->link_strength->size(), asset->pieces->links.size());
    EXPECT_GE(asset->pieces->links.size(), static_cast<size_t>(links));
    // What all links together bear: whole numbers of joints of 12 N s, over sqrt(3).
    double joints = 0;
    for (size_t l = 0; l < asset->pieces->links.size(); ++l) {
      if ((*settings->link_strength)[l] < 1e9) joints += (*settings->link_strength)[l] * asset->pieces->links[l].area * 0.25 * std::sqrt(3.0) / 12;
    }
    EXPECT_GT(joints, 3) << name;
    EXPECT_NEAR(joints, std::round(joints), 1e-6) << name;
  }
}

TEST_F(AuthorsScored, break_within_the_first_seconds_when_something_heavy_hits_them) {
  const auto broken = [&](const std::string& text) {
    World world = built(scored(text));
    run_frames(world, 120);
    return world.report().breaks.size();
  };
  const std::string crane = R"({{"ground": true, "dt": 0.004, "duration": 2, "bulletObjects": [{{"mass": 5000, "shape": "sphere", "radius": 0.5, "offset": [-8, 2, 0], "constantForce": [20, 0, 0], "constantForceFrames": 20}}],
    "plasticBodies": [{{"directory": "inputFiles/craneDanFracture", "offset": [0, 1.6, 0], "density": 1000, "plasticityImpulseScale": 10, "plasticityImpulseYield": 1e-4, "breakingThreshold": {}}}]}})";
  EXPECT_GT(broken(fmt::format(fmt::runtime(crane), 100)), 0u);
  EXPECT_EQ(broken(fmt::format(fmt::runtime(crane), 1e9)), 0u);
  const std::string ships = R"({{"ground": false, "gravity": 0, "dt": 0.004, "duration": 2, "plasticBodies": [
    {{"directory": "inputFiles/tieFighter2", "scaleFactor": 0.01, "density": 1000, "offset": [-2, 0, 0], "constantVelocity": [20, 0, 0], "constantVelocityFrames": 3, "breakingThreshold": {0}}},
    {{"directory": "inputFiles/tieFighter2", "scaleFactor": 0.01, "density": 1000, "offset": [2, 0, 0], "constantVelocity": [-20, 0, 0], "constantVelocityFrames": 3, "breakingThreshold": {0}}}]}})";
  EXPECT_GT(broken(fmt::format(fmt::runtime(ships), 1.0)), 1u);
  EXPECT_EQ(broken(fmt::format(fmt::runtime(ships), 1e9)), 0u);
  World barrels = built(load("barrels4Examples.json"));
  run_frames(barrels, 60);
  EXPECT_GT(barrels.report().breaks.size(), 0u) << "their own scene, threshold 1 N s";
}

TEST(AuthorsSceneText, rigid_bodies_without_a_script_stay_and_those_with_one_are_driven) {
  const Result<Scene> scene = parse_scene(R"({"ground": false, "gravity": -3, "bulletObjects": [
    {"shape": "sphere", "mass": 2, "radius": 0.5, "offset": [0, 5, 0]},
    {"shape": "sphere", "mass": 2, "constantForce": [1, 0, 0], "constantForceFrames": 30},
    {"shape": "box", "mass": 0, "constantForce": [0, 1, 0]}]} and what follows is ignored)", "x.json");
  ASSERT_TRUE(scene) << scene.error().text;
  ASSERT_EQ(scene->bodies.size(), 3u);
  EXPECT_EQ(scene->gravity, Vec3(0, -3, 0));
  EXPECT_TRUE(scene->bodies[0].script.empty());
  EXPECT_EQ(scene->bodies[0].motion, rigid::Motion::Static);
  EXPECT_EQ(scene->bodies[1].mass, 2);
  EXPECT_EQ(scene->notes.size(), 1u);
  EXPECT_EQ(scene->bodies[1].script.at(0).until, 0.5);
  EXPECT_EQ(scene->bodies[2].motion, rigid::Motion::Scripted);
  EXPECT_FALSE(scene->bodies[2].script.at(0).until);
  EXPECT_EQ(scene->dt(), 1.0 / 60);
}

}  // namespace
}  // namespace crumple
