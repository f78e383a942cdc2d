#include <fmt/format.h>

#include "crumple/core/json.h"
#include "crumple/run/timings.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// A drum that strikes the ground, under a title that would break a careless picture.
std::string drum_scene() {
  return fmt::format(R"({{
  "crumple": 1, "title": "A <drum> & 'more'", "seconds": 0.3, "checkpoint": 5,
  "assets": {{"drum": "{}"}},
  "bodies": [
    {{"name": "ground", "plane": [0, 1, 0, 0]}},
    {{"name": "drum", "asset": "drum", "at": [0, 1, 0], "turn": [0, 0, 80], "velocity": [0, -6, 0], "examples": {{"gain": 150}}}}
  ]
}})",
                     (kProject / "assets" / "drum.glb").string());
}

/// Whether every element that is opened is closed, in order. Enough of XML for what we write ourselves.
bool is_balanced_xml(const std::string& text) {
  std::vector<std::string> open;
  size_t at = text.find("?>");
  for (at = text.find('<', at); at != std::string::npos; at = text.find('<', at)) {
    const size_t end = text.find('>', at);
    if (end == std::string::npos || text.find('<', at + 1) < end) return false;
    const std::string tag = text.substr(at + 1, end - at - 1), name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty();
}

class PlotCommand : public testing::Test {
 protected:
  PlotCommand() { write_text(scratch / "drum.json", drum_scene()); }
  Answer run(const std::vector<std::string>& arguments) { return run_program(arguments, scratch.path(), scratch); }
  void record(const std::string& folder, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "drum.json", "-o", folder, "--quiet"});
    const Answer answer = run(more);
    ASSERT_EQ(answer.code, 0) << answer.err;
  }
  std::vector<FrameTiming> timings(const std::string& folder) const {
    Result<std::vector<FrameTiming>> rows = read_timings(scratch / folder / "timings.csv");
    EXPECT_TRUE(rows) << rows.error().text;
    return rows ? *rows : std::vector<FrameTiming>{};
  }
  double reported(const std::string& folder, const char* key) const {
    Result<Json> json = parse_json(text_of(scratch / folder / "run.json"), "run.json", JsonDialect::Strict);
    const Json* times = json ? json->find("timings") : nullptr;
    return times && times->find(key) ? times->find(key)->number : json ? json->find(key)->number : -1;
  }
  Scratch scratch;
};

TEST_F(PlotCommand, a_run_leaves_the_times_of_its_frames_which_add_up_to_those_it_reports) {
  record("rec");
  const std::vector<FrameTiming> rows = timings("rec");
  ASSERT_EQ(rows.size(), 18u);
  double rigid = 0, deform = 0, record = 0, hits = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].frame, static_cast<int>(i) + 1);
    EXPECT_EQ(rows[i].awake, 1);
    rigid += 1e-3 * rows[i].rigid_ms, deform += 1e-3 * rows[i].deform_ms, record += 1e-3 * rows[i].record_ms,
        hits += static_cast<double>(rows[i].hits);
  }
  const double rounding = 18 * 0.5e-7;
  EXPECT_NEAR(rigid, reported("rec", "rigid_s"), rounding);
  EXPECT_NEAR(deform, reported("rec", "deform_s"), rounding);
  EXPECT_LE(record, reported("rec", "record_s") + rounding);  // there also frame 0 and checkpoints
  EXPECT_EQ(hits, reported("rec", "hits"));
  EXPECT_GT(hits, 0);
}

TEST_F(PlotCommand, a_run_that_continues_keeps_the_times_of_earlier_frames) {
  record("rec", {"--frames", "0-12"});
  const std::vector<FrameTiming> before = timings("rec");
  ASSERT_EQ(before.size(), 12u);
  write_text(scratch / "rec" / "timings.csv", text_of(scratch / "rec" / "timings.csv") + "13,0.5");  // torn
  record("rec", {"--resume"});                                                                       // from the checkpoint at frame 10
  const std::vector<FrameTiming> after = timings("rec");
  ASSERT_EQ(after.size(), 18u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(after[i].frame, before[i].frame);
    EXPECT_EQ(after[i].rigid_ms, before[i].rigid_ms);
    EXPECT_EQ(after[i].deform_ms, before[i].deform_ms);
  }
  for (size_t i = 10; i < 18; ++i) EXPECT_EQ(after[i].frame, static_cast<int>(i) + 1);
}

