// Dents in scenes: whom they mark, how deep, and what stays as it was.
#include <cmath>
#include <fstream>
#include <set>

#include "crumple/core/parallel.h"
#include "crumple/geometry/bvh.h"
#include "tests/scene/bars.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

using Dents = AtWork<dents::Settings, dents::Model, dents::State>;

const dents::State& dents_of(const World& world, std::string_view name) {
  const Body& body = world.bodies()[static_cast<size_t>(body_named(world, name))];
  for (const Layer& layer : body.layers) {
    if (const Dents* found = std::get_if<Dents>(&layer)) return found->state;
  }
  throw std::runtime_error("no dents");
}

/// A ball falls on a block.
Scene dropped(double speed, const std::string& dents, const std::string& more = "") {
  return parsed_scene(fmt::format(R"({{"crumple": 1, "seconds": 0.5, "checkpoint": 5, "gravity": [0, 0, 0], {} "bodies": [
    {{"name": "block", "box": [0.6, 0.3, 0.6], "mass": 4000, "material": {{"restitution": 0}}, "dents": {}}},
    {{"name": "ball", "sphere": 0.1, "at": [0.02, 0.28, 0.01], "mass": 20, "velocity": [0, -{}, 0], "material": {{"restitution": 0.5}}}}]}})", more, dents, speed));
}

double deepest_drawn(const World& world, std::string_view name) {
  float most = 0;
  for (const Vec3f& offset : dents_of(world, name).sheets.front().offsets) most = std::max(most, offset.norm());
  return most;
}

TEST(Dents, are_as_deep_as_the_speed_beyond_the_threshold_says) {
  for (const double speed : {0.9, 2.0, 5.0, 9.0, 30.0}) {
    World world = built(dropped(speed, R"({"depth": 0.004, "deepest": 0.05})"));
    run_frames(world, 20);
    const double expected = std::min(0.05, 0.004 * std::max(0.0, speed - 1));
    EXPECT_NEAR(deepest_drawn(world, "block"), expected, 0.015 * expected + 1e-9) << speed;
    EXPECT_EQ(dents_of(world, "block").figures[dents::kDents], speed > 1 ? 1 : 0) << speed;
  }
}

TEST(Dents, a_projectile_moves_into_its_print_and_stays_there) {
  const auto height_after = [](const std::string& projectile) {
    Scene scene = dropped(6, fmt::format(R"({{"depth": 0.004, "lip": 0, "projectile": "{}"}})", projectile));
    scene.bodies[1].material.restitution = 0;
    World world = built(scene);
    const auto height = [&] { return world.part_state(body_named(world, "ball")).place.translation.y() - world.part_state(body_named(world, "block")).place.translation.y(); };
    run_frames(world, 4);
    const double then = height();
    run_frames(world, 20);
    EXPECT_NEAR(height(), then, 1e-3) << "it is not pushed out";
    return then;
  };
  EXPECT_NEAR(height_after("untouched") - height_after("moved"), 0.02, 1e-3);
}

TEST(Dents, do_not_depend_on_the_time_step) {
  for (const int substeps : {1, 2, 4, 8}) {
    Scene scene = dropped(6, R"({"depth": 0.004})");
    scene.substeps = substeps;
    World world = built(scene);
    run_frames(world, 20);
    EXPECT_NEAR(deepest_drawn(world, "block"), 0.02, 0.0005) << substeps;
  }
}

TEST(Dents, two_bodies_share_the_depth_by_their_resistance) {
  for (const auto& [resistance, share] : {std::pair{1.0, 0.5}, {3.0, 0.75}}) {
    Scene scene = dropped(6, R"({"depth": 0.004})");
    scene.bodies[1].of<dents::Settings>().emplace();
    scene.bodies[1].of<dents::Settings>()->depth = 0.004;
    scene.bodies[1].of<dents::Settings>()->resistance = resistance;
    World world = built(scene);
    run_frames(world, 20);
    EXPECT_NEAR(deepest_drawn(world, "block"), share * 0.02, 0.0006) << resistance;
    EXPECT_NEAR(deepest_drawn(world, "ball"), (1 - share) * 0.02, 0.0006) << resistance;
    for (BodyDescription& body : scene.bodies) body.of<dents::Settings>()->both = dents::Both::Full;
    World full = built(scene);
    run_frames(full, 20);
    EXPECT_NEAR(deepest_drawn(full, "block"), 0.02, 0.0006);
    EXPECT_NEAR(deepest_drawn(full, "ball"), 0.02, 0.0006);
  }
}

