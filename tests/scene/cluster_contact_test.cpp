#include <cmath>
#include <numbers>

#include "crumple/core/parallel.h"
#include "tests/scene/scenes.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

SoftInside soft(const World& world, std::string_view name) {
  return soft_inside(world.bodies()[static_cast<size_t>(body_named(world, name))]);
}
Vec3 middle(const World& world, std::string_view name) {
  return clusters::center_of_mass(soft(world, name).model, soft(world, name).state);
}
Vec3 speed(const World& world, std::string_view name) {
  return clusters::linear_momentum(soft(world, name).model, soft(world, name).state) /
         clusters::total_mass(soft(world, name).model, soft(world, name).state);
}
rigid::PartState rigid_state(const World& world, std::string_view name) {
  return world.part_state(body_named(world, name));
}
/// The lowest of a body's particles.
double lowest(const World& world, std::string_view name) {
  const SoftInside layer = soft(world, name);
  double low = 1e300;
  for (int i = 0; i < layer.state.particles(); ++i) low = std::min(low, clusters::position(layer.model, layer.state, i).y());
  return low;
}

struct Sum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double mass = 0;
};
/// Of everything that moves.
Sum momentum_of_all(const World& world) {
  Sum sum;
  for (size_t i = 0; i < world.bodies().size(); ++i) {
    const Body& body = world.bodies()[i];
    if (body.matter) {
      sum.linear += clusters::linear_momentum(clusters_model(body), clusters_state(body));
      sum.angular += clusters::angular_momentum(clusters_model(body), clusters_state(body));
      sum.mass += body.mass;
      continue;
    }
    if (body.description->motion != rigid::Motion::Dynamic) continue;
    for (size_t p = 0; p < body.parts.size(); ++p) {
      const Part& part = body.parts[p];
      const rigid::PartState state = world.part_state(static_cast<int>(i), static_cast<int>(p));
      const Mat3& axes = state.place.rotation;
      sum.linear += part.mass * state.velocity, sum.mass += part.mass;
      sum.angular += part.mass * state.place.translation.cross(state.velocity) + axes * part.inertia.cwiseProduct(axes.transpose() * state.spin);
    }
  }
  return sum;
}

constexpr const char* kBlock =
    R"({"name": "block", "box": [0.4, 0.3, 0.4], "at": [0, 0.16, 0], "density": 500, "clusters": {"particles": 600, "clusters": 12}})";
constexpr const char* kFloor = R"({"name": "floor", "plane": [0, 1, 0, 0]})";

TEST(ClusterContact, a_ball_goes_through_a_plate_and_is_slowed_and_momentum_and_its_moment_stay) {
  World world = built(drum_scene(R"("gravity": [0, 0, 0], "sleeping": false, "checkpoint": 1000, "bodies": [
    {"name": "plate", "box": [0.8, 0.8, 0.06], "mass": 4, "at": [3, 1, 0], "clusters": {"particles": 1200, "clusters": 40, "toughness": 0.04, "yield": 0.01, "flow": 1}},
    {"name": "ball", "sphere": 0.12, "mass": 3, "at": [3.05, 1.1, 0.4], "velocity": [0.3, 0, -9], "spin": [0, 5, 3], "material": {"spin_damping": 0}}])"));
  const Sum before = momentum_of_all(world);
  const double energy = world.kinetic_energy();
  double fastest = rigid_state(world, "ball").velocity.norm();
  for (int frame = 0; frame < 25; ++frame) {
    world.step_frame();
    const double now = rigid_state(world, "ball").velocity.norm();
    EXPECT_LE(now, fastest + 0.05);  // torn petals may still push a little
    fastest = std::min(fastest, now);
  }
  EXPECT_LT(world.kinetic_energy(), energy);
  EXPECT_GT(clusters::pieces(soft(world, "plate").state).sizes.size(), 1u);  // torn
  EXPECT_LT(rigid_state(world, "ball").place.translation.z(), -0.2);         // through
  EXPECT_GT(rigid_state(world, "ball").velocity.z(), -8.5);                  // slowed
  EXPECT_LT(speed(world, "plate").z(), -0.3);
  const Sum after = momentum_of_all(world);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-5 * before.linear.norm());
  EXPECT_LT((after.angular - before.angular).norm(), 1e-5 * before.angular.norm());
}

