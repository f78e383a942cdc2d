#include "crumple/rigid/island.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "crumple/rigid/island_work.h"

namespace crumple::rigid {
namespace {

// Steps that the search cuts below this share tell that pieces change under way: then some of the secant stiffness of what yields is added, which
// makes steps shorter in the directions in which nothing else would.
constexpr double kShortStep = 0.5;
constexpr double kFirstSecant = 0.03, kMoreSecant = 3, kLessSecant = 0.1, kLeastSecant = 1e-3;

/// Of a velocity: sqrt(v M v).
double mass_norm(const Island& island, std::span<const Vec6> velocities) {
  double sum = 0;
  for (size_t i = 0; i < velocities.size(); ++i) sum += velocities[i].dot(times_mass(island.bodies[i], velocities[i]));
  return std::sqrt(sum);
}

/// Of impulses: sqrt(g M^-1 g), the size of the velocities that they would cause.
double impulse_norm(const Island& island, const IslandWork& work) {
  double sum = 0;
  for (size_t i = 0; i < island.bodies.size(); ++i) {
    const Vec6& g = work.gradient[i];
    sum += g.head<3>().squaredNorm() / island.bodies[i].mass + g.tail<3>().dot(work.inverse_inertia[i] * g.tail<3>());
  }
  return std::sqrt(sum);
}

double external_norm(const Island& island) {
  double sum = 0;
  for (const IslandBody& body : island.bodies) sum += (body.free - body.start).dot(times_mass(body, body.free - body.start));
  return std::sqrt(sum);
}

/// Whether a joint is in the same linear piece of its law as before: then Newton's step was exact for it.
bool same_piece(const PlasticLaw& law, const LawResponse& before, const LawResponse& now) {
  if (!before.yields && !now.yields) return true;
  if (before.yields != now.yields || before.tangent != now.tangent) return false;
  for (int i = 0; i < 6; ++i) {
    if (now.tangent(i, i) < law.stiffness[i] && (before.force[i] < 0) != (now.force[i] < 0)) return false;
  }
  return true;
}

void remember_pieces(IslandWork& work) {
  work.pieces.resize(work.rows.size());
  for (size_t i = 0; i < work.rows.size(); ++i) work.pieces[i] = work.rows[i].piece;
  work.responses.resize(work.joints.size());
  for (size_t j = 0; j < work.joints.size(); ++j) work.responses[j] = work.joints[j].now;
}

bool same_pieces(const Island& island, const IslandWork& work) {
  for (size_t i = 0; i < work.rows.size(); ++i) {
    if (work.rows[i].piece != work.pieces[i] || work.pieces[i] == 2) return false;
  }
  for (size_t j = 0; j < work.joints.size(); ++j) {
    if (!same_piece(*island.joints[j].law, work.responses[j], work.joints[j].now)) return false;
  }
  return true;
}

bool anything_yields(const IslandWork& work) {
  return std::any_of(work.rows.begin(), work.rows.end(), [](const RowWork& row) { return row.secant > 0; }) ||
         std::any_of(work.joints.begin(), work.joints.end(), [](const JointWork& joint) { return joint.now.yields; });
}

void go(double share, std::span<Vec6> velocities, IslandWork& work) {
  for (size_t i = 0; i < velocities.size(); ++i) velocities[i] += share * work.step[i];
  for (RowWork& row : work.rows) row.change += share * row.slope;
  for (JointWork& joint : work.joints) joint.strain += share * joint.slope;
}

void respond_all(const Island& island, IslandWork& work) {
  respond_rows(island, work);
  respond_joints(island, work);
}

double dot(std::span<const Vec6> a, std::span<const Vec6> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

void adapt_secant(double share, IslandWork& work) {
  if (share < kShortStep) {
    work.secant_share = std::min(1.0, std::max(kFirstSecant, kMoreSecant * work.secant_share));
  } else {
    work.secant_share *= kLessSecant;
    if (work.secant_share < kLeastSecant) work.secant_share = 0;
  }
}

/// Newton's method for given limits of friction, from `velocities` with everything measured and responded there.
bool minimise(const Island& island, const IslandSettings& settings, double external, std::span<Vec6> velocities, IslandWork& work,
              IslandReport& report) {
  work.secant_share = 0;
  for (int i = 0;; ++i) {
    find_gradient(island, velocities, work);
    const double size = std::max(external, 0.01 * mass_norm(island, velocities)), residual = impulse_norm(island, work);
    report.residual = size > 0 ? residual / size : residual;
    if (residual <= settings.tolerance * size) return true;
    if (i == settings.newton_steps || !std::isfinite(residual)) return false;

    ++report.factors;
    if (!factor(island, work)) return false;
    for (size_t k = 0; k < velocities.size(); ++k) work.step[k] = -work.gradient[k];
    work.matrix.solve(work.step);
    const double at_start = dot(work.gradient, work.step);
    if (!(at_start < 0)) return false;
    const bool last = std::sqrt(-at_start) <= settings.tolerance * size;  // what the step still changes

    find_slopes(island, work);
    const bool exact = work.secant_share == 0 || !anything_yields(work);
    remember_pieces(work);
    const Line line = make_line(island, velocities, work);
    go(1, velocities, work);
    respond_all(island, work);
    if (last || (exact && same_pieces(island, work))) {
      find_gradient(island, velocities, work);
      report.residual = size > 0 ? impulse_norm(island, work) / size : 0;
      return true;
    }
    go(-1, velocities, work);
    const double share = search(island, line, work, at_start, derivative(island, line, work, 1));
    go(share, velocities, work);
    if (share != 1) respond_all(island, work);
    adapt_secant(share, work);
  }
}

void write_results(Island& island, const IslandWork& work) {
  for (size_t i = 0; i < island.rows.size(); ++i) island.rows[i].impulse = work.rows[i].impulse;
  for (size_t j = 0; j < island.joints.size(); ++j) {
    IslandJoint& joint = island.joints[j];
    joint.force = work.joints[j].now.force;
    joint.rate = (work.joints[j].strain - joint.strain) / work.joints[j].reach;
  }
}

}  // namespace

IslandSolver::IslandSolver() : work_(std::make_unique<IslandWork>()) {}
IslandSolver::~IslandSolver() = default;
IslandSolver::IslandSolver(IslandSolver&&) noexcept = default;
IslandSolver& IslandSolver::operator=(IslandSolver&&) noexcept = default;

IslandReport IslandSolver::solve(Island& island, const IslandSettings& settings, std::span<Vec6> velocities) {
  assert(velocities.size() == island.bodies.size());
  IslandWork& work = *work_;
  IslandReport report;
  start(island, work);
  measure(island, velocities, work);
  respond_joints(island, work);
  const double external = external_norm(island);
  for (int lag = 0; lag < std::max(1, settings.friction_solves); ++lag) {
    if (!set_friction_limits(island, lag == 0, work)) break;
    respond_rows(island, work);
    ++report.solves;
    report.converged = minimise(island, settings, external, velocities, work, report);
  }
  write_results(island, work);
  return report;
}

}  // namespace crumple::rigid
