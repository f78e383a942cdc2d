#include <sys/wait.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "crumple/core/random.h"
#include "crumple/core/timer.h"
#include "crumple/io/files.h"
#include "tests/scene/scenes.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// Something of everything: joints with motors and limits, scripts, bodies that come and go, one that sleeps at first, groups, damage.
std::string everything() {
  const std::string drum = R"("asset": "drum", "examples": {"gain": 150, "yield": 0.3})";
  return R"({"crumple": 1, "seconds": 1.2, "checkpoint": 9, "assets": {"drum": ")" +
         (scenes_folder().parent_path() / "assets" / "drum.glb").string() + R"("},
    "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]},
      {"name": "post", "box": [0.2, 2, 0.2], "at": [3, 1, 0], "motion": "static"},
      {"name": "pusher", "box": [0.4, 1, 2], "at": [-3, 0.6, 0], "motion": "scripted",
       "script": [{"from": 0.1, "until": 0.6, "velocity": [3, 0, 0]}, {"from": 0.8, "velocity": [0, 1, 0], "spin": [0, 2, 0]}]},
      {"name": "ghost", "box": [0.5, 0.5, 0.5], "at": [0, 4, 0], "group": "ghosts", "ignores": ["drums"], "velocity": [0, -3, 0]},
      {"name": "sleeper", "box": [0.4, 0.4, 0.4], "at": [1.6, 0.2, 0], "asleep": true},
      {"name": "late", "sphere": 0.4, "at": [0.2, 3, 0.1], "mass": 900, "start": 0.3, "velocity": [0, -9, 0]},
      {"name": "brief", "box": [1.5, 0.1, 1.5], "at": [0, 1.5, 2], "motion": "static", "end": 0.75},
      {"name": "arm", "box": [0.2, 0.2, 1.2], "at": [2.7, 1.9, 0.5], "mass": 60},
      {"name": "bob", "box": [0.3, 0.3, 0.3], "at": [2.7, 1.4, 1.1], "mass": 40},
      {"name": "lying", )" +
         drum + R"(, "at": [-1.4, 0.36, 0], "turn": [90, 0, 0], "group": "drums"},
      {"name": "falling", )" +
         drum + R"(, "at": [0, 1.4, 0], "turn": [20, 0, 70], "spin": [1, 2, 3], "velocity": [0, -5, 0], "group": "drums"},
      {"name": "on the shelf", )" +
         drum + R"(, "at": [0, 2.2, 2], "turn": [0, 0, 80], "velocity": [0, -4, 0], "group": "drums"},
      {"name": "late drum", )" +
         drum + R"(, "at": [1.4, 2.4, 0], "turn": [40, 0, 0], "velocity": [0, -6, 0], "start": 0.45, "end": 1.1, "group": "drums"}],
    "joints": [{"kind": "hinge", "body": "arm", "to": "post", "at": [2.9, 1.9, 0], "axis": [1, 0, 0], "motor": 4, "strength": 300},
      {"kind": "ball", "body": "bob", "to": "arm", "at": [2.7, 1.7, 1.1]},
      {"kind": "slider", "body": "on the shelf", "at": [0, 2.2, 2], "axis": [0, 1, 0], "low": -3, "high": 1}]})";
}

struct Recorded {
  uint64_t fingerprint = 0;
  std::string stream;
};

/// Writes the scene beside the recordings, because the program itself reads it too.
Result<RunReport> run_until(const Scene& scene, RunSettings settings, int stop_at) {
  StopFlag cancel;
  settings.cancel = &cancel;
  settings.progress = [&](int frame, int, const World&) { if (frame >= stop_at) cancel.request(); };
  return run_scene(scene, settings);
}

constexpr int kNever = 1 << 30;

Recorded recorded(const Scene& scene, const RunSettings& settings, int stop_at = kNever) {
  const Result<RunReport> report = run_until(scene, settings, stop_at);
  EXPECT_TRUE(report) << (report ? "" : report.error().text);
  if (!report) return {};
  EXPECT_EQ(report->outcome, stop_at == kNever ? Outcome::Done : Outcome::Interrupted);
  return {report->fingerprint, bytes_of(settings.folder / "state.crumple")};
}