TEST_F(PlotCommand, a_run_continues_though_its_times_are_lost) {
  record("rec", {"--frames", "0-12"});
  write_text(scratch / "rec" / "timings.csv", "spilled coffee\n");
  record("rec", {"--resume"});
  const std::vector<FrameTiming> rows = timings("rec");
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0].frame, 11);
}

TEST_F(PlotCommand, draws_times_under_the_scenes_title_always_alike) {
  record("rec");
  const Answer answer = run({"render", "rec", "--plot", "timing", "-o", "first.svg"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.out, "first.svg\n");
  const std::string svg = text_of(scratch / "first.svg");
  EXPECT_TRUE(is_balanced_xml(svg)) << svg;
  for (const char* part :
       {"A &lt;drum&gt; &amp; &#39;more&#39;", ">rigid bodies<", ">deformation<", "real time: 16.67 ms", "frame (60 per second)", "18 frames:"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(run({"render", "rec", "--plot", "timing", "-o", "second.svg"}).code, 0);
  EXPECT_EQ(text_of(scratch / "second.svg"), svg);
}

TEST_F(PlotCommand, refuses_what_cannot_be_drawn) {
  record("rec"), record("old"), record("new"), record("bad");
  fs::remove(scratch / "old" / "timings.csv");
  write_text(scratch / "new" / "timings.csv", "frame,rigid_ms,deform_ms,record_ms,hits,awake\n");
  fs::create_directories(scratch / "folder.svg");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"rec", "--plot", "timing", "-o", "a.png"}, "a.png: plots are .svg"},
      {{"rec", "--plot", "timing", "-o", "a"}, "a: plots are .svg"},
      {{"rec", "--plot", "timings", "-o", "a.svg"}, "--plot timings: there is no such plot; did you mean \"timing\"?"},
      {{"rec", "--plot", "weather", "-o", "a.svg"}, "--plot weather: there is no such plot; one of: timing, volume"},
      {{"rec", "--plot", "timing", "-o", "missing/a.svg"}, "missing/a.svg: cannot be created: there is no folder missing"},
      {{"rec", "--plot", "timing", "-o", "folder.svg"}, "folder.svg: is a folder"},
      {{"rec", "--plot", "timing"}, "--output is required"},
      {{"rec", "--plot", "timing", "-o", "a.svg", "--frame", "3"}, "--plot draws numbers, not a picture"},
      {{"rec", "--plot", "timing", "-o", "a.svg", "--sheet", "2x2"}, "--plot draws numbers, not a picture"},
      {{"rec", "-o", "a.svg"}, "a.svg: .svg is for plots; say which, such as --plot timing"},
      {{"missing", "--plot", "timing", "-o", "a.svg"}, "missing: no such recording"},
      {{"folder.svg", "--plot", "timing", "-o", "a.svg"}, "folder.svg: no such recording"},
      {{"old", "--plot", "timing", "-o", "a.svg"}, "old: has no timings.csv"},
      {{"new", "--plot", "timing", "-o", "a.svg"}, "new/timings.csv: holds no frame yet"},
  };
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> all = {"render"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    SCOPED_TRACE(fmt::format("crumple {}", fmt::join(all, " ")));
    expect_refusal(run(all), message);
    EXPECT_FALSE(fs::exists(scratch / "a.svg"));
  }
  const std::string heading = "frame,rigid_ms,deform_ms,record_ms,hits,awake\n";
  for (const char* rows : {"1,2,3,4,5\n", "1,2,3,4,5,6,7\n", "1,nan,0,0,0,0\n", "1,inf,0,0,0,0\n", "1,-2,0,0,0,0\n", "1,1e300,0,0,0,0\n",
                           "x,0,0,0,0,0\n", "\n", "2,0,0,0,0,0\n2,0,0,0,0,0\n"}) {
    SCOPED_TRACE(rows);
    write_text(scratch / "bad" / "timings.csv", heading + rows);
    expect_refusal(run({"render", "bad", "--plot", "timing", "-o", "a.svg"}), "bad/timings.csv:");
  }
}

