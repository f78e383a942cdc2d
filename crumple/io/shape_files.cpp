#include "crumple/io/shape_files.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "crumple/geometry/mesh_topology.h"
#include "crumple/io/files.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/obj.h"

namespace crumple::io {
namespace {

namespace fs = std::filesystem;

constexpr double kTogether = 1e-6;  // of the diagonal: corners nearer to each other are in one place
constexpr double kMayTear = 0.1;    // of the corners: parts that only touch may part
constexpr double kSameEdges = 0.6;  // quads cut along their other diagonals keep four edges of five; other vertex numbers keep next to none

std::string extension_of(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return extension;
}

/// Every corner of every triangle as a vertex of its own, which is all that an STL file says.
TriMesh taken_apart(const TriMesh& mesh) {
  TriMesh apart;
  for (const Triangle& triangle : mesh.triangles) {
    const int first = static_cast<int>(apart.positions.size());
    for (const int v : triangle) apart.positions.push_back(mesh.positions[static_cast<size_t>(v)]);
    apart.triangles.push_back({first, first + 1, first + 2});
  }
  return apart;
}

/// A surface whose vertices are those of the file.
Result<TriMesh> read_as_listed(const fs::path& file) {
  const std::string extension = extension_of(file);
  if (extension == ".obj") {
    const Result<std::string> text = read_file(file);
    if (!text) return text.error();
    return parse_obj_vertices(*text, file.string());
  }
  Result<TriMesh> mesh = read_mesh(file);
  return mesh && extension == ".stl" ? taken_apart(*mesh) : std::move(mesh);
}

/// For each vertex that is drawn, the one listed in the file.
std::vector<int> listed_vertices(const TriMesh& drawn, const TriMesh& listed) {
  std::vector<int> vertex(drawn.positions.size(), 0);
  // Vertices that no triangle uses are there only if none was doubled.
  if (drawn.positions.size() == listed.positions.size()) std::iota(vertex.begin(), vertex.end(), 0);
  for (size_t t = 0; t < drawn.triangles.size(); ++t) {
    for (size_t k = 0; k < 3; ++k) vertex[static_cast<size_t>(drawn.triangles[t][k])] = listed.triangles[t][k];
  }
  return vertex;
}

std::vector<std::array<int, 2>> edges_of(const TriMesh& mesh) {
  std::vector<std::array<int, 2>> edges;
  for (const Triangle& t : mesh.triangles) {
    for (size_t k = 0; k < 3; ++k) edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Share of the rest shape's edges that an example has too.
double same_edges(const TriMesh& rest, const TriMesh& example) {
  const std::vector<std::array<int, 2>> wanted = edges_of(rest), found = edges_of(example);
  std::vector<std::array<int, 2>> both;
  std::set_intersection(wanted.begin(), wanted.end(), found.begin(), found.end(), std::back_inserter(both));
  return wanted.empty() ? 0 : static_cast<double>(both.size()) / static_cast<double>(wanted.size());
}

Result<void> compare(const TriMesh& rest, const fs::path& rest_file, const TriMesh& example, const fs::path& file,
                     std::vector<std::string>& warnings) {
  if (example.positions.size() != rest.positions.size()) {
    return input_error(fmt::format("{}: has {} vertices, but {} has {}: examples must keep the rest shape's vertices and their order", file.string(),
                                   example.positions.size(), rest_file.string(), rest.positions.size()));
  }
  if (example.triangles == rest.triangles) return {};
  const double same = same_edges(rest, example);
  if (same < kSameEdges) {
    return input_error(
        fmt::format("{}: its triangles join other vertices than those of {} ({:.0f} % of the edges are the same): the vertices were "
                    "renumbered; save both with \"keep vertex order\" and without changing the mesh",
                    file.string(), rest_file.string(), 100 * same));
  }
  if (same < 1) {
    warnings.push_back(
        fmt::format("{}: {:.0f} % of its edges differ from those of {}; it is taken to have the same vertices, cut into other triangles",
                    file.string(), 100 * (1 - same), rest_file.string()));
  }
  return {};
}

/// Where files list corners instead of vertices, those in one place at rest must nearly all be so in the example.
Result<void> check_whole(const TriMesh& rest, const TriMesh& example, const fs::path& file) {
  const std::vector<int> first =
      first_in_place(rest.positions, kTogether * bounds_of(rest.positions).diagonal(), std::vector<bool>(rest.positions.size(), false));
  const double near = 10 * kTogether * bounds_of(example.positions).diagonal();
  size_t torn = 0;
  for (size_t v = 0; v < first.size(); ++v) torn += (example.positions[v] - example.positions[static_cast<size_t>(first[v])]).norm() > near;
  if (static_cast<double>(torn) <= kMayTear * static_cast<double>(first.size())) return {};
  return input_error(
      fmt::format("{}: {:.0f} % of its corners are torn from their neighbours: its triangles come in another order than those of the rest "
                  "shape; use a format that keeps vertices, such as .obj",
                  file.string(), 100 * static_cast<double>(torn) / static_cast<double>(first.size())));
}

Result<ShapeSet> read_one_file(const fs::path& file, const ShapeSettings& settings) {
  const std::string extension = extension_of(file);
  if (extension != ".glb" && extension != ".gltf") {
    return input_error(
        fmt::format("{}: give the example shapes after the rest shape, or one .glb that holds them as shape keys or animations", file.string()));
  }
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return document.error();
  return read_gltf_shapes(*document, settings);
}

}  // namespace

Result<ShapeSet> read_shape_files(std::span<const fs::path> files, const ShapeSettings& settings) {
  if (files.empty()) return input_error("no files: give a rest shape and examples");
  if (files.size() == 1) return read_one_file(files[0], settings);
  if (files.size() - 1 > settings.most_shapes) {
    return input_error(fmt::format("{} examples are too many (at most {})", files.size() - 1, settings.most_shapes));
  }
  Result<TriMesh> drawn = read_mesh(files[0]);
  if (!drawn) return drawn.error();
  const Result<TriMesh> listed = read_as_listed(files[0]);
  if (!listed) return listed.error();
  const std::vector<int> vertex = listed_vertices(*drawn, *listed);
  ShapeSet set;
  for (const fs::path& file : files.subspan(1)) {
    const Result<TriMesh> example = read_as_listed(file);
    if (!example) return example.error();
    if (const Result<void> same = compare(*listed, files[0], *example, file, set.warnings); !same) return same.error();
    ShapeSet::Shape shape{file.stem().string(), {}};
    for (const int v : vertex) shape.positions.push_back(example->positions[static_cast<size_t>(v)]);
    if (extension_of(file) == ".stl") {
      if (const Result<void> whole = check_whole(*listed, *example, file); !whole) return whole.error();
    }
    set.shapes.push_back(std::move(shape));
  }
  set.rest = std::move(*drawn);
  return set;
}

}  // namespace crumple::io
