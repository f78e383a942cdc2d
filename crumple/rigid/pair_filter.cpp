#include "crumple/rigid/pair_filter.h"

#include <algorithm>

#include "crumple/rigid/world.h"

namespace crumple::rigid {
namespace {

const btCollisionObject& object_of(const btBroadphaseProxy* proxy) {
  return *static_cast<const btCollisionObject*>(proxy->m_clientObject);
}

bool is_fixed(const btBroadphaseProxy* proxy) {
  return object_of(proxy).isStaticOrKinematicObject();
}

}  // namespace

int& PairFilter::neighbours(const btBroadphaseProxy* proxy) const {
  const auto part = static_cast<size_t>(object_of(proxy).getUserIndex());
  if (neighbours_.size() <= part) neighbours_.resize(part + 1, 0);
  return neighbours_[part];
}

bool PairFilter::needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const {
  if ((a->m_collisionFilterGroup & b->m_collisionFilterMask) == 0 || (b->m_collisionFilterGroup & a->m_collisionFilterMask) == 0) return false;
  if (is_fixed(a) || is_fixed(b)) return !is_fixed(a) || !is_fixed(b);
  if (neighbours(a) < World::kMaxNeighbours || neighbours(b) < World::kMaxNeighbours) return true;
  ++skipped_;
  return false;
}

btBroadphasePair* PairFilter::addOverlappingPair(btBroadphaseProxy* a, btBroadphaseProxy* b) {
  ++neighbours(a);
  ++neighbours(b);
  return nullptr;
}

void* PairFilter::removeOverlappingPair(btBroadphaseProxy* a, btBroadphaseProxy* b, btDispatcher*) {
  --neighbours(a);
  --neighbours(b);
  return nullptr;
}

void PairFilter::removeOverlappingPairsContainingProxy(btBroadphaseProxy*, btDispatcher*) {}  // comes pair by pair

}  // namespace crumple::rigid
