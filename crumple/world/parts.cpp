#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "crumple/geometry/bvh.h"
#include "crumple/geometry/mass.h"
#include "crumple/math/union_find.h"
#include "crumple/world/body.h"

namespace crumple {
namespace {

std::vector<Vec3f> rest_shape(const Body& body) {
  std::vector<Vec3f> positions;
  for (const Vec3& p : body.rig->asset.tets.positions) positions.push_back(p.cast<float>());
  return positions;
}

template <class T>
std::vector<T> of_pieces(const std::vector<T>& values, const std::vector<int>& first_vertex, std::span<const int> pieces) {
  std::vector<T> chosen;
  for (const int piece : pieces) chosen.insert(chosen.end(), values.begin() + first_vertex[piece], values.begin() + first_vertex[piece + 1]);
  return chosen;
}

/// Vertices of some pieces, in the rest frame of their part.
std::vector<Vec3f> posed(const Body& body, const std::vector<Vec3f>& shape, std::span<const int> pieces) {
  std::vector<Vec3f> points = of_pieces(shape, body.rig->first_vertex, pieces);
  if (body.poses.empty()) return points;
  auto next = points.begin();
  for (const int piece : pieces) {
    const Transform& pose = body.poses[static_cast<size_t>(piece)];
    const std::vector<int>& first = body.rig->first_vertex;
    for (int v = first[static_cast<size_t>(piece)]; v < first[static_cast<size_t>(piece) + 1]; ++v, ++next) *next = (pose * next->cast<double>()).cast<float>();
  }
  return points;
}

/// Position of a vertex or a carried point in the rest frame.
template <class Positions>
void points_of_hull(const rigid::HullDecomposition& hulls, int hull, const Positions& position, const Transform& rest_in_part, std::vector<Vec3>& points) {
  for (const int v : hulls.vertices[hull]) points.push_back(rest_in_part * position(v));
  if (hulls.carried.empty()) return;
  for (const rigid::CarriedPoint& carried : hulls.carried[hull]) {
    Vec3 at = Vec3::Zero();
    for (size_t i = 0; i < 4; ++i) at += static_cast<double>(carried.weights[i]) * position(carried.vertices[i]);
    points.push_back(rest_in_part * at);
  }
}

/// Distance to a piece, 0 inside it.
double distance_to(const BondPiece& piece, const Vec3& at) {
  if (piece.box) return ((piece.place.inverse() * at).cwiseAbs() - 0.5 * *piece.box).cwiseMax(0).norm();
  double least = std::numeric_limits<double>::infinity();
  bool is_inside = true;  // it is convex
  const std::vector<Vec3>& points = piece.surface.positions;
  for (const auto& [a, b, c] : piece.surface.triangles) {
    const Vec3 w = closest_barycentric(at, points[a], points[b], points[c]);
    least = std::min(least, (w[0] * points[a] + w[1] * points[b] + w[2] * points[c] - at).norm());
    is_inside = is_inside && (points[b] - points[a]).cross(points[c] - points[a]).dot(at - points[a]) <= 0;
  }
  return is_inside ? 0 : least;
}

/// Collision shape of a piece made by bonds.
rigid::Shape shape_of_piece(const Body& body, const BondPiece& piece, const Part& part) {
  if (piece.box) {
    assert((piece.place.translation - piece.mass.center).norm() <= 1e-6 * piece.box->norm());
    return rigid::Box{*piece.box};
  }
  const Transform rest_in_part = part.rest_in_part();
  std::vector<Vec3> points;
  for (const Vec3& p : piece.hull) points.push_back(rest_in_part * p);
  const Bounds bounds = bounds_of(points);
  const double thin = (bounds.high - bounds.low).minCoeff();
  return rigid::Hulls{{std::move(points)}, std::min(rigid::margin_for(bounds.diagonal(), body.description->hulls.margin), 0.05 * thin)};  // a thin wire has a thin margin
}

}  // namespace

const Part& Body::part_of(int piece) const {
  if (parts.size() == static_cast<size_t>(piece_count())) return parts[static_cast<size_t>(piece)];  // each has its own
  return *std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return std::binary_search(part.pieces.begin(), part.pieces.end(), piece); });
}

