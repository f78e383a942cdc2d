#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "crumple/io/export.h"
#include "crumple/io/export_check.h"
#include "crumple/io/files.h"
#include "crumple/io/ply.h"

namespace crumple::io {
namespace {

std::vector<Vec3> world_positions(const FrameItem& item) {
  std::vector<Vec3> result;
  result.reserve(item.surface->positions.size());
  if (item.positions.empty()) {
    for (const Vec3& position : item.surface->positions) result.push_back(item.place * position);
  } else {
    for (const Vec3f& position : item.positions) result.push_back(item.place * position.cast<double>());
  }
  return result;
}

Result<void> check(const Frame& frame) {
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    std::string trouble = trouble_with_item(item);
    if (trouble.empty()) trouble = trouble_with_surface(*item.surface);
    if (!trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", frame.number, item.name, trouble));
  }
  return {};
}

/// Names in OBJ end at the first blank.
std::string group_name(const std::string& name) {
  std::string result = name.empty() ? "item" : name;
  for (char& letter : result) {
    if (static_cast<unsigned char>(letter) <= ' ') letter = '_';
  }
  return result;
}

/// Corner indices continue from item to item and start at 1.
void write_group(const FrameItem& item, size_t& vertices, size_t& uvs, std::string& out) {
  auto to = std::back_inserter(out);
  const TriMesh& mesh = *item.surface;
  fmt::format_to(to, "g {}\n", group_name(item.name));
  for (const Vec3& p : world_positions(item)) fmt::format_to(to, "v {:.9g} {:.9g} {:.9g}\n", p.x(), p.y(), p.z());
  for (const Vec2f& uv : mesh.uvs) fmt::format_to(to, "vt {:.9g} {:.9g}\n", uv.x(), 1 - uv.y());  // upwards here
  for (const Triangle& triangle : mesh.triangles) {
    out += 'f';
    for (const int corner : triangle) {
      const auto index = static_cast<size_t>(corner) + 1;
      fmt::format_to(to, " {}", vertices + index);
      if (!mesh.uvs.empty()) fmt::format_to(to, "/{}", uvs + index);
    }
    out += '\n';
  }
  vertices += mesh.positions.size();
  uvs += mesh.uvs.size();
}

void append_item(const FrameItem& item, bool with_colors, TriMesh& merged) {
  const auto first = static_cast<int>(merged.positions.size());
  const std::vector<Vec3> positions = world_positions(item);
  merged.positions.insert(merged.positions.end(), positions.begin(), positions.end());
  for (const Triangle& t : item.surface->triangles) merged.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  if (!with_colors) return;
  if (item.colors.empty()) {
    merged.colors.insert(merged.colors.end(), positions.size(), item.look.color);
  } else {
    merged.colors.insert(merged.colors.end(), item.colors.begin(), item.colors.end());
  }
}

Result<ExportReport> written(const Frame& frame, const std::filesystem::path& file, const std::string& bytes) {
  if (auto done = write_file(file, bytes); !done) return done.error();
  ExportReport report;
  report.frames = 1;
  report.nodes = static_cast<int>(std::count_if(frame.items.begin(), frame.items.end(), is_drawn));
  report.meshes = 1;
  report.bytes = bytes.size();
  return report;
}

}  // namespace

Result<ExportReport> export_obj(const Frame& frame, const std::filesystem::path& file) {
  if (auto good = check(frame); !good) return good.error();
  std::string text;
  size_t vertices = 0, uvs = 0;
  for (const FrameItem& item : frame.items) {
    if (is_drawn(item)) write_group(item, vertices, uvs, text);
  }
  return written(frame, file, text);
}

Result<ExportReport> export_ply(const Frame& frame, const std::filesystem::path& file) {
  if (auto good = check(frame); !good) return good.error();
  const bool with_colors =
      std::any_of(frame.items.begin(), frame.items.end(), [](const FrameItem& item) { return is_drawn(item) && !item.colors.empty(); });
  TriMesh merged;
  for (const FrameItem& item : frame.items) {
    if (is_drawn(item)) append_item(item, with_colors, merged);
  }
  return written(frame, file, write_ply(merged));
}

}  // namespace crumple::io
