#include "crumple/geometry/quad_surface.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

constexpr int kSecantSteps = 4;  // of the secant rule

/// Along a line through `from` to where the field vanishes, at most `reach` away. The place with the least value that was seen.
Vec3 onto_surface(const Field& field, const Vec3& from, const Vec3& direction, double reach) {
  double t = 0, value = field(from), best = 0, least = std::abs(value);
  double other = (value < 0 ? 1e-2 : -1e-2) * reach, other_value = field(from + other * direction);
  for (int step = 0; step < kSecantSteps; ++step) {
    if (!std::isfinite(other_value)) break;
    if (std::abs(other_value) < least) least = std::abs(other_value), best = other;
    const double slope = (other_value - value) / (other - t);
    if (slope == 0 || least == 0) break;
    const double next = other - other_value / slope;
    if (!(std::abs(next) <= reach) || next == other) break;
    t = other, value = other_value;
    other = next, other_value = field(from + other * direction);
  }
  if (std::isfinite(other_value) && std::abs(other_value) < least) best = other;
  return from + best * direction;
}

/// How well shaped a triangle is: 1 for equal sides, 0 for none.
double shape(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double sides = (b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm();
  return sides > 0 ? 2 * std::sqrt(3.0) * (b - a).cross(c - a).norm() / sides : 0;
}

}  // namespace

QuadSurface::QuadSurface(std::vector<Vec3> places, std::vector<Quad> faces)
    : positions(std::move(places)), quads(std::move(faces)), first_(positions.size() + 1, 0) {
  for (const Quad& quad : quads)
    for (const int v : quad) ++first_[static_cast<size_t>(v) + 1];
  for (size_t v = 0; v < positions.size(); ++v) first_[v + 1] += first_[v];
  around_.resize(4 * quads.size());
  std::vector<int> next = first_;
  for (size_t q = 0; q < quads.size(); ++q)
    for (const int v : quads[q]) around_[static_cast<size_t>(next[static_cast<size_t>(v)]++)] = static_cast<int>(q);
}

Vec3 QuadSurface::normal(size_t vertex) const {
  Vec3 sum = Vec3::Zero();
  for (int i = first_[vertex]; i < first_[vertex + 1]; ++i) {
    const auto& [a, b, c, d] = quads[static_cast<size_t>(around_[static_cast<size_t>(i)])];
    sum += (positions[c] - positions[a]).cross(positions[d] - positions[b]);
  }
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : Vec3(Vec3::Zero());
}

Vec3 QuadSurface::middle_around(size_t vertex) const {
  Vec3 sum = Vec3::Zero();
  for (int i = first_[vertex]; i < first_[vertex + 1]; ++i) {
    const auto& [a, b, c, d] = quads[static_cast<size_t>(around_[static_cast<size_t>(i)])];
    sum += 0.25 * (positions[a] + positions[b] + positions[c] + positions[d]);
  }
  return sum / (first_[vertex + 1] - first_[vertex]);
}

void QuadSurface::settle(const Field& field, double cell, int rounds) {
  const std::vector<Vec3> start = positions;
  std::vector<Vec3> moved = positions;
  for (int round = 0; round <= rounds; ++round) {
    parallel_for(positions.size(), 256, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        const Vec3 up = normal(v);
        Vec3 to = positions[v];
        if (round > 0) {
          const Vec3 step = middle_around(v) - to;
          to += step - step.dot(up) * up;
        }
        to = onto_surface(field, to, up, 0.5 * cell);
        moved[v] = (to - start[v]).norm() <= cell ? to : positions[v];
      }
    });
    positions.swap(moved);
  }
}

TriMesh QuadSurface::triangulated() const {
  TriMesh mesh;
  mesh.positions = positions;
  mesh.triangles.reserve(2 * quads.size());
  for (const auto& [a, b, c, d] : quads) {
    const Vec3 &pa = positions[a], &pb = positions[b], &pc = positions[c], &pd = positions[d];
    if (std::min(shape(pa, pb, pc), shape(pa, pc, pd)) >= std::min(shape(pb, pc, pd), shape(pb, pd, pa))) {
      mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
    } else {
      mesh.triangles.insert(mesh.triangles.end(), {{b, c, d}, {b, d, a}});
    }
  }
  return mesh;
}

}  // namespace crumple
