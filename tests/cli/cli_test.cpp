#include <fmt/format.h>

#include "crumple/core/json.h"
#include "crumple/io/recording.h"
#include "tests/authors_data.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// A drum that strikes the ground after a tenth of a second.
std::string drum_scene(double seconds) {
  return fmt::format(R"({{
  // written by a test
  "crumple": 1, "title": "One drum", "seconds": {}, "checkpoint": 5,
  "assets": {{"drum": "{}"}},
  "bodies": [
    {{"name": "ground", "plane": [0, 1, 0, 0]}},
    {{"name": "drum", "asset": "drum", "at": [0, 1, 0], "turn": [0, 0, 80], "velocity": [0, -6, 0], "examples": {{"gain": 150}}}}
  ]
}})",
                     seconds, (kProject / "assets" / "drum.glb").string());
}

class CommandLine : public testing::Test {
 protected:
  CommandLine() { write_text(scratch / "drum.json", drum_scene(0.3)); }
  Answer run(const std::vector<std::string>& arguments) { return run_program(arguments, scratch.path(), scratch); }
  /// The tiny scene, recorded into `folder`.
  void record(const std::string& folder, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "drum.json", "-o", folder, "--quiet"});
    const Answer answer = run(more);
    ASSERT_EQ(answer.code, 0) << answer.err;
  }
  Json report(const std::string& folder) const {
    Result<Json> json = parse_json(text_of(scratch / folder / "run.json"), "run.json", JsonDialect::Strict);
    EXPECT_TRUE(json) << json.error().text;
    return json ? *json : Json::object();
  }
  std::string fingerprint(const std::string& folder) const { return report(folder).find("fingerprint")->text; }
  std::vector<int> frames(const std::string& folder) const {
    Result<io::RecordingReader> reader = io::RecordingReader::open(scratch / folder / "state.crumple");
    EXPECT_TRUE(reader) << reader.error().text;
    return reader ? reader->frames() : std::vector<int>{};
  }
  Scratch scratch;
};

TEST_F(CommandLine, wrong_usage_is_refused_in_one_line) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "which command? One of run, check, "},
      {{"rnu", "drum.json"}, "unknown command \"rnu\"; did you mean \"run\"?"},
      {{"--bogus"}, "unknown option \"--bogus\""},
      {{"run"}, "scene is required (see 'crumple run --help')"},
      {{"run", "drum.json", "more.json"}, "The following argument was not expected: more.json"},
      {{"run", "drum.json", "--resum"}, "unknown option \"--resum\"; did you mean \"--resume\"?"},
      {{"run", "drum.json", "--threads", "0"}, "--threads: "},
      {{"run", "drum.json", "--threads", "many"}, "--threads: "},
      {{"run", "drum.json", "-o"}, "--output: "},
      {{"run", "drum.json", "-o", "x", "--resume", "--force"}, "--resume and --force exclude each other"},
      {{"run", "drum.json", "-o", "x", "--frames", "9-5"}, "--frames 9-5: expected a range such as 0-240"},
      {{"run", "drum.json", "-o", "x", "--frames", "a-b"}, "--frames a-b: expected a range such as 0-240"},
      {{"run", "drum.json", "-o", "x", "--frames", "1-2-3"}, "--frames 1-2-3: expected a range such as 0-240"},
      {{"run", "drum.json", "-o", "x", "--frames", "99999999999"}, "--frames 99999999999: expected a range"},
      {{"run", "drum.json", "-o", "x", "--frames", "0-19"}, "--frames 0-19: the scene has frames 0 to 18"},
      {{"run", "drum.json", "-o", "x", "--set", "fps=30"}, "--set fps=30: expected a path and a value"},
      {{"run", "drum.json", "-o", "x", "--set", "/bodies/durm/mass=3"}, "--set /bodies/durm/mass=3: there is no \"durm\"; did you mean \"drum\"?"},
      {{"run", "drum.json", "-o", "x", "--set", "/bodies/drum/examples/yeild=3"}, "drum.json: /bodies/1/examples/yeild: unknown key; did you mean \"yield\"?"},
      {{"run", "missing.json", "-o", "x"}, "missing.json: no such file"},
      {{"run", ".", "-o", "x"}, ".: is a folder"},
      {{"check"}, "scene is required"},
      {{"check", "missing.json"}, "missing.json: no such file"},
      {{"info"}, "file is required"},
      {{"info", "missing.glb"}, "missing.glb: no such file"},
      {{"info", "."}, "./mesh.mesh: no such file"},
      {{"list", "everything"}, "what: everything not in "},
      {{"schema", "more"}, "The following argument was not expected: more"},
      {{"bench", "nothing"}, ""},
      {{"demo", "missing.json"}, "missing.json: no such file"},
      {{"export", "missing", "-o", "a.glb"}, "missing"},
      {{"export", "missing", "-o", "a.fbx"}, "a.fbx: expected .glb or .usda (animation)"},
      {{"export", "missing"}, "--output is required"},
      {{"render", "missing", "-o", "a.png"}, "missing"},
      {{"render", "missing", "-o", "a.jpg"}, "a.jpg: pictures are .png, films .mp4, .gif or .webp"},
      {{"render", "missing", "-o", "a.png", "--size", "big"}, "--size big: expected pixels such as 1280x720"},
      {{"render", "missing", "-o", "a.png", "--size", "0x10"}, "--size 0x10: expected pixels"},
      {{"render", "missing", "-o", "a.png", "--sheet", "3"}, "--sheet 3: expected columns and rows such as 3x3"},
      {{"render", "missing", "-o", "a.png", "--color", "blue"}, "--color: "},
      {{"render", "missing", "-o", "a.png", "--frame", "1", "--sheet", "2x2"}, "--frame and --sheet exclude each other"},
      {{"render", "missing", "-o", "a.png", "--camera", "here"}, ""},
      {{"render", "missing", "-o", "a.mp4", "--frame", "1"}, "--frame and --sheet are for .png"},
      {{"render", "missing", "-o", "a.mp4", "--sheet", "2x2"}, "--frame and --sheet are for .png"},
      {{"export", "missing", "-o", "a.glb", "--frame", "1"}, "--frame is for .obj and .ply"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(fmt::format("crumple {}", fmt::join(arguments, " ")));
    expect_refusal(run(arguments), message);
    for (const char* left : {"x", "a.glb", "a.png", "a.fbx", "a.jpg", "out"}) EXPECT_FALSE(fs::exists(scratch / left));
  }
}

