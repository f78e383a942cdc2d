#include <algorithm>

#include "crumple/math/union_find.h"
#include "crumple/methods/clusters/clusters.h"

namespace crumple::clusters {
namespace {

/// Calls body(mass, position, velocity) for every particle, in the world and in kg.
template <class Body>
void each_particle(const Model& model, const State& state, const Body& body) {
  for (int i = 0; i < state.particles(); ++i) {
    const size_t k = static_cast<size_t>(i);
    if (state.entry_count[k] > 0)
      body(model.unit * double(state.mass[k]), position(model, state, i), Vec3(state.velocities[k].head<3>().cast<double>()));
  }
}

}  // namespace

Vec3 position(const Model& model, const State& state, int particle) {
  return model.origin + state.positions[static_cast<size_t>(particle)].head<3>().cast<double>();
}

Pieces pieces(const State& state) {
  UnionFind connected(static_cast<size_t>(state.clusters()));
  for (size_t i = 0; i < state.entry_begin.size(); ++i) {
    for (int32_t e = state.entry_begin[i] + 1; e < state.entry_begin[i] + state.entry_count[i]; ++e) {
      connected.merge(state.entry_cluster[static_cast<size_t>(e) - 1], state.entry_cluster[static_cast<size_t>(e)]);
    }
  }
  std::vector<int32_t> size(static_cast<size_t>(state.clusters()), 0), order, rank(size.size(), -1);
  for (size_t i = 0; i < state.entry_begin.size(); ++i) {
    if (state.entry_count[i] > 0) ++size[static_cast<size_t>(connected.of(state.entry_cluster[static_cast<size_t>(state.entry_begin[i])]))];
  }
  for (size_t c = 0; c < size.size(); ++c) {
    if (size[c] > 0) order.push_back(static_cast<int32_t>(c));
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return size[static_cast<size_t>(a)] > size[static_cast<size_t>(b)]; });
  Pieces found;
  for (size_t k = 0; k < order.size(); ++k)
    rank[static_cast<size_t>(order[k])] = static_cast<int32_t>(k), found.sizes.push_back(size[static_cast<size_t>(order[k])]);
  for (int32_t c = 0; c < state.clusters(); ++c)
    found.of_cluster.push_back(state.slot_count[static_cast<size_t>(c)] > 0 ? rank[static_cast<size_t>(connected.of(c))] : -1);
  for (size_t i = 0; i < state.entry_begin.size(); ++i) {
    found.of_particle.push_back(
        state.entry_count[i] > 0 ? found.of_cluster[static_cast<size_t>(state.entry_cluster[static_cast<size_t>(state.entry_begin[i])])] : -1);
  }
  return found;
}

double total_mass(const Model& model, const State& state) {
  double units = 0;  // whole numbers: exact in any order
  for (size_t i = 0; i < state.mass.size(); ++i) units += state.entry_count[i] > 0 ? double(state.mass[i]) : 0;
  return units * model.unit;
}

Vec3 center_of_mass(const Model& model, const State& state) {
  Vec3 sum = Vec3::Zero();
  each_particle(model, state, [&](double mass, const Vec3& x, const Vec3&) { sum += mass * x; });
  return sum / total_mass(model, state);
}

Vec3 linear_momentum(const Model& model, const State& state) {
  Vec3 sum = Vec3::Zero();
  each_particle(model, state, [&](double mass, const Vec3&, const Vec3& v) { sum += mass * v; });
  return sum;
}

Vec3 angular_momentum(const Model& model, const State& state) {
  Vec3 sum = Vec3::Zero();
  each_particle(model, state, [&](double mass, const Vec3& x, const Vec3& v) { sum += mass * x.cross(v); });
  return sum;
}

double kinetic_energy(const Model& model, const State& state) {
  double sum = 0;
  each_particle(model, state, [&](double mass, const Vec3&, const Vec3& v) { sum += 0.5 * mass * v.squaredNorm(); });
  return sum;
}

}  // namespace crumple::clusters
