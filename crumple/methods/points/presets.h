#pragma once

#include "crumple/methods/info.h"

namespace crumple::points {

/// Values for presets of bodies: Pa, of soft things as they are and of stiff ones as steps can bear.
inline constexpr PresetValues kPresets[] = {
    {"rubber", R"({"young": 1e6, "poisson": 0.45})"},
    {"jelly", R"({"young": 2e4, "poisson": 0.45, "viscosity": 10})"},
    {"clay", R"({"young": 2e5, "yield": 3000, "flow": 100})"},
    {"dough", R"({"young": 6e4, "yield": 900, "flow": 100})"},
    {"gum", R"({"young": 6e4, "yield": 300, "flow": 20})"},
    {"hot metal", R"({"young": 4e6, "poisson": 0.35, "yield": 1e5, "flow": 200, "hardening": 3e4})"},
};

}  // namespace crumple::points
