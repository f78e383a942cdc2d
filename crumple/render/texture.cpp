#include "crumple/render/texture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/geometry/display_color.h"

namespace crumple::render {
namespace {

int wrapped(int i, int size, TextureWrap wrap) {
  if (wrap == TextureWrap::Clamp) return std::clamp(i, 0, size - 1);
  if (wrap == TextureWrap::Repeat) return ((i % size) + size) % size;
  const int there = ((i % (2 * size)) + 2 * size) % (2 * size);
  return there < size ? there : 2 * size - 1 - there;
}

}  // namespace

Pyramid::Pyramid(const Picture& picture, Values values) {
  std::array<float, 256> value_of;
  for (size_t i = 0; i < value_of.size(); ++i) {
    const double part = static_cast<double>(i) / 255;
    value_of[i] = values == Values::Linear ? linear_from_display(part) : static_cast<float>(part);
  }
  Level first{picture.width, picture.height, std::vector<Texel>(crumple::at(picture.width) * crumple::at(picture.height))};
  for (size_t i = 0; i < first.pixels.size(); ++i) {
    const uint8_t* p = picture.rgba.data() + 4 * i;
    const float alpha = static_cast<float>(p[3]) / 255;
    first.pixels[i] = Texel(value_of[p[0]], value_of[p[1]], value_of[p[2]], 1) * (values == Values::Raw ? 1.0f : alpha);
  }
  levels_.push_back(std::move(first));
  while (levels_.back().width > 1 || levels_.back().height > 1) levels_.push_back(halved(levels_.back()));
}

Pyramid::Level Pyramid::halved(const Level& from) {
  Level to{std::max(1, from.width / 2), std::max(1, from.height / 2), {}};
  to.pixels.reserve(crumple::at(to.width) * crumple::at(to.height));
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      Texel sum = Texel::Zero();
      for (int k = 0; k < 4; ++k) sum += from.pixels[crumple::at(std::min(2 * y + k / 2, from.height - 1)) * crumple::at(from.width) + crumple::at(std::min(2 * x + k % 2, from.width - 1))];
      to.pixels.push_back(0.25f * sum);
    }
  }
  return to;
}

Texel Pyramid::at(size_t index, const Texture& texture, const Vec2f& uv) const {
  const Level& level = levels_[std::min(index, levels_.size() - 1)];
  const float x = uv.x() * static_cast<float>(level.width) - 0.5f, y = uv.y() * static_cast<float>(level.height) - 0.5f;
  constexpr float kFar = 1e9f;  // places beyond it have no fraction, and no number of a pixel
  const float fx = std::clamp(std::floor(x), -kFar, kFar), fy = std::clamp(std::floor(y), -kFar, kFar), sx = std::min(x - fx, 1.0f), sy = std::min(y - fy, 1.0f);
  const auto pixel = [&](int dx, int dy) {
    const int px = wrapped(static_cast<int>(fx) + dx, level.width, texture.wrap_u), py = wrapped(static_cast<int>(fy) + dy, level.height, texture.wrap_v);
    return level.pixels[crumple::at(py) * crumple::at(level.width) + crumple::at(px)];
  };
  if (texture.nearest) return pixel(sx < 0.5f ? 0 : 1, sy < 0.5f ? 0 : 1);
  return (1 - sy) * ((1 - sx) * pixel(0, 0) + sx * pixel(1, 0)) + sy * ((1 - sx) * pixel(0, 1) + sx * pixel(1, 1));
}

const Pyramid* TexturePyramids::find(const Texture& texture, Pyramid::Values values) {
  if (!texture || !texture.image->picture || texture.image->picture->rgba.empty()) return nullptr;
  auto& made = made_[{texture.image.get(), values}];
  if (!made) made = std::make_unique<const Pyramid>(*texture.image->picture, values);
  return made.get();
}

}  // namespace crumple::render
