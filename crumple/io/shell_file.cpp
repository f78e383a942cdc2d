#include "crumple/io/shell_file.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "crumple/geometry/mesh_topology.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/obj.h"
#include "crumple/io/text_cursor.h"

namespace crumple::io {
namespace {

namespace fs = std::filesystem;

constexpr double kSamePlace = 1e-6;  // of the file's size
constexpr size_t kMaxShells = 10000;

/// A surface whose triangles belong to named groups; the empty name is none.
struct Grouped {
  TriMesh mesh;
  std::vector<std::string> names;
  std::vector<int> group;  // #triangles
};

/// The groups of an OBJ's triangles, in the order in which the reader makes them.
void add_groups(std::string_view text, std::string_view name, Grouped& grouped) {
  std::map<std::string, int> known;
  int current = known.try_emplace("", 0).first->second;
  grouped.names = {""};
  TextCursor cursor(text, name);
  while (!cursor.failed() && !cursor.at_end()) {
    const std::string_view keyword = cursor.word_in_line();
    if (keyword == "g" || keyword == "o") {
      std::string words;
      for (std::string_view word = cursor.word_in_line(); !word.empty(); word = cursor.word_in_line())
        words += (words.empty() ? "" : " ") + std::string(word);
      const auto [place, is_new] = known.try_emplace(words, static_cast<int>(grouped.names.size()));
      if (is_new) grouped.names.push_back(words);
      current = place->second;
    } else if (keyword == "f") {
      size_t corners = 0;
      while (!cursor.word_in_line().empty()) ++corners;
      if (corners > 2) grouped.group.insert(grouped.group.end(), corners - 2, current);
    }
    cursor.skip_line();
  }
}

Result<Grouped> read_obj(const fs::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  Result<TriMesh> mesh = parse_obj_vertices(*text, file.string());
  if (!mesh) return mesh.error();
  Grouped grouped;
  grouped.mesh = std::move(*mesh);
  add_groups(*text, file.string(), grouped);
  if (grouped.group.size() != grouped.mesh.triangles.size()) return input_error(fmt::format("{}: its groups cannot be told apart", file.string()));
  return grouped;
}

std::string name_of(const Json& item) {
  const Json* name = item.find("name");
  return name && name->is_text() ? name->text : "";
}

Result<Grouped> read_nodes(const fs::path& file) {
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return document.error();
  Result<GltfScene> scene = GltfScene::open(*document);
  if (!scene) return scene.error();
  Grouped grouped;
  std::map<std::string, int> known;
  const std::vector<Eigen::Affine3d> places = scene->places(scene->rest());
  for (size_t n = 0; n < scene->node_count(); ++n) {
    const Result<std::optional<size_t>> mesh = scene->reference(n, "mesh");
    if (!mesh) return mesh.error();
    if (!*mesh || !scene->shown(n)) continue;
    if (const Result<void> added = scene->append_mesh(**mesh, places[n], grouped.mesh); !added) return added.error();
    std::string name = name_of(scene->node(n));
    if (name.empty()) name = name_of(document->json.find("meshes")->items[**mesh]);
    const auto [place, is_new] = known.try_emplace(name, static_cast<int>(grouped.names.size()));
    if (is_new) grouped.names.push_back(name);
    grouped.group.resize(grouped.mesh.triangles.size(), place->second);
  }
  return grouped;
}

Result<Grouped> read_plain(const fs::path& file) {
  Result<TriMesh> mesh = read_mesh(file);
  if (!mesh) return mesh.error();
  return Grouped{*mesh, {""}, std::vector<int>(mesh->triangles.size(), 0)};
}

/// Triangles of a group that are joined over edges, numbered by the first of them. Where more than two meet, shells touch: there only triangles with
/// the same vertices, not only the same places, are of one shell.
std::vector<int> find_shells(const Grouped& grouped, const std::vector<int>& same, int& count) {
  struct Use {
    int group, low, high;  // places
    int first, second;     // vertices, the lower first
    int triangle;
    auto edge() const { return std::tie(group, low, high); }
    auto exactly() const { return std::tie(group, low, high, first, second, triangle); }
  };
  std::vector<Use> uses;
  const std::vector<Triangle>& triangles = grouped.mesh.triangles;
  for (size_t t = 0; t < triangles.size(); ++t) {
    for (size_t k = 0; k < 3; ++k) {
      const int a = triangles[t][k], b = triangles[t][(k + 1) % 3], p = same[static_cast<size_t>(a)], q = same[static_cast<size_t>(b)];
      uses.push_back({grouped.group[t], std::min(p, q), std::max(p, q), std::min(a, b), std::max(a, b), static_cast<int>(t)});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.exactly() < b.exactly(); });
  std::vector<int> parent(triangles.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](int i) {
    while (parent[static_cast<size_t>(i)] != i) i = parent[static_cast<size_t>(i)] = parent[static_cast<size_t>(parent[static_cast<size_t>(i)])];
    return i;
  };
  for (size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    while (end < uses.size() && uses[end].edge() == uses[begin].edge()) ++end;
    for (size_t i = begin + 1; i < end; ++i) {
      const bool joined = end - begin == 2 || (uses[i].first == uses[i - 1].first && uses[i].second == uses[i - 1].second);
      const int a = find(uses[i].triangle), b = find(uses[i - 1].triangle);
      if (joined) parent[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  std::vector<int> number(triangles.size(), -1), shells;
  count = 0;
  for (size_t t = 0; t < triangles.size(); ++t) {
    int& shell = number[static_cast<size_t>(find(static_cast<int>(t)))];
    if (shell < 0) shell = count++;
    shells.push_back(shell);
  }
  return shells;
}

/// Only the vertices it uses.
void add_triangle(const TriMesh& from, const Triangle& triangle, std::map<int, int>& copies, TriMesh& to) {
  Triangle copy;
  for (size_t k = 0; k < 3; ++k) {
    const auto [place, is_new] = copies.try_emplace(triangle[k], static_cast<int>(to.positions.size()));
    if (is_new) to.positions.push_back(from.positions[static_cast<size_t>(triangle[k])]);
    copy[k] = place->second;
  }
  to.triangles.push_back(copy);
}

}  // namespace

Result<ShellFile> read_shells(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  const Result<Grouped> grouped = extension == ".obj"                           ? read_obj(file)
                                  : extension == ".glb" || extension == ".gltf" ? read_nodes(file)
                                                                                : read_plain(file);
  if (!grouped) return grouped.error();
  if (grouped->mesh.triangles.empty()) return input_error(fmt::format("{}: there are no shells in it", file.string()));
  for (const Vec3& point : grouped->mesh.positions) {
    if (!point.allFinite()) return input_error(fmt::format("{}: a vertex is at no finite place", file.string()));
  }
  const double size = bounds_of(grouped->mesh.positions).diagonal();
  const std::vector<int> same = first_in_place(grouped->mesh.positions, kSamePlace * size, std::vector<bool>(grouped->mesh.positions.size(), false));
  int count = 0;
  const std::vector<int> shell_of = find_shells(*grouped, same, count);
  if (static_cast<size_t>(count) > kMaxShells)
    return input_error(fmt::format("{}: {} shells are too many (at most {})", file.string(), count, kMaxShells));

  ShellFile result;
  result.shells.resize(static_cast<size_t>(count)), result.labels.assign(static_cast<size_t>(count), -1);
  std::vector<std::map<int, int>> copies(static_cast<size_t>(count));
  std::map<int, int> label_of;  // of named groups
  for (size_t t = 0; t < shell_of.size(); ++t) {
    const auto shell = static_cast<size_t>(shell_of[t]);
    add_triangle(grouped->mesh, grouped->mesh.triangles[t], copies[shell], result.shells[shell]);
    int& label = result.labels[shell];
    if (label >= 0) continue;
    const std::string& name = grouped->names[static_cast<size_t>(grouped->group[t])];
    label = static_cast<int>(result.names.size());
    if (!name.empty()) label = label_of.try_emplace(grouped->group[t], label).first->second;
    if (label == static_cast<int>(result.names.size())) result.names.push_back(name.empty() ? fmt::format("shell {}", shell + 1) : name);
  }
  return result;
}

}  // namespace crumple::io
