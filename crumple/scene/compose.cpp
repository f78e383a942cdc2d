#include <cmath>

#include <fmt/format.h>

#include "crumple/geometry/mass.h"
#include "crumple/scene/simulation.h"

namespace crumple {
namespace {

constexpr double kFastest = 2000;   // m/s: faster than any wreck; something has gone wrong
constexpr double kFarthest = 1e6;   // m

bool finite(const rigid::PartState& state) {
  return state.place.rotation.allFinite() && state.place.translation.allFinite() && state.velocity.allFinite() && state.spin.allFinite();
}

}  // namespace

/// New centre of mass, principal axes, inertia and hull points. Runs for many bodies at once, so the engine is only read here; the
/// result is applied later, in the order of the bodies.
void World::Simulation::compose(int index) {
  const Body& body = bodies[static_cast<size_t>(index)];
  Work& w = work[static_cast<size_t>(index)];
  const std::vector<Vec3f>& shape = *current_shape(body);
  const PointMassProperties points = mass_of_points(shape, body.vertex_masses);
  const PrincipalFrame frame = principal_frame(points.inertia, body.axes);
  w.finite = points.center.allFinite() && frame.axes.allFinite() && frame.moments.minCoeff() > 0;
  if (!w.finite) return;
  w.axes = frame.axes, w.center = points.center, w.inertia = frame.moments;

  const Transform old_rest_in_part = body.rest_in_part();
  const Transform new_rest_in_part = {w.axes.transpose(), -(w.axes.transpose() * w.center)};
  const rigid::PartState& state = last_good[static_cast<size_t>(index)];
  // The surface stays where it is in the world: only the frame moves to the new centre and axes.
  w.reshape.place = state.place * old_rest_in_part * new_rest_in_part.inverse();
  w.reshape.old_to_new = new_rest_in_part * old_rest_in_part.inverse();
  w.reshape.inertia = w.inertia;
  // Mass and velocity of the centre stay, so linear momentum does; spin follows from the angular momentum about the centre.
  const Mat3& before = state.place.rotation;
  const Mat3& after = w.reshape.place.rotation;
  const Vec3 momentum = before * body.inertia.cwiseProduct(before.transpose() * state.spin);
  w.spin = after * (after.transpose() * momentum).cwiseQuotient(w.inertia);
  w.points.resize(body.hull_vertices.size());
  for (size_t i = 0; i < w.points.size(); ++i) {
    w.points[i] = new_rest_in_part * shape[static_cast<size_t>(body.hull_vertices[i])].cast<double>();
  }
}

void World::Simulation::apply_effects() {
  for (const int index : busy) {
    Body& body = bodies[static_cast<size_t>(index)];
    Work& w = work[static_cast<size_t>(index)];
    if (w.effects.reshaped && !w.finite) {
      freeze(index, "its shape is no longer finite");
      continue;
    }
    if (w.effects.reshaped) {
      rigid::PartState& state = last_good[static_cast<size_t>(index)];
      state.place = w.reshape.place, state.spin = w.spin;
      w.reshape.points = w.points;
      rigid.reshape(body.part, w.reshape);
      rigid.set_velocity(body.part, state.velocity, state.spin);
      body.axes = w.axes, body.center = w.center, body.inertia = w.inertia;
    }
    rigid.set_restitution(body.part, w.effects.restitution);
  }
}

/// After the rigid step: whoever is not finite any more, or flies off for no reason, goes back to where it was and stays there.
void World::Simulation::check() {
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    if (body.part < 0 || body.frozen || body.description->motion == rigid::Motion::Static) continue;
    const rigid::PartState state = rigid.state(body.part);
    if (!finite(state)) {
      freeze(static_cast<int>(i), "its motion is no longer finite");
    } else if (state.velocity.norm() > kFastest || state.place.translation.norm() > kFarthest) {
      freeze(static_cast<int>(i), fmt::format("it moved at {:.0f} m/s, {:.0f} m from the origin", state.velocity.norm(), state.place.translation.norm()));
    } else {
      last_good[i] = state;
    }
  }
}

void World::Simulation::freeze(int index, std::string why) {
  Body& body = bodies[static_cast<size_t>(index)];
  report.frozen.push_back({body.description->name, static_cast<double>(steps) * scene.dt(), std::move(why)});
  remove_part(index);
  body.frozen = true;
  rigid::PartState& state = states[static_cast<size_t>(index)];
  state = last_good[static_cast<size_t>(index)];
  state.velocity.setZero(), state.spin.setZero();
  add_part(index);
  add_joints();
}

}  // namespace crumple
