#include "crumple/io/gltf_materials.h"

#include <cstring>
#include <filesystem>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/gltf_flat.h"
#include "crumple/io/image.h"
#include "crumple/io/mesh_file.h"
#include "crumple/rig/make_flat.h"
#include "tests/io/asset_samples.h"

namespace crumple::io {
namespace {

std::shared_ptr<const TextureImage> texture_image(const std::string& name, uint8_t red) {
  Picture picture(3, 2);
  for (size_t i = 0; i < picture.rgba.size(); ++i) picture.rgba[i] = static_cast<uint8_t>(i % 4 == 0 ? red : i * 9);
  auto image = std::make_shared<TextureImage>();
  image->name = name, image->mime = "image/png", image->bytes = *encode_png(picture), image->picture = std::make_shared<const Picture>(std::move(picture));
  return image;
}

/// Two materials that differ in everything a material has.
Materials two_materials() {
  const auto wood = texture_image("wood", 200), bumps = texture_image("bumps", 10);
  SurfaceMaterial full;
  full.name = "full", full.color = {0.25f, 0.5f, 0.75f}, full.alpha = 0.125f, full.metal = 0.5, full.roughness = 0.25, full.emissive = {0.5f, 0, 1};
  full.color_texture = {wood, TextureWrap::Clamp, TextureWrap::Mirror, false};
  full.metal_texture = {bumps, TextureWrap::Repeat, TextureWrap::Clamp, true};
  full.normal_texture = {bumps, TextureWrap::Mirror, TextureWrap::Repeat, false};
  full.emissive_texture = {wood, TextureWrap::Clamp, TextureWrap::Mirror, false};  // as the colour's
  full.occlusion_texture = {wood, TextureWrap::Repeat, TextureWrap::Repeat, true};
  full.normal_scale = 0.75f, full.alpha_mode = AlphaMode::Mask, full.cutoff = 0.25f, full.double_sided = true;
  SurfaceMaterial sheet;
  sheet.name = "sheet", sheet.alpha_mode = AlphaMode::Blend, sheet.unlit = true, sheet.metal = 0;
  sheet.color_texture = full.color_texture;
  return {full, sheet};
}

void expect_same(const Texture& a, const Texture& b) {
  ASSERT_EQ(static_cast<bool>(a), static_cast<bool>(b));
  if (!a) return;
  EXPECT_EQ(a.wrap_u, b.wrap_u);
  EXPECT_EQ(a.wrap_v, b.wrap_v);
  EXPECT_EQ(a.nearest, b.nearest);
  EXPECT_EQ(a.image->name, b.image->name);
  EXPECT_EQ(a.image->mime, b.image->mime);
  EXPECT_EQ(a.image->bytes, b.image->bytes) << "the artist's file, byte for byte";
  ASSERT_TRUE(b.image->picture);
  EXPECT_EQ(*a.image->picture, *b.image->picture);
}

void expect_same(const SurfaceMaterial& a, const SurfaceMaterial& b) {
  SCOPED_TRACE(a.name);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.color, b.color);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(a.metal, b.metal);
  EXPECT_EQ(a.roughness, b.roughness);
  EXPECT_EQ(a.emissive, b.emissive);
  EXPECT_EQ(a.normal_scale, b.normal_scale);
  EXPECT_EQ(a.alpha_mode, b.alpha_mode);
  EXPECT_EQ(a.cutoff, b.cutoff);
  EXPECT_EQ(a.double_sided, b.double_sided);
  EXPECT_EQ(a.unlit, b.unlit);
  expect_same(a.color_texture, b.color_texture);
  expect_same(a.metal_texture, b.metal_texture);
  expect_same(a.normal_texture, b.normal_texture);
  expect_same(a.emissive_texture, b.emissive_texture);
  expect_same(a.occlusion_texture, b.occlusion_texture);
}

GltfDocument material_document(const Materials& materials = two_materials()) {
  GltfBuilder builder("test");
  add_materials(materials, builder);
  GltfDocument document = std::move(builder).finish();
  document.name = "cat.glb";
  return document;
}

std::string material_complaint(const GltfDocument& document) {
  const Result<Materials> materials = read_materials(document);
  return materials ? "" : materials.error().text;
}

TEST(MaterialFile, keeps_everything_a_material_has) {
  const Materials materials = two_materials();
  const Result<Materials> back = read_materials(material_document(materials));
  ASSERT_TRUE(back) << back.error().text;
  ASSERT_EQ(back->size(), 2u);
  for (size_t m = 0; m < 2; ++m) expect_same(materials[m], (*back)[m]);
}

TEST(MaterialFile, writes_each_picture_texture_and_sampler_once) {
  const GltfDocument document = material_document();
  EXPECT_EQ(gltf_count(document, "images"), 2u);
  EXPECT_EQ(gltf_count(document, "textures"), 4u);
  EXPECT_EQ(gltf_count(document, "samplers"), 4u);
  const Result<Materials> back = read_materials(document);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ((*back)[0].color_texture.image, (*back)[1].color_texture.image) << "and holds it once";
}

TEST(MaterialFile, what_is_left_out_is_what_the_format_says) {
  GltfDocument document = material_document({});
  document.json["materials"] = Json::array({Json::object(), Json::object({{"pbrMetallicRoughness", Json::object({{"baseColorFactor", Json::array({0.5, 2.0, -1.0, 0.5})}})}})});
  const Result<Materials> materials = read_materials(document);
  ASSERT_TRUE(materials) << materials.error().text;
  const SurfaceMaterial& plain = (*materials)[0];
  EXPECT_EQ(plain.name, "material 0");
  EXPECT_EQ(plain.color, Vec3f(1, 1, 1));
  EXPECT_EQ(plain.alpha, 1);
  EXPECT_EQ(plain.metal, 1);
  EXPECT_EQ(plain.roughness, 1);
  EXPECT_EQ(plain.alpha_mode, AlphaMode::Opaque);
  EXPECT_EQ(plain.cutoff, 0.5f);
  EXPECT_TRUE(is_plain(plain));
  EXPECT_EQ((*materials)[1].color, Vec3f(0.5f, 1, 0)) << "colours lie between 0 and 1";
  EXPECT_EQ((*materials)[1].alpha, 0.5f);
  document = material_document();
  document.json["textures"].items[0].members.clear();
  document.json["textures"].items[0] = Json::object({{"source", 0}});
  EXPECT_EQ((*read_materials(document))[0].color_texture.wrap_u, TextureWrap::Repeat) << "of a texture without a sampler";
}

TEST(MaterialFile, asset_keeps_materials_of_its_triangles_and_texture_coordinates) {
  Asset asset = sample_asset();
  asset.surface.materials = std::make_shared<const Materials>(two_materials());
  const size_t count = asset.surface.triangles.size();
  for (size_t t = 0; t < count; ++t) asset.surface.material.push_back(t < count / 3 ? 0 : 1);  // primitives are written one material after another
  const Result<Asset> back = asset_from_gltf(document_of(asset));
  ASSERT_TRUE(back) << back.error().text;
  ASSERT_TRUE(back->surface.materials);
  ASSERT_EQ(back->surface.materials->size(), 2u);
  for (size_t m = 0; m < 2; ++m) expect_same((*asset.surface.materials)[m], (*back->surface.materials)[m]);
  ASSERT_EQ(back->surface.triangles.size(), count);
  for (size_t t = 0; t < count; ++t) {
    EXPECT_EQ(back->surface.material_of(t), asset.surface.material_of(t));
    for (size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<size_t>(asset.surface.triangles[t][k]), b = static_cast<size_t>(back->surface.triangles[t][k]);
      EXPECT_LT((asset.surface.positions[a] - back->surface.positions[b]).norm(), 1e-6);
      EXPECT_EQ(asset.surface.uvs[a], back->surface.uvs[b]);
    }
  }
}

TEST(MaterialFile, asset_of_several_materials_does_not_grow_when_it_is_written_again) {
  Asset asset = sample_asset();
  asset.surface.materials = std::make_shared<const Materials>(two_materials());
  std::set<std::pair<int, int>> vertices;  // of each material
  for (size_t t = 0; t < asset.surface.triangles.size(); ++t) {
    asset.surface.material.push_back(t < 10 ? 1 : 0);
    for (const int v : asset.surface.triangles[t]) vertices.emplace(asset.surface.material[t], v);
  }
  asset.maps = {{"yield", {}}};
  for (const Vec3& p : asset.surface.positions) asset.maps[0].values.push_back(static_cast<float>(1 + p.x()));
  const Asset once = *asset_from_gltf(document_of(asset)), twice = *asset_from_gltf(document_of(once));
  EXPECT_EQ(once.surface.positions.size(), vertices.size()) << "along the seam they are doubled once";
  EXPECT_EQ(twice.surface.positions, once.surface.positions);
  EXPECT_EQ(twice.surface.triangles, once.surface.triangles);
  ASSERT_EQ(twice.maps.size(), 1u);
  for (size_t v = 0; v < twice.surface.positions.size(); ++v) EXPECT_NEAR(twice.maps[0].values[v], 1 + twice.surface.positions[v].x(), 1e-6) << "paint stays on its vertices";
}

TEST(MaterialFile, a_surface_takes_only_the_materials_it_uses) {
  Materials all = two_materials();
  all.insert(all.begin() + 1, SurfaceMaterial());
  TriMesh surface;
  surface.triangles.resize(4);
  surface.material = {2, 2, 0, 9};  // 9: of none, which looks as the format says
  attach_materials(all, surface);
  ASSERT_TRUE(surface.materials);
  ASSERT_EQ(surface.materials->size(), 3u);
  EXPECT_EQ((*surface.materials)[0].name, "sheet");
  EXPECT_EQ((*surface.materials)[1].name, "full");
  EXPECT_EQ((*surface.materials)[2].name, "default");
  EXPECT_EQ(surface.material, (std::vector<uint16_t>{0, 0, 1, 2}));
  surface.material = {1, 1, 1, 1};
  attach_materials(all, surface);
  ASSERT_TRUE(surface.materials);
  EXPECT_EQ(surface.materials->size(), 1u);
  EXPECT_TRUE(surface.material.empty());
  surface.material = {9, 9, 9, 9};
  attach_materials(all, surface);
  EXPECT_FALSE(surface.materials) << "a surface without materials has none, not a default one";
  surface.material = {0, 0, 0, 0};
  attach_materials(all, surface);
  ASSERT_TRUE(surface.materials);
  EXPECT_EQ((*surface.materials)[0].name, "full");
  EXPECT_TRUE(surface.material.empty());
}

TEST(MaterialFile, wrong_references_are_refused) {
  const std::pair<std::function<void(Json&)>, const char*> cases[] = {
      {[](Json& json) { json["materials"].items[0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] = 99; }, "99"},
      {[](Json& json) { json["materials"].items[0]["normalTexture"]["index"] = -1; }, "/materials/0/normalTexture"},
      {[](Json& json) { json["materials"].items[0]["occlusionTexture"] = Json::object(); }, "/materials/0/occlusionTexture"},
      {[](Json& json) { json["materials"].items[0]["emissiveTexture"]["index"] = "x"; }, "/materials/0/emissiveTexture"},
      {[](Json& json) { json["textures"].items[0]["source"] = 99; }, "99"},
      {[](Json& json) { json["textures"].items[0]["source"] = 0.5; }, "/textures/0"},
      {[](Json& json) { json["textures"].items[0]["sampler"] = 99; }, "99"},
      {[](Json& json) { json["images"].items[0]["bufferView"] = 99; }, "99"},
      {[](Json& json) { json["images"].items[0] = Json::object(); }, "/images/0"},
      {[](Json& json) { json["bufferViews"].items[0]["byteLength"] = 1e9; }, "bufferViews/0"},
  };
  for (size_t c = 0; c < std::size(cases); ++c) {
    SCOPED_TRACE(c);
    GltfDocument document = material_document();
    cases[c].first(document.json);
    const std::string text = material_complaint(document);
    EXPECT_EQ(text.rfind("cat.glb: ", 0), 0u) << text;
    EXPECT_NE(text.find(cases[c].second), std::string::npos) << text;
  }
}

TEST(MaterialFile, a_picture_that_is_not_there_is_left_out) {
  for (const char* uri : {"missing.png", "data:image/png;base64,!!!", "data:image/png,no", "../secret.png", "/etc/passwd", ""}) {
    GltfDocument document = material_document();
    document.json["images"].items[0] = Json::object({{"uri", uri}});
    const Result<Materials> materials = read_materials(document);
    ASSERT_TRUE(materials) << uri << ": " << materials.error().text;
    EXPECT_FALSE((*materials)[0].color_texture) << uri;
    EXPECT_TRUE((*materials)[0].normal_texture) << "the other one stays";
  }
  GltfDocument document = material_document();
  document.json["textures"].items[0] = Json::object({{"extensions", Json::object()}});
  EXPECT_FALSE((*read_materials(document))[0].color_texture) << "of a texture that only an extension knows";
}

TEST(MaterialFile, a_picture_that_cannot_be_decoded_keeps_its_bytes) {
  GltfDocument document = material_document();
  std::fill(document.buffer.begin(), document.buffer.end(), std::byte{7});
  const Result<Materials> materials = read_materials(document);
  ASSERT_TRUE(materials) << materials.error().text;
  ASSERT_TRUE((*materials)[0].color_texture);
  EXPECT_FALSE((*materials)[0].color_texture.image->picture);
  EXPECT_EQ((*materials)[0].color_texture.image->bytes.front(), 7);
}

TEST(MaterialFile, pictures_are_read_from_files_and_from_data) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / fmt::format("crumple_materials_{}", getpid());
  std::filesystem::create_directories(folder);
  const auto wood = texture_image("wood", 200);
  ASSERT_TRUE(write_file(folder / "my wood.png", wood->bytes));
  GltfDocument document = material_document();
  document.folder = folder;
  document.json["images"].items[0] = Json::object({{"uri", "my%20wood.png"}});
  // One pixel, red with half of its alpha.
  document.json["images"].items[1] =
      Json::object({{"uri", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DQAAAEgQGALFXOsAAAAABJRU5ErkJggg=="}});
  const Result<Materials> materials = read_materials(document);
  ASSERT_TRUE(materials) << materials.error().text;
  EXPECT_EQ((*materials)[0].color_texture.image->bytes, wood->bytes);
  EXPECT_EQ((*materials)[0].color_texture.image->mime, "image/png");
  ASSERT_TRUE((*materials)[0].normal_texture);
  ASSERT_TRUE((*materials)[0].normal_texture.image->picture);
  EXPECT_EQ((*materials)[0].normal_texture.image->picture->rgba, (std::vector<uint8_t>{255, 0, 0, 128}));
  std::filesystem::remove_all(folder);
}

/// A body and an arm pinned to it, with a pose that moves, turns and stretches.
Asset sample_drawing() {
  const auto layer = [](const std::string& name, int left, int right) {
    Picture picture(120, 60);
    for (int y = 10; y < 50; ++y) {
      for (int x = left; x < right; ++x) picture.pixel(x, y)[0] = static_cast<uint8_t>(2 * x), picture.pixel(x, y)[3] = 255;
    }
    auto image = std::make_shared<TextureImage>();
    image->name = name, image->mime = "image/png", image->bytes = *encode_png(picture), image->picture = std::make_shared<const Picture>(std::move(picture));
    return FlatLayer{name, image};
  };
  FlatSettings settings;
  settings.handles = {{"hip", {20, 30}, {}, ""}, {"chest", {60, 30}, {}, "body"}, {"hand", {110, 30}, {}, ""}};
  settings.pins = {{"shoulder", {70, 30}, "arm", "body"}};
  FlatReport report;
  const std::vector<FlatLayer> layers = {layer("body", 5, 80), layer("arm", 60, 115)};
  Result<Asset> asset = make_flat_rig(layers, settings, report);
  EXPECT_TRUE(asset) << asset.error().text;
  asset->name = "cat";
  Example pose{"wave", std::vector<HandleTransform>(3)};
  pose.handles[0].translation = {0.1, -0.2, 0};
  pose.handles[1].stretch.topLeftCorner<2, 2>() << 1.25, 0.125, 0.125, 0.75;
  pose.handles[1].rotation = Quat(Eigen::AngleAxisd(-0.4, Vec3::UnitZ()));
  pose.handles[2].rotation = Quat(Eigen::AngleAxisd(0.7, Vec3::UnitZ())), pose.handles[2].translation = {0, 0.3, 0};
  asset->examples.push_back(pose);
  return *asset;
}

GltfDocument drawing_document() {
  GltfDocument document = *parse_glb(*asset_to_glb(sample_drawing()), "cat.glb");
  return document;
}

TEST(DrawingFile, keeps_layers_pins_handles_weights_poses_and_pictures) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / fmt::format("crumple_drawing_{}.glb", getpid());
  const Asset asset = sample_drawing();
  ASSERT_TRUE(write_asset(asset, file));
  const Result<Asset> back = read_asset(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(back) << back.error().text;
  ASSERT_TRUE(back->flat);
  EXPECT_EQ(back->name, "cat");
  EXPECT_EQ(back->flat->layers, asset.flat->layers);
  EXPECT_EQ(back->flat->layer, asset.flat->layer);
  EXPECT_EQ(back->surface.positions, asset.surface.positions);
  EXPECT_EQ(back->surface.triangles, asset.surface.triangles);
  EXPECT_EQ(back->surface.uvs, asset.surface.uvs);
  EXPECT_EQ(back->weights, asset.weights);
  ASSERT_EQ(back->flat->pins.size(), 1u);
  EXPECT_EQ(back->flat->pins[0].name, "shoulder");
  EXPECT_EQ(back->flat->pins[0].vertex, asset.flat->pins[0].vertex);
  EXPECT_EQ(back->flat->pins[0].triangle, asset.flat->pins[0].triangle);
  EXPECT_LT((back->flat->pins[0].shares - asset.flat->pins[0].shares).norm(), 1e-9);
  ASSERT_EQ(back->handles.size(), 3u);
  for (size_t h = 0; h < 3; ++h) {
    EXPECT_EQ(back->handles[h].name, asset.handles[h].name);
    EXPECT_LT((back->handles[h].position - asset.handles[h].position).norm(), 1e-6);
  }
  ASSERT_EQ(back->examples.size(), 2u);
  EXPECT_EQ(back->examples[1].name, "wave");
  for (size_t h = 0; h < 3; ++h) {
    const HandleTransform &a = asset.examples[1].handles[h], &b = back->examples[1].handles[h];
    EXPECT_LT(a.rotation.angularDistance(b.rotation), 1e-5);
    EXPECT_LT((a.translation - b.translation).norm(), 1e-5);
    EXPECT_LT((a.stretch - b.stretch).norm(), 1e-6);
  }
  ASSERT_TRUE(back->surface.materials);
  ASSERT_EQ(back->surface.materials->size(), 2u);
  for (size_t m = 0; m < 2; ++m) expect_same((*asset.surface.materials)[m], (*back->surface.materials)[m]);
  for (size_t t = 0; t < asset.surface.triangles.size(); ++t) EXPECT_EQ(back->surface.material_of(t), asset.surface.material_of(t));
}

TEST(DrawingFile, is_the_same_when_it_is_written_again) {
  const std::string bytes = *asset_to_glb(sample_drawing());
  const Result<Asset> once = asset_from_gltf(*parse_glb(bytes, "cat.glb"));
  ASSERT_TRUE(once) << once.error().text;
  const std::string again = *asset_to_glb(*once);
  const Result<Asset> twice = asset_from_gltf(*parse_glb(again, "cat.glb"));
  ASSERT_TRUE(twice) << twice.error().text;
  EXPECT_EQ(again.size(), bytes.size());
  EXPECT_EQ(twice->weights, once->weights);
  EXPECT_EQ(twice->surface.positions, once->surface.positions);
}

TEST(DrawingFile, layers_lie_apart_for_other_viewers) {
  const Asset asset = sample_drawing();
  const GltfDocument document = drawing_document();
  const Json& primitives = *document.json.find("meshes")->items[0].find("primitives");
  ASSERT_EQ(primitives.items.size(), 2u);
  for (size_t p = 0; p < 2; ++p) {
    const size_t positions = *gltf_index(document, *primitives.items[p].find("attributes"), "POSITION", "");
    const std::vector<float> numbers = *read_floats(document, positions, 3);
    for (size_t i = 2; i < numbers.size(); i += 3) EXPECT_NEAR(double{numbers[i]}, static_cast<double>(p) * layer_distance(asset), 1e-7);
  }
}

TEST(DrawingFile, broken_ones_are_refused) {
  using Change = std::function<void(GltfDocument&, Json&)>;
  const auto extension_of = [](GltfDocument& document) -> Json& { return document.json["meshes"].items[0]["extensions"][kFlatExtension]; };
  const std::pair<Change, const char*> cases[] = {
      {[](GltfDocument&, Json& flat) { flat["layers"].items.pop_back(); }, "names 1 layers, but the mesh has 2 primitives"},
      {[](GltfDocument&, Json& flat) { flat["layers"].items.push_back("more"); }, "names 3 layers, but the mesh has 2 primitives"},
      {[](GltfDocument&, Json& flat) { flat["layers"] = "body"; }, "names 0 layers"},
      {[](GltfDocument&, Json& flat) { flat["weights"] = 9999; }, "9999"},
      {[](GltfDocument& document, Json& flat) { flat["weights"] = *gltf_index(document, document.json["skins"].items[0], "inverseBindMatrices", ""); }, "should be of type SCALAR"},
      {[](GltfDocument& document, Json& flat) { document.json["accessors"].items[*gltf_index(document, flat, "weights", "")]["count"] = 9; }, "9 weights do not match"},
      {[](GltfDocument&, Json& flat) { flat["pins"].items[0]["vertex"] = 1000000; }, "/pins/0: its vertex does not exist"},
      {[](GltfDocument&, Json& flat) { flat["pins"].items[0]["vertex"] = -1; }, "/pins/0: its vertex does not exist"},
      {[](GltfDocument&, Json& flat) { flat["pins"].items[0]["triangle"].items[1] = 1e99; }, "/pins/0: its triangle has a vertex that does not exist"},
      {[](GltfDocument&, Json& flat) { flat["pins"].items[0]["triangle"].items.pop_back(); }, "/pins/0: needs a triangle and three shares"},
      {[](GltfDocument&, Json& flat) { flat["pins"].items[0]["shares"].items[0] = 5; }, "/pins/0: its shares are not barycentric"},
      {[](GltfDocument&, Json& flat) { flat["pins"].items[0]["shares"] = Json::array({0.5, 0.5, 0.5}); }, "/pins/0: its shares do not sum to 1"},
      {[](GltfDocument&, Json& flat) { flat["pins"].items[0]["vertex"] = flat["pins"].items[0]["triangle"].items[0]; }, "/pins/0: joins a layer with itself"},
      {[](GltfDocument&, Json& flat) { flat["pins"] = Json::array({3}); }, "/pins/0: its vertex does not exist"},
      {[](GltfDocument&, Json& flat) { flat["stretches"]["wave"] = 9999; }, "9999"},
      {[](GltfDocument& document, Json& flat) { document.json["accessors"].items[*gltf_index(document, flat["stretches"], "wave", "")]["count"] = 2; }, "/stretches: 2 do not match 3 handles"},
      {[](GltfDocument& document, Json&) { document.json["nodes"].items.back().members.pop_back(); }, "has no skin"},
      {[](GltfDocument& document, Json&) { document.json["meshes"].items[0]["primitives"].items[1]["mode"] = 1; }, "layer 1 is not made of triangles"},
      {[](GltfDocument& document, Json&) { document.json["textures"].items[0]["source"] = 7; }, "7"},
      {[](GltfDocument& document, Json&) { document.json["meshes"].items[0]["primitives"].items[0]["material"] = 7; }, "7"},
  };
  for (size_t c = 0; c < std::size(cases); ++c) {
    SCOPED_TRACE(c);
    GltfDocument document = drawing_document();
    cases[c].first(document, extension_of(document));
    const Result<Asset> asset = asset_from_gltf(document);
    ASSERT_FALSE(asset);
    EXPECT_EQ(asset.error().text.rfind("cat.glb: ", 0), 0u) << asset.error().text;
    EXPECT_NE(asset.error().text.find(cases[c].second), std::string::npos) << asset.error().text;
  }
}

TEST(DrawingFile, numbers_that_are_no_pose_are_refused) {
  GltfDocument document = drawing_document();
  Json& flat = document.json["meshes"].items[0]["extensions"][kFlatExtension];
  const Json& accessor = document.json["accessors"].items[*gltf_index(document, flat["stretches"], "wave", "")];
  const Json& view = document.json["bufferViews"].items[*gltf_index(document, accessor, "bufferView", "")];
  const size_t offset = *gltf_index(document, view, "byteOffset", "");
  const float mirrored = -1;
  std::memcpy(document.buffer.data() + offset, &mirrored, sizeof mirrored);
  const Result<Asset> asset = asset_from_gltf(document);
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().text.find("handle 0 is mirrored or crushed in \"wave\""), std::string::npos) << asset.error().text;
}

TEST(DrawingFile, is_not_written_with_wrong_sizes) {
  const std::pair<std::function<void(Asset&)>, const char*> cases[] = {
      {[](Asset& asset) { asset.flat->layer.pop_back(); }, "vertices in layers do not match"},
      {[](Asset& asset) { asset.flat->layer.back() = 7; }, "a vertex is in layer 7, but there are 2"},
      {[](Asset& asset) { asset.flat->layer.front() = 1; }, "the vertices of its layers do not follow each other"},
      {[](Asset& asset) { asset.surface.positions[0].z() = 1; }, "vertex 0 is not in the plane of the drawing"},
      {[](Asset& asset) { asset.surface.triangles[0][1] = 1000000; }, "asks for vertex 1000000"},
      {[](Asset& asset) { asset.surface.triangles[0][1] = asset.surface.triangles[0][0]; }, "has no area"},
      {[](Asset& asset) { asset.weights.pop_back(); }, "weights"},
  };
  for (const auto& [change, message] : cases) {
    Asset asset = sample_drawing();
    change(asset);
    const Result<std::string> bytes = asset_to_glb(asset);
    ASSERT_FALSE(bytes) << message;
    EXPECT_NE(bytes.error().text.find(message), std::string::npos) << bytes.error().text;
  }
}

}  // namespace
}  // namespace crumple::io
