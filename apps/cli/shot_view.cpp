#include "apps/cli/shot_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace crumple::cli {
namespace {

constexpr int kWidth = 64, kHeight = 36;

Vec3 placed(const FrameItem& item, size_t vertex) {
  return item.place * (item.positions.empty() ? item.surface->positions[vertex] : Vec3(item.positions[vertex].cast<double>()));
}

double way_of(const FrameItem& item, size_t vertex) {
  return item.positions.empty() ? 0 : (item.positions[vertex].cast<double>() - item.surface->positions[vertex]).norm();
}

/// A coarse picture: the depth of what is nearest, and how far it has moved; below 0 where it is not the body.
class Picture {
 public:
  explicit Picture(const render::Camera& camera) : eye_(camera.eye), axes_(render::axes_of(camera)), slope_(render::pixel_slope(camera, kHeight)) {}

  Vec3 project(const Vec3& point) const {
    const Vec3 ray = point - eye_;
    const double depth = ray.dot(axes_.forward);
    if (!(depth > 0)) return {0, 0, -1};
    return {0.5 * kWidth + ray.dot(axes_.right) / (slope_ * depth), 0.5 * kHeight - ray.dot(axes_.up) / (slope_ * depth), depth};
  }

  /// A triangle of projected corners; what lies across the eye's plane is left out.
  void draw(const std::array<Vec3, 3>& at, const Vec3& ways) {
    if (at[0].z() < 0 || at[1].z() < 0 || at[2].z() < 0) return;
    const auto side = [](const Vec3& a, const Vec3& b, double x, double y) { return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x()); };
    const double area = side(at[0], at[1], at[2].x(), at[2].y());
    if (area == 0) return;
    const auto pixel = [](double value, int count) { return std::clamp(static_cast<int>(std::clamp(value, -1.0, 1e4)), 0, count - 1); };
    const auto [left, right] = std::minmax({at[0].x(), at[1].x(), at[2].x()});
    const auto [top, bottom] = std::minmax({at[0].y(), at[1].y(), at[2].y()});
    for (int y = pixel(top, kHeight); y <= pixel(bottom, kHeight); ++y) {
      for (int x = pixel(left, kWidth); x <= pixel(right, kWidth); ++x) {
        const Vec3 share =
            Vec3(side(at[1], at[2], x + 0.5, y + 0.5), side(at[2], at[0], x + 0.5, y + 0.5), side(at[0], at[1], x + 0.5, y + 0.5)) / area;
        if (share.minCoeff() < 0) continue;
        put(x, y, share.dot(Vec3(at[0].z(), at[1].z(), at[2].z())), share.dot(ways));
      }
    }
  }

  const std::vector<double>& ways() const { return way_; }

 private:
  void put(int x, int y, double depth, double way) {
    const size_t i = static_cast<size_t>(y * kWidth + x);
    if (depth >= depth_[i]) return;
    depth_[i] = depth;
    way_[i] = way;
  }

  Vec3 eye_;
  render::CameraAxes axes_;
  double slope_;
  std::vector<double> depth_ = std::vector<double>(kWidth * kHeight, 1e300), way_ = std::vector<double>(kWidth * kHeight, -1);
};

void draw_item(const FrameItem& item, bool is_body, Picture& picture) {
  std::vector<Vec3> at;
  for (size_t v = 0; v < item.surface->positions.size(); ++v) at.push_back(picture.project(placed(item, v)));
  for (const Triangle& t : item.surface->triangles) {
    const std::array<size_t, 3> corner = {static_cast<size_t>(t[0]), static_cast<size_t>(t[1]), static_cast<size_t>(t[2])};
    const Vec3 ways = is_body ? Vec3(way_of(item, corner[0]), way_of(item, corner[1]), way_of(item, corner[2])) : Vec3::Constant(-1);
    picture.draw({at[corner[0]], at[corner[1]], at[corner[2]]}, ways);
  }
}

/// Directions from the target to the eye: all around, from low to high.
std::vector<Vec3> directions() {
  std::vector<Vec3> found;
  for (const double height : {12.0, 26.0, 42.0}) {
    for (int i = 0; i < 16; ++i) {
      const double up = height * std::numbers::pi / 180, around = (i + 0.5) * std::numbers::pi / 8;
      found.emplace_back(std::cos(up) * std::cos(around), std::sin(up), std::cos(up) * std::sin(around));
    }
  }
  return found;
}

std::vector<Bounds> points_of(std::span<const Frame> frames, int body) {
  std::vector<Bounds> points;
  for (const Frame& frame : frames) {
    for (const FrameItem& item : frame.items) {
      if (item.body != body || !item.surface) continue;
      const size_t stride = item.surface->positions.size() / 2000 + 1;
      for (size_t v = 0; v < item.surface->positions.size(); v += stride) points.push_back({placed(item, v), placed(item, v)});
    }
  }
  return points;
}

}  // namespace

double deepest(const Frame& frame, int body) {
  double most = 0;
  for (const FrameItem& item : frame.items) {
    if (item.body != body || !item.surface) continue;
    for (size_t v = 0; v < item.positions.size(); ++v) most = std::max(most, way_of(item, v));
  }
  return most;
}

Vec3 middle_of(const Frame& frame, int body) {
  Bounds bounds;
  for (const Bounds& point : points_of(std::span(&frame, 1), body)) bounds.add(point.low);
  return 0.5 * (bounds.low + bounds.high);
}

SeenShare seen_share(const Frame& frame, int body, const render::Camera& camera) {
  Picture picture(camera);
  for (const FrameItem& item : frame.items) {
    if (item.surface && item.look.visible && !item.backdrop) draw_item(item, item.body == body, picture);
  }
  const double most = std::max(deepest(frame, body), 1e-12);
  SeenShare share;
  for (const double way : picture.ways()) {
    if (way < 0) continue;
    share.body += 1.0 / (kWidth * kHeight);
    share.damage += std::pow(way / most, 4) / (kWidth * kHeight);
  }
  return share;
}

render::Camera find_view(std::span<const Frame> framed, std::span<const Frame> tiles, int body) {
  constexpr double kWholeBody = 0.1;  // worth of a pixel of the body against one of its damage
  const std::vector<Bounds> points = points_of(framed, body);
  render::FitSettings fit;
  render::Camera best;
  double most = -1;
  for (const Vec3& direction : directions()) {
    fit.direction = direction;
    const render::Camera camera = render::fit_camera(points, fit);
    double value = 0;
    for (const Frame& frame : tiles) {
      const SeenShare share = seen_share(frame, body, camera);
      value += share.damage + kWholeBody * share.body;
    }
    if (value > most * 1.001) most = value, best = camera;
  }
  return best;
}

}  // namespace crumple::cli
