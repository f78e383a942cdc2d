#include "crumple/methods/clusters/kernels.h"

#include <cmath>
#include <cstring>

#include <Eigen/LU>

namespace crumple::clusters {
namespace {

#pragma GCC diagnostic ignored "-Wpsabi"  // all of it stays in this file
#define CRUMPLE_KERNELS "crumple/methods/clusters/kernels.inl"
#include "crumple/math/each_width.inl"

}  // namespace

Mat3f inverse_inertia(const float (&spread)[6], const Vec3f& center, float mass) {
  const Vec3 c = center.cast<double>();
  Mat3 moment;
  moment << spread[0], spread[3], spread[4], spread[3], spread[1], spread[5], spread[4], spread[5], spread[2];
  moment -= double(mass) * c * c.transpose();
  Mat3 inertia = moment.trace() * Mat3::Identity() - moment;
  // Members on a line have no inertia about it; a hair of it everywhere leaves the spin about that line at zero.
  inertia.diagonal().array() += 1e-6 * inertia.trace() + 1e-30;
  return inertia.inverse().cast<float>();
}

void sum_positions(const Members& members, const Vec4f* positions, const Vec3f& from, Gathered out, Sums& sums) {
  CRUMPLE_PICK(sum_positions, members, positions, from, out, sums);
}

void sum_velocities(const Members& members, Gathered gathered, const Vec4f* velocities, Sums& sums) {
  CRUMPLE_PICK(sum_velocities, members, gathered, velocities, sums);
}

LimitFound test_limit(const Members& members, Gathered gathered, const LimitTest& test, const Vec4f* previous, const Vec3f& from, Vec4f* shifts) {
  return CRUMPLE_PICK(test_limit, members, gathered, test, previous, from, shifts);
}

void shift_members(const Members& members, const float* shares, const Vec4f* shifts, const Recoil& recoil, float relax, const Vec4f* previous,
                   Vec4f* positions) {
  CRUMPLE_PICK(shift_members, members, shares, shifts, recoil, relax, previous, positions);
}

void shift_particles(State& state, const uint8_t* active, const Vec4f* shifts, const Recoil* recoils, float relax, size_t begin, size_t end) {
  CRUMPLE_PICK(shift_particles, state, active, shifts, recoils, relax, begin, end);
}

int find_inside(const Places& places, const Proxy& proxy, int32_t* found) {
  return CRUMPLE_PICK(find_inside, places, proxy, found);
}

void gather_places(const int32_t* particles, int count, const Vec4f* positions, float* const (&out)[3], Vec3f& low, Vec3f& high) {
  CRUMPLE_PICK(gather_places, particles, count, positions, out, low, high);
}

void move_rigidly(const Members& members, const float* shares, const RigidChange& change, Vec4f* positions, Vec4f* velocities) {
  CRUMPLE_PICK(move_rigidly, members, shares, change, positions, velocities);
}

void integrate_particles(const Model& model, State& state, const Wish* wishes, const Integration& how, size_t begin, size_t end) {
  CRUMPLE_PICK(integrate_particles, model, state, wishes, how, begin, end);
}

}  // namespace crumple::clusters
