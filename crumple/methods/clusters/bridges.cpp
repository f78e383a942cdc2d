#include <algorithm>
#include <array>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

constexpr float kSpringBack = 3 / 60.0f;  // s after a split: until then its halves still spring back
constexpr float kLeastWidth = 0.25f;      // of a cluster's width: shortest distance that a bridge counts as spanning

bool is_settled(const State& state, int cluster) {
  return state.since_tear[at(cluster)] > kSpringBack;
}

/// Two clusters, one of which has lost particles to the other side of a crack.
struct Gap {
  int32_t a = 0, b = 0;
  int parted = 0;  // originals with a copy in each
};

/// Pairs of clusters with parted particles, ascending.
std::vector<Gap> find_gaps(const Model& model, const State& state) {
  const size_t originals = model.rest.size();
  std::vector<uint8_t> seen(originals, 0);
  std::vector<std::array<int32_t, 2>> pairs;
  for (size_t i = originals; i < state.original.size(); ++i) {
    const size_t original = at(state.original[i]);
    if (seen[original]) continue;
    seen[original] = 1;
    const auto particle_of = [&](int32_t e) { return state.slot_particle[at(state.entry_slot[at(e)])]; };
    for (int32_t e = model.family[original]; e < model.family[original + 1]; ++e) {
      const int32_t a = state.entry_cluster[at(e)];
      for (int32_t f = e + 1; a >= 0 && f < model.family[original + 1]; ++f) {
        const int32_t b = state.entry_cluster[at(f)];
        if (b >= 0 && b != a && particle_of(e) != particle_of(f)) pairs.push_back({std::min(a, b), std::max(a, b)});
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<Gap> gaps;
  for (size_t begin = 0, end; begin < pairs.size(); begin = end) {
    for (end = begin; end < pairs.size() && pairs[end] == pairs[begin];) ++end;
    gaps.push_back({pairs[begin][0], pairs[begin][1], static_cast<int>(end - begin)});
  }
  return gaps;
}

/// Where a cluster pulls a particle.
Vec3f goal(const Model& model, const State& state, int cluster, int particle) {
  const Vec3f rest = model.rest[at(state.original[at(particle)])].head<3>() - state.shapes[at(cluster)].rest_center;
  return state.center[at(cluster)] + state.rotation[at(cluster)] * Vec3f(state.plastic[at(cluster)] * rest);
}

/// Particles that two clusters still share; stops beyond a number of them.
void find_shared(const State& state, const Gap& gap, size_t most, std::vector<int32_t>& shared) {
  shared.clear();
  const bool swapped = state.slot_count[at(gap.b)] < state.slot_count[at(gap.a)];
  const int32_t from = swapped ? gap.b : gap.a, to = swapped ? gap.a : gap.b;
  const size_t begin = at(state.slot_begin[at(from)]), end = begin + at(state.slot_count[at(from)]);
  for (size_t s = begin; s < end && shared.size() <= most; ++s) {
    const int32_t i = state.slot_particle[s];
    const size_t first = at(state.entry_begin[at(i)]), last = first + at(state.entry_count[at(i)]);
    if (std::find(&state.entry_cluster[first], &state.entry_cluster[last - 1] + 1, to) != &state.entry_cluster[last - 1] + 1) shared.push_back(i);
  }
}

/// Whether two clusters pull their shared particles farther apart than they are tough.
bool is_stretched(const Model& model, const State& state, const Gap& gap, const std::vector<int32_t>& shared) {
  double apart = 0;
  for (const int32_t i : shared) apart += (goal(model, state, gap.a, i) - goal(model, state, gap.b, i)).norm();
  const ClusterShape &a = state.shapes[at(gap.a)], &b = state.shapes[at(gap.b)];
  const float span = std::max((a.rest_center - b.rest_center).norm(), kLeastWidth * std::max(a.width, b.width));
  const float toughness = std::max(toughness_now(model, state, gap.a), toughness_now(model, state, gap.b));
  return apart > static_cast<double>(shared.size()) * toughness * span;
}

/// Parts a particle between the clusters that pull it like either. The greater share stays with it, as its matter.
void part(const Model& model, State& state, const Gap& gap, int particle) {
  const size_t first = at(state.entry_begin[at(particle)]), count = at(state.entry_count[at(particle)]);
  const Vec3f towards_a = goal(model, state, gap.a, particle), towards_b = goal(model, state, gap.b, particle);
  std::vector<uint8_t> away(count, 0);
  float moved = 0;
  for (size_t k = 0; k < count; ++k) {
    const int32_t c = state.entry_cluster[first + k];
    const Vec3f here = goal(model, state, c, particle);
    away[k] = c == gap.b || (c != gap.a && (here - towards_b).norm() < (here - towards_a).norm()) ? 1 : 0;
    moved += away[k] ? state.entry_share[first + k] : 0;
  }
  if (moved > 0.5f) {
    for (uint8_t& one : away) one = 1 - one;
  }
  cut_particle(state, particle, away);
}

bool is_torn(const State& state, int cluster) {
  const std::vector<int32_t>& planes = state.cluster_planes[at(cluster)];
  return std::any_of(planes.begin(), planes.end(), [&](int32_t p) { return state.planes[at(p)].crack >= 0; });
}

/// Removes particles from torn clusters that pull them back from far beyond the strain limit: others hold them, on the far side of a crack.
void part_strays(const Model& model, State& state) {
  std::vector<uint8_t> away;
  for (int c = 0; c < state.clusters(); ++c) {
    if (state.slot_count[at(c)] <= kMinMembers || !is_torn(state, c) || !is_settled(state, c)) continue;
    const float most = static_cast<float>(model.settings.outlier * model.settings.stretch) * state.shapes[at(c)].width;
    for (size_t s = at(state.slot_begin[at(c)]), end = s + at(state.slot_count[at(c)]); s < end; ++s) {
      const int32_t i = state.slot_particle[s];
      if (state.entry_count[at(i)] < 2 || (state.positions[at(i)].head<3>() - goal(model, state, c, i)).norm() <= most) continue;
      away.assign(at(state.entry_count[at(i)]), 0);
      away[at(state.slot_entry[s] - state.entry_begin[at(i)])] = 1;
      cut_particle(state, i, away);
      ++state.totals.outliers;
    }
  }
}

bool is_due(const State& state, double dt) {
  const auto ticks = [](double time) { return std::floor(time / kReferenceStep + 1e-6); };
  return ticks(state.time + dt) > ticks(state.time);
}

}  // namespace

void part_bridges(const Model& model, State& state, const Context& now) {
  const double share = model.settings.bridge;
  if (share <= 0 || state.positions.size() == model.rest.size() || !is_due(state, now.dt)) return;
  part_strays(model, state);
  std::vector<int32_t> shared;
  for (const Gap& gap : find_gaps(model, state)) {
    const size_t most = share < 1 ? static_cast<size_t>(gap.parted * share / (1 - share) + 1e-9) : state.positions.size();
    if (most == 0) continue;
    if (!is_settled(state, gap.a) || !is_settled(state, gap.b)) continue;
    find_shared(state, gap, most, shared);
    if (shared.empty() || shared.size() > most || !is_stretched(model, state, gap, shared)) continue;
    for (const int32_t i : shared) part(model, state, gap, i);
    ++state.totals.bridges;
  }
}

}  // namespace crumple::clusters
