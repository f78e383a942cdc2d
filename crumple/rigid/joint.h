#pragma once

#include <optional>

#include "crumple/math/types.h"
#include "crumple/rigid/kinds.h"
#include "crumple/rigid/plastic_law.h"

namespace crumple::rigid {

/// A joint between two parts, or between a part and the world (part_b = -1). Positions, limits and motors count how part_a
/// turns about or moves along `axis` as seen from part_b (or the world), from where the two stood when the joint was made.
struct JointSettings {
  JointKind kind = JointKind::Fixed;
  int part_a = -1, part_b = -1;
  Vec3 at = Vec3::Zero();                     // world, at the moment it is added
  Vec3 axis = Vec3::UnitY();                  // world; hinge and slider; plastic: along the bar
  Vec3 width = Vec3::Zero();                  // world; plastic: along the section's width, square to the axis; zero: any
  std::optional<double> low = {}, high = {};  // limits: radians within half a turn either way (hinge) or metres (slider)
  std::optional<double> motor_speed = {};     // rad/s or m/s
  double motor_strength = 0;                  // largest torque (N m) or force (N)
  bool collide = false;                       // whether the two parts still collide
  std::optional<PlasticLaw> plastic = {};     // of a plastic joint
};

/// A joint's frames in its parts, so that a rebuilt world holds exactly the same joint.
struct JointFrames {
  Transform in_a, in_b;
};

}  // namespace crumple::rigid
