#include "assets/generator/models.h"

#include "crumple/io/files.h"
#include "crumple/io/gltf.h"

#include <string>
#include <vector>

namespace crumple::generator {
namespace {

constexpr Model kModels[] = {
    {"bar", [] { return Result<TriMesh>(bar_model()); }, 0.5},
    {"plate", [] { return Result<TriMesh>(plate_model()); }, 0.5},
    {"shell", shell_model, 0.5},
    {"heart", heart_model, 0.2},
    {"figure", figure_model, 0.8},
    {"bird", bird_model, 0.5},
    {"hare", hare_model, 0.5},
    {"cheese", cheese_model, 0.5},
    {"jack", [] { return Result<TriMesh>(jack_model()); }, 0.35},
    {"sign", [] { return Result<TriMesh>(sign_model()); }, 0.4},
    {"cage", [] { return Result<TriMesh>(cage_model()); }, 0.7},
    {"mannequin", mannequin_model, 0.45},
};

size_t add_mesh(const Model& model, const TriMesh& mesh, io::GltfBuilder& builder) {
  std::vector<Vec3f> positions;
  for (const Vec3& p : mesh.positions) positions.push_back(p.cast<float>());
  Json attributes =
      Json::object({{"POSITION", builder.add_positions(positions)}, {"NORMAL", builder.add_vec3(vertex_normals(positions, mesh.triangles))}});
  if (!mesh.colors.empty()) attributes["COLOR_0"] = builder.add_vec3(mesh.colors);
  const Json surface = Json::object({{"metallicFactor", 0.0}, {"roughnessFactor", model.roughness}});
  const size_t material = builder.add("materials", Json::object({{"pbrMetallicRoughness", surface}}));
  const Json primitive = Json::object({{"attributes", attributes}, {"indices", builder.add_triangles(mesh.triangles)}, {"material", material}});
  return builder.add("meshes", Json::object({{"name", std::string(model.name)}, {"primitives", Json::array({primitive})}}));
}

}  // namespace

std::span<const Model> models() {
  return kModels;
}

Result<void> write_model(const Model& model, const std::filesystem::path& folder) {
  const Result<TriMesh> made = model.make();
  if (!made) return made.error();
  io::GltfBuilder builder("crumple-assets");
  const size_t node = builder.add("nodes", Json::object({{"name", std::string(model.name)}, {"mesh", add_mesh(model, *made, builder)}}));
  builder.add("scenes", Json::object({{"nodes", Json::array({node})}}));
  builder.json()["scene"] = 0;
  const Result<std::string> bytes = io::write_glb(std::move(builder).finish());
  if (!bytes) return bytes.error();
  return io::write_file(folder / (std::string(model.name) + ".glb"), *bytes);
}

}  // namespace crumple::generator
