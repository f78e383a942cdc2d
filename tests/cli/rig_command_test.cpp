#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/core/json.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/obj.h"
#include "crumple/rig/certificate.h"
#include "tests/cli/program.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

class RigCommand : public testing::Test {
 protected:
  void model(const std::string& name, const TriMesh& mesh) { ASSERT_TRUE(io::write_file(scratch_ / name, io::write_obj(mesh))); }
  Answer run(std::vector<std::string> words) { return run_program(words, scratch_.path(), scratch_); }
  /// Refused, and nothing written.
  void expect_no_asset(std::vector<std::string> words, const std::string& says) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(words, " ")));
    const Answer answer = run(std::move(words));
    expect_refusal(answer);
    EXPECT_NE(answer.err.find(says), std::string::npos) << answer.err;
    size_t left = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(scratch_.path()))
      left += entry.path().extension() == ".glb" || entry.path().extension() == ".png";
    EXPECT_EQ(left, 0u);
  }
  Json json(const Answer& answer) {
    Result<Json> read = parse_json(answer.out, "stdout", JsonDialect::Strict);
    EXPECT_TRUE(read) << answer.out << answer.err;
    return read ? *read : Json();
  }
  Scratch scratch_;
};

using DoctorCommand = RigCommand;

TEST_F(RigCommand, makes_an_asset_that_says_what_it_is) {
  model("lump.obj", make_lump(3));
  const Answer answer = run({"rig", "lump.obj", "-o", "lump.glb", "--handles", "6", "--handle", "nose=0,0,0.9", "--cells", "8", "--color", "1,0,0",
                             "--name", "thing", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json report = json(answer);
  const Result<Asset> asset = io::read_asset(scratch_ / "lump.glb");
  ASSERT_TRUE(asset) << asset.error().text;
  EXPECT_EQ(asset->name, "thing");
  EXPECT_EQ(asset->handles.size(), 6u);
  EXPECT_EQ(asset->handles[0].name, "nose");
  EXPECT_EQ(asset->color, Vec3f(1, 0, 0));
  EXPECT_EQ(report.find("tetrahedra")->find("count")->number, static_cast<double>(asset->tets.tets.size()));
  EXPECT_EQ(report.find("weights")->find("kkt_residual")->number, asset->certificate->kkt_residual);
  EXPECT_EQ(report.find("tetrahedra")->find("enclosed")->number, 1);
  EXPECT_GE(report.find("tetrahedra")->find("smallest_angle")->number, 8);
}

TEST_F(RigCommand, units_and_axes_reach_the_asset_and_its_handles) {
  model("box.obj", make_box({100, 40, 300}));  // centimetres, z up
  const Answer answer = run({"rig", "box.obj", "-o", "box.glb", "--unit", "cm", "--up", "z", "--handle=top=0,0,150", "--handle=-50,20,0", "--cells",
                             "8", "--handles", "4"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Result<Asset> asset = io::read_asset(scratch_ / "box.glb");
  ASSERT_TRUE(asset) << asset.error().text;
  const Bounds bounds = bounds_of(asset->surface.positions);
  EXPECT_NEAR((bounds.high - bounds.low - Vec3(1, 3, 0.4)).norm(), 0, 1e-6);
  EXPECT_NEAR((asset->handles[0].position - Vec3(0, 1.5, 0)).norm(), 0, 1e-6);
  EXPECT_NEAR((asset->handles[1].position - Vec3(-0.5, 0, -0.2)).norm(), 0, 1e-6);
}

TEST_F(RigCommand, info_measures_the_certificate_again_and_sees_when_it_is_broken) {
  model("ball.obj", make_sphere(1));
  ASSERT_EQ(run({"rig", "ball.obj", "-o", "ball.glb", "--cells", "6", "--handles", "4"}).code, 0);
  EXPECT_NE(run({"info", "ball.glb"}).out.find("it holds"), std::string::npos);
  Result<Asset> asset = io::read_asset(scratch_ / "ball.glb");
  ASSERT_TRUE(asset);
  asset->certificate->raw[17] *= 0.5;
  ASSERT_TRUE(io::write_asset(*asset, scratch_ / "changed.glb"));
  EXPECT_NE(run({"info", "changed.glb"}).out.find("DOES NOT hold"), std::string::npos);
}

TEST_F(RigCommand, bad_input_is_refused_and_leaves_no_file) {
  model("ball.obj", make_sphere(1));
  model("flat.obj", make_plane_patch({0, 1, 0}, 0, 1));
  TriMesh huge = make_sphere(1e6), tiny = make_sphere(1e-6);
  model("huge.obj", huge);
  model("tiny.obj", tiny);
  write_text(scratch_ / "empty.obj", "");
  write_text(scratch_ / "nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write_text(scratch_ / "broken.stl", "solid x\nfacet\nvertex 1 2\n");
  write_text(scratch_ / "text.ply", "hello");
  const auto rig = [&](const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"rig", file, "-o", "out.glb", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_no_asset(rig("missing.obj"), "missing.obj");
  expect_no_asset(rig("empty.obj"), "empty.obj");
  expect_no_asset(rig("nan.obj"), "nan.obj:1");
  expect_no_asset(rig("broken.stl"), "broken.stl:3");
  expect_no_asset(rig("text.ply"), "text.ply");
  expect_no_asset(rig("flat.obj"), "give it a thickness");
  expect_no_asset(rig("huge.obj"), "--unit mm");
  expect_no_asset(rig("tiny.obj"), "--unit km");
  expect_no_asset(rig("ball.obj", {"--handle", "0,9,0"}), "from the body");
  expect_no_asset(rig("ball.obj", {"--handle", "0,1,0", "--handle", "0,1.001,0", "--cells", "8"}), "same vertex");
  expect_no_asset(rig("ball.obj", {"--handle", "a=0,0"}), "three numbers");
  expect_no_asset(rig("ball.obj", {"--handle", "=0,0,0"}), "name is missing");
  expect_no_asset(rig("ball.obj", {"--handle", "a=0,0,0", "--handle", "a=0,1,0"}), "names must differ");
  expect_no_asset(rig("ball.obj", {"--handles", "0"}), "handles");
  expect_no_asset(rig("ball.obj", {"--cells", "1"}), "--cells");
  expect_no_asset(rig("ball.obj", {"--unit", "parsec"}), "parsec");
  expect_no_asset(rig("ball.obj", {"--color", "2,0,0", "--cells", "6"}), "--color");
  expect_no_asset(rig("ball.obj", {"--look", "look.jpg"}), ".png");
  expect_no_asset({"rig", "ball.obj", "-o", "out.obj"}, ".glb");
}

TEST_F(RigCommand, a_unit_that_was_named_is_believed) {
  model("tiny.obj", make_sphere(1e-6));
  EXPECT_EQ(run({"rig", "tiny.obj", "-o", "tiny.glb", "--unit", "m", "--cells", "6"}).code, 0);
  EXPECT_EQ(run({"rig", "tiny.obj", "-o", "km.glb", "--unit", "km", "--cells", "6"}).code, 0);
}

TEST_F(RigCommand, an_interrupt_leaves_no_file) {
  model("torus.obj", make_torus(1, 0.3, 300, 150));
  const Program program({"rig", "torus.obj", "-o", "torus.glb", "--cells", "60"}, scratch_.path(), scratch_);
  for (int waited = 0; waited < 500 && program.errors_so_far().empty(); ++waited) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  program.interrupt();
  EXPECT_EQ(program.wait(), 130);
  EXPECT_FALSE(fs::exists(scratch_ / "torus.glb"));
}

TEST_F(RigCommand, paint_and_material_of_a_glb_reach_the_asset) {
  model("lump.obj", make_lump(3));
  ASSERT_EQ(run({"rig", "lump.obj", "-o", "first.glb", "--cells", "6", "--color", "0,1,0"}).code, 0);
  Result<Asset> first = io::read_asset(scratch_ / "first.glb");
  ASSERT_TRUE(first);
  first->maps.push_back({"yield", std::vector<float>(first->surface.positions.size(), 2.0f)});
  first->maps.back().values[3] = 0.5f;
  ASSERT_TRUE(io::write_asset(*first, scratch_ / "painted.glb"));
  ASSERT_EQ(run({"rig", "painted.glb", "-o", "again.glb", "--cells", "6"}).code, 0);
  const Result<Asset> again = io::read_asset(scratch_ / "again.glb");
  ASSERT_TRUE(again) << again.error().text;
  ASSERT_EQ(again->maps.size(), 1u);
  EXPECT_EQ(again->maps[0].values, first->maps[0].values);
  EXPECT_EQ(again->color, Vec3f(0, 1, 0));
}

TEST_F(RigCommand, what_it_proposes_next_works_as_it_is_printed) {
  model("my box.obj", make_box({1, 0.6, 2}));
  const Answer answer = run({"rig", "my box.obj", "-o", "my box.glb", "--cells", "8", "--handles", "10"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const size_t next = answer.out.find("crumple pose 'my box.glb' --name crushed --move ");
  ASSERT_NE(next, std::string::npos) << answer.out;
  const size_t from = answer.out.rfind(' ', answer.out.find('\n', next)) + 1;
  const std::string move = answer.out.substr(from, answer.out.find('\n', from) - from);
  const Answer posed = run({"pose", "my box.glb", "--name", "crushed", "--move", move, "--no-look"});
  ASSERT_EQ(posed.code, 0) << move << posed.err;
  EXPECT_NE(posed.out.find("no tetrahedron, neither"), std::string::npos) << posed.out;
  const Result<Asset> asset = io::read_asset(scratch_ / "my box.glb");
  ASSERT_TRUE(asset);
  const auto& moved = asset->examples[1].handles;
  for (size_t h = 0; h < moved.size(); ++h) {
    const Vec3& place = asset->handles[h].position;
    const Vec3 motion = moved[h].rotation * place + moved[h].translation - place;
    if (motion.norm() < 1e-6) continue;
    EXPECT_GT(place.y(), 0.1) << "near the top";
    EXPECT_LT(motion.dot(place), 0) << "inwards";
  }
}

TEST_F(RigCommand, a_coarse_model_is_refined_with_its_paint) {
  TriMesh box = make_box({1, 1, 1});
  model("box.obj", box);
  EXPECT_NE(run({"doctor", "box.obj"}).out.find("--refine"), std::string::npos);
  const Answer coarse = run({"rig", "box.obj", "-o", "first.glb", "--cells", "6"});
  EXPECT_NE(coarse.out.find("--refine"), std::string::npos) << coarse.out;
  Result<Asset> first = io::read_asset(scratch_ / "first.glb");
  ASSERT_TRUE(first);
  first->maps.push_back({"gain", {}});
  for (const Vec3& p : first->surface.positions) first->maps[0].values.push_back(static_cast<float>(2 + p.x()));
  ASSERT_TRUE(io::write_asset(*first, scratch_ / "painted.glb"));
  const Answer refined = run({"rig", "--refine", "painted.glb", "-o", "fine.glb", "--cells", "6"});
  ASSERT_EQ(refined.code, 0) << refined.err;
  EXPECT_NE(refined.out.find("refined "), std::string::npos) << refined.out;
  ASSERT_EQ(run({"rig", "painted.glb", "--refine", "0.05", "-o", "finer.glb", "--cells", "6"}).code, 0);
  const Result<Asset> fine = io::read_asset(scratch_ / "fine.glb"), finer = io::read_asset(scratch_ / "finer.glb");
  ASSERT_TRUE(fine);
  ASSERT_TRUE(finer);
  EXPECT_GT(fine->surface.triangles.size(), 12u);
  EXPECT_GT(finer->surface.triangles.size(), 4 * fine->surface.triangles.size());
  ASSERT_EQ(finer->maps.size(), 1u);
  for (size_t v = 0; v < finer->surface.positions.size(); ++v) EXPECT_NEAR(finer->maps[0].values[v], 2 + finer->surface.positions[v].x(), 1e-5);
  expect_refusal(run({"rig", "painted.glb", "--refine", "-1", "-o", "out.glb"}));
  expect_refusal(run({"rig", "painted.glb", "--refine", "fine", "-o", "out.glb"}));
  expect_refusal(run({"rig", "--refine"}));
}

TEST_F(RigCommand, helpers_far_away_and_odd_units_are_told_by_all_commands_alike) {
  TriMesh both = make_sphere(2);
  both.groups = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"hull"});
  TriMesh cone = make_box({200, 1, 1});
  cone.groups = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"light cone"});
  append_mesh(cone, both);
  model("plane.obj", both);
  const std::string note = "crumple rig plane.obj --without light_cone";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"doctor", "plane.obj"}, {"info", "plane.obj"}, {"rig", "plane.obj", "-o", "plane.glb", "--cells", "8"}}) {
    const Answer answer = run(words);
    EXPECT_NE(answer.out.find(note), std::string::npos) << answer.out << answer.err;
    EXPECT_EQ(answer.out.find("--unit"), std::string::npos) << "four metres are fine: " << answer.out;
  }
  EXPECT_NE(write_json(*json(run({"doctor", "plane.obj", "--json"})).find("notes")).find("light_cone"), std::string::npos);
  EXPECT_EQ(run({"doctor", "plane.obj", "--without", "light_cone"}).out.find("light_cone"), std::string::npos);
  model("car.obj", make_box({427, 150, 180}));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"doctor", "car.obj"}, {"info", "car.obj"}, {"rig", "car.obj", "-o", "car.glb", "--cells", "8"}}) {
    EXPECT_NE(run(words).out.find("use --unit cm"), std::string::npos) << words[0];
  }
}

