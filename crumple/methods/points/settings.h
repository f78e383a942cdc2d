#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/methods/info.h"
#include "crumple/particles/boundary.h"
#include "crumple/particles/fill.h"

namespace crumple::points {

enum class Law {
  Hencky,  ///< quadratic in the logarithms of the stretches
  Linear,  ///< quadratic in the stretches (thesis, eq. 3.4)
};
enum class Scheme {
  Newmark,   ///< viscosity is solved for
  Leapfrog,  ///< viscosity is as it was
  Printed,   ///< as the thesis prints it: elasticity and gravity act half of the time
};
enum class Volumes {
  Carried,    ///< volumes and masses are those of the start, but for splits and merges
  Estimated,  ///< thesis, eq. 3.3 in every step
};
enum class Drag {
  Pairs,    ///< equal and opposite between two points
  Central,  ///< and along the line between them
  Thesis,   ///< eq. 3.8
};
enum class Rule {
  Rate,   ///< by the deviatoric stress, the same at any step
  Share,  ///< thesis, eq. 3.7: by all of the stress, a share of each step
};
enum class Embed {
  Linear,     ///< thesis, eqs. 3.9 to 3.12
  Printed,    ///< the same with the diagonal of eq. 3.12
  Nonlinear,  ///< neighbourhoods may turn
};
enum class Newcomers {
  World,     ///< where they are, as the point sees it
  Embedded,  ///< where the embedding has them, as in the thesis
};
enum class Strays { Keep, Freeze, Remove };
enum class Shown {
  Auto,     ///< the artist's mesh if nothing flows, otherwise a skin
  Carried,  ///< the artist's mesh
  Skin,     ///< a surface around the points
};

struct Settings {
  // elasticity
  double young = 1e5;    // Pa
  double poisson = 0.3;
  Law law = Law::Hencky;
  std::optional<double> viscosity;  // Pa s; absent: chosen to calm the spacing
  // plasticity
  std::optional<double> yield;  // Pa; absent: elastic
  double flow = 100;            // 1/s, nu
  double hardening = 0;         // Pa, K
  // neighbourhoods
  int neighbors = 32;
  double radius = 2;        // mean distances of the neighbours
  double stabilize = 0.1;   // c
  bool update = true;
  double update_at = 0.1;   // flow since the last embedding
  // resampling
  bool resample = false;
  double split = 0.5, merge = 2;
  double split_distance = 0.28;  // of the mean distance of the neighbours
  // steps
  double step = 1;         // of the stable one
  int most_steps = 400;    // within one of the scene
  Scheme scheme = Scheme::Newmark;
  // contact
  bool self_collision = true;
  double friction = 0.3;
  Strays strays = Strays::Keep;
  Shown shown = Shown::Auto;
  // comparison
  Volumes volumes = Volumes::Carried;
  Drag drag = Drag::Pairs;
  Rule rule = Rule::Rate;
  Embed embed = Embed::Linear;
  Newcomers newcomers = Newcomers::World;
};

/// All settings of a body made of points.
struct BodySettings {
  particles::FillSettings fill;
  Settings points;
  particles::Boundary boundary;  // clamps and obstacles, in the world
};

struct Model;
struct State;

const MethodInfo& info(const BodySettings& settings);
void describe(Fields& fields, Settings& settings);
void describe(Fields& fields, BodySettings& settings);
std::string summary(const BodySettings& settings);
inline std::vector<FileName> files(BodySettings&) { return {}; }
inline std::vector<BodyName> bodies_named(const BodySettings&) { return {}; }
std::vector<NamedSpeed> speeds(const BodySettings& settings);
inline particles::FillSettings& fill(BodySettings& settings) { return settings.fill; }
inline const particles::FillSettings& fill(const BodySettings& settings) { return settings.fill; }

}  // namespace crumple::points
