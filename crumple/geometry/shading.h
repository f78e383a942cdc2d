#pragma once

#include <span>
#include <utility>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// Pairs of vertices that are one point of a smooth surface, doubled for a texture seam: they share a normal.
using Seams = std::vector<std::pair<int, int>>;

/// Cosine of the angle between faces below which a surface without normals of its own is smooth, about 37 degrees.
inline constexpr float kSmoothSeam = 0.8f;

void smooth_over_seams(const Seams& seams, std::vector<Vec3f>& normals);

/// Vertex normals of a surface in any of its shapes. Built once, from the rest shape.
class Shading {
 public:
  explicit Shading(const TriMesh& rest);

  /// Unit normals of a shape, given its positions and those of the rest shape's triangles that can be drawn. A surface with normals of its own keeps
  /// them: each turns as the faces around its vertex do. On other surfaces they are the mean of the faces, across texture seams too.
  std::vector<Vec3f> normals(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles) const;

 private:
  Seams seams_;
  std::vector<Vec3f> own_;   // #vertices or empty: normals of the rest shape, in the frame of the faces and an edge at each vertex
  std::vector<int> beside_;  // with own_, #vertices: a neighbour, -1 if there is none
};

}  // namespace crumple
