// Bodies that bend: where, how far, and what stays as it was.
#include <cmath>
#include <numbers>

#include "crumple/core/parallel.h"
#include "tests/scene/bars.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

using Bends = AtWork<bends::Settings, bends::Model, bends::State>;

const Bends& bends_of(const World& world, std::string_view name) {
  return std::get<Bends>(*world.bodies()[static_cast<size_t>(body_named(world, name))].bonds);
}

double turn_of(const World& world, std::string_view name, size_t link = 0) {
  return bends_of(world, name).state.histories[link].turn;
}

Scene parsed_scene(const std::string& text) {
  Result<Scene> scene = parse_scene(text, scenes_folder() / "test.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
  return scene ? *scene : Scene();
}

constexpr double kMass = 4, kLength = 2, kBallMass = 5;
const std::string kTwoBones = R"("bones": [{"from": [-0.95, 0, 0], "to": [0, 0, 0]}, {"from": [0, 0, 0], "to": [0.95, 0, 0]}], "dynamic": false)";

/// A free plank of two bones, hinged in its middle, and a ball that hits it there. Neither bounces.
Scene hit_plank(const std::string& bends, double speed = 10, int substeps = 16, double at = 0, const std::string& more = "") {
  return parsed_scene(fmt::format(R"({{"crumple": 1, "seconds": 1, "gravity": [0, 0, 0], "substeps": {}, {} "bodies": [
    {{"name": "plank", "box": [2, 0.05, 0.2], "mass": 4, "material": {{"restitution": 0, "friction": 0, "spin_damping": 0}}, "bends": {{{}, {}}}}},
    {{"name": "ball", "sphere": 0.1, "mass": 5, "at": [{}, 0.126, 0], "velocity": [0, -{}, 0], "material": {{"restitution": 0, "friction": 0, "spin_damping": 0}}}}]}})",
                                  substeps, more, kTwoBones, bends, at, speed));
}

/// What turns against each other: of halves that are M L^2 / 96 each, nearly, the half of that.
double relative_inertia(const World& world) {
  const std::vector<rigid::WeldedPiece>& halves = bends_of(world, "plank").model.pieces;
  return 1 / (1 / halves[0].inertia(2, 2) + 1 / halves[1].inertia(2, 2));
}

TEST(Bends, a_plank_turns_as_far_as_the_energy_that_its_joint_takes) {
  // The ball stays on the hinge: what is lost until all move as one is the moment's work. m^2 v^2 / 2 (1 / (m + M / 4) - 1 / (m + M)) / Mp
  for (const double strength : {100.0, 200.0, 400.0}) {
    World world = built(hit_plank(fmt::format(R"("strength": {}, "damping": 0)", strength)));
    run_frames(world, 40);
    const double momentum = kBallMass * 10, expected = 0.5 * momentum * momentum * (1 / (kBallMass + kMass / 4) - 1 / (kBallMass + kMass)) / strength;
    EXPECT_NEAR(turn_of(world, "plank"), expected, 0.05 * expected) << strength;
    EXPECT_FALSE(bends_of(world, "plank").state.awake[0]) << "it rests and is welded again";
  }
}

TEST(Bends, bends_only_if_the_moment_of_the_hit_passes_strength_times_wake) {
  // Rigid: J = v / (1/m + 1/M), and the middle carries J L / 8 if the hit is there.
  const double per_speed = 1 / (1 / kBallMass + 1 / kMass) * kLength / 8;
  for (const int substeps : {1, 2, 4, 16}) {
    for (const double share : {0.9, 1.1}) {
      const double speed = share * 100 * 0.005 / per_speed;
      World world = built(hit_plank(R"("strength": 100, "damping": 0)", speed, substeps));
      run_frames(world, 20);
      EXPECT_EQ(bends_of(world, "plank").state.figures[bends::kWoken], share > 1 ? 1 : 0) << substeps << " " << share;
    }
  }
}

TEST(Bends, a_hit_beside_the_joint_carries_less_to_it) {
  // K = J |L / 8 - x / 2|, J = v / (1/m + 1/M + x^2 / I).
  const double x = 0.3, inertia = kMass * (kLength * kLength + 0.05 * 0.05) / 12;
  const double per_speed = 1 / (1 / kBallMass + 1 / kMass + x * x / inertia) * std::abs(kLength / 8 - x / 2);
  for (const double share : {0.9, 1.1}) {
    World world = built(hit_plank(R"("strength": 100, "damping": 0)", share * 100 * 0.005 / per_speed, 4, x));
    run_frames(world, 20);
    EXPECT_EQ(bends_of(world, "plank").state.figures[bends::kWoken], share > 1 ? 1 : 0) << share;
  }
}

TEST(Bends, the_waking_hit_is_solved_again_with_the_joint) {
  // A joint that bears nearly nothing passes J = v / (1/m + 4/M) on in its step; a rigid plank would take 22.2 N s.
  Scene scene = hit_plank(R"("strength": 0.5, "damping": 0)");
  scene.bodies[1].at.y() = 0.125 + 10 * scene.dt() + 1e-5;  // it touches at the end of a step: there is no overlap to be undone
  World world = built(scene);
  const auto speed = [&] { return -world.part_state(body_named(world, "ball")).velocity.y(); };
  for (int step = 0; step < 40 && speed() > 9.99; ++step) world.step();
  world.step();  // the first one may only have closed the gap
  EXPECT_NEAR(kBallMass * (10 - speed()), 10 / (1 / kBallMass + 4 / kMass), 0.2);
}

