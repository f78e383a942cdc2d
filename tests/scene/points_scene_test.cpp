// Points in scenes: with rigid bodies and other matter, through checkpoints, and what is drawn of them.
#include <cmath>

#include "crumple/core/parallel.h"
#include "crumple/geometry/winding.h"
#include "tests/scene/inside.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

const points::State& state_of(const World& world, std::string_view name) {
  return points_of_body(world.bodies()[static_cast<size_t>(body_named(world, name))]).state;
}

Vec3 momentum_of(const points::State& state) {
  Vec3 sum = Vec3::Zero();
  for (size_t i = 0; i < state.size(); ++i) sum += state.mass[i] * state.v[i];
  return sum;
}

TEST(PointScenes, a_lump_pushes_a_rigid_block_and_momentum_stays) {
  World world = built(parsed_scene(R"({"crumple": 1, "seconds": 1, "gravity": [0, 0, 0], "substeps": 2, "bodies": [
    {"name": "block", "box": [0.3, 0.3, 0.3], "at": [0.5, 0, 0], "mass": 10},
    {"name": "lump", "sphere": 0.12, "velocity": [4, 0, 0], "density": 1000, "points": {"particles": 300, "young": 1e5, "yield": 500}}]})"));
  const auto sum = [&] { return Vec3(10 * world.part_state(body_named(world, "block")).velocity + momentum_of(state_of(world, "lump"))); };
  const Vec3 before = sum();
  run_frames(world, 20);
  EXPECT_LT((sum() - before).norm(), 1e-5 * before.norm());
  EXPECT_GT(world.part_state(body_named(world, "block")).velocity.x(), 1);
  EXPECT_GT(*std::max_element(state_of(world, "lump").strain.begin(), state_of(world, "lump").strain.end()), 0.05);
}

TEST(PointScenes, a_ball_of_points_comes_to_rest_on_a_box_of_clusters) {
  World world = built(parsed_scene(R"({"crumple": 1, "seconds": 3, "substeps": 4, "bodies": [
    {"name": "ground", "plane": [0, 1, 0, 0]},
    {"name": "box", "box": [0.4, 0.3, 0.4], "at": [0, 0.15, 0], "density": 500, "clusters": {"particles": 400, "clusters": 5, "stiffness": 8, "damping": 60}},
    {"name": "ball", "sphere": 0.1, "at": [0, 0.45, 0], "density": 500, "points": {"particles": 300, "young": 1e5, "yield": 400}}]})"));
  run_frames(world, 150);
  EXPECT_LT(points::kinetic_energy(points_of_body(world.bodies()[2]).model, state_of(world, "ball")), 0.05);
  double low = 1e300;
  for (const Vec3& x : state_of(world, "ball").x) low = std::min(low, (x + points_of_body(world.bodies()[2]).model.origin).y());
  EXPECT_GT(low, 0.15) << "it lies on the box";
}

TEST(PointScenes, two_kinds_of_matter_conserve_momentum_between_them) {
  World world = built(parsed_scene(R"({"crumple": 1, "seconds": 1, "gravity": [0, 0, 0], "substeps": 4, "bodies": [
    {"name": "box", "box": [0.3, 0.3, 0.3], "at": [0.45, 0, 0], "density": 500, "clusters": {"particles": 300, "clusters": 4}},
    {"name": "ball", "sphere": 0.1, "velocity": [3, 0, 0], "density": 1000, "points": {"particles": 300, "young": 1e5}}]})"));
  const auto sum = [&] {
    const Body& box = world.bodies()[0];
    Vec3 total = momentum_of(state_of(world, "ball"));
    const particles::ParticleSpan span = particles_of(std::get<Clusters>(*box.matter).model, const_cast<clusters::BodyState&>(std::get<Clusters>(*box.matter).state));
    for (size_t i = 0; i < span.size(); ++i) total += span.unit * double{span.mass[i]} * span.velocities[i].head<3>().cast<double>();
    const points::State& ball = state_of(world, "ball");  // what the box did to it last is taken over in its next step
    for (size_t i = 0; i < ball.size(); ++i) total += ball.mass[i] * (ball.outside.speeds[i] - ball.handed.speeds[i]).head<3>().cast<double>();
    return total;
  };
  const Vec3 before = sum();
  run_frames(world, 20);
  EXPECT_LT((sum() - before).norm(), 2e-4 * before.norm());
}

