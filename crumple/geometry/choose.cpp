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

/// Half of the vertices lie beyond it along each axis: helpers far away do not move it.
Vec3 middle_of(const std::vector<Vec3>& points) {
  Vec3 middle = Vec3::Zero();
  std::vector<double> values;
  for (int axis = 0; axis < 3; ++axis) {
    values.clear();
    for (const Vec3& p : points) {
      if (p.allFinite()) values.push_back(p[axis]);
    }
    if (values.empty()) return middle;
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    middle[axis] = *half;
  }
  return middle;
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

/// Of the names that `number_of` gives triangles, those that lie far out.
template <class NumberOf>
static std::vector<FarGroup> far_of(const TriMesh& mesh, const std::vector<std::string>& names, const NumberOf& number_of) {
  struct Reach {
    size_t name = 0, triangles = 0;
    double farthest = 0;  // from the middle of the vertices
    Bounds bounds;
  };
  std::vector<Reach> reaches(names.size());
  for (size_t g = 0; g < names.size(); ++g) reaches[g].name = g;
  const Vec3 middle = middle_of(mesh.positions);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    Reach& reach = reaches[at(number_of(t))];
    ++reach.triangles;
    for (const int v : mesh.triangles[t]) {
      const Vec3& p = mesh.positions[at(v)];
      if (p.allFinite()) reach.bounds.add(p), reach.farthest = std::max(reach.farthest, (p - middle).norm());
    }
  }
  std::erase_if(reaches, [](const Reach& reach) { return reach.bounds.empty(); });
  std::ranges::sort(reaches, {}, [](const Reach& reach) { return std::pair(reach.farthest, reach.name); });
  Bounds all;
  std::vector<double> sizes;  // of all up to each
  for (const Reach& reach : reaches) all.add(reach.bounds.low), all.add(reach.bounds.high), sizes.push_back(all.diagonal());
  std::vector<FarGroup> far;
  size_t left_out = 0;  // triangles
  for (size_t i = reaches.size(); i-- > 1;) {
    left_out += reaches[i].triangles;
    if (static_cast<double>(left_out) > kMaxShare * static_cast<double>(mesh.triangles.size())) break;
    if (sizes[i - 1] == 0 || sizes.back() <= kFar * sizes[i - 1]) continue;
    for (size_t k = i; k < reaches.size(); ++k) {
      if (!names[reaches[k].name].empty()) far.push_back({names[reaches[k].name], sizes.back(), sizes[i - 1]});
    }
    break;
  }
  return far;
}

std::vector<FarGroup> far_groups(const TriMesh& mesh) {
  std::vector<FarGroup> far;
  if (mesh.groups) far = far_of(mesh, *mesh.groups, [&](size_t t) { return mesh.group_of(t); });
  if (far.empty() && mesh.materials) far = far_of(mesh, material_names(mesh), [&](size_t t) { return mesh.material_of(t); });
  return far;
}

}  // namespace crumple
