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
  std::span<const CrackSide> sides_of(int original) const {
    const auto begin = static_cast<size_t>(sides_begin[static_cast<size_t>(original)]),
               end = static_cast<size_t>(sides_begin[static_cast<size_t>(original) + 1]);
    return {sides.data() + begin, end - begin};
  }
};

// surface_cracks.cpp
Matter find_matter(const Model& model, const State& state);
std::span<const int32_t> clusters_of(const State& state, int particle);
/// Whether two particles have a cluster in common.
bool together(const State& state, int a, int b);
/// The crack planes of a state in the frame of the mesh, by crack; what was recorded first counts.
std::vector<Divider> crack_planes(const Model& model, const SurfaceModel& surface_model, std::span<const CutPlane> planes);
/// Divides the solid where the state has cracks that it was not yet divided by.
void grow_cracks(const Model& model, const SurfaceModel& surface_model, const State& state, const Matter& matter, Surface& surface);

// surface_bonds.cpp
/// Which cells hold together.
struct Bonds {
  std::vector<int32_t> owner;   // #cells: an original; -1: a cell with many particles, all whole; -2: its matter was culled
  std::vector<uint8_t> parted;  // #faces: a crack face
  std::vector<int32_t> piece;   // #cells
  int pieces = 0;
};
inline constexpr int32_t kWhole = -1, kCulled = -2;
Bonds find_bonds(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Surface& surface,
                 std::span<const Divider> cracks);

// surface_draw.cpp
/// What is drawn of cells that hold together in this way.
void draw(const SurfaceModel& surface_model, const State& state, const Matter& matter, const Bonds& bonds, Surface& surface);

}  // namespace crumple::clusters
