#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/methods/info.h"

namespace crumple::examples {

/// How an impulse becomes a change of example weights.
enum class Rule {
  Direction,      ///< alpha |dx| J^T dx / |J^T dx|, eq. 8
  Gradient,       ///< alpha J^T dx, eq. 6 and 10
  PseudoInverse,  ///< alpha J^+ dx, eq. 9
};

struct Settings {
  double gain = 100;     // alpha
  double yield = 0.4;    // beta as a speed change, m/s
  double radius = 0.6;   // gamma, m
  double lag = 0.92;     // lambda, per reference step
  double recover = 1;    // mu, 1/s
  double soften = 300;   // nu
  double creep = 0;      // 1/s
  Rule rule = Rule::Direction;
  bool friction = false;
  std::optional<std::vector<double>> emphasis;  // per example
};

/// The step for which gain and lag are meant; other steps are rescaled to behave alike.
inline constexpr double kReferenceStep = 1.0 / 240.0;

struct Model;
struct State;

const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Settings& settings);
/// A line of what a scene holds; empty: nothing to say.
inline std::string summary(const Settings&) { return ""; }
/// Names of files in the settings.
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }

}  // namespace crumple::examples
