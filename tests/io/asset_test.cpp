#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "tests/io/asset_samples.h"

namespace crumple::io {
namespace {

std::string complaint(const GltfDocument& document) {
  const Result<Asset> asset = asset_from_gltf(document);
  return asset ? "" : asset.error().text;
}

std::string complaint_about(const std::function<void(GltfDocument&)>& damage) {
  GltfDocument document = document_of(sample_asset());
  damage(document);
  return complaint(document);
}

Json& item(GltfDocument& document, std::string_view list, size_t index) {
  return document.json[list].items[index];
}

Json& extension(GltfDocument& document) {
  return item(document, "meshes", 0)["extensions"]["CRUMPLE_tetrahedra"];
}

/// The `row`th number of the extension's accessor, to be overwritten in place.
template <class T>
void overwrite(GltfDocument& document, std::string_view key, size_t row, T value) {
  const Json& accessor = item(document, "accessors", static_cast<size_t>(extension(document)[key].number));
  const Json& view = item(document, "bufferViews", static_cast<size_t>(accessor.find("bufferView")->number));
  std::memcpy(document.buffer.data() + static_cast<size_t>(view.find("byteOffset")->number) + row * sizeof value, &value, sizeof value);
}

double rotation_difference(const Quat& a, const Quat& b) {
  return (a.coeffs() - b.coeffs()).norm();
}

void expect_same_poses(const Asset& a, const Asset& b, double slack) {
  ASSERT_EQ(a.examples.size(), b.examples.size());
  for (size_t e = 0; e < a.examples.size(); ++e) {
    EXPECT_EQ(a.examples[e].name, b.examples[e].name);
    for (size_t h = 0; h < a.handles.size(); ++h) {
      EXPECT_LT(rotation_difference(a.examples[e].handles[h].rotation, b.examples[e].handles[h].rotation), slack);
      EXPECT_LT((a.examples[e].handles[h].translation - b.examples[e].handles[h].translation).norm(), slack);
    }
  }
}

TEST(AssetFile, is_kept_to_single_precision) {
  const Asset asset = sample_asset();
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "asset_test.glb";
  ASSERT_TRUE(write_asset(asset, file));
  const Result<Asset> back = read_asset(file);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->name, "bar");
  EXPECT_EQ(back->tets.tets, asset.tets.tets);
  EXPECT_EQ(back->weights, asset.weights);
  EXPECT_EQ(back->surface.triangles, asset.surface.triangles);
  EXPECT_EQ(back->surface.uvs, asset.surface.uvs);
  EXPECT_EQ(back->color, asset.color);
  EXPECT_EQ(back->metal, asset.metal);
  EXPECT_EQ(back->roughness, asset.roughness);
  for (size_t i = 0; i < asset.tets.positions.size(); ++i) EXPECT_EQ(back->tets.positions[i].cast<float>(), asset.tets.positions[i].cast<float>());
  for (size_t i = 0; i < asset.surface.positions.size(); ++i) {
    EXPECT_EQ(back->surface.positions[i].cast<float>(), asset.surface.positions[i].cast<float>());
  }
  ASSERT_EQ(back->handles.size(), 2u);
  EXPECT_EQ(back->handles[1].name, "right");
  EXPECT_EQ(back->handles[1].position.cast<float>(), asset.handles[1].position.cast<float>());
  expect_same_poses(asset, *back, 1e-6);
}

TEST(AssetFile, is_the_same_bytes_when_written_again) {
  const std::string once = *asset_to_glb(sample_asset());
  const std::string twice = *asset_to_glb(*asset_from_gltf(*parse_glb(once, "bar.glb")));
  EXPECT_EQ(once, twice);
}

TEST(AssetFile, shows_viewers_four_weights_that_sum_to_one) {
  const GltfDocument document = document_of(sample_asset());
  const Json& attributes = *document.json.find("meshes")->items[0].find("primitives")->items[0].find("attributes");
  const auto weights = *read_floats(document, static_cast<size_t>(attributes.find("WEIGHTS_0")->number), 4);
  for (size_t i = 0; i < weights.size(); i += 4) EXPECT_NEAR(weights[i] + weights[i + 1] + weights[i + 2] + weights[i + 3], 1, 1e-6);
}

TEST(AssetFile, without_animations_only_rests) {
  Asset asset = sample_asset();
  asset.examples.resize(1);
  const Result<Asset> back = asset_from_gltf(document_of(asset));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->examples.size(), 1u);
}

