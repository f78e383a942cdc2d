#include <cstring>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/io/gltf_asset.h"
#include "tests/io/asset_samples.h"

namespace crumple::io {
namespace {

Asset certified_bar() {
  Asset asset = sample_asset();
  const size_t vertices = asset.tets.positions.size();
  WeightCertificate certificate{1.0 / 3, 1e-17, 1e-5, {{0, 1, 2, 3}, {static_cast<int>(vertices) - 1}}, {}};
  for (size_t i = 0; i < 2 * vertices; ++i) certificate.raw.push_back(1 / (1.0 + static_cast<double>(i)));
  asset.certificate = std::move(certificate);
  return asset;
}

Json& certificate_in(GltfDocument& document) {
  return *document.json.find("meshes")->items[0].find("extensions")->find(kTetrahedraExtension)->find("certificate");
}

TEST(Certificate, is_read_as_it_was_written_bit_for_bit) {
  const Asset asset = certified_bar();
  const Result<Asset> read = asset_from_gltf(document_of(asset));
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_TRUE(read->certificate);
  EXPECT_EQ(read->certificate->raw, asset.certificate->raw);
  EXPECT_EQ(read->certificate->held, asset.certificate->held);
  EXPECT_EQ(read->certificate->kkt_residual, 1.0 / 3);
  EXPECT_EQ(read->certificate->noise_floor, 1e-17);
  EXPECT_EQ(read->certificate->target, 1e-5);
}

TEST(Certificate, of_another_size_than_the_asset_is_not_written) {
  Asset asset = certified_bar();
  asset.certificate->raw.pop_back();
  const Result<Asset> read = asset_from_gltf(document_of(asset));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_FALSE(read->certificate);
}

TEST(Certificate, that_does_not_fit_its_asset_is_refused_with_what_to_do) {
  struct Damage {
    const char* says;
    std::function<void(GltfDocument&)> apply;
  };
  const auto view = [](GltfDocument& d) -> Json& {
    return d.json.find("bufferViews")->items[static_cast<size_t>(certificate_in(d).find("raw")->number)];
  };
  const std::vector<Damage> damages = {
      {"residual", [](GltfDocument& d) { certificate_in(d)["residual"] = Json("small"); }},
      {"floor", [](GltfDocument& d) { certificate_in(d)["floor"] = Json(-1.0); }},
      {"target", [](GltfDocument& d) { certificate_in(d)["target"] = Json(); }},
      {"held", [](GltfDocument& d) { certificate_in(d)["held"].items.pop_back(); }},
      {"vertex that there is not", [](GltfDocument& d) { certificate_in(d)["held"].items[0].items[0] = Json(1e9); }},
      {"vertex that there is not", [](GltfDocument& d) { certificate_in(d)["held"].items[0].items[0] = Json(0.5); }},
      {"no vertex", [](GltfDocument& d) { certificate_in(d)["held"].items[1] = Json::array(); }},
      {"bufferViews", [](GltfDocument& d) { certificate_in(d)["raw"] = Json(12345); }},
      {"raw", [](GltfDocument& d) { certificate_in(d)["raw"] = Json("here"); }},
      {"not the doubles", [&](GltfDocument& d) { view(d)["byteLength"] = Json(8); }},
      {"do not lie in the buffer", [&](GltfDocument& d) { view(d)["byteOffset"] = Json(9e15); }},
      {"do not lie in the buffer", [&](GltfDocument& d) { view(d)["byteLength"] = Json(9e15); }},
      {"not finite",
       [&](GltfDocument& d) {
         const double nan = std::numeric_limits<double>::quiet_NaN();
         std::memcpy(d.buffer.data() + static_cast<size_t>(view(d).find("byteOffset")->number), &nan, sizeof nan);
       }},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.says);
    GltfDocument document = document_of(certified_bar());
    damage.apply(document);
    const Result<Asset> read = asset_from_gltf(document);
    ASSERT_FALSE(read);
    EXPECT_TRUE(read.error().text.starts_with("bar.glb: ")) << read.error().text;
    EXPECT_NE(read.error().text.find(damage.says), std::string::npos) << read.error().text;
  }
}

}  // namespace
}  // namespace crumple::io
