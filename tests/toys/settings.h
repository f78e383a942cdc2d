#pragma once

#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/methods/info.h"
#include "crumple/particles/fill.h"

/// Two methods that only tests know: they join the library by its lists alone.
namespace crumple::shrink {

/// A layer: vertices near a hit give way along it.
struct Settings {
  double depth = 0.02;   // m, of one hit
  double radius = 0.25;  // m
};
struct Model;
struct State;
const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Settings& settings);
inline std::string summary(const Settings&) { return "gives way where it is hit"; }
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }

}  // namespace crumple::shrink

namespace crumple::grains {

/// Matter: particles that fall and lie on what is there.
struct Settings {
  particles::FillSettings fill;
};
struct Model;
struct State;
const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Settings& settings);
inline std::string summary(const Settings&) { return "grains that fall"; }
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }
inline particles::FillSettings& fill(Settings& settings) { return settings.fill; }
inline const particles::FillSettings& fill(const Settings& settings) { return settings.fill; }

}  // namespace crumple::grains

#define CRUMPLE_MORE_LAYERS , AtWork<shrink::Settings, shrink::Model, shrink::State>
#define CRUMPLE_MORE_MATTER , AtWork<grains::Settings, grains::Model, grains::State>
