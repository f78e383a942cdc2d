#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crumple/methods/clusters/clusters.h"

/// Inner loops over the members of one cluster or over particles, eight at a time, the same bits on any machine.
/// Legend: x positions, v velocities, q rest positions from the cluster's rest centre, m masses, T = R F^p, w shares.
namespace crumple::clusters {

inline constexpr int kLanes = 8;

/// Members of one cluster. Arrays may be read up to seven places beyond `count`; the padding must be valid particles.
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

/// Room for four arrays of `stride` floats: members' positions from `from`, and which members are free.
struct Gathered {
  float* x;
  size_t stride;
};
inline constexpr size_t kGatheredArrays = 4;
/// Floats that a cluster of `count` members needs in one of its arrays.
inline size_t gathered_stride(int count) {
  return static_cast<size_t>((count + kLanes - 1) / kLanes * kLanes);
}

/// Moments of positions; `out` keeps the gathered positions. Only center and stretch are written.
void sum_positions(const Members& members, const Vec4f* positions, const Vec3f& from, Gathered out, Sums& sums);
/// Moments of velocities, at the positions gathered by sum_positions(): velocity, spin and spread.
void sum_velocities(const Members& members, Gathered gathered, const Vec4f* velocities, Sums& sums);

/// Inverse inertia about the centre of mass: maps angular momentum to spin (rad/s). `spread` are second moments about a point from which that centre
/// is at `center`.
Mat3f inverse_inertia(const float (&spread)[6], const Vec3f& center, float mass);

struct LimitTest {
  Vec3f center;       // of mass, from `from`
  Mat3f transform;    // T
  float limit = 0;    // m: maximum distance from the goal
  float outlier = 0;  // maximum distance from the centre, as a multiple of the goal's
  float floor = 0;    // m: goals nearer to the centre count as this far
};
struct LimitFound {
  float reach = 0;  // m: farthest from the centre
  bool outliers = false;
  bool beyond = false;  // a member is too far from its goal; only then valid:
  Vec3f push, turn;     // m s and m x cross s, s being shifts and x the place before the step, from `from`
  Vec3f low, high;      // box around members, from the centre
};
/// Finds free members beyond the limit distance from their goals, and the shifts back to it. If there are any, `shifts` gets one row for each member.
/// Without `shifts`, `beyond` is never set. [Bargteil and Jones 2014]
LimitFound test_limit(const Members& members, Gathered gathered, const LimitTest& test, const Vec4f* previous, const Vec3f& from, Vec4f* shifts);

/// Rigid recoil of a cluster that pulls members back: push + turn x previous position.
struct alignas(16) Recoil {
  Vec4f push = Vec4f::Zero();
  Vec4f turn = Vec4f::Zero();
};
/// Adds the shifts and the recoil of one cluster, times each member's share and `relax`, to the positions of its free members.
void shift_members(const Members& members, const float* shares, const Vec4f* shifts, const Recoil& recoil, float relax, const Vec4f* previous,
                   Vec4f* positions);
/// The same of all clusters with `active` set, for the particles of [begin, end).
void shift_particles(State& state, const uint8_t* active, const Vec4f* shifts, const Recoil* recoils, float relax, size_t begin, size_t end);

/// Collision proxy of a cluster: a ball cut by planes in rest space, within the ball around its members. [Jones et al. 2015]
struct Proxy {
  Vec3f center = Vec3f::Zero();                     // of its members, from the model's origin
  float reach = 0;                                  // m, to the farthest of them
  Vec3f low = Vec3f::Zero(), high = Vec3f::Zero();  // box around them
  Mat3f to_rest = Mat3f::Identity(), to_world = Mat3f::Identity();
  Vec3f from_ball = Vec3f::Zero();  // its rest centre, from the centre of the ball
  float radius = 0;                 // of the ball, m
  std::vector<Vec4f> planes;        // normal . r < fourth keeps, r being a place in rest space from the centre of the ball
  bool solid = false;               // false: it does not collide
};
/// Places of some particles, an array for each axis, which may be read up to seven places beyond `count`.
struct Places {
  const float* x[3];
  int count;
};
/// Finds the particles inside the proxy. `found` has room for all; returns how many.
int find_inside(const Places& places, const Proxy& proxy, int32_t* found);
/// Copies particles' positions into separate x, y, z arrays, and finds their box; writes up to seven places beyond `count`.
void gather_places(const int32_t* particles, int count, const Vec4f* positions, float* const (&out)[3], Vec3f& low, Vec3f& high);

/// Rigid change of a cluster: displacement and velocity at `center`, and their rotations.
struct RigidChange {
  Vec3f center, shift, turn, push, spin;
};
/// Gives each free member its share of it.
void move_rigidly(const Members& members, const float* shares, const RigidChange& change, Vec4f* positions, Vec4f* velocities);

/// Goal of one cluster for a particle: goal = columns r + offset, velocity = drift + spin x position.
struct alignas(16) Wish {
  Vec4f columns[3];
  Vec4f offset;
  Vec4f drift;
  Vec4f spin;
};
struct Integration {
  float dt = 0;
  float pull = 0;  // alpha / dt
  float damp = 0;  // share of the difference to the clusters' motion that is damped in this step
  Vec4f gravity = Vec4f::Zero();
};
/// Free particles of [begin, end) take one step towards the mean of their clusters' goals. eq. 8
void integrate_particles(const Model& model, State& state, const Wish* wishes, const Integration& how, size_t begin, size_t end);

}  // namespace crumple::clusters
