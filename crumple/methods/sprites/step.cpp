#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/timer.h"
#include "crumple/methods/faults.h"
#include "crumple/methods/sprites/kernels.h"

namespace crumple::sprites {
namespace {

/// A share that is given for 1/60 s, in a step.
double share_of_step(double share, double dt, int parts) {
  return share >= 1 ? 1 : 1 - std::pow(1 - share, dt / (kUnit * parts));
}

/// The rest shape of a step: on the way from the last frame's to this one's.
void set_shape(State& state, double share) {
  for (size_t i = 0; i < state.size(); ++i) state.shape[i] = state.from[i] + share * (state.pose[i] - state.from[i]);
  state.posed.middle.resize(state.pose_rings.middle.size());
  for (size_t r = 0; r < state.posed.middle.size(); ++r) state.posed.middle[r] = state.from_rings.middle[r] + share * (state.pose_rings.middle[r] - state.from_rings.middle[r]);
}

/// Pinned particles go to their places in the other layer, which comes towards them by its share of the mass.
void hold_pins(const Model& model, State& state) {
  for (const Pin& pin : model.pins) {
    Complex gap = state.x[at(pin.vertex)];
    double lightness = 1 / model.mass[at(pin.vertex)];
    for (size_t k = 0; k < 3; ++k) {
      const double share = pin.shares[static_cast<int>(k)];
      gap -= share * state.x[at(pin.triangle[k])], lightness += share * share / model.mass[at(pin.triangle[k])];
    }
    const Complex push = gap / lightness;
    state.x[at(pin.vertex)] -= push / model.mass[at(pin.vertex)];
    for (size_t k = 0; k < 3; ++k) state.x[at(pin.triangle[k])] += pin.shares[static_cast<int>(k)] / model.mass[at(pin.triangle[k])] * push;
  }
}

Complex acceleration(const Model& model, const State& state, const Complex& gravity) {
  if (model.settings.fixed) return 0;
  if (model.settings.behaviours.empty()) return gravity;
  const Vec3& push = model.settings.behaviours[at(state.behaviour)].push;
  return gravity + Complex(state.is_left ? -push.x() : push.x(), push.y());
}

/// Air takes from the flight what the pose catches.
void apply_drag(const Model& model, State& state, double dt) {
  if (!model.settings.drag) return;
  double weight = 0;
  for (size_t k = 0; k < state.weights.size(); ++k) weight += std::min(state.weights[k], model.drag.a[k]);
  const Complex lost = share_in(dt, 1 / std::max(model.settings.drag->rate * weight, 1e-9)) * rigid_motion(model, state).velocity;
  for (Complex& v : state.v) v -= lost;
}

/// A fixed sprite comes back to its place and angle.
void come_home(const Model& model, State& state, double dt) {
  if (!model.settings.fixed) return;
  const double share = share_in(dt, model.settings.anchor);
  const RigidMotion motion = rigid_motion(model, state);
  const Complex i1(0, 1), turn = std::polar(1.0, share * std::arg(model.home_turn * std::conj(state.turn))), shift = share * (model.home - motion.middle);
  for (size_t i = 0; i < state.size(); ++i) {
    const Complex arm = state.x[i] - motion.middle;
    state.v[i] -= share * (motion.velocity + i1 * motion.spin * arm);
    state.x[i] = motion.middle + shift + turn * arm;
  }
}

/// Velocities of a step that came from places: flight, spin and the motion of the shape. Matching would let rotation die: its momentum is put back. The
/// motion of the shape is the artist's to keep.
void set_velocities(const Model& model, State& state, std::span<const Complex> before, const RigidMotion& flight, double dt) {
  const Settings& s = model.settings;
  const double rate = 1 / dt;
  if (s.lose_spin) {
    for (size_t i = 0; i < state.size(); ++i) state.v[i] = rate * (state.x[i] - before[i]);
    return;
  }
  const Complex from = middle_of(model, before), to = middle_of(model, state.x), i1(0, 1);
  Complex turn = 0;
  double inertia = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Complex weighed = model.mass[i] * (state.x[i] - to);
    turn += std::conj(before[i] - from) * weighed, inertia += dotted(weighed, state.x[i] - to);
  }
  const double size = std::sqrt(std::norm(turn));
  turn = size > 0 ? turn / size : 1;
  const bool touches = state.grounded < 0.1;
  const double lively = rate * std::pow(touches ? std::min(s.liveliness, s.contact_liveliness) : s.liveliness, dt / kUnit);
  const double spin = inertia > 0 ? flight.spin * flight.inertia / inertia : 0;
  double stray = 0;  // spin that is in the motion of the shape
  for (size_t i = 0; i < state.size(); ++i) {
    const Complex arm = state.x[i] - to;
    state.v[i] = lively * (arm - turn * (before[i] - from)), stray += model.mass[i] * crossed(arm, state.v[i]);
  }
  if (inertia > 0) stray /= inertia;
  const Complex velocity = rate * (to - from), turning = i1 * (spin - stray);
  for (size_t i = 0; i < state.size(); ++i) state.v[i] += velocity + turning * (state.x[i] - to);
}

}  // namespace

