// What the scenes of structures are meant to show.
#include <cmath>
#include <numbers>

#include "tests/scene/scenes.h"

namespace crumple {
namespace {

struct Counts {
  int joints = 0, broken = 0;
  double work = 0, worst_turn = 0, worst_elongation = 0;
};

/// Of the joints whose body and name begin so.
Counts count(const World& world, std::string_view body, std::string_view name = "") {
  Counts counts;
  for (const JointReport& joint : world.joint_reports()) {
    if (joint.body != body || !joint.name.starts_with(name)) continue;
    ++counts.joints;
    counts.broken += joint.history.broken_at >= 0;
    counts.work += joint.history.work;
    counts.worst_turn = std::max(counts.worst_turn, joint.history.turn);
    counts.worst_elongation = std::max(counts.worst_elongation, joint.history.elongation);
  }
  EXPECT_GT(counts.joints, 0) << body << " " << name;
  return counts;
}

rigid::JointHistory book(const World& world, std::string_view body, std::string_view name) {
  for (const JointReport& joint : world.joint_reports()) {
    if (joint.body == body && joint.name == name) return joint.history;
  }
  ADD_FAILURE() << "no joint " << name << " of " << body;
  return {};
}

Vec3 center(const World& world, std::string_view body) {
  return world.part_state(body_named(world, body)).place.translation;
}

/// Runs on to that time.
void play(World& world, double seconds) {
  run_frames(world, static_cast<int>(std::lround(seconds * world.scene().fps)) - world.frame_number());
  for (const StepReport::Frozen& frozen : world.report().frozen) ADD_FAILURE() << frozen.body << ": " << frozen.why;
}

World played_with(const std::string& name, const std::vector<std::string>& changes = {}) {
  World world = built(scene_file(name, changes));
  play(world, world.scene().seconds);
  return world;
}

TEST(StructureScenes, charpy_takes_what_the_pass_angle_asks_in_proportion_to_the_yield_stress) {
  for (const auto& [stress, exact] : {std::pair{"400e6", 122.0}, {"200e6", 61.0}, {"800e6", 244.0}}) {
    const World world = played_with("charpy.json", {std::string("/bodies/specimen/structure/joints/notch/material/steel=") + stress});
    EXPECT_NEAR(count(world, "specimen").work, exact, 0.05 * exact) << stress;
    EXPECT_EQ(count(world, "specimen").broken, 0);
    EXPECT_GT(center(world, "hammer").x() + 0.1, 0.02);  // its edge has gone through
  }
}

TEST(StructureScenes, blocks_hold_stretch_or_fall_as_their_weight_and_speed_say) {
  const World world = played_with("block_drop.json");
  EXPECT_LT(book(world, "at rest", "steel").elongation, 1e-3);  // the step of its weight that is put on at once
  const rigid::JointHistory caught = book(world, "caught", "steel"), fast = book(world, "too fast", "steel"), heavy = book(world, "too heavy", "steel");
  const double deceleration = 80e3 / 6006.96 - 10;
  EXPECT_LT(caught.broken_at, 0);
  EXPECT_NEAR(caught.elongation, 1 / (2 * deceleration), 0.05 / (2 * deceleration));
  for (const rigid::JointHistory& broken : {fast, heavy}) {
    EXPECT_NEAR(broken.elongation, 0.2, 1e-3);
    EXPECT_NEAR(broken.work, 80e3 * 0.2, 0.01 * 80e3 * 0.2);
  }
  const double slowed = std::sqrt(1.5 * 1.5 - 2 * deceleration * 0.2);
  EXPECT_NEAR(fast.broken_at, (1.5 - slowed) / deceleration, 0.01);
  EXPECT_GT(heavy.broken_at, 0.5);
  for (const char* fallen : {"too fast", "too heavy"})
    EXPECT_NEAR(world.part_state(body_named(world, fallen), 1).place.translation.y(), 1.5, 0.02) << fallen;
}

TEST(StructureScenes, a_paper_clip_lasts_as_many_bends_as_its_turn_allows) {
  const auto broken_at = [](const World& world) {
    double first = 1e300;
    for (const JointReport& joint : world.joint_reports()) {
      if (joint.history.broken_at >= 0) first = std::min(first, joint.history.broken_at);
    }
    return first;
  };
  const double whole = broken_at(played_with("paperclip.json")),
               half = broken_at(played_with("paperclip.json", {"/bodies/clip/structure/material/ultimate_rotation=2"}));
  const double to_and_fro = 4 * (std::numbers::pi / 3) / 2.5;  // s
  EXPECT_GT(whole, 0.3 + 1.5 * to_and_fro);
  EXPECT_LT(whole, 0.3 + 3 * to_and_fro);
  EXPECT_GT(half, 0.3 + 0.5 * to_and_fro);
  EXPECT_LT(half, 0.7 * whole);
}

TEST(StructureScenes, a_signpost_that_is_hit_stays_bent) {
  World world = built(scene_file("signpost.json"));
  play(world, 2.5);
  const int top = 11;
  const Vec3 bent = world.part_state(body_named(world, "sign"), top).place.translation;
  const Counts post = count(world, "sign", "post");
  EXPECT_EQ(count(world, "sign").broken, 0);
  EXPECT_GT(post.worst_turn, 0.3);
  EXPECT_GT(bent.x(), 0.6);
  play(world, 3);
  EXPECT_LT((world.part_state(body_named(world, "sign"), top).place.translation - bent).norm(), 0.02);
  EXPECT_GT(damage_of(world.bodies()[static_cast<size_t>(body_named(world, "sedan"))]).max_displacement, 0.05);
}

TEST(StructureScenes, a_lorry_breaks_the_gate_and_stops_behind_it) {
  const World world = played_with("gate.json");
  EXPECT_GE(book(world, "boom", "boom 1 - drive").broken_at, 0.7);
  EXPECT_GT(count(world, "boom").work, 10e3);
  EXPECT_GT(center(world, "lorry").x(), -2);
  EXPECT_LT(world.part_state(body_named(world, "lorry")).velocity.norm(), 1);
}

TEST(StructureScenes, a_car_breaks_the_fence_where_it_goes_through_and_nowhere_else) {
  World world = built(scene_file("fence.json"));
  play(world, 1.2);
  const Counts all = count(world, "fence");
  EXPECT_GE(all.broken, 5);
  EXPECT_LT(all.broken, all.joints / 3);
  for (const char* far : {"post 1 ", "post 2 ", "post 12 ", "post 13 ", "rail 1a", "rail 12a"})
    EXPECT_EQ(count(world, "fence", far).broken, 0) << far;
  EXPECT_GT(center(world, "sedan").x(), 4);
  EXPECT_GT(damage_of(world.bodies()[static_cast<size_t>(body_named(world, "sedan"))]).max_displacement, 0.005);
}

TEST(StructureScenes, a_plate_takes_the_energy_of_the_ball_and_not_more) {
  World world = built(scene_file("plate_ball.json"));
  play(world, 1);
  const double put_in = 10000 * (0.5 * 10 * 10 + 9.81 * (6.2 - center(world, "ball").y()));
  const Counts plate = count(world, "plate");
  EXPECT_GT(plate.work, 0.85 * put_in);
  EXPECT_LT(plate.work + world.kinetic_energy(), 1.005 * put_in);
  EXPECT_GT(plate.worst_turn, 0.1);
  EXPECT_GT(center(world, "ball").y(), 1.5);
}

TEST(StructureScenes, a_bridge_bears_one_lorry_and_not_the_other) {
  World world = built(scene_file("bridge_truck.json"));
  play(world, 3.8);
  const Counts after_first = count(world, "deck");
  EXPECT_EQ(after_first.broken, 0);
  EXPECT_LT(after_first.worst_turn, 0.04);
  EXPECT_GT(center(world, "lorry").x(), 8);
  EXPECT_NEAR(center(world, "lorry").y(), 5.95, 0.15);
  play(world, 6);
  EXPECT_GE(count(world, "deck").broken, 1);
  EXPECT_LT(center(world, "transporter").y(), 5);
}

TEST(StructureScenes, a_crane_stands_until_its_load_is_caught_and_then_folds) {
  World world = built(scene_file("crane_collapse.json"));
  play(world, 0.7);  // the load is still falling
  EXPECT_EQ(count(world, "crane").broken, 0);
  EXPECT_LT(count(world, "crane").worst_turn, 0.05);
  play(world, 2);
  EXPECT_GE(count(world, "crane").broken, 1);
  EXPECT_LT(center(world, "load").y(), 2);
}

}  // namespace
}  // namespace crumple
