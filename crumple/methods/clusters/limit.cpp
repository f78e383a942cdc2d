#include <algorithm>

#include "crumple/core/parallel.h"
#include "crumple/math/polar.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

constexpr size_t kGroup = 8;
constexpr size_t kParticleChunk = 2048;
constexpr float kNear = 0.25f;  // of the width: particles nearer to the centre are no outliers for being a little farther away

/// One cluster of a group while it is looked at.
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
  looked.test.floor = kNear * shape.width;
}

/// Whether all members belong to this cluster alone. Limits are there for clusters that disagree; what agrees with itself swings about its goals
/// without them, and pulling it back each time would feed fast debris with energy.
bool is_alone(const State& state, size_t c) {
  const auto begin = state.slot_share.begin() + state.slot_begin[c];
  return std::all_of(begin, begin + state.slot_count[c], [](float share) { return share == 1.0f; });
}

/// Places of the stale clusters in [begin, end); those with members beyond their limit are marked in `active`, with what they ask in `shifts`, unless
/// there is none.
void look_at(const Model& model, State& state, size_t begin, size_t end, uint8_t* active, Vec4f* shifts) {
  static thread_local std::vector<float> scratch;
  Looked looked[kGroup];
  Mat3f elastic[kGroup];
  Quatf rotations[kGroup];
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
  nearest_rotations<float>(std::span<const Mat3f>(elastic, n), std::span(rotations, n));
  for (size_t k = 0; k < n; ++k) {
    Looked& at = looked[k];
    const size_t c = at.cluster;
    set_test(model, state, at, rotations[k]);
    const LimitFound found = test_limit(at.members, at.gathered, at.test);
    state.center[c] = at.from + at.test.center;
    state.places[c] = {state.center[c] + found.low, state.center[c] + found.high, found.reach, elastic[k], elastic[k] * state.plastic[c]};
    state.rotation[c] = rotations[k];
    state.suspect[c] = found.outliers ? 1 : 0;
    state.stale[c] = 0;
    if (!active || !found.beyond || (!model.settings.published && is_alone(state, c))) continue;
    active[c] = 1;
    pull_back(at.members, at.gathered, at.test, state.previous.data(), at.from, state.shapes[c].mass, !model.settings.published,
              shifts + state.slot_begin[c]);
  }
}

/// Places of everyone who shares a particle with a cluster that has moved its own are out of date.
void mark_stale(State& state, const std::vector<uint8_t>& active) {
  for (size_t c = 0; c < active.size(); ++c) {
    if (!active[c]) continue;
    state.stale[c] = 1;
    for (const int32_t d : state.neighbors[c]) state.stale[static_cast<size_t>(d)] = 1;
  }
}

/// Room that is kept between steps.
struct Room {
  std::vector<uint8_t> active;
  std::vector<Vec4f> shifts, before;
};

}  // namespace

void refresh_places(const Model& model, State& state) {
  if (std::find(state.stale.begin(), state.stale.end(), 1) == state.stale.end()) return;
  parallel_for(static_cast<size_t>(state.clusters()), kGroup, [&](size_t begin, size_t end) { look_at(model, state, begin, end, nullptr, nullptr); });
}

void refresh_place(const Model& model, State& state, int cluster) {
  state.stale[static_cast<size_t>(cluster)] = 1;
  look_at(model, state, static_cast<size_t>(cluster), static_cast<size_t>(cluster) + 1, nullptr, nullptr);
}

void limit_strain(const Model& model, State& state, const Context& now) {
  static thread_local Room kept;
  Room& room = kept;  // this thread's, for all that help
  room.shifts.resize(state.entry_cluster.size());
  std::fill(state.stale.begin(), state.stale.end(), 1);
  const size_t clusters = static_cast<size_t>(state.clusters());
  // What pulls back is a spring, too: of one frequency at any step.
  const double steps = now.dt / kReferenceStep;
  const float relax = static_cast<float>(std::min(1.0, model.settings.relax * steps * steps)), rate = static_cast<float>(1 / now.dt);
  bool moved = false;
  // A cluster none of whose particles moved since it was last looked at asks for what it asked then: nothing. So a sweep costs what still moves.
  for (int sweep = 0; sweep < model.settings.sweeps; ++sweep) {
    room.active.assign(clusters, 0);
    parallel_for(clusters, kGroup, [&](size_t begin, size_t end) { look_at(model, state, begin, end, room.active.data(), room.shifts.data()); });
    if (std::find(room.active.begin(), room.active.end(), 1) == room.active.end()) break;
    if (!moved) room.before = state.positions;
    moved = true;
    for (size_t c = 0; c < clusters; ++c) {
      const size_t begin = static_cast<size_t>(state.slot_begin[c]);
      if (room.active[c])
        apply_shifts(members_of(state, static_cast<int>(c)), &state.slot_share[begin], &room.shifts[begin], relax, state.positions.data());
    }
    mark_stale(state, room.active);
  }
  for (size_t i = 0; moved && i < state.positions.size(); ++i) state.velocities[i] += rate * (state.positions[i] - room.before[i]);
  refresh_places(model, state);
}

}  // namespace crumple::clusters
