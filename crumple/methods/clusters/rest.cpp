#include "crumple/methods/clusters/rest.h"

#include <algorithm>
#include <cmath>

namespace crumple::clusters {
namespace {

constexpr double kRelaxed = 0.03;   // of the speed of a fall over its size: what was squashed straightens up this fast
constexpr float kStill = 0.01f;     // m/s
constexpr float kUntilSleep = 0.5f; // s
constexpr float kAway = 1;          // Calm::leaves of a body that touches nothing
constexpr float kWakes = 0.05f;     // m/s
constexpr float kSettles = 5;       // 1/s: decay of slow motion of a body that lies on something
constexpr float kSlow = 0.3f;       // m/s
constexpr float kUsual = 0.05f;     // weight of a step in the usual load
constexpr float kMore = 1.5f;       // times the usual load wakes
constexpr float kShare = 0.1f;      // of the weight: smaller changes of the load do not wake

/// Mass (kg) and velocity of the centre.
struct Whole {
  double mass = 0;
  Vec3 velocity = Vec3::Zero(), center = Vec3::Zero();
};

Whole whole_of(const Model& model, const State& state) {
  Whole whole;
  double units = 0;
  for (size_t i = 0; i < state.positions.size(); ++i) {
    if (state.entry_count[i] == 0) continue;
    units += double{state.mass[i]};
    whole.velocity += double{state.mass[i]} * state.velocities[i].head<3>().cast<double>();
    whole.center += double{state.mass[i]} * state.positions[i].head<3>().cast<double>();
  }
  whole.velocity /= units, whole.center = model.origin + whole.center / units, whole.mass = units * model.unit;
  return whole;
}

bool is_moving(const particles::Obstacle& part, double size) {
  return !part.asleep && part.velocity.norm() + part.spin.norm() * size > kWakes;
}

double size_of(const Model& model) {
  return model.spacing * std::cbrt(static_cast<double>(model.rest.size()));
}

}  // namespace

void limit_bounce(const Model& model, State& state, MatterContext& now, Calm& calm) {
  Vec3 normal = Vec3::Zero(), impulse = Vec3::Zero(), other = Vec3::Zero();
  double weight = 0, restitution = 0;
  for (size_t k = 0; k < now.pushes.size(); ++k) {
    const particles::Push& push = now.pushes[k];
    const double strength = push.normal.norm();
    if (!(strength > 0)) continue;
    const particles::Obstacle& part = now.obstacles[k];
    normal -= push.normal, impulse -= push.impulse, weight += strength;
    other += strength * (part.velocity + part.spin.cross(push.at - part.center));
    restitution = std::max(restitution, part.restitution);
    if (!part.asleep || push.woken) continue;
    return;  // a sleeping part takes no reaction
  }
  if (!(weight > 0)) {
    calm.leaves = kAway;
    return;
  }
  // Torn bodies leave as their springs let them: each piece would need a bounce of its own.
  if (!(normal.norm() > 0.5 * weight) || state.totals.splits > 0 || state.clamps != 0) return;
  normal.normalize(), other /= weight;
  const Whole whole = whole_of(model, state);
  const double after = normal.dot(whole.velocity - other), before = after - normal.dot(impulse) / whole.mass;
  if (before < 0) {
    calm.approach = calm.leaves == kAway ? static_cast<float>(-before) : std::max(calm.approach, static_cast<float>(-before));
  }
  calm.leaves = 0;
  if (!(after > 0)) return;
  const double most = std::max(restitution * calm.approach, kRelaxed * std::sqrt(now.gravity.norm() * size_of(model)));
  if (!(after > most)) return;
  // No more than the contacts gave: they do not pull.
  const double given = normal.dot(impulse), share = std::min(1.0, (after - most) * whole.mass / std::max(given, 1e-300));
  if (!(given > 0)) return;
  const Vec3f change = (-share / whole.mass * impulse).cast<float>();
  for (size_t i = 0; i < state.velocities.size(); ++i) {
    if (state.held[i] < 0) state.velocities[i].head<3>() += change;
  }
  for (size_t k = 0; k < now.pushes.size(); ++k) {
    particles::Push& push = now.pushes[k];
    const Vec3 less = -share * push.impulse;
    push.twist += (whole.center - now.obstacles[k].center).cross(less), push.impulse += less;
    push.normal *= 1 - share, push.strength *= 1 - share;
  }
}

bool may_sleep(const particles::Boundary& boundary) {
  const auto rests = [](const particles::Clamp& clamp) {
    return clamp.start <= 0 && clamp.end >= particles::kForever && clamp.velocity.isZero(0) && clamp.spin.isZero(0);
  };
  return boundary.balls.empty() && std::all_of(boundary.clamps.begin(), boundary.clamps.end(), rests) &&
         std::all_of(boundary.planes.begin(), boundary.planes.end(), [](const particles::PlaneObstacle& plane) {
           return plane.start <= 0 && plane.end >= particles::kForever && plane.velocity.isZero(0);
         });
}

namespace {

/// Root mean square over the clusters' centres, by how far they went in a step. Particles that bear a load are pushed to and fro within each step.
float speed_of(const State& state, const std::vector<Vec3f>& last, double dt) {
  if (last.size() != state.center.size()) return 1e6f;
  float sum = 0, count = 0;
  for (size_t c = 0; c < last.size(); ++c) {
    if (state.slot_count[c] > 0) sum += (state.center[c] - last[c]).squaredNorm(), count += 1;
  }
  return std::sqrt(sum / std::max(count, 1.0f)) / static_cast<float>(dt);
}

/// Takes the last motion out of a body that lies on something still. Round bodies would roll for ever over the roughness of their own particles.
void settle(const Model& model, State& state, const MatterContext& now, bool is_moved, const Calm& calm) {
  const double weight = total_mass(model, state) * now.gravity.norm() * now.dt;
  if (is_moved || state.clamps != 0 || calm.speed > kSlow || !(weight > 0 && calm.now > 0.5 * weight)) return;
  const float keep = 1 - kSettles * static_cast<float>(now.dt) * (1 - calm.speed / kSlow);
  for (Vec4f& v : state.velocities) v *= std::max(keep, 0.0f);
}

}  // namespace

void fall_asleep(const Model& model, State& state, const MatterContext& now, std::vector<Vec3f>& last, Calm& calm) {
  calm.speed = speed_of(state, last, now.dt), last = state.center;
  calm.load += kUsual * (calm.now - calm.load);
  const bool is_moved = std::any_of(now.obstacles.begin(), now.obstacles.end(), [&](const auto& part) { return is_moving(part, size_of(model)); });
  settle(model, state, now, is_moved, calm);
  calm.quiet = calm.speed < kStill && !is_moved ? calm.quiet + static_cast<float>(now.dt) : 0;
  if (calm.quiet < kUntilSleep) return;
  calm.asleep = 1, calm.near = calm.around, calm.speed = 0, calm.approach = calm.leaves = 0;
  for (Vec4f& v : state.velocities) v.setZero();
}

void wake(const Model& model, const State& state, const MatterContext& now, Calm& calm) {
  const double size = size_of(model);
  const bool is_moved = std::any_of(now.obstacles.begin(), now.obstacles.end(), [&](const auto& part) { return is_moving(part, size); });
  const float weight = static_cast<float>(total_mass(model, state) * now.gravity.norm() * now.dt);
  if (now.sleeping && !is_moved && calm.around >= calm.near && calm.now <= kMore * calm.load + kShare * weight) return;
  calm.asleep = calm.quiet = 0;
}

void rouse(Calm& a, Calm& b) {
  if (a.asleep > 0 && b.asleep == 0 && b.speed > kWakes) a.asleep = a.quiet = 0;
  if (b.asleep > 0 && a.asleep == 0 && a.speed > kWakes) b.asleep = b.quiet = 0;
}

void sleep_through(const Model& model, State& state, MatterContext& now, Calm& calm) {
  static thread_local std::vector<int32_t> fixed;
  const auto may_push = [](const particles::Obstacle& part) { return part.inverse_mass > 0 && !part.asleep; };
  now.pushes.assign(now.obstacles.size(), {});
  if (std::none_of(now.obstacles.begin(), now.obstacles.end(), may_push)) return;
  fixed.assign(state.held.size(), 0);
  particles::ParticleSpan span = particles(model, state);
  span.held = fixed;
  now.pushes = particles::collide_obstacles(span, now.obstacles, now.dt);
  for (const particles::Push& push : now.pushes) calm.now += static_cast<float>(push.strength);
}

}  // namespace crumple::clusters
