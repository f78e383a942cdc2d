#include "crumple/rigid/hulls.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "crumple/core/parallel.h"
#include "crumple/geometry/mesh.h"
#include "crumple/rigid/convex_hull.h"
#include "crumple/rigid/hull_overshoot.h"

namespace crumple::rigid {
namespace {

constexpr int kRounds = 50;  // of k-means; by then clusters move by less than anyone can see
constexpr int kBlends = 24;

using Members = std::vector<int>;  // tetrahedra of one cluster

/// Farthest-point start: the point farthest from the middle, then always the one farthest from all chosen.
std::vector<Vec3> far_apart(std::span<const Vec3> points, int count) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& point : points) mean += point / static_cast<double>(points.size());
  std::vector<double> distance(points.size());
  for (size_t i = 0; i < points.size(); ++i) distance[i] = (points[i] - mean).squaredNorm();
  std::vector<Vec3> chosen;
  while (static_cast<int>(chosen.size()) < count) {
    const size_t farthest = std::max_element(distance.begin(), distance.end()) - distance.begin();
    if (!chosen.empty() && !(distance[farthest] > 0)) break;
    chosen.push_back(points[farthest]);
    for (size_t i = 0; i < points.size(); ++i) {
      const double squared = (points[i] - chosen.back()).squaredNorm();
      distance[i] = chosen.size() == 1 ? squared : std::min(distance[i], squared);
    }
  }
  return chosen;
}

bool assign_to_nearest(std::span<const Vec3> points, std::span<const Vec3> centers, std::vector<int>& labels) {
  bool changed = false;
  for (size_t i = 0; i < points.size(); ++i) {
    int best = 0;
    for (size_t c = 1; c < centers.size(); ++c)
      if ((points[i] - centers[c]).squaredNorm() < (points[i] - centers[best]).squaredNorm()) best = static_cast<int>(c);
    changed |= labels[i] != best;
    labels[i] = best;
  }
  return changed;
}

void move_to_means(std::span<const Vec3> points, std::span<const int> labels, std::vector<Vec3>& centers) {
  std::vector<Vec3> sums(centers.size(), Vec3::Zero());
  std::vector<int> counts(centers.size(), 0);
  for (size_t i = 0; i < points.size(); ++i) sums[labels[i]] += points[i], ++counts[labels[i]];
  for (size_t c = 0; c < centers.size(); ++c)
    if (counts[c] > 0) centers[c] = sums[c] / counts[c];
}

/// Lloyd's k-means over the members' centres; clusters that come out empty are left out.
std::vector<Members> k_means(const std::vector<Vec3>& centers_of_tets, const Members& members, int count) {
  std::vector<Vec3> points;
  for (const int tet : members) points.push_back(centers_of_tets[tet]);
  std::vector<Vec3> centers = far_apart(points, count);
  std::vector<int> labels(points.size(), -1);
  for (int round = 0; round < kRounds && assign_to_nearest(points, centers, labels); ++round) move_to_means(points, labels, centers);
  std::vector<Members> clusters(centers.size());
  for (size_t i = 0; i < members.size(); ++i) clusters[labels[i]].push_back(members[i]);
  std::erase_if(clusters, [](const Members& cluster) { return cluster.empty(); });
  return clusters;
}

struct Cluster {
  Members tets;
  std::vector<int> vertices;     // of its tetrahedra, ascending
  std::vector<uint8_t> extreme;  // #vertices: on the hull in some shape
  Overshoot overshoot;
};

std::vector<Vec3> gather(std::span<const Vec3> positions, std::span<const int> vertices) {
  std::vector<Vec3> points;
  points.reserve(vertices.size());
  for (const int v : vertices) points.push_back(positions[v]);
  return points;
}

class Decomposer {
 public:
  Decomposer(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, double tolerance);
  void start(int count);
  /// Splits the cluster that stands out most beyond the tolerance; false if none can be split.
  bool split_worst();
  double overshoot() const;
  int size() const { return static_cast<int>(clusters_.size()); }
  HullDecomposition result();

 private:
  std::vector<Cluster> measured(std::vector<Members> members, Sampling sampling) const;
  void measure(Cluster& cluster, Sampling sampling) const;
  std::vector<std::vector<Members>> possible_cuts(const Cluster& cluster) const;
  void add_extremes_of_blends(Cluster& cluster) const;

