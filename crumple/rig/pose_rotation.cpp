#include "crumple/rig/pose_rotation.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Jacobi>

namespace crumple {
namespace {

/// The eigenvector of the greatest eigenvalue of a symmetric matrix, by Jacobi's rotations.
Eigen::Vector4d greatest_eigenvector(Eigen::Matrix4d m) {
  Eigen::Matrix4d vectors = Eigen::Matrix4d::Identity();
  for (int sweep = 0; sweep < 12; ++sweep) {
    double off = 0;
    for (int p = 0; p < 3; ++p) {
      for (int q = p + 1; q < 4; ++q) {
        off = std::max(off, std::abs(m(p, q)));
        if (m(p, q) == 0) continue;
        Eigen::JacobiRotation<double> turn;
        turn.makeJacobi(m, p, q);
        m.applyOnTheLeft(p, q, turn.adjoint());
        m.applyOnTheRight(p, q, turn);
        vectors.applyOnTheRight(p, q, turn);
      }
    }
    if (off <= 1e-17 * m.diagonal().cwiseAbs().maxCoeff()) break;
  }
  Eigen::Index greatest = 0;
  m.diagonal().maxCoeff(&greatest);
  return vectors.col(greatest);
}

/// Horn's matrix has the quaternion of the nearest rotation as its greatest eigenvector, whether the matrix reflects or not.
Mat3 rotation_by_quaternion(const Mat3& m, const Mat3& guess) {
  const Vec3 z = skew_vector(m);
  Eigen::Matrix4d horn;  // q = (w, x, y, z)
  horn(0, 0) = m.trace();
  horn.block<1, 3>(0, 1) = z.transpose();
  horn.block<3, 1>(1, 0) = z;
  horn.block<3, 3>(1, 1) = m + m.transpose() - m.trace() * Mat3::Identity();
  // Leans towards the guess by so little that only ties notice.
  const Quat hint(guess);
  const Eigen::Vector4d lean(hint.w(), hint.x(), hint.y(), hint.z());
  horn += 1e-12 * horn.norm() * lean * lean.transpose();
  const Eigen::Vector4d q = greatest_eigenvector(horn);
  return Quat(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

}  // namespace

Mat3 rotation_by(const Vec3& w) {
  const double angle = w.norm();
  if (angle < 1e-300) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, w / angle).toRotationMatrix();
}

Mat3 nearest_rotation(const Mat3& matrix, const Mat3& guess) {
  const double size = matrix.norm();
  if (!(size > 0) || !std::isfinite(size)) return guess;
  Mat3 rotation = guess;
  for (int i = 0; i < 4; ++i) {
    // Newton's method. R is the maximum, and the only one, where the slope is zero and tr(Y) - Y is positive, Y = M R^T.
    const Mat3 y = matrix * rotation.transpose() / size;
    const Vec3 slope = skew_vector(y);
    const Mat3 bend = y.trace() * Mat3::Identity() - 0.5 * (y + y.transpose());
    const Eigen::LLT<Mat3> factor(bend);
    if (factor.info() != Eigen::Success || factor.matrixLLT().diagonal().minCoeff() < 1e-3) break;
    const Vec3 step = factor.solve(slope);
    if (step.norm() > 0.5) break;
    rotation = rotation_by(step) * rotation;
    if (step.norm() < 1e-8) return Quat(rotation).normalized().toRotationMatrix();  // the error squares: below rounding now
  }
  return rotation_by_quaternion(matrix, guess);
}

}  // namespace crumple
