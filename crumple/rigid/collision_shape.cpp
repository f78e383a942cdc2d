#include "crumple/rigid/collision_shape.h"

#include <algorithm>
#include <cassert>

#include "crumple/rigid/bullet.h"

namespace crumple::rigid {
namespace {

bool is_one_hull(const TriMesh& mesh) {
  return is_convex(mesh, 1e-6 * bounds_of(mesh.positions).diagonal());
}

}  // namespace

CollisionShape::CollisionShape(const Shape& shape) {
  std::visit([this](const auto& kind) { make(kind); }, shape);
}

void CollisionShape::make(const Box& box) {
  shape_ = std::make_unique<btBoxShape>(to_bullet(Vec3(box.size / 2)));
}

void CollisionShape::make(const Sphere& sphere) {
  shape_ = std::make_unique<btSphereShape>(sphere.radius);
}

void CollisionShape::make(const Cylinder& cylinder) {
  shape_ = std::make_unique<btCylinderShape>(btVector3(cylinder.radius, cylinder.height / 2, cylinder.radius));
}

void CollisionShape::make(const Capsule& capsule) {
  shape_ = std::make_unique<btCapsuleShape>(capsule.radius, std::max(0.0, capsule.height - 2 * capsule.radius));
}

void CollisionShape::make(const Plane& plane) {
  shape_ = std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), plane.offset);
}

void CollisionShape::make(const Triangles& triangles) {
  const TriMesh& mesh = triangles.mesh;
  const double margin = margin_for(bounds_of(mesh.positions).diagonal());
  assert(!mesh.triangles.empty());
  if (is_one_hull(mesh)) {
    shape_ = std::make_unique<MovingHull>(mesh.positions, margin);
    return;
  }
  triangles_ = std::make_unique<btTriangleMesh>();
  triangles_->preallocateVertices(static_cast<int>(3 * mesh.triangles.size()));
  for (const auto& [a, b, c] : mesh.triangles)
    triangles_->addTriangle(to_bullet(mesh.positions[a]), to_bullet(mesh.positions[b]), to_bullet(mesh.positions[c]));
  shape_ = std::make_unique<btBvhTriangleMeshShape>(triangles_.get(), true);
  shape_->setMargin(margin);
}

void CollisionShape::make(const Hulls& hulls) {
  assert(!hulls.points.empty());
  auto compound = std::make_unique<btCompoundShape>(true, static_cast<int>(hulls.points.size()));
  compound->setMargin(hulls.margin);
  for (const auto& points : hulls.points) {
    hulls_.push_back(std::make_unique<MovingHull>(points, hulls.margin));
    compound->addChildShape(btTransform::getIdentity(), hulls_.back().get());
  }
  shape_ = std::move(compound);
}

void CollisionShape::move_hulls(std::span<const Vec3> points) {
  auto& compound = static_cast<btCompoundShape&>(*shape_);
  size_t next = 0;
  for (size_t i = 0; i < hulls_.size(); ++i) {
    const size_t count = static_cast<size_t>(hulls_[i]->getNumPoints());
    assert(next + count <= points.size());
    hulls_[i]->move(points.subspan(next, count));
    next += count;
    compound.updateChildTransform(static_cast<int>(i), btTransform::getIdentity(), false);  // its leaf of the tree of boxes
  }
  assert(next == points.size());
  compound.recalculateLocalAabb();
}

}  // namespace crumple::rigid