TEST(Dents, show_what_was_drawn_by_the_tetrahedra_as_well) {
  World world = built(dropped(6, R"({"depth": 0.008, "softness": 0.2})"));
  run_frames(world, 20);
  const Body& block = world.bodies()[0];
  double lowest = 0;
  for (const FrameItem& item : world.frame().items) {
    if (item.name != "block") continue;
    ASSERT_EQ(item.positions.size(), item.surface->positions.size());
    for (const Vec3f& p : item.positions) {
      if (std::hypot(p.x(), p.z()) < 0.05) lowest = std::min(lowest, p.y() - 0.15);
      ASSERT_TRUE(p.allFinite());
    }
  }
  EXPECT_LT(lowest, -0.035);  // the bottom of a dent of 40 mm, within the ring looked at
  EXPECT_GT(damage_of(block).max_displacement, 0.02) << "what collides is dented, too";
  for (const Tetrahedron& t : block.solid->rig->asset.tets.tets) {
    const auto at = [&](size_t i) { return Vec3(block.shape.vertices[static_cast<size_t>(t[i])].cast<double>()); };
    EXPECT_GT((at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))), 0);
  }
}

TEST(Dents, appear_over_time) {
  World world = built(dropped(6, R"({"depth": 0.004, "over": 0.2})"));
  double last = 0;
  int growing = 0;
  for (int frame = 0; frame < 25; ++frame) {
    world.step_frame();
    const double now = deepest_drawn(world, "block");
    EXPECT_GE(now, last - 1e-6);
    growing += now > last + 1e-5;
    last = now;
  }
  EXPECT_NEAR(last, 0.02, 0.0005);
  EXPECT_GE(growing, 8);
}

TEST(Dents, take_another_time_to_appear_after_a_change) {
  for (const auto& [before, after] : {std::pair{0.3, 0.0}, {0.0, 0.3}}) {
    Scene scene = dropped(6, fmt::format(R"({{"depth": 0.004, "over": {}}})", before));
    World world = built(scene);
    run_frames(world, 5);
    const Snapshot snapshot = world.snapshot();
    scene.bodies[0].of<dents::Settings>()->over = after;
    World changed = built(scene);
    const Result<void> restored = changed.restore(snapshot);
    ASSERT_TRUE(restored) << restored.error().text;
    run_frames(changed, 20);
    EXPECT_NEAR(deepest_drawn(changed, "block"), 0.02, 0.0005) << before << " " << after;
  }
}

TEST(Dents, chatter_drills_no_hole) {
  // A ball pressed on by its weight and thrown down again and again within a tenth of a second.
  Scene scene = dropped(6, R"({"depth": 0.004})");
  scene.gravity = Vec3(0, -200, 0);
  scene.bodies[0].at = Vec3(0, 0, 0);
  BodyDescription ground;
  ground.name = "ground", ground.plane = {0, 1, 0, -0.15};
  scene.bodies.push_back(ground);
  World world = built(scene);
  run_frames(world, 30);
  EXPECT_LT(deepest_drawn(world, "block"), 0.045);
}

TEST(Dents, go_on_from_a_checkpoint_to_the_same_bits_on_any_number_of_threads) {
  Scene scene = scene_file("dent_softness.json");
  scene.checkpoint = 4;
  const int threads = thread_count();
  std::vector<uint64_t> prints;
  for (const int count : {1, 2, 5}) {
    set_thread_count(count);
    World world = built(scene);
    for (int frame = 1; frame <= 14; ++frame) {
      world.step_frame();
      if (count != 1 || !world.is_checkpoint(frame)) continue;
      World resumed = built(scene);
      const Result<void> restored = resumed.restore(world.snapshot());
      ASSERT_TRUE(restored) << restored.error().text;
      EXPECT_EQ(state_hash(resumed), state_hash(world)) << frame;
      world = std::move(resumed);
    }
    EXPECT_GT(dents_of(world, "softness 0").figures[dents::kDents], 1);
    prints.push_back(world.fingerprint());
  }
  set_thread_count(threads);
  EXPECT_EQ(prints[0], prints[1]);
  EXPECT_EQ(prints[0], prints[2]);
}