TEST(AssetFile, without_a_skin_is_one_rigid_body) {
  GltfDocument document = document_of(sample_asset());
  std::erase_if(item(document, "nodes", 3).members, [](const auto& member) { return member.first == "skin"; });
  EXPECT_NE(complaint(document).find("no skin"), std::string::npos) << complaint(document);
  std::erase_if(extension(document).members, [](const auto& member) { return member.first == "weights"; });
  item(document, "nodes", 3)["translation"] = Json::array({0.0, 2.0, 0.0});
  const Result<Asset> asset = asset_from_gltf(document);
  ASSERT_TRUE(asset) << asset.error().text;
  EXPECT_EQ(asset->handles.size(), 1u);
  EXPECT_EQ(asset->weight(0, 0), 1);
  EXPECT_EQ(asset->tets.positions[0].y(), 2);
  EXPECT_EQ(bounds_of(asset->surface.positions).low.y(), 2);
}

TEST(AssetFile, follows_joints_through_their_parents) {
  GltfDocument document = document_of(sample_asset());
  // "right" becomes a child of "left", which "shifted" moves down by 0.1.
  item(document, "nodes", 0)["children"] = Json::array({1});
  item(document, "nodes", 2)["children"] = Json::array({0});
  item(document, "nodes", 1)["translation"] = Json::array({1.2, 0.0, 0.0});
  for (Json& channel : item(document, "animations", 1)["channels"].items) {
    if (channel["target"]["node"].number == 1) channel["target"]["path"] = "weights";  // a channel that moves nothing
  }
  const Result<Asset> asset = asset_from_gltf(document);
  ASSERT_TRUE(asset) << asset.error().text;
  EXPECT_NEAR(asset->examples[2].handles[0].translation.y(), -0.1, 1e-6);
  EXPECT_NEAR(asset->examples[2].handles[1].translation.y(), -0.1, 1e-6);
}

TEST(AssetFile, stands_where_its_rig_stands) {
  GltfDocument document = document_of(sample_asset());
  item(document, "nodes", 2)["rotation"] = Json::array({0.0, 0.0, 1.0, 0.0});  // half a turn about z
  item(document, "nodes", 2)["translation"] = Json::array({0.0, 5.0, 0.0});
  const Asset plain = sample_asset();
  const Result<Asset> turned = asset_from_gltf(document);
  ASSERT_TRUE(turned) << turned.error().text;
  for (size_t i = 0; i < plain.tets.positions.size(); ++i) {
    const Vec3& p = plain.tets.positions[i];
    EXPECT_LT((turned->tets.positions[i] - Vec3(-p.x(), 5 - p.y(), p.z())).norm(), 1e-6);
  }
  // The pose moves the turned shape as the unturned pose moves the unturned shape.
  const HandleTransform &before = plain.examples[1].handles[1], &after = turned->examples[1].handles[1];
  const Vec3 point(0.3, 0.2, 0.1), placed(-0.3, 4.8, 0.1);
  const Vec3 moved = before.rotation * point + before.translation;
  EXPECT_LT((after.rotation * placed + after.translation - Vec3(-moved.x(), 5 - moved.y(), moved.z())).norm(), 1e-6);
}

TEST(AssetFile, refuses_a_scaled_rig_unless_its_bind_matrices_know) {
  GltfDocument document = document_of(sample_asset());
  item(document, "nodes", 2)["scale"] = Json::array({2.0, 2.0, 2.0});
  EXPECT_NE(complaint(document).find("scaled by 2 in pose \"rest\""), std::string::npos) << complaint(document);

  // As if the mesh had been bound to the scaled rig: every inverse bind matrix undoes the scale.
  item(document, "nodes", 2)["scale"] = Json::array({0.01, 0.01, 0.01});
  item(document, "animations", 0)["channels"].items.clear();
  item(document, "animations", 1)["channels"].items.clear();
  const Json& matrices = item(document, "accessors", static_cast<size_t>(item(document, "skins", 0)["inverseBindMatrices"].number));
  const Json& view = item(document, "bufferViews", static_cast<size_t>(matrices.find("bufferView")->number));
  for (size_t joint = 0; joint < 2; ++joint) {
    const Vec3 place = sample_asset().handles[joint].position;
    item(document, "nodes", joint)["translation"] = Json::array({place.x() * 100, place.y() * 100, place.z() * 100});
    Eigen::Matrix4f to_joint = Eigen::Matrix4f::Identity();
    to_joint.topLeftCorner<3, 3>() *= 100;
    to_joint.topRightCorner<3, 1>() = (-100 * place).cast<float>();
    std::memcpy(document.buffer.data() + static_cast<size_t>(view.find("byteOffset")->number) + joint * sizeof to_joint, to_joint.data(),
                sizeof to_joint);
  }
  const Result<Asset> asset = asset_from_gltf(document);
  ASSERT_TRUE(asset) << asset.error().text;
  EXPECT_LT((asset->handles[1].position - sample_asset().handles[1].position).norm(), 1e-6);
  EXPECT_LT((asset->tets.positions[7] - sample_asset().tets.positions[7]).norm(), 1e-6);
}

