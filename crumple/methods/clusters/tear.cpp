#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/material/flow.h"
#include "crumple/math/svd.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

struct Candidate {
  float excess;
  int cluster;
};

/// Clusters beyond their toughness, the most overloaded first. A torn cluster must fall below its toughness once before it tears again.
std::vector<Candidate> find_candidates(const Model& model, State& state) {
  std::vector<Candidate> queue;
  for (int c = 0; c < state.clusters(); ++c) {
    if (state.slot_count[at(c)] == 0) continue;
    const float excess = state.stretches[at(c)][0] - 1 - toughness_now(model, state, c);
    if (!(excess > 0))
      state.waits[at(c)] = 0;
    else if (!state.waits[at(c)])
      queue.push_back({excess, c});
  }
  const float sign = goes(model.settings, &AuthorsWays::smallest_first) ? -1.0f : 1.0f;
  std::sort(queue.begin(), queue.end(), [sign](const Candidate& a, const Candidate& b) {
    return a.excess != b.excess ? sign * a.excess > sign * b.excess : a.cluster < b.cluster;
  });
  return queue;
}

/// A cut through a cluster, in the world and in rest space.
struct Cut {
  Vec3f normal, center;  // world
  Vec3f rest_normal;
  float rest_offset = 0;
};

/// The plane through the centre, normal to the greatest stretch in the world: the left singular vector (paper 2 has the right one, which is
/// the same only while the cluster has not rotated). A normal goes back to rest space by F^T.
Cut plan_cut(const Model& model, const State& state, int cluster, const Svd<float>& parts) {
  const ClusterPlace& place = state.places[at(cluster)];
  Cut cut;
  cut.normal = goes(model.settings, &AuthorsWays::right_normals) ? parts.v.col(0) : parts.u.col(0), cut.center = state.center[at(cluster)];
  cut.rest_normal = (place.whole.transpose() * cut.normal).normalized();
  cut.rest_offset = cut.rest_normal.dot(state.shapes[at(cluster)].rest_center);
  return cut;
}

bool is_beyond(const Cut& cut, const Vec3f& point) {
  return cut.normal.dot(point - cut.center) > 0;
}

/// Splits each member from its other clusters with centres on the other side. eq. 15
void propagate(State& state, const Cut& cut, int home) {
  std::vector<uint8_t> away;
  const size_t begin = at(state.slot_begin[at(home)]), end = begin + at(state.slot_count[at(home)]);
  const bool home_beyond = is_beyond(cut, state.positions[at(state.slot_particle[begin])].head<3>());
  for (size_t s = begin; s < end; ++s) {
    const int i = state.slot_particle[s];
    const size_t first = at(state.entry_begin[at(i)]), count = at(state.entry_count[at(i)]);
    away.assign(count, 0);
    bool parted = false;
    for (size_t k = 0; k < count; ++k) {
      const int d = state.entry_cluster[first + k];
      if (d == home || is_beyond(cut, state.center[at(d)]) == home_beyond) continue;
      away[k] = 1, parted = true;
    }
    if (parted) cut_particle(state, i, away);
  }
}

void record_cut(State& state, const Cut& cut, int kept, int fresh) {
  const int32_t crack = static_cast<int32_t>(state.totals.splits);
  for (const int c : {kept, fresh}) {
    const float side = c == kept ? 1.0f : -1.0f;
    state.cluster_planes[at(c)].push_back(static_cast<int32_t>(state.planes.size()));
    state.planes.push_back({side * cut.rest_normal, side * cut.rest_offset, c, crack});
  }
}

/// Neighbours never collide. Lists are ascending.
void make_neighbors(State& state, int a, int b) {
  for (const auto& [mine, other] : {std::pair(a, b), std::pair(b, a)}) {
    std::vector<int32_t>& list = state.neighbors[at(mine)];
    const auto place = std::lower_bound(list.begin(), list.end(), other);
    if (place == list.end() || *place != other) list.insert(place, other);
  }
}

/// Splits a cluster if it is still beyond its toughness and both halves are large enough.
bool try_split(const Model& model, State& state, int cluster) {
  const Svd<float> parts = svd<float>(state.places[at(cluster)].elastic);
  if (!(parts.s[0] - 1 > toughness_now(model, state, cluster))) return false;
  const Cut cut = plan_cut(model, state, cluster, parts);
  const size_t begin = at(state.slot_begin[at(cluster)]), count = at(state.slot_count[at(cluster)]);
  std::vector<uint8_t> beyond(count);
  int far = 0;
  for (size_t k = 0; k < count; ++k) far += beyond[k] = is_beyond(cut, state.positions[at(state.slot_particle[begin + k])].head<3>()) ? 1 : 0;
  const int least = model.settings.crumbs == Crumbs::Hold ? kMinMembers : 1;
  if (std::min(far, static_cast<int>(count) - far) < least) return false;
  const int fresh = cut_cluster(model, state, cluster, beyond);
  for (const int half : {cluster, fresh}) {
    state.since_tear[at(half)] = 0;
    state.waits[at(half)] = model.settings.delay ? 1 : 0;
    propagate(state, cut, half);
  }
  record_cut(state, cut, cluster, fresh);
  const int halves[] = {cluster, fresh};
  renew_neighbors(model, state, halves);
  if (goes(model.settings, &AuthorsWays::kin_halves)) make_neighbors(state, cluster, fresh);
  for (const int half : halves) refresh_place(model, state, half);
  if (state.totals.splits++ == 0) state.totals.first_split = state.time;
  return true;
}

