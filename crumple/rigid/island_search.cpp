#include <algorithm>
#include <cmath>

#include "crumple/rigid/island_work.h"

namespace crumple::rigid {
namespace {

// Of the derivative at the start: the search ends below it.
constexpr double kFlat = 0.02;
constexpr int kMaxTries = 20;
// Of a bracket: how near its ends it is tried.
constexpr double kEdge = 0.01;

double derivative_of_rows(const Island& island, const IslandWork& work, double share) {
  double sum = 0;
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const RowWork& row = work.rows[i];
    const double trial = (island.rows[i].target - row.start - share * row.slope) * row.stiffness;
    if (row.role == RowRole::Alone) {
      sum -= std::clamp(trial, row.low, row.high) * row.slope;
    } else if (row.role == RowRole::Disc) {
      const RowWork& next = work.rows[i + 1];
      const double other = (island.rows[i + 1].target - next.start - share * next.slope) * row.stiffness;
      const double size = std::hypot(trial, other), keep = size > row.high ? row.high / size : 1;
      sum -= keep * (trial * row.slope + other * next.slope);
    }
  }
  return sum;
}

double derivative(const Island& island, const Line& line, const IslandWork& work, double share) {
  double sum = line.mass_at_start + share * line.mass_slope + derivative_of_rows(island, work, share);
  for (size_t j = 0; j < island.joints.size(); ++j) {
    const JointWork& joint = work.joints[j];
    const Vec6 force = force_of(*island.joints[j].law, island.joints[j].capacity, joint.start + share * joint.slope);
    sum += island.dt / joint.reach * force.dot(joint.slope);
  }
  return sum;
}

}  // namespace

Line make_line(const Island& island, const IslandWork& work) {
  Line line;
  for (size_t i = 0; i < island.bodies.size(); ++i) {
    const Vec6 weighted = times_mass(island.bodies[i], work.step[i]);
    line.mass_at_start += weighted.dot(work.velocities_before[i] - island.bodies[i].free);
    line.mass_slope += weighted.dot(work.step[i]);
  }
  return line;
}

double derivative_at_end(const Island& island, const Line& line, const IslandWork& work) {
  double sum = line.mass_at_start + line.mass_slope;
  for (const RowWork& row : work.rows) sum -= row.impulse * row.slope;
  for (size_t j = 0; j < island.joints.size(); ++j) sum += island.dt / work.joints[j].reach * work.responses[j].force.dot(work.joints[j].slope);
  return sum;
}

/// False position with halving of the side that stays (Illinois).
double search(const Island& island, const Line& line, const IslandWork& work, double at_start, double at_end) {
  const double flat = kFlat * std::abs(at_start);
  double low = 0, high = 1, at_low = at_start, at_high = at_end;
  if (at_high <= flat) return high;
  int last_side = 0;
  for (int i = 0; i < kMaxTries; ++i) {
    const double width = high - low;
    const double share = std::clamp(low - at_low * width / (at_high - at_low), low + kEdge * width, high - kEdge * width);
    const double value = derivative(island, line, work, share);
    if (std::abs(value) <= flat || !std::isfinite(value)) return share;
    const int side = value < 0 ? -1 : 1;
    if (side < 0) {
      low = share, at_low = value;
      if (last_side == side) at_high *= 0.5;
    } else {
      high = share, at_high = value;
      if (last_side == side) at_low *= 0.5;
    }
    last_side = side;
  }
  return low > 0 ? low : high;
}

}  // namespace crumple::rigid
