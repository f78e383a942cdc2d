#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/io/export.h"
#include "crumple/io/export_tracks.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf.h"
#include "crumple/io/gltf_materials.h"

namespace crumple::io {
namespace {

/// Turns of a normal below this are not worth a byte: about a quarter of a degree.
constexpr float kUnturned = 0.004f;

Json numbers(std::initializer_list<double> values) {
  return Json::array(std::vector<Json>(values.begin(), values.end()));
}

/// Unit length always, even where the surface has no area; validators insist.
std::vector<Vec3f> unit_normals(const Points& positions, const std::vector<Triangle>& triangles) {
  std::vector<Vec3f> normals = vertex_normals(positions, triangles);
  for (Vec3f& normal : normals) {
    const float length = normal.norm();
    normal = length > 1e-12f ? Vec3f(normal / length) : Vec3f::UnitY();
  }
  return normals;
}

/// Writes tracks into a glTF document.
class GlbScene {
 public:
  GlbScene(const ItemTracks& tracks, const ExportSettings& settings) : tracks_(tracks), settings_(settings), builder_("Crumple") {
    surfaces_.resize(tracks.surfaces().size());
  }

  void add_item(const ItemTrack& track);
  GltfDocument finish() &&;
  const ExportReport& report() const { return report_; }

 private:
  /// Accessors that all items with this surface share, made when first needed.
  struct Part {
    size_t triangles = 0;
    std::optional<size_t> material;  // none: the item's look
  };
  struct Surface {
    std::vector<Part> parts;  // one for each material
    std::optional<size_t> uvs, positions, normals;
    std::vector<Vec3f> rest_normals;
  };

  const ExportSurface& source_of(const ItemTrack& track) const { return tracks_.surfaces()[static_cast<size_t>(track.surface)]; }
  double motion_error(const ItemTrack& track) const;
  Surface& topology_of(const ItemTrack& track);
  Surface& rest_of(const ItemTrack& track);
  size_t material_of(const ItemTrack& track);
  size_t mesh_of(const ItemTrack& track);
  Json attributes_of(const ItemTrack& track);
  Json target_of(const ItemTrack& track, const Points& positions);
  size_t add_differences(const std::vector<Vec3f>& now, const std::vector<Vec3f>& rest, float negligible);
  void add_shape_keys(const ItemTrack& track, size_t node);
  void add_place_keys(const ItemTrack& track, size_t node);
  void add_visibility_keys(const ItemTrack& track, size_t node);
  void add_channel(size_t node, const char* path, const char* interpolation, const std::vector<float>& times, size_t values);
  float time_of(int frame) const { return static_cast<float>(tracks_.times()[static_cast<size_t>(frame)]); }

