#include <cmath>

#include "crumple/core/json.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/image.h"
#include "crumple/io/mesh_file.h"
#include "tests/cli/program.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// A closed box in OBJ, under a group's name.
std::string box_text(const std::string& group, const Vec3& low, const Vec3& high) {
  std::string text = "g " + group + "\n";
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 at(corner & 1 ? high.x() : low.x(), corner & 2 ? high.y() : low.y(), corner & 4 ? high.z() : low.z());
    text += "v " + std::to_string(at.x()) + " " + std::to_string(at.y()) + " " + std::to_string(at.z()) + "\n";
  }
  for (const auto& face : {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"}) {
    std::istringstream in(face);
    text += "f";
    for (int v; in >> v;) text += " " + std::to_string(v - 9);  // counted from the latest
    text += "\n";
  }
  return text;
}

class ScoreCommand : public testing::Test {
 protected:
  ScoreCommand() { EXPECT_TRUE(io::write_asset(bar_asset(2), scratch / "bar.glb")); }
  Answer run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "score");
    return run_program(arguments, scratch.path(), scratch);
  }
  Asset asset(const std::string& file) {
    Result<Asset> read = io::read_asset(scratch / file);
    EXPECT_TRUE(read) << read.error().text;
    return read ? *read : Asset();
  }
  Scratch scratch;
};

