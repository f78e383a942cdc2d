// Point caches: the place of every vertex in every frame, exactly, beside an .obj of the first.
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "crumple/io/export.h"
#include "crumple/io/export_cached.h"
#include "crumple/io/files.h"

namespace crumple::io {
namespace {

void put_bytes(std::string& out, uint32_t bits, bool biggest_first) {
  for (int k = 0; k < 4; ++k) out += static_cast<char>(bits >> (8 * (biggest_first ? 3 - k : k)) & 0xff);
}
void put(std::string& out, float value, bool biggest_first) {
  put_bytes(out, std::bit_cast<uint32_t>(value), biggest_first);
}
void put(std::string& out, size_t value, bool biggest_first) {
  put_bytes(out, static_cast<uint32_t>(value), biggest_first);
}

std::string head_of(CacheKind kind, size_t vertices, const std::vector<float>& times) {
  std::string head;
  if (kind == CacheKind::Mdd) {
    put(head, times.size(), true), put(head, vertices, true);
    for (const float time : times) put(head, time, true);
    return head;
  }
  head = std::string("POINTCACHE2\0", 12);
  put(head, size_t{1}, false), put(head, vertices, false), put(head, 0.0f, false), put(head, 1.0f, false), put(head, times.size(), false);
  return head;
}

}  // namespace

Result<ExportReport> export_cache(const FrameSource& source, int count, CacheKind kind, const std::filesystem::path& file) {
  if (count < 1) return input_error(fmt::format("{}: there are no frames to export", file.string()));
  CachedScene scene;
  std::vector<float> times;
  double first_time = 0;
  const auto take_time = [&](const Frame& frame) {
    if (times.empty()) first_time = frame.time;
    times.push_back(static_cast<float>(frame.time - first_time));
  };
  if (Result<void> scanned = scene.scan(source, count, take_time); !scanned) return scanned.error();
  if (scene.vertices() == 0) return input_error(fmt::format("{}: nothing is seen in these frames", file.string()));
  Result<AtomicFile> out = AtomicFile::create(file);
  if (!out) return out.error();
  if (Result<void> written = out->write(head_of(kind, scene.vertices(), times)); !written) return written.error();
  std::vector<Vec3f> places;
  Frame all;
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = scene.frames()(index);
    if (!frame) return frame.error();
    if (Result<void> set = scene.set_places(*frame, index, places); !set) return set.error();
    if (index == 0) all = scene.with_all(places);
    std::string bytes;
    bytes.reserve(12 * places.size());
    for (const Vec3f& p : places) {
      for (const float number : p) put(bytes, number, kind == CacheKind::Mdd);
    }
    if (Result<void> written = out->write(bytes); !written) return written.error();
  }
  Result<ExportReport> report = export_obj(all, std::filesystem::path(file).replace_extension(".obj"));
  if (!report) return report;
  if (Result<void> finished = out->finish(); !finished) return finished.error();
  report->frames = count, report->bytes += head_of(kind, 0, times).size() + static_cast<size_t>(count) * scene.vertices() * 12;
  return report;
}

}  // namespace crumple::io
