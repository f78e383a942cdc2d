#include "crumple/methods/examples/checks.h"
#include "crumple/methods/examples/presets.h"

#include <algorithm>

#include <fmt/format.h>

namespace crumple::examples {
namespace {

// Colours of the examples after the rest pose, chosen to stay apart when blended with white.
const Vec3f kExampleColors[] = {{0.85f, 0.08f, 0.06f}, {0.05f, 0.25f, 0.80f}, {0.10f, 0.60f, 0.12f}, {0.95f, 0.55f, 0.02f},
                                {0.50f, 0.10f, 0.65f}, {0.02f, 0.60f, 0.65f}, {0.80f, 0.15f, 0.45f}, {0.45f, 0.35f, 0.05f}};
const Vec3f kRestColor(0.85f, 0.85f, 0.85f);

constexpr float kRecordedSteps = 8192;

}  // namespace

const MethodInfo& info(const Settings&) {
  static constexpr ColorScheme kSchemes[] = {{"weights", "of the examples"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Layer,
                                       .name = "examples",
                                       .key = "examples",
                                       .key_help = "example-based plasticity",
                                       .paper = "paper 1; thesis ch. 5",
                                       .help = "impulses pull each part of a body towards example poses made by an artist",
                                       .need = BodyNeed::Rig,
                                       .noun = "body with examples",
                                       .verb = "crumple",
                                       .held_by = "",
                                       .colors = kSchemes,
                                       .state_color = "weights",
                                       .footer = nullptr,
                                       .order = 10,
                                       .skins = true,
                                       .presets = kPresets};
  return kInfo;
}

void put_shape(const Model& model, const State& state, std::span<const int> blocks, Shape& shape) {
  const Skin& skin = model.body->skin;
  const size_t examples = static_cast<size_t>(skin.examples), count = state.positions.size();
  std::vector<double> weights(examples);
  for (const int block : blocks) {
    const size_t begin = static_cast<size_t>(block) * Skin::kLanes, end = std::min(begin + Skin::kLanes, count);
    for (size_t v = begin; v < end; ++v) {
      shape.vertices[v] = state.positions[v];
      if (shape.offsets.empty() || shape.offsets[v].isZero(0)) continue;
      for (size_t e = 0; e < examples; ++e) weights[e] = state.weights[v * examples + e];
      shape.vertices[v] += (skin_turn(skin, static_cast<int>(v), weights) * shape.offsets[v].cast<double>()).cast<float>();
    }
  }
}

void record(const Model&, State& state) {
  const size_t vertices = state.positions.size();
  const size_t examples = vertices == 0 ? 1 : state.weights.size() / vertices;
  state.recorded.resize(vertices * (examples - 1));
  for (size_t v = 0, next = 0; v < vertices; ++v) {
    // The rest pose's weight is what the others leave.
    for (size_t e = 1; e < examples; ++e) state.recorded[next++] = static_cast<uint16_t>(state.weights[v * examples + e] * kRecordedSteps + 0.5f);
  }
}

std::vector<StateArray> recorded(State& state) {
  const size_t vertices = state.positions.size();
  const size_t examples = vertices == 0 ? 1 : state.weights.size() / vertices;
  return {state_array("shown", std::span(state.recorded), examples - 1)};
}

Result<void> replayed(const Model& model, State& state) {
  const size_t examples = static_cast<size_t>(model.body->skin.examples);
  for (size_t v = 0, next = 0; v < state.positions.size(); ++v) {
    float rest = 1;
    for (size_t e = 1; e < examples; ++e) {
      const float weight = std::min(static_cast<float>(state.recorded[next++]) / kRecordedSteps, 1.0f);
      state.weights[v * examples + e] = weight;
      rest -= weight;
    }
    state.weights[v * examples] = std::max(rest, 0.0f);
  }
  return rebuilt(model, state);
}

namespace {

/// In the table only if nothing gave way: that a hit in front leaves the examples of the back alone is as it should be.
void report_unused(const Model& model, const State& state, Report& report) {
  const std::vector<Unused> unused = unused_examples(model, state);
  if (unused.empty()) return;
  Json list = Json::array();
  std::string text;
  for (const Unused& each : unused) {
    list.push(Json::object({{"example", each.example}, {"why", each.why}}));
    text += fmt::format("{}\"{}\" {}", text.empty() ? "" : "; ", each.example, each.why);
  }
  report.figures["unused_examples"] = std::move(list);
  if (unused.size() + 1 == model.body->asset.examples.size()) report.lines.emplace_back("unchanged", "hit beyond its yield, but keeps its shape: " + text);
}

}  // namespace

void report(const Model& model, const State& state, const ReportContext& context, Report& report) {
  if (context.at_start) {
    report.warnings = idle_examples(model);
    return;
  }
  const size_t examples = static_cast<size_t>(model.body->skin.examples);
  double least = 1;
  size_t deformed = 0;
  for (size_t i = 0; i < state.weights.size(); i += examples) {
    const double rest_weight = state.weights[i];
    least = std::min(least, rest_weight);
    if (rest_weight < 0.99) ++deformed;
  }
  report.figures["deformed_share"] = static_cast<double>(deformed) / static_cast<double>(std::max<size_t>(state.positions.size(), 1));
  report.figures["min_rest_weight"] = least;
  report_unused(model, state, report);
}

std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view, const Embedding& surface) {
  const size_t examples = static_cast<size_t>(model.body->skin.examples);
  std::vector<Vec3f> vertex_colors(state.positions.size());
  for (size_t v = 0; v < vertex_colors.size(); ++v) {
    Vec3f color = state.weights[v * examples] * kRestColor;
    for (size_t e = 1; e < examples; ++e) color += state.weights[v * examples + e] * kExampleColors[(e - 1) % std::size(kExampleColors)];
    vertex_colors[v] = color.cwiseMax(0.0f).cwiseMin(1.0f);
  }
  std::vector<Vec3f> found = carried_points(*model.body, surface, vertex_colors);
  for (Vec3f& color : found) color = color.cwiseMax(0.0f).cwiseMin(1.0f);
  return found;
}

}  // namespace crumple::examples
