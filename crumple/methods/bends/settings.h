#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/math/types.h"
#include "crumple/methods/info.h"

namespace crumple::bends {

/// A bone that an artist gives.
struct Bone {
  std::string name;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // m, in the body's own frame
  std::optional<double> strength = {};          // N m, of its joints; absent: the body's
};

/// Where the skeleton comes from if no bones are given.
enum class SkeletonFrom {
  Shape,    ///< found in the body
  Handles,  ///< the handles of its asset
};

/// Joints that spring back as long as they do not yield.
struct Spring {
  double stiffness = 1e4;  // N m/rad
  double damping = 0.002;  // s
};

/// Joints that also slide along their bone.
struct Slide {
  double strength = 1e4;                 // N
  std::optional<double> stiffness = {};  // N/m; absent: rigid until it slides
};

struct Settings {
  double strength = 500;  // N m at which a joint turns, about the weaker axis of its section
  bool dynamic = true;    // joints appear where the body is hit, not only between bones
  std::vector<Bone> bones;
  SkeletonFrom skeleton = SkeletonFrom::Shape;
  int most_bones = 12;    // of a skeleton that is found
  double damping = 2;     // 1/s: what turns is slowed in proportion to its speed as well
  std::optional<Spring> spring = {};
  std::optional<Slide> slide = {};
  int joints = 8;         // of a body that are awake at a time, at most
  double spacing = 1;     // distance of places where joints can appear, in thicknesses of the bone
  double wake = 0.005;    // s: a joint wakes at an angular impulse of its strength for so long
  double rest = 0.1;      // s without turning until a joint is welded again
  bool condense = true;   // welds joints that do not turn; false: all joints are always awake
  std::optional<double> impulse = {};  // N m s in one step, instead of strength: as in paper 3
};

struct Model;
struct State;

const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Bone& bone);
void describe(Fields& fields, Spring& spring);
void describe(Fields& fields, Slide& slide);
void describe(Fields& fields, Settings& settings);
std::string summary(const Settings& settings);
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }

}  // namespace crumple::bends
