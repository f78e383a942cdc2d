#include "crumple/world/faults.h"

#include "crumple/methods/faults.h"
#include "crumple/world/engine.h"
#include "crumple/world/ledger.h"

namespace crumple {
namespace {

bool finite(const rigid::PartState& state) {
  return state.place.rotation.allFinite() && state.place.translation.allFinite() && state.velocity.allFinite() && state.spin.allFinite();
}

/// Description of a fault in a motion; empty if there is none.
std::string fault_of(const rigid::PartState& state) {
  return finite(state) ? runaway(state.velocity.norm(), state.place.translation.norm()) : "its motion is no longer finite";
}

}  // namespace

void put_back_runaways(WorldState& w) {
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    Body& body = w.bodies[i];
    if (!body.is_present() || body.frozen || body.matter || body.description->motion == rigid::Motion::Static) continue;
    // All parts of a body go back together, to the same step.
    std::vector<rigid::PartState> states;
    std::string fault;
    for (const Part& part : body.parts) {
      states.push_back(w.rigid.state(part.index));
      fault = fault_of(states.back());
      if (!fault.empty()) break;
    }
    if (!fault.empty()) {
      freeze_body(w, static_cast<int>(i), fault);
      continue;
    }
    for (size_t p = 0; p < states.size(); ++p) {
      Part& part = body.parts[p];
      part.velocity_before = part.last_good.velocity, part.spin_before = part.last_good.spin;
      part.last_good = states[p];
    }
  }
}

void freeze_body(WorldState& w, int index, std::string why) {
  Body& body = w.body(index);
  w.report.energy.frozen -= rigid_energy(w, body).sum();
  w.report.frozen.push_back({body.description->name, w.time(), std::move(why)});
  remove_parts(w, index);
  body.frozen = true;
  for (Part& part : body.parts) {
    part.state = part.last_good;
    part.state.velocity.setZero(), part.state.spin.setZero();
  }
  add_parts(w, index);
  add_joints(w);
}

}  // namespace crumple
