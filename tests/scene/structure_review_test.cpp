#include <atomic>

#include "tests/scene/scenes.h"

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

TEST(StructuresInUse, are_not_wedged_apart_by_a_ball_that_is_deep_inside_after_one_step) {
  World world = built(drum_scene(R"("fps": 60, "substeps": 1, "seconds": 2, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]},
    {"name": "wall", "at": [0, 1.5, 0], "structure": {"material": {"steel": 2.35e8}, "plates": [{"size": [2, 2], "thickness": 0.02, "cells": [8, 8],
    "turn": [90, 0, 0]}], "supports": [{"at": [-1, -1, 0], "until": [1, -1, 0]}]}},
    {"name": "ball", "sphere": 0.15, "at": [0, 1.5, 5], "mass": 110, "velocity": [0, 0, -30]}])"));
  run_frames(world, 120);
  double work = 0;
  for (const JointReport& joint : world.joint_reports()) work += joint.history.work;
  EXPECT_LT(work, 0.5 * 110 * 30 * 30);
}

/// Three seconds of a scene at whose start a structure overlaps something: whether it was torn or bent by that, and came to rest.
void expect_quiet(const std::string& bodies) {
  World world = built(drum_scene(R"("seconds": 4, "checkpoint": 30, "bodies": [)" + bodies + "]"));
  run_frames(world, 180);
  for (const JointReport& joint : world.joint_reports()) {
    EXPECT_EQ(joint.history.work, 0) << joint.name;
    EXPECT_LT(joint.history.peak, 0.05) << joint.name;
  }
  EXPECT_EQ(world.awake_count(), 0);
}

TEST(StructuresInUse, may_stand_in_the_ground) {
  expect_quiet(
      R"({"name": "ground", "plane": [0, 1, 0, 0]}, {"name": "post", "structure": {"section": {"tube": [0.06, 0.003]}, "material": {"steel": 2.35e8},
    "bars": [{"from": [0, -0.4, 0], "to": [0, 2, 0], "pieces": 6}], "supports": [{"at": [0, -0.4, 0]}]}})");
}

TEST(StructuresInUse, may_appear_in_the_ground_as_a_checkpoint_is_taken) {
  expect_quiet(R"({"name": "ground", "plane": [0, 1, 0, 0]}, {"name": "post", "start": 0.5, "structure": {"section": {"tube": [0.06, 0.003]},
    "material": {"steel": 2.35e8}, "bars": [{"from": [0, -0.4, 0], "to": [0, 2, 0], "pieces": 6}], "supports": [{"at": [0, -0.4, 0]}]}})");
}

TEST(StructuresInUse, that_have_just_appeared_in_the_ground_continue_from_the_checkpoint_bit_for_bit) {
  const Scene scene =
      drum_scene(R"("seconds": 1, "checkpoint": 30, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]}, {"name": "post", "start": 0.5,
    "structure": {"section": {"tube": [0.06, 0.003]}, "material": {"steel": 2.35e8}, "bars": [{"from": [0, -0.4, 0], "to": [0.5, 2, 0], "pieces": 6}],
    "supports": [{"at": [0, -0.4, 0]}]}}])");
  const ScratchFolder scratch("newcomers");
  RunSettings settings;
  settings.folder = scratch / "whole";
  const Result<RunReport> whole = run_scene(scene, settings);
  ASSERT_TRUE(whole) << whole.error().text;
  EXPECT_EQ(whole->joint_work(), 0);
  StopFlag cancel;
  settings.folder = scratch / "stopped";
  settings.cancel = &cancel;
  settings.progress = [&](int frame, int, const World&) { if (frame >= 31) cancel.request(); };
  ASSERT_TRUE(run_scene(scene, settings));
  settings.cancel = nullptr, settings.progress = nullptr, settings.resume = true;
  const Result<RunReport> resumed = run_scene(scene, settings);
  ASSERT_TRUE(resumed) << resumed.error().text;
  EXPECT_EQ(resumed->fingerprint, whole->fingerprint);
  EXPECT_EQ(resumed->joint_work(), 0);
}

TEST(StructuresInUse, may_touch_the_ground_with_their_skin) {
  expect_quiet(
      R"({"name": "floor", "box": [4, 1, 4], "at": [0, -0.5, 0], "motion": "static"}, {"name": "post", "structure": {"section": {"tube": [0.06, 0.003]},
    "material": {"steel": 2.35e8}, "bars": [{"from": [0, 0, 0], "to": [0, 2, 0], "pieces": 6}], "supports": [{"at": [0, 0, 0]}]}})");
}

TEST(StructuresInUse, may_stand_on_the_seam_of_another) {
  expect_quiet(R"({"name": "deck", "at": [0, 2, 0], "structure": {"section": {"rect": [0.8, 0.2]}, "material": {"steel": 2.35e8},
      "bars": [{"from": [0, 0, 0], "to": [4, 0, 0], "pieces": 8}], "supports": [{"at": [0, 0, 0]}, {"at": [4, 0, 0]}]}},
    {"name": "rail", "at": [0, 2, 0], "structure": {"section": {"tube": [0.06, 0.003]}, "material": {"steel": 2.35e8},
      "bars": [{"from": [1, 0, 0], "to": [1, 1, 0]}, {"from": [3, 0, 0], "to": [3, 1, 0]}, {"from": [1, 1, 0], "to": [3, 1, 0]}],
      "supports": [{"at": [1, 0, 0], "to": "deck"}, {"at": [3, 0, 0], "to": "deck"}]}})");
}

/// What is allowed to overlap is still held up: a beam that begins half in the floor stays there.
TEST(StructuresInUse, do_not_sink_into_what_they_overlap) {
  World world = built(drum_scene(R"("seconds": 4, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]}, {"name": "bar", "structure": {
    "section": {"rect": [0.1, 0.1]}, "material": {"steel": 2.35e8}, "bars": [{"from": [0, 0, 0], "to": [2, 0, 0], "pieces": 6}]}}])"));
  run_frames(world, 180);
  for (int piece = 0; piece < 6; ++piece) EXPECT_NEAR((world.place(1, piece) * Vec3(1, 0, 0)).y(), 0, 2e-3);
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
