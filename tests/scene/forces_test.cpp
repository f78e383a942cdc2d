#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/scene/inside.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

constexpr double kPi = std::numbers::pi;

/// Without gravity, unless `inside` says otherwise later.
Scene without_gravity(const std::string& inside) {
  return parsed_scene(R"({"crumple": 1, "gravity": [0, 0, 0], "assets": {"wall": "../assets/wall.glb"}, )" + inside + "}");
}

World run_for(const Scene& scene, double seconds) {
  World world = built(scene);
  run_frames(world, static_cast<int>(std::lround(seconds * scene.fps)));
  return world;
}

Vec3 momentum_of_matter(const World& world, int body) {
  Vec3 sum = Vec3::Zero();
  std::visit(
      [&](const auto& matter) {
        auto copy = matter;
        const particles::ParticleSpan span = particles_of(copy.model, copy.state);
        for (size_t i = 0; i < span.size(); ++i) sum += span.unit * span.mass[i] * span.velocities[i].template head<3>().template cast<double>();
      },
      *world.bodies()[static_cast<size_t>(body)].matter);
  return sum;
}

std::string refusal_of_forces(const std::string& forces) {
  const Result<Scene> scene = parse_scene(R"({"crumple": 1, "bodies": [{"name": "ball", "sphere": 1, "group": "toys"}], "forces": [)" + forces + "]}", "x.json");
  return scene ? "" : scene.error().text;
}

TEST(Forces, wind_drives_a_ball_as_the_drag_of_its_silhouette_says) {
  const World world = run_for(without_gravity(R"("bodies": [{"sphere": 0.1, "mass": 1}], "forces": [{"kind": "wind", "velocity": [10, 0, 0], "drag": 0.5}])"), 2);
  const double rate = 0.5 * 1.2 * 0.5 * kPi * 0.01;
  EXPECT_NEAR(world.part_state(0).velocity.x(), 10 - 10 / (1 + rate * 10 * 2), 1e-9);
}

TEST(Forces, drag_grows_with_the_side_that_a_box_shows) {
  const auto speed = [](const std::string& way) {
    return run_for(without_gravity(R"("bodies": [{"box": [1, 2, 3], "mass": 10}], "forces": [{"kind": "wind", "velocity": )" + way + "}]"), 0.5).part_state(0).velocity.norm();
  };
  const auto wanted = [](double area) { return 10 - 10 / (1 + 0.5 * 1.2 * area / 10 * 10 * 0.5); };
  EXPECT_NEAR(speed("[10, 0, 0]"), wanted(6), 1e-9);
  EXPECT_NEAR(speed("[0, 10, 0]"), wanted(3), 1e-9);
  EXPECT_NEAR(speed("[0, 0, 10]"), wanted(2), 1e-9);
}

TEST(Forces, a_ball_falls_at_its_terminal_velocity) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"sphere": 0.1, "mass": 0.05, "at": [0, 100, 0]}], "forces": [{"kind": "wind", "velocity": [0, 0, 0]}]})");
  EXPECT_NEAR(run_for(scene, 4).part_state(0).velocity.y(), -std::sqrt(0.05 * 9.81 / (0.5 * 1.2 * kPi * 0.01)), 0.05);
}

TEST(Forces, air_that_is_as_thick_as_syrup_is_stable_at_any_step) {
  const World world = run_for(without_gravity(R"("fps": 10, "substeps": 1, "bodies": [{"sphere": 1, "mass": 0.001}], "forces": [{"kind": "wind", "velocity": [0, 3, 0], "air": 1e5}])"), 1);
  EXPECT_NEAR(world.part_state(0).velocity.y(), 3, 1e-6);
}

TEST(Forces, gusts_swell_within_their_share_and_are_the_same_for_a_seed) {
  const auto speed = [](const std::string& more, double seconds) {
    return run_for(without_gravity(R"("bodies": [{"sphere": 0.5, "mass": 0.01}], "forces": [{"kind": "wind", "velocity": [10, 0, 0], "gust": 0.5, "gust_time": 0.3)" + more + "}]"), seconds)
        .part_state(0).velocity.x();
  };
  double least = 1e9, most = 0;
  for (const double seconds : {0.5, 0.7, 0.9, 1.1, 1.3}) least = std::min(least, speed("", seconds)), most = std::max(most, speed("", seconds));
  EXPECT_GT(least, 4.9);
  EXPECT_LT(most, 15.1);
  EXPECT_GT(most - least, 1);
  EXPECT_EQ(speed("", 0.9), speed("", 0.9));
  EXPECT_NE(speed("", 0.9), speed(R"(, "seed": 2)", 0.9));
}

