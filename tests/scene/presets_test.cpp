#include "crumple/scene/presets.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/scene/scenes.h"

namespace crumple {
namespace {

std::string refusal_of_bodies(const std::string& bodies) {
  const Result<Scene> scene = parse_scene(R"({"crumple": 1, "bodies": [)" + bodies + "]}", "x.json");
  return scene ? "" : scene.error().text;
}

BodyDescription body_of(const std::string& body) {
  return parsed_scene(R"({"crumple": 1, "bodies": [)" + body + "]}").bodies.front();
}

TEST(Presets, give_what_the_file_does_not_say) {
  const BodyDescription body = body_of(R"({"box": [1, 1, 1], "preset": "sheet metal", "material": {"friction": 0.1}, "dents": {"threshold": 3}})");
  EXPECT_EQ(body.density, 7850);
  EXPECT_EQ(body.material.friction, 0.1);
  EXPECT_EQ(body.material.restitution, 0.4);
  EXPECT_EQ(body.of<dents::Settings>()->threshold, 3);
  EXPECT_EQ(body.of<dents::Settings>()->depth, 0.012);
  EXPECT_FALSE(body.of<clusters::BodySettings>());  // that the preset has values for them gives no body clusters
}

TEST(Presets, leave_a_mass_or_a_material_of_bars_as_it_is) {
  EXPECT_FALSE(body_of(R"({"sphere": 1, "preset": "stone", "mass": 3})").density);
  const BodyDescription beam = body_of(R"({"preset": "steel", "structure": {"section": {"circle": 0.1}, "material": {"aluminium": 2e8}, "bars": [{"from": [0, 0, 0], "to": [1, 0, 0]}]}})");
  const auto& material = *beam.of<structures::Settings>()->material;
  EXPECT_EQ(material.aluminium, 2e8);
  EXPECT_FALSE(material.steel);
}

TEST(Presets, that_do_not_exist_are_told_with_the_nearest) {
  EXPECT_EQ(refusal_of_bodies(R"({"sphere": 1, "preset": "stel drum"})"), "x.json:1: /bodies/0/preset: there is no preset \"stel drum\"; did you mean \"steel drum\"?");
  EXPECT_EQ(refusal_of_bodies(R"({"sphere": 1, "preset": "xyz"})"), "x.json:1: /bodies/0/preset: there is no preset \"xyz\"; 'crumple list presets' shows them");
  EXPECT_NE(refusal_of_bodies(R"({"sphere": 1, "preset": 3})").find("/bodies/0/preset: expected a text"), std::string::npos);
}

TEST(Presets, stay_as_they_are_when_a_scene_is_written_and_read_again) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"box": [1, 1, 1], "preset": "clay", "dents": {"depth": 1}}]})");
  EXPECT_EQ(write_json(scene_json(parsed_scene(write_json(scene_json(scene))))), write_json(scene_json(scene)));
}

TEST(Presets, replace_values_when_they_are_set_in_a_scene_that_was_read) {
  Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"name": "box", "box": [1, 1, 1], "preset": "clay"}]})");
  ASSERT_TRUE(scene.set("/bodies/box/preset=glass"));
  EXPECT_EQ(scene.bodies[0].density, 2500);
  ASSERT_TRUE(scene.set("/bodies/box/density=2000"));
  EXPECT_EQ(scene.bodies[0].density, 2000);
  EXPECT_EQ(scene.bodies[0].material.restitution, 0.8);
  EXPECT_FALSE(scene.set("/bodies/box/preset=gloss"));
}

TEST(Presets, warn_where_they_have_no_values_for_a_method) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"name": "box", "box": [1, 1, 1], "preset": "glass", "dents": {}}]})");
  const std::vector<std::string> warnings = scene_warnings(scene);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("/bodies/box/preset: \"glass\" has no values for \"dents\"; its defaults count"), std::string::npos);
}

/// A body that has a method, with as little as that takes.
std::string body_with(std::string_view method) {
  const std::string key(method);
  if (key == "examples") return R"("asset": "drum", "examples": {})";
  if (key == "pieces") return R"("asset": "scored", "pieces": {})";
  if (key == "structure") return R"("structure": {"section": {"circle": 0.1}, "bars": [{"from": [0, 0, 0], "to": [1, 0, 0], "pieces": 2}]})";
  if (key == "bends") return R"("box": [1, 0.1, 0.1], "bends": {"bones": [{"from": [-0.5, 0, 0], "to": [0, 0, 0]}, {"from": [0, 0, 0], "to": [0.5, 0, 0]}]})";
  if (key == "points" || key == "clusters") return R"("box": [0.2, 0.2, 0.2], ")" + key + R"(": {"particles": 60})";
  return R"("box": [0.2, 0.2, 0.2], ")" + key + R"(": {})";
}

TEST(Presets, build_with_every_method_they_have_values_for) {
  std::string bodies;
  int count = 0;
  for (const Preset& preset : presets()) {
    for (const std::string& method : methods_of(preset)) {
      bodies += fmt::format(R"({}{{"preset": "{}", "at": [{}, 0, 0], {}}})", bodies.empty() ? "" : ", ", preset.name, 20 * count++, body_with(method));
    }
  }
  EXPECT_GT(count, 50);
  const Scene scene = parsed_scene(R"({"crumple": 1, "assets": {"drum": "../assets/drum.glb", "scored": "../assets/wall.glb"}, "bodies": [)" + bodies + "]}");
  EXPECT_TRUE(scene_warnings(scene).empty());
  World world = built(scene);
  world.step();
  EXPECT_TRUE(world.report().frozen.empty());
}

/// Names in the tables of methods that no body has would be lost in silence.
TEST(Presets, of_methods_are_presets_of_bodies) {
  const MethodSettings methods;
  for_each_method(methods, [&](const auto& settings) {
    for (const PresetValues& given : info_of(settings).presets) {
      const auto has_name = [&](const Preset& preset) { return preset.name == given.preset && preset.values.find(info_of(settings).key); };
      EXPECT_TRUE(std::ranges::any_of(presets(), has_name)) << info_of(settings).name << ": " << given.preset;
      EXPECT_TRUE(parse_json(given.values, "preset", JsonDialect::Strict)) << given.values;
    }
  });
}

}  // namespace
}  // namespace crumple
