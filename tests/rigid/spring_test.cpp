// The exact motion of a damped spring.
#include "crumple/rigid/spring.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace crumple::rigid {
namespace {

/// Runge and Kutta's method with many small steps.
std::array<double, 2> integrated(double inertia, double damping, double stiffness, double time, double place, double speed) {
  constexpr int kSteps = 20000;
  const double h = time / kSteps;
  const auto rate = [&](const std::array<double, 2>& s) { return std::array<double, 2>{s[1], -(damping * s[1] + stiffness * s[0]) / inertia}; };
  const auto along = [](const std::array<double, 2>& s, const std::array<double, 2>& r, double by) { return std::array<double, 2>{s[0] + by * r[0], s[1] + by * r[1]}; };
  std::array<double, 2> s = {place, speed};
  for (int i = 0; i < kSteps; ++i) {
    const auto a = rate(s), b = rate(along(s, a, h / 2)), c = rate(along(s, b, h / 2)), d = rate(along(s, c, h));
    for (size_t k = 0; k < 2; ++k) s[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  }
  return s;
}

TEST(Springs, move_as_their_equation_says_whether_they_swing_or_creep) {
  const double inertia = 2, stiffness = 800, time = 0.03;
  const double critical = 2 * std::sqrt(inertia * stiffness);
  for (const double share : {0.0, 0.1, 0.9, 1.0, 1.0 + 1e-9, 1.5, 6.0}) {
    const SpringSolution solved = solve_spring(inertia, share * critical, stiffness, time);
    for (const auto& [place, speed] : {std::array{0.01, 0.0}, std::array{0.0, 1.0}, std::array{-0.02, 0.4}}) {
      const std::array<double, 2> expected = integrated(inertia, share * critical, stiffness, time, place, speed);
      EXPECT_NEAR(solved.place_by_place * place + solved.place_by_speed * speed, expected[0], 1e-9) << share;
      EXPECT_NEAR(solved.speed_by_place * place + solved.speed_by_speed * speed, expected[1], 1e-7) << share;
    }
  }
}

TEST(Springs, do_not_run_away_in_steps_far_longer_than_their_period) {
  const SpringSolution solved = solve_spring(1, 0.01, 1e12, 1);
  for (const double factor : {solved.place_by_place, solved.place_by_speed, solved.speed_by_speed}) EXPECT_LE(std::abs(factor), 1);
  const SpringSolution stiff = solve_spring(1, 1e9, 1e6, 1);
  EXPECT_TRUE(std::isfinite(stiff.place_by_place) && std::isfinite(stiff.speed_by_place));
}

}  // namespace
}  // namespace crumple::rigid