class Resume : public testing::Test {
 protected:
  RunSettings into(std::string_view name, bool resume = false) const {
    RunSettings settings;
    settings.folder = scratch / name;
    settings.resume = resume;
    return settings;
  }
  void expect_same(const Recorded& resumed, const Recorded& whole, const std::string& what) const {
    EXPECT_EQ(resumed.fingerprint, whole.fingerprint) << what;
    EXPECT_TRUE(resumed.stream == whole.stream) << what << ": the streams differ";
  }
  ScratchFolder scratch{"resume"};
};

TEST_F(Resume, an_interrupted_run_continues_to_the_same_bytes) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  const Recorded whole = recorded(scene, into("whole"));
  for (const int stop_at : {1, 9, 31, 46, 71}) {
    const std::string name = fmt::format("stopped at {}", stop_at);
    recorded(scene, into(name), stop_at);
    expect_same(recorded(scene, into(name, true)), whole, name);
  }
}

TEST_F(Resume, many_interruptions_in_one_run_change_nothing) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  const Recorded whole = recorded(scene, into("whole"));
  for (const int stop_at : {12, 13, 27, 40, 66}) recorded(scene, into("parts", stop_at != 12), stop_at);
  expect_same(recorded(scene, into("parts", true)), whole, "five interruptions");
}

TEST_F(Resume, the_ledger_of_energy_goes_on_and_closes) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  recorded(scene, into("whole"));
  for (const int stop_at : {12, 40}) recorded(scene, into("parts", stop_at != 12), stop_at);
  recorded(scene, into("parts", true));
  const auto told = [&](const char* name, const char* key) {
    const Result<Json> json = parse_json(bytes_of(scratch / name / "run.json"), "run.json");
    EXPECT_TRUE(json);
    return *json->find(key);
  };
  const Json whole = told("whole", "energy"), parts = told("parts", "energy");
  EXPECT_EQ(write_json(parts), write_json(whole));
  EXPECT_LT(std::abs(whole.find("unaccounted_share")->number), 0.01);
  EXPECT_LT(whole.find("damage_J")->number, -100);
  double damage = 0;
  for (const Json& body : told("whole", "bodies").items) {
    if (const Json* work = body.find("damage_work_J")) damage += work->number;
  }
  EXPECT_NEAR(damage, -whole.find("damage_J")->number, 1e-6 * damage);
}

TEST_F(Resume, a_range_of_frames_is_continued_as_that_range) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  RunSettings settings = into("whole");
  settings.frames = {23, 58};
  const Recorded whole = recorded(scene, settings);
  for (const int stop_at : {20, 30, 50}) {
    const std::string name = fmt::format("stopped at {}", stop_at);
    RunSettings part = into(name);
    part.frames = settings.frames;
    recorded(scene, part, stop_at);
    part.resume = true;
    expect_same(recorded(scene, part), whole, name);
  }
}

TEST_F(Resume, a_torn_end_of_the_file_is_left_behind) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  const Recorded whole = recorded(scene, into("whole"));
  recorded(scene, into("torn"), 40);
  const std::string intact = bytes_of(scratch / "torn" / "state.crumple");
  Random random(7);
  for (int i = 0; i < 4; ++i) {
    std::string bytes = intact.substr(0, intact.size() - 1 - static_cast<size_t>(random.below(static_cast<int>(intact.size() * 3 / 4))));
    if (i % 2) bytes += std::string(static_cast<size_t>(random.below(5000)), '\xA7');
    ASSERT_TRUE(io::write_file(scratch / "torn" / "state.crumple", bytes));
    expect_same(recorded(scene, into("torn", true)), whole, fmt::format("{} of {} bytes", bytes.size(), intact.size()));
  }
}

TEST_F(Resume, a_finished_run_is_left_as_it_is) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  RunSettings settings = into("run");
  settings.frames = {0, 12};
  const Recorded whole = recorded(scene, settings);
  settings.resume = true;
  const Result<RunReport> again = run_scene(scene, settings);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->was_finished);
  EXPECT_TRUE(bytes_of(scratch / "run" / "state.crumple") == whole.stream);
}

TEST_F(Resume, a_recording_that_goes_further_than_asked_is_left_as_it_is) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  RunSettings settings = into("run");
  settings.frames = {0, 20};
  const Recorded whole = recorded(scene, settings);
  settings.resume = true;
  for (const int last : {5, 12}) {  // before and after the first checkpoint
    settings.frames = {0, last};
    const Result<RunReport> again = run_scene(scene, settings);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->was_finished);
    EXPECT_TRUE(bytes_of(scratch / "run" / "state.crumple") == whole.stream);
  }
}

