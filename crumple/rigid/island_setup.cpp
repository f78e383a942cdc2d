#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/LU>

#include "crumple/rigid/island_work.h"

namespace crumple::rigid {
namespace {

constexpr double kFrictionTolerance = 1e-4;

template <class Pairs>
void name_links(const Island& island, Pairs& named) {
  named.clear();
  const auto name = [&](int a, int b) {
    if (a < 0 || b < 0 || a == b) return;
    const std::pair<int, int> link = std::minmax(a, b);
    if (named.empty() || named.back() != link) named.push_back(link);
  };
  for (const IslandJoint& joint : island.joints) name(joint.body_a, joint.body_b);
  for (const IslandRow& row : island.rows) name(row.body_a, row.body_b);
}

/// The order of elimination is a function of the links of now alone, so that a run that is resumed eliminates in the same order.
void update_pattern(const Island& island, IslandWork& work) {
  std::vector<std::pair<int, int>>& named = work.named;
  name_links(island, named);
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  if (named == work.links && work.matrix.rows() == static_cast<int>(island.bodies.size())) return;
  work.links = named;
  work.matrix.analyze(static_cast<int>(island.bodies.size()), work.links);
}

/// Neighbours in the list often have the same bodies; the last answer is kept.
void find_slots(const Island& island, IslandWork& work) {
  int a = -1, b = -1;
  BlockCholesky::Slot slot;
  const auto find = [&](int body_a, int body_b) {
    if (body_a < 0 || body_b < 0 || body_a == body_b) return BlockCholesky::Slot{};
    if (body_a != a || body_b != b) slot = work.matrix.slot(body_a, body_b);
    a = body_a, b = body_b;
    return slot;
  };
  for (size_t i = 0; i < island.joints.size(); ++i) work.joints[i].slot = find(island.joints[i].body_a, island.joints[i].body_b);
  for (size_t i = 0; i < island.rows.size(); ++i) work.rows[i].slot = find(island.rows[i].body_a, island.rows[i].body_b);
}

bool are_disc(const IslandRow& first, const IslandRow& second) {
  return first.normal >= 0 && first.normal == second.normal && first.friction == second.friction && first.body_a == second.body_a &&
         first.body_b == second.body_b;
}

void start_rows(const Island& island, IslandWork& work) {
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    RowWork& ours = work.rows[i];
    ours.stiffness = 1 / row.softness;
    ours.low = std::min(row.low, row.high), ours.high = std::max(row.low, row.high);
    ours.impulse = row.impulse;
    ours.role = RowRole::Alone;
    if (i == 0 || work.rows[i - 1].role == RowRole::Disc || !are_disc(island.rows[i - 1], row)) continue;
    RowWork& first = work.rows[i - 1];
    first.role = RowRole::Disc, ours.role = RowRole::Second;
    // One softness for both: only then does a return along the radius stem from an energy.
    first.stiffness = ours.stiffness = 2 / (island.rows[i - 1].softness + row.softness);
  }
}

void start_joint(const IslandJoint& joint, double dt, JointWork& work) {
  work.reach = dt + joint.law->damping;
  if (joint.body_a >= 0) work.from_a = joint.jacobian_a.transpose();
  if (joint.body_b >= 0) work.from_b = joint.jacobian_b.transpose();
}

}  // namespace

void start(const Island& island, IslandWork& work) {
  work.rows.resize(island.rows.size());
  work.joints.resize(island.joints.size());
  work.responses.resize(island.joints.size());
  work.gradient.resize(island.bodies.size());
  work.step.resize(island.bodies.size());
  work.inverse_inertia.resize(island.bodies.size());
  for (size_t i = 0; i < island.bodies.size(); ++i) work.inverse_inertia[i] = island.bodies[i].inertia.inverse();
  update_pattern(island, work);
  find_slots(island, work);
  start_rows(island, work);
  for (size_t j = 0; j < island.joints.size(); ++j) start_joint(island.joints[j], island.dt, work.joints[j]);
}

bool set_friction_limits(const Island& island, IslandWork& work) {
  bool changed = false;
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    if (row.normal < 0) continue;
    assert(static_cast<size_t>(row.normal) < island.rows.size());
    const double limit = std::abs(row.friction * work.rows[static_cast<size_t>(row.normal)].impulse);
    double& high = work.rows[i].high;
    changed = changed || std::abs(limit - high) > kFrictionTolerance * std::max(limit, high);
    high = limit;
    work.rows[i].low = -limit;
  }
  return changed;
}

}  // namespace crumple::rigid
