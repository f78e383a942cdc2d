#include "crumple/io/mesh_file.h"

#include <gtest/gtest.h>

#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/obj.h"
#include "crumple/io/ply.h"
#include "tests/authors_data.h"
#include "tests/io/asset_samples.h"

namespace crumple::io {
namespace {

TriMesh colored_box() {
  TriMesh mesh = make_box({1, 2, 3});
  for (const Vec3& point : mesh.positions) {
    mesh.uvs.emplace_back(static_cast<float>(point.x()) + 0.5f, 0.25f);
    mesh.colors.push_back(point.x() > 0 ? Vec3f(1, 0, 0.2f) : Vec3f(0, 0.5f, 1));
  }
  return mesh;
}

template <class Mesh>
std::string complaint(const Result<Mesh>& result) {
  return result ? "" : result.error().text;
}

TEST(Obj, reads_polygons_as_fans) {
  const Result<TriMesh> mesh = parse_obj("# a quad\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "a.obj");
  ASSERT_TRUE(mesh) << mesh.error().text;
  EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Obj, counts_negative_indices_from_the_latest) {
  const Result<TriMesh> mesh = parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 5 5 5\nf -1 1 2", "a.obj");
  ASSERT_TRUE(mesh) << mesh.error().text;
  EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 0, 1}}));
}

TEST(Obj, doubles_vertices_along_seams_and_creases) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0.25\nvn 0 0 1\nvn 0 0 1\nvn 0 1 0\n";
  const Result<TriMesh> seam = parse_obj(points + "f 1/1 2/1 3/1\nf 1/2 3/1 4/1\n", "a.obj");
  ASSERT_TRUE(seam) << seam.error().text;
  EXPECT_EQ(seam->positions.size(), 5u);
  EXPECT_EQ(seam->uvs[3], Vec2f(1, 0.75f));
  EXPECT_EQ(parse_obj(points + "f 1//1 2//1 3//1\nf 1//2 3//2 4//2\n", "a.obj")->positions.size(), 4u);  // equal normals: smooth
  EXPECT_EQ(parse_obj(points + "f 1//1 2//1 3//1\nf 1//3 3//3 4//3\n", "a.obj")->positions.size(), 6u);  // a crease
}

TEST(Obj, writes_what_it_reads) {
  const TriMesh box = colored_box();
  const Result<TriMesh> back = parse_obj(write_obj(box), "a.obj");
  ASSERT_TRUE(back) << back.error().text;
  ASSERT_EQ(back->triangles.size(), box.triangles.size());
  for (size_t t = 0; t < box.triangles.size(); ++t) {
    for (size_t k = 0; k < 3; ++k) {
      const auto before = static_cast<size_t>(box.triangles[t][k]), after = static_cast<size_t>(back->triangles[t][k]);
      EXPECT_EQ(back->positions[after], box.positions[before]);
      EXPECT_EQ(back->uvs[after], box.uvs[before]);
    }
  }
}

TEST(Obj, keeps_colours_if_every_vertex_has_one) {
  const char* faces = "f 1 2 3\n";
  Result<TriMesh> all = parse_obj(std::string("v 0 0 0 1 0 0.5\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\n") + faces, "a.obj");
  ASSERT_TRUE(all) << all.error().text;
  ASSERT_EQ(all->colors.size(), 3u);
  EXPECT_NEAR(all->colors[0].z(), 0.2140, 1e-4);  // half of a screen's range is a fifth of its light
  Result<TriMesh> again = parse_obj(write_obj(*all), "b.obj");
  ASSERT_TRUE(again) << again.error().text;
  ASSERT_EQ(again->colors.size(), 3u);
  EXPECT_LT((again->colors[0] - all->colors[0]).norm(), 1e-3f);
  Result<TriMesh> some = parse_obj(std::string("v 0 0 0 1 0 0.5\nv 1 0 0\nv 0 1 0 1\n") + faces, "c.obj");
  ASSERT_TRUE(some) << some.error().text;
  EXPECT_TRUE(some->colors.empty());
  EXPECT_FALSE(parse_obj(std::string("v 0 0 0 1 0 red\n") + faces, "d.obj"));
}

TEST(Obj, takes_numbers_too_small_to_hold_as_zero) {
  const Result<TriMesh> mesh = parse_obj("v 1e-999 +2 -3E-999\nf 1 1 1\n", "a.obj");
  ASSERT_TRUE(mesh) << mesh.error().text;
  EXPECT_EQ(mesh->positions[0], Vec3(0, 2, 0));
}

TEST(Obj, says_what_is_wrong_and_where) {
  EXPECT_EQ(complaint(parse_obj("v 0 0 0\nv 1 0 nan\n", "a.obj")), "a.obj:2: z should be a finite number, but is \"nan\"");
  EXPECT_EQ(complaint(parse_obj("v 0 0\n", "a.obj")), "a.obj:1: z is missing");
  EXPECT_NE(complaint(parse_obj("v 0 0 0\nf 1 1 2\n", "a.obj")).find("a.obj:2: vertex should be"), std::string::npos);
  EXPECT_NE(complaint(parse_obj("v 0 0 0\nf 0 1 1\n", "a.obj")).find("counted from 1"), std::string::npos);
  EXPECT_NE(complaint(parse_obj("v 0 0 0\nf 1 1\n", "a.obj")).find("three corners"), std::string::npos);
  EXPECT_NE(complaint(parse_obj("v 0 0 0\nf 1/1 1 1\n", "a.obj")).find("texture coordinate"), std::string::npos);
  EXPECT_NE(complaint(parse_obj("v 0 0 0\nf 1//7 1 1\n", "a.obj")).find("normal"), std::string::npos);
  EXPECT_NE(complaint(parse_obj("v 0 0 0\nf 99999999999999999999 1 1\n", "a.obj")), "");
  EXPECT_NE(complaint(parse_obj("v 1e999 0 0\n", "a.obj")), "");
  EXPECT_NE(complaint(parse_obj("", "a.obj")).find("no faces"), std::string::npos);
}