TEST(AssetFile, merges_other_meshes_into_its_surface) {
  GltfDocument document = document_of(sample_asset());
  Json copy = item(document, "meshes", 0);
  std::erase_if(copy.members, [](const auto& member) { return member.first == "extensions"; });
  document.json["meshes"].push(copy);
  document.json["nodes"].push(Json::object({{"mesh", 1}, {"translation", Json::array({0.0, 10.0, 0.0})}, {"scale", Json::array({-1.0, 1.0, 1.0})}}));
  document.json["nodes"].push(Json::object({{"mesh", 1}, {"skin", 0}}));
  const Result<Asset> asset = asset_from_gltf(document);
  ASSERT_TRUE(asset) << asset.error().text;
  const size_t one = sample_asset().surface.positions.size();
  EXPECT_EQ(asset->surface.positions.size(), 3 * one);
  EXPECT_NEAR(bounds_of(asset->surface.positions).high.y(), 10.25, 1e-6);
  EXPECT_NEAR(bounds_of(asset->surface.positions).low.x(), -1.2, 1e-6);
  const Triangle first = asset->surface.triangles[0], mirrored = asset->surface.triangles[sample_asset().surface.triangles.size()];
  EXPECT_EQ(mirrored[1] - static_cast<int>(one), first[2]);
}

TEST(AssetFile, turns_inside_out_tetrahedra_round) {
  Asset asset = sample_asset();
  std::swap(asset.tets.tets[5][0], asset.tets.tets[5][1]);
  const Result<Asset> back = asset_from_gltf(document_of(asset));
  ASSERT_TRUE(back) << back.error().text;
  for (const Tetrahedron& tet : back->tets.tets) EXPECT_GT(tet_volume(back->tets.positions, tet), 0);
}

TEST(AssetFile, cleans_noise_off_weights) {
  GltfDocument document = document_of(sample_asset());
  overwrite(document, "weights", 0, 1.0004f);
  overwrite(document, "weights", 1, -0.0002f);
  const Result<Asset> asset = asset_from_gltf(document);
  ASSERT_TRUE(asset) << asset.error().text;
  EXPECT_EQ(asset->weights[0], 1);
  EXPECT_EQ(asset->weights[1], 0);
}

TEST(AssetFile, asks_for_tetrahedra) {
  const std::string text = complaint_about([](GltfDocument& document) { item(document, "meshes", 0)["extensions"] = Json::object(); });
  EXPECT_NE(text.find("lacks the CRUMPLE_tetrahedra extension"), std::string::npos) << text;
}

