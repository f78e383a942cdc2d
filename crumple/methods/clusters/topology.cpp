#include "crumple/methods/clusters/topology.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "crumple/core/index.h"
#include "crumple/material/flow.h"

namespace crumple::clusters {
namespace {

// Of the greatest: directions with a smaller second moment are flat, since single precision cannot resolve the stretch there.
constexpr double kFlat = 1e-4;

/// Inverse of a second moment in its non-flat directions. Returns their number.
int pseudo_inverse(const Mat3& moment, Mat3& inverse) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(moment);
  const Vec3 values = eigen.eigenvalues();
  inverse.setZero();
  int rank = 0;
  for (int k = 0; k < 3; ++k) {
    if (!(values[k] > kFlat * values[2]) || values[2] <= 0) continue;
    inverse += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() / values[k];
    ++rank;
  }
  return rank;
}

float painted(const std::vector<float>& factors, int original) {
  return factors.empty() ? 1.0f : factors[static_cast<size_t>(original)];
}

}  // namespace

Members members_of(const State& state, int cluster) {
  const size_t begin = at(state.slot_begin[at(cluster)]);
  return {&state.slot_particle[begin],
          &state.slot_mass[begin],
          {&state.slot_rest[0][begin], &state.slot_rest[1][begin], &state.slot_rest[2][begin]},
          state.slot_count[at(cluster)]};
}

void update_solve(State& state, int cluster) {
  const ClusterShape& shape = state.shapes[at(cluster)];
  const Mat3f& plastic = state.plastic[at(cluster)];
  if (shape.rank == 3) {
    state.solve[at(cluster)] = shape.inverse * inverse_plastic(plastic);
    return;
  }
  // In flat directions the plastic shape is flat, too: the pseudoinverse is taken of that one, and F^p stays (paper 2 resets it, which would
  // make members jump).
  const Mat3 p = plastic.cast<double>();
  Mat3 inverse;
  pseudo_inverse(p * shape.moment.cast<double>() * p.transpose(), inverse);
  state.solve[at(cluster)] = (p.transpose() * inverse).cast<float>();
}

void reshape_cluster(const Model& model, State& state, int cluster) {
  const size_t begin = at(state.slot_begin[at(cluster)]), end = begin + at(state.slot_count[at(cluster)]);
  ClusterShape shape;
  Vec3 center = Vec3::Zero();
  double mass = 0, toughness = 0, yield = 0;
  const auto rest_of = [&](size_t slot) { return model.rest[at(state.original[at(state.slot_particle[slot])])].head<3>().cast<double>().eval(); };
  for (size_t s = begin; s < end; ++s) {
    const double m = state.slot_mass[s];
    const int original = state.original[at(state.slot_particle[s])];
    center += m * rest_of(s), mass += m;
    toughness += m * painted(model.toughness, original), yield += m * painted(model.yield, original);
  }
  if (mass > 0) center /= mass, toughness /= mass, yield /= mass;
  Mat3 moment = Mat3::Zero(), inverse;
  double width2 = 0;
  for (size_t s = begin; s < end; ++s) {
    const Vec3 q = rest_of(s) - center;
    moment += double(state.slot_mass[s]) * q * q.transpose();
    width2 = std::max(width2, q.squaredNorm());
    for (size_t k = 0; k < 3; ++k) state.slot_rest[k][s] = static_cast<float>(q[static_cast<int>(k)]);
  }
  shape.rank = pseudo_inverse(moment, inverse);
  shape.rest_center = center.cast<float>(), shape.mass = static_cast<float>(mass), shape.width = static_cast<float>(std::sqrt(width2));
  shape.toughness = static_cast<float>(toughness), shape.yield = static_cast<float>(yield);
  shape.moment = moment.cast<float>(), shape.inverse = inverse.cast<float>();
  state.shapes[at(cluster)] = shape;
  update_solve(state, cluster);
}

