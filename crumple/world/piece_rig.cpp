#include <cmath>

#include <fmt/format.h>

#include "crumple/geometry/elements.h"
#include "crumple/geometry/lattice.h"
#include "crumple/geometry/tet_mesh.h"
#include "crumple/rigid/convex_hull.h"
#include "crumple/world/body.h"

namespace crumple {
namespace {

constexpr int kCells = 6;  // along the longest side of a piece

TetMesh box_tets(const Vec3& size, const Transform& place) {
  const Vec3 cells = (size * (kCells / size.maxCoeff())).array().round().max(1);
  TetMesh mesh = make_tet_grid(size, cells.cast<int>());
  for (Vec3& p : mesh.positions) p = place * p;
  return mesh;
}

/// Tetrahedra in what a piece collides by: it holds what is drawn, which may be hollow or open.
Result<TetMesh> tets_of_piece(const BondPiece& piece) {
  if (piece.box) return box_tets(*piece.box, piece.place);
  const rigid::ConvexHull hull = rigid::convex_hull(piece.hull);
  LatticeSettings settings;
  settings.cells = kCells, settings.thin_allowed = 1;
  LatticeReport report;
  TriMesh surface;
  surface.positions = piece.hull, surface.triangles = hull.faces;
  return fill_with_tets(surface, settings, report);
}

}  // namespace

Result<std::shared_ptr<const RiggedBody>> rig_of_pieces(std::span<const BondPiece> pieces) {
  Asset asset;
  asset.pieces.emplace();
  for (size_t p = 0; p < pieces.size(); ++p) {
    const Result<TetMesh> mesh = tets_of_piece(pieces[p]);
    if (!mesh) return input_error(fmt::format("piece \"{}\" cannot be filled: {}", pieces[p].name, mesh.error().text));
    const int first = static_cast<int>(asset.tets.positions.size());
    asset.tets.positions.insert(asset.tets.positions.end(), mesh->positions.begin(), mesh->positions.end());
    for (const auto& [a, b, c, d] : mesh->tets) asset.tets.tets.push_back({first + a, first + b, first + c, first + d});
    asset.pieces->of_tet.resize(asset.tets.tets.size(), static_cast<int>(p));
    asset.pieces->surfaces.push_back({pieces[p].surface, {}});
  }
  asset.pieces->volumes = lumped_masses(asset.tets, 1.0);
  for (size_t v = 0; v < asset.tets.positions.size(); ++v) asset.pieces->origin.push_back(static_cast<int>(v));
  rig_by_one_handle(asset);
  return rig_body(std::move(asset));
}

}  // namespace crumple
