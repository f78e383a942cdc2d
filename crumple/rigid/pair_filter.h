#pragma once

#include <vector>

#include <btBulletDynamicsCommon.h>

namespace crumple::rigid {

/// Which parts are looked at for contacts: groups and masks as Bullet does it, no pairs in which nothing can move, and no new pair of two parts that
/// both have World::kMaxNeighbours others around them already. Without this bound, n parts in one place make n^2 contacts: 2000 balls took 5 GB and
/// more than a second for each step. Parts in a dense heap have about thirty boxes around them; a large part among many small ones keeps all its pairs.
class PairFilter final : public btOverlapFilterCallback, public btOverlappingPairCallback {
 public:
  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override;
  /// Pairs turned away because of the bound.
  long skipped() const { return skipped_; }

  // The engine tells which pairs come and go.
  btBroadphasePair* addOverlappingPair(btBroadphaseProxy* a, btBroadphaseProxy* b) override;
  void* removeOverlappingPair(btBroadphaseProxy* a, btBroadphaseProxy* b, btDispatcher* dispatcher) override;
  void removeOverlappingPairsContainingProxy(btBroadphaseProxy* proxy, btDispatcher* dispatcher) override;

 private:
  int& neighbours(const btBroadphaseProxy* proxy) const;
  mutable std::vector<int> neighbours_;  // #parts: pairs they are in
  mutable long skipped_ = 0;
};

}  // namespace crumple::rigid
