#include <algorithm>
#include <array>
#include <cassert>

#include "crumple/rigid/bullet.h"
#include "crumple/rigid/engine.h"

namespace crumple::rigid {
namespace {

/// Brings a cached contact point back to the hull if that has moved in: the engine only asks whether points have drifted apart in the
/// world, so a dent would otherwise leave the body standing on air. Where the hull has moved out, the next step finds new points.
btVector3 on_hull(const MovingHull& hull, const btVector3& point, const btVector3& outward) {
  const double above = point.dot(outward) - hull.reach(outward);
  return above > 0 ? point - outward * above : point;
}

/// The parts on both sides.
std::array<int, 2> touched_by(const btPersistentManifold& manifold) {
  return {manifold.getBody0()->getUserIndex(), manifold.getBody1()->getUserIndex()};
}

}  // namespace

void World::Engine::index_manifolds() {
  ManifoldIndex& index = manifold_index;
  index.first.assign(parts.size() + 1, 0);
  const int count = dispatcher.getNumManifolds();
  const auto manifold = [&](int m) { return dispatcher.getManifoldByIndexInternal(m); };
  for (int m = 0; m < count; ++m)
    for (const int part : touched_by(*manifold(m))) ++index.first[part + 1];
  for (size_t p = 0; p < parts.size(); ++p) index.first[p + 1] += index.first[p];
  index.manifolds.resize(2 * static_cast<size_t>(count));
  // Filling moves each begin to its end, that is to the next part's begin: shift back afterwards.
  for (int m = 0; m < count; ++m)
    for (const int part : touched_by(*manifold(m))) index.manifolds[index.first[part]++] = manifold(m);
  for (size_t p = parts.size(); p > 0; --p) index.first[p] = index.first[p - 1];
  index.first[0] = 0;
  index.valid = true;
}

std::span<btPersistentManifold*> ManifoldIndex::of(int part) {
  if (part + 1 >= static_cast<int>(first.size())) return {};  // came later
  return std::span(manifolds).subspan(first[part], first[part + 1] - first[part]);
}

void ManifoldIndex::forget(int part) {
  if (!valid) return;
  const auto touches = [&](const btPersistentManifold* manifold) { return manifold && std::ranges::count(touched_by(*manifold), part) > 0; };
  int last = part;
  for (const btPersistentManifold* manifold : of(part)) {
    if (!manifold) continue;
    const auto [a, b] = touched_by(*manifold);
    const int other = a == part ? b : a;
    if (other != last) std::ranges::replace_if(of(other), touches, nullptr);
    last = other;
  }
  std::ranges::fill(of(part), nullptr);
}

void World::Engine::move_contacts(int index, const Transform& old_to_new) {
  const Part& moved = part(index);
  const btTransform move = to_bullet(old_to_new);
  const btMatrix3x3 to_local = moved.body.getWorldTransform().getBasis().transpose();
  if (!manifold_index.valid) index_manifolds();
  for (btPersistentManifold* touching : manifold_index.of(index)) {
    if (!touching) continue;
    btPersistentManifold& manifold = *touching;
    const bool is_first = manifold.getBody0() == &moved.body;
    for (int i = 0; i < manifold.getNumContacts(); ++i) {
      btManifoldPoint& point = manifold.getContactPoint(i);
      btVector3& local = is_first ? point.m_localPointA : point.m_localPointB;
      local = move(local);
      const int hull = is_first ? point.m_index0 : point.m_index1;
      if (hull < 0 || hull >= moved.shape.hull_count()) continue;
      local = on_hull(moved.shape.hull(hull), local, to_local * (is_first ? -point.m_normalWorldOnB : point.m_normalWorldOnB));
    }
  }
}

void World::reshape(int index, const Reshape& change) {
  Part& part = engine_->part(index);
  assert(part.shape.is_compound());
  part.shape.move_hulls(change.points);
  if (part.motion == Motion::Dynamic) part.body.setMassProps(part.mass, to_bullet(change.inertia));
  part.body.setCenterOfMassTransform(to_bullet(change.place));  // with the inertia in the world and the interpolated place
  engine_->move_contacts(index, change.old_to_new);
  engine_->move_joints(index, change.old_to_new);
  if (!part.body.isActive()) engine_->wake(part);
  engine_->world.updateSingleAabb(&part.body);
}

}  // namespace crumple::rigid
