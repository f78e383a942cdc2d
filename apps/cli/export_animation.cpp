#include "apps/cli/export_animation.h"

#include <fmt/format.h>

#include "apps/cli/pictures.h"
#include "crumple/render/light.h"

namespace crumple::cli {
namespace {

io::ExportCamera export_camera(const render::Camera& camera) {
  const render::CameraAxes axes = render::axes_of(camera);
  io::ExportCamera given;
  given.place.rotation << axes.right, axes.up, -axes.forward;
  given.place.translation = camera.eye;
  given.fov_degrees = camera.fov_degrees;
  return given;
}

io::ExportSun export_sun() {
  const render::Light light;
  io::ExportSun sun;
  sun.toward = render::RenderSettings().sun.normalized();
  sun.irradiance = light.sun_irradiance;
  sun.radius = double{light.sun_radius};
  return sun;
}

}  // namespace

Result<io::ExportSettings> export_settings(Playback& playback, const AnimationOptions& options, const std::vector<int>& frames) {
  io::ExportSettings settings;
  settings.name = playback.scene().title.empty() ? "crumple" : playback.scene().title;
  settings.fps = playback.scene().fps;
  settings.colors = options.colors;
  settings.tolerance = 1e-3 * options.tolerance;
  settings.max_bytes = static_cast<size_t>(1e6 * options.max_size);
  if (options.bare) return settings;
  const PictureOptions picture;
  const Result<Filming> camera = choose_camera(playback, picture);
  if (!camera) return camera.error();
  if (camera->motion && camera->motion->moves()) {
    for (const int frame : frames) settings.cameras.push_back(export_camera(camera->at(playback.time(frame))));
  } else {
    settings.cameras.push_back(export_camera(camera->at(0)));
  }
  settings.aspect = static_cast<double>(picture.render.width) / picture.render.height;
  settings.sun = export_sun();
  return settings;
}

Result<io::ExportReport> export_animation(Playback& playback, const std::filesystem::path& file, const AnimationOptions& options, const ProgressOptions& progress_options) {
  const std::vector<int> frames = playback.frames();
  if (frames.empty()) return input_error("the recording has no frames yet");
  const Result<io::ExportSettings> settings = export_settings(playback, options, frames);
  if (!settings) return settings.error();
  // What is torn is another thing in every stretch of frames, so the last frame does not show them all.
  bool every = false;
  for (const Body& body : playback.bodies()) every = every || body.matter;
  Progress progress(progress_options.style(), "export", (every ? 4 : 2) * static_cast<long>(frames.size()));  // torn surfaces are looked at twice before
  long done = 0;
  const io::FrameSource source = [&](int index) -> Result<Frame> {
    if (interrupted()) return system_error("interrupted");
    progress.update(++done);
    const bool colored = options.colors && (every || static_cast<size_t>(index) + 1 == frames.size());
    return playback.frame(frames[static_cast<size_t>(index)], colored ? View{"state"} : View());
  };
  return io::export_glb(source, static_cast<int>(frames.size()), *settings, file);
}

std::string exactness(const io::ExportReport& report) {
  std::string text = fmt::format("no vertex more than {:.2g} mm off", 1e3 * report.worst);
  if (!report.worst_item.empty()) text += fmt::format(" (measured; \"{}\" in frame {})", report.worst_item, report.worst_frame);
  if (report.compact) text += "; shapes are in small whole numbers (KHR_mesh_quantization)";
  if (report.scale > 1) text += fmt::format("; to keep to --max-size, tolerances are {:.3g} times as large", report.scale);
  return text;
}

}  // namespace crumple::cli