TEST(Dents, lie_under_examples_and_are_carried_along) {
  Scene scene = parsed_scene(fmt::format(R"({{"crumple": 1, "seconds": 1, "assets": {{"sedan": "{}"}}, "bodies": [
    {{"name": "wall", "box": [0.6, 2.2, 6], "at": [4.4, 0, 1], "motion": "static"}},
    {{"name": "sedan", "asset": "sedan", "velocity": [15, 0, 0], "mass": 1500, "examples": {{"gain": 90, "yield": 1, "radius": 2.4}}, "dents": {{"depth": 0.004, "threshold": 3}}}},
    {{"name": "ball", "sphere": 0.12, "at": [0.3, 0.05, 2.2], "mass": 40, "velocity": [15, 0, -16], "material": {{"restitution": 0.3}}}}]}})",
                                   (scenes_folder().parent_path() / "assets" / "sedan.glb").string()));
  scene.gravity.setZero();
  World world = built(scene);
  run_frames(world, 40);
  EXPECT_GE(dents_of(world, "sedan").figures[dents::kDents], 2);  // the ball's and the wall's
  EXPECT_GT(damage_of(world.bodies()[1]).max_displacement, 0.2);
  for (const FrameItem& item : world.frame().items) {
    for (const Vec3f& p : item.positions) ASSERT_TRUE(p.allFinite() && p.norm() < 10);
  }
}

class ScoredDents : public BarTest {};

TEST_F(ScoredDents, stay_on_the_pieces_when_a_body_breaks) {
  World world = built(scene(halves(), R"("seconds": 1, "bodies": [
      {"name": "bar", "asset": "bar", "density": 100, "pieces": {"strength": 40, "settle": 0}, "dents": {"depth": 0.01, "threshold": 1}},
      {"name": "light", "sphere": 0.1, "at": [-0.6, 0.36, 0], "mass": 0.5, "velocity": [0, -6, 0]},
      {"name": "heavy", "sphere": 0.2, "at": [-0.5, 3.6, 0], "mass": 100, "velocity": [0, -12, 0]}])"));
  run_frames(world, 10);
  ASSERT_FALSE(world.bodies()[0].is_broken());
  EXPECT_EQ(dents_of(world, "bar").figures[dents::kDents], 1);
  run_frames(world, 30);
  ASSERT_TRUE(world.bodies()[0].is_broken());
  double on_pieces = 0;
  for (size_t i = 1; i < dents_of(world, "bar").sheets.size(); ++i) {
    for (const Vec3f& offset : dents_of(world, "bar").sheets[i].offsets) on_pieces = std::max<double>(on_pieces, offset.norm());
  }
  EXPECT_GT(on_pieces, 0.03);
  for (const FrameItem& item : world.frame().items) {
    ASSERT_TRUE(item.positions.empty() || item.positions.size() == item.surface->positions.size()) << item.name;
  }
}

/// A ball flies against a sheet of 2 x 2 cells, near their common corner. The sheet is free, or held along two borders.
Scene hit_sheet(const std::string& supports, double mass) {
  return parsed_scene(fmt::format(R"({{"crumple": 1, "seconds": 0.5, "substeps": 8, "checkpoint": 3, "gravity": [0, 0, 0], "bodies": [
    {{"name": "sheet", "structure": {{"material": {{"steel": 2.35e8}}, "plates": [{{"name": "sheet", "size": [1, 1], "thickness": 0.01, "cells": [2, 2]}}], "supports": {}}},
      "material": {{"restitution": 0}}, "dents": {{"depth": 0.004, "lip": 0}}}},
    {{"name": "ball", "sphere": 0.1, "at": [0.02, 0.16, 0.013], "mass": {}, "velocity": [0, -11, 0], "material": {{"restitution": 0}}}}]}})", supports, mass));
}
const char* const kHeld = R"([{"at": [-0.5, 0, -0.5], "until": [-0.5, 0, 0.5]}, {"at": [0.5, 0, -0.5], "until": [0.5, 0, 0.5]}])";

/// How far seams gape: farthest that a drawn vertex between two cells is from the surface of the other cells.
double widest_gap(const World& world) {
  std::vector<std::vector<Vec3>> placed;
  std::vector<FrameItem> cells;
  for (const FrameItem& item : world.frame().items) {
    if (!item.name.starts_with("sheet/")) continue;
    cells.push_back(item);
    for (std::vector<Vec3>& points = placed.emplace_back(); const Vec3f& p : item.positions) points.push_back(item.place * p.cast<double>());
  }
  double widest = 0;
  for (size_t c = 0; c < cells.size(); ++c) {
    const std::vector<Vec3>& rest = cells[c].surface->positions;
    for (size_t v = 0; v < rest.size(); ++v) {
      if (std::min(std::abs(rest[v].x()), std::abs(rest[v].z())) > 1e-6) continue;  // not between cells
      double least = 1e300;
      for (size_t d = 0; d < cells.size(); ++d) {
        if (d != c) least = std::min(least, TriangleTree(placed[d], cells[d].surface->triangles).closest(placed[c][v]).distance);
      }
      widest = std::max(widest, least);
    }
  }
  return widest;
}

