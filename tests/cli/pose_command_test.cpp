#include <fmt/format.h>

#include "crumple/io/gltf_asset.h"
#include "crumple/io/image.h"
#include "crumple/rig/pose.h"
#include "tests/cli/program.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

class PoseCommand : public testing::Test {
 protected:
  PoseCommand() {
    Asset asset = bar_asset(2);
    EXPECT_TRUE(io::write_asset(asset, scratch / "bar.glb"));
    before = text_of(scratch / "bar.glb");
  }
  Answer run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "pose");
    return run_program(arguments, scratch.path(), scratch);
  }
  Asset asset(const std::string& file = "bar.glb") {
    Result<Asset> read = io::read_asset(scratch / file);
    EXPECT_TRUE(read) << read.error().text;
    return read ? *read : Asset();
  }
  Scratch scratch;
  std::string before;
};

TEST_F(PoseCommand, moves_handles_stores_the_pose_and_draws_it) {
  const Answer answer = run({"bar.glb", "--name", "pressed", "--move", "right=-0.2,0.1,0", "--move", "0=0,0.1,0"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  for (const char* told :
       {"pose \"pressed\"\n", "rounds, energy", "m at most", "volume", "degrees", "no tetrahedron", "bar.glb: 3 poses", "bar.look.png"}) {
    EXPECT_NE(answer.out.find(told), std::string::npos) << told << "\n" << answer.out;
  }
  const Asset posed = asset();
  ASSERT_EQ(posed.examples.size(), 4u);
  EXPECT_EQ(posed.examples[3].name, "pressed");
  const HandleTransform& right = posed.examples[3].handles[1];
  EXPECT_LT((right.rotation * Vec3(1, 0, 0) + right.translation - Vec3(0.8, 0.1, 0)).norm(), 1e-6);
  // The same that the library finds.
  const PoseGoal goals[] = {{1, Vec3(-0.2, 0.1, 0), {}, false}, {0, Vec3(0, 0.1, 0), {}, false}};
  const std::vector<HandleTransform> found = Poser(posed).solve(goals);
  for (size_t b = 0; b < 2; ++b) EXPECT_LT((found[b].rotation.coeffs() - posed.examples[3].handles[b].rotation.coeffs()).norm(), 1e-6);
  const Result<io::Image> look = io::read_png(scratch / "bar.look.png");
  ASSERT_TRUE(look) << look.error().text;
  EXPECT_GT(look->width, 2 * 640);  // two tiles
}

TEST_F(PoseCommand, a_pose_of_the_same_name_is_replaced_in_its_place) {
  const Answer answer = run({"bar.glb", "--name", "squeezed", "--move", "right=-0.1,0,0", "--no-look"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("in place of the one of that name"), std::string::npos);
  const Asset posed = asset();
  ASSERT_EQ(posed.examples.size(), 3u);
  EXPECT_EQ(posed.examples[1].name, "squeezed");
  EXPECT_NEAR(posed.examples[1].handles[1].translation.x(), -0.1, 1e-6);
  EXPECT_FALSE(fs::exists(scratch / "bar.look.png"));
}

TEST_F(PoseCommand, writes_elsewhere_removes_and_lists) {
  ASSERT_EQ(run({"bar.glb", "--remove", "bent", "-o", "other.glb"}).code, 0);
  EXPECT_EQ(text_of(scratch / "bar.glb"), before);
  EXPECT_EQ(asset("other.glb").examples.size(), 2u);
  const Answer list = run({"bar.glb", "--list"});
  EXPECT_EQ(list.code, 0);
  for (const char* told : {"2 handles, 2 poses", "left", "right", "squeezed", "bent"}) EXPECT_NE(list.out.find(told), std::string::npos) << list.out;
  EXPECT_EQ(text_of(scratch / "bar.glb"), before);
}

TEST_F(PoseCommand, a_file_holds_one_pose_or_several) {
  write_text(scratch / "one.json", R"({"name": "a", "move": {"right": [0, 0.1, 0]}, "turn": {"0": [0, 0, 30]}, "free": []} // fine)");
  write_text(
      scratch / "two.json",
      R"({"poses": [{"name": "b", "move": {"1": [0, 0.2, 0]}, "free": ["left"]}, {"name": "c", "turn": {"right": [0, 0, 20]}, "free": [0]}]})");
  ASSERT_EQ(run({"bar.glb", "--pose", "one.json", "--no-look"}).code, 0);
  ASSERT_EQ(run({"bar.glb", "--pose", "one.json", "--name", "d", "--no-look"}).code, 0);
  const Answer answer = run({"bar.glb", "--pose", "two.json", "--no-look"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Asset posed = asset();
  ASSERT_EQ(posed.examples.size(), 7u);
  const char* names[] = {"rest", "squeezed", "bent", "a", "d", "b", "c"};
  for (size_t e = 0; e < 7; ++e) EXPECT_EQ(posed.examples[e].name, names[e]);
  EXPECT_NEAR(Quat::Identity().angularDistance(posed.examples[3].handles[0].rotation), M_PI / 6, 1e-6);
  for (size_t b = 0; b < 2; ++b) EXPECT_NEAR(posed.examples[5].handles[b].translation.y(), 0.2, 1e-5);  // all followed the one that moved
}

TEST_F(PoseCommand, what_is_inside_out_is_told_with_a_way_out) {
  const Answer answer = run({"bar.glb", "--name", "through", "--move", "right=-3,0,0", "--turn", "right=0,0,0", "--turn", "left=0,0,0", "--no-look"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("tetrahedra are inside out"), std::string::npos) << answer.out;
}

TEST_F(PoseCommand, mistakes_are_refused_in_one_line_and_leave_the_file_alone) {
  Asset full = bar_asset(1);
  while (full.examples.size() < 32) full.examples.push_back({fmt::format("pose {}", full.examples.size()), full.examples[1].handles});
  ASSERT_TRUE(io::write_asset(full, scratch / "full.glb"));
  write_text(scratch / "typo.json", "{\"name\": \"a\",\n \"mvoe\": {\"right\": [0, 0, 1]}}");
  write_text(scratch / "short.json", "{\"name\": \"a\",\n \"move\": {\n  \"right\": [0, 0]}}");
  write_text(scratch / "handle.json", "{\"poses\": [\n {\"name\": \"a\", \"move\": {\"rihgt\": [0, 0, 1]}}]}");
  write_text(scratch / "text.json", "{\"name\": \"a\", \"move\": {\"right\": [0, \"x\", 1]}}");
  write_text(scratch / "far.json", "{\"name\": \"a\", \"move\": {\"right\": [0, 1e300, 1]}}");
  write_text(scratch / "twice.json", R"({"poses": [{"name": "a", "move": {"1": [0, 0, 1]}}, {"name": "a", "move": {"1": [0, 0, 1]}}]})");
  write_text(scratch / "second.json", R"({"poses": [{"name": "a", "move": {"1": [0, 0, 1]}}, {"name": "b"}]})");
  write_text(scratch / "none.json", R"({"poses": []})");
  write_text(scratch / "list.json", "[1, 2]");
  write_text(scratch / "broken.json", "{\"name\": ");
  write_text(scratch / "nameless.json", R"({"move": {"1": [0, 0, 1]}})");
  write_text(scratch / "no.glb", "no");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "asset is required"},
      {{"missing.glb", "--name", "a", "--move", "0=1,0,0"}, "missing.glb: no such file"},
      {{"no.glb", "--name", "a", "--move", "0=1,0,0"}, "no.glb: "},
      {{"bar.glb"}, "what is to be posed?"},
      {{"bar.glb", "--move", "0=1,0,0"}, "the pose needs a name"},
      {{"bar.glb", "--name", "a"}, "--name a: nothing moves"},
      {{"bar.glb", "--name", "a", "--free", "left"}, "--name a: nothing moves"},
      {{"bar.glb", "--name", "rest", "--move", "0=0.1,0,0"}, "--name rest: \"rest\" is the name of the rest pose"},
      {{"bar.glb", "--name", "a\nb", "--move", "0=0.1,0,0"}, "--name a\\x0ab: a pose's name has at most"},
      {{"bar.glb", "--name", "a", "--move", "rigth=1,0,0"}, "--move rigth=1,0,0: there is no handle \"rigth\"; did you mean \"right\"?"},
      {{"bar.glb", "--name", "a", "--move", "banana=1,0,0"}, "--move banana=1,0,0: there is no handle \"banana\"; 'crumple info' lists them"},
      {{"bar.glb", "--name", "a", "--move", "7=1,0,0"}, "--move 7=1,0,0: there is no handle 7; they are numbered 0 to 1"},
      {{"bar.glb", "--name", "a", "--move", "-1=1,0,0"}, "--move -1=1,0,0: there is no handle -1"},
      {{"bar.glb", "--name", "a", "--move", "99999999999=1,0,0"}, "--move 99999999999=1,0,0: there is no handle 99999999999"},
      {{"bar.glb", "--name", "a", "--move", "0=1,0"}, "--move 0=1,0: expected a handle and three finite numbers"},
      {{"bar.glb", "--name", "a", "--move", "0=1,0,0,0"}, "--move 0=1,0,0,0: expected a handle and three finite numbers"},
      {{"bar.glb", "--name", "a", "--move", "0=nan,0,0"}, "--move 0=nan,0,0: expected a handle and three finite numbers"},
      {{"bar.glb", "--name", "a", "--move", "0=1e999,0,0"}, "--move 0=1e999,0,0: expected a handle and three finite numbers"},
      {{"bar.glb", "--name", "a", "--move", "1,0,0"}, "--move 1,0,0: expected a handle"},
      {{"bar.glb", "--name", "a", "--move", "=1,0,0"}, "--move =1,0,0: expected a handle"},
      {{"bar.glb", "--name", "a", "--move", "0=100,0,0"}, "--move 0=100,0,0: handle \"left\": a move of 100 m is more than 10 times"},
      {{"bar.glb", "--name", "a", "--move", "0=1,0,0", "--move", "left=0,1,0"}, "--move left=0,1,0: handle 0 is moved twice"},
      {{"bar.glb", "--name", "a", "--turn", "0=1,0,0", "--turn", "left=0,1,0"}, "--turn left=0,1,0: handle 0 is turned twice"},
      {{"bar.glb", "--name", "a", "--turn", "0=1000,0,0"}, "--turn 0=1000,0,0: a turn is in degrees"},
      {{"bar.glb", "--name", "a", "--move", "0=1,0,0", "--free", "0"}, "--free 0: handle 0 cannot be moved and free"},
      {{"bar.glb", "--remove", "bend"}, "--remove bend: bar.glb has no such pose; did you mean \"bent\"?"},
      {{"bar.glb", "--remove", "rest"}, "--remove rest: the rest pose stays"},
      {{"full.glb", "--name", "one more", "--move", "0=0.1,0,0"}, "--name one more: the asset has 32 examples"},
      {{"bar.glb", "--list", "--name", "a"}, "--list changes nothing"},
      {{"bar.glb", "--name", "a", "--move", "0=0.1,0,0", "-o", "a.fbx"}, "a.fbx: assets are written as .glb"},
      {{"bar.glb", "--name", "a", "--move", "0=0.1,0,0", "--look", "a.jpg"}, "a.jpg: a look is a .png"},
      {{"bar.glb", "--name", "a", "--move", "0=0.1,0,0", "--look", "a.png", "--no-look"}, "--look and --no-look exclude each other"},
      {{"bar.glb", "--pose", "typo.json"}, "typo.json:2: /mvoe: unknown key; did you mean \"move\"?"},
      {{"bar.glb", "--pose", "short.json"}, "short.json:3: /move/right: expected 3 numbers, not 2"},
      {{"bar.glb", "--pose", "handle.json"}, "handle.json:2: /poses/0/move/rihgt: there is no handle \"rihgt\"; did you mean \"right\"?"},
      {{"bar.glb", "--pose", "text.json"}, "text.json:1: /move/right/1: expected a number, not a text"},
      {{"bar.glb", "--pose", "far.json"}, "far.json:1: /move/right: handle \"right\": a move of "},
      {{"bar.glb", "--pose", "twice.json"}, "twice.json:1: /poses/1/name: two poses are called \"a\""},
      {{"bar.glb", "--pose", "second.json"}, "second.json:1: /poses/1/name: nothing moves"},
      {{"bar.glb", "--pose", "none.json"}, "none.json:1: /poses: must not be empty"},
      {{"bar.glb", "--pose", "list.json"}, "list.json:1: /: expected an object"},
      {{"bar.glb", "--pose", "broken.json"}, "broken.json:1: "},
      {{"bar.glb", "--pose", "nameless.json"}, "nameless.json:1: /: the pose needs a name"},
      {{"bar.glb", "--pose", "missing.json"}, "missing.json: no such file"},
      {{"bar.glb", "--pose", "twice.json", "--name", "x"}, "--name x: twice.json holds 2 poses"},
      {{"bar.glb", "--pose", "handle.json", "--move", "0=1,0,0"}, "--pose and --move, --turn, --free exclude each other"},
      {{"bar.glb", "--naem", "a"}, "unknown option \"--naem\"; did you mean \"--name\"?"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(fmt::format("crumple pose {}", fmt::join(arguments, " ")));
    expect_refusal(run(arguments), message);
    EXPECT_EQ(text_of(scratch / "bar.glb"), before);
    for (const char* left : {"a.fbx", "a.jpg", "a.png", "bar.look.png"}) EXPECT_FALSE(fs::exists(scratch / left));
  }
}

TEST_F(PoseCommand, a_file_of_another_program_is_not_overwritten) {
  // The generator's name stands in the JSON part: a name of the same length keeps the file sound.
  std::string bytes = before;
  size_t at = bytes.find("\"generator\":");
  ASSERT_NE(at, std::string::npos);
  at = bytes.find("rumple", at);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 6, "obbler");
  write_text(scratch / "foreign.glb", bytes);
  expect_refusal(run({"foreign.glb", "--name", "a", "--move", "0=0.1,0,0", "--no-look"}), "foreign.glb: was written by ");
  EXPECT_EQ(text_of(scratch / "foreign.glb"), bytes);
  EXPECT_EQ(run({"foreign.glb", "--name", "a", "--move", "0=0.1,0,0", "--no-look", "-o", "mine.glb"}).code, 0);
  EXPECT_EQ(asset("mine.glb").examples.size(), 4u);
}

TEST_F(PoseCommand, info_tells_names_and_places_of_handles) {
  const Answer answer = run_program({"info", "bar.glb"}, scratch.path(), scratch);
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.out.find("right"), std::string::npos);
  EXPECT_NE(answer.out.find("at 1, 0, 0"), std::string::npos) << answer.out;
}

}  // namespace
}  // namespace crumple
