#include "crumple/io/export_merge.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/geometry/shading.h"
#include "crumple/io/export_check.h"
#include "crumple/io/picture_files.h"

namespace crumple::io {
namespace {

constexpr size_t kMaxNumber = 65535;  // that a triangle can carry

float fraction(double value) {
  return std::isfinite(value) ? static_cast<float>(std::clamp(value, 0.0, 1.0)) : 0.0f;
}

}  // namespace

LookKey look_key(const Appearance& look) {
  return {{fraction(look.color.x()), fraction(look.color.y()), fraction(look.color.z()), fraction(look.metal), fraction(look.roughness)}, look.name};
}

SurfaceMaterial look_material(const Appearance& look, bool tinted, const std::string& item) {
  const auto [values, name] = look_key(look);
  SurfaceMaterial material;
  material.name = name.empty() ? item : name;
  material.color = tinted ? Vec3f(Vec3f::Ones()) : Vec3f(values[0], values[1], values[2]);
  material.metal = double{values[3]}, material.roughness = double{values[4]};
  material.double_sided = true;
  return material;
}

const std::vector<Vec3f>& colors_of(const FrameItem& item) {
  return item.colors.empty() ? item.surface->colors : item.colors;
}

std::vector<Vec3> world_positions(const FrameItem& item) {
  std::vector<Vec3> result;
  result.reserve(item.surface->positions.size());
  if (item.positions.empty()) {
    for (const Vec3& position : item.surface->positions) result.push_back(item.place * position);
  } else {
    for (const Vec3f& position : item.positions) result.push_back(item.place * position.cast<double>());
  }
  return result;
}

std::vector<Vec3f> world_normals(const FrameItem& item) {
  std::vector<Vec3f> positions = item.positions;
  if (positions.empty()) {
    for (const Vec3& position : item.surface->positions) positions.push_back(position.cast<float>());
  }
  std::vector<Vec3f> normals = Shading(*item.surface).normals(positions, item.surface->triangles);
  const Eigen::Matrix3f turn = item.place.rotation.cast<float>();
  for (Vec3f& normal : normals) normal = turn * normal;
  return normals;
}

Result<void> check_items(const Frame& frame) {
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    std::string trouble = trouble_with_item(item);
    if (trouble.empty()) trouble = trouble_with_surface(*item.surface);
    if (!trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", frame.number, item.name, trouble));
  }
  return {};
}

MergedFrame FrameMerger::merge(const Frame& frame) {
  MergedFrame merged;
  bool has_uvs = false, has_colors = colors_ == Colors::Shown;
  std::vector<std::string> groups;
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    has_uvs = has_uvs || !item.surface->uvs.empty();
    has_colors = has_colors || !colors_of(item).empty();
    merged.mesh.group.resize(merged.mesh.triangles.size() + item.surface->triangles.size(), static_cast<uint16_t>(std::min(groups.size(), kMaxNumber)));
    if (groups.size() <= kMaxNumber) groups.push_back(item.name);
    append(item, merged);
  }
  if (!has_uvs) merged.mesh.uvs.clear();
  if (!has_colors) merged.mesh.colors.clear();
  merged.mesh.groups = std::make_shared<const std::vector<std::string>>(std::move(groups));
  return merged;
}

void FrameMerger::append(const FrameItem& item, MergedFrame& merged) {
  const TriMesh& surface = *item.surface;
  TriMesh& mesh = merged.mesh;
  const auto first = static_cast<int>(mesh.positions.size());
  const auto add = [](const auto& values, auto& all) { all.insert(all.end(), values.begin(), values.end()); };
  add(world_positions(item), mesh.positions);
  add(world_normals(item), mesh.normals);
  add(shown_colors(item), mesh.colors);
  add(surface.uvs, mesh.uvs);
  mesh.uvs.resize(mesh.positions.size(), Vec2f::Zero());
  merged.body.resize(mesh.positions.size(), item.body);
  merged.piece.resize(mesh.positions.size(), item.piece);
  for (size_t t = 0; item.pieces && t < surface.triangles.size(); ++t) {
    for (const int v : surface.triangles[t]) merged.piece[at(first + v)] = (*item.pieces)[t];
  }
  for (const auto& [a, b, c] : surface.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
  if (!surface.materials) {
    mesh.material.resize(mesh.triangles.size(), number_of(item));
    return;
  }
  const std::vector<uint16_t>& numbers = numbers_of(surface.materials);
  for (size_t t = 0; t < surface.triangles.size(); ++t) mesh.material.push_back(numbers[at(surface.material_of(t))]);
}

std::vector<Vec3f> FrameMerger::shown_colors(const FrameItem& item) const {
  const TriMesh& surface = *item.surface;
  const std::vector<Vec3f>& given = colors_of(item);
  std::vector<Vec3f> colors = given;
  if (colors.empty()) colors.assign(surface.positions.size(), colors_ == Colors::Shown && !surface.materials ? item.look.color : Vec3f(Vec3f::Ones()));
  if (colors_ == Colors::Tint || !surface.materials || !item.colors.empty()) return colors;
  std::vector<Vec3f> base(colors.size(), Vec3f::Ones());
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    for (const int v : surface.triangles[t]) base[at(v)] = (*surface.materials)[at(surface.material_of(t))].color;
  }
  for (size_t v = 0; v < colors.size(); ++v) colors[v] = colors[v].cwiseProduct(base[v]);
  return colors;
}

uint16_t FrameMerger::add(SurfaceMaterial material) {
  if (materials_.size() > kMaxNumber) return static_cast<uint16_t>(kMaxNumber);
  material.name = unique_name(material.name.empty() ? "look" : material.name, names_);
  materials_.push_back(std::move(material));
  return static_cast<uint16_t>(materials_.size() - 1);
}

const std::vector<uint16_t>& FrameMerger::numbers_of(const std::shared_ptr<const Materials>& materials) {
  const auto [place, is_new] = of_surfaces_.try_emplace(materials);
  if (is_new) {
    for (const SurfaceMaterial& material : *materials) place->second.push_back(add(material));
  }
  return place->second;
}

uint16_t FrameMerger::number_of(const FrameItem& item) {
  const bool tinted = !colors_of(item).empty();
  LookKey key = look_key(item.look);
  if (tinted) key.first[0] = key.first[1] = key.first[2] = 1;
  const auto [place, is_new] = of_looks_.try_emplace(std::move(key), 0);
  if (is_new) place->second = add(look_material(item.look, tinted, item.name));
  return place->second;
}

}  // namespace crumple::io
