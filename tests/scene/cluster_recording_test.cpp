#include <cstring>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/geometry/mesh.h"
#include "crumple/io/files.h"
#include "crumple/run/playback.h"
#include "crumple/run/recording_folder.h"
#include "tests/scene/scenes.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// A bar that is pulled apart within half a second: it tears before and after checkpoints.
std::string torn_bar(const std::string& shape = R"("box": [1, 0.2, 0.2])") {
  return R"({"crumple": 1, "seconds": 0.5, "fps": 60, "substeps": 1, "checkpoint": 7, "gravity": [0, 0, 0], "bodies": [
    {"name": "bar", )" +
         shape + R"(, "density": 1000, "clusters": {"particles": 600, "clusters": 16, "flow": 0.5, "yield": 0.02, "toughness": 0.12,
      "clamps": [{"normal": [1, 0, 0], "offset": 0.4, "speed": 1}, {"normal": [-1, 0, 0], "offset": 0.4, "speed": 1}]}},
    {"name": "ball", "sphere": 0.08, "mass": 3, "at": [0, 0.4, 0], "velocity": [0, -2, 0]}]})";
}

RunReport ran(const Scene& scene, const fs::path& folder, bool resume = false, int stop_at = 1 << 30) {
  RunSettings settings;
  settings.folder = folder, settings.resume = resume;
  StopFlag cancel;
  settings.cancel = &cancel;
  settings.progress = [&](int frame, int, const World&) { if (frame >= stop_at) cancel.request(); };
  const Result<RunReport> report = run_scene(scene, settings);
  EXPECT_TRUE(report) << (report ? "" : report.error().text);
  return report ? *report : RunReport{};
}

Playback opened(const fs::path& folder) {
  Result<Playback> playback = Playback::open(folder);
  if (!playback) throw std::runtime_error(playback.error().text);
  return std::move(*playback);
}

Frame frame_of(Playback& playback, int number) {
  Result<Frame> frame = playback.frame(number);
  if (!frame) throw std::runtime_error(frame.error().text);
  return std::move(*frame);
}

/// How far apart two pictures of the same topology are, m; more than anything if they are not of the same.
double distance(const Frame& a, const Frame& b) {
  if (a.items.size() != b.items.size()) return 1e9;
  double farthest = 0;
  for (size_t i = 0; i < a.items.size(); ++i) {
    const FrameItem &p = a.items[i], &q = b.items[i];
    if (p.name != q.name || p.surface->triangles != q.surface->triangles || p.positions.size() != q.positions.size()) return 1e9;
    for (size_t v = 0; v < p.positions.size(); ++v) {
      farthest = std::max(farthest, (p.place * p.positions[v].cast<double>() - q.place * q.positions[v].cast<double>()).norm());
    }
  }
  return farthest;
}

/// What a run has told about its first body.
struct Torn {
  double splits, first_split_frame, start_particles, particles, pieces, big_pieces, largest_piece_share, max_strain, rms_strain, debris_share;
};
Torn outcome(const RunReport& report) {
  const auto number = [&](const char* key) { return report.bodies[0].methods.figures.find(key)->number; };
  return {number("splits"), number("first_split_frame"), number("start_particles"), number("particles"), number("pieces"), number("big_pieces"),
          number("largest_piece_share"), number("max_strain"), number("rms_strain"), number("debris_share")};
}

class ClusterRecording : public testing::Test {
 protected:
  ScratchFolder scratch{"cluster_recording"};
};

TEST_F(ClusterRecording, played_back_frames_look_like_the_world_did) {
  const Scene scene = written_scene(scratch / "scene.json", torn_bar());
  const RunReport report = ran(scene, scratch / "run");
  ASSERT_GT(outcome(report).splits, 3);
  Playback playback = opened(scratch / "run");
  World world = built(scene);
  const double spacing = clusters_model(world.bodies()[0]).spacing;
  for (int frame = 0; frame <= 30; ++frame) {
    if (frame > 0) world.step_frame();
    const Frame live = world.frame(), played = frame_of(playback, frame);
    EXPECT_LT(distance(live, played), frame == 0 ? 1e-300 : 2e-3 * spacing) << "frame " << frame;
  }
  EXPECT_EQ(clusters_state(world.bodies()[0]).totals.splits, clusters_state(playback.bodies()[0]).totals.splits);
}

