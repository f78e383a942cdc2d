#pragma once

#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/clusters/kernels.h"

/// Collision proxies of clusters.
namespace crumple::clusters {

Proxy proxy_of(const State& state, int cluster);
/// The shortest way out for a point, from the model's origin; zero if it is not inside.
Vec3f way_out(const Proxy& proxy, const Vec3f& point);

/// Rigid motion of a cluster.
struct ClusterMotion {
  float mass = 0;
  Vec3f center = Vec3f::Zero(), velocity = Vec3f::Zero(), spin = Vec3f::Zero();
  Mat3f inverse_inertia = Mat3f::Zero();
};
ClusterMotion motion_of(const State& state, int cluster);

/// Reaction of all contacts on a cluster: mass times displacement, mass times velocity, both with their moments about its centre.
struct Reaction {
  Vec3f shift = Vec3f::Zero(), shift_turn = Vec3f::Zero(), push = Vec3f::Zero(), push_turn = Vec3f::Zero();
};
void recoil(State& state, int cluster, const ClusterMotion& motion, const Reaction& reaction);

}  // namespace crumple::clusters
