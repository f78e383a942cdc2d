// Bodies that bend: where, how far, and what stays as it was.
#include <cmath>
#include <numbers>

#include "crumple/core/parallel.h"
#include "tests/scene/bars.h"
#include "tests/scene/inside.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

double turn_of(const World& world, std::string_view name, size_t link = 0) {
  return bends_of(world, name).state.histories[link].turn;
}

/// Worlds of a test share what they are made of.
World made(const Scene& scene) {
  static const auto assets = std::make_shared<AssetLibrary>();
  return built(scene, assets);
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
    World world = made(hit_plank(fmt::format(R"("strength": {}, "damping": 0)", strength)));
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
      World world = made(hit_plank(R"("strength": 100, "damping": 0)", speed, substeps));
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
    World world = made(hit_plank(R"("strength": 100, "damping": 0)", share * 100 * 0.005 / per_speed, 4, x));
    run_frames(world, 20);
    EXPECT_EQ(bends_of(world, "plank").state.figures[bends::kWoken], share > 1 ? 1 : 0) << share;
  }
}

TEST(Bends, the_waking_hit_is_solved_again_with_the_joint) {
  // A joint that bears nearly nothing passes J = v / (1/m + 4/M) on in its step; a rigid plank would take 22.2 N s.
  Scene scene = hit_plank(R"("strength": 0.5, "damping": 0)");
  scene.bodies[1].at.y() = 0.125 + 10 * scene.dt() + 1e-5;  // it touches at the end of a step: there is no overlap to be undone
  World world = made(scene);
  const auto speed = [&] { return -world.part_state(body_named(world, "ball")).velocity.y(); };
  for (int step = 0; step < 40 && speed() > 9.99; ++step) world.step();
  world.step();  // the first one may only have closed the gap
  EXPECT_NEAR(kBallMass * (10 - speed()), 10 / (1 / kBallMass + 4 / kMass), 0.2);
}

/// A plank whose halves spin against each other; nothing touches it.
World spinning_plank(const std::string& bends, double speed, int substeps) {
  Scene scene = hit_plank(bends + R"(, "condense": false)", 0, substeps);
  scene.bodies[1].at = Vec3(0, 50, 0);
  World world = made(scene);
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
    for (int frame = 1; frame <= 75; ++frame) {  // past a checkpoint
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
    World world = made(scene);
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
  World world = made(scene);
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
    World world = made(scene);
    run_frames(world, 40);
    set_thread_count(0);
    return world.fingerprint();
  };
  const uint64_t one = fingerprint(1);
  EXPECT_EQ(one, fingerprint(2));
  World first = made(scene), second = made(scene);
  run_frames(first, 14);
  const Snapshot middle = first.snapshot();
  ASSERT_TRUE(second.restore(middle));
  run_frames(second, 26);
  EXPECT_EQ(second.fingerprint(), one);
}


/// What is drawn of a body, in the world.
TriMesh drawn_now(const World& world, std::string_view name) {
  TriMesh mesh;
  for (const FrameItem& item : world.frame().items) {
    if (item.name != name) continue;
    EXPECT_TRUE(mesh.triangles.empty()) << "it is drawn in one piece";
    mesh.triangles = item.surface->triangles;
    if (item.positions.empty()) mesh.positions = item.surface->positions;
    for (const Vec3f& p : item.positions) mesh.positions.push_back(p.cast<double>());
    for (Vec3& p : mesh.positions) p = item.place * p;
  }
  return mesh;
}

