#pragma once

#include <span>

#include "crumple/methods/clusters/surface.h"

/// The stages that update_surface() is a list of.
namespace crumple::clusters {

// surface_build.cpp
/// Whether two originals had a cluster in common before anything tore.
bool began_together(const SurfaceModel& model, int a, int b);
/// The originals around a place, the nearest first.
Carriers find_carriers(const SurfaceModel& model, const Vec3& place, std::vector<NearestPoints::Found>& scratch);

/// Particles as matter. When a tear parts a particle, one of the copies stays where its clusters' matter is: the one on its own side. It stands for
/// the matter there (its home); the others are what clusters beyond the crack remember of it, like the virtual nodes of [Molino et al. 2004].
struct Matter {
  std::vector<int32_t> home;                  // #originals: a particle; -1: all were culled
  std::vector<int32_t> copies_begin, copies;  // of each original: particles that are not culled, ascending
  std::vector<int32_t> sides_begin;           // of each original
  std::vector<CrackSide> sides;               // where its home's clusters say that it is, by crack

  std::span<const int32_t> copies_of(int original) const {
    const auto begin = static_cast<size_t>(copies_begin[static_cast<size_t>(original)]),
               end = static_cast<size_t>(copies_begin[static_cast<size_t>(original) + 1]);
    return {copies.data() + begin, end - begin};
  }
  /// No crack has come near enough to have parted a particle or one of its clusters.
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
Matter find_matter(const Model& model, const State& state);
std::span<const int32_t> clusters_of(const State& state, int particle);
/// Whether two particles have a cluster in common.
bool together(const State& state, int a, int b);

/// A plane that a cluster was split by, and where that was: in a ball, and within what splits before had left of it.
struct Crack {
  Divider plane;  // in the frame of the mesh; its crack is -1 if nothing is known of it
  Vec3 center = Vec3::Zero();
  double radius = 0;
  std::vector<Divider> ends;
};

// Of the spacing: corners nearer to a plane count as on it. Finer cuts would only make splinters that nobody sees.
inline constexpr double kSlack = 0.01;

/// What cracks have left of a cell without a particle is not cut further: it goes to a neighbour as it is.
inline bool is_splinter(const Solid::Cell& cell, double spacing) {
  return cell.particles.empty() && cell.volume < 0.1 * spacing * spacing * spacing;
}

// surface_cracks.cpp
/// The cracks of a state, by number; the plane that was recorded first counts.
std::vector<Crack> find_cracks(const Model& model, const SurfaceModel& surface_model, const State& state);
/// Divides the solid where the state has cracks that it was not yet divided by.
void grow_cracks(const SurfaceModel& surface_model, const State& state, std::span<const Crack> cracks, Surface& surface);

// surface_refine.cpp
/// Cuts finer where cracks are not the whole truth: around particles that do not go with what is around them. `hangs_on`: pieces of particles.
void refine(const SurfaceModel& surface_model, const State& state, const Matter& matter, std::span<const Crack> cracks,
            std::span<const int32_t> hangs_on, Solid& solid);

/// Which cells hold together.
struct Bonds {
  std::vector<int32_t> owner;   // #cells: an original; -1: a cell with many particles, all alike; -2: its matter was culled
  std::vector<uint8_t> parted;  // #faces: a crack face
  std::vector<int32_t> piece;   // #cells
  int pieces = 0;
};
inline constexpr int32_t kWhole = -1, kCulled = -2;

// surface_owners.cpp
/// Whose each cell is: an original, or kWhole.
std::vector<int32_t> find_owners(const SurfaceModel& surface_model, const Matter& matter, const Solid& solid, std::span<const Crack> cracks);

// surface_bonds.cpp
Bonds find_bonds(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Solid& solid, std::span<const Crack> cracks,
                 std::span<const int32_t> hangs_on);

// surface_draw.cpp
/// What is drawn of cells that hold together in this way.
void draw(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Bonds& bonds, Solid& solid, Surface& surface);

}  // namespace crumple::clusters