TEST_F(Resume, who_was_frozen_and_when_is_not_forgotten) {
  const Scene scene = written_scene(scratch / "scene.json", R"({"crumple": 1, "seconds": 0.5, "checkpoint": 5, "bodies": [
      {"name": "bullet", "sphere": 0.1, "velocity": [3000, 0, 0], "start": 0.1}, {"name": "ball", "sphere": 0.1, "at": [0, 0, 9]}]})");
  const Result<RunReport> whole = run_scene(scene, into("whole"));
  ASSERT_TRUE(whole);
  ASSERT_EQ(whole->outcome, Outcome::Frozen);
  ASSERT_EQ(whole->frozen.size(), 1u);
  EXPECT_NEAR(whole->frozen[0].time, 0.1, 1e-9);
  ASSERT_TRUE(run_until(scene, into("parts"), 22));
  for (const bool finished : {false, true}) {
    const Result<RunReport> resumed = run_scene(scene, into("parts", true));
    ASSERT_TRUE(resumed);
    EXPECT_EQ(resumed->was_finished, finished);
    EXPECT_EQ(resumed->outcome, Outcome::Frozen);
    ASSERT_EQ(resumed->frozen.size(), 1u);
    EXPECT_EQ(resumed->frozen[0].body, "bullet");
    EXPECT_EQ(resumed->frozen[0].time, whole->frozen[0].time);
    EXPECT_EQ(resumed->frozen[0].why, whole->frozen[0].why);
  }
  EXPECT_TRUE(bytes_of(scratch / "parts" / "state.crumple") == bytes_of(scratch / "whole" / "state.crumple"));
}

TEST_F(Resume, a_recording_is_not_overwritten_by_a_run_of_its_own_scene) {
  const Scene scene = written_scene(scratch / "scene.json", R"({"crumple": 1, "seconds": 0.1, "bodies": [{"sphere": 0.1}]})");
  recorded(scene, into("run"));
  const Result<Scene> inside = load_scene(scratch / "run" / "scene.json");
  ASSERT_TRUE(inside);
  RunSettings settings = into("run");
  settings.force = true;
  const Result<RunReport> report = run_scene(*inside, settings);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::Input);
}

TEST_F(Resume, a_recording_of_another_scene_is_not_continued) {
  Scene scene = written_scene(scratch / "scene.json", everything());
  recorded(scene, into("run"), 20);
  scene.gravity.y() = -9.8;
  const Result<RunReport> report = run_scene(scene, into("run", true));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::Input);
}

/// Starts the program, kills it after so many milliseconds; its exit code, or -1 if the kill came first.
int run_program(const std::vector<std::string>& words, int kill_after_ms) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stdout)) _exit(126);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  for (int waited = 0; waited < kill_after_ms; ++waited) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

/// Runs the program undisturbed, then several times killed twice at moments from a seed, and compares what it leaves.
void expect_kills_do_no_harm(const ScratchFolder& scratch, const std::string& scene, uint64_t seed) {
  written_scene(scratch / "scene.json", scene);
  const auto words = [&](const std::string& folder) {
    return std::vector<std::string>{CRUMPLE_PROGRAM, "run",     (scratch / "scene.json").string(), "-o", (scratch / folder).string(),
                                    "--quiet",       "--resume"};
  };
  const double before = wall_seconds();
  ASSERT_EQ(run_program(words("whole"), 100000), 0);
  const double duration = 1000 * (wall_seconds() - before);
  const std::string whole = bytes_of(scratch / "whole" / "state.crumple");
  ASSERT_GT(whole.size(), 10000u);
  Random random(seed);
  int killed = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string folder = fmt::format("killed {}", i);
    for (int k = 0; k < 2; ++k) killed += run_program(words(folder), static_cast<int>(random.range(0.05, 0.95) * duration)) < 0 ? 1 : 0;
    EXPECT_EQ(run_program(words(folder), 100000), 0);
    EXPECT_TRUE(bytes_of(scratch / folder / "state.crumple") == whole) << folder;
    EXPECT_TRUE(bytes_of(scratch / folder / "scene.json") == bytes_of(scratch / "whole" / "scene.json")) << folder;
  }
  EXPECT_GT(killed, 0);
}

