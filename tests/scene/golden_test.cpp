// Every scene of the project still gives the numbers it gave when tests/golden/fingerprints.txt was made. A refactoring keeps them; a change of
// behaviour makes them anew, in a commit that says why:
//   CRUMPLE_WRITE_GOLDENS=1 build/release/bin/crumple_tests --gtest_filter='*Golden*'
#include <sstream>

#include "crumple/render/preview.h"
#include "crumple/run/playback.h"
#include "tests/sanitized.h"
#include "tests/scene/scenes.h"
#include "tests/scene/goldens.h"
#include "tests/scene/inside.h"
#include "tests/scene/scene_marks.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

class Golden : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenes, Golden, testing::ValuesIn(all_scene_files()), [](const auto& info) { return fs::path(info.param).stem().string(); });

/// They are made with one thread and met with two.
TEST_P(Golden, scene_gives_the_numbers_it_gave) {
  const std::string key = golden_key(GetParam());
  const Threads threads(is_writing() ? 1 : 2);
  World world = built(scene_file(GetParam()));
  const int all = world.scene().frame_count(), last = frames_to_test(world.scene(), all), half = std::min(last, static_cast<int>(0.5 * world.scene().fps));
  SceneWatch watch;
  const auto run = [&](int frames) {
    for (int i = 0; i < frames; ++i) world.step_frame(), watch.look(world);
  };
  run(half);
  const uint64_t at_half = world.fingerprint();
  if (kSanitized) {
    if (is_comparable()) {
      EXPECT_NE(read_goldens()[key].find(fmt::format("half={:016x}", at_half)), std::string::npos);
    }
    return;
  }
  run(last - half);
  if (last == all) expect_what_it_is_meant_to_show(world, GetParam(), watch);
  if (!is_comparable()) GTEST_SKIP() << "goldens were made with other libraries: " << read_goldens()["toolchain"];
  expect_golden(key, fmt::format("scene={:016x} half={:016x} end={:016x} state={:016x}", world.scene_hash(), at_half, world.fingerprint(), state_hash(world)));
}

/// The way of the 2016 paper, one solve a step: these are the numbers of the time before there was a second phase.
class GoldenOnePhase : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scenes, GoldenOnePhase,
                         testing::Values("block_drop", "bridge", "car_barrels", "car_hail", "drum_pyramid", "loading_dock", "painted_drum", "radius_dent", "radius_whole", "sedan_wall", "shipyard", "signpost", "space_battle", "study_examples", "study_friction", "study_gain", "study_soften", "study_yield"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(GoldenOnePhase, scene_gives_the_numbers_it_gave) {
  if (!is_comparable()) GTEST_SKIP() << "goldens were made with other libraries: " << read_goldens()["toolchain"];
  Scene scene = scene_file(std::string(GetParam()) + ".json");
  scene.second_phase = false;
  for (BodyDescription& body : scene.bodies) {
    if (std::optional<pieces::Settings>& scored = body.of<pieces::Settings>()) scored->hinge.reset();
  }
  World world = built(scene);
  if (kSanitized) return run_frames(world, static_cast<int>(0.1 * world.scene().fps));
  run_frames(world, world.scene().frame_count());
  expect_golden(fmt::format("one phase {}", GetParam()), fmt::format("state={:016x}", state_hash(world)));
}

/// Six scenes of every kind are recorded for a second and drawn.
class GoldenRecording : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scenes, GoldenRecording, testing::Values("loading_dock", "shipyard", "gate", "crane_collapse", "ball_drop", "sedan_wall"),
                         [](const auto& info) { return std::string(info.param); });

constexpr int kTiles = 4;

/// Mean colours of the picture in 4 x 4 tiles. Embree picks its instructions by the processor, so single pixels may differ a little.
std::vector<int> mean_colors(const io::Image& image) {
  std::vector<double> sums(kTiles * kTiles * 3);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const int tile = y * kTiles / image.height * kTiles + x * kTiles / image.width;
      for (int c = 0; c < 3; ++c) sums[tile * 3 + c] += image.pixel(x, y)[c];
    }
  }
  std::vector<int> means;
  for (const double sum : sums) means.push_back(static_cast<int>(std::lround(10 * sum * kTiles * kTiles / (image.width * image.height))));
  return means;
}

void expect_picture(const std::string& key, const std::vector<int>& found) {
  if (is_writing()) return write_golden(key, fmt::format("{}", fmt::join(found, " ")));
  std::istringstream numbers(read_goldens()[key]);
  for (const int value : found) {
    int golden = -1000;
    numbers >> golden;
    EXPECT_NEAR(value, golden, 5) << key << ": mean colours of tiles, in tenths of 255ths";
  }
}

TEST_P(GoldenRecording, second_has_the_bytes_and_the_picture_it_had) {
  if (!is_comparable()) GTEST_SKIP() << "goldens were made with other libraries: " << read_goldens()["toolchain"];
  const std::string name = GetParam();
  const ScratchFolder scratch("golden_" + name);
  const Scene scene = scene_file(name + ".json");
  RunSettings settings;
  settings.folder = scratch / "run";
  settings.frames = {0, std::min(static_cast<int>(scene.fps), scene.frame_count())};
  const Result<RunReport> report = run_scene(scene, settings);
  ASSERT_TRUE(report) << report.error().text;
  const std::string stream = bytes_of(settings.folder / "state.crumple");
  expect_golden("recording " + name, fmt::format("bytes={} hash={:016x}", stream.size(), io::hash_bytes(stream)));

  Result<Playback> playback = Playback::open(settings.folder);
  ASSERT_TRUE(playback) << playback.error().text;
  const Result<Frame> frame = playback->frame(playback->frames().back(), View{"state"});
  ASSERT_TRUE(frame) << frame.error().text;
  render::RenderSettings small;
  small.width = 160, small.height = 96, small.samples = 4, small.color = render::ColorMode::Weights;
  const Result<io::Image> image = render::render_frame(*frame, render::fit_camera(std::span(&*frame, 1), {}), small);
  ASSERT_TRUE(image) << image.error().text;
  expect_picture("picture " + name, mean_colors(*image));
}

TEST(Goldens, are_those_of_the_scenes_there_are) {
  std::vector<std::string> golden;
  for (const auto& [key, value] : read_goldens()) {
    if (key.starts_with("scene ")) golden.push_back(key.substr(6) + ".json");
  }
  EXPECT_TRUE(is_writing() || golden == all_scene_files());
}

}  // namespace
}  // namespace crumple
