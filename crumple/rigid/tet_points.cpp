#include "crumple/rigid/tet_points.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "crumple/geometry/mesh.h"
#include "crumple/rigid/convex_hull.h"

namespace crumple::rigid {
namespace {

using Weights = Eigen::Vector4d;

// How far outside its tetrahedron a point may be, in heights of it. Beyond, a thin one would throw the point about when the body bends.
constexpr double kOutside = 0.5;

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
  std::vector<CarriedPoint> take() { return std::move(carried_); }

 private:
  double room(int piece, const Vec3& at, const Vec3& direction) const;
  CarriedPoint moved(int tet, const Corner& corner) const;
  int number_of(int piece, const CarriedPoint& point);
  void find_neighbors();
  void find_outlines();

  const TetMesh& mesh_;
  const ScoredTets& scored_;
  std::vector<int> first_tet_, tets_around_;  // #vertices + 1; of each vertex
  std::vector<std::vector<Vec3>> outlines_;   // #pieces: extreme points
  double grain_;                              // m: corners of one piece that are nearer are one point
  std::map<std::array<int64_t, 4>, int> numbers_;
  std::vector<CarriedPoint> carried_;
};

CornerMover::CornerMover(const TetMesh& mesh, const ScoredTets& scored)
    : mesh_(mesh), scored_(scored), grain_(1e-6 * std::max(1e-6, bounds_of(mesh.positions).diagonal())) {
  find_neighbors();
  find_outlines();
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

/// In by the margin, but not past the middle of a piece that is thinner than two margins.
CarriedPoint CornerMover::moved(int tet, const Corner& corner) const {
  const double length = corner.inward.norm(), wanted = scored_.margin * length;
  const Vec3 direction = length > 0 ? Vec3(corner.inward / length) : Vec3::Zero();
  const Vec3 step = direction * std::min(wanted, room(scored_.piece[tet], corner.at, direction) / 2);

  int carrier = tet;
  Weights weights = wanted > 0 ? weights_of(mesh_.positions, mesh_.tets[tet], corner.at + step) : corner.weights;
  if (weights.minCoeff() < -kOutside) {
    for (const int v : mesh_.tets[tet]) {
      for (int i = first_tet_[v]; i < first_tet_[v + 1]; ++i) {
        if (scored_.piece[tets_around_[i]] != scored_.piece[tet]) continue;
        const Weights other = weights_of(mesh_.positions, mesh_.tets[tets_around_[i]], corner.at + step);
        if (other.minCoeff() > weights.minCoeff()) carrier = tets_around_[i], weights = other;
      }
    }
    // Where no tetrahedron is good enough, less of a step has to do.
    if (weights.minCoeff() < -kOutside) {
      carrier = tet;
      const Weights change = weights_of(mesh_.positions, mesh_.tets[tet], corner.at + step) - corner.weights;
      weights = corner.weights + change * std::min(1.0, kOutside / change.cwiseAbs().maxCoeff());
    }
  }
  CarriedPoint point;
  point.vertices = mesh_.tets[carrier];
  for (int i = 0; i < 4; ++i) point.weights[i] = static_cast<float>(weights[i]);
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

int CornerMover::place(int tet, const Corner& corner) {
  int vertex = 0;
  const double largest = corner.weights.maxCoeff(&vertex);
  const bool on_cut = !corner.inward.isZero(0) && scored_.margin > 0;
  if (!on_cut && largest > 1 - 1e-6) return mesh_.tets[tet][vertex];
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
      result.points.insert(result.points.end(), mesh.tets[t].begin(), mesh.tets[t].end());
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
