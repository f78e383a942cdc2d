#include "tests/scene/drum_scenes.h"

namespace crumple {
namespace {

/// A grip that holds something for four seconds and then goes down for one, slower than what falls asleep.
std::string grip() {
  return R"({"name": "grip", "box": [0.1, 0.1, 0.1], "at": [1.05, 2, 0], "motion": "scripted", "script": [{"from": 4, "until": 5, "velocity": [0, -0.05, 0]}]})";
}

TEST(StructuresInUse, wake_when_the_scripted_body_that_holds_them_moves) {
  World world = built(drum_scene(R"("seconds": 6, "bodies": [{"name": "bar", "at": [0, 2, 0], "structure": {"section": {"rect": [0.02, 0.02]},
    "material": {"steel": 2e8}, "bars": [{"from": [0, 0, 0], "to": [1, 0, 0], "pieces": 4}], "supports": [{"at": [0, 0, 0]}, {"at": [1, 0, 0], "to": "grip"}]}},)" +
                                 grip() + "]"));
  run_frames(world, 200);
  ASSERT_EQ(world.awake_count(), 0);
  run_frames(world, 120);
  EXPECT_NEAR((world.place(0, 3) * Vec3(1, 0, 0)).y(), 1.95, 1e-3);
}

TEST(OrdinaryJoints, wake_what_hangs_on_a_scripted_body_that_moves) {
  World world = built(drum_scene(R"("seconds": 6, "bodies": [{"name": "arm", "box": [1, 0.1, 0.1], "at": [0.5, 2, 0]},)" + grip() +
                                 R"(], "joints": [{"kind": "fixed", "body": "arm", "to": "grip", "at": [1, 2, 0]}])"));
  run_frames(world, 200);
  ASSERT_EQ(world.awake_count(), 0);
  run_frames(world, 120);
  EXPECT_NEAR(world.place(0).translation.y(), 1.95, 1e-3);
}

}  // namespace
}  // namespace crumple
