#include "crumple/rigid/plastic_law.h"

#include <algorithm>
#include <array>
#include <cmath>

// Legend. k stiffness, h hardening within the step, a = k + h; c capacity; t = k * strain, the trial; y the part of the force that the surface
// limits, so that flow p = (t - y) / a and force = y + h p. In units of the capacities: u = t / c, z = y / c, g = a / c^2. The return is the y
// nearest to t in the metric 1 / a.

namespace crumple::rigid {
namespace {

// Below it a capacity is none; its square must not vanish.
constexpr double kNoCapacity = 1e-60;
// Newton's method below is monotone and takes 3 to 15 steps; the most is for numbers that are not numbers.
constexpr int kMaxSteps = 100;
constexpr double kOnSurface = 1e-15;

enum class RowKind { Elastic, Limited, Slack };  // never yields; yields at its capacity; has no capacity left

struct Rows {
  Vec6 trial, hardening, modulus, capacity;  // t, h (drag of the step included), a, c
  std::array<RowKind, 6> kind;
};

/// What of the trial is kept, and its derivative: d y = slope a^-1 d t.
struct Kept {
  Vec6 force;
  Mat6 slope;
};

RowKind kind_of(double stiffness, double capacity) {
  if (!(stiffness > 0) || capacity == PlasticLaw::kNever) return RowKind::Elastic;
  return capacity > kNoCapacity ? RowKind::Limited : RowKind::Slack;
}

double hardening_now(const PlasticLaw& law, const Vec6& capacity, int row) {
  const double hardening = std::max(0.0, law.hardening[row]);
  return capacity[row] < law.capacity[row] && law.capacity[row] < PlasticLaw::kNever ? hardening * capacity[row] / law.capacity[row] : hardening;
}

Rows make_rows(const PlasticLaw& law, const Vec6& capacity, const Vec6& trial) {
  Rows rows;
  rows.trial = trial;
  rows.capacity = capacity;
  for (int i = 0; i < 6; ++i) {
    rows.kind[i] = kind_of(law.stiffness[i], capacity[i]);
    rows.hardening[i] = hardening_now(law, capacity, i) + law.step_drag[i];
    rows.modulus[i] = law.stiffness[i] + rows.hardening[i];
  }
  return rows;
}

bool within_each(const Vec6& capacity, const Vec6& trial, int row) {
  return std::abs(trial[row]) <= capacity[row];
}

/// Also false if a capacity is zero: the slow path handles that.
bool within(const PlasticLaw& law, const Vec6& capacity, const Vec6& trial) {
  if (law.interaction == Interaction::None) return (trial.array().abs() <= capacity.array()).all();
  const Vec6 use = trial.cwiseQuotient(capacity);
  if (law.interaction == Interaction::Ellipsoid) return use.squaredNorm() <= 1;
  const double rest = 1 - use[0] * use[0];
  return rest >= 0 && use[4] * use[4] + use[5] * use[5] <= rest * rest && within_each(capacity, trial, 1) && within_each(capacity, trial, 2) &&
         within_each(capacity, trial, 3);
}

/// What needs no neighbours: elastic rows keep all, slack ones nothing. Limited ones are given as if elastic.
void keep_simple(const Rows& rows, Kept& kept) {
  kept.slope.setZero();
  for (int i = 0; i < 6; ++i) {
    const bool slack = rows.kind[i] == RowKind::Slack;
    kept.force[i] = slack ? 0 : rows.trial[i];
    kept.slope(i, i) = slack ? 0 : rows.modulus[i];
  }
}

/// Rounding must not let a row keep more than its trial: then work could be negative.
double no_more_than(double trial, double force) {
  return std::copysign(std::min(std::abs(force), std::abs(trial)), trial);
}

void return_alone(const Rows& rows, int row, Kept& kept) {
  if (rows.kind[row] != RowKind::Limited || std::abs(rows.trial[row]) <= rows.capacity[row]) return;
  kept.force[row] = std::copysign(rows.capacity[row], rows.trial[row]);
  kept.slope(row, row) = 0;
}

/// Some limited rows in units of their capacities.
template <int N>
struct Scaled {
  using Vec = Eigen::Matrix<double, N, 1>;
  Vec use = Vec::Zero();       // u; 0 for rows that are not limited
  Vec softness = Vec::Zero();  // g
  double largest = 0;          // of g
};

template <int N>
Scaled<N> scaled(const Rows& rows, int first) {
  Scaled<N> result;
  for (int i = 0; i < N; ++i) {
    const double capacity = rows.capacity[first + i];
    if (rows.kind[first + i] != RowKind::Limited) continue;
    result.use[i] = rows.trial[first + i] / capacity;
    result.softness[i] = rows.modulus[first + i] / capacity / capacity;
    result.largest = std::max(result.largest, result.softness[i]);
  }
  return result;
}

/// Finds x >= 0 with sum (use / (shift + x weight))^2 = 1, weights up to 1, from below. 1 / |z| is concave and rises, so that Newton's method never
/// oversteps. Gives the quotients, of length 1.
template <class Vec>
double shrink_to_one(const Vec& use, const Vec& weight, double shift, double x, Vec& quotients) {
  for (int i = 0; i < kMaxSteps; ++i) {
    const Vec inverse = ((weight * x).array() + shift).inverse();
    quotients = use.cwiseProduct(inverse);
    const double square = quotients.squaredNorm(), size = std::sqrt(square);
    if (!(size > 1 + kOnSurface)) break;
    const double next = x + (size - 1) * square / quotients.cwiseAbs2().dot(weight.cwiseProduct(inverse));
    if (!(next > x)) break;
    x = next;
  }
  quotients /= quotients.norm();
  return x;
}

void return_ellipsoid(const Rows& rows, Kept& kept) {
  const Scaled<6> in = scaled<6>(rows, 0);
  if (!(in.use.squaredNorm() > 1)) return;
  const Vec6 weight = in.softness / in.largest;
  Vec6 z = Vec6::Zero();
  const double tau = shrink_to_one(in.use, weight, 1, 0, z);  // 2 gamma * largest g

  Vec6 pull = Vec6::Zero();  // Xi n, with Xi = (1 / a + 2 gamma / c^2)^-1 and n the normal
  double along = 0;          // n Xi n
  for (int i = 0; i < 6; ++i) {
    if (rows.kind[i] != RowKind::Limited) continue;
    const double left = 1 / (1 + tau * weight[i]);
    kept.force[i] = no_more_than(rows.trial[i], rows.capacity[i] * z[i]);
    kept.slope(i, i) = rows.modulus[i] * left;
    pull[i] = rows.modulus[i] / rows.capacity[i] * left * z[i];
    along += in.softness[i] * left * z[i] * z[i];
  }
  kept.slope.noalias() -= pull * (pull / along).transpose();
}

/// Where m + n^2 = 1 is nearest: n = |axial| and m = |bending|, each over its capacity.
struct BeamPoint {
  double axial = 1, bending = 0;  // n, m
  double multiplier = 0;          // gamma * largest g of the bendings
  Vec2 direction = Vec2::Zero();  // of the bending, length 1
  bool tip = true;                // at m = 0, where the surface has a tip
};

/// Gamma and the bending's direction for a given m; `below` must not be above the result. Returns - d gamma / d m.
double bend_to(double m, double below, const Vec2& use, const Vec2& weight, BeamPoint& point) {
  point.bending = m;
  if (m > 0) {
    const Vec2 least = (use.cwiseAbs().array() - m) / weight.array();
    below = std::max({below, least[0], least[1], use.norm() - m});
    point.multiplier = shrink_to_one<Vec2>(use, weight, m, below, point.direction);
  } else {
    point.direction = use.cwiseQuotient(weight);
    point.multiplier = point.direction.norm();
    point.direction /= point.multiplier;
  }
  const Vec2 parts = point.direction.array().square() / ((weight * point.multiplier).array() + m);
  return parts.sum() / parts.dot(weight);
}

/// The bending rows give gamma(m), convex and falling; the axial row then wants n (1 + ratio gamma) = its use, with m = 1 - n^2. This is convex and
/// rises with n, so that Newton's method from the right never oversteps; nor does gamma, whose tangent lies below it.
BeamPoint nearest_on_beam(double axial_use, double ratio, const Vec2& use, const Vec2& weight) {
  BeamPoint point;
  if (axial_use >= 1 + ratio * use.cwiseQuotient(weight).norm()) return point;
  point.tip = false;
  double n = std::min(1.0, axial_use);
  double fall = bend_to((1 - n) * (1 + n), 0, use, weight, point);
  for (int i = 0; i < kMaxSteps; ++i) {
    const double pull = 1 + ratio * point.multiplier, miss = n * pull - axial_use;
    const double next = std::max(0.0, n - miss / (pull + 2 * n * n * ratio * fall));
    if (!(next < n) || miss <= kOnSurface * axial_use) break;
    n = next;
    const double m = (1 - n) * (1 + n);
    fall = bend_to(m, std::max(0.0, point.multiplier - fall * (m - point.bending)), use, weight, point);
  }
  point.axial = n;
  return point;
}

/// Closest-point tangent, J = Xi - Xi n n Xi / (n Xi n) with Xi = (1 / g + gamma F'')^-1, written out so that nothing cancels as m goes to nothing.
void beam_slope(const Rows& rows, const BeamPoint& point, const Scaled<1>& axial, const Scaled<2>& bending, const Vec2& weight, Kept& kept) {
  const double gamma = point.multiplier / bending.largest, n = point.axial, m = point.bending;
  const Vec2 whole = (weight * point.multiplier).array() + m;
  const Vec2 rho = bending.softness.cwiseProduct(point.direction).cwiseQuotient(whole);
  const double s = point.direction.cwiseAbs2().cwiseQuotient(whole).sum();
  const double r = rho.dot(point.direction);
  const double xi = axial.largest / (1 + 2 * gamma * axial.largest);
  const double total = 4 * n * n * xi * s + r;
  const double sign = std::copysign(1.0, rows.trial[0]);
  const Vec2 c = rows.capacity.tail<2>();
  const bool limited[2] = {rows.kind[4] == RowKind::Limited, rows.kind[5] == RowKind::Limited};

  if (axial.largest > 0) kept.slope(0, 0) = rows.modulus[0] / (1 + 2 * gamma * axial.largest) * (r / total);
  for (int i = 0; i < 2; ++i) {
    if (!limited[i]) continue;
    if (axial.largest > 0) kept.slope(0, 4 + i) = kept.slope(4 + i, 0) = -2 * n * sign * rows.capacity[0] * xi * c[i] * rho[i] / total;
    for (int j = 0; j < 2; ++j) {
      if (!limited[j]) continue;
      kept.slope(4 + i, 4 + j) = (4 * gamma * n * n * xi - m) / total * (c[i] * rho[i]) * (c[j] * rho[j]);
    }
    kept.slope(4 + i, 4 + i) += rows.modulus[4 + i] * m / whole[i];
  }
}

void return_axial_and_bending(const Rows& rows, Kept& kept) {
  const Scaled<1> axial = scaled<1>(rows, 0);
  const Scaled<2> bending = scaled<2>(rows, 4);
  const double n = std::abs(axial.use[0]), m = bending.use.norm();
  if (!(m + n * n > 1)) return;
  if (m == 0) return return_alone(rows, 0, kept);

  Vec2 weight = bending.softness / bending.largest;
  for (int i = 0; i < 2; ++i) {
    if (rows.kind[4 + i] != RowKind::Limited) weight[i] = 1;  // its use is 0
  }
  const BeamPoint point = nearest_on_beam(n, 2 * axial.largest / bending.largest, bending.use, weight);
  if (axial.largest > 0) kept.force[0] = no_more_than(rows.trial[0], rows.capacity[0] * point.axial);
  for (int i = 0; i < 2; ++i) {
    if (rows.kind[4 + i] == RowKind::Limited)
      kept.force[4 + i] = no_more_than(rows.trial[4 + i], rows.capacity[4 + i] * point.bending * point.direction[i]);
  }
  if (!point.tip) return beam_slope(rows, point, axial, bending, weight, kept);
  for (const int i : {0, 4, 5}) {
    if (rows.kind[i] == RowKind::Limited) kept.slope(i, i) = 0;
  }
}

Kept keep(Interaction interaction, const Rows& rows) {
  Kept kept;
  keep_simple(rows, kept);
  if (interaction == Interaction::Ellipsoid) {
    return_ellipsoid(rows, kept);
  } else if (interaction == Interaction::Beam) {
    for (const int i : {1, 2, 3}) return_alone(rows, i, kept);
    return_axial_and_bending(rows, kept);
  } else {
    for (int i = 0; i < 6; ++i) return_alone(rows, i, kept);
  }
  return kept;
}

double flow_of(const Rows& rows, const Kept& kept, int row) {
  return rows.modulus[row] > 0 ? (rows.trial[row] - kept.force[row]) / rows.modulus[row] : 0;
}

void set_diagonal(Mat6& matrix, const Vec6& diagonal) {
  for (int i = 0; i < 6; ++i) {
    matrix.col(i).setZero();
    matrix(i, i) = diagonal[i];
  }
}

void set_yielded(const PlasticLaw& law, const Rows& rows, const Kept& kept, LawResponse& response) {
  Vec6 share;  // of the strain's change that y sees
  response.work = 0;
  for (int i = 0; i < 6; ++i) {
    response.flow[i] = flow_of(rows, kept, i);
    response.force[i] = kept.force[i] + rows.hardening[i] * response.flow[i];
    response.work += (kept.force[i] + 0.5 * (rows.hardening[i] + law.step_drag[i]) * response.flow[i]) * response.flow[i];
    share[i] = rows.modulus[i] > 0 ? law.stiffness[i] / rows.modulus[i] : 0;
  }
  response.tangent = share.asDiagonal() * kept.slope * share.asDiagonal();
  response.tangent.diagonal() += rows.hardening.cwiseProduct(share);
  response.yields = !response.flow.isZero(0);
}

/// The part of a force's size that the row's capacity is.
double row_use(double force, double capacity) {
  if (force == 0) return 0;
  return capacity > kNoCapacity ? std::abs(force) / capacity : 1;
}

}  // namespace

LawResponse respond(const PlasticLaw& law, const Vec6& capacity, const Vec6& strain) {
  LawResponse response;
  response.force = law.stiffness.cwiseProduct(strain);
  if (within(law, capacity, response.force)) {
    set_diagonal(response.tangent, law.stiffness);
  } else {
    const Rows rows = make_rows(law, capacity, response.force);
    set_yielded(law, rows, keep(law.interaction, rows), response);
  }
  return response;
}

Vec6 force_of(const PlasticLaw& law, const Vec6& capacity, const Vec6& strain) {
  const Vec6 trial = law.stiffness.cwiseProduct(strain);
  if (within(law, capacity, trial)) return trial;
  const Rows rows = make_rows(law, capacity, trial);
  const Kept kept = keep(law.interaction, rows);
  Vec6 force;
  for (int i = 0; i < 6; ++i) force[i] = kept.force[i] + rows.hardening[i] * flow_of(rows, kept, i);
  return force;
}

double utilisation(const PlasticLaw& law, const Vec6& capacity, const Vec6& force) {
  Vec6 use;
  for (int i = 0; i < 6; ++i) use[i] = row_use(force[i], capacity[i]);
  if (law.interaction == Interaction::None) return use.maxCoeff();
  if (law.interaction == Interaction::Ellipsoid) return use.norm();
  // m / x + (n / x)^2 = 1
  const double m = std::hypot(use[4], use[5]);
  return std::max(0.5 * (m + std::hypot(m, 2 * use[0])), use.segment<3>(1).maxCoeff());
}

PlasticLaw switched(const PlasticLaw& law, const Vec6& smaller_inertia, double dt, Vec6& strain) {
  // Of the inertia's own m / dt^2: it lets 1e-8 of the speed pass, and rounded positions a few metres from the origin still tell the force to 1e-4.
  constexpr double kRigid = 1e8;
  PlasticLaw result = law;
  for (int i = 0; i < 6; ++i) {
    if (!(std::sqrt(law.stiffness[i] / smaller_inertia[i]) * dt > 0.25)) continue;  // eq. 3.2
    strain[i] = 0;
    result.stiffness[i] = std::max(law.stiffness[i], kRigid * smaller_inertia[i] / (dt * dt));
  }
  return result;
}

}  // namespace crumple::rigid
