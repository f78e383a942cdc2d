#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "crumple/core/parallel.h"
#include "crumple/geometry/mass.h"
#include "crumple/io/files.h"
#include "tests/scene/bars.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

class Fracture : public BarTest {};

std::string frame_bytes(World& world) {
  std::string bytes;
  for (const io::ArrayView& array : world.frame_arrays().views) bytes.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return bytes;
}

TEST_F(Fracture, a_body_of_infinite_strength_runs_as_one_that_cannot_break) {
  const std::string asset = quarters();
  const std::string body = R"("seconds": 1, "gravity": [0, -9.81, 0], "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]},
      {"name": "bar", "asset": "bar", "at": [0, 1, 0], "turn": [0, 20, 60], "velocity": [1, -6, 0], "spin": [1, 0, 3], "examples": {"gain": 120, "yield": 0.2})";
  const auto with_gravity = [&](const std::string& rest) {
    Result<Scene> parsed = parse_scene(R"({"crumple": 1, "assets": {"bar": ")" + asset + R"("}, )" + body + rest + "}]}", folder_ / "scene.json");
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text);
    return *parsed;
  };
  World strong = built(with_gravity(R"(, "pieces": {"strength": 1e12})")), whole = built(with_gravity(""));
  for (int frame = 0; frame < 60; ++frame) {
    strong.step_frame(), whole.step_frame();
    ASSERT_EQ(frame_bytes(strong), frame_bytes(whole)) << "frame " << frame;
  }
  EXPECT_GT(damage_of(strong.bodies()[1]).max_displacement, 0.01);
}

TEST_F(Fracture, scoring_does_not_change_mass_centre_or_inertia) {
  const std::string bodies = R"("bodies": [{"name": "bar", "asset": "bar"}])";
  const Body whole = built(scene(bar(3, {}), bodies)).bodies()[0];
  for (const std::string& asset : {halves(), quarters(), shards()}) {
    const World world = built(scene(asset, bodies));
    const Part &scored = world.bodies()[0].parts[0], &plain = whole.parts[0];
    EXPECT_NEAR(scored.mass, plain.mass, 1e-9 * plain.mass);
    EXPECT_LT((scored.center - plain.center).norm(), 1e-9);
    EXPECT_LT((scored.inertia - plain.inertia).norm(), 1e-9 * plain.inertia.norm());
  }
}

TEST_F(Fracture, a_link_breaks_at_the_impulse_it_must_carry_whatever_the_step_and_the_mesh) {
  // The ball sticks to the bar's end as far as momentum goes; the far half is moved through the link. It flies slowly enough for the engine to see it
  // coming, so that it does not sink in and get pushed out again.
  const double impulse = kBarMass * kBarMass / (kBarMass + kBarMass) * 2, carried = impulse / 2;
  for (const int cells : {2, 4}) {
    const std::string asset = halves(cells);
    for (const int substeps : {2, 4, 8}) {
      for (const double share : {0.9, 1.1}) {
        World world = built(shot(asset, share * carried / kArea, substeps, kBarMass, 2));
        run_frames(world, 30);
        const bool broken = world.bodies()[0].is_broken();
        EXPECT_EQ(broken, share < 1) << cells << " cells, " << substeps << " substeps, strength " << share << " of what is carried";
        for (const StepReport::Break& b : world.report().breaks) {
          EXPECT_NEAR(b.limit, share * carried, 1e-6 * carried);
          EXPECT_NEAR(b.impulse, carried, 0.08 * carried);  // contacts of long steps push a little more
        }
      }
    }
  }
}

TEST_F(Fracture, slow_and_heavy_or_fast_and_light_breaks_alike_at_equal_impulse) {
  const std::string asset = halves();
  const auto speed_for = [](double mass, double impulse) { return impulse * (mass + kBarMass) / (mass * kBarMass); };
  for (const double mass : {1.0, 5.0, 500.0}) {
    for (const double share : {0.9, 1.1}) {
      World world = built(shot(asset, share * 20 / kArea, 4, mass, speed_for(mass, 40)));
      run_frames(world, 30);
      EXPECT_EQ(world.bodies()[0].is_broken(), share < 1) << mass << " kg";
    }
  }
}

