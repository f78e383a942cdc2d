#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/world/world.h"

namespace crumple {
namespace {

const std::string kDrum = (std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / "drum.glb").string();

struct HostileScene {
  const char* name;
  std::string top, bodies;  // what stands beside "crumple" and "assets", and the bodies besides the ground
};

void PrintTo(const HostileScene& scene, std::ostream* out) { *out << scene.name; }

const HostileScene kScenes[] = {
    {"mass_ratio_of_a_million", R"("seconds": 0.5)",
     R"({"name": "drum", "asset": "drum", "at": [0, 0.5, 0], "mass": 0.1, "examples": {}}, {"name": "anvil", "box": [1, 1, 1], "at": [0, 2, 0], "mass": 100000})"},
    {"two_drums_at_the_same_place", R"("seconds": 0.5)",
     R"({"name": "drum", "asset": "drum", "examples": {}, "places": [{"at": [0, 1, 0]}, {"at": [0, 1, 0]}]})"},
    {"a_drum_deep_in_the_ground", R"("seconds": 0.5)", R"({"name": "drum", "asset": "drum", "at": [0, -20, 0], "examples": {}})"},
    {"a_drum_of_a_millimetre", R"("seconds": 0.2)", R"({"name": "drum", "asset": "drum", "scale": 0.001, "at": [0, 0.01, 0], "examples": {}})"},
    {"a_drum_of_a_kilometre", R"("seconds": 0.5)", R"({"name": "drum", "asset": "drum", "scale": 1000, "at": [0, 500, 0], "velocity": [0, -300, 0], "examples": {}})"},
    {"a_ball_of_a_micrometre", R"("seconds": 0.2)", R"({"name": "ball", "sphere": 1e-6, "at": [0, 0.01, 0]})"},
    {"a_thousand_substeps", R"("seconds": 0.05, "substeps": 1000)", R"({"name": "drum", "asset": "drum", "at": [0, 0.5, 0], "velocity": [0, -5, 0], "examples": {}})"},
    {"one_frame_a_second", R"("seconds": 3, "fps": 1, "substeps": 1)", R"({"name": "drum", "asset": "drum", "at": [0, 3, 0], "examples": {}})"},
    {"no_gravity", R"("seconds": 0.5, "gravity": [0, 0, 0])", R"({"name": "drum", "asset": "drum", "at": [0, 2, 0], "velocity": [0, -4, 0], "examples": {}})"},
    {"gravity_of_a_star", R"("seconds": 0.3, "gravity": [0, -1e6, 0])", R"({"name": "drum", "asset": "drum", "at": [0, 2, 0], "examples": {}})"},
    {"a_bullet", R"("seconds": 0.2)",
     R"({"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "examples": {}}, {"name": "bullet", "sphere": 0.02, "at": [-1, 0.6, 0], "velocity": [1e5, 0, 0], "density": 8000})"},
    {"the_fastest_spin", R"("seconds": 0.3)", R"({"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "spin": [1e6, 1e6, 0], "examples": {}})"},
    {"every_knob_at_its_end", R"("seconds": 0.5)",
     R"({"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "velocity": [0, -9, 0], "material": {"restitution": 1, "friction": 1e9},
         "examples": {"gain": 1e12, "yield": 0, "radius": 1e9, "lag": 0.9999, "soften": 1e12, "recover": 1e12, "friction": true, "emphasis": [1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9]}})"},
    {"a_tiny_radius", R"("seconds": 0.3)", R"({"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "velocity": [0, -9, 0], "examples": {"radius": 1e-9, "lag": 0}})"},
    {"a_body_that_goes_before_it_can_land", R"("seconds": 0.3)", R"({"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "start": 0.1, "end": 0.11, "examples": {}})"},
    {"no_frames_but_the_first", R"("seconds": 0)", R"({"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "examples": {}})"},
    {"one_frame", R"("seconds": 0.017)", R"({"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "examples": {}})"},
    {"nothing_but_the_ground", R"("seconds": 0.1)", R"({"name": "wall", "plane": [3, 0, 0, -5]})"},
};

class Hostile : public testing::TestWithParam<HostileScene> {};
INSTANTIATE_TEST_SUITE_P(Scenes, Hostile, testing::ValuesIn(kScenes), [](const auto& info) { return std::string(info.param.name); });

TEST_P(Hostile, runs_to_the_end_with_finite_numbers_only) {
  const std::string text = fmt::format(R"({{"crumple": 1, "assets": {{"drum": "{}"}}, {}, "bodies": [{{"name": "ground", "plane": [0, 1, 0, 0]}}, {}]}})", kDrum,
                                       GetParam().top, GetParam().bodies);
  Result<Scene> scene = parse_scene(text, "hostile.json");
  ASSERT_TRUE(scene) << scene.error().text;
  Result<World> built = World::build(*scene);
  ASSERT_TRUE(built) << built.error().text;
  World& world = *built;
  for (int frame = 0; frame <= scene->frame_count(); ++frame) {
    if (frame > 0) world.step_frame();
    for (size_t i = 0; i < world.bodies().size(); ++i) {
      const rigid::PartState state = world.part_state(static_cast<int>(i));
      ASSERT_TRUE(state.place.translation.allFinite() && state.place.rotation.allFinite()) << world.bodies()[i].description->name << " at frame " << frame;
      ASSERT_TRUE(state.velocity.allFinite() && state.spin.allFinite()) << world.bodies()[i].description->name << " at frame " << frame;
    }
    for (const FrameItem& item : world.frame().items) {
      for (const Vec3f& p : item.positions) ASSERT_TRUE(p.allFinite()) << item.name << " at frame " << frame;
    }
  }
  EXPECT_EQ(world.frame_number(), scene->frame_count());
}

}  // namespace
}  // namespace crumple
