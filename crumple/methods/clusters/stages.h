#pragma once

#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/clusters/kernels.h"

/// The stages that step() is a list of.
namespace crumple::clusters {

/// Clusters as they are when a step begins.
struct Matched {
  std::vector<Wish> wishes;
  std::vector<Vec3f> centers;           // of mass
  std::vector<Mat3f> inverse_inertias;  // about them
};

/// Clusters that make a chunk of work for one thread: whole groups of those that are decomposed together, and so many that waking it is worth it.
inline constexpr size_t kGroup = 8;
size_t clusters_per_chunk(const State& state);
inline constexpr size_t kParticleChunk = 2048;

// shape matching: match.cpp
/// Where each cluster is, how it is stretched, and where it wants its particles. eqs. 2-7, 9
void find_goals(const Model& model, State& state, Matched& matched);
/// Particles move towards the mean of their goals. eq. 8
void integrate(const Model& model, State& state, const Context& now, const Matched& matched);

// limit.cpp
/// Particles too far from where a cluster wants them are pulled back. [Bargteil and Jones 2014]
void limit_strain(const Model& model, State& state, const Context& now, const Matched& matched);
/// Brings places of clusters up to date whose particles have moved.
void refresh_places(const Model& model, State& state);
void refresh_place(const Model& model, State& state, int cluster);

// tear.cpp
/// What is stretched beyond yield flows. eqs. 10-14
void yield(const Model& model, State& state, const Context& now);
/// What is stretched beyond its toughness splits, the most overloaded first, as many as fit in a step. eqs. 15, 16
void tear(const Model& model, State& state, Context& now);
/// Particles that a cluster has lost sight of are parted from it.
void split_outliers(const Model& model, State& state);
/// sigma_max - 1 from which a cluster splits now. eq. 16
float toughness_now(const Model& model, const State& state, int cluster);

// collide.cpp
/// Clusters that have nothing in common keep out of each other.
void collide_self(const Model& model, State& state);

// boundary.cpp
/// Takes hold of particles whose clamp begins, and lets go of those whose clamp ends.
void hold(const Model& model, State& state, const Context& now);
/// Moves those that are held. Call before time passes.
void carry(const Model& model, State& state, const Context& now);
/// What only this body meets pushes particles out. Call with the time at the end of the step.
void collide_boundary(const Model& model, State& state, const Context& now);

}  // namespace crumple::clusters
