#pragma once

#include <span>

#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/clusters/kernels.h"

/// Who belongs to whom. A membership has a slot in its cluster's stretch of slots and an entry in its particle's stretch of entries; cutting a
/// cluster or a particle in two cuts its stretch in two, so nothing ever has to make room. What a membership weighs stays with it, hence mass is
/// conserved exactly and clusters do not notice when a particle of theirs is parted.
namespace crumple::clusters {

/// Room beyond the last slot that kernels may read.
inline constexpr size_t kPadding = kLanes;

Members members_of(const State& state, int cluster);

/// Everything that restored() promises.
void derive(const Model& model, State& state);
/// Makes what a cluster's members say about it anew.
void reshape_cluster(const Model& model, State& state, int cluster);
/// The matrix that makes F^e out of A_xr: (A_rr^-1)(F^p)^-1, or its pseudoinverse.
void update_solve(State& state, int cluster);
/// Mass and shares of one particle.
void reweigh_particle(State& state, int particle);
/// Brings `homes` up to date.
void renew_homes(State& state);
/// Neighbours of these clusters, and theirs.
void renew_neighbors(const Model& model, State& state, std::span<const int> clusters);

/// Moves the members with `beyond` set into a new cluster, which is like the old one otherwise. Returns it.
int cut_cluster(const Model& model, State& state, int cluster, std::span<const uint8_t> beyond);
/// Moves the entries with `beyond` set into a new particle at the same place. Returns it.
int cut_particle(State& state, int particle, std::span<const uint8_t> beyond);
/// Takes a cluster out; its mass goes to other clusters of its particles, and those that have none go too.
void cull_cluster(const Model& model, State& state, int cluster);

/// Sizes everything that has one row for each cluster.
void resize_clusters(State& state, size_t count);

}  // namespace crumple::clusters