TEST_F(PlotCommand, bench_measures_scenes_each_for_itself) {
  const Answer answer = run({"bench", "scenes", "drum.json", "--json", "--baseline", "--threads", "1"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  Result<Json> json = parse_json(answer.out, "bench", JsonDialect::Strict);
  ASSERT_TRUE(json) << json.error().text;
  EXPECT_EQ(json->find("threads")->number, 1);
  const Json* drum = json->find("scenes")->find("drum");
  ASSERT_TRUE(drum);
  const auto value = [&](const char* key) { return drum->find(key) ? drum->find(key)->number : -1; };
  EXPECT_EQ(value("frames"), 18);
  EXPECT_EQ(value("steps"), 72);
  EXPECT_EQ(value("bodies"), 2);
  EXPECT_EQ(value("crumpling"), 1);
  EXPECT_EQ(value("frozen"), 0);
  EXPECT_GT(value("peak_mb"), 1);
  for (const char* key : {"steps_per_s", "realtime_factor", "wall_s"}) EXPECT_GT(value(key), 0) << key;
  // May be 0 here: under a limit of CPU time, as set for tests, the clock of a process advances in steps of several milliseconds.
  for (const char* key : {"fps", "rigid_s", "deform_s", "rigid_over_uncrumpled", "total_over_uncrumpled"}) EXPECT_GE(value(key), 0) << key;
  EXPECT_NEAR(value("steps_per_s") * value("wall_s"), 72, 1e-6);
  EXPECT_NEAR(value("realtime_factor") * value("wall_s"), 0.3, 1e-9);
  const double cpu = value("rigid_s") + value("deform_s");
  EXPECT_NEAR(value("fps") * cpu, cpu > 0 ? 18 : 0, 1e-6);
  EXPECT_GT(value("hits"), 0);
}

TEST_F(PlotCommand, bench_stops_after_the_seconds_it_is_given) {
  const Answer answer = run({"bench", "scenes", "drum.json", "--seconds", "0.1", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  Result<Json> json = parse_json(answer.out, "bench", JsonDialect::Strict);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->find("scenes")->find("drum")->find("frames")->number, 6);
  const Answer table = run({"bench", "scenes", "drum.json", "--seconds", "0.1"});
  EXPECT_EQ(table.code, 0) << table.err;
  for (const char* part : {"2 threads", "x real time", "peak MB", "\ndrum "}) EXPECT_NE(table.out.find(part), std::string::npos) << part;
}

TEST_F(PlotCommand, bench_refuses_scenes_it_cannot_measure) {
  expect_refusal(run({"bench", "scenes", "pachinka", "--json"}), "there is no scene \"pachinka\"; did you mean \"pachinko\"?");
  expect_refusal(run({"bench", "scenes", "missing.json", "--json"}), "missing.json: no such file");
  expect_refusal(run({"bench", "scenes", "--seconds", "0", "--json"}), "--seconds: ");
  expect_refusal(run({"bench", "weights", "pachinko", "--json"}), "bench weights: names of scenes");
  expect_refusal(run({"bench", "points", "block_7", "--json"}), "bench points: there is no row \"block_7\"; the rows are block_5000, ");
  write_text(scratch / "lost.json", R"({"crumple": 1, "assets": {"a": "missing.glb"}, "bodies": [{"asset": "a"}]})");
  expect_refusal(run({"bench", "scenes", "lost.json", "--json"}), "lost: ");
}

TEST_F(PlotCommand, list_shows_where_the_pictures_of_scenes_are) {
  const Answer answer = run_program({"list", "scenes"}, kProject, scratch);
  EXPECT_EQ(answer.code, 0);
  for (const auto& entry : fs::directory_iterator(kProject / "scenes")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json") continue;
    EXPECT_NE(answer.out.find(name + " "), std::string::npos) << name;
    const std::string picture = fmt::format("docs/images/{}.png", name);
    EXPECT_EQ(answer.out.find(picture) != std::string::npos, fs::exists(kProject / picture)) << picture;
  }
}

}  // namespace
}  // namespace crumple
