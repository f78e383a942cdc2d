#include "crumple/geometry/bvh.h"
#include "crumple/geometry/tet_mesh.h"
#include "crumple/geometry/tet_quality.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/certificate.h"
#include "crumple/rig/skin.h"

#include "assets/generator/container.h"
#include "assets/generator/crane.h"
#include "assets/generator/measure.h"
#include "assets/generator/plank.h"
#include "assets/generator/sedan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>

using namespace crumple;
using namespace crumple::generator;

namespace {

/// What is promised of one asset. Most of a body must be able to follow a hit, but not all: the foot of a crane stands fast, and no plank
/// dents at its edges.
struct Promise {
  const char* name;
  TriMesh (*surface)();
  std::vector<Handle> (*handles)();
  std::vector<Sketch> (*examples)(const std::vector<Handle>&);
  double outside;  // metres that drawn edges may stick out of the tetrahedra
  double covered;  // share of the outer vertices where some example gives way by 2 % of the least side, within 75 degrees of inwards
};
constexpr Promise kPromises[] = {{"plank", plank_surface, plank_handles, plank_examples, 0.001, 0.94},
                                 {"sedan", sedan_surface, sedan_handles, sedan_examples, 0.003, 0.99},
                                 {"container", container_surface, container_handles, container_examples, 0.12, 0.97},
                                 {"crane", crane_surface, crane_handles, crane_examples, 0.5, 0.72}};

// Read once for all tests.
const Asset& file_of(const std::string& name) {
  static std::map<std::string, Asset> assets;
  const auto found = assets.find(name);
  if (found != assets.end()) return found->second;
  const auto read = io::read_asset(std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / (name + ".glb"));
  EXPECT_TRUE(read) << read.error().text;
  return assets[name] = read ? *read : Asset();
}

std::string names(const testing::TestParamInfo<Promise>& given) {
  return given.param.name;
}

class AuthoredAsset : public testing::TestWithParam<Promise> {
 protected:
  const Asset& asset = file_of(GetParam().name);
};
INSTANTIATE_TEST_SUITE_P(all, AuthoredAsset, testing::ValuesIn(kPromises), names);

// Each edge is passed as often one way as the other.
bool is_closed(const TriMesh& mesh) {
  std::map<std::tuple<double, double, double>, int> places;
  std::map<std::pair<int, int>, int> balance;
  const auto place = [&](int v) {
    const Vec3& p = mesh.positions[size_t(v)];
    return places.try_emplace({p.x(), p.y(), p.z()}, int(places.size())).first->second;
  };
  for (const Triangle& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      const int a = place(t[i]), b = place(t[(i + 1) % 3]);
      balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  return std::all_of(balance.begin(), balance.end(), [](const auto& edge) { return edge.second == 0; });
}

}  // namespace

TEST_P(AuthoredAsset, is_drawn_as_the_generator_models_it) {
  const TriMesh surface = GetParam().surface();
  ASSERT_EQ(asset.surface.triangles, surface.triangles);
  ASSERT_EQ(asset.surface.colors.size(), surface.colors.size());
  for (size_t i = 0; i < surface.positions.size(); ++i) {
    EXPECT_LT((asset.surface.positions[i] - surface.positions[i]).norm(), 1e-5);
    EXPECT_LT((asset.surface.colors[i] - surface.colors[i]).norm(), 1e-6f);
  }
}

TEST_P(AuthoredAsset, surface_is_closed_and_lies_in_the_solid) {
  EXPECT_TRUE(is_closed(GetParam().surface()));
  const auto weights = embed(asset.tets, asset.surface.positions).weights;
  const TriangleTree boundary(asset.tets.positions, boundary_faces(asset.tets));
  double farthest = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    if (*std::ranges::min_element(weights[i]) < 0) farthest = std::max(farthest, boundary.closest(asset.surface.positions[i]).distance);
  EXPECT_LT(farthest, GetParam().outside);
}

TEST_P(AuthoredAsset, tetrahedra_are_sound_and_in_one_piece) {
  const DihedralRange angles = dihedral_range(asset.tets);
  EXPECT_GT(angles.smallest, 8);
  EXPECT_LT(angles.largest, 165);
  for (const Tetrahedron& tet : asset.tets.tets) EXPECT_GT(tet_volume(asset.tets.positions, tet), 0);
  EXPECT_TRUE(non_manifold_vertices(boundary_faces(asset.tets)).empty());
  EXPECT_EQ(connected_parts(asset.tets), 1);
}

TEST_P(AuthoredAsset, weights_are_shares_with_a_certificate_that_holds) {
  for (size_t v = 0; v < asset.tets.positions.size(); ++v) {
    double sum = 0;
    for (size_t h = 0; h < asset.handles.size(); ++h) sum += asset.weight(v, h);
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  ASSERT_TRUE(asset.certificate);
  const auto check = measure_certificate(asset);
  ASSERT_TRUE(check) << check.error().text;
  EXPECT_LE(check->kkt_residual, std::max(1.01 * asset.certificate->kkt_residual, asset.certificate->noise_floor));
  EXPECT_LE(check->kkt_residual, 1e-4);
  EXPECT_EQ(check->outside_bounds, 0);
  EXPECT_EQ(check->held_error, 0);
  EXPECT_LT(check->weights_difference, 0.01);
}

TEST_P(AuthoredAsset, examples_are_those_that_the_design_sketches) {
  const std::vector<Handle> handles = GetParam().handles();
  ASSERT_EQ(asset.handles.size(), handles.size());
  for (size_t h = 0; h < handles.size(); ++h) EXPECT_EQ(asset.handles[h].name, handles[h].name);
  Asset posed = asset;
  posed.examples.resize(1);
  const auto done = add_examples(posed, GetParam().examples(asset.handles));
  ASSERT_TRUE(done) << done.error().text;
  ASSERT_EQ(asset.examples.size(), posed.examples.size());
  const double size = bounds_of(asset.tets.positions).diagonal();
  for (size_t e = 0; e < posed.examples.size(); ++e) {
    EXPECT_EQ(asset.examples[e].name, posed.examples[e].name);
    for (size_t h = 0; h < asset.handles.size(); ++h) {
      const HandleTransform &file = asset.examples[e].handles[h], &made = posed.examples[e].handles[h];
      const Vec3 at = asset.handles[h].position;
      EXPECT_LT((file.rotation * at + file.translation - made.rotation * at - made.translation).norm(), 1e-4 * size) << asset.handles[h].name;
      EXPECT_LT(file.rotation.angularDistance(made.rotation), 0.01) << asset.handles[h].name;
    }
  }
}

TEST_P(AuthoredAsset, has_two_to_six_examples_that_leave_nothing_inside_out) {
  const Skin skin = build_skin(asset);
  EXPECT_GE(asset.examples.size(), 3u);  // the first is the rest pose
  EXPECT_LE(asset.examples.size(), 7u);
  for (int e = 1; e < skin.examples; ++e) {
    EXPECT_EQ(inverted_count(asset.tets, example_shape(skin, e)), 0) << asset.examples[size_t(e)].name;
    EXPECT_EQ(inverted_count(asset.tets, blended(skin, e, 0.5)), 0) << asset.examples[size_t(e)].name;
  }
}

TEST_P(AuthoredAsset, most_places_find_an_example_that_gives_way_to_a_hit) {
  const Coverage coverage = coverage_of(build_skin(asset), asset.tets);
  const Bounds box = bounds_of(asset.surface.positions);
  const double depth = 0.02 * (box.high - box.low).minCoeff();
  size_t covered = 0;
  for (size_t k = 0; k < coverage.vertices.size(); ++k)
    covered += coverage.cosines[k] > std::cos(75 * std::numbers::pi / 180) && coverage.depths[k] > depth;
  EXPECT_GT(double(covered) / double(coverage.vertices.size()), GetParam().covered);
}

// The others take the same way, but longer.
TEST(AuthoredContainer, is_the_same_as_the_file_among_the_assets) {
  const Asset& file = file_of("container");
  const auto made = make_container();
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_EQ(file.tets.tets, made->tets.tets);
  ASSERT_EQ(file.weights.size(), made->weights.size());
  for (size_t i = 0; i < file.tets.positions.size(); ++i) EXPECT_LT((file.tets.positions[i] - made->tets.positions[i]).norm(), 1e-6);
  for (size_t i = 0; i < file.weights.size(); ++i) EXPECT_NEAR(file.weights[i], made->weights[i], 0.003);  // what the default quality promises
}

TEST(Sketch, mirrored_exchanges_sides) {
  const std::vector<Handle> handles{{"door left", {1, 0, -1}}, {"door right", {1, 0, 1}}, {"roof", {0, 1, 0}}};
  const Quat turn(Eigen::AngleAxisd(0.3, Vec3::UnitY()));
  const Sketch left = Sketch("left", handles).carry({"door left"}, turn, Vec3::Zero()).move("roof", {0, 0, 0.5});
  const Sketch right = left.mirrored("right");
  const Sketch expected = Sketch("right", handles).carry({"door right"}, turn.inverse(), Vec3::Zero()).move("roof", {0, 0, -0.5});
  ASSERT_EQ(right.goals().size(), 2u);
  for (const auto& [name, goal] : expected.goals()) {
    ASSERT_TRUE(right.goals().contains(name));
    EXPECT_LT((right.goals().at(name).move - goal.move).norm(), 1e-15);
    EXPECT_EQ(right.goals().at(name).turn.has_value(), goal.turn.has_value());
    if (goal.turn) {
      EXPECT_LT(right.goals().at(name).turn->angularDistance(*goal.turn), 1e-12);
    }
  }
}

TEST(Author, names_the_handle_that_a_sketch_moves_and_there_is_not) {
  Asset asset = file_of("plank");
  const auto done = add_examples(asset, {Sketch("bent", asset.handles).move("tip", Vec3::UnitY())});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("\"tip\""), std::string::npos) << done.error().text;
}
