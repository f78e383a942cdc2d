#pragma once

#include <btBulletDynamicsCommon.h>

namespace crumple::rigid {

/// Lets compounds of moving hulls collide with planes by our own rule: the deepest point of each hull, in a manifold of its own while
/// the hull is near. The engine's rule looks at every hull of a body on every plane, near or not, and in a scene with a floor and
/// walls that costs more than everything else. (One manifold for the whole body is cheaper still, but its four points come and go and
/// stacks never quite rest.) Uses the engine's public hooks only.
class HullsOnPlane final : public btCollisionAlgorithm {
 public:
  HullsOnPlane(const btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b, bool swapped);
  ~HullsOnPlane() override;

  void processCollision(const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b, const btDispatcherInfo& info,
                        btManifoldResult* result) override;
  btScalar calculateTimeOfImpact(btCollisionObject*, btCollisionObject*, const btDispatcherInfo&, btManifoldResult*) override { return 1; }
  void getAllContactManifolds(btManifoldArray& manifolds) override;

  struct CreateFunc final : btCollisionAlgorithmCreateFunc {
    explicit CreateFunc(bool swapped) { m_swapped = swapped; }
    btCollisionAlgorithm* CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper* a,
                                                   const btCollisionObjectWrapper* b) override;
  };

 private:
  void release(int hull);

  btAlignedObjectArray<btPersistentManifold*> manifolds_;  // per hull, null while it is far
  bool swapped_;                                           // the plane comes first
};

}  // namespace crumple::rigid