  const TetMesh& mesh_;
  std::span<const std::vector<Vec3>> shapes_;
  double tolerance_;
  std::vector<Vec3> centers_;             // #tets, at rest
  std::vector<Triangle> faces_, sorted_;  // boundary faces; with sorted corners, ascending
  std::vector<BodySurface> surfaces_;     // #shapes
  std::vector<Cluster> clusters_;
};

Decomposer::Decomposer(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, double tolerance)
    : mesh_(mesh), shapes_(shapes), tolerance_(tolerance), faces_(boundary_faces(mesh)), sorted_(faces_) {
  for (const auto& [a, b, c, d] : mesh.tets) centers_.push_back((mesh.positions[a] + mesh.positions[b] + mesh.positions[c] + mesh.positions[d]) / 4);
  for (Triangle& face : sorted_) std::sort(face.begin(), face.end());
  std::sort(sorted_.begin(), sorted_.end());
  for (const auto& shape : shapes) surfaces_.emplace_back(shape, faces_);
}

void Decomposer::measure(Cluster& cluster, Sampling sampling) const {
  for (const int tet : cluster.tets) cluster.vertices.insert(cluster.vertices.end(), mesh_.tets[tet].begin(), mesh_.tets[tet].end());
  std::sort(cluster.vertices.begin(), cluster.vertices.end());
  cluster.vertices.erase(std::unique(cluster.vertices.begin(), cluster.vertices.end()), cluster.vertices.end());
  cluster.extreme.assign(cluster.vertices.size(), 0);
  for (size_t s = 0; s < shapes_.size(); ++s) {
    const std::vector<Vec3> points = gather(shapes_[s], cluster.vertices);
    const ConvexHull hull = convex_hull(points);
    for (const int v : hull.vertices) cluster.extreme[v] = 1;
    add_overshoot(surfaces_[s], sorted_, points, cluster.vertices, hull, static_cast<int>(s), tolerance_, sampling, cluster.overshoot);
  }
}

std::vector<Cluster> Decomposer::measured(std::vector<Members> members, Sampling sampling) const {
  std::vector<Cluster> clusters(members.size());
  parallel_for(members.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      clusters[i].tets = std::move(members[i]);
      measure(clusters[i], sampling);
    }
  });
  return clusters;
}

void Decomposer::start(int count) {
  Members all(mesh_.tets.size());
  std::iota(all.begin(), all.end(), 0);
  clusters_ = measured(k_means(centers_, all, count), Sampling::Fine);
}

/// The directions across `outward`, the one first along which the points spread most.
std::array<Vec3, 2> cut_normals(std::span<const Vec3> points, const Vec3& outward) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& point : points) mean += point / static_cast<double>(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& point : points) spread += (point - mean) * (point - mean).transpose();
  const Vec3 u = outward.unitOrthogonal(), v = outward.cross(u);
  const double angle = 0.5 * std::atan2(2 * u.dot(spread * v), u.dot(spread * u) - v.dot(spread * v));
  const Vec3 most = std::cos(angle) * u + std::sin(angle) * v;
  return {most, outward.cross(most)};
}

std::vector<Members> cut_by_plane(std::span<const Vec3> centers, const Members& members, const Vec3& at, const Vec3& normal) {
  std::vector<Members> sides(2);
  for (size_t i = 0; i < members.size(); ++i) sides[(centers[i] - at).dot(normal) > 0].push_back(members[i]);
  return sides;
}

/// In two by distance, or through the floor below the widest bridge, either way.
std::vector<std::vector<Members>> Decomposer::possible_cuts(const Cluster& cluster) const {
  std::vector<std::vector<Members>> cuts = {k_means(centers_, cluster.tets, 2)};
  const Overshoot::Bridge& bridge = cluster.overshoot.widest;
  if (bridge.shape >= 0) {
    const std::vector<Vec3>& shape = shapes_[bridge.shape];
    std::vector<Vec3> centers;
    for (const int tet : cluster.tets) {
      const auto& [a, b, c, d] = mesh_.tets[tet];
      centers.push_back((shape[a] + shape[b] + shape[c] + shape[d]) / 4);
    }
    for (const Vec3& normal : cut_normals(centers, bridge.outward)) cuts.push_back(cut_by_plane(centers, cluster.tets, bridge.floor, normal));
  }
  std::erase_if(cuts, [](const std::vector<Members>& cut) { return cut.size() < 2 || cut[0].empty() || cut[1].empty(); });
  return cuts;
}

