#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "crumple/geometry/frame.h"
#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/clusters/surface_grid.h"
#include "crumple/methods/clusters/surface_solid.h"

/// What is seen of a body of clusters: the artist's mesh, carried by the particles near it. Where the body has torn, the mesh is parted exactly along
/// the planes that clusters were split by, and the parts are closed with crack faces (the open problem at the end of paper 2).
///
/// How: the inside of the mesh is divided into cells where there are cracks: by the recorded planes, and between particles where a crack ends and
/// around particles that do not go with those beside them. A cell belongs to the nearest particle on its own side of all cracks; cells that would
/// make a crack ragged, and slivers, go to a neighbour. Faces between cells whose owners no longer have a cluster in common are crack faces.
/// Corners where cells have come apart are doubled, one for each group of cells that still hold together; each group is carried by its own copies of
/// the particles around it, which a tear has left at the same place: cracks open from nothing.
namespace crumple::clusters {

/// So many particles carry a corner.
inline constexpr int kCarriers = 12;

/// Who carries a corner, and how much. Rest places, not copies: `particle` is an original in a SurfaceModel and a particle of a state in a Surface.
struct Carriers {
  std::array<int32_t, kCarriers> particle = {};  // unused ones have no weight
  std::array<float, kCarriers> weight = {};
};

/// Built once, in the frame of the artist's mesh.
struct SurfaceModel {
  std::shared_ptr<const TriMesh> mesh;
  Transform place;                                // of the mesh where the body begins
  Vec3 center = Vec3::Zero();                     // of the mesh's box: floats are fine near to it
  double spacing = 0;                             // m, between particles
  std::vector<Vec3> rest;                         // #originals
  NearestPoints nearest;                          // of rest
  std::vector<int> same;                          // #vertices: the first in its place
  std::vector<int32_t> clusters_begin, clusters;  // of each original, to begin with, ascending
  std::vector<std::array<int32_t, 2>> near;       // particles beside each other that begin with a cluster in common
  std::vector<Vec3f> points;                      // #places: rest, from the centre
  std::vector<Carriers> carriers;                 // #places
  std::vector<int32_t> point_of;                  // #vertices
  std::shared_ptr<const Solid> whole;             // one cell, to begin with
};

/// What is drawn of one state: topology, which changes when something tears. Depends on states seen before only in how flat faces are divided.
struct Surface {
  std::shared_ptr<const TriMesh> skin;   // the artist's own mesh while nothing is torn; positions are at rest
  std::shared_ptr<const TriMesh> inner;  // crack faces, seen from their own side; texture coordinates are metres in their plane
  bool torn = false;
  std::vector<int32_t> skin_point, inner_point;  // #vertices
  std::vector<int32_t> skin_piece, inner_piece;  // #triangles: which solid they enclose; empty while nothing is torn
  std::vector<int32_t> inner_crack;              // #inner triangles: the crack whose plane they lie in; -1: between particles
  int pieces = 1;                                // solids
  int coarse_cracks = 0;                         // drawn between particles, because there are too many to cut along their planes
  // corners
  std::vector<Vec3f> rest;         // #points, from the model's centre
  std::vector<Carriers> carriers;  // #points
  std::vector<int32_t> owner;      // #points: a particle nearby
  // from which it was made
  Solid solid;                   // divided by the planes alone; empty while nothing is torn
  std::vector<Carriers> around;  // #places of the solid: originals; without weight where nobody has looked yet
  std::vector<CutPlane> planes;  // that it was divided by
  uint64_t memberships = 0;      // fingerprint
};

/// The mesh must be closed (shells may be several, and doubled corners are fine); `place` puts it where the particles begin.
Result<SurfaceModel> build_surface(const Model& model, std::shared_ptr<const TriMesh> mesh, const Transform& place = {});
Surface start_surface(const SurfaceModel& model);
/// Brings topology up to date with a state. Cheap if nothing has torn since; true if something has.
bool update_surface(const Model& model, const SurfaceModel& surface_model, const State& state, Surface& surface);

struct PosedSurface {
  std::vector<Vec3f> skin, inner;  // #vertices of each, in the frame of the artist's mesh
};
/// Where an up-to-date surface is now. A body that has not moved gives the artist's coordinates exactly.
void pose_surface(const Model& model, const SurfaceModel& surface_model, const State& state, const Surface& surface, PosedSurface& posed);

enum class ParticleColor {
  Cluster,  ///< the one with most of it
  Piece,    ///< what still hangs together
  Strain,   ///< how much its clusters have flowed: blue none, red 1
};
/// Colours that can be told apart, for whatever is numbered. Linear RGB.
Vec3f number_color(int number);
Vec3f strain_color(float strain);
/// One colour for each particle; culled ones are black.
std::vector<Vec3f> particle_colors(const State& state, ParticleColor by);

struct ParticleView {
  std::vector<Vec3> positions;  // world, m
  std::vector<Vec3f> colors;
  std::vector<int32_t> particle;  // which
};
/// Particles as they are, without those that were culled.
ParticleView view_particles(const Model& model, const State& state, ParticleColor by);

/// Colours for each vertex of a surface, by the particle that it belongs to.
std::vector<Vec3f> surface_colors(const Surface& surface, const std::vector<int32_t>& vertex_point, const std::vector<Vec3f>& particle_colors);

/// The skin, and the crack faces if there are any, as things to draw.
std::vector<FrameItem> view_surface(const SurfaceModel& surface_model, const Surface& surface, PosedSurface posed, const Look& skin,
                                    const Look& inner);

}  // namespace crumple::clusters
