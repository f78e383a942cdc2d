#include "crumple/rigid/energy.h"

#include "crumple/rigid/bullet.h"
#include "crumple/rigid/engine.h"

// Impulses change velocities at one place, so the work of each is itself times the mean of the velocities before and after, however many act at once.

namespace crumple::rigid {
namespace {

double spin_energy(const btRigidBody& body, const btVector3& spin, const btMatrix3x3& axes) {
  const btVector3 local = spin * axes, inverse = body.getInvInertiaDiagLocal();  // a vector times a matrix: its transpose times the vector
  double twice = 0;
  for (int i = 0; i < 3; ++i) {
    if (inverse[i] > 0) twice += local[i] * local[i] / inverse[i];
  }
  return 0.5 * twice;
}

double kinetic(const Part& part, const btVector3& velocity, const btVector3& spin, const btMatrix3x3& axes) {
  return 0.5 * part.mass * velocity.length2() + spin_energy(part.body, spin, axes);
}

double kinetic(const Part& part) {
  return kinetic(part, part.body.getLinearVelocity(), part.body.getAngularVelocity(), part.body.getWorldTransform().getBasis());
}

btVector3 weight(const Part& part) {
  return part.body.getGravity() * part.mass;
}

}  // namespace

double kinetic_energy_of(std::span<const std::unique_ptr<Part>> parts) {
  double sum = 0;
  for (const auto& part : parts) {
    if (part && part->motion == Motion::Dynamic && part->body.isActive()) sum += kinetic(*part);
  }
  return sum;
}

Vec6 World::Engine::mean_velocity(const btCollisionObject& object) const {
  const btRigidBody& body = *btRigidBody::upcast(&object);
  const size_t index = static_cast<size_t>(body.getUserIndex());
  const bool is_part = body.getUserIndex() >= 0 && index < world.memory.motions.size() && world.memory.motions[index].moves;
  if (!is_part) return velocity_of(body.getLinearVelocity(), body.getAngularVelocity());
  const StepMemory::Motion& motion = world.memory.motions[index];
  return velocity_of(0.5 * (motion.velocity + motion.solved_velocity), 0.5 * (motion.spin + motion.solved_spin));
}

Vec3 World::Engine::place_before(const btCollisionObject& object) const {
  const size_t index = static_cast<size_t>(object.getUserIndex());
  const bool is_part = object.getUserIndex() >= 0 && index < world.memory.motions.size() && world.memory.motions[index].moves;
  return from_bullet(is_part ? world.memory.motions[index].place.getOrigin() : object.getWorldTransform().getOrigin());
}

/// Adds the work of one contact point to that of the step; returns that of its normal impulse.
double World::Engine::contact_work(const btPersistentManifold& manifold, const btManifoldPoint& point) {
  const btCollisionObject &a = *manifold.getBody0(), &b = *manifold.getBody1();
  const auto velocity_at = [&](const btCollisionObject& body, const btVector3& at) {
    const Vec6 mean = mean_velocity(body);
    return Vec3(mean.head<3>() + mean.tail<3>().cross(from_bullet(at) - place_before(body)));
  };
  const Vec3 of_a = velocity_at(a, point.getPositionWorldOnA()), of_b = velocity_at(b, point.getPositionWorldOnB());
  const Vec3 push = point.m_appliedImpulse * from_bullet(point.m_normalWorldOnB);
  const Vec3 rub = point.m_appliedImpulseLateral1 * from_bullet(point.m_lateralFrictionDir1) +
                   point.m_appliedImpulseLateral2 * from_bullet(point.m_lateralFrictionDir2);
  const double normal = push.dot(of_a - of_b);
  world.work.contact += normal, world.work.friction += rub.dot(of_a - of_b);
  // What a scripted part takes out of the sum above it has put in.
  if (a.isStaticOrKinematicObject()) world.work.scripted -= (push + rub).dot(of_a);
  if (b.isStaticOrKinematicObject()) world.work.scripted += (push + rub).dot(of_b);
  return normal;
}

double World::Engine::joint_work(const Joint& joint, double dt) {
  const btRigidBody &a = joint.constraint->getRigidBodyA(), &b = joint.constraint->getRigidBodyB();
  double work = 0;
  const auto add = [&](const btRigidBody& body, const btVector3& force, const btVector3& torque) {
    Vec6 impulse;
    impulse << from_bullet(force) * dt, from_bullet(torque) * dt;
    const double own = impulse.dot(mean_velocity(body));
    work += own;
    if (body.isStaticOrKinematicObject()) world.work.scripted -= own;
  };
  if (const PlasticConstraint* plastic = joint.plastic()) {
    work = plastic->work;
    world.work.scripted += plastic->scripted_work;
  } else {
    add(a, joint.feedback.m_appliedForceBodyA, joint.feedback.m_appliedTorqueBodyA);
    add(b, joint.feedback.m_appliedForceBodyB, joint.feedback.m_appliedTorqueBodyB);
  }
  world.work.joints += work;
  return work;
}

EnergyChange World::energy_change() const {
  const StepWork& work = engine_->world.work;
  const std::vector<StepMemory::Motion>& motions = engine_->world.memory.motions;
  EnergyChange change;
  change.contact = work.contact, change.friction = work.friction, change.joints = work.joints, change.scripted = work.scripted;
  change.damping = work.damped - work.before;
  for (const double rolling : engine_->solver.rolling_work) change.friction += rolling;
  for (size_t i = 0; i < engine_->parts.size(); ++i) {
    if (!engine_->parts[i] || engine_->parts[i]->motion != Motion::Dynamic) continue;
    const Part& part = *engine_->parts[i];
    const btTransform& now = part.body.getWorldTransform();
    if (i >= motions.size() || !motions[i].moves) {
      if (part.body.isActive()) change.later += kinetic(part);
      continue;
    }
    const StepMemory::Motion& motion = motions[i];
    const btVector3 velocity = 0.5 * (motion.velocity + motion.solved_velocity), spin = 0.5 * (motion.spin + motion.solved_spin);
    const btVector3 force = weight(part), moved = now.getOrigin() - motion.place.getOrigin();
    change.overlap -= force.dot(moved - work.dt * motion.solved_velocity);
    change.integration += work.dt * force.dot(velocity - motion.solved_velocity);
    change.pushes += work.dt * (part.push.dot(velocity) + part.twist.dot(spin));
    const btMatrix3x3& axes = motion.place.getBasis();
    const btVector3 inverse = part.body.getInvInertiaDiagLocal(), gyration = motion.gyration * axes, local = spin * axes;
    for (int k = 0; k < 3; ++k) {
      if (inverse[k] > 0) change.integration += gyration[k] * local[k] / inverse[k];
    }
    change.integration += spin_energy(part.body, motion.solved_spin, now.getBasis()) - spin_energy(part.body, motion.solved_spin, axes);
    change.later += kinetic(part) - kinetic(part, motion.solved_velocity, motion.solved_spin, now.getBasis());
  }
  return change;
}

double World::kinetic_energy(int index) const {
  const Part& part = engine_->part(index);
  return part.motion == Motion::Dynamic ? kinetic(part) : 0;
}

double World::potential_energy(int index) const {
  const Part& part = engine_->part(index);
  return part.motion == Motion::Dynamic ? -from_bullet(part.body.getWorldTransform().getOrigin()).dot(engine_->settings.gravity) * part.mass : 0;
}

}  // namespace crumple::rigid