bool Decomposer::split_worst() {
  std::vector<int> order(clusters_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return clusters_[a].overshoot.beyond > clusters_[b].overshoot.beyond; });
  for (const int worst : order) {
    if (!(clusters_[worst].overshoot.beyond > 0)) return false;
    std::vector<Members> halves;  // of all cuts, one after another
    for (std::vector<Members>& cut : possible_cuts(clusters_[worst])) halves.insert(halves.end(), cut.begin(), cut.end());
    if (halves.empty()) continue;  // a single tetrahedron
    std::vector<Cluster> tried = measured(std::move(halves), Sampling::Coarse);
    size_t best = 0;
    const auto left = [&](size_t i) { return tried[i].overshoot.beyond + tried[i + 1].overshoot.beyond; };
    for (size_t i = 2; i < tried.size(); i += 2)
      if (left(i) < left(best)) best = i;
    std::vector<Cluster> split = measured({std::move(tried[best].tets), std::move(tried[best + 1].tets)}, Sampling::Fine);
    clusters_[worst] = std::move(split[0]);
    clusters_.push_back(std::move(split[1]));
    return true;
  }
  return false;
}

double Decomposer::overshoot() const {
  std::vector<Overshoot> all;
  for (const Cluster& cluster : clusters_) all.push_back(cluster.overshoot);
  return percentile_95(all);
}

/// [0, 1), the same on every machine (splitmix64).
double random_unit(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

std::vector<double> random_blend(size_t count, uint64_t& state) {
  std::vector<double> weights(count);
  for (double& weight : weights) weight = -std::log(1 - random_unit(state));  // uniform over the simplex
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Bodies dent in places, so half of the blends change along a random direction from one mix of the shapes to another.
void Decomposer::add_extremes_of_blends(Cluster& cluster) const {
  if (shapes_.size() < 2) return;
  std::vector<std::vector<Vec3>> shapes;
  for (const auto& shape : shapes_) shapes.push_back(gather(shape, cluster.vertices));
  const Bounds bounds = bounds_of(shapes[0]);
  std::vector<Vec3> points(cluster.vertices.size());
  uint64_t state = 1;
  for (int blend = 0; blend < kBlends; ++blend) {
    const std::vector<double> from = random_blend(shapes.size(), state), to = random_blend(shapes.size(), state);
    const Vec3 direction = Vec3(random_unit(state) - 0.5, random_unit(state) - 0.5, random_unit(state) - 0.5).normalized() / bounds.diagonal();
    for (size_t i = 0; i < points.size(); ++i) {
      const double along = blend % 2 == 0 ? 0.0 : std::clamp(0.5 + direction.dot(shapes[0][i] - (bounds.low + bounds.high) / 2), 0.0, 1.0);
      points[i].setZero();
      for (size_t s = 0; s < shapes.size(); ++s) points[i] += ((1 - along) * from[s] + along * to[s]) * shapes[s][i];
    }
    for (const int v : convex_hull(points).vertices) cluster.extreme[v] = 1;
  }
}

HullDecomposition Decomposer::result() {
  HullDecomposition result;
  result.overshoot = overshoot();
  parallel_for(clusters_.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) add_extremes_of_blends(clusters_[i]);
  });
  std::vector<int> hull_of_tet(mesh_.tets.size());
  for (size_t c = 0; c < clusters_.size(); ++c) {
    const Cluster& cluster = clusters_[c];
    for (const int tet : cluster.tets) hull_of_tet[tet] = static_cast<int>(c);
    std::vector<int> extremes;
    for (size_t i = 0; i < cluster.vertices.size(); ++i)
      if (cluster.extreme[i]) extremes.push_back(cluster.vertices[i]);
    result.vertices.push_back(extremes.size() >= 4 ? std::move(extremes) : cluster.vertices);  // a flat cluster keeps all
  }
  result.faces.resize(clusters_.size());
  const std::vector<int> behind = boundary_face_tets(mesh_);
  for (size_t f = 0; f < behind.size(); ++f) result.faces[hull_of_tet[behind[f]]].push_back(static_cast<int>(f));
  return result;
}

}  // namespace

HullDecomposition decompose(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, const HullSettings& settings, const ScoredTets*) {
  if (mesh.tets.empty()) return {};
  const std::vector<std::vector<Vec3>> rest_only = {mesh.positions};
  Decomposer decomposer(mesh, shapes.empty() ? std::span<const std::vector<Vec3>>(rest_only) : shapes, settings.tolerance);
  decomposer.start(std::clamp(settings.least, 1, std::max(1, settings.most)));
  while (decomposer.size() < settings.most && decomposer.overshoot() > settings.tolerance)
    if (!decomposer.split_worst()) break;
  return decomposer.result();
}

}  // namespace crumple::rigid
