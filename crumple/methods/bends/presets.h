#pragma once

#include "crumple/methods/info.h"

namespace crumple::bends {

/// Values for presets of bodies: moments of bars that an arm could swing.
inline constexpr PresetValues kPresets[] = {
    {"steel", R"({"strength": 2000})"},
    {"aluminium", R"({"strength": 800})"},
    {"sheet metal", R"({"strength": 300})"},
    {"rubber", R"({"strength": 50, "spring": {}})"},
    {"clay", R"({"strength": 20})"},
};

}  // namespace crumple::bends
