#include "crumple/geometry/tet_mesh.h"
#include "crumple/geometry/tet_quality.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/asset.h"
#include "crumple/rig/skin.h"

#include "assets/generator/crate.h"
#include "assets/generator/drum.h"
#include "assets/generator/measure.h"
#include "assets/generator/ramp.h"
#include "crumple/geometry/extrude.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "tests/shapes.h"

using namespace crumple;
using namespace crumple::generator;

namespace {

using Edge = std::pair<int, int>;

std::map<Triangle, int> count_faces(const TetMesh& mesh) {
  std::map<Triangle, int> faces;
  for (const Tetrahedron& t : mesh.tets) {
    for (Triangle face : {Triangle{t[0], t[1], t[2]}, Triangle{t[0], t[1], t[3]}, Triangle{t[0], t[2], t[3]}, Triangle{t[1], t[2], t[3]}}) {
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
  }
  return faces;
}

// True if each edge is passed as often one way as the other: closed, and all triangles face the same side.
bool is_closed(const std::vector<Triangle>& triangles) {
  std::map<Edge, int> balance;
  for (const Triangle& t : triangles)
    for (int i = 0; i < 3; ++i) t[i] < t[(i + 1) % 3] ? ++balance[{t[i], t[(i + 1) % 3]}] : --balance[{t[(i + 1) % 3], t[i]}];
  return std::all_of(balance.begin(), balance.end(), [](const auto& edge) { return edge.second == 0; });
}

// Vertices doubled at creases are one again.
std::vector<Triangle> welded(const TriMesh& mesh) {
  std::map<std::array<double, 3>, int> first;
  const auto index = [&](int i) { return first.try_emplace({mesh.positions[i].x(), mesh.positions[i].y(), mesh.positions[i].z()}, i).first->second; };
  std::vector<Triangle> triangles;
  for (const Triangle& t : mesh.triangles) triangles.push_back({index(t[0]), index(t[1]), index(t[2])});
  return triangles;
}

size_t turned_handles(const Example& example) {
  const auto turns = turns_of(example);
  return size_t(std::count_if(turns.begin(), turns.end(), [](double turn) { return turn > 5; }));
}

int nearest_vertex(const TetMesh& mesh, const Vec3& place) {
  const auto nearer = [&](const Vec3& a, const Vec3& b) { return (a - place).squaredNorm() < (b - place).squaredNorm(); };
  return int(std::min_element(mesh.positions.begin(), mesh.positions.end(), nearer) - mesh.positions.begin());
}

class GeneratedAsset : public testing::TestWithParam<Asset (*)()> {
 protected:
  const Asset asset = GetParam()();
  const Skin skin = build_skin(asset);
};

INSTANTIATE_TEST_SUITE_P(all, GeneratedAsset, testing::Values(&make_drum, &make_crate),
                         [](const auto& given) { return given.param == &make_drum ? std::string("drum") : std::string("crate"); });

}  // namespace

TEST(RoundedRamp, is_smooth_and_its_hats_sum_to_one) {
  const double step = 1e-6;
  for (double t = -0.2; t < 1.2; t += 0.01) {
    EXPECT_NEAR(hat(t) + hat(t - 1), t < 0 ? hat(t) : t > 1 ? hat(t - 1) : 1.0, 1e-15);
    const double before = (rounded_ramp(t) - rounded_ramp(t - step)) / step, after = (rounded_ramp(t + step) - rounded_ramp(t)) / step;
    EXPECT_NEAR(before, after, 1e-4) << t;
  }
}

TEST_P(GeneratedAsset, tetrahedra_are_sound_and_fit_together) {
  for (const Tetrahedron& tet : asset.tets.tets) {
    EXPECT_GT(tet_volume(asset.tets.positions, tet), 0);
    EXPECT_GT(tet_quality(asset.tets.positions, tet), 0.6);
  }
  size_t outside = 0;
  for (const auto& [face, uses] : count_faces(asset.tets)) {
    EXPECT_LE(uses, 2);
    outside += uses == 1;
  }
  const auto boundary = boundary_faces(asset.tets);
  EXPECT_EQ(boundary.size(), outside);
  EXPECT_TRUE(is_closed(boundary));
}

TEST_P(GeneratedAsset, weights_are_shares_that_sum_to_one) {
  ASSERT_EQ(asset.weights.size(), asset.tets.positions.size() * asset.handles.size());
  for (size_t i = 0; i < asset.tets.positions.size(); ++i) {
    double sum = 0;
    for (size_t b = 0; b < asset.handles.size(); ++b) {
      EXPECT_GE(asset.weight(i, b), 0);
      EXPECT_LE(asset.weight(i, b), 1);
      sum += asset.weight(i, b);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST_P(GeneratedAsset, each_handle_holds_its_own_place_alone) {
  for (size_t b = 0; b < asset.handles.size(); ++b) {
    const int vertex = nearest_vertex(asset.tets, asset.handles[b].position);
    const double away = (asset.tets.positions[vertex] - asset.handles[b].position).norm();  // two of four rim handles are between vertices
    EXPECT_LT(away, 0.04);
    EXPECT_NEAR(asset.weight(size_t(vertex), b), 1, away < 1e-9 ? 1e-6 : 0.02) << asset.handles[b].name;
  }
}

TEST_P(GeneratedAsset, surface_is_closed_faces_outwards_and_lies_in_the_solid) {
  EXPECT_TRUE(is_closed(welded(asset.surface)));
  EXPECT_GT(enclosed_volume(asset.surface), 0);
  EXPECT_GE(asset.surface.positions.size(), 3000u);
  EXPECT_LE(asset.surface.positions.size(), 5000u);
  for (const auto& weights : embed(asset.tets, asset.surface.positions).weights)
    for (const float weight : weights) EXPECT_GT(weight, -0.05);
}

TEST_P(GeneratedAsset, first_example_is_rest_and_the_others_turn_handles) {
  const auto rest = example_shape(skin, 0);
  for (size_t i = 0; i < rest.size(); ++i) EXPECT_LT((rest[i] - asset.tets.positions[i]).norm(), 1e-6);
  size_t turned = 0;
  for (size_t e = 1; e < asset.examples.size(); ++e) {
    EXPECT_EQ(asset.examples[e].handles.size(), asset.handles.size());
    EXPECT_GE(turned_handles(asset.examples[e]), 4u) << asset.examples[e].name;
    turned += turned_handles(asset.examples[e]);
  }
  EXPECT_GE(turned, 40u);
}

TEST_P(GeneratedAsset, nothing_turns_inside_out_at_an_example_or_half_way_between_two) {
  for (int e = 1; e < skin.examples; ++e) {
    EXPECT_EQ(inverted_count(asset.tets, example_shape(skin, e)), 0) << asset.examples[e].name;
    for (int other = 0; other < e; ++other)
      EXPECT_EQ(inverted_count(asset.tets, blended(skin, e, 0.5, other)), 0) << asset.examples[e].name << ", " << asset.examples[other].name;
  }
}

TEST_P(GeneratedAsset, local_damage_turns_almost_nothing_inside_out) {
  const auto faces = boundary_faces(asset.tets);
  for (int e = 1; e < skin.examples; ++e) {
    for (size_t i = 0; i < faces.size(); i += 97) {
      const int inverted = inverted_count(asset.tets, blended_around(skin, asset.tets, e, asset.tets.positions[faces[i][0]], 0.4));
      EXPECT_LE(inverted, 0.02 * double(asset.tets.tets.size())) << asset.examples[e].name;
    }
  }
}

TEST_P(GeneratedAsset, a_hit_from_any_side_finds_an_example_that_gives_way) {
  const Coverage coverage = coverage_of(skin, asset.tets);
  for (size_t k = 0; k < coverage.vertices.size(); ++k) {
    const Vec3 place = asset.tets.positions[size_t(coverage.vertices[k])];
    EXPECT_GT(coverage.cosines[k], std::cos(radians(65))) << place.transpose();
    EXPECT_GT(coverage.depths[k], 0.02) << place.transpose();
  }
}

TEST_P(GeneratedAsset, is_the_same_as_the_file_among_the_assets) {
  const std::filesystem::path file = std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / (asset.name + ".glb");
  const auto read = io::read_asset(file);
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->tets.tets, asset.tets.tets);
  ASSERT_EQ(read->surface.triangles, asset.surface.triangles);
  ASSERT_EQ(read->handles.size(), asset.handles.size());
  ASSERT_EQ(read->examples.size(), asset.examples.size());
  ASSERT_EQ(read->weights.size(), asset.weights.size());
  for (size_t i = 0; i < asset.tets.positions.size(); ++i) EXPECT_LT((read->tets.positions[i] - asset.tets.positions[i]).norm(), 1e-6);
  for (size_t i = 0; i < asset.weights.size(); ++i) EXPECT_NEAR(read->weights[i], asset.weights[i], 1e-6);
  for (size_t i = 0; i < asset.surface.positions.size(); ++i) EXPECT_LT((read->surface.positions[i] - asset.surface.positions[i]).norm(), 1e-6);
  for (size_t e = 0; e < asset.examples.size(); ++e) {
    EXPECT_EQ(read->examples[e].name, asset.examples[e].name);
    for (size_t b = 0; b < asset.handles.size(); ++b) {
      EXPECT_LT((read->examples[e].handles[b].translation - asset.examples[e].handles[b].translation).norm(), 1e-6);
      EXPECT_LT(read->examples[e].handles[b].rotation.angularDistance(asset.examples[e].handles[b].rotation), 1e-3);
    }
  }
  EXPECT_LT((read->color - asset.color).norm(), 1e-6);
  EXPECT_NEAR(read->metal, asset.metal, 1e-6);
  EXPECT_NEAR(read->roughness, asset.roughness, 1e-6);
}

TEST(GeneratedDrum, encloses_nearly_the_volume_of_a_cylinder) {
  const double cylinder = std::numbers::pi * kDrumRadius * kDrumRadius * kDrumHeight;
  EXPECT_NEAR(total_volume(make_drum().tets) / cylinder, 1, 0.01);  // a prism of 30 sides holds 0.7 % less
}

TEST(GeneratedCrate, fills_its_box) {
  EXPECT_NEAR(total_volume(make_crate().tets), kCrateSize.prod(), 1e-12);
}
