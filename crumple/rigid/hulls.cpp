#include "crumple/rigid/hulls.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/geometry/mesh.h"
#include "crumple/rigid/convex_hull.h"
#include "crumple/rigid/hull_overshoot.h"
#include "crumple/rigid/tet_clusters.h"
#include "crumple/rigid/tet_points.h"

namespace crumple::rigid {
namespace {

constexpr int kBlends = 24;
// What stands out of a hull by less may be left out of it, along cuts: they are flat and full of corners, which makes hulls of four times as many
// points.
constexpr double kFlatOfTolerance = 0.05, kFlatOfThickness = 0.02;

struct Cluster {
  Members tets;
  int piece = 0;
  std::vector<int> points;       // of its tetrahedra, ascending: vertices, then carried points
  std::vector<uint8_t> extreme;  // #points: on the hull in some shape
  std::vector<ConvexHull> hulls;  // #shapes
  Overshoot overshoot;
};

/// What may become one hull: a whole body, or one piece of a scored one.
struct Piece {
  int number = 0;
  Members tets;
  // Of the piece's own tetrahedra, in every shape. Those along cuts reach beyond them, so the hull's faces along cuts lie inside and do not count,
  // whereas what is bridged outside counts, and so does a hollow of the cut itself that is wider than a tetrahedron.
  std::vector<BodySurface> surfaces;
};

std::vector<Vec3> gather(std::span<const Vec3> positions, std::span<const int> chosen) {
  std::vector<Vec3> points;
  points.reserve(chosen.size());
  for (const int v : chosen) points.push_back(positions[v]);
  return points;
}

Vec3 mean_of(std::span<const Vec3> positions, std::span<const int> chosen) {
  Vec3 sum = Vec3::Zero();
  for (const int v : chosen) sum += positions[v];
  return sum / static_cast<double>(chosen.size());
}

class Decomposer {
 public:
  Decomposer(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, double tolerance, const ScoredTets* scored);
  void start(int count);
  /// Splits the cluster that stands out most beyond the tolerance; false if none can be split.
  bool split_worst();
  double overshoot() const;
  int size() const { return static_cast<int>(clusters_.size()); }
  HullDecomposition result();

 private:
  void find_pieces(const ScoredTets* scored);
  double volume_of(int tet) const;
  std::vector<Cluster> measured(std::vector<Members> members, int piece, Sampling sampling) const;
  void measure(Cluster& cluster, Sampling sampling) const;
  void measure_again(Cluster& cluster, Sampling sampling) const;
  std::vector<std::vector<Members>> possible_cuts(const Cluster& cluster) const;
  void find_extremes(Cluster& cluster) const;
  void add_hull(const Cluster& cluster, HullDecomposition& result) const;

