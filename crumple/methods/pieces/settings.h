#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/methods/info.h"

namespace crumple::pieces {

/// From here on a strength in a list is infinite: lists of a scene hold no larger numbers.
inline constexpr double kListNeverBreaks = 1e9;

/// How an overloaded link gives way as a joint before it parts.
struct Hinge {
  double turn = 75;         // degrees of plastic turning at which it parts
  double pull = 0.5;        // plastic stretch at which it parts, as a share of the cut's size
  double resistance = 0.3;  // of the link's strength
  bool collide = false;     // whether the two pieces collide meanwhile
};

struct Settings {
  double strength = 1e4;  // N s per m^2 of cut: what a link can carry within the window
  std::optional<std::vector<double>> link_strength = {};  // #links of the asset, instead of `strength`
  double settle = 0.1;    // s after the body has appeared in which nothing breaks
  std::optional<Hinge> hinge = {};
};

struct Model;
struct State;

const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Hinge& hinge);
void describe(Fields& fields, Settings& settings);
inline std::string summary(const Settings&) { return ""; }
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }

}  // namespace crumple::pieces
