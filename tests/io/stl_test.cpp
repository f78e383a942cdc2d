#include "crumple/io/stl.h"

#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/geometry/doctor.h"
#include "crumple/geometry/winding.h"
#include "crumple/io/files.h"
#include "crumple/io/mesh_file.h"

namespace crumple::io {
namespace {

std::string binary_stl(const TriMesh& mesh, std::string header = "made by a test") {
  header.resize(80, ' ');
  const auto count = static_cast<uint32_t>(mesh.triangles.size());
  std::string bytes = header + std::string(reinterpret_cast<const char*>(&count), 4);
  for (const Triangle& triangle : mesh.triangles) {
    float numbers[12] = {};
    for (int k = 0; k < 9; ++k) numbers[3 + k] = static_cast<float>(mesh.positions[triangle[k / 3]][k % 3]);
    bytes += std::string(reinterpret_cast<const char*>(numbers), sizeof numbers) + std::string(2, '\0');
  }
  return bytes;
}

std::string text_stl(const TriMesh& mesh) {
  std::string text = "solid a thing\n";
  for (const Triangle& triangle : mesh.triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const int v : triangle)
      text += fmt::format("      vertex {} {} {:e}\n", mesh.positions[v].x(), mesh.positions[v].y(), mesh.positions[v].z());
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid a thing\n";
}

std::string complaint(const Result<TriMesh>& result) {
  return result ? "" : result.error().text;
}

TEST(Stl, text_and_binary_hold_the_same_closed_body) {
  const TriMesh ball = make_sphere(2);
  for (const std::string& bytes : {binary_stl(ball), text_stl(ball), binary_stl(ball, "solid but binary")}) {
    Result<TriMesh> mesh = parse_stl(bytes, "a.stl");
    ASSERT_TRUE(mesh) << mesh.error().text;
    EXPECT_EQ(mesh->triangles.size(), ball.triangles.size());
    EXPECT_NEAR(signed_volume(mesh->positions, mesh->triangles), signed_volume(ball.positions, ball.triangles), 1e-5);
    EXPECT_LT(mesh->positions.size(), 0.6 * static_cast<double>(mesh->triangles.size()));  // three corners a facet became about half a vertex
    EXPECT_TRUE(examine(*mesh).closed());
  }
}

TEST(Stl, a_box_keeps_its_creases_and_a_ball_has_none) {
  EXPECT_EQ(parse_stl(binary_stl(make_box({1, 2, 3})), "a.stl")->positions.size(), 24u);
  const Result<TriMesh> ball = parse_stl(binary_stl(make_sphere(1)), "a.stl");
  // Euler: a closed surface without doubled vertices has two more than half its triangles.
  EXPECT_EQ(ball->positions.size(), ball->triangles.size() / 2 + 2);
}

TEST(Stl, tells_what_is_wrong_with_broken_files) {
  const std::string whole = binary_stl(make_box({1, 1, 1}));
  EXPECT_NE(complaint(parse_stl(whole.substr(0, whole.size() - 60), "a.stl")).find("announces 12 facets but ends after 10"), std::string::npos);
  std::string huge = whole;
  std::memset(huge.data() + 80, 0xff, 4);
  EXPECT_NE(complaint(parse_stl(huge, "a.stl")).find("announces 4294967295 facets"), std::string::npos);
  EXPECT_NE(complaint(parse_stl("", "a.stl")).find("too few"), std::string::npos);
  EXPECT_NE(complaint(parse_stl("solid nothing\nendsolid\n", "a.stl")).find("no facet"), std::string::npos);
  EXPECT_NE(complaint(parse_stl("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n", "a.stl")).find("a.stl:7"),
            std::string::npos);
  EXPECT_NE(complaint(parse_stl("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 zero 0\n", "a.stl")).find("a.stl:4"), std::string::npos);
  const std::string text = text_stl(make_box({1, 1, 1}));
  EXPECT_NE(complaint(parse_stl(text.substr(0, text.size() / 2), "a.stl")), "");
}

TEST(Stl, every_cut_and_every_flipped_byte_gives_a_mesh_or_a_complaint) {
  for (const std::string& whole : {binary_stl(make_box({1, 1, 1})), text_stl(make_box({1, 1, 1}))}) {
    for (size_t i = 0; i < whole.size(); i += 7) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
      for (const Result<TriMesh>& mesh : {parse_stl(whole.substr(0, i), "a.stl"), parse_stl(flipped, "a.stl")}) {
        if (!mesh) {
          EXPECT_NE(mesh.error().text, "");
          continue;
        }
        for (const Triangle& triangle : mesh->triangles) {
          for (const int v : triangle) ASSERT_LT(static_cast<size_t>(v), mesh->positions.size());
        }
      }
    }
  }
}

TEST(Stl, numbers_that_are_none_reach_the_doctor_but_no_scene) {
  TriMesh box = make_box({1, 1, 1});
  box.positions[5].y() = std::numeric_limits<double>::quiet_NaN();
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "crumple_nan.stl";
  ASSERT_TRUE(write_file(file, binary_stl(box)));
  Result<TriMesh> model = read_model(file);
  ASSERT_TRUE(model) << model.error().text;
  EXPECT_NE(repair(*model).find(MeshFinding::Kind::NotFinite), nullptr);
  EXPECT_NE(complaint(read_mesh(file)).find("no finite place"), std::string::npos);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace crumple::io
