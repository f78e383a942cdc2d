#include "crumple/rig/pose_energy.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/Cholesky>

#include "crumple/rig/pose_clusters.h"
#include "crumple/rig/pose_rotation.h"

// a: turn of a handle, c: its place, R: rotation of a cluster, S: its summed gradient, w: a turning vector, dc: a change of place.
// With N = a K R^T, turning handle b by w moves the skew vector of S R^T by (tr(N) - N) w; that of [w]x N [w']x^T has the trace
// w . (tr(N) - N^T) w'.

namespace crumple {
namespace {

Mat3 trace_minus(const Mat3& n) {
  return n.trace() * Mat3::Identity() - n;
}

/// Without it a handle that is pushed in deeply rolls to one side, and over, for the sake of a per cent of the energy; ten times as much
/// makes the ends of a bent bar lag by a third of their turn.
constexpr double kAgreement = 0.02;

/// Adds what turning neighbouring handles apart costs.
void add_agreement(const Asset& asset, Eigen::MatrixXd& quadratic) {
  const Eigen::MatrixXd plain = quadratic;
  for (size_t b = 0; b < asset.handles.size(); ++b) {
    for (size_t c = 0; c < b; ++c) {
      const auto i = static_cast<Eigen::Index>(4 * b), j = static_cast<Eigen::Index>(4 * c);
      // How strongly one pulls at the other's place, over distances: the share of the body that is between them.
      const double shared = -plain(i + 3, j + 3) * (asset.handles[b].position - asset.handles[c].position).squaredNorm();
      if (!(shared > 0)) continue;
      const Mat3 cost = kAgreement * shared * Mat3::Identity();
      quadratic.block<3, 3>(i, i) += cost, quadratic.block<3, 3>(j, j) += cost;
      quadratic.block<3, 3>(i, j) -= cost, quadratic.block<3, 3>(j, i) -= cost;
    }
  }
}

}  // namespace

PoseEnergy::PoseEnergy(const Asset& asset, int clusters)
    // Enough that finer ones hardly change the turns, few enough for a millisecond.
    : data_(
          reduce_to_handles(asset, cluster_elements(asset, clusters > 0 ? clusters : std::clamp(5 * static_cast<int>(asset.handles.size()), 80, 240)))) {
  add_agreement(asset, data_.quadratic);
}

Eigen::MatrixXd PoseEnergy::stack(const HandlePlaces& at) const {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(4 * handles()), 3);
  // Energy does not know where the body is as a whole: small numbers keep its precision.
  const Vec3 origin = at.place.empty() ? Vec3::Zero() : at.place[0];
  for (size_t b = 0; b < handles(); ++b) {
    rows.block<3, 3>(static_cast<Eigen::Index>(4 * b), 0) = at.turn[b].transpose();
    rows.row(static_cast<Eigen::Index>(4 * b + 3)) = (at.place[b] - origin).transpose();
  }
  return rows;
}

Mat3 PoseEnergy::summed_gradient(const HandlePlaces& at, size_t cluster) const {
  Mat3 sum = Mat3::Zero();
  for (int i = data_.first[cluster]; i < data_.first[cluster + 1]; ++i) {
    const PoseReduction::Part& part = data_.parts[static_cast<size_t>(i)];
    const auto b = static_cast<size_t>(part.handle);
    sum.noalias() += at.turn[b] * part.linear;
    sum.noalias() += (at.place[b] - at.place[0]) * part.shift.transpose();
  }
  if (is_flat()) sum(2, 2) += data_.upright[cluster];
  return sum;
}

