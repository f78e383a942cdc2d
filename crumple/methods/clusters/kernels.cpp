#include "crumple/methods/clusters/kernels.h"

#include <cmath>
#include <cstring>

#include <Eigen/LU>

// Vector types must be seen under their own instruction set from the start: a function cloned later has them split into the baseline's halves before
// the clone is made.
namespace crumple::clusters {
namespace {

/// What is taken back, summed: m d and m x cross d, x being where members were before the step, with the moments of x.
struct Recoil {
  float center[3], push[3], turn[3], spread[6];
};

#pragma GCC diagnostic ignored "-Wpsabi"  // all of it stays in this file
namespace plain {
#include "crumple/methods/clusters/kernels.inl"
}  // namespace plain
#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace wide {
#include "crumple/methods/clusters/kernels.inl"
}  // namespace wide
#pragma GCC pop_options
const bool has_wide = __builtin_cpu_supports("avx2") != 0;
#else
namespace wide = plain;
constexpr bool has_wide = false;
#endif

}  // namespace

void sum_positions(const Members& members, const Vec4f* positions, const Vec3f& from, Gathered out, Sums& sums) {
  has_wide ? wide::sum_positions(members, positions, from, out, sums) : plain::sum_positions(members, positions, from, out, sums);
}

void sum_velocities(const Members& members, const Vec4f* positions, const Vec4f* velocities, const Vec3f& from, Sums& sums) {
  has_wide ? wide::sum_velocities(members, positions, velocities, from, sums) : plain::sum_velocities(members, positions, velocities, from, sums);
}

LimitFound test_limit(const Members& members, Gathered gathered, const LimitTest& test) {
  return has_wide ? wide::test_limit(members, gathered, test) : plain::test_limit(members, gathered, test);
}

Vec3f rigid_spin(const Vec3f& turn, const float (&spread)[6], const Vec3f& center, float mass) {
  const Vec3 c = center.cast<double>();
  Mat3 moment;
  moment << spread[0], spread[3], spread[4], spread[3], spread[1], spread[5], spread[4], spread[5], spread[2];
  moment -= double(mass) * c * c.transpose();
  Mat3 inertia = moment.trace() * Mat3::Identity() - moment;
  // Members on a line have no inertia about it; a hair of it everywhere leaves the spin about that line at zero.
  inertia.diagonal().array() += 1e-6 * inertia.trace() + 1e-30;
  return (inertia.inverse() * turn.cast<double>()).cast<float>();
}

void pull_back(const Members& members, Gathered gathered, const LimitTest& test, const Vec4f* previous, const Vec3f& from, float mass, bool recoil,
               Vec4f* shift) {
  Recoil sums;
  has_wide ? wide::pull_members(members, gathered, test, previous, from, sums) : plain::pull_members(members, gathered, test, previous, from, sums);
  Vec3f push = Vec3f::Zero(), turn = Vec3f::Zero(), center = Vec3f::Zero();
  if (recoil) {
    push = Vec3f(sums.push[0], sums.push[1], sums.push[2]) / mass;
    center = Vec3f(sums.center[0], sums.center[1], sums.center[2]) / mass;
    turn = rigid_spin(Vec3f(sums.turn[0], sums.turn[1], sums.turn[2]) - mass * center.cross(push), sums.spread, center, mass);
  }
  has_wide ? wide::finish_pull(members, gathered, center, push, turn, shift) : plain::finish_pull(members, gathered, center, push, turn, shift);
}

int find_near(const Members& members, const Vec4f* positions, const Vec3f& center, float reach, int32_t* found) {
  return has_wide ? wide::find_near(members, positions, center, reach, found) : plain::find_near(members, positions, center, reach, found);
}

void integrate_particles(const Model& model, State& state, const Wish* wishes, const Integration& how, size_t begin, size_t end) {
  has_wide ? wide::integrate_particles(model, state, wishes, how, begin, end) : plain::integrate_particles(model, state, wishes, how, begin, end);
}

void apply_shifts(const Members& members, const float* shares, const Vec4f* shifts, float relax, Vec4f* positions) {
  plain::apply_shifts(members, shares, shifts, relax, positions);
}

}  // namespace crumple::clusters
