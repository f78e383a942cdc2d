#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Eigenvalues>

#include "crumple/core/index.h"
#include "crumple/core/timer.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

constexpr double kLeastSplit = 0.4;  // cubes of its own spacing: smaller points do not split

/// Adds a neighbour to a list, in the place of the farthest if it is full.
void add_entry(const Model& model, State& state, size_t point, int32_t other, const Vec3& u) {
  size_t worst = point * model.stride();
  double farthest = -1;
  for (size_t s = point * model.stride(); s < (point + 1) * model.stride(); ++s) {
    if (state.neighbor[s] < 0) {
      state.neighbor[s] = other, state.u[s] << u, 0.0;
      return;
    }
    if (rest_vector(state, s).squaredNorm() > farthest) farthest = rest_vector(state, s).squaredNorm(), worst = s;
  }
  if (u.squaredNorm() < farthest) state.neighbor[worst] = other, state.u[worst] << u, 0.0;
}

std::optional<size_t> entry_of(const Model& model, const State& state, size_t point, int32_t other) {
  for (size_t s = point * model.stride(); s < (point + 1) * model.stride(); ++s) {
    if (state.neighbor[s] == other) return s;
  }
  return {};
}

/// Calls visit(array, values of one point) for every array with a row for each point.
template <class Visit>
void each_row(const Model& model, State& state, const Visit& visit) {
  const auto list = model.stride();
  visit(state.x, 1), visit(state.v, 1), visit(state.push, 1), visit(state.pending, 1), visit(state.unfolded, 1), visit(state.strain, 1), visit(state.flowed, 1);
  visit(state.e, 1), visit(state.last_move, 1), visit(state.volume, 1), visit(state.mass, 1), visit(state.radius, 1), visit(state.own_spacing, 1);
  visit(state.yield, 1), visit(state.stiffness, 1), visit(state.rate, 1), visit(state.original, 1), visit(state.held, 1), visit(state.is_there, 1);
  visit(state.neighbor, list), visit(state.u, list);
  if (!state.carried.empty()) visit(state.carried, 1);
  if (!state.F.empty()) visit(state.F, 1);
}

/// The nearest neighbour that could be merged with.
int nearest_of(const Model& model, const State& state, size_t point) {
  int nearest = -1;
  double least = 1e300;
  for (size_t s = point * model.stride(); s < (point + 1) * model.stride(); ++s) {
    if (state.neighbor[s] < 0 || !(rest_vector(state, s).squaredNorm() < least)) continue;
    least = rest_vector(state, s).squaredNorm(), nearest = state.neighbor[s];
  }
  return nearest;
}

/// Whether a split would put a point of the surface outside of it.
bool leaves_surface(const Model& model, const State& state, size_t i, const Spread& spread, const Vec3& offset) {
  if (spread.off_center < model.surface_from * state.own_spacing[i]) return false;
  Vec3 center = Vec3::Zero();
  int count = 0;
  for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
    if (state.neighbor[s] >= 0) center += rest_vector(state, s), ++count;
  }
  center /= std::max(count, 1);
  return std::max((offset - center).norm(), (-offset - center).norm()) > std::sqrt(2.0) * spread.off_center;
}

}  // namespace

Spread spread_of(const Model& model, const State& state, int point) {
  Spread spread;
  Mat3 b = Mat3::Zero();
  Vec3 center = Vec3::Zero();
  int count = 0;
  for (size_t s = at(point) * model.stride(); s < (at(point) + 1) * model.stride(); ++s) {
    if (state.neighbor[s] < 0) continue;
    const double squared = rest_vector(state, s).squaredNorm();
    if (!(squared > 0)) continue;
    b += rest_vector(state, s) * rest_vector(state, s).transpose() / (squared * squared);  // eq. 3.13
    center += rest_vector(state, s), spread.mean_distance += std::sqrt(squared), ++count;
  }
  Eigen::SelfAdjointEigenSolver<Mat3> eigen(b);
  spread.values = eigen.eigenvalues(), spread.axes = eigen.eigenvectors();
  if (count > 0) spread.off_center = center.norm() / count, spread.mean_distance /= count;
  return spread;
}

void split_point(const Model& model, State& state, int point, const Vec3& offset) {
  const size_t i = at(point), child = state.size();
  each_row(model, state, [&](auto& rows, size_t per_point) {
    for (size_t k = 0; k < per_point; ++k) rows.push_back(rows[i * per_point + k]);
  });
  for (const auto& [p, way] : {std::pair{i, Vec3(offset)}, std::pair{child, Vec3(-offset)}}) {
    state.x[p] += state.F[i] * way, state.e[p] += way;
    state.volume[p] *= 0.5, state.mass[p] *= 0.5;
    for (size_t s = p * model.stride(); s < (p + 1) * model.stride(); ++s) {
      if (state.neighbor[s] >= 0) state.u[s].head<3>() -= way;
    }
  }
  add_entry(model, state, i, static_cast<int32_t>(child), -2 * offset);
  add_entry(model, state, child, point, 2 * offset);
  for (int32_t r = state.reverse_begin[i]; r < state.reverse_begin[i + 1]; ++r) {
    const size_t s = at(state.reverse[at(r)]), k = s / model.stride();
    if (state.neighbor[s] != point) continue;  // it has changed since
    const Vec3 seen = rest_vector(state, s);
    state.u[s].head<3>() += offset;
    add_entry(model, state, k, static_cast<int32_t>(child), seen - offset);
  }
  ++state.counts[kSplits];
}

