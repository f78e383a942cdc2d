#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/io/export.h"
#include "crumple/io/export_merge.h"
#include "crumple/io/export_nodes.h"
#include "crumple/io/export_patches.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf.h"
#include "crumple/io/gltf_materials.h"

namespace crumple::io {
namespace {

constexpr size_t kLargeFile = size_t{50} << 20;  // larger files hold shapes as small whole numbers
constexpr double kCoarser = 1.3;                  // factor of the tolerances for each try to keep to a size
constexpr int kMaxTries = 24;
constexpr double kNear = 0.01, kFar = 10000;             // m: what a camera sees
constexpr double kCameraTolerance = 1e-4, kCameraDegrees = 1e-3;  // m and degrees: of its motion

Json numbers(std::initializer_list<double> values) {
  return Json::array(std::vector<Json>(values.begin(), values.end()));
}

/// Writes nodes into a glTF document.
class GlbScene {
 public:
  GlbScene(const ItemTracks& tracks, const ExportSettings& settings) : tracks_(tracks), settings_(settings), builder_("Crumple") {
    surfaces_.resize(tracks.surfaces().size());
  }

  void add_node(const ExportNode& node);
  void add_camera();
  void add_sun();
  GltfDocument finish() &&;
  int shapes() const { return shapes_; }

 private:
  struct Part {
    size_t triangles = 0;
    std::optional<size_t> material;  // none: the item's look
  };
  /// Accessors that all items with this surface share, made when first needed.
  struct Surface {
    std::vector<Part> parts;  // one for each material
    std::optional<size_t> uvs, normals;
    std::map<double, size_t> positions;  // by unit
  };

  Surface& topology_of(const ExportNode& node);
  size_t rest_positions(const ExportNode& node);
  size_t rest_normals(const ExportNode& node);
  size_t material_of(const ExportNode& node);
  size_t mesh_of(const ExportNode& node);
  void add_targets(const ExportNode& node, Json& mesh, Json& shape);
  Json attributes_of(const ExportNode& node);
  Json target_of(const ExportNode& node, const MorphTarget& target);
  void add_shape_keys(const ExportNode& node, size_t index);
  struct PlaceKeys {
    const std::vector<PlaceSample>& places;
    const std::vector<int>&translations, &rotations;  // places that are keys
  };
  void add_place_keys(const PlaceKeys& keys, size_t index);
  void add_visibility_keys(const ExportNode& node, size_t index);
  void add_channel(size_t node, const char* path, const char* interpolation, const std::vector<float>& times, size_t values);
  float switch_time(int frame) const;
  float time_of(int frame) const { return static_cast<float>(tracks_.times()[static_cast<size_t>(frame)]); }

