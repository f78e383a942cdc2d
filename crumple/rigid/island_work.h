#pragma once

#include "crumple/rigid/island.h"

/// The insides of IslandSolver. Unknown are the velocities v; what is minimised is
///   1/2 (v - free) M (v - free)  +  energy of rows(J v - J free)  +  dt / reach * energy of joints(strain + reach J v),
/// convex, with a unique minimum. A row's energy is a parabola that goes on as a straight line beyond its limits, a joint's the same in six
/// dimensions.
namespace crumple::rigid {

/// Two friction rows of one contact are a disc: the first speaks for both.
enum class RowRole : unsigned char { Alone, Disc, Second };

struct RowWork {
  double change = 0;            // jacobian . (velocity - free)
  double start = 0, slope = 0;  // the same before the Newton step, and how the step changes it
  double stiffness = 0;         // 1 / softness
  double low = 0, high = 0;     // of a disc, `high` is the radius
  double impulse = 0;           // at `change`
  double weight = 0;            // - d impulse / d change; of a disc that slides: across its direction
  double secant = 0;            // what a parabola that reaches the same impulse would have, if a limit holds; of a disc: along its direction
  double along[2] = {0, 0};     // direction in which a disc slides
  signed char piece = 0;        // -1 at the low limit, 0 between, 1 at the high one, 2 slides on its disc
  RowRole role = RowRole::Alone;
  BlockCholesky::Slot slot;  // if both bodies move
};

struct JointWork {
  Vec6 strain = Vec6::Zero();                       // at the end of the time step, damping included
  Vec6 start = Vec6::Zero(), slope = Vec6::Zero();  // the same before the Newton step, and how the step changes it
  double reach = 0;                                 // s: strain per rate, the time step plus the damping
  Mat6 from_a, from_b;                              // jacobians, transposed: products run along columns
  BlockCholesky::Slot slot;                         // if both bodies move
};

struct IslandWork {
  BlockCholesky matrix;
  std::vector<std::pair<int, int>> links;  // of the matrix, sorted
  std::vector<std::pair<int, int>> named;  // as joints and rows name them
  std::vector<RowWork> rows;
  std::vector<JointWork> joints;
  std::vector<LawResponse> responses;  // #joints: at their strains
  std::vector<Mat3> inverse_inertia;   // #bodies
  std::vector<Vec6> gradient, step;    // #bodies
  double secant_share = 0;             // of the secant stiffness that is added where something yields

  std::vector<Vec6> velocities_solved;  // #bodies: after the last solve that got to its end

  // before the Newton step
  std::vector<Vec6> velocities_before;        // #bodies
  std::vector<signed char> pieces_before;     // #rows
  std::vector<LawResponse> responses_before;  // #joints
};

// island_setup.cpp
void start(const Island& island, IslandWork& work);
/// Limits of friction rows by the impulses of their normals. Returns whether any changed by more than a ten-thousandth.
bool set_friction_limits(const Island& island, IslandWork& work);

// island_forces.cpp
Vec6 times_mass(const IslandBody& body, const Vec6& velocity);
/// How the bodies of a joint move against each other, without those outside of the island.
Vec6 joint_rate(const IslandJoint& joint, std::span<const Vec6> velocities);
/// Changes of rows and strains of joints at these velocities.
void measure(const Island& island, std::span<const Vec6> velocities, IslandWork& work);
void respond_rows(const Island& island, IslandWork& work);
void respond_joints(const Island& island, IslandWork& work);
void find_gradient(const Island& island, std::span<const Vec6> velocities, IslandWork& work);
/// What the Newton step changes in rows and joints.
void find_slopes(const Island& island, IslandWork& work);

// island_matrix.cpp
/// Fills and factors the matrix of second derivatives.
bool factor(const Island& island, IslandWork& work);

// island_balance.cpp
/// Impulses and velocities that belong to each other, where Newton's method has not got to its end: momentum is exact, forces are admissible, and only
/// how well joints and contacts hold is rough.
void balance(Island& island, std::span<Vec6> velocities, const IslandWork& work);

// island_search.cpp
/// The energy along the step, by its derivative, which never falls.
struct Line {
  double mass_at_start = 0, mass_slope = 0;  // the part of the inertia
};
Line make_line(const Island& island, const IslandWork& work);
/// At the end of the step, where rows and joints have responded.
double derivative_at_end(const Island& island, const Line& line, const IslandWork& work);
/// The share of the step at which the energy is least, at most all of it.
double search(const Island& island, const Line& line, const IslandWork& work, double at_start, double at_end);

}  // namespace crumple::rigid