void merge_points(const Model& model, State& state, int first, int second) {
  const size_t a = at(first), b = at(second);
  const double mass = state.mass[a] + state.mass[b], share = state.mass[b] / mass;
  const auto between = entry_of(model, state, a, second);
  const Vec3 way = between ? Vec3(rest_vector(state, *between)) : Vec3(state.e[b] - state.e[a]);
  state.counts[kLostEnergy] += 0.5 * state.mass[a] * share * (state.v[b] - state.v[a]).squaredNorm();
  const auto mean = [&](auto& rows) { rows[a] = (1 - share) * rows[a] + share * rows[b]; };
  mean(state.x), mean(state.v), mean(state.e), mean(state.last_move), mean(state.push), mean(state.strain), mean(state.flowed), mean(state.own_spacing);
  const auto mix = [&](std::vector<float>& rows) { rows[a] = static_cast<float>((1 - share) * double{rows[a]} + share * double{rows[b]}); };
  mix(state.yield), mix(state.stiffness), mix(state.rate);
  state.volume[a] += state.volume[b], state.mass[a] = double{static_cast<float>(mass)};
  if (between) state.neighbor[*between] = -1;
  for (size_t s = a * model.stride(); s < (a + 1) * model.stride(); ++s) {
    if (state.neighbor[s] < 0) continue;
    const auto other = entry_of(model, state, b, state.neighbor[s]);
    if (other) state.u[s] = (1 - share) * state.u[s] + share * state.u[*other];
    else state.u[s].head<3>() -= share * way;
  }
  for (size_t s = b * model.stride(); s < (b + 1) * model.stride(); ++s) {
    if (state.neighbor[s] < 0 || state.neighbor[s] == first || entry_of(model, state, a, state.neighbor[s])) continue;
    add_entry(model, state, a, state.neighbor[s], rest_vector(state, s) + (1 - share) * way);
  }
  for (const int gone : {second, first}) {  // entries that point at both, or at one of them
    for (int32_t r = state.reverse_begin[at(gone)]; r < state.reverse_begin[at(gone) + 1]; ++r) {
      const size_t s = at(state.reverse[at(r)]), k = s / model.stride();
      if (state.neighbor[s] != gone || k == a || k == b) continue;
      if (gone == first) {
        if (!entry_of(model, state, k, second)) state.u[s].head<3>() += share * way;
        continue;
      }
      const auto seen = entry_of(model, state, k, first);
      if (!seen) {
        state.neighbor[s] = first, state.u[s].head<3>() -= (1 - share) * way;
      } else {
        state.u[*seen].head<3>() = (1 - share) * rest_vector(state, *seen) + share * rest_vector(state, s) - share * way;  // the loop over the first adds what is taken here
        state.neighbor[s] = -1;
      }
    }
  }
  state.is_there[b] = 0;
  ++state.counts[kMerges];
}

void compact(const Model& model, State& state) {
  std::vector<int32_t> number(state.size(), -1);
  int32_t kept = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    if (state.is_there[i]) number[i] = kept++;
  }
  if (at(kept) == state.size()) return;
  const std::vector<int32_t> there = state.is_there;
  each_row(model, state, [&](auto& rows, size_t per_point) {
    for (size_t i = 0; i < there.size(); ++i) {
      if (there[i]) std::copy_n(rows.begin() + static_cast<long>(i * per_point), per_point, rows.begin() + static_cast<long>(at(number[i]) * per_point));
    }
    rows.resize(at(kept) * per_point);
  });
  for (int32_t& j : state.neighbor) {
    if (j >= 0) j = number[at(j)];
  }
}

bool resample(const Model& model, State& state) {
  const CpuTimer timer(state.times.resampling);
  set_reverse(model, state);
  const size_t count = state.size();
  std::vector<uint8_t> done(count, 0);
  bool changed = false, merged = false;
  for (size_t i = 0; i < count; ++i) {
    if (done[i] || !state.is_there[i] || state.held[i] >= 0 || state.flowed[i] == 0 || state.rank[i] < 3) continue;
    const Spread spread = spread_of(model, state, static_cast<int>(i));
    const double unit = state.own_spacing[i] * state.own_spacing[i];
    const bool is_large = state.volume[i] > kLeastSplit * unit * state.own_spacing[i];
    if (is_large && spread.values[2] * unit < model.split_below) {
      const Vec3 offset = model.settings.split_distance * spread.mean_distance * spread.axes.col(1);
      if (leaves_surface(model, state, i, spread, offset)) continue;
      split_point(model, state, static_cast<int>(i), offset);
      done[i] = 1, changed = true;
    } else if (spread.values[0] * unit > model.merge_above) {
      const int other = nearest_of(model, state, i);
      if (other < 0 || at(other) >= count || done[at(other)] || state.held[at(other)] >= 0 || !state.is_there[at(other)]) continue;
      merge_points(model, state, static_cast<int>(i), other);
      done[i] = done[at(other)] = 1, changed = merged = true;
    }
  }
  if (merged) compact(model, state);
  return changed;
}

}  // namespace crumple::points
