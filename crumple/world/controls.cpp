#include "crumple/world/controls.h"

#include "crumple/world/engine.h"

namespace crumple {
namespace {

using rigid::Motion;

bool present(const BodyDescription& body, double time) {
  return time >= body.start - 1e-9 && (!body.end || time < *body.end - 1e-9);
}

const ScriptStep* script_at(const BodyDescription& body, double time) {
  for (const ScriptStep& stretch : body.script) {
    if (time >= stretch.from - 1e-9 && (!stretch.until || time < *stretch.until - 1e-9)) return &stretch;
  }
  return nullptr;
}

void follow_script(WorldState& w, const Body& body, const ScriptStep* now) {
  const BodyDescription& d = *body.description;
  for (const Part& part : body.parts) {
    const rigid::PartState state = w.rigid.state(part.index);
    if (now) {
      w.rigid.set_velocity(part.index, now->velocity.value_or(state.velocity), now->spin.value_or(state.spin));
    } else if (d.motion == Motion::Scripted && !d.script.empty()) {
      w.rigid.set_velocity(part.index, Vec3::Zero(), Vec3::Zero());
    }
  }
}

}  // namespace

void control(WorldState& w) {
  const double time = w.time();
  bool changed = false;
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    Body& body = w.bodies[i];
    const BodyDescription& d = *body.description;
    const bool wanted = present(d, time);
    if (wanted != body.is_present()) {
      wanted ? add_parts(w, static_cast<int>(i)) : remove_parts(w, static_cast<int>(i));
      if (wanted && !own_pieces(body).empty()) allow_initial_overlap(w, body);
      changed = true;
    }
    if (!body.is_present() || body.frozen || body.matter || (d.script.empty() && d.motion != Motion::Scripted)) continue;
    follow_script(w, body, script_at(d, time));
  }
  if (changed) add_joints(w);
}

}  // namespace crumple