std::span<const BondPiece> own_pieces(const Body& body) {
  if (!body.bonds) return {};
  return std::visit([](const auto& bonds) { return pieces_of(bonds.model); }, *body.bonds);
}

namespace {

/// For each piece, the lowest piece that it is connected to, by welds alone or by joints as well.
std::vector<int> groups_of(const Body& body, bool with_joints) {
  UnionFind groups(static_cast<size_t>(body.piece_count()));
  auto link = body.links.begin();
  each_hold(body, [&](Hold hold) {
    if (link->b >= 0 && (hold == Hold::Welded || (with_joints && hold == Hold::Jointed))) groups.merge(link->a, link->b);
    ++link;
  });
  std::vector<int> lowest;
  for (int p = 0; p < body.piece_count(); ++p) lowest.push_back(groups.of(p));
  return lowest;
}

}  // namespace

std::vector<int> connected_pieces(const Body& body) {
  return groups_of(body, true);
}

PartMass mass_of_part(const Body& body, std::span<const int> pieces, const Mat3& near) {
  const std::vector<Vec3f>* current = body.layers.empty() ? nullptr : &body.shape.vertices;
  const std::vector<Vec3f> rest = current ? std::vector<Vec3f>() : rest_shape(body);
  const std::vector<Vec3f>& shape = current ? *current : rest;
  const std::vector<int>& first = body.rig->first_vertex;
  const bool whole = pieces.size() + 1 == first.size() && body.poses.empty();
  const PointMassProperties points = whole ? mass_of_points(shape, body.vertex_masses)
                                           : mass_of_points(posed(body, shape, pieces), of_pieces(body.vertex_masses, first, pieces));
  const PrincipalFrame frame = principal_frame(points.inertia, near);
  return {points.mass, points.center, frame.moments, frame.axes};
}

void hull_points(const Body& body, const Part& part, const Transform& rest_in_part, std::vector<Vec3>& points) {
  points.clear();
  const rigid::HullDecomposition& hulls = body.solid->hulls;
  const auto piece_in_part = [&](int hull) { return body.poses.empty() ? rest_in_part : rest_in_part * body.pose_of(hulls.piece[static_cast<size_t>(hull)]); };
  if (!body.layers.empty()) {
    const auto now = [&](int v) { return Vec3(body.shape.vertices[static_cast<size_t>(v)].cast<double>()); };
    for (const int hull : part.hulls) points_of_hull(hulls, hull, now, piece_in_part(hull), points);
  } else {
    const auto at_rest = [&](int v) { return body.rig->asset.tets.positions[v]; };
    for (const int hull : part.hulls) points_of_hull(hulls, hull, at_rest, piece_in_part(hull), points);
  }
}

rigid::Shape shape_of_part(const Body& body, const Part& part) {
  if (const std::span<const BondPiece> pieces = own_pieces(body); !pieces.empty()) {
    return shape_of_piece(body, pieces[static_cast<size_t>(part.pieces.front())], part);
  }
  if (!body.solid) return body.collision;
  std::vector<Vec3> points;
  hull_points(body, part, part.rest_in_part(), points);
  const rigid::HullDecomposition& decomposition = body.solid->hulls;
  rigid::Hulls hulls;
  hulls.margin = decomposition.margin;
  auto next = points.begin();
  for (const int hull : part.hulls) {
    const size_t count = decomposition.vertices[hull].size() + (decomposition.carried.empty() ? 0 : decomposition.carried[hull].size());
    hulls.points.emplace_back(next, next + static_cast<long>(count));
    next += static_cast<long>(count);
  }
  return hulls;
}

