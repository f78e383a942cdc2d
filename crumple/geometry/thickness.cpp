#include "crumple/geometry/thickness.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

constexpr int kHalvings = 17;  // of a depth of at most `limit`

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

/// The thickness under a sample if it is below `limit`, else `limit`: how far straight down the body goes.
double local_thickness(const WindingTree& winding, const SurfaceSample& sample, double limit) {
  const auto inside = [&](double depth) { return winding.inside(sample.point - depth * sample.normal); };
  // Surface inside the body (overlapping shells) bounds nothing.
  if (inside(-1e-3 * limit)) return limit;
  double in = 0, out = limit / 32;
  while (inside(out)) {
    if (out >= limit) return limit;
    in = out, out *= 2;
  }
  for (int round = 0; round < kHalvings; ++round) {
    const double middle = 0.5 * (in + out);
    (inside(middle) ? in : out) = middle;
  }
  return in > 0 ? in : out;
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

Thickness measure_thickness(const WindingTree& winding, const std::vector<SurfaceSample>& samples, double limit, double allowed) {
  std::vector<double> thickness(samples.size());
  parallel_for(samples.size(), 128, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) thickness[i] = local_thickness(winding, samples[i], limit);
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
    if (allowed < 1 && below > allowed * total) {
      result.needed = size;
      break;
    }
  }
  return result;
}

}  // namespace crumple
