#include <map>

#include "crumple/core/parallel.h"
#include "crumple/geometry/bvh.h"
#include "crumple/scene/simulation.h"

namespace crumple {
namespace {

double least_interest(const Body& body, double dt) {
  double least = 1e300;
  for (const Layer& layer : body.layers) {
    least = std::min(least, std::visit([&](const auto& at_work) { return interest(at_work.model, dt); }, layer));
  }
  return least;
}

bool any_busy(const Body& body) {
  for (const Layer& layer : body.layers) {
    if (std::visit([](const auto& at_work) { return is_busy(at_work.state); }, layer)) return true;
  }
  return false;
}

/// The boundary triangle nearest to a point of the rest frame, among those of one hull.
Hit nearest_face(const Body& body, int hull, const Vec3& point) {
  const RiggedBody& rig = *body.loaded->rig;
  const std::vector<Vec3f>& shape = *current_shape(body);
  Hit hit;
  double best = 1e300;
  const auto try_face = [&](int face) {
    const auto& [a, b, c] = rig.faces[static_cast<size_t>(face)];
    const Vec3 pa = shape[a].cast<double>(), pb = shape[b].cast<double>(), pc = shape[c].cast<double>();
    const Vec3 w = closest_barycentric(point, pa, pb, pc);
    const double squared = (w[0] * pa + w[1] * pb + w[2] * pc - point).squaredNorm();
    if (squared < best) best = squared, hit.face = face, hit.barycentric = w;
  };
  const auto& hulls = body.loaded->hulls.faces;
  if (hull >= 0 && static_cast<size_t>(hull) < hulls.size() && !hulls[static_cast<size_t>(hull)].empty()) {
    for (const int face : hulls[static_cast<size_t>(hull)]) try_face(face);
  } else {
    for (size_t face = 0; face < rig.faces.size(); ++face) try_face(static_cast<int>(face));
  }
  return hit;
}

}  // namespace

void World::Simulation::route_contacts() {
  for (Work& w : work) w.contacts.clear();
  for (size_t i = 0; i < loads.contacts.size(); ++i) {
    const rigid::Contact& contact = loads.contacts[i];
    for (const bool is_a : {true, false}) {
      const int index = body_of_part[static_cast<size_t>(is_a ? contact.part_a : contact.part_b)];
      const Body& body = bodies[static_cast<size_t>(index)];
      if (!body.layers.empty() && !body.frozen) work[static_cast<size_t>(index)].contacts.emplace_back(static_cast<int>(i), is_a);
    }
  }
}

void World::Simulation::step_body(int index) {
  Body& body = bodies[static_cast<size_t>(index)];
  Work& w = work[static_cast<size_t>(index)];
  const double dt = scene.dt();
  const double least = least_interest(body, dt);
  std::map<int, double> speed_changes;  // by the part touched
  const auto other = [&](const rigid::Contact& contact, bool is_a) { return is_a ? contact.part_b : contact.part_a; };
  for (const auto& [i, is_a] : w.contacts) {
    const rigid::Contact& contact = loads.contacts[static_cast<size_t>(i)];
    speed_changes[other(contact, is_a)] += contact.impulse / body.mass;
  }
  w.hits.clear();
  const Transform rest_in_part = body.rest_in_part();
  const Transform part_in_rest = rest_in_part.inverse();
  const Mat3 world_to_rest = part_in_rest.rotation * last_good[static_cast<size_t>(index)].place.rotation.transpose();
  for (const auto& [i, is_a] : w.contacts) {
    const rigid::Contact& contact = loads.contacts[static_cast<size_t>(i)];
    if (speed_changes[other(contact, is_a)] <= least) continue;
    Hit hit = nearest_face(body, is_a ? contact.hull_a : contact.hull_b, part_in_rest * (is_a ? contact.local_a : contact.local_b));
    const double sign = is_a ? 1 : -1;
    hit.impulse = sign * contact.impulse * (world_to_rest * contact.normal);
    hit.friction = sign * (world_to_rest * contact.friction);
    hit.other = other(contact, is_a);
    hit.mass = body.mass;
    w.hits.push_back(hit);
  }
  w.effects = {};
  for (Layer& layer : body.layers) {
    std::visit(
        [&](auto& at_work) {
          StepContext now{dt, w.hits, {}, {}};
          crumple::step_layer(at_work, now);
          w.effects.reshaped = w.effects.reshaped || now.effects.reshaped;
          w.effects.restitution = now.effects.restitution;
        },
        layer);
  }
  if (w.effects.reshaped) compose(index);
}

void World::Simulation::step_layers() {
  route_contacts();
  busy.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    if (body.part < 0 || body.frozen || body.layers.empty()) continue;
    if (!work[i].contacts.empty() || any_busy(body)) busy.push_back(static_cast<int>(i));
  }
  parallel_for(busy.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) step_body(busy[i]);
  });
}

}  // namespace crumple
