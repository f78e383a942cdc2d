#include "crumple/render/flat.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/geometry/display_color.h"
#include "crumple/render/texture.h"

namespace crumple::render {
namespace {

constexpr int kSide = 4;      // samples of a pixel along each side
constexpr int kBand = 16;     // rows that one thread draws at a time
const Rgba kSkyTop(0.66f, 0.83f, 0.95f, 1), kSkyBottom(0.93f, 0.97f, 1.0f, 1);

/// A triangle in pixels, y down, counter-clockwise as seen with y up.
struct Flat {
  Vec2 a, b, c;
  Vec2f uv[3];
  Rgba color[3];                     // multiplied by alpha; of all corners
  const Pyramid* texture = nullptr;  // times this
  const Texture* how = nullptr;
  size_t level = 0;
};

Rgba shown(const Vec3f& linear, float alpha) {
  const auto display = [](float value) { return static_cast<float>(display_from_linear(double{std::clamp(value, 0.0f, 1.0f)})); };
  return Rgba(display(linear.x()) * alpha, display(linear.y()) * alpha, display(linear.z()) * alpha, alpha);
}

/// Everything of a frame as triangles in order, from the back to the front.
class Gathering {
 public:
  Gathering(const Frame& frame, const FlatWindow& window, const FlatSettings& settings) : settings_(settings) {
    scale_ = settings.height / window.height;
    origin_ = Vec2(window.center.x() - 0.5 * settings.width / scale_, window.center.y() + 0.5 * window.height);
    for (const FrameItem& item : frame.items) {
      const bool is_wanted = settings.bodies.empty() || std::find(settings.bodies.begin(), settings.bodies.end(), item.body) != settings.bodies.end();
      if (!item.look.visible || !is_wanted) continue;
      if (item.ball_radius > 0) add_discs(item);
      if (!item.surface) continue;
      item.backdrop ? add_half_plane(item) : add_item(item);
    }
  }
  std::vector<Flat> triangles;

 private:
  Vec2 to_pixels(const Vec3& p) const { return {scale_ * (p.x() - origin_.x()), scale_ * (origin_.y() - p.y())}; }

  void add_plain(const Vec2& a, const Vec2& b, const Vec2& c, const Rgba& color) {
    Flat flat{a, b, c, {}, {color, color, color}, nullptr, nullptr, 0};
    triangles.push_back(flat);
  }

  void add_discs(const FrameItem& item) {
    constexpr int kCorners = 16;
    for (size_t i = 0; i < item.positions.size(); ++i) {
      const Vec2 middle = to_pixels(item.place * Vec3(item.positions[i].cast<double>()));
      const Rgba color = shown(item.colors.empty() ? item.look.color : item.colors[i], 1);
      const auto corner = [&](int k) { return Vec2(middle + scale_ * double{item.ball_radius} * Vec2(std::cos(2 * std::numbers::pi * k / kCorners), -std::sin(2 * std::numbers::pi * k / kCorners))); };
      for (int k = 0; k < kCorners; ++k) add_plain(middle, corner(k), corner(k + 1), color);
    }
  }

  /// All below an infinite plane.
  void add_half_plane(const FrameItem& item) {
    const Triangle& t = item.surface->triangles.front();
    const auto corner = [&](int k) { return item.place * item.surface->positions[at(t[at(k)])]; };
    const Vec3 normal = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized();
    const Vec2 n(normal.x(), normal.y());
    if (n.norm() < 1e-3) return;  // the plane of the picture itself
    const Vec2 up = n.normalized(), right(up.y(), -up.x());
    const double reach = 4 * (settings_.width + settings_.height) / scale_;
    const Vec2 middle(origin_.x() + 0.5 * settings_.width / scale_, origin_.y() - 0.5 * settings_.height / scale_);
    const Vec2 on = middle - up * up.dot(middle - Vec2(corner(0).x(), corner(0).y()));
    const auto place = [&](double along, double below) {
      const Vec2 p = on + along * right - below * up;
      return to_pixels({p.x(), p.y(), 0});
    };
    const Rgba color = shown(item.look.color, 1), line = dark(color);
    const double thick = settings_.outline * settings_.height / scale_;
    const auto band = [&](double from, double to, const Rgba& paint) {
      add_plain(place(-reach, from), place(-reach, to), place(reach, to), paint), add_plain(place(-reach, from), place(reach, to), place(reach, from), paint);
    };
    band(thick, reach, color), band(0, thick, line);
  }

  static Rgba dark(const Rgba& color) { return Rgba(0.3f * color[0], 0.3f * color[1], 0.33f * color[2], color[3]); }

