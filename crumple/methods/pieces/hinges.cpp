#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "crumple/geometry/point_tree.h"
#include "crumple/methods/pieces/kernels.h"

namespace crumple::pieces {
namespace {

// A hinge is elastic up to this stretch, as a share of the cut's size, and up to this turn: far less than is seen, and far more than steps resolve.
constexpr double kElasticStretch = 0.002, kElasticTurn = 0.005;
// Share of the ultimate flow from which a hinge weakens.
constexpr double kSofteningFrom = 0.6;
// How far from the cut drawn points follow both pieces, as a share of the cut's size.
constexpr double kReach = 0.8;
// What lies this much beyond the extents of a patch, or this share of its size, still belongs to it: patches are seldom rectangles.
constexpr double kPatchRoom = 1.6, kPatchEdge = 0.1;
// Points of both pieces that are this near, as a share of the cut's size, are the same point of the cut.
constexpr double kSamePoint = 1e-4;

rigid::PlasticLaw hinge_law(const Weld& weld, const Hinge& hinge) {
  const double size = std::sqrt(weld.area);
  rigid::PlasticLaw law = capacity_of(weld, hinge.resistance * weld.limit / kWindow);
  law.stiffness.head<3>() = law.capacity.head<3>() / (kElasticStretch * size);
  law.stiffness.tail<3>() = law.capacity.tail<3>() / kElasticTurn;
  law.ultimate_elongation = hinge.pull * size;
  law.ultimate_rotation = hinge.turn * std::numbers::pi / 180;
  law.softening_from = kSofteningFrom;
  return law;
}

/// Whether a point lies in the patch, as far as its spread tells: of an even rectangle the half extents are sqrt(3 x the mean square).
bool is_in_patch(const Weld& weld, const Vec3& p) {
  const Mat3 inverse = weld.turning.inverse();  // |d|^2 1 - d d^T averaged
  const Mat3 spread = 0.5 * inverse.trace() * Mat3::Identity() - inverse;
  const Vec3 local = weld.axes.transpose() * (p - weld.center), squares = (weld.axes.transpose() * spread * weld.axes).diagonal();
  for (int i = 0; i < 3; ++i) {
    if (std::abs(local[i]) > kPatchRoom * std::sqrt(3 * std::max(squares[i], 0.0)) + kPatchEdge * std::sqrt(weld.area)) return false;
  }
  return true;
}

/// Points that the cut faces of both pieces have in common, within the patch.
std::vector<Vec3> common_points(const Weld& weld, const TriMesh& a, const PointTree& b, double tolerance) {
  std::vector<Vec3> common;
  for (const Vec3& p : a.positions) {
    if (is_in_patch(weld, p) && b.nearest(p, tolerance).point >= 0) common.push_back(p);
  }
  return common;
}

/// Half on the cut, nothing at the end of its reach.
float share_at(double distance, double reach) {
  const double t = std::clamp(distance / reach, 0.0, 1.0);
  return static_cast<float>(0.5 * (1 - t * t * (3 - 2 * t)));
}

void follow_link(const Weld& weld, int link, const Pieces& pieces, const PointTree& cut_of_b,
                 std::vector<std::array<std::vector<Follow>, 2>>& follow) {
  const double size = std::sqrt(weld.area), reach = kReach * size;
  const auto surface = [&](int piece) -> const PieceSurface& { return pieces.surfaces[static_cast<size_t>(piece)]; };
  const std::vector<Vec3> common = common_points(weld, surface(weld.a).cut, cut_of_b, kSamePoint * size);
  if (common.empty()) return;
  const PointTree tree(common);
  for (const int piece : {weld.a, weld.b}) {
    for (const bool cut : {false, true}) {
      const std::vector<Vec3>& points = cut ? surface(piece).cut.positions : surface(piece).skin.positions;
      std::vector<Follow>& to = follow[static_cast<size_t>(piece)][cut ? 1 : 0];
      for (size_t v = 0; v < points.size(); ++v) {
        const double distance = tree.nearest(points[v], reach).distance;
        const float share = distance <= kSamePoint * size ? 0.5f : share_at(distance, reach);
        if (share > to[v].share) to[v] = {link, share};
      }
    }
  }
}

}  // namespace

void add_hinges(const RiggedBody& body, Model& model) {
  const Pieces& pieces = *body.asset.pieces;
  model.follow.resize(pieces.surfaces.size());
  for (size_t k = 0; k < pieces.surfaces.size(); ++k) {
    model.follow[k] = {std::vector<Follow>(pieces.surfaces[k].skin.positions.size()), std::vector<Follow>(pieces.surfaces[k].cut.positions.size())};
  }
  std::vector<std::optional<PointTree>> cuts(pieces.surfaces.size());
  for (size_t l = 0; l < model.links.size(); ++l) {
    model.hinges.push_back(hinge_law(model.links[l], *model.settings.hinge));
    std::optional<PointTree>& cut = cuts[static_cast<size_t>(model.links[l].b)];  // of a piece with many links it is asked often
    if (!cut) cut.emplace(pieces.surfaces[static_cast<size_t>(model.links[l].b)].cut.positions);
    follow_link(model.links[l], static_cast<int>(l), pieces, *cut, model.follow);
  }
}

std::vector<Vec3f> pose(const Model& model, const State& state, const PieceSide& side, std::span<const Transform> places) {
  if (model.follow.empty()) return {};
  const std::vector<Follow>& follow = model.follow[static_cast<size_t>(side.piece)][side.is_cut ? 1 : 0];
  // Where the other piece of each hinge is, seen from this one.
  std::vector<std::optional<Transform>> other(model.links.size());
  bool any = false;
  for (size_t l = 0; l < model.links.size(); ++l) {
    const Weld& weld = model.links[l];
    if ((weld.a != side.piece && weld.b != side.piece) || hold_of(state, static_cast<int>(l)) != Hold::Jointed) continue;
    other[l] = places[static_cast<size_t>(side.piece)].inverse() * places[static_cast<size_t>(weld.a == side.piece ? weld.b : weld.a)];
    any = true;
  }
  if (!any) return {};
  std::vector<Vec3f> points(side.points.begin(), side.points.end());
  for (size_t v = 0; v < points.size(); ++v) {
    if (follow[v].link < 0 || !other[static_cast<size_t>(follow[v].link)]) continue;
    // Turned partly about the middle of the cut, which goes straight from one piece's to the other's: no piece narrows as blended places would make it.
    const Transform& to = *other[static_cast<size_t>(follow[v].link)];
    const Vec3& middle = model.links[static_cast<size_t>(follow[v].link)].center;
    const Quat turn = Quat::Identity().slerp(follow[v].share, Quat(to.rotation));
    const Vec3 shift = follow[v].share * (to * middle - middle);
    points[v] = (middle + shift + turn * (points[v].cast<double>() - middle)).cast<float>();
  }
  return points;
}

}  // namespace crumple::pieces