TEST(ClusterContact, a_ball_rests_on_a_block_of_jelly) {
  World world = built(drum_scene(fmt::format(R"("bodies": [{}, {{"name": "block", "box": [0.6, 0.3, 0.6], "at": [0, 0.16, 0],
      "density": 500, "clusters": {{"particles": 1000, "clusters": 20, "stiffness": 1}}}}, {{"name": "ball", "sphere": 0.12, "mass": 5, "at": [0, 0.44, 0], "material": {{"friction": 1}}}}])",
                                             kFloor)));
  run_frames(world, 180);
  const rigid::PartState ball = rigid_state(world, "ball");
  EXPECT_LT(ball.velocity.norm(), 0.1);
  EXPECT_LT(std::hypot(ball.place.translation.x(), ball.place.translation.z()), 0.15);
  // It sinks in, not through: the block is 0.3 high.
  EXPECT_LT(ball.place.translation.y(), 0.30 + 0.12);
  EXPECT_GT(ball.place.translation.y(), 0.12 + 0.12);
  EXPECT_GT(lowest(world, "block"), -0.002);
}

TEST(ClusterContact, a_block_stays_on_a_box_that_does_not_move) {
  World world =
      built(drum_scene(fmt::format(R"("bodies": [{{"name": "table", "box": [1, 0.2, 1], "at": [0, -0.1, 0], "motion": "static"}}, {}])", kBlock)));
  run_frames(world, 120);
  EXPECT_GT(lowest(world, "block"), -0.002);
  EXPECT_LT(speed(world, "block").norm(), 0.2);
  // It sags: springs of (60 rad/s)^2 give way by g/3600 a layer, on average over about eight of them.
  EXPECT_NEAR(middle(world, "block").y(), 0.15 - 4 * 9.81 / 3600, 0.03);
}

/// A ramp of two triangles, falling along x by 20 degrees.
World on_a_ramp(const ScratchFolder& folder, double friction, bool closed) {
  const double angle = 20 * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  std::ofstream file(folder / "ramp.obj");
  const double low = closed ? -0.3 : 0;
  for (const double depth : {0.0, low}) {
    for (const auto& [x, z] : {std::pair(-1.0, -2.0), {6.0, -2.0}, {6.0, 2.0}, {-1.0, 2.0}})
      file << fmt::format("v {} {} {}\n", x * c + depth * s, -x * s + depth * c, z);
  }
  file << "f 1 3 2\nf 1 4 3\n";
  // Not convex: a notch in the underside, so that it collides as a mesh and not as a hull.
  if (closed)
    file << fmt::format("v {} {} 0\n", 2.5 * c - 0.15 * s, -2.5 * s - 0.15 * c)
         << "f 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
  file.close();
  const std::string text =
      fmt::format(R"({{"crumple": 1, "bodies": [{{"name": "ramp", "mesh": "ramp.obj", "motion": "static", "material": {{"friction": {}}}}},
    {{"name": "block", "box": [0.4, 0.2, 0.4], "at": [{}, {}, 0], "turn": [0, 0, -20], "density": 500, "material": {{"friction": 1}},
     "clusters": {{"particles": 400, "clusters": 10}}}}]}})",
                  friction, 0.101 * s, 0.101 * c);
  Result<Scene> scene = parse_scene(text, folder / "ramp.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
  return built(*scene);
}

