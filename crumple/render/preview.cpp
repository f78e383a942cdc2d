#include "crumple/render/preview.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/render/flat.h"
#include "crumple/render/integrate.h"

namespace crumple::render {
namespace {

constexpr int kTile = 16;           // pixels a side
constexpr int kLongestSide = 8192;  // pixels
constexpr int kMaxSamples = 4096;

Result<void> check(const Camera& camera, const RenderSettings& settings) {
  if (settings.width < 1 || settings.height < 1 || settings.width > kLongestSide || settings.height > kLongestSide) {
    return input_error(fmt::format("a picture of {} x {} pixels; each side must be within 1 .. {}", settings.width, settings.height, kLongestSide));
  }
  if (settings.samples < 1 || settings.samples > kMaxSamples) {
    return input_error(fmt::format("{} samples a pixel; must be within 1 .. {}", settings.samples, kMaxSamples));
  }
  if (!settings.sun.allFinite() || settings.sun.norm() < 1e-9) return input_error("the direction of the sun must be finite and not zero");
  if (!settings.background.allFinite() || settings.background.minCoeff() < 0)
    return input_error("the background colour must be finite and not negative");
  const bool sees = camera.eye.allFinite() && camera.target.allFinite() && camera.up.allFinite() && (camera.eye - camera.target).norm() > 1e-9;
  if (!sees) return input_error("the camera's eye and target must be finite and apart");
  if (!(camera.fov_degrees >= 1 && camera.fov_degrees <= 150)) {
    return input_error(fmt::format("a field of view of {} degrees; it must be within 1 .. 150", camera.fov_degrees));
  }
  return {};
}

Light make_light(const Camera& camera, const RenderSettings& settings) {
  Light light;
  light.up = camera.up.norm() > 1e-9 ? Vec3f(camera.up.normalized().cast<float>()) : Vec3f(Vec3f::UnitY());
  light.sun = settings.sun.normalized().cast<float>();
  light.background = settings.background;
  return light;
}

/// Pixels are traced in square tiles: neighbours meet the same parts of the scene.
void trace_tiles(const Shot& shot, Film& film, const Watch& watch) {
  const int columns = (film.width + kTile - 1) / kTile, rows = (film.height + kTile - 1) / kTile;
  film.edges.resize(static_cast<size_t>(columns) * rows);
  parallel_for(film.edges.size(), 1, [&](size_t begin, size_t end) {
    for (int tile = static_cast<int>(begin); tile < static_cast<int>(end) && !watch.cancelled(); ++tile) {
      const int left = tile % columns * kTile, top = tile / columns * kTile;
      for (int y = top; y < std::min(top + kTile, film.height); ++y) {
        for (int x = left; x < std::min(left + kTile, film.width); ++x) {
          const PixelLayers layers = integrate_pixel(shot, x, y);
          film.at(x, y) = layers.pixel;
          if (layers.second.share > 0) film.edges[static_cast<size_t>(tile)].push_back({x, y, layers.second});
        }
      }
    }
  });
}

}  // namespace

Result<Image> render_frame(const Frame& frame, const Camera& camera, const RenderSettings& settings, const Watch& watch) {
  if (const Result<void> sound = check(camera, settings); !sound) return sound.error();
  if (frame.flat) {
    FlatSettings flat;
    flat.width = settings.width, flat.height = settings.height;
    return to_image(render_flat(frame, window_of(camera), flat));
  }
  const double distance = (camera.eye - camera.target).norm();
  Result<Tracer> tracer = Tracer::create(gather_surface(frame, camera.target, settings.color), static_cast<float>(distance), static_cast<float>(pixel_slope(camera, settings.height)));
  if (!tracer) return tracer.error();
  const Shot shot = make_shot(*tracer, camera, make_light(camera, settings), settings.width, settings.height, settings.samples);
  Film film(settings.width, settings.height);
  film.eye = shot.eye;
  film.pixel_slope = shot.pixel_slope;
  trace_tiles(shot, film, watch);
  if (watch.cancelled()) return system_error(fmt::format("drawing frame {} was cancelled", frame.number));
  if (settings.smooth) denoise(film);
  return develop(film);
}

Result<void> render_frames(int count, const std::function<Result<Frame>(int)>& frame_at, const std::function<Camera(const Frame&)>& camera_at, const RenderSettings& settings,
                           const std::function<Result<void>(int, const Frame&, Image)>& take, const Watch& watch) {
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = frame_at(index);
    if (!frame) return frame.error();
    Result<Image> image = render_frame(*frame, camera_at(*frame), settings, watch);
    if (!image) return image.error();
    if (Result<void> taken = take(index, *frame, std::move(*image)); !taken) return taken;
    if (watch.progress) watch.progress(index + 1, count);
  }
  return {};
}

}  // namespace crumple::render
