#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/sums.h"
#include "crumple/core/timer.h"
#include "crumple/geometry/near_grid.h"
#include "crumple/methods/points/kernels.h"
#include "crumple/particles/boundary.h"
#include "crumple/particles/clamps.h"
#include "crumple/particles/meet.h"

namespace crumple::points {
namespace {

constexpr double kNearSelf = 0.8;  // spacings: strangers that are nearer touch
constexpr double kSlack = 0.6;     // spacings: what points may move against each other before strangers are looked for again

/// A part at an earlier moment of a step that ends where it is.
particles::Obstacle earlier(particles::Obstacle obstacle, double before) {
  const double angle = obstacle.spin.norm() * before;
  if (angle > 0) {
    const Mat3 back = Eigen::AngleAxisd(-angle, obstacle.spin.normalized()).toRotationMatrix();
    obstacle.place.translation = obstacle.center + back * (obstacle.place.translation - obstacle.center), obstacle.place.rotation = back * obstacle.place.rotation;
  }
  obstacle.place.translation -= before * obstacle.velocity, obstacle.center -= before * obstacle.velocity;
  return obstacle;
}

void add(const particles::Push& push, particles::Push& sum) {
  const double all = sum.strength + push.strength;
  if (all > 0) sum.at = (sum.strength * sum.at + push.strength * push.at) / all;
  sum.impulse += push.impulse, sum.twist += push.twist, sum.shift += push.shift, sum.normal += push.normal, sum.strength = all, sum.contacts += push.contacts;
  sum.woken = sum.woken || push.woken;
}

}  // namespace

void collide_with_parts(const Model& model, State& state, MatterContext& now, std::vector<particles::Obstacle>& parts, const Substep& step) {
  if (parts.empty() && model.boundary.planes.empty() && model.boundary.balls.empty() && model.boundary.cylinders.empty() && model.boundary.clamps.empty()) return;
  const CpuTimer timer(state.times.collision);
  hand_out(state);
  const particles::ParticleSpan span = particles_of(model, state);
  particles::collide_boundary(model.boundary, span, now.time + now.dt - step.before, step.dt);
  std::vector<particles::Obstacle> placed;
  for (const particles::Obstacle& part : parts) {
    placed.push_back(earlier(part, step.before));
    placed.back().weight *= step.share;
  }
  const std::vector<particles::Push> pushes = particles::collide_obstacles(span, placed, step.dt);
  for (size_t k = 0; k < pushes.size(); ++k) {
    add(pushes[k], now.pushes[k]);
    // All shapes of a part move as one.
    for (size_t other = 0; other < parts.size(); ++other) {
      const bool is_same = other == k || (parts[k].owner >= 0 && parts[other].owner == parts[k].owner);
      if (!is_same || (parts[k].asleep && !pushes[k].woken)) continue;
      parts[other].velocity += parts[k].inverse_mass * pushes[k].impulse, parts[other].spin += parts[k].inverse_inertia * pushes[k].twist;
    }
  }
  take_over(state, 1);
}

void take_over(State& state, double share) {
  if (state.handed.places.size() != state.size()) return;
  for (size_t i = 0; i < state.size(); ++i) {
    if (state.outside.places[i] != state.handed.places[i]) state.x[i] += share * (state.outside.places[i].head<3>().cast<double>() - state.handed.places[i].head<3>().cast<double>());
    if (state.outside.speeds[i] != state.handed.speeds[i]) state.v[i] += (state.outside.speeds[i].head<3>().cast<double>() - state.handed.speeds[i].head<3>().cast<double>());
  }
}

void hand_out(State& state) {
  state.outside.places.resize(state.size()), state.outside.speeds.resize(state.size()), state.outside.mass.resize(state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    state.outside.places[i] << state.x[i].cast<float>(), state.held[i] >= 0 ? 0.0f : 1.0f;
    state.outside.speeds[i] << state.v[i].cast<float>(), 0.0f;
    state.outside.mass[i] = static_cast<float>(state.mass[i]);
  }
  state.handed = state.outside;
}

namespace {

Vec3 mean_shift(const State& state) {
  const double count = static_cast<double>(std::max<size_t>(state.size(), 1));
  return sum_over(state.size(), Vec3(Vec3::Zero()), [&](size_t i) { return Vec3(state.x[i] - state.strangers_from[i]); }) / count;
}

/// Whether points that are not among the strangers could touch by now.
bool is_stale(const Model& model, const State& state) {
  if (state.strangers_from.size() != state.size()) return true;
  const Vec3 shift = mean_shift(state);
  const double most = 0.5 * kSlack * model.spacing;
  return sum_over(state.size(), 0, [&](size_t i) { return (state.x[i] - state.strangers_from[i] - shift).squaredNorm() <= most * most ? 0 : 1; }) > 0;
}

/// A point with neighbours on one side only, by what changes with the lists alone. Inside, their mean is less than 0.3 spacings away.
bool is_outer(const Model& model, const State& state, size_t i) {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
    if (state.neighbor[s] >= 0) sum += state.e[at(state.neighbor[s])] - state.e[i], ++count;
  }
  return count < static_cast<int>(model.stride()) || sum.norm() > 0.25 * count * state.own_spacing[i];
}

/// Pairs that may touch before they are looked for again: near in the world and not in the embedded space. One of the two is at the surface.
void find_strangers(const Model& model, State& state) {
  state.strangers.clear(), state.strangers_from = state.x;
  const double reach = (kNearSelf + kSlack) * model.spacing;
  const NearGrid grid(state.x, reach, state.is_there);
  std::vector<uint8_t> outer(state.size());
  parallel_for(state.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) outer[i] = state.is_there[i] && is_outer(model, state, i) ? 1 : 0;
  });
  std::vector<std::vector<std::pair<int32_t, int32_t>>> found((state.size() + kGrain - 1) / kGrain);
  parallel_for(state.size(), kGrain, [&](size_t begin, size_t end) {
    std::vector<std::pair<int32_t, int32_t>>& some = found[begin / kGrain];
    for (size_t i = begin; i < end; ++i) {
      if (!outer[i]) continue;
      grid.within(static_cast<int>(i), reach, [&](int32_t j, double) {
        if (outer[at(j)] && at(j) < i) return;  // the other has it
        const double far = std::max(state.radius[i], state.radius[at(j)]);
        if ((state.e[at(j)] - state.e[i]).squaredNorm() > far * far) some.emplace_back(static_cast<int32_t>(i), j);
      });
    }
    std::sort(some.begin(), some.end());
  });
  for (const auto& some : found) state.strangers.insert(state.strangers.end(), some.begin(), some.end());
}

