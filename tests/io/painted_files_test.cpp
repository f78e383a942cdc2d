// What an artist gave a surface is in the file that is written, and in what is read from it.
#include <cmath>
#include <filesystem>

#include <draco/compression/encode.h>
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include "crumple/io/files.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/io/gltf_unpack.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/mtl.h"
#include "crumple/io/obj.h"
#include "tests/cli/program.h"
#include "tests/painted_model.h"

namespace crumple::io {
namespace {

/// Corners of all triangles of a material, sorted: places, texture coordinates and normals, whatever the order of vertices.
std::vector<std::array<double, 8>> corners_of(const TriMesh& mesh, const std::string& material) {
  std::vector<std::array<double, 8>> corners;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if ((*mesh.materials)[static_cast<size_t>(mesh.material_of(t))].name != material) continue;
    for (const int c : mesh.triangles[t]) {
      const auto v = static_cast<size_t>(c);
      const Vec3& p = mesh.positions[v];
      const auto round = [](double x) { return std::round(1e5 * x) / 1e5 + 0.0; };
      corners.push_back({round(p.x()), round(p.y()), round(p.z()), round(mesh.uvs[v].x()), round(mesh.uvs[v].y()), round(mesh.normals[v].x()), round(mesh.normals[v].y()), round(mesh.normals[v].z())});
    }
  }
  std::sort(corners.begin(), corners.end());
  return corners;
}

void expect_same_model(const TriMesh& back, const TriMesh& given) {
  ASSERT_TRUE(back.materials);
  ASSERT_EQ(back.materials->size(), given.materials->size());
  ASSERT_EQ(back.normals.size(), back.positions.size());
  ASSERT_EQ(back.uvs.size(), back.positions.size());
  for (const SurfaceMaterial& material : *given.materials) {
    const auto found = std::ranges::find(*back.materials, material.name, &SurfaceMaterial::name);
    ASSERT_NE(found, back.materials->end()) << material.name;
    EXPECT_LT((found->color - material.color).norm(), 1e-5);
    EXPECT_NEAR(found->metal, material.metal, 1e-5);
    EXPECT_NEAR(found->roughness, material.roughness, 1e-5);
    EXPECT_EQ(static_cast<bool>(found->color_texture), static_cast<bool>(material.color_texture));
    if (material.color_texture) {
      EXPECT_EQ(found->color_texture.image->bytes, material.color_texture.image->bytes) << "the very file";
    }
    EXPECT_EQ(corners_of(back, material.name), corners_of(given, material.name));
  }
  ASSERT_TRUE(back.groups);
  EXPECT_EQ(*back.groups, *given.groups);
  size_t lid = 0;
  for (size_t t = 0; t < back.triangles.size(); ++t) lid += (*back.groups)[static_cast<size_t>(back.group_of(t))] == "box/lid";
  EXPECT_EQ(lid, 2u);
}

class PaintedFiles : public testing::TestWithParam<const char*> {
 protected:
  Scratch scratch;
};

TEST_P(PaintedFiles, bring_back_materials_pictures_normals_and_names) {
  const TriMesh box = painted_box();
  const std::filesystem::path file = scratch / (std::string("box") + GetParam());
  ASSERT_TRUE(write_mesh(box, file));
  std::vector<std::string> lost;
  const Result<TriMesh> back = read_mesh(file, &lost);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_TRUE(lost.empty()) << lost.front();
  expect_same_model(*back, box);
}
INSTANTIATE_TEST_SUITE_P(Formats, PaintedFiles, testing::Values(".glb", ".obj"), [](const auto& info) { return std::string(info.param + 1); });

class ModelFiles : public testing::Test {
 protected:
  Scratch scratch;
};

TEST_F(ModelFiles, what_is_missing_beside_an_obj_is_named_and_the_rest_is_read) {
  write_text(scratch / "a.obj", "mtllib a.mtl\nmtllib gone.mtl\no thing\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nusemtl unknown\nf 1 3 2\n");
  write_text(scratch / "a.mtl", "newmtl red\nKd 1 0 0\nNs 100\nd 0.5\nmap_Kd nowhere\\pictures\\red.png\nmap_Bump bump.png\n");
  std::vector<std::string> lost;
  const Result<TriMesh> mesh = read_mesh(scratch / "a.obj", &lost);
  ASSERT_TRUE(mesh) << mesh.error().text;
  ASSERT_EQ(mesh->materials->size(), 2u);
  EXPECT_EQ((*mesh->materials)[0].color, Vec3f(1, 0, 0));
  EXPECT_EQ((*mesh->materials)[0].alpha, 0.5f);
  EXPECT_EQ((*mesh->materials)[0].alpha_mode, AlphaMode::Blend);
  EXPECT_NEAR((*mesh->materials)[0].roughness, 1 - std::sqrt(0.1), 1e-6);
  EXPECT_EQ((*mesh->materials)[1].name, "unknown");
  const auto says = [&](const char* what) { return std::ranges::any_of(lost, [&](const std::string& each) { return each.find(what) != std::string::npos; }); };
  EXPECT_TRUE(says("gone.mtl"));
  EXPECT_TRUE(says("red.png"));
  EXPECT_TRUE(says("map_Bump of material \"red\""));
  EXPECT_TRUE(says("the look of material \"unknown\""));
}

TEST_F(ModelFiles, the_only_material_of_a_file_is_that_of_the_only_one_named) {
  write_text(scratch / "a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl old_name\nf 1 2 3\n");
  write_text(scratch / "a.mtl", "newmtl new_name\nKd 1 0 0\n");
  std::vector<std::string> lost;
  const Result<TriMesh> mesh = read_mesh(scratch / "a.obj", &lost);
  ASSERT_TRUE(mesh) << mesh.error().text;
  EXPECT_EQ((*mesh->materials)[0].color, Vec3f(1, 0, 0));
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(lost[0].find("\"old_name\""), std::string::npos);
}

TEST_F(ModelFiles, materials_never_reach_out_of_their_folder) {
  std::filesystem::create_directories(scratch / "in");
  ASSERT_TRUE(write_file(scratch / "secret.png", four_fields()->bytes));
  write_text(scratch / "in/a.mtl", "newmtl red\nmap_Kd ../secret.png\nnewmtl two\nmap_Kd " + (scratch / "secret.png").string() + "\n");
  std::vector<std::string> lost;
  const Result<Materials> materials = parse_mtl(*read_file(scratch / "in/a.mtl"), "a.mtl", scratch / "in", lost);
  ASSERT_TRUE(materials) << materials.error().text;
  for (const SurfaceMaterial& material : *materials) EXPECT_FALSE(material.color_texture);
  EXPECT_EQ(lost.size(), 2u);
}

TEST_F(ModelFiles, names_in_latin_1_are_those_that_json_can_hold) {
  write_text(scratch / "a.obj", "mtllib a.mtl\no Stra\xDF" "e\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl gr\xFCn\nf 1 2 3\n");
  write_text(scratch / "a.mtl", "newmtl gr\xFCn\nKd 0 1 0\n");
  const Result<TriMesh> mesh = read_mesh(scratch / "a.obj");
  ASSERT_TRUE(mesh) << mesh.error().text;
  ASSERT_EQ(mesh->materials->size(), 1u);
  EXPECT_EQ((*mesh->materials)[0].name, "gr\xC3\xBCn");
  EXPECT_EQ((*mesh->materials)[0].color, Vec3f(0, 1, 0));
  EXPECT_EQ((*mesh->groups)[0], "Stra\xC3\x9F" "e");
}

TEST_F(ModelFiles, wrong_numbers_in_materials_are_named_with_their_line) {
  std::vector<std::string> lost;
  const Result<Materials> materials = parse_mtl("newmtl a\nKd 1 0 zero\n", "a.mtl", scratch.path(), lost);
  ASSERT_FALSE(materials);
  EXPECT_NE(materials.error().text.find("a.mtl:2"), std::string::npos) << materials.error().text;
}

// Compressed files

/// The surface of a document that was written and unpacked.
Result<TriMesh> unpacked_surface(const GltfDocument& document) {
  Result<std::string> bytes = write_glb(document);
  if (!bytes) return bytes.error();
  Result<GltfDocument> parsed = parse_glb(*bytes, "packed.glb");
  if (!parsed) return parsed.error();
  if (const Result<void> plain = unpack(*parsed); !plain) return plain.error();
  Result<GltfScene> scene = GltfScene::open(*parsed);
  if (!scene) return scene.error();
  return gather_surface(*scene, Eigen::Affine3d::Identity());
}

size_t add_view(GltfDocument& document, std::string_view bytes) {
  while (document.buffer.size() % 4 != 0) document.buffer.push_back(std::byte{0});
  const size_t begin = document.buffer.size();
  for (const char c : bytes) document.buffer.push_back(static_cast<std::byte>(c));
  document.json["bufferViews"].push(Json::object({{"buffer", 0}, {"byteOffset", begin}, {"byteLength", bytes.size()}}));
  document.json["buffers"] = Json::array({Json::object({{"byteLength", document.buffer.size()}})});
  return document.json["bufferViews"].items.size() - 1;
}

/// A sphere as one mesh, with room for bytes that say the same in another way.
GltfDocument sphere_document(const TriMesh& sphere) {
  GltfBuilder builder("test");
  std::vector<Vec3f> positions;
  for (const Vec3& p : sphere.positions) positions.push_back(p.cast<float>());
  Json primitive = Json::object({{"attributes", Json::object({{"POSITION", builder.add_positions(positions)}})}, {"indices", builder.add_triangles(sphere.triangles)}});
  builder.add("meshes", Json::object({{"primitives", Json::array({std::move(primitive)})}}));
  builder.add("nodes", Json::object({{"mesh", 0}}));
  builder.add("scenes", Json::object({{"nodes", Json::array({0})}}));
  return std::move(builder).finish();
}

GltfDocument draco_document(const TriMesh& sphere) {
  draco::Mesh mesh;
  mesh.set_num_points(static_cast<uint32_t>(sphere.positions.size()));
  draco::GeometryAttribute attribute;
  attribute.Init(draco::GeometryAttribute::POSITION, nullptr, 3, draco::DT_FLOAT32, false, 12, 0);
  const int id = mesh.AddAttribute(attribute, true, static_cast<uint32_t>(sphere.positions.size()));
  for (uint32_t v = 0; v < sphere.positions.size(); ++v) {
    const Vec3f p = sphere.positions[v].cast<float>();
    mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(v), p.data());
  }
  for (const auto& [a, b, c] : sphere.triangles) mesh.AddFace({draco::PointIndex(static_cast<uint32_t>(a)), draco::PointIndex(static_cast<uint32_t>(b)), draco::PointIndex(static_cast<uint32_t>(c))});
  draco::Encoder encoder;
  draco::EncoderBuffer packed;
  EXPECT_TRUE(encoder.EncodeMeshToBuffer(mesh, &packed).ok());
  GltfDocument document = sphere_document(sphere);
  const size_t view = add_view(document, {packed.data(), packed.size()});
  Json extension = Json::object({{"bufferView", view}, {"attributes", Json::object({{"POSITION", static_cast<int>(mesh.attribute(id)->unique_id())}})}});
  document.json["meshes"].items[0]["primitives"].items[0]["extensions"]["KHR_draco_mesh_compression"] = std::move(extension);
  for (const char* key : {"extensionsUsed", "extensionsRequired"}) document.json[key] = Json::array({"KHR_draco_mesh_compression"});
  return document;
}

