#pragma once

#include <btBulletDynamicsCommon.h>

namespace crumple::rigid {

/// Lets compounds of moving hulls collide with planes by our own rule: each hull's deepest point, kept in one manifold for the whole
/// body. The engine's rule keeps a manifold for every hull, near the plane or not, and in a scene with a floor and walls that costs
/// more than everything else. Uses the engine's public hooks only.
class HullsOnPlane final : public btCollisionAlgorithm {
 public:
  HullsOnPlane(const btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b, bool swapped);
  ~HullsOnPlane() override;

  void processCollision(const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b, const btDispatcherInfo& info, btManifoldResult* result) override;
  btScalar calculateTimeOfImpact(btCollisionObject*, btCollisionObject*, const btDispatcherInfo&, btManifoldResult*) override { return 1; }
  void getAllContactManifolds(btManifoldArray& manifolds) override { manifolds.push_back(manifold_); }

  struct CreateFunc final : btCollisionAlgorithmCreateFunc {
    explicit CreateFunc(bool swapped) { m_swapped = swapped; }
    btCollisionAlgorithm* CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper* a,
                                                   const btCollisionObjectWrapper* b) override;
  };

 private:
  btPersistentManifold* manifold_;
  bool swapped_;  // the plane comes first
};

}  // namespace crumple::rigid