TEST(Forces, an_attractor_keeps_energy_and_angular_momentum_of_an_orbit) {
  for (const double falloff : {2.0, 0.0, -1.0}) {
    const Scene scene = without_gravity(fmt::format(
        R"("bodies": [{{"sphere": 0.1, "at": [1, 0, 0], "velocity": [0, 2.4, 0], "material": {{"spin_damping": 0}}}}],
        "forces": [{{"kind": "attractor", "strength": 9, "radius": 1, "falloff": {}, "core": 0.2}}])", falloff));
    World world = built(scene);
    const auto energy = [&] {
      const rigid::PartState state = world.part_state(0);
      const double softened = std::hypot(state.place.translation.norm(), 0.2);
      return 0.5 * state.velocity.squaredNorm() + 9 * std::pow(softened, 1 - falloff) / (1 - falloff);
    };
    const auto turn = [&] { return world.part_state(0).place.translation.cross(world.part_state(0).velocity).z(); };
    const double energy_before = energy(), turn_before = turn();
    double worst = 0;
    for (int frame = 0; frame < 120; ++frame) {
      world.step_frame();
      worst = std::max(worst, std::abs(energy() - energy_before));
    }
    EXPECT_NEAR(turn(), turn_before, 1e-9);
    EXPECT_LT(worst, 0.02 * 0.5 * 2.4 * 2.4) << falloff;
  }
}

TEST(Forces, a_box_attracts_to_its_nearest_place_and_not_within) {
  const Scene scene = without_gravity(R"("bodies": [{"sphere": 0.1, "at": [0.5, 3, 0]}, {"sphere": 0.1, "at": [0, 0, 0.4]}],
      "forces": [{"kind": "attractor", "box": [2, 2, 2], "strength": 8, "radius": 2, "falloff": 0, "core": 1e-3}])");
  const World world = run_for(scene, 0.1);
  EXPECT_NEAR(world.part_state(0).velocity.y(), -0.8, 1e-3);
  EXPECT_NEAR(world.part_state(0).velocity.x(), 0, 1e-9);
  EXPECT_EQ(world.part_state(1).velocity, Vec3::Zero());
}

TEST(Forces, a_region_has_its_own_gravity) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"sphere": 0.1, "at": [0, 5, 0]}, {"sphere": 0.1, "at": [9, 5, 0]}],
      "forces": [{"kind": "gravity", "gravity": [0, -50, 0]}, {"kind": "gravity", "at": [0, 5, 0], "sphere": 2, "gravity": [0, 3, 0]}]})");
  const World world = run_for(scene, 0.5);
  EXPECT_NEAR(world.part_state(0).velocity.y(), 1.5, 1e-9);
  EXPECT_NEAR(world.part_state(1).velocity.y(), -25, 1e-9);
}

