#include "crumple/scene/changes.h"

#include <gtest/gtest.h>

#include "crumple/scene/scene.h"

namespace crumple {
namespace {

const char* kText = R"({
  "crumple": 1,
  "assets": {"drum": "drum.glb"},
  "bodies": [
    {"name": "ground", "plane": [0, 1, 0, 0]},
    {"name": "drum", "asset": "drum", "quaternion": [0, 0, 0, 1], "examples": {"yield": 0.5},
     "places": [{"at": [0, 1, 0]}, {"at": [1, 1, 0], "turn": [0, 0, 90]}, {"name": "last", "at": [2, 1, 0]}]},
    {"name": "ball", "sphere": 1}
  ]
})";

Scene changed(const std::vector<std::string>& changes) {
  Result<Scene> scene = parse_scene(kText, "x.json", changes);
  EXPECT_TRUE(scene) << scene.error().text;
  return scene ? *scene : Scene();
}

std::string refusal(const std::string& change) {
  const Result<Scene> scene = parse_scene(kText, "x.json", {change});
  return scene ? "" : scene.error().text;
}

TEST(Changes, reach_values_by_key_index_and_name) {
  EXPECT_EQ(changed({"/fps=24"}).fps, 24);
  EXPECT_EQ(changed({"/bodies/2/sphere=3"}).bodies.back().sphere, 3);
  EXPECT_EQ(changed({"/bodies/ball/sphere=3"}).bodies.back().sphere, 3);
  EXPECT_EQ(changed({"/gravity=[0, -1, 0]"}).gravity.y(), -1);
  EXPECT_EQ(changed({"/sleeping=false"}).sleeping, false);
}

TEST(Changes, make_keys_and_objects_that_are_missing) {
  EXPECT_EQ(changed({"/bodies/ball/material/friction=0.9"}).bodies.back().material.friction, 0.9);
  EXPECT_EQ(changed({"/camera/fov=30"}).camera.fov, 30);
}

TEST(Changes, take_unquoted_words_as_texts) {
  EXPECT_EQ(changed({"/title=Dock at night"}).title, "Dock at night");
  EXPECT_EQ(changed({"/title=\"Quoted\""}).title, "Quoted");
  EXPECT_EQ(changed({"/title=a=b"}).title, "a=b");
  EXPECT_EQ(changed({"/bodies/ball/motion=static"}).bodies.back().motion, rigid::Motion::Static);
}

TEST(Changes, apply_to_all_places_or_to_one) {
  const Scene all = changed({"/bodies/drum/examples/yield=2"});
  ASSERT_EQ(all.bodies.size(), 5u);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(all.bodies[i].of<examples::Settings>()->yield, 2);
  const Scene one = changed({"/bodies/drum 2/examples/yield=2"});
  ASSERT_EQ(one.bodies.size(), 5u);
  EXPECT_EQ(one.bodies[1].of<examples::Settings>()->yield, 0.5);
  EXPECT_EQ(one.bodies[2].of<examples::Settings>()->yield, 2);
  EXPECT_EQ(one.bodies[3].of<examples::Settings>()->yield, 0.5);
  EXPECT_EQ(one.bodies[3].name, "last");
  EXPECT_EQ(one.bodies[2].turn->z(), 90);
  EXPECT_FALSE(one.bodies[2].quaternion);
  EXPECT_EQ(changed({"/bodies/last/at=[9,9,9]"}).bodies[3].at.x(), 9);
}

TEST(Changes, writing_places_out_changes_nothing_else) {
  const Scene one = changed({"/bodies/drum 2/examples/yield=0.5"});
  EXPECT_EQ(write_json(scene_json(one)), write_json(scene_json(changed({}))));
}

TEST(Changes, reach_bodies_by_the_names_they_were_given) {
  const char* text = R"({"crumple": 1, "bodies": [{"box": [1, 1, 1], "places": [{}, {"at": [3, 0, 0]}]}, {"sphere": 1, "at": [0, 9, 0]}],
                        "joints": [{"kind": "ball", "body": "sphere 2"}]})";
  const Result<Scene> scene = parse_scene(text, "x.json", {"/bodies/box 1 2/mass=3", "/bodies/sphere 2/mass=4"});
  ASSERT_TRUE(scene) << scene.error().text;
  ASSERT_EQ(scene->bodies.size(), 3u);
  EXPECT_EQ(scene->bodies[1].name, "box 1 2");
  EXPECT_EQ(scene->bodies[1].mass, 3);
  EXPECT_EQ(scene->bodies[2].name, "sphere 2");
  EXPECT_EQ(scene->bodies[2].mass, 4);
}

TEST(Changes, come_in_order_and_the_last_wins) {
  EXPECT_EQ(changed({"/fps=24", "/fps=25"}).fps, 25);
}

TEST(Changes, may_replace_or_empty_whole_parts) {
  EXPECT_TRUE(changed({"/bodies=[]"}).bodies.empty());
  EXPECT_EQ(changed({"/bodies/drum/places=[{\"at\": [5, 0, 0]}]"}).bodies[1].at.x(), 5);
}

TEST(Changes, that_are_wrong_are_refused_with_what_to_do) {
  const std::string expected = ": expected a path and a value, such as '/bodies/drum 1/examples/yield=2'";
  for (const std::string change : {"", "fps=3", "/fps", "/=3", "=3"}) EXPECT_EQ(refusal(change), "--set " + change + expected);
  EXPECT_EQ(refusal("/bodies/durm/scale=2"), "--set /bodies/durm/scale=2: there is no \"durm\"; did you mean \"drum\"?");
  EXPECT_EQ(refusal("/bodies/99/scale=2"), "--set /bodies/99/scale=2: there is no \"99\"");
  EXPECT_EQ(refusal("/fps/x=2"), "x.json: /fps: expected a number, not an object");
  EXPECT_EQ(refusal("/crumple/x=2"), "--set /crumple/x=2: \"crumple\" has nothing inside to set");
  EXPECT_EQ(refusal("/bodies/ball/shpere=2"), "x.json: /bodies/2/shpere: unknown key; did you mean \"sphere\"?");
  EXPECT_EQ(refusal("/fps=fast"), "x.json: /fps: expected a number, not a text");
  EXPECT_EQ(refusal("/fps=null"), "x.json: /fps: expected a number, not null");
  EXPECT_EQ(refusal("/bodies/ball/sphere=-1"), "x.json:8: /bodies/2/sphere: -1 is out of range; it must be between 1e-06 and 1000000 m");
  EXPECT_EQ(refusal("/fps=0"), "x.json: /fps: 0 is out of range; it must be between 1 and 10000");
}

}  // namespace
}  // namespace crumple
