// Vertex animation textures: places and normals of all vertices, one stretch of rows a frame, for shaders of game engines.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/json.h"
#include "crumple/io/export.h"
#include "crumple/io/export_cached.h"
#include "crumple/io/export_merge.h"
#include "crumple/io/exr.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/io/image.h"

namespace crumple::io {
namespace {

constexpr int kMaxWidth = 8192, kMaxHeight = 16384;  // pixels that engines load
constexpr double kLargest16 = 65535;

/// Which pixel a vertex has in a frame.
struct TexelLayout {
  int vertices = 0, frames = 0;
  int width = 0, rows = 0;  // rows of a frame

  int height() const { return rows * frames; }
  size_t pixel(int frame, int vertex) const { return at(frame) * at(rows) * at(width) + at(vertex); }
  Vec2f uv(int vertex) const {
    return {(static_cast<float>(vertex % width) + 0.5f) / static_cast<float>(width), (static_cast<float>(vertex / width) + 0.5f) / static_cast<float>(height())};
  }
};

/// As few rows a frame as fit, so that all frames find room.
Result<TexelLayout> make_layout(size_t vertices, int frames, const std::filesystem::path& file) {
  TexelLayout layout;
  layout.frames = frames;
  const size_t rows = (vertices + kMaxWidth - 1) / kMaxWidth;
  if (rows * at(frames) > kMaxHeight) {
    return input_error(fmt::format("{}: {} vertices in {} frames need a picture of {} x {} pixels, more than {} x {}; choose frames with --frames and --every, or a body with --body", file.string(), vertices, frames, kMaxWidth,
                                   rows * at(frames), kMaxWidth, kMaxHeight));
  }
  layout.vertices = static_cast<int>(vertices), layout.rows = static_cast<int>(rows);
  layout.width = static_cast<int>((vertices + rows - 1) / rows);
  return layout;
}

std::vector<uint16_t> in_bounds(const std::vector<Vec3f>& places, const Bounds& bounds) {
  std::vector<uint16_t> numbers;
  numbers.reserve(3 * places.size());
  const Vec3 extent = (bounds.high - bounds.low).cwiseMax(1e-9);
  for (const Vec3f& p : places) {
    for (int c = 0; c < 3; ++c) numbers.push_back(static_cast<uint16_t>(std::lround(kLargest16 * std::clamp((double{p[c]} - bounds.low[c]) / extent[c], 0.0, 1.0))));
  }
  return numbers;
}

Image as_colors(const std::vector<Vec3f>& normals, int width) {
  Image image(width, static_cast<int>(normals.size() / at(width)));
  for (size_t i = 0; i < normals.size(); ++i) {
    for (int c = 0; c < 3; ++c) image.rgb[3 * i + at(c)] = static_cast<uint8_t>(std::lround(127.5f * (1 + std::clamp(normals[i][c], -1.0f, 1.0f))));
  }
  return image;
}

Json three(const Vec3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

/// How a shader finds its numbers.
Json description(const TexelLayout& layout, const ExportSettings& settings, const Bounds& bounds, VatKind kind, const std::string& stem) {
  const bool is_png = kind == VatKind::Png;
  Json positions = Json::object({{"file", stem + (is_png ? ".png" : ".exr")}, {"encoding", is_png ? "16 bits from min to max" : "32-bit floats"}, {"min", three(bounds.low)}, {"max", three(bounds.high)}});
  Json json = Json::object({{"format", "vertex animation texture"}, {"name", settings.name}, {"fps", settings.fps}, {"frames", layout.frames}, {"vertices", layout.vertices}});
  json["width"] = layout.width, json["height"] = layout.height(), json["rows_per_frame"] = layout.rows;
  json["space"] = "world, metres, right-handed, y up";
  json["mesh"] = stem + "_vat.glb", json["uv"] = "TEXCOORD_1: the vertex's pixel in frame 0; add frame * rows_per_frame / height to v, which runs down";
  json["positions"] = std::move(positions);
  json["normals"] = Json::object({{"file", stem + "_normals.png"}, {"encoding", "8 bits from -1 to 1, no colour"}});
  return json;
}

}  // namespace

Result<ExportReport> export_vat(const FrameSource& source, int count, const ExportSettings& settings, VatKind kind, const std::filesystem::path& file) {
  if (count < 1) return input_error(fmt::format("{}: there are no frames to export", file.string()));
  CachedScene scene;
  if (Result<void> scanned = scene.scan(source, count, [](const Frame&) {}); !scanned) return scanned.error();
  if (scene.vertices() == 0) return input_error(fmt::format("{}: nothing is seen in these frames", file.string()));
  const Result<TexelLayout> layout = make_layout(scene.vertices(), count, file);
  if (!layout) return layout.error();
  const size_t pixels = at(layout->width) * at(layout->height());
  std::vector<Vec3f> positions(pixels, Vec3f::Zero()), normals(pixels, Vec3f::UnitY()), places;
  Bounds bounds;
  MergedFrame mesh;
  FrameMerger merger(FrameMerger::Colors::Tint);
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = scene.frames()(index);
    if (!frame) return frame.error();
    if (Result<void> set = scene.set_places(*frame, index, places); !set) return set.error();
    MergedFrame merged = merger.merge(scene.with_all(places));
    for (int v = 0; v < layout->vertices; ++v) {
      positions[layout->pixel(index, v)] = places[at(v)], normals[layout->pixel(index, v)] = merged.mesh.normals[at(v)];
      bounds.add(places[at(v)].cast<double>());
    }
    if (index == 0) mesh = std::move(merged);
  }
  mesh.mesh.materials = std::make_shared<const Materials>(merger.materials());
  std::vector<Vec2f> uvs;
  for (int v = 0; v < layout->vertices; ++v) uvs.push_back(layout->uv(v));
  const auto beside = [&](const char* ending) { return file.parent_path() / (file.stem().string() + ending); };
  if (Result<void> done = write_gltf_surface(mesh.mesh, beside("_vat.glb"), uvs); !done) return done.error();
  if (Result<void> done = write_png(beside("_normals.png"), as_colors(normals, layout->width)); !done) return done.error();
  if (Result<void> done = write_file(beside("_vat.json"), write_json(description(*layout, settings, bounds, kind, file.stem().string())) + "\n"); !done) return done.error();
  if (kind == VatKind::Exr) {
    if (Result<void> done = write_exr(file, layout->width, positions); !done) return done.error();
  } else {
    const Result<std::string> bytes = encode_png16(layout->width, layout->height(), in_bounds(positions, bounds));
    if (!bytes) return bytes.error();
    if (Result<void> done = write_file(file, *bytes); !done) return done.error();
  }
  ExportReport report;
  report.frames = count, report.nodes = static_cast<int>(scene.with_all(places).items.size()), report.meshes = 1;
  if (kind == VatKind::Png) report.worst = 0.5 / kLargest16 * (bounds.high - bounds.low).norm();
  std::error_code ignored;
  for (const char* ending : {"_vat.glb", "_normals.png", "_vat.json", kind == VatKind::Exr ? ".exr" : ".png"}) report.bytes += static_cast<size_t>(std::filesystem::file_size(beside(ending), ignored));
  return report;
}

}  // namespace crumple::io
