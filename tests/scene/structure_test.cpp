#include <cmath>

#include "crumple/core/parallel.h"
#include "crumple/io/mesh_file.h"
#include "crumple/material/section.h"
#include "crumple/run/playback.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

Scene structure_scene(const std::string& inside) {
  return drum_scene(inside);
}

/// The places of all pieces, one after the other.
std::vector<Transform> places_of(const World& world, int body) {
  std::vector<Transform> places;
  for (int piece = 0; piece < world.bodies()[static_cast<size_t>(body)].piece_count(); ++piece) places.push_back(world.place(body, piece));
  return places;
}

double total_work(const World& world) {
  double work = 0;
  for (const JointReport& joint : world.joint_reports()) work += joint.history.work;
  return work;
}

int broken_count(const World& world) {
  int broken = 0;
  for (const JointReport& joint : world.joint_reports()) broken += joint.history.broken_at >= 0 ? 1 : 0;
  return broken;
}

const std::string kSteelBar = R"("section": {"rect": [0.1, 0.2]}, "material": {"steel": 3e8, "density": 8000})";

TEST(Structures, a_clamped_bar_sags_by_the_closed_form) {
  const int count = 6;
  const double length = 3;
  World world = built(structure_scene(fmt::format(R"("substeps": 2, "bodies": [{{"name": "bar", "turn": [0, 30, 0], "at": [1, 2, 3], "structure": {{
    {}, "bars": [{{"from": [0, 0, 0], "to": [{}, 0, 0], "pieces": {}}}], "supports": [{{"at": [0, 0, 0]}}]}}}}])",
                                                  kSteelBar, length, count)));
  run_frames(world, 90);
  SolidMaterial material = steel(3e8);
  material.density = 8000;
  const JointSection section = *joint_section(rectangle_section(0.1, 0.2), material);
  const double weight = section.mass * 9.81;  // N/m
  const double bending = weight * std::pow(length, 4) / (8 * section.rigidity.bending_1) * (1 + 1.0 / (count * count));
  const double shear = weight * length * length / (2 * section.rigidity.shear_2);
  const Vec3 tip(length, 0, 0);
  const Transform rest = {rotation_of(world.scene().bodies[0]), world.scene().bodies[0].at};
  const double sag = (rest * tip - world.place(0, count - 1) * tip).y();
  EXPECT_NEAR(sag / (bending + shear), 1.0, 0.005);
  EXPECT_EQ(world.joint_reports().size(), static_cast<size_t>(count));
  double most = 0;
  for (const JointReport& joint : world.joint_reports()) most = std::max(most, joint.history.utilisation);
  EXPECT_NEAR(most, weight * length * length / 2 / section.capacity.bending_1, 1e-4);
  EXPECT_EQ(total_work(world), 0);
  EXPECT_NEAR(world.bodies()[0].mass, section.mass * length, 1e-9 * section.mass);
}

/// A bar on a clamp that a heavy ball bends and breaks, with something of everything beside it.
std::string wreck() {
  return R"("seconds": 1, "checkpoint": 9, "substeps": 4, "bodies": [
    {"name": "ground", "plane": [0, 1, 0, 0]},
    {"name": "block", "box": [1, 1, 1], "at": [-0.5, 1, 0], "motion": "static"},
    {"name": "bar", "at": [0, 1.2, 0], "structure": {"section": {"rect": [0.06, 0.06]}, "material": {"steel": 2e8, "ultimate_rotation": 0.35},
      "bars": [{"from": [0, 0, 0], "to": [2, 0, 0], "pieces": 5}], "supports": [{"at": [0, 0, 0], "to": "block"}]}},
    {"name": "ball", "sphere": 0.25, "at": [1.4, 2.3, 0.02], "mass": 700, "velocity": [0, -3, 0]},
    {"name": "post", "box": [0.1, 1, 0.1], "at": [4, 0.5, 0], "mass": 30},
    {"name": "head", "box": [0.5, 0.3, 0.3], "at": [4.2, 1.15, 0], "mass": 120},
    {"name": "drum", "asset": "drum", "at": [2.6, 1.4, 0], "turn": [20, 0, 70], "velocity": [2, -4, 0], "examples": {"gain": 150, "yield": 0.3}}],
    "joints": [
      {"kind": "plastic", "name": "foot", "body": "post", "at": [4, 0, 0], "section": {"rect": [0.04, 0.04]}, "material": {"steel": 2e8}, "length": 0.5},
      {"kind": "plastic", "name": "neck", "body": "head", "to": "post", "at": [4, 1, 0], "section": {"rect": [0.03, 0.03]},
       "material": {"steel": 1e8, "ultimate_rotation": 0.2}, "length": 0.2}])";
}

