#include "crumple/methods/examples/examples.h"

#include <algorithm>

namespace crumple::examples {
namespace {

// Colours of the examples after the rest pose, chosen to stay apart when blended with white.
const Vec3f kExampleColors[] = {{0.85f, 0.08f, 0.06f}, {0.05f, 0.25f, 0.80f}, {0.10f, 0.60f, 0.12f}, {0.95f, 0.55f, 0.02f},
                                {0.50f, 0.10f, 0.65f}, {0.02f, 0.60f, 0.65f}, {0.80f, 0.15f, 0.45f}, {0.45f, 0.35f, 0.05f}};
const Vec3f kRestColor(0.85f, 0.85f, 0.85f);

constexpr float kShownSteps = 8192;

}  // namespace

const std::vector<Vec3f>& view(const Model&, const State& state) {
  return state.positions;
}

std::vector<StateArray> shown_arrays(State& state) {
  const size_t vertices = state.positions.size();
  const size_t examples = vertices == 0 ? 1 : state.weights.size() / vertices;
  state.shown.resize(vertices * (examples - 1));
  for (size_t v = 0, next = 0; v < vertices; ++v) {
    // The rest pose's weight is what the others leave.
    for (size_t e = 1; e < examples; ++e) state.shown[next++] = static_cast<uint16_t>(state.weights[v * examples + e] * kShownSteps + 0.5f);
  }
  return {state_array("shown", std::span(state.shown), examples - 1)};
}

void shown_restored(const Model& model, State& state) {
  const size_t examples = static_cast<size_t>(model.body->skin.examples);
  for (size_t v = 0, next = 0; v < state.positions.size(); ++v) {
    float rest = 1;
    for (size_t e = 1; e < examples; ++e) {
      const float weight = std::min(static_cast<float>(state.shown[next++]) / kShownSteps, 1.0f);
      state.weights[v * examples + e] = weight;
      rest -= weight;
    }
    state.weights[v * examples] = std::max(rest, 0.0f);
  }
  restored(model, state);
}

std::vector<Vec3f> weight_colors(const Model& model, const State& state, const Embedding& surface) {
  const size_t examples = static_cast<size_t>(model.body->skin.examples);
  std::vector<Vec3f> vertex_colors(state.positions.size());
  for (size_t v = 0; v < vertex_colors.size(); ++v) {
    Vec3f color = state.weights[v * examples] * kRestColor;
    for (size_t e = 1; e < examples; ++e) color += state.weights[v * examples + e] * kExampleColors[(e - 1) % std::size(kExampleColors)];
    vertex_colors[v] = color.cwiseMax(0.0f).cwiseMin(1.0f);
  }
  std::vector<Vec3f> colors = carried_points(*model.body, surface, vertex_colors);
  for (Vec3f& color : colors) color = color.cwiseMax(0.0f).cwiseMin(1.0f);
  return colors;
}

}  // namespace crumple::examples