TEST(ClusterContact, on_a_ramp_a_block_slides_as_theory_says_or_stays) {
  const ScratchFolder folder("ramp");
  const double angle = 20 * std::numbers::pi / 180, time = 0.5;
  const Vec3 along(std::cos(angle), -std::sin(angle), 0);
  for (const bool closed : {false, true}) {
    // How much farther it gets in half a second than it would at the speed of the first sixtieth.
    const auto gained = [&](double friction) {
      World world = on_a_ramp(folder, friction, closed);
      run_frames(world, 20);  // until it has settled
      const Vec3 from = middle(world, "block");
      world.step_frame();
      const Vec3 began = 60 * (middle(world, "block") - from);
      run_frames(world, 29);
      const Vec3 way = middle(world, "block") - from;
      EXPECT_NEAR(way.normalized().dot(along), 1, 0.01) << closed;  // along it, and not through
      return (way - began * time).dot(along);
    };
    const double free = 0.5 * 9.81 * std::sin(angle) * (time * time - time / 60);
    EXPECT_NEAR(gained(0), free, 0.01 * free) << closed;
    const double mu = 0.2, rubbed = 0.5 * 9.81 * (std::sin(angle) - mu * std::cos(angle)) * (time * time - time / 60);
    EXPECT_NEAR(gained(mu), rubbed, 0.1 * free) << closed;
    World stays = on_a_ramp(folder, 0.8, closed);
    run_frames(stays, 60);
    const Vec3 from = middle(stays, "block");
    run_frames(stays, 30);
    EXPECT_LT((middle(stays, "block") - from).norm(), 0.01) << closed;
  }
}

TEST(ClusterContact, a_scripted_pusher_goes_where_it_goes_and_takes_the_block_along) {
  World world =
      built(drum_scene(fmt::format(R"("bodies": [{}, {}, {{"name": "pusher", "box": [0.1, 0.5, 0.8], "at": [-0.4, 0.25, 0], "motion": "scripted",
      "script": [{{"from": 0.2, "until": 1.2, "velocity": [0.6, 0, 0]}}]}}])",
                                   kFloor, kBlock)));
  run_frames(world, 90);
  EXPECT_NEAR(rigid_state(world, "pusher").place.translation.x(), 0.2, 1e-9);
  EXPECT_NEAR(middle(world, "block").x(), 0.2 + 0.05 + 0.2, 0.08);
}

TEST(ClusterContact, a_thousand_times_heavier_and_lighter_things_stay_calm) {
  World heavy = built(drum_scene(
      fmt::format(R"("bodies": [{}, {}, {{"name": "anvil", "box": [0.3, 0.3, 0.3], "mass": 24000, "at": [0, 0.5, 0]}}])", kFloor, kBlock)));
  run_frames(heavy, 120);
  EXPECT_TRUE(heavy.report().frozen.empty());
  EXPECT_LT(rigid_state(heavy, "anvil").velocity.norm(), 1.0);
  EXPECT_GT(rigid_state(heavy, "anvil").place.translation.y(), 0.14);
  World light = built(drum_scene(fmt::format(R"("bodies": [{}, {{"name": "block", "box": [0.4, 0.3, 0.4], "at": [0, 0.27, 0], "density": 500,
      "clusters": {{"particles": 600, "clusters": 12}}}}, {{"name": "pebble", "sphere": 0.05, "mass": 0.024, "at": [0, 0.05, 0]}}])",
                                             kFloor)));
  run_frames(light, 120);
  EXPECT_TRUE(light.report().frozen.empty());
  EXPECT_LT(rigid_state(light, "pebble").velocity.norm(), 0.5);
  EXPECT_GT(rigid_state(light, "pebble").place.translation.y(), 0.03);
  EXPECT_LT(speed(light, "block").norm(), 0.2);
  EXPECT_GT(lowest(light, "block"), -0.003);
}