TEST_F(ClusterRecording, frames_are_the_same_from_whichever_side_they_are_reached) {
  ran(written_scene(scratch / "scene.json", torn_bar()), scratch / "run");
  Playback wandering = opened(scratch / "run");
  for (const int frame : {30, 12, 13, 0, 29, 16, 3}) {
    Playback fresh = opened(scratch / "run");
    EXPECT_LT(distance(frame_of(wandering, frame), frame_of(fresh, frame)), 1e-9) << "frame " << frame;
  }
}

TEST_F(ClusterRecording, a_run_that_was_interrupted_continues_to_the_same_bytes_and_counts) {
  const Scene scene = written_scene(scratch / "scene.json", torn_bar());
  const RunReport whole = ran(scene, scratch / "whole");
  const Torn soft = outcome(whole);
  ASSERT_GE(soft.first_split_frame, 1);
  ASSERT_LT(soft.first_split_frame, 14) << "nothing has torn before the second checkpoint";
  for (const int stop_at : {3, 16, 25}) {
    const fs::path folder = scratch / fmt::format("stopped at {}", stop_at);
    ran(scene, folder, false, stop_at);
    const RunReport resumed = ran(scene, folder, true);
    EXPECT_EQ(resumed.fingerprint, whole.fingerprint) << stop_at;
    EXPECT_TRUE(bytes_of(folder / "state.crumple") == bytes_of(scratch / "whole" / "state.crumple")) << stop_at;
    EXPECT_EQ(outcome(resumed).splits, soft.splits);
    EXPECT_EQ(outcome(resumed).first_split_frame, soft.first_split_frame);
    EXPECT_EQ(outcome(resumed).start_particles, soft.start_particles);
  }
}

TEST_F(ClusterRecording, is_the_same_for_any_number_of_threads) {
  const Scene scene = written_scene(scratch / "scene.json", torn_bar());
  set_thread_count(1);
  const RunReport one = ran(scene, scratch / "one");
  set_thread_count(3);
  const RunReport three = ran(scene, scratch / "three");
  set_thread_count(0);
  EXPECT_EQ(one.fingerprint, three.fingerprint);
  EXPECT_TRUE(bytes_of(scratch / "one" / "state.crumple") == bytes_of(scratch / "three" / "state.crumple"));
}

TEST_F(ClusterRecording, carries_its_particles_along) {
  std::string particles;
  Random random(3);
  for (int i = 0; i < 400; ++i)
    particles += fmt::format("{} {} {}\n", -0.5 + 0.05 * (i % 20) + random.range(-0.01, 0.01), 0.05 * (i / 20 % 5), 0.05 * (i / 100));
  ASSERT_TRUE(io::write_file(scratch / "bar.txt", particles));
  ran(written_scene(scratch / "scene.json", torn_bar(R"("particles": [{"file": "bar.txt"}])")), scratch / "run");
  fs::rename(scratch / "run", scratch / "moved");
  fs::remove(scratch / "bar.txt");
  Playback playback = opened(scratch / "moved");
  EXPECT_EQ(clusters_model(playback.bodies()[0]).rest.size(), 400u);
  EXPECT_GT(frame_of(playback, 30).items.size(), 1u);
}