TEST(Forces, act_on_the_bodies_that_are_named_alone) {
  const World world = run_for(without_gravity(R"("bodies": [{"name": "a", "sphere": 0.1}, {"name": "b", "sphere": 0.1, "at": [3, 0, 0], "group": "toys"}, {"sphere": 0.1, "at": [6, 0, 0]}],
      "forces": [{"kind": "gravity", "gravity": [0, 1, 0], "bodies": ["a", "toys"]}])"), 0.5);
  EXPECT_NEAR(world.part_state(0).velocity.y(), 0.5, 1e-9);
  EXPECT_NEAR(world.part_state(1).velocity.y(), 0.5, 1e-9);
  EXPECT_EQ(world.part_state(2).velocity.y(), 0);
}

TEST(Forces, act_on_matter_as_on_rigid_bodies) {
  for (const char* method : {"clusters", "points"}) {
    const std::string ball = R"("sphere": 0.2, "mass": 2, ")" + std::string(method) + R"(": {"particles": 150})";
    const Scene falling = without_gravity(R"("bodies": [{)" + ball + R"(}], "forces": [{"kind": "gravity", "gravity": [0, -3, 1]}])");
    const World world = run_for(falling, 0.25);
    EXPECT_NEAR((momentum_of_matter(world, 0) - 2 * Vec3(0, -0.75, 0.25)).norm(), 0, 2e-3) << method;
    const Scene blown = without_gravity(R"("bodies": [{)" + ball + R"(}], "forces": [{"kind": "wind", "velocity": [20, 0, 0]}])");
    const World in_wind = run_for(blown, 0.25);
    const double rate = 0.5 * 1.2 * kPi * 0.04 / 2, wanted = 20 - 20 / (1 + rate * 20 * 0.25);
    EXPECT_NEAR(momentum_of_matter(in_wind, 0).x() / 2, wanted, 0.1 * wanted) << method;  // the box of its particles is not quite that of the ball
  }
}

TEST(Forces, an_explosion_gives_its_impulse_once) {
  // Far from a small ball the impulse is that per area times its silhouette.
  const Scene scene = without_gravity(R"("bodies": [{"sphere": 0.1, "mass": 2, "at": [0, 4, 0]}, {"sphere": 0.1, "mass": 2, "at": [0, -4, 0]}, {"sphere": 0.1, "at": [0, 0, 11]}],
      "forces": [{"kind": "explosion", "start": 0.25, "impulse": 500, "radius": 10, "falloff": 2}])");
  World world = run_for(scene, 0.2);
  EXPECT_EQ(world.kinetic_energy(), 0);
  run_frames(world, 30);
  const double wanted = 500 * 0.6 * 0.6 * kPi * 0.01;
  EXPECT_NEAR(2 * world.part_state(0).velocity.y(), wanted, 0.01 * wanted);
  EXPECT_NEAR((world.part_state(0).velocity + world.part_state(1).velocity).norm(), 0, 1e-12);
  EXPECT_EQ(world.part_state(2).velocity.norm(), 0);
}

TEST(Forces, an_explosion_beside_a_plank_turns_it) {
  const World world = run_for(without_gravity(R"("bodies": [{"box": [2, 0.1, 0.5], "mass": 5}], "forces": [{"kind": "explosion", "at": [0.9, -1, 0], "impulse": 100, "radius": 3}])"), 0.1);
  EXPECT_GT(world.part_state(0).velocity.y(), 0.5);
  EXPECT_GT(world.part_state(0).spin.z(), 0.5);
}

TEST(Forces, an_explosion_wakes_and_damages) {
  const Scene scene = drum_scene(R"("bodies": [{"name": "ground", "plane": [0, 1, 0, 0]},
      {"name": "near", "asset": "drum", "mass": 25, "at": [0, 0.45, 0], "asleep": true, "examples": {}}, {"name": "far", "asset": "drum", "mass": 25, "at": [30, 0.45, 0], "asleep": true, "examples": {}}],
      "forces": [{"kind": "explosion", "at": [-1, 0.3, 0], "start": 0.1, "impulse": 600, "radius": 6}])");
  const World world = run_for(scene, 0.5);
  EXPECT_GT(world.part_state(1).velocity.x(), 1);
  EXPECT_GT(damage_of(world.bodies()[1]).max_displacement, 0.01);
  EXPECT_LT(damage_of(world.bodies()[2]).max_displacement, 1e-6);
  const EnergyLedger& energy = world.report().energy;
  EXPECT_GT(energy.forces, 100);
  EXPECT_LT(std::abs(energy.unaccounted()), 1e-6 * energy.scale());
}

/// How fast the fastest piece flies, and the momentum of all, along z.
std::pair<double, double> blown_wall(bool second_phase) {
  const World world = run_for(without_gravity(fmt::format(R"("second_phase": {}, "bodies": [{{"asset": "wall", "mass": 500, "pieces": {{"strength": 100}}}}],
      "forces": [{{"kind": "explosion", "at": [0, 0, -1], "start": 0.15, "impulse": 1000, "radius": 8}}])", second_phase)), 0.3);
  const Body& wall = world.bodies()[0];
  EXPECT_GT(wall.parts.size(), 1u);
  double most = 0, sum = 0;
  for (size_t p = 0; p < wall.parts.size(); ++p) {
    const double speed = world.part_state(0, static_cast<int>(p)).velocity.z();
    most = std::max(most, speed), sum += wall.parts[p].mass * speed;
  }
  return {most, sum};
}

TEST(Forces, an_explosion_breaks_a_scored_body_and_its_pieces_fly) {
  const auto [fastest, momentum] = blown_wall(true);
  const auto [fastest_of_one, momentum_of_one] = blown_wall(false);
  EXPECT_GT(fastest, fastest_of_one);
  EXPECT_NEAR(momentum, momentum_of_one, 1e-6 * momentum_of_one);
}

TEST(Forces, energy_that_wind_and_regions_bring_is_booked) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]}, {"box": [1, 1, 1], "at": [0, 1.2, 0], "preset": "cardboard"}],
      "forces": [{"kind": "wind", "velocity": [15, 0, 0]}, {"kind": "gravity", "at": [4, 0, 0], "box": [4, 9, 9], "gravity": [0, 2, 0]}]})");
  const World world = run_for(scene, 1.5);
  const EnergyLedger& energy = world.report().energy;
  EXPECT_GT(energy.forces, 10);
  EXPECT_LT(std::abs(energy.unaccounted()), 1e-6 * energy.scale());
}

TEST(Forces, let_what_they_cannot_move_sleep_and_wake_it_when_they_change) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]}, {"box": [1, 1, 1], "at": [0, 0.5, 0]}],
      "forces": [{"kind": "wind", "velocity": {"keys": [[0, [2, 0, 0]], [3.5, [2, 0, 0]], [3.6, [90, 0, 0]]]}}]})");
  World world = run_for(scene, 3.4);
  EXPECT_EQ(world.awake_count(), 0);
  run_frames(world, 60);
  EXPECT_EQ(world.awake_count(), 1);
  EXPECT_GT(world.part_state(1).velocity.x(), 0.3);
}