TEST_F(CommandLine, help_and_version_are_no_mistakes) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"--help"}, {"--version"}, {"run", "--help"}, {"render", "--help"}}) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.out, "");
    EXPECT_EQ(answer.err, "");
  }
}

TEST_F(CommandLine, run_records_every_frame_and_tells_about_it) {
  const Answer answer = run({"run", "drum.json", "-o", "rec", "--quiet"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  EXPECT_TRUE(answer.out.starts_with("One drum: done\n")) << answer.out;
  EXPECT_EQ(frames("rec").size(), 19u);
  const Json json = report("rec");
  EXPECT_EQ(json.find("outcome")->text, "done");
  EXPECT_EQ(json.find("frames")->number, 19);
  EXPECT_EQ(json.find("steps")->number, 18 * 4);
  EXPECT_GT(json.find("bodies")->items[0].find("max_displacement")->number, 0.001);
  for (const char* file : {"scene.json", "state.crumple", "run.json"}) EXPECT_TRUE(fs::is_regular_file(scratch / "rec" / file)) << file;
}

TEST_F(CommandLine, the_folder_is_named_after_the_scene_if_none_is_given) {
  EXPECT_EQ(run({"run", "drum.json", "--quiet", "--frames", "0-2"}).code, 0);
  EXPECT_TRUE(fs::exists(scratch / "out" / "drum" / "run.json"));
}

TEST_F(CommandLine, an_existing_recording_is_neither_touched_nor_continued_without_being_asked) {
  record("rec");
  const std::string before = text_of(scratch / "rec" / "state.crumple");
  expect_refusal(run({"run", "drum.json", "-o", "rec"}), "rec: exists already; continue it with --resume or overwrite it with --force");
  EXPECT_EQ(text_of(scratch / "rec" / "state.crumple"), before);
  const Answer again = run({"run", "drum.json", "-o", "rec", "--resume"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("finished already"), std::string::npos) << again.out;
  EXPECT_EQ(text_of(scratch / "rec" / "state.crumple"), before);
  record("rec", {"--force", "--frames", "0-3"});
  EXPECT_EQ(frames("rec"), (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(CommandLine, a_folder_with_other_things_is_never_overwritten) {
  fs::create_directories(scratch / "thesis");
  write_text(scratch / "thesis" / "chapter1.txt", "years of work");
  for (const char* how : {"--force", "--resume"}) {
    expect_refusal(run({"run", "drum.json", "-o", "thesis", how}), "thesis: holds something else than a recording");
  }
  EXPECT_EQ(text_of(scratch / "thesis" / "chapter1.txt"), "years of work");
  expect_refusal(run({"run", "drum.json", "-o", "drum.json", "--force"}), "drum.json: is a file, not a folder");
}

TEST_F(CommandLine, a_recording_of_another_scene_is_not_continued) {
  record("rec");
  const std::string before = text_of(scratch / "rec" / "state.crumple");
  expect_refusal(run({"run", "drum.json", "-o", "rec", "--resume", "--set", "/gravity=[0,-1,0]"}), "rec: was recorded from another scene");
  expect_refusal(run({"run", "drum.json", "-o", "rec", "--resume", "--frames", "3-9"}), "rec: was recorded from frame 0 on");
  EXPECT_EQ(text_of(scratch / "rec" / "state.crumple"), before);
}

TEST_F(CommandLine, frames_records_exactly_those) {
  record("some", {"--frames", "7-11"});
  EXPECT_EQ(frames("some"), (std::vector<int>{7, 8, 9, 10, 11}));
  record("one", {"--frames", "4"});
  EXPECT_EQ(frames("one"), (std::vector<int>{4}));
  const Answer info = run({"info", "some"});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_NE(info.out.find("5 (7 to 11)"), std::string::npos) << info.out;
}

TEST_F(CommandLine, set_changes_the_result) {
  record("plain"), record("same"), record("rigid", {"--set", "/bodies/drum/examples/gain=0"});
  EXPECT_EQ(fingerprint("plain"), fingerprint("same"));
  EXPECT_NE(fingerprint("plain"), fingerprint("rigid"));
  EXPECT_LT(report("rigid").find("bodies")->items[0].find("max_displacement")->number, 1e-6);
  record("short", {"--set", "/seconds=0.1", "--set", "/title=Short"});
  EXPECT_EQ(frames("short").size(), 7u);
}

TEST_F(CommandLine, the_number_of_threads_does_not_matter) {
  record("one", {"--threads", "1"}), record("three", {"--threads", "3"});
  EXPECT_EQ(fingerprint("one"), fingerprint("three"));
}

TEST_F(CommandLine, json_progress_is_one_object_a_line) {
  const Answer answer = run({"run", "drum.json", "-o", "rec", "--json-progress"});
  EXPECT_EQ(answer.code, 0);
  std::istringstream lines(answer.err);
  int count = 0;
  double last = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    Result<Json> json = parse_json(line, "progress", JsonDialect::Strict);
    ASSERT_TRUE(json) << line;
    EXPECT_EQ(json->find("progress")->text, "simulate");
    EXPECT_EQ(json->find("total")->number, 18);
    EXPECT_GT(json->find("done")->number, last);
    last = json->find("done")->number;
  }
  EXPECT_GE(count, 1);
  EXPECT_EQ(last, 18);
}

TEST_F(CommandLine, an_interrupted_run_says_so_and_continues_to_the_same_end) {
  write_text(scratch / "long.json", drum_scene(3600));
  const Program program({"run", "long.json", "-o", "rec", "--json-progress"}, scratch.path(), scratch);
  const auto progress_lines = [&] {
    const std::string lines = program.errors_so_far();
    return std::count(lines.begin(), lines.end(), '\n');
  };
  for (int i = 0; i < 3000 && progress_lines() < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  program.interrupt();
  EXPECT_EQ(program.wait(), 130);
  EXPECT_NE(program.out().find("continue with --resume"), std::string::npos) << program.out();
  EXPECT_EQ(report("rec").find("outcome")->text, "interrupted");
  const std::vector<int> recorded = frames("rec");
  ASSERT_GT(recorded.size(), 5u);
  const std::string range = fmt::format("0-{}", recorded.back() + 7);
  const Answer resumed = run({"run", "long.json", "-o", "rec", "--resume", "--quiet", "--frames", range});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(report("rec").find("resumed_from"));
  ASSERT_EQ(run({"run", "long.json", "-o", "whole", "--quiet", "--frames", range}).code, 0);
  EXPECT_EQ(frames("rec"), frames("whole"));
  EXPECT_EQ(fingerprint("rec"), fingerprint("whole"));
}

TEST_F(CommandLine, a_folder_that_cannot_be_written_is_a_failure_not_a_mistake) {
  for (const char* folder : {"/proc/crumple/recording", "drum.json/recording"}) {
    const Answer answer = run({"run", "drum.json", "-o", folder});
    EXPECT_EQ(answer.code, 1);
    EXPECT_EQ(answer.out, "");
    EXPECT_TRUE(answer.err.starts_with(fmt::format("crumple: {}: cannot be created", folder))) << answer.err;
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  }
}

TEST_F(CommandLine, check_prints_the_resolved_scene_which_checks_to_itself) {
  const Answer first = run({"check", "drum.json"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  write_text(scratch / "resolved.json", first.out);
  const Answer second = run({"check", "resolved.json"});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.out, first.out);
  Result<Json> json = parse_json(first.out, "check", JsonDialect::Strict);
  ASSERT_TRUE(json) << json.error().text;
  EXPECT_EQ(json->find("bodies")->items[1].find("examples")->find("yield")->number, 0.4);
  EXPECT_EQ(json->find("fps")->number, 60);
  const Answer changed = run({"check", "drum.json", "--set", "/fps=24"});
  EXPECT_NE(changed.out.find("\"fps\": 24"), std::string::npos);
}

TEST_F(CommandLine, a_resolved_scene_gives_the_same_frames) {
  write_text(scratch / "resolved.json", run({"check", "drum.json"}).out);
  record("first");
  ASSERT_EQ(run({"run", "resolved.json", "-o", "second", "--quiet"}).code, 0);
  EXPECT_EQ(fingerprint("first"), fingerprint("second"));
}

TEST_F(CommandLine, schema_is_json) {
  const Answer answer = run({"schema"});
  EXPECT_EQ(answer.code, 0);
  Result<Json> json = parse_json(answer.out, "schema", JsonDialect::Strict);
  ASSERT_TRUE(json) << json.error().text;
  EXPECT_EQ(json->find("$schema")->text, "https://json-schema.org/draft/2020-12/schema");
}

TEST_F(CommandLine, list_names_methods_formats_and_scenes) {
  EXPECT_NE(run({"list", "methods"}).out.find("examples"), std::string::npos);
  EXPECT_NE(run({"list", "formats"}).out.find(".glb"), std::string::npos);
  const Answer scenes = run_program({"list", "scenes"}, kProject, scratch);
  EXPECT_EQ(scenes.code, 0);
  EXPECT_NE(scenes.out.find("loading_dock"), std::string::npos);
  const Answer all = run_program({"list"}, kProject, scratch);
  for (const char* heading : {"scenes:\n", "methods:\n", "formats:\n"}) EXPECT_NE(all.out.find(heading), std::string::npos);
}

TEST_F(CommandLine, info_tells_what_each_kind_of_file_holds) {
  record("rec");
  write_text(scratch / "tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const std::pair<std::string, std::vector<const char*>> cases[] = {
      {"drum.json", {"drum.json: scene\n", "One drum", "0.3 s, 18 frames", "2, 0 joints"}},
      {(kProject / "assets" / "crate.glb").string(), {": asset\n", "tetrahedra", "handles", "example"}},
      {"tetra.obj", {"tetra.obj: surface\n", "1 x 1 x 1", "4, 4 vertices"}},
      {"rec", {"rec: recording\n", "One drum", "19 (0 to 18)", "done", "fingerprint"}},
  };
  for (const auto& [file, parts] : cases) {
    const Answer answer = run({"info", file});
    EXPECT_EQ(answer.code, 0) << answer.err;
    for (const char* part : parts) EXPECT_NE(answer.out.find(part), std::string::npos) << part << " in\n" << answer.out;
  }
  if (const auto data = authors_data()) {
    const Answer answer = run({"info", (*data / "examples" / "barrel2").string()});
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.out.find("8238 with 1790 vertices"), std::string::npos) << answer.out;
  }
}

TEST_F(CommandLine, export_writes_every_format_and_only_what_was_recorded) {
  record("rec");
  EXPECT_EQ(run({"export", "rec", "-o", "a.glb", "--quiet", "--colors"}).code, 0);
  EXPECT_TRUE(text_of(scratch / "a.glb").starts_with("glTF"));
  EXPECT_EQ(run({"export", "rec", "-o", "a.obj", "--frame", "3"}).code, 0);
  EXPECT_NE(text_of(scratch / "a.obj").find("\nv "), std::string::npos);
  EXPECT_EQ(run({"export", "rec", "-o", "a.ply", "--colors"}).code, 0);
  EXPECT_TRUE(text_of(scratch / "a.ply").starts_with("ply"));
  expect_refusal(run({"export", "rec", "-o", "b.obj", "--frame", "99"}));
  EXPECT_FALSE(fs::exists(scratch / "b.obj"));
  const Answer nowhere = run({"export", "rec", "-o", "no/such/folder/a.glb", "--quiet"});
  EXPECT_EQ(nowhere.code, 1) << nowhere.err;
  const Answer animation = run({"info", "a.glb"});
  EXPECT_EQ(animation.code, 0) << animation.err;
  EXPECT_TRUE(animation.out.starts_with("a.glb: surface")) << animation.out;
}

TEST_F(CommandLine, render_draws_a_frame_and_a_sheet) {
  record("rec", {"--frames", "0-9"});
  const Answer one = run({"render", "rec", "-o", "a.png", "--frame", "9", "--size", "64x48", "--samples", "1", "--quiet"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(text_of(scratch / "a.png").starts_with("\x89PNG"));
  EXPECT_EQ(one.out, "a.png\n");
  const Answer sheet = run({"render", "rec", "-o", "b.png", "--sheet", "2x1", "--size", "64x48", "--samples", "1", "--color", "weights", "--quiet"});
  EXPECT_EQ(sheet.code, 0) << sheet.err;
  EXPECT_TRUE(text_of(scratch / "b.png").starts_with("\x89PNG"));
  expect_refusal(run({"render", "rec", "-o", "c.png", "--frame", "99", "--quiet"}));
  EXPECT_FALSE(fs::exists(scratch / "c.png"));
  const Answer nowhere = run({"render", "rec", "-o", "no/such/folder/a.png"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_EQ(std::count(nowhere.err.begin(), nowhere.err.end(), '\n'), 1) << "found out after the work: " << nowhere.err;
}

TEST_F(CommandLine, shot_writes_a_scene_that_damages_the_asset) {
  fs::create_directories(scratch / "shots");
  for (const char* kind : {"drop", "wall", "block", "ball"}) {
    const std::string scene = std::string("shots/") + kind + ".json";
    const Answer written = run({"shot", (kProject / "assets" / "drum.glb").string(), "-o", scene, "--kind", kind});
    ASSERT_EQ(written.code, 0) << written.err;
    const Answer simulated = run({"run", scene, "-o", kind, "--quiet"});
    ASSERT_EQ(simulated.code, 0) << simulated.err;
    EXPECT_GT(report(kind).find("bodies")->items.at(0).find("max_displacement")->number, 0.05) << kind;
  }
  expect_refusal(run({"shot", "missing.glb", "-o", "a.json"}));
  expect_refusal(run({"shot", (kProject / "assets" / "drum.glb").string(), "-o", "a.json", "--kind", "flood"}));
  EXPECT_FALSE(fs::exists(scratch / "a.json"));
}

TEST_F(CommandLine, a_recording_stands_on_its_own) {
  record("rec", {"--frames", "0-6"});
  fs::remove(scratch / "drum.json");
  fs::rename(scratch / "rec", scratch / "moved");
  EXPECT_EQ(run({"export", "moved", "-o", "a.glb", "--quiet"}).code, 0);
}

TEST_F(CommandLine, a_damaged_recording_is_refused) {
  record("rec", {"--frames", "0-2"});
  write_text(scratch / "rec" / "state.crumple", "no recording at all");
  expect_refusal(run({"info", "rec"}));
  expect_refusal(run({"export", "rec", "-o", "a.glb"}));
  expect_refusal(run({"run", "drum.json", "-o", "rec", "--resume", "--frames", "0-2"}));
}

}  // namespace
}  // namespace crumple
