#include "assets/generator/measure.h"

#include "crumple/rig/spread.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crumple::generator {
namespace {

// `part_of(vertex)` of one example, the rest of another.
template <class PartOf>
std::vector<Vec3> shape_of(const Skin& skin, int example, int other, const PartOf& part_of) {
  std::vector<Vec3> positions;
  for (int vertex = 0; vertex < skin.vertices; ++vertex) {
    std::vector<double> weights(skin.examples, 0.0);
    weights[example] += part_of(vertex);
    weights[other] += 1.0 - part_of(vertex);
    positions.push_back(skin_vertex(skin, vertex, weights));
  }
  return positions;
}

}  // namespace

std::vector<Vec3> blended(const Skin& skin, int example, double part, int other) {
  return shape_of(skin, example, other, [&](int) { return part; });
}

std::vector<Vec3> blended_around(const Skin& skin, const TetMesh& mesh, int example, const Vec3& place, double radius) {
  return shape_of(skin, example, 0, [&](int vertex) { return double(cubic_kernel(float((mesh.positions[vertex] - place).norm() / radius))); });
}

int inverted_count(const TetMesh& mesh, const std::vector<Vec3>& positions) {
  return int(std::count_if(mesh.tets.begin(), mesh.tets.end(), [&](const Tetrahedron& tet) { return tet_volume(positions, tet) <= 0; }));
}

namespace {

std::vector<Vec3> inward_normals(const TetMesh& mesh) {
  std::vector<Vec3> inward(mesh.positions.size(), Vec3::Zero());
  for (const Triangle& face : boundary_faces(mesh)) {
    const Vec3 a = mesh.positions[face[0]];
    const Vec3 outward = (mesh.positions[face[1]] - a).cross(mesh.positions[face[2]] - a);
    for (const int vertex : face) inward[vertex] -= outward;
  }
  for (Vec3& normal : inward) normal.normalize();
  return inward;
}

}  // namespace

Coverage coverage_of(const Skin& skin, const TetMesh& mesh) {
  const std::vector<Vec3> inward = inward_normals(mesh);
  Coverage coverage;
  for (size_t i = 0; i < inward.size(); ++i)
    if (!inward[i].isZero()) coverage.vertices.push_back(int(i));
  coverage.cosines.assign(coverage.vertices.size(), -1.0);
  coverage.depths.assign(coverage.vertices.size(), 0.0);
  for (int example = 1; example < skin.examples; ++example) {
    const std::vector<Vec3> shape = example_shape(skin, example);
    for (size_t k = 0; k < coverage.vertices.size(); ++k) {
      const int i = coverage.vertices[k];
      const Vec3 shift = shape[i] - mesh.positions[i];
      const double depth = shift.dot(inward[i]);
      coverage.cosines[k] = std::max(coverage.cosines[k], depth / std::max(shift.norm(), 1e-12));
      coverage.depths[k] = std::max(coverage.depths[k], depth);
    }
  }
  return coverage;
}

std::vector<double> turns_of(const Example& example) {
  std::vector<double> turns;
  for (const HandleTransform& handle : example.handles)
    turns.push_back(2.0 * std::acos(std::min(1.0, std::abs(handle.rotation.w()))) * 180.0 / std::numbers::pi);
  return turns;
}

double tet_quality(const std::vector<Vec3>& positions, const Tetrahedron& tet) {
  double squared_edges = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) squared_edges += (positions[tet[i]] - positions[tet[j]]).squaredNorm();
  const double volume = tet_volume(positions, tet);
  return 12.0 * std::cbrt(9.0 * volume * volume) / squared_edges;
}

}  // namespace crumple::generator
