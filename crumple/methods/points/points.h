#pragma once

#include <memory>

#include "crumple/methods/matter.h"
#include "crumple/methods/points/patches.h"
#include "crumple/methods/points/settings.h"

/// Point-based elastoplasticity with an embedded rest space (thesis, ch. 3): clay, dough, gum and hot metal. Every point sees its neighbours at rest
/// vectors of its own, which flow; a common rest space fits them as well as it can and decides which points are neighbours.
namespace crumple::points {

using particles::Vec4f;

/// What never changes. Places of points are relative to `origin`.
struct Model {
  struct Drawn {
    std::vector<int32_t> of_vertex;  // carried mesh: kCarriers for each vertex
    std::vector<float> shares;
  };
  Settings settings;
  double mu = 0, lambda = 0;    // Pa
  double density = 0;           // kg/m^3
  double viscosity = 0;         // Pa s
  double spacing = 0;           // m, usual
  double volume_scale = 1;      // of eq. 3.3, so that the sum is the volume of the body
  double split_below = 0, merge_above = 0;  // eigenvalues of eq. 3.13 in units of a point's own spacing
  double surface_from = 0;      // distance from the middle of its neighbours, in spacings, from which a point is at the surface
  Vec3 origin = Vec3::Zero();
  std::vector<Vec4f> rest;      // #originals
  std::vector<Vec3> start;      // #originals, the same in double
  std::shared_ptr<const TriMesh> surface;  // at rest, relative to `origin`
  particles::Boundary boundary;
  Appearance look;
  double margin = 0;            // m: depth of points under what is drawn
  size_t stride() const { return static_cast<size_t>(settings.neighbors); }
};

enum Count { kRetries, kHalvings, kGood, kUpdates, kEmbeddings, kIterations, kSplits, kMerges, kLostEnergy, kStrays, kStrayMass, kSubsteps, kLeftSteps, kEstimated, kCounts };

/// What is seen of the points by clamps, contact and other matter, in their precision. What others have done to them is taken over.
struct Outside {
  std::vector<Vec4f> places, speeds;
  std::vector<float> mass;
};

/// What every step changes, and one that went wrong puts back. #points
struct Moving {
  std::vector<Vec3> x, v;            // m, m/s
  std::vector<Vec3> push;            // m/s^2: elastic, at the last places
  std::vector<Mat3> pending;         // inverse of the flow that the rest vectors have not taken on yet
  std::vector<double> unfolded;      // how much that is; 0: none
  std::vector<double> strain;        // accumulated flow
  std::vector<double> flowed;        // since the last embedding

  size_t size() const { return x.size(); }
};

struct State : Moving {
  // #points
  std::vector<Vec3> e;               // m, the embedded rest space
  std::vector<Vec3> last_move;       // m, of the embedding before
  std::vector<double> volume, mass, radius;  // m^3, kg, m
  std::vector<double> own_spacing;   // m, at the start
  std::vector<float> yield, stiffness, rate;  // painted factors
  std::vector<int32_t> original, held, is_there;
  // #points x neighbors
  std::vector<int32_t> neighbor;     // -1: none
  std::vector<Vec4> u;               // rest vectors; the fourth is the weight (eq. 3.14)
  std::vector<double> counts;        // kCounts
  int64_t clamps = 0;
  Outside outside;
  Outside handed;                    // what was handed out
  std::vector<Vec3> carried;         // m/s, of held points in this step

  // derived from the lists
  Patches patches;                   // of all entries
  Pairs pairs;
  std::vector<Mat3> inverse;         // of eq. 3.2's A
  std::vector<double> weight_sum, trace;  // of the weights, of A
  std::vector<double> length;        // m: least width of the neighbourhood, for the stable step
  std::vector<uint8_t> rank;         // 3: all is well
  std::vector<float> drag;           // pairs, or entries as in the thesis: kg/s, of viscosity
  std::vector<double> drag_sum;      // kg/s: of the coefficients of each point
  std::vector<int32_t> reverse_begin, reverse, reverse_owner;  // entries that point at each, and whose they are; only while points split and merge
  // derived from the places
  std::vector<Mat3> F;
  std::vector<std::pair<int32_t, int32_t>> strangers;  // of the same body, and near
  std::vector<Vec3> strangers_from;  // places when they were found; empty: to be found anew
  std::vector<Vec4> rows;            // of patches: room for sums
  Moving before;                     // room for what was before a step
  std::vector<Vec3f> recorded_places;
  std::vector<float> recorded_strain, recorded_size;
  struct Times {
    double basis = 0, viscosity = 0, forces = 0, embedding = 0, resampling = 0, neighbors = 0, collision = 0;
  } times;  // CPU s
};

/// A cloud of points with their masses; without a scene, for tests and measurements.
struct Start {
  std::vector<Vec3> places, velocities;
  std::vector<float> yield, stiffness, rate;  // painted factors, or empty
  double mass = 1, volume = 1;
  Vec3 origin = Vec3::Zero();
};
Result<Model> make_model(const Start& start, const Settings& settings);
State make_state(const Model& model, const Start& start);

// As matter; see matter.h.
Result<Model> build(const MatterSeed& seed, const BodySettings& settings);
Result<State> start(const Model& model, const MatterSeed& seed, const BodySettings& settings);
Model::Drawn start_drawing(const Model& model);
Bounds reach(const Model& model, const State& state, double dt);
inline double margin(const Model& model) { return model.margin; }
void step(const Model& model, State& state, MatterContext& now);
std::string fault(const Model& model, const State& state);
void freeze(const Model& model, State& state);
particles::ParticleSpan particles_of(const Model& model, State& state);
void collide(const Model& model_a, State& a, const Model& model_b, State& b, double friction);
double kinetic_energy(const Model& model, const State& state);
inline double cpu_seconds(const State& state) {
  const State::Times& t = state.times;
  return t.basis + t.viscosity + t.forces + t.embedding + t.resampling + t.neighbors + t.collision;
}
std::vector<StateArray> arrays(State& state);
void fit(const Model& model, State& state, const SavedArrays& saved);
Result<void> rebuilt(const Model& model, State& state);
void record(const Model& model, State& state);
std::vector<StateArray> recorded(State& state);
void fit_recorded(const Model& model, State& state, const SavedArrays& saved);
Result<void> replayed(const Model& model, State& state);
std::vector<FrameItem> draw(const Model& model, const State& state, const MatterView& view, Model::Drawn& drawn);
inline std::string note(const Model::Drawn&) { return ""; }
inline void save(const Model&, const std::function<void(std::span<const StateArray>)>&) {}
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::points
