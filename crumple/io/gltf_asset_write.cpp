#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/math/single.h"
#include "crumple/io/asset_check.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/gltf_certificate.h"
#include "crumple/io/gltf_flat.h"
#include "crumple/io/gltf_maps.h"
#include "crumple/io/gltf_materials.h"
#include "crumple/io/gltf_pieces.h"

namespace crumple::io {
namespace {

std::vector<Vec3f> to_float(const std::vector<Vec3>& points) {
  std::vector<Vec3f> result;
  result.reserve(points.size());
  for (const Vec3& point : points) result.push_back(point.cast<float>());
  return result;
}

void round_to_float(std::vector<Vec3>& points) {
  for (Vec3& point : points) point = to_single(point);
}

/// The four largest weights of each surface vertex: all that plain glTF viewers use.
struct FourWeights {
  std::vector<std::array<uint16_t, 4>> joints;
  std::vector<std::array<float, 4>> weights;
};

/// Weights of one surface vertex, blended from the tetrahedron it sits in.
void blend_weights(const Asset& asset, const Tetrahedron& tet, const std::array<float, 4>& corners, std::vector<float>& blended) {
  std::fill(blended.begin(), blended.end(), 0.0f);
  for (size_t k = 0; k < 4; ++k) {
    for (size_t h = 0; h < blended.size(); ++h) blended[h] += corners[k] * asset.weight(static_cast<size_t>(tet[k]), h);
  }
}

void append_four_largest(const std::vector<float>& blended, std::vector<size_t>& order, FourWeights& result) {
  const size_t kept = std::min<size_t>(4, blended.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(kept), order.end(),
                    [&](size_t a, size_t b) { return blended[a] != blended[b] ? blended[a] > blended[b] : a < b; });
  std::array<uint16_t, 4> joints{};
  std::array<float, 4> weights{};
  double sum = 0;
  for (size_t k = 0; k < kept; ++k) sum += std::max(blended[order[k]], 0.0f);
  for (size_t k = 0; k < kept; ++k) {
    const auto weight = static_cast<float>(std::max(blended[order[k]], 0.0f) / sum);
    if (!(weight > 0)) continue;  // unused places name joint 0
    joints[k] = static_cast<uint16_t>(order[k]);
    weights[k] = weight;
  }
  if (!(sum > 0)) weights[0] = 1;
  result.joints.push_back(joints);
  result.weights.push_back(weights);
}

FourWeights surface_weights(const Asset& asset) {
  if (asset.flat) {
    FourWeights result;
    std::vector<size_t> order(asset.handles.size());
    for (size_t v = 0; v < asset.surface.positions.size(); ++v) {
      append_four_largest(std::vector<float>(asset.weights.begin() + static_cast<ptrdiff_t>(v * order.size()), asset.weights.begin() + static_cast<ptrdiff_t>((v + 1) * order.size())), order, result);
    }
    return result;
  }
  const Embedding embedding = embed(asset.tets, asset.surface.positions);
  FourWeights result;
  std::vector<float> blended(asset.handles.size());
  std::vector<size_t> order(asset.handles.size());
  for (size_t i = 0; i < asset.surface.positions.size(); ++i) {
    blend_weights(asset, asset.tets.tets[static_cast<size_t>(embedding.tet[i])], embedding.weights[i], blended);
    append_four_largest(blended, order, result);
  }
  return result;
}

Json rounded_numbers(const Vec3& vector) {
  const Vec3f rounded = vector.cast<float>();
  return Json::array({double{rounded.x()}, double{rounded.y()}, double{rounded.z()}});
}

class AssetWriter {
 public:
  explicit AssetWriter(const Asset& asset) : asset_(asset), builder_("Crumple") {}

  Result<std::string> write() {
    add_joints();
    add_skin();
    add_mesh();
    add_animations();
    builder_.json()["scene"] = 0;
    builder_.add("scenes", Json::object({{"nodes", Json::array({root_, mesh_node_})}}));
    if (asset_.pieces) tetrahedra()["pieces"] = add_pieces(*asset_.pieces, materials_, builder_);
    GltfDocument document = std::move(builder_).finish();
    document.name = asset_.name;
    return write_glb(document);
  }

