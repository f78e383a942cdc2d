#include "crumple/geometry/base_colors.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/geometry/display_color.h"

namespace crumple {
namespace {

int wrapped(double along, TextureWrap wrap, int size) {
  const double one = wrap == TextureWrap::Clamp ? std::clamp(along, 0.0, 1.0) : along - std::floor(along);
  const bool is_turned = wrap == TextureWrap::Mirror && static_cast<int64_t>(std::floor(along)) % 2 != 0;
  return std::clamp(static_cast<int>((is_turned ? 1 - one : one) * size), 0, size - 1);
}

Vec3f texel(const Texture& texture, const Vec2f& uv) {
  const Picture* picture = texture.image ? texture.image->picture.get() : nullptr;
  if (!picture || picture->width == 0 || picture->height == 0 || !uv.allFinite()) return Vec3f::Ones();
  const uint8_t* pixel = picture->pixel(wrapped(uv.x(), texture.wrap_u, picture->width), wrapped(uv.y(), texture.wrap_v, picture->height));
  return {linear_from_display(pixel[0] / 255.0), linear_from_display(pixel[1] / 255.0), linear_from_display(pixel[2] / 255.0)};
}

}  // namespace

std::vector<Vec3f> base_colors(const TriMesh& mesh, const Vec3f& plain) {
  const bool has_colors = mesh.colors.size() == mesh.positions.size(), has_uvs = mesh.uvs.size() == mesh.positions.size();
  std::vector<Vec3f> colors = has_colors ? mesh.colors : std::vector<Vec3f>(mesh.positions.size(), mesh.materials ? Vec3f(Vec3f::Ones()) : plain);
  if (!mesh.materials || mesh.materials->empty()) return colors;
  std::vector<Vec3f> factors(colors.size(), Vec3f::Ones());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const SurfaceMaterial& material = (*mesh.materials)[std::min(at(mesh.material_of(t)), mesh.materials->size() - 1)];
    for (const int v : mesh.triangles[t]) factors[at(v)] = material.color.cwiseProduct(has_uvs ? texel(material.color_texture, mesh.uvs[at(v)]) : Vec3f(Vec3f::Ones()));
  }
  for (size_t v = 0; v < colors.size(); ++v) colors[v] = colors[v].cwiseProduct(factors[v]);
  return colors;
}

}  // namespace crumple
