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
constexpr double kFirstSecant = 0.03, kMoreSecant = 3, kLessSecant = 0.1, kMinSecant = 0.01;

// As long as limits of friction are still guesses, solving need not be good.
constexpr double kRoughTolerance = 0.03;

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

void remember(std::span<const Vec6> velocities, IslandWork& work) {
  work.velocities_before.assign(velocities.begin(), velocities.end());
  work.pieces_before.resize(work.rows.size());
  for (size_t i = 0; i < work.rows.size(); ++i) work.pieces_before[i] = work.rows[i].piece, work.rows[i].start = work.rows[i].change;
  for (JointWork& joint : work.joints) joint.start = joint.strain;
  work.responses_before.resize(work.responses.size());
  work.responses_before.swap(work.responses);
}

/// A disc that slides is curved: for it no step is exact.
bool same_pieces(const Island& island, const IslandWork& work) {
  for (size_t i = 0; i < work.rows.size(); ++i) {
    if (work.rows[i].piece != work.pieces_before[i] || work.rows[i].piece == 2) return false;
  }
  for (size_t j = 0; j < work.joints.size(); ++j) {
    if (!same_piece(*island.joints[j].law, work.responses_before[j], work.responses[j])) return false;
  }
  return true;
}

bool anything_yields(const IslandWork& work) {
  return std::any_of(work.rows.begin(), work.rows.end(), [](const RowWork& row) { return row.secant > 0; }) ||
         std::any_of(work.responses.begin(), work.responses.end(), [](const LawResponse& response) { return response.yields; });
}

/// Rows and joints are measured anew: a step that was too long leaves no rounding behind.
void go(const Island& island, double share, std::span<Vec6> velocities, IslandWork& work) {
  for (size_t i = 0; i < velocities.size(); ++i) velocities[i] = work.velocities_before[i] + share * work.step[i];
  measure(island, velocities, work);
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
    if (work.secant_share < kMinSecant) work.secant_share = 0;
  }
}

/// What residuals are measured against: the mass norm of what external forces change, or a hundredth of the motion's.
double size_of(const Island& island, double external, std::span<const Vec6> velocities) {
  return std::max(external, 0.01 * mass_norm(island, velocities));
}

bool solve_for_step(const Island& island, IslandWork& work, IslandReport& report) {
  ++report.factors;
  if (!factor(island, work)) return false;
  for (size_t i = 0; i < work.step.size(); ++i) work.step[i] = -work.gradient[i];
  work.matrix.solve(work.step);
  return true;
}

/// Goes as far along the step as the energy falls. Returns whether nothing is left to be done.
bool take_step(const Island& island, double at_start, bool last, std::span<Vec6> velocities, IslandWork& work) {
  const bool exact = work.secant_share == 0 || !anything_yields(work);
  remember(velocities, work);
  go(island, 1, velocities, work);
  if (last || (exact && same_pieces(island, work))) return true;

  find_slopes(island, work);
  const Line line = make_line(island, work);
  double share = 1;
  if (const double at_end = derivative_at_end(island, line, work); !(at_end <= 0)) {
    share = search(island, line, work, at_start, at_end);
    go(island, share, velocities, work);
  }
  adapt_secant(share, work);
  return false;
}

/// Newton's method for given limits of friction, from `velocities` with everything measured and responded there.
bool minimise(const Island& island, const IslandSettings& settings, double tolerance, double external, std::span<Vec6> velocities, IslandWork& work,
              IslandReport& report) {
  work.secant_share = 0;
  bool done = false;
  for (int i = 0;; ++i) {
    find_gradient(island, velocities, work);
    const double size = size_of(island, external, velocities), residual = impulse_norm(island, work);
    report.residual = size > 0 ? residual / size : residual;
    if (done || residual <= tolerance * size) return true;
    if (i == settings.newton_steps || report.factors >= settings.factors || !std::isfinite(residual) || !solve_for_step(island, work, report)) return false;

    const double at_start = dot(work.gradient, work.step);  // minus twice what the energy can still fall, as far as is known here
    if (!(at_start < 0)) return false;
    done = take_step(island, at_start, std::sqrt(-at_start) <= tolerance * size, velocities, work);
  }
}

bool has_friction(const Island& island) {
  return std::any_of(island.rows.begin(), island.rows.end(), [](const IslandRow& row) { return row.normal >= 0; });
}

void write_results(Island& island, const IslandWork& work) {
  for (size_t i = 0; i < island.rows.size(); ++i) island.rows[i].impulse = work.rows[i].impulse;
  for (size_t j = 0; j < island.joints.size(); ++j) {
    IslandJoint& joint = island.joints[j];
    joint.force = work.responses[j].force;
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
  const int most = has_friction(island) ? std::max(1, settings.friction_solves) : 1;
  bool solved = false;
  for (bool fine = false; report.solves < most;) {
    const bool settled = !set_friction_limits(island, work) && report.solves > 0;
    if (fine && settled) break;
    respond_rows(island, work);
    ++report.solves;
    fine = fine || settled || report.solves == most;
    const double tolerance = fine ? settings.tolerance : std::max(settings.tolerance, kRoughTolerance);
    report.converged = minimise(island, settings, tolerance, external, velocities, work, report);
    if (!report.converged) continue;
    write_results(island, work);
    work.velocities_solved.assign(velocities.begin(), velocities.end());
    solved = true;
  }
  if (report.converged) return report;
  if (solved) {
    // With older limits of friction and, if that was a rough solve, an imbalance of a few hundredths of the external impulses. Mending that by mass alone
    // would strain stiff joints.
    std::copy(work.velocities_solved.begin(), work.velocities_solved.end(), velocities.begin());
  } else {
    balance(island, velocities, work);
  }
  return report;
}

}  // namespace crumple::rigid