 private:
  size_t joint_node(size_t handle) const { return handle; }

  void add_joints() {
    Json children = Json::array();
    for (const Handle& handle : asset_.handles) {
      Json node = Json::object({{"name", handle.name}, {"translation", rounded_numbers(handle.position)}});
      children.push(builder_.add("nodes", std::move(node)));
    }
    root_ = builder_.add("nodes", Json::object({{"name", asset_.name + " handles"}, {"children", std::move(children)}}));
  }

  void add_skin() {
    std::vector<Eigen::Matrix4f> to_joint;
    Json joints = Json::array();
    for (size_t h = 0; h < asset_.handles.size(); ++h) {
      Eigen::Matrix4f matrix = Eigen::Matrix4f::Identity();
      matrix.topRightCorner<3, 1>() = -asset_.handles[h].position.cast<float>();
      to_joint.push_back(matrix);
      joints.push(joint_node(h));
    }
    const size_t matrices = builder_.add_matrices(to_joint);
    skin_ = builder_.add("skins", Json::object({{"inverseBindMatrices", matrices}, {"joints", std::move(joints)}}));
  }

  void add_mesh() {
    Json mesh = Json::object({{"name", asset_.name}, {"primitives", asset_.flat ? layer_primitives() : material_primitives()}});
    const std::string_view name = asset_.flat ? kFlatExtension : kTetrahedraExtension;
    mesh["extensions"] = Json::object({{std::string(name), asset_.flat ? add_flat(asset_, builder_) : add_tetrahedra()}});
    builder_.use_extension(name);
    const size_t index = builder_.add("meshes", std::move(mesh));
    mesh_node_ = builder_.add("nodes", Json::object({{"name", asset_.name}, {"mesh", index}, {"skin", skin_}}));
  }

  /// One for each material, with the vertices of its triangles: a reader gives each primitive vertices of its own, and shared ones would double.
  Json material_primitives() {
    const TriMesh& surface = asset_.surface;
    materials_ = surface.materials ? add_materials(*surface.materials, builder_) : std::vector<size_t>{add_material()};
    const std::vector<Vec3f> positions = to_float(surface.positions);
    const VertexData vertices{positions, surface.normals.empty() ? vertex_normals(positions, surface.triangles) : surface.normals, surface_weights(asset_)};
    Json primitives = Json::array();
    for (size_t m = 0; m < materials_.size(); ++m) {
      std::vector<Triangle> some;
      for (size_t t = 0; t < surface.triangles.size(); ++t) {
        if (at(surface.material_of(t)) != m) continue;
        some.push_back(surface.triangles[t]);
        groups_.push_back(static_cast<uint32_t>(surface.group_of(t)));
        if (!surface.rigid.empty()) rigid_.push_back(surface.rigid[t]);
      }
      if (some.empty()) continue;
      std::vector<int> used(surface.positions.size());
      std::iota(used.begin(), used.end(), 0);
      if (materials_.size() > 1) used = keep_used(some);
      Json attributes = add_attributes(vertices, used);
      primitives.push(Json::object({{"attributes", std::move(attributes)}, {"indices", builder_.add_triangles(some)}, {"material", materials_[m]}}));
    }
    return primitives;
  }

  /// The vertices of triangles, ascending; the triangles are numbered by them afterwards.
  std::vector<int> keep_used(std::vector<Triangle>& triangles) const {
    std::vector<int> number(asset_.surface.positions.size(), -1), used;
    for (const Triangle& t : triangles) {
      for (const int v : t) number[at(v)] = 0;
    }
    for (size_t v = 0; v < number.size(); ++v) {
      if (number[v] == 0) number[v] = static_cast<int>(used.size()), used.push_back(static_cast<int>(v));
    }
    for (Triangle& t : triangles) {
      for (int& v : t) v = number[at(v)];
    }
    return used;
  }

