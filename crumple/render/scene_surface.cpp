#include "crumple/render/scene_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <span>
#include <tuple>

#include "crumple/geometry/shading.h"

namespace crumple::render {
namespace {

constexpr float kFarthestPoint = 1e6f;    // metres from where the camera looks
const Vec3f kPaleGrey = Vec3f(0.54f, 0.54f, 0.53f);

std::vector<Vec3f> placed_positions(const FrameItem& item, const Vec3& origin) {
  const size_t count = item.positions.empty() ? item.surface->positions.size() : item.positions.size();
  std::vector<Vec3f> placed(count);
  for (size_t i = 0; i < count; ++i) {
    const Vec3 point = item.positions.empty() ? item.surface->positions[i] : Vec3(item.positions[i].cast<double>());
    placed[i] = (item.place * point - origin).cast<float>();
  }
  return placed;
}

/// Numbers of triangles that can be drawn.
std::vector<int> drawable_triangles(const std::vector<Triangle>& triangles, const std::vector<Vec3f>& positions) {
  const int count = static_cast<int>(positions.size());
  std::vector<char> sound(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) sound[i] = positions[i].allFinite() && positions[i].cwiseAbs().maxCoeff() < kFarthestPoint;
  std::vector<int> kept;
  kept.reserve(triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    if (std::ranges::all_of(triangles[t], [&](int v) { return v >= 0 && v < count && sound[static_cast<size_t>(v)]; })) kept.push_back(static_cast<int>(t));
  }
  return kept;
}

float unit(double value, float otherwise) {
  return std::isfinite(value) ? static_cast<float>(std::clamp(value, 0.0, 1.0)) : otherwise;
}
/// Colours that stand for something are shown on the same satin paint everywhere: bare metal would tint them.
SceneSurface::Finish finish_of(const FrameItem& item, ColorMode mode) {
  if (mode != ColorMode::Plain && !item.backdrop) return {0.0f, 0.5f};
  return {unit(item.look.metal, 0.0f), unit(item.look.roughness, 0.6f)};
}
Vec3f sound_color(const Vec3f& color) {
  return color.allFinite() ? Vec3f(color.cwiseMax(0.0f).cwiseMin(1.0f)) : kPaleGrey;
}

/// The colours of an item's vertices, or none if it has one colour throughout.
const std::vector<Vec3f>* vertex_colors(const FrameItem& item, ColorMode mode) {
  if (mode != ColorMode::Plain) return &item.colors;
  return item.surface ? &item.surface->colors : nullptr;
}
/// Vertices of a surface with materials only tint those.
bool has_materials(const FrameItem& item, ColorMode mode) {
  return mode == ColorMode::Plain && item.surface && item.surface->materials && !item.surface->materials->empty();
}
Vec3f whole_color(const FrameItem& item, ColorMode mode) {
  if (has_materials(item, mode)) return Vec3f::Ones();
  if (mode == ColorMode::Plain || item.backdrop) return sound_color(item.look.color);
  return mode == ColorMode::Piece && item.body >= 0 ? piece_color(item.body, item.piece) : kPaleGrey;
}

SceneSurface::Finish finish_of(const SurfaceMaterial& material, TexturePyramids& pictures) {
  SceneSurface::Finish finish{unit(material.metal, 0.0f), unit(material.roughness, 0.6f)};
  finish.material = &material;
  finish.color = pictures.find(material.color_texture, Pyramid::Values::Linear);
  finish.metal_roughness = pictures.find(material.metal_texture, Pyramid::Values::Raw);
  finish.normal = pictures.find(material.normal_texture, Pyramid::Values::Raw);
  finish.emissive = pictures.find(material.emissive_texture, Pyramid::Values::Linear);
  return finish;
}

/// One for the item, or one for each of its materials.
void add_finishes(SceneSurface& scene, const FrameItem& item, ColorMode mode) {
  if (!has_materials(item, mode)) return scene.finishes.push_back(finish_of(item, mode));
  for (const SurfaceMaterial& material : *item.surface->materials) {
    scene.finishes.push_back(finish_of(material, scene.pictures));
    scene.has_holes = scene.has_holes || material.alpha_mode != AlphaMode::Opaque;
  }
  scene.kept.push_back(item.surface);
}

void add_plane(SceneSurface& scene, const FrameItem& item, const Vec3& origin, ColorMode mode) {
  const std::vector<Vec3f> positions = placed_positions(item, origin);
  for (const int t : drawable_triangles(item.surface->triangles, positions)) {
    const auto& [a, b, c] = item.surface->triangles[static_cast<size_t>(t)];
    const Vec3f normal = (positions[b] - positions[a]).cross(positions[c] - positions[a]);
    if (!(normal.norm() > 1e-12f)) continue;
    const Vec3f unit_normal = normal.normalized();
    scene.planes.push_back({unit_normal, unit_normal.dot(positions[a]), whole_color(item, mode), finish_of(item, mode)});
    return;
  }
}

void add_solid(SceneSurface& scene, const FrameItem& item, const Vec3& origin, ColorMode mode, const Shading& shading) {
  const std::vector<Vec3f> positions = placed_positions(item, origin);
  const std::vector<int> drawable = drawable_triangles(item.surface->triangles, positions);
  std::vector<Triangle> triangles;
  for (const int t : drawable) triangles.push_back(item.surface->triangles[static_cast<size_t>(t)]);
  const std::vector<Vec3f> normals =
      positions.size() == item.surface->positions.size() ? shading.normals(positions, triangles) : vertex_normals(positions, triangles);
  const std::vector<Vec3f>* colors = vertex_colors(item, mode);
  const bool colored = colors && colors->size() == positions.size();
  const Vec3f whole = whole_color(item, mode);
  const bool has_uvs = item.surface->uvs.size() == positions.size();
  const int base = static_cast<int>(scene.positions.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    // Vertices of no triangle may hold anything; the ray tracer wants numbers all the same.
    scene.positions.push_back(positions[i].allFinite() ? positions[i] : Vec3f::Zero());
    scene.normals.push_back(normals[i]);
    scene.colors.push_back(colored ? sound_color((*colors)[i]) : whole);
    scene.uvs.push_back(has_uvs && item.surface->uvs[i].allFinite() ? item.surface->uvs[i] : Vec2f::Zero());
  }
  const int first = static_cast<int>(scene.finishes.size());
  add_finishes(scene, item, mode);
  const int finishes = static_cast<int>(scene.finishes.size()) - first;
  for (size_t i = 0; i < triangles.size(); ++i) {
    const auto& [a, b, c] = triangles[i];
    scene.triangles.push_back({base + a, base + b, base + c});
    scene.triangle_finish.push_back(first + std::min(item.surface->material_of(static_cast<size_t>(drawable[i])), finishes - 1));
  }
}

void add_balls(SceneSurface& scene, const FrameItem& item, const Vec3& origin, ColorMode mode) {
  const std::vector<Vec3f>* colors = vertex_colors(item, mode);
  const bool colored = colors && colors->size() == item.positions.size();
  const Vec3f whole = whole_color(item, mode);
  for (size_t i = 0; i < item.positions.size(); ++i) {
    const Vec3f center = (item.place * item.positions[i].cast<double>() - origin).cast<float>();
    if (!center.allFinite() || !(center.cwiseAbs().maxCoeff() < kFarthestPoint) || !std::isfinite(item.ball_radius)) continue;
    scene.balls.emplace_back(center.x(), center.y(), center.z(), item.ball_radius);
    scene.ball_colors.push_back(colored ? sound_color((*colors)[i]) : whole);
    scene.ball_finish.push_back(static_cast<int>(scene.finishes.size()));
  }
  scene.finishes.push_back(finish_of(item, mode));
}

/// Vertices from `begin` on, of several items of one body.
struct ItemVertices {
  size_t begin, end;
  int item;
};

/// Pieces of a body that lie side by side look like one: normals agree where vertices of two items coincide and the surface goes on smoothly.
void smooth_between_items(SceneSurface& scene, std::span<const ItemVertices> items) {
  constexpr float kSamePoint = 1e-5f;  // of the size of the body
  if (items.size() < 2) return;
  Vec3f low = Vec3f::Constant(kFarthestPoint), high = -low;
  for (const ItemVertices& item : items) {
    for (size_t v = item.begin; v < item.end; ++v) low = low.cwiseMin(scene.positions[v]), high = high.cwiseMax(scene.positions[v]);
  }
  const float near = kSamePoint * (high - low).maxCoeff(), cell = 4 * near;
  if (!(near > 0)) return;
  using Cell = std::array<int, 3>;
  const auto cell_of = [&](const Vec3f& p) { return Cell{static_cast<int>((p.x() - low.x()) / cell), static_cast<int>((p.y() - low.y()) / cell), static_cast<int>((p.z() - low.z()) / cell)}; };
  std::vector<std::tuple<Cell, int, int>> sorted;  // cell, item, vertex
  for (const ItemVertices& item : items) {
    for (size_t v = item.begin; v < item.end; ++v) sorted.emplace_back(cell_of(scene.positions[v]), item.item, static_cast<int>(v));
  }
  std::ranges::sort(sorted);
  Seams seams;
  const auto look_in = [&](const Cell& at, int item, int vertex) {
    const Vec3f &position = scene.positions[static_cast<size_t>(vertex)], &normal = scene.normals[static_cast<size_t>(vertex)];
    for (auto other = std::ranges::lower_bound(sorted, std::tuple(at, item + 1, -1)); other != sorted.end() && std::get<0>(*other) == at; ++other) {
      const auto v = static_cast<size_t>(std::get<2>(*other));
      if ((scene.positions[v] - position).norm() <= near && scene.normals[v].dot(normal) > kSmoothSeam) seams.emplace_back(vertex, std::get<2>(*other));
    }
  };
  for (const auto& [at, item, vertex] : sorted) {
    const Vec3f& p = scene.positions[static_cast<size_t>(vertex)];
    const Cell first = cell_of((p.array() - near).matrix().cwiseMax(low)), last = cell_of((p.array() + near).matrix());
    for (int x = first[0]; x <= last[0]; ++x) {
      for (int y = first[1]; y <= last[1]; ++y) {
        for (int z = first[2]; z <= last[2]; ++z) look_in({x, y, z}, item, vertex);
      }
    }
  }
  smooth_over_seams(seams, scene.normals);
}

}  // namespace

SceneSurface gather_surface(const Frame& frame, const Vec3& origin, ColorMode mode) {
  SceneSurface scene;
  std::map<const TriMesh*, Shading> shadings;
  std::map<int, std::vector<ItemVertices>> items_of_body;
  for (const FrameItem& item : frame.items) {
    if (!item.look.visible) continue;
    if (item.ball_radius > 0) add_balls(scene, item, origin, mode);
    if (!item.surface) continue;
    if (item.backdrop) {
      add_plane(scene, item, origin, mode);
      continue;
    }
    const Shading& shading = shadings.try_emplace(item.surface.get(), *item.surface).first->second;
    const size_t begin = scene.positions.size();
    add_solid(scene, item, origin, mode, shading);
    if (item.body >= 0) items_of_body[item.body].push_back({begin, scene.positions.size(), static_cast<int>(scene.finishes.size())});
  }
  for (const auto& [body, items] : items_of_body) smooth_between_items(scene, items);
  return scene;
}

Vec3f piece_color(int body, int piece) {
  // Hues a golden angle apart, in a space of even lightness [Ottosson's Oklab], alternating a little in lightness.
  const double turns = 0.61803398875 * piece + 0.3819660113 * 0.37 * body + 0.07;
  const double angle = 2 * std::numbers::pi * (turns - std::floor(turns));
  const double lightness = 0.66 + 0.07 * (((piece % 3) + 3) % 3 - 1), chroma = 0.12;
  const double a = chroma * std::cos(angle), b = chroma * std::sin(angle);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  const Vec3 color(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                   -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
  return color.cwiseMax(0.01).cwiseMin(1.0).cast<float>();
}

}  // namespace crumple::render
