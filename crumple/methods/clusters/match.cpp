#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"
#include "crumple/math/polar.h"
#include "crumple/math/svd.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

constexpr size_t kMembersPerChunk = 4096;  // some ten microseconds

Vec4f four(const Vec3f& v) {
  return Vec4f(v[0], v[1], v[2], 0);
}

/// Goals of one cluster.
Wish make_wish(const State& state, size_t c, const Mat3f& rotation) {
  const Mat3f transform = rotation * state.plastic[c];
  Wish wish;
  for (int k = 0; k < 3; ++k) wish.columns[k] = four(transform.col(k));
  wish.offset = four(state.center[c] - transform * state.shapes[c].rest_center);
  wish.drift = wish.spin = Vec4f::Zero();
  return wish;
}

/// Rigid motion of a cluster, for damping.
struct Motion {
  Vec3f velocity = Vec3f::Zero(), spin = Vec3f::Zero();  // at its centre of mass
};

Motion motion_of(const Model& model, const State& state, size_t c, const Vec3f& from, const Sums& sums, const Mat3f& inverse_inertia) {
  const float mass = state.shapes[c].mass;
  const Vec3f center = state.center[c] - from, velocity = Vec3f(sums.velocity[0], sums.velocity[1], sums.velocity[2]) / mass;
  const Vec3f turn = Vec3f(sums.spin[0], sums.spin[1], sums.spin[2]) - mass * center.cross(velocity);
  return {velocity, model.settings.damp_spin ? Vec3f(Vec3f::Zero()) : Vec3f(inverse_inertia * turn)};
}

/// Two neighbours approach a common rigid motion, halfway: equal and opposite pushes at the place between their centres, and turns.
void smooth_pair(const State& state, const Matched& matched, size_t c, size_t d, std::vector<Motion>& motions) {
  const Vec3f middle = 0.5f * (matched.centers[c] + matched.centers[d]), to_c = middle - matched.centers[c], to_d = middle - matched.centers[d];
  const Mat3f &turn_c = matched.inverse_inertias[c], &turn_d = matched.inverse_inertias[d];
  const float light_c = 1 / state.shapes[c].mass, light_d = 1 / state.shapes[d].mass;
  const float turns = turn_c.trace() + turn_d.trace();
  // Bounds on the inverse masses in any direction: so the pair loses energy.
  const float light = light_c + light_d + to_c.squaredNorm() * turns;
  const Vec3f push = 0.5f / light * (motions[d].velocity + motions[d].spin.cross(to_d) - motions[c].velocity - motions[c].spin.cross(to_c));
  motions[c].velocity += light_c * push, motions[c].spin += turn_c * to_c.cross(push);
  motions[d].velocity -= light_d * push, motions[d].spin -= turn_d * to_d.cross(push);
  if (!(turns > 0)) return;
  const Vec3f turn = 0.5f / turns * (motions[d].spin - motions[c].spin);
  motions[c].spin += turn_c * turn, motions[d].spin -= turn_d * turn;
}

/// Smooths the motions that particles are damped towards over neighbouring clusters, so that damping takes modes of the whole body, too, and not
/// only those within clusters. Momentum stays; what moves rigidly does not change.
void smooth_motions(const State& state, const Matched& matched, std::vector<Motion>& motions) {
  const auto each_pair = [&](size_t c) {
    for (const int32_t d : state.neighbors[c]) {
      if (static_cast<size_t>(d) > c && state.slot_count[static_cast<size_t>(d)] > 0) smooth_pair(state, matched, c, static_cast<size_t>(d), motions);
    }
  };
  for (size_t c = 0; c < motions.size(); ++c) {
    if (state.slot_count[c] > 0) each_pair(c);
  }
  for (size_t c = motions.size(); c-- > 0;) {
    if (state.slot_count[c] > 0) each_pair(c);
  }
}

struct Group {
  size_t clusters[kGroup];
  Vec3f from[kGroup];
  Sums sums[kGroup];
  Mat3f elastic[kGroup], u[kGroup], v[kGroup], goal[kGroup];
  Vec3f s[kGroup];
  size_t count = 0;
};

void sum_group(State& state, size_t begin, size_t end, Group& group, std::vector<float>& scratch) {
  for (size_t c = begin; c < end; ++c) {
    if (state.slot_count[c] == 0) continue;
    const size_t k = group.count++;
    group.clusters[k] = c, group.from[k] = state.center[c];
    const Members members = members_of(state, static_cast<int>(c));
    const size_t stride = gathered_stride(members.count);
    if (scratch.size() < kGatheredArrays * stride) scratch.resize(kGatheredArrays * stride);
    sum_positions(members, state.positions.data(), group.from[k], {scratch.data(), stride}, group.sums[k]);
    sum_velocities(members, {scratch.data(), stride}, state.velocities.data(), group.sums[k]);
    state.center[c] = group.from[k] + Vec3f(group.sums[k].center[0], group.sums[k].center[1], group.sums[k].center[2]) / state.shapes[c].mass;
    group.elastic[k] = Eigen::Map<const Mat3f>(group.sums[k].stretch) * state.solve[c];  // eqs. 3, 9
  }
}

