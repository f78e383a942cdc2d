#pragma once

#include <memory>
#include <span>
#include <vector>

#include "crumple/math/block_cholesky.h"
#include "crumple/rigid/plastic_law.h"

/// Solves everything that holds or pushes a group of parts in one step, together: elastic-plastic joints, contacts, friction and ordinary joints. One convex minimisation over the
/// change of the parts' velocities, by Newton's method with an exact search along the line. Independent of the engine.
namespace crumple::rigid {

/// A part that can move. Velocities are (velocity, spin) of its centre of mass, world.
struct IslandBody {
  Vec6 free = Vec6::Zero();   // velocity that it would have without joints and contacts, external forces of the step included
  Vec6 start = Vec6::Zero();  // velocity before the step, the best first guess
  double mass = 1;
  Mat3 inertia = Mat3::Identity();  // world
};

/// One number between two bodies: contact, friction, a row of an ordinary joint.
/// impulse = clamp((target - jacobian . change) / softness, low, high) with change = velocity - free.
struct IslandRow {
  int body_a = -1, body_b = -1;  // -1: does not move
  Vec6 jacobian_a = Vec6::Zero(), jacobian_b = Vec6::Zero();
  double target = 0;
  double softness = 0;  // > 0
  double low = 0, high = 0;
  /// Friction: the limits are +-friction * impulse of this row, lagged. Two friction rows that follow each other with the same normal are one disc, not a square.
  int normal = -1;
  double friction = 0;
  double impulse = 0;  // found; its value before is the guess for lagged friction
};

/// An elastic-plastic joint. impulse = -dt * force(strain + dt * rate), rate = jacobian . velocity (not change), plus damping.
struct IslandJoint {
  int body_a = -1, body_b = -1;
  Mat6 jacobian_a = Mat6::Zero(), jacobian_b = Mat6::Zero();
  Vec6 outer_rate = Vec6::Zero();  // from the side that moves by script
  Vec6 strain = Vec6::Zero();      // at the beginning of the step (with the geometric correction, later)
  Vec6 capacity = Vec6::Zero();    // of now
  const PlasticLaw* law = nullptr;
  Vec6 force = Vec6::Zero();       // found: against the strain
  Vec6 rate = Vec6::Zero();        // found
};

struct Island {
  double dt = 0;
  std::vector<IslandBody> bodies;
  std::vector<IslandJoint> joints;
  std::vector<IslandRow> rows;
};

struct IslandSettings {
  int newton_steps = 30;    // most, for one lag of friction
  int friction_solves = 3;  // most
  int factors = 90;         // most, in all
  double tolerance = 1e-8;  // of the residual, against the larger of the weight and 1 % of the momentum
};

struct IslandReport {
  int factors = 0;         // numeric factorisations
  int solves = 0;          // of friction lags
  bool converged = true;   // false: stopped at the budget; the result is rough, and keeps momentum to a few hundredths of what forces change
  double residual = 0;     // relative, at the end
};

struct IslandWork;

/// Keeps the order of elimination while the links stay the same, and its memory. What it finds does not depend on what it solved before.
class IslandSolver {
 public:
  IslandSolver();
  ~IslandSolver();
  IslandSolver(IslandSolver&&) noexcept;
  IslandSolver& operator=(IslandSolver&&) noexcept;

  /// `velocities`: #bodies. On entry the first guess, on return the solution. Fills impulses of rows, force and rate of joints.
  IslandReport solve(Island& island, const IslandSettings& settings, std::span<Vec6> velocities);

 private:
  std::unique_ptr<IslandWork> work_;
};

}  // namespace crumple::rigid
