#include "apps/cli/pictures.h"

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "crumple/scene/animation.h"
#include "crumple/world/report.h"

#include "crumple/render/flat.h"
#include "crumple/render/sheet.h"
#include "crumple/render/video.h"

namespace crumple::cli {
namespace {

/// `count` recorded frames spread evenly from the first to the last.
std::vector<int> spread_frames(const std::vector<int>& frames, int count) {
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / (count - 1) : 1.0;
    chosen.push_back(frames[static_cast<size_t>(std::lround(share * static_cast<double>(frames.size() - 1)))]);
  }
  return chosen;
}

/// What has become of the bodies that can change, after the last frame was looked at.
std::string sheet_footer(const Playback& playback) {
  const Scene& scene = playback.scene();
  std::string text = scene.title.empty() ? "crumple" : scene.title;
  for (const std::string& line : footers_of(playback.bodies())) text += "   " + line;
  return text;
}

Picture see_through(const Frame& frame, const render::Camera& camera, const PictureOptions& options) {
  render::FlatSettings settings;
  settings.width = options.render.width, settings.height = options.render.height, settings.background = false;
  return render::render_flat(frame, render::window_of(camera), settings);
}

/// It looks along -z of its place, with y up.
render::Camera camera_at(const Transform& place, double fov_degrees) {
  render::Camera camera;
  camera.eye = place.translation, camera.target = place * Vec3(0, 0, -1), camera.up = place.rotation.col(1);
  camera.fov_degrees = fov_degrees;
  return camera;
}

/// All frames of a recording, in order.
Result<void> each_frame(Playback& playback, const PictureOptions& options, const std::function<Result<void>(const Frame&)>& take) {
  for (const int number : playback.frames()) {
    const Result<Frame> frame = playback.frame(number, options.view);
    if (!frame) return frame.error();
    if (interrupted()) return system_error("interrupted");
    if (Result<void> taken = take(*frame); !taken) return taken.error();
  }
  return {};
}

}  // namespace

render::Camera Filming::at(double time) const {
  return motion ? camera_at(motion->at(clip_time(clip, *motion, time)), camera.fov_degrees) : camera;
}

Result<Filming> choose_camera(Playback& playback, const PictureOptions& options) {
  const CameraDescription& given = playback.scene().camera;
  Result<std::optional<io::NodeMotion>> motion = read_camera(playback.scene());
  if (!motion) return motion.error();
  render::Camera camera;
  if (*motion) {
    const double fov = given.fov.value_or((*motion)->fov_degrees.value_or(camera.fov_degrees));
    camera.fov_degrees = fov;
    const Filming filming{camera, given.clip, std::move(*motion)};
    if (options.camera.empty()) return filming;
    // What the command line leaves open is as the file's camera has it at the start.
    const Result<render::Camera> asked = render::parse_camera(options.camera, filming.at(0));
    return asked ? Filming{*asked, {}, {}} : Result<Filming>(asked.error());
  }
  if (given.fov) camera.fov_degrees = *given.fov;
  if (given.eye && given.target) {
    camera.eye = *given.eye, camera.target = *given.target;
  } else {
    std::vector<Frame> frames;
    for (const int number : spread_frames(playback.frames(), 12)) {
      Result<Frame> frame = playback.frame(number, View{"", options.view.particles});
      if (!frame) return frame.error();
      frames.push_back(std::move(*frame));
    }
    render::FitSettings fit;
    fit.aspect = static_cast<double>(options.render.width) / options.render.height;
    fit.fov_degrees = camera.fov_degrees;
    if (playback.scene().flat) fit.direction = Vec3::UnitZ();
    for (const Body& body : playback.bodies()) {
      if (!body.layers.empty() || !own_pieces(body).empty() || body.matter) fit.names.push_back(body.description->name);
    }
    camera = render::fit_camera(frames, fit);
  }
  if (!options.camera.empty()) {
    const Result<render::Camera> asked = render::parse_camera(options.camera, camera);
    if (!asked) return asked.error();
    camera = *asked;
  }
  return Filming{camera, {}, {}};
}

Result<void> make_picture(Playback& playback, const PictureOptions& options, const std::filesystem::path& file, const ProgressOptions& progress_options) {
  if (playback.frames().empty()) return input_error("the recording has no frames yet");
  const Result<Filming> camera = choose_camera(playback, options);
  if (!camera) return camera.error();
  if (options.transparent) {
    const Result<Frame> frame = playback.frame(*options.frame, options.view);
    if (!frame) return frame.error();
    return io::write_png(file, see_through(*frame, camera->at(frame->time), options));
  }
  std::vector<int> numbers = options.frame ? std::vector{*options.frame} : spread_frames(playback.frames(), options.columns * options.rows);
  std::vector<io::Image> tiles;
  std::vector<std::string> captions;
  Progress progress(progress_options.style(), "render", static_cast<long>(numbers.size()));
  const auto frame_at = [&](int index) { return playback.frame(numbers[static_cast<size_t>(index)], options.view); };
  const auto take = [&](int index, const Frame& frame, io::Image image) -> Result<void> {
    tiles.push_back(std::move(image));
    captions.push_back(fmt::format("{:.{}f} s   frame {}", frame.time, playback.scene().fps > 200 ? 4 : 2, frame.number));
    progress.update(index + 1);
    return {};
  };
  render::Watch watch;
  watch.cancel = &interrupts();
  if (Result<void> done = render::render_frames(static_cast<int>(numbers.size()), frame_at, [&](const Frame& frame) { return camera->at(frame.time); }, options.render, take, watch); !done) return done.error();
  progress.finish();
  return io::write_png(file, options.frame ? tiles[0] : render::contact_sheet(tiles, options.columns, captions, sheet_footer(playback)));
}

Result<void> make_video(Playback& playback, const PictureOptions& options, const std::filesystem::path& file, const ProgressOptions& progress_options) {
  if (playback.frames().empty()) return input_error("the recording has no frames yet");
  const Result<Filming> camera = choose_camera(playback, options);
  if (!camera) return camera.error();
  Result<render::VideoWriter> video = render::VideoWriter::create(file, options.render.width, options.render.height, playback.scene().fps);
  if (!video) return video.error();
  Progress progress(progress_options.style(), "render", static_cast<long>(playback.frames().size()));
  if (options.transparent) {
    long done = 0;
    const auto add = [&](const Frame& frame) {
      progress.update(++done);
      return video->add(see_through(frame, camera->at(frame.time), options));
    };
    if (Result<void> drawn = each_frame(playback, options, add); !drawn) return drawn.error();
    return video->finish();
  }
  const auto frame_at = [&](int index) { return playback.frame(playback.frames()[static_cast<size_t>(index)], options.view); };
  const auto take = [&](int index, const Frame&, io::Image image) -> Result<void> {
    progress.update(index + 1);
    return video->add(image);
  };
  render::Watch watch;
  watch.cancel = &interrupts();
  const int count = static_cast<int>(playback.frames().size());
  if (Result<void> done = render::render_frames(count, frame_at, [&](const Frame& frame) { return camera->at(frame.time); }, options.render, take, watch); !done) return done.error();
  return video->finish();
}

}  // namespace crumple::cli
