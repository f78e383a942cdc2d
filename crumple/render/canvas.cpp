#include "crumple/render/canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "crumple/core/index.h"

namespace crumple::render {
namespace {

constexpr int kRows = 8;  // lines on which the coverage of a pixel is measured; along each it is exact

struct Edge {
  double top, bottom;     // y
  double x, slope;        // at the top; change for each unit of y
  int winding;
};

std::vector<Edge> edges_of(std::span<const Polygon> polygons) {
  std::vector<Edge> edges;
  for (const Polygon& polygon : polygons) {
    for (size_t i = 0; i < polygon.size(); ++i) {
      const Vec2 &a = polygon[i], &b = polygon[i + 1 < polygon.size() ? i + 1 : 0];
      if (a.y() == b.y() || !a.allFinite() || !b.allFinite()) continue;
      const Vec2 &high = a.y() < b.y() ? a : b, &low = a.y() < b.y() ? b : a;
      edges.push_back({high.y(), low.y(), high.x(), (low.x() - high.x()) / (low.y() - high.y()), a.y() < b.y() ? 1 : -1});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.top < b.top; });
  return edges;
}

/// Adds the part of [from, to) that each pixel of a row has.
void cover(std::vector<float>& row, double from, double to, float amount) {
  from = std::max(from, 0.0), to = std::min(to, static_cast<double>(row.size()));
  if (!(from < to)) return;
  const int first = static_cast<int>(from), last = std::min(static_cast<int>(to), static_cast<int>(row.size()) - 1);
  if (first == last) {
    row[at(first)] += amount * static_cast<float>(to - from);
    return;
  }
  row[at(first)] += amount * static_cast<float>(first + 1 - from);
  for (int x = first + 1; x < last; ++x) row[at(x)] += amount;
  row[at(last)] += amount * static_cast<float>(to - last);
}

}  // namespace

Picture to_picture(const Canvas& canvas) {
  Picture picture(canvas.width, canvas.height);
  for (int y = 0; y < canvas.height; ++y) {
    for (int x = 0; x < canvas.width; ++x) {
      const Rgba& from = canvas.at(x, y);
      uint8_t* to = picture.pixel(x, y);
      const float alpha = std::clamp(from[3], 0.0f, 1.0f), inverse = alpha > 0 ? 1 / alpha : 0;
      for (int c = 0; c < 3; ++c) to[c] = static_cast<uint8_t>(std::lround(255 * std::clamp(from[c] * inverse, 0.0f, 1.0f)));
      to[3] = static_cast<uint8_t>(std::lround(255 * alpha));
    }
  }
  return picture;
}

io::Image to_image(const Picture& picture) {
  io::Image image(picture.width, picture.height);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const uint8_t* from = picture.pixel(x, y);
      for (int c = 0; c < 3; ++c) image.pixel(x, y)[c] = static_cast<uint8_t>((from[c] * from[3] + 255 * (255 - from[3]) + 127) / 255);
    }
  }
  return image;
}

void fill(Canvas& canvas, std::span<const Polygon> polygons, bool even_odd, const std::function<Rgba(const Vec2&)>& paint) {
  const std::vector<Edge> edges = edges_of(polygons);
  if (edges.empty()) return;
  double bottom = 0;
  for (const Edge& edge : edges) bottom = std::max(bottom, edge.bottom);
  const int first = static_cast<int>(std::clamp(edges.front().top, 0.0, static_cast<double>(canvas.height))), last = static_cast<int>(std::min(std::ceil(bottom), static_cast<double>(canvas.height)));
  std::vector<float> row(at(canvas.width));
  std::vector<std::pair<double, int>> crossings;
  std::vector<const Edge*> active;
  size_t next = 0;
  for (int y = first; y < last; ++y) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (; next < edges.size() && edges[next].top < y + 1; ++next) active.push_back(&edges[next]);
    std::erase_if(active, [&](const Edge* edge) { return edge->bottom <= y; });
    for (int k = 0; k < kRows; ++k) {
      const double line = y + (k + 0.5) / kRows;
      crossings.clear();
      for (const Edge* edge : active) {
        if (edge->top <= line && line < edge->bottom) crossings.emplace_back(edge->x + edge->slope * (line - edge->top), edge->winding);
      }
      std::sort(crossings.begin(), crossings.end());
      int winding = 0;
      for (size_t c = 0; c + 1 < crossings.size(); ++c) {
        winding += crossings[c].second;
        const bool is_inside = even_odd ? c % 2 == 0 : winding != 0;
        if (is_inside) cover(row, crossings[c].first, crossings[c + 1].first, 1.0f / kRows);
      }
    }
    for (int x = 0; x < canvas.width; ++x) {
      const float share = std::min(row[at(x)], 1.0f);
      if (share <= 0) continue;
      Rgba color = paint({x + 0.5, y + 0.5});
      color[3] *= share;
      color.head<3>() *= color[3];
      canvas.over(x, y, color);
    }
  }
}

namespace {

/// A convex polygon, turned so that all of a stroke wind the same way.
void add_convex(Polygon polygon, std::vector<Polygon>& all) {
  double area = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    area += a.x() * b.y() - a.y() * b.x();
  }
  if (area < 0) std::reverse(polygon.begin(), polygon.end());
  all.push_back(std::move(polygon));
}

