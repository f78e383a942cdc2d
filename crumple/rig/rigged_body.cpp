#include "crumple/rig/rigged_body.h"
#include "crumple/geometry/elements.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <tuple>

namespace crumple {
namespace {

void scale_pieces(Pieces& pieces, double factor) {
  for (PieceSurface& surface : pieces.surfaces) {
    for (Vec3& p : surface.skin.positions) p *= factor;
    for (Vec3& p : surface.cut.positions) p *= factor;
  }
  for (double& volume : pieces.volumes) volume *= factor * factor * factor;
  for (PieceLink& link : pieces.links) link.area *= factor * factor, link.center *= factor, link.spread *= factor * factor;
}

/// Copies of one vertex in two pieces are joined by every link of the two.
std::vector<TwinEdge> twin_edges(const Asset& asset) {
  if (!asset.pieces) return {};
  const Pieces& pieces = *asset.pieces;
  const std::vector<int> piece = piece_of_vertices(asset);
  std::map<std::pair<int, int>, std::vector<int>> links;
  for (size_t l = 0; l < pieces.links.size(); ++l) links[{pieces.links[l].a, pieces.links[l].b}].push_back(static_cast<int>(l));
  std::vector<int> order(pieces.origin.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return pieces.origin[a] < pieces.origin[b]; });
  std::vector<TwinEdge> twins;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && pieces.origin[order[end]] == pieces.origin[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) {
      for (size_t j = i + 1; j < end; ++j) {
        const auto found = links.find(std::minmax(piece[order[i]], piece[order[j]]));
        if (found == links.end()) continue;
        for (const int link : found->second) twins.push_back({order[i], order[j], link});
      }
    }
  }
  return twins;
}

/// Points in the tetrahedra of one piece only: at a cut, those of its neighbours are as near.
Embedding embed_in_piece(const Asset& asset, std::span<const int> tets, int begin, int end, const std::vector<Vec3>& points) {
  TetMesh own;
  own.positions.assign(asset.tets.positions.begin() + begin, asset.tets.positions.begin() + end);
  for (const int t : tets) {
    const auto& [a, b, c, d] = asset.tets.tets[static_cast<size_t>(t)];
    own.tets.push_back({a - begin, b - begin, c - begin, d - begin});
  }
  Embedding embedding = embed(own, points);
  for (int& tet : embedding.tet) tet = tets[static_cast<size_t>(tet)];
  return embedding;
}

void rig_pieces(RiggedBody& body) {
  const Asset& asset = body.asset;
  const size_t vertices = asset.tets.positions.size();
  body.first_vertex = {0, static_cast<int>(vertices)};
  if (!asset.pieces && !asset.division) return;
  const std::vector<int> piece = piece_of_vertices(asset);
  const size_t count = static_cast<size_t>(asset.pieces ? asset.pieces->count() : asset.division->count());
  body.first_vertex.assign(count + 1, 0);
  for (const int p : piece) ++body.first_vertex[p + 1];
  for (size_t p = 0; p < count; ++p) body.first_vertex[p + 1] += body.first_vertex[p];
  if (!asset.pieces) return;
  std::vector<std::vector<int>> tets(count);
  for (size_t t = 0; t < asset.tets.tets.size(); ++t) tets[static_cast<size_t>(asset.pieces->of_tet[t])].push_back(static_cast<int>(t));
  for (size_t p = 0; p < count; ++p) {
    const auto embedded = [&](const TriMesh& side) { return embed_in_piece(asset, tets[p], body.first_vertex[p], body.first_vertex[p + 1], side.positions); };
    body.pieces.push_back({embedded(asset.pieces->surfaces[p].skin), embedded(asset.pieces->surfaces[p].cut)});
  }
}

}  // namespace

std::vector<int> piece_of_vertices(const Asset& asset) {
  if (asset.division) return asset.division->of_vertex;
  std::vector<int> piece(asset.tets.positions.size(), 0);
  for (size_t t = 0; asset.pieces && t < asset.tets.tets.size(); ++t) {
    for (const int v : asset.tets.tets[t]) piece[v] = asset.pieces->of_tet[t];
  }
  return piece;
}