GltfDocument meshopt_document(const TriMesh& sphere) {
  GltfDocument document = sphere_document(sphere);
  std::vector<Vec3f> positions;
  for (const Vec3& p : sphere.positions) positions.push_back(p.cast<float>());
  std::string packed(meshopt_encodeVertexBufferBound(positions.size(), 12), '\0');
  packed.resize(meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(packed.data()), packed.size(), positions.data(), positions.size(), 12));
  const size_t view = add_view(document, packed);
  const Json& stored = document.json["bufferViews"].items[view];
  Json extension = Json::object({{"buffer", 0}, {"byteOffset", *stored.find("byteOffset")}, {"byteLength", packed.size()}, {"byteStride", 12}, {"count", positions.size()}, {"mode", "ATTRIBUTES"}});
  Json& original = document.json["bufferViews"].items[0];  // of the positions; its own bytes say something else
  const auto begin = static_cast<size_t>(original.find("byteOffset") ? original.find("byteOffset")->number : 0);
  std::fill_n(document.buffer.begin() + static_cast<std::ptrdiff_t>(begin), 12 * positions.size(), std::byte{0});
  original["extensions"]["EXT_meshopt_compression"] = std::move(extension);
  for (const char* key : {"extensionsUsed", "extensionsRequired"}) document.json[key] = Json::array({"EXT_meshopt_compression"});
  return document;
}

