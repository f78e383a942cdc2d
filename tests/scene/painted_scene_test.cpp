#include "crumple/io/gltf_asset.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

/// How far vertices moved, at most, in the lower and the upper half of a drum, whose axis is y in its own frame.
struct Moved {
  double lower = 0, upper = 0;
};

Moved moved(const World& world, std::string_view name) {
  const Body& body = world.bodies()[static_cast<size_t>(body_named(world, name))];
  const std::vector<Vec3>& rest = body.solid->rig->asset.tets.positions;
  Moved most;
  for (size_t v = 0; v < rest.size(); ++v) {
    if (std::abs(rest[v].y()) < 0.1) continue;  // the paint changes here
    double& half = rest[v].y() < 0 ? most.lower : most.upper;
    half = std::max(half, (body.shape.vertices[v].cast<double>() - rest[v]).norm());
  }
  return most;
}

TEST(PaintedScene, only_the_weak_half_of_the_painted_drum_gives_way) {
  World world = built(scene_file("painted_drum.json"));
  run_frames(world, 60);
  const Moved plain = moved(world, "plain"), painted = moved(world, "painted");
  EXPECT_GT(plain.lower, 0.05);
  EXPECT_GT(plain.upper, 0.05);
  EXPECT_LT(painted.lower, 1e-6);
  EXPECT_GT(painted.upper, 0.05);
}

TEST(PaintedScene, is_continued_to_the_same_bytes_and_carries_its_paint) {
  const ScratchFolder scratch("painted");
  const Scene scene = scene_file("painted_drum.json", {"/checkpoint=7"});
  RunSettings whole, part;
  whole.folder = scratch / "whole", part.folder = scratch / "part";
  whole.frames = part.frames = {0, 24};
  ASSERT_TRUE(run_scene(scene, whole));
  StopFlag cancel;
  part.cancel = &cancel;
  part.progress = [&](int frame, int, const World&) { if (frame >= 12) cancel.request(); };  // the beam has just landed
  ASSERT_TRUE(run_scene(scene, part));
  part.cancel = nullptr, part.progress = nullptr, part.resume = true;
  const Result<Scene> packed = load_scene(scratch / "part/scene.json");
  ASSERT_TRUE(packed) << packed.error().text;
  const Result<RunReport> resumed = run_scene(scene, part);
  ASSERT_TRUE(resumed) << resumed.error().text;
  EXPECT_TRUE(bytes_of(scratch / "part/state.crumple") == bytes_of(scratch / "whole/state.crumple"));

  // A recording is looked at with its own assets.
  const Result<Asset> carried = io::read_asset(resolve_path(*packed, packed->assets.at("painted")));
  const Result<Asset> original = io::read_asset(resolve_path(scene, scene.assets.at("painted")));
  ASSERT_TRUE(carried && original);
  for (const char* knob : {"yield", "gain"}) EXPECT_EQ(find_map(carried->maps, knob)->values, find_map(original->maps, knob)->values) << knob;
}

TEST(PaintedScene, is_not_continued_with_other_paint) {
  const ScratchFolder scratch("repainted");
  Asset asset = *io::read_asset(std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / "painted_drum.glb");
  const auto scene_with = [&](const Asset& painted) {
    EXPECT_TRUE(io::write_asset(painted, scratch / "drum.glb"));
    Scene scene = scene_file("painted_drum.json", {"/checkpoint=5"});
    scene.assets.at("painted") = (scratch / "drum.glb").string();
    return scene;
  };
  RunSettings settings;
  settings.folder = scratch / "run";
  settings.frames = {0, 10};
  ASSERT_TRUE(run_scene(scene_with(asset), settings));
  settings.resume = true;
  ASSERT_TRUE(run_scene(scene_with(asset), settings));
  asset.maps[0].values[0] *= 1.001f;
  const Result<RunReport> report = run_scene(scene_with(asset), settings);
  EXPECT_FALSE(report);
}

}  // namespace
}  // namespace crumple