int nearest_piece(const Body& body, const Vec3& at) {
  int nearest = 0;
  if (const std::span<const BondPiece> pieces = own_pieces(body); !pieces.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < pieces.size(); ++i) {
      const double distance = distance_to(pieces[i], at);
      if (distance < least) least = distance, nearest = static_cast<int>(i);
    }
    return nearest;
  }
  if (body.piece_count() == 1) return 0;
  const RiggedBody& rig = *body.rig;
  double least = 1e300;
  for (int piece = 0; piece < body.piece_count(); ++piece) {
    for (int v = rig.first_vertex[static_cast<size_t>(piece)]; v < rig.first_vertex[static_cast<size_t>(piece) + 1]; ++v) {
      const double squared = (rig.asset.tets.positions[static_cast<size_t>(v)] - at).squaredNorm();
      if (squared < least) least = squared, nearest = piece;
    }
  }
  return nearest;
}

void regroup(Body& body) {
  const std::vector<int> lowest = groups_of(body, false);
  std::vector<int> number(lowest.size(), -1);
  int count = 0;
  for (size_t p = 0; p < lowest.size(); ++p) {
    if (lowest[p] == static_cast<int>(p)) number[p] = count++;
  }
  body.parts.assign(static_cast<size_t>(count), {});
  const auto part_of = [&](size_t piece) -> Part& { return body.parts[static_cast<size_t>(number[static_cast<size_t>(lowest[piece])])]; };
  for (size_t p = 0; p < lowest.size(); ++p) part_of(p).pieces.push_back(static_cast<int>(p));
  const std::vector<int>& piece_of_hull = body.solid->hulls.piece;
  for (size_t h = 0; h < piece_of_hull.size(); ++h) part_of(static_cast<size_t>(piece_of_hull[h])).hulls.push_back(static_cast<int>(h));
}

bool is_skinned(const Body& body) {
  return std::any_of(body.layers.begin(), body.layers.end(), [](const Layer& layer) { return std::visit([](const auto& at_work) { return info_of(at_work).skins; }, layer); });
}

void put_together(Body& body, std::span<const int> blocks) {
  const std::vector<Vec3>& rest = body.rig->asset.tets.positions;
  Shape& shape = body.shape;
  const bool is_alone = body.layers.size() == 1 && std::visit([](const auto& at_work) { return info_of(at_work).skins; }, body.layers.front());
  if (!is_alone) shape.offsets.resize(rest.size(), Vec3f::Zero());
  for (const int block : is_alone ? std::span<const int>() : blocks) {
    const size_t begin = static_cast<size_t>(block) * Skin::kLanes, end = std::min(begin + Skin::kLanes, rest.size());
    for (size_t v = begin; v < end; ++v) {
      shape.vertices[v] = rest[v].cast<float>();
      if (!shape.offsets.empty()) shape.offsets[v].setZero();
    }
  }
  for (const Layer& layer : body.layers) {
    std::visit([&](const auto& at_work) { put_shape(at_work.model, at_work.state, blocks, shape); }, layer);
  }
}

void put_together(Body& body) {
  if (body.layers.empty()) return;
  const size_t count = body.rig->asset.tets.positions.size();
  body.shape.vertices.resize(count);
  std::vector<int> blocks((count + Skin::kLanes - 1) / Skin::kLanes);
  std::iota(blocks.begin(), blocks.end(), 0);
  put_together(body, blocks);
}

Damage damage_of(const Body& body) {
  Damage damage;
  if (body.layers.empty() || body.shape.vertices.empty()) return damage;
  const std::vector<Vec3>& rest = body.rig->asset.tets.positions;
  double squared = 0;
  for (size_t v = 0; v < rest.size(); ++v) {
    const double distance = (body.shape.vertices[v].cast<double>() - rest[v]).norm();
    damage.max_displacement = std::max(damage.max_displacement, distance);
    squared += distance * distance;
  }
  damage.rms_displacement = std::sqrt(squared / static_cast<double>(rest.size()));
  return damage;
}

}  // namespace crumple
