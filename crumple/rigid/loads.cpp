#include "crumple/rigid/loads.h"

#include "crumple/rigid/bullet.h"
#include "crumple/rigid/engine.h"

namespace crumple::rigid {
namespace {

/// Contacts between sleeping parts were not solved and still hold the impulses of the step before they fell asleep.
bool was_solved(const Part& part) {
  return part.motion == Motion::Dynamic && part.body.isActive();
}

Contact contact_of(const Part& a, const Part& b, const btManifoldPoint& point, double work) {
  Contact contact;
  contact.part_a = a.body.getUserIndex();
  contact.part_b = b.body.getUserIndex();
  contact.hull_a = a.shape.is_compound() ? point.m_index0 : -1;
  contact.hull_b = b.shape.is_compound() ? point.m_index1 : -1;
  contact.local_a = from_bullet(point.m_localPointA);
  contact.local_b = from_bullet(point.m_localPointB);
  contact.normal = from_bullet(point.m_normalWorldOnB);
  contact.impulse = point.m_appliedImpulse;
  contact.friction = point.m_appliedImpulseLateral1 * from_bullet(point.m_lateralFrictionDir1) +
                     point.m_appliedImpulseLateral2 * from_bullet(point.m_lateralFrictionDir2);
  contact.distance = point.getDistance();
  contact.work = work;
  return contact;
}

JointLoad plastic_load(int index, const PlasticConstraint& joint, double dt) {
  const Vec3 push = joint.after.frame * joint.state.force.head<3>() * -dt, turn = joint.after.frame * joint.state.force.tail<3>() * -dt;
  return {index, push.norm(), turn.norm(), push, turn, joint.after.at, joint.work};
}

}  // namespace

void World::Engine::gather(Loads& loads, double dt) {
  world.work.contact = world.work.friction = world.work.joints = world.work.scripted = 0;
  gather_contacts(loads.contacts);
  gather_joints(loads.joints, dt);
}

void World::Engine::gather_contacts(std::vector<Contact>& contacts) {
  contacts.clear();
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
    gather_manifold(*dispatcher.getManifoldByIndexInternal(m), contacts);
  }
}

void World::Engine::gather_manifold(const btPersistentManifold& manifold, std::vector<Contact>& contacts) {
  if (manifold.getNumContacts() == 0) return;
  const Part& a = *parts[manifold.getBody0()->getUserIndex()];
  const Part& b = *parts[manifold.getBody1()->getUserIndex()];
  if (!was_solved(a) && !was_solved(b)) return;
  for (int i = 0; i < manifold.getNumContacts(); ++i) {
    const btManifoldPoint& point = manifold.getContactPoint(i);
    const double work = contact_work(manifold, point);
    if (point.m_appliedImpulse > 0) contacts.push_back(contact_of(a, b, point, work));
  }
}

void World::Engine::gather_joints(std::vector<JointLoad>& loads, double dt) {
  loads.clear();
  for (const auto& [index, joint] : broken) joint_work(*joint, dt);  // it held for a part of the step
  for (size_t i = 0; i < joints.size(); ++i) {
    if (!joints[i]) continue;
    const Joint& joint = *joints[i];
    const Part& a = *parts[joint.settings.part_a];
    const Part* b = joint.settings.part_b >= 0 ? parts[joint.settings.part_b].get() : nullptr;
    if (!was_solved(a) && !(b && was_solved(*b))) continue;
    const double work = joint_work(joint, dt);
    if (joint.plastic()) {
      loads.push_back(plastic_load(static_cast<int>(i), *joint.plastic(), dt));
      continue;
    }
    const Vec3 force = from_bullet(joint.feedback.m_appliedForceBodyA);
    const Vec3 torque = from_bullet(joint.feedback.m_appliedTorqueBodyA);  // about the part's centre of mass
    const Vec3 arm = from_bullet(a.body.getWorldTransform()).rotation * joint.frames.in_a.translation;
    const Vec3 turn = (torque - arm.cross(force)) * dt;
    loads.push_back(
        {static_cast<int>(i), force.norm() * dt, turn.norm(), force * dt, turn, from_bullet(a.body.getWorldTransform()).translation + arm, work});
  }
}

}  // namespace crumple::rigid
