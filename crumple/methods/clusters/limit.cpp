#include <algorithm>

#include "crumple/core/parallel.h"
#include "crumple/math/polar.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

// The loop over particles is parallel; the loop over clusters is serial, but does less work.
constexpr size_t kFew = 8;       // if fewer than one membership in this many is active, only active clusters are visited
constexpr size_t kManyMemberships = 50000;  // memberships worth a second thread
constexpr float kNear = 0.25f;   // of the width: goals nearer to the centre count as this far in the outlier test

/// One cluster of a group during the test.
struct Looked {
  size_t cluster;
  Members members;
  Gathered gathered;
  LimitTest test;
  Vec3f from;
};

void set_test(const Model& model, const State& state, Looked& looked, const Quatf& rotation) {
  const ClusterShape& shape = state.shapes[looked.cluster];
  const float gamma = static_cast<float>(model.settings.stretch);
  looked.test.transform = rotation.toRotationMatrix() * state.plastic[looked.cluster];
  looked.test.limit = gamma * shape.width;
  looked.test.outlier = (1 + gamma) * static_cast<float>(model.settings.outlier);
  looked.test.floor = goes(model.settings, &AuthorsWays::near_outliers) ? 0.0f : kNear * shape.width;
}

/// Whether all members belong to this cluster alone. Strain limits resolve conflicts between clusters; a single cluster oscillates about its goals
/// without them. Limits there would add energy to fast debris.
bool is_alone(const State& state, size_t c) {
  const auto begin = state.slot_share.begin() + state.slot_begin[c];
  return std::all_of(begin, begin + state.slot_count[c], [](float share) { return share == 1.0f; });
}

/// Corrections of one sweep.
struct Asked {
  const Matched* matched = nullptr;
  std::vector<uint8_t> active;  // #clusters: has corrections
  std::vector<Recoil> recoils;  // #clusters
  std::vector<Vec4f> shifts;    // #slots
};

/// A cluster that pulls members back recoils rigidly, so that momentum and angular momentum are conserved. The moment is taken at the positions
/// before the step, since a change of velocity s/dt acts there.
Recoil recoil_of(const State& state, const Looked& at, const LimitFound& found, const Matched& matched) {
  const float mass = state.shapes[at.cluster].mass;
  const Vec3f& center = matched.centers[at.cluster];
  const Vec3f push = found.push / mass, turn = matched.inverse_inertias[at.cluster] * (found.turn - (center - at.from).cross(found.push));
  Recoil recoil;
  recoil.push.head<3>() = push - turn.cross(center);
  recoil.turn.head<3>() = turn;
  return recoil;
}

/// Gathers the stale clusters of [begin, end); returns how many.
size_t gather_stale(const State& state, size_t begin, size_t end, Looked (&looked)[kGroup], Mat3f (&elastic)[kGroup], Quatf (&rotations)[kGroup]) {
  static thread_local std::vector<float> scratch;
  size_t n = 0, room = 0;
  for (size_t c = begin; c < end; ++c) {
    if (state.slot_count[c] > 0 && state.stale[c]) room += kGatheredArrays * gathered_stride(state.slot_count[c]);
  }
  if (scratch.size() < room) scratch.resize(room);
  float* next = scratch.data();
  for (size_t c = begin; c < end; ++c) {
    if (state.slot_count[c] == 0 || !state.stale[c]) continue;
    Looked& at = looked[n];
    at.cluster = c, at.members = members_of(state, static_cast<int>(c)), at.from = state.center[c];
    at.gathered = {next, gathered_stride(at.members.count)};
    next += kGatheredArrays * at.gathered.stride;
    Sums sums;
    sum_positions(at.members, state.positions.data(), at.from, at.gathered, sums);
    at.test.center = Vec3f(sums.center[0], sums.center[1], sums.center[2]) / state.shapes[c].mass;
    elastic[n] = Eigen::Map<const Mat3f>(sums.stretch) * state.solve[c];
    rotations[n++] = state.rotation[c];
  }
  return n;
}