/// Second moments of a cluster's plastic shape along its stretch axes: weights of a strain in the elastic energy.
Vec3f spread_along(const State& state, int cluster) {
  const Mat3f turned = state.axes[at(cluster)].transpose() * state.plastic[at(cluster)];
  return (turned * state.shapes[at(cluster)].moment * turned.transpose()).diagonal();
}

/// Maximum plastic flow of a cluster's strain: flow must not add energy, and is reduced under compression. Clusters are soft against pressure, and
/// one crushed to half its volume would only get thinner and weaker by flowing.
float most_flow(const Model& model, const State& state, int cluster) {
  if (goes(model.settings, &AuthorsWays::free_flow)) return 1;
  const Vec3f& stretches = state.stretches[at(cluster)];
  const float crushed = std::clamp(2 * stretches.prod() - 1, 0.0f, 1.0f);
  return std::min(crushed, dissipating_share<float>(stretches, spread_along(state, cluster)));
}

/// Removes clusters that are too small to have a shape.
void cull(const Model& model, State& state) {
  if (model.settings.crumbs != Crumbs::Cull) return;
  const float least = 1e-3f * state.mass[0];
  for (int c = 0; c < state.clusters(); ++c) {
    const int count = state.slot_count[at(c)];
    if (count > 0 && (count < kMinMembers || state.shapes[at(c)].mass < least)) cull_cluster(model, state, c);
  }
  refresh_places(model, state);
}

}  // namespace

float toughness_now(const Model& model, const State& state, int cluster) {
  const Settings& s = model.settings;
  if (s.toughness >= kNeverTears) return std::numeric_limits<float>::infinity();
  const double boost = s.boost > 0 ? s.boost * std::exp(-s.falloff * state.since_tear[at(cluster)]) : 0;  // eq. 16, with the falloff as in its text
  const double held = state.tied[at(cluster)] ? s.held_toughness : 1;
  return static_cast<float>(s.toughness * state.shapes[at(cluster)].toughness * held * (1 + boost));
}

void yield(const Model& model, State& state, const Context& now) {
  const Settings& s = model.settings;
  for (float& clock : state.since_tear) clock += static_cast<float>(now.dt);
  if (s.flow <= 0) return;
  const FlowStep<float> law = flow_step<float>({s.yield, s.flow, s.hardening, kReferenceStep}, now.dt);
  for (int c = 0; c < state.clusters(); ++c) {
    if (state.slot_count[at(c)] == 0 || state.shapes[at(c)].rank < 3) continue;
    if (flow<float>(law, state.stretches[at(c)], state.axes[at(c)], state.plastic[at(c)], state.strain[at(c)], state.shapes[at(c)].yield,
                    most_flow(model, state, c)))
      update_solve(state, c);
  }
}

void tear(const Model& model, State& state, Context& now) {
  if (model.settings.toughness >= kNeverTears) return;
  const std::vector<Candidate> queue = find_candidates(model, state);
  for (const Candidate& candidate : queue) {
    if (now.splits >= model.settings.tears_per_step)
      ++now.waiting;
    else if (try_split(model, state, candidate.cluster))
      ++now.splits;
  }
  part_bridges(model, state, now);
  if (now.splits > 0) cull(model, state);
}

void split_outliers(const Model& model, State& state) {
  if (model.settings.toughness >= kNeverReached) return;  // what cannot tear keeps its particles
  const float gamma = static_cast<float>(model.settings.stretch), factor = (1 + gamma) * static_cast<float>(model.settings.outlier);
  const float near = goes(model.settings, &AuthorsWays::near_outliers) ? 0.0f : 0.25f;
  std::vector<uint8_t> away;
  for (int c = 0; c < state.clusters(); ++c) {
    if (!state.suspect[at(c)] || state.slot_count[at(c)] == 0) continue;
    const Mat3f transform = state.rotation[at(c)].toRotationMatrix() * state.plastic[at(c)];
    const size_t begin = at(state.slot_begin[at(c)]), end = begin + at(state.slot_count[at(c)]);
    for (size_t s = begin; s < end; ++s) {
      const int i = state.slot_particle[s];
      const float goal = (transform * Vec3f(state.slot_rest[0][s], state.slot_rest[1][s], state.slot_rest[2][s])).norm();
      const float least = factor * std::max(goal, near * state.shapes[at(c)].width);
      if (state.entry_count[at(i)] < 2 || (state.positions[at(i)].head<3>() - state.center[at(c)]).norm() <= least) continue;
      away.assign(at(state.entry_count[at(i)]), 0);
      away[at(state.slot_entry[s] - state.entry_begin[at(i)])] = 1;
      cut_particle(state, i, away);
      ++state.totals.outliers;
    }
  }
}

}  // namespace crumple::clusters