TEST(Forces, gravity_with_keys_is_followed_and_resumed) {
  const Scene scene = parsed_scene(R"({"crumple": 1, "checkpoint": 10, "gravity": {"keys": [[0, [0, -10, 0]], [0.25, [0, -10, 0]], [0.25001, [0, 4, 0]], [0.5, [6, 4, 0]]]},
      "bodies": [{"sphere": 0.1, "asleep": true, "at": [9, 0, 0]}, {"sphere": 0.1, "material": {"spin_damping": 0}}]})");
  World world = built(scene);
  run_frames(world, 20);
  World resumed = resumed_from(world, scene);
  run_frames(world, 25), run_frames(resumed, 25);
  EXPECT_EQ(state_hash(world), state_hash(resumed));
  const Vec3 wanted(6 * (0.75 - 0.375), -2.5 + 4 * 0.5, 0);
  EXPECT_NEAR((world.part_state(1).velocity - wanted).norm(), 0, 14 / 240.0 + 0.01);  // the jump falls somewhere in a step
  EXPECT_GT(world.part_state(0).velocity.norm(), 0);  // it has woken
  EXPECT_LT(std::abs(world.report().energy.unaccounted()), 1e-6 * world.report().energy.scale());
}

TEST(Forces, on_matter_are_the_same_on_any_number_of_threads) {
  const Scene scene = without_gravity(R"("bodies": [{"sphere": 0.3, "clusters": {"particles": 600}}], "forces": [{"kind": "wind", "velocity": [5, 1, 0], "gust": 1}, {"kind": "attractor", "at": [1, 1, 1]}])");
  const auto hash = [&](int threads) {
    const Threads count(threads);
    return run_for(scene, 0.1).fingerprint();
  };
  EXPECT_EQ(hash(1), hash(4));
}

TEST(Forces, that_are_wrong_are_refused) {
  EXPECT_EQ(refusal_of_forces(R"({"kind": "wind"})"), "x.json:1: /forces/0: \"velocity\" is missing");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "wnid", "velocity": [0, 0, 0]})"),
            "x.json:1: /forces/0/kind: unknown word \"wnid\"; expected \"wind\", \"attractor\", \"gravity\" or \"explosion\"");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "explosion", "velocity": [0, 0, 0]})"), "x.json:1: /forces/0/velocity: does not belong to \"explosion\" but to \"wind\"");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "explosion", "bodies": ["bal"]})"), "x.json:1: /forces/0/bodies/0: there is no body or group \"bal\"; did you mean \"ball\"?");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "attractor", "strength": {"keys": [[0, 1], [0, 2]]}})"), "x.json:1: /forces/0/strength: the times of keys must ascend; 0 follows 0");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "attractor", "strength": {"keys": []}})"), "x.json:1: /forces/0/strength: \"keys\" must be a list of [time, value]");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "attractor", "strength": {"keys": [[0, 1]], "between": "lineal"}})"),
            "x.json:1: /forces/0/strength: \"between\" must be \"linear\", \"smooth\" or \"step\"; did you mean \"linear\"?");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "attractor", "strength": [1, 2]})"), "x.json:1: /forces/0/strength: expected a number or {\"keys\": [[time, value], ...]}");
  EXPECT_EQ(refusal_of_forces(R"({"kind": "gravity", "gravity": [1, 2, 3], "box": [1, 0, 1]})"), "x.json:1: /forces/0/box: sizes must be more than 0 and at most 1e6 m");
}

TEST(Forces, are_written_as_they_were_read) {
  const Scene scene = without_gravity(R"("bodies": [{"name": "a", "sphere": 1}], "forces": [{"kind": "wind", "velocity": {"keys": [[0, [0, 0, 0]], [2, [9, 0, 0]]], "between": "smooth"}, "gust": 0.3},
      {"kind": "attractor", "strength": 3, "reach": 9}, {"kind": "gravity", "gravity": [0, 1, 0], "sphere": 3}, {"kind": "explosion", "when": {"contact": ["a"]}, "start": 1}])");
  EXPECT_EQ(write_json(scene_json(parsed_scene(write_json(scene_json(scene))))), write_json(scene_json(scene)));
  EXPECT_EQ(scene.forces[0].velocity.at(1), Vec3(4.5, 0, 0));
  EXPECT_EQ(scene.forces[0].velocity.at(-1), Vec3(0, 0, 0));
  EXPECT_NEAR(scene.forces[0].velocity.at(0.5).x(), 9 * 0.25 * 0.25 * 2.5, 1e-12);
}

}  // namespace
}  // namespace crumple