  const ItemTracks& tracks_;
  const ExportSettings& settings_;
  GltfBuilder builder_;
  std::vector<Surface> surfaces_;
  std::map<std::array<float, 5>, size_t> materials_;
  std::map<std::pair<int, size_t>, size_t> rigid_meshes_;  // by surface and material
  std::vector<Json> nodes_, samplers_, channels_;
  ExportReport report_;
};

void GlbScene::add_item(const ItemTrack& track) {
  const PlaceSample& start = track.places.samples().front();
  const Vec3f& t = start.translation;
  const Eigen::Quaternionf& r = start.rotation;
  Json node = Json::object({{"name", track.name}, {"mesh", mesh_of(track)}});
  if (!t.isZero(0)) node["translation"] = numbers({t.x(), t.y(), t.z()});
  if (!r.vec().isZero(0)) node["rotation"] = numbers({r.x(), r.y(), r.z(), r.w()});
  if (track.switches.front().frame > 0) node["scale"] = numbers({0, 0, 0});
  const size_t index = builder_.add("nodes", std::move(node));
  nodes_.push_back(index);
  add_place_keys(track, index);
  add_shape_keys(track, index);
  add_visibility_keys(track, index);
  const double shape = track.shapes.ever_changes() ? track.shapes.error() : 0.0;
  report_.shape_error = std::max(report_.shape_error, shape), report_.worst = std::max(report_.worst, shape + motion_error(track));
}

/// How far keys of motion may leave a vertex from where it was: by their tolerances, which count for turns the more the farther it is from the origin.
double GlbScene::motion_error(const ItemTrack& track) const {
  const PlaceSample& first = track.places.samples().front();
  const auto is_first = [&](const PlaceSample& s) { return s.translation == first.translation && s.rotation.coeffs() == first.rotation.coeffs(); };
  if (std::all_of(track.places.samples().begin(), track.places.samples().end(), is_first)) return 0;
  float reach = 0;
  const auto look_at = [&](const Points& points) {
    for (const Vec3f& p : points) reach = std::max(reach, p.norm());
  };
  look_at(*source_of(track).rest);
  for (const HeldShape& shape : track.shapes.shapes()) look_at(shape.positions);
  return settings_.place_tolerance + settings_.turn_tolerance * M_PI / 180 * double{reach};
}

GlbScene::Surface& GlbScene::topology_of(const ItemTrack& track) {
  Surface& surface = surfaces_[static_cast<size_t>(track.surface)];
  if (!surface.parts.empty()) return surface;
  const TriMesh& mesh = *source_of(track).mesh;
  if (!mesh.uvs.empty()) surface.uvs = builder_.add_vec2(mesh.uvs);
  if (!mesh.materials) {
    surface.parts = {{builder_.add_triangles(mesh.triangles), std::nullopt}};
    return surface;
  }
  const std::vector<size_t> numbers = add_materials(*mesh.materials, builder_);
  std::vector<std::vector<Triangle>> triangles(numbers.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) triangles[at(mesh.material_of(t))].push_back(mesh.triangles[t]);
  for (size_t m = 0; m < numbers.size(); ++m) {
    if (!triangles[m].empty()) surface.parts.push_back({builder_.add_triangles(triangles[m]), numbers[m]});
  }
  return surface;
}

GlbScene::Surface& GlbScene::rest_of(const ItemTrack& track) {
  Surface& surface = topology_of(track);
  if (surface.positions) return surface;
  const ExportSurface& source = source_of(track);
  surface.rest_normals = unit_normals(*source.rest, source.mesh->triangles);
  surface.positions = builder_.add_positions(*source.rest);
  surface.normals = builder_.add_vec3(surface.rest_normals);
  return surface;
}

/// One material a look, for surfaces without materials. Vertex colours replace its colour: the format multiplies the two.
size_t GlbScene::material_of(const ItemTrack& track) {
  const auto fraction = [](double value) { return std::isfinite(value) ? static_cast<float>(std::clamp(value, 0.0, 1.0)) : 0.0f; };
  const Vec3f color = track.colors.empty() ? track.look.color : Vec3f::Ones();
  const std::array<float, 5> key{fraction(color.x()), fraction(color.y()), fraction(color.z()), fraction(track.look.metal),
                                 fraction(track.look.roughness)};
  const auto [place, is_new] = materials_.try_emplace(key, 0);
  if (is_new) {
    Json surface = Json::object(
        {{"baseColorFactor", numbers({key[0], key[1], key[2], 1})}, {"metallicFactor", double{key[3]}}, {"roughnessFactor", double{key[4]}}});
    place->second = builder_.add(
        "materials",
        Json::object({{"name", fmt::format("look {}", materials_.size())}, {"pbrMetallicRoughness", std::move(surface)}, {"doubleSided", true}}));
  }
  return place->second;
}

size_t GlbScene::mesh_of(const ItemTrack& track) {
  const bool shared = !track.shapes.ever_changes() && track.colors.empty();
  const bool has_look = !track.colors.empty() || !topology_of(track).parts.front().material;
  const std::pair<int, size_t> key{track.surface, has_look ? material_of(track) : *topology_of(track).parts.front().material};
  if (const auto known = rigid_meshes_.find(key); shared && known != rigid_meshes_.end()) return known->second;

  Json mesh = Json::object({{"name", track.name}});
  Json shape = Json::object({{"attributes", attributes_of(track)}});
  if (track.shapes.shapes().size() > 1) {
    std::vector<Json> targets, weights, names;
    for (const HeldShape& shape : track.shapes.shapes()) {
      if (shape.positions.empty()) continue;
      targets.push_back(target_of(track, shape.positions));
      weights.push_back(&shape == &track.shapes.shapes().front() ? 1 : 0);
      names.push_back(fmt::format("{:.3f} s", shape.begin));
    }
    report_.shapes += static_cast<int>(targets.size());
    shape["targets"] = Json::array(std::move(targets));
    mesh["weights"] = Json::array(std::move(weights));
    mesh["extras"] = Json::object({{"targetNames", Json::array(std::move(names))}});
  }
  Json primitives = Json::array();
  for (const Part& part : topology_of(track).parts) {
    Json primitive = shape;
    primitive["indices"] = part.triangles, primitive["material"] = has_look || !part.material ? key.second : *part.material;
    primitives.push(std::move(primitive));
  }
  mesh["primitives"] = std::move(primitives);
  const size_t index = builder_.add("meshes", std::move(mesh));
  if (shared) rigid_meshes_[key] = index;
  return index;
}

/// The rest surface; or, for an item that has another shape all the time, that one.
Json GlbScene::attributes_of(const ItemTrack& track) {
  const Surface& surface = topology_of(track);
  Json attributes = Json::object();
  const std::vector<HeldShape>& shapes = track.shapes.shapes();
  if (shapes.size() == 1 && !shapes[0].positions.empty()) {
    attributes["POSITION"] = builder_.add_positions(shapes[0].positions);
    attributes["NORMAL"] = builder_.add_vec3(unit_normals(shapes[0].positions, source_of(track).mesh->triangles));
  } else {
    attributes["POSITION"] = *rest_of(track).positions;
    attributes["NORMAL"] = *rest_of(track).normals;
  }
  if (surface.uvs) attributes["TEXCOORD_0"] = *surface.uvs;
  if (!track.colors.empty()) {
    std::vector<Vec3f> colors = track.colors;
    for (Vec3f& color : colors) color = color.cwiseMax(0.0f).cwiseMin(1.0f);
    attributes["COLOR_0"] = builder_.add_vec3(colors);
  }
  return attributes;
}

Json GlbScene::target_of(const ItemTrack& track, const Points& positions) {
  const Surface& surface = rest_of(track);
  const ExportSurface& source = source_of(track);
  const size_t moved = add_differences(positions, *source.rest, kUnmoved);
  const size_t turned = add_differences(unit_normals(positions, source.mesh->triangles), surface.rest_normals, kUnturned);
  return Json::object({{"POSITION", moved}, {"NORMAL", turned}});
}

/// Sparse if that is smaller.
size_t GlbScene::add_differences(const std::vector<Vec3f>& now, const std::vector<Vec3f>& rest, float negligible) {
  std::vector<uint32_t> rows;
  std::vector<Vec3f> values;
  for (size_t i = 0; i < now.size(); ++i) {
    const Vec3f difference = now[i] - rest[i];
    if (difference.squaredNorm() <= negligible * negligible) continue;
    rows.push_back(static_cast<uint32_t>(i));
    values.push_back(difference);
  }
  const size_t row_bytes = sizeof(Vec3f) + (now.size() <= 65536 ? 2 : 4);
  if (rows.size() * row_bytes < now.size() * sizeof(Vec3f)) return builder_.add_sparse_vec3(now.size(), rows, values);
  values.resize(now.size());
  for (size_t i = 0; i < now.size(); ++i) values[i] = now[i] - rest[i];
  return builder_.add_positions(values);
}

void GlbScene::add_channel(size_t node, const char* path, const char* interpolation, const std::vector<float>& times, size_t values) {
  Json sampler = Json::object({{"input", builder_.add_scalars(times)}, {"output", values}});
  sampler["interpolation"] = interpolation;
  channels_.push_back(Json::object({{"sampler", samplers_.size()}, {"target", Json::object({{"node", node}, {"path", path}})}}));
  samplers_.push_back(std::move(sampler));
}

/// Each shape has full weight while it is held and fades into the next, so at most two are active at a time.
void GlbScene::add_shape_keys(const ItemTrack& track, size_t node) {
  const std::vector<HeldShape>& shapes = track.shapes.shapes();
  if (shapes.size() < 2) return;
  const auto targets = static_cast<size_t>(std::count_if(shapes.begin(), shapes.end(), [](const HeldShape& s) { return !s.positions.empty(); }));
  std::vector<float> times, weights;
  size_t target = 0;
  for (const HeldShape& shape : shapes) {
    const bool is_target = !shape.positions.empty();
    for (const double time : {shape.begin, shape.end}) {
      if (!times.empty() && static_cast<float>(time) <= times.back()) continue;
      times.push_back(static_cast<float>(time));
      weights.resize(weights.size() + targets, 0.0f);
      if (is_target) weights[weights.size() - targets + target] = 1.0f;
    }
    target += is_target;
  }
  const size_t values = builder_.add_scalars(weights);
  add_channel(node, "weights", "LINEAR", times, values);
}

void GlbScene::add_place_keys(const ItemTrack& track, size_t node) {
  const std::vector<PlaceSample>& samples = track.places.samples();
  const auto times_of = [&](const std::vector<int>& keys) {
    std::vector<float> times;
    for (const int key : keys) times.push_back(time_of(samples[static_cast<size_t>(key)].frame));
    return times;
  };
  if (const auto keys = translation_keys(samples, tracks_.times(), settings_.place_tolerance); keys.size() > 1) {
    std::vector<Vec3f> values;
    for (const int key : keys) values.push_back(samples[static_cast<size_t>(key)].translation);
    add_channel(node, "translation", "LINEAR", times_of(keys), builder_.add_vec3(values, GltfTarget::Other));
  }
  if (const auto keys = rotation_keys(samples, tracks_.times(), settings_.turn_tolerance); keys.size() > 1) {
    std::vector<std::array<float, 4>> values;
    for (const int key : keys) {
      const Eigen::Quaternionf& r = samples[static_cast<size_t>(key)].rotation;
      values.push_back({r.x(), r.y(), r.z(), r.w()});
    }
    add_channel(node, "rotation", "LINEAR", times_of(keys), builder_.add_vec4(values, GltfTarget::Other));
  }
}

void GlbScene::add_visibility_keys(const ItemTrack& track, size_t node) {
  if (track.switches.size() == 1 && track.switches[0].frame == 0) return;
  std::vector<float> times;
  std::vector<Vec3f> values;
  const auto add = [&](int frame, bool visible) {
    times.push_back(time_of(frame));
    values.push_back(Vec3f::Constant(visible ? 1.0f : 0.0f));
  };
  if (track.switches[0].frame > 0) add(0, false);
  for (const ItemTrack::Switch& change : track.switches) add(change.frame, change.visible);
  add_channel(node, "scale", "STEP", times, builder_.add_vec3(values, GltfTarget::Other));
}

GltfDocument GlbScene::finish() && {
  const Json extras = Json::object({{"fps", settings_.fps}, {"frames", tracks_.times().size()}});
  Json scene = Json::object({{"name", settings_.name}, {"extras", extras}});
  if (!nodes_.empty()) scene["nodes"] = Json::array(std::move(nodes_));
  builder_.add("scenes", std::move(scene));
  builder_.json()["scene"] = 0;
  if (!channels_.empty()) {
    builder_.add("animations", Json::object({{"name", settings_.name},
                                             {"samplers", Json::array(std::move(samplers_))},
                                             {"channels", Json::array(std::move(channels_))},
                                             {"extras", extras}}));
  }
  return std::move(builder_).finish();
}

}  // namespace

Result<ExportReport> export_glb(const FrameSource& source, int count, const ExportSettings& settings, const std::filesystem::path& file) {
  if (count < 1) return input_error(fmt::format("{}: there are no frames to export", file.string()));
  ItemTracks tracks(settings);
  for (int index = 0; index < count; ++index) {
    auto frame = source(index);
    if (!frame) return frame.error();
    if (auto added = tracks.add(std::move(*frame)); !added) return added.error();
  }
  tracks.finish();

  GlbScene scene(tracks, settings);
  for (const ItemTrack& track : tracks.tracks()) scene.add_item(track);
  ExportReport report = scene.report();
  const GltfDocument document = std::move(scene).finish();
  report.frames = count;
  report.nodes = static_cast<int>(gltf_count(document, "nodes"));
  report.meshes = static_cast<int>(gltf_count(document, "meshes"));
  const auto bytes = write_glb(document);
  if (!bytes) return bytes.error();
  report.bytes = bytes->size();
  if (auto written = write_file(file, *bytes); !written) return written.error();
  return report;
}

}  // namespace crumple::io
