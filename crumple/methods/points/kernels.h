#pragma once

#include "crumple/methods/points/points.h"

/// The parts of a step, for the files of this folder, tests and measurements.
namespace crumple::points {

/// Weights, A and its inverse of all points (eqs. 3.2, 3.14), after their lists or rest vectors changed.
void set_basis(const Model& model, State& state);
/// F of all points as they are; none flows.
void measure_F(const Model& model, State& state);
/// For each point, the entries that point at it.
void set_reverse(const Model& model, State& state);
/// Flow over `dt` (0: none), F and elastic accelerations.
void set_forces(const Model& model, State& state, double dt);
/// Volumes by eq. 3.3, before any scale.
std::vector<double> estimated_volumes(const Model& model, const State& state);
/// Elastic energy with that of the stabilizer, J.
double elastic_energy(const Model& model, const State& state);
/// Stress and energy density of a stretch, along its principal axes.
Vec3 stress_of(const Model& model, const Vec3& stretch);
double energy_of(const Model& model, const Vec3& stretch);
/// Logarithm of what of a stretch flows within `dt`, and how much flow that is.
struct Flow {
  Vec3 log = Vec3::Zero();
  double amount = 0;
};
Flow flow_of(const Model& model, const Vec3& stretch, double strain, double yield_factor, double dt);

/// Coefficients of viscosity, after lists or volumes changed.
void set_drag(const Model& model, State& state);
/// Forces of viscosity, N.
void apply_drag(const Model& model, const State& state, std::span<const Vec3> velocities, std::span<Vec3> forces);
/// The longest step that is sure to be stable, s.
double stable_step(const Model& model, const State& state);

/// Solves eq. 3.9 for the embedded places, from where they are. Returns the number of iterations.
int embed(const Model& model, State& state, double tolerance);
/// Share of the rest vectors that the embedding misses, root mean square.
double mismatch(const Model& model, const State& state);
/// Chooses the neighbours of flagged points anew in the embedded space. Those that stay keep their rest vectors.
void update_lists(const Model& model, State& state, std::span<const uint8_t> flagged);
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
void split_point(const Model& model, State& state, int point, const Vec3& offset);
void merge_points(const Model& model, State& state, int a, int b);

/// One step without contact: up to the new places, and from there on.
void advance(const Model& model, State& state, double dt, const Vec3& gravity);
void finish(const Model& model, State& state, double dt, const Vec3& gravity);

/// Takes over what others did to what they see; of moves, a share.
void take_over(State& state, double share);
/// Shows the points to others.
void hand_out(State& state);
/// Contact of points with others of their own body that were never near them: which may touch within `dt`, and those that do.
void find_strangers(const Model& model, State& state, double dt);
void collide_strangers(const Model& model, State& state);

}  // namespace crumple::points