TEST(PackedModels, draco_is_unpacked) {
  const TriMesh sphere = make_sphere(0.5);
  const Result<TriMesh> back = unpacked_surface(draco_document(sphere));
  ASSERT_TRUE(back) << back.error().text;
  ASSERT_EQ(back->triangles.size(), sphere.triangles.size());
  for (const Vec3& p : back->positions) EXPECT_NEAR(p.norm(), 0.5, 1e-5);
  EXPECT_NEAR(bounds_of(back->positions).diagonal(), bounds_of(sphere.positions).diagonal(), 1e-5);
}

TEST(PackedModels, meshopt_is_unpacked) {
  const TriMesh sphere = make_sphere(0.5);
  const Result<TriMesh> back = unpacked_surface(meshopt_document(sphere));
  ASSERT_TRUE(back) << back.error().text;
  ASSERT_EQ(back->positions.size(), sphere.positions.size());
  EXPECT_EQ(back->triangles, sphere.triangles);
  for (size_t v = 0; v < sphere.positions.size(); ++v) EXPECT_LT((back->positions[v] - sphere.positions[v]).norm(), 1e-7);
}

TEST(PackedModels, damage_is_an_error_and_nothing_worse) {
  const TriMesh sphere = make_sphere(0.5);
  for (const GltfDocument& good : {draco_document(sphere), meshopt_document(sphere)}) {
    const Json& last = good.json.find("bufferViews")->items.back();
    const auto begin = static_cast<size_t>(last.find("byteOffset")->number), size = static_cast<size_t>(last.find("byteLength")->number);
    for (size_t k = 0; k < 60; ++k) {
      GltfDocument broken = good;
      broken.buffer[begin + k * size / 60] ^= std::byte{0x5a};
      const Result<TriMesh> surface = unpacked_surface(broken);
      EXPECT_TRUE(surface || surface.error().kind == Error::Kind::Input);
    }
  }
}

TEST(PackedModels, lies_about_sizes_are_refused) {
  for (const auto& [key, value] : std::vector<std::pair<const char*, double>>{{"count", 4e9}, {"byteStride", 0}, {"byteStride", 5000}, {"byteLength", 1e12}, {"byteOffset", 1e12}}) {
    GltfDocument document = meshopt_document(make_sphere(0.5));
    document.json["bufferViews"].items[0]["extensions"]["EXT_meshopt_compression"][key] = value;
    EXPECT_FALSE(unpacked_surface(document)) << key;
  }
}

}  // namespace
}  // namespace crumple::io
