#include <gtest/gtest.h>

#include "crumple/io/gltf.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

class Assembly : public testing::Test {
 protected:
  /// Nodes with all that stands between their braces.
  void write(const std::string& nodes) const {
    io::GltfBuilder builder("test");
    const Result<Json> list = parse_json("[" + nodes + "]", "nodes");
    ASSERT_TRUE(list) << list.error().text;
    for (const Json& node : list->items) builder.add("nodes", node);
    const Result<std::string> bytes = io::write_glb(std::move(builder).finish());
    ASSERT_TRUE(bytes && io::write_file(scratch / "yard.glb", *bytes));
  }
  Result<Scene> read(const std::string& bodies, const std::vector<std::string>& changes = {}) const {
    return parse_scene(R"({"crumple": 1, "assembly": "yard.glb", "bodies": [)" + bodies + "]}", scratch / "s.json", changes);
  }
  std::string complaint(const std::string& bodies) const {
    const Result<Scene> scene = read(bodies);
    std::string text = scene ? (scene->notes.empty() ? "" : scene->notes[0]) : scene.error().text;
    for (const std::string folder = (scratch / "").string(); text.find(folder) != std::string::npos;) text.erase(text.find(folder), folder.size());
    return text;
  }
  ScratchFolder scratch{"assembly"};
};

TEST_F(Assembly, copies_templates_to_their_nodes) {
  write(R"({"name": "group", "translation": [0, 0, 5], "children": [1]}, {"name": "drum.001", "translation": [1, 2, 3], "rotation": [0, 0.7071067811865476, 0, 0.7071067811865476]},
      {"name": "drum", "translation": [4, 0, 0]}, {"name": "other", "extras": {"crumple": "drum"}}, {"name": "drum.7", "extras": {"crumple": {"mass": 9}}, "translation": [9, 0, 0]},
      {"name": "ball", "translation": [0, 20, 0], "extras": {"crumple": {"sphere": 0.5}}})");
  const std::string bodies = R"({"name": "wall", "box": [1, 1, 1], "at": [50, 0, 0]}, {"name": "drum", "box": [1, 2, 1], "mass": 5, "at": [7, 7, 7], "turn": [0, 10, 0]})";
  const Result<Scene> scene = read(bodies, {"/bodies/drum/density=300", "/bodies/drum/mass=6", "/bodies/other/velocity=[1,0,0]"});
  EXPECT_FALSE(scene);  // mass and density
  const Result<Scene> good = read(bodies, {"/bodies/drum/mass=6", "/bodies/other/velocity=[1,0,0]"});
  ASSERT_TRUE(good) << good.error().text;
  std::vector<std::string> names;
  for (const BodyDescription& body : good->bodies) names.push_back(body.name);
  EXPECT_EQ(names, (std::vector<std::string>{"wall", "drum.001", "drum", "other", "drum.7", "ball"}));
  EXPECT_NEAR((good->bodies[1].at - Vec3(1, 2, 8)).norm(), 0, 1e-12);
  EXPECT_NEAR((rotation_of(good->bodies[1]) - rotation_from_degrees(Vec3(0, 90, 0))).norm(), 0, 1e-12);
  EXPECT_EQ(good->bodies[1].mass, 6);
  EXPECT_EQ(good->bodies[3].velocity, Vec3(1, 0, 0));
  EXPECT_EQ(good->bodies[4].mass, 9);
  EXPECT_EQ(good->bodies[5].sphere, 0.5);
  EXPECT_EQ(good->bodies[0].at, Vec3(50, 0, 0));
}

TEST_F(Assembly, names_nodes_without_a_body) {
  write(R"({"name": "drumm.002"}, {"name": "Lamp"}, {"name": "drum"})");
  EXPECT_EQ(complaint(R"({"name": "drum", "sphere": 1})"),
            "s.json:1: /assembly: nodes of yard.glb that no body has the name of are left out: \"drumm.002\" (did you mean \"drum\"?), \"Lamp\"");
}

TEST_F(Assembly, takes_one_scale_of_what_can_be_scaled) {
  write(R"({"name": "rock", "scale": [2, 2, 2]})");
  const Result<Scene> scene = read(R"({"name": "rock", "mesh": "rock.obj", "scale": 1.5})");
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_NEAR(scene->bodies[0].scale, 3, 1e-12);
  EXPECT_EQ(complaint(R"({"name": "rock", "sphere": 1})"), "s.json:1: /assembly: node \"rock\": has a scale other than 1; only an asset, a mesh or particles can be scaled");
  write(R"({"name": "rock", "scale": [2, 2, -2]})");
  EXPECT_EQ(complaint(R"({"name": "rock", "mesh": "rock.obj"})"), "s.json:1: /assembly: node \"rock\": is mirrored or sheared, or has no size; apply its scale in the modelling program");
}

TEST_F(Assembly, says_what_is_wrong) {
  EXPECT_EQ(complaint(R"({"name": "drum", "sphere": 1})"), "s.json:1: /assembly: yard.glb: no such file");
  write(R"({"name": "a", "extras": {"crumple": "drm"}})");
  EXPECT_EQ(complaint(R"({"name": "drum", "sphere": 1})"), "s.json:1: /assembly: node \"a\": there is no body \"drm\"; did you mean \"drum\"?");
  write(R"({"name": "drum"}, {"name": "drum"})");
  EXPECT_EQ(complaint(R"({"name": "drum", "sphere": 1})"), "s.json:1: /bodies: two bodies are called \"drum\"; names must differ");
}

}  // namespace
}  // namespace crumple