TEST(Ply, writes_what_it_reads) {
  const TriMesh box = colored_box();
  const Result<TriMesh> back = parse_ply(write_ply(box), "a.ply");
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->positions, box.positions);
  EXPECT_EQ(back->triangles, box.triangles);
  EXPECT_EQ(back->uvs, box.uvs);
  for (size_t i = 0; i < box.colors.size(); ++i) EXPECT_LT((back->colors[i] - box.colors[i]).cwiseAbs().maxCoeff(), 0.005f);
}

TEST(Ply, reads_text_with_other_elements) {
  const Result<TriMesh> mesh = parse_ply(
      "ply\nformat ascii 1.0\ncomment made by hand\nelement note 1\nproperty list uchar int words\nelement vertex 4\nproperty double x\n"
      "property double y\nproperty double z\nelement face 1\nproperty uchar flag\nproperty list uchar int vertex_indices\nend_header\n"
      "2 7 8\n0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n9 4 0 1 2 3\n",
      "a.ply");
  ASSERT_TRUE(mesh) << mesh.error().text;
  EXPECT_EQ(mesh->positions[3], Vec3(0, 1, 0.5));
  EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Ply, fails_well_when_cut_off_or_changed_anywhere) {
  const std::string bytes = write_ply(colored_box());
  for (size_t length = 0; length < bytes.size(); length += 7) EXPECT_FALSE(parse_ply(bytes.substr(0, length), "a.ply")) << length;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x85);
    (void)parse_ply(changed, "a.ply");
  }
}

TEST(Ply, says_what_is_wrong) {
  const std::string head = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  EXPECT_EQ(complaint(parse_ply(head + faces + "0 0 0\n3 0 0 1\n", "a.ply")), "a.ply: a face asks for vertex 1, but there are 1");
  EXPECT_NE(complaint(parse_ply(head + faces + "0 0 nan\n3 0 0 0\n", "a.ply")).find("finite"), std::string::npos);
  EXPECT_NE(complaint(parse_ply(head + faces + "0 0 0\n2 0 0\n", "a.ply")).find("fewer than three"), std::string::npos);
  EXPECT_NE(complaint(parse_ply(head + faces + "0 0 0\n3 0 0 -1\n", "a.ply")).find("impossible"), std::string::npos);
  EXPECT_NE(complaint(parse_ply(head + faces + "0 0 0\n4000000000 0 0\n", "a.ply")).find("impossible length"), std::string::npos);
  EXPECT_NE(
      complaint(parse_ply(head + "element face 2000000000\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n", "a.ply")).find("no room"),
      std::string::npos);
  EXPECT_NE(complaint(parse_ply("ply\nformat binary_big_endian 1.0\nend_header\n", "a.ply")).find("binary_little_endian"), std::string::npos);
  EXPECT_NE(complaint(parse_ply("solid\n", "a.ply")).find("not a PLY file"), std::string::npos);
  EXPECT_NE(complaint(parse_ply("ply\nformat ascii 1.0\nend_header\n", "a.ply")).find("no faces"), std::string::npos);
}

TEST(MeshFile, chooses_the_format_by_extension) {
  const std::filesystem::path folder = testing::TempDir();
  const TriMesh box = make_box({1, 1, 1});
  for (const MeshFormat& format : mesh_formats()) {
    if (!format.writes) continue;
    const std::filesystem::path file = folder / ("mesh_file_test" + std::string(format.extension));
    ASSERT_TRUE(write_mesh(box, file));
    const Result<TriMesh> back = read_mesh(file);
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->triangles, box.triangles);
  }
  EXPECT_EQ(complaint(read_mesh("car.fbx")), "car.fbx: \".fbx\" is no format of surfaces that can be read; use one of .obj, .ply, .stl, .glb, .gltf");
  EXPECT_NE(complaint(read_mesh("missing.obj")).find("no such file"), std::string::npos);
  EXPECT_FALSE(write_mesh(box, folder / "box.stl"));
}

TEST(MeshFile, reads_the_surface_of_an_asset) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "mesh_file_test.glb";
  const Asset asset = sample_asset();
  ASSERT_TRUE(write_asset(asset, file));
  const Result<TriMesh> surface = read_mesh(file);
  ASSERT_TRUE(surface) << surface.error().text;
  EXPECT_EQ(surface->triangles, asset.surface.triangles);
}

TEST(MeshFile, reads_the_authors_surfaces) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  EXPECT_TRUE(read_mesh(*data / "examples" / "pipe.obj"));
  EXPECT_TRUE(read_mesh(*data / "examples" / "tieFighter2" / "clippingTriangles.2.ply"));
}

}  // namespace
}  // namespace crumple::io
