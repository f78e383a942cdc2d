// Folders of recordings that two runs want, that were damaged, or whose run.json tells of another time.
#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "crumple/core/json.h"
#include "crumple/io/recording.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

const fs::path kHostileFolder = fs::path(CRUMPLE_SOURCE_DIR) / "tests" / "corpus" / "hostile";

class RecordingFolderTest : public testing::Test {
 protected:
  RecordingFolderTest() {
    write_text(scratch / "drum.json", fmt::format(R"({{"crumple": 1, "seconds": 0.5, "checkpoint": 6, "assets": {{"drum": "{}/assets/drum.glb"}},
      "bodies": [{{"name": "ground", "plane": [0, 1, 0, 0]}},
                 {{"name": "drum", "asset": "drum", "at": [0, 0.7, 0], "turn": [0, 0, 80], "velocity": [0, -6, 0], "examples": {{"gain": 150}}}}]}})",
                                                 CRUMPLE_SOURCE_DIR));
  }
  Answer run(const std::vector<std::string>& arguments) { return run_program(arguments, scratch.path(), scratch); }
  void record(const std::string& folder, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "drum.json", "-o", folder, "--quiet"});
    const Answer answer = run(more);
    ASSERT_EQ(answer.code, 0) << answer.err;
  }
  /// The same for eight minutes.
  void write_long_scene() const {
    std::string text = text_of(scratch / "drum.json");
    write_text(scratch / "long.json", text.replace(text.find("0.5"), 3, "500"));
  }
  std::string stream(const std::string& folder) const { return text_of(scratch / folder / "state.crumple"); }
  Json report(const std::string& folder) const {
    const Result<Json> json = parse_json(text_of(scratch / folder / "run.json"), "run.json", JsonDialect::Strict);
    EXPECT_TRUE(json) << folder;
    return json ? *json : Json::object();
  }
  Scratch scratch;
};

TEST_F(RecordingFolderTest, what_an_earlier_run_said_is_not_taken_for_the_end_of_a_later_one) {
  record("whole");
  record("rec", {"--frames", "0-12"});
  const std::string stale = text_of(scratch / "rec" / "run.json");
  record("rec", {"--resume"});
  // As if the second run had been killed before it wrote its own.
  write_text(scratch / "rec" / "run.json", stale);
  record("rec", {"--resume"});
  EXPECT_EQ(report("rec").find("fingerprint")->text, report("whole").find("fingerprint")->text);
  EXPECT_EQ(report("rec").find("last_frame")->number, 30);
  EXPECT_TRUE(stream("rec") == stream("whole"));
}

TEST_F(RecordingFolderTest, a_run_that_continues_takes_the_old_outcome_away_at_once) {
  write_long_scene();
  ASSERT_EQ(run({"run", "long.json", "-o", "long", "--frames", "0-12", "--quiet"}).code, 0);
  const Program longer({"run", "long.json", "-o", "long", "--resume"}, scratch.path(), scratch);
  for (int wait = 0; wait < 1000 && fs::exists(scratch / "long" / "run.json"); ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(fs::exists(scratch / "long" / "run.json"));
  longer.kill_now();
  longer.wait();
}

TEST_F(RecordingFolderTest, counters_of_a_run_go_on_where_it_was_interrupted) {
  record("whole");
  record("rec", {"--frames", "0-14"});
  record("rec", {"--resume"});
  EXPECT_GT(report("whole").find("hits")->number, 0);
  for (const char* key : {"hits", "steps", "frames", "last_frame"}) EXPECT_EQ(report("rec").find(key)->number, report("whole").find(key)->number) << key;
}

TEST_F(RecordingFolderTest, the_slower_of_two_runs_does_not_destroy_what_the_other_has_finished) {
  // The slower one waits for its mesh to come out of a pipe while the other runs from beginning to end.
  const std::string pipe = (scratch / "ball.obj").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int writer = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  write_text(scratch / "slow.json", R"({"crumple": 1, "seconds": 0.1, "bodies": [{"name": "thing", "mesh": "ball.obj", "motion": "static"}]})");
  const Program slow({"run", "slow.json", "-o", "rec", "--quiet"}, scratch.path(), scratch);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  write_text(scratch / "fast.json", R"({"crumple": 1, "seconds": 0.1, "bodies": [{"name": "box", "box": [1, 1, 1]}]})");
  Surroundings elsewhere;  // what the slow one says must stay
  elsewhere.out = (scratch / "fast stdout").string();
  elsewhere.err = (scratch / "fast stderr").string();
  ASSERT_EQ(Program({"run", "fast.json", "-o", "rec", "--quiet"}, scratch.path(), scratch, elsewhere).wait(), 0);
  const std::string finished = stream("rec");
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  ASSERT_EQ(write(writer, mesh.data(), mesh.size()), static_cast<ssize_t>(mesh.size()));
  close(writer);
  EXPECT_EQ(slow.wait(), 2);
  EXPECT_NE(slow.err().find("exists already"), std::string::npos) << slow.err();
  EXPECT_TRUE(stream("rec") == finished);
}

TEST_F(RecordingFolderTest, files_that_a_crash_of_the_machine_emptied_are_made_again) {
  record("whole");
  for (const char* frames : {"0-14", "0-30"}) {
    fs::remove_all(scratch / "rec");
    record("rec", {"--frames", frames});
    write_text(scratch / "rec" / "scene.json", "");
    for (const auto& asset : fs::directory_iterator(scratch / "rec" / "assets")) write_text(asset.path(), "");
    EXPECT_EQ(run({"info", "rec"}).code, 2);
    record("rec", {"--resume"});
    EXPECT_EQ(run({"info", "rec"}).code, 0);
    EXPECT_EQ(run({"export", "rec", "-o", "a.obj", "--quiet"}).code, 0);
    EXPECT_EQ(text_of(scratch / "rec" / "scene.json"), text_of(scratch / "whole" / "scene.json"));
  }
}

TEST_F(RecordingFolderTest, frames_lost_to_a_flipped_bit_are_told_and_restored) {
  record("rec");
  const std::string whole = stream("rec");
  std::string bytes = whole;
  bytes[bytes.size() / 2] ^= 4;
  write_text(scratch / "rec" / "state.crumple", bytes);
  const Result<io::RecordingReader> reader = io::RecordingReader::open(scratch / "rec" / "state.crumple");
  ASSERT_TRUE(reader);
  const int left = static_cast<int>(reader->frames().size());
  ASSERT_GT(left, 0);
  ASSERT_LT(left, 31);
  const std::string lost = fmt::format("warning: rec: is damaged: {} of its 31 frames, from frame {} on, cannot be read; run the scene again with --resume to restore them\n",
                                       31 - left, left);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"export", "rec", "-o", "a.glb", "--quiet"},
                                                  {"render", "rec", "-o", "a.png", "--quiet", "--size", "32x18", "--samples", "1"}}) {
    const Answer answer = run(command);
    EXPECT_EQ(answer.code, 0);
    EXPECT_EQ(answer.err, lost);
  }
  EXPECT_NE(run({"info", "rec"}).out.find("cannot be read"), std::string::npos);
  record("rec", {"--resume"});
  EXPECT_TRUE(stream("rec") == whole);
  EXPECT_EQ(run({"export", "rec", "-o", "a.glb", "--quiet"}).err, "");
}

