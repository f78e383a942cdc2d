// What becomes of a recording of sprites: films, transparent pictures, sprite sheets.
#include <cstring>

#include <fmt/format.h>

#include "crumple/core/json.h"
#include "crumple/io/image.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

class SpriteOutput : public testing::Test {
 protected:
  SpriteOutput() {
    const std::string assets = fs::path(CRUMPLE_SOURCE_DIR) / "assets" / "sprites";
    write_text(scratch / "two.json", fmt::format(R"({{"crumple": 1, "title": "two", "flat": true, "fps": 60, "substeps": 2, "seconds": 0.2,
      "assets": {{"ball": "{0}/ball.glb", "snake": "{0}/snake.glb"}}, "camera": {{"eye": [0, 1, 10], "target": [0, 1, 0], "fov": 20}}, "bodies": [
      {{"name": "ground", "plane": [0, 1, 0, 0]}},
      {{"name": "ball", "asset": "ball", "at": [-1, 1.5, 0], "sprites": {{}}}},
      {{"name": "snake", "asset": "snake", "at": [1, 0.9, 0], "sprites": {{"behaviours": [{{"name": "wait"}}, {{"name": "duck", "keys": [{{"pose": "crouch"}}]}}],
        "rules": [{{"from": "wait", "to": "duck", "after": 0.1}}]}}}}]}})", assets));
    EXPECT_EQ(run({"run", "two.json", "-o", "rec", "--quiet"}).code, 0);
  }
  Answer run(const std::vector<std::string>& arguments) { return run_program(arguments, scratch.path(), scratch); }
  Scratch scratch;
};

Json json_of(const fs::path& file) {
  Result<Json> json = parse_json(text_of(file), "test", JsonDialect::Strict);
  EXPECT_TRUE(json);
  return json ? *json : Json();
}

double number(const Json& json, std::initializer_list<const char*> path) {
  const Json* here = &json;
  for (const char* key : path) {
    here = here->find(key);
    if (!here) throw std::runtime_error(key);
  }
  return here->number;
}

