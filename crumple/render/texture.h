#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "crumple/geometry/materials.h"

namespace crumple::render {

using Texel = Eigen::Array4f;

/// A picture in sizes from its own down to one pixel.
class Pyramid {
 public:
  enum class Values {
    Display,  ///< as on a screen, multiplied by alpha
    Linear,   ///< light, multiplied by alpha
    Raw,      ///< numbers from 0 to 1 that are no colours
  };
  Pyramid(const Picture& picture, Values values);

  int width() const { return levels_[0].width; }
  int height() const { return levels_[0].height; }
  size_t levels() const { return levels_.size(); }
  Texel at(size_t level, const Texture& texture, const Vec2f& uv) const;

 private:
  struct Level {
    int width, height;
    std::vector<Texel> pixels;
  };
  static Level halved(const Level& from);
  std::vector<Level> levels_;
};

/// The pyramids of all pictures that are used, each made once.
class TexturePyramids {
 public:
  /// Nothing if there is no picture, or one that could not be decoded.
  const Pyramid* find(const Texture& texture, Pyramid::Values values);

 private:
  std::map<std::pair<const TextureImage*, Pyramid::Values>, std::unique_ptr<const Pyramid>> made_;
};

}  // namespace crumple::render