TEST(ClusterContact, who_sleeps_is_woken_by_a_hit_and_sleeps_again_beside_a_soft_body) {
  World world =
      built(drum_scene(fmt::format(R"("bodies": [{}, {{"name": "crate", "box": [0.4, 0.4, 0.4], "mass": 20, "at": [0, 0.2, 0], "asleep": true}},
    {{"name": "lump", "sphere": 0.15, "density": 500, "at": [-1, 0.25, 0], "velocity": [4, 0.5, 0], "clusters": {{"particles": 500, "clusters": 10}}}}])",
                                   kFloor)));
  EXPECT_EQ(world.awake_count(), 0);
  bool woken = false;
  for (int frame = 0; frame < 60; ++frame) world.step_frame(), woken = woken || world.awake_count() > 0;
  EXPECT_TRUE(woken);
  EXPECT_GT(rigid_state(world, "crate").place.translation.x(), 0.01);
  run_frames(world, 240);
  EXPECT_EQ(world.awake_count(), 0);
}

TEST(ClusterContact, what_a_soft_body_bears_does_not_fall_asleep_in_the_air) {
  World world =
      built(drum_scene(fmt::format(R"("bodies": [{}, {{"name": "block", "box": [0.6, 0.3, 0.6], "at": [0, 0.16, 0], "density": 500, "end": 4,
      "clusters": {{"particles": 600, "clusters": 16}}}}, {{"name": "plate", "box": [0.3, 0.05, 0.3], "mass": 3, "at": [0, 0.34, 0]}}])",
                                   kFloor)));
  run_frames(world, 4 * 60);
  EXPECT_GT(rigid_state(world, "plate").place.translation.y(), 0.2);
  run_frames(world, 60);
  EXPECT_NEAR(rigid_state(world, "plate").place.translation.y(), 0.025, 0.01);
}

TEST(ClusterContact, a_drum_is_dented_by_a_soft_lump) {
  World world = built(drum_scene(R"("gravity": [0, 0, 0], "bodies": [{"name": "drum", "asset": "drum", "examples": {"yield": 0.1}},
    {"name": "lump", "sphere": 0.2, "mass": 150, "at": [1, 0.1, 0], "velocity": [-15, 0, 0], "clusters": {"particles": 600, "clusters": 12}}])"));
  EXPECT_LT(damage_of(world.bodies()[0]).max_displacement, 1e-6);
  run_frames(world, 20);
  EXPECT_GT(damage_of(world.bodies()[0]).max_displacement, 0.01);
  EXPECT_LT(rigid_state(world, "drum").velocity.x(), -3);
  EXPECT_GT(middle(world, "lump").x(), rigid_state(world, "drum").place.translation.x()) << "it went through";
}

TEST(ClusterContact, nobody_leaves_a_hull_into_its_neighbour) {
  const auto box = [](double low, double high) {
    std::vector<Vec3> points;
    for (const double x : {low, high}) {
      for (const double y : {-1.0, 1.0}) {
        for (const double z : {-1.0, 1.0}) points.emplace_back(x, y, z);
      }
    }
    return points;
  };
  const std::vector<rigid::ObstacleShape> shapes = rigid::obstacle_shapes({{box(-1, 0), box(0, 1)}, 0.01});
  ASSERT_EQ(shapes.size(), 2u);
  for (const rigid::ObstacleShape& shape : shapes) {
    EXPECT_EQ(shape.planes.size(), 6u);
    EXPECT_EQ(shape.inner, 1u);
  }
  Vec3 normal;
  EXPECT_NEAR(rigid::signed_distance(shapes[0], Vec3(-0.05, 0.8, 0), normal), -0.21, 1e-9);
  EXPECT_NEAR(normal.y(), 1, 1e-9);
  EXPECT_GT(rigid::signed_distance(shapes[0], Vec3(0.3, 0, 0), normal), 0);
}