TEST(PointScenes, go_on_from_a_checkpoint_to_the_same_bits) {
  Scene scene = scene_file("plastic_bar_drop.json");
  scene.checkpoint = 7;
  scene.bodies.erase(scene.bodies.begin() + 1);  // two of the bars will do
  World world = built(scene);
  for (int frame = 1; frame <= 30; ++frame) {
    world.step_frame();
    if (!world.is_checkpoint(frame)) continue;
    World resumed = resumed_from(world, scene);
    if (frame == 21) world = std::move(resumed);
  }
  World straight = built(scene);
  run_frames(straight, 30);
  EXPECT_EQ(straight.fingerprint(), world.fingerprint());
}

TEST(PointScenes, clamps_turn_one_end_and_the_other_stays) {
  World world = built(parsed_scene(R"({"crumple": 1, "seconds": 1, "gravity": [0, 0, 0], "bodies": [
    {"name": "bar", "box": [0.6, 0.1, 0.1], "density": 1000, "points": {"particles": 500, "clamps": [
      {"normal": [1, 0, 0], "offset": 0.25, "spin": [3.1416, 0, 0], "end": 0.5}, {"normal": [-1, 0, 0], "offset": 0.25}]}}]})"));
  const std::vector<Vec3> before = state_of(world, "bar").x;
  run_frames(world, 30);
  const points::State& state = state_of(world, "bar");
  for (size_t i = 0; i < state.size(); ++i) {
    if (before[i].x() < -0.25) {
      EXPECT_LT((state.x[i] - before[i]).norm(), 1e-6);
    }
    if (before[i].x() > 0.26) {
      const Vec3 turned(before[i].x(), -before[i].z(), before[i].y());  // a quarter of a turn
      EXPECT_LT((state.x[i] - turned).norm(), 0.004);
    }
  }
}

TEST(PointScenes, the_drawn_skin_keeps_its_volume_while_a_bar_flattens) {
  World world = built(parsed_scene(R"({"crumple": 1, "seconds": 1, "substeps": 2, "bodies": [
    {"name": "ground", "plane": [0, 1, 0, 0], "material": {"friction": 0.6}},
    {"name": "bar", "box": [0.18, 0.54, 0.18], "at": [0, 0.4, 0], "density": 1000, "material": {"friction": 0.6}, "points": {"particles": 1200, "young": 1e5, "yield": 60, "flow": 200}}]})"));
  const auto volume = [&] {
    for (const FrameItem& item : world.frame().items) {
      if (item.name == "bar") return signed_volume(item.surface->positions, item.surface->triangles);
    }
    return 0.0;
  };
  const double before = volume();
  EXPECT_NEAR(before, 0.18 * 0.18 * 0.54, 0.01 * before);
  for (int k = 0; k < 3; ++k) {
    run_frames(world, 15);
    EXPECT_NEAR(volume() / before, 1, 0.01) << k;
  }
  EXPECT_GT(*std::max_element(state_of(world, "bar").strain.begin(), state_of(world, "bar").strain.end()), 1);
}

TEST(PointScenes, an_elastic_mesh_is_carried_with_its_colours) {
  World world = built(parsed_scene(R"({"crumple": 1, "seconds": 1, "gravity": [0, 0, 0], "bodies": [{"name": "block", "box": [0.3, 0.2, 0.2], "spin": [0, 3, 0], "density": 1000, "points": {"particles": 300, "young": 1e6}}]})"));
  run_frames(world, 20);
  const FrameItem item = world.frame().items.front();
  ASSERT_EQ(item.positions.size(), item.surface->positions.size());
  // It turns as a whole: no distance changes much.
  for (size_t v = 1; v < item.positions.size(); ++v) {
    const double now = (item.positions[v] - item.positions[0]).norm(), rest = (item.surface->positions[v] - item.surface->positions[0]).norm();
    EXPECT_NEAR(now, rest, 0.02 * rest + 0.002);
  }
}

}  // namespace
}  // namespace crumple
