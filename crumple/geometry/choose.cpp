#include "crumple/geometry/choose.h"

#include <algorithm>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/pattern.h"
#include "crumple/core/suggest.h"

namespace crumple {
namespace {

constexpr double kFar = 5;        // times the size of everything else
constexpr double kMaxShare = 0.5;  // of the triangles: more are the model itself
constexpr size_t kNamesListed = 12;

/// Names by number, and whether a triangle has them.
std::vector<std::string> used_names(const std::vector<std::string>& names, const std::vector<uint16_t>& numbers) {
  std::vector<bool> used(names.size(), numbers.empty());
  for (const uint16_t number : numbers) {
    if (number < used.size()) used[number] = true;
  }
  std::vector<std::string> kept;
  for (size_t i = 0; i < names.size(); ++i) {
    if (used[i]) kept.push_back(names[i]);
  }
  return kept;
}

std::vector<std::string> material_names(const TriMesh& mesh) {
  std::vector<std::string> names;
  for (size_t m = 0; mesh.materials && m < mesh.materials->size(); ++m) names.push_back((*mesh.materials)[m].name);
  return names;
}

Error no_match(const std::string& pattern, const TriMesh& mesh, std::string_view option) {
  const std::vector<std::string> names = part_names(mesh);
  if (names.empty()) return input_error(fmt::format("{} \"{}\": the model has no names of objects or materials", option, pattern));
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kNamesListed); ++i) list += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kNamesListed) list += fmt::format(" and {} more", names.size() - kNamesListed);
  return input_error(fmt::format("{} \"{}\": matches no object or material{}; there are {}", option, pattern, suggestion(pattern, names), list));
}

}  // namespace

std::vector<std::string> part_names(const TriMesh& mesh) {
  std::vector<std::string> names = mesh.groups ? used_names(*mesh.groups, mesh.group) : std::vector<std::string>();
  for (std::string& name : used_names(material_names(mesh), mesh.material)) names.push_back(std::move(name));
  std::erase(names, "");
  return names;
}

Result<std::vector<bool>> matching_triangles(const TriMesh& mesh, std::span<const std::string> patterns, std::string_view option) {
  std::vector<bool> matching(mesh.triangles.size(), false);
  const std::vector<std::string> groups = mesh.groups ? *mesh.groups : std::vector<std::string>(), materials = material_names(mesh);
  for (const std::string& pattern : patterns) {
    const auto numbers = [&](const std::vector<std::string>& names) {
      std::vector<bool> found;
      for (const std::string& name : names) found.push_back(!name.empty() && matches_pattern(pattern, name));
      return found;
    };
    const std::vector<bool> in_groups = numbers(groups), in_materials = numbers(materials);
    bool any = false;
    for (size_t t = 0; t < matching.size(); ++t) {
      const bool meets = (!in_groups.empty() && in_groups[at(mesh.group_of(t))]) || (!in_materials.empty() && in_materials[at(mesh.material_of(t))]);
      matching[t] = matching[t] || meets;
      any = any || meets;
    }
    if (!any) return no_match(pattern, mesh, option);
  }
  return matching;
}

std::vector<FarGroup> far_groups(const TriMesh& mesh) {
  std::vector<FarGroup> far;
  if (!mesh.groups || mesh.groups->size() < 2) return far;
  std::vector<Bounds> bounds(mesh.groups->size());
  std::vector<size_t> triangles(mesh.groups->size(), 0);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    ++triangles[at(mesh.group_of(t))];
    for (const int v : mesh.triangles[t]) {
      if (mesh.positions[at(v)].allFinite()) bounds[at(mesh.group_of(t))].add(mesh.positions[at(v)]);
    }
  }
  const auto all_but = [&](size_t left_out) {
    Bounds all;
    for (size_t g = 0; g < bounds.size(); ++g) {
      if (g != left_out && !bounds[g].empty()) all.add(bounds[g].low), all.add(bounds[g].high);
    }
    return all;
  };
  const double size = all_but(bounds.size()).diagonal();
  for (size_t g = 0; g < bounds.size(); ++g) {
    const double others = all_but(g).diagonal();
    const bool is_small_part = static_cast<double>(triangles[g]) < kMaxShare * static_cast<double>(mesh.triangles.size());
    if (others > 0 && size > kFar * others && is_small_part) far.push_back({(*mesh.groups)[g], size, others});
  }
  return far;
}

}  // namespace crumple
