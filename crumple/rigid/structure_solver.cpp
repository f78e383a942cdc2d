#include "crumple/rigid/structure_solver.h"

#include <algorithm>
#include <cmath>

#include "crumple/rigid/bullet.h"

namespace crumple::rigid {
namespace {

// Not one of the engine's own kinds.
constexpr auto kPlasticType = static_cast<btTypedConstraintType>(MAX_CONSTRAINT_TYPE + 1);

// Contacts and ordinary joints give way by this share of what they would by inertia alone. Without it redundant rows would have no unique answer;
// a hundred times more and heavy loads sink in visibly.
constexpr double kSoftness = 1e-5;

// How often a step is solved again, for its geometry and for what breaks in it.
constexpr int kMaxCorrections = 2;  // more have been seen to diverge
constexpr int kMaxBreakSolves = 4;
// Parts that overlap are pushed apart by their contacts' own impulses; a fast hit would come back with the speed at which a deep overlap ends. Where
// one is through the middle of the other the way out is unknown, and a ball in a sheet would wedge its cells apart: only further approach is stopped.
constexpr double kMaxPush = 0.5;  // m/s
// What bounds the worst step: an island that is not done by then goes on with what it has, and with the next step. Impulses that are not solved to the
// end do not balance, so a pass that has not got there is undone.
constexpr int kMaxFactors = 60, kMaxPassFactors = 40;

Mat3 matrix_of(const btMatrix3x3& m) {
  Mat3 result;
  for (int row = 0; row < 3; ++row) result.row(row) = from_bullet(m[row]).transpose();
  return result;
}

/// The least extent of a part; infinite for the fixed world, which counts as one part.
double thickness_of(const btSolverBody& body) {
  if (!body.m_originalBody) return PlasticLaw::kNever;
  btVector3 low, high;
  body.m_originalBody->getCollisionShape()->getAabb(btTransform::getIdentity(), low, high);
  return (high - low)[(high - low).minAxis()];
}

bool can_move(const btSolverBody& body) {
  return body.m_originalBody && body.m_originalBody->getInvMass() > 0;
}

}  // namespace

PlasticConstraint::PlasticConstraint(btRigidBody& a, btRigidBody& b, const JointFrames& given, const PlasticLaw& given_law)
    : btTypedConstraint(kPlasticType, a, b), law(given_law), step_law(given_law), frames(given) {}

void PlasticConstraint::getInfo1(btConstraintInfo1* info) {
  info->m_numConstraintRows = 0;
  info->nub = 0;
}

void PlasticConstraint::getInfo2(btConstraintInfo2*) {}

bool PlasticConstraint::is_plastic(const btTypedConstraint& constraint) {
  return constraint.getConstraintType() == kPlasticType;
}

Transform PlasticConstraint::on_a() const {
  return from_bullet(m_rbA.getWorldTransform()) * frames.in_a;
}

Transform PlasticConstraint::on_b() const {
  return from_bullet(m_rbB.getWorldTransform()) * frames.in_b;
}

bool PlasticConstraint::yield() {
  const Transform a = on_a(), b = on_b();
  after = measure(state, a, b);
  const bool breaks = rigid::yield(law.exact ? law : step_law, state, a, b, after, scale);
  scale = 1;
  return breaks;
}

btScalar StructureSolver::solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds, int manifold_count,
                                     btTypedConstraint** constraints, int constraint_count, const btContactSolverInfo& info, btIDebugDraw* drawer,
                                     btDispatcher* dispatcher) {
  joints_.clear();
  for (int i = 0; i < constraint_count; ++i) {
    if (constraints[i]->isEnabled() && PlasticConstraint::is_plastic(*constraints[i]))
      joints_.push_back(static_cast<PlasticConstraint*>(constraints[i]));
  }
  btContactSolverInfo ours = info;
  if (joints_.empty()) {
    // The engine's solver has one direction of friction and leaves the impulse of the other as it was.
    for (int m = 0; m < manifold_count; ++m) {
      for (int i = 0; i < manifolds[m]->getNumContacts(); ++i) manifolds[m]->getContactPoint(i).m_appliedImpulseLateral2 = 0;
    }
  } else {
    ours.m_splitImpulse = false;  // overlaps are undone by the same rows
    ours.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
  }
  return btSequentialImpulseConstraintSolver::solveGroup(bodies, body_count, manifolds, manifold_count, constraints, constraint_count, ours, drawer,
                                                         dispatcher);
}

