#include "crumple/rig/rigged_body.h"

#include <numeric>

namespace crumple {

void scale_asset(Asset& asset, double factor) {
  if (factor == 1) return;
  for (Vec3& p : asset.tets.positions) p *= factor;
  for (Vec3& p : asset.surface.positions) p *= factor;
  for (Handle& handle : asset.handles) handle.position *= factor;
  for (Example& example : asset.examples) {
    for (HandleTransform& to : example.handles) to.translation *= factor;
  }
}

std::shared_ptr<const RiggedBody> rig_body(Asset asset) {
  auto body = std::make_shared<RiggedBody>();
  body->asset = std::move(asset);
  const TetMesh& tets = body->asset.tets;
  body->skin = build_skin(body->asset);
  body->graph = edge_graph(tets);
  body->faces = boundary_faces(tets);
  body->unit_masses = lumped_masses(tets, 1.0);
  body->volume = std::accumulate(body->unit_masses.begin(), body->unit_masses.end(), 0.0);
  body->embedding = embed(tets, body->asset.surface.positions);
  return body;
}

std::vector<Vec3f> carried_surface(const RiggedBody& body, const std::vector<Vec3f>& positions) {
  const Embedding& embedding = body.embedding;
  std::vector<Vec3f> surface(embedding.tet.size());
  for (size_t i = 0; i < surface.size(); ++i) {
    const Tetrahedron& tet = body.asset.tets.tets[embedding.tet[i]];
    const auto& w = embedding.weights[i];
    surface[i] = w[0] * positions[tet[0]] + w[1] * positions[tet[1]] + w[2] * positions[tet[2]] + w[3] * positions[tet[3]];
  }
  return surface;
}

}  // namespace crumple
