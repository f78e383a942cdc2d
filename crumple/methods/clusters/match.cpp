#include <cmath>

#include <Eigen/LU>

#include "crumple/core/parallel.h"
#include "crumple/math/polar.h"
#include "crumple/math/svd.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

constexpr size_t kGroup = 8;  // clusters that are decomposed together
constexpr size_t kParticleChunk = 1024;
constexpr double kMostTurn = 0.3;  // rad in a step; only what is crushed flat asks for more

Mat3f cross_matrix(const Vec3f& v) {
  Mat3f m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

/// The turn that makes goals y = T q pull on a cluster without a torque. The rotation of F (paper 2, sec. 3.1) is not the one of A_xr: where a
/// stretched cluster's mass is spread unevenly it would set it spinning out of nothing. `a` = sum m x q^T.
Vec3f torque_free_turn(const Mat3f& transform, const Mat3f& a) {
  const Mat3 b = transform.cast<double>() * a.transpose().cast<double>();  // sum m y x^T
  const Vec3 torque(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
  Mat3 inertia = b.trace() * Mat3::Identity() - b;  // sum m x cross (theta cross y) = inertia theta
  inertia.diagonal().array() += 1e-6 * std::abs(inertia.trace()) + 1e-30;
  const Vec3 turn = -(inertia.inverse() * torque);
  const double size = turn.norm();
  if (!(size < 1e6)) return Vec3f::Zero();
  return (turn * (size > kMostTurn ? kMostTurn / size : 1)).cast<float>();
}

Vec4f four(const Vec3f& v) {
  return Vec4f(v[0], v[1], v[2], 0);
}

/// Goals of one cluster, and how it moves as a rigid thing.
Wish make_wish(const Model& model, const State& state, size_t c, const Mat3f& rotation, const Mat3f& a) {
  const Mat3f plain = rotation * state.plastic[c];
  const Mat3f transform = model.settings.published ? plain : Mat3f(plain + cross_matrix(torque_free_turn(plain, a)) * plain);
  Wish wish;
  for (int k = 0; k < 3; ++k) wish.columns[k] = four(transform.col(k));
  wish.offset = four(state.center[c] - transform * state.shapes[c].rest_center);
  wish.drift = wish.spin = Vec4f::Zero();
  return wish;
}

void add_motion(const Model& model, const State& state, size_t c, const Vec3f& from, Sums& sums, Wish& wish) {
  const float mass = state.shapes[c].mass;
  sum_velocities(members_of(state, static_cast<int>(c)), state.positions.data(), state.velocities.data(), from, sums);
  const Vec3f center = state.center[c] - from, velocity = Vec3f(sums.velocity[0], sums.velocity[1], sums.velocity[2]) / mass;
  const Vec3f turn = Vec3f(sums.spin[0], sums.spin[1], sums.spin[2]) - mass * center.cross(velocity);
  const Vec3f spin = model.settings.damp_spin ? Vec3f(Vec3f::Zero()) : rigid_spin(turn, sums.spread, center, mass);
  wish.spin = four(spin);
  wish.drift = four(velocity - spin.cross(state.center[c]));
}

struct Group {
  size_t clusters[kGroup];
  Vec3f from[kGroup];
  Sums sums[kGroup];
  Mat3f elastic[kGroup], u[kGroup], v[kGroup];
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
    state.center[c] = group.from[k] + Vec3f(group.sums[k].center[0], group.sums[k].center[1], group.sums[k].center[2]) / state.shapes[c].mass;
    group.elastic[k] = Eigen::Map<const Mat3f>(group.sums[k].stretch) * state.solve[c];  // eqs. 3, 9
  }
}

}  // namespace

void find_goals(const Model& model, State& state, const Context& now, std::vector<Wish>& wishes) {
  (void)now;
  const size_t clusters = static_cast<size_t>(state.clusters());
  wishes.resize(clusters);
  const bool damped = model.settings.damping > 0;
  parallel_for(clusters, kGroup, [&](size_t begin, size_t end) {
    static thread_local std::vector<float> scratch;
    Group group;
    sum_group(state, begin, end, group, scratch);
    const size_t n = group.count;
    svd<float>(std::span<const Mat3f>(group.elastic, n), std::span(group.u, n), std::span(group.s, n), std::span(group.v, n));
    for (size_t k = 0; k < n; ++k) {
      const size_t c = group.clusters[k];
      state.stretches[c] = group.s[k], state.axes[c] = group.v[k];
      Mat3f rotation = group.u[k] * group.v[k].transpose();  // eq. 5
      if (state.shapes[c].rank < 3) rotation = nearest_rotation<float>(group.elastic[k], state.rotation[c]).toRotationMatrix();
      state.rotation[c] = Quatf(rotation);
      if (model.settings.published && group.s[k][2] < 0) rotation -= 2 * group.u[k].col(2) * group.v[k].col(2).transpose();  // mirrored
      wishes[c] = make_wish(model, state, c, rotation, Eigen::Map<const Mat3f>(group.sums[k].stretch));
      if (damped) add_motion(model, state, c, group.from[k], group.sums[k], wishes[c]);
    }
  });
}

void integrate(const Model& model, State& state, const Context& now, const std::vector<Wish>& wishes) {
  Integration how;
  how.dt = static_cast<float>(now.dt);
  // A spring of one frequency at any step: alpha is its share in a step of 1/60 s. eq. 6
  const double steps = now.dt / kReferenceStep;
  how.pull = static_cast<float>(std::min(1.0, model.settings.stiffness * steps * steps) / now.dt);
  how.damp = static_cast<float>(-std::expm1(-model.settings.damping * now.dt));
  const Vec3f gravity = (now.gravity * now.dt).cast<float>();
  how.gravity = four(gravity);
  parallel_for(static_cast<size_t>(state.particles()), kParticleChunk,
               [&](size_t begin, size_t end) { integrate_particles(model, state, wishes.data(), how, begin, end); });
}

}  // namespace crumple::clusters