double deepest_on_pieces(const World& world, std::string_view name) {
  double most = 0;
  for (const auto& sheet : dents_of(world, name).sheets) {
    for (const Vec3f& offset : sheet.offsets) most = std::max<double>(most, offset.norm());
  }
  return most;
}

TEST(Dents, go_on_over_the_pieces_of_a_structure) {
  for (const auto& [supports, mass] : {std::pair{"[]", 0.5}, {kHeld, 5.0}, {kHeld, 60.0}}) {
    World world = built(hit_sheet(supports, mass));
    const double before = world.bodies()[0].parts[0].mass;
    run_frames(world, 20);
    EXPECT_EQ(dents_of(world, "sheet").figures[dents::kDents], 1) << mass;
    EXPECT_NEAR(deepest_on_pieces(world, "sheet"), 0.04, 0.001) << mass;
    int dented = 0;
    for (const auto& sheet : dents_of(world, "sheet").sheets) dented += std::any_of(sheet.offsets.begin(), sheet.offsets.end(), [](const Vec3f& o) { return o.norm() > 0.01; }) ? 1 : 0;
    EXPECT_EQ(dented, 4) << mass;
    EXPECT_LT(widest_gap(world), 0.03 * 0.04) << mass;
    EXPECT_EQ(world.bodies()[0].parts[0].mass, before);
  }
}

TEST(Dents, of_a_structure_go_on_from_a_checkpoint_to_the_same_bits) {
  const Scene scene = hit_sheet(kHeld, 60);
  World world = built(scene);
  for (int frame = 1; frame <= 12; ++frame) {
    world.step_frame();
    if (world.is_checkpoint(frame)) resumed_from(world, scene);
  }
  EXPECT_EQ(dents_of(world, "sheet").figures[dents::kDents], 1);
}

TEST(Dents, mark_bars_and_pieces_of_other_shapes) {
  ScratchFolder folder("piece_meshes");
  std::ofstream(folder / "wedge.obj") << "v -0.3 -0.2 -0.3\nv 0.3 -0.2 -0.3\nv 0.3 -0.2 0.3\nv -0.3 -0.2 0.3\nv 0 0.3 -0.3\nv 0 0.3 0.3\n"
                                         "f 1 2 3 4\nf 1 5 2\nf 4 3 6\nf 2 5 6 3\nf 1 4 6 5\n";
  for (const std::string structure : {R"("section": {"i": [0.2, 0.2, 0.02, 0.02]}, "bars": [{"from": [-1, 0, 0], "to": [1, 0, 0], "pieces": 3}])",
                                      R"("section": {"tube": [0.2, 0.01]}, "bars": [{"from": [-1, 0, 0], "to": [1, 0, 0], "pieces": 4}])",
                                      R"("pieces": [{"name": "wedge", "mesh": "wedge.obj"}])"}) {
    Result<Scene> scene = parse_scene(fmt::format(R"({{"crumple": 1, "seconds": 0.5, "substeps": 8, "gravity": [0, 0, 0], "bodies": [
      {{"name": "target", "structure": {{"material": {{"steel": 2.35e8}}, {}}}, "dents": {{"depth": 0.003}}}},
      {{"name": "ball", "sphere": 0.1, "at": [0.05, 0.6, 0.02], "mass": 5, "velocity": [0, -11, 0]}}]}})", structure), folder / "scene.json");
    ASSERT_TRUE(scene) << scene.error().text;
    World world = built(*scene);
    run_frames(world, 20);
    EXPECT_EQ(dents_of(world, "target").figures[dents::kDents], 1) << structure;
    EXPECT_NEAR(deepest_on_pieces(world, "target"), 0.03, 0.006) << structure;
  }
}

TEST(Dents, bad_settings_are_refused) {
  for (const auto& [dents, word] : {std::pair{R"({"depth": -1})", "depth"}, {R"({"deepest": 0})", "deepest"}, {R"({"softness": 9})", "softness"}, {R"({"hardness": 0})", "hardness"},
                                    {R"({"both": "some"})", "both"}, {R"({"rims": 1})", "rim"}, {R"({"cells": 3})", "cells"}}) {
    const Result<Scene> scene = parse_scene(fmt::format(R"({{"crumple": 1, "bodies": [{{"name": "block", "box": [1, 1, 1], "dents": {}}}]}})", dents), "x.json");
    ASSERT_FALSE(scene) << dents;
    EXPECT_NE(scene.error().text.find(word), std::string::npos) << scene.error().text;
  }
}

}  // namespace
}  // namespace crumple
