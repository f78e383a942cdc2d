#include "crumple/methods/clusters/recorded.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "crumple/core/index.h"

namespace crumple::clusters {
namespace {

constexpr double kQuantaPerSpacing = 4096;
constexpr float kPlasticSteps = 8192;  // F^p - I within +- 4, as far as shapes are drawn at all
constexpr float kRotationSteps = 32767;

template <class Row>
std::span<const std::byte> bytes_of(const std::vector<Row>& rows) {
  return std::as_bytes(std::span(rows));
}
template <class Row>
bool same_bytes(const std::vector<Row>& a, const std::vector<Row>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), bytes_of(a).size()) == 0);
}
bool is_same(const Recorded::Topology& a, const Recorded::Topology& b) {
  return same_bytes(a.particles, b.particles) && same_bytes(a.cluster, b.cluster) && same_bytes(a.mass, b.mass) && same_bytes(a.ball, b.ball) &&
         same_bytes(a.planes, b.planes);
}

int16_t in_steps(float value, float steps) {
  const float scaled = value * steps;
  return std::isfinite(scaled) ? static_cast<int16_t>(std::clamp(std::round(scaled), -32767.0f, 32767.0f)) : int16_t{0};
}

/// Initial entries of the body: cluster by cluster, each takes the next entry of its particles' ranges (as in start()).
struct Beginning {
  std::vector<int32_t> cluster, mass;  // #slots, by entry
};
Beginning beginning_of(const Model& model) {
  Beginning beginning{std::vector<int32_t>(model.particle.size()), std::vector<int32_t>(model.particle.size())};
  std::vector<int32_t> next(model.family.begin(), model.family.end() - 1);
  for (size_t c = 0; c + 1 < model.begin.size(); ++c) {
    for (int32_t s = model.begin[c]; s < model.begin[c + 1]; ++s) {
      const size_t entry = at(next[at(model.particle[at(s)])]++);
      beginning.cluster[entry] = static_cast<int32_t>(c), beginning.mass[entry] = static_cast<int32_t>(model.mass[at(s)]);
    }
  }
  return beginning;
}

