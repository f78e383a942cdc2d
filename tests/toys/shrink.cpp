#include "tests/toys/shrink.h"

#include <algorithm>

#include <fmt/format.h>

namespace crumple::shrink {

const MethodInfo& info(const Settings&) {
  static constexpr ColorScheme kSchemes[] = {{"depth", "how far it gave way"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Layer,
                                       .name = "shrink",
                                       .key = "shrink",
                                       .key_help = "gives way where it is hit",
                                       .paper = "none",
                                       .help = "vertices near a hit give way",
                                       .need = BodyNeed::Solid,
                                       .noun = "body that shrinks",
                                       .verb = "shrink",
                                       .held_by = "",
                                       .colors = kSchemes,
                                       .state_color = "depth",
                                       .footer = nullptr,
                                       .order = 0};
  return kInfo;
}

void describe(Fields& fields, Settings& settings) {
  fields.number("depth", settings.depth, at_least(0), {"of one hit", "m"});
  fields.number("radius", settings.radius, more_than(0), {"of one hit", "m"});
}

Result<Model> build(const LayerSeed& seed, const Settings& settings) {
  const RiggedBody& body = *seed.body;
  return Model{settings, &body};
}

State start(const Model& model) {
  return {std::vector<float>(3 * model.body->asset.tets.positions.size(), 0.0f), {}, {}};
}

void step(const Model& model, State& state, LayerContext& now) {
  const std::vector<Vec3>& rest = model.body->asset.tets.positions;
  state.moved.clear();
  if (state.first_hits.empty()) state.first_hits.assign(now.hits.begin(), now.hits.end());
  for (const Hit& hit : now.hits) {
    for (size_t v = 0; v < rest.size(); ++v) {
      const double share = 1 - (rest[v] - hit.at).norm() / model.settings.radius;
      if (share <= 0) continue;
      for (int k = 0; k < 3; ++k) state.offsets[3 * v + static_cast<size_t>(k)] += static_cast<float>(model.settings.depth * share * hit.normal[k]);
      const int block = static_cast<int>(v) / Skin::kLanes;
      if (std::find(state.moved.begin(), state.moved.end(), block) == state.moved.end()) state.moved.push_back(block);
    }
  }
  std::sort(state.moved.begin(), state.moved.end());
  now.effects.reshaped = !state.moved.empty(), now.effects.moved = state.moved;
  if (!now.hits.empty()) now.effects.restitution = 0.1;
}

void put_shape(const Model&, const State& state, std::span<const int> blocks, Shape& shape) {
  for (const int block : blocks) {
    const size_t begin = static_cast<size_t>(block) * Skin::kLanes, end = std::min(begin + Skin::kLanes, shape.vertices.size());
    for (size_t v = begin; v < end; ++v) {
      const Vec3f offset(state.offsets[3 * v], state.offsets[3 * v + 1], state.offsets[3 * v + 2]);
      shape.vertices[v] += offset;
      if (!shape.offsets.empty()) shape.offsets[v] += offset;
    }
  }
}

std::vector<StateArray> arrays(State& state) {
  return {state_array("offsets", std::span(state.offsets), 3)};
}

std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view, const Embedding& surface) {
  std::vector<Vec3f> depths;
  for (size_t v = 0; v + 2 < state.offsets.size(); v += 3) depths.push_back(Vec3f(state.offsets[v], state.offsets[v + 1], state.offsets[v + 2]).cwiseAbs() * 10);
  return carried_points(*model.body, surface, depths);
}

void report(const Model&, const State& state, const ReportContext&, Report& report) {
  double deepest = 0;
  for (const float offset : state.offsets) deepest = std::max(deepest, std::abs(double{offset}));
  report.figures["deepest"] = deepest;
  report.lines.emplace_back("shrunk", fmt::format("up to {:.2f} m", deepest));
}

}  // namespace crumple::shrink