double PoseEnergy::evaluate(const HandlePlaces& at, std::vector<Mat3>& rotations) const {
  assert(at.turn.size() == handles() && at.place.size() == handles());
  rotations.resize(clusters(), Mat3::Identity());
  const Eigen::MatrixXd rows = stack(at);
  double energy = 3 + (data_.quadratic * rows).cwiseProduct(rows).sum();
  for (size_t k = 0; k < clusters(); ++k) {
    const Mat3 sum = summed_gradient(at, k);
    rotations[k] = nearest_rotation(sum, rotations[k]);
    energy -= 2 * rotations[k].cwiseProduct(sum).sum();
    if (is_flat()) energy += 2 * data_.upright[k];
  }
  return is_flat() ? energy - 1 : energy;
}

/// dE/dT, rotations of the clusters held: they are the best ones, so the energy does not change with them.
Eigen::MatrixXd PoseEnergy::slopes(const HandlePlaces& at, const std::vector<Mat3>& rotations) const {
  Eigen::MatrixXd slope = 2 * data_.quadratic * stack(at);
  for (size_t k = 0; k < clusters(); ++k) {
    const Mat3 turned = 2 * rotations[k].transpose();
    for (int i = data_.first[k]; i < data_.first[k + 1]; ++i) {
      const PoseReduction::Part& part = data_.parts[static_cast<size_t>(i)];
      slope.block<3, 3>(4 * part.handle, 0).noalias() -= part.linear * turned;
      slope.row(4 * part.handle + 3).noalias() -= part.shift.transpose() * turned;
    }
  }
  return slope;
}

void PoseEnergy::derivatives(const HandlePlaces& at, const std::vector<Mat3>& rotations, const PoseFreedom& free, Eigen::VectorXd& gradient,
                             Eigen::MatrixXd& hessian) const {
  gradient.setZero(free.count);
  hessian.setZero(free.count, free.count);
  add_quadratic(at, free, hessian);
  add_clusters(at, rotations, free, hessian);
  const Eigen::MatrixXd slope = slopes(at, rotations);
  for (size_t b = 0; b < handles(); ++b) {
    const auto row = static_cast<Eigen::Index>(4 * b);
    if (free.place[b] >= 0) gradient.segment<3>(free.place[b]) = slope.row(row + 3).transpose();
    if (free.turn[b] < 0) continue;
    const Mat3 p = at.turn[b] * slope.block<3, 3>(row, 0);
    gradient.segment<3>(free.turn[b]) = skew_vector(p.transpose());
    // exp([w]x) bends: its second-order part [w]x[w]x / 2 meets the slope.
    hessian.block<3, 3>(free.turn[b], free.turn[b]) -= trace_minus(0.5 * (p + p.transpose()));
  }
  if (is_flat()) keep_in_plane(free, gradient, hessian);
}

/// Turns about x and y and moves along z are none of a drawing's.
void PoseEnergy::keep_in_plane(const PoseFreedom& free, Eigen::VectorXd& gradient, Eigen::MatrixXd& hessian) const {
  const auto hold = [&](int row) { gradient[row] = 0, hessian.row(row).setZero(), hessian.col(row).setZero(), hessian(row, row) = 1; };
  for (size_t b = 0; b < handles(); ++b) {
    if (free.turn[b] >= 0) hold(free.turn[b]), hold(free.turn[b] + 1);
    if (free.place[b] >= 0) hold(free.place[b] + 2);
  }
}

Eigen::VectorXd PoseEnergy::stiffness(const PoseFreedom& free) const {
  const Eigen::VectorXd diagonal = 2 * data_.quadratic.diagonal();
  const auto turning = [&](size_t b) { return diagonal.segment<3>(static_cast<Eigen::Index>(4 * b)).sum(); };
  const auto moving = [&](size_t b) { return diagonal[static_cast<Eigen::Index>(4 * b + 3)]; };
  double most_turning = 0, most_moving = 0;
  for (size_t b = 0; b < handles(); ++b) most_turning = std::max(most_turning, turning(b)), most_moving = std::max(most_moving, moving(b));
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(free.count);
  for (size_t b = 0; b < handles(); ++b) {  // a handle without weight has none of its own
    if (free.turn[b] >= 0) scale.segment<3>(free.turn[b]).setConstant(std::max({turning(b), 1e-6 * most_turning, 1e-300}));
    if (free.place[b] >= 0) scale.segment<3>(free.place[b]).setConstant(std::max({moving(b), 1e-6 * most_moving, 1e-300}));
  }
  return scale;
}

