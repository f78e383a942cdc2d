#pragma once

#include "crumple/rig/asset.h"
#include "crumple/rig/skin.h"

#include <vector>

namespace crumple::generator {

/// Positions with all vertices alike: `part` of one example, the rest of another (0: rest).
std::vector<Vec3> blended(const Skin& skin, int example, double part, int other = 0);

/// One example around a place of the solid, at rest beyond `radius`, as a hit there would leave it. paper 1, eq. 12
std::vector<Vec3> blended_around(const Skin& skin, const TetMesh& mesh, int example, const Vec3& place, double radius);

/// How many tetrahedra are turned inside out.
int inverted_count(const TetMesh& mesh, const std::vector<Vec3>& positions);

/// How well the examples can follow a hit from outside, per boundary vertex: the best any example does.
struct Coverage {
  std::vector<int> vertices;    // on the boundary
  std::vector<double> cosines;  // largest cosine between the inward normal and an example's displacement
  std::vector<double> depths;   // farthest inward displacement, metres
};
Coverage coverage_of(const Skin& skin, const TetMesh& mesh);

/// Per handle the turn of its rotation in one example, degrees.
std::vector<double> turns_of(const Example& example);

/// 1 for an equilateral tetrahedron, 0 for a flat one (mean ratio).
double tet_quality(const std::vector<Vec3>& positions, const Tetrahedron& tet);

}  // namespace crumple::generator
