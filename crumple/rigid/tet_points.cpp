#include "crumple/rigid/tet_points.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>

#include "crumple/geometry/mesh.h"
#include "crumple/rigid/convex_hull.h"

namespace crumple::rigid {
namespace {

using Weights = Eigen::Vector4d;

// How far outside its tetrahedron a point may be, in heights of it. Beyond, a thin one would throw the point about when the body bends.
constexpr double kOutside = 0.5;

constexpr double kVertex = 1 - 1e-6;  // weight from which a corner is a vertex

struct Corner {
  Vec3 at, inward;
  Weights weights;
};

Weights to_double(const std::array<float, 4>& weights) {
  return {weights[0], weights[1], weights[2], weights[3]};
}

Vec3 position(std::span<const Vec3> positions, const Tetrahedron& tet, const Weights& weights) {
  return weights[0] * positions[tet[0]] + weights[1] * positions[tet[1]] + weights[2] * positions[tet[2]] + weights[3] * positions[tet[3]];
}

/// Barycentric; far outside for every point if the tetrahedron is flat.
Weights weights_of(std::span<const Vec3> positions, const Tetrahedron& tet, const Vec3& point) {
  const Vec3& origin = positions[tet[0]];
  Mat3 edges;
  edges << positions[tet[1]] - origin, positions[tet[2]] - origin, positions[tet[3]] - origin;
  const double volume = edges.determinant(), size = edges.cwiseAbs().maxCoeff();
  if (!(std::abs(volume) > 1e-12 * size * size * size)) return Weights::Constant(-1e300);
  const Vec3 rest = edges.inverse() * (point - origin);
  return {1 - rest.sum(), rest[0], rest[1], rest[2]};
}

class CornerMover {
 public:
  CornerMover(const TetMesh& mesh, const ScoredTets& scored);
  /// Where the corner goes: a vertex of the mesh, or a carried point whose number follows those of the vertices.
  int place(int tet, const Corner& corner);
  Corner corner(int tet, int number) const;
  int place(int vertex) const { return point_of_vertex_[vertex]; }
  std::vector<CarriedPoint> take() { return std::move(carried_); }

 private:
  struct Carrier {
    int tet;
    Weights weights;
    double outside() const { return -weights.minCoeff(); }
  };
  Carrier carrier_near(int tet, const Vec3& point) const;
  double room(int piece, const Vec3& at, const Vec3& direction) const;
  CarriedPoint moved(int tet, const Corner& corner) const;
  int number_of(int piece, const CarriedPoint& point);
  void find_neighbors();
  void find_outlines();
  void move_near_vertices();