TEST_F(RecordingFolderTest, an_unfinished_recording_says_how_far_it_goes) {
  write_long_scene();
  const Program program({"run", "long.json", "-o", "rec"}, scratch.path(), scratch);
  for (int wait = 0; wait < 1000; ++wait) {
    std::error_code ignored;
    if (fs::exists(scratch / "rec" / "state.crumple", ignored) && fs::file_size(scratch / "rec" / "state.crumple", ignored) > 100000) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  program.kill_now();
  program.wait();
  const Answer answer = run({"export", "rec", "-o", "a.obj", "--quiet"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.err.find("of 30000: its run was interrupted or goes on; --resume continues it"), std::string::npos) << answer.err;
}

TEST_F(RecordingFolderTest, a_run_whose_soft_body_was_frozen_is_continued_to_the_same_bytes) {
  const std::string scene = (kHostileFolder / "frozen_soft_resume.json").string();
  EXPECT_EQ(run({"run", scene, "-o", "whole", "--quiet"}).code, 3);
  EXPECT_EQ(run({"run", scene, "-o", "rec", "--frames", "0-10", "--quiet"}).code, 3);
  const Answer resumed = run({"run", scene, "-o", "rec", "--resume", "--quiet"});
  EXPECT_EQ(resumed.code, 3) << resumed.err;
  EXPECT_TRUE(stream("rec") == stream("whole"));
}

TEST_F(RecordingFolderTest, nothing_is_overwritten_without_being_asked) {
  record("rec");
  EXPECT_EQ(run({"run", "drum.json", "-o", "rec"}).code, 2);
  const Answer demo = run({"demo", "drum.json", "-o", "rec", "--quiet"});
  EXPECT_EQ(demo.code, 2);
  EXPECT_NE(demo.err.find("exists already; continue it with --resume or overwrite it with --force"), std::string::npos) << demo.err;
  const std::string drum = (fs::path(CRUMPLE_SOURCE_DIR) / "assets" / "drum.glb").string();
  ASSERT_EQ(run({"shot", drum, "-o", "shot.json"}).code, 0);
  const std::string first = text_of(scratch / "shot.json");
  const Answer shot = run({"shot", drum, "-o", "shot.json", "--kind", "wall"});
  EXPECT_EQ(shot.code, 2);
  EXPECT_NE(shot.err.find("exists already; overwrite it with --force"), std::string::npos) << shot.err;
  EXPECT_EQ(text_of(scratch / "shot.json"), first);
  EXPECT_EQ(run({"shot", drum, "-o", "shot.json", "--kind", "wall", "--force"}).code, 0);
  EXPECT_NE(text_of(scratch / "shot.json"), first);
}

TEST_F(RecordingFolderTest, demo_takes_changes) {
  const Answer answer = run({"demo", "drum.json", "-o", "rec", "--quiet", "--set", "/seconds=0.1"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(report("rec").find("last_frame")->number, 6);
  EXPECT_EQ(run({"demo", "drum.json", "-o", "rec", "--quiet", "--set", "/seconds=0.05", "--force"}).code, 0);
  EXPECT_EQ(report("rec").find("last_frame")->number, 3);
}

TEST_F(RecordingFolderTest, check_tells_masses_densities_and_the_camera) {
  const Answer answer = run({"check", "drum.json", "--set", "/bodies/drum/mass=20"});
  const Result<Json> json = parse_json(answer.out, "check", JsonDialect::Strict);
  ASSERT_TRUE(json) << json.error().text;
  const Json* resolved = json->find("resolved");
  ASSERT_TRUE(resolved);
  const Json& drum = resolved->find("bodies")->items.at(0);
  EXPECT_EQ(drum.find("name")->text, "drum");
  EXPECT_NEAR(drum.find("mass")->number, 20, 1e-9);
  EXPECT_GT(drum.find("density")->number, 10);
  EXPECT_LT(drum.find("density")->number, 200);
  EXPECT_EQ(resolved->find("camera")->find("fov")->number, 32);
  EXPECT_EQ(resolved->find("camera")->find("eye")->items.size(), 3u);
}

}  // namespace
}  // namespace crumple
