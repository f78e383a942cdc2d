#pragma once

#include <span>
#include <vector>

#include "crumple/methods/sprites/manifold.h"

/// Shape matching in the plane (thesis, eqs. 4.7 to 4.10).
namespace crumple::sprites {

/// Neighbourhoods: the k-ring of each particle in the triangulation.
struct Rings {
  std::vector<int32_t> begin, members;   // #particles + 1; of each ring, ascending
  std::vector<int32_t> in_begin, in;     // #particles + 1; rings that each particle is in
  std::vector<double> share;             // #particles: kg of a particle in each of its rings, so that all rings together have its mass
  std::vector<double> each;              // #particles: 1 / number of rings it is in
  std::vector<double> mass;              // #rings: of those shares
};
/// `plain`: every particle counts with its whole mass in each ring, as printed.
Rings make_rings(size_t particles, std::span<const Triangle> triangles, int rings, std::span<const double> masses, bool plain);

/// What rings need to know of a pose; made once for each.
struct PoseRings {
  std::vector<Complex> middle;  // #rings: of the pose
};
PoseRings pose_rings(const Rings& rings, std::span<const Complex> pose);

/// Moves particles a share of the way to where their neighbourhoods would have them (eqs. 4.9, 4.10).
void match_rings(const Rings& rings, const PoseRings& posed, std::span<const Complex> pose, double share, std::span<Complex> places);

/// Rotation and middles of the best fit of a pose to places.
struct Fit {
  Complex turn = 1, from = 0, to = 0;
};
Fit fit_pose(std::span<const double> masses, std::span<const Complex> pose, std::span<const Complex> places, Complex otherwise);
/// Moves particles a share of the way to the pose as a whole (eqs. 4.7, 4.8).
Fit match_all(std::span<const double> masses, std::span<const Complex> pose, double share, Complex otherwise, std::span<Complex> places);

}  // namespace crumple::sprites
