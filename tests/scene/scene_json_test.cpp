#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/scene/scene.h"
#include "tests/cli/program.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> scene_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(scenes_folder())) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string resolved(const Scene& scene) {
  return write_json(scene_json(scene));
}

/// Every key there is, none at its default.
const char* kRichScene = R"({
  "crumple": 1, "title": "Everything", "fps": 30, "substeps": 8, "seconds": 2.5, "gravity": [0, -3.7, 0.1], "checkpoint": 10,
  "iterations": 20, "sleeping": false, "assets": {"drum": "drum.glb"},
  "bodies": [
    {"name": "floor", "plane": [0, 2, 0, 1], "material": {"friction": 0.9, "restitution": 0.4, "rolling_friction": 0.01}},
    {"box": [1, 2, 3], "at": [0, 5, 0], "turn": [10, 20, 30], "mass": 7, "velocity": [1, 2, 3], "spin": [0, 1, 0], "group": "crates", "ignores": ["balls"]},
    {"sphere": 0.5, "quaternion": [0, 0, 0.6, 0.8], "density": 300, "group": "balls", "start": 0.5, "end": 2, "asleep": true},
    {"name": "can", "cylinder": [0.3, 1], "motion": "scripted", "script": [{"from": 1, "until": 2, "velocity": [1, 0, 0]}, {"from": 3, "spin": [0, 0, 1]}]},
    {"name": "pill", "capsule": [0.2, 1], "material": {"damping": 0.1, "spin_damping": 0.2}, "look": {"color": [0.1, 0.2, 0.3], "metal": 1, "roughness": 0.2, "visible": false}},
    {"name": "rock", "mesh": "rock.obj", "scale": 2, "motion": "static"},
    // three drums, written once
    {"name": "drum", "asset": "drum", "quaternion": [0, 0, 0, 1],
     "places": [{"at": [0, 1, 0]}, {"at": [1, 1, 0], "turn": [0, 0, 90]}, {"name": "odd one", "at": [2, 1, 0]}],
     "examples": {"gain": 5, "yield": 0.1, "radius": 2, "lag": 0.5, "recover": 3, "soften": 7, "rule": "gradient", "friction": true, "emphasis": [1, 2]},
     "hulls": {"tolerance": 0.02, "least": 4, "most": 12, "margin": 0.01}},
  ],
  "joints": [{"name": "axle", "kind": "hinge", "body": "can", "to": "pill", "at": [0, 1, 0], "axis": [1, 0, 0], "low": -30, "high": 40, "motor": 2, "strength": 50, "collide": true}],
  "camera": {"eye": [1, 2, 3], "target": [0, 1, 0], "fov": 40},
})";

TEST(SceneJson, a_scene_is_read_with_comments_trailing_commas_and_places) {
  const Result<Scene> scene = parse_scene(kRichScene, "rich.json");
  ASSERT_TRUE(scene) << scene.error().text;
  ASSERT_EQ(scene->bodies.size(), 9u);
  EXPECT_EQ(scene->dt(), 1.0 / 240);
  EXPECT_EQ(scene->frame_count(), 75);
  EXPECT_EQ(scene->bodies[0].motion, rigid::Motion::Static);
  const std::vector<BodyDescription>& b = scene->bodies;
  EXPECT_EQ(b[6].name, "drum 1");
  EXPECT_EQ(b[7].name, "drum 2");
  EXPECT_EQ(b[8].name, "odd one");
  EXPECT_TRUE(b[6].quaternion);
  EXPECT_FALSE(b[7].quaternion);  // its own turn replaces it
  EXPECT_EQ(b[7].turn->z(), 90);
  EXPECT_EQ(b[8].at.x(), 2);
  for (size_t i = 6; i < 9; ++i) EXPECT_EQ(b[i].of<examples::Settings>()->rule, examples::Rule::Gradient);
}

TEST(SceneJson, bodies_without_a_name_are_called_after_their_shape_and_number) {
  const Result<Scene> scene = parse_scene(kRichScene, "rich.json");
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->bodies[1].name, "box 2");
  EXPECT_EQ(scene->bodies[2].name, "sphere 3");
}

TEST(SceneJson, defaults_are_filled_in) {
  const Result<Scene> scene = parse_scene(R"({"crumple": 1})", "x");
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_EQ(scene->fps, 60);
  EXPECT_EQ(scene->substeps, 4);
  EXPECT_EQ(scene->frame_count(), 300);
  EXPECT_TRUE(scene->bodies.empty());
}

