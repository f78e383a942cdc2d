#pragma once

#include "crumple/methods/info.h"

namespace crumple::structures {

/// Values for presets of bodies: laws of joints: common grades.
inline constexpr PresetValues kPresets[] = {
    {"steel", R"({"material": {"steel": 235e6}})"},
    {"sheet metal", R"({"material": {"steel": 235e6}})"},
    {"aluminium", R"({"material": {"aluminium": 250e6}})"},
    {"wood", R"({"material": {"wood": 24e6}})"},
    {"reinforced concrete", R"({"material": {"concrete": 0.02, "yield": 5e8}})"},
};

}  // namespace crumple::structures
