#pragma once

#include "crumple/methods/info.h"

namespace crumple::examples {

/// Values for presets of bodies: how metal things crumple, from the scenes that come with the project.
inline constexpr PresetValues kPresets[] = {
    {"steel drum", R"({"gain": 130, "yield": 0.6, "radius": 0.5, "lag": 0.9})"},
    {"container", R"({"gain": 150, "yield": 0.6, "radius": 2.5})"},
    {"car body", R"({"gain": 170, "yield": 0.5, "radius": 0.9, "lag": 0.9})"},
    {"sheet metal", R"({"gain": 150, "yield": 0.3, "radius": 0.5, "lag": 0.9})"},
    {"tin can", R"({"gain": 250, "yield": 0.15, "radius": 0.3, "lag": 0.85})"},
    {"cardboard", R"({"gain": 250, "yield": 0.2, "radius": 0.5, "lag": 0.95, "creep": 1})"},
    {"steel", R"({"gain": 60, "yield": 2, "radius": 0.6})"},
    {"aluminium", R"({"gain": 90, "yield": 1, "radius": 0.6})"},
};

}  // namespace crumple::examples
