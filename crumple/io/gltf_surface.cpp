#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/io/gltf_materials.h"
#include "crumple/io/gltf_scene.h"

namespace crumple::io {
namespace {

constexpr uint16_t kNoMaterial = 65535;
constexpr size_t kMaxVertices = size_t{1} << 24;
constexpr size_t kLongestPath = 400;  // letters of a group's name

/// How a texture lies on a surface: the set of coordinates, and what KHR_texture_transform does to them.
struct UvUse {
  size_t set = 0;
  Eigen::Affine2f transform = Eigen::Affine2f::Identity();
  bool operator==(const UvUse& other) const { return set == other.set && transform.matrix() == other.transform.matrix(); }
};

Vec2f two_numbers(const Json* list, const Vec2f& otherwise) {
  if (!list || list->items.size() != 2 || !list->items[0].is_number() || !list->items[1].is_number()) return otherwise;
  const Vec2f value(static_cast<float>(list->items[0].number), static_cast<float>(list->items[1].number));
  return value.allFinite() ? value : otherwise;
}

UvUse uv_use(const Json& texture) {
  UvUse use;
  use.set = static_cast<size_t>(std::clamp(texture.whole("texCoord", 0), 0, 7));
  const Json* extensions = texture.find("extensions");
  const Json* transform = extensions ? extensions->find("KHR_texture_transform") : nullptr;
  if (!transform) return use;
  use.set = static_cast<size_t>(std::clamp(transform->whole("texCoord", static_cast<int>(use.set)), 0, 7));
  const Json* turn = transform->find("rotation");
  const float angle = turn && turn->is_number() && std::isfinite(turn->number) ? static_cast<float>(turn->number) : 0.0f;
  const Vec2f offset = two_numbers(transform->find("offset"), Vec2f::Zero()), scale = two_numbers(transform->find("scale"), Vec2f::Ones());
  use.transform = Eigen::Translation2f(offset) * Eigen::Rotation2Df(-angle) * Eigen::Scaling(scale.x(), scale.y());
  return use;
}

/// Textures of a material, the one of its colour first.
std::vector<std::pair<std::string, const Json*>> textures_of(const Json& material) {
  std::vector<std::pair<std::string, const Json*>> textures;
  const auto add = [&](const Json* owner, const char* key) {
    if (const Json* texture = owner ? owner->find(key) : nullptr) textures.emplace_back(key, texture);
  };
  const Json* values = material.find("pbrMetallicRoughness");
  add(values, "baseColorTexture");
  add(values, "metallicRoughnessTexture");
  for (const char* key : {"normalTexture", "emissiveTexture", "occlusionTexture"}) add(&material, key);
  return textures;
}

std::string name_of(const Json& item, const std::string& otherwise) {
  const Json* name = item.find("name");
  return name && name->is_text() && !name->text.empty() ? name->text : otherwise;
}

}  // namespace

Result<void> GltfScene::append_mesh(size_t index, const Eigen::Affine3d& place, TriMesh& surface) {
  const Result<const Json*> mesh = gltf_item(document_, "meshes", index, "a node");
  if (!mesh) return mesh.error();
  const Json* primitives = (*mesh)->find("primitives");
  for (size_t p = 0; primitives && p < primitives->items.size(); ++p) {
    const std::string where = fmt::format("/meshes/{}/primitives/{}", index, p);
    if (const Result<void> added = append_primitive(primitives->items[p], where, place, surface); !added) return added.error();
  }
  return {};
}

Result<void> GltfScene::append_primitive(size_t index, size_t primitive, const Eigen::Affine3d& place, TriMesh& surface) {
  const Result<const Json*> mesh = gltf_item(document_, "meshes", index, "the file");
  if (!mesh) return mesh.error();
  const Json* primitives = (*mesh)->find("primitives");
  const size_t count = primitives ? primitives->items.size() : 0;
  if (primitive >= count) return input_error(fmt::format("{}: /meshes/{}: has no primitive {}; it has {}", document_.name, index, primitive, count));
  return append_primitive(primitives->items[primitive], fmt::format("/meshes/{}/primitives/{}", index, primitive), place, surface);
}

Result<void> GltfScene::append_primitive(const Json& primitive, const std::string& where, const Eigen::Affine3d& place, TriMesh& surface) {
  const Json* mode = primitive.find("mode");
  if (mode && mode->number < 4) return {};  // points and lines
  if (mode && mode->number != 4)
    return input_error(fmt::format("{}: {}: strips and fans cannot be read; save plain triangles", document_.name, where));
  const Json* attributes = primitive.find("attributes");
  if (!attributes || !attributes->is_object()) return input_error(fmt::format("{}: {}: has no attributes", document_.name, where));
  const Result<size_t> accessor = gltf_index(document_, *attributes, "POSITION", where + "/attributes");
  if (!accessor) return accessor.error();
  const Result<std::vector<float>> positions = floats(*accessor, 3);
  if (!positions) return positions.error();
  const size_t count = positions->size() / 3, first = surface.positions.size();
  const Result<std::vector<uint32_t>> corners = triangle_corners(primitive, where, count);
  if (!corners) return corners.error();
  if (first + count > kMaxVertices || surface.triangles.size() + corners->size() / 3 > kMaxVertices) {
    return input_error(fmt::format("{}: its surface has more than {} million vertices or triangles", document_.name, kMaxVertices >> 20));
  }
  for (size_t i = 0; i < count; ++i) {
    surface.positions.push_back(place * Vec3f(Eigen::Map<const Vec3f>(positions->data() + 3 * i)).cast<double>());
  }
  const bool mirrored = place.linear().determinant() < 0;
  for (size_t c = 0; c + 2 < corners->size(); c += 3) {
    Triangle triangle;
    for (size_t k = 0; k < 3; ++k) triangle[k] = static_cast<int>(first + (*corners)[c + k]);
    if (mirrored) std::swap(triangle[1], triangle[2]);
    surface.triangles.push_back(triangle);
  }
  uint16_t material = kNoMaterial;
  if (primitive.find("material")) {
    const Result<size_t> index = gltf_index(document_, primitive, "material", where);
    if (!index) return index.error();
    if (const Result<const Json*> item = gltf_item(document_, "materials", *index, where); !item) return item.error();
    material = static_cast<uint16_t>(std::min<size_t>(*index, kNoMaterial));
  }
  surface.material.resize(surface.triangles.size(), material);
  return append_attributes(primitive, where, place, first, surface);
}

Result<std::vector<uint32_t>> GltfScene::triangle_corners(const Json& primitive, const std::string& where, size_t vertices) {
  std::vector<uint32_t> corners;
  if (primitive.find("indices")) {
    const Result<size_t> accessor = gltf_index(document_, primitive, "indices", where);
    if (!accessor) return accessor.error();
    Result<std::vector<uint32_t>> read = indices(*accessor);
    if (!read) return read.error();
    corners = std::move(*read);
  } else {
    for (uint32_t v = 0; v < vertices; ++v) corners.push_back(v);
  }
  if (corners.size() % 3 != 0)
    return input_error(fmt::format("{}: {}: {} corners do not make whole triangles", document_.name, where, corners.size()));
  for (const uint32_t corner : corners) {
    if (corner >= vertices) return input_error(fmt::format("{}: {}: asks for vertex {}, but there are {}", document_.name, where, corner, vertices));
  }
  return corners;
}

Result<std::optional<std::vector<float>>> GltfScene::attribute(const Json& attributes, std::string_view key, int components, const std::string& where, size_t vertices) {
  if (!attributes.find(key)) return std::optional<std::vector<float>>();
  const Result<size_t> accessor = gltf_index(document_, attributes, key, where + "/attributes");
  if (!accessor) return accessor.error();
  Result<std::vector<float>> values = floats(*accessor, components);
  if (!values) return values.error();
  if (values->size() / static_cast<size_t>(components) != vertices) return input_error(fmt::format("{}: {}: {} does not match the number of vertices", document_.name, where, key));
  return std::optional(std::move(*values));
}

/// Texture coordinates, colours and normals. If only some primitives have them, the others get plain ones; normals are made for them at the end.
Result<void> GltfScene::append_attributes(const Json& primitive, const std::string& where, const Eigen::Affine3d& place, size_t first, TriMesh& surface) {
  const size_t all = surface.positions.size(), count = all - first;
  if (!surface.uvs.empty()) surface.uvs.resize(all, Vec2f::Zero());
  if (!surface.colors.empty()) surface.colors.resize(all, Vec3f::Ones());
  if (!surface.normals.empty()) surface.normals.resize(all, Vec3f::Zero());
  const Json& attributes = *primitive.find("attributes");
  if (const Result<void> done = append_uvs(primitive, where, first, surface); !done) return done;
  if (attributes.find("COLOR_0")) {
    const Result<size_t> accessor = gltf_index(document_, attributes, "COLOR_0", where + "/attributes");
    if (!accessor) return accessor.error();
    const Result<const Json*> item = gltf_item(document_, "accessors", *accessor, where);
    if (!item) return item.error();
    const Json* type = (*item)->find("type");
    const size_t width = type && type->text == "VEC4" ? 4 : 3;
    const Result<std::optional<std::vector<float>>> colors = attribute(attributes, "COLOR_0", static_cast<int>(width), where, count);
    if (!colors) return colors.error();
    surface.colors.resize(all, Vec3f::Ones());
    for (size_t i = 0; i < count; ++i) {
      surface.colors[first + i] = Eigen::Map<const Vec3f>((*colors)->data() + width * i);
      if (width == 4 && (**colors)[4 * i + 3] < 0.999f) note_lost("transparency of vertex colours");
    }
  }
  const Result<std::optional<std::vector<float>>> normals = attribute(attributes, "NORMAL", 3, where, count);
  if (!normals) return normals.error();
  if (*normals) {
    const Mat3 turn = place.linear().inverse().transpose();
    surface.normals.resize(all, Vec3f::Zero());
    for (size_t i = 0; i < count; ++i) {
      const Vec3 normal = turn * Vec3f(Eigen::Map<const Vec3f>((*normals)->data() + 3 * i)).cast<double>();
      if (normal.allFinite()) surface.normals[first + i] = normal.stableNormalized().cast<float>();
    }
  }
  return {};
}

/// The set of the colour's texture, with its transform applied. Other textures that lie otherwise are named as lost.
Result<void> GltfScene::append_uvs(const Json& primitive, const std::string& where, size_t first, TriMesh& surface) {
  UvUse use;
  if (const Json* number = primitive.find("material"); number && number->number < static_cast<double>(gltf_count(document_, "materials"))) {
    const Json& material = document_.json.find("materials")->items[static_cast<size_t>(number->number)];
    const auto textures = textures_of(material);
    if (!textures.empty()) use = uv_use(*textures.front().second);
    for (const auto& [key, texture] : textures) {
      if (!(uv_use(*texture) == use)) note_lost(fmt::format("texture coordinates of {} of material \"{}\", which differ from those of its {}", key, name_of(material, "?"), textures.front().first));
    }
  }
  const Json& attributes = *primitive.find("attributes");
  const size_t all = surface.positions.size();
  const std::string key = fmt::format("TEXCOORD_{}", attributes.find(fmt::format("TEXCOORD_{}", use.set)) ? use.set : 0);
  const Result<std::optional<std::vector<float>>> uvs = attribute(attributes, key, 2, where, all - first);
  if (!uvs) return uvs.error();
  if (!*uvs) return {};
  surface.uvs.resize(all, Vec2f::Zero());
  for (size_t i = first; i < all; ++i) surface.uvs[i] = use.transform * Vec2f(Eigen::Map<const Vec2f>((*uvs)->data() + 2 * (i - first)));
  return {};
}

void GltfScene::note_lost(std::string what) {
  if (std::ranges::find(lost_, what) == lost_.end()) lost_.push_back(std::move(what));
}

namespace {

/// Vertices without a normal, of primitives that have none, get that of their faces.
void complete_normals(TriMesh& surface) {
  const auto is_missing = [](const Vec3f& n) { return n.norm() < 1e-6f; };
  if (std::ranges::none_of(surface.normals, is_missing)) return;
  std::vector<Vec3f> positions;
  for (const Vec3& p : surface.positions) positions.push_back(p.cast<float>());
  const std::vector<Vec3f> faces = vertex_normals(positions, surface.triangles);
  for (size_t v = 0; v < faces.size(); ++v) {
    if (is_missing(surface.normals[v])) surface.normals[v] = is_missing(faces[v]) ? Vec3f(Vec3f::UnitY()) : faces[v];
  }
}

}  // namespace

Result<TriMesh> gather_surface(GltfScene& scene, const Eigen::Affine3d& skinned_place, std::vector<int>* material_numbers) {
  TriMesh surface;
  std::vector<std::string> groups;
  const std::vector<Eigen::Affine3d> places = scene.places(scene.rest());
  for (size_t n = 0; n < scene.node_count(); ++n) {
    const Result<std::optional<size_t>> mesh = scene.reference(n, "mesh");
    if (!mesh) return mesh.error();
    if (!*mesh || !scene.shown(n)) continue;
    const bool skinned = scene.node(n).find("skin") != nullptr;
    if (const Result<void> added = scene.append_mesh(**mesh, skinned ? skinned_place : places[n], surface); !added) return added.error();
    surface.group.resize(surface.triangles.size(), static_cast<uint16_t>(std::min<size_t>(groups.size(), 65535)));
    groups.push_back(node_path(scene, n));
  }
  if (surface.triangles.empty()) return input_error(fmt::format("{}: there are no triangles in its scene", scene.document().name));
  if (const Result<void> done = finish_surface(scene, std::move(groups), surface, material_numbers); !done) return done.error();
  return surface;
}

std::string node_path(const GltfScene& scene, size_t node) {
  std::string path = name_of(scene.node(node), fmt::format("node {}", node));
  for (int parent = scene.parent(node); parent >= 0 && path.size() < kLongestPath; parent = scene.parent(static_cast<size_t>(parent))) {
    const std::string name = name_of(scene.node(static_cast<size_t>(parent)), "");
    if (!name.empty()) path = name + "/" + path;
  }
  return path;
}

Result<void> finish_surface(GltfScene& scene, std::vector<std::string> groups, TriMesh& surface, std::vector<int>* material_numbers) {
  if (groups.size() > 65535) groups.resize(65536, "others");
  surface.groups = std::make_shared<const std::vector<std::string>>(std::move(groups));
  complete_normals(surface);
  std::vector<std::string> lost;
  const Result<Materials> materials = read_materials(scene.document(), &lost);
  if (!materials) return materials.error();
  for (std::string& what : lost) scene.note_lost(std::move(what));
  const std::vector<int> numbers = attach_materials(*materials, surface);
  if (material_numbers) *material_numbers = numbers;
  return {};
}

}  // namespace crumple::io
