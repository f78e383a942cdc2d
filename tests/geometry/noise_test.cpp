#include "crumple/geometry/noise.h"

#include <cmath>

#include <gtest/gtest.h>

namespace crumple {
namespace {

TEST(Noise, is_continuous_bounded_seeded_and_zero_on_average) {
  double sum = 0, squares = 0, steepest = 0;
  int differ = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const Vec3 place(0.37 * i, -0.61 * i, 0.13 * i);
    const double here = value_noise(place, 1);
    EXPECT_LE(std::abs(here), 1.0);
    steepest = std::max(steepest, std::abs(value_noise(place + Vec3(1e-4, 0, 0), 1) - here) / 1e-4);
    differ += here != value_noise(place, 2) ? 1 : 0;
    sum += here;
    squares += here * here;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_GT(squares / kCount, 0.02);
  EXPECT_LT(steepest, 3.01);  // 1.5 of the smooth step, times a difference of 2
  EXPECT_EQ(differ, kCount);
}

}  // namespace
}  // namespace crumple
