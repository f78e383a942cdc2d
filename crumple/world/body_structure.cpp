#include <algorithm>
#include <cassert>
#include <limits>

#include <fmt/format.h>

#include "crumple/geometry/bvh.h"
#include "crumple/world/body.h"

namespace crumple {
namespace {


/// `what` begins with the place inside the structure.
Error structure_error(const Scene& scene, const BodyDescription& body, std::string_view what) {
  return input_error(fmt::format("{}: /bodies/{}/structure{}", place_in_file(scene, body.line), body.name, what));
}

/// The moments about other axes than the principal ones. Of a box they are principal too, though perhaps named in another order.
Vec3 inertia_about(const rigid::MassProperties& mass, const Mat3& axes) {
  const Mat3 turn = axes.transpose() * mass.axes;
  return (turn * mass.inertia.asDiagonal() * turn.transpose()).diagonal();
}

BodyPart make_part(const structures::Piece& piece, int number) {
  BodyPart part;
  part.pieces = {number};
  part.mass = piece.mass.mass, part.center = piece.mass.center;
  part.axes = piece.box ? piece.place.rotation : piece.mass.axes;  // the engine's boxes lie along the axes of their part
  part.inertia = inertia_about(piece.mass, part.axes);
  return part;
}

/// Distance to a piece, 0 inside it.
double distance_to(const structures::Piece& piece, const Vec3& at) {
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

}  // namespace

Result<void> build_structure(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  std::vector<std::shared_ptr<const TriMesh>> loaded;
  std::vector<const TriMesh*> meshes;
  for (size_t i = 0; i < d.structure->pieces.size(); ++i) {
    const std::string& file = d.structure->pieces[i].mesh;
    meshes.push_back(nullptr);
    if (file.empty()) continue;
    auto mesh = library.load_mesh(scene, file, 1.0, fmt::format("{}: /bodies/{}/structure/pieces/{}/mesh", place_in_file(scene, d.line), d.name, i));
    if (!mesh) return mesh.error();
    loaded.push_back(*mesh), meshes.back() = mesh->get();
  }
  Result<structures::Model> model = structures::build(*d.structure, meshes, d.density.value_or(kWater));
  if (!model) return structure_error(scene, d, model.error().text);
  body.parts.clear();
  for (size_t i = 0; i < model->pieces.size(); ++i) {
    const structures::Piece& piece = model->pieces[i];
    body.parts.push_back(make_part(piece, static_cast<int>(i)));
    body.skins.push_back(std::make_shared<const TriMesh>(piece.surface));
    body.mass += piece.mass.mass;
  }
  body.surface = body.skins.front();
  structures::State state = structures::start(*model);
  body.structure = StructureLayer{std::move(*model), std::move(state)};
  return {};
}

rigid::Shape shape_of_piece(const Body& body, int number) {
  const structures::Piece& piece = body.structure->model.pieces[static_cast<size_t>(number)];
  if (piece.box) {
    assert((piece.place.translation - piece.mass.center).norm() <= 1e-6 * piece.box->norm());
    return rigid::Box{*piece.box};
  }
  const Transform rest_in_part = body.parts[static_cast<size_t>(number)].rest_in_part();
  std::vector<Vec3> points;
  for (const Vec3& p : piece.hull) points.push_back(rest_in_part * p);
  const Bounds bounds = bounds_of(points);
  const double thin = (bounds.high - bounds.low).minCoeff();
  return rigid::Hulls{{std::move(points)}, std::min(body.description->hulls.margin, 0.05 * thin)};  // the skin of a wire is thin, too
}

int nearest_structure_piece(const structures::Model& model, const Vec3& at) {
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const double distance = distance_to(model.pieces[i], at);
    if (distance < least) least = distance, nearest = static_cast<int>(i);
  }
  return nearest;
}

}  // namespace crumple
