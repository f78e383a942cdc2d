// The program among closed descriptors, full disks, limits, signals and readers that go away.
#include <sys/stat.h>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFull = "/dev/full";

/// A box that falls; long enough to be interrupted if `seconds` is large.
std::string box_scene(double seconds, int checkpoint = 5) {
  return fmt::format(R"({{"crumple": 1, "seconds": {}, "checkpoint": {}, "bodies": [{{"name": "ground", "plane": [0, 1, 0, 0]}},
    {{"name": "box", "box": [1, 1, 1], "at": [0, 2, 0], "turn": [10, 20, 30]}}]}})",
                     seconds, checkpoint);
}

class SurroundingsTest : public testing::Test {
 protected:
  SurroundingsTest() { write_text(scratch / "box.json", box_scene(0.5)); }
  Answer run(const std::vector<std::string>& arguments, const Surroundings& around = {}) { return run_program(arguments, scratch.path(), scratch, around); }
  std::string stream(const std::string& folder) const { return text_of(scratch / folder / "state.crumple"); }
  std::vector<std::string> names(const fs::path& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  /// A model that takes the doctor and the rig several seconds.
  void write_heavy_model(const std::string& name) const {
    std::string text;
    constexpr int kSide = 1000;
    for (int i = 0; i <= kSide; ++i) {
      for (int j = 0; j <= kSide; ++j) text += fmt::format("v {} {} {}\n", i, (i * 7 + j * 13) % 11, j);
    }
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        const int a = i * (kSide + 1) + j + 1;
        text += fmt::format("f {} {} {} {}\n", a, a + 1, a + kSide + 2, a + kSide + 1);
      }
    }
    write_text(scratch / name, text);
  }
  Scratch scratch;
};

TEST_F(SurroundingsTest, a_run_without_standard_error_keeps_its_recording) {
  ASSERT_EQ(run({"run", "box.json", "-o", "usual"}).code, 0);
  Surroundings closed;
  closed.err = "closed";
  EXPECT_EQ(run({"run", "box.json", "-o", "closed"}, closed).code, 0);
  EXPECT_TRUE(stream("closed") == stream("usual"));
  closed.out = "closed";
  EXPECT_EQ(run({"run", "box.json", "-o", "both closed"}, closed).code, 0);
  EXPECT_TRUE(stream("both closed") == stream("usual"));
}

TEST_F(SurroundingsTest, messages_that_cannot_be_written_are_dropped) {
  Surroundings full;
  full.err = kFull;
  EXPECT_EQ(run({"run", "box.json", "-o", "rec"}, full).code, 0);
  EXPECT_EQ(run({"run", "box.json", "-o", "rec2", "--json-progress"}, full).code, 0);
  EXPECT_TRUE(stream("rec") == stream("rec2"));
  EXPECT_EQ(run({"check", "no such file"}, full).code, 2);
}

TEST_F(SurroundingsTest, an_answer_that_is_lost_is_a_failure) {
  Surroundings full;
  full.out = kFull;
  const Answer answer = run({"schema"}, full);
  EXPECT_EQ(answer.code, 1);
  EXPECT_NE(answer.err.find("standard output: writing failed"), std::string::npos) << answer.err;
}

TEST_F(SurroundingsTest, a_reader_of_progress_that_goes_away_does_not_end_the_run) {
  // The shell waits for all of a pipe.
  const std::string command = fmt::format("cd '{}' && '{}' run box.json -o rec --json-progress 2>&1 >/dev/null | head -c 1 >/dev/null",
                                          scratch.path().string(), CRUMPLE_PROGRAM);
  ASSERT_EQ(std::system(command.c_str()), 0);
  ASSERT_EQ(run({"run", "box.json", "-o", "usual", "--quiet"}).code, 0);
  EXPECT_TRUE(stream("rec") == stream("usual"));
}

