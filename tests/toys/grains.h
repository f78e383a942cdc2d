#pragma once

#include "crumple/methods/matter.h"
#include "tests/toys/settings.h"

namespace crumple::grains {

struct Model {
  /// Counts how often it was used.
  struct Drawn {
    int frames = 0;
  };
  Vec3 origin = Vec3::Zero();
  double mass = 0, spacing = 0;  // kg of a grain, m
  std::vector<particles::Vec4f> rest;
  Appearance look;
};

struct State {
  std::vector<particles::Vec4f> positions, velocities;
  // derived
  std::vector<float> mass;
  std::vector<int32_t> held, is_there;
  std::vector<particles::Vec4f> before;
};

Result<Model> build(const MatterSeed& seed, const Settings& settings);
Result<State> start(const Model& model, const MatterSeed& seed, const Settings& settings);
inline Model::Drawn start_drawing(const Model&) { return {}; }
Bounds reach(const Model& model, const State& state, double dt);
inline double margin(const Model& model) { return 0.5 * model.spacing; }
void step(const Model& model, State& state, MatterContext& now);
std::string fault(const Model& model, const State& state);
void freeze(const Model& model, State& state);
particles::ParticleSpan particles_of(const Model& model, State& state);
inline void collide(const Model&, State&, const Model&, State&, double) {}
double kinetic_energy(const Model& model, const State& state);
inline double cpu_seconds(const State&) { return 0; }
std::vector<StateArray> arrays(State& state);
void fit(const Model& model, State& state, const SavedArrays& saved);
Result<void> rebuilt(const Model& model, State& state);
inline void record(const Model&, State&) {}
inline std::vector<StateArray> recorded(State& state) { return arrays(state); }
inline void fit_recorded(const Model& model, State& state, const SavedArrays& saved) { fit(model, state, saved); }
inline Result<void> replayed(const Model& model, State& state) { return rebuilt(model, state); }
std::vector<FrameItem> draw(const Model& model, const State& state, const MatterView& view, Model::Drawn& drawn);
inline std::string note(const Model::Drawn&) { return ""; }
inline void save(const Model&, const std::function<void(std::span<const StateArray>)>&) {}
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::grains
