#include "crumple/world/engine.h"

#include <cmath>
#include <limits>

#include "crumple/world/links.h"
#include "crumple/world/matter.h"

namespace crumple {
namespace {

using rigid::Motion;

rigid::PartSettings part_settings(const WorldState& w, int index, const Part& part) {
  const Body& body = w.body(index);
  const BodyDescription& d = *body.description;
  rigid::PartSettings settings;
  settings.shape = shape_of_part(body, part);
  settings.motion = body.frozen || body.held ? Motion::Static : d.motion;
  settings.mass = part.mass;
  settings.inertia = part.inertia;
  settings.surface = {d.material.friction, d.material.restitution, d.material.rolling_friction, d.material.damping, d.material.spin_damping};
  settings.group = w.groups[static_cast<size_t>(index)], settings.collides_with = w.masks[static_cast<size_t>(index)];
  settings.flat = w.scene.flat;
  settings.state = part.state;
  return settings;
}

/// Broken joints stay broken, and the bonds of a frozen body need no joints.
bool can_add(const WorldState& w, const JointSlot& joint) {
  if (joint.history < 0) return true;
  const auto is_moving = [&](int index) { return index >= 0 && !w.body(index).frozen && !w.body(index).held && w.body(index).description->motion == Motion::Dynamic; };
  return !joint.is_broken() && !is_welded(w, joint) && (is_moving(joint.body_a) || is_moving(joint.body_b));
}

/// During a rebuild of the rigid world, parts not yet added still have their old index.
bool is_in_world(const WorldState& w, int body, int part) {
  const int index = w.body(body).parts[static_cast<size_t>(part)].index;
  return index >= 0 && static_cast<size_t>(index) < w.owner_of_part.size() && w.owner_of_part[static_cast<size_t>(index)] == std::pair(body, part);
}

}  // namespace

void add_part(WorldState& w, int index, int number) {
  Part& part = w.body(index).parts[static_cast<size_t>(number)];
  part.index = w.rigid.add_part(part_settings(w, index, part));
  w.owner_of_part.resize(std::max(w.owner_of_part.size(), static_cast<size_t>(part.index) + 1), {-1, -1});
  w.owner_of_part[static_cast<size_t>(part.index)] = {index, number};
  mark_shape_stale(w, index, number);
}

void add_parts(WorldState& w, int index) {
  Body& body = w.body(index);
  if (body.matter) {
    body.matter_present = true;
    return;
  }
  for (size_t p = 0; p < body.parts.size(); ++p) add_part(w, index, static_cast<int>(p));
  ignore_neighbours(w, index);
  allow_overlaps(w, index, w.saved_overlaps[static_cast<size_t>(index)]);
  w.saved_overlaps[static_cast<size_t>(index)].clear();
}

void remove_parts(WorldState& w, int index) {
  Body& body = w.body(index);
  if (body.matter) {
    body.matter_present = false;
    return;
  }
  w.saved_overlaps[static_cast<size_t>(index)] = overlaps_of(w, index);
  for (const int slot : w.joints_of_body[static_cast<size_t>(index)]) {
    JointSlot& joint = w.joints[static_cast<size_t>(slot)];
    if (joint.index < 0) continue;
    // A joint that broke in the step that froze the body is restored with it.
    if (w.rigid.has_joint(joint.index)) joint.frames = w.rigid.joint_frames(joint.index);
    joint.index = -1;
  }
  for (Part& part : body.parts) {
    part.state = w.rigid.state(part.index);
    w.rigid.remove_part(part.index);
    part.index = -1;
  }
}

namespace {

void add_joint(WorldState& w, JointSlot& joint) {
  const auto part = [&](int body, int piece) { return body < 0 ? -1 : w.body(body).part_of(piece).index; };
  if (joint.index >= 0) return;
  const int part_a = part(joint.body_a, joint.piece_a), part_b = part(joint.body_b, joint.piece_b);
  if (part_a < 0 || (joint.body_b >= 0 && part_b < 0) || part_a == part_b || !can_add(w, joint)) return;
  joint.settings.part_a = part_a, joint.settings.part_b = part_b;
  if (!joint.frames) place_hinge(w, joint);
  joint.index = joint.frames ? w.rigid.add_joint(joint.settings, *joint.frames) : w.rigid.add_joint(joint.settings);
  joint.frames = w.rigid.joint_frames(joint.index);
  if (joint.plastic) w.rigid.set_plastic_state(joint.index, *joint.plastic);
  joint.is_quiet = false;
  w.slot_of_joint.resize(std::max(w.slot_of_joint.size(), static_cast<size_t>(joint.index) + 1), -1);
  w.slot_of_joint[static_cast<size_t>(joint.index)] = static_cast<int>(&joint - w.joints.data());
}

}  // namespace

void add_joints(WorldState& w) {
  for (JointSlot& joint : w.joints) add_joint(w, joint);
}

void add_joints(WorldState& w, int body) {
  for (const int slot : w.joints_of_body[static_cast<size_t>(body)]) add_joint(w, w.joints[static_cast<size_t>(slot)]);
}

void build_rigid_world(WorldState& w) {
  w.earlier_health = health_of(w);
  w.earlier_skipped_pairs += w.rigid.skipped_pairs();
  w.rigid = rigid::World(WorldState::engine_settings(w.scene));
  w.owner_of_part.clear(), w.slot_of_joint.clear();
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    if (w.bodies[i].is_present()) add_parts(w, static_cast<int>(i));
  }
  add_joints(w);
}

