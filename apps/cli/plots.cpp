#include "apps/cli/plots.h"

#include <algorithm>

#include <fmt/format.h>

#include "crumple/core/suggest.h"
#include "crumple/io/files.h"
#include "crumple/render/plot.h"
#include "crumple/run/recording_folder.h"
#include "crumple/scene/scene.h"
#include "crumple/run/timings.h"

namespace crumple::cli {
namespace fs = std::filesystem;
namespace {

render::StackedPlot timing_plot(const Scene& scene, const std::vector<FrameTiming>& rows) {
  render::StackedPlot plot;
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

struct Plot {
  const char* name;
  Result<std::string> (*draw)(const fs::path& folder);
};
constexpr Plot kPlots[] = {{"timing", draw_timing}};

Result<const Plot*> find_plot(const std::string& name) {
  for (const Plot& plot : kPlots) {
    if (name == plot.name) return &plot;
  }
  return input_error(fmt::format("--plot {}: there is no such plot{}", name,
                                 suggestion(name, plot_names(), fmt::format("; one of: {}", fmt::join(plot_names(), ", ")))));
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

std::vector<std::string> plot_names() {
  std::vector<std::string> names;
  for (const Plot& plot : kPlots) names.emplace_back(plot.name);
  return names;
}

Result<void> make_plot(const std::string& name, const fs::path& folder, const fs::path& file) {
  Result<const Plot*> plot = find_plot(name);
  if (!plot) return plot.error();
  if (Result<void> possible = check_svg(file); !possible) return possible.error();
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || !is_recording(folder)) {
    return input_error(fmt::format("{}: no such recording (a folder made by 'crumple run')", folder.string()));
  }
  Result<std::string> svg = (*plot)->draw(folder);
  if (!svg) return svg.error();
  return io::write_file(file, *svg);
}

}  // namespace crumple::cli
