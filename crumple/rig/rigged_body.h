#pragma once

#include <memory>
#include <vector>

#include "crumple/geometry/geodesic.h"
#include "crumple/rig/asset.h"
#include "crumple/rig/paint.h"
#include "crumple/rig/skin.h"
#include "crumple/rig/spread.h"

namespace crumple {

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
  std::shared_ptr<SpreadLibrary> spreads = std::make_shared<SpreadLibrary>();
};

std::shared_ptr<const RiggedBody> rig_body(Asset asset);

/// Moves positions, handles, poses and surface to another size.
void scale_asset(Asset& asset, double factor);

/// Numbers the vertices along a space-filling curve, so that the eight of a block are neighbours: they share handles and examples,
/// and a hit touches fewer blocks. Depends on single-precision positions only, so an asset that went through a file gets the same order.
void order_vertices(Asset& asset);

/// The fine surface carried by moved tetrahedron vertices.
std::vector<Vec3f> carried_surface(const RiggedBody& body, const std::vector<Vec3f>& positions);

}  // namespace crumple
