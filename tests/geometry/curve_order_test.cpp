#include "crumple/geometry/curve_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "crumple/core/random.h"

namespace crumple {
namespace {

TEST(CurveOrder, goes_through_each_octant_before_the_next) {
  std::vector<Vec3> points;
  for (int x = 0; x < 4; ++x) {
    for (int y = 0; y < 4; ++y) {
      for (int z = 0; z < 4; ++z) points.push_back(Vec3(x, y, z) * 0.5 - Vec3(3, 1, 7));
    }
  }
  const std::vector<int> order = curve_order(points);
  for (size_t begin = 0; begin < order.size(); begin += 8) {
    Vec3 low = points[static_cast<size_t>(order[begin])], high = low;
    for (size_t k = begin; k < begin + 8; ++k) {
      low = low.cwiseMin(points[static_cast<size_t>(order[k])]), high = high.cwiseMax(points[static_cast<size_t>(order[k])]);
    }
    EXPECT_EQ(high - low, Vec3(0.5, 0.5, 0.5)) << "at " << begin;
  }
}

TEST(CurveOrder, has_everyone_once_and_neighbours_near) {
  Random random(3);
  std::vector<Vec3> points;
  for (int k = 0; k < 8000; ++k) points.push_back(Vec3(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)));
  std::vector<int> order = curve_order(points);
  double way = 0;
  for (size_t k = 1; k < order.size(); ++k) way += (points[static_cast<size_t>(order[k])] - points[static_cast<size_t>(order[k - 1])]).norm();
  EXPECT_LT(way / 8000, 0.25);  // they are 0.1 m apart; by chance it would be 1.3 m
  std::sort(order.begin(), order.end());
  std::vector<int> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

TEST(CurveOrder, leaves_points_of_one_place_as_they_are) {
  EXPECT_TRUE(curve_order({}).empty());
  EXPECT_EQ(curve_order(std::vector<Vec3>(3, Vec3(1, 2, 3))), (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace crumple
