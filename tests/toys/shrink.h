#pragma once

#include "crumple/methods/layer.h"
#include "tests/toys/settings.h"

namespace crumple::shrink {

struct Model {
  Settings settings;
  const RiggedBody* body = nullptr;
};

struct State {
  std::vector<float> offsets;  // #vertices x 3, m
  std::vector<int> moved;      // blocks, in the last step
  std::vector<Hit> first_hits;  // of the first step that had any
};

Result<Model> build(const LayerSeed& seed, const Settings& settings);
State start(const Model& model);
inline void select_hits(const Model&, State&, const LayerContext&, std::span<Touching> touching) {
  for (Touching& touched : touching) touched.wanted = touched.wanted || touched.speed_change > 0.5;
}
inline bool is_busy(const State&) { return false; }
void step(const Model& model, State& state, LayerContext& now);
void put_shape(const Model& model, const State& state, std::span<const int> blocks, Shape& shape);
std::vector<StateArray> arrays(State& state);
inline void fit(const Model&, State&, const SavedArrays&) {}
inline Result<void> rebuilt(const Model&, State&) { return {}; }
inline void record(const Model&, State&) {}
inline std::vector<StateArray> recorded(State& state) { return arrays(state); }
inline void fit_recorded(const Model&, State&, const SavedArrays&) {}
inline Result<void> replayed(const Model&, State&) { return {}; }
inline void draw_over(const Model&, const State&, DrawnSurface&) {}
inline double gives(const Model&) { return 0; }
std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view scheme, const Embedding& surface);
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::shrink
