#pragma once

#include "crumple/methods/clusters/shown.h"
#include "crumple/methods/clusters/surface.h"
#include "crumple/methods/matter.h"

/// Clusters as matter of a scene; see methods/matter.h for what each verb means.
namespace crumple::clusters {

struct BodyModel {
  using Drawn = Surface;  // topology as it was last seen
  Model clusters;
  SurfaceModel surface;
  particles::Boundary boundary;  // clamps with their centres
  Look look, inner;
  double margin = 0;             // m: how deep particles lie under what is drawn
};

struct BodyState {
  State clusters;
  // derived
  Shown shown;       // as it was last recorded or played back
  StepTimes times;   // CPU s, so far
  // what it goes back to if its numbers run away: as it was before the step
  std::vector<Vec4f> positions;
  std::vector<Mat3f> plastic;
  std::vector<float> strain;
};

Result<BodyModel> build(const MatterSeed& seed, const BodySettings& settings);
Result<BodyState> start(const BodyModel& model, const MatterSeed& seed, const BodySettings& settings);
Surface start_drawing(const BodyModel& model);
Bounds reach(const BodyModel& model, const BodyState& state, double dt);
inline double margin(const BodyModel& model) { return model.margin; }
void step(const BodyModel& model, BodyState& state, MatterContext& now);
std::string fault(const BodyModel& model, const BodyState& state);
void freeze(const BodyModel& model, BodyState& state);
inline particles::ParticleSpan particles_of(const BodyModel& model, BodyState& state) { return particles(model.clusters, state.clusters); }
inline void collide(const BodyModel& model_a, BodyState& a, const BodyModel& model_b, BodyState& b, double friction) {
  collide_bodies(model_a.clusters, a.clusters, model_b.clusters, b.clusters, friction);
}
inline double kinetic_energy(const BodyModel& model, const BodyState& state) { return kinetic_energy(model.clusters, state.clusters); }
inline double cpu_seconds(const BodyState& state) { return state.times.dynamics + state.times.plasticity + state.times.fracture + state.times.collision; }

std::vector<StateArray> arrays(BodyState& state);
void fit(const BodyModel& model, BodyState& state, const SavedArrays& saved);
Result<void> rebuilt(const BodyModel& model, BodyState& state);
void record(const BodyModel& model, BodyState& state);
std::vector<StateArray> recorded(BodyState& state);
void fit_recorded(const BodyModel& model, BodyState& state, const SavedArrays& saved);
Result<void> replayed(const BodyModel& model, BodyState& state);

std::vector<FrameItem> draw(const BodyModel& model, const BodyState& state, const MatterView& view, Surface& drawn);
/// What is drawn more coarsely than it was simulated; empty: nothing.
std::string note(const Surface& drawn);
void save(const BodyModel& model, const std::function<void(std::span<const StateArray>)>& write);

/// Pieces of fewer particles are debris.
inline constexpr int kBigPiece = 50;

/// What has become of a body.
struct Outcome {
  int start_particles = 0, particles = 0, clusters = 0;  // without what was culled
  int64_t splits = 0, outliers = 0;
  int pieces = 0, big_pieces = 0;
  double largest_piece_share = 0, debris_share = 0;  // of the particles
  int first_split_frame = -1;                        // that shows one; -1: nothing has split
  int64_t culled_particles = 0;
  double culled_mass = 0;                 // kg
  double max_strain = 0, rms_strain = 0;  // |F^p - I| over the particles
};
Outcome outcome_of(const BodyModel& model, const BodyState& state, double fps);
/// The first frame that shows what happened in the step that began at a time.
int frame_after(double time, double fps);
void report(const BodyModel& model, const BodyState& state, const ReportContext& context, Report& report);

}  // namespace crumple::clusters
