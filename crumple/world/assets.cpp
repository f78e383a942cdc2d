#include "crumple/world/assets.h"

#include <fmt/format.h>

#include "crumple/geometry/lattice.h"
#include "crumple/geometry/refine.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/gltf_maps.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/paper1_asset.h"
#include "crumple/io/particles.h"
#include "crumple/rig/cell_choice.h"
#include "crumple/rigid/shape.h"
#include "crumple/scene/animation.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

constexpr int kFillCells = 12;  // along the longest side of a filled surface
constexpr double kThinAllowed = 0.1;    // of a surface that is filled finely
constexpr size_t kMaxFineTets = 20000;
// Edges of a drawn surface that bends, in thicknesses of its thinnest piece, and the triangles that it may have for that.
constexpr double kBentEdge = 0.4;
constexpr size_t kMaxBentTriangles = 12000;

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
      if (asset.flat) hash = io::hash_bytes(std::as_bytes(std::span(to.stretch.data(), 9)), hash);
    }
  }
  if (asset.pieces) hash = hash_pieces(*asset.pieces, hash);
  for (const PaintedMap& map : asset.maps) hash = hash_vector(map.values, io::hash_bytes(map.name, hash));
  return hash;
}

uint64_t hash_motion(const io::NodeMotion& motion) {
  uint64_t hash = 6;
  for (const io::NodeMotion::Link& link : motion.chain) {
    hash = io::hash_bytes(std::as_bytes(std::span(link.rest.rotation.coeffs().data(), 4)), hash);
    hash = io::hash_bytes(std::as_bytes(std::span(link.rest.translation.data(), 3)), hash);
    for (const io::GltfChannel& channel : link.channels) {
      hash = hash_vector(channel.times, hash_vector(channel.values, io::hash_bytes(fmt::format("{} {} {}", channel.path, channel.step, channel.spline), hash)));
    }
  }
  return hash;
}

std::vector<std::vector<Vec3>> example_shapes(const Skin& skin) {
  std::vector<std::vector<Vec3>> shapes;
  for (int e = 0; e < skin.examples; ++e) shapes.push_back(example_shape(skin, e));
  return shapes;
}

rigid::HullDecomposition hulls_of(const RiggedBody& rig, const HullsDescription& wanted) {
  rigid::HullSettings settings;
  settings.least = wanted.least, settings.most = wanted.most;
  const double tolerance = wanted.tolerance.value_or(-1);
  const double diagonal = bounds_of(rig.asset.tets.positions).diagonal();
  settings.tolerance = tolerance > 0 ? tolerance : 0.025 * diagonal;
  settings.margin = rigid::margin_for(diagonal, wanted.margin);
  rigid::ScoredTets scored;
  if (const auto& pieces = rig.asset.pieces) {
    scored = {pieces->of_tet, pieces->cut_tets, pieces->first_corner, pieces->corners, pieces->inward, settings.margin};
  }
  if (rig.asset.division) scored.piece = rig.asset.division->of_tet;
  return rigid::decompose(rig.asset.tets, example_shapes(rig.skin), settings, scored.piece.empty() ? nullptr : &scored);
}

std::string hull_key(const HullsDescription& hulls, bool with_hulls) {
  if (!with_hulls) return "drawn";
  return fmt::format("{}|{}|{}|{}", hulls.tolerance.value_or(-1), hulls.least, hulls.most, hulls.margin);
}

Result<Asset> read_asset_at(const fs::path& file) {
  std::error_code ignored;
  return fs::is_directory(file, ignored) ? io::read_paper1_asset(file) : io::read_asset(file);
}

/// A file as part of a key: with its length, so that no name can be taken for what follows it.
std::string key_of(const fs::path& file) {
  std::error_code ignored;
  const fs::path found = fs::weakly_canonical(file, ignored);
  const std::string name = found.empty() ? file.string() : found.string();
  return fmt::format("{}:{}", name.size(), name);
}

