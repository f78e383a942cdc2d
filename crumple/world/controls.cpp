#include "crumple/world/controls.h"

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

}  // namespace

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
    follow_script(w, body, script_at(w, d));
    is_scripted = true;
  }
  if (changed) add_joints(w);
  return changed || is_scripted;
}

}  // namespace crumple
