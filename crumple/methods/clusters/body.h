#pragma once

#include "crumple/methods/clusters/collide_bodies.h"
#include "crumple/methods/clusters/recorded.h"
#include "crumple/methods/clusters/rest.h"
#include "crumple/methods/clusters/surface.h"
#include "crumple/methods/matter.h"

/// Clusters as matter of a scene; the functions are documented in methods/matter.h.
namespace crumple::clusters {

struct BodyModel {
  using Drawn = Surface;  // topology at the last update
  Model clusters;
  SurfaceModel surface;
  particles::Boundary boundary;  // clamps with their centres
  Appearance look, inner;
  double margin = 0;             // m: depth of particles under the drawn surface
  double height = 0;             // m, along y
  bool may_sleep = false;        // nothing but contacts moves it
  // for contact with other soft bodies
  std::shared_ptr<const TriMesh> skin;
  Transform place;
  std::shared_ptr<LazyField> field = std::make_shared<LazyField>();
};

struct BodyState {
  State clusters;
  Calm calm;
  std::vector<Vec3f> last_centers;  // #clusters: a step ago
  // derived
  Recorded recorded;       // at the last recording or playback
  StepTimes times;   // CPU s, so far
  // of the last step
  double dt = 0;     // s
  int substeps = 1;
  Vec3 gravity = Vec3::Zero();
  // state before the step, restored if the step becomes non-finite
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
void collide(const BodyModel& model_a, BodyState& a, const BodyModel& model_b, BodyState& b, double friction);
/// Other matter is near: its load is not known before it is met, so the body stays awake.
void stir(const BodyModel& model, BodyState& state);
inline double kinetic_energy(const BodyModel& model, const BodyState& state) { return kinetic_energy(model.clusters, state.clusters); }
inline double cpu_seconds(const BodyState& state) { return state.times.dynamics + state.times.plasticity + state.times.fracture + state.times.collision; }

/// How the body gives way under its own weight, and what to set; empty if it stands.
std::string advice(const BodyModel& model, double dt, int substeps, const Vec3& gravity);

std::vector<StateArray> arrays(BodyState& state);
void fit(const BodyModel& model, BodyState& state, const SavedArrays& saved);
Result<void> rebuilt(const BodyModel& model, BodyState& state);
void record(const BodyModel& model, BodyState& state);
std::vector<StateArray> recorded(BodyState& state);
void fit_recorded(const BodyModel& model, BodyState& state, const SavedArrays& saved);
Result<void> replayed(const BodyModel& model, BodyState& state);

std::vector<FrameItem> draw(const BodyModel& model, const BodyState& state, const MatterView& view, Surface& drawn);
/// Note on details that are drawn more coarsely than simulated; empty: none.
std::string note(const Surface& drawn);
void save(const BodyModel& model, const std::function<void(std::span<const StateArray>)>& write);

/// Pieces with fewer particles are debris.
inline constexpr int kBigPiece = 50;

/// Results for a body.
struct Outcome {
  int start_particles = 0, particles = 0, clusters = 0;  // without culled ones
  int64_t splits = 0, outliers = 0, bridges = 0;
  int pieces = 0, big_pieces = 0;
  double largest_piece_share = 0, debris_share = 0;  // of the particles
  int first_split_frame = -1;                        // first frame with a split; -1: none
  int64_t culled_particles = 0;
  double culled_mass = 0;                 // kg
  double max_strain = 0, rms_strain = 0;  // |F^p - I| over the particles
};
Outcome outcome_of(const BodyModel& model, const BodyState& state, double fps);
/// The first frame that shows the effect of the step that began at a time.
int frame_after(double time, double fps);
void report(const BodyModel& model, const BodyState& state, const ReportContext& context, Report& report);

}  // namespace crumple::clusters