/// A filled surface that is never posed. If `finely`, thin parts have more than one cell across, where that is affordable.
Result<Asset> filled(const TriMesh& surface, const std::string& name, bool finely) {
  Asset asset;
  asset.name = name, asset.surface = surface;
  LatticeSettings settings;
  settings.cells = kFillCells, settings.thin_allowed = 1;
  if (finely) settings.cell_size = choose_cell(surface, rigid::mass_properties(surface, 1.0).mass, kThinAllowed, kMaxFineTets).cell;
  LatticeReport report;
  Result<TetMesh> tets = fill_with_tets(surface, settings, report);
  if (!tets) return tets.error();
  asset.tets = std::move(*tets);
  rig_by_one_handle(asset);
  return asset;
}

/// What is drawn is divided so that it can bend smoothly.
void refine_to_bend(Asset& asset) {
  const std::vector<double>& thickness = asset.division->thickness;
  const size_t most = std::max(2 * asset.surface.triangles.size(), kMaxBentTriangles);
  std::vector<int32_t> parents;
  asset.surface = refined(std::move(asset.surface), kBentEdge * *std::min_element(thickness.begin(), thickness.end()), most, &parents);
  for (PaintedMap& map : asset.maps) add_between(parents, map.values);
}

/// Divides it, if it is to be, and makes it ready.
Result<std::shared_ptr<const RiggedBody>> made_ready(Asset asset, const Divider& divider) {
  if (!divider.divide) return rig_body(std::move(asset));
  Result<Division> division = divider.divide(asset);
  if (!division) return division.error();
  asset.division = std::move(*division);
  refine_to_bend(asset);
  order_vertices(asset);
  return rig_body(std::move(asset));
}

}  // namespace

Result<std::shared_ptr<const Asset>> SceneAssets::original(const Scene& scene, const std::string& name) {
  if (const auto found = originals_.find(name); found != originals_.end()) return found->second;
  const fs::path file = resolve_path(scene, scene.assets.at(name));
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    const auto line = scene.asset_lines.find(name);
    const std::string where = place_in_file(scene, line == scene.asset_lines.end() ? 0 : line->second);
    return input_error(fmt::format("{}: /assets/{}: no such file: {}", where, name, file.string()));
  }
  Result<std::shared_ptr<const Asset>> asset = library_->get<Asset>(fmt::format("{}|{}", key_of(file), name), [&]() -> Result<Asset> {
    Result<Asset> read = read_asset_at(file);
    if (!read) return read.error();
    read->name = name;
    if (!read->flat) order_vertices(*read);
    return read;
  });
  if (!asset) return asset.error();
  hashes_[name] = hash_asset(**asset);
  return originals_.emplace(name, *asset).first->second;
}

Result<std::shared_ptr<const Solid>> SceneAssets::load(const Scene& scene, const BodyDescription& body, const Divider& divider, bool with_hulls) {
  Result<std::shared_ptr<const Asset>> asset = original(scene, body.asset);
  if (!asset) return asset.error();
  const std::string rig_key = fmt::format("{}|{}|{}|{}", key_of(resolve_path(scene, scene.assets.at(body.asset))), body.scale, body.asset, divider.key);
  return library_->get<Solid>(fmt::format("{}|{}", hull_key(body.hulls, with_hulls), rig_key), [&]() -> Result<Solid> {
    auto rig = library_->get<std::shared_ptr<const RiggedBody>>(rig_key, [&]() -> Result<std::shared_ptr<const RiggedBody>> {
      Asset scaled = **asset;
      scale_asset(scaled, body.scale);
      return made_ready(std::move(scaled), divider);
    });
    if (!rig) return rig.error();
    Solid solid{**rig, {}};
    if (with_hulls) solid.hulls = hulls_of(*solid.rig, body.hulls);
    return solid;
  });
}

