// Skeletons found in shapes, and bodies divided by them.
#include <array>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "crumple/rig/division.h"
#include "tests/rigid/tet_lattice.h"

namespace crumple {
namespace {

using rigid::testing::lattice;

/// Cells near some straight lines.
struct Rods {
  std::vector<std::array<Vec3, 2>> lines;
  double radius = 0;

  bool operator()(const Vec3& p) const {
    for (const auto& [a, b] : lines) {
      const Vec3 along = b - a;
      const double share = std::clamp((p - a).dot(along) / along.squaredNorm(), 0.0, 1.0);
      if ((p - a - share * along).norm() < radius) return true;
    }
    return false;
  }
};

constexpr double kCell = 0.025;

TetMesh filled(const Rods& rods, const Vec3& size) {
  const auto count = [](double length) { return static_cast<int>(std::round(length / kCell)); };
  return lattice(count(size.x()), count(size.y()), count(size.z()), kCell, [&](int x, int y, int z) { return rods(kCell * Vec3(x + 0.5, y + 0.5, z + 0.5)); });
}

/// How many bones meet at each node.
std::vector<int> degrees(const Skeleton& skeleton) {
  std::vector<int> result(skeleton.nodes.size(), 0);
  for (const auto& [a, b] : skeleton.bones) ++result[static_cast<size_t>(a)], ++result[static_cast<size_t>(b)];
  return result;
}

double nearest_node(const Skeleton& skeleton, const Vec3& place) {
  double least = 1e300;
  for (const Vec3& node : skeleton.nodes) least = std::min(least, (node - place).norm());
  return least;
}

TEST(Skeletons, a_plank_has_one_bone_along_it) {
  const TetMesh plank = lattice(60, 2, 6, kCell, [](int, int, int) { return true; });
  const Result<Skeleton> found = extract_skeleton(plank, 12);
  ASSERT_TRUE(found) << found.error().text;
  ASSERT_EQ(found->bones.size(), 1u);
  EXPECT_GT(length_of_bone(*found, 0), 0.85 * 60 * kCell);
  for (const Vec3& node : found->nodes) {
    EXPECT_NEAR(node.y(), kCell, 0.5 * kCell);
    EXPECT_NEAR(node.z(), 3 * kCell, kCell);
  }
}

TEST(Skeletons, a_fork_has_three_and_a_corner_two) {
  const Vec3 middle(0.6, 0.6, 0.1), left(0.1, 0.6, 0.1), right(1.1, 0.6, 0.1), below(0.6, 0.1, 0.1);
  const Result<Skeleton> fork = extract_skeleton(filled({{{left, middle}, {middle, right}, {middle, below}}, 0.07}, {1.2, 0.8, 0.2}), 12);
  ASSERT_TRUE(fork) << fork.error().text;
  ASSERT_EQ(fork->bones.size(), 3u);
  for (const Vec3& end : {left, right, below, middle}) EXPECT_LT(nearest_node(*fork, end), 0.08) << end.transpose();
  const Result<Skeleton> corner = extract_skeleton(filled({{{left, middle}, {middle, below}}, 0.07}, {0.8, 0.8, 0.2}), 12);
  ASSERT_TRUE(corner) << corner.error().text;
  ASSERT_EQ(corner->bones.size(), 2u);
  for (const Vec3& end : {left, below, middle}) EXPECT_LT(nearest_node(*corner, end), 0.1) << end.transpose();
}

/// A tetrahedron of six rods.
Rods jack() {
  const std::array<Vec3, 4> corners = {Vec3(0.9, 0.9, 0.9), Vec3(0.9, 0.1, 0.1), Vec3(0.1, 0.9, 0.1), Vec3(0.1, 0.1, 0.9)};
  Rods rods{{}, 0.06};
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = i + 1; j < 4; ++j) rods.lines.push_back({corners[i], corners[j]});
  }
  return rods;
}

TEST(Skeletons, a_jack_has_six_bones_in_rings) {
  const Result<Skeleton> found = extract_skeleton(filled(jack(), {1, 1, 1}), 6);
  ASSERT_TRUE(found) << found.error().text;
  ASSERT_EQ(found->bones.size(), 6u);
  ASSERT_EQ(found->nodes.size(), 4u);
  for (const int degree : degrees(*found)) EXPECT_EQ(degree, 3);
  for (const auto& [a, b] : jack().lines) EXPECT_LT(nearest_node(*found, a) + nearest_node(*found, b), 0.2);
}

