#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/core/state_array.h"
#include "crumple/methods/clusters/settings.h"
#include "crumple/particles/clamps.h"
#include "crumple/particles/contact.h"

/// Clustered shape matching with ductile fracture [Jones et al. 2016]: particles are pulled towards where overlapping clusters of them, turned
/// rigidly, want them; clusters flow plastically, and split where they are stretched too far.
namespace crumple::clusters {

/// A cluster of fewer members has no shape to match.
inline constexpr int kLeastMembers = 4;

using particles::Vec4f;
using Mat3f = Eigen::Matrix3f;
using Quatf = Eigen::Quaternionf;

/// A plane that a cluster was cut by, in rest space: it keeps the side where normal . r < offset.
struct CutPlane {
  Vec3f normal = Vec3f::UnitX();
  float offset = 0;
  int32_t cluster = 0;
  int32_t crack = -1;  // both sides of a cut have the same; -1: a flat side that it was built with
};

/// Built once. Rest positions are where particles begin, from `origin`, which stays in the world: floats are fine near to it.
struct Model {
  Settings settings;  // with the clusters and the radius that were used
  Vec3 origin = Vec3::Zero();
  double unit = 1;               // kg: all masses are whole multiples (below 2^24), so sums of them are exact
  double spacing = 0;            // m, between neighbouring particles
  std::vector<Vec4f> rest;       // #originals
  std::vector<float> toughness;  // #originals or empty
  std::vector<float> yield;      // #originals or empty
  // memberships, cluster by cluster
  std::vector<int32_t> begin;     // #clusters + 1
  std::vector<int32_t> particle;  // #slots
  std::vector<float> mass;        // #slots, in units: share of the particle's mass that moves with the cluster
  std::vector<int32_t> family;    // #originals + 1: where entries of an original and all that split from it lie
  // collision proxies: balls cut by planes, in rest space
  std::vector<Vec4f> ball;  // #clusters: centre and radius
  std::vector<CutPlane> planes;
};

struct Totals {
  int64_t splits = 0;    // clusters that were cut
  int64_t outliers = 0;  // particles that were left behind by a cluster
  int64_t culled_clusters = 0;
  int64_t culled_particles = 0;
  double culled_mass = 0;   // kg
  double first_split = -1;  // s; -1: none yet
};

/// Everything a cluster's members say about it; made anew whenever they change.
struct ClusterShape {
  Vec3f rest_center = Vec3f::Zero();
  float mass = 0;                     // units
  float width = 0;                    // m, from the centre to its farthest member
  float toughness = 1, yield = 1;     // painted factors
  int rank = 3;                       // below: its members lie in a plane or on a line
  Mat3f moment = Mat3f::Identity();   // A_rr
  Mat3f inverse = Mat3f::Identity();  // its pseudoinverse
};

/// How a cluster lies about its centre; from positions.
struct ClusterPlace {
  Vec3f low = Vec3f::Zero(), high = Vec3f::Zero();  // box around its members
  float reach = 0;                                  // m, from the centre to its farthest member
  Mat3f elastic = Mat3f::Identity();                // F^e
  Mat3f whole = Mat3f::Identity();                  // F = F^e F^p
};

struct State {
  double time = 0;  // s
  // particles; written by integrate, limit_strain, collide
  std::vector<Vec4f> positions;   // #particles, from the model's origin; the fourth is 0 for those that are held, otherwise 1
  std::vector<Vec4f> velocities;  // #particles
  // particles; written by tear
  std::vector<int32_t> original;     // #particles
  std::vector<int32_t> entry_begin;  // #particles
  std::vector<int32_t> entry_count;  // #particles; 0: culled
  std::vector<int32_t> held;         // #particles: by which clamp, -1 free; written by hold
  int64_t clamps = 0;                // one bit for each that holds
  // memberships, particle by particle
  std::vector<int32_t> entry_cluster;  // #slots; -1: culled
  std::vector<int32_t> entry_slot;     // #slots
  // memberships, cluster by cluster
  std::vector<int32_t> slot_particle;  // #slots
  std::vector<int32_t> slot_entry;     // #slots
  std::vector<float> slot_mass;        // #slots, units
  // clusters
  std::vector<int32_t> slot_begin;  // #clusters
  std::vector<int32_t> slot_count;  // #clusters; 0: culled
  std::vector<Mat3f> plastic;       // #clusters: F^p; written by yield
  std::vector<float> strain;        // #clusters: alpha of eq. 14
  std::vector<Quatf> rotation;      // #clusters: of F^e, last seen
  std::vector<Vec3f> center;        // #clusters: of mass, last seen; sums are taken from there
  std::vector<float> since_tear;    // #clusters, s
  std::vector<int32_t> waits;       // #clusters: has torn, and was not below its toughness since
  std::vector<int32_t> tied;        // #clusters: a clamp's edge crosses it
  std::vector<Vec4f> ball;          // #clusters: centre and radius of its collision proxy in rest space
  std::vector<CutPlane> planes;     // #planes, of all clusters, in the order of their making
  Totals totals;