TEST_F(ClusterRecording, is_not_continued_once_its_particles_have_changed) {
  std::string particles;
  for (int i = 0; i < 400; ++i) particles += fmt::format("{} {} {}\n", -0.5 + 0.05 * (i % 20), 0.05 * (i / 20 % 5), 0.05 * (i / 100));
  ASSERT_TRUE(io::write_file(scratch / "bar.txt", particles));
  const Scene scene = written_scene(scratch / "scene.json", torn_bar(R"("particles": [{"file": "bar.txt"}])"));
  ran(scene, scratch / "run", false, 10);
  ASSERT_TRUE(io::write_file(scratch / "bar.txt", particles + "0 0.3 0\n"));
  RunSettings settings;
  settings.folder = scratch / "run", settings.resume = true;
  const Result<RunReport> resumed = run_scene(scene, settings);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().kind, Error::Kind::Input);
}

TEST_F(ClusterRecording, brings_its_clusters_along_but_can_do_without) {
  const Scene scene = written_scene(scratch / "scene.json", torn_bar());
  ran(scene, scratch / "run");
  const World world = built(scene);
  const clusters::Model& model = clusters_model(world.bodies()[0]);
  const fs::path file = RecordingFolder{scratch / "run"}.model(0, "clusters");
  const std::string intact = bytes_of(file);
  ASSERT_GT(intact.size(), 1000u);
  Playback whole = opened(scratch / "run");
  const clusters::Model& read = clusters_model(whole.bodies()[0]);
  EXPECT_EQ(read.particle, model.particle);
  EXPECT_EQ(read.mass, model.mass);
  EXPECT_EQ(read.family, model.family);
  EXPECT_EQ(read.settings.radius, model.settings.radius);
  EXPECT_EQ(read.unit, model.unit);
  const Frame last = frame_of(whole, 30);
  Random random(5);
  for (int i = 0; i < 6; ++i) {
    std::string bytes = intact;
    if (i < 3) bytes.resize(static_cast<size_t>(random.below(static_cast<int>(bytes.size()))));
    if (i >= 3) bytes[static_cast<size_t>(random.below(static_cast<int>(bytes.size())))] ^= 1;
    ASSERT_TRUE(io::write_file(file, bytes));
    Playback playback = opened(scratch / "run");
    EXPECT_LT(distance(frame_of(playback, 30), last), 1e-9);
  }
}

TEST_F(ClusterRecording, frames_cost_a_few_bytes_for_each_particle) {
  const Scene scene = written_scene(scratch / "scene.json", torn_bar());
  const RunReport report = ran(scene, scratch / "run");
  Result<io::RecordingReader> reader = io::RecordingReader::open(scratch / "run" / "state.crumple");
  ASSERT_TRUE(reader);
  World world = built(scene);
  const fs::path alone = scratch / "frames alone";
  Result<io::RecordingWriter> writer = io::RecordingWriter::create(alone, Json::object());
  ASSERT_TRUE(writer);
  size_t whole = 0;
  for (int frame = 0; frame <= 30; ++frame) {
    if (frame > 0) world.step_frame();
    ASSERT_TRUE(writer->append_frame(frame, world.time(), world.frame_arrays().views));
    if (frame == 0) whole = fs::file_size(alone);
  }
  const double bytes = static_cast<double>(fs::file_size(alone) - whole) / 30;
  EXPECT_LT(bytes, 10.0 * outcome(report).particles);
}

TEST_F(ClusterRecording, tells_what_has_torn) {
  const RunReport report = ran(written_scene(scratch / "scene.json", torn_bar()), scratch / "run");
  const Torn soft = outcome(report);
  EXPECT_GE(soft.pieces, 2);
  EXPECT_GE(soft.big_pieces, 2);
  EXPECT_GT(soft.particles, soft.start_particles);
  EXPECT_LT(soft.largest_piece_share, 0.95);
  EXPECT_GT(soft.max_strain, 0.01);
  EXPECT_GE(soft.max_strain, soft.rms_strain);
  // The frame before shows no split, the frame itself does.
  Playback playback = opened(scratch / "run");
  frame_of(playback, static_cast<int>(soft.first_split_frame));
  EXPECT_GT(clusters_state(playback.bodies()[0]).totals.splits, 0);
  frame_of(playback, static_cast<int>(soft.first_split_frame) - 1);
  EXPECT_EQ(clusters_state(playback.bodies()[0]).totals.splits, 0);
  const Result<std::string> text = io::read_file(scratch / "run" / "run.json");
  ASSERT_TRUE(text);
  const Result<Json> json = parse_json(*text, "run.json", JsonDialect::Strict);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->find("splits")->number, static_cast<double>(soft.splits));
  EXPECT_EQ(json->find("pieces")->number, soft.pieces);
  EXPECT_EQ(json->find("first_split_frame")->number, soft.first_split_frame);
  EXPECT_GT(json->find("step_s")->find("total")->number, 0);
  EXPECT_EQ(json->find("bodies")->items[0].find("debris_share")->number, soft.debris_share);
}