  const ItemTracks& tracks_;
  const ExportSettings& settings_;
  GltfBuilder builder_;
  GltfMaterialWriter material_writer_{builder_};
  std::vector<Surface> surfaces_;
  std::map<LookKey, size_t> materials_;
  std::map<std::pair<int, size_t>, size_t> rigid_meshes_;  // by surface and material
  std::vector<Json> nodes_, samplers_, channels_;
  int shapes_ = 0;
};

/// Metres in a unit of the node's mesh.
double unit_of(const ExportNode& node) {
  return node.morph && node.morph->unit > 0 ? node.morph->unit : 1.0;
}

void set_place(const PlaceSample& place, Json& json) {
  const Vec3f& t = place.translation;
  const Eigen::Quaternionf& r = place.rotation;
  if (!t.isZero(0)) json["translation"] = numbers({t.x(), t.y(), t.z()});
  if (!r.vec().isZero(0)) json["rotation"] = numbers({r.x(), r.y(), r.z(), r.w()});
}

void GlbScene::add_node(const ExportNode& node) {
  const double scale = node.track->switches.front().frame > 0 ? 0.0 : unit_of(node);
  Json json = Json::object({{"name", node.track->name}, {"mesh", mesh_of(node)}});
  set_place(node.places.front(), json);
  if (scale != 1) json["scale"] = numbers({scale, scale, scale});
  if (node.track->body >= 0) json["extras"] = Json::object({{"body", node.track->body}, {"piece", node.track->piece}});
  const size_t index = builder_.add("nodes", std::move(json));
  nodes_.push_back(index);
  add_place_keys({node.places, node.translations, node.rotations}, index);
  add_shape_keys(node, index);
  add_visibility_keys(node, index);
}

GlbScene::Surface& GlbScene::topology_of(const ExportNode& node) {
  Surface& surface = surfaces_[at(node.track->surface)];
  if (!surface.parts.empty()) return surface;
  const TriMesh& mesh = *node.surface->mesh;
  if (!mesh.uvs.empty()) surface.uvs = builder_.add_vec2(mesh.uvs);
  if (!mesh.materials) {
    surface.parts = {{builder_.add_triangles(mesh.triangles), std::nullopt}};
    return surface;
  }
  const std::vector<size_t>& numbers = material_writer_.numbers_of(mesh.materials);
  std::vector<std::vector<Triangle>> triangles(numbers.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) triangles[at(mesh.material_of(t))].push_back(mesh.triangles[t]);
  for (size_t m = 0; m < numbers.size(); ++m) {
    if (!triangles[m].empty()) surface.parts.push_back({builder_.add_triangles(triangles[m]), numbers[m]});
  }
  return surface;
}

size_t GlbScene::rest_positions(const ExportNode& node) {
  const double unit = unit_of(node);
  const auto [place, is_new] = topology_of(node).positions.try_emplace(unit, 0);
  if (!is_new) return place->second;
  Points scaled = *node.surface->rest;
  for (Vec3f& p : scaled) p = (p.cast<double>() / unit).cast<float>();
  return place->second = builder_.add_positions(scaled);
}

size_t GlbScene::rest_normals(const ExportNode& node) {
  Surface& surface = topology_of(node);
  if (!surface.normals) surface.normals = builder_.add_vec3(node.surface->normals);
  return *surface.normals;
}

/// Colours by the state of the simulation, or the artist's.
const std::vector<Vec3f>& node_colors(const ExportNode& node) {
  return node.track->colors.empty() ? node.surface->mesh->colors : node.track->colors;
}

/// One material a look, for surfaces without materials. Vertex colours replace its colour: the format multiplies the two.
size_t GlbScene::material_of(const ExportNode& node) {
  Appearance look = node.track->look;
  const bool tinted = !node_colors(node).empty();
  if (tinted) look.color = Vec3f::Ones();
  const auto [place, is_new] = materials_.try_emplace(look_key(look), 0);
  if (!is_new) return place->second;
  return place->second = material_writer_.add(look_material(look, tinted, node.track->name));
}

size_t GlbScene::mesh_of(const ExportNode& node) {
  const ItemTrack& track = *node.track;
  const bool shared = !node.morph && node.baked.empty() && track.colors.empty();
  // Colours by the state say something that the artist's materials would hide.
  const bool has_look = !track.colors.empty() || !topology_of(node).parts.front().material;
  const std::pair<int, size_t> key{track.surface, has_look ? material_of(node) : *topology_of(node).parts.front().material};
  if (const auto known = rigid_meshes_.find(key); shared && known != rigid_meshes_.end()) return known->second;

  Json mesh = Json::object({{"name", track.name}});
  Json shape = Json::object({{"attributes", attributes_of(node)}});
  if (node.morph) add_targets(node, mesh, shape);
  Json primitives = Json::array();
  for (const Part& part : topology_of(node).parts) {
    Json primitive = shape;
    primitive["indices"] = part.triangles;
    primitive["material"] = has_look || !part.material ? key.second : *part.material;
    primitives.push(std::move(primitive));
  }
  mesh["primitives"] = std::move(primitives);
  const size_t index = builder_.add("meshes", std::move(mesh));
  if (shared) rigid_meshes_[key] = index;
  return index;
}

void GlbScene::add_targets(const ExportNode& node, Json& mesh, Json& shape) {
  const Morph& morph = *node.morph;
  std::vector<Json> targets, weights, names;
  for (size_t k = 0; k < morph.targets.size(); ++k) {
    targets.push_back(target_of(node, morph.targets[k]));
    weights.push_back(double{morph.weights[k]});
    if (morph.unit <= 0) names.push_back(fmt::format("shape {}", k + 1));
  }
  shapes_ += static_cast<int>(targets.size());
  shape["targets"] = Json::array(std::move(targets));
  mesh["weights"] = Json::array(std::move(weights));
  if (!names.empty()) mesh["extras"] = Json::object({{"targetNames", Json::array(std::move(names))}});
}

/// The rest surface; or, for an item that has another shape all the time, that one.
Json GlbScene::attributes_of(const ExportNode& node) {
  Json attributes = Json::object();
  if (!node.baked.empty()) {
    attributes["POSITION"] = builder_.add_positions(node.baked);
    attributes["NORMAL"] = builder_.add_vec3(node.surface->shading.normals(node.baked, node.surface->mesh->triangles));
  } else {
    attributes["POSITION"] = rest_positions(node);
    attributes["NORMAL"] = rest_normals(node);
  }
  if (const auto uvs = topology_of(node).uvs) attributes["TEXCOORD_0"] = *uvs;
  std::vector<Vec3f> colors = node_colors(node);
  for (Vec3f& color : colors) color = color.cwiseMax(0.0f).cwiseMin(1.0f);
  if (!colors.empty()) attributes["COLOR_0"] = builder_.add_vec3(colors);
  return attributes;
}

float largest(const std::vector<Vec3f>& values) {
  float most = 0;
  for (const Vec3f& value : values) most = std::max(most, value.cwiseAbs().maxCoeff());
  return most;
}

std::vector<uint32_t> rows_of(const ShapeTarget& target) {
  return std::vector<uint32_t>(target.vertices.begin(), target.vertices.end());
}

Json GlbScene::target_of(const ExportNode& node, const MorphTarget& target) {
  const size_t count = node.surface->rest->size();
  const std::vector<uint32_t> moved = rows_of(target.moves), turned = rows_of(target.turns);
  if (node.morph->unit <= 0) {
    return Json::object({{"POSITION", builder_.add_position_moves(count, moved, target.moves.moves)}, {"NORMAL", builder_.add_moves(count, turned, target.turns.moves)}});
  }
  std::vector<Vec3f> units = target.moves.moves;
  for (Vec3f& move : units) move = (move.cast<double>() / node.morph->unit).array().round().matrix().cast<float>();
  const float most = largest(units);
  const GltfNumber number = most <= 127 ? kByte : most <= 32767 ? kShort : kFloat;
  const bool is_small = largest(target.turns.moves) <= 1;
  builder_.use_extension("KHR_mesh_quantization", true);
  return Json::object({{"POSITION", builder_.add_position_moves(count, moved, units, number)},
                       {"NORMAL", builder_.add_moves(count, turned, target.turns.moves, is_small ? kByte : kFloat, is_small)}});
}

void GlbScene::add_channel(size_t node, const char* path, const char* interpolation, const std::vector<float>& times, size_t values) {
  Json sampler = Json::object({{"input", builder_.add_times(times)}, {"output", values}});
  sampler["interpolation"] = interpolation;
  channels_.push_back(Json::object({{"sampler", samplers_.size()}, {"target", Json::object({{"node", node}, {"path", path}})}}));
  samplers_.push_back(std::move(sampler));
}

void GlbScene::add_shape_keys(const ExportNode& node, size_t index) {
  if (!node.morph) return;
  const size_t count = node.morph->targets.size();
  std::vector<float> times, weights;
  for (const ShapeTrack::Key& key : node.track->shapes.keys()) {
    times.push_back(time_of(key.frame));
    const auto row = node.morph->weights.begin() + static_cast<std::ptrdiff_t>(at(key.row) * count);
    weights.insert(weights.end(), row, row + static_cast<std::ptrdiff_t>(count));
  }
  add_channel(index, "weights", "LINEAR", times, node.morph->unit > 0 ? builder_.add_fractions(weights) : builder_.add_scalars(weights));
}

void GlbScene::add_place_keys(const PlaceKeys& node, size_t index) {
  const auto times_of = [&](const std::vector<int>& keys) {
    std::vector<float> times;
    for (const int key : keys) times.push_back(time_of(node.places[at(key)].frame));
    return times;
  };
  if (node.translations.size() > 1) {
    std::vector<Vec3f> values;
    for (const int key : node.translations) values.push_back(node.places[at(key)].translation);
    add_channel(index, "translation", "LINEAR", times_of(node.translations), builder_.add_vec3(values, GltfTarget::Other));
  }
  if (node.rotations.size() > 1) {
    std::vector<std::array<float, 4>> values;
    for (const int key : node.rotations) {
      const Eigen::Quaternionf& r = node.places[at(key)].rotation;
      values.push_back({r.x(), r.y(), r.z(), r.w()});
    }
    add_channel(index, "rotation", "LINEAR", times_of(node.rotations), builder_.add_vec4(values, GltfTarget::Other));
  }
}

/// A little before the frame: readers that count in frames round its time, and would switch one frame late.
float GlbScene::switch_time(int frame) const {
  constexpr double kEarly = 1e-3;  // of a frame
  if (frame == 0) return 0;
  const double now = tracks_.times()[at(frame)], before = tracks_.times()[at(frame - 1)];
  return static_cast<float>(now - kEarly * (now - before));
}

void GlbScene::add_visibility_keys(const ExportNode& node, size_t index) {
  const std::vector<ItemTrack::Switch>& switches = node.track->switches;
  if (switches.size() == 1 && switches[0].frame == 0) return;
  std::vector<float> times;
  std::vector<Vec3f> values;
  const auto add = [&](int frame, bool visible) {
    times.push_back(switch_time(frame));
    values.push_back(Vec3f::Constant(visible ? static_cast<float>(unit_of(node)) : 0.0f));
  };
  if (switches[0].frame > 0) add(0, false);
  for (const ItemTrack::Switch& change : switches) add(change.frame, change.visible);
  add_channel(index, "scale", "STEP", times, builder_.add_vec3(values, GltfTarget::Other));
}

void GlbScene::add_camera() {
  if (settings_.cameras.empty()) return;
  const double fov = std::clamp(settings_.cameras.front().fov_degrees, 1.0, 179.0) * std::numbers::pi / 180;
  Json lens = Json::object({{"aspectRatio", settings_.aspect}, {"yfov", fov}, {"znear", kNear}, {"zfar", kFar}});
  const size_t camera = builder_.add("cameras", Json::object({{"name", "camera"}, {"type", "perspective"}, {"perspective", std::move(lens)}}));
  PlaceTrack places;
  for (size_t f = 0; f < settings_.cameras.size(); ++f) places.add(static_cast<int>(f), settings_.cameras[f].place);
  Json json = Json::object({{"name", "camera"}, {"camera", camera}});
  set_place(places.samples().front(), json);
  const size_t index = builder_.add("nodes", std::move(json));
  nodes_.push_back(index);
  const auto translations = translation_keys(places.samples(), tracks_.times(), kCameraTolerance), rotations = rotation_keys(places.samples(), tracks_.times(), kCameraDegrees);
  add_place_keys({places.samples(), translations, rotations}, index);
}

/// Shines along -z of its node.
void GlbScene::add_sun() {
  if (!settings_.sun) return;
  constexpr double kLumens = 683;  // of a watt, as the format's readers take it
  const Vec3f& light = settings_.sun->irradiance;
  const float most = std::max(light.maxCoeff(), 1e-6f);
  Json sun = Json::object({{"name", "sun"}, {"type", "directional"}, {"intensity", kLumens * most}});
  sun["color"] = numbers({light.x() / most, light.y() / most, light.z() / most});
  builder_.json()["extensions"]["KHR_lights_punctual"]["lights"] = Json::array({std::move(sun)});
  builder_.use_extension("KHR_lights_punctual", false);
  PlaceTrack place;
  place.add(0, {Quat::FromTwoVectors(Vec3::UnitZ(), settings_.sun->toward).toRotationMatrix(), Vec3::Zero()});
  Json json = Json::object({{"name", "sun"}});
  json["extensions"]["KHR_lights_punctual"]["light"] = 0;
  set_place(place.samples().front(), json);
  nodes_.push_back(builder_.add("nodes", std::move(json)));
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

Result<ItemTracks> gather_tracks(const FrameSource& source, int count, const ExportSettings& settings) {
  ItemTracks tracks(settings);
  for (int index = 0; index < count; ++index) {
    auto frame = source(index);
    if (!frame) return frame.error();
    if (auto added = tracks.add(std::move(*frame)); !added) return added.error();
  }
  return tracks;
}

/// Nodes and bytes of a file.
struct GlbFile {
  std::vector<ExportNode> nodes;
  std::string bytes;
  ExportReport report;
};

Result<GlbFile> make_file(ItemTracks& tracks, const ExportSettings& settings, const NodeSettings& how) {
  GlbFile file;
  Result<std::vector<ExportNode>> nodes = make_nodes(tracks, settings, how);
  if (!nodes) return nodes.error();
  file.nodes = std::move(*nodes);
  GlbScene scene(tracks, settings);
  if (file.nodes.size() < tracks.tracks().size()) return file;
  for (const ExportNode& node : file.nodes) scene.add_node(node);
  scene.add_camera();
  scene.add_sun();
  file.report.shapes = scene.shapes();
  const GltfDocument document = std::move(scene).finish();
  file.report.nodes = static_cast<int>(file.nodes.size());
  file.report.meshes = static_cast<int>(gltf_count(document, "meshes"));
  file.report.scale = how.scale;
  file.report.compact = document.json.find("extensionsRequired") != nullptr;
  Result<std::string> bytes = write_glb(document);
  if (!bytes) return bytes.error();
  file.bytes = std::move(*bytes);
  return file;
}

/// Plain numbers for a file of moderate size, small ones for a large one, and coarser tolerances only to keep to a size that was asked for.
Result<GlbFile> make_fitting_file(ItemTracks& tracks, const ExportSettings& settings) {
  NodeSettings how;
  how.max_bytes = settings.max_bytes > 0 ? std::min(settings.max_bytes, kLargeFile) : kLargeFile;
  Result<GlbFile> file = make_file(tracks, settings, how);
  if (!file || (file->nodes.size() == tracks.tracks().size() && (file->bytes.size() <= how.max_bytes || file->report.shapes == 0))) return file;
  how.compact = true;
  how.max_bytes = 0;
  file = make_file(tracks, settings, how);
  for (int tries = 0; file && settings.max_bytes > 0 && file->bytes.size() > settings.max_bytes && file->report.shapes > 0 && tries < kMaxTries; ++tries) {
    how.scale *= kCoarser;
    file = make_file(tracks, settings, how);
  }
  return file;
}

}  // namespace

Result<ExportReport> export_glb(const FrameSource& given, int count, const ExportSettings& settings, const std::filesystem::path& file) {
  if (count < 1) return input_error(fmt::format("{}: there are no frames to export", file.string()));
  Result<ItemTracks> tracks = gather_tracks(given, count, settings);
  if (!tracks) return tracks.error();
  FrameSource source = given;
  SurfacePatches patches;
  if (tracks->has_changing_surfaces()) {
    Result<SurfacePatches> found = SurfacePatches::find(given, count);
    if (!found) return found.error();
    patches = std::move(*found);
    source = patches.divide(given);
    tracks = gather_tracks(source, count, settings);
    if (!tracks) return tracks.error();
  }
  Result<GlbFile> made = make_fitting_file(*tracks, settings);
  if (!made) return made.error();
  if (settings.max_bytes > 0 && made->bytes.size() > settings.max_bytes) {
    return input_error(fmt::format("--max-size: the file cannot be made smaller than {:.1f} MB, which surfaces and motion take", 1e-6 * static_cast<double>(made->bytes.size())));
  }
  const Result<Measured> measured = measure_nodes(made->nodes, *tracks, source, count);
  if (!measured) return measured.error();
  ExportReport report = made->report;
  report.frames = count;
  report.worst = measured->worst;
  report.worst_item = measured->item;
  report.worst_frame = measured->frame;
  report.bytes = made->bytes.size();
  if (auto written = write_file(file, made->bytes); !written) return written.error();
  return report;
}

}  // namespace crumple::io