/// Stretches, and the rotation of F^e. eq. 5
void decompose_group(State& state, Group& group) {
  const size_t n = group.count;
  svd<float>(std::span<const Mat3f>(group.elastic, n), std::span(group.u, n), std::span(group.s, n), std::span(group.v, n));
  for (size_t k = 0; k < n; ++k) {
    const size_t c = group.clusters[k];
    state.stretches[c] = group.s[k], state.axes[c] = group.v[k];
    state.rotation[c] =
        state.shapes[c].rank < 3 ? nearest_rotation<float>(group.elastic[k], state.rotation[c]) : Quatf(Mat3f(group.u[k] * group.v[k].transpose()));
  }
}

/// Rotation of the goals: that of sum m x (F^p q)^T [Mueller et al. 2005], with which goals y = R F^p q pull without a net torque. The rotation of
/// F^e (paper 2, sec. 3.1) has a net torque where a stretched cluster's mass is spread unevenly, and would make debris spin.
void turn_goals(const Model& model, const State& state, Group& group) {
  const size_t n = group.count;
  Quatf turns[kGroup];
  Mat3f moments[kGroup];
  for (size_t k = 0; k < n; ++k) {
    const size_t c = group.clusters[k];
    turns[k] = state.rotation[c];
    moments[k] = Eigen::Map<const Mat3f>(group.sums[k].stretch) * state.plastic[c].transpose();
  }
  if (!goes(model.settings, &AuthorsWays::twisting_goals)) nearest_rotations<float>(std::span<const Mat3f>(moments, n), std::span(turns, n));
  for (size_t k = 0; k < n; ++k) {
    group.goal[k] = turns[k].toRotationMatrix();
    if (goes(model.settings, &AuthorsWays::mirrored_goals) && group.s[k][2] < 0)
      group.goal[k] -= 2 * group.u[k].col(2) * group.v[k].col(2).transpose();  // mirrored
  }
}

void wish_motions(const Model& model, const State& state, std::vector<Motion>& motions, Matched& matched) {
  // What clamps lead is not held back: it would tear later, and part less.
  if (!model.settings.damp_spin && state.clamps == 0) smooth_motions(state, matched, motions);
  for (size_t c = 0; c < motions.size(); ++c) {
    if (state.slot_count[c] == 0) continue;
    matched.wishes[c].spin = four(motions[c].spin);
    matched.wishes[c].drift = four(motions[c].velocity - motions[c].spin.cross(matched.centers[c]));
  }
}

}  // namespace

double modulus_of(const Model& model, double rate) {
  // A cluster of radius R that is stretched by e moves its members by about e R: springs of mass density rho bear rho (R w)^2 e. The factor is
  // measured: cubes of 8 to 150 clusters, squashed by their own weight, are within 8 % of it.
  constexpr double kMeasured = 0.1;
  return kMeasured * model.density * model.settings.radius * model.settings.radius * rate;
}

double spring_rate(const Model& model) {
  if (model.settings.stiffness) return *model.settings.stiffness / kReferenceStep / kReferenceStep;  // alpha is its share in a step of 1/60 s
  return model.settings.young / modulus_of(model, 1);
}

size_t clusters_per_chunk(const State& state) {
  const size_t members = state.entry_cluster.size() / std::max<size_t>(state.slot_begin.size(), 1) + 1;
  return (kMembersPerChunk / (kGroup * members) + 1) * kGroup;
}

void find_goals(const Model& model, State& state, Matched& matched) {
  const size_t clusters = static_cast<size_t>(state.clusters());
  static thread_local std::vector<Motion> kept;
  std::vector<Motion>& motions = kept;  // of this thread, shared by all workers
  motions.resize(clusters);
  matched.wishes.resize(clusters), matched.centers.resize(clusters), matched.inverse_inertias.resize(clusters);
  parallel_for(clusters, clusters_per_chunk(state), [&](size_t begin, size_t end) {
    static thread_local std::vector<float> scratch;
    for (size_t first = begin; first < end; first += kGroup) {
      Group group;
      sum_group(state, first, std::min(first + kGroup, end), group, scratch);
      decompose_group(state, group);
      turn_goals(model, state, group);
      for (size_t k = 0; k < group.count; ++k) {
        const size_t c = group.clusters[k];
        matched.centers[c] = state.center[c];
        matched.inverse_inertias[c] = inverse_inertia(group.sums[k].spread, state.center[c] - group.from[k], state.shapes[c].mass);
        matched.wishes[c] = make_wish(state, c, group.goal[k]);
        if (model.settings.damping > 0) motions[c] = motion_of(model, state, c, group.from[k], group.sums[k], matched.inverse_inertias[c]);
      }
    }
  });
  if (model.settings.damping > 0) wish_motions(model, state, motions, matched);
}

void integrate(const Model& model, State& state, const Context& now, const Matched& matched) {
  Integration how;
  how.dt = static_cast<float>(now.dt);
  // The spring's frequency does not depend on the step. eq. 6
  how.pull = static_cast<float>(std::min(model.settings.overshoot, spring_rate(model) * now.dt * now.dt) / now.dt);
  how.damp = static_cast<float>(-std::expm1(-model.settings.damping * now.dt));
  const Vec3f gravity = (now.gravity * now.dt).cast<float>();
  how.gravity = four(gravity);
  state.previous.resize(state.positions.size());
  parallel_for(static_cast<size_t>(state.particles()), kParticleChunk,
               [&](size_t begin, size_t end) { integrate_particles(model, state, matched.wishes.data(), how, begin, end); });
}

}  // namespace crumple::clusters
