#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "crumple/rigid/collision_shape.h"
#include "crumple/rigid/hulls_on_plane.h"
#include "crumple/rigid/pair_filter.h"
#include "crumple/rigid/structure_solver.h"
#include "crumple/rigid/world.h"

namespace crumple::rigid {

struct Part {
  explicit Part(const PartSettings& settings);
  /// Whether a script moves it now.
  bool is_led() const;

  CollisionShape shape;
  btRigidBody body;
  Motion motion;
  double mass;  // the engine keeps only its inverse
  Vec3 scripted_velocity = Vec3::Zero(), scripted_spin = Vec3::Zero();
  btVector3 push{0, 0, 0}, twist{0, 0, 0};  // N, N m: of this step, from outside
  std::vector<int> joints;
  std::vector<int> ignored;  // parts that it does not collide with although no joint says so
};

struct Joint {
  JointSettings settings;
  JointFrames frames;
  btJointFeedback feedback;
  std::unique_ptr<btTypedConstraint> constraint;

  PlasticConstraint* plastic() const { return settings.kind == JointKind::Plastic ? static_cast<PlasticConstraint*>(constraint.get()) : nullptr; }
};

/// Pairs of parts that may overlap, as (lower, higher) part, and how deep.
class AllowedOverlaps {
 public:
  void allow(int a, int b, double depth);
  void forget(int part);
  const std::map<std::pair<int, int>, double>& pairs() const { return depths_; }
  const std::set<int>& newcomers() const { return newcomers_; }

  /// Shrinks the depths to those of the last collision detection, and drops pairs that no longer overlap. Then hides allowed overlaps from the
  /// engine: points within the depth seem to just touch, and none bounces. `give_back` undoes this.
  void hide(std::span<const std::unique_ptr<Part>> parts, btOverlappingPairCache& cache);
  void give_back();
  /// Hides the same again, without a new collision detection.
  void mask(std::span<const std::unique_ptr<Part>> parts, btOverlappingPairCache& cache);

 private:
  struct Hidden {
    btManifoldPoint* point;
    btScalar distance, restitution;
  };
  void allow_newcomers(btOverlappingPairCache& cache);
  void collect_manifolds(const Part& a, const Part& b, btOverlappingPairCache& cache);
  void mask_manifolds(double depth);
  std::map<std::pair<int, int>, double> depths_;
  std::set<int> newcomers_;     // parts with all overlaps of the next step allowed
  btManifoldArray manifolds_;   // of one pair
  std::vector<Hidden> hidden_;  // as they really are
};

/// Makes what bounces do so by its restitution alone. The engine takes from the bounce the speed that leads across a gap within the step, and adds the
/// speed at which an overlap ends, so a rebound depends on where in a step it falls.
class Bounces {
 public:
  /// Points that meet within the step and bounce seem to just touch; `give_back` undoes this.
  void hide(btDispatcher& dispatcher, const btContactSolverInfo& info);
  void hide(btPersistentManifold& manifold, const btContactSolverInfo& info);
  void give_back();

 private:
  std::vector<std::pair<btManifoldPoint*, btScalar>> hidden_;  // with their distances
};

/// What solving a step changes, as it was before; see World::begin_again.
struct StepMemory {
  struct Motion {
    bool moves = false;  // a dynamic part, awake
    btTransform place;
    btVector3 velocity, spin, force, torque;
    btVector3 gyration;                                       // change of spin by gyroscopic moments
    btVector3 solved_velocity, solved_spin;                   // after the solve
    btVector3 later_velocity{0, 0, 0}, later_spin{0, 0, 0};  // what has changed since
  };
  struct Impulses {
    const btPersistentManifold* manifold;
    std::array<std::array<btScalar, 3>, MANIFOLD_CACHE_SIZE> of_points;
  };
  bool is_on = false;              // of the two below
  std::vector<Impulses> impulses;  // in the order of their manifolds' addresses, which decide nothing
  std::vector<std::pair<int, PlasticState>> joints;  // plastic ones, ascending
  std::vector<Motion> motions;     // #parts