void reweigh_particle(State& state, int particle) {
  const size_t begin = at(state.entry_begin[at(particle)]), end = begin + at(state.entry_count[at(particle)]);
  float mass = 0, most = -1;
  for (size_t e = begin; e < end; ++e) {
    const float part = state.slot_mass[at(state.entry_slot[e])];
    mass += part;
    if (part > most) most = part, state.home[at(particle)] = static_cast<int32_t>(e);
  }
  for (size_t e = begin; e < end; ++e) {
    const size_t slot = at(state.entry_slot[e]);
    state.entry_share[e] = state.slot_share[slot] = state.slot_mass[slot] / mass;
  }
  state.mass[at(particle)] = mass;
  state.homes_stale = true;
}

void renew_homes(State& state) {
  if (!state.homes_stale) return;
  state.homes_stale = false;
  const size_t clusters = at(state.clusters());
  const auto home_of = [&](size_t i) { return at(state.entry_cluster[at(state.home[i])]); };
  std::vector<int32_t> count(clusters, 0);
  for (size_t i = 0; i < state.positions.size(); ++i) {
    if (state.entry_count[i] > 0) ++count[home_of(i)];
  }
  state.homes_begin.assign(clusters + 1, 0);
  for (size_t c = 0; c < clusters; ++c) state.homes_begin[c + 1] = state.homes_begin[c] + (count[c] + kLanes - 1) / kLanes * kLanes;
  state.homes.assign(at(state.homes_begin[clusters]), 0);
  std::copy(state.homes_begin.begin(), state.homes_begin.end() - 1, count.begin());
  for (size_t i = 0; i < state.positions.size(); ++i) {
    if (state.entry_count[i] > 0) state.homes[at(count[home_of(i)]++)] = static_cast<int32_t>(i);
  }
  state.homes_end = count;
}

void renew_neighbors(const Model& model, State& state, std::span<const int> clusters) {
  std::vector<uint8_t> found(at(state.clusters()), 0);
  for (const int c : clusters) {
    std::fill(found.begin(), found.end(), 0);
    const size_t begin = at(state.slot_begin[at(c)]), end = begin + at(state.slot_count[at(c)]);
    for (size_t s = begin; s < end; ++s) {
      const size_t original = at(state.original[at(state.slot_particle[s])]);
      for (int e = model.family[original]; e < model.family[original + 1]; ++e) {
        if (state.entry_cluster[at(e)] >= 0) found[at(state.entry_cluster[at(e)])] = 1;
      }
    }
    found[at(c)] = 0;
    std::vector<int32_t>& mine = state.neighbors[at(c)];
    for (const int32_t d : mine) {
      if (!found[at(d)]) std::erase(state.neighbors[at(d)], c);
    }
    mine.clear();
    for (int d = 0; d < state.clusters(); ++d) {
      if (!found[at(d)]) continue;
      mine.push_back(d);
      std::vector<int32_t>& theirs = state.neighbors[at(d)];
      const auto place = std::lower_bound(theirs.begin(), theirs.end(), c);
      if (place == theirs.end() || *place != c) theirs.insert(place, c);
    }
  }
}

void resize_clusters(State& state, size_t count) {
  state.slot_begin.resize(count), state.slot_count.resize(count), state.strain.resize(count), state.since_tear.resize(count);
  state.waits.resize(count), state.tied.resize(count), state.ball.resize(count, Vec4f::Zero());
  state.plastic.resize(count, Mat3f::Identity()), state.rotation.resize(count, Quatf::Identity()), state.center.resize(count, Vec3f::Zero());
  state.shapes.resize(count), state.solve.resize(count, Mat3f::Identity()), state.neighbors.resize(count), state.cluster_planes.resize(count);
  state.places.resize(count), state.stretches.resize(count, Vec3f::Ones()), state.axes.resize(count, Mat3f::Identity());
  state.stale.resize(count, 1), state.suspect.resize(count, 0);
}