TEST(SceneJson, a_resolved_scene_reads_back_to_itself) {
  std::vector<std::pair<std::string, std::string>> texts = {{"rich.json", kRichScene}, {"empty.json", R"({"crumple": 1})"}};
  for (const fs::path& file : scene_files()) texts.emplace_back(file.string(), text_of(file));
  ASSERT_GT(texts.size(), 4u);
  for (const auto& [file, text] : texts) {
    const Result<Scene> scene = parse_scene(text, file);
    ASSERT_TRUE(scene) << scene.error().text;
    const Result<Scene> again = parse_scene(resolved(*scene), file);
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(resolved(*again), resolved(*scene)) << file;
    EXPECT_EQ(again->bodies.size(), scene->bodies.size());
  }
}

TEST(SceneJson, turns_are_about_x_then_y_then_z) {
  EXPECT_LT((rotation_from_degrees({90, 0, 0}) * Vec3::UnitY() - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((rotation_from_degrees({0, 90, 0}) * Vec3::UnitZ() - Vec3::UnitX()).norm(), 1e-12);
  EXPECT_LT((rotation_from_degrees({0, 0, 90}) * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_LT((rotation_from_degrees({90, 90, 0}) * Vec3::UnitY() - Vec3::UnitX()).norm(), 1e-12);  // y to z, then z to x
  EXPECT_LT((rotation_from_degrees({0, 90, 90}) * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-12);  // z to x, then x to y
}

TEST(SceneJson, a_quaternion_of_any_length_is_the_same_turn) {
  BodyDescription body;
  body.turn = Vec3(0, 0, 90);
  const Mat3 turned = rotation_of(body);
  body.turn.reset();
  body.quaternion = {0, 0, 3, 3};
  EXPECT_LT((rotation_of(body) - turned).norm(), 1e-12);
}

TEST(SceneJson, files_lie_beside_the_scene) {
  Scene scene;
  scene.file = "shots/12/dock.json";
  EXPECT_EQ(resolve_path(scene, "../drum.glb"), fs::path("shots/12/../drum.glb"));
  EXPECT_EQ(resolve_path(scene, "/models/drum.glb"), fs::path("/models/drum.glb"));
}

TEST(SceneJson, every_rule_is_told_with_its_line_and_place) {
  const std::pair<const char*, const char*> bodies[] = {
      {R"({"at": [0, 1, 0]})", R"(: a body needs a shape: "box", "sphere", "cylinder", "capsule", "plane", "polygon", "mesh", "asset", "structure" or "particles")"},
      {R"({"sphere": 1, "box": [1, 1, 1]})", ": a body has exactly one shape"},
      {R"({"box": [1, 0, 1]})", "/box: sizes must be more than 0"},
      {R"({"box": [1, 1, 1e8]})", "/box: sizes must be between 1e-06 and 1000000 m"},
      {R"({"cylinder": [-1, 1]})", "/cylinder: sizes must be more than 0"},
      {R"({"capsule": [1, 1.9]})", "/capsule: the height includes the caps: it must be at least twice the radius"},
      {R"({"plane": [0, 0, 0, 1]})", "/plane: the normal has no length"},
      {R"({"mesh": ""})", "/mesh: must not be empty"},
      {R"({"asset": ""})", "/asset: must not be empty"},
      {R"({"asset": "durm"})", R"(/asset: there is no asset "durm"; did you mean "drum"?)"},
      {R"({"asset": "limousine"})", R"(/asset: there is no asset "limousine"; name it under "assets")"},
      {R"({"sphere": 1, "quaternion": [0, 0, 0, 0]})", "/quaternion: has no length"},
      {R"({"sphere": 1, "quaternion": [0, 0, 0, 1], "turn": [0, 0, 0]})", R"(/quaternion: give either "turn" or "quaternion")"},
      {R"({"plane": [0, 1, 0, 0], "motion": "scripted"})", "/motion: a plane is always static"},
      {R"({"sphere": 1, "motion": "static", "velocity": [1, 0, 0]})", R"(/velocity: a static body does not move; use "motion": "scripted")"},
      {R"({"sphere": 1, "motion": "static", "spin": [1, 0, 0]})", R"(/spin: a static body does not move; use "motion": "scripted")"},
      {R"({"sphere": 1, "motion": "static", "script": [{"spin": [1, 0, 0]}]})", R"(/script: a static body does not move; use "motion": "scripted")"},
      {R"({"sphere": 1, "mass": 1, "density": 1})", R"(/mass: give either "mass" or "density")"},
      {R"({"sphere": 1, "start": 1, "end": 1})", R"(/end: must be later than "start")"},
      {R"({"sphere": 1, "examples": {}})", R"(/examples: only a body made from an "asset" has examples)"},
      {R"({"asset": "drum", "motion": "scripted", "examples": {}})", "/examples: only dynamic bodies crumple"},
      {R"({"asset": "drum", "examples": {"emphasis": [1, -1]}})", "/examples/emphasis: factors must not be negative"},
      {R"({"asset": "drum", "hulls": {"least": 9, "most": 8}})", R"(/hulls/least: must not exceed "most")"},
      {R"({"sphere": 1, "script": [{"from": 1, "until": 1, "spin": [1, 0, 0]}]})", R"(/script/0/until: must be later than "from")"},
      {R"({"sphere": 1, "script": [{"from": 1}]})", R"(/script/0: needs "velocity" or "spin")"},
  };
  for (const auto& [body, message] : bodies) {
    const Result<Scene> scene = parse_scene(fmt::format("{{\"crumple\": 1, \"assets\": {{\"drum\": \"drum.glb\"}}, \"bodies\": [\n{}]}}", body), "x.json");
    ASSERT_FALSE(scene) << body;
    EXPECT_EQ(scene.error().text, fmt::format("x.json:2: /bodies/0{}", message));
    EXPECT_EQ(scene.error().kind, Error::Kind::Input);
  }
}

TEST(SceneJson, every_rule_of_joints_is_told) {
  const std::pair<const char*, const char*> joints[] = {
      {R"({"kind": "hinge"})", R"(: "body" is missing)"},
      {R"({"body": "dor"})", R"(/body: there is no body "dor"; did you mean "door"?)"},
      {R"({"body": "door", "to": "window"})", R"(/to: there is no body "window")"},
      {R"({"body": "door", "to": "door"})", "/to: a body cannot be joined to itself"},
      {R"({"body": "post"})", ": joins nothing that moves; one of the bodies must be dynamic"},
      {R"({"body": "door", "axis": [0, 0, 0]})", "/axis: has no length"},
      {R"({"body": "door", "kind": "hinge", "low": 2, "high": 1})", R"(/low: must not exceed "high")"},
      {R"({"body": "door", "kind": "hinge", "high": 1})", R"(/high: limits come in pairs: give "low" and "high")"},
      {R"({"body": "door", "kind": "ball", "motor": 1})", "/motor: only hinges and sliders have limits and motors"},
      {R"({"body": "door", "kind": "fixed", "low": 1, "high": 2})", "/low: only hinges and sliders have limits and motors"},
  };
  for (const auto& [joint, message] : joints) {
    const Result<Scene> scene = parse_scene(
        fmt::format(R"({{"crumple": 1, "bodies": [{{"name": "door", "box": [1, 1, 1]}}, {{"name": "post", "box": [1, 1, 1], "motion": "static"}}], "joints": [{}{}]}})", "\n", joint),
        "x.json");
    ASSERT_FALSE(scene) << joint;
    EXPECT_EQ(scene.error().text, fmt::format("x.json:2: /joints/0{}", message));
  }
}

TEST(SceneJson, names_must_differ) {
  const Result<Scene> twice = parse_scene(R"({"crumple": 1, "bodies": [{"name": "a", "sphere": 1}, {"name": "a", "sphere": 1}]})", "x.json");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().text, "x.json:1: /bodies: two bodies are called \"a\"; names must differ");
  const Result<Scene> place = parse_scene(R"({"crumple": 1, "bodies": [{"name": "a", "sphere": 1, "places": [{}, {}]}, {"name": "a 2", "sphere": 1}]})", "x.json");
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().text, "x.json:1: /bodies: two bodies are called \"a 2\"; names must differ");
}

/// The part of JSON Schema that ours uses. Returns the first complaint.
std::string complaint(const Json& schema, const Json& value, const std::string& at = "") {
  const auto number = [&](std::string_view key) { return schema.find(key); };
  if (const Json* choices = schema.find("anyOf")) {
    const auto takes = [&](const Json& choice) { return complaint(choice, value, at).empty(); };
    return std::any_of(choices->items.begin(), choices->items.end(), takes) ? "" : at + ": fits none of its choices";
  }
  if (const Json* type = schema.find("type")) {
    const std::map<std::string, Json::Kind> kinds = {{"object", Json::Kind::Object}, {"array", Json::Kind::Array},   {"number", Json::Kind::Number},
                                                     {"integer", Json::Kind::Number}, {"string", Json::Kind::Text}, {"boolean", Json::Kind::Boolean}};
    if (!kinds.count(type->text)) return at + ": the schema names an unknown type " + type->text;
    if (kinds.at(type->text) != value.kind) return at + ": wrong type";
  }
  if (const Json* options = schema.find("enum")) {
    if (std::none_of(options->items.begin(), options->items.end(), [&](const Json& option) { return option.text == value.text; })) return at + ": not an option";
  }
  if (value.is_number()) {
    if (number("minimum") && value.number < number("minimum")->number) return at + ": too small";
    if (number("exclusiveMinimum") && value.number <= number("exclusiveMinimum")->number) return at + ": too small";
    if (number("maximum") && value.number > number("maximum")->number) return at + ": too large";
  }
  if (number("minItems") && static_cast<double>(value.items.size()) < number("minItems")->number) return at + ": too few";
  if (number("maxItems") && static_cast<double>(value.items.size()) > number("maxItems")->number) return at + ": too many";
  for (size_t i = 0; i < value.items.size(); ++i) {
    const Json *first = schema.find("prefixItems"), *rest = schema.find("items");
    const Json* item = first && i < first->items.size() ? &first->items[i] : rest;
    if (!item || !item->is_object()) continue;
    if (const std::string inner = complaint(*item, value.items[i], fmt::format("{}/{}", at, i)); !inner.empty()) return inner;
  }
  for (const auto& [key, member] : value.members) {
    const Json* properties = schema.find("properties");
    const Json* inner = properties ? properties->find(key) : nullptr;
    const Json* others = schema.find("additionalProperties");
    if (!inner && others && others->is_object()) inner = others;
    if (!inner) return fmt::format("{}/{}: unknown key", at, key);
    if (const std::string found = complaint(*inner, member, fmt::format("{}/{}", at, key)); !found.empty()) return found;
  }
  return "";
}

TEST(SceneSchema, accepts_every_scene_as_written_and_as_resolved) {
  const Json schema = scene_schema();
  std::vector<std::pair<std::string, std::string>> texts = {{"rich.json", kRichScene}};
  for (const fs::path& file : scene_files()) texts.emplace_back(file.string(), text_of(file));
  for (const auto& [file, text] : texts) {
    const Result<Json> json = parse_json(text, file);
    ASSERT_TRUE(json) << json.error().text;
    EXPECT_EQ(complaint(schema, *json), "") << file;
    const Result<Scene> scene = parse_scene(text, file);
    ASSERT_TRUE(scene) << scene.error().text;
    EXPECT_EQ(complaint(schema, scene_json(*scene)), "") << file;
  }
}

TEST(SceneSchema, refuses_what_the_reader_refuses) {
  const Json schema = scene_schema();
  for (const char* text : {R"({"crumple": 2})", R"({"crumple": 1, "titel": "x"})", R"({"crumple": 1, "bodies": [{"sphere": -1}]})",
                           R"({"crumple": 1, "bodies": [{"asset": "a", "examples": {"lag": 2}}]})", R"({"crumple": 1, "joints": [{"body": "a", "kind": "spring"}]})"}) {
    EXPECT_NE(complaint(schema, *parse_json(text, "x")), "") << text;
    EXPECT_FALSE(parse_scene(text, "x")) << text;
  }
}

/// Every node says what it is, and in words.
void expect_described(const Json& node, const std::string& at) {
  EXPECT_TRUE(node.find("type") || node.find("enum") || node.find("anyOf")) << at;
  const Json* properties = node.find("properties");
  for (size_t i = 0; properties && i < properties->members.size(); ++i) {
    const auto& [key, inner] = properties->members[i];
    const Json* help = inner.find("description");
    EXPECT_TRUE(help && !help->text.empty()) << at << "/" << key;
    expect_described(inner, at + "/" + key);
  }
  if (const Json* items = node.find("items")) expect_described(*items, at + "/0");
}

TEST(SceneSchema, describes_every_key_in_words) {
  const Json schema = scene_schema();
  expect_described(schema, "");
  EXPECT_EQ(schema.find("required")->items[0].text, "crumple");
  EXPECT_TRUE(parse_json(write_json(schema), "schema", JsonDialect::Strict));
}

}  // namespace
}  // namespace crumple