/// Updates the places of the stale clusters of a group and, if `asked` is given, the corrections of members beyond their limit.
void look_at(const Model& model, State& state, size_t begin, size_t end, Asked* asked) {
  Looked looked[kGroup];
  Mat3f elastic[kGroup];
  Quatf rotations[kGroup];
  const size_t n = gather_stale(state, begin, end, looked, elastic, rotations);
  nearest_rotations<float>(std::span<const Mat3f>(elastic, n), std::span(rotations, n));
  for (size_t k = 0; k < n; ++k) {
    Looked& at = looked[k];
    const size_t c = at.cluster;
    set_test(model, state, at, rotations[k]);
    const bool asks = asked && (goes(model.settings, &AuthorsWays::lone_pulls) || !is_alone(state, c));
    const LimitFound found = test_limit(at.members, at.gathered, at.test, state.previous.data(), at.from,
                                        asks ? &asked->shifts[static_cast<size_t>(state.slot_begin[c])] : nullptr);
    state.center[c] = at.from + at.test.center;
    state.places[c] = {state.center[c] + found.low, state.center[c] + found.high, found.reach, elastic[k], elastic[k] * state.plastic[c]};
    state.rotation[c] = rotations[k];
    state.suspect[c] = found.outliers ? 1 : 0;
    state.stale[c] = 0;
    if (!found.beyond) continue;
    asked->active[c] = 1;
    asked->recoils[c] = goes(model.settings, &AuthorsWays::lone_pulls) ? Recoil() : recoil_of(state, at, found, *asked->matched);
  }
}

void look_at_all(const Model& model, State& state, Asked* asked) {
  parallel_for(static_cast<size_t>(state.clusters()), clusters_per_chunk(state), [&](size_t begin, size_t end) {
    for (size_t first = begin; first < end; first += kGroup) look_at(model, state, first, std::min(first + kGroup, end), asked);
  });
}

/// Marks active clusters as stale, and all clusters that share a particle with one.
void mark_stale(State& state, const std::vector<uint8_t>& active) {
  for (size_t c = 0; c < active.size(); ++c) {
    if (!active[c]) continue;
    state.stale[c] = 1;
    for (const int32_t d : state.neighbors[c]) state.stale[static_cast<size_t>(d)] = 1;
  }
}

size_t members_asked(const State& state, const Asked& asked) {
  size_t members = 0;
  for (size_t c = 0; c < asked.active.size(); ++c) members += asked.active[c] ? static_cast<size_t>(state.slot_count[c]) : 0;
  return members;
}

/// Applies the corrections to the particles.
void apply(State& state, const Asked& asked, size_t members, float relax) {
  if (members > kManyMemberships && members * kFew > state.entry_cluster.size()) {
    parallel_for(static_cast<size_t>(state.particles()), kParticleChunk, [&](size_t begin, size_t end) {
      shift_particles(state, asked.active.data(), asked.shifts.data(), asked.recoils.data(), relax, begin, end);
    });
    return;
  }
  for (size_t c = 0; c < asked.active.size(); ++c) {
    const size_t begin = static_cast<size_t>(state.slot_begin[c]);
    if (asked.active[c])
      shift_members(members_of(state, static_cast<int>(c)), &state.slot_share[begin], &asked.shifts[begin], asked.recoils[c], relax,
                    state.previous.data(), state.positions.data());
  }
}

}  // namespace

void refresh_places(const Model& model, State& state) {
  if (std::find(state.stale.begin(), state.stale.end(), 1) != state.stale.end()) look_at_all(model, state, nullptr);
}

void refresh_place(const Model& model, State& state, int cluster) {
  state.stale[static_cast<size_t>(cluster)] = 1;
  look_at(model, state, static_cast<size_t>(cluster), static_cast<size_t>(cluster) + 1, nullptr);
}

void limit_strain(const Model& model, State& state, const Context& now, const Matched& matched) {
  static thread_local Asked kept;  // room, between steps
  static thread_local std::vector<Vec4f> before_sweeps;
  Asked& asked = kept;  // of this thread, shared by all workers
  std::vector<Vec4f>& before = before_sweeps;
  const size_t clusters = static_cast<size_t>(state.clusters());
  asked.matched = &matched;
  asked.shifts.resize(state.entry_cluster.size()), asked.recoils.resize(clusters);
  std::fill(state.stale.begin(), state.stale.end(), 1);
  // The limit is a spring, too: its frequency does not depend on the step.
  const double steps = now.dt / kReferenceStep;
  const float relax = static_cast<float>(std::min(1.0, model.settings.relax * steps * steps)), rate = static_cast<float>(1 / now.dt);
  bool moved = false;
  // A cluster without moved particles since its last test has no corrections. So a sweep visits stale clusters only.
  for (int sweep = 0; sweep < model.settings.sweeps; ++sweep) {
    asked.active.assign(clusters, 0);
    look_at_all(model, state, &asked);
    const size_t members = members_asked(state, asked);
    if (members == 0) break;
    if (!moved) before = state.positions;
    moved = true;
    apply(state, asked, members, relax);
    mark_stale(state, asked.active);
  }
  if (moved) {
    parallel_for(state.positions.size(), kParticleChunk, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) state.velocities[i] += rate * (state.positions[i] - before[i]);
    });
  }
  refresh_places(model, state);
}

}  // namespace crumple::clusters
