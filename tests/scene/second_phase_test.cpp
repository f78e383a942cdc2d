// An impact feels the damage it does: thesis 5.2.3 and 5.2.4.
#include <cmath>

#include "crumple/core/parallel.h"
#include "tests/scene/bars.h"

namespace crumple {
namespace {

/// A drum that falls on its end; the fastest it rises afterwards.
double rebound(double soften, double height, bool second_phase = true) {
  Scene scene = drum_scene(fmt::format(R"("seconds": 2, "bodies": [{{"name": "floor", "plane": [0, 1, 0, 0], "material": {{"restitution": 1}}}},
    {{"name": "drum", "asset": "drum", "at": [0, {}, 0], "material": {{"restitution": 0.8}}, "examples": {{"soften": {}}}}}])", height, soften));
  scene.second_phase = second_phase;
  World world = built(scene);
  double fastest = 0;
  for (int step = 0; step < 300; ++step) world.step(), fastest = std::max(fastest, world.part_state(1, 0).velocity.y());
  return fastest;
}

TEST(SecondPhase, a_drop_rebounds_lower_the_more_damage_softens_whatever_step_it_falls_into) {
  for (const double height : {2.95, 2.962, 2.966, 2.974}) {
    double last = rebound(0, height);
    for (const double soften : {3.0, 10.0, 30.0}) {
      const double now = rebound(soften, height);
      EXPECT_LT(now, 0.95 * last) << height << " " << soften;
      last = now;
    }
    EXPECT_LT(rebound(300, height), 0.15 * rebound(0, height)) << height;
    EXPECT_EQ(rebound(300, height, false), rebound(0, height, false)) << "without it the bounce is over before it is softened";
  }
}

TEST(SecondPhase, a_drop_rebounds_alike_in_whatever_step_it_falls) {
  for (const double soften : {0.0, 10.0, 30.0}) {
    double lowest = 1e9, highest = 0;
    for (const double height : {2.95, 2.958, 2.962, 2.966, 2.974}) {
      const double now = rebound(soften, height);
      lowest = std::min(lowest, now), highest = std::max(highest, now);
    }
    EXPECT_LT(highest, 1.02 * lowest) << soften;
  }
  EXPECT_NEAR(rebound(0, 2.95), 0.8 * std::sqrt(2 * 9.81 * 2.6), 0.06);  // its centre falls 2.6 m, less the margin and the gap of a step
}

TEST(SecondPhase, nothing_is_solved_twice_where_nothing_yields) {
  Scene scene = drum_scene(R"("seconds": 1, "bodies": [{"name": "floor", "plane": [0, 1, 0, 0]},
    {"name": "drum", "asset": "drum", "at": [0, 0.6, 0], "spin": [0.3, 0, 0.2], "examples": {"yield": 100}}])");
  scene.second_phase = true;
  World world = built(scene);
  run_frames(world, 60);
  EXPECT_GT(world.timings().hits + world.loads().contacts.size(), 0u);
  EXPECT_EQ(world.timings().second_solves, 0);
}

/// A ball (5 kg, 10 m/s) hits one half of a bar (2 x 25 kg) from the side, at the middle of the half; nothing bounces or rubs.
class Half : public BarTest {
 protected:
  struct Outcome {
    double ball, far;  // m/s along the hit
    double link;       // N s that went through the link
    bool broken;
    double energy;     // J
    BarMomentum momentum;
  };
  Outcome after_hit(double strength, bool second_phase = true, double restitution = 0, int steps = 10) {
    Scene scene = this->scene(asset_, fmt::format(R"("seconds": 1, "bodies": [
      {{"name": "bar", "asset": "bar", "density": {}, "material": {{"restitution": {}, "friction": 0}}, "pieces": {{"strength": {}, "settle": 0}}}},
      {{"name": "ball", "sphere": 0.2, "at": [-0.5, 0.5805, 0], "mass": 5, "velocity": [0, -10, 0], "material": {{"restitution": {}, "friction": 0}}}}])",
                                                 kDensity, restitution, strength, restitution));
    scene.second_phase = second_phase;
    World world = built(scene);
    for (int step = 0; step < steps; ++step) world.step();
    const Body& bar = world.bodies()[0];
    const int far = bar.is_broken() && world.part_state(0, 0).place.translation.x() < 0 ? 1 : 0;
    Outcome outcome;
    outcome.ball = -world.part_state(1, 0).velocity.y(), outcome.far = -world.part_state(0, far).velocity.y();
    outcome.broken = bar.is_broken(), outcome.link = outcome.broken ? 25 * outcome.far : 0;
    outcome.energy = world.kinetic_energy(), outcome.momentum = momentum_of(world);
    return outcome;
  }
  std::string asset_ = halves();
};

TEST_F(Half, a_ball_through_a_link_keeps_its_momentum_less_what_the_link_bore) {
  const double whole = after_hit(1e11).ball;
  double last = 50.0 / 30.0 + 1e-3;
  for (const double strength : {1e-3, 2.0, 5.0, 10.0, 20.0, 25.0, 1e11}) {
    const Outcome now = after_hit(strength);
    EXPECT_EQ(now.broken, strength < 1e11) << strength;
    EXPECT_LE(now.link, strength * kArea * (1 + 1e-9)) << "a link transmits at most what it bears";
    if (now.broken) {
      EXPECT_NEAR(now.ball, (50 - now.link) / 30, 0.02) << strength;  // the half has begun to turn
    }
    EXPECT_LE(now.ball, last) << strength;
    EXPECT_GE(now.ball, whole - 1e-6) << strength;
    last = now.ball + 1e-9;
  }
  EXPECT_NEAR(after_hit(1e-3).ball, 50.0 / 30.0, 1e-3);
}

TEST_F(Half, momentum_is_exact_and_energy_never_rises) {
  for (const double restitution : {0.0, 0.5, 1.0}) {
    for (const double strength : {1e-3, 5.0, 20.0, 25.0, 1e11}) {
      const Outcome now = after_hit(strength, true, restitution);
      EXPECT_LT((now.momentum.linear - Vec3(0, -50, 0)).norm(), 1e-9) << strength;
      EXPECT_LT((now.momentum.angular - Vec3(0, 0, 25)).norm(), 0.3) << strength;  // a contact's two points lie a margin apart
      EXPECT_LT(now.energy, 250 * (1 + 1e-6)) << strength << " " << restitution;
    }
  }
}

TEST_F(Half, without_it_what_breaks_stops_what_hits_it_as_if_it_were_whole) {
  constexpr int kImpact = 4;  // steps until then
  EXPECT_EQ(after_hit(1e-3, false, 0, kImpact).ball, after_hit(1e11, true, 0, kImpact).ball);
  EXPECT_GT(after_hit(1e-3, true, 0, kImpact).ball, after_hit(1e-3, false, 0, kImpact).ball + 0.1);
}

TEST_F(Half, threads_change_nothing) {
  Scene scene = shot(quarters(), 10, 4);
  scene.second_phase = true;
  const int threads = thread_count();
  std::vector<uint64_t> prints;
  for (const int count : {1, 2, 5}) {
    set_thread_count(count);
    World world = built(scene);
    run_frames(world, 30);
    EXPECT_GT(world.timings().second_solves, 0);
    prints.push_back(world.fingerprint());
  }
  set_thread_count(threads);
  EXPECT_EQ(prints[0], prints[1]);
  EXPECT_EQ(prints[0], prints[2]);
}

}  // namespace
}  // namespace crumple
