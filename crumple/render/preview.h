#pragma once

#include <functional>

#include "crumple/core/result.h"
#include "crumple/core/stop.h"
#include "crumple/geometry/frame.h"
#include "crumple/io/image.h"
#include "crumple/render/camera.h"
#include "crumple/render/scene_surface.h"

namespace crumple::render {

using io::Image;

struct RenderSettings {
  int width = 960;
  int height = 540;
  int samples = 10;  // rays a pixel: 8 .. 12 are clean, 64 are flawless
  ColorMode color = ColorMode::Plain;
  Vec3f background = Vec3f(0.82f, 0.83f, 0.85f);  // linear light, before the filmic curve
  Vec3 sun = Vec3(-0.62, 0.60, 0.50);             // towards the sun
  bool smooth = true;                             // smooth what noise is left
};

/// What goes on while pictures are made. Both may be left out.
struct Watch {
  std::function<void(int done, int total)> progress;
  const StopFlag* cancel = nullptr;  // set it to stop soon with an error
  bool cancelled() const { return cancel && cancel->requested(); }
};

/// One picture of one frame. The same bytes for any number of threads.
Result<Image> render_frame(const Frame& frame, const Camera& camera, const RenderSettings& settings, const Watch& watch = {});

/// Pictures of `count` frames, one after the other: `frame_at` brings each, `camera_at` says from where, `take` gets its picture. The first error ends it.
Result<void> render_frames(int count, const std::function<Result<Frame>(int index)>& frame_at, const std::function<Camera(const Frame&)>& camera_at, const RenderSettings& settings,
                           const std::function<Result<void>(int index, const Frame&, Image)>& take, const Watch& watch = {});

}  // namespace crumple::render