void scale_asset(Asset& asset, double factor) {
  if (factor == 1) return;
  for (Vec3& p : asset.tets.positions) p *= factor;
  for (Vec3& p : asset.surface.positions) p *= factor;
  for (Handle& handle : asset.handles) handle.position *= factor;
  for (Example& example : asset.examples) {
    for (HandleTransform& to : example.handles) to.translation *= factor;
  }
  if (asset.pieces) scale_pieces(*asset.pieces, factor);
  assert(!asset.division);  // divided once it has its size
}

std::shared_ptr<const RiggedBody> rig_body(Asset asset) {
  auto body = std::make_shared<RiggedBody>();
  body->asset = std::move(asset);
  const TetMesh& tets = body->asset.tets;
  body->skin = build_skin(body->asset);
  body->graph = edge_graph(tets, twin_edges(body->asset));
  body->faces = boundary_faces(tets);
  body->unit_masses = body->asset.pieces ? body->asset.pieces->volumes : lumped_masses(tets, 1.0);
  body->volume = std::accumulate(body->unit_masses.begin(), body->unit_masses.end(), 0.0);
  body->embedding = embed(tets, body->asset.surface.positions);
  body->paint = painted_factors(body->asset);
  rig_pieces(*body);
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
  const std::vector<int> piece = piece_of_vertices(asset);
  std::vector<std::tuple<int, uint32_t, int>> keys(count);
  for (size_t v = 0; v < count; ++v) {
    const Vec3f unit = (positions[v].cast<float>() - low) / longest * 1023.0f;
    const auto cell = [&](int axis) { return spread_bits(static_cast<uint32_t>(std::clamp(unit[axis], 0.0f, 1023.0f))); };
    keys[v] = {piece[v], cell(0) | (cell(1) << 1) | (cell(2) << 2), static_cast<int>(v)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> place(count);  // where each vertex goes
  std::vector<Vec3> moved(count);
  std::vector<float> weights(asset.weights.size());
  std::vector<int> origin;
  std::vector<double> volumes;
  for (size_t i = 0; i < count; ++i) {
    const size_t from = static_cast<size_t>(std::get<2>(keys[i]));
    place[from] = static_cast<int>(i);
    moved[i] = positions[from];
    std::copy_n(&asset.weights[from * handles], handles, &weights[i * handles]);
    if (asset.pieces) origin.push_back(asset.pieces->origin[from]), volumes.push_back(asset.pieces->volumes[from]);
  }
  if (asset.pieces) asset.pieces->origin = std::move(origin), asset.pieces->volumes = std::move(volumes);
  positions = std::move(moved);
  asset.weights = std::move(weights);
  asset.certificate.reset();  // it speaks of the old numbers
  for (Tetrahedron& tet : asset.tets.tets) {
    for (int& v : tet) v = place[static_cast<size_t>(v)];
  }
  if (asset.division) reorder(*asset.division, place);
}

void rig_by_one_handle(Asset& asset) {
  asset.handles = {{"all", Vec3::Zero()}};
  asset.weights.assign(asset.tets.positions.size(), 1.0f);
  asset.examples = {{"rest", {HandleTransform()}}};
  order_vertices(asset);
}

std::vector<Vec3f> carried_surface(const RiggedBody& body, const std::vector<Vec3f>& positions) {
  return carried_points(body, body.embedding, positions);
}

std::vector<Vec3f> carried_points(const RiggedBody& body, const Embedding& embedding, const std::vector<Vec3f>& positions) {
  std::vector<Vec3f> surface(embedding.tet.size());
  for (size_t i = 0; i < surface.size(); ++i) {
    const Tetrahedron& tet = body.asset.tets.tets[embedding.tet[i]];
    const auto& w = embedding.weights[i];
    surface[i] = w[0] * positions[tet[0]] + w[1] * positions[tet[1]] + w[2] * positions[tet[2]] + w[3] * positions[tet[3]];
  }
  return surface;
}

}  // namespace crumple
