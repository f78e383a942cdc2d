#pragma once

#include <limits>

#include "crumple/math/block_cholesky.h"

/// The law of an elastic-plastic joint: six rows in the joint's frame, three forces along its axes 0, 1, 2 and three moments about them. Axis 0 runs
/// along the bar. (paper 5, sec. 2 and 3)
namespace crumple::rigid {

/// How the rows yield together.
enum class Interaction {
  None,       ///< six limits, each by itself (paper 5)
  Ellipsoid,  ///< sum of (force / capacity)^2 <= 1 over all rows
  Beam,  ///< |bending| / capacity + (axial / capacity)^2 <= 1 (exact for a rectangle bent about one axis); the two bendings as an ellipse, shear and
         ///< torsion by themselves
};

struct PlasticLaw {
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Vec6 stiffness = Vec6::Zero();           // N/m, N m/rad; 0: the row is free
  Vec6 capacity = Vec6::Constant(kNever);  // N, N m; infinite: the row stays elastic
  Vec6 hardening = Vec6::Zero();           // N/m, N m/rad: growth of the capacity with the row's plastic flow
  double damping = 0;                      // s: viscous force = damping * stiffness * rate, inside the yield limit
  Interaction interaction = Interaction::None;
  double ultimate_elongation = kNever;  // m: sum of the plastic flow of the force rows at which it breaks
  double ultimate_rotation = kNever;    // rad: the same of the moment rows
  /// Where the capacities begin to fall, as a share of the ultimate flow: 1 breaks at once at the limit; at 0.5 they fall linearly from half the
  /// limit to nothing at the limit.
  double softening_from = 1;
  /// Paper 5's rule (eq. 3.2), for comparison: rows stiffer than the step can show lose their elasticity, and only their speed is resisted.
  bool paper_switch = false;
  /// Turning beyond yield is also resisted in proportion to its speed: by this share of the inertia that is turned, per second. (paper 3, section 4.1)
  double drag = 0;
  /// Springs move as the analytic solution says, however long the step is: moment rows, and the row along the bar if it can yield. (paper 3, section 4.3)
  bool exact = false;
  Vec6 step_drag = Vec6::Zero();  // within one step, N/m, N m/rad of flow; set by the solver
};

/// Forces of a strain, with the derivatives for Newton's method.
struct LawResponse {
  Vec6 force = Vec6::Zero();  // admissible; N, N m. Acts against the strain: on part_a it is -force
  Vec6 flow = Vec6::Zero();   // plastic part of the strain
  double work = 0;            // J that the flow dissipates; with hardening the mean of the capacities before and after counts, drag counts in full
  Mat6 tangent;               // d force / d strain, symmetric, positive semidefinite, the exact one of the return
  bool yields = false;
};

/// Closest-point return in the metric of the inverse stiffness, so that the response is the gradient of a convex energy, for every interaction:
///   least over the flow of  1/2 (strain - flow) stiffness (strain - flow) + work(flow),  work(flow) = most work of admissible forces + 1/2 flow
///   hardening flow.
/// So hardening counts within the step, exactly where one row yields. Where rows yield together it is linear in the step, and the surface grows row
/// by row between steps. Hardening fades with the capacity below that of the law, so that a softened row can fall to nothing. `strain`: elastic trial
/// strain; `capacity`: of now, see capacity_now.
LawResponse respond(const PlasticLaw& law, const Vec6& capacity, const Vec6& strain);

/// The force alone, for searches along a line.
Vec6 force_of(const PlasticLaw& law, const Vec6& capacity, const Vec6& strain);

/// How much of the capacity a force uses, by the law's interaction: a force divided by it just yields. A row without capacity is used up by any
/// force.
double utilisation(const PlasticLaw& law, const Vec6& capacity, const Vec6& force);

/// Paper 5's rule for one step: rows with sqrt(stiffness / inertia) dt > 0.25 (eq. 3.2) become rigid-plastic. They start the step without strain and
/// are so stiff that nothing but their capacity limits how much of their speed is taken. `smaller_inertia`: of the two parts, mass (kg) or inertia
/// about the row's axis (kg m^2).
PlasticLaw switched(const PlasticLaw& law, const Vec6& smaller_inertia, double dt, Vec6& strain);

}  // namespace crumple::rigid
