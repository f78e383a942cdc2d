#pragma once

#include "crumple/methods/info.h"

namespace crumple::dents {

/// Values for presets of bodies: depth per speed beyond the threshold; thin and soft things take more.
inline constexpr PresetValues kPresets[] = {
    {"steel drum", R"({"depth": 0.008, "threshold": 1.5, "deepest": 0.08, "softness": 0.08})"},
    {"container", R"({"depth": 0.01, "threshold": 1.5, "deepest": 0.3, "softness": 0.12})"},
    {"car body", R"({"depth": 0.006, "threshold": 1.5, "deepest": 0.15, "softness": 0.1})"},
    {"sheet metal", R"({"depth": 0.012, "threshold": 0.8, "deepest": 0.1, "softness": 0.06})"},
    {"tin can", R"({"depth": 0.006, "threshold": 0.4, "deepest": 0.03, "softness": 0.06})"},
    {"cardboard", R"({"depth": 0.015, "threshold": 0.5, "deepest": 0.1, "softness": 0.3, "lip": 0})"},
    {"steel", R"({"depth": 0.0005, "threshold": 5, "deepest": 0.02, "resistance": 10})"},
    {"aluminium", R"({"depth": 0.0015, "threshold": 3, "deepest": 0.03, "resistance": 4})"},
    {"wood", R"({"depth": 0.001, "threshold": 3, "deepest": 0.01, "softness": 0.15, "resistance": 3})"},
    {"clay", R"({"depth": 0.02, "threshold": 0.3, "deepest": 0.2, "softness": 0.4, "lip": 0.3, "rim": 0.5})"},
};

}  // namespace crumple::dents
