#include "crumple/rig/make_flat.h"

#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/io/asset_check.h"

namespace crumple {
namespace {

/// A layer painted where `is_in` (pixels, x right and y down) says so.
FlatLayer flat_layer(const std::string& name, int width, int height, const std::function<bool(double, double)>& is_in) {
  auto picture = std::make_shared<Picture>(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) picture->pixel(x, y)[3] = is_in(x + 0.5, y + 0.5) ? 255 : 0;
  }
  auto image = std::make_shared<TextureImage>();
  image->name = name, image->mime = "image/png", image->picture = picture;
  return {name, image};
}

/// 240 x 40 pixels from (20, 20) on.
FlatLayer strip(const std::string& name = "strip") {
  return flat_layer(name, 280, 80, [](double x, double y) { return x > 20 && x < 260 && y > 20 && y < 60; });
}

Asset flat_rig(const std::vector<FlatLayer>& layers, const FlatSettings& settings, FlatReport* told = nullptr) {
  FlatReport report;
  const Result<Asset> asset = make_flat_rig(layers, settings, report);
  EXPECT_TRUE(asset) << asset.error().text;
  if (told) *told = report;
  return asset ? *asset : Asset();
}

std::string flat_complaint(const std::vector<FlatLayer>& layers, const FlatSettings& settings = {}) {
  FlatReport report;
  const Result<Asset> asset = make_flat_rig(layers, settings, report);
  EXPECT_TRUE(asset || asset.error().kind == Error::Kind::Input);
  return asset ? "" : asset.error().text;
}

FlatSettings with_handles(std::vector<FlatHandle> handles) {
  FlatSettings settings;
  settings.handles = std::move(handles);
  return settings;
}

int vertex_near(const Asset& asset, const Vec3& place) {
  size_t nearest = 0;
  for (size_t v = 0; v < asset.surface.positions.size(); ++v) {
    if ((asset.surface.positions[v] - place).norm() < (asset.surface.positions[nearest] - place).norm()) nearest = v;
  }
  return static_cast<int>(nearest);
}

/// What all weights must fulfil.
void expect_good_weights(const Asset& asset) {
  const size_t handles = asset.handles.size(), vertices = asset.surface.positions.size();
  ASSERT_GT(handles, 0u);
  ASSERT_EQ(asset.weights.size(), handles * vertices);
  for (size_t v = 0; v < vertices; ++v) {
    double sum = 0;
    for (size_t h = 0; h < handles; ++h) {
      EXPECT_GE(asset.weight(v, h), 0.0f);
      EXPECT_LE(asset.weight(v, h), 1.0f);
      sum += double{asset.weight(v, h)};
    }
    EXPECT_NEAR(sum, 1, 1e-5) << v;
  }
  for (const Triangle& t : asset.surface.triangles) {
    const Vec3 &a = asset.surface.positions[static_cast<size_t>(t[0])], b = asset.surface.positions[static_cast<size_t>(t[1])] - a, c = asset.surface.positions[static_cast<size_t>(t[2])] - a;
    EXPECT_GT(b.cross(c).z(), 0);
  }
  Asset checked = asset;
  const Result<void> fine = io::check_asset(checked, "test");
  EXPECT_TRUE(fine) << fine.error().text;
}

TEST(FlatRig, handles_hold_their_own_vertex_alone) {
  const std::vector<FlatHandle> handles = {{"a", {40, 40}, {}, ""}, {"b", {140, 40}, {}, ""}, {"c", {240, 40}, {}, ""}};
  FlatReport report;
  const Asset asset = flat_rig({strip()}, with_handles(handles), &report);
  expect_good_weights(asset);
  ASSERT_EQ(asset.handles.size(), 3u);
  for (size_t h = 0; h < 3; ++h) {
    EXPECT_EQ(asset.handles[h].name, handles[h].name);
    const auto v = static_cast<size_t>(vertex_near(asset, asset.handles[h].position));
    EXPECT_LT((asset.surface.positions[v] - asset.handles[h].position).norm(), 1e-6) << "the mesh has a vertex there";
    for (size_t other = 0; other < 3; ++other) EXPECT_EQ(asset.weight(v, other), h == other ? 1.0f : 0.0f);
  }
  EXPECT_LE(report.weights_residual, 1e-5);
  EXPECT_EQ(report.islands, 1u);
  EXPECT_EQ(report.vertices, asset.surface.positions.size());
  EXPECT_EQ(report.triangles, asset.surface.triangles.size());
  EXPECT_GE(report.smallest_angle, 20);
  EXPECT_TRUE(report.warnings.empty());
  ASSERT_EQ(asset.examples.size(), 1u);
  EXPECT_EQ(asset.examples[0].name, "rest");
}

TEST(FlatRig, is_in_metres_around_the_middle_of_the_picture) {
  FlatSettings settings = with_handles({{"a", {40, 30}, {}, ""}});
  const Asset asset = flat_rig({strip()}, settings);
  EXPECT_LT((asset.handles[0].position - Vec3(-100.0 / 256, 10.0 / 256, 0)).norm(), 1e-6);
  const Bounds bounds = bounds_of(asset.surface.positions);
  EXPECT_LT((bounds.low - Vec3(-120, -20, 0) / 256).cwiseAbs().maxCoeff(), 2.0 / 256);
  EXPECT_LT((bounds.high - Vec3(120, 20, 0) / 256).cwiseAbs().maxCoeff(), 2.0 / 256);
  settings.height = 8;  // 80 pixels
  EXPECT_LT((flat_rig({strip()}, settings).handles[0].position - Vec3(-10, 1, 0)).norm(), 1e-5);
}

TEST(FlatRig, texture_coordinates_are_the_places_in_the_picture) {
  const Asset asset = flat_rig({strip()}, {});
  ASSERT_EQ(asset.surface.uvs.size(), asset.surface.positions.size());
  for (size_t v = 0; v < asset.surface.positions.size(); ++v) {
    const Vec3 p = 256 * asset.surface.positions[v];
    EXPECT_NEAR(asset.surface.uvs[v].x(), (p.x() + 140) / 280, 1e-5);
    EXPECT_NEAR(asset.surface.uvs[v].y(), (40 - p.y()) / 80, 1e-5) << "v runs down";
  }
}

TEST(FlatRig, weights_of_two_ends_rise_along_a_strip_as_a_cubic) {
  // Bones across the ends: the weights depend on x alone. The least integral of squared second derivatives from 0 to 1, without a slope at the ends, is
  // that of 3 t^2 - 2 t^3.
  const Asset asset = flat_rig({strip()}, with_handles({{"left", {20.5, 20.5}, Vec2(20.5, 59.5), ""}, {"right", {259.5, 20.5}, Vec2(259.5, 59.5), ""}}));
  expect_good_weights(asset);
  for (size_t v = 0; v < asset.surface.positions.size(); ++v) {
    const double x = 256 * asset.surface.positions[v].x(), t = std::clamp(0.5 + x / 240, 0.0, 1.0);
    EXPECT_NEAR(asset.weight(v, 1), 3 * t * t - 2 * t * t * t, 0.03) << x;
    for (size_t w = 0; w < asset.surface.positions.size(); ++w) {
      const bool is_right = asset.surface.positions[w].x() > asset.surface.positions[v].x() + 10.0 / 256;
      EXPECT_TRUE(!is_right || asset.weight(w, 1) >= asset.weight(v, 1) - 1e-3f) << v << ", " << w;
    }
  }
}

TEST(FlatRig, a_bone_holds_all_vertices_along_it) {
  const Asset asset = flat_rig({strip()}, with_handles({{"spine", {60, 40}, Vec2(160, 40), ""}, {"tip", {250, 40}, {}, ""}}));
  expect_good_weights(asset);
  for (double x = 60; x <= 160; x += 10) {
    const Vec3 place((x - 140) / 256, 0, 0);
    const auto v = static_cast<size_t>(vertex_near(asset, place));
    EXPECT_GT(asset.weight(v, 0), 0.95f) << x;
  }
  EXPECT_LT((asset.handles[0].position - Vec3(-80.0 / 256, 0, 0)).norm(), 1e-6);
}

TEST(FlatRig, weights_go_around_a_hole) {
  const FlatLayer ring = flat_layer("ring", 200, 200, [](double x, double y) {
    const double r = std::hypot(x - 100, y - 100);
    return r > 50 && r < 90;
  });
  const Asset asset = flat_rig({ring}, with_handles({{"left", {30, 100}, {}, ""}, {"right", {170, 100}, {}, ""}, {"top", {100, 30}, {}, ""}}));
  expect_good_weights(asset);
  const auto bottom = static_cast<size_t>(vertex_near(asset, Vec3(0, -70, 0) / 256));
  EXPECT_NEAR(asset.weight(bottom, 0), asset.weight(bottom, 1), 0.05) << "alike from both sides";
  EXPECT_LT(asset.weight(bottom, 2), 0.1f) << "the way from the top is blocked by the others";
}

TEST(FlatRig, thin_drawings_have_weights_too) {
  for (const int thick : {1, 2, 3}) {
    const FlatLayer line = flat_layer("line", 220, 120, [=](double x, double y) { return x > 10 && x < 210 && std::abs(y - 60 - 40 * std::sin(x / 25)) < 0.5 * thick + 0.3; });
    const Asset asset = flat_rig({line}, with_handles({{"left", {12.5, std::floor(60 + 40 * std::sin(0.5)) + 0.5}, {}, ""}}));
    expect_good_weights(asset);
  }
}

TEST(FlatRig, every_island_has_a_handle_and_no_weight_of_another) {
  const FlatLayer islands = flat_layer("eyes", 300, 100, [](double x, double y) { return std::hypot(x - 50, y - 50) < 30 || std::hypot(x - 150, y - 50) < 30 || std::hypot(x - 250, y - 50) < 30; });
  FlatReport report;
  const Asset asset = flat_rig({islands}, with_handles({{"first", {50, 50}, {}, ""}}), &report);
  expect_good_weights(asset);
  EXPECT_EQ(report.islands, 3u);
  ASSERT_EQ(asset.handles.size(), 3u);
  for (size_t v = 0; v < asset.surface.positions.size(); ++v) {
    for (size_t h = 0; h < 3; ++h) {
      const bool is_same = std::abs(asset.surface.positions[v].x() - asset.handles[h].position.x()) < 50.0 / 256;
      EXPECT_EQ(asset.weight(v, h), is_same ? 1.0f : 0.0f);
    }
  }
  std::set<std::string> names;
  for (const Handle& handle : asset.handles) names.insert(handle.name);
  EXPECT_EQ(names.size(), 3u) << "each has a name of its own";
}

TEST(FlatRig, further_handles_are_spread_over_the_drawing) {
  FlatSettings settings = with_handles({{"a", {40, 40}, {}, ""}});
  settings.chosen = 5;
  const Asset asset = flat_rig({strip()}, settings);
  expect_good_weights(asset);
  ASSERT_EQ(asset.handles.size(), 5u);
  for (size_t a = 0; a < 5; ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_GT((asset.handles[a].position - asset.handles[b].position).norm(), 20.0 / 256);
  }
  EXPECT_GT(asset.handles[1].position.x(), 110.0 / 256) << "the second is farthest from the first";
  settings.chosen = 100000;  // more than there are vertices
  settings.outline.edge = 40;
  const Asset full = flat_rig({strip()}, settings);
  expect_good_weights(full);
  EXPECT_EQ(full.handles.size(), full.surface.positions.size());
}

/// A body below and an arm above, which overlap from x = 100 to 120.
std::vector<FlatLayer> body_and_arm() {
  return {flat_layer("body", 240, 100, [](double x, double y) { return x > 10 && x < 120 && y > 20 && y < 80; }),
          flat_layer("arm", 240, 100, [](double x, double y) { return x > 100 && x < 230 && y > 30 && y < 70; })};
}

TEST(FlatRig, layers_have_their_own_vertices_materials_and_weights) {
  const Asset asset = flat_rig(body_and_arm(), with_handles({{"a", {40, 50}, {}, ""}, {"b", {110, 50}, {}, ""}, {"c", {110, 50}, {}, "body"}}));
  expect_good_weights(asset);
  ASSERT_TRUE(asset.flat);
  EXPECT_EQ(asset.flat->layers, (std::vector<std::string>{"body", "arm"}));
  EXPECT_TRUE(std::is_sorted(asset.flat->layer.begin(), asset.flat->layer.end()));
  ASSERT_TRUE(asset.surface.materials);
  ASSERT_EQ(asset.surface.materials->size(), 2u);
  for (size_t t = 0; t < asset.surface.triangles.size(); ++t) {
    for (const int v : asset.surface.triangles[t]) EXPECT_EQ(asset.flat->layer[static_cast<size_t>(v)], asset.surface.material_of(t));
  }
  EXPECT_EQ((*asset.surface.materials)[1].color_texture.image->name, "arm");
  EXPECT_EQ((*asset.surface.materials)[1].alpha_mode, AlphaMode::Blend);
  for (size_t v = 0; v < asset.surface.positions.size(); ++v) {
    const bool is_arm = asset.flat->layer[v] == 1;
    EXPECT_EQ(asset.weight(v, 1) > 0, is_arm) << "b is the topmost at its place: of the arm";
    if (is_arm) {
      EXPECT_EQ(asset.weight(v, 2), 0.0f);
    }
  }
}

TEST(FlatRig, pins_join_a_vertex_with_the_same_place_of_another_layer) {
  struct Case {
    FlatPin pin;
    int layer, to;
  };
  const Case cases[] = {{{"shoulder", {110, 50}, "", ""}, 1, 0}, {{"shoulder", {110, 50}, "arm", "body"}, 1, 0}, {{"shoulder", {110, 50}, "body", "arm"}, 0, 1},
                        {{"shoulder", {110, 50}, "arm", ""}, 1, 0}, {{"shoulder", {110, 50}, "body", ""}, 0, 1}, {{"shoulder", {110, 50}, "", "body"}, 1, 0}};
  for (const Case& one : cases) {
    SCOPED_TRACE(fmt::format("\"{}\" to \"{}\"", one.pin.layer, one.pin.to));
    FlatSettings settings;
    settings.pins = {one.pin};
    const Asset asset = flat_rig(body_and_arm(), settings);
    ASSERT_TRUE(asset.flat);
    ASSERT_EQ(asset.flat->pins.size(), 1u);
    const Pin& pin = asset.flat->pins[0];
    EXPECT_EQ(pin.name, "shoulder");
    EXPECT_EQ(asset.flat->layer[static_cast<size_t>(pin.vertex)], one.layer);
    Vec3 place = Vec3::Zero();
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(asset.flat->layer[static_cast<size_t>(pin.triangle[k])], one.to);
      place += pin.shares[static_cast<int>(k)] * asset.surface.positions[static_cast<size_t>(pin.triangle[k])];
    }
    EXPECT_LT((place - asset.surface.positions[static_cast<size_t>(pin.vertex)]).norm(), 1e-6);
    EXPECT_LT((place - Vec3(-10, 0, 0) / 256).norm(), 1e-5) << "the mesh has a vertex at the pin";
  }
}

