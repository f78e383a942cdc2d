#include <algorithm>
#include <cmath>

#include "crumple/rigid/island_work.h"

namespace crumple::rigid {
namespace {

// Of the derivative at the start: the search ends below it.
constexpr double kFlat = 0.02;
constexpr int kMostTries = 20;
constexpr double kLongest = 8;

double derivative_of_rows(const Island& island, const IslandWork& work, double share) {
  double sum = 0;
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const RowWork& row = work.rows[i];
    const double trial = (island.rows[i].target - row.change - share * row.slope) * row.stiffness;
    if (row.role == RowRole::Alone) {
      sum -= std::clamp(trial, row.low, row.high) * row.slope;
    } else if (row.role == RowRole::Disc) {
      const RowWork& next = work.rows[i + 1];
      const double other = (island.rows[i + 1].target - next.change - share * next.slope) * row.stiffness;
      const double size = std::hypot(trial, other), keep = size > row.high ? row.high / size : 1;
      sum -= keep * (trial * row.slope + other * next.slope);
    }
  }
  return sum;
}

}  // namespace

Line make_line(const Island& island, std::span<const Vec6> velocities, const IslandWork& work) {
  Line line;
  for (size_t i = 0; i < island.bodies.size(); ++i) {
    const Vec6 weighted = times_mass(island.bodies[i], work.step[i]);
    line.mass_at_start += weighted.dot(velocities[i] - island.bodies[i].free);
    line.mass_slope += weighted.dot(work.step[i]);
  }
  return line;
}

double derivative(const Island& island, const Line& line, const IslandWork& work, double share) {
  double sum = line.mass_at_start + share * line.mass_slope + derivative_of_rows(island, work, share);
  for (size_t j = 0; j < island.joints.size(); ++j) {
    const JointWork& joint = work.joints[j];
    const Vec6 force = force_of(*island.joints[j].law, island.joints[j].capacity, joint.strain + share * joint.slope);
    sum += island.dt / joint.reach * force.dot(joint.slope);
  }
  return sum;
}

/// False position with halving of the side that stays (Illinois), which needs a bracket only.
double search(const Island& island, const Line& line, const IslandWork& work, double at_start, double at_end) {
  const double flat = kFlat * std::abs(at_start);
  double low = 0, high = 1, at_low = at_start, at_high = at_end;
  while (at_high < -flat && high < kLongest) {
    low = high, at_low = at_high;
    high *= 2;
    at_high = derivative(island, line, work, high);
  }
  if (at_high <= flat) return high;
  int last_side = 0;
  for (int i = 0; i < kMostTries; ++i) {
    const double share = std::clamp(low - at_low * (high - low) / (at_high - at_low), low + 0.01 * (high - low), high - 0.01 * (high - low));
    const double value = derivative(island, line, work, share);
    if (std::abs(value) <= flat || !std::isfinite(value)) return share;
    if (value < 0) {
      low = share, at_low = value;
      if (last_side < 0) at_high *= 0.5;
      last_side = -1;
    } else {
      high = share, at_high = value;
      if (last_side > 0) at_low *= 0.5;
      last_side = 1;
    }
  }
  return low > 0 ? low : high;
}

}  // namespace crumple::rigid
