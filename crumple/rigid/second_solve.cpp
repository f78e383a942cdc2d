#include <algorithm>
#include <cassert>
#include <map>
#include <set>

#include "crumple/math/union_find.h"
#include "crumple/rigid/bullet.h"
#include "crumple/rigid/engine.h"

namespace crumple::rigid {
namespace {

bool moves(const Part& part) {
  return part.motion == Motion::Dynamic && part.body.isActive();
}

const StepMemory::Impulses* find(const std::vector<StepMemory::Impulses>& all, const btPersistentManifold* manifold) {
  const auto found = std::lower_bound(all.begin(), all.end(), manifold, [](const auto& one, const auto* wanted) { return one.manifold < wanted; });
  return found != all.end() && found->manifold == manifold ? &*found : nullptr;
}

/// New velocities move the part over the step, as the engine would.
void advance(btRigidBody& body, double dt) {
  btTransform place;
  body.predictIntegratedTransform(dt, place);
  body.proceedToTransform(place);
}

void add_velocity(btRigidBody& body, const btVector3& velocity, const btVector3& spin) {
  body.setLinearVelocity(body.getLinearVelocity() + velocity), body.setAngularVelocity(body.getAngularVelocity() + spin);
  body.setInterpolationLinearVelocity(body.getLinearVelocity()), body.setInterpolationAngularVelocity(body.getAngularVelocity());
}

}  // namespace

StepMemory::Motion StepMemory::motion_of(const btRigidBody& body, double dt) {
  Motion motion;
  motion.moves = true;
  motion.place = body.getWorldTransform();
  motion.velocity = body.getLinearVelocity(), motion.spin = body.getAngularVelocity();
  motion.force = body.getTotalForce(), motion.torque = body.getTotalTorque();
  motion.gyration = body.computeGyroscopicImpulseImplicit_Body(dt);
  return motion;
}

void StepMemory::take(std::span<const std::unique_ptr<Part>> parts, btDispatcher& dispatcher, double dt) {
  motions.resize(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] && moves(*parts[i])) {
      motions[i] = motion_of(parts[i]->body, dt);
    } else {
      motions[i].moves = false;
    }
  }
  if (is_on) take_impulses(dispatcher);
}

void StepMemory::take_impulses(btDispatcher& dispatcher) {
  impulses.clear();
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
    if (manifold.getNumContacts() == 0) continue;
    Impulses& kept = impulses.emplace_back();
    kept.manifold = &manifold;
    for (int i = 0; i < manifold.getNumContacts(); ++i) {
      const btManifoldPoint& point = manifold.getContactPoint(i);
      kept.of_points[static_cast<size_t>(i)] = {point.m_appliedImpulse, point.m_appliedImpulseLateral1, point.m_appliedImpulseLateral2};
    }
  }
  std::sort(impulses.begin(), impulses.end(), [](const Impulses& a, const Impulses& b) { return a.manifold < b.manifold; });
}

void StepMemory::take_solved(std::span<const std::unique_ptr<Part>> parts) {
  for (size_t i = 0; i < motions.size(); ++i) {
    if (!motions[i].moves) continue;
    motions[i].solved_velocity = parts[i]->body.getLinearVelocity(), motions[i].solved_spin = parts[i]->body.getAngularVelocity();
  }
}

void StepMemory::take_joints(std::span<const std::unique_ptr<Joint>> all) {
  joints.clear();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] && all[i]->plastic()) joints.emplace_back(static_cast<int>(i), all[i]->plastic()->state);
  }
}

/// Parts of the islands that these parts were solved in.
std::vector<int> World::Engine::islands_of(std::span<const int> wanted) {
  const auto tag = [](const Part& part) { return part.body.getIslandTag(); };
  std::set<int> islands;
  for (const int index : wanted) {
    if (world.memory.motions[static_cast<size_t>(index)].moves) islands.insert(tag(part(index)));
  }
  std::vector<int> result;
  for (size_t i = 0; i < world.memory.motions.size(); ++i) {
    if (!parts[i] || !world.memory.motions[i].moves) continue;
    if (islands.contains(tag(*parts[i]))) result.push_back(static_cast<int>(i));
  }
  return result;
}