TEST_F(Fracture, a_break_keeps_mass_momentum_place_and_energy) {
  for (const std::string& asset : {halves(), quarters(), shards()}) {
    World world = built(scene(asset, R"("seconds": 1, "bodies": [
      {"name": "bar", "asset": "bar", "density": 100, "spin": [2, 9, -3], "material": {"restitution": 0, "spin_damping": 0}, "pieces": {"strength": 30, "settle": 0.05}},
      {"name": "ball", "sphere": 0.2, "at": [-0.8, 2, 0], "mass": 20, "velocity": [0, -12, 0], "material": {"restitution": 0, "spin_damping": 0}}])"));
    const BarMomentum start = momentum_of(world);
    bool was_broken = false;
    double energy = world.kinetic_energy();
    for (int step = 0; step < 120; ++step) {
      const size_t parts = world.bodies()[0].parts.size();
      std::vector<Transform> places;
      world.step();
      const double now = world.kinetic_energy();
      if (world.bodies()[0].parts.size() > parts) was_broken = true;
      EXPECT_LT(now, energy * 1.01) << "step " << step;
      energy = now;
    }
    const BarMomentum end = momentum_of(world);
    EXPECT_TRUE(was_broken);
    EXPECT_NEAR(end.mass, start.mass, 1e-9 * start.mass);
    EXPECT_LT((end.linear - start.linear).norm(), 0.01 * start.linear.norm());
    EXPECT_LT((end.angular - start.angular).norm(), 0.02 * start.angular.norm());
  }
}

/// What spins apart goes on as it moved: momentum, energy and every point of the surface to the last digits.
TEST_F(Fracture, what_spins_too_fast_comes_apart_without_a_jump) {
  World world = built(scene(quarters(), R"("seconds": 1, "bodies": [
      {"name": "bar", "asset": "bar", "density": 100, "spin": [0, 0, 12], "velocity": [1, 2, 3], "material": {"spin_damping": 0}, "pieces": {"strength": 20, "settle": 0.05}}])"));
  const BarMomentum start = momentum_of(world);
  const double energy = world.kinetic_energy();
  size_t parts = 1;
  for (int step = 0; step < 60 && parts == 1; ++step) world.step(), parts = world.bodies()[0].parts.size();
  ASSERT_GT(parts, 1u);
  const BarMomentum end = momentum_of(world);
  EXPECT_LT((end.linear - start.linear).norm(), 1e-9 * start.linear.norm());
  EXPECT_NEAR(world.kinetic_energy(), energy, 1e-4 * energy);  // the engine's gyroscopic term loses a little
  for (size_t p = 1; p < parts; ++p) {
    const Transform first = world.place(0, 0), other = world.place(0, world.bodies()[0].parts[p].pieces.front());
    EXPECT_LT((first.translation - other.translation).norm(), 1e-9);
    EXPECT_LT((first.rotation - other.rotation).norm(), 1e-9);
  }
}

TEST_F(Fracture, pieces_collide_once_they_are_free) {
  // A standing bar, struck at its top: the upper part falls, and comes to rest on the ground beside or on the lower one, not inside it.
  const std::string asset = quarters();
  World world = built(scene(asset, R"("seconds": 4, "bodies": [
      {"name": "bar", "asset": "bar", "density": 100, "spin": [0, 0, 12], "pieces": {"strength": 20, "settle": 0.05}},
      {"name": "left", "box": [0.5, 8, 8], "at": [-2.2, 0, 0], "motion": "static"}, {"name": "right", "box": [0.5, 8, 8], "at": [2.2, 0, 0], "motion": "static"},
      {"name": "below", "box": [8, 0.5, 8], "at": [0, -2.2, 0], "motion": "static"}, {"name": "above", "box": [8, 0.5, 8], "at": [0, 2.2, 0], "motion": "static"}])"));
  double nearest = 1e9;
  for (int frame = 0; frame < 240; ++frame) {
    world.step_frame();
    const size_t parts = world.bodies()[0].parts.size();
    for (size_t a = 0; frame > 60 && a < parts; ++a) {
      for (size_t b = a + 1; b < parts; ++b) {
        nearest = std::min(nearest, (world.part_state(0, static_cast<int>(a)).place.translation - world.part_state(0, static_cast<int>(b)).place.translation).norm());
      }
    }
  }
  EXPECT_GE(world.bodies()[0].parts.size(), 2u);
  EXPECT_GT(nearest, 0.3);  // blocks of 0.5 m
}

