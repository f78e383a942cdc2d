#include "crumple/io/gltf_maps.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/mesh_file.h"
#include "tests/io/asset_samples.h"

namespace crumple::io {
namespace {

Asset painted_asset() {
  Asset asset = sample_asset();
  PaintedMap yield{"yield", {}}, radius{"radius", {}};
  for (size_t v = 0; v < asset.surface.positions.size(); ++v) {
    yield.values.push_back(0.1f + 0.37f * static_cast<float>(v));
    radius.values.push_back(v % 2 ? 0.0f : kMaxPainted);
  }
  asset.maps = {yield, radius};
  return asset;
}

/// A triangle of a mesh, shifted along x so that triangles can be told apart.
struct Piece {
  double x = 0;
  std::vector<std::pair<std::string, std::vector<float>>> attributes;  // one, three or four numbers for each of its 3 vertices
};

/// Pieces that follow each other as primitives of one mesh; meshes and nodes are as in `meshes`.
GltfDocument document_of(const std::vector<std::vector<Piece>>& meshes, const std::function<void(GltfBuilder&)>& last = nullptr) {
  GltfBuilder builder("test");
  for (const std::vector<Piece>& mesh : meshes) {
    Json primitives = Json::array();
    for (const Piece& piece : mesh) {
      const auto x = static_cast<float>(piece.x);
      Json attributes = Json::object();
      attributes["POSITION"] = builder.add_positions(std::vector<Vec3f>{{x, 0, 0}, {x + 0.5f, 0, 0}, {x, 1, 0}});
      for (const auto& [name, numbers] : piece.attributes) {
        std::vector<Vec3f> rgb;
        std::vector<std::array<float, 4>> rgba;
        if (numbers.size() == 9) {
          for (size_t i = 0; i < 9; i += 3) rgb.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
          attributes[name] = builder.add_vec3(rgb);
        } else if (numbers.size() == 12) {
          for (size_t i = 0; i < 12; i += 4) rgba.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
          attributes[name] = builder.add_vec4(rgba);
        } else {
          attributes[name] = builder.add_scalars(numbers);
        }
      }
      primitives.push(Json::object({{"attributes", std::move(attributes)}}));
    }
    const size_t index = builder.add("meshes", Json::object({{"primitives", std::move(primitives)}}));
    builder.add("nodes", Json::object({{"mesh", index}}));
  }
  if (last) last(builder);
  GltfDocument document = std::move(builder).finish();
  document.name = "model.glb";
  return document;
}

Result<std::vector<PaintedMap>> maps_of(const GltfDocument& document, TriMesh* surface = nullptr) {
  Result<GltfScene> scene = GltfScene::open(document);
  EXPECT_TRUE(scene);
  const Result<TriMesh> gathered = gather_surface(*scene, Eigen::Affine3d::Identity());
  EXPECT_TRUE(gathered) << gathered.error().text;
  if (surface) *surface = *gathered;
  return gather_maps(*scene, gathered->positions.size());
}

std::string map_complaint(const GltfDocument& document) {
  const Result<std::vector<PaintedMap>> maps = maps_of(document);
  return maps ? "" : maps.error().text;
}

std::vector<float> values(const std::vector<PaintedMap>& maps, std::string_view knob) {
  const PaintedMap* map = find_map(maps, knob);
  return map ? map->values : std::vector<float>();
}

TEST(PaintedFile, keeps_every_factor_bit_for_bit) {
  const Asset asset = painted_asset();
  const std::string bytes = *asset_to_glb(asset);
  const Result<Asset> back = asset_from_gltf(*parse_glb(bytes, "bar.glb"));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(values(back->maps, "yield"), asset.maps[0].values);
  EXPECT_EQ(values(back->maps, "radius"), asset.maps[1].values);
  EXPECT_EQ(find_map(back->maps, "gain"), nullptr);
  EXPECT_EQ(*asset_to_glb(*back), bytes);
}

TEST(PaintedFile, without_paint_has_no_maps) {
  EXPECT_TRUE(asset_from_gltf(*parse_glb(*asset_to_glb(sample_asset()), "bar.glb"))->maps.empty());
}

TEST(PaintedFile, is_not_written_with_bad_factors) {
  Asset asset = painted_asset();
  asset.maps[0].values[7] = -1;
  const Result<std::string> bytes = asset_to_glb(asset);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().text, "bar: yield is painted -1 at vertex 7; factors lie between 0 and 1000");
}

TEST(PaintedFile, merges_meshes_in_the_order_of_their_vertices) {
  TriMesh surface;
  const GltfDocument document = document_of({{{0, {}}, {10, {{"_YIELD", {3, 4, 5}}}}}, {{20, {{"_GAIN", {0, 1, 2}}}}, {30, {{"_YIELD", {6, 7, 8}}}}}},
                                            [](GltfBuilder& builder) {
                                              builder.add("nodes", Json::object({{"mesh", 0}}));
                                            });
  const Result<std::vector<PaintedMap>> maps = maps_of(document, &surface);
  ASSERT_TRUE(maps) << maps.error().text;
  EXPECT_EQ(maps->size(), 2u);
  EXPECT_EQ(values(*maps, "yield"), (std::vector<float>{1, 1, 1, 3, 4, 5, 1, 1, 1, 6, 7, 8, 1, 1, 1, 3, 4, 5}));
  EXPECT_EQ(values(*maps, "gain"), (std::vector<float>{1, 1, 1, 1, 1, 1, 0, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  for (size_t v = 3; v < 6; ++v) EXPECT_GE(surface.positions[v].x(), 10);  // it is the piece at 10 that has 3, 4, 5
}

TEST(PaintedFile, leaves_points_and_lines_out_as_the_surface_does) {
  GltfDocument document = document_of({{{0, {{"_YIELD", {9, 9, 9}}}}, {10, {{"_YIELD", {3, 4, 5}}}}}});
  document.json["meshes"].items[0]["primitives"].items[0]["mode"] = 1;
  EXPECT_EQ(values(*maps_of(document), "yield"), (std::vector<float>{3, 4, 5}));
}

TEST(PaintedFile, takes_names_to_which_programs_have_added_underscores) {
  for (const std::string_view knob : kPaintedKnobs) {
    std::string name = "__";
    for (const char c : knob) name.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
    EXPECT_EQ(values(*maps_of(document_of({{{0, {{name, {1, 2, 3}}}}}})), knob), (std::vector<float>{1, 2, 3})) << name;
    EXPECT_EQ(values(*maps_of(document_of({{{0, {{"_" + name, {1, 2, 3}}}}}})), knob), (std::vector<float>{1, 2, 3})) << name;
  }
  EXPECT_EQ(values(*maps_of(document_of({{{0, {{"__GAIN", {4, 5, 6}}, {"_GAIN", {1, 2, 3}}}}}})), "gain"), (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(maps_of(document_of({{{0, {{"__GAINS", {4, 5, 6}}, {"GAIN", {1, 2, 3}}, {"__", {1, 2, 3}}}}}}))->empty());
}

TEST(PaintedFile, takes_names_in_small_letters_and_fractions_of_whole_numbers) {
  GltfDocument document = document_of({{{0, {{"_radius", {0.5f, 1, 2}}}}}});
  EXPECT_EQ(values(*maps_of(document), "radius"), (std::vector<float>{0.5f, 1, 2}));
  Json& accessor = document.json["accessors"].items[1];
  accessor["componentType"] = 5121, accessor["normalized"] = true;
  document.buffer[36] = std::byte{0}, document.buffer[37] = std::byte{51}, document.buffer[38] = std::byte{255};
  const std::vector<float> bytes = values(*maps_of(document), "radius");
  ASSERT_EQ(bytes.size(), 3u);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_FLOAT_EQ(bytes[1], 0.2f);
  EXPECT_EQ(bytes[2], 1);
}

TEST(PaintedFile, a_colour_named_after_a_knob_is_grey_around_one_half) {
  const std::vector<float> greys = {0, 0, 0, 1, 0.5f, 0.5f, 0.5f, 0.2f, 1, 1, 1, 0};
  EXPECT_EQ(values(*maps_of(document_of({{{0, {{"_GAIN", greys}}}}})), "gain"), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(values(*maps_of(document_of({{{0, {{"_GAIN", {1, 0.5f, 0, 0, 0, 0.75f, 0.5f, 0.5f, 0.5f}}}}}})), "gain"),
            (std::vector<float>{1, 0.5f, 1}));
}

const std::vector<float> kLayer = {0.5f, 0, 1, 0, 0.25f, 0.5f, 1, 1, 0.5f};

TEST(PaintedFile, colours_are_only_a_look_unless_the_mesh_says_otherwise) {
  GltfDocument document = document_of({{{0, {{"COLOR_0", kLayer}, {"COLOR_1", kLayer}}}}, {{1, {{"COLOR_0", kLayer}}}}});
  EXPECT_TRUE(maps_of(document)->empty());
  const auto expect_painted = [&] {
    const Result<std::vector<PaintedMap>> maps = maps_of(document);
    ASSERT_TRUE(maps) << maps.error().text;
    EXPECT_EQ(values(*maps, "yield"), (std::vector<float>{1, 0, 2, 1, 1, 1}));
    EXPECT_EQ(values(*maps, "gain"), (std::vector<float>{0, 0.5f, 2, 1, 1, 1}));
    EXPECT_EQ(values(*maps, "radius"), (std::vector<float>{2, 1, 1, 1, 1, 1}));
  };
  document.json["meshes"].items[0]["extras"] = Json::object({{"crumple_paint", "COLOR_1"}, {"other", 3}});
  expect_painted();
  document.json["meshes"].items[0]["extras"] = Json::object();
  document.json["nodes"].items[0]["extras"] = Json::object({{"crumple_paint", "COLOR_0"}});
  expect_painted();
}

TEST(PaintedFile, an_attribute_of_its_own_counts_more_than_the_layer) {
  GltfDocument document = document_of({{{0, {{"COLOR_1", kLayer}, {"_YIELD", {7, 8, 9}}}}}});
  document.json["meshes"].items[0]["extras"] = Json::object({{"crumple_paint", "COLOR_1"}});
  EXPECT_EQ(values(*maps_of(document), "yield"), (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(values(*maps_of(document), "gain"), (std::vector<float>{0, 0.5f, 2}));
}

TEST(PaintedFile, strength_has_an_attribute_of_its_own_and_no_colour_of_a_layer) {
  std::vector<float> with_alpha;
  for (size_t i = 0; i < 9; i += 3) with_alpha.insert(with_alpha.end(), {kLayer[i], kLayer[i + 1], kLayer[i + 2], 1});
  GltfDocument document = document_of({{{0, {{"COLOR_0", with_alpha}}}}, {{1, {{"_STRENGTH", {0, 0.5f, 30}}}}}});
  document.json["meshes"].items[0]["extras"] = Json::object({{"crumple_paint", "COLOR_0"}});
  EXPECT_EQ(values(*maps_of(document), "strength"), (std::vector<float>{1, 1, 1, 0, 0.5f, 30}));
  EXPECT_EQ(values(*maps_of(document), "radius"), (std::vector<float>{2, 1, 1, 1, 1, 1}));
}

TEST(PaintedFile, says_what_is_wrong) {
  const auto painted = [](std::vector<float> numbers) { return document_of({{{0, {}}, {1, {{"_YIELD", std::move(numbers)}}}}}); };
  EXPECT_EQ(map_complaint(painted({1, -0.5f, 1})),
            "model.glb: /meshes/0/primitives/1: _YIELD gives vertex 1 a factor of -0.5 for the yield; factors lie between 0 and 1000");
  EXPECT_EQ(map_complaint(painted({1, 1, 2000})),
            "model.glb: /meshes/0/primitives/1: _YIELD gives vertex 2 a factor of 2000 for the yield; factors lie between 0 and 1000");
  EXPECT_EQ(map_complaint(painted({1, 1})), "model.glb: /meshes/0/primitives/1: _YIELD is painted on 2 vertices, but there are 3");
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(map_complaint(painted({1, bad, 1})), "model.glb: /accessors/2: row 1 is not a finite number (painted as _YIELD of /meshes/0/primitives/1)");
  }
  GltfDocument document = painted({1, 1, 1});
  document.json["accessors"].items[2]["type"] = "VEC2";
  EXPECT_NE(map_complaint(document).find("should be of type SCALAR, but is VEC2 (painted as _YIELD"), std::string::npos) << map_complaint(document);
  document.json["meshes"].items[0]["primitives"].items[1]["attributes"]["_YIELD"] = 99;
  EXPECT_NE(map_complaint(document).find("99"), std::string::npos) << map_complaint(document);
}

TEST(PaintedFile, says_what_is_wrong_with_the_layer_it_names) {
  GltfDocument document = document_of({{{0, {{"COLOR_0", kLayer}, {"COLOR_3", {1, 1, 1}}}}}});
  const auto complaint_with = [&](Json layer) {
    document.json["meshes"].items[0]["extras"] = Json::object({{"crumple_paint", std::move(layer)}});
    return map_complaint(document);
  };
  EXPECT_EQ(complaint_with("COLOR_0"), "");
  EXPECT_EQ(complaint_with("COLOR_1"),
            "model.glb: /meshes/0: its \"crumple_paint\" names COLOR_1, but it has no such layer of vertex colours; "
            "export all layers, or name one that is there");
  for (const char* name : {"POSITION", "COLOR_", "COLOR_x", ""}) {
    EXPECT_EQ(complaint_with(name), "model.glb: /meshes/0: \"crumple_paint\" must name a layer of vertex colours, such as \"COLOR_1\"");
  }
  EXPECT_NE(complaint_with(1), "");
  EXPECT_EQ(complaint_with("COLOR_3"), "model.glb: /meshes/0/primitives/0: COLOR_3 has 1 numbers for each vertex; a colour has three or four");
}

TEST(PaintedFile, is_read_from_a_model_that_is_no_asset_yet) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "painted_model.GLB";
  ASSERT_TRUE(write_file(file, *write_glb(document_of({{{0, {{"_GAIN", {0, 1, 2}}}}}}))));
  const Result<std::vector<PaintedMap>> maps = read_maps(file);
  ASSERT_TRUE(maps) << maps.error().text;
  EXPECT_EQ(values(*maps, "gain"), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(read_mesh(file)->positions.size(), 3u);
  EXPECT_TRUE(read_maps("model.obj")->empty());  // formats that cannot be painted are not even opened
  EXPECT_FALSE(read_maps("no_such_file.glb"));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace crumple::io
