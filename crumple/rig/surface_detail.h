#pragma once

#include <span>

#include "crumple/rig/asset.h"

namespace crumple {

/// Longest edge of a drawn surface that follows its rig. Between two handles the weights run like a cubic, which chords of a sixth of the way miss by
/// 2 % of the motion; nothing is finer than a cell, within which all is linear.
double edge_to_follow(std::span<const Handle> handles, double cell);
/// The same before there is a rig, with so many handles spread over the surface.
double edge_to_follow(const TriMesh& surface, int handles);

/// Share of the area whose triangles have an edge longer than this. Rigid parts do not count.
double share_with_longer_edges(const TriMesh& surface, double length);

/// A surface is coarse if more than kCoarseShare of it has edges longer than kCoarse times those that follow the rig.
inline constexpr double kCoarse = 2, kCoarseShare = 0.2;

/// How far a posed surface is from what its rig asks for: the middles of edges, which the tetrahedra carry elsewhere than halfway.
struct Stray {
  double farthest = 0;     // metres
  Vec3 at = Vec3::Zero();  // at rest
};
Stray stray_of_edges(const Asset& asset, const std::vector<HandleTransform>& pose);

}  // namespace crumple