  /// One for each layer of a drawing, with its own vertices, a little in front of the one before.
  Json layer_primitives() {
    const TriMesh& surface = asset_.surface;
    const std::vector<size_t> numbers = surface.materials ? add_materials(*surface.materials, builder_) : std::vector<size_t>{add_material()};
    const FourWeights skin = surface_weights(asset_);
    Json primitives = Json::array();
    for (size_t l = 0, first = 0; l < asset_.flat->layers.size(); ++l) {
      size_t end = first;
      while (end < surface.positions.size() && at(asset_.flat->layer[end]) == l) ++end;
      std::vector<Vec3f> positions;
      for (size_t v = first; v < end; ++v) positions.push_back((surface.positions[v] + static_cast<double>(l) * layer_distance(asset_) * Vec3::UnitZ()).cast<float>());
      std::vector<Triangle> triangles;
      const int shift = static_cast<int>(first);
      for (const Triangle& t : surface.triangles) {
        if (at(asset_.flat->layer[at(t[0])]) == l) triangles.push_back({t[0] - shift, t[1] - shift, t[2] - shift});
      }
      Json attributes = Json::object({{"POSITION", builder_.add_positions(positions)}, {"NORMAL", builder_.add_vec3(std::vector<Vec3f>(positions.size(), Vec3f::UnitZ()))}});
      if (!surface.uvs.empty()) attributes["TEXCOORD_0"] = builder_.add_vec2(std::span(surface.uvs).subspan(first, end - first));
      attributes["JOINTS_0"] = builder_.add_joints(std::span(skin.joints).subspan(first, end - first));
      attributes["WEIGHTS_0"] = builder_.add_vec4(std::span(skin.weights).subspan(first, end - first));
      primitives.push(Json::object({{"attributes", std::move(attributes)}, {"indices", builder_.add_triangles(triangles)}, {"material", numbers[std::min(l, numbers.size() - 1)]}}));
      first = end;
    }
    return primitives;
  }

  /// The extension in the mesh that was added.
  Json& tetrahedra() { return builder_.json()["meshes"].items[0]["extensions"][kTetrahedraExtension]; }

  struct VertexData {
    std::vector<Vec3f> positions, normals;  // #vertices
    FourWeights skin;
  };

  Json add_attributes(const VertexData& vertices, const std::vector<int>& used) {
    const TriMesh& surface = asset_.surface;
    const auto of_used = [&]<class T>(const std::vector<T>& values) {
      std::vector<T> some;
      some.reserve(used.size());
      for (const int v : used) some.push_back(values[at(v)]);
      return some;
    };
    Json attributes = Json::object();
    attributes["POSITION"] = builder_.add_positions(of_used(vertices.positions));
    attributes["NORMAL"] = builder_.add_vec3(of_used(vertices.normals));
    if (!surface.uvs.empty()) attributes["TEXCOORD_0"] = builder_.add_vec2(of_used(surface.uvs));
    if (!surface.colors.empty()) attributes["COLOR_0"] = builder_.add_vec3(of_used(surface.colors));
    attributes["JOINTS_0"] = builder_.add_joints(of_used(vertices.skin.joints));
    attributes["WEIGHTS_0"] = builder_.add_vec4(of_used(vertices.skin.weights));
    std::vector<PaintedMap> maps;
    for (const PaintedMap& map : asset_.maps) maps.push_back({map.name, of_used(map.values)});
    add_maps(maps, builder_, attributes);
    return attributes;
  }

  size_t add_material() {
    const Vec3 color = asset_.color.cast<double>().cwiseMax(0).cwiseMin(1);
    Json values = Json::object({{"baseColorFactor", Json::array({color.x(), color.y(), color.z(), 1.0})},
                                {"metallicFactor", std::clamp(asset_.metal, 0.0, 1.0)},
                                {"roughnessFactor", std::clamp(asset_.roughness, 0.0, 1.0)}});
    return builder_.add("materials", Json::object({{"name", asset_.material.empty() ? asset_.name : asset_.material}, {"pbrMetallicRoughness", std::move(values)}}));
  }

  Json add_tetrahedra() {
    std::vector<uint32_t> corners;
    for (const Tetrahedron& tet : asset_.tets.tets) corners.insert(corners.end(), tet.begin(), tet.end());
    Json extension = Json::object();
    extension["positions"] = builder_.add_vec3(to_float(asset_.tets.positions), GltfTarget::Other);
    extension["indices"] = builder_.add_indices(corners, GltfTarget::Other);
    extension["weights"] = builder_.add_scalars(asset_.weights);
    extension["rest"] = asset_.examples[0].name;
    if (!asset_.surface.normals.empty()) extension["normals"] = "own";
    if (asset_.surface.groups) extension["groups"] = add_groups();
    if (!rigid_.empty()) extension["rigid"] = builder_.add_indices(rigid_, GltfTarget::Other);
    if (certificate_fits()) extension["certificate"] = add_certificate(*asset_.certificate, builder_);
    return extension;
  }

