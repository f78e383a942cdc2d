#include <fmt/format.h>

#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

template <class Scalar, class Rows>
StateArray unpadded(std::string_view name, Rows& values) {
  return state_rows<Scalar>(name, std::span(values).first(values.size() - kPadding));
}

bool cut_planes_finite(std::span<const std::byte> data) {
  for (size_t at = 0; at + sizeof(CutPlane) <= data.size(); at += sizeof(CutPlane)) {
    CutPlane plane;
    std::memcpy(static_cast<void*>(&plane), data.data() + at, sizeof plane);
    if (!plane.normal.allFinite() || !std::isfinite(plane.offset)) return false;
  }
  return true;
}

bool inside(int32_t value, size_t end) {
  return value >= 0 && static_cast<size_t>(value) < end;
}

/// Checks that every range of entries lies in its original's family, and that slots and entries refer to each other.
const char* fault_in_state(const Model& model, const State& state) {
  const size_t slots = state.entry_cluster.size(), particles = state.positions.size(), clusters = state.slot_begin.size();
  for (size_t i = 0; i < particles; ++i) {
    if (!inside(state.original[i], model.rest.size())) return "a particle of no original";
    const size_t original = static_cast<size_t>(state.original[i]);
    if (state.entry_count[i] < 0 || state.entry_begin[i] < model.family[original] ||
        state.entry_count[i] > model.family[original + 1] - state.entry_begin[i])
      return "a particle's memberships";
    if (state.held[i] < -1) return "a particle's clamp";
  }
  std::vector<uint8_t> used(slots, 0);
  for (size_t c = 0; c < clusters; ++c) {
    if (state.slot_count[c] < 0 || !inside(state.slot_begin[c], slots + 1) ||
        static_cast<size_t>(state.slot_count[c]) > slots - static_cast<size_t>(state.slot_begin[c]))
      return "a cluster's members";
    for (int32_t s = state.slot_begin[c]; s < state.slot_begin[c] + state.slot_count[c]; ++s) {
      const size_t slot = static_cast<size_t>(s);
      if (used[slot]++) return "a membership of two clusters";
      if (!inside(state.slot_particle[slot], particles) || !inside(state.slot_entry[slot], slots) || !(state.slot_mass[slot] > 0))
        return "a membership";
      const size_t entry = static_cast<size_t>(state.slot_entry[slot]), i = static_cast<size_t>(state.slot_particle[slot]);
      if (state.entry_slot[entry] != s || state.entry_cluster[entry] != static_cast<int32_t>(c)) return "a membership's ends";
      if (state.slot_entry[slot] < state.entry_begin[i] || state.slot_entry[slot] >= state.entry_begin[i] + state.entry_count[i])
        return "a membership's particle";
    }
  }
  for (size_t e = 0; e < slots; ++e) {
    if (state.entry_cluster[e] < -1 || (state.entry_cluster[e] >= 0 && !inside(state.entry_cluster[e], clusters))) return "an entry's cluster";
  }
  for (size_t i = 0; i < particles; ++i) {
    for (int32_t e = state.entry_begin[i]; e < state.entry_begin[i] + state.entry_count[i]; ++e) {
      const size_t entry = static_cast<size_t>(e);
      if (state.entry_cluster[entry] < 0 || !inside(state.entry_slot[entry], slots)) return "an entry's slot";
      if (state.slot_entry[static_cast<size_t>(state.entry_slot[entry])] != e ||
          state.slot_particle[static_cast<size_t>(state.entry_slot[entry])] != static_cast<int32_t>(i))
        return "an entry's ends";
    }
  }
  for (const CutPlane& plane : state.planes) {
    if (!inside(plane.cluster, clusters)) return "a plane of no cluster";
    if (plane.crack < -1 || (plane.crack >= 0 && !inside(plane.crack, state.planes.size()))) return "a plane's crack";
  }
  return nullptr;
}

}  // namespace

Sizes sizes(const State& state) {
  return {state.positions.size(), state.slot_begin.size(), state.planes.size()};
}

void resize(const Model& model, State& state, const Sizes& sizes) {
  const size_t slots = model.particle.size();
  state.positions.resize(sizes.particles, Vec4f::Zero()), state.velocities.resize(sizes.particles, Vec4f::Zero());
  state.original.resize(sizes.particles), state.entry_begin.resize(sizes.particles), state.entry_count.resize(sizes.particles),
      state.held.resize(sizes.particles);
  state.entry_cluster.resize(slots, -1), state.entry_slot.resize(slots);
  state.slot_particle.resize(slots + kPadding), state.slot_entry.resize(slots + kPadding), state.slot_mass.resize(slots + kPadding);
  resize_clusters(state, sizes.clusters);
  state.planes.resize(sizes.planes);
}

std::vector<StateArray> arrays(State& state) {
  Totals& totals = state.totals;
  return {
      state_array("time", std::span(&state.time, 1), 1),
      state_rows<float>("positions", std::span(state.positions)),
      state_rows<float>("velocities", std::span(state.velocities)),
      state_rows<int32_t>("original", std::span(state.original)),
      state_rows<int32_t>("entry_begin", std::span(state.entry_begin)),
      state_rows<int32_t>("entry_count", std::span(state.entry_count)),
      state_rows<int32_t>("held", std::span(state.held)),
      state_array("clamps", std::span(&state.clamps, 1), 1),
      state_rows<int32_t>("entry_cluster", std::span(state.entry_cluster)),
      state_rows<int32_t>("entry_slot", std::span(state.entry_slot)),
      unpadded<int32_t>("slot_particle", state.slot_particle),
      unpadded<int32_t>("slot_entry", state.slot_entry),
      unpadded<float>("slot_mass", state.slot_mass),
      state_rows<int32_t>("slot_begin", std::span(state.slot_begin)),
      state_rows<int32_t>("slot_count", std::span(state.slot_count)),
      state_rows<float>("plastic", std::span(state.plastic)),
      state_rows<float>("strain", std::span(state.strain)),
      state_rows<float>("rotation", std::span(state.rotation)),
      state_rows<float>("center", std::span(state.center)),
      state_rows<float>("since_tear", std::span(state.since_tear)),
      state_rows<int32_t>("waits", std::span(state.waits)),
      state_rows<int32_t>("tied", std::span(state.tied)),
      state_rows<float>("ball", std::span(state.ball)),
      {"planes", sizeof(CutPlane), std::as_writable_bytes(std::span(state.planes)), cut_planes_finite},
      state_array("counts", std::span(&totals.splits, 5), 5),
      state_array("culled", std::span(&totals.culled_mass, 2), 2),
  };
}

Result<void> rebuilt(const Model& model, State& state) {
  if (const char* fault = fault_in_state(model, state))
    return input_error(fmt::format("clusters: the saved state does not fit this body: {} is wrong", fault));
  derive(model, state);
  return {};
}

}  // namespace crumple::clusters