double share_in(double dt, double time) {
  return -std::expm1(-dt / time);
}

Complex middle_of(const Model& model, std::span<const Complex> places) {
  Complex sum = 0;
  for (size_t i = 0; i < places.size(); ++i) sum += model.mass[i] * places[i];
  return sum / model.total;
}

RigidMotion rigid_motion(const Model& model, const State& state) {
  RigidMotion motion;
  for (size_t i = 0; i < state.size(); ++i) motion.middle += model.mass[i] * state.x[i], motion.velocity += model.mass[i] * state.v[i];
  motion.middle /= model.total, motion.velocity /= model.total;
  for (size_t i = 0; i < state.size(); ++i) {
    const Complex arm = state.x[i] - motion.middle;
    motion.spin += model.mass[i] * crossed(arm, state.v[i] - motion.velocity), motion.inertia += model.mass[i] * std::norm(arm);
  }
  if (motion.inertia > 0) motion.spin /= motion.inertia;
  return motion;
}

void move_on(const Model& model, State& state, const Complex& gravity, double dt) {
  state.began = state.x, state.stepped = dt;
  const Complex force = acceleration(model, state, gravity);
  for (size_t i = 0; i < state.size(); ++i) state.v[i] += dt * force;
  const RigidMotion flight = rigid_motion(model, state);
  for (size_t i = 0; i < state.size(); ++i) state.x[i] += dt * state.v[i];
  const Settings& s = model.settings;
  const double local = share_of_step(s.local, dt, s.iterations), whole = share_of_step(s.stiffness, dt, s.iterations);
  for (int k = 0; k < s.iterations; ++k) {
    {
      const WallTimer timer(state.times.rings);
      if (local > 0) match_rings(model.rings, state.posed, state.shape, local, state.x);
      hold_pins(model, state);
    }
    const WallTimer timer(state.times.whole);
    state.turn = match_all(model.mass, state.shape, whole, state.turn, state.x).turn;
  }
  hold_pins(model, state);
  set_velocities(model, state, state.began, flight, dt);
}

void sum_contacts(const Model& model, State& state, double gravity, double frame) {
  Complex impulse = 0;
  double speed = 0;
  for (size_t i = 0; i < state.size(); ++i) impulse += model.mass[i] * state.hit[i], speed += model.mass[i] * std::abs(state.hit[i]);
  std::fill(state.hit.begin(), state.hit.end(), Complex(0));
  // eq. 4.4 has the sum of squares, which is the greater the fewer particles touch. The square of the sum is what the contact does to the whole.
  state.energy = speed * speed / (model.total * model.total);
  const std::optional<MomentumKnobs>& knobs = model.settings.momentum;
  if (!knobs || model.settings.examples != Examples::Full || !(std::abs(impulse) > knobs->threshold * model.total * gravity * frame)) return;
  state.stored += knobs->share * impulse;  // eq. 4.11
  const double most = knobs->cap * model.total;
  if (std::abs(state.stored) > most) state.stored *= most / std::abs(state.stored);
  ++state.counts[kBounces];
}

Complex give_back(const Model& model, State& state, double dt) {
  if (!model.settings.momentum || state.stored == Complex(0)) return 0;
  const double share = share_in(dt, model.settings.momentum->time);
  const Complex given = share * state.stored;
  Complex sum = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Complex change = model.settings.printed_momentum ? model.mass[i] * given / (model.total * model.total) : given / model.total;  // eq. 4.12
    state.v[i] += change, sum += model.mass[i] * change;
  }
  state.stored -= given;  // eq. 4.13
  return sum;
}

