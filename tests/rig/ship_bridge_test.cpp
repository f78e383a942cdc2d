#include "crumple/geometry/tet_quality.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/math/single.h"
#include "crumple/rig/certificate.h"
#include "crumple/rig/skin.h"

#include "assets/generator/bridge.h"
#include "assets/generator/loft.h"
#include "assets/generator/measure.h"
#include "assets/generator/ship.h"
#include "assets/generator/ship_hull.h"
#include "tests/rig/made_asset.h"
#include "tests/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

using namespace crumple;
using namespace crumple::generator;

namespace {

const Vec3f kGrey = Vec3f::Constant(0.5f);

// A barge: a box with a flat bottom and upright sides.
HullLines barge_lines(double length, double half_breadth, double draught, double freeboard) {
  HullLines lines;
  lines.keel = [=](double) { return -draught; };
  lines.rail = [=](double) { return freeboard; };
  lines.stern = [=](double) { return -length / 2; };
  lines.stem = [=](double) { return length / 2; };
  lines.breadth = [=](double, double) { return half_breadth; };
  return lines;
}

}  // namespace

TEST(Loft, a_leaning_block_has_the_volume_of_its_prism) {
  TriMesh mesh;
  Block block = upright_block(Vec3(-1, 2, -3), Vec3(4, 4, 1));
  for (Vec3& corner : block.roof) corner.x() += 0.7;  // shear keeps the volume
  add_block(mesh, block, 0.6, kGrey);
  EXPECT_NEAR(enclosed_volume(mesh), 5 * 2 * 4, 1e-9);
  EXPECT_EQ(mesh.colors.size(), mesh.positions.size());
}

TEST(Loft, a_bar_has_the_volume_of_its_polygon_and_faces_outwards) {
  TriMesh mesh;
  const int sides = 7;
  add_bar(mesh, Vec3(1, 2, 3), Vec3(1, 2, 8), 0.4, sides, kGrey);
  EXPECT_NEAR(enclosed_volume(mesh), 5 * 0.5 * sides * 0.16 * std::sin(2 * std::numbers::pi / sides), 1e-9);
}

TEST(Loft, a_ring_has_the_volume_that_pappus_gives) {
  TriMesh mesh;
  add_ring(mesh, Vec3(3, -1, 2), Vec3(0.3, 1, 0.2), 2.0, 0.5, kGrey, 96, 96);
  EXPECT_NEAR(enclosed_volume(mesh), 2 * std::numbers::pi * 2.0 * std::numbers::pi * 0.25, 0.03);
}

TEST(Loft, neighbours_share_vertices_only_within_a_colour_and_a_fold) {
  const std::array shares{0.0, 0.5, 1.0};
  const Grid grid = flat_grid(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), shares, shares);
  const auto vertices = [&](const CellColor& color, const Folds& folds) {
    TriMesh mesh;
    add_sheet(mesh, grid, color, folds);
    EXPECT_EQ(mesh.triangles.size(), 8u);
    return mesh.positions.size();
  };
  EXPECT_EQ(vertices(plain(kGrey), {}), 9u);
  EXPECT_EQ(vertices(plain(kGrey), {{1}, {}}), 12u);
  EXPECT_EQ(vertices([](int, int column) { return column ? kGrey : Vec3f(kGrey * 0.5f); }, {}), 12u);
}

TEST(Loft, the_other_side_of_a_sheet_faces_outwards_too) {
  TriMesh mesh;
  const std::array shares{0.0, 1.0};
  const Grid starboard = flat_grid(Vec3(-2, -1, 1.5), Vec3(2, -1, 1.5), Vec3(2, 1, 1.5), Vec3(-2, 1, 1.5), shares, shares);
  add_sheet(mesh, starboard, plain(kGrey));
  add_sheet(mesh, mirrored(starboard), plain(kGrey));
  EXPECT_NEAR(enclosed_volume(mesh), 4 * 2 * 3 / 3.0, 1e-12);  // two of six sides as seen from the middle
}

TEST(Hull, a_barge_encloses_its_box_and_the_camber_of_its_deck) {
  HullBuild build;
  build.along = gathered_shares(6);
  build.bulwark = 0;
  build.deck_columns = 4;
  const double length = 20, half = 3, draught = 1.5, freeboard = 1;
  TriMesh mesh;
  const HullLines lines = barge_lines(length, half, draught, freeboard);
  add_hull(mesh, lines, build);
  double camber = 0;  // area under the deck's arch, which is drawn in chords
  for (int i = 0; i < 8; ++i) {
    const auto arch = [&](int k) { return 0.03 * half * (1 - std::pow(1 - k / 4.0, 2)); };
    camber += (arch(i) + arch(i + 1)) / 2 * (2 * half / 8);
  }
  // The slivers between the arch and the ends of the box are left open: they are as high as the camber.
  EXPECT_NEAR(enclosed_volume(mesh), length * (2 * half * (draught + freeboard) + camber), length / 3 * camber + 1e-9);
  const Bounds bounds = bounds_of(mesh.positions);
  EXPECT_NEAR(bounds.low.y(), -draught, 1e-12);
  EXPECT_NEAR(bounds.high.z(), half, 1e-12);
}