  void add_item(const FrameItem& item) {
    const TriMesh& surface = *item.surface;
    std::vector<Vec2> points;
    for (size_t v = 0; v < surface.positions.size(); ++v) points.push_back(to_pixels(item.place * (item.positions.size() == surface.positions.size() ? Vec3(item.positions[v].cast<double>()) : surface.positions[v])));
    const Rgba own = shown(item.look.color, 1);
    const std::vector<Vec3f>& colors = item.colors.empty() ? surface.colors : item.colors;
    bool has_picture = false;
    for (size_t t = 0; t < surface.triangles.size(); ++t) {
      const Triangle& corners = surface.triangles[t];
      Flat flat{points[at(corners[0])], points[at(corners[1])], points[at(corners[2])], {}, {own, own, own}, nullptr, nullptr, 0};
      const double area = (flat.b - flat.a).x() * (flat.c - flat.a).y() - (flat.b - flat.a).y() * (flat.c - flat.a).x();
      const SurfaceMaterial* material = surface.materials && at(surface.material_of(t)) < surface.materials->size() ? &(*surface.materials)[at(surface.material_of(t))] : nullptr;
      const bool is_front = area < 0;  // y runs down
      if (!is_front && !(material && material->double_sided)) continue;
      if (material && item.colors.empty()) {
        const Rgba paint = shown(material->color, material->alpha_mode == AlphaMode::Opaque ? 1 : material->alpha);
        std::fill_n(flat.color, 3, paint);
        flat.texture = textures_.find(material->color_texture, Pyramid::Values::Display), flat.how = &material->color_texture;
        if (flat.texture && surface.uvs.size() == surface.positions.size()) {
          for (size_t k = 0; k < 3; ++k) flat.uv[k] = surface.uvs[at(corners[k])];
          const Vec2f s = flat.uv[1] - flat.uv[0], r = flat.uv[2] - flat.uv[0];
          const double texels = std::abs(double{s.x() * r.y() - s.y() * r.x()}) * flat.texture->width() * flat.texture->height();
          const double each = std::sqrt(texels / std::max(std::abs(area), 1e-12));  // along a pixel
          flat.level = static_cast<size_t>(std::clamp(std::floor(std::log2(std::max(each, 1e-6)) + 0.3), 0.0, static_cast<double>(flat.texture->levels() - 1)));
          has_picture = true;
        }
      } else if (!colors.empty()) {
        for (size_t k = 0; k < 3; ++k) flat.color[k] = shown(colors[at(corners[k])], 1);
      }
      if (!is_front) std::swap(flat.b, flat.c), std::swap(flat.uv[1], flat.uv[2]), std::swap(flat.color[1], flat.color[2]);
      triangles.push_back(flat);
    }
    if (!has_picture && settings_.outline > 0) add_outline(surface, points, dark(own));
  }

  /// A line around what faces the viewer.
  void add_outline(const TriMesh& surface, const std::vector<Vec2>& points, const Rgba& color) {
    std::map<std::pair<std::pair<double, double>, std::pair<double, double>>, int> uses;  // by places: vertices may be doubled along creases
    const auto key = [&](int v) { return std::pair(std::round(points[at(v)].x() * 64), std::round(points[at(v)].y() * 64)); };
    const auto is_front = [&](const Triangle& t) {
      const Vec2 b = points[at(t[1])] - points[at(t[0])], c = points[at(t[2])] - points[at(t[0])];
      return b.x() * c.y() - b.y() * c.x() < -1e-9;
    };
    for (const Triangle& t : surface.triangles) {
      if (!is_front(t)) continue;
      for (size_t k = 0; k < 3; ++k) {
        const auto a = key(t[k]), b = key(t[(k + 1) % 3]);
        ++uses[std::minmax(a, b)];
      }
    }
    io::VectorShape line;
    line.width = 2 * settings_.outline * settings_.height, line.join = io::VectorShape::Join::Round, line.cap = io::VectorShape::Cap::Round;
    for (const auto& [edge, count] : uses) {
      if (count == 1) line.lines.push_back({{Vec2(edge.first.first / 64, edge.first.second / 64), Vec2(edge.second.first / 64, edge.second.second / 64)}, false});
    }
    for (const Polygon& polygon : stroke_polygons(line, 1)) {
      for (size_t k = 1; k + 1 < polygon.size(); ++k) add_plain(polygon[0], polygon[k + 1], polygon[k], color);
    }
  }

