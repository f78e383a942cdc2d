#include <gtest/gtest.h>

#include "tests/scene/scenes.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

BodyDescription ball(const std::string& name, const Vec3& at) {
  BodyDescription body;
  body.name = name, body.sphere = 0.2, body.at = at;
  return body;
}

std::string complaint_of(const Scene& scene) {
  const Result<World> world = World::build(scene);
  return world ? "" : world.error().text;
}

TEST(PublicFace, scenes_made_in_code_are_checked_like_files) {
  Scene scene;
  scene.bodies = {ball("one", Vec3::Zero()), ball("two", Vec3::UnitX())};
  EXPECT_EQ(complaint_of(scene), "");
  Scene wrong = scene;
  wrong.bodies[0].sphere.reset();
  EXPECT_NE(complaint_of(wrong).find("a body needs a shape"), std::string::npos);
  wrong = scene, wrong.bodies[0].sphere.reset(), wrong.bodies[0].asset = "drum";
  EXPECT_NE(complaint_of(wrong).find("there is no asset \"drum\""), std::string::npos);
  wrong = scene, wrong.bodies[1].name = "one";
  EXPECT_NE(complaint_of(wrong).find("two bodies are called \"one\""), std::string::npos);
  wrong = scene, wrong.joints.resize(1), wrong.joints[0].body = "one", wrong.joints[0].to = "tow";
  EXPECT_NE(complaint_of(wrong).find("there is no body \"tow\""), std::string::npos);
  wrong = scene, wrong.bodies[0].sphere = -1;
  EXPECT_NE(complaint_of(wrong), "");
  wrong = scene, wrong.bodies[0].mass = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(complaint_of(wrong), "");
  wrong = scene, wrong.fps = 0;
  EXPECT_NE(complaint_of(wrong), "");
}

TEST(PublicFace, a_value_is_set_by_its_path_or_not_at_all) {
  Scene scene = drum_scene(R"("bodies": [{"name": "drum", "asset": "drum", "examples": {}, "at": [0, 2, 0]}])");
  ASSERT_TRUE(scene.set("/bodies/drum/examples/yield=2"));
  EXPECT_EQ(scene.bodies[0].of<examples::Settings>()->yield, 2);
  const Result<void> wrong = scene.set("/bodies/drum/examples/yield=-1");
  EXPECT_FALSE(wrong);
  EXPECT_EQ(scene.bodies[0].of<examples::Settings>()->yield, 2);
  EXPECT_FALSE(scene.set("/bodies/drum/examples/yeild=1"));
}

TEST(PublicFace, a_snapshot_goes_on_to_the_same_fingerprint_and_a_changed_knob_takes_effect) {
  Scene scene = drum_scene(R"("checkpoint": 10, "bodies": [{"name": "floor", "plane": [0, 1, 0, 0]},
    {"name": "drum", "asset": "drum", "examples": {}, "at": [0, 1.2, 0], "velocity": [0, -6, 0]}])");
  World first = built(scene);
  run_frames(first, 10);
  const Snapshot snapshot = first.snapshot();
  run_frames(first, 20);
  World second = built(scene);
  ASSERT_TRUE(second.restore(snapshot));
  EXPECT_EQ(second.frame_number(), 10);
  run_frames(second, 20);
  EXPECT_EQ(second.fingerprint(), first.fingerprint());
  ASSERT_TRUE(scene.set("/bodies/drum/examples/gain=0"));
  World rigid = built(scene);
  ASSERT_TRUE(rigid.restore(snapshot));
  run_frames(rigid, 20);
  EXPECT_LT(damage_of(rigid.bodies()[1]).rms_displacement, damage_of(first.bodies()[1]).rms_displacement);
}

TEST(PublicFace, worlds_that_share_assets_are_the_same_as_those_that_do_not) {
  const Scene scene = drum_scene(R"("bodies": [{"name": "floor", "plane": [0, 1, 0, 0]}, {"name": "drum", "asset": "drum", "examples": {}, "at": [0, 1, 0]}])");
  const auto assets = std::make_shared<AssetLibrary>();
  Result<World> one = World::build(scene, assets), two = World::build(scene, assets);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->bodies()[1].solid.get(), two->bodies()[1].solid.get());
  World alone = built(scene);
  EXPECT_EQ(one->scene_hash(), alone.scene_hash());
  run_frames(*one, 20), run_frames(*two, 20), run_frames(alone, 20);
  EXPECT_EQ(one->fingerprint(), alone.fingerprint());
  EXPECT_EQ(two->fingerprint(), alone.fingerprint());
}

TEST(PublicFace, what_is_seen_does_not_depend_on_what_was_looked_at_before) {
  const Scene scene = drum_scene(R"("gravity": [0, 0, 0], "bodies": [{"name": "bar", "box": [1, 0.2, 0.2], "clusters": {"particles": 1200, "clusters": 24, "toughness": 0.05,
    "clamps": [{"normal": [1, 0, 0], "offset": 0.35, "velocity": [1, 0, 0]}, {"normal": [-1, 0, 0], "offset": 0.35, "velocity": [-1, 0, 0]}]}}])");
  World watched = built(scene), unwatched = built(scene);
  for (int i = 0; i < 30; ++i) {
    watched.step_frame(), unwatched.step_frame();
    watched.frame();
  }
  const Frame a = watched.frame(), b = unwatched.frame();
  ASSERT_GT(a.items.size(), 1u) << "nothing has torn";
  ASSERT_EQ(a.items.size(), b.items.size());
  for (size_t i = 0; i < a.items.size(); ++i) {
    EXPECT_EQ(a.items[i].surface->triangles, b.items[i].surface->triangles);
    EXPECT_EQ(a.items[i].positions, b.items[i].positions);
  }
}

}  // namespace
}  // namespace crumple