  const TetMesh& mesh_;
  bool scored_;
  TetPoints tet_points_;
  std::vector<std::vector<Vec3>> shapes_;  // vertices, then carried points
  double tolerance_;
  std::vector<Vec3> centers_;             // #tets, at rest
  std::vector<Triangle> faces_, sorted_;  // boundary faces; with sorted corners, ascending
  std::vector<Piece> pieces_;
  std::vector<Cluster> clusters_;
};

Decomposer::Decomposer(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, double tolerance, const ScoredTets* scored)
    : mesh_(mesh), scored_(scored), tet_points_(tet_points(mesh, scored)), tolerance_(tolerance), faces_(boundary_faces(mesh)), sorted_(faces_) {
  for (const auto& shape : shapes) shapes_.push_back(with_carried(shape, tet_points_.carried));
  const std::vector<Vec3> rest = with_carried(mesh.positions, tet_points_.carried);
  for (size_t t = 0; t < mesh.tets.size(); ++t) centers_.push_back(mean_of(rest, tet_points_.of(static_cast<int>(t))));
  for (Triangle& face : sorted_) std::sort(face.begin(), face.end());
  std::sort(sorted_.begin(), sorted_.end());
  find_pieces(scored);
}

/// The surface of some faces alone: the number of all vertices does not matter then.
BodySurface surface_of(std::span<const Vec3> positions, std::vector<Triangle> faces) {
  std::vector<int> used;
  for (const Triangle& face : faces) used.insert(used.end(), face.begin(), face.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (Triangle& face : faces)
    for (int& v : face) v = static_cast<int>(std::lower_bound(used.begin(), used.end(), v) - used.begin());
  return BodySurface(gather(positions, used), faces);
}

void Decomposer::find_pieces(const ScoredTets* scored) {
  const auto piece_of = [&](int tet) { return scored ? scored->piece[tet] : 0; };
  std::vector<Piece> pieces(scored ? *std::max_element(scored->piece.begin(), scored->piece.end()) + 1 : 1);
  for (size_t t = 0; t < mesh_.tets.size(); ++t) pieces[piece_of(static_cast<int>(t))].tets.push_back(static_cast<int>(t));
  std::vector<std::vector<Triangle>> faces(pieces.size());
  const std::vector<int> behind = boundary_face_tets(mesh_);
  for (size_t f = 0; f < faces_.size(); ++f) faces[piece_of(behind[f])].push_back(faces_[f]);
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (pieces[p].tets.empty()) continue;
    pieces[p].number = static_cast<int>(p);
    for (const auto& shape : shapes_) pieces[p].surfaces.push_back(surface_of(shape, faces[p]));
    pieces_.push_back(std::move(pieces[p]));
  }
}

void Decomposer::measure(Cluster& cluster, Sampling sampling) const {
  for (const int tet : cluster.tets) {
    const std::span<const int> points = tet_points_.of(tet);
    cluster.points.insert(cluster.points.end(), points.begin(), points.end());
  }
  std::sort(cluster.points.begin(), cluster.points.end());
  cluster.points.erase(std::unique(cluster.points.begin(), cluster.points.end()), cluster.points.end());
  for (size_t s = 0; s < shapes_.size(); ++s) {
    cluster.hulls.push_back(convex_hull(gather(shapes_[s], cluster.points)));
  }
  measure_again(cluster, sampling);
}

/// The overshoot of the hulls that it has.
void Decomposer::measure_again(Cluster& cluster, Sampling sampling) const {
  cluster.overshoot = {};
  for (size_t s = 0; s < shapes_.size(); ++s) {
    add_overshoot(pieces_[cluster.piece].surfaces[s], sorted_, gather(shapes_[s], cluster.points), cluster.points, cluster.hulls[s], static_cast<int>(s),
                  tolerance_, sampling, cluster.overshoot);
  }
  sort_outside(cluster.overshoot);
}

std::vector<Cluster> Decomposer::measured(std::vector<Members> members, int piece, Sampling sampling) const {
  std::vector<Cluster> clusters(members.size());
  parallel_for(members.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      clusters[i].tets = std::move(members[i]);
      clusters[i].piece = piece;
      measure(clusters[i], sampling);
    }
  });
  return clusters;
}

double Decomposer::volume_of(int tet) const {
  const std::vector<Vec3> points = gather(shapes_[0], tet_points_.of(tet));
  return volume(convex_hull(points), points);
}

void Decomposer::start(int count) {
  std::vector<double> volumes;
  for (const Piece& piece : pieces_) {
    volumes.push_back(0);
    if (pieces_.size() > 1)
      for (const int tet : piece.tets) volumes.back() += volume_of(tet);
  }
  const std::vector<int> shares = share_out(volumes, count);
  for (size_t p = 0; p < pieces_.size(); ++p) {
    std::vector<Cluster> clusters = measured(k_means(centers_, pieces_[p].tets, shares[p]), static_cast<int>(p), Sampling::Fine);
    std::move(clusters.begin(), clusters.end(), std::back_inserter(clusters_));
  }
}

/// In two by distance, or through the floor below the widest bridge, either way.
std::vector<std::vector<Members>> Decomposer::possible_cuts(const Cluster& cluster) const {
  std::vector<std::vector<Members>> cuts = {k_means(centers_, cluster.tets, 2)};
  const Overshoot::Bridge& bridge = cluster.overshoot.widest;
  if (bridge.shape >= 0) {
    const std::vector<Vec3>& shape = shapes_[bridge.shape];
    std::vector<Vec3> centers;
    for (const int tet : cluster.tets) centers.push_back(mean_of(shape, tet_points_.of(tet)));
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
    const int piece = clusters_[worst].piece;
    std::vector<Members> halves;  // of all cuts, one after another
    for (std::vector<Members>& cut : possible_cuts(clusters_[worst])) halves.insert(halves.end(), cut.begin(), cut.end());
    if (halves.empty()) continue;  // a single tetrahedron
    std::vector<Cluster> tried = measured(std::move(halves), piece, Sampling::Coarse);
    size_t best = 0;
    const auto left = [&](size_t i) { return tried[i].overshoot.beyond + tried[i + 1].overshoot.beyond; };
    for (size_t i = 2; i < tried.size(); i += 2)
      if (left(i) < left(best)) best = i;
    parallel_for(2, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) measure_again(tried[best + i], Sampling::Fine);
    });
    clusters_[worst] = std::move(tried[best]);
    clusters_.push_back(std::move(tried[best + 1]));
    return true;
  }
  return false;
}

double Decomposer::overshoot() const {
  std::vector<const Overshoot*> all;
  for (const Cluster& cluster : clusters_) all.push_back(&cluster.overshoot);
  return percentile_95(all);
}

