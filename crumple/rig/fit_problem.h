#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/geometry/tet_mesh.h"
#include "crumple/math/types.h"

namespace crumple {

/// What bones and weights have to match, in a frame where the body is one across and stands around the origin. Points of the surface
/// move with the four corners of their tetrahedra; what is wanted is that they land where the examples have them. The corners' own goals
/// (see carry_to_tets) only guide what the surface leaves open.
struct FitProblem {
  int examples = 0;                           // without the rest pose
  std::vector<Vec3> rest;                     // #vertices of the tetrahedra
  std::vector<Vec3> goals;                    // #vertices x #examples
  std::vector<double> pull;                   // #vertices: how much a vertex's own goal counts
  std::vector<Tetrahedron> corners;           // #points of the surface
  std::vector<std::array<double, 4>> shares;  // #points
  std::vector<Vec3> shapes;                   // #points x #examples
  std::vector<double> importance;             // #points, of sum 1

  // made by link_problem
  std::vector<int> neighbor_first, neighbor;  // #vertices + 1; along edges
  std::vector<int> point_first;               // #vertices + 1, into the next two
  std::vector<int> point;                     // the points that a vertex carries
  std::vector<double> share;
  std::vector<std::vector<int>> groups;  // vertices no two of which share a tetrahedron: they may be changed at once

  size_t vertices() const { return rest.size(); }
  size_t points() const { return corners.size(); }
  size_t at(size_t row, int example) const { return row * static_cast<size_t>(examples) + static_cast<size_t>(example); }
};

/// Fills in the adjacency.
void link_problem(FitProblem& problem, const std::vector<Tetrahedron>& tets);

/// Bones and weights as they stand, and where they put everything.
struct Decomposition {
  int bones = 0;
  std::vector<Transform> motions;  // #bones x #examples
  std::vector<double> weights;     // #vertices x #bones: not negative, rows sum to 1
  std::vector<Vec3> moved;         // #vertices x #examples
  std::vector<Vec3> surface;       // #points x #examples

  Transform& motion(int bone, int example, int examples) {
    return motions[static_cast<size_t>(bone) * static_cast<size_t>(examples) + static_cast<size_t>(example)];
  }
  const Transform& motion(int bone, int example, int examples) const {
    return motions[static_cast<size_t>(bone) * static_cast<size_t>(examples) + static_cast<size_t>(example)];
  }
  std::span<double> row(size_t vertex) { return std::span(weights).subspan(vertex * static_cast<size_t>(bones), static_cast<size_t>(bones)); }
  std::span<const double> row(size_t vertex) const {
    return std::span(weights).subspan(vertex * static_cast<size_t>(bones), static_cast<size_t>(bones));
  }
};

/// What else is wanted beside small errors.
struct FitTerms {
  double smooth = 1e-5;  // squared differences of weights along edges, against squared errors
  double rigid = 1e-4;   // squared errors of each bone on its own where it has weight: bones stay with the matter they hold
  int influences = 8;    // bones that may hold one vertex
};

/// Brings `moved` and `surface` up to date.
void move_all(const FitProblem& problem, Decomposition& state);

/// Root mean square error over the surface, by importance, of one example or (-1) of the worst.
double surface_rms(const FitProblem& problem, const Decomposition& state, int example = -1);

/// The turn and shift that bring `from` to `to` with least squares. [Kabsch 1976]
Transform nearest_rigid(std::span<const Vec3> from, std::span<const Vec3> to, std::span<const double> weights);

}  // namespace crumple
