#include "crumple/rigid/engine.h"

namespace crumple::rigid {

void Bounces::hide(btDispatcher& dispatcher, const btContactSolverInfo& info) {
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) hide(*dispatcher.getManifoldByIndexInternal(m), info);
}

void Bounces::hide(btPersistentManifold& manifold, const btContactSolverInfo& info) {
  const auto velocity_at = [](const btCollisionObject* object, const btVector3& at) {
    const btRigidBody& body = *btRigidBody::upcast(object);
    return body.getVelocityInLocalPoint(at - body.getWorldTransform().getOrigin());
  };
  for (int i = 0; i < manifold.getNumContacts(); ++i) {
    btManifoldPoint& point = manifold.getContactPoint(i);
    if (!(point.m_combinedRestitution > 0)) continue;
    const btVector3 relative = velocity_at(manifold.getBody0(), point.getPositionWorldOnA()) - velocity_at(manifold.getBody1(), point.getPositionWorldOnB());
    const double approach = -relative.dot(point.m_normalWorldOnB), distance = point.m_distance1;
    if (approach < info.m_restitutionVelocityThreshold) continue;  // the engine lets nothing slower bounce
    const bool meets = approach * info.m_timeStep > distance;
    const bool parts = point.m_combinedRestitution * approach > -distance * info.m_erp2 / info.m_timeStep;  // faster than the overlap would end by itself
    if (!meets || !parts) continue;
    hidden_.emplace_back(&point, point.m_distance1);
    point.m_distance1 = 0;
  }
}

void Bounces::give_back() {
  for (const auto& [point, distance] : hidden_) point->m_distance1 = distance;
  hidden_.clear();
}

}  // namespace crumple::rigid
