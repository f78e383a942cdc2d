#pragma once

#include <array>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "crumple/rigid/island.h"
#include "crumple/rigid/plastic_joint.h"
#include "crumple/rigid/world.h"

namespace crumple::rigid {

/// An elastic-plastic joint as the engine sees it: it links its parts into one island and has no rows of its own, for StructureSolver holds it.
class PlasticConstraint final : public btTypedConstraint {
 public:
  PlasticConstraint(btRigidBody& a, btRigidBody& b, const JointFrames& frames, const PlasticLaw& law);

  void getInfo1(btConstraintInfo1* info) override;
  void getInfo2(btConstraintInfo2* info) override;
  void setParam(int, btScalar, int) override {}
  btScalar getParam(int, int) const override { return 0; }

  static bool is_plastic(const btTypedConstraint& constraint);

  /// The joint's frame as each part carries it.
  Transform on_a() const, on_b() const;
  /// After the parts have moved: see rigid::yield.
  bool yield();

  PlasticLaw law;
  PlasticLaw step_law;  // of the step: rows may be switched, see PlasticLaw::paper_switch, or stand for what a spring does within it
  PlasticState state;
  JointFrames frames;
  JointGeometry after;  // of the last step
  double scale = 1;     // of the capacities in the step in which it breaks
  bool solved = false;  // in the last step
  double work = 0, scripted_work = 0;  // J, of the last step: on both parts, and what a scripted one of them put in
};

/// Islands that elastic-plastic joints hold together are solved directly, all others by the engine's own solver.
class StructureSolver final : public btSequentialImpulseConstraintSolver {
 public:
  btScalar solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds, int manifold_count,
                      btTypedConstraint** constraints, int constraint_count, const btContactSolverInfo& info, btIDebugDraw* drawer,
                      btDispatcher* dispatcher) override;

  World::StructureHealth health;
  std::vector<double> rolling_work;  // #parts: J that rolling friction did in the step, booked for one of its two parts

 protected:
  btScalar solveGroupCacheFriendlyIterations(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds, int manifold_count,
                                             btTypedConstraint** constraints, int constraint_count, const btContactSolverInfo& info,
                                             btIDebugDraw* drawer) override;
  btScalar solveGroupCacheFriendlyFinish(btCollisionObject** bodies, int body_count, const btContactSolverInfo& info) override;

 private:
  /// A pool of the engine's rows, and where it begins among the island's.
  struct RowRange {
    btConstraintArray* pool;
    size_t first;
  };
  void collect_bodies();
  void collect_joints(double dt);
  void switch_rows(PlasticConstraint& joint, const IslandJoint& ours, JointGeometry& geometry) const;
  void shape_laws();
  void update_lags();
  void collect_rows(double erp);
  void add_rows(btConstraintArray& pool, bool friction);
  void limit_push(double erp);
  void solve();
  bool run(int factors);
  template <class Change>
  bool run_pass(const Change& change);
  bool may_need_correction(const IslandJoint& joint) const;
  bool correct_geometry();
  JointGeometry measure_later(size_t joint, double time) const;
  bool is_taut(size_t joint) const;
  Vec3 force_on_a(size_t joint) const;
  Vec6 velocity_now(const btRigidBody& part, int body) const;
  void set_geometry(size_t joint, const JointGeometry& geometry, double time);
  void hold_turns();
  std::vector<double> scales_now() const;
  std::vector<double> break_scales() const;
  bool limit_to_break();
  void write_back();
  int index_of(const btRigidBody& body) const;

  std::vector<PlasticConstraint*> joints_;  // of the island at hand; empty: not ours
  Island island_;
  IslandSolver newton_;
  IslandReport report_;
  int step_factors_ = 0;
  std::vector<Vec6> velocities_;     // #bodies of island_
  std::vector<Vec6> start_capacities_;
  std::vector<Vec6> shifts_;           // #joints: of strains, so that springs are exact
  struct SpringStep {
    Vec6 mean_rate = Vec6::Zero(), lag = Vec6::Zero();  // as the analytic solution has them
    std::array<bool, 6> is_exact = {};
  };
  std::vector<SpringStep> springs_;    // #joints
  std::vector<uint8_t> taut_;          // #joints: taken midway through the step, not at its beginning
  std::vector<Mat3> frames_;           // #joints: as the jacobians have them
  std::vector<Vec3> arms_a_, arms_b_;  // #joints: from the parts' centres, likewise
  std::vector<IslandBody> bodies_;     // #bodies: island_.bodies before turns are held
  std::vector<double> targets_;        // #rows: likewise
  std::vector<Mat3> held_turns_;       // #bodies: stiffness that holds turns to those of the last pass, kg m^2
  std::vector<int> body_of_pool_;      // index in island_.bodies of each of the engine's solver bodies, -1: does not move
  std::vector<int> pool_of_body_;      // and back
  std::vector<RowRange> ranges_;
};

}  // namespace crumple::rigid
