#include "crumple/render/camera.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace crumple::render {
namespace {

constexpr double kFarthest = 1e6;  // metres; anything beyond has blown up and is not worth a picture

bool is_sound(const Bounds& bounds) {
  return !bounds.empty() && bounds.low.allFinite() && bounds.high.allFinite() && bounds.low.cwiseAbs().maxCoeff() < kFarthest &&
         bounds.high.cwiseAbs().maxCoeff() < kFarthest;
}

Vec3 center_of(const Bounds& bounds) {
  return 0.5 * (bounds.low + bounds.high);
}

Vec3 corner_of(const Bounds& bounds, int corner) {
  return {corner & 1 ? bounds.high.x() : bounds.low.x(), corner & 2 ? bounds.high.y() : bounds.low.y(),
          corner & 4 ? bounds.high.z() : bounds.low.z()};
}

Bounds bounds_of_item(const FrameItem& item) {
  Bounds bounds;
  auto add = [&](const Vec3& point) {
    const Vec3 placed = item.place * point;
    if (placed.allFinite()) bounds.add(placed);
  };
  if (!item.positions.empty()) {
    for (const Vec3f& point : item.positions) add(point.cast<double>());
  } else if (item.surface) {
    for (const Vec3& point : item.surface->positions) add(point);
  }
  return bounds;
}

bool is_named(const std::string& item, std::span<const std::string> names) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return item == name || (item.size() > name.size() && item.starts_with(name) && item[name.size()] == '/');
  });
}

/// Where each item is over time, by name and piece.
using Tracks = std::map<std::pair<std::string, int>, std::vector<Bounds>>;

Tracks tracks_of(std::span<const Frame> frames) {
  Tracks tracks;
  for (const Frame& frame : frames) {
    for (const FrameItem& item : frame.items) {
      if (item.backdrop || !item.look.visible) continue;
      const Bounds bounds = bounds_of_item(item);
      if (is_sound(bounds)) tracks[{item.name, item.piece}].push_back(bounds);
    }
  }
  return tracks;
}

/// A track of fewer frames than there are appeared or went away: that too is motion.
bool is_moving(const std::vector<Bounds>& track, size_t frame_count) {
  if (track.size() < frame_count) return true;
  const double slack = 1e-3 * track.front().diagonal();
  return std::ranges::any_of(
      track, [&](const Bounds& now) { return (now.low - track.front().low).norm() > slack || (now.high - track.front().high).norm() > slack; });
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Drops the bounds much farther from the middle of the action than nine in ten are: one body flung away must not shrink the rest.
std::vector<Bounds> without_outliers(std::vector<Bounds> bounds) {
  if (bounds.size() < 4) return bounds;
  Vec3 middle;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const Bounds& each : bounds) values.push_back(center_of(each)[axis]);
    middle[axis] = median_of(std::move(values));
  }
  std::vector<double> reach;
  for (const Bounds& each : bounds) reach.push_back((center_of(each) - middle).norm() + 0.5 * each.diagonal());
  std::vector<double> sorted = reach;
  std::ranges::sort(sorted);
  const double limit = 2.5 * sorted[(sorted.size() - 1) * 9 / 10];
  std::vector<Bounds> kept;
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (reach[i] <= limit) kept.push_back(bounds[i]);
  }
  return kept;
}

/// Where along one axis of the picture the eye must be, and how far forward it may go at most, to see every point: those of the
/// two border planes that touch the points meet there.
struct AxisFit {
  double across, forward;
};
AxisFit fit_axis(std::span<const Vec3> points, const Vec3& axis, const Vec3& forward, double slope) {
  double upper = -1e300, lower = -1e300;
  for (const Vec3& point : points) {
    const double depth = slope * point.dot(forward);
    upper = std::max(upper, point.dot(axis) - depth);
    lower = std::max(lower, -point.dot(axis) - depth);
  }
  return {0.5 * (upper - lower), -0.5 * (upper + lower) / slope};
}

bool parse_number(std::string_view text, double& number) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc() && end == text.data() + text.size() && std::isfinite(number) && std::abs(number) < kFarthest;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool parse_point(std::string_view text, Vec3& point) {
  const auto parts = split(text, ',');
  return parts.size() == 3 && parse_number(parts[0], point.x()) && parse_number(parts[1], point.y()) && parse_number(parts[2], point.z());
}

}  // namespace