btScalar StructureSolver::solveGroupCacheFriendlyIterations(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds,
                                                            int manifold_count, btTypedConstraint** constraints, int constraint_count,
                                                            const btContactSolverInfo& info, btIDebugDraw* drawer) {
  if (joints_.empty()) {
    return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyIterations(bodies, body_count, manifolds, manifold_count, constraints,
                                                                                  constraint_count, info, drawer);
  }
  collect_bodies();
  collect_joints(info.m_timeStep);
  collect_rows(info.m_erp2);
  solve();
  update_lags();
  write_back();
  return 0;
}

/// The engine keeps no impulses of rolling friction.
btScalar StructureSolver::solveGroupCacheFriendlyFinish(btCollisionObject** bodies, int body_count, const btContactSolverInfo& info) {
  for (int i = 0; i < m_tmpSolverContactRollingFrictionConstraintPool.size(); ++i) {
    const btSolverConstraint& row = m_tmpSolverContactRollingFrictionConstraintPool[i];
    double work = 0;
    int part = -1;
    const auto add = [&](const btSolverBody& body, const btVector3& axis) {
      if (!can_move(body)) return;
      const btVector3 after = body.m_angularVelocity + body.m_externalTorqueImpulse + body.m_deltaAngularVelocity;
      work += row.m_appliedImpulse * axis.dot(0.5 * (body.m_angularVelocity + after));
      part = body.m_originalBody->getUserIndex();
    };
    add(m_tmpSolverBodyPool[row.m_solverBodyIdA], row.m_relpos1CrossNormal), add(m_tmpSolverBodyPool[row.m_solverBodyIdB], row.m_relpos2CrossNormal);
    if (part >= 0) rolling_work[static_cast<size_t>(part)] += work;
  }
  return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyFinish(bodies, body_count, info);
}

void StructureSolver::collect_bodies() {
  island_.bodies.clear(), velocities_.clear(), pool_of_body_.clear();
  body_of_pool_.assign(static_cast<size_t>(m_tmpSolverBodyPool.size()), -1);
  for (int i = 0; i < m_tmpSolverBodyPool.size(); ++i) {
    btSolverBody& body = m_tmpSolverBodyPool[i];
    // Rows that were warm-started have pushed already.
    body.m_deltaLinearVelocity.setZero(), body.m_deltaAngularVelocity.setZero();
    if (!can_move(body)) continue;
    body_of_pool_[static_cast<size_t>(i)] = static_cast<int>(island_.bodies.size());
    pool_of_body_.push_back(i);
    IslandBody& ours = island_.bodies.emplace_back();
    ours.start = velocity_of(body.m_linearVelocity, body.m_angularVelocity);
    ours.free = ours.start + velocity_of(body.m_externalForceImpulse, body.m_externalTorqueImpulse);
    ours.mass = 1 / body.m_originalBody->getInvMass();
    const Mat3 axes = matrix_of(body.m_worldTransform.getBasis());
    const Vec3 inverse = from_bullet(body.m_originalBody->getInvInertiaDiagLocal());
    ours.inertia = axes * inverse.cwiseInverse().asDiagonal() * axes.transpose();
    velocities_.push_back(ours.start);
  }
  bodies_ = island_.bodies;
}

int StructureSolver::index_of(const btRigidBody& body) const {
  return body.getInvMass() > 0 ? body_of_pool_[static_cast<size_t>(body.getCompanionId())] : -1;
}

void StructureSolver::collect_joints(double dt) {
  island_.dt = dt;
  island_.joints.clear(), start_capacities_.clear();
  taut_.assign(joints_.size(), 0), frames_.resize(joints_.size()), arms_a_.resize(joints_.size()), arms_b_.resize(joints_.size());
  for (PlasticConstraint* joint : joints_) {
    const btRigidBody &a = joint->getRigidBodyA(), &b = joint->getRigidBodyB();
    JointGeometry geometry = measure(joint->state, joint->on_a(), joint->on_b());
    IslandJoint& ours = island_.joints.emplace_back();
    ours.body_a = index_of(a), ours.body_b = index_of(b);
    if (joint->law.paper_switch) switch_rows(*joint, ours, geometry);
    ours.strain = geometry.strain;
    ours.capacity = capacity_now(joint->law, joint->state);
    ours.law = &joint->step_law;
    set_geometry(island_.joints.size() - 1, geometry, 0);
    joint->scale = 1, joint->solved = true;
    start_capacities_.push_back(ours.capacity);
  }
  shape_laws();
}

