#pragma once

#include "crumple/methods/info.h"

namespace crumple::pieces {

/// Values for presets of bodies: the impulse per area of cut is about the strength in tension over 1/60 s, less where things are thin or brittle.
inline constexpr PresetValues kPresets[] = {
    {"wood", R"({"strength": 40000})"},
    {"concrete", R"({"strength": 50000})"},
    {"reinforced concrete", R"({"strength": 150000, "hinge": {}})"},
    {"stone", R"({"strength": 80000})"},
    {"glass", R"({"strength": 2000})"},
    {"ice", R"({"strength": 10000})"},
    {"car body", R"({"strength": 15000, "hinge": {"turn": 110, "collide": true}})"},
    {"steel", R"({"strength": 300000, "hinge": {}})"},
    {"aluminium", R"({"strength": 150000, "hinge": {}})"},
};

}  // namespace crumple::pieces