  const FlatSettings& settings_;
  double scale_ = 1;  // pixels for a metre
  Vec2 origin_;       // of the picture's top left corner, m
  TexturePyramids textures_;
};

/// Samples on an edge belong to one of its two triangles: that for which it is a left or a top edge.
struct EdgeTest {
  double a, b, c;  // a x + b y + c
  bool includes_zero;
  EdgeTest(const Vec2& from, const Vec2& to) : a(to.y() - from.y()), b(from.x() - to.x()), c(-(a * from.x() + b * from.y())), includes_zero(a > 0 || (a == 0 && b > 0)) {}
  double at(double x, double y) const { return a * x + b * y + c; }
  bool holds(double value) const { return value > 0 || (value == 0 && includes_zero); }
};

void draw_triangle(const Flat& flat, int top, int rows, int width, std::vector<Rgba>& samples) {
  // Counter-clockwise with y up is clockwise with y down: all edge functions are positive inside.
  const EdgeTest ab(flat.a, flat.b), bc(flat.b, flat.c), ca(flat.c, flat.a);
  const double area = ab.at(flat.c.x(), flat.c.y());
  if (!(area > 0)) return;
  const auto low = [&](double value) { return static_cast<int>(std::floor(std::clamp(value * kSide, -1e8, 1e8))); };
  const int y_begin = std::max(low(std::min({flat.a.y(), flat.b.y(), flat.c.y()})) - 1, top * kSide), y_end = std::min(low(std::max({flat.a.y(), flat.b.y(), flat.c.y()})) + 2, (top + rows) * kSide);
  const int x_begin = std::max(low(std::min({flat.a.x(), flat.b.x(), flat.c.x()})) - 1, 0), x_end = std::min(low(std::max({flat.a.x(), flat.b.x(), flat.c.x()})) + 2, width * kSide);
  for (int y = y_begin; y < y_end; ++y) {
    Rgba* row = samples.data() + at(y - top * kSide) * at(width * kSide);
    const double py = (y + 0.5) / kSide;
    for (int x = x_begin; x < x_end; ++x) {
      const double px = (x + 0.5) / kSide;
      const double wc = ab.at(px, py), wa = bc.at(px, py), wb = ca.at(px, py);
      if (!ab.holds(wc) || !bc.holds(wa) || !ca.holds(wb)) continue;
      const auto sa = static_cast<float>(wa / area), sb = static_cast<float>(wb / area), sc = 1 - sa - sb;
      Rgba color = sa * flat.color[0] + sb * flat.color[1] + sc * flat.color[2];
      if (flat.texture) {
        const Vec2f uv = sa * flat.uv[0] + sb * flat.uv[1] + sc * flat.uv[2];
        color *= flat.texture->at(flat.level, *flat.how, uv);
      }
      row[x] = color + (1 - color[3]) * row[x];
    }
  }
}

}  // namespace

FlatWindow window_of(const Camera& camera) {
  FlatWindow window;
  window.center = Vec2(camera.target.x(), camera.target.y());
  window.height = 2 * std::max(std::abs(camera.eye.z() - camera.target.z()), 1e-3) * std::tan(0.5 * camera.fov_degrees * std::numbers::pi / 180);
  return window;
}

Picture render_flat(const Frame& frame, const FlatWindow& window, const FlatSettings& settings) {
  const Gathering gathering(frame, window, settings);
  // Which triangles touch a band of rows, in their order.
  const size_t bands = at((settings.height + kBand - 1) / kBand);
  std::vector<std::vector<int>> in_band(bands);
  for (size_t t = 0; t < gathering.triangles.size(); ++t) {
    const Flat& flat = gathering.triangles[t];
    const double low = std::min({flat.a.y(), flat.b.y(), flat.c.y()}), high = std::max({flat.a.y(), flat.b.y(), flat.c.y()});
    if (!(high >= 0 && low <= settings.height)) continue;
    const auto first = static_cast<size_t>(std::clamp(low - 1, 0.0, static_cast<double>(settings.height)) / kBand);
    const auto last = static_cast<size_t>(std::clamp(high + 1, 0.0, static_cast<double>(settings.height - 1)) / kBand);
    for (size_t b = first; b <= std::min(last, bands - 1); ++b) in_band[b].push_back(static_cast<int>(t));
  }
  Canvas canvas(settings.width, settings.height);
  parallel_for(bands, 1, [&](size_t begin, size_t end) {
    std::vector<Rgba> samples;
    for (size_t band = begin; band < end; ++band) {
      const int top = static_cast<int>(band) * kBand, rows = std::min(kBand, settings.height - top);
      samples.assign(at(rows * kSide) * at(settings.width * kSide), Rgba::Zero());
      for (int y = 0; settings.background && y < rows * kSide; ++y) {
        const float share = (static_cast<float>(top) + (static_cast<float>(y) + 0.5f) / kSide) / static_cast<float>(settings.height);
        std::fill_n(samples.begin() + static_cast<ptrdiff_t>(y) * settings.width * kSide, settings.width * kSide, Rgba((1 - share) * kSkyTop + share * kSkyBottom));
      }
      for (const int t : in_band[band]) draw_triangle(gathering.triangles[at(t)], top, rows, settings.width, samples);
      for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < settings.width; ++x) {
          Rgba sum = Rgba::Zero();
          for (int k = 0; k < kSide * kSide; ++k) sum += samples[at(y * kSide + k / kSide) * at(settings.width * kSide) + at(x * kSide + k % kSide)];
          canvas.at(x, top + y) = sum / (kSide * kSide);
        }
      }
    }
  });
  return to_picture(canvas);
}

}  // namespace crumple::render