TEST(Bends, a_bent_plank_is_drawn_whole_keeps_its_volume_and_its_ends) {
  World world = made(hit_plank(R"("strength": 100, "damping": 0)"));
  const TriMesh straight = drawn_now(world, "plank");
  run_frames(world, 40);
  ASSERT_GT(turn_of(world, "plank"), 0.6);
  const TriMesh bent = drawn_now(world, "plank");
  ASSERT_EQ(bent.triangles, straight.triangles);
  EXPECT_NEAR(enclosed_volume(bent), enclosed_volume(straight), 0.02 * enclosed_volume(straight));
  // Away from the joint it is rigid: no distance has changed.
  for (const double side : {-1.0, 1.0}) {
    std::vector<size_t> end;
    for (size_t v = 0; v < straight.positions.size(); ++v) {
      if (side * straight.positions[v].x() > 0.3) end.push_back(v);
    }
    ASSERT_GT(end.size(), 20u);
    for (const size_t v : end) {
      const double before = (straight.positions[v] - straight.positions[end.front()]).norm(), now = (bent.positions[v] - bent.positions[end.front()]).norm();
      EXPECT_NEAR(now, before, 1e-4);
    }
  }
  // No edge is torn: none has grown much.
  for (const Triangle& t : bent.triangles) {
    for (size_t i = 0; i < 3; ++i) {
      const size_t a = static_cast<size_t>(t[i]), b = static_cast<size_t>(t[(i + 1) % 3]);
      EXPECT_LT((bent.positions[a] - bent.positions[b]).norm(), 2.5 * (straight.positions[a] - straight.positions[b]).norm() + 0.01);
    }
  }
}

TEST(Bends, dents_on_a_bent_plank_are_as_deep_as_the_hit_says_and_where_it_was) {
  // The first ball bends the plank over its supports; the second one falls on a slope.
  World world = made(parsed_scene(R"({"crumple": 1, "seconds": 3, "bodies": [
    {"name": "floor", "plane": [0, 1, 0, 0]},
    {"name": "support", "box": [0.2, 0.8, 0.5], "motion": "static", "places": [{"at": [-0.85, 0.4, 0]}, {"at": [0.85, 0.4, 0]}]},
    {"name": "plank", "box": [2.2, 0.05, 0.3], "at": [0, 0.826, 0], "density": 700, "material": {"friction": 0.6, "restitution": 0},
      "bends": {"strength": 1100}, "dents": {"depth": 0.002, "deepest": 0.02, "threshold": 1, "lip": 0}},
    {"name": "ball", "sphere": 0.14, "density": 7800, "at": [0, 1.5, 0], "velocity": [0, -4, 0]},
    {"name": "second", "sphere": 0.06, "density": 7800, "at": [0.5, 6, 0], "velocity": [0, -1, 0]}]})"));
  const auto dents_state = [&]() -> const dents::State& {
    return std::get<AtWork<dents::Settings, dents::Model, dents::State>>(world.bodies()[static_cast<size_t>(body_named(world, "plank"))].layers.front()).state;
  };
  while (world.part_state(body_named(world, "second")).place.translation.y() > 1.2) world.step_frame();
  const std::vector<Vec3f> before = dents_state().sheets.front().offsets;
  const double dents = dents_state().figures[dents::kDents];
  ASSERT_GT(turn_of(world, "plank", 7) + turn_of(world, "plank", 6) + turn_of(world, "plank", 8), 0.5);
  for (int step = 0; step < 200 && dents_state().figures[dents::kDents] == dents; ++step) world.step();
  ASSERT_EQ(dents_state().figures[dents::kDents], dents + 1);
  const Vec3 ball = world.part_state(body_named(world, "second")).place.translation;
  const TriMesh plank = drawn_now(world, "plank");
  const std::vector<Vec3f>& after = dents_state().sheets.front().offsets;
  float deepest = 0;
  size_t there = 0;
  for (size_t v = 0; v < after.size(); ++v) {
    const float moved = v < before.size() ? (after[v] - before[v]).norm() : 0;
    if (moved > deepest) deepest = moved, there = v;
  }
  EXPECT_GT(deepest, 0.003f);
  EXPECT_LT((plank.positions[there] - ball).norm(), 0.12) << "the print is under the ball";
}