TEST_F(SpriteOutput, a_sheet_gives_back_each_frame) {
  const Answer made = run({"export", "rec", "-o", "snake.png", "--body", "snake", "--pixels", "60", "--every", "2", "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Result<Picture> sheet = io::read_picture(scratch / "snake.png");
  ASSERT_TRUE(sheet);
  const Json json = json_of(scratch / "snake.json");
  EXPECT_EQ(json.find("meta")->find("image")->text, "snake.png");
  EXPECT_EQ(number(json, {"meta", "size", "w"}), sheet->width);
  EXPECT_EQ(number(json, {"meta", "size", "h"}), sheet->height);
  const auto& frames = json.find("frames")->members;
  ASSERT_EQ(frames.size(), 7u) << "frames 0, 2, ... 12";
  EXPECT_EQ(frames[0].first, "snake 0000");
  EXPECT_EQ(frames[6].first, "snake 0012");
  const double whole_width = number(frames[0].second, {"sourceSize", "w"}), whole_height = number(frames[0].second, {"sourceSize", "h"});
  for (const auto& [name, frame] : frames) {
    const int x = static_cast<int>(number(frame, {"frame", "x"})), y = static_cast<int>(number(frame, {"frame", "y"}));
    const int w = static_cast<int>(number(frame, {"frame", "w"})), h = static_cast<int>(number(frame, {"frame", "h"}));
    ASSERT_GE(x, 0);
    ASSERT_LE(x + w, sheet->width) << name;
    ASSERT_LE(y + h, sheet->height) << name;
    EXPECT_LE(number(frame, {"spriteSourceSize", "x"}) + w, whole_width);
    EXPECT_LE(number(frame, {"spriteSourceSize", "y"}) + h, whole_height);
    EXPECT_EQ(number(frame, {"duration"}), 33) << "two of 60 a second";
    // Trimmed: paint on all four sides, and none of a neighbour's within the gap to the right.
    int painted = 0, left = 0, top = 0;
    for (int j = 0; j < h; ++j) {
      left += sheet->pixel(x, y + j)[3] > 0;
      for (int i = 0; i < w; ++i) painted += sheet->pixel(x + i, y + j)[3] == 255, top += j == 0 && sheet->pixel(x + i, y)[3] > 0;
    }
    EXPECT_GT(painted, 0.2 * w * h) << name;
    EXPECT_GT(left, 0);
    EXPECT_GT(top, 0);
  }
  const Json& tags = *json.find("meta")->find("frameTags");
  ASSERT_EQ(tags.items.size(), 2u);
  EXPECT_EQ(tags.items[0].find("name")->text, "wait");
  EXPECT_EQ(tags.items[1].find("name")->text, "duck");
  EXPECT_EQ(number(tags.items[1], {"to"}), 6);
}

TEST_F(SpriteOutput, nothing_is_behind_a_transparent_picture) {
  ASSERT_EQ(run({"render", "rec", "-o", "a.png", "--frame", "0", "--transparent", "--size", "320x180", "--quiet"}).code, 0);
  const Result<Picture> picture = io::read_picture(scratch / "a.png");
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->pixel(2, 2)[3], 0);
  int painted = 0;
  for (int i = 0; i < 320 * 180; ++i) painted += picture->rgba[static_cast<size_t>(4 * i + 3)] == 255;
  EXPECT_GT(painted, 2000);
}

TEST_F(SpriteOutput, films_repeat_for_ever) {
  if (run({"render", "rec", "-o", "probe.mp4", "--size", "64x36", "--quiet"}).code != 0) GTEST_SKIP() << "no ffmpeg";
  ASSERT_EQ(run({"render", "rec", "-o", "a.gif", "--size", "160x90", "--quiet"}).code, 0);
  const std::string gif = text_of(scratch / "a.gif");
  EXPECT_TRUE(gif.starts_with("GIF89a"));
  EXPECT_NE(gif.find("NETSCAPE2.0"), std::string::npos) << "loops";
  ASSERT_EQ(run({"render", "rec", "-o", "a.webp", "--size", "160x90", "--transparent", "--quiet"}).code, 0);
  const std::string webp = text_of(scratch / "a.webp");
  EXPECT_EQ(webp.substr(8, 4), "WEBP");
  EXPECT_NE(webp.find("ANIM"), std::string::npos);
  size_t shown = 0;
  for (size_t at = webp.find("ANMF"); at != std::string::npos; at = webp.find("ANMF", at + 4)) ++shown;
  EXPECT_GE(shown, 10u);
}

TEST_F(SpriteOutput, caches_and_sequences_hold_the_frames_that_are_asked_for) {
  ASSERT_EQ(run({"export", "rec", "-o", "a.pc2", "--frames", "2-10", "--every", "4", "--quiet"}).code, 0);
  EXPECT_EQ((fs::file_size(scratch / "a.pc2") - 32) % 36, 0u) << "three frames of points, after the head";
  EXPECT_TRUE(fs::exists(scratch / "a.obj"));
  ASSERT_EQ(run({"export", "rec", "-o", "s.ply", "--frames", "2-10", "--every", "4", "--quiet"}).code, 0);
  for (const char* name : {"s_0002.ply", "s_0006.ply", "s_0010.ply"}) EXPECT_TRUE(fs::exists(scratch / name)) << name;
  EXPECT_FALSE(fs::exists(scratch / "s.ply"));
  EXPECT_FALSE(fs::exists(scratch / "s_0004.ply"));
}

TEST_F(SpriteOutput, mistakes_are_refused) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"export", "rec", "-o", "a.png"}, "the scene has 2 sprites; say which one is meant with --body"},
      {{"export", "rec", "-o", "a.png", "--body", "snkae"}, "--body snkae: there is no such body; did you mean \"snake\"?"},
      {{"export", "rec", "-o", "a.png", "--body", "snake", "--frames", "7-3"}, "--frames 7-3: expected a range"},
      {{"export", "rec", "-o", "a.png", "--body", "snake", "--frames", "500-600"}, "--frames 500-600: none of these frames was recorded"},
      {{"export", "rec", "-o", "a.png", "--body", "snake", "--pixels", "50000"}, "--pixels 50000: pictures of"},
      {{"export", "rec", "-o", "a.png", "--body", "snake", "--colors"}, "--frame and --colors are not for .png"},
      {{"export", "rec", "-o", "a.glb", "--body", "snake"}, "--body is for sprite sheets (.png), .usda"},
      {{"export", "rec", "-o", "nowhere/a.png", "--body", "snake"}, "nowhere/a.png: cannot be created"},
      {{"render", "rec", "-o", "a.png", "--transparent"}, "a.png: what can be transparent"},
      {{"render", "rec", "-o", "a.mp4", "--transparent"}, "a.mp4: what can be transparent"},
      {{"render", "rec", "-o", "a.gif", "--frame", "3"}, "--frame and --sheet are for .png; an .gif shows all frames"},
      {{"render", "rec", "-o", "a.bmp"}, "a.bmp: pictures are .png, films .mp4, .gif or .webp"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(fmt::format("crumple {}", fmt::join(arguments, " ")));
    const Answer answer = run(arguments);
    EXPECT_TRUE(answer.code == 2 || (answer.code == 1 && std::string_view(message).find("cannot be created") != std::string_view::npos)) << answer.code;
    EXPECT_TRUE(answer.err.starts_with(fmt::format("crumple: {}", message))) << answer.err;
    for (const char* left : {"a.png", "a.json", "a.glb", "a.gif", "a.mp4"}) EXPECT_FALSE(fs::exists(scratch / left)) << left;
  }
}

}  // namespace
}  // namespace crumple
