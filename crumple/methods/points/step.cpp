#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/sums.h"
#include "crumple/core/timer.h"
#include "crumple/geometry/near_grid.h"
#include "crumple/methods/faults.h"
#include "crumple/methods/points/kernels.h"
#include "crumple/particles/clamps.h"
#include "crumple/particles/meet.h"

namespace crumple::points {
namespace {

constexpr double kTolerance = 1e-2;      // of the embedding, relative to what flowed
constexpr double kDragTolerance = 1e-4;
constexpr int kDragIterations = 60;
constexpr double kSlowDrag = 0.4;        // what viscosity may take of a velocity in a step without being solved for
constexpr double kFarthest = 0.25;       // of its radius: how far a point may move against the body in a step
constexpr int kMostHalvings = 6, kGoodSteps = 8;
constexpr double kGiveWay = 0.05;        // of what other matter moves a point by: all of it would knead what touches
constexpr double kNearSelf = 0.8;        // spacings: strangers that are nearer touch

/// What viscosity makes of velocities over `dt`.
void apply_viscosity(const Model& model, State& state, double dt) {
  if (state.drag.empty()) return;
  const CpuTimer timer(state.times.viscosity);
  const size_t count = state.size();
  std::vector<Vec3> drag(count);
  double strongest = 0;
  for (size_t i = 0; i < count; ++i) strongest = std::max(strongest, dt * state.drag_sum[i] / state.mass[i]);
  apply_drag(model, state, state.v, drag);
  if (model.settings.scheme == Scheme::Leapfrog || strongest < kSlowDrag) {
    for (size_t i = 0; i < count; ++i) state.v[i] += dt / state.mass[i] * drag[i];
    return;
  }
  if (model.settings.drag == Drag::Thesis) {  // not symmetric: its sweeps contract, because each row's diagonal outweighs the rest
    const std::vector<Vec3> goal = state.v;
    for (int sweep = 0; sweep < kDragIterations; ++sweep) {
      for (size_t i = 0; i < count; ++i) {
        const double share = dt / state.mass[i];
        state.v[i] = (goal[i] + share * (drag[i] + state.drag_sum[i] * state.v[i])) / (1 + share * state.drag_sum[i]);
      }
      apply_drag(model, state, state.v, drag);
    }
    return;
  }
  // (M + dt L) v' = M v: conjugate gradients from the velocities without viscosity.
  std::vector<Vec3> r(count), p(count), z(count);
  const auto dot = [&](const std::vector<Vec3>& a, const std::vector<Vec3>& b) { return sum_over(count, 0.0, [&](size_t i) { return a[i].dot(b[i]); }); };
  const auto precondition = [&] {
    for (size_t i = 0; i < count; ++i) z[i] = r[i] / (state.mass[i] + dt * state.drag_sum[i]);
  };
  for (size_t i = 0; i < count; ++i) r[i] = dt * drag[i];
  precondition();
  p = z;
  double rz = dot(r, z);
  const double goal = kDragTolerance * kDragTolerance * rz;
  for (int k = 0; k < kDragIterations && rz > goal && rz > 0; ++k) {
    apply_drag(model, state, p, drag);
    for (size_t i = 0; i < count; ++i) drag[i] = state.mass[i] * p[i] - dt * drag[i];
    const double step = rz / dot(p, drag);
    for (size_t i = 0; i < count; ++i) state.v[i] += step * p[i], r[i] -= step * drag[i];
    precondition();
    const double next = dot(r, z);
    for (size_t i = 0; i < count; ++i) p[i] = z[i] + next / rz * p[i];
    rz = next;
  }
}

bool is_fixed(const State& state, size_t i) {
  return state.held[i] >= 0;
}

void drift(State& state, double dt) {
  for (size_t i = 0; i < state.size(); ++i) {
    if (is_fixed(state, i)) state.v[i] = state.carried.empty() ? Vec3(Vec3::Zero()) : state.carried[i];
    state.x[i] += dt * state.v[i];
  }
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
  for (size_t i = 0; i < state.size(); ++i) {
    if (state.flowed[i] == 0) continue;
    flagged[i] = 1;
    for (size_t s = i * at(model.stride()); s < (i + 1) * at(model.stride()); ++s) {
      if (state.neighbor[s] >= 0) flagged[at(state.neighbor[s])] = 1;
    }
    for (int32_t r = state.reverse_begin[i]; r < state.reverse_begin[i + 1]; ++r) flagged[at(state.reverse_owner[at(r)])] = 1;
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

/// Fits the embedded space to what flowed, and lists to it.
void follow_flow(const Model& model, State& state) {
  if (!model.settings.update || !has_flowed(model, state)) return;
  state.counts[kIterations] += embed(model, state, kTolerance), ++state.counts[kEmbeddings];
  std::vector<uint8_t> flagged = around_flow(model, state);
  if (model.settings.resample && resample(model, state)) flagged.clear();
  update_lists(model, state, flagged);
  std::fill(state.flowed.begin(), state.flowed.end(), 0.0);
  set_reverse(model, state);
  {
    const CpuTimer timer(state.times.basis);
    set_basis(model, state);
  }
  set_drag(model, state);
  ++state.counts[kUpdates];
}

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

/// Rigid parts and the body's own obstacles. The parts move along with what they are pushed by.
void collide_with_parts(const Model& model, State& state, MatterContext& now, std::vector<particles::Obstacle>& parts, double dt, double before, int substeps) {
  if (parts.empty() && model.boundary.planes.empty() && model.boundary.balls.empty() && model.boundary.cylinders.empty() && model.boundary.clamps.empty()) return;
  const CpuTimer timer(state.times.collision);
  hand_out(state);
  const particles::ParticleSpan span = particles_of(model, state);
  particles::collide_boundary(model.boundary, span, now.time + now.dt - before, dt);
  std::vector<particles::Obstacle> placed;
  for (const particles::Obstacle& part : parts) {
    placed.push_back(earlier(part, before));
    placed.back().weight /= substeps;
  }
  const std::vector<particles::Push> pushes = particles::collide_obstacles(span, placed, dt);
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

/// Whether a step went wrong: numbers that are none, or points that leave their surroundings in one go.
bool has_exploded(const State& state, double dt) {
  const double count = static_cast<double>(std::max<size_t>(state.size(), 1));
  const Vec3 mean = sum_over(state.size(), Vec3(Vec3::Zero()), [&](size_t i) { return state.v[i]; }) / count;
  if (!mean.allFinite()) return true;
  return sum_over(state.size(), 0, [&](size_t i) {
           if (!state.is_there[i] || is_fixed(state, i)) return 0;
           return state.x[i].allFinite() && (state.v[i] - mean).norm() * dt <= kFarthest * std::max(state.radius[i], 1e-12) ? 0 : 1;
         }) > 0;
}

/// Points without any neighbour near them.
void find_strays(const Model& model, State& state) {
  bool removed = false;
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state.is_there[i] || state.is_there[i] == 2 || is_fixed(state, i)) continue;
    double nearest = 1e300;
    int others = 0;
    for (size_t s = i * at(model.stride()); s < (i + 1) * at(model.stride()); ++s) {
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
  set_reverse(model, state), set_basis(model, state), set_drag(model, state);
}

}  // namespace

void advance(const Model& model, State& state, double dt, const Vec3& gravity) {
  const bool printed = model.settings.scheme == Scheme::Printed;  // then elasticity and gravity act in the second half only
  for (size_t i = 0; !printed && i < state.size(); ++i) state.v[i] += 0.5 * dt * (state.push[i] + gravity);
  apply_viscosity(model, state, printed ? 0.5 * dt : dt);
  drift(state, dt);
}

void finish(const Model& model, State& state, double dt, const Vec3& gravity) {
  if (model.settings.volumes == Volumes::Estimated) estimate_volumes(model, state);
  set_forces(model, state, dt);
  follow_flow(model, state);
  for (size_t i = 0; i < state.size(); ++i) state.v[i] += 0.5 * dt * (state.push[i] + gravity);
}

namespace {

/// One step of the scene in as many as it takes. False: it has exploded.
bool try_step(const Model& model, State& state, MatterContext& now, int substeps) {
  const double dt = now.dt / substeps;
  std::vector<particles::Obstacle> parts(now.obstacles.begin(), now.obstacles.end());
  now.pushes.assign(parts.size(), {});
  if (state.drag.empty() || model.settings.volumes == Volumes::Estimated || model.settings.drag == Drag::Thesis) set_drag(model, state);
  if (model.settings.self_collision) find_strangers(model, state, now.dt);
  for (int k = 0; k < substeps; ++k) {
    advance(model, state, dt, now.gravity);
    collide_with_parts(model, state, now, parts, dt, (substeps - 1 - k) * dt, substeps);
    collide_strangers(model, state);
    if (has_exploded(state, dt)) return false;
    finish(model, state, dt, now.gravity);
    ++state.counts[kSubsteps];
  }
  return !has_exploded(state, dt);
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
  int substeps = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(model.settings.most_steps)));
  if (wanted > substeps) state.counts[kLeftSteps] += wanted - substeps;
  substeps <<= static_cast<int>(state.counts[kHalvings]);
  if (!state.spare.room) state.spare.room = std::make_unique<Kept>();
  Kept& before = *state.spare.room;
  before = state;
  while (!try_step(model, state, now, substeps)) {
    const double retries = state.counts[kRetries] + 1, halvings = state.counts[kHalvings] + 1;
    static_cast<Kept&>(state) = before;
    set_reverse(model, state), set_basis(model, state), set_drag(model, state);
    state.counts[kRetries] = retries, state.counts[kHalvings] = halvings, state.counts[kGood] = 0;
    before.counts = state.counts;
    if (halvings > kMostHalvings) return hand_out(state);  // fault() sees it
    substeps *= 2;
  }
  if (state.counts[kHalvings] > 0 && ++state.counts[kGood] >= kGoodSteps) --state.counts[kHalvings], state.counts[kGood] = 0;
  find_strays(model, state);
  hand_out(state);
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

void find_strangers(const Model& model, State& state, double dt) {
  const CpuTimer timer(state.times.collision);
  state.strangers.clear();
  const double count = static_cast<double>(std::max<size_t>(state.size(), 1));
  const Vec3 mean = sum_over(state.size(), Vec3(Vec3::Zero()), [&](size_t i) { return state.v[i]; }) / count;
  double fastest = 0;
  for (const Vec3& v : state.v) fastest = std::max(fastest, (v - mean).squaredNorm());
  const double reach = kNearSelf * model.spacing + std::min(2 * dt * std::sqrt(fastest), model.spacing);
  const NearGrid grid(state.x, reach, state.is_there);
  std::vector<std::vector<std::pair<int32_t, int32_t>>> found((state.size() + 255) / 256);
  parallel_for(state.size(), 256, [&](size_t begin, size_t end) {
    std::vector<std::pair<int32_t, int32_t>>& some = found[begin / 256];
    for (size_t i = begin; i < end; ++i) {
      if (!state.is_there[i]) continue;
      grid.within(static_cast<int>(i), reach, [&](int32_t j, double) {
        const double far = std::max(state.radius[i], state.radius[at(j)]);
        if (at(j) > i && (state.e[at(j)] - state.e[i]).squaredNorm() > far * far) some.emplace_back(static_cast<int32_t>(i), j);
      });
    }
    std::sort(some.begin(), some.end());
  });
  for (const auto& some : found) state.strangers.insert(state.strangers.end(), some.begin(), some.end());
}

void collide_strangers(const Model& model, State& state) {
  constexpr double kGive = 0.2;  // of an overlap that goes in a step: all at once would throw points at each other
  const double touch = kNearSelf * model.spacing;
  for (const auto& [i, j] : state.strangers) {  // one after another: the same on any number of threads
    const size_t a = at(i), b = at(j);
    const Vec3 way = state.x[b] - state.x[a];
    const double distance = way.norm(), inverse_a = is_fixed(state, a) ? 0 : 1 / state.mass[a], inverse_b = is_fixed(state, b) ? 0 : 1 / state.mass[b];
    if (!(distance > 1e-12) || distance >= touch || inverse_a + inverse_b == 0) continue;
    const Vec3 normal = way / distance, difference = state.v[b] - state.v[a];
    const double share_a = inverse_a / (inverse_a + inverse_b), share_b = 1 - share_a, move = kGive * (touch - distance);
    state.x[a] -= share_a * move * normal, state.x[b] += share_b * move * normal;
    const double approach = -difference.dot(normal);
    if (!(approach > 0)) continue;
    const Vec3 slide = difference + approach * normal;
    const double slip = slide.norm(), rubs = std::min(model.settings.friction * approach, slip);
    const Vec3 change = approach * normal - (slip > 1e-12 ? Vec3(rubs / slip * slide) : Vec3(Vec3::Zero()));
    state.v[a] -= share_a * change, state.v[b] += share_b * change;
  }
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
  if (state.counts[kHalvings] > kMostHalvings) return "its motion explodes at any step";
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

particles::ParticleSpan particles_of(const Model& model, State& state) {
  return {model.origin, 1, model.spacing, state.outside.places, state.outside.speeds, state.outside.mass, state.held, state.is_there};
}

void collide(const Model& model_a, State& a, const Model& model_b, State& b, double friction) {
  particles::meet(particles_of(model_a, a), particles_of(model_b, b), friction);
}

double kinetic_energy(const Model&, const State& state) {
  return sum_over(state.size(), 0.0, [&](size_t i) { return 0.5 * state.mass[i] * state.v[i].squaredNorm(); });
}

}  // namespace crumple::points
