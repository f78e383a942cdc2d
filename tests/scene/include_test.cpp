#include <gtest/gtest.h>

#include "crumple/io/files.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

/// Files of scenes in a folder that is gone afterwards.
class IncludedFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& inside) const {
    std::filesystem::create_directories((scratch / name).parent_path());
    ASSERT_TRUE(io::write_file(scratch / name, R"({"crumple": 1, )" + inside + "}"));
  }
  Scene read(const std::string& name, const std::vector<std::string>& changes = {}) const {
    Result<Scene> scene = load_scene(scratch / name, changes);
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
    return scene ? *scene : Scene();
  }
  /// What is said against a file, without the folder.
  std::string complaint(const std::string& name) const {
    const Result<Scene> scene = load_scene(scratch / name);
    std::string text = scene ? "" : scene.error().text;
    for (const std::string folder = (scratch / "").string(); text.find(folder) != std::string::npos;) text.erase(text.find(folder), folder.size());
    return text;
  }
  ScratchFolder scratch{"include"};
};

TEST_F(IncludedFiles, puts_bodies_joints_and_forces_first_and_in_order) {
  write("one.json", R"("bodies": [{"name": "a", "box": [1, 1, 1]}], "joints": [{"body": "a"}])");
  write("two.json", R"("bodies": [{"name": "b", "sphere": 1, "places": [{}, {"at": [5, 0, 0]}]}], "forces": [{"kind": "explosion"}])");
  write("all.json", R"("include": [{"file": "one.json"}, {"file": "two.json"}], "bodies": [{"name": "c", "sphere": 2, "at": [20, 0, 0]}], "joints": [{"body": "c", "to": "b 2"}])");
  const Scene scene = read("all.json");
  ASSERT_EQ(scene.bodies.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(scene.bodies[i].name, (std::array{"a", "b 1", "b 2", "c"})[i]);
  ASSERT_EQ(scene.joints.size(), 2u);
  EXPECT_EQ(scene.joints[1].to, "b 2");
  // A force of a file acts on the bodies of that file.
  EXPECT_EQ(scene.forces[0].bodies, (std::vector<std::string>{"b 1", "b 2"}));
}

TEST_F(IncludedFiles, places_and_names_what_it_brings) {
  write("part.json", R"("bodies": [{"name": "box", "box": [1, 2, 3], "at": [1, 0, 0], "turn": [0, 0, 90], "velocity": [1, 0, 0]}, {"name": "post", "box": [1, 1, 1], "motion": "static"}],
      "joints": [{"body": "box", "to": "post", "kind": "hinge", "at": [1, 0, 0], "axis": [1, 0, 0]}],
      "forces": [{"kind": "wind", "velocity": [1, 0, 0], "when": {"contact": ["box", "post"]}}])");
  write("all.json", R"("include": [{"file": "part.json", "prefix": "left "}, {"file": "part.json", "prefix": "right ", "at": [0, 5, 0], "turn": [0, 90, 0]}])");
  const Scene scene = read("all.json");
  ASSERT_EQ(scene.bodies.size(), 4u);
  const BodyDescription &left = scene.bodies[0], &right = scene.bodies[2];
  EXPECT_EQ(left.name, "left box");
  EXPECT_EQ(left.turn->z(), 90);
  EXPECT_EQ(right.name, "right box");
  EXPECT_NEAR((right.at - Vec3(0, 5, -1)).norm(), 0, 1e-12);
  EXPECT_NEAR((right.velocity - Vec3(0, 0, -1)).norm(), 0, 1e-12);
  EXPECT_NEAR((rotation_of(right) - rotation_from_degrees(Vec3(0, 90, 0)) * rotation_from_degrees(Vec3(0, 0, 90))).norm(), 0, 1e-12);
  EXPECT_EQ(scene.joints[1].body, "right box");
  EXPECT_EQ(scene.joints[1].to, "right post");
  EXPECT_NEAR((scene.joints[1].axis - Vec3(0, 0, -1)).norm(), 0, 1e-12);
  EXPECT_EQ(scene.forces[1].when->contact, (std::vector<std::string>{"right box", "right post"}));
  EXPECT_NEAR((scene.forces[1].velocity.value - Vec3(0, 0, -1)).norm(), 0, 1e-12);
}

TEST_F(IncludedFiles, finds_files_from_the_folder_of_the_file_that_names_them) {
  const std::string drum = (scenes_folder().parent_path() / "assets" / "drum.glb").string();
  std::filesystem::create_directories(scratch / "parts/models");
  std::filesystem::copy_file(drum, scratch / "parts/models/drum.glb");
  write("parts/drum.json", R"("assets": {"drum": "models/drum.glb"}, "bodies": [{"name": "drum", "asset": "drum", "examples": {}}])");
  write("parts/pair.json", R"("include": [{"file": "drum.json", "prefix": "first "}, {"file": "drum.json", "prefix": "second ", "at": [3, 0, 0]}])");
  write("all.json", R"("include": [{"file": "parts/pair.json"}])");
  const Scene scene = read("all.json");
  EXPECT_EQ(scene.assets.at("second drum"), "parts/models/drum.glb");
  EXPECT_EQ(built(scene).bodies().size(), 2u);
}

TEST_F(IncludedFiles, lets_changes_reach_what_it_brings) {
  write("part.json", R"("bodies": [{"name": "box", "box": [1, 2, 3]}])");
  write("all.json", R"("include": [{"file": "part.json"}], "bodies": [{"name": "ball", "sphere": 1, "at": [9, 0, 0]}])");
  const Scene scene = read("all.json", {"/bodies/box/mass=7", "/bodies/ball/mass=8", "/seconds=2"});
  EXPECT_EQ(scene.bodies[0].mass, 7);
  EXPECT_EQ(scene.bodies[1].mass, 8);
  EXPECT_EQ(scene.seconds, 2);
  EXPECT_FALSE(load_scene(scratch / "all.json", {"/bodies/bax/mass=7"}));
}

TEST_F(IncludedFiles, tells_what_is_wrong_and_where) {
  write("missing.json", R"("include": [{"file": "nowhere.json"}])");
  EXPECT_TRUE(complaint("missing.json").starts_with("missing.json:1: /include/0: nowhere.json: ")) << complaint("missing.json");
  write("a.json", R"("include": [{"file": "b.json"}])");
  write("b.json", R"("include": [{"file": "a.json"}])");
  EXPECT_EQ(complaint("a.json"), "a.json:1: /include/0: b.json:1: /include/0: a.json: includes itself");
  write("wrong.json", R"("bodies": [{"name": "box", "box": [1, 1, 1], "atx": 1}])");
  write("of_wrong.json", R"("include": [{"file": "wrong.json"}])");
  EXPECT_EQ(complaint("of_wrong.json"), "of_wrong.json:1: /include/0: wrong.json:1: /bodies/0/atx: unknown key; did you mean \"at\"?");
  write("box.json", R"("bodies": [{"name": "box", "box": [1, 1, 1]}])");
  write("twice.json", R"("include": [{"file": "box.json"}, {"file": "box.json"}])");
  EXPECT_EQ(complaint("twice.json"), "twice.json:1: /bodies: two bodies are called \"box\"; names must differ");
  write("misspelt.json", R"("include": [{"flie": "box.json"}])");
  EXPECT_EQ(complaint("misspelt.json"), "misspelt.json:1: /include/0: \"file\" is missing");
  write("held.json", R"("bodies": [{"name": "lump", "box": [1, 1, 1], "clusters": {"clamps": [{"within": {"box": [1, 1, 1]}}]}}])");
  write("moved.json", R"("include": [{"file": "held.json", "at": [0, 1, 0]}])");
  EXPECT_EQ(complaint("moved.json"), "moved.json:1: /include/0: \"lump\" has \"clamps\", which stand in the world; include it without \"at\" and \"turn\"");
}

}  // namespace
}  // namespace crumple
