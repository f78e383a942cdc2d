#include <algorithm>
#include <limits>

#include <Eigen/Eigenvalues>

#include "crumple/geometry/winding.h"
#include "crumple/rigid/convex_hull.h"
#include "crumple/rigid/mesh_field.h"
#include "crumple/rigid/obstacle.h"

namespace crumple::rigid {
namespace {

constexpr double kFlush = 1e-6;  // of the size: faces as near as that are one

struct Face {
  Eigen::Vector4d plane;  // without the margin
  Vec3 middle;            // times area, until all is added
  double area;
};

/// The faces of a convex hull; its triangles come polygon by polygon.
std::vector<Face> faces_of(std::span<const Vec3> points) {
  const ConvexHull hull = convex_hull(points);
  std::vector<Face> faces;
  for (const auto& [a, b, c] : hull.faces) {
    const Vec3 normal = (points[b] - points[a]).cross(points[c] - points[a]);
    const double area = normal.norm();
    if (!(area > 0)) continue;
    Eigen::Vector4d plane;
    plane << normal / area, normal.dot(points[a]) / area;
    const Vec3 middle = area / 3 * (points[a] + points[b] + points[c]);
    if (!faces.empty() && faces.back().plane.head<3>().dot(plane.head<3>()) > 1 - 1e-9) {
      faces.back().middle += middle, faces.back().area += area;
    } else {
      faces.push_back({plane, middle, area});
    }
  }
  for (Face& face : faces) {
    face.middle /= face.area;
    // Slivers have normals that are hardly theirs: at least they cut nothing off.
    for (const int v : hull.vertices) face.plane[3] = std::max(face.plane[3], face.plane.head<3>().dot(points[v]));
  }
  return faces;
}

/// Points in a plane or on a line are replaced by a box along their principal axes.
std::vector<Face> box_faces(std::span<const Vec3> points) {
  Vec3 center = Vec3::Zero();
  for (const Vec3& p : points) center += p / static_cast<double>(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : points) spread += (p - center) * (p - center).transpose();
  const Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors();
  std::vector<Face> faces;
  for (int k = 0; k < 3; ++k) {
    for (const double side : {1.0, -1.0}) {
      const Vec3 normal = side * axes.col(k);
      double most = -std::numeric_limits<double>::infinity();
      for (const Vec3& p : points) most = std::max(most, normal.dot(p));
      Face face{Eigen::Vector4d::Zero(), center + (most - normal.dot(center)) * normal, 1};
      face.plane << normal, most;
      faces.push_back(face);
    }
  }
  return faces;
}

/// A sheet is convex, too, but no hull.
bool is_convex_solid(const TriMesh& mesh) {
  const double size = bounds_of(mesh.positions).diagonal();
  return is_convex(mesh, kFlush * size) && signed_volume(mesh.positions, mesh.triangles) > kFlush * size * size * size;
}

bool is_inside(const std::vector<Face>& faces, const Vec3& point, double slack) {
  return std::all_of(faces.begin(), faces.end(), [&](const Face& face) { return face.plane.head<3>().dot(point) - face.plane[3] <= slack; });
}

}  // namespace

ObstacleShape obstacle_shape(const Shape& shape) {
  ObstacleShape made;
  if (const auto* box = std::get_if<Box>(&shape)) {
    made.kind = ObstacleShape::Kind::Box, made.half = 0.5 * box->size;
  } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    made.kind = ObstacleShape::Kind::Ball, made.radius = sphere->radius;
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    made.kind = ObstacleShape::Kind::Cylinder, made.radius = cylinder->radius, made.half[1] = 0.5 * cylinder->height;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    made.kind = ObstacleShape::Kind::Capsule, made.radius = capsule->radius, made.half[1] = std::max(0.0, 0.5 * capsule->height - capsule->radius);
  } else if (const auto* plane = std::get_if<Plane>(&shape)) {
    made.kind = ObstacleShape::Kind::Plane;
    made.planes.emplace_back(plane->normal[0], plane->normal[1], plane->normal[2], plane->offset);
  } else if (const auto* triangles = std::get_if<Triangles>(&shape)) {
    const TriMesh& mesh = triangles->mesh;
    if (is_convex_solid(mesh)) return obstacle_shapes(Hulls{{mesh.positions}, 0}).front();
    made.kind = ObstacleShape::Kind::Mesh, made.mesh = std::make_shared<const MeshField>(mesh);
  }
  return made;
}

std::vector<ObstacleShape> obstacle_shapes(const Hulls& hulls) {
  const size_t count = hulls.points.size();
  std::vector<std::vector<Face>> faces;
  std::vector<ObstacleShape> shapes(count);
  for (size_t h = 0; h < count; ++h) {
    shapes[h].kind = ObstacleShape::Kind::Hull, shapes[h].box = bounds_of(hulls.points[h]);
    faces.push_back(faces_of(hulls.points[h]));
    if (faces.back().size() < 4) faces.back() = box_faces(hulls.points[h]);
  }
  for (size_t h = 0; h < count; ++h) {
    const double slack = hulls.margin + kFlush * shapes[h].box.diagonal();
    const auto is_inner = [&](const Face& face) {
      const Vec3 beyond = face.middle + 2 * slack * face.plane.head<3>();
      for (size_t other = 0; other < count; ++other) {
        const Bounds& box = shapes[other].box;
        if (other == h || (beyond.array() < box.low.array() - slack).any() || (beyond.array() > box.high.array() + slack).any()) continue;
        if (is_inside(faces[other], beyond, slack)) return true;
      }
      return false;
    };
    const auto inner = std::stable_partition(faces[h].begin(), faces[h].end(), [&](const Face& face) { return !is_inner(face); });
    shapes[h].inner = static_cast<size_t>(faces[h].end() - inner);
    for (const Face& face : faces[h]) shapes[h].planes.push_back(face.plane), shapes[h].planes.back()[3] += hulls.margin;
  }
  for (ObstacleShape& shape : shapes) shape.box.low.array() -= hulls.margin, shape.box.high.array() += hulls.margin;
  return shapes;
}

}  // namespace crumple::rigid
