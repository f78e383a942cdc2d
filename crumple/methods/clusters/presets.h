#pragma once

#include "crumple/methods/info.h"

namespace crumple::clusters {

/// Values for presets of bodies: how far things stretch before they flow and tear; stiffness is the scene's.
inline constexpr PresetValues kPresets[] = {
    {"rubber", R"({"toughness": 2})"},
    {"jelly", R"({"toughness": 0.4})"},
    {"clay", R"({"yield": 0.02, "flow": 0.5, "toughness": 0.6, "friction": 0.6})"},
    {"dough", R"({"yield": 0.01, "flow": 0.5, "toughness": 1.5, "friction": 0.5})"},
    {"gum", R"({"yield": 0.01, "flow": 0.3, "toughness": 3})"},
    {"hot metal", R"({"yield": 0.01, "flow": 0.8, "hardening": 0.5, "toughness": 1})"},
    {"sheet metal", R"({"yield": 0.01, "flow": 1, "hardening": 0.5, "toughness": 0.2})"},
    {"wood", R"({"toughness": 0.25, "boost": 1, "falloff": 2})"},
    {"concrete", R"({"toughness": 0.12, "boost": 2, "falloff": 3, "friction": 0.6})"},
    {"stone", R"({"toughness": 0.12, "boost": 2, "falloff": 3, "friction": 0.6})"},
    {"glass", R"({"toughness": 0.08, "boost": 1, "falloff": 3, "friction": 0.2})"},
    {"ice", R"({"toughness": 0.1, "boost": 1.5, "falloff": 3, "friction": 0.1})"},
    {"cardboard", R"({"yield": 0.02, "flow": 0.5, "toughness": 0.3, "boost": 1, "falloff": 2})"},
};

}  // namespace crumple::clusters