TEST_F(Resume, the_program_killed_at_any_moment_continues_to_the_same_bytes) {
  expect_kills_do_no_harm(scratch, everything(), 11);
}

TEST_F(Resume, a_kill_while_a_checkpoint_is_written_does_no_harm) {
  std::string text = everything();
  text.replace(text.find("\"checkpoint\": 9"), 15, "\"checkpoint\": 1");  // now much of the time goes into checkpoints
  expect_kills_do_no_harm(scratch, text, 12);
}

TEST_F(Resume, what_a_kill_left_before_the_first_frame_can_be_continued) {
  const Scene scene = written_scene(scratch / "scene.json", everything());
  RunSettings settings = into("run");
  settings.frames = {0, 12};
  const Recorded whole = recorded(scene, settings);
  fs::remove(scratch / "run" / "run.json");
  fs::remove(scratch / "run" / "scene.json");
  fs::remove_all(scratch / "run" / "assets");
  fs::resize_file(scratch / "run" / "state.crumple", 0);
  settings.resume = true;
  expect_same(recorded(scene, settings), whole, "an empty stream");
  EXPECT_TRUE(fs::exists(scratch / "run" / "scene.json"));
}

TEST_F(Resume, a_frozen_body_is_reported_by_the_continued_run_too) {
  const Scene scene = drum_scene(
      R"("seconds": 0.2, "checkpoint": 4, "bodies": [{"plane": [0, 1, 0, 0]}, {"name": "bullet", "sphere": 0.1, "at": [0, 5, 0], "velocity": [9000, 0, 0]}])");
  Result<RunReport> whole = run_scene(scene, into("whole"));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->outcome, Outcome::Frozen);
  ASSERT_TRUE(run_until(scene, into("parts"), 6));
  const Result<RunReport> resumed = run_scene(scene, into("parts", true));
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->outcome, Outcome::Frozen);
  ASSERT_EQ(resumed->frozen.size(), 1u);
  EXPECT_EQ(resumed->frozen[0].body, "bullet");
  EXPECT_EQ(resumed->fingerprint, whole->fingerprint);
}

/// A checkpoint as restore() gets it.
class Restore : public testing::Test {
 protected:
  void expect_refused(const io::ArrayStore& store, const std::string& what) {
    const Result<void> restored = restore(fresh, 9, store);
    EXPECT_FALSE(restored) << what;
    EXPECT_TRUE(restored || restored.error().kind == Error::Kind::Input) << what;
  }
  ScratchFolder scratch{"restore"};
  Scene scene = written_scene(scratch / "scene.json", everything());
  World fresh = built(scene);
};

TEST_F(Restore, a_store_with_something_missing_is_refused) {
  World world = built(scene);
  run_frames(world, 9);
  const io::ArrayStore whole = world.snapshot().arrays;
  ASSERT_TRUE(restore(fresh, 9, whole));
  for (const auto& [name, array] : whole) {
    io::ArrayStore store = whole;
    store.erase(name);
    if (name.substr(0, 7) != "joints/") expect_refused(store, name + " is missing");
    if (array.data.empty()) continue;
    store[name] = array;
    store[name].data.pop_back();
    expect_refused(store, name + " is too short");
  }
  expect_refused({}, "nothing");
}

TEST_F(Restore, numbers_that_are_not_finite_are_refused) {
  World world = built(scene);
  run_frames(world, 9);
  const io::ArrayStore whole = world.snapshot().arrays;
  const double bad = std::nan("");
  for (const char* name : {"falling/part", "ghost/part", "joints/0"}) {
    for (const size_t number : {size_t{0}, size_t{20}, size_t{23}}) {
      io::ArrayStore store = whole;
      std::memcpy(store.at(name).data.data() + number * sizeof bad, &bad, sizeof bad);
      expect_refused(store, fmt::format("number {} of {}", number, name));
    }
  }
  const float infinite = INFINITY;
  for (const char* name : {"falling/examples/weights", "falling/examples/pending"}) {
    io::ArrayStore store = whole;
    std::memcpy(store.at(name).data.data() + 400, &infinite, sizeof infinite);
    expect_refused(store, name);
  }
}

}  // namespace
}  // namespace crumple
