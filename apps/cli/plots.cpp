#include "apps/cli/plots.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "crumple/core/suggest.h"
#include "crumple/geometry/winding.h"
#include "crumple/io/files.h"
#include "crumple/render/plot.h"
#include "crumple/run/playback.h"
#include "crumple/run/recording_folder.h"
#include "crumple/run/timings.h"
#include "crumple/scene/scene.h"
#include "crumple/world/report.h"

namespace crumple::cli {
namespace fs = std::filesystem;
namespace {

render::Plot timing_plot(const Scene& scene, const std::vector<FrameTiming>& rows) {
  render::Plot plot;
  plot.title = scene.title.empty() ? scene.file.stem().string() : scene.title;
  plot.x_label = fmt::format("frame ({:g} per second)", scene.fps), plot.y_label = "CPU time per frame (ms)", plot.unit = "ms";
  plot.series = {{"rigid bodies", "#3f6fa3", {}}, {"deformation", "#e6973c", {}}};
  double rigid = 0, deform = 0, soft = 0;
  std::vector<double> matter;
  for (const FrameTiming& row : rows) {
    const double of_matter = std::min(row.matter_ms, row.deform_ms);
    plot.x.push_back(row.frame);
    plot.series[0].values.push_back(row.rigid_ms), plot.series[1].values.push_back(row.deform_ms - of_matter), matter.push_back(of_matter);
    rigid += row.rigid_ms, deform += row.deform_ms, soft += of_matter;
  }
  const double frames = static_cast<double>(rows.size());
  const std::string of_which = soft > 0 ? fmt::format(" ({:.2f} s of matter)", 1e-3 * soft) : "";
  plot.subtitle = fmt::format("{} frames: rigid bodies {:.2f} s, deformation {:.2f} s{}; {:.2f} ms per frame on average", rows.size(), 1e-3 * rigid,
                              1e-3 * deform, of_which, (rigid + deform) / frames);
  if (soft > 0) plot.series.push_back({"matter", "#7a5aa6", std::move(matter)});
  plot.limit = {"real time", 1e3 / scene.fps};
  return plot;
}

Result<std::string> draw_timing(const fs::path& folder) {
  const RecordingFolder names{folder};
  std::error_code ignored;
  if (!fs::exists(names.timings(), ignored))
    return input_error(fmt::format("{}: has no timings.csv, which 'crumple run' writes; run the scene again", folder.string()));
  Result<Scene> scene = load_scene(names.scene());
  if (!scene) return scene.error();
  Result<std::vector<FrameTiming>> rows = read_timings(names.timings());
  if (!rows) return rows.error();
  if (rows->empty()) return input_error(fmt::format("{}: holds no frame yet", names.timings().string()));
  return render::write_svg(timing_plot(*scene, *rows));
}

constexpr const char* kLineColors[] = {"#b3452c", "#3a7d44", "#3f6fa3", "#e6973c", "#7a5aa6", "#5d666f", "#c2185b", "#00838f"};

/// Lines of one number for each body that has it, over the frames of a recording.
struct Lines {
  Playback& playback;
  render::Plot plot;