  /// Names of the artist's objects, and the object of each triangle in the order of the primitives.
  Json add_groups() {
    std::vector<Json> names(asset_.surface.groups->begin(), asset_.surface.groups->end());
    return Json::object({{"names", Json::array(std::move(names))}, {"triangles", builder_.add_indices(groups_, GltfTarget::Other)}});
  }

  /// One that speaks of other vertices or handles is left out: readers would refuse it.
  bool certificate_fits() const {
    return asset_.certificate && asset_.certificate->held.size() == asset_.handles.size() && asset_.certificate->raw.size() == asset_.weights.size();
  }

  /// One animation per example: rest at 0 s, the pose at 1 s.
  void add_animations() {
    if (asset_.examples.size() < 2) return;
    const std::array<float, 2> times = {0, 1};
    const size_t input = builder_.add_scalars(times);
    for (size_t e = 1; e < asset_.examples.size(); ++e) add_animation(asset_.examples[e], input);
  }

  void add_animation(const Example& example, size_t input) {
    Json channels = Json::array(), samplers = Json::array();
    auto add_channel = [&](size_t handle, const char* path, size_t output) {
      samplers.push(Json::object({{"input", input}, {"output", output}, {"interpolation", "LINEAR"}}));
      Json target = Json::object({{"node", joint_node(handle)}, {"path", path}});
      channels.push(Json::object({{"sampler", samplers.items.size() - 1}, {"target", std::move(target)}}));
    };
    for (size_t h = 0; h < example.handles.size(); ++h) {
      const HandleTransform& pose = example.handles[h];
      const Vec3 rest = asset_.handles[h].position;
      const std::array<Vec3f, 2> translations = {rest.cast<float>(), (pose.rotation * (pose.stretch * rest) + pose.translation).cast<float>()};
      const Eigen::Vector4f turn = pose.rotation.coeffs().cast<float>();  // x y z w, as glTF wants it
      const std::array<std::array<float, 4>, 2> rotations = {{{0, 0, 0, 1}, {turn[0], turn[1], turn[2], turn[3]}}};
      add_channel(h, "translation", builder_.add_vec3(translations, GltfTarget::Other));
      add_channel(h, "rotation", builder_.add_vec4(rotations, GltfTarget::Other));
    }
    builder_.add("animations", Json::object({{"name", example.name}, {"channels", std::move(channels)}, {"samplers", std::move(samplers)}}));
  }

  const Asset& asset_;
  GltfBuilder builder_;
  size_t root_ = 0, mesh_node_ = 0, skin_ = 0;
  std::vector<size_t> materials_;  // of the surface: their numbers in the document
  std::vector<uint32_t> groups_, rigid_;  // #triangles, in the order of the primitives
};

}  // namespace

Result<std::string> asset_to_glb(const Asset& asset) {
  // What is checked is what a reader will see: after rounding, the thinnest tetrahedra may have become flat.
  Asset rounded = asset;
  std::vector<PieceSurface> no_pieces;
  round_to_float(rounded.tets.positions);
  round_to_float(rounded.surface.positions);
  for (PieceSurface& piece : rounded.pieces ? rounded.pieces->surfaces : no_pieces) round_to_float(piece.skin.positions), round_to_float(piece.cut.positions);
  for (Handle& handle : rounded.handles) handle.position = to_single(handle.position);
  if (const Result<void> fine = check_asset(rounded, asset.name); !fine) return fine.error();
  return AssetWriter(rounded).write();
}

Result<void> write_asset(const Asset& asset, const std::filesystem::path& file) {
  const Result<std::string> bytes = asset_to_glb(asset);
  if (!bytes) return Error{bytes.error().kind, fmt::format("{}: cannot be written: {}", file.string(), bytes.error().text)};
  return write_file(file, *bytes);
}

}  // namespace crumple::io
