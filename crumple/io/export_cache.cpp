// Point caches: the place of every vertex in every frame, exactly, beside an .obj of the first.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/io/export.h"
#include "crumple/io/export_check.h"
#include "crumple/io/files.h"

namespace crumple::io {
namespace {

constexpr size_t kMostItems = 20000;  // of one surface each: a body that is torn anew in each frame has no end of them

void put_bytes(std::string& out, uint32_t bits, bool biggest_first) {
  for (int k = 0; k < 4; ++k) out += static_cast<char>(bits >> (8 * (biggest_first ? 3 - k : k)) & 0xff);
}
void put(std::string& out, float value, bool biggest_first) {
  put_bytes(out, std::bit_cast<uint32_t>(value), biggest_first);
}
void put(std::string& out, size_t value, bool biggest_first) {
  put_bytes(out, static_cast<uint32_t>(value), biggest_first);
}

/// One thing with its own triangles, that is there in some of the frames.
struct CachedItem {
  FrameItem first;   // as it was first seen
  size_t begin = 0;  // of its vertices in the cache
  int last_seen = -1;
  Vec3 place = Vec3::Zero();  // where it is while it is away
};

/// All that is ever drawn, in the order in which it is first seen.
class CachedScene {
 public:
  /// The items of a frame: for each drawn one its number.
  Result<std::vector<size_t>> numbers_of(const Frame& frame, int index) {
    std::vector<size_t> numbers;
    for (const FrameItem& item : frame.items) {
      if (!is_drawn(item)) continue;
      std::string trouble = trouble_with_item(item);
      size_t number = trouble.empty() ? find(item, index) : 0;
      if (trouble.empty() && number == items_.size()) {
        trouble = trouble_with_surface(*item.surface);
        if (trouble.empty()) add(item);
      }
      if (!trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", frame.number, item.name, trouble));
      if (items_.size() > kMostItems) {
        return input_error(fmt::format("frame {}: \"{}\" has other triangles in frame after frame; a point cache keeps them. Use .glb", frame.number, item.name));
      }
      items_[number].last_seen = index;
      numbers.push_back(number);
    }
    return numbers;
  }

  size_t vertices() const { return vertices_; }
  std::vector<CachedItem>& items() { return items_; }
  void forget_frames() {
    for (CachedItem& item : items_) item.last_seen = -1;
  }

 private:
  size_t find(const FrameItem& item, int index) const {
    const auto known = by_name_.find(item.name);
    if (known == by_name_.end()) return items_.size();
    for (const size_t number : known->second) {
      const CachedItem& other = items_[number];
      if (other.last_seen == index) continue;
      if (same_surface(*other.first.surface, *item.surface)) return number;
    }
    return items_.size();
  }

  void add(const FrameItem& item) {
    by_name_[item.name].push_back(items_.size());
    items_.push_back({item, vertices_, -1, item.place.translation});
    vertices_ += item.surface->positions.size();
  }

  std::vector<CachedItem> items_;
  std::map<std::string, std::vector<size_t>> by_name_;
  size_t vertices_ = 0;
};

/// The places of all vertices in a frame. What is away is drawn together into one point.
void set_places(const Frame& frame, const std::vector<size_t>& numbers, CachedScene& scene, std::vector<Vec3f>& places) {
  for (const CachedItem& item : scene.items()) {
    std::fill_n(places.begin() + static_cast<std::ptrdiff_t>(item.begin), item.first.surface->positions.size(), item.place.cast<float>());
  }
  size_t next = 0;
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    CachedItem& cached = scene.items()[numbers[next++]];
    cached.place = item.place.translation;
    for (size_t i = 0; i < item.surface->positions.size(); ++i) {
      places[cached.begin + i] = (item.place * (item.positions.empty() ? item.surface->positions[i] : item.positions[i].cast<double>())).cast<float>();
    }
  }
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
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = source(index);
    if (!frame) return frame.error();
    if (const auto numbers = scene.numbers_of(*frame, index); !numbers) return numbers.error();
    if (index == 0) first_time = frame->time;
    times.push_back(static_cast<float>(frame->time - first_time));
  }
  if (scene.vertices() == 0) return input_error(fmt::format("{}: nothing is seen in these frames", file.string()));
  scene.forget_frames();
  Result<AtomicFile> out = AtomicFile::create(file);
  if (!out) return out.error();
  if (Result<void> written = out->write(head_of(kind, scene.vertices(), times)); !written) return written.error();
  std::vector<Vec3f> places(scene.vertices());
  std::string bytes;
  Frame shown;  // the first frame, with all that will ever be
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = source(index);
    if (!frame) return frame.error();
    const auto numbers = scene.numbers_of(*frame, index);
    if (!numbers) return numbers.error();
    set_places(*frame, *numbers, scene, places);
    if (index == 0) {
      for (const CachedItem& item : scene.items()) {
        FrameItem here = item.first;
        here.place = Transform();
        here.positions.assign(places.begin() + static_cast<std::ptrdiff_t>(item.begin), places.begin() + static_cast<std::ptrdiff_t>(item.begin + item.first.surface->positions.size()));
        shown.items.push_back(std::move(here));
      }
    }
    bytes.clear();
    for (const Vec3f& p : places) put(bytes, p.x(), kind == CacheKind::Mdd), put(bytes, p.y(), kind == CacheKind::Mdd), put(bytes, p.z(), kind == CacheKind::Mdd);
    if (Result<void> written = out->write(bytes); !written) return written.error();
  }
  std::filesystem::path mesh = file;
  mesh.replace_extension(".obj");
  Result<ExportReport> report = export_obj(shown, mesh);
  if (!report) return report;
  if (Result<void> finished = out->finish(); !finished) return finished.error();
  report->frames = count, report->bytes += head_of(kind, 0, times).size() + static_cast<size_t>(count) * scene.vertices() * 12;
  return report;
}

}  // namespace crumple::io
