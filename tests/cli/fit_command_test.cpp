#include <gtest/gtest.h>

#include <cmath>

#include "crumple/io/asset_check.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/mesh_file.h"
#include "tests/cli/program.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

/// A bar and a twisted copy as files, in centimetres with z up.
void write_bars(const Scratch& scratch, int along) {
  TriMesh bar = io::boundary_surface(lattice_box({20, 20, 100}, 1, {4, 4, along}));
  ASSERT_TRUE(io::write_mesh(bar, scratch / "bar.obj"));
  for (Vec3& p : bar.positions) p = Eigen::AngleAxisd(0.01 * p.z(), Vec3::UnitZ()) * Vec3(p);
  ASSERT_TRUE(io::write_mesh(bar, scratch / "twisted.obj"));
}

TEST(FitCommand, makes_an_asset_from_files_and_draws_it) {
  const Scratch scratch;
  write_bars(scratch, 16);
  const Answer answer = run_program({"fit", "bar.obj", "twisted.obj", "-o", "bar.glb", "--bones", "4", "--cells", "10", "--unit", "cm", "--up", "z",
                                     "--name", "wrung", "--look", "bar.png", "--quiet"},
                                    scratch.path(), scratch);
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("4 bones, 1 examples"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("wrung"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(scratch / "bar.png"));
  const Result<Asset> asset = io::read_asset(scratch / "bar.glb");
  ASSERT_TRUE(asset) << asset.error().text;
  ASSERT_EQ(asset->examples.size(), 2u);
  EXPECT_EQ(asset->examples[1].name, "wrung");
  const Bounds bounds = bounds_of(asset->surface.positions);
  EXPECT_NEAR(bounds.high.y() - bounds.low.y(), 1.0, 1e-5);  // a metre high
  // What the asset holds is itself a file with shapes.
  const Answer again = run_program({"fit", "bar.glb", "-o", "again.glb", "--bones", "4", "--cells", "8", "--quiet"}, scratch.path(), scratch);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("wrung"), std::string::npos) << again.out;
}

TEST(FitCommand, refuses_what_it_cannot_fit_and_writes_nothing) {
  const Scratch scratch;
  write_bars(scratch, 8);
  write_text(scratch / "other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto refused = [&](std::vector<std::string> words, const std::string& message) {
    words.insert(words.begin(), "fit");
    expect_refusal(run_program(words, scratch.path(), scratch), message);
  };
  refused({"bar.obj", "other.obj", "-o", "bar.glb"}, "other.obj: has 3 vertices");
  refused({"bar.obj", "bar.obj", "-o", "bar.glb"}, "bar.obj: no example differs");
  refused({"bar.obj", "-o", "bar.glb"}, "bar.obj: give the example shapes");
  refused({"bar.obj", "nowhere.obj", "-o", "bar.glb"}, "nowhere.obj");
  refused({"bar.obj", "twisted.obj", "-o", "bar.obj"}, "bar.obj: an asset is a .glb");
  refused({"bar.obj", "twisted.obj", "-o", "bar.glb", "--bones", "0"}, "--bones");
  refused({"bar.obj", "twisted.obj", "-o", "bar.glb", "--name", "a", "--name", "b"}, "2 names are given for 1 examples");
  EXPECT_FALSE(std::filesystem::exists(scratch / "bar.glb"));
}

TEST(FitCommand, leaves_nothing_behind_when_it_is_interrupted) {
  const Scratch scratch;
  write_bars(scratch, 40);
  const Program program({"fit", "bar.obj", "twisted.obj", "-o", "bar.glb", "--cells", "24", "--bones", "64", "--json-progress"}, scratch.path(),
                        scratch);
  for (int tries = 0; tries < 3000 && program.errors_so_far().find("bones") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  program.interrupt();
  EXPECT_EQ(program.wait(), 130);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) files += entry.is_regular_file();
  EXPECT_EQ(files, 4u);  // two models, stdout and stderr
}

}  // namespace
}  // namespace crumple
