#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/sums.h"
#include "crumple/methods/faults.h"
#include "crumple/methods/points/kernels.h"
#include "crumple/particles/clamps.h"

namespace crumple::points {
namespace {

constexpr double kTolerance = 1e-2;      // of the embedding, relative to what flowed
constexpr double kUnfolded = 0.05;       // flow that rest vectors may lag behind: it costs nothing until then, and changes weights by little
constexpr double kFarthest = 0.25;       // of its radius: how far a point may move against the body in a step
constexpr int kMaxHalvings = 6, kGoodSteps = 8;
constexpr double kGiveWay = 0.05;        // of what other matter moves a point by: all of it would knead what touches

template <class Work>
void each_point(const State& state, const Work& work) {
  parallel_for(state.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) work(i);
  });
}

/// New volumes and masses by eq. 3.3, as the thesis has them. The scale stays that of the start.
void estimate_volumes(const Model& model, State& state) {
  const std::vector<double> volumes = estimated_volumes(model, state);
  for (size_t i = 0; i < state.size(); ++i) {
    if (!(volumes[i] > 0)) continue;
    state.volume[i] = model.volume_scale * volumes[i];
    state.mass[i] = double{static_cast<float>(model.density * state.volume[i])};
  }
}

/// Points whose surroundings flowed, and all that have to do with them.
std::vector<uint8_t> around_flow(const Model& model, const State& state) {
  std::vector<uint8_t> flagged(state.size(), 0);
  for (size_t s = 0; s < state.neighbor.size(); ++s) {
    if (state.neighbor[s] < 0) continue;
    const size_t i = s / model.stride(), j = at(state.neighbor[s]);
    if (state.flowed[i] > 0 || state.flowed[j] > 0) flagged[i] = flagged[j] = 1;
  }
  return flagged;
}

/// Whether enough of the body has flowed since the last embedding: some of it a good deal, or a little piece of it very much.
bool has_flowed(const Model& model, const State& state) {
  size_t many = 0;
  double most = 0;
  for (const double flow : state.flowed) many += flow > model.settings.update_at ? 1 : 0, most = std::max(most, flow);
  return many * 50 > state.size() || most > 5 * model.settings.update_at;
}

/// Whether a step went wrong: numbers that are none, or points that leave their surroundings in one go.
bool has_exploded(const State& state, double dt) {
  const double count = static_cast<double>(std::max<size_t>(state.size(), 1));
  const Vec3 mean = sum_over(state.size(), Vec3(Vec3::Zero()), [&](size_t i) { return state.v[i]; }) / count;
  if (!mean.allFinite()) return true;
  const double share = kFarthest / dt;
  return sum_over(state.size(), 0, [&](size_t i) {
           if (!state.is_there[i] || is_fixed(state, i)) return 0;
           const double most = share * std::max(state.radius[i], 1e-12);
           return state.x[i].allFinite() && (state.v[i] - mean).squaredNorm() <= most * most ? 0 : 1;
         }) > 0;
}

/// Points without any neighbour near them.
void find_strays(const Model& model, State& state) {
  bool removed = false;
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state.is_there[i] || state.is_there[i] == 2 || is_fixed(state, i)) continue;
    double nearest = 1e300;
    int others = 0;
    for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
      if (state.neighbor[s] < 0) continue;
      nearest = std::min(nearest, (state.x[at(state.neighbor[s])] - state.x[i]).squaredNorm()), ++others;
    }
    if (others > 0 && nearest <= state.radius[i] * state.radius[i]) continue;
    ++state.counts[kStrays], state.counts[kStrayMass] += state.mass[i];
    state.is_there[i] = 2;  // it has been counted
    if (model.settings.strays == Strays::Freeze) state.held[i] = 0, state.v[i].setZero();
    if (model.settings.strays == Strays::Remove) state.is_there[i] = 0, removed = true;
  }
  if (!removed) return;
  compact(model, state);
  lists_changed(model, state);
}

}  // namespace

void advance(const Model& model, State& state, double dt, const Vec3& gravity) {
  const bool printed = model.settings.scheme == Scheme::Printed;  // then elasticity and gravity act in the second half only
  if (!printed) each_point(state, [&](size_t i) { state.v[i] += 0.5 * dt * (state.push[i] + gravity); });
  apply_viscosity(model, state, printed ? 0.5 * dt : dt);
  each_point(state, [&](size_t i) {
    if (is_fixed(state, i)) state.v[i] = state.carried.empty() ? Vec3(Vec3::Zero()) : state.carried[i];
    state.x[i] += dt * state.v[i];
  });
}

void finish(const Model& model, State& state, double dt, const Vec3& gravity) {
  if (model.settings.volumes == Volumes::Estimated) estimate_volumes(model, state);
  set_forces(model, state, dt);
  each_point(state, [&](size_t i) { state.v[i] += 0.5 * dt * (state.push[i] + gravity); });
}

void follow_flow(const Model& model, State& state) {
  if (!model.settings.yield) return;
  const bool follows = model.settings.update && has_flowed(model, state);
  fold_flow(model, state, follows || model.settings.volumes == Volumes::Estimated ? 0 : kUnfolded);
  if (!follows) return;
  state.counts[kIterations] += embed(model, state, kTolerance), ++state.counts[kEmbeddings];
  std::vector<uint8_t> flagged = around_flow(model, state);
  if (model.settings.resample && resample(model, state)) flagged.clear();
  update_lists(model, state, flagged);
  std::fill(state.flowed.begin(), state.flowed.end(), 0.0);
  lists_changed(model, state);
  ++state.counts[kUpdates];
}

