#pragma once

#include <memory>
#include <vector>

#include "crumple/geometry/geodesic.h"
#include "crumple/rig/asset.h"
#include "crumple/rig/paint.h"
#include "crumple/rig/skin.h"
#include "crumple/rig/spread.h"

namespace crumple {

/// Both surfaces of a piece in its own tetrahedra.
struct PieceEmbedding {
  Embedding skin, cut;
};

/// An asset at one size, made ready once for all bodies that use it.
struct RiggedBody {
  Asset asset;  // scaled to metres of the scene
  Skin skin;
  EdgeGraph graph;
  std::vector<Triangle> faces;        // boundary of the tetrahedra
  std::vector<double> unit_masses;    // #vertices, at density 1
  Embedding embedding;                // of asset.surface in the tetrahedra
  double volume = 0;                  // m^3
  PaintedFactors paint;               // of the knobs, on the vertices
  std::vector<int> first_vertex;      // #pieces + 1: vertices are numbered piece by piece; a body that is neither scored nor divided is one piece
  std::vector<PieceEmbedding> pieces; // #pieces of a scored body, otherwise empty
  std::shared_ptr<SpreadLibrary> spreads = std::make_shared<SpreadLibrary>();
};

std::shared_ptr<const RiggedBody> rig_body(Asset asset);

/// The piece of every vertex of an asset that is scored or divided.
std::vector<int> piece_of_vertices(const Asset& asset);

/// Moves positions, handles, poses and surface to another size.
void scale_asset(Asset& asset, double factor);

/// Numbers the vertices along a space-filling curve, so that the eight of a block are neighbours: they share handles and examples,
/// and a hit touches fewer blocks; the vertices of a piece come one after another. Depends on single-precision positions only, so an asset that went through a file gets the same order.
void order_vertices(Asset& asset);

/// Gives tetrahedra that are never posed one handle with full weight, and orders their vertices.
void rig_by_one_handle(Asset& asset);

/// Points carried by moved tetrahedron vertices.
std::vector<Vec3f> carried_points(const RiggedBody& body, const Embedding& embedding, const std::vector<Vec3f>& positions);
/// The fine surface, carried.
std::vector<Vec3f> carried_surface(const RiggedBody& body, const std::vector<Vec3f>& positions);

}  // namespace crumple
