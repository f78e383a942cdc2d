#include <limits>

#include "crumple/world/simulation.h"

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

}  // namespace

rigid::PartSettings World::Simulation::part_settings(int index, const BodyPart& part) const {
  const Body& body = bodies[static_cast<size_t>(index)];
  const BodyDescription& d = *body.description;
  rigid::PartSettings settings;
  settings.shape = shape_of_part(body, part);
  settings.motion = body.frozen ? Motion::Static : d.motion;
  settings.mass = part.mass;
  settings.inertia = part.inertia;
  settings.surface = {d.material.friction, d.material.restitution, d.material.rolling_friction, d.material.damping, d.material.spin_damping};
  settings.group = groups[static_cast<size_t>(index)], settings.collides_with = masks[static_cast<size_t>(index)];
  settings.state = part.state;
  return settings;
}

void World::Simulation::add_part(int index, int number) {
  BodyPart& part = bodies[static_cast<size_t>(index)].parts[static_cast<size_t>(number)];
  part.index = rigid.add_part(part_settings(index, part));
  owner_of_part.resize(std::max(owner_of_part.size(), static_cast<size_t>(part.index) + 1), {-1, -1});
  owner_of_part[static_cast<size_t>(part.index)] = {index, number};
  reshaped(index, number);
}

void World::Simulation::add_parts(int index) {
  if (auto& soft = bodies[static_cast<size_t>(index)].clusters) {
    soft->present = true;
    return;
  }
  for (size_t p = 0; p < bodies[static_cast<size_t>(index)].parts.size(); ++p) add_part(index, static_cast<int>(p));
  if (bodies[static_cast<size_t>(index)].structure) ignore_neighbours(index);
  allow_overlaps(index, waiting_overlaps[static_cast<size_t>(index)]);
  waiting_overlaps[static_cast<size_t>(index)].clear();
}

void World::Simulation::remove_parts(int index) {
  if (auto& soft = bodies[static_cast<size_t>(index)].clusters) {
    soft->present = false;
    return;
  }
  waiting_overlaps[static_cast<size_t>(index)] = overlaps_of(index);
  for (JointSlot& joint : joints) {
    if (joint.index < 0 || (joint.body_a != index && joint.body_b != index)) continue;
    // One that broke in the very step that the body is frozen for is whole again with it.
    if (rigid.has_joint(joint.index)) joint.frames = rigid.joint_frames(joint.index);
    joint.index = -1;
  }
  for (BodyPart& part : bodies[static_cast<size_t>(index)].parts) {
    part.state = rigid.state(part.index);
    rigid.remove_part(part.index);
    part.index = -1;
  }
}

/// What has broken stays so, and a structure that is frozen needs no joints any more.
bool World::Simulation::can_add(const JointSlot& joint) const {
  if (joint.book < 0) return true;
  const auto is_moving = [&](int index) {
    return index >= 0 && !bodies[static_cast<size_t>(index)].frozen && bodies[static_cast<size_t>(index)].description->motion == Motion::Dynamic;
  };
  return !joint.is_broken() && (is_moving(joint.body_a) || is_moving(joint.body_b));
}

void World::Simulation::add_joints() {
  const auto part = [&](int body, int piece) { return body < 0 ? -1 : bodies[static_cast<size_t>(body)].part_of(piece).index; };
  for (JointSlot& joint : joints) {
    const int part_a = part(joint.body_a, joint.piece_a), part_b = part(joint.body_b, joint.piece_b);
    if (joint.index >= 0 || part_a < 0 || (joint.body_b >= 0 && part_b < 0) || !can_add(joint)) continue;
    joint.settings.part_a = part_a, joint.settings.part_b = part_b;
    joint.index = joint.frames ? rigid.add_joint(joint.settings, *joint.frames) : rigid.add_joint(joint.settings);
    joint.frames = rigid.joint_frames(joint.index);
    if (joint.plastic) rigid.set_plastic_state(joint.index, *joint.plastic);
    joint.is_quiet = false;
    slot_of_joint.resize(std::max(slot_of_joint.size(), static_cast<size_t>(joint.index) + 1), -1);
    slot_of_joint[static_cast<size_t>(joint.index)] = static_cast<int>(&joint - joints.data());
  }
}

/// The rigid world anew from the parts' states.
void World::Simulation::build_rigid_world() {
  earlier_health = health();
  earlier_skipped_pairs += rigid.skipped_pairs();
  rigid = rigid::World({scene.gravity, scene.iterations, scene.sleeping});
  owner_of_part.clear(), slot_of_joint.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].is_present()) add_parts(static_cast<int>(i));
  }
  add_joints();
}

void World::Simulation::rebuild() {
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].is_present() || bodies[i].clusters) continue;
    waiting_overlaps[i] = overlaps_of(static_cast<int>(i));
    for (BodyPart& part : bodies[i].parts) part.state = rigid.state(part.index);
  }
  for (JointSlot& joint : joints) {
    if (joint.index >= 0) joint.frames = rigid.joint_frames(joint.index);
    joint.index = -1;
  }
  build_rigid_world();
}

/// A post may stand in the ground, a rail in the deck that bears it, a tube with its skin against a wall: what a structure overlaps as it appears
/// does not push it out and tear it from its supports.
void World::Simulation::stand_in(const Body& body) {
  for (const BodyPart& part : body.parts) rigid.allow_overlap({part.index, part.index, std::numeric_limits<double>::infinity()});
}

void World::Simulation::control() {
  const double time = static_cast<double>(steps) * scene.dt();
  bool changed = false;
  for (size_t i = 0; i < bodies.size(); ++i) {
    Body& body = bodies[i];
    const BodyDescription& d = *body.description;
    const bool wanted = present(d, time);
    if (wanted != body.is_present()) {
      wanted ? add_parts(static_cast<int>(i)) : remove_parts(static_cast<int>(i));
      if (wanted && body.structure) stand_in(body);
      changed = true;
    }
    if (!body.is_present() || body.frozen || body.clusters || (d.script.empty() && d.motion != Motion::Scripted)) continue;
    const ScriptStep* now = script_at(d, time);
    for (const BodyPart& part : body.parts) {
      const rigid::PartState state = rigid.state(part.index);
      if (now) {
        rigid.set_velocity(part.index, now->velocity.value_or(state.velocity), now->spin.value_or(state.spin));
      } else if (d.motion == Motion::Scripted && !d.script.empty()) {
        rigid.set_velocity(part.index, Vec3::Zero(), Vec3::Zero());
      }
    }
  }
  if (changed) add_joints();
}

}  // namespace crumple