/// Plastic joints of what is put back forget the step; those that broke in it hold again.
void World::Engine::put_back_joints() {
  const auto is_put_back = [&](int part) { return part >= 0 && again.parts[static_cast<size_t>(part)] != 0; };
  for (const auto& [index, state] : world.memory.joints) {
    const auto found = broken.find(index);
    Joint* const one = found != broken.end() ? found->second.get() : joints[static_cast<size_t>(index)].get();
    if (!one || !(is_put_back(one->settings.part_a) || is_put_back(one->settings.part_b))) continue;
    one->plastic()->state = state;
    if (found == broken.end()) continue;
    const JointSettings& settings = one->settings;
    world.addConstraint(one->constraint.get(), settings.part_b >= 0 && !settings.collide);
    for (const int side : {settings.part_a, settings.part_b}) {
      if (side >= 0) part(side).joints.push_back(index);
    }
    joints[static_cast<size_t>(index)] = std::move(found->second);
    broken.erase(found), ended.erase(index);
  }
}

void World::Engine::put_back_impulses() {
  const auto is_put_back = [&](const btCollisionObject* body) { return again.parts[static_cast<size_t>(body->getUserIndex())] != 0; };
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
    btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
    const StepMemory::Impulses* kept = find(world.memory.impulses, &manifold);
    if (!kept || (!is_put_back(manifold.getBody0()) && !is_put_back(manifold.getBody1()))) continue;
    for (int i = 0; i < manifold.getNumContacts(); ++i) {
      btManifoldPoint& point = manifold.getContactPoint(i);
      const auto& [normal, first, second] = kept->of_points[static_cast<size_t>(i)];
      point.m_appliedImpulse = normal, point.m_appliedImpulseLateral1 = first, point.m_appliedImpulseLateral2 = second;
    }
  }
}

void World::Engine::put_back(int index) {
  btRigidBody& body = part(index).body;
  StepMemory::Motion& motion = world.memory.motions[static_cast<size_t>(index)];
  // What has pushed it since the step was solved, such as matter, pushes it again afterwards.
  motion.later_velocity = body.getLinearVelocity() - motion.solved_velocity, motion.later_spin = body.getAngularVelocity() - motion.solved_spin;
  body.setCenterOfMassTransform(motion.place);
  body.setLinearVelocity(motion.velocity), body.setAngularVelocity(motion.spin);
  body.clearForces();
  body.applyCentralForce(motion.force), body.applyTorque(motion.torque);
}

std::vector<int> World::begin_again(std::span<const int> parts) {
  Engine& engine = *engine_;
  assert(engine.world.memory.is_on);
  const std::vector<int> islands = engine.islands_of(parts);
  if (islands.empty()) return {};
  engine.again.is_open = true;
  engine.again.parts.assign(engine.parts.size(), 0);
  engine.world.memory.motions.resize(engine.parts.size()), engine.solver.rolling_work.resize(engine.parts.size(), 0.0);
  for (const int part : islands) {
    engine.again.parts[static_cast<size_t>(part)] = 1;
    engine.put_back(part);
    engine.solver.rolling_work[static_cast<size_t>(part)] = 0;
  }
  engine.put_back_impulses();
  engine.put_back_joints();
  return islands;
}

/// A part that is removed while its step is solved again leaves its contacts to its heirs.
void World::Engine::keep_contacts(int index) {
  if (!again.is_open || !again.parts[static_cast<size_t>(index)]) return;
  again.parts[static_cast<size_t>(index)] = 0;
  int count = 0;
  const auto keep = [&](const btPersistentManifold& manifold) {
    const int a = manifold.getBody0()->getUserIndex(), b = manifold.getBody1()->getUserIndex();
    if (a != index && b != index) return false;
    for (int i = 0; i < manifold.getNumContacts(); ++i) again.orphans.push_back({index, a == index ? b : a, a == index, count, manifold.getContactPoint(i)});
    ++count;
    return true;
  };
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) keep(*dispatcher.getManifoldByIndexInternal(m));
  std::erase_if(again.inherited, [&](const auto& manifold) { return keep(*manifold); });
}

void World::inherit(int removed, std::span<const Heir> of_hulls) {
  SecondSolve& again = engine_->again;
  std::map<std::pair<int, int>, btPersistentManifold*> manifolds;  // by number of the old one and heir
  for (const SecondSolve::Point& orphan : again.orphans) {
    const int hull = orphan.is_first ? orphan.point.m_index0 : orphan.point.m_index1;
    if (orphan.part != removed || hull < 0 || static_cast<size_t>(hull) >= of_hulls.size() || !has_part(orphan.other)) continue;
    const Heir& heir = of_hulls[static_cast<size_t>(hull)];
    btPersistentManifold*& manifold = manifolds[{orphan.manifold, heir.part}];
    if (!manifold) {
      const btRigidBody &own = engine_->part(heir.part).body, &other = engine_->part(orphan.other).body;
      manifold = again.inherited.emplace_back(std::make_unique<btPersistentManifold>(orphan.is_first ? &own : &other, orphan.is_first ? &other : &own, 0,
                                                                                     gContactBreakingThreshold, BT_LARGE_FLOAT)).get();
    }
    btManifoldPoint point = orphan.point;
    btVector3& local = orphan.is_first ? point.m_localPointA : point.m_localPointB;
    local = to_bullet(heir.old_to_new)(local);
    (orphan.is_first ? point.m_index0 : point.m_index1) = heir.hull;
    manifold->addManifoldPoint(point);
  }
  std::erase_if(again.orphans, [&](const SecondSolve::Point& orphan) { return orphan.part == removed; });
}

