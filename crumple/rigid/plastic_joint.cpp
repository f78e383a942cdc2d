#include "crumple/rigid/plastic_joint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

// Legend. Q the turn of a as seen from b, S the square root of its plastic part, E its elastic part: Q = S E S. The halfway frame is that of b turned
// by S and half of E, and from there half of E and S lead to a: the same seen from either side.

namespace crumple::rigid {
namespace {

Quat exponential(const Vec3& turn) {
  const double angle = turn.norm();
  const double half = 0.5 * angle;
  const double sinc = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(half) / angle;
  Quat result;
  result.w() = std::cos(half);
  result.vec() = sinc * turn;
  return result;
}

/// The shorter way: angles up to pi.
Vec3 logarithm(const Quat& turn) {
  const double sine = turn.vec().norm();
  const double sign = turn.w() < 0 ? -1 : 1;
  if (sine < 1e-8) return (2 * sign) * turn.vec();
  return (2 * sign * std::atan2(sine, std::abs(turn.w())) / sine) * turn.vec();
}

/// Half the angle of a quaternion taken as it is, up to a whole turn. At a whole turn any axis would do: that of the guess.
Quat half_of(const Quat& turn, const Quat& guess) {
  const double sine = turn.vec().norm();
  const double half = 0.5 * std::atan2(sine, turn.w());
  const bool whole = sine < 1e-8 && turn.w() < 0;
  Quat result;
  result.w() = std::cos(half);
  result.vec() = whole ? guess.vec().normalized() : (sine < 1e-8 ? 0.5 : std::sin(half) / sine) * turn.vec();
  return result.normalized();
}

/// Of the two turns that make this one when done twice, the one nearest to a guess: so bends pass half a turn without a jump.
Quat square_root(const Quat& turn, const Quat& guess) {
  const Quat one = half_of(turn, guess), other = half_of(Quat(-turn.coeffs()), guess);
  return std::abs(one.dot(guess)) >= std::abs(other.dot(guess)) ? one : other;
}

Quat seen_from_b(const Transform& a, const Transform& b) {
  return Quat(Mat3(b.rotation.transpose() * a.rotation)).normalized();
}

double used_of(double flow, double limit) {
  return limit > 0 ? flow / limit : (flow > 0 ? 1 : 0);
}

/// Share of the limits that the flow has used up; the larger of both counts.
double used_share(const PlasticLaw& law, const PlasticState& state) {
  return std::max(used_of(state.elongation(), law.ultimate_elongation), used_of(state.rotation(), law.ultimate_rotation));
}

bool at_limit(const PlasticLaw& law, const PlasticState& state) {
  constexpr double kRounding = 1e-12;
  return state.elongation() >= law.ultimate_elongation - kRounding || state.rotation() >= law.ultimate_rotation - kRounding;
}

double softening(const PlasticLaw& law, double used) {
  if (used >= 1) return 0;
  return used > law.softening_from ? (1 - used) / (1 - law.softening_from) : 1;
}

}  // namespace

Vec6 capacity_now(const PlasticLaw& law, const PlasticState& state) {
  const double factor = state.broken != 0 ? 0 : softening(law, used_share(law, state));
  if (!(factor > 0)) return Vec6::Zero();
  return factor * (law.capacity + law.hardening.cwiseProduct(state.flow)).cwiseMax(0);
}

JointGeometry measure(const PlasticState& state, const Transform& a, const Transform& b) {
  const bool bent = !state.bend.isZero(0);  // most are not: three turns less
  const Quat seen = seen_from_b(a, b), back = bent ? exponential(-state.bend) : Quat::Identity();
  const Vec3 turn = logarithm(bent ? back * seen * back : seen);
  const Quat half = exponential(0.5 * turn);
  JointGeometry result;
  result.frame = b.rotation * (bent ? back.conjugate() * half : half).toRotationMatrix();
  result.at = 0.5 * (a.translation + b.translation);
  result.strain.head<3>() = result.frame.transpose() * (a.translation - b.translation) - state.offset;
  result.strain.tail<3>() = turn;
  return result;
}

void jacobians(const JointGeometry& geometry, const Vec3& center_a, const Vec3& center_b, Mat6& jacobian_a, Mat6& jacobian_b) {
  const Mat3 axes = geometry.frame.transpose();
  jacobian_a << axes, -axes * cross_matrix(geometry.at - center_a), Mat3::Zero(), axes;
  jacobian_b << -axes, axes * cross_matrix(geometry.at - center_b), Mat3::Zero(), -axes;
}

void keep_strain(PlasticState& state, const Transform& a, const Transform& b, const Vec6& strain) {
  const Vec3 turn = strain.tail<3>();
  const Quat half = exponential(0.5 * turn), back = half.conjugate();  // of E
  const Quat root = square_root(half * seen_from_b(a, b) * half, half * exponential(state.bend) * half);
  const Quat bend = back * root * back;  // Q = bend E bend
  state.bend = logarithm(bend);
  const Mat3 frame = b.rotation * (bend * half).normalized().toRotationMatrix();
  state.offset = frame.transpose() * (a.translation - b.translation) - strain.head<3>();
}

bool yield(const PlasticLaw& law, PlasticState& state, const Transform& a, const Transform& b, double scale) {
  return yield(law, state, a, b, measure(state, a, b), scale);
}

bool yield(const PlasticLaw& law, PlasticState& state, const Transform& a, const Transform& b, const JointGeometry& geometry, double scale) {
  if (state.broken != 0) return false;
  const Vec6& strain = geometry.strain;
  const Vec6 capacity = scale > 0 ? Vec6(scale * capacity_now(law, state)) : Vec6(Vec6::Zero());
  const LawResponse response = respond(law, capacity, strain);

  // A free row has no force that could remember its strain; small strains are measured best.
  const Vec6 kept = (law.stiffness.array() > 0).select(strain - response.flow, 0);
  if (kept != strain) keep_strain(state, a, b, kept);
  const Vec6 flow_before = state.flow;
  state.flow += response.flow.cwiseAbs();
  state.work += response.work;
  state.force = response.force;
  state.utilisation = response.yields ? 1 : utilisation(law, capacity, response.force);
  state.peak_utilisation = std::max(state.peak_utilisation, state.utilisation);
  if (!response.yields || !at_limit(law, state)) return false;
  state.flow = flow_before + scale * response.flow.cwiseAbs();  // it flows as long as it holds
  state.broken = 1;
  state.force.setZero();
  return true;
}

double remaining_share(const PlasticLaw& law, const PlasticState& state) {
  return state.broken != 0 ? 0 : std::clamp(1 - used_share(law, state), 0.0, 1.0);
}

double elastic_energy(const PlasticLaw& law, const PlasticState& state) {
  double energy = 0;
  for (int i = 0; i < 6; ++i) {
    if (law.stiffness[i] > 0) energy += 0.5 * state.force[i] * state.force[i] / law.stiffness[i];
  }
  return energy;
}

Transform moved(const Transform& center, const Vec3& velocity, const Vec3& spin, double dt) {
  // The engine's own exponential map, its limit and its series included: what joints measure must be where parts will be.
  constexpr double kMaxTurn = 0.25 * std::numbers::pi, kEpsilon = std::numeric_limits<double>::epsilon();
  const double square = spin.squaredNorm();
  double rate = square > kEpsilon ? std::sqrt(square) : 0;
  if (rate * dt > kMaxTurn) rate = kMaxTurn / dt;
  const double sinc = rate < 0.001 ? 0.5 * dt - dt * dt * dt * 0.020833333333 * rate * rate : std::sin(0.5 * rate * dt) / rate;
  Quat turn;
  turn.w() = std::cos(0.5 * rate * dt);
  turn.vec() = sinc * spin;
  const Quat orientation = turn * Quat(center.rotation);
  Transform result;
  result.translation = center.translation + velocity * dt;
  result.rotation = orientation.squaredNorm() > kEpsilon ? orientation.normalized().toRotationMatrix() : center.rotation;
  return result;
}

}  // namespace crumple::rigid
