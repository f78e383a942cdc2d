#include "crumple/geometry/point_tree.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/geometry/spacing.h"

namespace crumple {
namespace {

std::vector<Vec3> random_points(int count, uint64_t seed) {
  Random random(seed);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.emplace_back(random.range(-1, 1), random.range(-1, 1), random.range(-0.01, 0.01));
  return points;
}

TEST(PointTree, finds_what_a_look_at_all_points_finds) {
  const std::vector<Vec3> points = random_points(500, 1), places = random_points(200, 2);
  Random random(3);
  std::vector<double> radii;
  for (size_t i = 0; i < points.size(); ++i) radii.push_back(random.range(0, 0.2));
  const PointTree plain(points), balls(points, radii);
  for (const Vec3& place : places) {
    std::vector<double> distances, to_balls;
    for (size_t i = 0; i < points.size(); ++i) distances.push_back((points[i] - place).norm()), to_balls.push_back(distances.back() - radii[i]);
    const PointTree::Hit ball = balls.nearest(place);
    EXPECT_EQ(ball.distance, *std::min_element(to_balls.begin(), to_balls.end()));
    EXPECT_EQ(ball.distance, to_balls[static_cast<size_t>(ball.point)]);
    const int nearest = plain.nearest(place).point, second = plain.nearest(place, 1e300, nearest).point;
    const std::vector<PointTree::Hit> few = plain.nearest_few(place, 9, 0.15);
    std::vector<double> sorted = distances;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(distances[static_cast<size_t>(nearest)], sorted[0]);
    EXPECT_EQ(distances[static_cast<size_t>(second)], sorted[1]);
    EXPECT_EQ(few.size(), std::min<size_t>(9, static_cast<size_t>(std::lower_bound(sorted.begin(), sorted.end(), 0.15) - sorted.begin())));
    for (size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i].distance, sorted[i]);
    EXPECT_EQ(plain.nearest(place, 0.5 * sorted[0]).point, -1);
  }
}

TEST(PointTree, many_points_in_one_place_are_no_burden) {
  const PointTree tree(std::vector<Vec3>(200000, Vec3(1, 2, 3)));
  EXPECT_EQ(tree.nearest(Vec3(1, 2, 4)).distance, 1);
  EXPECT_EQ(tree.nearest_few(Vec3(1, 2, 3), 5).size(), 5u);
  EXPECT_EQ(PointTree(std::vector<Vec3>()).nearest(Vec3::Zero()).point, -1);
}

TEST(Spacing, is_that_of_a_grid_and_names_the_nearest_two) {
  std::vector<Vec3> grid;
  for (int i = 0; i < 1000; ++i) grid.push_back(0.1 * Vec3(i % 10, i / 10 % 10, i / 100));
  grid.emplace_back(1000, 0, 0);  // one far away
  grid[123] += Vec3(0.04, 0, 0);
  const Spacing spacing = measure_spacing(grid);
  EXPECT_NEAR(spacing.usual, 0.1, 1e-12);
  EXPECT_NEAR(spacing.least, 0.06, 1e-12);
  EXPECT_EQ(spacing.a, 123);
  EXPECT_EQ(spacing.b, 124);
}

}  // namespace
}  // namespace crumple