/// Solves what was put back, island by island: the solver takes those with plastic joints for its own.
void World::Engine::solve_islands() {
  const auto is_again = [&](int part) { return part >= 0 && again.parts[static_cast<size_t>(part)] != 0; };
  std::vector<btPersistentManifold*> manifolds;
  UnionFind islands(again.parts.size());
  const auto merge = [&](int a, int b) {
    if (is_again(a) && is_again(b)) islands.merge(a, b);
  };
  const auto add = [&](btPersistentManifold& manifold) {
    const int a = manifold.getBody0()->getUserIndex(), b = manifold.getBody1()->getUserIndex();
    if (manifold.getNumContacts() == 0 || !(is_again(a) || is_again(b))) return;
    manifolds.push_back(&manifold);
    merge(a, b);
    const double restitution = manifold.getBody0()->getRestitution() * manifold.getBody1()->getRestitution();
    for (int i = 0; i < manifold.getNumContacts(); ++i) {
      btManifoldPoint& point = manifold.getContactPoint(i);
      point.m_combinedRestitution = std::min<double>(point.m_combinedRestitution, restitution);
    }
    world.bounces.hide(manifold, world.getSolverInfo());
  };
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) add(*dispatcher.getManifoldByIndexInternal(m));
  for (const auto& manifold : again.inherited) add(*manifold);
  std::set<int> joint_numbers;
  for (size_t i = 0; i < again.parts.size(); ++i) {
    if (is_again(static_cast<int>(i))) joint_numbers.insert(parts[i]->joints.begin(), parts[i]->joints.end());
  }
  for (const int j : joint_numbers) merge(joint(j).settings.part_a, joint(j).settings.part_b);

  struct Group {
    btAlignedObjectArray<btCollisionObject*> bodies;
    btManifoldArray manifolds;
    btAlignedObjectArray<btTypedConstraint*> joints;
  };
  std::map<int, Group> groups;  // by lowest part
  const auto group_of = [&](int a, int b) -> Group& { return groups[islands.of(is_again(a) ? a : b)]; };
  for (size_t i = 0; i < again.parts.size(); ++i) {
    if (is_again(static_cast<int>(i))) group_of(static_cast<int>(i), -1).bodies.push_back(&parts[i]->body);
  }
  for (btPersistentManifold* manifold : manifolds) {
    group_of(manifold->getBody0()->getUserIndex(), manifold->getBody1()->getUserIndex()).manifolds.push_back(manifold);
  }
  for (const int j : joint_numbers) group_of(joint(j).settings.part_a, joint(j).settings.part_b).joints.push_back(joint(j).constraint.get());
  const auto first = [](auto& list) { return list.size() > 0 ? &list[0] : nullptr; };
  for (auto& [lowest, group] : groups) {
    solver.solveGroup(first(group.bodies), group.bodies.size(), first(group.manifolds), group.manifolds.size(), first(group.joints), group.joints.size(),
                      world.getSolverInfo(), nullptr, &dispatcher);
  }
}

void World::finish_again(double dt, Loads& loads) {
  Engine& engine = *engine_;
  SecondSolve& again = engine.again;
  assert(again.is_open);
  engine.world.overlaps.mask(engine.parts, *engine.world.getPairCache());
  engine.solve_islands();
  engine.world.bounces.give_back();
  engine.world.overlaps.give_back();
  for (size_t i = 0; i < again.parts.size(); ++i) {
    if (!again.parts[i]) continue;
    btRigidBody& body = engine.parts[i]->body;
    StepMemory::Motion& motion = engine.world.memory.motions[i];
    motion.solved_velocity = body.getLinearVelocity(), motion.solved_spin = body.getAngularVelocity();
    advance(body, dt);
    body.clearForces();
    add_velocity(body, motion.later_velocity, motion.later_spin);
  }
  std::erase_if(loads.breaks, [&](const JointBreak& one) { return !engine.broken.contains(one.joint); });  // they hold again, for now
  engine.yield_joints(loads.breaks);
  engine.gather(loads, dt);
  for (const auto& manifold : again.inherited) engine.gather_manifold(*manifold, loads.contacts);
  again = {};
}

}  // namespace crumple::rigid