TEST_F(SurroundingsTest, a_limit_on_file_sizes_is_told_like_a_full_disk) {
  Surroundings small;
  small.file_size = 2000;
  const Answer answer = run({"run", "box.json", "-o", "rec", "--quiet"}, small);
  EXPECT_EQ(answer.code, 1) << answer.err;
  EXPECT_NE(answer.err.find("File too large"), std::string::npos) << answer.err;
  const Answer resumed = run({"run", "box.json", "-o", "rec", "--resume", "--quiet"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(SurroundingsTest, want_of_memory_is_one_line_and_exit_code_1) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs more memory than there would be";
  write_text(scratch / "drums.json", fmt::format(R"({{"crumple": 1, "seconds": 0.2, "assets": {{"drum": "{}/assets/drum.glb"}},
    "bodies": [{{"plane": [0, 1, 0, 0]}}, {{"name": "drum", "asset": "drum", "at": [0, 1, 0], "examples": {{}}}}]}})", CRUMPLE_SOURCE_DIR));
  int failures = 0;
  for (const rlim_t megabytes : {40, 60, 70, 80, 90, 100, 110, 120, 140}) {
    Surroundings little;
    little.memory = megabytes * kMegabyte;
    fs::remove_all(scratch / "rec");
    const Answer answer = run({"run", "drums.json", "-o", "rec", "--quiet", "--threads", "4"}, little);
    if (answer.code == 127) continue;  // not even its libraries could be loaded
    EXPECT_TRUE(answer.code == 0 || answer.code == 1) << megabytes << " MB: " << answer.code << " " << answer.err;
    if (answer.code != 1) continue;
    EXPECT_NE(answer.err.find("out of memory"), std::string::npos) << answer.err;
    ++failures;
  }
  EXPECT_GT(failures, 0);
}

TEST_F(SurroundingsTest, threads_that_cannot_start_are_done_without) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs more memory than there would be";
  Surroundings little;
  little.memory = 300 * kMegabyte;  // stacks of 64 threads take 512
  const Answer answer = run({"run", "box.json", "-o", "rec", "--quiet", "--threads", "64"}, little);
  EXPECT_TRUE(answer.code == 0 || answer.err.find("out of memory") != std::string::npos) << answer.code << answer.err;
  EXPECT_NE(answer.err.find("of 64 threads could be started"), std::string::npos) << answer.err;
}

/// Each does nothing that looks at the flag for seconds.
TEST_F(SurroundingsTest, one_interrupt_ends_every_command_soon_and_leaves_nothing) {
  write_heavy_model("heavy.obj");
  write_text(scratch / "structure.json", R"({"crumple": 1, "seconds": 1, "bodies": [{"name": "post", "structure": {"section": {"tube": [0.1, 0.004]},
    "material": {"steel": 235e6}, "bars": [{"from": [0, 0, 0], "to": [0, 100, 0], "pieces": 4096}], "supports": [{"at": [0, 0, 0]}]}},
    {"name": "soft", "box": [1, 1, 1], "at": [9, 5, 0], "clusters": {"particles": 200000, "clusters": 2000}}]})");
  const std::vector<std::vector<std::string>> commands = {{"doctor", "heavy.obj", "-o", "mended.ply"},
                                                          {"rig", "heavy.obj", "-o", "heavy.glb"},
                                                          {"check", "structure.json"},
                                                          {"run", "structure.json", "-o", "rec"}};
  const std::vector<std::string> before = names(scratch.path());
  for (const std::vector<std::string>& command : commands) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const Program program(command, scratch.path(), scratch);
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      program.interrupt(signal);
      const double sent = wall_seconds();
      EXPECT_EQ(program.wait(), 130) << command[0];
      // 0.2 s when the machine is idle; a loaded one may take longer, but not as long as the work would.
      EXPECT_LT(wall_seconds() - sent, 2) << command[0];
      EXPECT_NE(program.err().find("interrupted"), std::string::npos) << command[0] << ": " << program.err();
    }
  }
  std::vector<std::string> after = names(scratch.path());
  std::erase(after, "stdout");
  std::erase(after, "stderr");
  EXPECT_EQ(after, before);
}

