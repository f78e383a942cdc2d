#include "crumple/world/controls.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/scene/animation.h"
#include "crumple/world/engine.h"
#include "crumple/world/events.h"

namespace crumple {
namespace {

using rigid::Motion;

bool present(const WorldState& w, const BodyDescription& body) {
  const std::optional<double> begin = begin_of(w, body.when);
  if (!begin) return false;
  const double time = w.time() - *begin;
  return time >= body.start - 1e-9 && (!body.end || time < *body.end - 1e-9);
}

const ScriptStep* script_at(const WorldState& w, const BodyDescription& body) {
  for (const ScriptStep& stretch : body.script) {
    const std::optional<double> begin = begin_of(w, stretch.when);
    if (!begin) continue;
    const double time = w.time() - *begin;
    if (time >= stretch.from - 1e-9 && (!stretch.until || time < *stretch.until - 1e-9)) return &stretch;
  }
  return nullptr;
}

/// The state after the last step goes along: contacts of the next one ask it for the speed before, as they do after a checkpoint.
void follow_script(WorldState& w, Body& body, const ScriptStep* now) {
  const BodyDescription& d = *body.description;
  const auto impose = [&](Part& part, const Vec3& velocity, const Vec3& spin) {
    w.rigid.set_velocity(part.index, velocity, spin);
    part.last_good.velocity = velocity;
    part.last_good.spin = spin;
  };
  for (Part& part : body.parts) {
    const rigid::PartState state = w.rigid.state(part.index);
    if (now) {
      impose(part, now->velocity.value_or(state.velocity), now->spin.value_or(state.spin));
    } else if (d.motion == Motion::Scripted && !d.script.empty()) {
      impose(part, Vec3::Zero(), Vec3::Zero());
    }
  }
}

constexpr double kMisplaced = 1e-6;  // m, and entries of a rotation: further off, a part is put where it belongs
constexpr double kStill = 1e-12;     // likewise: a smaller motion in a step is none, so that sleep is possible

double distance(const Transform& a, const Transform& b) {
  return std::max((a.translation - b.translation).cwiseAbs().maxCoeff(), (a.rotation - b.rotation).cwiseAbs().maxCoeff());
}

/// The file's time counts from a contact, if the scene says so.
double animation_time(const WorldState& w, const NodeAnimation& animation, double time) {
  const std::optional<double> begin = begin_of(w, animation.when);
  return begin ? time - *begin : -std::numeric_limits<double>::infinity();
}

/// Velocities are such that the next step ends where the animation is then: what is hit is pushed by the true motion, and errors do not add up.
void follow_animation(WorldState& w, Body& body) {
  const NodeAnimation& animation = *body.description->animation;
  const double time = w.time(), dt = w.dt();
  const bool jumps = jumps_within(animation.clip, *body.animation, animation_time(w, animation, time), dt);
  const Transform now = wanted_place(w, body, time), next = jumps ? now : wanted_place(w, body, time + dt);
  const bool is_still = distance(now, next) < kStill;
  for (Part& part : body.parts) {
    rigid::PartState state = w.rigid.state(part.index);
    const Transform in_part = part.rest_in_part().inverse();
    const bool is_misplaced = distance(state.place, now * in_part) > kMisplaced;
    if (is_misplaced) state.place = now * in_part;
    const Transform goal = next * in_part;
    const Eigen::AngleAxisd turn(Quat(goal.rotation * state.place.rotation.transpose()).normalized());
    state.velocity = is_still ? Vec3(Vec3::Zero()) : Vec3((goal.translation - state.place.translation) / dt);
    state.spin = is_still ? Vec3(Vec3::Zero()) : Vec3(turn.angle() / dt * turn.axis());
    if (is_misplaced) w.rigid.set_state(part.index, state);
    w.rigid.set_velocity(part.index, state.velocity, state.spin);
    part.last_good = state;
  }
}

}  // namespace

Transform wanted_place(const WorldState& w, const Body& body, double time) {
  const Transform origin = {rotation_of(*body.description), body.description->at};
  if (!body.animation) return origin;
  const NodeAnimation& animation = *body.description->animation;
  return origin * body.animation->at(clip_time(animation.clip, *body.animation, animation_time(w, animation, time)));
}

bool control(WorldState& w) {
  bool changed = release_bodies(w), is_scripted = false;
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    Body& body = w.bodies[i];
    const BodyDescription& d = *body.description;
    const bool wanted = present(w, d);
    if (wanted != body.is_present()) {
      wanted ? add_parts(w, static_cast<int>(i)) : remove_parts(w, static_cast<int>(i));
      if (wanted && !own_pieces(body).empty()) allow_initial_overlap(w, body);
      changed = true;
    }
    if (!body.is_present() || body.frozen || body.held || body.matter || (d.script.empty() && d.motion != Motion::Scripted)) continue;
    if (body.animation) {
      follow_animation(w, body);
    } else {
      follow_script(w, body, script_at(w, d));
    }
    is_scripted = true;
  }
  if (changed) add_joints(w);
  return changed || is_scripted;
}

}  // namespace crumple