  // derived from the above by restored(), then kept up to date
  std::vector<float> mass;                           // #particles, units
  std::vector<float> entry_share, slot_share;        // #slots: of the particle's mass
  std::array<std::vector<float>, 3> slot_rest;       // #slots: from the cluster's rest centre
  std::vector<ClusterShape> shapes;                  // #clusters
  std::vector<Mat3f> solve;                          // #clusters: F^e = A_xr solve
  std::vector<std::vector<int32_t>> neighbors;       // #clusters, ascending: those with a particle, or a part of the same original, in common
  std::vector<std::vector<int32_t>> cluster_planes;  // #clusters: places in planes
  std::vector<int32_t> home;                         // #particles: entry of the cluster that most of it belongs to
  std::vector<int32_t> homes;                        // particles by that cluster, each stretch filled up to whole registers with any
  std::vector<int32_t> homes_begin, homes_end;       // #clusters + 1, #clusters: stretches without what fills them up
  bool homes_stale = true;
  // made anew in each step
  std::vector<Vec4f> previous;       // #particles: where they were before it
  std::vector<ClusterPlace> places;  // #clusters
  std::vector<Vec3f> stretches;      // #clusters: singular values of F^e
  std::vector<Mat3f> axes;           // #clusters: V
  std::vector<uint8_t> stale;        // #clusters: place is older than positions
  std::vector<uint8_t> suspect;      // #clusters: may have outliers
  bool moved_mass = false;           // pieces may have changed since they were last counted

  int particles() const { return static_cast<int>(positions.size()); }
  int clusters() const { return static_cast<int>(slot_begin.size()); }
};

/// CPU seconds, of all threads, spent in the parts of a step; for benchmarks.
struct StepTimes {
  double dynamics = 0, plasticity = 0, fracture = 0, collision = 0;
};

/// What a step is told, and what it tells.
struct Context {
  double dt = kReferenceStep;
  Vec3 gravity = Vec3(0, -9.81, 0);
  const particles::Boundary* boundary = nullptr;
  std::span<const particles::Obstacle> obstacles;
  StepTimes* times = nullptr;
  // told
  std::vector<particles::Push> pushes;  // #obstacles: what the particles did to them
  int splits = 0;            // in this step
  int waiting = 0;           // clusters that are over their limit and have to wait for the next step
};

/// Fails on no particles, numbers that are not finite, masses that are not positive, particles that coincide, and on a radius that reaches nothing.
Result<Model> build(const Particles& particles, const Settings& settings);
State start(const Model& model, const Vec3& velocity = Vec3::Zero());
/// One step, as a list of stages. No failure; allocates only when something tears.
void step(const Model& model, State& state, Context& now);

/// Everything that changes. Their sizes change too when something tears: resize() before they are overwritten.
std::vector<StateArray> arrays(State& state);
struct Sizes {
  size_t particles = 0, clusters = 0, planes = 0;
};
Sizes sizes(const State& state);
void resize(const Model& model, State& state, const Sizes& sizes);
/// Call after arrays() were overwritten. Fails if they cannot be a state of this model.
Result<void> restored(const Model& model, State& state);

/// Its particles, for contact.
particles::ParticleSpan particles(const Model& model, State& state);
/// Where they began, for clamps.
particles::StartPlaces starts(const Model& model);

/// Two bodies keep out of each other as clusters of one do. After both have stepped.
void collide_bodies(const Model& model_a, State& a, const Model& model_b, State& b, double friction);

// What can be asked of a state.
Vec3 position(const Model& model, const State& state, int particle);
struct Pieces {
  std::vector<int32_t> of_cluster;   // #clusters; -1: culled
  std::vector<int32_t> of_particle;  // #particles; -1: culled
  std::vector<int32_t> sizes;        // #pieces: particles in each, the greatest first
};
/// Connected components of particles and clusters.
Pieces pieces(const State& state);
double total_mass(const Model& model, const State& state);
Vec3 center_of_mass(const Model& model, const State& state);
Vec3 linear_momentum(const Model& model, const State& state);
Vec3 angular_momentum(const Model& model, const State& state);  // about the world's origin
double kinetic_energy(const Model& model, const State& state);

}  // namespace crumple::clusters
