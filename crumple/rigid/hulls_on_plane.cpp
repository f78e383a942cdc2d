#include "crumple/rigid/hulls_on_plane.h"

#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>

#include "crumple/rigid/moving_hull.h"

namespace crumple::rigid {
namespace {

/// How far a box reaches towards the plane, as a signed distance.
btScalar box_distance(const btVector3& low, const btVector3& high, const btVector3& normal, btScalar offset) {
  const btVector3 center = 0.5 * (low + high), half = 0.5 * (high - low);
  return center.dot(normal) - half.dot(normal.absolute()) - offset;
}

}  // namespace

HullsOnPlane::HullsOnPlane(const btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b,
                           bool swapped)
    : btCollisionAlgorithm(info), swapped_(swapped) {
  const auto& compound = static_cast<const btCompoundShape&>(*(swapped ? b : a)->getCollisionShape());
  manifolds_.resize(compound.getNumChildShapes(), nullptr);
}

HullsOnPlane::~HullsOnPlane() {
  for (int i = 0; i < manifolds_.size(); ++i) release(i);
}

void HullsOnPlane::release(int hull) {
  if (manifolds_[hull]) m_dispatcher->releaseManifold(manifolds_[hull]);
  manifolds_[hull] = nullptr;
}

void HullsOnPlane::getAllContactManifolds(btManifoldArray& manifolds) {
  for (int i = 0; i < manifolds_.size(); ++i) {
    if (manifolds_[i]) manifolds.push_back(manifolds_[i]);
  }
}

btCollisionAlgorithm* HullsOnPlane::CreateFunc::CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo& info,
                                                                         const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b) {
  void* memory = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(HullsOnPlane));
  return new (memory) HullsOnPlane(info, a, b, m_swapped);
}

void HullsOnPlane::processCollision(const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b, const btDispatcherInfo&,
                                    btManifoldResult* result) {
  const btCollisionObjectWrapper* body = swapped_ ? b : a;
  const btCollisionObjectWrapper* ground = swapped_ ? a : b;
  const auto& compound = static_cast<const btCompoundShape&>(*body->getCollisionShape());
  const auto& plane = static_cast<const btStaticPlaneShape&>(*ground->getCollisionShape());
  // The plane as the body's own frame sees it: normal . x = offset.
  const btTransform& to_world = body->getWorldTransform();
  const btVector3 world_normal = ground->getWorldTransform().getBasis() * plane.getPlaneNormal();
  const btScalar world_offset = plane.getPlaneConstant() + world_normal.dot(ground->getWorldTransform().getOrigin());
  const btVector3 normal = world_normal * to_world.getBasis();
  const btScalar offset = world_offset - world_normal.dot(to_world.getOrigin());
  const btScalar reach =
      btMin(compound.getContactBreakingThreshold(gContactBreakingThreshold), plane.getContactBreakingThreshold(gContactBreakingThreshold));

  btVector3 low, high;
  compound.getAabb(btTransform::getIdentity(), low, high);
  const bool far = box_distance(low, high, normal, offset) > reach;
  for (int i = 0; i < compound.getNumChildShapes(); ++i) {
    const auto& hull = static_cast<const MovingHull&>(*compound.getChildShape(i));
    if (!far) hull.getAabb(btTransform::getIdentity(), low, high);
    if (far || box_distance(low, high, normal, offset) > reach) {
      release(i);
      continue;
    }
    if (!manifolds_[i]) manifolds_[i] = m_dispatcher->getNewManifold(a->getCollisionObject(), b->getCollisionObject());
    result->setPersistentManifold(manifolds_[i]);
    const btVector3 deepest = hull.localGetSupportingVertexWithoutMargin(-normal) - hull.getMargin() * normal;
    const btScalar distance = deepest.dot(normal) - offset;
    if (distance <= reach) {
      // The engine wants the point on the second body, with the normal from there to the first.
      const btVector3 on_body = to_world * deepest;
      swapped_ ? result->setShapeIdentifiersB(-1, i) : result->setShapeIdentifiersA(-1, i);
      if (swapped_) {
        result->addContactPoint(-world_normal, on_body, distance);
      } else {
        result->addContactPoint(world_normal, on_body - distance * world_normal, distance);
      }
    }
    result->refreshContactPoints();
  }
}

}  // namespace crumple::rigid
