#include "crumple/methods/clusters/surface.h"

#include <algorithm>
#include <cstring>

#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

/// Hash of all memberships.
uint64_t fingerprint(const State& state) {
  uint64_t hash = state.positions.size();
  for (size_t i = 0; i < state.entry_begin.size(); ++i) {
    hash = mixed(hash, static_cast<uint64_t>(static_cast<uint32_t>(state.entry_begin[i])) << 32 | static_cast<uint32_t>(state.entry_count[i]));
  }
  for (const int32_t c : state.entry_cluster) hash = mixed(hash, static_cast<uint32_t>(c));
  return mixed(hash, state.planes.size());
}

bool is_whole(const Model& model, const State& state) {
  return state.positions.size() == model.rest.size() && state.slot_begin.size() + 1 == model.begin.size() && state.totals.culled_particles == 0;
}

bool same_plane(const CutPlane& a, const CutPlane& b) {
  return a.normal == b.normal && a.offset == b.offset && a.cluster == b.cluster && a.crack == b.crack;
}

/// Whether this state has all planes that divided the solid.
bool can_go_on(const State& state, const Surface& surface) {
  return !surface.solid.cells().empty() && surface.planes.size() <= state.planes.size() &&
         std::equal(surface.planes.begin(), surface.planes.end(), state.planes.begin(), same_plane);
}

}  // namespace

bool update_surface(const Model& model, const SurfaceModel& surface_model, const State& state, Surface& surface) {
  const uint64_t memberships = fingerprint(state);
  if (surface.memberships == memberships) return false;
  const bool was_torn = surface.torn, first = surface.memberships == 0;
  if (is_whole(model, state)) {
    if (was_torn || first) surface = start_surface(surface_model);
    surface.memberships = memberships;
    return was_torn;
  }
  if (!can_go_on(state, surface)) {
    surface.solid = *surface_model.whole, surface.around = surface_model.carriers;
    surface.planes.clear();
    surface.coarse_cracks = 0;
  }
  const std::vector<int32_t> hangs_on = pieces(state).of_particle;
  const Matter matter = find_matter(model, state, hangs_on);
  const std::vector<Crack> cracks = find_cracks(model, surface_model, state);
  grow_cracks(surface_model, state, cracks, surface);
  // Refinement is repeated each time, because it depends on this state alone.
  Solid solid = surface.solid;
  refine(surface_model, state, matter, cracks, hangs_on, solid);
  const Bonds bonds = find_bonds(surface_model, state, matter, solid, cracks, hangs_on);
  draw(surface_model, state, matter, bonds, hangs_on, solid, surface);
  surface.solid.learn_triangles(solid);
  surface.memberships = memberships;
  return true;
}

}  // namespace crumple::clusters
