#include <fmt/format.h>

#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

template <class Rows, class Scalar>
StateArray rows(std::string_view name, Rows& values, size_t count, Scalar*) {
  const size_t columns = sizeof(values[0]) / sizeof(Scalar);
  return state_array(name, std::span(reinterpret_cast<Scalar*>(values.data()), count * columns), columns);
}
template <class Scalar, class Rows>
StateArray rows(std::string_view name, Rows& values) {
  return rows(name, values, values.size(), static_cast<Scalar*>(nullptr));
}
template <class Scalar, class Rows>
StateArray unpadded(std::string_view name, Rows& values) {
  return rows(name, values, values.size() - kPadding, static_cast<Scalar*>(nullptr));
}

bool planes_finite(std::span<const std::byte> data) {
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
const char* fault_in(const Model& model, const State& state) {
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
      rows<float>("positions", state.positions),
      rows<float>("velocities", state.velocities),
      rows<int32_t>("original", state.original),
      rows<int32_t>("entry_begin", state.entry_begin),
      rows<int32_t>("entry_count", state.entry_count),
      rows<int32_t>("held", state.held),
      state_array("clamps", std::span(&state.clamps, 1), 1),
      rows<int32_t>("entry_cluster", state.entry_cluster),
      rows<int32_t>("entry_slot", state.entry_slot),
      unpadded<int32_t>("slot_particle", state.slot_particle),
      unpadded<int32_t>("slot_entry", state.slot_entry),
      unpadded<float>("slot_mass", state.slot_mass),
      rows<int32_t>("slot_begin", state.slot_begin),
      rows<int32_t>("slot_count", state.slot_count),
      rows<float>("plastic", state.plastic),
      rows<float>("strain", state.strain),
      rows<float>("rotation", state.rotation),
      rows<float>("center", state.center),
      rows<float>("since_tear", state.since_tear),
      rows<int32_t>("waits", state.waits),
      rows<int32_t>("tied", state.tied),
      rows<float>("ball", state.ball),
      {"planes", sizeof(CutPlane), std::as_writable_bytes(std::span(state.planes)), planes_finite},
      state_array("counts", std::span(&totals.splits, 4), 4),
      state_array("culled", std::span(&totals.culled_mass, 2), 2),
  };
}

Result<void> rebuilt(const Model& model, State& state) {
  if (const char* fault = fault_in(model, state))
    return input_error(fmt::format("clusters: the saved state does not fit this body: {} is wrong", fault));
  derive(model, state);
  return {};
}

}  // namespace crumple::clusters
