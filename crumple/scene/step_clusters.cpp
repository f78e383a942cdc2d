#include <cmath>

#include "crumple/scene/simulation.h"

namespace crumple {
namespace {

using clusters::RigidShape;

/// The convex shapes that a shape of the rigid world consists of, in the frame of its part.
std::vector<RigidShape> shapes_of(const rigid::Shape& shape) {
  RigidShape made;
  if (const auto* box = std::get_if<rigid::Box>(&shape)) {
    made.kind = RigidShape::Kind::Box, made.half = 0.5 * box->size;
  } else if (const auto* sphere = std::get_if<rigid::Sphere>(&shape)) {
    made.kind = RigidShape::Kind::Ball, made.radius = sphere->radius;
  } else if (const auto* cylinder = std::get_if<rigid::Cylinder>(&shape)) {
    made.kind = RigidShape::Kind::Cylinder, made.radius = cylinder->radius, made.half[1] = 0.5 * cylinder->height;
  } else if (const auto* plane = std::get_if<rigid::Plane>(&shape)) {
    made.kind = RigidShape::Kind::Plane;
    made.planes.emplace_back(plane->normal[0], plane->normal[1], plane->normal[2], plane->offset);
  } else {
    return {};
  }
  return {made};
}

Mat3 inverse_inertia(const BodyPart& part, const Mat3& axes) {
  return axes * part.inertia.cwiseInverse().asDiagonal() * axes.transpose();
}

}  // namespace

/// The rigid parts that a soft body may touch.
std::vector<World::Simulation::RigidMeeting> World::Simulation::meet(int index) {
  std::vector<RigidMeeting> meetings;
  const Body& soft = bodies[static_cast<size_t>(index)];
  for (size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = bodies[b];
    const bool collide = (masks[b] & groups[static_cast<size_t>(index)]) && (masks[static_cast<size_t>(index)] & groups[b]);
    if (body.clusters || !body.is_present() || !collide) continue;
    const bool moves = body.description->motion == rigid::Motion::Dynamic && !body.frozen;
    for (size_t p = 0; p < body.parts.size(); ++p) {
      const BodyPart& part = body.parts[p];
      const rigid::PartState state = rigid.state(part.index);
      clusters::RigidPart met;
      met.place = state.place, met.center = state.place.translation;
      if (body.description->motion != rigid::Motion::Static && !body.frozen) met.velocity = state.velocity, met.spin = state.spin;
      if (moves) met.inverse_mass = 1 / part.mass, met.inverse_inertia = inverse_inertia(part, state.place.rotation);
      met.friction = body.description->material.friction * soft.description->material.friction;
      met.restitution = std::max(state.restitution, 0.0) * soft.description->material.restitution;
      for (RigidShape& shape : shapes_of(shape_of_part(body, part))) {
        met.shape = std::move(shape);
        meetings.push_back({static_cast<int>(b), static_cast<int>(p), met});
      }
    }
  }
  return meetings;
}

void World::Simulation::step_cluster_body(int index) {
  Body& body = bodies[static_cast<size_t>(index)];
  const std::vector<RigidMeeting> meetings = meet(index);
  std::vector<clusters::RigidPart> parts;
  for (const RigidMeeting& meeting : meetings) parts.push_back(meeting.shape);
  clusters::Context now;
  now.dt = scene.dt(), now.gravity = scene.gravity;
  now.loads = &body.clusters->loads, now.parts = parts, now.times = &body.clusters->times;
  clusters::step(body.clusters->model, body.clusters->state, now);
  for (size_t i = 0; i < meetings.size(); ++i) {
    const clusters::Push& push = now.pushes[i];
    if (push.contacts == 0 || parts[i].inverse_mass == 0) continue;
    const int part = bodies[static_cast<size_t>(meetings[i].body)].parts[static_cast<size_t>(meetings[i].part)].index;
    const rigid::PartState state = rigid.state(part);
    rigid.set_velocity(part, state.velocity + parts[i].inverse_mass * push.impulse, state.spin + parts[i].inverse_inertia * push.twist);
  }
}

void World::Simulation::step_clusters() {
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].clusters && bodies[i].is_present() && !bodies[i].frozen) step_cluster_body(static_cast<int>(i));
  }
}

}  // namespace crumple
