#include "crumple/scene/simulation.h"

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

rigid::PartSettings World::Simulation::part_settings(const Body& body) const {
  const size_t index = static_cast<size_t>(&body - bodies.data());
  const BodyDescription& d = *body.description;
  rigid::PartSettings settings;
  settings.shape = body.shape;
  settings.motion = body.frozen ? Motion::Static : d.motion;
  settings.mass = body.mass;
  settings.inertia = body.inertia;
  settings.surface = {d.material.friction, d.material.restitution, d.material.rolling_friction, d.material.damping, d.material.spin_damping};
  settings.group = groups[index], settings.collides_with = masks[index];
  settings.state = states[index];
  if (const std::vector<Vec3f>* shape = current_shape(body)) {
    const Transform to_part = body.rest_in_part();
    auto& hulls = std::get<rigid::Hulls>(settings.shape);
    size_t next = 0;
    for (std::vector<Vec3>& points : hulls.points) {
      for (Vec3& point : points) point = to_part * (*shape)[static_cast<size_t>(body.hull_vertices[next++])].cast<double>();
    }
  }
  return settings;
}

void World::Simulation::add_part(int index) {
  Body& body = bodies[static_cast<size_t>(index)];
  body.part = rigid.add_part(part_settings(body));
  body_of_part.resize(std::max(body_of_part.size(), static_cast<size_t>(body.part) + 1), -1);
  body_of_part[static_cast<size_t>(body.part)] = index;
}

void World::Simulation::remove_part(int index) {
  Body& body = bodies[static_cast<size_t>(index)];
  states[static_cast<size_t>(index)] = rigid.state(body.part);
  for (JointSlot& joint : joints) {
    if (joint.index < 0 || (joint.body_a != index && joint.body_b != index)) continue;
    joint.frames = rigid.joint_frames(joint.index);
    joint.index = -1;
  }
  rigid.remove_part(body.part);
  body.part = -1;
}

void World::Simulation::add_joints() {
  const auto part = [&](int body) { return body < 0 ? -1 : bodies[static_cast<size_t>(body)].part; };
  for (JointSlot& joint : joints) {
    const bool ready = part(joint.body_a) >= 0 && (joint.body_b < 0 || part(joint.body_b) >= 0);
    if (joint.index >= 0 || !ready) continue;
    joint.settings.part_a = part(joint.body_a), joint.settings.part_b = part(joint.body_b);
    joint.index = joint.frames ? rigid.add_joint(joint.settings, *joint.frames) : rigid.add_joint(joint.settings);
    joint.frames = rigid.joint_frames(joint.index);
  }
}

void World::Simulation::rebuild() {
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].part >= 0) states[i] = rigid.state(bodies[i].part);
  }
  for (JointSlot& joint : joints) {
    if (joint.index >= 0) joint.frames = rigid.joint_frames(joint.index);
    joint.index = -1;
  }
  rigid = rigid::World({scene.gravity, scene.iterations, scene.sleeping});
  body_of_part.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].part >= 0) add_part(static_cast<int>(i));
  }
  add_joints();
}

void World::Simulation::control() {
  const double time = static_cast<double>(steps) * scene.dt();
  bool changed = false;
  for (size_t i = 0; i < bodies.size(); ++i) {
    Body& body = bodies[i];
    const BodyDescription& d = *body.description;
    const bool wanted = present(d, time);
    if (wanted != (body.part >= 0)) {
      wanted ? add_part(static_cast<int>(i)) : remove_part(static_cast<int>(i));
      changed = true;
    }
    if (body.part < 0 || body.frozen || (d.script.empty() && d.motion != Motion::Scripted)) continue;
    const ScriptStep* now = script_at(d, time);
    const rigid::PartState state = rigid.state(body.part);
    if (now) {
      rigid.set_velocity(body.part, now->velocity.value_or(state.velocity), now->spin.value_or(state.spin));
    } else if (d.motion == Motion::Scripted && !d.script.empty()) {
      rigid.set_velocity(body.part, Vec3::Zero(), Vec3::Zero());
    }
  }
  if (changed) add_joints();
}

}  // namespace crumple
