#include <algorithm>
#include <cmath>
#include <map>

#include "crumple/core/parallel.h"
#include "crumple/geometry/bvh.h"
#include "crumple/world/simulation.h"

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

/// The hull of the body that a child of a part's shape is, or -1.
int hull_of(const BodyPart& part, int child) {
  return child >= 0 && static_cast<size_t>(child) < part.hulls.size() ? part.hulls[static_cast<size_t>(child)] : -1;
}

}  // namespace

void World::Simulation::route_contacts() {
  for (Work& w : work) w.contacts.clear();
  for (size_t i = 0; i < loads.contacts.size() + soft_contacts.size(); ++i) {
    const rigid::Contact& touched = contact(static_cast<int>(i));
    for (const bool is_a : {true, false}) {
      const int own = is_a ? touched.part_a : touched.part_b;
      if (own < 0) continue;  // a soft body
      const auto& [index, part] = owner_of_part[static_cast<size_t>(own)];
      const Body& body = bodies[static_cast<size_t>(index)];
      if (!(body.layers.empty() && !body.pieces) && !body.frozen) work[static_cast<size_t>(index)].contacts.push_back({static_cast<int>(i), is_a, part});
    }
  }
}

/// Contacts strong enough for some layer, seen from the body's rest frame.
void World::Simulation::gather_hits(int index) {
  const Body& body = bodies[static_cast<size_t>(index)];
  Work& w = work[static_cast<size_t>(index)];
  const double least = least_interest(body, scene.dt());
  std::map<std::pair<int, int>, double> speed_changes;  // by the body's part and the part touched
  const auto pair_of = [&](const Touch& touch) {
    const rigid::Contact& touched = contact(touch.contact);
    return std::pair(touch.part, touch.is_a ? touched.part_b : touched.part_a);
  };
  for (const Touch& touch : w.contacts) {
    speed_changes[pair_of(touch)] += contact(touch.contact).impulse / body.parts[static_cast<size_t>(touch.part)].mass;
  }
  w.hits.clear();
  for (const Touch& touch : w.contacts) {
    if (speed_changes[pair_of(touch)] <= least) continue;
    const rigid::Contact& contact = this->contact(touch.contact);
    const BodyPart& part = body.parts[static_cast<size_t>(touch.part)];
    const Transform part_in_rest = part.rest_in_part().inverse();
    const Mat3 world_to_rest = part_in_rest.rotation * part.last_good.place.rotation.transpose();
    Hit hit = nearest_face(body, hull_of(part, touch.is_a ? contact.hull_a : contact.hull_b), part_in_rest * (touch.is_a ? contact.local_a : contact.local_b));
    const double sign = touch.is_a ? 1 : -1;
    hit.impulse = sign * contact.impulse * (world_to_rest * contact.normal);
    hit.friction = sign * (world_to_rest * contact.friction);
    hit.part = touch.part, hit.mass = part.mass;
    hit.other = pair_of(touch).second;
    w.hits.push_back(hit);
  }
}

/// What joints do to the pieces they hold; a turn is a couple of impulses a metre apart.
void World::Simulation::add_joint_loads(int index) {
  const Body& body = bodies[static_cast<size_t>(index)];
  for (const rigid::JointLoad& load : loads.joints) {
    const JointSlot* slot = &joints[static_cast<size_t>(slot_of_joint[static_cast<size_t>(load.joint)])];
    if (slot->index != load.joint) continue;
    for (const bool is_a : {true, false}) {
      if ((is_a ? slot->body_a : slot->body_b) != index) continue;
      const int piece = is_a ? slot->piece_a : slot->piece_b;
      const BodyPart& part = body.part_of(piece);
      const Transform world_to_rest = part.rest_in_part().inverse() * part.last_good.place.inverse();
      const double sign = is_a ? 1 : -1;
      const Vec3 at = world_to_rest * load.at, turn = sign * (world_to_rest.rotation * load.turn);
      std::vector<pieces::Load>& into = work[static_cast<size_t>(index)].piece_loads;
      into.push_back({piece, at, sign * (world_to_rest.rotation * load.push)});
      if (turn.norm() == 0) continue;
      const Vec3 arm = turn.unitOrthogonal(), couple = turn.cross(arm);  // arm x couple = turn
      into.push_back({piece, at + 0.5 * arm, couple}), into.push_back({piece, at - 0.5 * arm, -couple});
    }
  }
}

/// Every contact and every joint loads the links, however weak it is.
void World::Simulation::step_pieces(int index) {
  Body& body = bodies[static_cast<size_t>(index)];
  Work& w = work[static_cast<size_t>(index)];
  w.piece_loads.clear();
  for (const Touch& touch : w.contacts) {
    const rigid::Contact& contact = this->contact(touch.contact);
    const BodyPart& part = body.parts[static_cast<size_t>(touch.part)];
    const int hull = hull_of(part, touch.is_a ? contact.hull_a : contact.hull_b);
    if (hull < 0) continue;
    const Transform part_in_rest = part.rest_in_part().inverse();
    const Mat3 world_to_rest = part_in_rest.rotation * part.last_good.place.rotation.transpose();
    const Vec3 impulse = world_to_rest * (contact.impulse * contact.normal + contact.friction);
    w.piece_loads.push_back({body.loaded->hulls.piece[static_cast<size_t>(hull)], part_in_rest * (touch.is_a ? contact.local_a : contact.local_b),
                             touch.is_a ? impulse : Vec3(-impulse)});
  }
  add_joint_loads(index);
  std::vector<Vec3> spins;
  for (const BodyPart& part : body.parts) spins.push_back(part.axes * (part.last_good.place.rotation.transpose() * part.last_good.spin));
  w.breaks = pieces::step(body.pieces->model, body.pieces->state, scene.dt(), w.piece_loads, spins);
}

void World::Simulation::step_body(int index) {
  Body& body = bodies[static_cast<size_t>(index)];
  Work& w = work[static_cast<size_t>(index)];
  w.parts.resize(body.parts.size());
  w.effects = {};
  if (!body.layers.empty()) gather_hits(index);
  const std::span<const uint8_t> broken = body.pieces ? std::span<const uint8_t>(body.pieces->state.broken) : std::span<const uint8_t>();
  for (Layer& layer : body.layers) {
    std::visit(
        [&](auto& at_work) {
          StepContext now{scene.dt(), w.hits, broken, {}};
          crumple::step_layer(at_work, now);
          w.effects = now.effects;
        },
        layer);
  }
  if (w.effects.reshaped) compose(index);
  w.breaks.clear();
  if (body.pieces && !(w.effects.reshaped && !w.finite)) step_pieces(index);  // who is about to freeze keeps the parts it has
}

void World::Simulation::step_layers() {
  const auto can_break = [&](const Body& body) {
    if (!body.pieces || !std::isfinite(body.pieces->model.weakest)) return false;
    if (pieces::is_settling(body.pieces->model, body.pieces->state)) return true;  // who is hit later, asleep until then, has settled
    return std::any_of(body.parts.begin(), body.parts.end(), [&](const BodyPart& part) { return rigid.is_awake(part.index); });
  };
  route_contacts();
  busy.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    if (!body.is_present() || body.frozen || (body.layers.empty() && !body.pieces)) continue;
    if (!work[i].contacts.empty() || any_busy(body) || can_break(body)) busy.push_back(static_cast<int>(i));
  }
  parallel_for(busy.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) step_body(busy[i]);
  });
}

}  // namespace crumple
