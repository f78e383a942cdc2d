#include <algorithm>
#include <cmath>

#include "crumple/math/block_kernels.h"
#include "crumple/rigid/island_work.h"

namespace crumple::rigid {
namespace {

// Where masses are lost in rounding beside stiffness, a pivot may seem negative. Then the diagonal is raised by this share, and by more if need be;
// the search along the line still goes downhill.
constexpr double kFirstShift = 1e-14;
constexpr double kLastShift = 1e-6;

/// A joint's tangent and, where it yields, a share of the secant: what a spring would have that reaches the same force.
Mat6 stiffness_of(const PlasticLaw& law, const Vec6& strain, const LawResponse& response, double secant_share) {
  Mat6 result = response.tangent;
  if (secant_share <= 0) return result;
  for (int i = 0; i < 6; ++i) {
    const double size = std::abs(strain[i]);
    const double secant = size > 0 ? std::min(std::abs(response.force[i]) / size, law.stiffness[i]) : law.stiffness[i];
    if (secant > result(i, i)) result(i, i) += secant_share * (secant - result(i, i));
  }
  return result;
}

void add_joint(const IslandJoint& joint, const JointWork& work, const LawResponse& response, double dt, double secant_share, BlockCholesky& to) {
  const double scale = dt * work.reach;
  Mat6 weighted_a, weighted_b;  // stiffness . jacobian
  if (!response.yields) {
    const Vec6 stiffness = scale * joint.law->stiffness;
    if (joint.body_a >= 0) weighted_a.noalias() = stiffness.asDiagonal() * joint.jacobian_a;
    if (joint.body_b >= 0) weighted_b.noalias() = stiffness.asDiagonal() * joint.jacobian_b;
  } else {
    const Mat6 stiffness = scale * stiffness_of(*joint.law, work.strain, response, secant_share);
    weighted_a.setZero(), weighted_b.setZero();
    if (joint.body_a >= 0) add_product(weighted_a, stiffness, joint.jacobian_a);
    if (joint.body_b >= 0) add_product(weighted_b, stiffness, joint.jacobian_b);
  }
  if (joint.body_a >= 0) add_product(to.diagonal(joint.body_a), work.from_a, weighted_a);
  if (joint.body_b >= 0) add_product(to.diagonal(joint.body_b), work.from_b, weighted_b);
  if (work.slot.index < 0) return;
  if (work.slot.flipped) {
    add_product(to.link(work.slot.index), work.from_b, weighted_a);
  } else {
    add_product(to.link(work.slot.index), work.from_a, weighted_b);
  }
}

void add_row(const IslandRow& row, const RowWork& work, const Vec6& a, const Vec6& b, double weight, BlockCholesky& to) {
  if (weight <= 0) return;
  const Vec6 weighted_a = weight * a, weighted_b = weight * b;
  if (row.body_a >= 0) to.diagonal(row.body_a).noalias() += weighted_a * a.transpose();
  if (row.body_b >= 0) to.diagonal(row.body_b).noalias() += weighted_b * b.transpose();
  if (work.slot.index < 0) return;
  if (work.slot.flipped) {
    to.link(work.slot.index).noalias() += weighted_b * a.transpose();
  } else {
    to.link(work.slot.index).noalias() += weighted_a * b.transpose();
  }
}

/// Stiff across the direction in which it slides, and along it only as far as the secant is wanted.
void add_sliding_disc(const IslandRow& row, const IslandRow& next, const RowWork& work, double secant_share, BlockCholesky& to) {
  const double x = work.along[0], y = work.along[1];
  add_row(row, work, x * next.jacobian_a - y * row.jacobian_a, x * next.jacobian_b - y * row.jacobian_b, work.weight, to);
  add_row(row, work, x * row.jacobian_a + y * next.jacobian_a, x * row.jacobian_b + y * next.jacobian_b, secant_share * work.secant, to);
}

void add_rows(const Island& island, IslandWork& work) {
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    const RowWork& ours = work.rows[i];
    if (ours.role == RowRole::Disc && ours.piece == 2) {
      add_sliding_disc(row, island.rows[i + 1], ours, work.secant_share, work.matrix);
      ++i;
    } else {
      add_row(row, ours, row.jacobian_a, row.jacobian_b, ours.weight + work.secant_share * ours.secant, work.matrix);
    }
  }
}

void assemble(const Island& island, double shift, IslandWork& work) {
  work.matrix.set_zero();
  for (size_t i = 0; i < island.bodies.size(); ++i) {
    Mat6& block = work.matrix.diagonal(static_cast<int>(i));
    block.diagonal().head<3>().setConstant(island.bodies[i].mass);
    block.bottomRightCorner<3, 3>() = island.bodies[i].inertia;
  }
  for (size_t j = 0; j < island.joints.size(); ++j) {
    add_joint(island.joints[j], work.joints[j], work.responses[j], island.dt, work.secant_share, work.matrix);
  }
  add_rows(island, work);
  if (shift == 0) return;
  for (size_t i = 0; i < island.bodies.size(); ++i) work.matrix.diagonal(static_cast<int>(i)).diagonal() *= 1 + shift;
}

}  // namespace

bool factor(const Island& island, IslandWork& work) {
  assemble(island, 0, work);
  if (work.matrix.factor()) return true;
  for (double shift = kFirstShift; shift <= kLastShift; shift *= 100) {
    assemble(island, shift, work);
    if (work.matrix.factor()) return true;
  }
  return false;
}

}  // namespace crumple::rigid
