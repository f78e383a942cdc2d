#pragma once

#include <array>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// A patch of cut between two pieces that holds them together.
struct PieceLink {
  int a = 0, b = 0;              // pieces, a < b
  double area = 0;               // m^2
  Vec3 center = Vec3::Zero();    // of the patch, at rest
  Vec3 normal = Vec3::UnitX();   // mean, from a to b
  Mat3 spread = Mat3::Zero();    // mean of d d^T over the patch, d from its centre, m^2
};

/// What is drawn of a piece once the body has broken: the two together are closed.
struct PieceSurface {
  TriMesh skin;  // outside
  TriMesh cut;   // broken faces
};

/// Plain material of broken faces.
inline SurfaceMaterial cut_material(const Vec3f& color) {
  SurfaceMaterial material;
  material.name = "cut", material.color = color, material.metal = 0, material.roughness = 0.9;
  return material;
}

/// A body scored into pieces. Every piece has its own copy of each tetrahedron that it fills, wholly or in part, so that pieces can part without remeshing
/// (thesis 5.2.4: cut tetrahedra are duplicated). Copies of one vertex stay together as long as links between their pieces hold.
struct Pieces {
  std::vector<PieceSurface> surfaces;              // #pieces
  std::vector<int> of_tet;                         // #tets: the piece it belongs to
  std::vector<int> origin;                         // #vertices: copies of one vertex have equal numbers
  std::vector<double> volumes;                     // #vertices, m^3: lumped, of the filled parts only; all copies together carry what the one vertex did
  // Tetrahedra that touch a cut, ascending, with the corners of the part that is filled.
  std::vector<int> cut_tets;
  std::vector<int> first_corner;                   // #cut_tets + 1
  std::vector<std::array<float, 4>> corners;       // barycentric
  std::vector<Vec3f> inward;                       // #corners: a step of length d along it moves the corner inwards by d from every cut it lies on
  std::vector<PieceLink> links;
  SurfaceMaterial cut = cut_material(Vec3f(0.33f, 0.32f, 0.30f));  // of the broken faces

  int count() const { return static_cast<int>(surfaces.size()); }
  /// Gives broken faces the material, if it is more than a colour.
  void dress_cuts() {
    if (!cut.color_texture && !cut.normal_texture) return;
    const auto materials = std::make_shared<const Materials>(1, cut);
    for (PieceSurface& surface : surfaces) surface.cut.materials = materials;
  }
};

}  // namespace crumple