/// Paper 5's rule (eq. 3.2): rows that are too stiff for the step forget their strain.
void StructureSolver::switch_rows(PlasticConstraint& joint, const IslandJoint& ours, JointGeometry& geometry) const {
  Vec6 least = Vec6::Constant(PlasticLaw::kNever);
  for (const int index : {ours.body_a, ours.body_b}) {
    if (index < 0) continue;
    const IslandBody& body = island_.bodies[static_cast<size_t>(index)];
    for (int row = 0; row < 3; ++row) {
      const Vec3 axis = geometry.frame.col(row);
      least[row] = std::min(least[row], body.mass), least[row + 3] = std::min(least[row + 3], axis.dot(body.inertia * axis));
    }
  }
  joint.step_law = switched(joint.law, least, island_.dt, geometry.strain);
  keep_strain(joint.state, joint.on_a(), joint.on_b(), geometry.strain);
}

void StructureSolver::collect_rows(double erp) {
  island_.rows.clear(), ranges_.clear();
  add_rows(m_tmpSolverContactConstraintPool, false);  // first: friction rows name their contact by its place in this pool
  limit_push(erp);
  add_rows(m_tmpSolverContactFrictionConstraintPool, true);
  add_rows(m_tmpSolverContactRollingFrictionConstraintPool, true);
  add_rows(m_tmpSolverNonContactConstraintPool, false);
  targets_.clear();
  for (const IslandRow& row : island_.rows) targets_.push_back(row.target);
}

void StructureSolver::add_rows(btConstraintArray& pool, bool friction) {
  ranges_.push_back({&pool, island_.rows.size()});
  for (int i = 0; i < pool.size(); ++i) {
    const btSolverConstraint& row = pool[i];
    IslandRow& ours = island_.rows.emplace_back();
    ours.body_a = body_of_pool_[static_cast<size_t>(row.m_solverBodyIdA)], ours.body_b = body_of_pool_[static_cast<size_t>(row.m_solverBodyIdB)];
    ours.jacobian_a = velocity_of(row.m_contactNormal1, row.m_relpos1CrossNormal);
    ours.jacobian_b = velocity_of(row.m_contactNormal2, row.m_relpos2CrossNormal);
    const double inverse = row.m_jacDiagABInv;  // the engine has multiplied target and softness with it
    ours.softness = inverse > 0 ? (row.m_cfm + kSoftness) / inverse : 1;
    ours.target = inverse > 0 ? row.m_rhs / inverse : 0;
    ours.low = row.m_lowerLimit, ours.high = row.m_upperLimit;
    ours.impulse = row.m_appliedImpulse;
    if (!friction) continue;
    ours.normal = row.m_frictionIndex;
    ours.friction = row.m_friction;
  }
}

void StructureSolver::limit_push(double erp) {
  for (int i = 0; i < m_tmpSolverContactConstraintPool.size(); ++i) {
    const btSolverConstraint& row = m_tmpSolverContactConstraintPool[i];
    const double depth = -static_cast<const btManifoldPoint*>(row.m_originalContactPoint)->getDistance();
    if (!(depth > 0)) continue;
    const double push = depth * erp / island_.dt;
    const double thickness = std::min(thickness_of(m_tmpSolverBodyPool[row.m_solverBodyIdA]), thickness_of(m_tmpSolverBodyPool[row.m_solverBodyIdB]));
    const double most = depth > 0.5 * thickness ? 0 : kMaxPush;
    if (push > most) island_.rows[static_cast<size_t>(i)].target -= push - most;
  }
}

/// Solves the island as it stands. Returns whether that was done to the end.
bool StructureSolver::run(int factors) {
  IslandSettings settings;
  settings.factors = factors;
  report_ = newton_.solve(island_, settings, velocities_);
  health.factors += report_.factors;
  step_factors_ += report_.factors;
  return report_.converged;
}