void PoseEnergy::add_quadratic(const HandlePlaces& at, const PoseFreedom& free, Eigen::MatrixXd& hessian) const {
  for (size_t b = 0; b < handles(); ++b) {
    for (size_t c = 0; c < handles(); ++c) {
      const auto block = data_.quadratic.block<4, 4>(static_cast<Eigen::Index>(4 * b), static_cast<Eigen::Index>(4 * c));
      if (free.turn[b] >= 0 && free.turn[c] >= 0) {
        const Mat3 n = at.turn[b] * block.topLeftCorner<3, 3>() * at.turn[c].transpose();
        hessian.block<3, 3>(free.turn[b], free.turn[c]) += 2 * trace_minus(n.transpose());
      }
      if (free.turn[b] >= 0 && free.place[c] >= 0) {
        const Mat3 cross = 2 * cross_matrix(at.turn[b] * block.topRightCorner<3, 1>());
        hessian.block<3, 3>(free.turn[b], free.place[c]) += cross;
        hessian.block<3, 3>(free.place[c], free.turn[b]) += cross.transpose();
      }
      if (free.place[b] >= 0 && free.place[c] >= 0) hessian.block<3, 3>(free.place[b], free.place[c]).diagonal().array() += 2 * block(3, 3);
    }
  }
}

/// What the rotations' following takes off: with G = tr(S R^T) - S R^T and z the change of the skew vector, -2 z . G^-1 z.
void PoseEnergy::add_clusters(const HandlePlaces& at, const std::vector<Mat3>& rotations, const PoseFreedom& free, Eigen::MatrixXd& hessian) const {
  Eigen::Matrix<double, 3, Eigen::Dynamic> rows(3, free.count);
  Eigen::MatrixXd product;
  std::vector<int> where;  // first rows of the Hessian that the columns of `rows` stand for
  for (size_t k = 0; k < clusters(); ++k) {
    const Mat3 y = summed_gradient(at, k) * rotations[k].transpose();
    const double floor = 1e-2 * y.trace();
    if (!(floor > 0)) continue;
    Eigen::LLT<Mat3> factor(trace_minus(0.5 * (y + y.transpose())));
    if (factor.info() != Eigen::Success || factor.matrixLLT().diagonal().minCoeff() < std::sqrt(floor))
      factor.compute(trace_minus(0.5 * (y + y.transpose())) + floor * Mat3::Identity());
    if (factor.info() != Eigen::Success) continue;
    where.clear();
    const auto add = [&](int row, const Mat3& change) {
      rows.middleCols<3>(static_cast<Eigen::Index>(3 * where.size())) = factor.matrixL().solve(change);
      where.push_back(row);
    };
    for (int i = data_.first[k]; i < data_.first[k + 1]; ++i) {
      const PoseReduction::Part& part = data_.parts[static_cast<size_t>(i)];
      const auto b = static_cast<size_t>(part.handle);
      if (free.turn[b] >= 0) add(free.turn[b], trace_minus(at.turn[b] * part.linear * rotations[k].transpose()));
      if (free.place[b] >= 0) add(free.place[b], cross_matrix(rotations[k] * part.shift));
    }
    const auto used = rows.leftCols(static_cast<Eigen::Index>(3 * where.size()));
    product.noalias() = 2 * used.transpose() * used;
    for (size_t i = 0; i < where.size(); ++i) {
      for (size_t j = 0; j < where.size(); ++j) {
        hessian.block<3, 3>(where[i], where[j]) -= product.block<3, 3>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(3 * j));
      }
    }
  }
}

}  // namespace crumple