TEST(Structures, runs_are_identical_with_any_number_of_threads) {
  std::vector<uint64_t> fingerprints;
  for (const int threads : {1, 2, 2}) {
    set_thread_count(threads);
    World world = built(structure_scene(wreck()));
    run_frames(world, 45);
    fingerprints.push_back(world.fingerprint());
  }
  set_thread_count(0);
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
  EXPECT_EQ(fingerprints[0], fingerprints[2]);
}

TEST(Structures, a_run_continues_bit_for_bit_with_joints_that_have_yielded_and_broken) {
  const Scene scene = structure_scene(wreck());
  const ScratchFolder scratch("structures");
  RunSettings settings;
  settings.folder = scratch / "whole";
  const Result<RunReport> whole = run_scene(scene, settings);
  ASSERT_TRUE(whole) << whole.error().text;
  EXPECT_GT(whole->broken_joints(), 0);
  EXPECT_LT(whole->broken_joints(), 7);
  for (const int stop_at : {8, 20, 41}) {
    StopFlag cancel;
    settings.folder = scratch / fmt::format("stopped at {}", stop_at);
    settings.cancel = &cancel, settings.resume = false;
    settings.progress = [&](int frame, int, const World&) { if (frame >= stop_at) cancel.request(); };
    ASSERT_TRUE(run_scene(scene, settings));
    settings.cancel = nullptr, settings.progress = nullptr, settings.resume = true;
    const Result<RunReport> resumed = run_scene(scene, settings);
    ASSERT_TRUE(resumed) << resumed.error().text;
    EXPECT_EQ(resumed->fingerprint, whole->fingerprint) << stop_at;
    EXPECT_EQ(resumed->joint_work(), whole->joint_work()) << stop_at;
    EXPECT_TRUE(bytes_of(settings.folder / "state.crumple") == bytes_of(scratch / "whole" / "state.crumple")) << stop_at;
    for (size_t j = 0; j < whole->joints.size(); ++j) EXPECT_EQ(resumed->joints[j].history.broken_at, whole->joints[j].history.broken_at) << stop_at;
  }
}

TEST(Structures, what_a_hinge_dissipates_is_its_moment_times_its_turn_and_all_the_energy_there_was) {
  // A block that turns about its end against a moment: it stops after I w^2 / 2 = M (turn + M / 2k).
  World world = built(structure_scene(R"("gravity": [0, 0, 0], "substeps": 10, "checkpoint": 4, "bodies": [{"name": "arm", "spin": [0, 0, 2], "structure": {
    "section": {"capacity": {"axial": 1e9, "shear_1": 1e9, "shear_2": 1e9, "torsion": 1e6, "bending_1": 500, "bending_2": 1e6},
      "stiffness": {"axial": 1e9, "shear_1": 1e9, "shear_2": 1e9, "torsion": 1e6, "bending_1": 1e6, "bending_2": 1e6}},
    "pieces": [{"name": "block", "box": [2, 0.2, 0.2], "mass": 120}],
    "joints": [{"name": "hinge", "a": "block", "at": [0, 0, 0], "axis": [1, 0, 0], "length": 1}]}}])"));
  const double energy = world.kinetic_energy();
  run_frames(world, 60);
  const rigid::JointHistory book = world.joint_reports().front().history;
  EXPECT_NEAR(book.work, 500 * book.turn, 1e-3 * book.work);
  EXPECT_NEAR(book.work, energy - 500.0 * 500.0 / 2e6, 0.02 * energy);
  EXPECT_EQ(book.broken_at, -1);
  EXPECT_LT(world.kinetic_energy(), 1e-3 * energy);
  EXPECT_LE(book.utilisation, 1 + 1e-9);
  EXPECT_NEAR(book.peak, 1, 1e-6);
}

