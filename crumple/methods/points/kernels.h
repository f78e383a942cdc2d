#pragma once

#include "crumple/methods/points/points.h"

/// The parts of a step, for the files of this folder, tests and measurements.
namespace crumple::points {

constexpr size_t kGrain = 512;  // points that one thread works on at a time

inline auto rest_vector(const State& state, size_t entry) {
  return state.u[entry].head<3>();
}
inline double weight_of(const State& state, size_t entry) {
  return state.u[entry][3];
}
inline bool is_fixed(const State& state, size_t i) {
  return state.held[i] >= 0;
}

// Bases and deformation gradients: basis.cpp
/// Everything that follows from the lists and rest vectors: patches, weights, A and its inverse (eqs. 3.2, 3.14), viscosity.
void lists_changed(const Model& model, State& state);
/// Weights, A and its inverse of all points.
void set_basis(const Model& model, State& state);
/// Rest vectors take on the flow of points that have more than `least` of it.
void fold_flow(const Model& model, State& state, double least);
/// F of all points as they are; none flows.
void measure_F(const Model& model, State& state);
/// eq. 3.2
Mat3 gradient_of(const Model& model, const State& state, size_t point);
/// The direction that A does not tell is turned with the others.
void complete_gradient(const Mat3& inverse, uint8_t rank, Mat3& f);
/// For each point, the entries that point at it.
void set_reverse(const Model& model, State& state);
/// Volumes by eq. 3.3, before any scale.
std::vector<double> estimated_volumes(const Model& model, const State& state);
/// The longest step that is sure to be stable, s.
double stable_step(const Model& model, const State& state);

// Stress, flow and forces: forces.cpp
/// Flow over `dt` (0: none), F and elastic accelerations.
void set_forces(const Model& model, State& state, double dt);
/// Elastic energy with that of the stabilizer, J.
double elastic_energy(const Model& model, const State& state);
/// Stress and energy density of a stretch, along its principal axes.
Vec3 stress_of(const Model& model, const Vec3& stretch);
double energy_of(const Model& model, const Vec3& stretch);
/// Painted factors of one point.
struct Painted {
  double yield = 1, stiffness = 1, rate = 1;
};
/// Logarithm of what of a stretch flows within `dt`, and how much flow that is.
struct Flow {
  Vec3 log = Vec3::Zero();
  double amount = 0;
};
Flow flow_of(const Model& model, const Vec3& stretch, double strain, const Painted& painted, double dt);

// Viscosity: drag.cpp
/// Coefficients of viscosity, after lists or volumes changed.
void set_drag(const Model& model, State& state);
/// What viscosity makes of the velocities over `dt`.
void apply_viscosity(const Model& model, State& state, double dt);

// The embedded space: embed.cpp, lists.cpp
/// Solves eq. 3.9 for the embedded places, from where they are. Returns the number of iterations.
int embed(const Model& model, State& state, double tolerance);
/// Share of the rest vectors that the embedding misses, root mean square.
double mismatch(const Model& model, const State& state);
/// Chooses the neighbours of flagged points anew in the embedded space. Those that stay keep their rest vectors.
void update_lists(const Model& model, State& state, std::span<const uint8_t> flagged);

// Splits and merges: resample.cpp
/// Takes points away that are not there, and numbers the others anew.
void compact(const Model& model, State& state);
/// Splits and merges (eq. 3.13). Returns whether anything changed.
bool resample(const Model& model, State& state);
/// Eigenvalues of eq. 3.13's B, ascending, and their axes.
struct Spread {
  Vec3 values;
  Mat3 axes;
  double off_center = 0, mean_distance = 0;  // m
};
Spread spread_of(const Model& model, const State& state, int point);
/// Both need set_reverse before.
void split_point(const Model& model, State& state, int point, const Vec3& offset);
void merge_points(const Model& model, State& state, int a, int b);

// Time: step.cpp
/// One step without contact: up to the new places, and from there on.
void advance(const Model& model, State& state, double dt, const Vec3& gravity);
void finish(const Model& model, State& state, double dt, const Vec3& gravity);
/// Rest vectors, embedding and lists take on what has flowed.
void follow_flow(const Model& model, State& state);

// Contact: contact.cpp
/// Takes over what others did to what they see; of moves, a share.
void take_over(State& state, double share);
/// Shows the points to others.
void hand_out(State& state);
/// A step of `dt` that ends `before` the end of the scene's; `share` of that.
struct Substep {
  double dt = 0, before = 0, share = 1;
};
/// Rigid parts and the body's own obstacles. The parts move along with what they are pushed by.
void collide_with_parts(const Model& model, State& state, MatterContext& now, std::vector<particles::Obstacle>& parts, const Substep& step);
/// Points against others of their own body that were never near them.
void collide_with_itself(const Model& model, State& state);

}  // namespace crumple::points
