#pragma once

#include <span>

#include "crumple/methods/clusters/surface.h"

/// The stages of update_surface().
namespace crumple::clusters {

// surface_build.cpp
/// Whether two originals had a cluster in common before anything tore.
bool began_together(const SurfaceModel& model, int a, int b);
/// The originals around a place, the nearest first.
Carriers find_carriers(const SurfaceModel& model, const Vec3& place, std::vector<NearestPoints::Found>& scratch);

/// Particles as matter. When a tear duplicates a particle, one copy, its home, stays on the side of the particle's matter and represents it. The
/// others belong to clusters beyond the crack, like the virtual nodes of [Molino et al. 2004].
struct Matter {
  std::vector<int32_t> home;                  // #originals: a particle; -1: all were culled
  std::vector<int32_t> copies_begin, copies;  // of each original: particles that are not culled, ascending
  std::vector<int32_t> sides_begin;           // of each original
  std::vector<CrackSide> sides;               // sides of its home, by crack, known from its clusters

  std::span<const int32_t> copies_of(int original) const {
    const auto begin = static_cast<size_t>(copies_begin[static_cast<size_t>(original)]),
               end = static_cast<size_t>(copies_begin[static_cast<size_t>(original) + 1]);
    return {copies.data() + begin, end - begin};
  }
  /// Whether no crack has split the particle or one of its clusters.
  bool is_untouched(int original) const;
  /// 0: its clusters do not know that crack.
  int side_of(int original, int crack) const;
  std::span<const CrackSide> sides_of(int original) const {
    const auto begin = static_cast<size_t>(sides_begin[static_cast<size_t>(original)]),
               end = static_cast<size_t>(sides_begin[static_cast<size_t>(original) + 1]);
    return {sides.data() + begin, end - begin};
  }
};

// surface_matter.cpp
/// `hangs_on`: pieces of particles.
Matter find_matter(const Model& model, const State& state, std::span<const int32_t> hangs_on);
std::span<const int32_t> clusters_of(const State& state, int particle);
/// Whether two particles have a cluster in common.
bool together(const State& state, int a, int b);

/// Splitting plane of a cluster, with its extent: a ball, cut by the planes of earlier splits.
struct Crack {
  Divider plane;  // in the frame of the mesh; its crack is -1 if it is unknown
  Vec3 center = Vec3::Zero();
  double radius = 0;
  std::vector<Divider> ends;
};

// Of the spacing: corners nearer to a plane count as on it. Finer cuts would only make invisible splinters.
inline constexpr double kSlack = 0.01;

/// A cell without a particle is not cut further: it goes to a neighbour as a whole.
inline bool is_splinter(const Solid::Cell& cell, double spacing) {
  return cell.particles.empty() && cell.volume < 0.1 * spacing * spacing * spacing;
}

// surface_cracks.cpp
/// The cracks of a state, by number, each with its first recorded plane.
std::vector<Crack> find_cracks(const Model& model, const SurfaceModel& surface_model, const State& state);
/// Divides the solid by the new cracks of the state.
void grow_cracks(const SurfaceModel& surface_model, const State& state, std::span<const Crack> cracks, Surface& surface);

// surface_refine.cpp
/// Cuts finer where cracks are not enough: around particles that are separated from their surroundings. `hangs_on`: pieces of particles.
void refine(const SurfaceModel& surface_model, const State& state, const Matter& matter, std::span<const Crack> cracks,
            std::span<const int32_t> hangs_on, Solid& solid);

/// Connections between cells.
struct Bonds {
  std::vector<int32_t> owner;   // #cells: an original; -1: a uniform cell with many particles; -2: its matter was culled
  std::vector<uint8_t> parted;  // #faces: a crack face
  std::vector<int32_t> piece;   // #cells
  int pieces = 0;
};
inline constexpr int32_t kWhole = -1, kCulled = -2;

// surface_owners.cpp
/// Owner of each cell: an original, or kWhole.
std::vector<int32_t> find_owners(const SurfaceModel& surface_model, const Matter& matter, const Solid& solid, std::span<const Crack> cracks);

// surface_bonds.cpp
Bonds find_bonds(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Solid& solid, std::span<const Crack> cracks,
                 std::span<const int32_t> hangs_on);

// surface_relief.cpp
/// Divides the crack faces finely, and gives them bumps and a grain. `fixed`: #points, those on the skin; `rim`: places where cracks meet the
/// skin, from the model's centre.
void roughen(const SurfaceModel& surface_model, std::vector<uint8_t> fixed, const std::vector<Vec3>& rim, Surface& surface, TriMesh& inner);

// surface_draw.cpp
/// Drawn surface of the cells with these connections.
void draw(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Bonds& bonds,
          std::span<const int32_t> hangs_on, Solid& solid, Surface& surface);

}  // namespace crumple::clusters
