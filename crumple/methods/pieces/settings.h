#pragma once

#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/methods/info.h"

namespace crumple::pieces {

struct Settings {
  double strength = 1e4;  // N s per m^2 of cut: what a link can carry within the window
  double settle = 0.1;    // s after the body has appeared in which nothing breaks
};

struct Model;
struct State;

const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Settings& settings);
inline std::string summary(const Settings&) { return ""; }
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }

}  // namespace crumple::pieces