/// A plank whose halves spin against each other; nothing touches it.
World spinning_plank(const std::string& bends, double speed, int substeps) {
  Scene scene = hit_plank(bends + R"(, "condense": false)", 0, substeps);
  scene.bodies[1].at = Vec3(0, 50, 0);
  World world = built(scene);
  Snapshot snapshot = world.snapshot();
  io::StoredArray& stored = snapshot.arrays.at("plank/part");
  std::vector<double> records(stored.data.size() / sizeof(double));
  std::memcpy(records.data(), stored.data.data(), stored.data.size());
  for (size_t part = 0; part < 2; ++part) {
    double* const record = &records[part * records.size() / 2];
    record[17] = (record[9] < 0 ? -1 : 1) * speed / 2;  // spin about z, by the side that it is on
  }
  std::memcpy(stored.data.data(), records.data(), stored.data.size());
  EXPECT_TRUE(world.restore(snapshot));
  return world;
}

double angle_of(const World& world) {
  const Mat3 relative = world.place(0, 0).rotation.transpose() * world.place(0, 1).rotation;
  return std::atan2(relative(1, 0), relative(0, 0));
}

// The middles of both halves stay where they are and the hinge moves: each half turns about its own middle, and both are slowed.
TEST(Bends, turning_goes_on_as_strength_and_damping_let_it) {
  const double speed = 6, strength = 4;
  for (const double k : {0.0, 3.0, 20.0}) {
    World world = spinning_plank(fmt::format(R"("strength": {}, "damping": {})", strength, k), speed, 16);
    run_frames(world, 60);
    const double c = strength / relative_inertia(world);
    // dw/dt = -c - k w
    const double expected = k > 0 ? speed / k - c / (k * k) * std::log(1 + k * speed / c) : speed * speed / (2 * c);
    EXPECT_NEAR(std::abs(angle_of(world)), expected, 0.02 * expected) << k;
    EXPECT_NEAR(turn_of(world, "plank"), expected, 0.02 * expected) << k;
  }
}

TEST(Bends, a_spring_swings_as_the_analytic_solution_says_at_any_step) {
  const double speed = 1, stiffness = 60, damping = 0.004;
  for (const int substeps : {1, 2, 8}) {
    World world = spinning_plank(fmt::format(R"("strength": 1e6, "damping": 0, "spring": {{"stiffness": {}, "damping": {}}})", stiffness, damping), speed, substeps);
    const double inertia = relative_inertia(world), decay = 0.5 * damping * stiffness / inertia, frequency = std::sqrt(stiffness / inertia - decay * decay);
    const double most = speed / frequency;
    for (int frame = 1; frame <= 50; ++frame) {
      world.step_frame();
      const double time = frame / 60.0, expected = most * std::exp(-decay * time) * std::sin(frequency * time);
      EXPECT_NEAR(angle_of(world), expected, 0.01 * most) << substeps << " " << frame;
    }
  }
}

TEST(Bends, unbent_bodies_move_as_if_they_were_one_piece) {
  const auto thrown = [](bool condense) {
    Scene scene = hit_plank(fmt::format(R"("strength": 1e6, "condense": {})", condense ? "true" : "false"), 0, 8);
    scene.bodies[0].velocity = Vec3(1, 2, 0.5), scene.bodies[0].spin = Vec3(3, 1, 2);
    scene.bodies[1].at = Vec3(0, 50, 0);
    World world = built(scene);
    run_frames(world, 30);
    return std::pair{world.place(0, 0), world.place(0, 1)};
  };
  const auto [a, b] = thrown(true);
  const auto [c, d] = thrown(false);
  EXPECT_LT((a.translation - c.translation).norm(), 2e-3);
  EXPECT_LT((a.rotation - c.rotation).norm(), 1e-2);
  EXPECT_LT((c.rotation - d.rotation).norm(), 2e-3);
  EXPECT_EQ(a.rotation, b.rotation);
}

TEST(Bends, waking_and_welding_keep_momentum_and_place) {
  Scene scene = hit_plank(R"("strength": 150)", 10, 4, 0.1);
  World world = built(scene);
  const BarMomentum before = momentum_of(world);
  size_t parts = 1;
  int changes = 0;
  for (int step = 0; step < 400; ++step) {
    const Transform left = world.place(0, 0), right = world.place(0, 1);
    const rigid::PartState then = world.part_state(0, 0);
    world.step();
    if (world.bodies()[0].parts.size() == parts) continue;
    parts = world.bodies()[0].parts.size();
    ++changes;
    // No jump: a piece is where its motion takes it.
    const double reach = (then.velocity.norm() + then.spin.norm() * 1.1 + 12) * scene.dt();
    EXPECT_LT((world.place(0, 0).translation - left.translation).norm(), reach);
    EXPECT_LT((world.place(0, 1).translation - right.translation).norm(), reach);
  }
  EXPECT_EQ(changes, 2) << "it wakes once and is welded once";
  const BarMomentum after = momentum_of(world);
  EXPECT_NEAR(after.mass, before.mass, 1e-12 * before.mass);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-6 * before.linear.norm());
  EXPECT_LT((after.angular - before.angular).norm(), 2e-3 * before.linear.norm());
}

TEST(Bends, runs_are_the_same_on_any_number_of_threads_and_after_a_resume) {
  Scene scene = hit_plank(R"("strength": 150)", 10, 4, 0.1, R"("checkpoint": 7,)");
  const auto fingerprint = [&](int threads) {
    set_thread_count(threads);
    World world = built(scene);
    run_frames(world, 40);
    set_thread_count(0);
    return world.fingerprint();
  };
  const uint64_t one = fingerprint(1);
  EXPECT_EQ(one, fingerprint(2));
  World first = built(scene), second = built(scene);
  run_frames(first, 14);
  const Snapshot middle = first.snapshot();
  ASSERT_TRUE(second.restore(middle));
  run_frames(second, 26);
  EXPECT_EQ(second.fingerprint(), one);
}

}  // namespace
}  // namespace crumple