Recorded::Particle first_of(const Model& model, size_t original) {
  return {static_cast<int32_t>(original), model.family[original], model.family[original + 1] - model.family[original]};
}
/// Differences may have any value in a damaged recording: sums wrap around, and the checks reject them.
int32_t sum(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
int32_t difference(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

void show_topology(const Model& model, const State& state, Recorded::Topology& recorded) {
  const Beginning beginning = beginning_of(model);
  std::fill(recorded.cluster.begin(), recorded.cluster.end(), 0), std::fill(recorded.mass.begin(), recorded.mass.end(), 0);
  for (size_t i = 0; i < state.positions.size(); ++i) {
    const Recorded::Particle first = i < model.rest.size() ? first_of(model, i) : Recorded::Particle();
    recorded.particles[i] = {state.original[i] - first.original, state.entry_begin[i] - first.entry_begin, state.entry_count[i] - first.entry_count};
    for (int32_t e = state.entry_begin[i]; e < state.entry_begin[i] + state.entry_count[i]; ++e) {
      recorded.cluster[at(e)] = difference(state.entry_cluster[at(e)], beginning.cluster[at(e)]);
      recorded.mass[at(e)] = difference(static_cast<int32_t>(state.slot_mass[at(state.entry_slot[at(e)])]), beginning.mass[at(e)]);
    }
  }
  for (size_t c = 0; c < recorded.ball.size(); ++c) std::copy_n(state.ball[c].data(), 4, recorded.ball[c].begin());
  for (size_t p = 0; p < recorded.planes.size(); ++p) {
    const CutPlane& plane = state.planes[p];
    recorded.planes[p] = {{plane.normal[0], plane.normal[1], plane.normal[2]}, plane.offset, plane.cluster, plane.crack};
  }
}

void show_place(const Vec3f& moved, double step, std::array<uint16_t, 3>& fine, std::array<int16_t, 3>& coarse) {
  for (int k = 0; k < 3; ++k) {
    const double quanta = double{moved[k]} / step;
    const auto whole = std::isfinite(quanta) ? static_cast<int64_t>(std::clamp(std::round(quanta), -2147483648.0, 2147483647.0)) : int64_t{0};
    fine[at(k)] = static_cast<uint16_t>(whole & 0xffff), coarse[at(k)] = static_cast<int16_t>(whole >> 16);
  }
}

Vec3f place_of(const std::array<uint16_t, 3>& fine, const std::array<int16_t, 3>& coarse, double step) {
  Vec3f moved;
  for (int k = 0; k < 3; ++k) moved[k] = static_cast<float>(step * (65536.0 * coarse[at(k)] + fine[at(k)]));
  return moved;
}

/// Restores particles and their ranges of entries; returns null, or an error message.
const char* read_particles(const Model& model, const Recorded::Topology& recorded, State& state, std::vector<int32_t>& owner) {
  for (size_t i = 0; i < recorded.particles.size(); ++i) {
    const Recorded::Particle first = i < model.rest.size() ? first_of(model, i) : Recorded::Particle();
    const Recorded::Particle now = {sum(first.original, recorded.particles[i].original), sum(first.entry_begin, recorded.particles[i].entry_begin),
                                 sum(first.entry_count, recorded.particles[i].entry_count)};
    if (now.original < 0 || at(now.original) >= model.rest.size()) return "a particle of no original";
    const int32_t low = model.family[at(now.original)], high = model.family[at(now.original) + 1];
    if (now.entry_begin < low || now.entry_begin > high || now.entry_count < 0 || now.entry_count > high - now.entry_begin)
      return "a particle's memberships";
    state.original[i] = now.original, state.entry_begin[i] = now.entry_begin, state.entry_count[i] = now.entry_count, state.held[i] = -1;
    for (int32_t e = now.entry_begin; e < now.entry_begin + now.entry_count; ++e) {
      if (owner[at(e)] >= 0) return "a membership of two particles";
      owner[at(e)] = static_cast<int32_t>(i);
    }
  }
  return nullptr;
}

/// Reassigns slots in the order of entries: their order matters to a step only.
const char* read_memberships(const Model& model, const Recorded::Topology& recorded, const std::vector<int32_t>& owner, State& state) {
  const Beginning beginning = beginning_of(model);
  std::fill(state.slot_count.begin(), state.slot_count.end(), 0);
  for (size_t e = 0; e < owner.size(); ++e) {
    state.entry_cluster[e] = owner[e] < 0 ? -1 : sum(beginning.cluster[e], recorded.cluster[e]);
    state.entry_slot[e] = 0;
    if (owner[e] < 0) continue;
    if (state.entry_cluster[e] < 0 || at(state.entry_cluster[e]) >= recorded.ball.size()) return "an entry's cluster";
    ++state.slot_count[at(state.entry_cluster[e])];
  }
  int32_t begin = 0;
  for (size_t c = 0; c < state.slot_begin.size(); ++c) state.slot_begin[c] = begin, begin += state.slot_count[c];
  std::vector<int32_t> next = state.slot_begin;
  for (size_t e = 0; e < owner.size(); ++e) {
    if (owner[e] < 0) continue;
    const int32_t slot = next[at(state.entry_cluster[e])]++;
    state.entry_slot[e] = slot;
    state.slot_entry[at(slot)] = static_cast<int32_t>(e), state.slot_particle[at(slot)] = owner[e];
    state.slot_mass[at(slot)] = static_cast<float>(sum(beginning.mass[e], recorded.mass[e]));
  }
  return nullptr;
}

Result<void> read_topology(const Model& model, const Recorded::Topology& recorded, State& state) {
  resize(model, state, {recorded.particles.size(), recorded.ball.size(), recorded.planes.size()});
  std::vector<int32_t> owner(model.particle.size(), -1);
  const char* fault = read_particles(model, recorded, state, owner);
  if (!fault) fault = read_memberships(model, recorded, owner, state);
  if (fault) return input_error(fmt::format("clusters: the recorded frame does not fit this body: {} is wrong", fault));
  for (size_t c = 0; c < recorded.ball.size(); ++c) state.ball[c] = Vec4f(recorded.ball[c].data());
  for (size_t p = 0; p < recorded.planes.size(); ++p) {
    const Recorded::Plane& plane = recorded.planes[p];
    state.planes[p] = {Vec3f(plane.normal.data()), plane.offset, plane.cluster, plane.crack};
  }
  return rebuilt(model, state);
}

bool planes_finite(std::span<const std::byte> data) {
  for (size_t at = 0; at + sizeof(Recorded::Plane) <= data.size(); at += sizeof(Recorded::Plane)) {
    if (!all_finite_as<float>(data.subspan(at, 4 * sizeof(float)))) return false;
  }
  return true;
}

}  // namespace

double quantum(const Model& model) {
  return model.spacing / kQuantaPerSpacing;
}

void resize(const Model& model, Recorded& recorded, const Sizes& sizes) {
  recorded.fine.resize(sizes.particles), recorded.coarse.resize(sizes.particles), recorded.shapes.resize(sizes.clusters);
  Recorded::Topology& topology = recorded.topology;
  topology.particles.resize(sizes.particles);
  topology.cluster.resize(model.particle.size()), topology.mass.resize(model.particle.size());
  topology.ball.resize(sizes.clusters), topology.planes.resize(sizes.planes);
}

void record(const Model& model, const State& state, Recorded& recorded) {
  resize(model, recorded, sizes(state));
  const double step = quantum(model);
  for (size_t i = 0; i < state.positions.size(); ++i) {
    const bool is_there = state.entry_count[i] > 0;
    const Vec3f moved = is_there ? Vec3f((state.positions[i] - model.rest[at(state.original[i])]).head<3>()) : Vec3f(Vec3f::Zero());
    show_place(moved, step, recorded.fine[i], recorded.coarse[i]);
  }
  for (size_t c = 0; c < recorded.shapes.size(); ++c) {
    const Mat3f flowed = state.plastic[c] - Mat3f::Identity();
    for (int k = 0; k < 9; ++k) recorded.shapes[c].plastic[at(k)] = in_steps(flowed(k), kPlasticSteps);
    for (int k = 0; k < 4; ++k) recorded.shapes[c].rotation[at(k)] = in_steps(state.rotation[c].coeffs()[k], kRotationSteps);
  }
  show_topology(model, state, recorded.topology);
  recorded.totals = state.totals;
}

std::vector<StateArray> arrays(Recorded& recorded) {
  return {
      state_rows<uint16_t>("fine", std::span(recorded.fine)),
      state_rows<int16_t>("coarse", std::span(recorded.coarse)),
      state_rows<int16_t>("shapes", std::span(recorded.shapes)),
      state_rows<int32_t>("particles", std::span(recorded.topology.particles)),
      state_rows<int32_t>("cluster", std::span(recorded.topology.cluster)),
      state_rows<int32_t>("mass", std::span(recorded.topology.mass)),
      state_rows<float>("ball", std::span(recorded.topology.ball)),
      {"planes", sizeof(Recorded::Plane), std::as_writable_bytes(std::span(recorded.topology.planes)), planes_finite},
      state_array("counts", std::span(&recorded.totals.splits, 5), 5),
      state_array("culled", std::span(&recorded.totals.culled_mass, 2), 2),
  };
}

Result<void> replayed(const Model& model, Recorded& recorded, State& state) {
  state.totals = recorded.totals;
  if (recorded.known.particles.empty() || !is_same(recorded.known, recorded.topology)) {
    recorded.known = {};  // stays empty on failure
    if (Result<void> done = read_topology(model, recorded.topology, state); !done) return done.error();
    recorded.known = recorded.topology;
  }
  const double step = quantum(model);
  for (size_t i = 0; i < state.positions.size(); ++i) {
    const Vec3f here = model.rest[at(state.original[i])].head<3>() + place_of(recorded.fine[i], recorded.coarse[i], step);
    state.positions[i] = Vec4f(here[0], here[1], here[2], 1);
  }
  for (size_t c = 0; c < recorded.shapes.size(); ++c) {
    for (int k = 0; k < 9; ++k) state.plastic[c](k) = static_cast<float>(recorded.shapes[c].plastic[at(k)]) / kPlasticSteps;
    state.plastic[c] += Mat3f::Identity();
    Eigen::Vector4f turn;
    for (int k = 0; k < 4; ++k) turn[k] = static_cast<float>(recorded.shapes[c].rotation[at(k)]);
    state.rotation[c] = turn.isZero(0) ? Quatf::Identity() : Quatf(turn.normalized());
  }
  return {};
}

}  // namespace crumple::clusters
