#include <gtest/gtest.h>

#include "tests/scene/inside.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

/// A ball that lands on a table after 0.452 s, and what waits for that.
Scene waiting(const std::string& bodies, const std::string& more = "") {
  return parsed_scene(R"({"crumple": 1, "checkpoint": 12, "bodies": [{"name": "table", "box": [2, 1, 2], "motion": "static", "at": [0, -0.5, 0]},
      {"name": "ball", "sphere": 0.2, "at": [0, 1.2, 0], "group": "toys"}, )" + bodies + "]" + more + "}");
}

TEST(Events, a_body_is_held_until_the_contact_that_lets_it_go) {
  World world = built(waiting(R"({"name": "crate", "box": [1, 1, 1], "at": [5, 3, 0], "velocity": [1, 0, 0], "release": {"contact": ["toys", "table"]}})"));
  run_frames(world, 27);
  EXPECT_EQ(world.part_state(2).place.translation, Vec3(5, 3, 0));
  EXPECT_EQ(world.part_state(2).velocity, Vec3::Zero());
  run_frames(world, 13);
  EXPECT_NEAR(world.part_state(2).velocity.x(), 1, 1e-9);
  const double fallen = -world.part_state(2).velocity.y() / 9.81;
  EXPECT_NEAR(world.time() - fallen, 0.452, 0.01);
}

TEST(Events, a_body_appears_and_a_script_begins_after_a_contact) {
  World world = built(waiting(R"({"name": "late", "box": [1, 1, 1], "at": [5, 3, 0], "start": 0.1, "when": {"contact": ["ball"]}},
      {"name": "door", "box": [1, 1, 1], "at": [9, 3, 0], "motion": "scripted", "script": [{"until": 0.5, "velocity": [0, 2, 0], "when": {"contact": ["table", "ball"], "delay": 0.05}}]})"));
  run_frames(world, 32);  // 0.533 s: the door has gone for 0.03 s, and the box is not there
  EXPECT_FALSE(world.bodies()[2].is_present());
  EXPECT_GT(world.part_state(3).place.translation.y(), 3);
  run_frames(world, 60);
  EXPECT_TRUE(world.bodies()[2].is_present());
  EXPECT_NEAR(world.part_state(3).place.translation.y(), 4, 0.01);
}

TEST(Events, an_impulse_that_is_too_small_is_none) {
  const auto is_free = [](double impulse) {
    World world = built(waiting(fmt::format(R"({{"box": [1, 1, 1], "at": [5, 3, 0], "release": {{"contact": ["ball"], "impulse": {}}}}})", impulse)));
    run_frames(world, 40);
    return world.part_state(2).velocity.y() < 0;
  };
  const double ball = 1000 * 4 / 3.0 * std::numbers::pi * 0.008 * std::sqrt(2 * 9.81);  // its momentum, when it lands
  EXPECT_TRUE(is_free(0.9 * ball));
  EXPECT_FALSE(is_free(1.5 * ball));
}

TEST(Events, matter_touches_too) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"name": "table", "box": [2, 1, 2], "motion": "static", "at": [0, -0.5, 0]},
      {"name": "lump", "sphere": 0.2, "at": [0, 0.4, 0], "clusters": {"particles": 100}}, {"box": [1, 1, 1], "at": [5, 3, 0], "release": {"contact": ["lump", "table"]}}]})");
  World world = built(scene);
  run_frames(world, 30);
  EXPECT_LT(world.part_state(2).velocity.y(), 0);
}

TEST(Events, an_explosion_goes_off_at_a_contact_and_not_again) {
  World world = built(waiting(R"({"name": "crate", "box": [1, 1, 1], "at": [3, 0.5, 0], "mass": 50}, {"plane": [0, 1, 0, 0]})",
                              R"(, "forces": [{"kind": "explosion", "bodies": ["crate"], "impulse": 1000, "radius": 5, "when": {"contact": ["ball", "table"]}}])"));
  run_frames(world, 27);
  EXPECT_LT(world.part_state(2).velocity.norm(), 0.1);
  run_frames(world, 3);
  const double speed = world.part_state(2).velocity.x();
  EXPECT_GT(speed, 2);
  run_frames(world, 60);
  EXPECT_LT(world.part_state(2).velocity.x(), speed);
}

TEST(Events, go_on_from_a_checkpoint_before_or_after_they_happened) {
  const Scene scene = waiting(R"({"name": "crate", "box": [1, 1, 1], "at": [2.2, 3, 0], "spin": [0, 1, 0], "release": {"contact": ["ball"]}},
      {"name": "late", "box": [1, 1, 1], "at": [5, 3, 0], "start": 0.3, "when": {"contact": ["ball"], "delay": 0.1}})",
                              R"(, "forces": [{"kind": "explosion", "start": 0.3, "impulse": 300, "when": {"contact": ["ball", "table"]}}])");
  World whole = built(scene);
  for (const int frames : {24, 36, 48}) {
    World world = built(scene);
    run_frames(world, frames);
    World resumed = resumed_from(world, scene);
    run_frames(world, 60 - frames), run_frames(resumed, 60 - frames);
    EXPECT_EQ(state_hash(world), state_hash(resumed)) << frames;
    EXPECT_EQ(world.fingerprint(), resumed.fingerprint()) << frames;
  }
}

TEST(Events, that_cannot_be_are_refused) {
  const auto refusal = [](const std::string& body) {
    const Result<Scene> scene = parse_scene(R"({"crumple": 1, "bodies": [{"name": "wall", "plane": [0, 1, 0, 0]}, {"name": "box", )" + body + "}]}", "x.json");
    return scene ? "" : scene.error().text;
  };
  EXPECT_EQ(refusal(R"("box": [1, 1, 1], "release": {"contact": ["wal"]})"), "x.json:1: /bodies/box/release/contact/0: there is no body or group \"wal\"; did you mean \"wall\"?");
  EXPECT_EQ(refusal(R"("box": [1, 1, 1], "release": {"contact": []})"), "x.json:1: /bodies/1/release/contact: needs one or two names");
  EXPECT_EQ(refusal(R"("box": [1, 1, 1], "motion": "static", "release": {"contact": ["wall"]})"), "x.json:1: /bodies/1/release: only a dynamic body can be let go");
  EXPECT_EQ(refusal(R"("box": [1, 1, 1], "clusters": {}, "release": {"contact": ["wall"]})"), "x.json:1: /bodies/1/release: a body of clusters is let go by the \"end\" of \"clamps\"");
  EXPECT_EQ(refusal(R"("box": [1, 1, 1], "when": {"contact": ["wall"], "delya": 3})"), "x.json:1: /bodies/1/when/delya: unknown key; did you mean \"delay\"?");
}

}  // namespace
}  // namespace crumple