/// Head, two arms, two legs.
Rods figure() {
  const Vec3 neck(0.5, 0.9, 0.1), hips(0.5, 0.55, 0.1);
  return {{{neck, Vec3(0.5, 1.3, 0.1)}, {neck, Vec3(0.08, 0.9, 0.1)}, {neck, Vec3(0.92, 0.9, 0.1)}, {neck, hips}, {hips, Vec3(0.3, 0.08, 0.1)}, {hips, Vec3(0.7, 0.08, 0.1)}}, 0.06};
}

TEST(Skeletons, a_figure_has_its_limbs_and_keeps_the_longest_if_few_are_asked_for) {
  const TetMesh mesh = filled(figure(), {1, 1.4, 0.2});
  const Result<Skeleton> whole = extract_skeleton(mesh, 12);
  ASSERT_TRUE(whole) << whole.error().text;
  const std::vector<int> degree = degrees(*whole);
  EXPECT_EQ(std::count(degree.begin(), degree.end(), 1), 5) << "free ends";
  for (const Vec3& end : {Vec3(0.08, 0.9, 0.1), Vec3(0.92, 0.9, 0.1), Vec3(0.3, 0.08, 0.1), Vec3(0.7, 0.08, 0.1)}) EXPECT_LT(nearest_node(*whole, end), 0.1);
  for (const int most : {1, 2, 4}) {
    const Result<Skeleton> few = extract_skeleton(mesh, most);
    ASSERT_TRUE(few) << few.error().text;
    EXPECT_LE(static_cast<int>(few->bones.size()), most);
  }
}

TEST(Skeletons, bodies_in_two_parts_have_none) {
  const TetMesh two = lattice(20, 2, 2, kCell, [](int x, int, int) { return x < 8 || x > 12; });
  EXPECT_FALSE(extract_skeleton(two, 12));
}

TEST(Divisions, every_tetrahedron_belongs_to_one_connected_piece_and_shares_sum_to_one) {
  const TetMesh mesh = filled(jack(), {1, 1, 1});
  const Result<Skeleton> skeleton = extract_skeleton(mesh, 6);
  ASSERT_TRUE(skeleton);
  const Result<Division> division = divide_by_skeleton(mesh, *skeleton, 2);
  ASSERT_TRUE(division) << division.error().text;
  EXPECT_GT(division->count(), 10) << "four hubs, and some segments of six bones";
  std::map<int, double> volume;
  double all = 0;
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    const double v = tet_volume(mesh.positions, mesh.tets[t]);
    volume[division->of_tet[t]] += v, all += v;
  }
  EXPECT_EQ(static_cast<int>(volume.size()), division->count());
  double sum = 0;
  for (const auto& [piece, v] : volume) sum += v;
  EXPECT_NEAR(sum, all, 1e-12);
  ASSERT_EQ(division->shares.points(), mesh.positions.size());
  for (size_t p = 0; p < division->shares.points(); ++p) {
    float total = 0;
    for (int i = division->shares.first[p]; i < division->shares.first[p + 1]; ++i) {
      total += division->shares.share[static_cast<size_t>(i)];
      EXPECT_GE(division->shares.share[static_cast<size_t>(i)], 0);
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }
}

TEST(Divisions, sections_are_as_large_as_the_body_is_thick) {
  const TetMesh bar = lattice(40, 4, 8, kCell, [](int, int, int) { return true; });
  const Skeleton skeleton{{Vec3(0.05, 0.05, 0.1), Vec3(0.95, 0.05, 0.1)}, {{0, 1}}, {"bone"}};
  const Result<Division> division = divide_by_skeleton(bar, skeleton, 1);
  ASSERT_TRUE(division) << division.error().text;
  ASSERT_GT(division->links.size(), 3u);
  const double height = 4 * kCell, width = 8 * kCell;
  for (const DivisionLink& link : division->links) {
    EXPECT_TRUE(link.is_inner);
    EXPECT_NEAR(link.area, height * width, 0.05 * height * width);
    EXPECT_GT(std::abs(link.along.x()), 0.99);
    EXPECT_NEAR(link.spread(1, 1), height * height / 12, 0.2 * height * height / 12);
    EXPECT_NEAR(link.spread(2, 2), width * width / 12, 0.2 * width * width / 12);
    EXPECT_NEAR(link.at.y(), height / 2, 0.1 * height);
  }
}

}  // namespace
}  // namespace crumple