namespace {

/// A part of the scene's step. False: it has exploded, and all is as it was.
bool try_substep(const Model& model, State& state, MatterContext& now, std::vector<particles::Obstacle>& parts, const Substep& step) {
  static_cast<Moving&>(state.before) = state;
  const std::vector<particles::Push> pushes = now.pushes;
  const std::vector<particles::Obstacle> parts_before = parts;
  if (model.settings.volumes == Volumes::Estimated || model.settings.drag == Drag::Thesis) set_drag(model, state);
  advance(model, state, step.dt, now.gravity);
  collide_with_parts(model, state, now, parts, step);
  bool is_fine = !has_exploded(state, step.dt);
  if (is_fine) {
    collide_with_itself(model, state);
    finish(model, state, step.dt, now.gravity);
    is_fine = !has_exploded(state, step.dt);
  }
  if (is_fine) return true;
  static_cast<Moving&>(state) = state.before;
  now.pushes = pushes, parts = parts_before;
  return false;
}

/// Clamps move what they hold by the end of the step; on the way it goes evenly.
void hold_points(const Model& model, State& state, const MatterContext& now) {
  if (model.boundary.clamps.empty()) return;
  hand_out(state);
  particles::Held held{state.clamps, state.held};
  particles::hold(model.boundary, {model.origin, model.rest}, state.original, now.time, held, state.outside.places);
  Outside shown = state.outside;
  const particles::ParticleSpan span{model.origin, 1, model.spacing, shown.places, shown.speeds, state.outside.mass, state.held, state.is_there};
  particles::carry(model.boundary, span, now.time, now.dt);
  state.carried.assign(state.size(), Vec3::Zero());
  for (size_t i = 0; i < state.size(); ++i) {
    if (is_fixed(state, i)) state.carried[i] = (shown.places[i] - state.outside.places[i]).head<3>().cast<double>() / now.dt;
  }
}

}  // namespace

void step(const Model& model, State& state, MatterContext& now) {
  if (now.frozen) {
    now.pushes = particles::collide_obstacles(particles_of(model, state), now.obstacles, now.dt);
    return;
  }
  take_over(state, kGiveWay);
  hold_points(model, state, now);
  const double stable = model.settings.step * stable_step(model, state);
  const double wanted = std::ceil(now.dt / stable);
  const int substeps = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(model.settings.most_steps)));
  if (wanted > substeps) state.counts[kLeftSteps] += wanted - substeps;
  std::vector<particles::Obstacle> parts(now.obstacles.begin(), now.obstacles.end());
  now.pushes.assign(parts.size(), {});
  double& halvings = state.counts[kHalvings];
  // Time is counted in the shortest steps there are.
  const int64_t all = int64_t{substeps} << kMaxHalvings;
  bool was_calm = true;
  for (int64_t done = 0; done < all;) {
    const int64_t some = int64_t{1} << (kMaxHalvings - static_cast<int>(halvings));
    const double share = static_cast<double>(some) / static_cast<double>(all), left = static_cast<double>(all - done - some) / static_cast<double>(all);
    if (try_substep(model, state, now, parts, {share * now.dt, left * now.dt, share})) {
      done += some, ++state.counts[kSubsteps];
      follow_flow(model, state);
      continue;
    }
    ++state.counts[kRetries], ++halvings, state.counts[kGood] = 0, was_calm = false;
    if (halvings > kMaxHalvings) return hand_out(state);  // fault() sees it
  }
  if (halvings > 0 && was_calm && ++state.counts[kGood] >= kGoodSteps) --halvings, state.counts[kGood] = 0;
  find_strays(model, state);
  hand_out(state);
}

Bounds reach(const Model& model, const State& state, double dt) {
  Bounds box;
  double fastest = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state.is_there[i]) continue;
    box.add(model.origin + state.x[i]);
    fastest = std::max(fastest, state.v[i].squaredNorm());
  }
  if (box.empty()) return {model.origin, model.origin};
  const Vec3 slack = Vec3::Constant(2 * std::sqrt(fastest) * dt + 2 * model.spacing);
  return {box.low - slack, box.high + slack};
}

std::string fault(const Model& model, const State& state) {
  Vec3 place = Vec3::Zero(), velocity = Vec3::Zero();
  for (const Vec3& x : state.x) place += x;
  for (const Vec3& v : state.v) velocity += v;
  double flow = 0;
  for (const double strain : state.strain) flow += strain;
  if (!place.allFinite() || !velocity.allFinite() || !std::isfinite(flow)) return "its points' motion is no longer finite";
  if (state.counts[kHalvings] > kMaxHalvings) return "its motion explodes at any step";
  const double count = static_cast<double>(std::max<size_t>(state.size(), 1));
  return runaway(velocity.norm() / count, (model.origin + place / count).norm());
}

void freeze(const Model&, State& state) {
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state.x[i].allFinite()) state.x[i] = state.handed.places[i].head<3>().cast<double>();
    state.v[i].setZero(), state.held[i] = 0;
    if (!std::isfinite(state.strain[i])) state.strain[i] = 0;
  }
  hand_out(state);
}

double kinetic_energy(const Model&, const State& state) {
  return sum_over(state.size(), 0.0, [&](size_t i) { return 0.5 * state.mass[i] * state.v[i].squaredNorm(); });
}

}  // namespace crumple::points
