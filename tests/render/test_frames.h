#pragma once

#include <memory>

#include "crumple/geometry/frame.h"
#include "crumple/render/preview.h"

namespace crumple::render {

inline FrameItem make_item(const std::string& name, TriMesh mesh, const Vec3& at, const Vec3f& color = Vec3f::Constant(0.8f)) {
  FrameItem item;
  item.name = name;
  item.surface = std::make_shared<TriMesh>(std::move(mesh));
  item.place.translation = at;
  item.look.color = color;
  return item;
}

inline FrameItem make_floor() {
  FrameItem floor = make_item("floor", make_plane_patch(Vec3::UnitY(), 0, 20), Vec3::Zero(), Vec3f::Constant(0.4f));
  floor.look.roughness = 0.9;
  floor.backdrop = true;
  return floor;
}

/// A white ball of radius 0.5 on the floor.
inline Frame ball_on_floor() {
  Frame frame;
  frame.items = {make_floor(), make_item("ball", make_sphere(0.5), Vec3(0, 0.5, 0))};
  return frame;
}

inline RenderSettings small_picture() {
  RenderSettings settings;
  settings.width = 120;
  settings.height = 80;
  settings.samples = 8;
  return settings;
}

/// From the front and a little above, the ball in the middle of the picture.
inline Camera front_camera() {
  Camera camera;
  camera.eye = Vec3(0, 1.5, 5);
  camera.target = Vec3(0, 0.5, 0);
  return camera;
}

/// The place of a point in the picture, in pixels.
inline Vec2f project(const Camera& camera, const Vec3& point, int width, int height) {
  const CameraAxes axes = axes_of(camera);
  const Vec3 offset = point - camera.eye;
  const double slope = std::tan(0.5 * camera.fov_degrees * 3.14159265358979 / 180);
  const double depth = offset.dot(axes.forward);
  const double x = offset.dot(axes.right) / (depth * slope * width / height), y = offset.dot(axes.up) / (depth * slope);
  return Vec2f(static_cast<float>(0.5 * (1 + x) * width), static_cast<float>(0.5 * (1 - y) * height));
}

/// Mean of the three colours, 0 .. 255, over a square of pixels.
inline double brightness_at(const Image& image, const Vec2f& middle, int radius = 1) {
  double sum = 0;
  int count = 0;
  for (int y = -radius; y <= radius; ++y) {
    for (int x = -radius; x <= radius; ++x) {
      const uint8_t* pixel = image.pixel(static_cast<int>(middle.x()) + x, static_cast<int>(middle.y()) + y);
      sum += pixel[0] + pixel[1] + pixel[2];
      count += 3;
    }
  }
  return sum / count;
}

}  // namespace crumple::render
