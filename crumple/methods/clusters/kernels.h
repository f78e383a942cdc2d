#pragma once

#include <cstddef>
#include <cstdint>

#include "crumple/methods/clusters/clusters.h"

/// Inner loops over the members of one cluster or over particles, eight at a time, the same bits on any machine.
/// Legend: x positions, v velocities, q rest positions from the cluster's rest centre, m masses, T = R F^p, w shares.
namespace crumple::clusters {

inline constexpr int kLanes = 8;

/// Members of one cluster. Arrays may be read up to seven places beyond `count`; what is there must be valid particles.
struct Members {
  const int32_t* particle;
  const float* mass;
  const float* rest[3];
  int count;
};

/// Sums over members, positions being taken from `from`.
struct Sums {
  float center[3];    // m x
  float stretch[9];   // m x q^T, by columns
  float velocity[3];  // m v
  float spin[3];      // m x cross v
  float spread[6];    // m x x^T: xx yy zz xy xz yz
};

/// Room for seven arrays of `stride` floats: members' positions from `from`, who is free, and how they are pulled back.
struct Gathered {
  float* x;
  size_t stride;
};
inline constexpr size_t kGatheredArrays = 7;
/// Floats that a cluster of `count` members needs in one of its arrays.
inline size_t gathered_stride(int count) {
  return static_cast<size_t>((count + kLanes - 1) / kLanes * kLanes);
}

/// Moments of positions; `out` keeps what was gathered. Only center and stretch are written.
void sum_positions(const Members& members, const Vec4f* positions, const Vec3f& from, Gathered out, Sums& sums);
/// Moments of velocities: velocity, spin and spread.
void sum_velocities(const Members& members, const Vec4f* positions, const Vec4f* velocities, const Vec3f& from, Sums& sums);

/// The spin (rad/s) of what has the angular momentum `turn` and the moments `spread` about a point from which its centre of mass is at `center`.
Vec3f rigid_spin(const Vec3f& turn, const float (&spread)[6], const Vec3f& center, float mass);

struct LimitTest {
  Vec3f center;       // of mass, from `from`
  Mat3f transform;    // T
  float limit = 0;    // m, farthest from the goal
  float outlier = 0;  // farthest from the centre, as a multiple of the goal's distance from it
  float floor = 0;    // m: goals nearer to the centre count as this far
};
struct LimitFound {
  float reach = 0;  // m: farthest from the centre
  bool beyond = false, outliers = false;
  Vec3f low, high;  // box around members, from the centre
};
/// Which members are farther from their goals than they may be. [Bargteil and Jones 2014]
LimitFound test_limit(const Members& members, Gathered gathered, const LimitTest& test);
/// How they come back to that distance, one row for each member. With `recoil` the whole cluster gives way rigidly, so that momentum and angular
/// momentum stay: the moment is taken where particles were before the step (`previous`), since a change of velocity s/dt acts there. Overwrites
/// `gathered`.
void pull_back(const Members& members, Gathered gathered, const LimitTest& test, const Vec4f* previous, const Vec3f& from, float mass, bool recoil,
               Vec4f* shift);

/// Members within `reach` of `center`. `found` has room for all; returns how many.
int find_near(const Members& members, const Vec4f* positions, const Vec3f& center, float reach, int32_t* found);

/// One cluster's wish, as a particle sees it: goal = columns r + offset, velocity = drift + spin x position.
struct alignas(16) Wish {
  Vec4f columns[3];
  Vec4f offset;
  Vec4f drift;
  Vec4f spin;
};
struct Integration {
  float dt = 0;
  float pull = 0;  // alpha / dt
  float damp = 0;  // share of the difference to the clusters' motion that goes in this step
  Vec4f gravity = Vec4f::Zero();
};
/// Free particles of [begin, end) take one step towards the mean of their clusters' goals. eq. 8
void integrate_particles(const Model& model, State& state, const Wish* wishes, const Integration& how, size_t begin, size_t end);
/// Adds what one cluster asks, times each member's share and `relax`, to the positions of its free members.
void apply_shifts(const Members& members, const float* shares, const Vec4f* shifts, float relax, Vec4f* positions);

}  // namespace crumple::clusters
