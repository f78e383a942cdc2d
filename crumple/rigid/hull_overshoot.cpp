#include "crumple/rigid/hull_overshoot.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace crumple::rigid {
namespace {

Vec3 unit_or_zero(const Vec3& v) {
  const double length = v.norm();
  return length > 0 ? Vec3(v / length) : Vec3::Zero();
}

/// Numbers the edges: the same number for the same two vertices.
std::vector<std::array<int, 3>> number_edges(std::span<const Triangle> faces, int& count) {
  struct Use {
    int a, b, face, corner;
  };
  std::vector<Use> uses;
  for (size_t f = 0; f < faces.size(); ++f) {
    for (int corner = 0; corner < 3; ++corner) {
      const int a = faces[f][(corner + 1) % 3], b = faces[f][(corner + 2) % 3];
      uses.push_back({std::min(a, b), std::max(a, b), static_cast<int>(f), corner});
    }
  }
  std::stable_sort(uses.begin(), uses.end(), [](const Use& x, const Use& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  std::vector<std::array<int, 3>> edges(faces.size());
  count = 0;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (i > 0 && (uses[i].a != uses[i - 1].a || uses[i].b != uses[i - 1].b)) ++count;
    edges[uses[i].face][uses[i].corner] = count;
  }
  count = uses.empty() ? 0 : count + 1;
  return edges;
}

/// One sample for small faces, seven for those wide enough to bridge something, the middle first. Returns how far the corners are
/// from the middle.
double sample_face(const Vec3& a, const Vec3& b, const Vec3& c, double small, std::vector<Vec3>& samples) {
  samples.clear();
  const Vec3 middle = (a + b + c) / 3;
  const double radius = std::sqrt(std::max({(a - middle).squaredNorm(), (b - middle).squaredNorm(), (c - middle).squaredNorm()}));
  samples.push_back(middle);
  if (2 * radius <= small) return radius;
  for (const auto& [major, minor] : {std::pair(0.6, 0.2), std::pair(0.1, 0.45)}) {
    samples.push_back(major * a + minor * (b + c));
    samples.push_back(major * b + minor * (c + a));
    samples.push_back(major * c + minor * (a + b));
  }
  return radius;
}

Triangle sorted_face(const Triangle& face, std::span<const int> vertices) {
  Triangle sorted = {vertices[face[0]], vertices[face[1]], vertices[face[2]]};
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

BodySurface::BodySurface(std::span<const Vec3> positions, std::span<const Triangle> faces)
    : faces_(faces.begin(), faces.end()), corner_normals_(positions.size(), Vec3::Zero()), tree_(positions, faces) {
  int edge_count = 0;
  edges_ = number_edges(faces, edge_count);
  edge_normals_.assign(edge_count, Vec3::Zero());
  face_normals_.reserve(faces.size());
  for (size_t f = 0; f < faces.size(); ++f) {
    const auto& [a, b, c] = faces[f];
    const Vec3 normal = unit_or_zero((positions[b] - positions[a]).cross(positions[c] - positions[a]));
    face_normals_.push_back(normal);
    for (const int edge : edges_[f]) edge_normals_[edge] += normal;
    corner_normals_[a] += angle_at(positions[a], positions[b], positions[c]) * normal;
    corner_normals_[b] += angle_at(positions[b], positions[c], positions[a]) * normal;
    corner_normals_[c] += angle_at(positions[c], positions[a], positions[b]) * normal;
  }
}

Vec3 BodySurface::normal_at(const TriangleTree::Hit& hit) const {
  constexpr double kOn = 1e-9;  // barycentric: this near to an edge counts as on it
  int zeros = 0, zero = 0, one = 0;
  for (int corner = 0; corner < 3; ++corner) {
    if (hit.barycentric[corner] <= kOn)
      ++zeros, zero = corner;
    else
      one = corner;
  }
  if (zeros == 0) return face_normals_[hit.triangle];
  return zeros == 1 ? edge_normals_[edges_[hit.triangle][zero]] : corner_normals_[faces_[hit.triangle][one]];
}

BodySurface::Measure BodySurface::measure(const Vec3& point, double within) const {
  const TriangleTree::Hit hit = tree_.closest(point, within);
  if (hit.triangle < 0) return {0, point};
  return {normal_at(hit).dot(point - hit.point) < 0 ? -hit.distance : hit.distance, hit.point};
}

void add_overshoot(const BodySurface& surface, std::span<const Triangle> body_faces, std::span<const Vec3> points, std::span<const int> vertices,
                   const ConvexHull& hull, int shape, double tolerance, Sampling sampling, Overshoot& overshoot) {
  const double small = sampling == Sampling::Fine ? tolerance : 1e300;
  const double on_surface = 1e-3 * tolerance;
  std::vector<Vec3> samples;
  // Where the last sample was bounds how far the surface can be from the next one; that prunes most of the search.
  Vec3 last = Vec3::Zero();
  double last_distance = 1e150;
  for (const Triangle& face : hull.faces) {
    const Vec3 &a = points[face[0]], &b = points[face[1]], &c = points[face[2]];
    const double area = (b - a).cross(c - a).norm() / 2;
    if (std::binary_search(body_faces.begin(), body_faces.end(), sorted_face(face, vertices))) {
      overshoot.exposed += area;
      continue;
    }
    const double radius = sample_face(a, b, c, small, samples);
    const double share = area / static_cast<double>(samples.size());
    for (size_t i = 0; i < samples.size(); ++i) {
      const BodySurface::Measure measure = surface.measure(samples[i], 1.000001 * (last_distance + (samples[i] - last).norm()) + on_surface);
      last = samples[i], last_distance = std::abs(measure.distance);
      if (i == 0 && measure.distance < -radius) break;  // the whole face lies within the body
      if (measure.distance < -on_surface) continue;     // within the body: no one can touch it
      overshoot.exposed += share;
      if (measure.distance <= on_surface) continue;
      overshoot.outside.push_back({measure.distance, share});
      overshoot.beyond += share * std::max(0.0, measure.distance - tolerance);
      if (measure.distance > overshoot.widest.distance)
        overshoot.widest = {shape, measure.distance, measure.nearest, (samples[i] - measure.nearest) / measure.distance};
    }
  }
}

void sort_outside(Overshoot& overshoot) {
  std::stable_sort(overshoot.outside.begin(), overshoot.outside.end(), [](const auto& a, const auto& b) { return a.distance > b.distance; });
}

// Merges the sorted samples from the top: only a twentieth of them is ever looked at.
double percentile_95(std::span<const Overshoot* const> hulls) {
  struct Next {
    double distance;
    size_t hull, sample;
    bool operator<(const Next& other) const { return distance != other.distance ? distance < other.distance : hull > other.hull; }
  };
  double exposed = 0;
  std::priority_queue<Next> queue;
  for (size_t h = 0; h < hulls.size(); ++h) {
    exposed += hulls[h]->exposed;
    if (!hulls[h]->outside.empty()) queue.push({hulls[h]->outside[0].distance, h, 0});
  }
  double area = 0;
  while (!queue.empty()) {
    const auto [distance, hull, sample] = queue.top();
    queue.pop();
    const std::vector<Overshoot::Sample>& samples = hulls[hull]->outside;
    area += samples[sample].area;
    if (area > 0.05 * exposed) return distance;
    if (sample + 1 < samples.size()) queue.push({samples[sample + 1].distance, hull, sample + 1});
  }
  return 0;
}

}  // namespace crumple::rigid
