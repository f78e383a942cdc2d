#include <cassert>
#include <cmath>
#include <numbers>

#include "crumple/rigid/bullet.h"
#include "crumple/rigid/engine.h"

namespace crumple::rigid {
namespace {

/// Square to the axis and as near to the section's width as can be.
Vec3 second_axis(const Vec3& axis, const Vec3& width) {
  const Vec3 square = width - axis.dot(width) * axis;
  const double length = square.norm();
  return length > 1e-9 * width.norm() ? Vec3(square / length) : axis.unitOrthogonal();
}

/// A frame at the joint, with its x (slider, plastic) or z (hinge) axis along the joint's.
Transform joint_place(const JointSettings& settings) {
  const double length = settings.axis.norm();
  const Vec3 axis = length > 0 ? Vec3(settings.axis / length) : Vec3::UnitY();
  const Vec3 second = second_axis(axis, settings.width);
  const Vec3 third = axis.cross(second);
  Transform place;
  if (settings.kind == JointKind::Slider || settings.kind == JointKind::Plastic)
    place.rotation << axis, second, third;
  else
    place.rotation << second, third, axis;
  place.translation = settings.at;
  return place;
}

std::unique_ptr<btTypedConstraint> make_hinge(const JointSettings& settings, btRigidBody& a, btRigidBody& b, const JointFrames& frames) {
  auto hinge = std::make_unique<btHingeConstraint>(a, b, to_bullet(frames.in_a), to_bullet(frames.in_b));
  if (settings.low || settings.high) {
    // The last number is how much of the speed comes back from a limit; the engine's default is all of it.
    hinge->setLimit(settings.low.value_or(-std::numbers::pi), settings.high.value_or(std::numbers::pi), 0.9, 0.3, 0.0);
  }
  if (settings.motor_speed) hinge->enableAngularMotor(true, *settings.motor_speed, 0);  // see drive_motors
  return hinge;
}

std::unique_ptr<btTypedConstraint> make_slider(const JointSettings& settings, btRigidBody& a, btRigidBody& b, const JointFrames& frames) {
  auto slider = std::make_unique<btSliderConstraint>(a, b, to_bullet(frames.in_a), to_bullet(frames.in_b), false);
  if (settings.low || settings.high) {
    slider->setLowerLinLimit(settings.low.value_or(-BT_LARGE_FLOAT));
    slider->setUpperLinLimit(settings.high.value_or(BT_LARGE_FLOAT));
  }
  if (settings.motor_speed) {
    slider->setPoweredLinMotor(true);
    slider->setTargetLinMotorVelocity(*settings.motor_speed);
    slider->setMaxLinMotorForce(settings.motor_strength);
  }
  return slider;
}

std::unique_ptr<btTypedConstraint> make_constraint(const JointSettings& settings, btRigidBody& a, btRigidBody& b, const JointFrames& frames) {
  switch (settings.kind) {
    case JointKind::Hinge:
      return make_hinge(settings, a, b, frames);
    case JointKind::Slider:
      return make_slider(settings, a, b, frames);
    case JointKind::Ball:
      return std::make_unique<btPoint2PointConstraint>(a, b, to_bullet(frames.in_a.translation), to_bullet(frames.in_b.translation));
    case JointKind::Plastic:
      return std::make_unique<PlasticConstraint>(a, b, frames, settings.plastic.value_or(PlasticLaw()));
    case JointKind::Fixed:
      break;
  }
  return std::make_unique<btFixedConstraint>(a, b, to_bullet(frames.in_a), to_bullet(frames.in_b));
}

void set_frames(Joint& joint) {
  const btTransform a = to_bullet(joint.frames.in_a), b = to_bullet(joint.frames.in_b);
  switch (joint.settings.kind) {
    case JointKind::Hinge:
      return static_cast<btHingeConstraint&>(*joint.constraint).setFrames(a, b);
    case JointKind::Slider:
      return static_cast<btSliderConstraint&>(*joint.constraint).setFrames(a, b);
    case JointKind::Ball:
      static_cast<btPoint2PointConstraint&>(*joint.constraint).setPivotA(a.getOrigin());
      return static_cast<btPoint2PointConstraint&>(*joint.constraint).setPivotB(b.getOrigin());
    case JointKind::Fixed:
      return static_cast<btFixedConstraint&>(*joint.constraint).setFrames(a, b);
    case JointKind::Plastic:
      static_cast<PlasticConstraint&>(*joint.constraint).frames = joint.frames;
  }
}

}  // namespace

Joint& World::Engine::joint(int index) {
  assert(index >= 0 && index < static_cast<int>(joints.size()) && joints[index]);
  return *joints[index];
}

JointFrames World::Engine::frames_now(const JointSettings& settings) {
  const Transform place = joint_place(settings);
  JointFrames frames;
  frames.in_a = from_bullet(part(settings.part_a).body.getWorldTransform()).inverse() * place;
  frames.in_b = settings.part_b >= 0 ? from_bullet(part(settings.part_b).body.getWorldTransform()).inverse() * place : place;
  return frames;
}

int World::Engine::add_joint(const JointSettings& settings, const JointFrames& frames) {
  Part& a = part(settings.part_a);
  Part* b = settings.part_b >= 0 ? &part(settings.part_b) : nullptr;
  assert(&a != b);
  const int index = static_cast<int>(joints.size());
  joints.push_back(std::make_unique<Joint>());
  Joint& joint = *joints.back();
  joint.settings = settings;
  joint.frames = frames;
  joint.constraint = make_constraint(settings, a.body, b ? b->body : ground, frames);
  joint.constraint->setJointFeedback(&joint.feedback);
  // Contacts the two have already would be solved on and on: the engine only stops looking for new ones.
  if (b && !settings.collide) broadphase.getOverlappingPairCache()->cleanProxyFromPairs(a.body.getBroadphaseProxy(), &dispatcher);
  world.addConstraint(joint.constraint.get(), b && !settings.collide);
  a.joints.push_back(index);
  if (b) b->joints.push_back(index);
  manifold_index.valid = false;
  // Islands come to the solver one by one, so that only those with plastic joints are its own.
  if (settings.kind == JointKind::Plastic) world.getSolverInfo().m_minimumSolverBatchSize = 1;
  return index;
}

void World::Engine::remove_joint(int index) {
  take_out(index);
}

/// Takes a joint out of the world and hands it over.
std::unique_ptr<Joint> World::Engine::take_out(int index) {
  std::unique_ptr<Joint> removed = std::move(joints[static_cast<size_t>(index)]);
  if (removed->plastic()) ended[index] = removed->plastic()->state;
  world.removeConstraint(removed->constraint.get());
  for (const int side : {removed->settings.part_a, removed->settings.part_b}) {
    if (side < 0) continue;
    std::erase(part(side).joints, index);
    wake(part(side));
  }
  return removed;
}

/// The engine takes a slider's largest force but a hinge's largest angular impulse per step. And it lets everything slow fall asleep:
/// what a motor moves stays awake.
void World::Engine::drive_motors(double dt) {
  for (const auto& joint : joints) {
    if (!joint || !joint->settings.motor_speed) continue;
    if (joint->settings.kind == JointKind::Hinge)
      static_cast<btHingeConstraint&>(*joint->constraint).setMaxMotorImpulse(joint->settings.motor_strength * dt);
    if (*joint->settings.motor_speed == 0) continue;  // a brake
    for (const int side : {joint->settings.part_a, joint->settings.part_b})
      if (side >= 0 && part(side).body.isActive()) wake(part(side));
  }
}

/// The engine wakes what a scripted part pushes, but not what hangs on it by a joint.
void World::Engine::wake_led() {
  for (const auto& leader : parts) {
    if (!leader || !leader->is_led()) continue;
    for (const int j : leader->joints) {
      const JointSettings& settings = joint(j).settings;
      for (const int side : {settings.part_a, settings.part_b})
        if (side >= 0) wake(part(side));
    }
  }
}

void World::Engine::move_joints(int index, const Transform& old_to_new) {
  for (const int j : part(index).joints) {
    Joint& moved = joint(j);
    Transform& frame = moved.settings.part_a == index ? moved.frames.in_a : moved.frames.in_b;
    frame = old_to_new * frame;
    set_frames(moved);
  }
}

int World::add_joint(const JointSettings& settings) {
  return engine_->add_joint(settings, engine_->frames_now(settings));
}

int World::add_joint(const JointSettings& settings, const JointFrames& frames) {
  return engine_->add_joint(settings, frames);
}

JointFrames World::joint_frames(int joint) const {
  return engine_->joint(joint).frames;
}

void World::remove_joint(int joint) {
  engine_->remove_joint(joint);
}

bool World::has_joint(int joint) const {
  return joint >= 0 && joint < static_cast<int>(engine_->joints.size()) && engine_->joints[joint];
}

}  // namespace crumple::rigid
