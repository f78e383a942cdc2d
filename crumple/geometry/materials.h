#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// A picture with transparency: rows from the top, four bytes a pixel (sRGB red, green, blue; alpha, not multiplied in), no padding.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;  // 4 * width * height

  Picture() = default;
  Picture(int width_, int height_) : width(width_), height(height_), rgba(size_t{4} * static_cast<size_t>(width_) * static_cast<size_t>(height_)) {}
  uint8_t* pixel(int x, int y) { return rgba.data() + 4 * (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)); }
  const uint8_t* pixel(int x, int y) const { return rgba.data() + 4 * (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)); }
  bool operator==(const Picture&) const = default;
};

/// A picture as an artist's file has it: what is written out again is what was read.
struct TextureImage {
  std::string name, mime;                  // "image/png", "image/jpeg"
  std::string bytes;                       // of the file
  std::shared_ptr<const Picture> picture;  // decoded; none if it could not be
};

enum class TextureWrap : uint8_t { Repeat, Clamp, Mirror };

/// A picture laid over a surface by its UVs; v runs down, as in glTF.
struct Texture {
  std::shared_ptr<const TextureImage> image;
  TextureWrap wrap_u = TextureWrap::Repeat, wrap_v = TextureWrap::Repeat;
  bool nearest = false;  // pixels stay sharp
  explicit operator bool() const { return image != nullptr; }
};

enum class AlphaMode : uint8_t { Opaque, Mask, Blend };

/// How a part of a surface looks, as glTF has it: metallic-roughness.
struct SurfaceMaterial {
  std::string name;
  Vec3f color = Vec3f::Ones();  // linear RGB, times the texture
  float alpha = 1;
  double metal = 1, roughness = 1;
  Vec3f emissive = Vec3f::Zero();  // linear RGB, times the texture
  Texture color_texture, metal_texture, normal_texture, emissive_texture, occlusion_texture;
  float normal_scale = 1;
  AlphaMode alpha_mode = AlphaMode::Opaque;
  float cutoff = 0.5f;  // of AlphaMode::Mask
  bool double_sided = false;
  bool unlit = false;
};

using Materials = std::vector<SurfaceMaterial>;

/// Whether a material is no more than a colour, a metalness and a roughness.
inline bool is_plain(const SurfaceMaterial& m) {
  const bool has_texture = m.color_texture || m.metal_texture || m.normal_texture || m.emissive_texture || m.occlusion_texture;
  return !has_texture && m.emissive == Vec3f::Zero() && m.alpha_mode == AlphaMode::Opaque && !m.unlit;
}

}  // namespace crumple
