#include "crumple/geometry/tet_quality.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/skin.h"

#include "assets/generator/cruiser.h"
#include "assets/generator/fighter.h"
#include "assets/generator/measure.h"
#include "assets/generator/spaceship.h"
#include "tests/rig/made_asset.h"
#include "tests/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <tuple>

using namespace crumple;
using namespace crumple::generator;

namespace {

// Edges that are not run through once each way; vertices in one place count as one.
int open_edges(const TriMesh& mesh) {
  using Place = std::tuple<double, double, double>;
  std::map<std::pair<Place, Place>, int> runs;
  const auto place = [&](int v) { return Place{mesh.positions[v].x(), mesh.positions[v].y(), mesh.positions[v].z()}; };
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const Place a = place(t[k]), b = place(t[(k + 1) % 3]);
      a < b ? ++runs[{a, b}] : --runs[{b, a}];
    }
  return int(std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run.second != 0; }));
}

const Vec3f kPlainGrey = Vec3f::Constant(0.5f);

}  // namespace

TEST(Spaceship, a_hull_of_two_round_sections_has_the_volume_of_its_frustum) {
  const std::array<Section, 2> sections{{{-1, 0.5, 2, 2}, {5, 0.5, 1, 1}}};
  const int sides = 24;
  for (const double step : {10.0, 0.7}) {
    TriMesh mesh;
    add_loft(mesh, hull_rings(sections, round_outline(sides, 2), step), plain(kPlainGrey));
    const double polygon = 0.5 * sides * std::sin(2 * std::numbers::pi / sides);  // of radius 1
    EXPECT_NEAR(enclosed_volume(mesh), polygon * 6.0 / 3 * (4 + 2 + 1), 1e-9);
    EXPECT_EQ(open_edges(mesh), 0);
  }
}

TEST(Spaceship, wings_to_the_right_and_upwards_face_outwards_and_have_the_volume_of_their_lens) {
  for (const auto& [along, across] : {std::pair(Vec3(Vec3::UnitZ()), Vec3(Vec3::UnitY())), std::pair(Vec3(Vec3::UnitY()), Vec3(-Vec3::UnitZ()))}) {
    const std::array<Ring, 2> rings{wing_ring(Vec3(1, 0, 0), 2, 0.3, across), wing_ring(Vec3(1, 0, 0) + 4 * along, 2, 0.3, across)};
    TriMesh mesh;
    add_loft(mesh, rings, plain(kPlainGrey), {1, 2, 3, 4, 5});
    EXPECT_NEAR(enclosed_volume(mesh), 4 * 0.3 * 2 * (1 + 0.42) / 2, 1e-9);  // flat for 0.42 of the chord
    EXPECT_EQ(open_edges(mesh), 0);
  }
}

TEST(Spaceship, a_square_outline_grows_from_a_circle_to_a_box) {
  for (const auto& [z, y] : round_outline(12, 2)) EXPECT_NEAR(z * z + y * y, 1, 1e-12);
  for (const auto& [z, y] : round_outline(16, 200)) EXPECT_NEAR(std::max(std::abs(z), std::abs(y)), 1, 0.01);
}

TEST(Spaceship, the_cells_of_a_fighter_part_its_wings_whole) {
  const Bounds box{Vec3(-5, -1, -4), Vec3(5, 2.5, 4)};
  const std::vector<ConvexCell> cells = fighter_cells(box);
  const auto label_at = [&](const Vec3& point) {
    for (const ConvexCell& cell : cells)
      if (std::all_of(cell.sides.begin(), cell.sides.end(), [&](const HalfSpace& side) { return side.normal.dot(point) < side.offset; }))
        return cell.label;
    return -1;
  };
  std::set<int> labels;
  for (const double side : {1.0, -1.0}) {
    const int inner = label_at(Vec3(0, 0, side)), outer = label_at(Vec3(0, 0, 3 * side));
    for (const double x : {-4.0, 4.0}) {  // beyond the cuts across the hull
      EXPECT_EQ(label_at(Vec3(x, 0, side)), inner);
      EXPECT_EQ(label_at(Vec3(x, 0, 3 * side)), outer);
    }
    labels.insert({inner, outer});
  }
  for (const double x : {-4.0, 0.0, 4.0}) labels.insert(label_at(Vec3(x, 0, 0)));
  EXPECT_EQ(labels.size(), 7u);
  EXPECT_EQ(labels.count(-1), 0u);
}

struct MadeShip {
  std::string name;
  TriMesh (*surface)();
  std::vector<Handle> (*handles)();
  Vec3 size;  // about, metres
  int pieces = 0;
  double share = 0;  // of all pieces' volume: the smallest has at least this
};

class Spaceships : public testing::TestWithParam<MadeShip> {
 protected:
  const Asset asset_ = read_made_asset(GetParam().name);
};

TEST_P(Spaceships, the_file_draws_what_the_generator_draws) {
  expect_drawn(asset_, GetParam().surface(), GetParam().size, 0.02 * GetParam().size.x());
}

TEST_P(Spaceships, handles_are_where_they_were_placed_give_or_take_a_cell) {
  expect_handles(asset_, GetParam().handles(), GetParam().size.x() / 18);
}

TEST_P(Spaceships, weights_sum_to_one_and_copies_of_a_vertex_have_the_same) {
  ASSERT_TRUE(asset_.pieces.has_value());
  const size_t handles = asset_.handles.size();
  std::map<int, size_t> first;
  for (size_t v = 0; v < asset_.tets.positions.size(); ++v) {
    double sum = 0;
    const size_t other = first.try_emplace(asset_.pieces->origin[v], v).first->second;
    for (size_t h = 0; h < handles; ++h) {
      sum += asset_.weight(v, h);
      EXPECT_EQ(asset_.weight(v, h), asset_.weight(other, h));
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);
  }
}

TEST_P(Spaceships, pieces_are_closed_and_hang_together_by_links_of_some_size) {
  ASSERT_TRUE(asset_.pieces.has_value());
  const Pieces& pieces = *asset_.pieces;
  EXPECT_EQ(pieces.count(), GetParam().pieces);
  std::vector<double> volumes;
  double all = 0;
  for (const PieceSurface& piece : pieces.surfaces) {
    volumes.push_back(enclosed_volume(piece.skin) + enclosed_volume(piece.cut));
    all += volumes.back();
  }
  EXPECT_NEAR(all, enclosed_volume(asset_.surface), 0.01 * all);
  EXPECT_GT(*std::min_element(volumes.begin(), volumes.end()), GetParam().share * all);
  std::vector<int> root(size_t(pieces.count()));
  for (size_t i = 0; i < root.size(); ++i) root[i] = int(i);
  for (const PieceLink& link : pieces.links) {
    EXPECT_GT(link.area, 0.0005 * GetParam().size.x() * GetParam().size.x()) << link.a << " and " << link.b;
    std::replace(root.begin(), root.end(), root[size_t(link.b)], root[size_t(link.a)]);
  }
  EXPECT_EQ(std::count(root.begin(), root.end(), root[0]), pieces.count());
}

TEST_P(Spaceships, examples_damage_it_visibly_and_turn_nothing_inside_out) {
  ASSERT_GE(asset_.examples.size(), 1u + 5);
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

INSTANTIATE_TEST_SUITE_P(Generator, Spaceships,
                         testing::Values(MadeShip{"fighter", fighter_surface, fighter_handles, Vec3(8.02, 2.4, 7.44), 7, 0.01},
                                         MadeShip{"cruiser", cruiser_surface, cruiser_handles, Vec3(121.7, 45.5, 34), 13, 0.005}),
                         [](const auto& info) { return info.param.name; });