TEST_F(ScoreCommand, cuts_along_planes_tells_of_it_and_draws_it) {
  const Answer answer =
      run({"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0.3", "--plane", "-2,0,0,0.8", "--look", "out.png", "--cut-color", "1,0.5,0"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  for (const char* told : {"out.glb: 3 pieces, 2 links", "volume m^3", "closed", "0.25", "the whole", "out.png"}) {
    EXPECT_NE(answer.out.find(told), std::string::npos) << told << "\n" << answer.out;
  }
  const Asset scored = asset("out.glb");
  ASSERT_TRUE(scored.pieces);
  EXPECT_EQ(scored.pieces->count(), 3);
  for (const PieceLink& link : scored.pieces->links) EXPECT_NEAR(link.area, 0.25, 1e-6);
  EXPECT_NEAR(scored.pieces->cut.color.y(), 0.2140, 1e-3);  // half as bright on a screen
  const Result<io::Image> look = io::read_png(scratch / "out.png");
  ASSERT_TRUE(look);
  EXPECT_GT(look->width, 2 * 700);  // whole, and pulled apart
  const Answer info = run_program({"info", "out.glb"}, scratch.path(), scratch);
  EXPECT_NE(info.out.find("held together by 2 links"), std::string::npos) << info.out;
}

TEST_F(ScoreCommand, seeds_give_the_same_cells_every_time) {
  for (const char* file : {"a.glb", "b.glb"}) {
    const Answer answer = run({"bar.glb", "-o", file, "--voronoi", "5", "--seed", "9"});
    ASSERT_EQ(answer.code, 0) << answer.err;
  }
  EXPECT_TRUE(text_of(scratch / "a.glb") == text_of(scratch / "b.glb"));
  ASSERT_EQ(run({"bar.glb", "-o", "c.glb", "--voronoi", "5", "--seed", "10"}).code, 0);
  EXPECT_FALSE(text_of(scratch / "a.glb") == text_of(scratch / "c.glb"));
}

TEST_F(ScoreCommand, seeds_gather_around_a_place) {
  const Answer answer = run({"bar.glb", "-o", "out.glb", "--voronoi", "10", "--around", "0.8,0,0,0.2", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Result<Json> report = parse_json(answer.out, "report");
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->find("pieces")->items.size(), 10u);
  EXPECT_LT(report->find("volume_error")->number, 1e-9);
  double small = 0;  // eight seeds lie within the last quarter, so that most pieces are small
  for (const Json& piece : report->find("pieces")->items) small += piece.find("tetrahedra_m3")->number < 0.05 ? 1 : 0;
  EXPECT_GE(small, 7);
}

TEST_F(ScoreCommand, shells_of_one_group_are_one_piece) {
  write_text(scratch / "shells.obj", box_text("left", {-2, -1, -1}, {-0.6, 1, 1}) + box_text("right", {0.3, -1, -1}, {0.7, 1, 1}) +
                                         box_text("right", {0.7, -1, -1}, {2, 1, 1}));
  const Answer answer = run({"bar.glb", "-o", "out.glb", "--pieces", "shells.obj"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Asset scored = asset("out.glb");
  ASSERT_EQ(scored.pieces->count(), 3);
  EXPECT_EQ(scored.pieces->links.size(), 2u);
  EXPECT_NE(answer.out.find("0.1 "), std::string::npos) << answer.out;  // m^3 of the left one: 0.4 x 0.5 x 0.5
}

TEST_F(ScoreCommand, the_output_may_be_the_asset_itself) {
  ASSERT_EQ(run({"bar.glb", "-o", "bar.glb", "--plane", "1,0,0,0.1"}).code, 0);
  EXPECT_EQ(asset("bar.glb").pieces->count(), 2);
  expect_refusal(run({"bar.glb", "-o", "bar.glb", "--plane", "1,0,0,0.2"}), "bar.glb: is scored already, into 2 pieces");
}

TEST_F(ScoreCommand, slivers_are_merged_and_told) {
  const Answer answer = run({"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0.1", "--plane", "1,0,0,0.9999"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("2 pieces"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("1 merged into neighbours"), std::string::npos) << answer.out;
  EXPECT_NE(run({"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0.1", "--plane", "1,0,0,0.9999", "--sliver", "0"}).out.find("3 pieces"),
            std::string::npos);
}

TEST_F(ScoreCommand, mistakes_are_refused_in_one_line_and_write_nothing) {
  write_text(scratch / "overlap.obj", box_text("a", {-2, -1, -1}, {0.1, 1, 1}) + box_text("b", {0, -1, -1}, {2, 1, 1}));
  write_text(scratch / "open.obj", "v -2 -1 -1\nv 0 -1 -1\nv -2 1 -1\nv -2 -1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  std::string bent = box_text("a", {-2, -1, -1}, {0, 1, 1});
  bent.replace(bent.find("v 0.000000 1.000000 1.000000"), 28, "v -1.00000 0.000000 0.000000");
  write_text(scratch / "bent.obj", bent);
  write_text(scratch / "surface.obj", box_text("a", {-2, -1, -1}, {0, 1, 1}));
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"bar.glb", "-o", "out.glb"}, "how is it to be divided?"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0", "--voronoi", "3"}, "how is it to be divided?"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,5"}, "--plane 1,0,0,5: misses the body, which reaches from -1 to 1"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0", "--plane", "0,1,0,0.25"}, "--plane 0,1,0,0.25: misses the body"},
      {{"bar.glb", "-o", "out.glb", "--plane", "0,0,0,1"}, "--plane 0,0,0,1: its normal"},
      {{"bar.glb", "-o", "out.glb", "--plane", "nan,0,0,1"}, "--plane nan,0,0,1: expected 4 numbers"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0"}, "--plane 1,0,0: expected 4 numbers"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0,0"}, "--plane 1,0,0,0,0: expected 4 numbers"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,1e400"}, "--plane 1,0,0,1e400: expected 4 numbers"},
      {{"bar.glb", "-o", "out.glb", "--voronoi", "1"}, "--voronoi 1: at least 2"},
      {{"bar.glb", "-o", "out.glb", "--voronoi", "1000000000"}, "--voronoi 1000000000: at most"},
      {{"bar.glb", "-o", "out.glb", "--voronoi", "five"}, "Could not convert"},
      {{"bar.glb", "-o", "out.glb", "--voronoi", "40", "--most", "12"}, "bar: the cuts make 40 pieces, more than the limit of 12"},
      {{"bar.glb", "-o", "out.glb", "--voronoi", "4", "--around", "9,9,9,1"}, "--around 9,9,9,1: holds next to nothing of the body"},
      {{"bar.glb", "-o", "out.glb", "--voronoi", "4", "--around", "0,0,0,0"}, "--around 0,0,0,0: its radius"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0", "--around", "0,0,0,1"}, "--around goes with --voronoi"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0", "--sliver", "nan"}, "a sliver is"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0", "--most", "1"}, "at most 1 pieces"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0", "--cut-color", "2,0,0"}, "--cut-color 2,0,0: red, green and blue"},
      {{"bar.glb", "-o", "out.obj", "--plane", "1,0,0,0"}, "out.obj: assets are written as .glb"},
      {{"bar.glb", "-o", "out.glb", "--plane", "1,0,0,0", "--look", "out.jpg"}, "out.jpg: a look is a .png"},
      {{"missing.glb", "-o", "out.glb", "--plane", "1,0,0,0"}, "missing.glb: no such file"},
      {{"surface.obj", "-o", "out.glb", "--plane", "1,0,0,0"}, "surface.obj: "},
      {{"bar.glb", "-o", "out.glb", "--pieces", "missing.obj"}, "missing.obj: no such file"},
      {{"bar.glb", "-o", "out.glb", "--pieces", "overlap.obj"}, "overlap.obj: shell 1 and shell 2 overlap"},
      {{"bar.glb", "-o", "out.glb", "--pieces", "open.obj"}, "open.obj: shell 1 is open"},
      {{"bar.glb", "-o", "out.glb", "--pieces", "bent.obj"}, "bent.obj: shell 1 is not convex"},
      {{"bar.glb", "-o", "out.glb", "--plain", "1,0,0,0"}, "unknown option \"--plain\"; did you mean \"--plane\"?"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(message);
    expect_refusal(run(arguments), message);
    EXPECT_FALSE(fs::exists(scratch / "out.glb"));
  }
}

}  // namespace
}  // namespace crumple
