#pragma once

#include <string>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// One thing that is wrong (or odd) with a mesh.
struct MeshFinding {
  enum class Kind {
    Empty,             ///< no triangle
    NotFinite,         ///< vertices that are no numbers, or absurdly far away
    BadIndex,          ///< triangles that name vertices there are not
    DoubledVertices,   ///< vertices in one place
    Degenerate,        ///< triangles without area
    DoubledFaces,      ///< triangles with the same corners
    UnusedVertices,    ///< vertices of no triangle
    FlippedFaces,      ///< triangles that face against their neighbours
    OneSided,          ///< shells that cannot be oriented (a Moebius strip)
    InsideOut,         ///< closed shells that face inward and are no cavity
    NonManifoldEdges,  ///< edges of more than two triangles
    Hole,              ///< a loop of open edges; one finding each for the largest, the rest together
    TinyShells,        ///< loose specks
    Flat,              ///< no volume
    Units,             ///< a size that suggests other units than metres
  };
  Kind kind;
  size_t count = 0;
  Vec3 place = Vec3::Zero();  // of one example
  std::vector<Vec3> places;   // of the first two dozen; around a hole, of its rim
  bool repaired = false;
  std::string text;  // one sentence for a person
};

struct MeshReport {
  std::vector<MeshFinding> findings;
  size_t shells = 0;      // connected by shared edges
  size_t open_edges = 0;  // left after repair
  double volume = 0;      // signed, as the mesh is left
  double diagonal = 0;    // of the box around it
  std::vector<int> kept;  // #vertices left: the number each had before
  bool closed() const { return open_edges == 0; }
  const MeshFinding* find(MeshFinding::Kind kind) const;
  /// What no repair can help against: no triangle, or no volume.
  const MeshFinding* hopeless() const;
};

struct RepairSettings {
  double weld_tolerance = 1e-6;  // of the diagonal: vertices nearer than this are one
  /// Merge doubled vertices. Turn off for a surface to be drawn whose creases are made by doubling vertices; everything else then
  /// still sees them as one. Vertices with different texture coordinates or colours are never merged.
  bool weld = true;
  /// Welding leaves vertices with different normals apart; otherwise normals are dropped.
  bool keep_creases = false;
  double largest_hole = 0.25;  // of the diagonal: wider holes are left open
  int most_hole_edges = 400;
  double tiny_shell = 0.01;  // of the diagonal: smaller loose shells are reported
  /// Remove those shells if all of them together have no more than a hundredth of the area.
  bool drop_tiny = false;
};

/// What is wrong with a mesh; nothing is changed, no finding is repaired.
MeshReport examine(const TriMesh& mesh, const RepairSettings& settings = {});

/// Repairs what is safe to repair and reports everything.
MeshReport repair(TriMesh& mesh, const RepairSettings& settings = {});

}  // namespace crumple
