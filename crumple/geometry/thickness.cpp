#include "crumple/geometry/thickness.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

constexpr double kOpposite = -0.5;  // cosine of the angle in which a ball must see its two contacts: more than 120 degrees

using Corners = std::array<Vec3, 3>;

/// Halves a triangle at its longest side unless that is no longer than `spacing`.
bool split_longest(const Corners& t, double spacing, std::vector<Corners>& halves) {
  int longest = 0;
  for (int i = 1; i < 3; ++i) {
    if ((t[(i + 1) % 3] - t[i]).squaredNorm() > (t[(longest + 1) % 3] - t[longest]).squaredNorm()) longest = i;
  }
  const Vec3 &a = t[longest], &b = t[(longest + 1) % 3], &c = t[(longest + 2) % 3];
  if ((b - a).norm() <= spacing) return false;
  const Vec3 middle = 0.5 * (a + b);
  halves.push_back({middle, b, c});
  halves.push_back({a, middle, c});
  return true;
}

/// The thickness under a sample if it is below `limit`, else `limit`.
double local_thickness(const TriangleTree& tree, const WindingTree& winding, const SurfaceSample& sample, double limit) {
  const double nothing = 1e-6 * limit;
  // Surface inside the body (overlapping shells) bounds nothing.
  if (winding.inside(sample.point + 1e-3 * limit * sample.normal)) return limit;
  double radius = 0.5 * limit;
  Vec3 contact = sample.point;
  for (int round = 0; round < 30; ++round) {
    const Vec3 center = sample.point - radius * sample.normal;
    const TriangleTree::Hit hit = tree.closest(center, radius * (1 - 1e-4));
    if (hit.triangle < 0) break;
    const Vec3 across = sample.point - hit.point;
    const double depth = across.dot(sample.normal);
    if (across.norm() < nothing || depth <= 0) return limit;  // the surface folds onto itself here: no ball fits
    contact = hit.point;
    radius = std::min(across.squaredNorm() / (2 * depth), radius);
    if (radius < nothing) return limit;
  }
  if (contact == sample.point) return limit;
  const Vec3 center = sample.point - radius * sample.normal;
  if (sample.normal.dot(contact - center) > kOpposite * radius) return limit;
  const Vec3 across = contact - sample.point;
  if (winding.inside(contact + 1e-2 * across)) return limit;  // another shell inside the body, not the far side
  return across.norm();
}

}  // namespace

std::vector<SurfaceSample> sample_surface(const TriMesh& mesh, double spacing, size_t most) {
  const auto area_of = [](const Corners& t) -> Vec3 { return 0.5 * (t[1] - t[0]).cross(t[2] - t[0]); };
  double total = 0;
  for (const auto& [a, b, c] : mesh.triangles) total += area_of({mesh.positions[a], mesh.positions[b], mesh.positions[c]}).norm();
  spacing = std::max(spacing, std::sqrt(total / static_cast<double>(std::max<size_t>(most, 1))));
  std::vector<SurfaceSample> samples;
  std::vector<Corners> waiting;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Corners whole = {mesh.positions[a], mesh.positions[b], mesh.positions[c]};
    const Vec3 normal = area_of(whole).normalized();
    if (!(area_of(whole).norm() > 0)) continue;
    waiting.push_back(whole);
    while (!waiting.empty()) {
      const Corners piece = waiting.back();
      waiting.pop_back();
      // Many long needles would want far more samples than their area earns: past four times the limit nothing is split.
      if (samples.size() < 4 * most && split_longest(piece, spacing, waiting)) continue;
      samples.push_back({(piece[0] + piece[1] + piece[2]) / 3.0, normal, area_of(piece).norm()});
    }
  }
  return samples;
}

Thickness measure_thickness(const TriangleTree& tree, const WindingTree& winding, const std::vector<SurfaceSample>& samples, double limit,
                            double allowed) {
  std::vector<double> thickness(samples.size());
  parallel_for(samples.size(), 128, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) thickness[i] = local_thickness(tree, winding, samples[i], limit);
  });
  Thickness result;
  std::vector<std::pair<double, double>> thin;  // thickness, area
  double total = 0, thin_area = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    total += samples[i].area;
    if (thickness[i] >= limit) continue;
    thin.emplace_back(thickness[i], samples[i].area);
    thin_area += samples[i].area;
    if (thickness[i] < result.thinnest) result.thinnest = thickness[i], result.thinnest_at = samples[i].point;
  }
  if (!(total > 0)) return result;
  result.thin_share = thin_area / total;
  std::sort(thin.begin(), thin.end());
  double below = 0;
  for (const auto& [size, area] : thin) {
    below += area;
    if (below > allowed * total) {
      result.needed = size;
      break;
    }
  }
  return result;
}

}  // namespace crumple