TEST(Hull, a_bulwark_takes_the_space_over_the_deck_away) {
  HullBuild build;
  build.along = gathered_shares(40);
  build.bulwark = 0.8;
  build.skin = 0.1;
  const double length = 20, half = 3, draught = 1.5, freeboard = 1;
  HullLines lines = barge_lines(length, half, draught, freeboard);
  lines.breadth = [=](double along, double) { return half * (1 - along); };  // a wedge: bulwarks meet at the stem
  TriMesh mesh;
  add_hull(mesh, lines, build);
  const double wedge = length * half * (draught + freeboard);
  const double well = 0.8 * length * (1 - 0.1 / half - 0.1 / length) * (half - 0.1);
  EXPECT_NEAR(enclosed_volume(mesh), wedge - well, 0.02 * wedge);
}

TEST(Single, numbers_rounded_side_by_side_are_floats) {
  std::vector<Vec3> points{Vec3(0.1, 0.2, 0.3), Vec3(1.1, 2.2, 3.3), Vec3(-4.7, 1e-7, 1e7 / 3)};
  for (Vec3& point : points) point = to_single(point);
  for (const Vec3& point : points)
    for (const double number : point) {
      const volatile float rounded = static_cast<float>(number);
      EXPECT_EQ(number, rounded);
    }
}

struct MadeAsset {
  std::string name;
  TriMesh (*surface)();
  std::vector<Handle> (*handles)();
  Vec3 size;  // about, metres
};

class ShipsAndBridge : public testing::TestWithParam<MadeAsset> {
 protected:
  const Asset asset_ = read_made_asset(GetParam().name);
};

TEST_P(ShipsAndBridge, the_file_draws_what_the_generator_draws) {
  expect_drawn(asset_, GetParam().surface(), GetParam().size, 0.6);
}

TEST_P(ShipsAndBridge, every_handle_is_where_it_was_placed_give_or_take_a_cell) {
  expect_handles(asset_, GetParam().handles(), GetParam().size.x() / 18);
}

TEST_P(ShipsAndBridge, the_solid_is_one_piece_and_holds_what_is_drawn) {
  EXPECT_EQ(connected_parts(asset_.tets), 1);
  EXPECT_EQ(inverted_count(asset_.tets, asset_.tets.positions), 0);
  EXPECT_GE(asset_.tets.tets.size(), 4000u);
  EXPECT_LE(asset_.tets.tets.size(), 12000u);
  // Rails, stays and a rudder stand out of the tetrahedra; they must not hang on those from afar.
  double farthest = 0;
  for (const auto& weights : embed(asset_.tets, asset_.surface.positions).weights)
    farthest = std::max(farthest, -double(*std::ranges::min_element(weights)));
  EXPECT_LT(farthest, 9);
}

TEST_P(ShipsAndBridge, weights_sum_to_one) {
  const size_t handles = asset_.handles.size();
  for (size_t v = 0; v < asset_.tets.positions.size(); ++v) {
    double sum = 0;
    for (size_t h = 0; h < handles; ++h) {
      sum += asset_.weight(v, h);
      EXPECT_GE(asset_.weight(v, h), 0.0f);
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);
  }
}

TEST_P(ShipsAndBridge, the_certificate_is_confirmed_by_measuring_again) {
  ASSERT_TRUE(asset_.certificate.has_value());
  const auto check = measure_certificate(asset_);
  ASSERT_TRUE(check) << (check ? "" : check.error().text);
  EXPECT_EQ(check->outside_bounds, 0);
  EXPECT_EQ(check->held_error, 0);
  EXPECT_LT(check->weights_difference, 2e-3);
  EXPECT_LE(check->kkt_residual, 1.01 * asset_.certificate->kkt_residual + 1e-9);
}

TEST_P(ShipsAndBridge, two_to_six_examples_damage_it_visibly_and_turn_nothing_inside_out) {
  ASSERT_GE(asset_.examples.size(), 1u + 2);
  ASSERT_LE(asset_.examples.size(), 1u + 6);
  const Skin skin = build_skin(asset_);
  for (int e = 1; e < skin.examples; ++e) {
    const std::vector<Vec3> shape = example_shape(skin, e);
    double farthest = 0;
    for (size_t i = 0; i < shape.size(); ++i) farthest = std::max(farthest, (shape[i] - asset_.tets.positions[i]).norm());
    EXPECT_GT(farthest, GetParam().size.x() / 20) << asset_.examples[e].name;
    EXPECT_EQ(inverted_count(asset_.tets, shape), 0) << asset_.examples[e].name;
    EXPECT_EQ(inverted_count(asset_.tets, blended(skin, e, 0.5)), 0) << asset_.examples[e].name << " half way";
    for (int other = e + 1; other < skin.examples; ++other)
      EXPECT_EQ(inverted_count(asset_.tets, blended(skin, e, 0.5, other)), 0) << asset_.examples[e].name << " and " << asset_.examples[other].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Generator, ShipsAndBridge,
                         testing::Values(MadeAsset{"small_ship", small_ship_surface, small_ship_handles, Vec3(14.4, 9.4, 5.4)},
                                         MadeAsset{"large_ship", large_ship_surface, large_ship_handles, Vec3(89.6, 31.9, 15.4)},
                                         MadeAsset{"bridge_deck", bridge_deck_surface, bridge_deck_handles, Vec3(24, 2.5, 8)}),
                         [](const auto& info) { return info.param.name; });