void rebuild(WorldState& w) {
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    if (!w.bodies[i].is_present() || w.bodies[i].matter) continue;
    w.saved_overlaps[i] = overlaps_of(w, static_cast<int>(i));
    for (Part& part : w.bodies[i].parts) part.state = w.rigid.state(part.index);
  }
  for (JointSlot& joint : w.joints) {
    if (joint.index >= 0) joint.frames = w.rigid.joint_frames(joint.index);
    joint.index = -1;
  }
  build_rigid_world(w);
}

void allow_initial_overlap(WorldState& w, const Body& body) {
  for (const Part& part : body.parts) w.rigid.allow_overlap({part.index, part.index, std::numeric_limits<double>::infinity()});
}

std::vector<BodyOverlap> overlaps_of(const WorldState& w, int index) {
  std::vector<BodyOverlap> found;
  for (const rigid::World::Overlap& overlap : w.rigid.overlaps()) {
    std::pair<int, int> own = w.owner_of_part[static_cast<size_t>(overlap.part_a)], other = w.owner_of_part[static_cast<size_t>(overlap.part_b)];
    if (own.first != index) std::swap(own, other);
    if (own.first != index) continue;
    found.push_back({static_cast<double>(own.second), static_cast<double>(other.first), static_cast<double>(other.second),
                     std::isfinite(overlap.depth) ? overlap.depth : -1});
  }
  return found;
}

void allow_overlaps(WorldState& w, int index, std::span<const BodyOverlap> overlaps) {
  const std::vector<Part>& parts = w.body(index).parts;
  for (const BodyOverlap& overlap : overlaps) {
    const int body_b = static_cast<int>(overlap.body_b), part_b = static_cast<int>(overlap.part_b);
    if (!is_in_world(w, body_b, part_b)) continue;  // allowed when that part is added
    w.rigid.allow_overlap({parts[static_cast<size_t>(overlap.part)].index, w.body(body_b).parts[static_cast<size_t>(part_b)].index,
                           overlap.depth < 0 ? std::numeric_limits<double>::infinity() : overlap.depth});
  }
}

Transform place_of(const WorldState& w, const Part& part) {
  return (part.index >= 0 ? w.rigid.state(part.index).place : part.state.place) * part.rest_in_part();
}

Transform place_of_piece(const WorldState& w, const Body& body, int piece) {
  const Transform place = place_of(w, body.part_of(piece));
  return body.poses.empty() ? place : place * body.poses[static_cast<size_t>(piece)];
}

std::vector<Transform> places_of_pieces(const WorldState& w, const Body& body) {
  std::vector<Transform> places;
  for (int piece = 0; piece < body.piece_count(); ++piece) places.push_back(place_of_piece(w, body, piece));
  return places;
}

rigid::World::StructureHealth health_of(const WorldState& w) {
  const rigid::World::StructureHealth now = w.rigid.structure_health();
  return {w.earlier_health.islands + now.islands, w.earlier_health.factors + now.factors, w.earlier_health.unconverged + now.unconverged,
          std::max(w.earlier_health.most_factors, now.most_factors)};
}

}  // namespace crumple