TEST(Structures, pieces_whose_joint_has_broken_collide) {
  World world = built(structure_scene(R"("bodies": [{"name": "tower", "structure": {
    "section": {"rect": [0.01, 0.01]}, "material": {"steel": 2e8, "ultimate_strain": 0.001, "ultimate_rotation": 0.01},
    "pieces": [{"name": "foot", "box": [1, 1, 1], "at": [0, 0.5, 0]}, {"name": "top", "box": [0.8, 1, 0.8], "at": [0, 1.5, 0], "mass": 5000}],
    "joints": [{"name": "neck", "a": "foot", "b": "top", "at": [0, 1, 0], "axis": [0, 1, 0], "length": 0.1},
      {"name": "base", "a": "foot", "at": [0, 0, 0], "axis": [0, 1, 0], "length": 0.1, "section": {"rect": [1, 1]}}]}}])"));
  run_frames(world, 120);
  EXPECT_EQ(broken_count(world), 1);
  EXPECT_GT(world.part_state(0, 1).place.translation.y(), 1.48);
  EXPECT_LT(world.part_state(0, 1).velocity.norm(), 0.05);
}

/// How far a drum that is thrown onto something is dented, rms.
double dent_of_a_drum_on(const std::string& table) {
  // With the second phase overlaps of ordinary bodies are undone without adding speed, those of structures with up to 0.5 m/s.
  World world =
      built(structure_scene(R"("second_phase": false, "bodies": [)" + table +
                            R"(, {"name": "drum", "asset": "drum", "at": [0.1, 0.75, 0], "turn": [15, 0, 75], "velocity": [0, -7, 0], "mass": 25,
    "examples": {"gain": 150, "yield": 0.3}}])"));
  run_frames(world, 30);
  return damage_of(world.bodies().back()).rms_displacement;
}

TEST(Structures, a_drum_dents_on_a_strong_frame_as_on_a_rigid_one) {
  const double rigid = dent_of_a_drum_on(R"({"name": "table", "box": [3, 0.3, 3], "motion": "static"})");
  const double strong = dent_of_a_drum_on(R"({"name": "table", "structure": {"material": {"steel": 4e8},
    "plates": [{"size": [3, 3], "thickness": 0.3, "cells": [4, 4]}],
    "supports": [{"at": [-1.5, 0, -1.5], "until": [-1.5, 0, 1.5]}, {"at": [1.5, 0, -1.5], "until": [1.5, 0, 1.5]}]}})");
  EXPECT_GT(rigid, 0.005);
  EXPECT_NEAR(strong / rigid, 1, 0.1);
}

TEST(Structures, a_quiet_one_falls_asleep_and_wakes_when_it_is_hit) {
  World world = built(structure_scene(fmt::format(R"("bodies": [{{"name": "bar", "structure": {{{},
    "bars": [{{"from": [-1, 0, 0], "to": [1, 0, 0], "pieces": 4}}], "supports": [{{"at": [-1, 0, 0]}}, {{"at": [1, 0, 0]}}]}}}},
    {{"name": "ball", "sphere": 0.2, "at": [0.1, 0.5, 0], "mass": 3000, "velocity": [0, -6, 0], "start": 4}}])",
                                                  kSteelBar)));
  run_frames(world, 235);
  EXPECT_EQ(world.awake_count(), 0);
  const std::vector<Transform> asleep = places_of(world, 0);
  run_frames(world, 25);
  EXPECT_GT(world.awake_count(), 1);
  EXPECT_GT(total_work(world), 0);
  EXPECT_GT((places_of(world, 0)[1].translation - asleep[1].translation).norm(), 1e-4);
}

