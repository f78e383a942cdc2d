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

/// Clustered shape matching with ductile fracture [Jones et al. 2016]: particles are pulled towards the goal positions of
/// overlapping, rigidly rotated clusters; clusters flow plastically, and split where they are stretched too far.
namespace crumple::clusters {

/// A cluster of fewer members has no shape to match.
inline constexpr int kMinMembers = 4;

using particles::Vec4f;
using Mat3f = Eigen::Matrix3f;
using Quatf = Eigen::Quaternionf;

/// A cutting plane of a cluster, in rest space: the cluster keeps the side where normal . r < offset.
struct CutPlane {
  Vec3f normal = Vec3f::UnitX();
  float offset = 0;
  int32_t cluster = 0;
  int32_t crack = -1;  // the same for both sides of a cut; -1: a flat side of the original cluster
};

/// Built once. Rest positions are relative to `origin`, which is fixed in the world: floats are accurate near it.
struct Model {
  Settings settings;  // with the number of clusters and the radius in use
  Vec3 origin = Vec3::Zero();
  double unit = 1;               // kg: all masses are whole multiples (below 2^24), so sums of them are exact
  double spacing = 0;            // m, between neighbouring particles
  double density = 1000;         // kg/m^3
  std::vector<Vec4f> rest;       // #originals
  std::vector<float> toughness;  // #originals or empty
  std::vector<float> yield;      // #originals or empty
  // memberships, cluster by cluster
  std::vector<int32_t> begin;     // #clusters + 1
  std::vector<int32_t> particle;  // #slots
  std::vector<float> mass;        // #slots, in units: share of the particle's mass that moves with the cluster
  std::vector<int32_t> family;    // #originals + 1: range of entries of an original and all its copies
  // collision proxies: balls cut by planes, in rest space
  std::vector<Vec4f> ball;  // #clusters: centre and radius
  std::vector<CutPlane> planes;
};

struct Totals {
  int64_t splits = 0;    // clusters that were cut
  int64_t outliers = 0;  // particles removed from a cluster as outliers
  int64_t culled_clusters = 0;
  int64_t culled_particles = 0;
  int64_t bridges = 0;   // pairs of clusters that held together by too few particles, and were parted
  double culled_mass = 0;   // kg
  double first_split = -1;  // s; -1: none yet
};

/// Properties of a cluster that follow from its members; updated whenever these change.
struct ClusterShape {
  Vec3f rest_center = Vec3f::Zero();
  float mass = 0;                     // units
  float width = 0;                    // m, from the centre to its farthest member
  float toughness = 1, yield = 1;     // painted factors
  int rank = 3;                       // 2: members in a plane; 1: on a line
  Mat3f moment = Mat3f::Identity();   // A_rr
  Mat3f inverse = Mat3f::Identity();  // its pseudoinverse
};

/// Current pose and bounds of a cluster, from positions.
struct ClusterPlace {
  Vec3f low = Vec3f::Zero(), high = Vec3f::Zero();  // box around its members
  float reach = 0;                                  // m, from the centre to its farthest member
  Mat3f elastic = Mat3f::Identity();                // F^e
  Mat3f whole = Mat3f::Identity();                  // F = F^e F^p
};

struct State {
  double time = 0;  // s
  // particles; written by integrate, limit_strain, collide
  std::vector<Vec4f> positions;   // #particles, from the model's origin; the fourth is 0 for held particles, otherwise 1
  std::vector<Vec4f> velocities;  // #particles
  // particles; written by tear
  std::vector<int32_t> original;     // #particles
  std::vector<int32_t> entry_begin;  // #particles
  std::vector<int32_t> entry_count;  // #particles; 0: culled
  std::vector<int32_t> held;         // #particles: clamp that holds it, -1 free; written by hold
  int64_t clamps = 0;                // one bit for each active clamp
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
  std::vector<Quatf> rotation;      // #clusters: of F^e, at the last update
  std::vector<Vec3f> center;        // #clusters: of mass, at the last update; origin of sums
  std::vector<float> since_tear;    // #clusters, s
  std::vector<int32_t> waits;       // #clusters: has torn, and has not been below its toughness since
  std::vector<int32_t> tied;        // #clusters: a clamp's edge crosses it
  std::vector<Vec4f> ball;          // #clusters: centre and radius of its collision proxy in rest space
  std::vector<CutPlane> planes;     // #planes, of all clusters, in order of creation
  Totals totals;