TEST(AssetFile, says_what_is_wrong) {
  const struct {
    const char* complaint;
    std::function<void(GltfDocument&)> damage;
  } cases[] = {
      {"vertex 2: its weights sum to 1.5", [](GltfDocument& d) { overwrite(d, "weights", 4, 1.0f), overwrite(d, "weights", 5, 0.5f); }},
      {"vertex 1: weight -0.5 of handle 0 is not in [0, 1]", [](GltfDocument& d) { overwrite(d, "weights", 2, -0.5f); }},
      {"row 3 is not a finite number", [](GltfDocument& d) { overwrite(d, "weights", 3, std::numeric_limits<float>::infinity()); }},
      {"row 0 is not a finite number", [](GltfDocument& d) { overwrite(d, "positions", 1, std::numeric_limits<float>::quiet_NaN()); }},
      {"farther away than", [](GltfDocument& d) { overwrite(d, "positions", 1, 1e30f); }},
      {"tetrahedron 1 asks for vertex 999", [](GltfDocument& d) { overwrite(d, "indices", 5, uint16_t{999}); }},
      {"is flat", [](GltfDocument& d) { overwrite(d, "indices", 5, uint16_t{0}), overwrite(d, "indices", 4, uint16_t{0}); }},
      {"do not match 20 vertices x 2 joints",
       [](GltfDocument& d) { item(d, "accessors", static_cast<size_t>(extension(d)["weights"].number))["count"] = 38; }},
      {"whole tetrahedra", [](GltfDocument& d) { item(d, "accessors", static_cast<size_t>(extension(d)["indices"].number))["count"] = 7; }},
      {"has no \"positions\"", [](GltfDocument& d) { extension(d) = Json::object(); }},
      {"must be an object", [](GltfDocument& d) { extension(d) = "tetrahedra"; }},
      {"their own ancestors", [](GltfDocument& d) { item(d, "nodes", 0)["children"] = Json::array({2}); }},
      {"their own ancestors", [](GltfDocument& d) { item(d, "nodes", 3)["children"] = Json::array({3}); }},
      {"is a child of two nodes", [](GltfDocument& d) { item(d, "nodes", 3)["children"] = Json::array({0}); }},
      {"names a node that does not exist", [](GltfDocument& d) { item(d, "nodes", 3)["children"] = Json::array({1e18}); }},
      {"names a node that does not exist", [](GltfDocument& d) { item(d, "skins", 0)["joints"].items[0] = -1; }},
      {"more joints than there are nodes", [](GltfDocument& d) { item(d, "skins", 0)["joints"].items.resize(5000, Json(0)); }},
      {"has no joints", [](GltfDocument& d) { item(d, "skins", 0)["joints"] = 3; }},
      {"asks for /skins/7", [](GltfDocument& d) { item(d, "nodes", 3)["skin"] = 7; }},
      {"must be a whole number", [](GltfDocument& d) { item(d, "nodes", 3)["mesh"] = 0.5; }},
      {"must be 4 numbers",
       [](GltfDocument& d) {
         item(d, "nodes", 0)["rotation"] = Json::array({1, 2});
       }},
      {"has no length",
       [](GltfDocument& d) {
         item(d, "nodes", 0)["rotation"] = Json::array({0, 0, 0, 0});
       }},
      {"moves node 44", [](GltfDocument& d) { item(d, "animations", 0)["channels"].items[1]["target"]["node"] = 44; }},
      {"sampler that does not exist", [](GltfDocument& d) { item(d, "animations", 0)["channels"].items[1]["sampler"] = 44; }},
      {"should be of type VEC3", [](GltfDocument& d) { item(d, "animations", 0)["channels"].items[1]["target"]["path"] = "translation"; }},
      {"scaled by", [](GltfDocument& d) { item(d, "animations", 0)["channels"].items[0]["target"]["path"] = "scale"; }},
      {"strips and fans", [](GltfDocument& d) { item(d, "meshes", 0)["primitives"].items[0]["mode"] = 5; }},
      {"no triangles", [](GltfDocument& d) { item(d, "meshes", 0)["primitives"].items[0]["mode"] = 1; }},
      {"asks for /materials/9", [](GltfDocument& d) { item(d, "meshes", 0)["primitives"].items[0]["material"] = 9; }},
      {"is null", [](GltfDocument& d) { item(d, "nodes", 1) = Json(); }},
      {"no node shows", [](GltfDocument& d) { d.json["nodes"].items.resize(3); }},
  };
  for (const auto& test : cases) {
    const std::string text = complaint_about(test.damage);
    EXPECT_TRUE(text.starts_with("bar.glb: ")) << test.complaint << " got: " << text;
    EXPECT_NE(text.find(test.complaint), std::string::npos) << test.complaint << " got: " << text;
  }
}

TEST(AssetFile, has_no_more_examples_than_skinning_can_blend) {
  Asset asset = sample_asset();
  while (asset.examples.size() < 32) asset.examples.push_back(asset.examples[1]);
  EXPECT_TRUE(io::check_asset(asset, "bar"));
  asset.examples.push_back(asset.examples[1]);
  const Result<void> checked = io::check_asset(asset, "bar");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().text, "bar: 33 examples with the rest pose are too many (at most 32)");
}

TEST(AssetFile, refuses_to_write_what_could_not_be_read) {
  Asset asset = sample_asset();
  asset.weights.pop_back();
  EXPECT_FALSE(asset_to_glb(asset));
  asset = sample_asset();
  asset.tets.positions[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(asset_to_glb(asset));
  asset = sample_asset();
  asset.surface.triangles.clear();
  EXPECT_FALSE(asset_to_glb(asset));
  asset = sample_asset();
  asset.examples[0].handles[1].translation.x() = 0.1;
  EXPECT_NE(asset_to_glb(asset).error().text.find("not the rest pose"), std::string::npos);
}

TEST(AssetFile, fails_well_when_cut_off_anywhere) {
  const std::string bytes = *asset_to_glb(sample_asset());
  for (size_t length = 0; length < bytes.size(); length += 64) {
    const Result<GltfDocument> document = parse_glb(std::string_view(bytes).substr(0, length), "bar.glb");
    ASSERT_FALSE(document) << length;
    EXPECT_FALSE(document.error().text.empty());
  }
}

TEST(AssetFile, never_crashes_on_a_changed_byte) {
  const std::string bytes = *asset_to_glb(sample_asset(1));
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {3, 0x91}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const Result<GltfDocument> document = parse_glb(changed, "bar.glb");
      if (document) (void)complaint(*document);
    }
  }
}

}  // namespace
}  // namespace crumple::io