TEST(ClusterContact, two_soft_bodies_stop_each_other_and_keep_momentum) {
  World world = built(drum_scene(R"("gravity": [0, 0, 0], "bodies": [
    {"name": "left", "box": [0.3, 0.3, 0.3], "at": [5, 0, 0], "density": 300, "velocity": [2, 0, 0], "clusters": {"particles": 600, "clusters": 12, "damping": 20}},
    {"name": "right", "box": [0.3, 0.3, 0.3], "at": [5.5, 0.03, 0.02], "density": 900, "velocity": [-1, 0, 0], "clusters": {"particles": 400, "clusters": 12, "damping": 20}}])"));
  const Sum before = momentum_of_all(world);
  const double energy = world.kinetic_energy();
  run_frames(world, 40);
  EXPECT_LT(speed(world, "left").x(), 0);
  EXPECT_LT(middle(world, "left").x() + 0.2, middle(world, "right").x()) << "they went through each other";
  const Sum after = momentum_of_all(world);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-4 * before.mass);
  EXPECT_LT((after.angular - before.angular).norm(), 2e-3 * before.mass);
  EXPECT_LT(world.kinetic_energy(), energy);
}

TEST(ClusterContact, a_soft_block_does_not_fall_into_another) {
  World world = built(drum_scene(fmt::format(R"("bodies": [{}, {}, {{"name": "upper", "box": [0.3, 0.2, 0.3], "at": [0, 0.45, 0], "density": 300,
      "clusters": {{"particles": 400, "clusters": 10}}}}])",
                                             kFloor, kBlock)));
  for (int frame = 0; frame < 120; ++frame) {
    world.step_frame();
    ASSERT_GT((middle(world, "upper") - middle(world, "block")).norm(), 0.18) << frame;
    ASSERT_LT(middle(world, "upper").y(), 0.5) << frame;
  }
}

TEST(ClusterContact, the_hulls_of_an_asset_hold_their_points) {
  const World world = built(drum_scene(R"("bodies": [{"name": "drum", "asset": "drum"}])"));
  const rigid::Shape shape = shape_of_part(world.bodies()[0], world.bodies()[0].parts[0]);
  const rigid::Hulls& hulls = std::get<rigid::Hulls>(shape);
  const std::vector<rigid::ObstacleShape> shapes = rigid::obstacle_shapes(hulls);
  ASSERT_EQ(shapes.size(), hulls.points.size());
  for (size_t h = 0; h < shapes.size(); ++h) {
    double nearest = -1;
    for (const Vec3& p : hulls.points[h]) {
      for (const Eigen::Vector4d& plane : shapes[h].planes) ASSERT_LE(plane.head<3>().dot(p) - plane[3], 1e-4 - hulls.margin);
      Vec3 normal;
      nearest = std::max(nearest, rigid::signed_distance(shapes[h], p, normal));
    }
    EXPECT_NEAR(nearest, -hulls.margin, 1e-4);
  }
}

TEST(ClusterContact, groups_that_are_ignored_do_not_meet) {
  World world = built(drum_scene(R"("bodies": [{"name": "floor", "plane": [0, 1, 0, 0], "group": "ground"},
    {"name": "ghost", "sphere": 0.1, "at": [0, 0.3, 0], "ignores": ["ground"], "clusters": {"particles": 200, "clusters": 4}}])"));
  run_frames(world, 30);
  EXPECT_NEAR(middle(world, "ghost").y(), 0.3 - 0.5 * 9.81 * 0.25, 0.02);
}

TEST(ClusterContact, who_comes_later_lives_by_the_clock_of_the_scene) {
  World world = built(drum_scene(R"("gravity": [0, 0, 0], "bodies": [{"name": "bar", "box": [0.6, 0.1, 0.1], "start": 0.5, "end": 1.5,
    "clusters": {"particles": 400, "clusters": 8, "clamps": [{"normal": [1, 0, 0], "offset": 0.2, "velocity": [0, 1, 0], "start": 0.75}]}}])"));
  EXPECT_FALSE(world.bodies()[0].is_present());
  run_frames(world, 31);
  EXPECT_TRUE(world.bodies()[0].is_present());
  EXPECT_NEAR(soft(world, "bar").state.time, world.time(), 1e-9);
  EXPECT_LT(speed(world, "bar").norm(), 1e-3);  // the clamp waits
  run_frames(world, 19);
  EXPECT_GT(speed(world, "bar").y(), 0.1);
  run_frames(world, 45);
  EXPECT_FALSE(world.bodies()[0].is_present());
}