void collide_strangers(const Model& model, State& state, size_t a, size_t b) {
  constexpr double kGive = 0.2;  // of an overlap that goes in a step: all at once would throw points at each other
  const double touch = kNearSelf * model.spacing;
  const Vec3 way = state.x[b] - state.x[a];
  const double distance = way.norm(), inverse_a = is_fixed(state, a) ? 0 : 1 / state.mass[a], inverse_b = is_fixed(state, b) ? 0 : 1 / state.mass[b];
  if (!(distance > 1e-12) || distance >= touch || inverse_a + inverse_b == 0) return;
  const Vec3 normal = way / distance, difference = state.v[b] - state.v[a];
  const double share_a = inverse_a / (inverse_a + inverse_b), share_b = 1 - share_a, move = kGive * (touch - distance);
  state.x[a] -= share_a * move * normal, state.x[b] += share_b * move * normal;
  const double approach = -difference.dot(normal);
  if (!(approach > 0)) return;
  const Vec3 slide = difference + approach * normal;
  const double slip = slide.norm(), rubs = std::min(model.settings.friction * approach, slip);
  const Vec3 change = approach * normal - (slip > 1e-12 ? Vec3(rubs / slip * slide) : Vec3(Vec3::Zero()));
  state.v[a] -= share_a * change, state.v[b] += share_b * change;
}

}  // namespace

void collide_with_itself(const Model& model, State& state) {
  if (!model.settings.self_collision) return;
  const CpuTimer timer(state.times.collision);
  if (is_stale(model, state)) find_strangers(model, state);
  // One after another: the same on any number of threads. Those that do not touch change nothing, so it does not matter when they were found.
  for (const auto& [a, b] : state.strangers) collide_strangers(model, state, at(a), at(b));
}

particles::ParticleSpan particles_of(const Model& model, State& state) {
  return {model.origin, 1, model.spacing, state.outside.places, state.outside.speeds, state.outside.mass, state.held, state.is_there};
}

void collide(const Model& model_a, State& a, const Model& model_b, State& b, double friction) {
  particles::meet(particles_of(model_a, a), particles_of(model_b, b), friction);
}

}  // namespace crumple::points
