#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/methods/sprites/kernels.h"

namespace crumple::sprites {
namespace {

constexpr double kGroundedFrames = 3;   // frames after which a sprite that nothing bears is in the air
constexpr double kTravelTime = 0.08;    // s: how fast it comes to its travelling speed

bool is_held(const Model& model, const State& state, const std::string& key) {
  const auto found = std::find(model.key_names.begin(), model.key_names.end(), key);
  return found != model.key_names.end() && (state.keys_held >> (found - model.key_names.begin()) & 1);
}

void read_input(const Model& model, State& state, double time) {
  const std::vector<KeyCue>& input = model.settings.input;
  for (; at(state.cues) < input.size() && input[at(state.cues)].time <= time + 1e-9; ++state.cues) {
    const KeyCue& cue = input[at(state.cues)];
    const auto bit = int64_t{1} << (std::find(model.key_names.begin(), model.key_names.end(), cue.key) - model.key_names.begin());
    state.keys_held = cue.down ? state.keys_held | bit : state.keys_held & ~bit;
  }
}

bool is_met(const Model& model, const State& state, const Rule& rule, const std::string& now, double speed, double away, double frame) {
  if (!rule.from.empty() && rule.from != now) return false;
  if (rule.to == now) return false;
  if (!rule.key.empty() && !is_held(model, state, rule.key)) return false;
  if (!rule.without.empty() && is_held(model, state, rule.without)) return false;
  const bool is_grounded = state.grounded < kGroundedFrames * frame;
  if (rule.contact != Contacting::Either && is_grounded != (rule.contact == Contacting::Ground)) return false;
  if (rule.faster && !(speed > *rule.faster)) return false;
  if (rule.slower && !(speed < *rule.slower)) return false;
  if (rule.after && !(state.since >= *rule.after - 1e-9)) return false;
  return !rule.within || away < *rule.within;
}

void turn_to(const Model& model, State& state, Side side, double velocity) {
  const bool wants_left = side == Side::Left || (side == Side::Velocity && velocity < -0.2);
  const bool wants_right = side == Side::Right || (side == Side::Velocity && velocity > 0.2);
  if ((wants_left && !state.is_left) || (wants_right && state.is_left)) flip(model, state);
}

Complex along_facing(const State& state, const Vec3& vector) {
  return {state.is_left ? -vector.x() : vector.x(), vector.y()};
}

/// Where the lower machine is on its way through the keys.
Place key_place(const Model& model, const State& state) {
  const Behaviour& now = model.settings.behaviours[at(state.behaviour)];
  const std::vector<Place>& keys = model.keys[at(state.behaviour)];
  if (keys.empty()) return model.equilibrium;
  const Place& here = keys[at(state.key)];
  if (!now.cycle) return here;
  return moved(model.manifold, here, keys[(at(state.key) + 1) % keys.size()], std::min(state.key_since / now.keys[at(state.key)].time, 1.0));
}

}  // namespace

void flip(const Model& model, State& state) {
  const RigidMotion motion = rigid_motion(model, state);
  const Complex i1(0, 1);
  for (size_t i = 0; i < state.size(); ++i) {
    // What is neither its flight nor its spin is mirrored with it: momentum, spin and energy stay.
    const Complex arm = state.x[i] - motion.middle, inner = state.v[i] - motion.velocity - i1 * motion.spin * arm, other = -std::conj(arm);
    state.x[i] = motion.middle + other, state.v[i] = motion.velocity + i1 * motion.spin * other - std::conj(inner);
    state.from[i] = -std::conj(state.from[i]), state.pose[i] = -std::conj(state.pose[i]);
  }
  state.from_rings = pose_rings(model.rings, state.from), state.pose_rings = pose_rings(model.rings, state.pose);
  state.is_left = !state.is_left, state.turn = std::conj(state.turn);
  ++state.counts[kFlips];
}

Wanted behave(const Model& model, State& state, double time, double frame) {
  read_input(model, state, time);
  const std::vector<Behaviour>& all = model.settings.behaviours;
  if (all.empty()) return {model.equilibrium, model.settings.attraction};
  const RigidMotion motion = rigid_motion(model, state);
  const Place place{static_cast<int>(state.simplex), state.weights};
  const double away = distance(model.manifold, place, key_place(model, state));
  for (const Rule& rule : model.settings.rules) {
    if (!is_met(model, state, rule, all[at(state.behaviour)].name, std::abs(motion.velocity), away, frame)) continue;
    state.behaviour = std::find_if(all.begin(), all.end(), [&](const Behaviour& b) { return b.name == rule.to; }) - all.begin();
    state.since = state.key_since = 0, state.key = 0;
    const Behaviour& begins = all[at(state.behaviour)];
    turn_to(model, state, begins.side, motion.velocity.real());
    for (Complex& v : state.v) v += along_facing(state, begins.jump);
    break;
  }
  const Behaviour& now = all[at(state.behaviour)];
  turn_to(model, state, now.side, motion.velocity.real());
  if (now.travel != 0 && state.grounded < kGroundedFrames * frame) {
    const double wanted = (state.is_left ? -now.travel : now.travel) - rigid_motion(model, state).velocity.real();
    for (Complex& v : state.v) v += share_in(frame, kTravelTime) * wanted;
  }
  const Wanted result{key_place(model, state), now.attraction.value_or(model.settings.attraction)};
  state.since += frame, state.key_since += frame;
  while (!now.keys.empty() && state.key_since >= now.keys[at(state.key)].time - 1e-9) {
    const bool is_last = at(state.key) + 1 == now.keys.size();
    if (is_last && !now.cycle) break;
    state.key_since -= now.keys[at(state.key)].time;
    state.key = is_last ? 0 : state.key + 1;
  }
  return result;
}

}  // namespace crumple::sprites