TEST(ClusterContact, numbers_that_run_away_freeze_the_body_where_it_was) {
  World world = built(drum_scene(
      R"("gravity": [0, -1e9, 0], "bodies": [{"name": "lump", "sphere": 0.2, "at": [0, 1, 0], "clusters": {"particles": 300, "clusters": 6}},
    {"name": "ball", "sphere": 0.1, "at": [0, 3, 0], "motion": "static"}])"));
  run_frames(world, 3);
  ASSERT_EQ(world.report().frozen.size(), 1u);
  EXPECT_EQ(world.report().frozen[0].body, "lump");
  for (const io::ArrayView& array : world.checkpoint_arrays().views) {
    if (array.name != "lump/clusters/positions" && array.name != "lump/clusters/plastic") continue;
    EXPECT_TRUE(all_finite_as<float>(array.data)) << array.name;
  }
  EXPECT_NEAR(middle(world, "lump").y(), 1, 5e-3);
}

TEST(ClusterContact, what_is_frozen_still_stops_others) {
  World world = built(drum_scene(
      R"("gravity": [0, 0, 0], "bodies": [{"name": "lump", "sphere": 0.2, "at": [0, 0, 0], "velocity": [0, 0, 1e6], "clusters": {"particles": 300, "clusters": 6}},
    {"name": "ball", "sphere": 0.1, "at": [0, 1, 0], "velocity": [0, -2, 0]}])"));
  run_frames(world, 60);
  ASSERT_EQ(world.report().frozen.size(), 1u);
  EXPECT_GT(rigid_state(world, "ball").place.translation.y(), 0.2);
}

TEST(ClusterContact, the_same_on_one_thread_and_on_two) {
  const auto fingerprint = [](int threads) {
    set_thread_count(threads);
    World world = built(drum_scene(fmt::format(
        R"("checkpoint": 10, "bodies": [{}, {}, {{"name": "ball", "sphere": 0.12, "mass": 25, "at": [0.05, 0.6, 0], "velocity": [0, -6, 0]}},
      {{"name": "drum", "asset": "drum", "examples": {{}}, "at": [0.5, 0.6, 0], "velocity": [-3, 0, 0]}}])",
        kFloor, kBlock)));
    run_frames(world, 25);
    return world.fingerprint();
  };
  const int before = thread_count();
  const uint64_t one = fingerprint(1), two = fingerprint(2);
  set_thread_count(before);
  EXPECT_EQ(one, two);
}

TEST(ClusterContact, a_run_that_continues_from_a_checkpoint_takes_the_same_way) {
  const Scene scene = drum_scene(fmt::format(
      R"("checkpoint": 10, "bodies": [{}, {}, {{"name": "ball", "sphere": 0.12, "mass": 25, "at": [0.05, 0.6, 0], "velocity": [0, -6, 0]}},
      {{"name": "drum", "asset": "drum", "examples": {{}}, "at": [0.5, 0.6, 0], "velocity": [-3, 0, 0]}}])",
      kFloor, kBlock));
  World first = built(scene);
  run_frames(first, 10);
  World second = built(scene);
  const Result<void> restored = second.restore(first.snapshot());
  ASSERT_TRUE(restored) << restored.error().text;
  run_frames(first, 12), run_frames(second, 12);
  EXPECT_EQ(first.fingerprint(), second.fingerprint());
}

}  // namespace
}  // namespace crumple
