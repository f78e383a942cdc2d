#include "crumple/rigid/moving_hull.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "crumple/core/wide.h"

namespace crumple::rigid {
namespace {

constexpr int kLanes = 4;
using Four = double __attribute__((vector_size(kLanes * sizeof(double))));

/// Index of the point farthest along (dx, dy, dz); of equal ones always the same.
CRUMPLE_WIDE int farthest(const double* lanes, int groups, double dx, double dy, double dz) {
  Four best = {-1e300, -1e300, -1e300, -1e300}, best_group = {0, 0, 0, 0};
  for (int group = 0; group < groups; ++group) {
    Four x, y, z;
    std::memcpy(&x, lanes + group * 3 * kLanes, sizeof x);
    std::memcpy(&y, lanes + group * 3 * kLanes + kLanes, sizeof y);
    std::memcpy(&z, lanes + group * 3 * kLanes + 2 * kLanes, sizeof z);
    const Four dot = x * dx + y * dy + z * dz;
    const auto farther = dot > best;
    const double number = group;
    best = farther ? dot : best;
    best_group = farther ? Four{number, number, number, number} : best_group;
  }
  int lane = 0;
  for (int l = 1; l < kLanes; ++l) {
    if (best[l] > best[lane]) lane = l;
  }
  return static_cast<int>(best_group[lane]) * kLanes + lane;
}

}  // namespace

MovingHull::MovingHull(std::span<const Vec3> points, double margin) : count_(static_cast<int>(points.size())) {
  assert(!points.empty());
  m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
  setMargin(margin);
  lanes_.resize(static_cast<size_t>((count_ + kLanes - 1) / kLanes) * 3 * kLanes);
  move(points);
}

void MovingHull::move(std::span<const Vec3> points) {
  assert(static_cast<int>(points.size()) == count_);
  const size_t padded = lanes_.size() / 3;
  for (size_t i = 0; i < padded; ++i) {
    const Vec3& point = points[i < points.size() ? i : 0];
    double* group = &lanes_[i / kLanes * 3 * kLanes + i % kLanes];
    group[0] = point.x(), group[kLanes] = point.y(), group[2 * kLanes] = point.z();
  }
  refit();
}

btVector3 MovingHull::point(int index) const {
  const double* group = &lanes_[static_cast<size_t>(index / kLanes * 3 * kLanes + index % kLanes)];
  return {group[0], group[kLanes], group[2 * kLanes]};
}

btVector3 MovingHull::localGetSupportingVertexWithoutMargin(const btVector3& direction) const {
  return point(farthest(lanes_.data(), static_cast<int>(lanes_.size()) / (3 * kLanes), direction.x(), direction.y(), direction.z()));
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

// Inertia is always given by whoever makes the part; a box's will do for the engine's own questions.
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
  Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
  for (size_t group = 0; group < lanes_.size(); group += 3 * kLanes) {
    for (int axis = 0; axis < 3; ++axis) {
      const double* values = &lanes_[group + static_cast<size_t>(axis) * kLanes];
      low[axis] = std::min({low[axis], values[0], values[1], values[2], values[3]});
      high[axis] = std::max({high[axis], values[0], values[1], values[2], values[3]});
    }
  }
  const btVector3 margin(getMargin(), getMargin(), getMargin());
  setCachedLocalAabb(btVector3(low.x(), low.y(), low.z()) - margin, btVector3(high.x(), high.y(), high.z()) + margin);
}

}  // namespace crumple::rigid