/// Changes the island and solves it again; both are undone if that does not get to its end.
template <class Change>
bool StructureSolver::run_pass(const Change& change) {
  const Island island = island_;
  const std::vector<Vec6> velocities = velocities_;
  const std::vector<uint8_t> taut = taut_;
  const std::vector<double> scales = scales_now();
  if (!change()) return false;
  if (run(kMaxPassFactors)) return true;
  report_.converged = true;  // as it was before
  island_ = island, velocities_ = velocities, taut_ = taut;
  for (size_t j = 0; j < joints_.size(); ++j) joints_[j]->scale = scales[j];
  return false;
}

void StructureSolver::solve() {
  step_factors_ = 0;
  const bool done = run(kMaxFactors);
  const auto may_need = [&] { return std::any_of(island_.joints.begin(), island_.joints.end(), [&](const IslandJoint& joint) { return may_need_correction(joint); }); };
  for (int pass = 0; done && pass < kMaxCorrections && may_need() && run_pass([&] { return correct_geometry(); }); ++pass) {}
  const auto may_break = [&] { return break_scales() != scales_now(); };
  for (int pass = 0; done && pass < kMaxBreakSolves && may_break() && run_pass([&] { return limit_to_break(); }); ++pass) {}
  ++health.islands;
  health.unconverged += report_.converged ? 0 : 1;
  health.most_factors = std::max(health.most_factors, step_factors_);
}

std::vector<double> StructureSolver::scales_now() const {
  std::vector<double> scales;
  for (const PlasticConstraint* joint : joints_) scales.push_back(joint->scale);
  return scales;
}

/// A joint that breaks within the step holds for a part of it only: its capacity is lowered until it dissipates what it has left.
std::vector<double> StructureSolver::break_scales() const {
  std::vector<double> scales;
  for (size_t j = 0; j < joints_.size(); ++j) {
    const PlasticConstraint& joint = *joints_[j];
    const IslandJoint& ours = island_.joints[j];
    scales.push_back(joint.scale);
    if (!std::isfinite(joint.step_law.ultimate_elongation) && !std::isfinite(joint.step_law.ultimate_rotation)) continue;
    const Vec6 flow = respond(joint.step_law, ours.capacity, ours.strain + island_.dt * ours.rate).flow.cwiseAbs();
    const auto share = [](double left, double used) { return used > left ? std::max(left, 0.0) / used : 1.0; };
    const double scale = std::min(share(joint.step_law.ultimate_elongation - joint.state.elongation(), flow.head<3>().sum()),
                                  share(joint.step_law.ultimate_rotation - joint.state.rotation(), flow.tail<3>().sum()));
    if (std::abs(scale - joint.scale) >= 1e-6) scales.back() = scale;
  }
  return scales;
}

/// Returns whether anything changed.
bool StructureSolver::limit_to_break() {
  const std::vector<double> scales = break_scales();
  bool changed = false;
  for (size_t j = 0; j < joints_.size(); ++j) {
    if (scales[j] == joints_[j]->scale) continue;
    joints_[j]->scale = scales[j];
    island_.joints[j].capacity = scales[j] * start_capacities_[j];
    changed = true;
  }
  return changed;
}

void StructureSolver::write_back() {
  for (size_t i = 0; i < pool_of_body_.size(); ++i) {
    btSolverBody& body = m_tmpSolverBodyPool[pool_of_body_[i]];
    const Vec6 change = velocities_[i] - bodies_[i].free;
    body.m_deltaLinearVelocity = to_bullet(change.head<3>());
    body.m_deltaAngularVelocity = to_bullet(change.tail<3>());
  }
  for (size_t j = 0; j < joints_.size(); ++j) {
    const IslandJoint& joint = island_.joints[j];
    const auto mean = [&](int body) { return Vec6(0.5 * (bodies_[static_cast<size_t>(body)].start + velocities_[static_cast<size_t>(body)])); };
    Vec6 rate = joint.outer_rate;
    if (joint.body_a >= 0) rate += joint.jacobian_a * mean(joint.body_a);
    if (joint.body_b >= 0) rate += joint.jacobian_b * mean(joint.body_b);
    joints_[j]->work = -island_.dt * joint.force.dot(rate), joints_[j]->scripted_work = island_.dt * joint.force.dot(joint.outer_rate);
  }
  for (const RowRange& range : ranges_) {
    for (int i = 0; i < range.pool->size(); ++i) (*range.pool)[i].m_appliedImpulse = island_.rows[range.first + static_cast<size_t>(i)].impulse;
  }
}

}  // namespace crumple::rigid