void add_disc(const Vec2& center, double radius, std::vector<Polygon>& all) {
  const int count = std::clamp(static_cast<int>(4 * std::sqrt(radius)) + 8, 8, 64);
  Polygon disc;
  for (int k = 0; k < count; ++k) disc.push_back(center + radius * Vec2(std::cos(2 * std::numbers::pi * k / count), std::sin(2 * std::numbers::pi * k / count)));
  add_convex(std::move(disc), all);
}

/// What fills the outer corner between two segments that meet.
void add_join(const Vec2& at, const Vec2& before, const Vec2& after, double radius, io::VectorShape::Join join, std::vector<Polygon>& all) {
  constexpr double kMiterLimit = 4;
  const double turn = before.x() * after.y() - before.y() * after.x();
  if (std::abs(turn) < 1e-9 && before.dot(after) > 0) return;
  if (join == io::VectorShape::Join::Round) return add_disc(at, radius, all);
  const double side = turn > 0 ? -1 : 1;
  const Vec2 a = at + side * radius * Vec2(-before.y(), before.x()), b = at + side * radius * Vec2(-after.y(), after.x());
  Polygon corner = {at, a, b};
  const double half = 0.5 * (1 + before.dot(after));  // squared cosine of half of the turn
  if (join == io::VectorShape::Join::Miter && half > 1 / (kMiterLimit * kMiterLimit)) {
    const Vec2 out = (a - at) + (b - at);
    corner = {at, a, at + out / (2 * half), b};
  }
  add_convex(std::move(corner), all);
}

}  // namespace

std::vector<Polygon> stroke_polygons(const io::VectorShape& shape, double scale) {
  std::vector<Polygon> all;
  const double radius = 0.5 * shape.width * scale;
  for (const io::VectorShape::Line& line : shape.lines) {
    std::vector<Vec2> points;
    for (const Vec2& p : line.points) {
      if (points.empty() || (scale * p - points.back()).norm() > 1e-9) points.push_back(scale * p);
    }
    if (line.is_closed && points.size() > 1 && (points.front() - points.back()).norm() <= 1e-9) points.pop_back();
    if (points.size() == 1) {
      if (shape.cap == io::VectorShape::Cap::Round) add_disc(points[0], radius, all);
      continue;
    }
    const size_t segments = points.size() < 2 ? 0 : line.is_closed ? points.size() : points.size() - 1;
    std::vector<Vec2> along;
    for (size_t i = 0; i < segments; ++i) along.push_back((points[(i + 1) % points.size()] - points[i]).normalized());
    for (size_t i = 0; i < segments; ++i) {
      Vec2 a = points[i], b = points[(i + 1) % points.size()];
      const bool is_first = !line.is_closed && i == 0, is_last = !line.is_closed && i + 1 == segments;
      if (shape.cap == io::VectorShape::Cap::Square && is_first) a -= radius * along[i];
      if (shape.cap == io::VectorShape::Cap::Square && is_last) b += radius * along[i];
      const Vec2 across = radius * Vec2(-along[i].y(), along[i].x());
      add_convex({a + across, b + across, b - across, a - across}, all);
      if (shape.cap == io::VectorShape::Cap::Round && is_first) add_disc(a, radius, all);
      if (shape.cap == io::VectorShape::Cap::Round && is_last) add_disc(b, radius, all);
      if (!is_last) add_join(points[(i + 1) % points.size()], along[i], along[(i + 1) % segments], radius, shape.join, all);
    }
  }
  return all;
}

namespace {

std::function<Rgba(const Vec2&)> painter(const io::VectorPaint& paint, double scale) {
  if (paint.kind == io::VectorPaint::Kind::Color) {
    const Rgba color = paint.color.array();
    return [color](const Vec2&) { return color; };
  }
  return [&paint, scale](const Vec2& place) -> Rgba {
    const Vec2 p = paint.to_gradient * Vec2(place / scale);
    const double t = paint.kind == io::VectorPaint::Kind::Radial ? p.norm() : p.x();
    const std::vector<io::VectorPaint::Stop>& stops = paint.stops;
    if (t <= stops.front().offset) return stops.front().color.array();
    for (size_t i = 0; i + 1 < stops.size(); ++i) {
      if (t > stops[i + 1].offset) continue;
      const double width = stops[i + 1].offset - stops[i].offset;
      const float share = width > 0 ? static_cast<float>((t - stops[i].offset) / width) : 1.0f;
      return (1 - share) * stops[i].color.array() + share * stops[i + 1].color.array();
    }
    return stops.back().color.array();
  };
}

}  // namespace

Picture draw(const io::VectorDrawing& drawing, int layer, double scale) {
  Canvas canvas(std::max(1, static_cast<int>(std::ceil(drawing.width * scale - 1e-6))), std::max(1, static_cast<int>(std::ceil(drawing.height * scale - 1e-6))));
  for (const io::VectorShape& shape : drawing.shapes) {
    if (layer >= 0 && shape.layer != layer) continue;
    if (shape.fill.kind != io::VectorPaint::Kind::None) {
      std::vector<Polygon> polygons;
      for (const io::VectorShape::Line& line : shape.lines) {
        polygons.emplace_back();
        for (const Vec2& p : line.points) polygons.back().push_back(scale * p);
      }
      fill(canvas, polygons, shape.even_odd, painter(shape.fill, scale));
    }
    if (shape.stroke.kind != io::VectorPaint::Kind::None && shape.width > 0) fill(canvas, stroke_polygons(shape, scale), false, painter(shape.stroke, scale));
  }
  return to_picture(canvas);
}

}  // namespace crumple::render