TEST_F(SurroundingsTest, an_interrupt_within_a_long_frame_ends_the_run_and_keeps_its_frames) {
  // Every frame takes a thousand steps of a heap.
  std::string places;
  for (int i = 0; i < 400; ++i) places += fmt::format(R"({}{{"at": [{}, {}, {}]}})", i ? ", " : "", i % 7 * 0.9, 1 + i / 49 * 0.95, i / 7 % 7 * 0.9);
  write_text(scratch / "slow.json", R"({"crumple": 1, "seconds": 10, "fps": 1, "substeps": 1000, "checkpoint": 1, "bodies": [{"plane": [0, 1, 0, 0]},
    {"name": "box", "box": [1, 1, 1], "places": [)" + places + "]}]}");
  const Program program({"run", "slow.json", "-o", "rec"}, scratch.path(), scratch);
  for (int wait = 0; wait < 500 && !fs::exists(scratch / "rec" / "scene.json"); ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.interrupt();
  const double sent = wall_seconds();
  EXPECT_EQ(program.wait(), 130);
  EXPECT_LT(wall_seconds() - sent, 2);
  EXPECT_EQ(run({"info", "rec"}).code, 0);
}

TEST_F(SurroundingsTest, the_second_interrupt_ends_the_process_at_once) {
  write_heavy_model("heavy.obj");
  const Program program({"doctor", "heavy.obj"}, scratch.path(), scratch);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.interrupt();
  program.interrupt(SIGTERM);
  EXPECT_EQ(program.wait(), 130);
}

TEST_F(SurroundingsTest, a_scene_is_read_from_a_pipe) {
  const std::string pipe = (scratch / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { write_text(pipe, box_scene(0.1)); });
  // The writer waits until the program has opened the other end, and the program does not wait for a writer.
  Answer answer;
  for (int i = 0; i < 100 && (answer.code != 0 || i == 0); ++i) answer = run({"check", pipe});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("\"box\""), std::string::npos);
  writer.join();
}

TEST_F(SurroundingsTest, links_are_not_written_through_and_leftovers_do_not_stay) {
  ASSERT_EQ(run({"run", "box.json", "-o", "rec", "--quiet"}).code, 0);
  write_text(scratch / "precious", "precious");
  fs::create_directory(scratch / "trap");
  fs::create_symlink(scratch / "precious", scratch / "trap" / "state.crumple");
  const Answer answer = run({"run", "box.json", "-o", "trap", "--force", "--quiet"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_NE(answer.err.find("is a link"), std::string::npos) << answer.err;
  // What a killed program has left, and what someone has laid there.
  write_text(scratch / "a.obj.part", "half a file");
  fs::create_symlink(scratch / "precious", scratch / "b.obj.part");
  EXPECT_EQ(run({"export", "rec", "-o", "a.obj", "--quiet"}).code, 0);
  EXPECT_EQ(run({"export", "rec", "-o", "b.obj", "--quiet"}).code, 0);
  EXPECT_FALSE(fs::exists(scratch / "a.obj.part"));
  EXPECT_FALSE(fs::is_symlink(scratch / "b.obj.part"));
  EXPECT_EQ(text_of(scratch / "precious"), "precious");
}

TEST_F(SurroundingsTest, speeds_at_which_bodies_are_frozen_are_told_beforehand) {
  write_text(scratch / "fast.json", R"({"crumple": 1, "seconds": 0.1, "bodies": [{"name": "bullet", "sphere": 0.1, "at": [0, 1, 0], "velocity": [2500, 0, 0]},
    {"name": "ram", "box": [1, 1, 1], "motion": "scripted", "script": [{"velocity": [0, 3000, 0]}]}, {"name": "slow", "sphere": 0.1, "at": [9, 9, 9], "velocity": [0, 1999, 0]}]})");
  for (const char* command : {"check", "run"}) {
    const Answer answer = run({command, "fast.json"});
    EXPECT_NE(answer.code, 2) << answer.err;
    EXPECT_NE(answer.err.find("warning: fast.json:1: /bodies/bullet/velocity: 2500 m/s; bodies faster than 2000 m/s are frozen"), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("/bodies/ram/script/0/velocity: 3000 m/s"), std::string::npos) << answer.err;
    EXPECT_EQ(answer.err.find("/bodies/slow"), std::string::npos) << answer.err;
  }
}

}  // namespace
}  // namespace crumple
