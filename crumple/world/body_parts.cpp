#include <algorithm>

#include "crumple/geometry/mass.h"
#include "crumple/world/body.h"

namespace crumple {
namespace {

std::vector<Vec3f> rest_shape(const Body& body) {
  std::vector<Vec3f> positions;
  for (const Vec3& p : body.loaded->rig->asset.tets.positions) positions.push_back(p.cast<float>());
  return positions;
}

template <class T>
std::vector<T> of_pieces(const std::vector<T>& values, const std::vector<int>& first_vertex, std::span<const int> pieces) {
  std::vector<T> chosen;
  for (const int piece : pieces) chosen.insert(chosen.end(), values.begin() + first_vertex[piece], values.begin() + first_vertex[piece + 1]);
  return chosen;
}

/// Where a vertex or a carried point is in the rest frame.
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

}  // namespace

const BodyPart& Body::part_of(int piece) const {
  if (structure) return parts[static_cast<size_t>(piece)];
  return *std::find_if(parts.begin(), parts.end(), [&](const BodyPart& part) { return std::binary_search(part.pieces.begin(), part.pieces.end(), piece); });
}

PartMass mass_of_part(const Body& body, std::span<const int> pieces, const Mat3& near) {
  const std::vector<Vec3f>* current = current_shape(body);
  const std::vector<Vec3f> rest = current ? std::vector<Vec3f>() : rest_shape(body);
  const std::vector<Vec3f>& shape = current ? *current : rest;
  const std::vector<int>& first = body.loaded->rig->first_vertex;
  const bool whole = pieces.size() + 1 == first.size();
  const PointMassProperties points = whole ? mass_of_points(shape, body.vertex_masses)
                                           : mass_of_points(of_pieces(shape, first, pieces), of_pieces(body.vertex_masses, first, pieces));
  const PrincipalFrame frame = principal_frame(points.inertia, near);
  return {points.mass, points.center, frame.moments, frame.axes};
}

void hull_points(const Body& body, const BodyPart& part, const Transform& rest_in_part, std::vector<Vec3>& points) {
  points.clear();
  const rigid::HullDecomposition& hulls = body.loaded->hulls;
  if (const std::vector<Vec3f>* shape = current_shape(body)) {
    const auto now = [&](int v) { return Vec3((*shape)[v].cast<double>()); };
    for (const int hull : part.hulls) points_of_hull(hulls, hull, now, rest_in_part, points);
  } else {
    const auto at_rest = [&](int v) { return body.loaded->rig->asset.tets.positions[v]; };
    for (const int hull : part.hulls) points_of_hull(hulls, hull, at_rest, rest_in_part, points);
  }
}

rigid::Shape shape_of_part(const Body& body, const BodyPart& part) {
  if (body.structure) return shape_of_piece(body, part.pieces.front());
  if (!body.loaded) return body.shape;
  std::vector<Vec3> points;
  hull_points(body, part, part.rest_in_part(), points);
  const rigid::HullDecomposition& decomposition = body.loaded->hulls;
  rigid::Hulls hulls;
  hulls.margin = body.description->hulls.margin;
  auto next = points.begin();
  for (const int hull : part.hulls) {
    const size_t count = decomposition.vertices[hull].size() + (decomposition.carried.empty() ? 0 : decomposition.carried[hull].size());
    hulls.points.emplace_back(next, next + static_cast<long>(count));
    next += static_cast<long>(count);
  }
  return hulls;
}

void regroup(Body& body) {
  const pieces::Groups& groups = body.pieces->state.groups;
  const std::vector<int>& piece_of_hull = body.loaded->hulls.piece;
  body.parts.assign(groups.count, {});
  for (size_t p = 0; p < groups.of_piece.size(); ++p) body.parts[groups.of_piece[p]].pieces.push_back(static_cast<int>(p));
  for (size_t h = 0; h < piece_of_hull.size(); ++h) body.parts[groups.of_piece[piece_of_hull[h]]].hulls.push_back(static_cast<int>(h));
}

}  // namespace crumple
