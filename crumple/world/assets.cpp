#include "crumple/world/assets.h"

#include <fmt/format.h>

#include "crumple/io/paper1_asset.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/gltf_maps.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/particles.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

template <class T>
uint64_t hash_vector(const std::vector<T>& values, uint64_t seed) {
  return io::hash_bytes(std::as_bytes(std::span(values)), seed);
}

uint64_t hash_pieces(const Pieces& pieces, uint64_t hash) {
  hash = hash_vector(pieces.of_tet, hash_vector(pieces.origin, hash_vector(pieces.volumes, hash)));
  hash = hash_vector(pieces.corners, hash_vector(pieces.first_corner, hash_vector(pieces.cut_tets, hash)));
  for (const PieceSurface& surface : pieces.surfaces) hash = hash_vector(surface.cut.positions, hash_vector(surface.skin.positions, hash));
  for (const PieceLink& link : pieces.links) {
    const double numbers[] = {static_cast<double>(link.a), static_cast<double>(link.b), link.area, link.center.x(), link.center.y(), link.center.z(), link.spread.trace()};
    hash = io::hash_bytes(std::as_bytes(std::span(numbers)), hash);
  }
  return hash;
}

uint64_t hash_asset(const Asset& asset) {
  uint64_t hash = hash_vector(asset.tets.positions, 1);
  hash = hash_vector(asset.tets.tets, hash);
  hash = hash_vector(asset.weights, hash);
  hash = hash_vector(asset.surface.positions, hash);
  hash = hash_vector(asset.surface.triangles, hash);
  for (const Handle& handle : asset.handles) hash = io::hash_bytes(std::as_bytes(std::span(handle.position.data(), 3)), hash);  // blends turn about them
  for (const Example& example : asset.examples) {
    for (const HandleTransform& to : example.handles) {
      const double numbers[] = {to.rotation.w(), to.rotation.x(), to.rotation.y(), to.rotation.z(), to.translation.x(), to.translation.y(), to.translation.z()};
      hash = io::hash_bytes(std::as_bytes(std::span(numbers)), hash);
    }
  }
  if (asset.pieces) hash = hash_pieces(*asset.pieces, hash);
  for (const PaintedMap& map : asset.maps) hash = hash_vector(map.values, io::hash_bytes(map.name, hash));
  return hash;
}

std::vector<std::vector<Vec3>> example_shapes(const Skin& skin) {
  std::vector<std::vector<Vec3>> shapes;
  for (int e = 0; e < skin.examples; ++e) shapes.push_back(example_shape(skin, e));
  return shapes;
}

}  // namespace

Result<const Asset*> AssetLibrary::original(const Scene& scene, const std::string& name) {
  if (const auto found = originals_.find(name); found != originals_.end()) return &found->second;
  const std::string& path = scene.assets.at(name);
  const fs::path file = resolve_path(scene, path);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    const auto line = scene.asset_lines.find(name);
    const std::string where = place_in_file(scene, line == scene.asset_lines.end() ? 0 : line->second);
    return input_error(fmt::format("{}: /assets/{}: no such file: {}", where, name, file.string()));
  }
  Result<Asset> asset = fs::is_directory(file, ignored) ? io::read_paper1_asset(file) : io::read_asset(file);
  if (!asset) return asset.error();
  asset->name = name;
  order_vertices(*asset);
  hashes_[name] = hash_asset(*asset);
  return &originals_.emplace(name, std::move(*asset)).first->second;
}

Result<std::shared_ptr<const LoadedAsset>> AssetLibrary::load(const Scene& scene, const BodyDescription& body) {
  const std::string size_key = fmt::format("{}|{}", body.asset, body.scale);
  const double tolerance = body.hulls.tolerance.value_or(-1);
  const std::string key = fmt::format("{}|{}|{}|{}|{}", size_key, tolerance, body.hulls.least, body.hulls.most, body.hulls.margin);
  if (const auto found = loaded_.find(key); found != loaded_.end()) return found->second;
  Result<const Asset*> asset = original(scene, body.asset);
  if (!asset) return asset.error();
  auto& rig = rigs_[size_key];
  if (!rig) {
    Asset scaled = **asset;
    scale_asset(scaled, body.scale);
    rig = rig_body(std::move(scaled));
  }
  auto loaded = std::make_shared<LoadedAsset>();
  loaded->rig = rig;
  loaded->content_hash = hashes_[body.asset];
  rigid::HullSettings settings;
  settings.least = body.hulls.least, settings.most = body.hulls.most;
  settings.tolerance = tolerance > 0 ? tolerance : 0.025 * bounds_of(rig->asset.tets.positions).diagonal();
  rigid::ScoredTets scored;
  if (const auto& pieces = rig->asset.pieces) {
    scored = {pieces->of_tet, pieces->cut_tets, pieces->first_corner, pieces->corners, pieces->inward, body.hulls.margin};
  }
  loaded->hulls = rigid::decompose(rig->asset.tets, example_shapes(rig->skin), settings, rig->asset.pieces ? &scored : nullptr);
  loaded_[key] = loaded;
  return std::shared_ptr<const LoadedAsset>(loaded);
}

Result<std::shared_ptr<const TriMesh>> AssetLibrary::load_mesh(const Scene& scene, const std::string& name, double scale, const std::string& where) {
  const std::string key = fmt::format("{}|{}", name, scale);
  if (const auto found = meshes_.find(key); found != meshes_.end()) return found->second;
  const fs::path file = resolve_path(scene, name);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return input_error(fmt::format("{}: no such file: {}", where, file.string()));
  Result<TriMesh> mesh = io::read_mesh(file);
  if (!mesh) return mesh.error();
  if (mesh->triangles.empty()) return input_error(fmt::format("{}: has no triangles", file.string()));
  hashes_["mesh " + name] = hash_vector(mesh->triangles, hash_vector(mesh->positions, 2));
  for (Vec3& p : mesh->positions) p *= scale;
  auto shared = std::make_shared<const TriMesh>(std::move(*mesh));
  meshes_[key] = shared;
  return shared;
}

Result<std::vector<PaintedMap>> AssetLibrary::load_maps(const Scene& scene, const std::string& name, size_t vertices, const std::string& where) {
  Result<std::vector<PaintedMap>> maps = io::read_maps(resolve_path(scene, name));
  if (!maps) return maps;
  if (const Result<void> fine = check_maps(*maps, vertices); !fine) return input_error(fmt::format("{}: {}", where, fine.error().text));
  uint64_t hash = 4;
  for (const PaintedMap& map : *maps) hash = hash_vector(map.values, io::hash_bytes(map.name, hash));
  if (!maps->empty()) hashes_["painted " + name] = hash;
  return maps;
}

Result<std::shared_ptr<const std::vector<Vec3>>> AssetLibrary::load_particles(const Scene& scene, const std::string& name, const std::string& where) {
  if (const auto found = particles_.find(name); found != particles_.end()) return found->second;
  Result<std::vector<Vec3>> particles = io::read_particles(resolve_path(scene, name));
  if (!particles) return input_error(fmt::format("{}: {}", where, particles.error().text));
  hashes_["particles " + name] = hash_vector(*particles, 5);
  auto shared = std::make_shared<const std::vector<Vec3>>(std::move(*particles));
  particles_[name] = shared;
  return std::shared_ptr<const std::vector<Vec3>>(shared);
}

uint64_t AssetLibrary::content_hash() const {
  uint64_t hash = 3;
  for (const auto& [name, value] : hashes_) hash = io::hash_bytes(fmt::format("{} {}", name, value), hash);
  return hash;
}

}  // namespace crumple
