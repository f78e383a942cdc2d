#pragma once

#include <functional>
#include <span>
#include <vector>

#include "crumple/geometry/materials.h"
#include "crumple/geometry/orientation.h"
#include "crumple/io/image.h"
#include "crumple/io/svg.h"

/// Flat pictures: areas filled with clean edges.
namespace crumple::render {

using Rgba = Eigen::Array4f;  // sRGB and alpha, 0 to 1

/// A picture in the making: sRGB multiplied by alpha, rows from the top.
struct Canvas {
  int width = 0, height = 0;
  std::vector<Rgba> pixels;

  Canvas(int width_, int height_, const Rgba& color = Rgba::Zero())
      : width(width_), height(height_), pixels(static_cast<size_t>(width_) * static_cast<size_t>(height_), color) {}
  Rgba& at(int x, int y) { return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)]; }
  const Rgba& at(int x, int y) const { return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)]; }
  /// Lays a colour (multiplied by its alpha) over a pixel.
  void over(int x, int y, const Rgba& color) { at(x, y) = color + (1 - color[3]) * at(x, y); }
};

Picture to_picture(const Canvas& canvas);
/// Without transparency: white shows through.
io::Image to_image(const Picture& picture);

/// A closed polygon.
using Polygon = std::vector<Vec2>;

/// Fills polygons, in pixels, y down. `paint` gives the colour at a place, not multiplied.
void fill(Canvas& canvas, std::span<const Polygon> polygons, bool even_odd, const std::function<Rgba(const Vec2&)>& paint);

/// Polygons that cover a stroke, for the rule that counts windings.
std::vector<Polygon> stroke_polygons(const io::VectorShape& shape, double scale);

/// One layer of a drawing, or all (-1), enlarged by `scale`.
Picture draw(const io::VectorDrawing& drawing, int layer, double scale);

}  // namespace crumple::render