TEST(Bends, joints_have_the_smaller_strength_of_their_bones) {
  World world = made(parsed_scene(R"({"crumple": 1, "seconds": 1, "bodies": [{"name": "plank", "box": [2, 0.05, 0.2], "bends": {"strength": 300, "dynamic": false, "bones": [
    {"from": [-0.95, 0, 0], "to": [-0.3, 0, 0], "strength": 100}, {"from": [-0.3, 0, 0], "to": [0.3, 0, 0]}, {"from": [0.3, 0, 0], "to": [0.95, 0, 0], "strength": 900}]}}]})"));
  const bends::Model& model = bends_of(world, "plank").model;
  ASSERT_EQ(model.joints.size(), 2u);
  for (const size_t l : {0u, 1u}) EXPECT_NEAR(model.joints[l].law.capacity.tail<3>().minCoeff(), model.links[l].center.x() < 0 ? 100 : 300, 1e-9);
}

TEST(Bends, an_impulse_instead_of_a_strength_is_judged_in_one_step) {
  const double carried = 10 / (1 / kBallMass + 1 / kMass) * kLength / 8;
  for (const double share : {0.9, 1.1}) {
    Scene scene = hit_plank(fmt::format(R"("impulse": {}, "damping": 0)", share * carried), 10, 4);
    World world = made(scene);
    run_frames(world, 20);
    EXPECT_EQ(bends_of(world, "plank").state.figures[bends::kWoken], share < 1 ? 1 : 0) << share;
  }
}

TEST(Bends, an_asset_bends_by_its_handles) {
  World world = made(parsed_scene(R"({"crumple": 1, "seconds": 1, "assets": {"plank": "../assets/plank.glb"}, "bodies": [
    {"name": "floor", "plane": [0, 1, 0, 0]}, {"name": "plank", "asset": "plank", "at": [0, 3, 0], "turn": [10, 0, 20], "velocity": [0, -12, 0], "mass": 40, "bends": {"strength": 300, "skeleton": "handles"}}]})"));
  EXPECT_GT(world.bodies()[1].piece_count(), 2);
  run_frames(world, 40);
  EXPECT_GT(bends_of(world, "plank").state.figures[bends::kWoken], 0);
  EXPECT_TRUE(world.report().frozen.empty());
}

TEST(Bends, a_heap_of_closed_frames_gains_no_energy) {
  std::string places;
  for (int i = 0; i < 8; ++i) places += fmt::format(R"({}{{"at": [{}, {}, {}], "turn": [{}, {}, {}]}})", i ? ", " : "", 0.1 * (i % 2), 0.5 + 0.5 * i, 0.08 * (i % 3), 40 * i, 70 * i, 25 * i);
  World world = made(parsed_scene(fmt::format(R"({{"crumple": 1, "seconds": 1, "bodies": [{{"name": "floor", "plane": [0, 1, 0, 0]}},
    {{"name": "jack", "mesh": "../assets/models/jack.glb", "density": 2700, "velocity": [0, -14, 0], "material": {{"friction": 0.5, "restitution": 0.1}},
      "bends": {{"strength": 60, "most_bones": 6, "spacing": 5, "joints": 6, "rest": 0.02}}, "places": [{}]}}]}})", places)));
  run_frames(world, 60);
  double woken = 0, most = 0;
  for (const Body& body : world.bodies()) {
    if (!body.bonds) continue;
    const bends::State& state = std::get<Bends>(*body.bonds).state;
    woken += state.figures[bends::kWoken];
    for (const rigid::JointHistory& history : state.histories) most = std::max(most, history.turn);
  }
  EXPECT_GT(woken, 20);
  EXPECT_GT(most, 0.3);
  EXPECT_LT(most, 6) << "pieces that overlap when they are grouped anew must not drive each other apart";
  const EnergyLedger& energy = world.report().energy;
  EXPECT_LT(std::abs(energy.unaccounted()), 0.03 * energy.start);
}

}  // namespace
}  // namespace crumple