TEST(Structures, one_that_ends_is_gone_with_its_joints) {
  World world = built(structure_scene(fmt::format(R"("bodies": [{{"name": "bar", "end": 0.5, "structure": {{{},
    "bars": [{{"from": [-1, 0, 0], "to": [1, 0, 0], "pieces": 4}}], "supports": [{{"at": [-1, 0, 0]}}, {{"at": [1, 0, 0]}}]}}}},
    {{"name": "crate", "box": [0.4, 0.4, 0.4], "at": [0, 0.31, 0], "mass": 100}}])",
                                                  kSteelBar)));
  run_frames(world, 29);
  EXPECT_NEAR(world.part_state(1).place.translation.y(), 0.3, 0.01);
  EXPECT_EQ(world.frame().items.size(), 5u);
  run_frames(world, 31);
  EXPECT_FALSE(world.bodies()[0].is_present());
  EXPECT_EQ(world.frame().items.size(), 1u);
  EXPECT_NEAR(world.part_state(1).place.translation.y(), 0.3 - 0.5 * 9.81 * 0.25, 0.06);
  EXPECT_EQ(world.joint_reports().size(), 5u);  // what they did is still known
}

TEST(Structures, one_that_flies_apart_is_frozen_where_it_was) {
  World world = built(structure_scene(fmt::format(R"("bodies": [{{"name": "ground", "plane": [0, 1, 0, -5]}},
    {{"name": "bar", "velocity": [5000, 0, 0], "structure": {{{}, "bars": [{{"from": [0, 0, 0], "to": [2, 0, 0], "pieces": 4}}]}}}},
    {{"name": "crate", "box": [0.4, 0.4, 0.4], "at": [1, 1, 0]}}], "joints": [{{"kind": "ball", "body": "crate", "to": "bar", "at": [1, 0.5, 0]}}])",
                                                  kSteelBar)));
  run_frames(world, 10);
  ASSERT_EQ(world.report().frozen.size(), 1u);
  EXPECT_EQ(world.report().frozen[0].body, "bar");
  for (const Transform& place : places_of(world, 1)) EXPECT_EQ(place.translation.norm(), 0);
  EXPECT_LT((world.part_state(2).place.translation - Vec3(1, 1, 0)).norm(), 1.1);
}

TEST(Structures, bodies_joined_by_a_plastic_joint_hold_below_its_moment_and_bend_above) {
  // 100 kg half a metre beside the post: 490 N m. The section takes b h^2 / 4 times its yield stress.
  const auto turn_of = [&](double yield) {
    World world = built(structure_scene(fmt::format(R"("bodies": [{{"name": "post", "box": [0.2, 2, 0.2], "at": [0, 1, 0], "motion": "static"}},
      {{"name": "load", "box": [0.3, 0.3, 0.3], "at": [0.5, 2, 0], "mass": 100}}],
      "joints": [{{"kind": "plastic", "name": "neck", "body": "load", "to": "post", "at": [0, 2, 0], "axis": [1, 0, 0], "length": 0.2,
        "section": {{"rect": [0.02, 0.04]}}, "material": {{"steel": {}}}}}])",
                                                    yield)));
    run_frames(world, 60);
    EXPECT_EQ(world.joint_reports().front().name, "neck");
    return world.joint_reports().front().history.turn;
  };
  EXPECT_LT(turn_of(4e8), 0.01);  // dynamic: the load is let go suddenly
  EXPECT_GT(turn_of(0.4e8), 0.3);
}

