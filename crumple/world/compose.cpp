#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/world/simulation.h"

namespace crumple {
namespace {

bool finite(const rigid::PartState& state) {
  return state.place.rotation.allFinite() && state.place.translation.allFinite() && state.velocity.allFinite() && state.spin.allFinite();
}

/// What is wrong with a motion; empty if nothing is.
std::string trouble_of(const rigid::PartState& state) {
  if (!finite(state)) return "its motion is no longer finite";
  if (state.velocity.norm() <= kFastest && state.place.translation.norm() <= kFarthest) return "";
  return fmt::format("it moved at {:.0f} m/s, {:.0f} m from the origin", state.velocity.norm(), state.place.translation.norm());
}

/// Whether some of the blocks of vertices that moved belong to a part. Both are ascending.
bool has_moved(const Body& body, const BodyPart& part, std::span<const int> blocks) {
  const std::vector<int>& first = body.loaded->rig->first_vertex;
  for (const int piece : part.pieces) {
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), first[static_cast<size_t>(piece)] / Skin::kLanes);
    if (at != blocks.end() && *at * Skin::kLanes < first[static_cast<size_t>(piece) + 1]) return true;
  }
  return false;
}

}  // namespace

/// New centre of mass, principal axes, inertia and hull points. Runs for many bodies at once, so the engine is only read here; the
/// result is applied later, in the order of the bodies.
void World::Simulation::compose(int index) {
  const Body& body = bodies[static_cast<size_t>(index)];
  Work& w = work[static_cast<size_t>(index)];
  w.finite = true;
  for (size_t p = 0; p < body.parts.size(); ++p) {
    w.parts[p].reshaped = body.parts.size() == 1 || has_moved(body, body.parts[p], w.effects.moved);
    if (!w.parts[p].reshaped) continue;
    compose_part(body, body.parts[p], w.parts[p]);
    w.finite = w.finite && w.parts[p].mass.is_finite();
  }
}

void World::Simulation::compose_part(const Body& body, const BodyPart& part, PartWork& w) const {
  w.mass = mass_of_part(body, part.pieces, part.axes);
  if (!w.mass.is_finite()) return;
  const Transform old_rest_in_part = part.rest_in_part();
  const Transform new_rest_in_part = {w.mass.axes.transpose(), -(w.mass.axes.transpose() * w.mass.center)};
  const rigid::PartState& state = part.last_good;
  // The surface stays where it is in the world: only the frame moves to the new centre and axes.
  w.reshape.place = state.place * old_rest_in_part * new_rest_in_part.inverse();
  w.reshape.old_to_new = new_rest_in_part * old_rest_in_part.inverse();
  w.reshape.inertia = w.mass.inertia;
  // Mass and velocity of the centre stay, so linear momentum does; spin follows from the angular momentum about the centre.
  const Mat3& before = state.place.rotation;
  const Mat3& after = w.reshape.place.rotation;
  const Vec3 momentum = before * part.inertia.cwiseProduct(before.transpose() * state.spin);
  w.spin = after * (after.transpose() * momentum).cwiseQuotient(w.mass.inertia);
  hull_points(body, part, new_rest_in_part, w.points);
}

void World::Simulation::apply_effects() {
  for (const int index : busy) {
    Body& body = bodies[static_cast<size_t>(index)];
    Work& w = work[static_cast<size_t>(index)];
    if (w.effects.reshaped && !w.finite) {
      freeze(index, "its shape is no longer finite");
      continue;
    }
    for (size_t p = 0; p < body.parts.size(); ++p) {
      if (w.effects.reshaped && w.parts[p].reshaped) apply_shape(body.parts[p], w.parts[p]);
      if (!body.layers.empty()) rigid.set_restitution(body.parts[p].index, w.effects.restitution);
    }
    if (w.breaks.empty()) continue;
    for (const pieces::Break& broken : w.breaks) {
      const pieces::Link& link = body.pieces->model.links[static_cast<size_t>(broken.link)];
      report.breaks.push_back({body.description->name, static_cast<double>(steps + 1) * scene.dt(), broken.link, link.a, link.b, broken.impulse, broken.limit});
    }
    split(index);
  }
}

void World::Simulation::apply_shape(BodyPart& part, PartWork& w) {
  rigid::PartState& state = part.last_good;
  state.place = w.reshape.place, state.spin = w.spin;
  w.reshape.points = w.points;
  rigid.reshape(part.index, w.reshape);
  rigid.set_velocity(part.index, state.velocity, state.spin);
  part.axes = w.mass.axes, part.center = w.mass.center, part.inertia = w.mass.inertia;
  const auto& [body, number] = owner_of_part[static_cast<size_t>(part.index)];
  reshaped(body, number);
}

/// After the rigid step: whoever is not finite any more, or flies off for no reason, goes back to where it was and stays there.
void World::Simulation::check() {
  for (size_t i = 0; i < bodies.size(); ++i) {
    Body& body = bodies[i];
    if (!body.is_present() || body.frozen || body.clusters || body.description->motion == rigid::Motion::Static) continue;
    // All of it goes back if some of it must, and to the same moment.
    std::vector<rigid::PartState> states;
    std::string trouble;
    for (const BodyPart& part : body.parts) {
      states.push_back(rigid.state(part.index));
      trouble = trouble_of(states.back());
      if (!trouble.empty()) break;
    }
    if (!trouble.empty()) {
      freeze(static_cast<int>(i), trouble);
      continue;
    }
    for (size_t p = 0; p < states.size(); ++p) body.parts[p].last_good = states[p];
  }
}

void World::Simulation::freeze(int index, std::string why) {
  Body& body = bodies[static_cast<size_t>(index)];
  report.frozen.push_back({body.description->name, static_cast<double>(steps) * scene.dt(), std::move(why)});
  remove_parts(index);
  body.frozen = true;
  for (BodyPart& part : body.parts) {
    part.state = part.last_good;
    part.state.velocity.setZero(), part.state.spin.setZero();
  }
  add_parts(index);
  add_joints();
}

}  // namespace crumple