  // derived from the above by rebuilt(), then kept up to date
  std::vector<float> mass;                           // #particles, units
  std::vector<float> entry_share, slot_share;        // #slots: of the particle's mass
  std::array<std::vector<float>, 3> slot_rest;       // #slots: from the cluster's rest centre
  std::vector<ClusterShape> shapes;                  // #clusters
  std::vector<Mat3f> solve;                          // #clusters: F^e = A_xr solve
  std::vector<std::vector<int32_t>> neighbors;       // #clusters, ascending: clusters with a particle, or copies of one original, in common
  std::vector<std::vector<int32_t>> cluster_planes;  // #clusters: indices into planes
  std::vector<int32_t> home;                         // #particles: entry of the cluster with its largest share
  std::vector<int32_t> homes;                        // particles by that cluster, each range padded to whole registers
  std::vector<int32_t> homes_begin, homes_end;       // #clusters + 1, #clusters: ranges without padding
  bool homes_stale = true;
  // overwritten in each step
  std::vector<Vec4f> previous;       // #particles: positions before the step
  std::vector<ClusterPlace> places;  // #clusters
  std::vector<Vec3f> stretches;      // #clusters: singular values of F^e
  std::vector<Mat3f> axes;           // #clusters: V
  std::vector<uint8_t> stale;        // #clusters: place is older than positions
  std::vector<uint8_t> suspect;      // #clusters: may have outliers
  bool moved_mass = false;           // pieces may have changed since the last count

  int particles() const { return static_cast<int>(positions.size()); }
  int clusters() const { return static_cast<int>(slot_begin.size()); }
};

/// CPU seconds, of all threads, spent in the parts of a step; for benchmarks.
struct StepTimes {
  double dynamics = 0, plasticity = 0, fracture = 0, collision = 0;
};

/// Input and output of a step.
struct Context {
  double dt = kReferenceStep;
  Vec3 gravity = Vec3(0, -9.81, 0);
  const particles::Boundary* boundary = nullptr;
  std::span<const particles::Obstacle> obstacles;
  StepTimes* times = nullptr;
  // output
  std::vector<particles::Push> pushes;  // #obstacles: impulses of the particles on them
  int splits = 0;            // in this step
  int waiting = 0;           // clusters over their limit that wait for the next step
};

/// Fails on no particles, non-finite numbers, masses that are not positive, coincident particles, and a radius that covers no neighbours.
Result<Model> build(const Particles& particles, const Settings& settings);
State start(const Model& model, const Vec3& velocity = Vec3::Zero());
/// One step, as a list of stages. Never fails; allocates only on a tear.
void step(const Model& model, State& state, Context& now);

/// All changing arrays. Their sizes change on a tear: call resize() before overwriting them.
std::vector<StateArray> arrays(State& state);
struct Sizes {
  size_t particles = 0, clusters = 0, planes = 0;
};
Sizes sizes(const State& state);
void resize(const Model& model, State& state, const Sizes& sizes);
/// Call after arrays() were overwritten. Fails if they are not a valid state of this model.
Result<void> rebuilt(const Model& model, State& state);

/// Its particles, for contact.
particles::ParticleSpan particles(const Model& model, State& state);
/// Their start positions, for clamps.
particles::StartPlaces starts(const Model& model);

/// Square of the frequency of the springs (1/s^2), whatever the step.
double spring_rate(const Model& model);
/// Young's modulus (Pa) of springs of such a rate.
double modulus_of(const Model& model, double rate);

// Measurements of a state.
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
