#pragma once

#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/clusters/kernels.h"

/// The stages of step().
namespace crumple::clusters {

/// Clusters at the beginning of a step.
struct Matched {
  std::vector<Wish> wishes;
  std::vector<Vec3f> centers;           // of mass
  std::vector<Mat3f> inverse_inertias;  // about them
};

/// Number of clusters in a chunk of work: whole groups for decomposition, and enough to be worth waking a thread.
inline constexpr size_t kGroup = 8;
size_t clusters_per_chunk(const State& state);
inline constexpr size_t kParticleChunk = 2048;

// shape matching: match.cpp
/// Position, stretch and goals of each cluster. eqs. 2-7, 9
void find_goals(const Model& model, State& state, Matched& matched);
/// Moves particles towards the mean of their goals. eq. 8
void integrate(const Model& model, State& state, const Context& now, const Matched& matched);

// limit.cpp
/// Pulls back particles too far from their goals. [Bargteil and Jones 2014]
void limit_strain(const Model& model, State& state, const Context& now, const Matched& matched);
/// Updates the places of stale clusters.
void refresh_places(const Model& model, State& state);
void refresh_place(const Model& model, State& state, int cluster);

// tear.cpp
/// Plastic flow of clusters beyond yield. eqs. 10-14
void yield(const Model& model, State& state, const Context& now);
/// Splits clusters stretched beyond their toughness, the most overloaded first, up to the limit for a step. eqs. 15, 16
void tear(const Model& model, State& state, Context& now);
/// Removes outliers from their clusters.
void split_outliers(const Model& model, State& state);
// bridges.cpp
/// Parts clusters that are pulled apart and hold together by few of the particles they once shared.
void part_bridges(const Model& model, State& state, const Context& now);
/// Current threshold of sigma_max - 1 for a split. eq. 16
float toughness_now(const Model& model, const State& state, int cluster);

// collide.cpp
/// Self-collision of unrelated clusters.
void collide_self(const Model& model, State& state);

// boundary.cpp
/// Holds the particles of clamps that start, and frees those of clamps that end.
void hold(const Model& model, State& state, const Context& now);
/// Moves the held particles. Call before time advances.
void carry(const Model& model, State& state, const Context& now);
/// The body's own obstacles push particles out. Call with the time at the end of the step.
void collide_boundary(const Model& model, State& state, const Context& now);

}  // namespace crumple::clusters