TEST_F(Fracture, settling_and_resting_break_nothing) {
  // A link can carry three times the weight of both for 1/60 s; the lower bar starts a centimetre deep in the ground.
  Scene settling = scene(quarters(), R"("seconds": 3, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]},
      {"name": "low", "asset": "bar", "at": [0, 0.24, 0], "density": 1000, "pieces": {"strength": 2000}},
      {"name": "high", "asset": "bar", "at": [0.7, 0.75, 0], "density": 1000, "pieces": {"strength": 2000}}])");
  settling.gravity = Vec3(0, -9.81, 0);
  World world = built(settling);
  run_frames(world, 180);
  for (const StepReport::Break& b : world.report().breaks) {
    ADD_FAILURE() << b.body << " broke at link " << b.link << " after " << b.time << " s: " << b.impulse << " N s of " << b.limit;
  }
  EXPECT_TRUE(world.report().frozen.empty());
}

TEST_F(Fracture, what_sleeps_until_it_is_hit_has_settled_by_then) {
  // The ball arrives after 0.2 s; the whole impulse passes within a few steps, long before another 0.1 s.
  const std::string bodies = R"("seconds": 1, "bodies": [
      {{"name": "bar", "asset": "bar", "density": 100, "asleep": true, "pieces": {{"strength": 20, "settle": {}}}}},
      {{"name": "ball", "sphere": 0.2, "at": [-3.2, 0, 0], "mass": 50, "velocity": [10, 0, 0]}}])";
  for (const double settle : {0.1, 0.4}) {
    World world = built(scene(halves(), fmt::format(fmt::runtime(bodies), settle)));
    for (int frame = 0; frame < 20; ++frame) world.step_frame();
    EXPECT_GT(world.part_state(0).velocity.x(), 1) << "it was hit";
    EXPECT_EQ(world.report().breaks.size(), settle < 0.2 ? 1u : 0u) << settle;
  }
}

TEST_F(Fracture, damage_crosses_whole_links_and_stops_at_broken_ones) {
  const World world = built(scene(quarters(), R"("second_phase": false, "bodies": [{"name": "bar", "asset": "bar", "examples": {"gain": 100, "yield": 0.1, "radius": 3, "lag": 0}}])"));
  const Examples& layer = example_layer(world, 0);
  const RiggedBody& rig = *world.bodies()[0].solid->rig;
  const Pieces& pieces = *rig.asset.pieces;
  ASSERT_EQ(pieces.links.size(), 3u);
  const auto deformed = [&](const std::vector<uint8_t>& broken) {
    examples::State state = examples::start(layer.model);
    Hit hit;  // on the end of the bar
    for (size_t f = 0; f < rig.faces.size(); ++f) {
      if (rig.asset.tets.positions[static_cast<size_t>(rig.faces[f][0])].x() < -0.99) hit.face = static_cast<int>(f);
    }
    hit.barycentric = Vec3::Constant(1.0 / 3), hit.impulse = Vec3(2, 0, 0), hit.mass = 1, hit.other = 0;
    LayerContext now;
    now.dt = examples::kReferenceStep, now.hits = std::span(&hit, 1), now.broken = broken;
    examples::step(layer.model, state, now);
    std::map<int, float> rest_of_origin;
    std::vector<int> count(4, 0);
    for (int piece = 0; piece < 4; ++piece) {
      for (int v = rig.first_vertex[static_cast<size_t>(piece)]; v < rig.first_vertex[static_cast<size_t>(piece) + 1]; ++v) {
        const float rest = state.weights[static_cast<size_t>(v) * static_cast<size_t>(rig.skin.examples)];
        count[static_cast<size_t>(piece)] += rest < 0.999f;
        const float twin = rest_of_origin.try_emplace(pieces.origin[static_cast<size_t>(v)], rest).first->second;
        if (std::count(broken.begin(), broken.end(), 1) == 0) {
          EXPECT_EQ(rest, twin) << "copies of one vertex must stay together";
        }
      }
    }
    return count;
  };
  const int hit_piece = [&] {  // at the left end
    for (size_t t = 0; t < rig.asset.tets.tets.size(); ++t) {
      for (const int v : rig.asset.tets.tets[t]) {
        if (rig.asset.tets.positions[static_cast<size_t>(v)].x() < -0.99) return pieces.of_tet[t];
      }
    }
    return -1;
  }();
  for (const int count : deformed({0, 0, 0})) EXPECT_GT(count, 0);  // through any number of pieces
  const std::vector<int> alone = deformed({1, 1, 1});
  for (int piece = 0; piece < 4; ++piece) EXPECT_EQ(alone[static_cast<size_t>(piece)] > 0, piece == hit_piece) << piece;
}