  explicit Lines(Playback& of) : playback(of) {
    const Scene& scene = of.scene();
    plot.title = scene.title.empty() ? scene.file.stem().string() : scene.title;
    plot.x_label = fmt::format("frame ({:g} per second)", scene.fps), plot.stacked = false;
    for (const int frame : of.frames()) plot.x.push_back(frame);
  }
  /// Numbers that a line does not get stay 0.
  std::vector<double>& line(const std::string& name) {
    for (render::Plot::Series& series : plot.series) {
      if (series.name == name) return series.values;
    }
    plot.series.push_back({name, kLineColors[plot.series.size() % std::size(kLineColors)], std::vector<double>(plot.x.size(), 0.0)});
    return plot.series.back().values;
  }
};

/// Volume that the triangles of a drawn body enclose.
std::map<std::string, double> drawn_volumes(const Frame& frame) {
  std::map<std::string, double> volumes;
  for (const FrameItem& item : frame.items) {
    if (!item.surface || item.positions.size() != item.surface->positions.size()) continue;
    std::vector<Vec3> positions;
    for (const Vec3f& p : item.positions) positions.push_back(p.cast<double>());
    volumes[item.name] += signed_volume(positions, item.surface->triangles);
  }
  return volumes;
}

/// Volumes of bodies that can change, as drawn and, where a method tells it, as it was estimated (thesis, figure 3.10), as shares of the first.
Result<std::string> draw_volume(Playback& playback) {
  Lines lines(playback);
  lines.plot.y_label = "volume, share of the first";
  std::map<std::string, double> first;
  const auto add = [&](const std::string& name, double volume, size_t at) {
    const double whole = first.try_emplace(name, volume).first->second;
    if (whole > 0) lines.line(name)[at] = std::max(volume / whole, 0.0);
  };
  for (size_t at = 0; at < playback.frames().size(); ++at) {
    const Result<Frame> frame = playback.frame(playback.frames()[at]);
    if (!frame) return frame.error();
    const std::map<std::string, double> drawn = drawn_volumes(*frame);
    for (const Body& body : playback.bodies()) {
      const std::optional<BodyReport> report = report_of(body, playback.scene().fps, {});
      const auto volume = drawn.find(body.description->name);
      if (!report || volume == drawn.end()) continue;
      add(body.description->name, volume->second, at);
      if (const Json* estimated = report->methods.figures.find("estimated_volume")) add(body.description->name + ", estimated", estimated->number, at);
    }
  }
  if (lines.plot.series.empty()) return input_error("--plot volume: nothing in this recording changes its shape");
  lines.plot.subtitle = fmt::format("{} frames", lines.plot.x.size());
  return render::write_svg(lines.plot);
}

/// A figure of run.json over the frames.
Result<std::string> draw_figure(Playback& playback, const std::string& name) {
  Lines lines(playback);
  lines.plot.y_label = name;
  std::vector<std::string> known = {"timing", "volume"};
  for (size_t at = 0; at < playback.frames().size(); ++at) {
    if (const Result<Frame> frame = playback.frame(playback.frames()[at]); !frame) return frame.error();
    for (const Body& body : playback.bodies()) {
      const std::optional<BodyReport> report = report_of(body, playback.scene().fps, {});
      if (!report) continue;
      for (const Json* figures : {&report->methods.figures, &report->bond_figures}) {
        for (const auto& [key, value] : figures->members) {
          if (!value.is_number()) continue;
          if (at == 0) known.push_back(key);
          if (key == name) lines.line(body.description->name)[at] = std::max(value.number, 0.0);
        }
      }
    }
    if (at == 0 && std::find(known.begin(), known.end(), name) == known.end()) {
      const std::set<std::string> figures(known.begin() + 2, known.end());
      return input_error(fmt::format("--plot {}: there is no such plot{}", name, suggestion(name, known, fmt::format("; one of: timing, volume{}{}", figures.empty() ? "" : ", ", fmt::join(figures, ", ")))));
    }
  }
  return render::write_svg(lines.plot);
}

/// What can be told about the output before any work has gone into it.
Result<void> check_svg(const fs::path& file) {
  if (file.extension() != ".svg") return input_error(fmt::format("{}: plots are .svg", file.string()));
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return input_error(fmt::format("{}: is a folder; choose another name", file.string()));
  const fs::path folder = file.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return input_error(fmt::format("{}: cannot be created: there is no folder {}", file.string(), folder.string()));
  return {};
}

}  // namespace

Result<void> make_plot(const std::string& name, const fs::path& folder, const fs::path& file) {
  if (Result<void> possible = check_svg(file); !possible) return possible.error();
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || !is_recording(folder)) {
    return input_error(fmt::format("{}: no such recording (a folder made by 'crumple run')", folder.string()));
  }
  Result<std::string> svg = std::string();
  if (name == "timing") {
    svg = draw_timing(folder);
  } else {
    Result<Playback> playback = Playback::open(folder);
    if (!playback) return playback.error();
    svg = name == "volume" ? draw_volume(*playback) : draw_figure(*playback, name);
  }
  if (!svg) return svg.error();
  return io::write_file(file, *svg);
}

}  // namespace crumple::cli