void correct_orientation(const Model& model, State& state, double dt) {
  const std::optional<OrientationKnobs>& knobs = model.settings.orientation;
  if (!knobs || model.settings.examples != Examples::Full) return;
  const RigidMotion motion = rigid_motion(model, state);
  const bool flies = knobs->facing != Facing::Angle && !state.stands && std::abs(motion.velocity) > knobs->least_speed;
  if (!flies && knobs->facing != Facing::Angle && !knobs->angle) return;
  const double goal = flies ? std::arg(motion.velocity) - M_PI / 2 : knobs->angle.value_or(0) * M_PI / 180;
  double way = std::arg(std::polar(1.0, goal) * std::conj(state.turn));
  if (flies && knobs->facing == Facing::Line) way -= M_PI * std::round(way / M_PI);
  const Complex turn = std::polar(1.0, share_in(dt, knobs->time) * way);  // eq. 4.14
  const Complex pivot = state.stands ? state.stands_at : motion.middle;  // what stands turns about its foot, or it would creep
  for (Complex& x : state.x) x = pivot + turn * (x - pivot);
  state.turn *= turn;
  // The spin that it has against the goal goes as well, or the two would fight.
  const Complex i1(0, 1);
  const double lost = share_in(dt, knobs->time) * motion.spin;
  for (size_t i = 0; i < state.size(); ++i) state.v[i] -= i1 * lost * (state.x[i] - motion.middle);
}

void prepare(const Model& model, State& state, const MatterContext& now) {
  if (now.frozen) return;
  take_over(state);
  const double frame = now.dt * now.substeps;
  const Complex gravity(now.gravity.x(), now.gravity.y());
  if (now.substep == 0) {
    sum_contacts(model, state, std::abs(gravity), frame);
    const Wanted wanted = behave(model, state, now.time, frame);
    choose_pose(model, state, wanted.equilibrium, wanted.attraction, frame);
    ++state.counts[kFrames];
  }
  set_shape(state, (now.substep + 1.0) / now.substeps);
  apply_drag(model, state, now.dt);
  move_on(model, state, gravity, now.dt);
  come_home(model, state, now.dt);
  state.hulls.layers.clear();
}

void step(const Model& model, State& state, MatterContext& now) {
  collide_with_parts(model, state, now);
  if (now.frozen) return;
  const WallTimer timer(state.times.other);
  const Complex given = give_back(model, state, now.dt);
  // Whatever it pushes itself off from gets the opposite.
  double strength = 0;
  for (const particles::Push& push : now.pushes) strength += push.strength;
  for (size_t k = 0; strength > 0 && k < now.pushes.size(); ++k) {
    particles::Push& push = now.pushes[k];
    if (push.contacts == 0) continue;
    const Vec3 back = -push.strength / strength * Vec3(given.real(), given.imag(), 0);
    push.impulse += back, push.twist += (push.at - now.obstacles[k].center).cross(back);
  }
  correct_orientation(model, state, now.dt);
}

Bounds reach(const Model& model, const State& state, double dt) {
  Bounds box;
  double fastest = 0;
  for (size_t i = 0; i < state.size(); ++i) box.add(model.origin + Vec3(state.x[i].real(), state.x[i].imag(), 0)), fastest = std::max(fastest, std::norm(state.v[i]));
  const Vec3 slack = Vec3::Constant(2 * std::sqrt(fastest) * dt + 0.5 * model.edge);
  return {box.low - slack, box.high + slack};
}

std::string fault(const Model& model, const State& state) {
  const Complex middle = middle_of(model, state.x), velocity = middle_of(model, state.v);
  const auto is_finite = [](Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
  if (!is_finite(middle) || !is_finite(velocity)) return "its particles' motion is no longer finite";
  return runaway(std::abs(velocity), (model.origin + Vec3(middle.real(), middle.imag(), 0)).norm());
}

void freeze(const Model&, State& state) {
  for (size_t i = 0; i < state.size(); ++i) {
    if (!std::isfinite(state.x[i].real()) || !std::isfinite(state.x[i].imag())) state.x[i] = i < state.began.size() ? state.began[i] : 0;
    state.v[i] = state.hit[i] = 0;
  }
  state.stored = 0, state.is_shown = false;
}

double kinetic_energy(const Model& model, const State& state) {
  double energy = 0;
  for (size_t i = 0; i < state.size(); ++i) energy += 0.5 * model.mass[i] * std::norm(state.v[i]);
  return energy;
}

}  // namespace crumple::sprites