Result<std::shared_ptr<const Solid>> SceneAssets::fill(const TriMesh& surface, const BodyDescription& body, const Divider& divider, bool with_hulls) {
  const uint64_t hash = hash_vector(surface.triangles, hash_vector(surface.positions, 7));
  const std::string rig_key = fmt::format("filled {}|{}", hash, divider.key);
  return library_->get<Solid>(fmt::format("{}|{}", hull_key(body.hulls, with_hulls), rig_key), [&]() -> Result<Solid> {
    auto rig = library_->get<std::shared_ptr<const RiggedBody>>(rig_key, [&]() -> Result<std::shared_ptr<const RiggedBody>> {
      Result<Asset> asset = filled(surface, body.name, divider.divide != nullptr);
      if (!asset) return asset.error();
      return made_ready(std::move(*asset), divider);
    });
    if (!rig) return rig.error();
    Solid solid{**rig, {}};
    if (with_hulls) solid.hulls = hulls_of(*solid.rig, body.hulls);
    return solid;
  });
}

Result<std::shared_ptr<const TriMesh>> SceneAssets::load_mesh(const Scene& scene, const std::string& name, double scale, const std::string& where) {
  const fs::path file = resolve_path(scene, name);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return input_error(fmt::format("{}: no such file: {}", where, file.string()));
  const std::string key = key_of(file);
  Result<std::shared_ptr<const TriMesh>> mesh = library_->get<TriMesh>(key, [&]() -> Result<TriMesh> {
    Result<TriMesh> read = io::read_mesh(file);
    if (read && read->triangles.empty()) return input_error(fmt::format("{}: has no triangles", file.string()));
    return read;
  });
  if (!mesh) return mesh.error();
  hashes_["mesh " + name] = hash_vector((*mesh)->triangles, hash_vector((*mesh)->positions, 2));
  if (scale == 1) return mesh;
  return library_->get<TriMesh>(fmt::format("{}|{}", key, scale), [&]() -> Result<TriMesh> {
    TriMesh scaled = **mesh;
    for (Vec3& p : scaled.positions) p *= scale;
    return scaled;
  });
}

Result<std::vector<PaintedMap>> SceneAssets::load_maps(const Scene& scene, const std::string& name, size_t vertices, const std::string& where) {
  Result<std::vector<PaintedMap>> maps = io::read_maps(resolve_path(scene, name));
  if (!maps) return maps;
  if (const Result<void> fine = check_maps(*maps, vertices); !fine) return input_error(fmt::format("{}: {}", where, fine.error().text));
  uint64_t hash = 4;
  for (const PaintedMap& map : *maps) hash = hash_vector(map.values, io::hash_bytes(map.name, hash));
  if (!maps->empty()) hashes_["painted " + name] = hash;
  return maps;
}

Result<std::shared_ptr<const std::vector<Vec3>>> SceneAssets::load_particles(const Scene& scene, const std::string& name, const std::string& where) {
  const fs::path file = resolve_path(scene, name);
  auto particles = library_->get<std::vector<Vec3>>(key_of(file), [&] { return io::read_particles(file); });
  if (!particles) return input_error(fmt::format("{}: {}", where, particles.error().text));
  hashes_["particles " + name] = hash_vector(**particles, 5);
  return particles;
}

Result<std::shared_ptr<const io::NodeMotion>> SceneAssets::load_animation(const Scene& scene, const BodyDescription& body) {
  const NodeClip& clip = body.animation->clip;
  const std::string names = fmt::format("{}:{} {}:{}", clip.node.size(), clip.node, clip.clip.size(), clip.clip);
  auto motion = library_->get<io::NodeMotion>(fmt::format("{} {}", key_of(resolve_path(scene, clip.file)), names), [&] { return read_animation(scene, body); });
  if (motion) hashes_[fmt::format("animation {} {}", clip.file, names)] = hash_motion(**motion);
  return motion;
}

uint64_t SceneAssets::content_hash() const {
  uint64_t hash = 3;
  for (const auto& [name, value] : hashes_) hash = io::hash_bytes(fmt::format("{} {}", name, value), hash);
  return hash;
}

}  // namespace crumple
