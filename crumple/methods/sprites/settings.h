#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/math/types.h"
#include "crumple/methods/info.h"

namespace crumple::sprites {

/// A pose, or a blend of poses that may be blended.
struct Blend {
  std::string pose;
  std::string with;    // another pose; empty: none
  double share = 0.5;  // of the other
};

enum class Along {
  Pose,      ///< towards a named pose
  Away,      ///< away from the equilibrium; where that is no direction, towards the named pose
  Velocity,  ///< on the way the pose is going; where that is no direction, towards the named pose
};

/// Contacts change the pose (thesis, eqs. 4.4, 4.5).
struct EnergyKnobs {
  std::string pose;
  double gain = 0.05;       // s^2/m^2: share of the way for each (m/s)^2
  double threshold = 1;     // m/s: below it contacts count nothing
  Along along = Along::Pose;
};

/// Speed changes the pose (eq. 4.6).
struct SpeedKnobs {
  std::string pose;
  double gain = 0.05;    // s/m: share of the way for each m/s
  double threshold = 0;  // m/s: only what is faster counts
};

/// What contacts took is given back (eqs. 4.11 to 4.13).
struct MomentumKnobs {
  double share = 0.5;      // of the impulse, epsilon
  double time = 0.1;       // s
  double threshold = 6;    // weights: contacts that bear less are resting
  double cap = 20;         // m/s that a body gets back at most
};

enum class Facing {
  Angle,
  Velocity,  ///< the top looks where it flies
  Line,      ///< the top or the bottom does, whichever is nearer: what is drawn upright stays so
};
/// First-order spring to an orientation (eq. 4.14).
struct OrientationKnobs {
  Facing facing = Facing::Angle;
  std::optional<double> angle;  // degrees; absent: 0 where it is the goal, and free where the velocity is but tells nothing
  double time = 0.1;            // s
  double least_speed = 1;       // m/s: slower, its direction means nothing
};

/// Air that holds a pose up.
struct DragKnobs {
  std::string pose;
  double rate = 2;  // 1/s at full weight of the pose
};

enum class Side { Keep, Left, Right, Velocity };

/// A place of the lower state machine: a pose held for a while.
struct KeyPose {
  Blend pose;
  double time = 0.2;  // s until the next
};

/// A state of the upper machine.
struct Behaviour {
  std::string name;
  std::vector<KeyPose> keys;        // run through, and then
  bool cycle = false;               // again
  double travel = 0;                // m/s along its facing, on the ground
  Vec3 push = Vec3::Zero();         // m/s^2, all the time; x is along its facing
  Vec3 jump = Vec3::Zero();         // m/s, once, when it begins; x is along its facing
  Side side = Side::Keep;
  std::optional<double> attraction; // s, instead of the sprite's
};

enum class Contacting { Either, Ground, Air };

/// A row of the upper machine.
struct Rule {
  std::string from;                 // empty: any
  std::string to;
  std::string key;                  // held
  std::string without;              // not held
  Contacting contact = Contacting::Either;
  std::optional<double> faster, slower;  // m/s
  std::optional<double> after;      // s in the state
  std::optional<double> within;     // of the equilibrium pose
};

/// A key goes down or up.
struct KeyCue {
  double time = 0;
  std::string key;
  bool down = true;
};

enum class Projection {
  Eliminated,   ///< the rotation is eliminated
  Alternating,  ///< weights and rotation in turn, over representatives, as in the thesis
};
enum class Examples {
  Full,     ///< all controls
  Project,  ///< projection on the poses and nothing more: example-based shape matching
  None,     ///< the rest pose: plain shape matching
};

struct Settings {
  // poses
  std::vector<std::vector<std::string>> complex;  // simplices: names of poses that may be blended; empty: the rest pose with each other one
  std::optional<Blend> equilibrium;  // absent: the rest pose
  double attraction = 0.15;  // s, of eq. 4.3
  std::optional<EnergyKnobs> energy;
  std::optional<SpeedKnobs> speed;
  std::optional<MomentumKnobs> momentum;
  std::optional<OrientationKnobs> orientation;
  std::optional<DragKnobs> drag;
  // matter
  double stiffness = 1, local = 0.7;  // of the global and the local match, at 60 steps a second
  int rings = 3;                      // of a neighbourhood
  int iterations = 1;                 // in a step
  double liveliness = 0.6, contact_liveliness = 0.2;
  bool faces_left = false;            // the drawing is mirrored at the start
  bool fixed = false;                 // its middle stays where it is: a platform
  double anchor = 0.2;                // s: how fast a fixed one comes back
  // behaviour
  std::vector<Behaviour> behaviours;
  std::vector<Rule> rules;
  std::vector<KeyCue> input;
  // comparison
  Examples examples = Examples::Full;
  Projection projection = Projection::Eliminated;
  bool printed_momentum = false;      // eq. 4.12
  bool printed_rings = false;         // eqs. 4.9, 4.10 with plain means
  bool lose_spin = false;
};

struct Model;
struct State;

const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Settings& settings);
std::string summary(const Settings& settings);
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
std::vector<NamedSpeed> speeds(const Settings& settings);

}  // namespace crumple::sprites
