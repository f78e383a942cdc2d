#include "crumple/methods/clusters/rest_field.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/rigid/mesh_field.h"

namespace crumple::clusters {
namespace {

constexpr double kCell = 0.6;       // of the spacing between particles
constexpr double kBand = 4;         // cells: distances farther than this are cut off
constexpr double kMaxNodes = 8e6;   // a thin body in a large box gets larger cells
constexpr double kMaxDepth = 0.55;  // spacings

/// The mesh where it begins, relative to the model's origin.
TriMesh placed(const Model& model, const TriMesh& surface, const Transform& place) {
  TriMesh mesh;
  mesh.triangles = surface.triangles;
  for (const Vec3& p : surface.positions) mesh.positions.push_back(place * p - model.origin);
  return mesh;
}

void set_size(const Model& model, const Bounds& bounds, RestField& field) {
  const Vec3 size = bounds.high - bounds.low;
  double cell = kCell * model.spacing;
  const auto nodes = [&] { return (size.array() / cell + 6).prod(); };
  while (nodes() > kMaxNodes) cell *= 1.2;
  field.cell = static_cast<float>(cell);
  field.low = (bounds.low - Vec3::Constant(2.5 * cell)).cast<float>();
  for (int k = 0; k < 3; ++k) field.count[k] = static_cast<int>(size[k] / cell) + 7;
}

}  // namespace

RestField rest_field(const Model& model, const TriMesh& surface, const Transform& place) {
  const TriMesh mesh = placed(model, surface, place);
  const rigid::MeshField exact(mesh);
  RestField field;
  set_size(model, exact.bounds(), field);
  const int nx = field.count[0], ny = field.count[1], nz = field.count[2];
  const float band = static_cast<float>(kBand) * field.cell;
  field.distance.resize(at(nx) * at(ny) * at(nz));
  parallel_for(at(nx) * at(ny), 16, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      const float x = field.low[0] + field.cell * static_cast<float>(row / at(ny)), y = field.low[1] + field.cell * static_cast<float>(row % at(ny));
      float sign = 1;  // rows begin outside, and nodes beyond the band are on the side of the node before
      for (int z = 0; z < nz; ++z) {
        Vec3 normal;
        const double d = exact.distance(Vec3(x, y, field.low[2] + field.cell * static_cast<float>(z)), band, normal);
        if (std::isfinite(d)) sign = d < 0 ? -1.0f : 1.0f;
        field.distance[row * at(nz) + at(z)] = std::isfinite(d) ? std::clamp(static_cast<float>(d), -band, band) : sign * band;
      }
    }
  });
  const float most = static_cast<float>(kMaxDepth * model.spacing);
  for (const Vec4f& rest : model.rest) {
    Vec3f gradient;
    field.depth.push_back(std::clamp(-field.at(rest.head<3>(), gradient), 0.0f, most));
    field.outward.push_back(gradient.norm() > 0 ? Vec3f(gradient.normalized()) : Vec3f::Zero());
  }
  return field;
}

float RestField::at(const Vec3f& rest, Vec3f& gradient) const {
  const Vec3f cells = (rest - low) / cell;
  int first[3];
  float share[3];
  gradient.setZero();
  for (int k = 0; k < 3; ++k) {
    if (!(cells[k] >= 0 && cells[k] < static_cast<float>(count[k] - 1))) return 1e9f;
    first[k] = static_cast<int>(cells[k]), share[k] = cells[k] - static_cast<float>(first[k]);
  }
  const size_t step_y = static_cast<size_t>(count[2]), step_x = step_y * static_cast<size_t>(count[1]);
  const float* d = &distance[static_cast<size_t>(first[0]) * step_x + static_cast<size_t>(first[1]) * step_y + static_cast<size_t>(first[2])];
  float sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const bool x = corner & 4, y = corner & 2, z = corner & 1;
    const float value = d[(x ? step_x : 0) + (y ? step_y : 0) + (z ? 1 : 0)];
    const float sx = x ? share[0] : 1 - share[0], sy = y ? share[1] : 1 - share[1], sz = z ? share[2] : 1 - share[2];
    sum += value * sx * sy * sz;
    gradient += value * Vec3f((x ? 1 : -1) * sy * sz, (y ? 1 : -1) * sx * sz, (z ? 1 : -1) * sx * sy);
  }
  gradient /= cell;
  return sum;
}

}  // namespace crumple::clusters
