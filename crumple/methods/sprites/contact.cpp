#include <algorithm>
#include <cmath>
#include <utility>

#include "crumple/core/index.h"
#include "crumple/core/timer.h"
#include "crumple/methods/sprites/kernels.h"

namespace crumple::sprites {

constexpr double kThick = 0.3;  // of a sprite's size: thinner obstacles count as so thick

void take_over(State& state) {
  if (!std::exchange(state.is_shown, false)) return;
  for (size_t i = 0; i < state.size(); ++i) {
    const Vec4f place = state.outside.places[i] - state.handed.places[i], speed = state.outside.speeds[i] - state.handed.speeds[i];
    const Complex change(double{speed.x()}, double{speed.y()});
    state.x[i] += Complex(double{place.x()}, double{place.y()}), state.v[i] += change, state.hit[i] += change;
  }
}

namespace {

/// Copies of all particles, for others to read and to change; take_over looks for what they did.
void show(const Model& model, State& state) {
  if (state.mass.size() != state.size()) {
    state.outside.places.resize(state.size()), state.outside.speeds.resize(state.size());
    state.mass.assign(model.mass.begin(), model.mass.end()), state.held.assign(state.size(), -1), state.is_there.assign(state.size(), 1);
  }
  for (size_t i = 0; i < state.size(); ++i) {
    state.outside.places[i] = Vec4f(static_cast<float>(state.x[i].real()), static_cast<float>(state.x[i].imag()), 0.0f, 1.0f);
    state.outside.speeds[i] = Vec4f(static_cast<float>(state.v[i].real()), static_cast<float>(state.v[i].imag()), 0.0f, 0.0f);
  }
  state.handed = state.outside, state.is_shown = true;
}

}  // namespace

namespace {

/// Matching may carry particles through a thin obstacle, to where its other side is nearer: then a sprite would be impaled on it. Behind the side that the
/// sprite is on, obstacles are made at least so thick.
void thicken(particles::Obstacle& obstacle, const Vec3& home, double depth) {
  using Kind = rigid::ObstacleShape::Kind;
  const rigid::ObstacleShape& form = obstacle.form();
  const Vec3 local = obstacle.place.inverse() * home;
  if (form.kind == Kind::Box) {
    int outside = 0, near = -1;
    for (int k = 0; k < 3; ++k) {
      if (std::abs(local[k]) > form.half[k]) near = k, ++outside;
    }
    if (outside != 1 || 2 * form.half[near] >= depth) return;
    rigid::ObstacleShape thick = form;
    const double more = 0.5 * depth - form.half[near];
    thick.half[near] += more;
    Vec3 shift = Vec3::Zero();
    shift[near] = local[near] > 0 ? -more : more;
    obstacle.place.translation += obstacle.place.rotation * shift;
    obstacle.shape = std::move(thick), obstacle.kept = nullptr;
  } else if (form.kind == Kind::Hull && form.inner == 0) {
    const Eigen::Vector4d* near = nullptr;
    for (const Eigen::Vector4d& plane : form.planes) {
      if (plane.head<3>().dot(local) <= plane[3]) continue;
      if (near) return;
      near = &plane;
    }
    if (!near) return;
    rigid::ObstacleShape thick = form;
    for (Eigen::Vector4d& plane : thick.planes) {
      if (plane.head<3>().dot(near->head<3>()) < -0.9) plane[3] = std::max(plane[3], depth - (*near)[3]);
    }
    if (!thick.box.empty()) thick.box.low -= Vec3::Constant(depth), thick.box.high += Vec3::Constant(depth);
    obstacle.shape = std::move(thick), obstacle.kept = nullptr;
  }
}

/// Notes whether what touched it bears it: what changes its momentum points up.
void note_ground(const Model& model, State& state, const Complex& impulse, const Complex& up, double dt) {
  const bool is_borne = std::abs(impulse) > 1e-3 * model.total * std::abs(up) * dt && dotted(impulse, up) > 0.5 * std::abs(impulse) * std::abs(up);
  state.grounded = is_borne ? 0 : state.grounded + dt;
}

/// What matching does to particles that stick would let a sprite creep: it is taken back, up to the friction of how far they were pushed out.
void hold_fast(State& state, double friction) {
  double depths = 0;
  state.stands_at = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Vec4f out = state.outside.places[i] - state.handed.places[i];
    if (out == Vec4f::Zero()) continue;
    const Complex pushed(double{out.x()}, double{out.y()});
    const double depth = std::abs(pushed);
    if (!(depth > 0)) continue;
    state.stands_at += depth * state.x[i], depths += depth;
    const Complex normal = pushed / depth, slid = slid_of(state, i);
    const Complex along = slid - dotted(slid, normal) * normal;
    const double length = std::abs(along);
    if (length > 0) state.x[i] -= std::min(1.0, friction * depth / length) * along;
  }
  state.stands = depths > 0;
  if (state.stands) state.stands_at /= depths;
}

}  // namespace

Complex slid_of(const State& state, size_t i) {
  return state.began.size() == state.size() ? state.x[i] - state.began[i] - state.stepped * state.v[i] : Complex(0);
}

Complex momentum_of(const Model& model, const State& state) {
  Complex sum = 0;
  for (size_t i = 0; i < state.size(); ++i) sum += model.mass[i] * state.v[i];
  return sum;
}

void collide_with_parts(const Model& model, State& state, MatterContext& now) {
  const WallTimer timer(state.times.collision);
  state.stands = false;
  if (now.obstacles.empty()) {
    state.grounded += now.dt;
    return;
  }
  // A sprite bounces by its own controls.
  std::vector<particles::Obstacle> obstacles(now.obstacles.begin(), now.obstacles.end());
  const Complex middle = middle_of(model, state.x);
  for (particles::Obstacle& obstacle : obstacles) obstacle.restitution = 0, thicken(obstacle, model.origin + Vec3(middle.real(), middle.imag(), 0), kThick * model.size);
  now.pushes = particles::collide_obstacles(particles_of(model, state), obstacles, now.dt);
  bool touches = false;
  double friction = 0;
  for (size_t k = 0; k < now.pushes.size(); ++k) {
    if (now.pushes[k].contacts > 0) touches = true, friction = std::max(friction, obstacles[k].friction);
  }
  if (now.frozen || !touches) {
    state.is_shown = false;
    state.grounded += now.dt;
    return;
  }
  const Complex before = momentum_of(model, state);
  take_over(state);
  if (friction > 0) hold_fast(state, friction);
  const Complex up(-now.gravity.x(), -now.gravity.y());
  note_ground(model, state, momentum_of(model, state) - before, up, now.dt);
}

particles::ParticleSpan particles_of(const Model& model, State& state) {
  if (!state.is_shown) show(model, state);
  return {model.origin, 1, model.edge, state.outside.places, state.outside.speeds, state.mass, state.held, state.is_there};
}

}  // namespace crumple::sprites
