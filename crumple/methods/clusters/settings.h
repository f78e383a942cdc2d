#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/geometry/frame.h"
#include "crumple/methods/info.h"
#include "crumple/particles/boundary.h"
#include "crumple/particles/fill.h"

namespace crumple::clusters {

/// Initial centres of fuzzy c-means. The authors draw them with the standard library, so their pictures depend on its implementation.
enum class Seeding {
  Spread,     ///< a random first particle, each further one as far as possible from those before
  Libcxx,     ///< random particles as in the authors' program with libc++ (their pictures)
  Libstdcxx,  ///< the same with libstdc++
};

/// Weight of a particle in a cluster by its distance r from the centre, R being the radius.
enum class Kernel {
  InverseSquare,  ///< 1 / (r^2 + core^2)
  Constant,       ///< 1
  Poly6,          ///< (R^2 - r^2)^3, as in smoothed particle hydrodynamics
};

/// Handling of a half with fewer than four members.
enum class Crumbs {
  Hold,  ///< clusters too small for two such halves do not split
  Cull,  ///< it is deleted, with particles that belong to no other cluster (paper 2, end of sec. 3.3); they are counted
};

/// Ways of the authors' program that this one leaves, each with its reason in docs/clusters.md. Any can be taken for comparison.
struct AuthorsWays {
  bool mirrored_goals = false;  // goals of clusters that are turned inside out
  bool twisting_goals = false;  // goals turn as F^e, with a torque
  bool lone_pulls = false;      // strain limiting moves members without their cluster's recoil
  bool overlaps = false;        // self-collision moves particles and leaves velocities
  bool right_normals = false;   // cracks are square to the right singular vector
  bool smallest_first = false;  // the least overloaded cluster splits first
  bool near_outliers = false;   // particles near a centre count as outliers, too
  bool free_flow = false;       // plastic flow of what is squashed
  bool kin_halves = false;      // halves of a cluster never collide with each other
};

struct Settings {
  // clusters
  int clusters = 50;  // n, initial
  double radius = 0;  // m, initial; 0: so that a particle is in about three clusters
  Kernel kernel = Kernel::InverseSquare;
  double core = 0;  // m; 0: a twentieth of the radius
  Seeding seeding = Seeding::Spread;
  int seed = 1;
  // elasticity
  double young = 1e6;               // Pa
  std::optional<double> stiffness;  // alpha, at steps of 1/60 s; absent: from young
  double overshoot = 1;  // maximum alpha of a step
  double damping = 20;   // 1/s
  bool damp_spin = false;
  bool published = false;  // all ways of the authors' program
  std::optional<AuthorsWays> ways;
  double stretch = 0.2;  // gamma
  int sweeps = 4;
  double relax = 0.3;  // omega
  // plasticity
  double yield = 0.02;   // lambda
  double flow = 0;       // nu, at steps of 1/60 s
  double hardening = 0;  // K, 1/s
  // fracture
  double toughness = 1e12;  // tau_0
  double boost = 0;         // tau_b
  double falloff = 1;       // tau_f, 1/s
  bool boosted_at_start = false;
  bool delay = true;
  double held_toughness = 1;
  int tears_per_step = 32;
  double outlier = 2;
  double bridge = 0.25;
  Crumbs crumbs = Crumbs::Hold;
  // collision
  bool self_collision = true;
  double give = 0.5;
  double flat = 0.5;
  double friction = 0.3;
};

/// Whether the body goes one of the ways of the authors' program.
inline bool goes(const Settings& settings, bool AuthorsWays::*way) {
  return settings.published || (settings.ways && *settings.ways.*way);
}

/// A toughness from here on counts as infinite, which JSON cannot express.
inline constexpr double kNeverTears = 1e6;
/// No load reaches a toughness from here on: strain limits hold clusters far below it.
inline constexpr double kNeverReached = 10;

/// Reference step of stiffness and flow.
inline constexpr double kReferenceStep = 1.0 / 60.0;
/// Particles of a body.
struct Particles {
  std::vector<Vec3> positions;   // #particles, m, in the world at the start
  std::vector<double> masses;    // #particles, kg; one number for all if there is only one
  std::vector<float> toughness;  // #particles or empty: painted factors
  std::vector<float> yield;      // #particles or empty: painted factors
};

/// All settings of a body made of clusters.
struct BodySettings {
  particles::FillSettings fill;
  Settings clusters;             // the method
  particles::Boundary boundary;  // clamps and obstacles, in the world
  std::optional<Appearance> inner;     // appearance of torn surfaces; absent: a rougher, darker variant of the body's own
  double relief = 0.35;                // spacings between particles
  double grain = 0.15;
};

struct BodyModel;
struct BodyState;

const MethodInfo& info(const BodySettings& settings);
void describe(Fields& fields, AuthorsWays& ways);
void describe(Fields& fields, Settings& settings);
/// All keys are on one level: those of the method among the others.
void describe(Fields& fields, BodySettings& settings);
std::string summary(const BodySettings& settings);
inline std::vector<FileName> files(BodySettings&) { return {}; }
inline std::vector<BodyName> bodies_named(const BodySettings&) { return {}; }
/// Speeds of its clamps.
std::vector<NamedSpeed> speeds(const BodySettings& settings);
inline particles::FillSettings& fill(BodySettings& settings) { return settings.fill; }
inline const particles::FillSettings& fill(const BodySettings& settings) { return settings.fill; }

}  // namespace crumple::clusters
