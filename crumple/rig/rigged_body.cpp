#include "crumple/rig/rigged_body.h"

#include <algorithm>
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
  body->paint = painted_factors(body->asset);
  return body;
}

namespace {

/// Spreads the lower ten bits three apart.
uint32_t spread_bits(uint32_t x) {
  x &= 0x3ffu;
  x = (x | (x << 16)) & 0x030000ffu;
  x = (x | (x << 8)) & 0x0300f00fu;
  x = (x | (x << 4)) & 0x030c30c3u;
  return (x | (x << 2)) & 0x09249249u;
}

}  // namespace

void order_vertices(Asset& asset) {
  std::vector<Vec3>& positions = asset.tets.positions;
  const size_t count = positions.size(), handles = asset.handles.size();
  Vec3f low = Vec3f::Constant(1e30f), high = Vec3f::Constant(-1e30f);
  for (const Vec3& p : positions) low = low.cwiseMin(p.cast<float>()), high = high.cwiseMax(p.cast<float>());
  const float longest = std::max((high - low).maxCoeff(), 1e-30f);
  std::vector<std::pair<uint32_t, int>> keys(count);
  for (size_t v = 0; v < count; ++v) {
    const Vec3f unit = (positions[v].cast<float>() - low) / longest * 1023.0f;
    const auto cell = [&](int axis) { return spread_bits(static_cast<uint32_t>(std::clamp(unit[axis], 0.0f, 1023.0f))); };
    keys[v] = {cell(0) | (cell(1) << 1) | (cell(2) << 2), static_cast<int>(v)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> place(count);  // where each vertex goes
  std::vector<Vec3> moved(count);
  std::vector<float> weights(asset.weights.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t from = static_cast<size_t>(keys[i].second);
    place[from] = static_cast<int>(i);
    moved[i] = positions[from];
    std::copy_n(&asset.weights[from * handles], handles, &weights[i * handles]);
  }
  positions = std::move(moved);
  asset.weights = std::move(weights);
  asset.certificate.reset();  // it speaks of the old numbers
  for (Tetrahedron& tet : asset.tets.tets) {
    for (int& v : tet) v = place[static_cast<size_t>(v)];
  }
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
