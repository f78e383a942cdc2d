#pragma once

#include <variant>

#include "crumple/methods/examples/examples.h"
#include "crumple/methods/pieces/pieces.h"

namespace crumple {

/// One method at work on one body.
template <class MethodModel, class MethodState>
struct LayerOf {
  MethodModel model;
  MethodState state;
};

using ExampleLayer = LayerOf<examples::Model, examples::State>;

/// All methods there are. Adding one: a line here and a key in the body's description.
using Layer = std::variant<ExampleLayer>;

/// Name of a layer's method in scenes, recordings and lists.
inline std::string_view method_name(const ExampleLayer&) { return "examples"; }

/// Steps a layer, whatever its method.
template <class AtWork>
void step_layer(AtWork& layer, StepContext& now) {
  step(layer.model, layer.state, now);
}

struct MethodInfo {
  std::string_view name, paper, help;
};
inline constexpr MethodInfo kMethods[] = {
    {"examples", "paper 1; thesis ch. 5", "impulses pull each part of a body towards example poses made by an artist"},
    {"pieces", "paper 1, sec. 5; thesis 5.2.4", "bodies that were scored beforehand come apart where links carry too much impulse"},
    {"joints", "paper 5", "structures of bars, plates and pieces sag, yield, dissipate and snap at elastic-plastic joints"},
    {"clusters", "paper 2", "soft and tough bodies made of overlapping clusters of particles bend, flow, tear and stay torn"},
};

}  // namespace crumple
