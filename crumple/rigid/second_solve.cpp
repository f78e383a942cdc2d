#include <algorithm>
#include <cassert>
#include <map>
#include <set>

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

void StepMemory::take(std::span<const std::unique_ptr<Part>> parts, btDispatcher& dispatcher) {
  motions.assign(parts.size(), {});
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i] || !moves(*parts[i])) continue;
    const btRigidBody& body = parts[i]->body;
    Motion& motion = motions[i];
    motion.moves = true;
    motion.place = body.getWorldTransform();
    motion.velocity = body.getLinearVelocity(), motion.spin = body.getAngularVelocity();
    motion.force = body.getTotalForce(), motion.torque = body.getTotalTorque();
  }
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

/// Parts of the islands that these parts were solved in, as far as no plastic joint holds them.
std::vector<int> World::Engine::islands_of(std::span<const int> wanted) {
  const auto tag = [](const Part& part) { return part.body.getIslandTag(); };
  std::set<int> islands, plastic;
  for (const int index : wanted) {
    if (world.memory.motions[static_cast<size_t>(index)].moves) islands.insert(tag(part(index)));
  }
  for (const auto& joint : joints) {
    if (!joint || !joint->plastic()) continue;
    for (const int index : {joint->settings.part_a, joint->settings.part_b}) {
      if (index >= 0 && part(index).motion == Motion::Dynamic) plastic.insert(tag(part(index)));
    }
  }
  std::vector<int> result;
  for (size_t i = 0; i < world.memory.motions.size(); ++i) {
    if (!parts[i] || !world.memory.motions[i].moves) continue;
    if (islands.contains(tag(*parts[i])) && !plastic.contains(tag(*parts[i]))) result.push_back(static_cast<int>(i));
  }
  return result;
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

void World::remember_steps(bool on) {
  engine_->world.memory.is_on = on;
}

std::vector<int> World::begin_again(std::span<const int> parts) {
  Engine& engine = *engine_;
  assert(engine.world.memory.is_on);
  const std::vector<int> islands = engine.islands_of(parts);
  if (islands.empty()) return {};
  engine.again.is_open = true;
  engine.again.parts.assign(engine.parts.size(), 0);
  for (const int part : islands) engine.again.parts[static_cast<size_t>(part)] = 1, engine.put_back(part);
  for (int m = 0; m < engine.dispatcher.getNumManifolds(); ++m) {
    btPersistentManifold& manifold = *engine.dispatcher.getManifoldByIndexInternal(m);
    const StepMemory::Impulses* kept = find(engine.world.memory.impulses, &manifold);
    const auto is_put_back = [&](const btCollisionObject* body) { return engine.again.parts[static_cast<size_t>(body->getUserIndex())] != 0; };
    if (!kept || (!is_put_back(manifold.getBody0()) && !is_put_back(manifold.getBody1()))) continue;
    for (int i = 0; i < manifold.getNumContacts(); ++i) {
      btManifoldPoint& point = manifold.getContactPoint(i);
      const auto& [normal, first, second] = kept->of_points[static_cast<size_t>(i)];
      point.m_appliedImpulse = normal, point.m_appliedImpulseLateral1 = first, point.m_appliedImpulseLateral2 = second;
    }
  }
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

void World::push_again(int index, const Vec3& at, const Vec3& impulse, const Vec3& twist) {
  btRigidBody& body = engine_->part(index).body;
  const double rate = 1 / engine_->world.getSolverInfo().m_timeStep;
  body.applyForce(to_bullet(impulse * rate), to_bullet(at) - body.getWorldTransform().getOrigin());
  body.applyTorque(to_bullet(twist * rate));
}

void World::finish_again(double dt, Loads& loads) {
  Engine& engine = *engine_;
  SecondSolve& again = engine.again;
  assert(again.is_open);
  const auto is_again = [&](int part) { return again.parts[static_cast<size_t>(part)] != 0; };
  btAlignedObjectArray<btCollisionObject*> bodies;
  std::set<int> joint_numbers;
  for (size_t i = 0; i < again.parts.size(); ++i) {
    if (!is_again(static_cast<int>(i))) continue;
    bodies.push_back(&engine.part(static_cast<int>(i)).body);
    joint_numbers.insert(engine.parts[i]->joints.begin(), engine.parts[i]->joints.end());
  }
  btManifoldArray manifolds;
  const auto add = [&](btPersistentManifold& manifold) {
    if (manifold.getNumContacts() == 0) return;
    manifolds.push_back(&manifold);
    const double restitution = manifold.getBody0()->getRestitution() * manifold.getBody1()->getRestitution();
    for (int i = 0; i < manifold.getNumContacts(); ++i) {
      btManifoldPoint& point = manifold.getContactPoint(i);
      point.m_combinedRestitution = std::min<double>(point.m_combinedRestitution, restitution);
    }
  };
  for (int m = 0; m < engine.dispatcher.getNumManifolds(); ++m) {
    btPersistentManifold& manifold = *engine.dispatcher.getManifoldByIndexInternal(m);
    if (is_again(manifold.getBody0()->getUserIndex()) || is_again(manifold.getBody1()->getUserIndex())) add(manifold);
  }
  for (const auto& manifold : again.inherited) add(*manifold);
  btAlignedObjectArray<btTypedConstraint*> constraints;
  for (const int joint : joint_numbers) constraints.push_back(engine.joint(joint).constraint.get());

  engine.world.overlaps.mask(engine.parts, *engine.world.getPairCache());
  btTypedConstraint** first_constraint = constraints.size() > 0 ? &constraints[0] : nullptr;
  btPersistentManifold** first_manifold = manifolds.size() > 0 ? &manifolds[0] : nullptr;
  engine.solver.solveGroup(&bodies[0], bodies.size(), first_manifold, manifolds.size(), first_constraint, constraints.size(), engine.world.getSolverInfo(),
                           nullptr, &engine.dispatcher);
  engine.world.overlaps.give_back();
  for (int i = 0; i < bodies.size(); ++i) {
    btRigidBody& body = *btRigidBody::upcast(bodies[i]);
    advance(body, dt);
    body.clearForces();
    const size_t part = static_cast<size_t>(body.getUserIndex());
    if (part >= engine.world.memory.motions.size()) continue;
    const StepMemory::Motion& motion = engine.world.memory.motions[part];
    add_velocity(body, motion.later_velocity, motion.later_spin);
  }
  engine.gather(loads, dt);
  for (const auto& manifold : again.inherited) engine.gather_manifold(*manifold, loads.contacts);
  again = {};
}

}  // namespace crumple::rigid
