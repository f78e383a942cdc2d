#include "crumple/core/parallel.h"
#include "tests/sanitized.h"
#include "tests/scene/scenes.h"
#include "tests/scene/goldens.h"

namespace crumple {
namespace {

/// Twelve drums that fall onto each other between two walls.
Scene heap_of_twelve() {
  std::string places;
  for (int i = 0; i < 12; ++i) {
    const double x = 0.55 * (i % 3 - 1), z = 0.5 * (i / 3 % 2), y = 0.6 + 0.75 * (i / 3);
    places += fmt::format(R"({}{{"at": [{}, {}, {}], "turn": [{}, {}, {}]}})", i ? ", " : "", x, y, z, 17 * i, 40 * i, 29 * i);
  }
  return drum_scene(R"("seconds": 1.5, "checkpoint": 40, "bodies": [{"plane": [0, 1, 0, 0]}, {"plane": [1, 0, 0, -1.2]}, {"plane": [-1, 0, 0, -1.2]},
      {"name": "drum", "asset": "drum", "velocity": [0, -4, 0], "examples": {"gain": 150, "yield": 0.3}, "places": [)" +
                    places + "]}]");
}

struct Outcomes {
  uint64_t fingerprint;
  long hits;
  std::string stream;
};

Outcomes recorded(const Scene& scene, int threads) {
  const ScratchFolder folder("determinism");
  const Threads limited(threads);
  RunSettings settings;
  settings.folder = folder / "run";
  const Result<RunReport> report = run_scene(scene, settings);
  EXPECT_TRUE(report) << (report ? "" : report.error().text);
  if (!report) return {};
  return {report->fingerprint, report->hits, bytes_of(folder / "run" / "state.crumple")};
}

/// The fingerprint after each frame, as the lines of one text, so that a difference shows where it begins.
std::string fingerprints(const Scene& scene, int frames, int threads, const std::shared_ptr<AssetLibrary>& assets) {
  const Threads limited(threads);
  World world = built(scene, assets);
  std::string lines;
  for (int i = 0; i < frames; ++i) {
    world.step_frame();
    lines += fmt::format("{} {:016x}\n", world.frame_number(), world.fingerprint());
  }
  return lines;
}

TEST(Determinism, a_heap_of_drums_gives_the_same_bytes_for_any_number_of_threads) {
  const Scene scene = heap_of_twelve();
  const Outcomes one = recorded(scene, 1);
  EXPECT_GT(one.hits, 100);
  EXPECT_GT(one.stream.size(), 10000u);
  for (const int threads : {2, 7}) {
    const Outcomes many = recorded(scene, threads);
    EXPECT_EQ(many.fingerprint, one.fingerprint) << threads << " threads";
    EXPECT_EQ(many.hits, one.hits) << threads << " threads";
    EXPECT_TRUE(many.stream == one.stream) << threads << " threads";
  }
}

TEST(Determinism, two_runs_in_one_process_are_identical) {
  const Scene scene = heap_of_twelve();
  EXPECT_TRUE(recorded(scene, 2).stream == recorded(scene, 2).stream);
}

TEST(Determinism, a_world_does_not_feel_another_one_beside_it) {
  const Scene scene = heap_of_twelve();
  World alone = built(scene);
  run_frames(alone, 45);
  World first = built(scene), second = built(scene_file("loading_dock.json"));
  for (int i = 0; i < 45; ++i) first.step_frame(), second.step_frame();
  EXPECT_EQ(first.fingerprint(), alone.fingerprint());
}

/// The goldens are made with one thread and met with three, all scenes to their ends. Where they cannot be compared with, all scenes run here;
/// otherwise one of each kind of method.
TEST(Determinism, scenes_have_the_same_fingerprints_at_one_and_many_threads) {
  const std::vector<std::string> each_kind = {"loading_dock.json", "wall_ball.json", "gate.json", "ball_drop.json", "plank_ball.json", "floating_ragdoll.json"};
  for (const std::string& name : is_comparable() && !kSanitized ? each_kind : all_scene_files()) {
    const Scene scene = scene_file(name);
    const int frames = frames_to_test(scene, static_cast<int>((kSanitized ? 0.1 : 0.5) * scene.fps));
    const auto assets = std::make_shared<AssetLibrary>();
    EXPECT_EQ(fingerprints(scene, frames, 1, assets), fingerprints(scene, frames, 5, assets)) << name;
  }
}

TEST(Determinism, bodies_are_filled_and_divided_alike_on_any_number_of_threads) {
  const Scene scene = scene_file("jacks.json");
  EXPECT_EQ(fingerprints(scene, 1, 1, nullptr), fingerprints(scene, 1, 5, nullptr));
}

TEST(Determinism, what_is_looked_at_or_recorded_does_not_change_the_motion) {
  const Scene scene = heap_of_twelve();
  World watched = built(scene), unwatched = built(scene);
  for (int i = 0; i < 50; ++i) {
    watched.step_frame(), unwatched.step_frame();
    EXPECT_FALSE(watched.frame({"state"}).items.empty());
    EXPECT_FALSE(watched.snapshot().arrays.empty());
  }
  EXPECT_EQ(watched.fingerprint(), unwatched.fingerprint());
}

TEST(Determinism, another_scene_has_another_fingerprint) {
  Scene scene = heap_of_twelve();
  World world = built(scene);
  scene.bodies[5].at.x() += 1e-9;
  World shifted = built(scene);
  EXPECT_NE(world.scene_hash(), shifted.scene_hash());
  run_frames(world, 10), run_frames(shifted, 10);
  EXPECT_NE(world.fingerprint(), shifted.fingerprint());
}

}  // namespace
}  // namespace crumple