void derive(const Model& model, State& state) {
  const size_t slots = state.entry_cluster.size();
  state.mass.resize(state.positions.size()), state.home.resize(state.positions.size());
  state.entry_share.assign(slots, 0.0f), state.slot_share.assign(slots + kPadding, 0.0f);
  for (std::vector<float>& axis : state.slot_rest) axis.assign(slots + kPadding, 0.0f);
  resize_clusters(state, state.slot_begin.size());
  for (int i = 0; i < state.particles(); ++i) reweigh_particle(state, i);
  std::vector<int> all(at(state.clusters()));
  std::iota(all.begin(), all.end(), 0);
  for (const int c : all) reshape_cluster(model, state, c);
  for (std::vector<int32_t>& list : state.neighbors) list.clear();
  for (std::vector<int32_t>& list : state.cluster_planes) list.clear();
  renew_neighbors(model, state, all);
  for (size_t p = 0; p < state.planes.size(); ++p) state.cluster_planes[at(state.planes[p].cluster)].push_back(static_cast<int32_t>(p));
  std::fill(state.stale.begin(), state.stale.end(), 1);
}

int cut_cluster(const Model& model, State& state, int cluster, std::span<const uint8_t> beyond) {
  const int fresh = state.clusters();
  const size_t c = at(cluster), f = at(fresh), begin = at(state.slot_begin[c]), count = beyond.size();
  assert(count == at(state.slot_count[c]));
  struct Slot {
    int32_t particle, entry;
    float mass;
  };
  std::vector<Slot> order;
  order.reserve(count);
  for (const uint8_t side : {uint8_t{0}, uint8_t{1}}) {
    for (size_t k = 0; k < count; ++k) {
      if (beyond[k] == side) order.push_back({state.slot_particle[begin + k], state.slot_entry[begin + k], state.slot_mass[begin + k]});
    }
  }
  const size_t kept = count - static_cast<size_t>(std::count(beyond.begin(), beyond.end(), 1));
  resize_clusters(state, f + 1);
  state.homes_stale = true;
  state.slot_begin[f] = static_cast<int32_t>(begin + kept), state.slot_count[f] = static_cast<int32_t>(count - kept);
  state.slot_count[c] = static_cast<int32_t>(kept);
  for (size_t k = 0; k < count; ++k) {
    const size_t s = begin + k;
    state.slot_particle[s] = order[k].particle, state.slot_entry[s] = order[k].entry, state.slot_mass[s] = order[k].mass;
    state.slot_share[s] = state.entry_share[at(order[k].entry)];
    state.entry_slot[at(order[k].entry)] = static_cast<int32_t>(s);
    state.entry_cluster[at(order[k].entry)] = k < kept ? cluster : fresh;
  }
  state.plastic[f] = state.plastic[c], state.strain[f] = state.strain[c], state.rotation[f] = state.rotation[c], state.ball[f] = state.ball[c];
  state.since_tear[f] = state.since_tear[c], state.waits[f] = state.waits[c], state.tied[f] = state.tied[c], state.center[f] = state.center[c],
  state.places[f] = state.places[c];
  state.stretches[f] = state.stretches[c], state.axes[f] = state.axes[c];
  for (const int32_t p : std::vector<int32_t>(state.cluster_planes[c])) {
    CutPlane copy = state.planes[at(p)];
    copy.cluster = fresh;
    state.cluster_planes[f].push_back(static_cast<int32_t>(state.planes.size()));
    state.planes.push_back(copy);
  }
  reshape_cluster(model, state, cluster);
  reshape_cluster(model, state, fresh);
  return fresh;
}

