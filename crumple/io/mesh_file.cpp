#include "crumple/io/mesh_file.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "crumple/io/files.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/io/obj.h"
#include "crumple/io/ply.h"
#include "crumple/io/stl.h"

namespace crumple::io {
namespace {

template <Result<TriMesh> (*parse)(std::string_view, std::string_view)>
Result<TriMesh> read_with(const std::filesystem::path& file, std::vector<std::string>&) {
  const Result<std::string> bytes = read_file(file);
  if (!bytes) return bytes.error();
  return parse(*bytes, file.string());
}

Result<TriMesh> read_gltf_surface(const std::filesystem::path& file, std::vector<std::string>& lost) {
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return document.error();
  Result<GltfScene> scene = GltfScene::open(*document);
  if (!scene) return scene.error();
  Result<TriMesh> surface = gather_surface(*scene, Eigen::Affine3d::Identity());
  lost.insert(lost.end(), scene->lost().begin(), scene->lost().end());
  return surface;
}

Result<void> write_ply_file(const TriMesh& mesh, const std::filesystem::path& file) {
  return write_file(file, write_ply(mesh));
}

Result<void> write_glb_file(const TriMesh& mesh, const std::filesystem::path& file) {
  return write_gltf_surface(mesh, file);
}

/// A format with what it takes to use it; `write` may be missing.
struct Entry {
  Result<TriMesh> (*read)(const std::filesystem::path&, std::vector<std::string>& lost);
  Result<void> (*write)(const TriMesh&, const std::filesystem::path&);
};

constexpr MeshFormat kFormats[] = {
    {"Wavefront OBJ", ".obj", true, "text; positions, texture coordinates, normals, polygons; materials in a file beside it"},
    {"PLY", ".ply", true, "text or binary little endian; written binary, with vertex colours"},
    {"STL", ".stl", false, "text or binary; corners in one place become one vertex, except across creases"},
    {"binary glTF", ".glb", true, "all meshes of the scene in their rest shape, as one surface"},
    {"glTF", ".gltf", false, "the same with its buffer inside or in a file beside it"},
};
constexpr Entry kEntries[] = {
    {read_obj, write_obj_files},
    {read_with<parse_ply>, write_ply_file},
    {read_with<parse_stl>, nullptr},
    {read_gltf_surface, write_glb_file},
    {read_gltf_surface, nullptr},
};
static_assert(std::size(kFormats) == std::size(kEntries));

Result<const Entry*> entry_for(const std::filesystem::path& file, bool writing) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  std::string known;
  for (size_t i = 0; i < std::size(kFormats); ++i) {
    if (writing && !kFormats[i].writes) continue;
    if (kFormats[i].extension == extension) return &kEntries[i];
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kFormats[i].extension);
  }
  return input_error(fmt::format("{}: \"{}\" is no format of surfaces that can be {}; use one of {}", file.string(), extension,
                                 writing ? "written" : "read", known));
}

}  // namespace

std::span<const MeshFormat> mesh_formats() {
  return kFormats;
}

Result<TriMesh> read_model(const std::filesystem::path& file, std::vector<std::string>* lost) {
  const Result<const Entry*> entry = entry_for(file, false);
  if (!entry) return entry.error();
  std::vector<std::string> ignored;
  return (*entry)->read(file, lost ? *lost : ignored);
}

Result<TriMesh> read_mesh(const std::filesystem::path& file, std::vector<std::string>* lost) {
  Result<TriMesh> mesh = read_model(file, lost);
  if (!mesh) return mesh;
  for (size_t v = 0; v < mesh->positions.size(); ++v) {
    if (!mesh->positions[v].allFinite()) return input_error(fmt::format("{}: vertex {} is at no finite place; 'crumple doctor' removes it", file.string(), v));
  }
  return mesh;
}

Result<void> write_mesh(const TriMesh& mesh, const std::filesystem::path& file) {
  const Result<const Entry*> entry = entry_for(file, true);
  if (!entry) return entry.error();
  return (*entry)->write(mesh, file);
}

}  // namespace crumple::io
