#include <algorithm>
#include <cassert>
#include <limits>

#include "crumple/rigid/engine.h"

namespace crumple::rigid {
namespace {

/// Depth of the deepest point; 0 if there is no overlap.
double deepest(const btManifoldArray& manifolds) {
  double depth = 0;
  for (int m = 0; m < manifolds.size(); ++m)
    for (int i = 0; i < manifolds[m]->getNumContacts(); ++i)
      depth = std::max(depth, -static_cast<double>(manifolds[m]->getContactPoint(i).getDistance()));
  return depth;
}

}  // namespace

void AllowedOverlaps::allow(int a, int b, double depth) {
  if (a == b)
    newcomers_.insert(a);
  else if (depth > 0)
    depths_[std::minmax(a, b)] = depth;
}

/// Allows all pairs of overlapping boxes; pairs without a contact are dropped after the next collision detection.
void AllowedOverlaps::allow_newcomers(btOverlappingPairCache& cache) {
  if (newcomers_.empty()) return;
  const auto part_of = [](const btBroadphaseProxy* proxy) { return static_cast<const btCollisionObject*>(proxy->m_clientObject)->getUserIndex(); };
  const btBroadphasePairArray& pairs = cache.getOverlappingPairArray();
  for (int i = 0; i < pairs.size(); ++i) {
    const int a = part_of(pairs[i].m_pProxy0), b = part_of(pairs[i].m_pProxy1);
    if (newcomers_.contains(a) || newcomers_.contains(b)) allow(a, b, std::numeric_limits<double>::infinity());
  }
  newcomers_.clear();
}

void AllowedOverlaps::forget(int part) {
  newcomers_.erase(part);
  std::erase_if(depths_, [&](const auto& pair) { return pair.first.first == part || pair.first.second == part; });
}

void AllowedOverlaps::collect_manifolds(const Part& a, const Part& b, btOverlappingPairCache& cache) {
  manifolds_.resize(0);
  const auto proxy = [](const Part& part) { return const_cast<btBroadphaseProxy*>(part.body.getBroadphaseProxy()); };
  const btBroadphasePair* pair = cache.findPair(proxy(a), proxy(b));
  if (pair && pair->m_algorithm) pair->m_algorithm->getAllContactManifolds(manifolds_);
}

void AllowedOverlaps::hide(std::span<const std::unique_ptr<Part>> parts, btOverlappingPairCache& cache) {
  hidden_.clear();
  allow_newcomers(cache);
  for (auto next = depths_.begin(); next != depths_.end();) {
    const auto pair = next++;
    const Part &a = *parts[pair->first.first], &b = *parts[pair->first.second];
    if (!a.body.isActive() && !b.body.isActive()) continue;  // not tested while both sleep
    collect_manifolds(a, b, cache);
    double& depth = pair->second;
    depth = std::min(depth, deepest(manifolds_));
    if (!(depth > 0)) {
      depths_.erase(pair);
      continue;
    }
    mask_manifolds(depth);
  }
}

void AllowedOverlaps::mask_manifolds(double depth) {
  for (int m = 0; m < manifolds_.size(); ++m) {
    for (int i = 0; i < manifolds_[m]->getNumContacts(); ++i) {
      btManifoldPoint& point = manifolds_[m]->getContactPoint(i);
      hidden_.push_back({&point, point.m_distance1, point.m_combinedRestitution});
      if (point.m_distance1 < 0) point.m_distance1 = std::min(0.0, point.m_distance1 + depth);
      point.m_combinedRestitution = 0;
    }
  }
}

void AllowedOverlaps::mask(std::span<const std::unique_ptr<Part>> parts, btOverlappingPairCache& cache) {
  hidden_.clear();
  for (const auto& [pair, depth] : depths_) {
    collect_manifolds(*parts[pair.first], *parts[pair.second], cache);
    mask_manifolds(depth);
  }
}

void AllowedOverlaps::give_back() {
  for (const Hidden& hidden : hidden_) {
    hidden.point->m_distance1 = hidden.distance;
    hidden.point->m_combinedRestitution = hidden.restitution;
  }
  hidden_.clear();
}

void OverlapWorld::solveConstraints(btContactSolverInfo& info) {
  overlaps.hide(parts, *getPairCache());
  work.damped = kinetic_energy_of(parts);
  memory.take(parts, *getDispatcher(), info.m_timeStep);
  if (memory.is_on) memory.take_joints(joints), bounces.hide(*getDispatcher(), info);
  btDiscreteDynamicsWorld::solveConstraints(info);
  memory.take_solved(parts);
  bounces.give_back();
  overlaps.give_back();
}

void World::allow_overlap(const Overlap& overlap) {
  assert(has_part(overlap.part_a) && has_part(overlap.part_b));
  engine_->world.overlaps.allow(overlap.part_a, overlap.part_b, overlap.depth);
}

std::vector<World::Overlap> World::overlaps() const {
  std::vector<Overlap> result;
  for (const auto& [parts, depth] : engine_->world.overlaps.pairs()) result.push_back({parts.first, parts.second, depth});
  for (const int part : engine_->world.overlaps.newcomers()) result.push_back({part, part, std::numeric_limits<double>::infinity()});
  return result;
}

}  // namespace crumple::rigid