std::vector<double> random_blend(size_t count, Random& random) {
  std::vector<double> weights(count);
  for (double& weight : weights) weight = -std::log(1 - random.unit());  // uniform over the simplex
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Of the thinnest box around the points, along their own axes.
double thickness(std::span<const Vec3> points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& point : points) mean += point / static_cast<double>(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& point : points) spread += (point - mean) * (point - mean).transpose();
  const Vec3 thin = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(0);
  double low = 0, high = 0;
  for (const Vec3& point : points) low = std::min(low, thin.dot(point - mean)), high = std::max(high, thin.dot(point - mean));
  return high - low;
}

// Bodies dent in places, so half of the blends change along a random direction from one mix of the shapes to another.
void Decomposer::find_extremes(Cluster& cluster) const {
  cluster.extreme.assign(cluster.points.size(), 0);
  std::vector<std::vector<Vec3>> shapes;
  for (const auto& shape : shapes_) shapes.push_back(gather(shape, cluster.points));
  const double slack = tet_points_.carried.empty() ? 0 : std::min(kFlatOfTolerance * tolerance_, kFlatOfThickness * thickness(shapes[0]));
  for (const auto& shape : shapes) flag_outline(shape, slack, cluster.extreme);
  if (shapes_.size() < 2) return;
  const Bounds bounds = bounds_of(shapes[0]);
  std::vector<Vec3> points(cluster.points.size());
  Random random(1);
  for (int blend = 0; blend < kBlends; ++blend) {
    const std::vector<double> from = random_blend(shapes.size(), random), to = random_blend(shapes.size(), random);
    // One by one: compilers evaluate arguments in an order of their own.
    const double z = random.unit() - 0.5;
    const double y = random.unit() - 0.5;
    const double x = random.unit() - 0.5;
    const Vec3 direction = Vec3(x, y, z).normalized() / bounds.diagonal();
    for (size_t i = 0; i < points.size(); ++i) {
      const double along = blend % 2 == 0 ? 0.0 : std::clamp(0.5 + direction.dot(shapes[0][i] - (bounds.low + bounds.high) / 2), 0.0, 1.0);
      points[i].setZero();
      for (size_t s = 0; s < shapes.size(); ++s) points[i] += ((1 - along) * from[s] + along * to[s]) * shapes[s][i];
    }
    flag_outline(points, slack, cluster.extreme);
  }
}

void Decomposer::add_hull(const Cluster& cluster, HullDecomposition& result) const {
  const bool flat = std::count(cluster.extreme.begin(), cluster.extreme.end(), 1) < 4;  // keeps all its points
  const int vertex_count = static_cast<int>(mesh_.positions.size());
  std::vector<int>& vertices = result.vertices.emplace_back();
  std::vector<CarriedPoint>& carried = result.carried.emplace_back();
  for (size_t i = 0; i < cluster.points.size(); ++i) {
    const int point = cluster.points[i];
    if (!flat && !cluster.extreme[i]) continue;
    if (point < vertex_count)
      vertices.push_back(point);
    else
      carried.push_back(tet_points_.carried[point - vertex_count]);
  }
  if (scored_) result.piece.push_back(pieces_[cluster.piece].number);
}

HullDecomposition Decomposer::result() {
  HullDecomposition result;
  result.overshoot = overshoot();
  parallel_for(clusters_.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) find_extremes(clusters_[i]);
  });
  std::vector<int> hull_of_tet(mesh_.tets.size());
  for (size_t c = 0; c < clusters_.size(); ++c) {
    for (const int tet : clusters_[c].tets) hull_of_tet[tet] = static_cast<int>(c);
    add_hull(clusters_[c], result);
  }
  result.faces.resize(clusters_.size());
  const std::vector<int> behind = boundary_face_tets(mesh_);
  for (size_t f = 0; f < behind.size(); ++f) result.faces[hull_of_tet[behind[f]]].push_back(static_cast<int>(f));
  return result;
}

}  // namespace

HullDecomposition decompose(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, const HullSettings& settings, const ScoredTets* scored) {
  if (mesh.tets.empty()) return {};
  const std::vector<std::vector<Vec3>> rest_only = {mesh.positions};
  Decomposer decomposer(mesh, shapes.empty() ? std::span<const std::vector<Vec3>>(rest_only) : shapes, settings.tolerance, scored);
  decomposer.start(std::clamp(settings.least, 1, std::max(1, settings.most)));
  while (decomposer.size() < settings.most && decomposer.overshoot() > settings.tolerance)
    if (!decomposer.split_worst()) break;
  HullDecomposition result = decomposer.result();
  result.margin = settings.margin;
  return result;
}

}  // namespace crumple::rigid