TEST_F(Fracture, a_run_goes_on_from_a_checkpoint_to_the_same_bits_on_any_number_of_threads) {
  const std::string asset = shards();
  Scene broken = scene(asset, R"("seconds": 1.5, "checkpoint": 10, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]},
      {"name": "bar", "asset": "bar", "at": [0, 1.2, 0], "turn": [0, 0, 30], "density": 100, "velocity": [0, -8, 0], "spin": [0, 2, 4], "pieces": {"strength": 60},
       "examples": {"gain": 100, "yield": 0.2}},
      {"name": "ball", "sphere": 0.3, "start": 0.3, "at": [0.3, 3, 0], "mass": 100, "velocity": [0, -9, 0]}],
      "joints": [{"kind": "ball", "body": "bar", "at": [-0.9, 0.7, 0]}])");
  broken.gravity = Vec3(0, -9.81, 0);
  const int before = thread_count();
  std::map<int, uint64_t> prints;
  for (const int run : {1, 2, 3, 4}) {
    const int threads = run <= 2 ? run : run - 2;
    broken.second_phase = run > 2;
    set_thread_count(threads);
    World world = built(broken);
    for (int frame = 1; frame <= 90; ++frame) {
      world.step_frame();
      if (world.is_checkpoint(frame) && threads == 1) {
        World resumed = built(broken);
        Result<void> restored = resumed.restore(world.snapshot());
        ASSERT_TRUE(restored) << restored.error().text;
        World copy = std::move(resumed);
        EXPECT_EQ(frame_bytes(copy), frame_bytes(world)) << frame;
        world = std::move(copy);
      }
    }
    EXPECT_GT(world.bodies()[1].parts.size(), 2u);
    EXPECT_TRUE(world.report().frozen.empty());
    prints[run] = world.fingerprint();
  }
  set_thread_count(before);
  EXPECT_EQ(prints[1], prints[2]);
  EXPECT_EQ(prints[3], prints[4]);
  EXPECT_NE(prints[1], prints[3]);
}

TEST_F(Fracture, a_recording_shows_one_surface_while_it_is_whole_and_two_for_each_piece_afterwards) {
  World world = built(shot(halves(), 10, 4));
  EXPECT_EQ(world.frame().items.size(), 2u);
  run_frames(world, 30);
  ASSERT_TRUE(world.bodies()[0].is_broken());
  const Frame frame = world.frame();
  EXPECT_EQ(frame.items.size(), 5u);  // skin and cut of two halves, and the ball
  for (const FrameItem& item : frame.items) EXPECT_FALSE(item.surface->triangles.empty()) << item.name;
}

TEST_F(Fracture, bad_settings_are_refused) {
  const auto error_of = [&](const std::string& asset, const std::string& pieces) {
    Result<Scene> parsed = parse_scene(R"({"crumple": 1, "assets": {"bar": ")" + asset + R"("}, "bodies": [{"name": "bar", "asset": "bar", "pieces": )" + pieces + "}]}", folder_ / "scene.json");
    if (!parsed) return parsed.error().text;
    Result<World> world = World::build(*parsed);
    return world ? std::string() : world.error().text;
  };
  EXPECT_NE(error_of(halves(), R"({"strength": 0})").find("strength"), std::string::npos);
  EXPECT_NE(error_of(halves(), R"({"strength": -4})").find("strength"), std::string::npos);
  EXPECT_NE(error_of(halves(), R"({"strenght": 4})").find("strength"), std::string::npos);
  EXPECT_NE(error_of(bar(3, {}), R"({"strength": 100})").find("score"), std::string::npos);
}

}  // namespace
}  // namespace crumple
