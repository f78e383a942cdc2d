#pragma once

#include <span>

#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/clusters/kernels.h"

/// Memberships of particles in clusters. A membership has a slot in its cluster's range of slots and an entry in its particle's range of entries.
/// Splitting a cluster or a particle splits its range, so no range ever grows. A membership keeps its mass, hence mass is conserved exactly and
/// clusters do not change when one of their particles is split.
namespace crumple::clusters {

/// Room beyond the last slot that kernels may read.
inline constexpr size_t kPadding = kLanes;

Members members_of(const State& state, int cluster);

/// Computes all derived arrays of a state.
void derive(const Model& model, State& state);
/// Updates the properties of a cluster that follow from its members.
void reshape_cluster(const Model& model, State& state, int cluster);
/// The matrix that maps A_xr to F^e: (A_rr^-1)(F^p)^-1, or its pseudoinverse.
void update_solve(State& state, int cluster);
/// Mass and shares of one particle.
void reweigh_particle(State& state, int particle);
/// Updates `homes`.
void renew_homes(State& state);
/// Updates the neighbours of these clusters, and of their neighbours.
void renew_neighbors(const Model& model, State& state, std::span<const int> clusters);

/// Moves the members with `beyond` set into a new cluster, otherwise a copy of the old one. Returns it.
int cut_cluster(const Model& model, State& state, int cluster, std::span<const uint8_t> beyond);
/// Moves the entries with `beyond` set into a new particle at the same place. Returns it.
int cut_particle(State& state, int particle, std::span<const uint8_t> beyond);
/// Removes a cluster; its mass goes to the other clusters of its particles. Particles without any are removed, too.
void cull_cluster(const Model& model, State& state, int cluster);

/// Resizes all arrays with one row for each cluster.
void resize_clusters(State& state, size_t count);

}  // namespace crumple::clusters