TEST(FlatRig, says_what_is_wrong) {
  const auto with_pin = [](FlatPin pin) {
    FlatSettings settings;
    settings.pins = {std::move(pin)};
    return settings;
  };
  const std::tuple<std::vector<FlatLayer>, FlatSettings, std::string> cases[] = {
      {{}, {}, "there is no picture"},
      {std::vector<FlatLayer>(65, strip()), {}, "65 layers are too many; at most 64"},
      {{{"empty", nullptr}}, {}, "layer \"empty\" has no picture"},
      {{strip(), body_and_arm()[0]}, {}, "layer \"body\" has 240 x 100 pixels and \"strip\" 280 x 80"},
      {{flat_layer("clear", 64, 64, [](double, double) { return false; })}, {}, "is transparent everywhere"},
      {{strip(), flat_layer("clear", 280, 80, [](double, double) { return false; })}, {}, "layer \"clear\" is transparent everywhere"},
      {{flat_layer("dot", 64, 64, [](double x, double y) { return x > 30 && x < 31 && y > 30 && y < 31; })}, {}, "nothing in it is larger than 16 pixels"},
      {{flat_layer("spray", 400, 400, [](double x, double y) { return std::fmod(x, 20) < 8 && std::fmod(y, 20) < 8; })}, {}, "more than 200 separate islands are painted"},
      {{strip()}, with_handles({{"a", {5, 5}, {}, ""}}), "handle \"a\" at (5, 5) is outside of the drawing, which has 280 x 80 pixels"},
      {{strip()}, with_handles({{"a", {-40, 40}, {}, ""}}), "handle \"a\" at (-40, 40) is outside of the drawing"},
      {{strip()}, with_handles({{"a", {1e300, 40}, {}, ""}}), "handle \"a\" at (1e+300, 40) is outside of the drawing"},
      {{strip()}, with_handles({{"a", {40, 40}, {}, "strap"}}), "handle \"a\" asks for the layer \"strap\"; there are strip"},
      {body_and_arm(), with_handles({{"a", {40, 50}, {}, "arm"}}), "handle \"a\" at (40, 50) is outside of what layer \"arm\" shows"},
      {{strip()}, with_handles({{"a", {40, 40}, Vec2(270, 40), ""}}), "the end of bone \"a\" at (270, 40) is outside of what layer \"strip\" shows"},
      {{strip()}, with_handles({{"a", {40, 40}, {}, ""}, {"b", {40, 40}, {}, ""}}), "handle \"b\" at (40, 40) lies where another one is"},
      {{strip()}, with_pin({"p", {5, 5}, "", ""}), "pin \"p\" at (5, 5) is outside of the drawing"},
      {{strip()}, with_pin({"p", {40, 40}, "", ""}), "pin \"p\" at (40, 40) has no layer to be pinned to: only \"strip\" is painted there"},
      {{strip()}, with_pin({"p", {40, 40}, "strip", "strip"}), "pin \"p\" joins layer \"strip\" with itself"},
      {body_and_arm(), with_pin({"p", {40, 50}, "", ""}), "pin \"p\" at (40, 50) has no layer to be pinned to: only \"body\" is painted there"},
      {body_and_arm(), with_pin({"p", {40, 50}, "body", "arm"}), "pin \"p\" at (40, 50) is outside of what layer \"arm\" shows"},
      {body_and_arm(), with_pin({"p", {110, 50}, "leg", ""}), "pin \"p\" asks for the layer \"leg\"; there are body, arm"},
  };
  for (const auto& [layers, settings, begin] : cases) EXPECT_EQ(flat_complaint(layers, settings).rfind(begin, 0), 0u) << begin << " / " << flat_complaint(layers, settings);
}

TEST(FlatRig, specks_are_left_out_with_a_warning) {
  FlatReport report;
  flat_rig({flat_layer("dust", 128, 128, [](double x, double y) { return std::hypot(x - 64, y - 64) < 40 || (x > 120 && x < 122 && y > 120 && y < 121); })}, {}, &report);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("1 specks"), std::string::npos) << report.warnings[0];
}

TEST(FlatRig, is_the_same_for_any_number_of_threads) {
  FlatSettings settings;
  settings.chosen = 5;
  const int before = thread_count();
  std::vector<Asset> assets;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    assets.push_back(flat_rig(body_and_arm(), settings));
  }
  set_thread_count(before);
  EXPECT_EQ(assets[0].weights, assets[1].weights);
  EXPECT_EQ(assets[0].surface.positions, assets[1].surface.positions);
}

}  // namespace
}  // namespace crumple
