#include "apps/cli/export_sheet.h"

#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/suggest.h"
#include "crumple/geometry/mesh.h"
#include "crumple/io/files.h"
#include "crumple/io/image.h"
#include "crumple/render/flat.h"
#include "crumple/render/sprite_sheet.h"

namespace crumple::cli {
namespace {

constexpr int kLongestCell = 4096;  // pixels

/// The body that is asked for, or the only one that is a drawing.
Result<int> find_body(const Playback& playback, const std::string& name) {
  std::vector<std::string> names, drawings;
  std::vector<int> numbers;
  for (const Body& body : playback.bodies()) {
    names.push_back(body.description->name);
    if (body.matter) drawings.push_back(names.back()), numbers.push_back(static_cast<int>(names.size()) - 1);
  }
  if (!name.empty()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return input_error(fmt::format("--body {}: there is no such body{}", name, suggestion(name, names)));
    return static_cast<int>(found - names.begin());
  }
  if (numbers.empty()) return input_error("the scene has no sprite; say which body is meant with --body");
  if (numbers.size() > 1) return input_error(fmt::format("the scene has {} sprites; say which one is meant with --body, such as \"{}\"", numbers.size(), drawings[0]));
  return numbers[0];
}

/// The body's items of a frame, and where its middle is.
struct Seen {
  Frame frame;
  Vec2 middle = Vec2::Zero();
  std::string doing;
};
Seen body_of(Frame frame, int body) {
  std::erase_if(frame.items, [&](const FrameItem& item) { return item.body != body; });
  Seen seen{std::move(frame), Vec2::Zero(), ""};
  if (seen.frame.items.empty()) return seen;
  seen.middle = seen.frame.items[0].place.translation.head<2>(), seen.doing = seen.frame.items[0].doing;
  return seen;
}

Bounds bounds_about_middle(const Seen& seen) {
  Bounds bounds;
  for (const FrameItem& item : seen.frame.items) {
    for (size_t i = 0; i < item.surface->positions.size(); ++i) {
      const Vec3 at = item.place * (item.positions.empty() ? item.surface->positions[i] : item.positions[i].cast<double>());
      bounds.add(at - Vec3(seen.middle.x(), seen.middle.y(), 0));
    }
  }
  return bounds;
}

}  // namespace

Result<void> export_sheet(Playback& playback, const SheetRequest& request, const ProgressOptions& progress_options) {
  if (!playback.scene().flat) return input_error("a sprite sheet is of a flat scene");
  const Result<int> body = find_body(playback, request.body);
  if (!body) return body.error();
  const std::vector<int>& numbers = request.frames;
  Bounds box;
  std::vector<Seen> all;
  for (const int number : numbers) {
    Result<Frame> frame = playback.frame(number);
    if (!frame) return frame.error();
    all.push_back(body_of(std::move(*frame), *body));
    if (const Bounds here = bounds_about_middle(all.back()); !all.back().frame.items.empty()) box.add(here.low), box.add(here.high);
  }
  if (!(box.diagonal() > 0)) return input_error(fmt::format("\"{}\" is not seen in any of these frames", playback.bodies()[at(*body)].description->name));
  render::FlatSettings settings;
  settings.background = false;
  settings.width = static_cast<int>(std::ceil((box.high.x() - box.low.x()) * request.pixels)) + 2, settings.height = static_cast<int>(std::ceil((box.high.y() - box.low.y()) * request.pixels)) + 2;
  if (settings.width > kLongestCell || settings.height > kLongestCell) {
    return input_error(fmt::format("--pixels {:g}: pictures of {} x {} pixels are too large; at most {}", request.pixels, settings.width, settings.height, kLongestCell));
  }
  const double height = settings.height / request.pixels;
  const Vec2 center = 0.5 * (box.low + box.high).head<2>();
  const std::string name = playback.bodies()[at(*body)].description->name;
  std::vector<render::SheetCell> cells;
  Progress progress(progress_options.style(), "export", static_cast<long>(numbers.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    if (interrupted()) return system_error("interrupted");
    Picture picture = render::render_flat(all[i].frame, {all[i].middle + center, height}, settings);
    cells.push_back({fmt::format("{} {:04}", name, numbers[i]), std::move(picture), request.every / playback.scene().fps, all[i].doing.empty() ? name : all[i].doing});
    progress.update(static_cast<long>(i) + 1);
  }
  progress.finish();
  const std::filesystem::path file = request.file, json = std::filesystem::path(file).replace_extension(".json");
  const Vec2 pivot(0.5 - center.x() * request.pixels / settings.width, 0.5 + center.y() * request.pixels / settings.height);
  const Result<render::SpriteSheet> sheet = render::pack_sprite_sheet(cells, {file.filename().string(), pivot});
  if (!sheet) return sheet.error();
  if (Result<void> written = io::write_png(file, sheet->picture); !written) return written;
  if (Result<void> written = io::write_file(json, write_json(sheet->json)); !written) return written;
  print("{}: {} frames of \"{}\", {} pictures in {} x {} pixels\n{}\n", request.file, cells.size(), name, sheet->pictures, sheet->picture.width, sheet->picture.height, json.string());
  return {};
}

}  // namespace crumple::cli