double pixel_slope(const Camera& camera, int height) {
  return 2 * std::tan(0.5 * camera.fov_degrees * std::numbers::pi / 180) / height;
}

CameraAxes axes_of(const Camera& camera) {
  Vec3 forward = camera.target - camera.eye;
  if (!forward.allFinite() || forward.norm() < 1e-12) forward = -kPleasantDirection;
  forward.normalize();
  Vec3 right = forward.cross(camera.up);
  if (!right.allFinite() || right.norm() < 1e-6 * std::max(1e-6, camera.up.norm())) right = forward.unitOrthogonal();
  right.normalize();
  return {right, right.cross(forward), forward};
}

Camera fit_camera(std::span<const Bounds> bounds, const FitSettings& settings) {
  Camera camera;
  camera.up = settings.up;
  camera.fov_degrees = std::clamp(settings.fov_degrees, 1.0, 150.0);
  std::vector<Vec3> corners;
  Bounds all;
  for (const Bounds& each : bounds) {
    if (!is_sound(each)) continue;
    for (int corner = 0; corner < 8; ++corner) {
      corners.push_back(corner_of(each, corner));
      all.add(corners.back());
    }
  }
  const bool usable = settings.direction.allFinite() && settings.direction.norm() > 1e-12;
  const Vec3 direction = (usable ? settings.direction : kPleasantDirection).normalized();
  if (corners.empty()) {
    camera.eye = camera.target + 8.0 * direction;
    return camera;
  }
  camera.target = center_of(all);
  camera.eye = camera.target + direction;
  const CameraAxes axes = axes_of(camera);
  const double slope_up = std::tan(0.5 * camera.fov_degrees * std::numbers::pi / 180) * (1 - 2 * std::clamp(settings.margin, 0.0, 0.4));
  const AxisFit wide = fit_axis(corners, axes.right, axes.forward, slope_up * std::max(settings.aspect, 1e-3));
  const AxisFit tall = fit_axis(corners, axes.up, axes.forward, slope_up);
  // The smallest distance keeps a single point from ending up inside the eye.
  const double depth = camera.target.dot(axes.forward), size = all.diagonal();
  const double forward = std::min({wide.forward, tall.forward, depth - (size > 1e-6 ? 0.6 * size : 0.05)});
  camera.eye = wide.across * axes.right + tall.across * axes.up + forward * axes.forward;
  camera.target = camera.eye + (depth - forward) * axes.forward;
  return camera;
}

std::vector<Bounds> bounds_to_fit(std::span<const Frame> frames, std::span<const std::string> names) {
  std::vector<Bounds> named, moving, all;
  for (const auto& [key, track] : tracks_of(frames)) {
    if (is_named(key.first, names)) named.insert(named.end(), track.begin(), track.end());
    if (is_moving(track, frames.size())) moving.insert(moving.end(), track.begin(), track.end());
    all.insert(all.end(), track.begin(), track.end());
  }
  return without_outliers(std::move(!named.empty() ? named : !moving.empty() ? moving : all));
}

Camera fit_camera(std::span<const Frame> frames, const FitSettings& settings) {
  return fit_camera(bounds_to_fit(frames, settings.names), settings);
}

Result<Camera> parse_camera(std::string_view text, const Camera& otherwise) {
  const Error error = input_error(
      fmt::format("camera \"{}\": cannot be understood; write \"x,y,z\" for the eye, \"x,y,z:x,y,z\" for eye and target, and \":fov\" in degrees "
                  "behind either, such as \"4,3,6:0,1,0:35\"",
                  text));
  Camera camera = otherwise;
  auto parts = split(text, ':');
  if (parts.size() > 1 && parts.back().find(',') == std::string_view::npos) {
    if (!parse_number(parts.back(), camera.fov_degrees)) return error;
    if (camera.fov_degrees < 1 || camera.fov_degrees > 150) {
      return input_error(fmt::format("camera \"{}\": a field of view of {} degrees; it must be within 1 .. 150", text, camera.fov_degrees));
    }
    parts.pop_back();
  }
  if (parts.size() > 2 || !parse_point(parts[0], camera.eye)) return error;
  if (parts.size() == 2 && !parse_point(parts[1], camera.target)) return error;
  if ((camera.eye - camera.target).norm() < 1e-6) return input_error(fmt::format("camera \"{}\": eye and target are the same place", text));
  return camera;
}

}  // namespace crumple::render