  void take(std::span<const std::unique_ptr<Part>> parts, btDispatcher& dispatcher, double dt);
  void take_solved(std::span<const std::unique_ptr<Part>> parts);
  void take_impulses(btDispatcher& dispatcher);
  void take_joints(std::span<const std::unique_ptr<Joint>> all);
  static Motion motion_of(const btRigidBody& body, double dt);
};

/// Work done in a step, as it is read from the engine; see EnergyChange.
struct StepWork {
  double dt = 0;
  double before = 0, damped = 0;                           // J, kinetic energy at the begin of the step and at the begin of the solve
  double contact = 0, friction = 0, joints = 0, scripted = 0;  // summed by gather()
};

/// A step that is being solved again.
struct SecondSolve {
  bool is_open = false;
  std::vector<uint8_t> parts;  // #parts: put back or added
  struct Point {
    int part, other;  // the removed part and what it touched
    bool is_first;    // the removed part is the first of its manifold
    int manifold;     // points of one share a number
    btManifoldPoint point;
  };
  std::vector<Point> orphans;  // contacts of removed parts
  std::vector<std::unique_ptr<btPersistentManifold>> inherited;
};

/// The engine's world, with allowed overlaps hidden from the solver.
class OverlapWorld final : public btDiscreteDynamicsWorld {
 public:
  using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;
  void solveConstraints(btContactSolverInfo& info) override;

  AllowedOverlaps overlaps;
  Bounces bounces;
  StepMemory memory;
  StepWork work;
  std::span<const std::unique_ptr<Part>> parts;    // set before every step
  std::span<const std::unique_ptr<Joint>> joints;  // likewise
};

/// Which contact manifolds touch a part. Made when first asked for after a step, so that many parts may come, go and reshape for the price of one
/// walk over all manifolds: between steps manifolds only go, with the part they touch.
struct ManifoldIndex {
  bool valid = false;
  std::vector<int> first;                        // #parts when made + 1: begin of each part's range in `manifolds`
  std::vector<btPersistentManifold*> manifolds;  // null where gone

  std::span<btPersistentManifold*> of(int part);
  void forget(int part);
};

/// Kinetic energy of the parts that are awake.
double kinetic_energy_of(std::span<const std::unique_ptr<Part>> parts);

struct World::Engine {
  explicit Engine(const WorldSettings& settings);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Part& part(int index);
  Joint& joint(int index);
  void wake(Part& part);
  void wake_neighbors(Part& part);
  void set_activation(Part& part, int activation, double idle_time);
  std::vector<double> idle_times() const;
  void stay_idle(std::span<const double> before, double dt);

  // joints.cpp
  JointFrames frames_now(const JointSettings& settings);
  int add_joint(const JointSettings& settings, const JointFrames& frames);
  void remove_joint(int index);
  std::unique_ptr<Joint> take_out(int index);
  void drive_motors(double dt);
  void wake_led();
  void move_joints(int part, const Transform& old_to_new);

  // plastic_joints.cpp
  void yield_joints(std::vector<JointBreak>& breaks);
  void ignore(int part_a, int part_b, bool ignored);

  // loads.cpp
  void gather(Loads& loads, double dt);
  void gather_contacts(std::vector<Contact>& contacts);
  void gather_manifold(const btPersistentManifold& manifold, std::vector<Contact>& contacts);
  void gather_joints(std::vector<JointLoad>& loads, double dt);

  // energy.cpp
  Vec6 mean_velocity(const btCollisionObject& body) const;
  Vec3 place_before(const btCollisionObject& body) const;
  double contact_work(const btPersistentManifold& manifold, const btManifoldPoint& point);
  double joint_work(const Joint& joint, double dt);

  // second_solve.cpp
  std::vector<int> islands_of(std::span<const int> parts);
  void put_back(int part);
  void put_back_joints();
  void put_back_impulses();
  void solve_islands();
  void keep_contacts(int part);

  // reshape.cpp
  void index_manifolds();
  void move_contacts(int part, const Transform& old_to_new);

  WorldSettings settings;
  PairFilter filter;
  btDefaultCollisionConfiguration configuration;
  HullsOnPlane::CreateFunc hulls_on_plane{false}, plane_under_hulls{true};
  btCollisionDispatcher dispatcher;
  btDbvtBroadphase broadphase;
  StructureSolver solver;
  OverlapWorld world;
  btRigidBody ground;                          // what joints to the world hold on to; collides with nothing. One per world, unlike the engine's own.
  std::vector<std::unique_ptr<Part>> parts;    // empty where removed
  std::vector<std::unique_ptr<Joint>> joints;  // empty where removed
  std::map<int, PlasticState> ended;           // of plastic joints that are gone
  std::map<int, std::unique_ptr<Joint>> broken;  // in the last step
  ManifoldIndex manifold_index;
  SecondSolve again;
  double age = 0;  // s since the world was built
};

}  // namespace crumple::rigid