int cut_particle(State& state, int particle, std::span<const uint8_t> beyond) {
  const int fresh = state.particles();
  const size_t i = at(particle), begin = at(state.entry_begin[i]), count = beyond.size();
  assert(count == at(state.entry_count[i]));
  struct Entry {
    int32_t cluster, slot;
  };
  static thread_local std::vector<Entry> order;
  order.clear();
  for (const uint8_t side : {uint8_t{0}, uint8_t{1}}) {
    for (size_t k = 0; k < count; ++k) {
      if (beyond[k] == side) order.push_back({state.entry_cluster[begin + k], state.entry_slot[begin + k]});
    }
  }
  const size_t kept = count - static_cast<size_t>(std::count(beyond.begin(), beyond.end(), 1));
  for (size_t k = 0; k < count; ++k) {
    const size_t e = begin + k;
    state.entry_cluster[e] = order[k].cluster, state.entry_slot[e] = order[k].slot;
    state.slot_entry[at(order[k].slot)] = static_cast<int32_t>(e);
    if (k >= kept) state.slot_particle[at(order[k].slot)] = fresh;
  }
  state.entry_count[i] = static_cast<int32_t>(kept);
  state.entry_begin.push_back(static_cast<int32_t>(begin + kept)), state.entry_count.push_back(static_cast<int32_t>(count - kept));
  state.positions.push_back(Vec4f(state.positions[i])), state.velocities.push_back(Vec4f(state.velocities[i]));
  state.original.push_back(int32_t(state.original[i])), state.held.push_back(int32_t(state.held[i]));
  state.mass.push_back(0), state.home.push_back(0);
  reweigh_particle(state, particle);
  reweigh_particle(state, fresh);
  return fresh;
}

namespace {

/// Removes one membership of a particle; its mass goes to the others, in whole units.
void drop_entry(State& state, int particle, size_t entry) {
  const size_t begin = at(state.entry_begin[at(particle)]), last = begin + at(state.entry_count[at(particle)]) - 1;
  float lost = state.slot_mass[at(state.entry_slot[entry])];
  std::swap(state.entry_cluster[entry], state.entry_cluster[last]);
  std::swap(state.entry_slot[entry], state.entry_slot[last]);
  state.slot_entry[at(state.entry_slot[entry])] = static_cast<int32_t>(entry);
  state.slot_entry[at(state.entry_slot[last])] = static_cast<int32_t>(last);
  state.entry_cluster[last] = -1;
  --state.entry_count[at(particle)];
  float rest = 0;
  for (size_t e = begin; e < last; ++e) rest += state.slot_mass[at(state.entry_slot[e])];
  for (size_t e = begin; e < last; ++e) {
    float& mass = state.slot_mass[at(state.entry_slot[e])];
    const float share = e + 1 == last ? lost : std::floor(lost * (mass / rest));
    rest -= mass;
    mass += share, lost -= share;
  }
}

}  // namespace

void cull_cluster(const Model& model, State& state, int cluster) {
  const size_t c = at(cluster), begin = at(state.slot_begin[c]), end = begin + at(state.slot_count[c]);
  std::vector<int> touched;
  for (size_t s = begin; s < end; ++s) {
    const int i = state.slot_particle[s];
    const float before = state.mass[at(i)];
    drop_entry(state, i, at(state.slot_entry[s]));
    if (state.entry_count[at(i)] == 0) {
      ++state.totals.culled_particles;
      state.totals.culled_mass += double(before) * model.unit;
      state.velocities[at(i)].setZero();
    }
    const size_t first = at(state.entry_begin[at(i)]), last = first + at(state.entry_count[at(i)]);
    for (size_t e = first; e < last; ++e) touched.push_back(state.entry_cluster[e]);
    reweigh_particle(state, i);
  }
  state.slot_count[c] = 0;
  ++state.totals.culled_clusters;
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const int d : touched) {
    reshape_cluster(model, state, d);
    state.stale[at(d)] = 1;
  }
  state.shapes[c] = ClusterShape();
  state.shapes[c].mass = 0;
  const int culled[] = {cluster};
  renew_neighbors(model, state, culled);
}

}  // namespace crumple::clusters