io::ArrayStore stored(const std::vector<io::ArrayView>& arrays) {
  io::ArrayStore store;
  for (const io::ArrayView& array : arrays) store[array.name] = {array.row_bytes, {array.data.begin(), array.data.end()}};
  return store;
}

/// Rows taken away, repeated, and numbers overwritten.
void damage(io::StoredArray& array, Random& random) {
  if (array.data.empty()) return;
  const size_t size = array.data.size(), row = array.row_bytes;
  switch (random.below(4)) {
    case 0:
      array.data.resize(size - row);
      break;
    case 1:
      array.data.insert(array.data.end(), array.data.begin(), array.data.begin() + static_cast<std::ptrdiff_t>(row));
      break;
    case 2:
      array.data[static_cast<size_t>(random.below(static_cast<int>(size)))] ^= static_cast<std::byte>(1 << random.below(8));
      break;
    default:
      const size_t at = static_cast<size_t>(random.below(static_cast<int>(size / 4))) * 4;
      const int32_t values[] = {-1, -2, 0x7fffffff, static_cast<int32_t>(0x80000000), 0x7fc00000, 1 << 20};
      std::memcpy(array.data.data() + at, &values[random.below(6)], std::min<size_t>(4, size - at));
  }
}

TEST_F(ClusterRecording, damaged_states_are_refused_or_harmless) {
  const Scene scene = written_scene(scratch / "scene.json", torn_bar());
  World world = built(scene);
  run_frames(world, 20);
  const io::ArrayStore checkpoint = stored(world.checkpoint_arrays().views), frame = stored(world.frame_arrays().views);
  std::vector<std::string> checkpoint_names, frame_names;
  for (const auto& [name, array] : checkpoint) checkpoint_names.push_back(name);
  for (const auto& [name, array] : frame) {
    if (name.starts_with("bar/clusters")) frame_names.push_back(name);
  }
  SceneAssets assets;
  ViewCache cache;
  Result<Body> body = build_body(scene, scene.bodies[0], assets, Detail::Drawing);
  ASSERT_TRUE(body);
  Random random(11);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    io::ArrayStore broken = checkpoint;
    damage(broken[checkpoint_names[static_cast<size_t>(random.below(static_cast<int>(checkpoint_names.size())))]], random);
    const Result<void> restored = restore(world, 20, broken);
    refused += restored ? 0 : 1;
    EXPECT_TRUE(restored || restored.error().kind == Error::Kind::Input);
    if (restored && i % 10 == 0) world.step();
    broken = frame;
    damage(broken[frame_names[static_cast<size_t>(random.below(static_cast<int>(frame_names.size())))]], random);
    const Result<void> shown = replay(*body, broken);
    refused += shown ? 0 : 1;
    EXPECT_TRUE(shown || shown.error().kind == Error::Kind::Input);
    EXPECT_TRUE(!shown || i % 10 != 0 || !draw_body(*body, 0, {}, false, {"strain"}, cache).empty());
  }
  EXPECT_GT(refused, 100);
  ASSERT_TRUE(restore(world, 20, checkpoint));
  EXPECT_TRUE(replay(*body, frame));
}

}  // namespace
}  // namespace crumple
