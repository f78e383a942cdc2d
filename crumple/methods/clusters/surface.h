#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "crumple/geometry/frame.h"
#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/clusters/surface_grid.h"
#include "crumple/methods/clusters/surface_solid.h"

/// Drawn surface of a body of clusters: the artist's mesh, carried by the particles near it. Where the body has torn, the mesh is cut exactly along
/// the splitting planes of clusters. Crack faces close it (the open problem at the end of paper 2).
///
/// How: the inside of the mesh is divided into cells where there are cracks: by the recorded planes, and between particles where a crack ends and
/// around particles that are separated from their neighbours. A cell belongs to the nearest particle on its own side of all cracks; cells that would
/// make a crack ragged, and slivers, go to a neighbour. Faces between cells of owners without a common cluster are crack faces.
/// Corners between separated cells are duplicated, one for each group of connected cells; each group is carried by its own copies of
/// the particles around it, which a tear has left at the same place: cracks open from nothing.
namespace crumple::clusters {

/// Number of particles that carry a corner.
inline constexpr int kCarriers = 12;

/// Particles that carry a corner, with weights. `particle` is an original in a SurfaceModel, and a particle of a state in a Surface.
struct Carriers {
  std::array<int32_t, kCarriers> particle = {};  // unused ones have no weight
  std::array<float, kCarriers> weight = {};
};

/// Built once, in the frame of the artist's mesh.
struct SurfaceModel {
  std::shared_ptr<const TriMesh> mesh;
  Transform place;                                // of the mesh at the start
  Vec3 center = Vec3::Zero();                     // of the mesh's box: floats are accurate near it
  double spacing = 0;                             // m, between particles
  std::vector<Vec3> rest;                         // #originals
  NearestPoints nearest;                          // of rest
  std::vector<int> same;                          // #vertices: the first vertex at the same position
  std::vector<int32_t> clusters_begin, clusters;  // initial clusters of each original, ascending
  std::vector<std::array<int32_t, 2>> near;       // neighbouring particles that have a common cluster initially
  std::vector<int32_t> neighbors_begin, neighbors;  // of each original: the others of its pairs in `near`
  std::vector<Vec3f> points;                      // #places: rest, from the centre
  std::vector<Carriers> carriers;                 // #places
  std::vector<int32_t> point_of;                  // #vertices
  std::shared_ptr<const Solid> whole;             // one cell, initially
  // looks of crack faces
  double relief = 0;                       // spacings: height of their bumps
  double grain = 0;                        // share by which their colour varies
  Vec3f inner_color = Vec3f::Constant(1);  // linear RGB

  std::span<const int32_t> neighbors_of(int original) const {
    const auto begin = static_cast<size_t>(neighbors_begin[static_cast<size_t>(original)]),
               end = static_cast<size_t>(neighbors_begin[static_cast<size_t>(original) + 1]);
    return {neighbors.data() + begin, end - begin};
  }
};

/// Drawn topology of one state; changes only on a tear. Earlier states affect only the triangulation of flat faces.
struct Surface {
  std::shared_ptr<const TriMesh> skin;   // the artist's own mesh while nothing is torn; positions are at rest
  std::shared_ptr<const TriMesh> inner;  // crack faces, seen from their own side; texture coordinates are metres in their plane
  bool torn = false;
  std::vector<int32_t> skin_point, inner_point;  // #vertices
  std::vector<int32_t> skin_piece, inner_piece;  // #triangles: which solid they enclose; empty while nothing is torn
  std::vector<int32_t> inner_crack;              // #inner triangles: the crack of their plane; -1: between particles
  int pieces = 1;                                // solids
  int coarse_cracks = 0;                         // drawn between particles, because they are too many to cut along planes
  // corners
  std::vector<Vec3f> rest;         // #points, from the model's centre
  std::vector<Carriers> carriers;  // #points
  std::vector<int32_t> owner;      // #points: a particle nearby
  // matter; empty while nothing is torn
  std::vector<int32_t> home;      // #originals: particle that represents its matter; -1: culled
  std::vector<int32_t> solid_of;  // #originals: the solid it lies in at rest; -1: none
  // input of the last update
  Solid solid;                   // divided by the planes alone; empty while nothing is torn
  std::vector<Carriers> around;  // #places of the solid: originals; zero weight: not computed yet
  std::vector<CutPlane> planes;  // that divided the solid
  uint64_t memberships = 0;      // fingerprint
};

/// The mesh must be closed (shells may be several, and doubled corners are fine); `place` moves it to the start positions of the particles.
Result<SurfaceModel> build_surface(const Model& model, std::shared_ptr<const TriMesh> mesh, const Transform& place = {});
Surface start_surface(const SurfaceModel& model);
/// Updates the topology for a state. Cheap without a new tear; true after one.
bool update_surface(const Model& model, const SurfaceModel& surface_model, const State& state, Surface& surface);

struct PosedSurface {
  std::vector<Vec3f> skin, inner;  // #vertices of each, in the frame of the artist's mesh
};
/// Current positions of an up-to-date surface. A body that has not moved gives the artist's coordinates exactly.
void pose_surface(const Model& model, const SurfaceModel& surface_model, const State& state, const Surface& surface, PosedSurface& posed);

enum class ParticleColor {
  Cluster,  ///< the cluster with its largest share
  Piece,    ///< connected component
  Strain,   ///< plastic strain of its clusters: blue none, red 1
};
/// Distinct colours by number. Linear RGB.
Vec3f number_color(int number);
Vec3f strain_color(float strain);
/// One colour for each particle; culled ones are black.
std::vector<Vec3f> particle_colors(const State& state, ParticleColor by);

struct ParticleView {
  std::vector<Vec3> positions;  // world, m
  std::vector<Vec3f> colors;
  std::vector<int32_t> particle;  // index of each
};
/// Current particles, without culled ones.
ParticleView view_particles(const Model& model, const State& state, ParticleColor by);

/// Colours for each vertex of a surface, by its particle.
std::vector<Vec3f> surface_colors(const Surface& surface, const std::vector<int32_t>& vertex_point, const std::vector<Vec3f>& particle_colors);

/// The skin, and the crack faces if there are any, as drawn items.
std::vector<FrameItem> view_surface(const SurfaceModel& surface_model, const Surface& surface, PosedSurface posed, const Appearance& skin,
                                    const Appearance& inner);

}  // namespace crumple::clusters
