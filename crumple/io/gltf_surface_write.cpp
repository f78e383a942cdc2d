#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/shading.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_materials.h"
#include "crumple/io/gltf_scene.h"

namespace crumple::io {
namespace {

Json primitive_of(const TriMesh& part, const std::vector<Vec2f>& second_uvs, GltfBuilder& builder) {
  std::vector<Vec3f> positions;
  for (const Vec3& p : part.positions) positions.push_back(p.cast<float>());
  Json attributes = Json::object({{"POSITION", builder.add_positions(positions)}});
  attributes["NORMAL"] = builder.add_vec3(part.normals.empty() ? Shading(part).normals(positions, part.triangles) : part.normals);
  // The format wants a first set before a second.
  if (!part.uvs.empty() || !second_uvs.empty()) attributes["TEXCOORD_0"] = builder.add_vec2(part.uvs.empty() ? std::vector<Vec2f>(part.positions.size(), Vec2f::Zero()) : part.uvs);
  if (!second_uvs.empty()) attributes["TEXCOORD_1"] = builder.add_vec2(second_uvs);
  if (!part.colors.empty()) attributes["COLOR_0"] = builder.add_vec3(part.colors);
  return Json::object({{"attributes", std::move(attributes)}, {"indices", builder.add_triangles(part.triangles)}});
}

}  // namespace

Result<void> write_gltf_surface(const TriMesh& surface, const std::filesystem::path& file, std::span<const Vec2f> second_uvs) {
  GltfBuilder builder("Crumple");
  const std::vector<size_t> numbers = surface.materials ? add_materials(*surface.materials, builder) : std::vector<size_t>();
  const std::vector<std::string> groups = surface.groups ? *surface.groups : std::vector<std::string>{file.stem().string()};
  const size_t materials = std::max<size_t>(1, numbers.size());
  std::vector<std::vector<int>> parts(groups.size() * materials);  // triangles of each group and material
  for (size_t t = 0; t < surface.triangles.size(); ++t) parts[at(surface.group_of(t)) * materials + at(surface.material_of(t))].push_back(static_cast<int>(t));
  Json nodes = Json::array();
  for (size_t g = 0; g < groups.size(); ++g) {
    Json primitives = Json::array();
    for (size_t m = 0; m < materials; ++m) {
      const std::vector<int>& triangles = parts[g * materials + m];
      if (triangles.empty()) continue;
      std::vector<int> vertices;
      const TriMesh part = part_of(surface, triangles, &vertices);
      std::vector<Vec2f> uvs;
      for (size_t k = 0; k < vertices.size() && !second_uvs.empty(); ++k) uvs.push_back(second_uvs[at(vertices[k])]);
      Json primitive = primitive_of(part, uvs, builder);
      if (!numbers.empty()) primitive["material"] = numbers[m];
      primitives.push(std::move(primitive));
    }
    if (primitives.items.empty()) continue;
    const size_t mesh = builder.add("meshes", Json::object({{"name", groups[g]}, {"primitives", std::move(primitives)}}));
    nodes.push(builder.add("nodes", Json::object({{"name", groups[g]}, {"mesh", mesh}})));
  }
  builder.add("scenes", Json::object({{"nodes", std::move(nodes)}}));
  builder.json()["scene"] = 0;
  GltfDocument document = std::move(builder).finish();
  document.name = file.string();
  const Result<std::string> bytes = write_glb(document);
  if (!bytes) return bytes.error();
  return write_file(file, *bytes);
}

}  // namespace crumple::io