TEST_F(RigCommand, info_draws_the_handles_from_three_sides) {
  model("box.obj", make_box({1, 0.5, 2}));
  ASSERT_EQ(run({"rig", "box.obj", "-o", "box.glb", "--cells", "6", "--handles", "8"}).code, 0);
  const Answer answer = run({"info", "box.glb", "--picture", "box.png"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_GT(fs::file_size(scratch_ / "box.png"), 10000u);
}

TEST_F(DoctorCommand, tells_counts_and_places_and_writes_a_repaired_surface) {
  TriMesh ball = make_sphere(1);
  for (const size_t t : {100, 300, 500}) turn(ball.triangles[t]);
  ball.triangles.erase(ball.triangles.begin() + 700);
  model("ball.obj", ball);
  const Answer answer = run({"doctor", "ball.obj", "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json report = json(answer);
  ASSERT_TRUE(report.find("findings"));
  size_t flipped = 0, holes = 0;
  for (const Json& finding : report.find("findings")->items) {
    if (finding.find("kind")->text == "flipped_faces") flipped = static_cast<size_t>(finding.find("count")->number);
    if (finding.find("kind")->text != "hole") continue;
    ++holes;
    EXPECT_EQ(finding.find("place")->items.size(), 3u);
  }
  EXPECT_EQ(flipped, 3u);
  EXPECT_EQ(holes, 1u);
  ASSERT_EQ(run({"doctor", "ball.obj", "-o", "good.obj"}).code, 0);
  const Answer again = run({"doctor", "good.obj"});
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.out.find("nothing is wrong"), std::string::npos) << again.out;
}

TEST_F(DoctorCommand, says_with_its_exit_code_what_cannot_be_used) {
  model("flat.obj", make_plane_patch({0, 1, 0}, 0, 1));
  EXPECT_EQ(run({"doctor", "flat.obj"}).code, 2);
  const Answer refused = run({"doctor", "flat.obj", "-o", "good.obj"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_FALSE(fs::exists(scratch_ / "good.obj"));
  model("ball.obj", make_sphere(1));
  EXPECT_EQ(run({"doctor", "ball.obj", "-o", "ball.obj"}).code, 2);
  EXPECT_EQ(run({"doctor", "ball.obj", "-o", "ball.stl"}).code, 2);
  EXPECT_EQ(run({"doctor", "nothing.obj"}).code, 2);
}

TEST_F(DoctorCommand, draws_what_it_found) {
  TriMesh ball = make_sphere(1);
  ball.triangles.erase(ball.triangles.begin() + 700);
  model("ball.obj", ball);
  EXPECT_EQ(run({"doctor", "ball.obj", "--look", "ball.png"}).code, 0);
  EXPECT_GT(fs::file_size(scratch_ / "ball.png"), 10000u);
}

}  // namespace
}  // namespace crumple