TEST(Structures, a_recording_shows_what_was_seen) {
  const Scene scene = structure_scene(wreck());
  const ScratchFolder scratch("structure_playback");
  RunSettings settings;
  settings.folder = scratch / "run";
  settings.frames = std::pair{0, 40};
  ASSERT_TRUE(run_scene(scene, settings));
  World world = built(scene);
  run_frames(world, 40);
  Result<Playback> playback = Playback::open(settings.folder);
  ASSERT_TRUE(playback) << playback.error().text;
  const Result<Frame> shown = playback->frame(40, View{"utilisation"});
  ASSERT_TRUE(shown) << shown.error().text;
  const Frame seen = world.frame({"utilisation"});
  ASSERT_EQ(shown->items.size(), seen.items.size());
  int colored = 0;
  for (size_t i = 0; i < seen.items.size(); ++i) {
    EXPECT_EQ(shown->items[i].name, seen.items[i].name);
    EXPECT_TRUE(shown->items[i].place.translation.isApprox(seen.items[i].place.translation, 1e-12));
    EXPECT_EQ(shown->items[i].colors, seen.items[i].colors);
    if (seen.items[i].body == 2) {
      EXPECT_EQ(shown->items[i].positions, seen.items[i].positions);
    }
    colored += seen.items[i].colors.empty() ? 0 : 1;
  }
  EXPECT_EQ(colored, 5);
}

TEST(Structures, a_recording_carries_the_meshes_of_pieces) {
  const ScratchFolder scratch("structure_meshes");
  std::filesystem::create_directories(scratch / "models");
  ASSERT_TRUE(io::write_mesh(make_box(Vec3(1, 0.2, 0.2)), scratch / "models/wedge.obj"));
  const std::string text =
      R"({"crumple": 1, "seconds": 0.2, "checkpoint": 4, "bodies": [{"name": "arm", "structure": {"section": {"rect": [0.05, 0.05]}, "material": {"steel": 2e8},
    "pieces": [{"name": "near", "mesh": "models/wedge.obj", "at": [0.5, 0, 0], "turn": [30, 0, 0], "mass": 40},
      {"name": "far", "mesh": "models/wedge.obj", "at": [1.5, 0, 0], "mass": 40}],
    "joints": [{"a": "near", "at": [0, 0, 0]}, {"a": "near", "b": "far", "at": [1, 0, 0]}]}}]})";
  const Result<Scene> scene = parse_scene(text, scratch / "scene.json");
  ASSERT_TRUE(scene) << scene.error().text;
  RunSettings settings;
  settings.folder = scratch / "run";
  const Result<RunReport> report = run_scene(*scene, settings);
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->broken_joints(), 0);
  std::filesystem::remove_all(scratch / "models");
  Result<Playback> playback = Playback::open(settings.folder);
  ASSERT_TRUE(playback) << playback.error().text;
  const Result<Frame> frame = playback->frame(12);
  ASSERT_TRUE(frame);
  ASSERT_EQ(frame->items.size(), 2u);
  EXPECT_EQ(frame->items[1].name, "arm/far");
  const Result<Scene> carried = load_scene(settings.folder / "scene.json");
  ASSERT_TRUE(carried) << carried.error().text;
  World again = built(*carried);
  run_frames(again, 12);
  EXPECT_EQ(again.joint_reports()[0].history.utilisation, report->joints[0].history.utilisation);
}

TEST(Structures, ordinary_joints_hold_on_to_the_nearest_piece) {
  World world = built(
      structure_scene(fmt::format(R"("bodies": [{{"name": "bar", "structure": {{{}, "bars": [{{"from": [0, 0, 0], "to": [2, 0, 0], "pieces": 4}}],
    "supports": [{{"at": [0, 0, 0]}}]}}}}, {{"name": "load", "box": [0.3, 0.3, 0.3], "at": [1.9, -1, 0], "mass": 200}}],
    "joints": [{{"kind": "ball", "body": "load", "to": "bar", "at": [1.9, -0.1, 0]}}])",
                                  kSteelBar)));
  run_frames(world, 180);
  // The clamp carries the moment of the load where it hangs, and that of the bar's own weight.
  const JointSection section = *joint_section(rectangle_section(0.1, 0.2), [] {
    SolidMaterial m = steel(3e8);
    m.density = 8000;
    return m;
  }());
  double most = 0;
  for (const JointReport& joint : world.joint_reports()) most = std::max(most, joint.history.utilisation);
  EXPECT_NEAR(most * section.capacity.bending_1, 9.81 * (200 * 1.9 + section.mass * 2 * 1), 0.01 * 9.81 * 380);
}

}  // namespace
}  // namespace crumple