  const TetMesh& mesh_;
  const ScoredTets& scored_;
  std::vector<int> first_tet_, tets_around_;  // #vertices + 1; of each vertex
  std::vector<std::vector<Vec3>> outlines_;   // #pieces: extreme points
  std::vector<int> point_of_vertex_;          // #vertices: itself, or the carried point instead
  double grain_;                              // m: corners of one piece that are nearer are one point
  std::map<std::array<int64_t, 4>, int> numbers_;
  std::vector<CarriedPoint> carried_;
};

CornerMover::CornerMover(const TetMesh& mesh, const ScoredTets& scored)
    : mesh_(mesh), scored_(scored), grain_(1e-6 * std::max(1e-6, bounds_of(mesh.positions).diagonal())) {
  find_neighbors();
  find_outlines();
  move_near_vertices();
}

Corner CornerMover::corner(int tet, int number) const {
  Corner corner;
  corner.weights = to_double(scored_.corners[number]);
  corner.at = position(mesh_.positions, mesh_.tets[tet], corner.weights);
  corner.inward = scored_.inward[number].cast<double>();
  return corner;
}

void CornerMover::find_neighbors() {
  first_tet_.assign(mesh_.positions.size() + 1, 0);
  for (const Tetrahedron& tet : mesh_.tets)
    for (const int v : tet) ++first_tet_[v + 1];
  for (size_t v = 0; v < mesh_.positions.size(); ++v) first_tet_[v + 1] += first_tet_[v];
  tets_around_.resize(4 * mesh_.tets.size());
  std::vector<int> next = first_tet_;
  for (size_t t = 0; t < mesh_.tets.size(); ++t)
    for (const int v : mesh_.tets[t]) tets_around_[next[v]++] = static_cast<int>(t);
}

void CornerMover::find_outlines() {
  const int pieces = scored_.piece.empty() ? 0 : *std::max_element(scored_.piece.begin(), scored_.piece.end()) + 1;
  outlines_.resize(pieces);
  size_t cut = 0;
  for (size_t t = 0; t < mesh_.tets.size(); ++t) {
    std::vector<Vec3>& points = outlines_[scored_.piece[t]];
    if (cut < scored_.cut_tets.size() && scored_.cut_tets[cut] == static_cast<int>(t)) {
      for (int c = scored_.first_corner[cut]; c < scored_.first_corner[cut + 1]; ++c) points.push_back(corner(static_cast<int>(t), c).at);
      ++cut;
    } else {
      for (const int v : mesh_.tets[t]) points.push_back(mesh_.positions[v]);
    }
  }
  for (std::vector<Vec3>& points : outlines_) {
    std::vector<Vec3> extremes;
    for (const int v : convex_hull(points).vertices) extremes.push_back(points[v]);
    if (extremes.size() >= 4) points = std::move(extremes);
  }
}

double CornerMover::room(int piece, const Vec3& at, const Vec3& direction) const {
  double farthest = 0;
  for (const Vec3& point : outlines_[piece]) farthest = std::max(farthest, direction.dot(point - at));
  return farthest;
}

/// The tetrahedron itself if it holds the point well enough; otherwise from one to the best around it as long as they get better.
CornerMover::Carrier CornerMover::carrier_near(int tet, const Vec3& point) const {
  const auto carry = [&](int by) { return Carrier{by, weights_of(mesh_.positions, mesh_.tets[by], point)}; };
  Carrier best = carry(tet);
  for (int from = -1; best.outside() > kOutside && from != best.tet;) {
    from = best.tet;
    for (const int v : mesh_.tets[from]) {
      for (int i = first_tet_[v]; i < first_tet_[v + 1]; ++i) {
        if (scored_.piece[tets_around_[i]] != scored_.piece[tet]) continue;
        if (const Carrier other = carry(tets_around_[i]); other.outside() < best.outside()) best = other;
      }
    }
  }
  return best;
}

/// In by the margin, but not past the middle of a piece that is thinner than two margins.
CarriedPoint CornerMover::moved(int tet, const Corner& corner) const {
  const double length = corner.inward.norm();
  const Vec3 direction = length > 0 ? Vec3(corner.inward / length) : Vec3::Zero();
  const Vec3 step = direction * std::min(scored_.margin * length, room(scored_.piece[tet], corner.at, direction) / 2);
  Carrier carrier{tet, corner.weights};
  if (!step.isZero(0)) carrier = carrier_near(tet, corner.at + step);
  if (carrier.outside() > kOutside) {  // no tetrahedron contains it well: take a shorter step
    const Weights change = weights_of(mesh_.positions, mesh_.tets[tet], corner.at + step) - corner.weights;
    carrier = {tet, corner.weights + change * std::min(1.0, kOutside / change.cwiseAbs().maxCoeff())};
  }
  CarriedPoint point;
  point.vertices = mesh_.tets[carrier.tet];
  for (int i = 0; i < 4; ++i) point.weights[i] = static_cast<float>(carrier.weights[i]);
  return point;
}

/// Tetrahedra that meet have corners in common; one point for all of them.
int CornerMover::number_of(int piece, const CarriedPoint& point) {
  const Vec3 at = position(mesh_.positions, point.vertices, to_double(point.weights));
  const auto cell = [&](double x) { return static_cast<int64_t>(std::llround(x / grain_)); };
  const auto [found, is_new] = numbers_.try_emplace({piece, cell(at.x()), cell(at.y()), cell(at.z())}, static_cast<int>(carried_.size()));
  if (is_new) carried_.push_back(point);
  return static_cast<int>(mesh_.positions.size()) + found->second;
}

/// Vertices may be near a cut without lying on it: they, too, are moved to the margin's distance from it. A vertex that near has a cut tetrahedron
/// around it, unless tetrahedra are smaller than the margin.
void CornerMover::move_near_vertices() {
  point_of_vertex_.resize(mesh_.positions.size());
  std::iota(point_of_vertex_.begin(), point_of_vertex_.end(), 0);
  struct Near {
    int tet;
    Vec3 to;
  };
  std::map<int, Near> found;
  for (size_t cut = 0; cut < scored_.cut_tets.size(); ++cut) {
    const int tet = scored_.cut_tets[cut];
    std::vector<Corner> corners;
    for (int c = scored_.first_corner[cut]; c < scored_.first_corner[cut + 1]; ++c) corners.push_back(corner(tet, c));
    for (const Corner& off : corners) {
      int vertex = 0;
      if (!off.inward.isZero(0) || off.weights.maxCoeff(&vertex) <= kVertex) continue;
      vertex = mesh_.tets[tet][vertex];
      Vec3 to = found.contains(vertex) ? found[vertex].to : mesh_.positions[vertex];
      for (const Corner& on : corners) {
        if (std::abs(on.inward.norm() - 1) > 1e-3) continue;  // on several cuts; others of its corners tell of each
        const double above = on.inward.dot(to - on.at);
        if (above < -grain_ || above >= scored_.margin - grain_) continue;  // below: the other side of a hollow
        to += (scored_.margin - above) * on.inward;
        found[vertex] = {tet, to};
      }
    }
  }
  for (const auto& [vertex, near] : found) {
    Corner corner{mesh_.positions[vertex], (near.to - mesh_.positions[vertex]) / scored_.margin, Weights::Zero()};
    const Tetrahedron& tet = mesh_.tets[near.tet];
    corner.weights[std::find(tet.begin(), tet.end(), vertex) - tet.begin()] = 1;
    point_of_vertex_[vertex] = number_of(scored_.piece[near.tet], moved(near.tet, corner));
  }
}

int CornerMover::place(int tet, const Corner& corner) {
  int vertex = 0;
  const double largest = corner.weights.maxCoeff(&vertex);
  const bool on_cut = !corner.inward.isZero(0) && scored_.margin > 0;
  if (!on_cut && largest > kVertex) return place(mesh_.tets[tet][vertex]);
  return number_of(scored_.piece[tet], moved(tet, corner));
}

}  // namespace

TetPoints tet_points(const TetMesh& mesh, const ScoredTets* scored) {
  TetPoints result;
  result.first = {0};
  result.points.reserve(4 * mesh.tets.size());
  const size_t cuts = scored ? scored->cut_tets.size() : 0;
  assert(!scored || (scored->piece.size() == mesh.tets.size() && (cuts == 0 || scored->first_corner.size() == cuts + 1)));
  std::optional<CornerMover> mover;
  if (cuts > 0) mover.emplace(mesh, *scored);
  for (size_t t = 0, cut = 0; t < mesh.tets.size(); ++t) {
    const int tet = static_cast<int>(t);
    if (cut < cuts && scored->cut_tets[cut] == tet) {
      for (int c = scored->first_corner[cut]; c < scored->first_corner[cut + 1]; ++c)
        result.points.push_back(mover->place(tet, mover->corner(tet, c)));
      ++cut;
    } else {
      for (const int v : mesh.tets[t]) result.points.push_back(mover ? mover->place(v) : v);
    }
    result.first.push_back(static_cast<int>(result.points.size()));
  }
  if (mover) result.carried = mover->take();
  return result;
}

std::vector<Vec3> with_carried(std::span<const Vec3> shape, std::span<const CarriedPoint> carried) {
  std::vector<Vec3> positions(shape.begin(), shape.end());
  positions.reserve(shape.size() + carried.size());
  for (const auto& [vertices, weights] : carried) positions.push_back(position(shape, vertices, to_double(weights)));
  return positions;
}

}  // namespace crumple::rigid
