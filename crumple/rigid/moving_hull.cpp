#include "crumple/rigid/moving_hull.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "crumple/core/wide.h"

namespace crumple::rigid {
namespace {

constexpr int kLanes = 8;
constexpr int kGroup = 2 * kLanes;  // two searches side by side, so that neither waits for itself
using Eight = float __attribute__((vector_size(kLanes * sizeof(float))));
using EightInts = int __attribute__((vector_size(kLanes * sizeof(int))));

/// Index of the point farthest along (dx, dy, dz); of equal ones always the same.
CRUMPLE_WIDE int farthest(const float* lanes, int groups, float dx, float dy, float dz) {
  Eight best[2];
  EightInts best_group[2] = {};
  for (Eight& b : best) b = Eight{} - 3e38f;
  for (int group = 0; group < groups; ++group) {
    const EightInts number = EightInts{} + group;
    for (int half = 0; half < 2; ++half) {
      Eight x, y, z;
      const float* from = lanes + (2 * group + half) * 3 * kLanes;
      __builtin_memcpy(&x, from, sizeof x);
      __builtin_memcpy(&y, from + kLanes, sizeof y);
      __builtin_memcpy(&z, from + 2 * kLanes, sizeof z);
      const Eight dot = x * dx + y * dy + z * dz;
      const EightInts farther = dot > best[half];
      best[half] = farther ? dot : best[half];
      best_group[half] = farther ? number : best_group[half];
    }
  }
  float most = -3.4e38f;
  int index = 0;
  for (int half = 0; half < 2; ++half) {
    for (int l = 0; l < kLanes; ++l) {
      if (best[half][l] > most) most = best[half][l], index = best_group[half][l] * kGroup + half * kLanes + l;
    }
  }
  return index;
}

}  // namespace

MovingHull::MovingHull(std::span<const Vec3> points, double margin) : points_(points.size()) {
  assert(!points.empty());
  m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
  setMargin(margin);
  lanes_.resize((points.size() + kGroup - 1) / kGroup * kGroup * 3);
  move(points);
}

void MovingHull::move(std::span<const Vec3> points) {
  assert(points.size() == points_.size());
  for (size_t i = 0; i < points.size(); ++i) points_[i].setValue(points[i].x(), points[i].y(), points[i].z());
  const size_t padded = lanes_.size() / 3;
  for (size_t i = 0; i < padded; ++i) {
    const Vec3& point = points[i < points.size() ? i : 0];
    float* group = &lanes_[i / kLanes * 3 * kLanes + i % kLanes];
    for (int axis = 0; axis < 3; ++axis) group[axis * kLanes] = static_cast<float>(point[axis]);
  }
  refit();
}

btVector3 MovingHull::localGetSupportingVertexWithoutMargin(const btVector3& direction) const {
  // A direction may have any length; single precision wants a sensible one.
  const btScalar length = btMax(btMax(btFabs(direction.x()), btFabs(direction.y())), btFabs(direction.z()));
  const btVector3 d = length > 0 ? direction / length : btVector3(1, 0, 0);
  const int index = farthest(lanes_.data(), static_cast<int>(lanes_.size()) / (3 * kGroup), static_cast<float>(d.x()), static_cast<float>(d.y()),
                             static_cast<float>(d.z()));
  return point(index < getNumPoints() ? index : 0);
}

btVector3 MovingHull::localGetSupportingVertex(const btVector3& direction) const {
  const btScalar length = direction.length();
  const btVector3 unit = length > SIMD_EPSILON ? direction / length : btVector3(1, 0, 0);
  return localGetSupportingVertexWithoutMargin(unit) + getMargin() * unit;
}

void MovingHull::batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* points, int count) const {
  for (int i = 0; i < count; ++i) points[i] = localGetSupportingVertexWithoutMargin(directions[i]);
}

double MovingHull::reach(const btVector3& direction) const {
  return localGetSupportingVertexWithoutMargin(direction).dot(direction) + getMargin();
}

// The real inertia is set when the part is made; that of a box is enough for the engine's own queries.
void MovingHull::calculateLocalInertia(btScalar mass, btVector3& inertia) const {
  btVector3 low, high;
  getCachedLocalAabb(low, high);
  const btVector3 size = high - low;
  inertia.setValue(size.y() * size.y() + size.z() * size.z(), size.z() * size.z() + size.x() * size.x(), size.x() * size.x() + size.y() * size.y());
  inertia *= mass / 12;
}

// The engine adds the margin once more when it asks for the box. Its own boxes are that loose too, and it pays: contacts of children
// that just touch are not dropped and found again from step to step.
void MovingHull::refit() {
  btVector3 low = points_[0], high = low;
  for (const btVector3& point : points_) low.setMin(point), high.setMax(point);
  const btVector3 margin(getMargin(), getMargin(), getMargin());
  setCachedLocalAabb(low - margin, high + margin);
}

}  // namespace crumple::rigid
