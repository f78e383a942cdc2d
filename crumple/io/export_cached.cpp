#include "crumple/io/export_cached.h"

#include <algorithm>

#include <fmt/format.h>

#include "crumple/io/export_check.h"
#include "crumple/io/export_merge.h"

namespace crumple::io {
namespace {

constexpr size_t kMaxItems = 20000;  // of one surface each: a body that is torn anew in each frame has no end of them

}  // namespace

Result<std::vector<size_t>> CachedScene::numbers_of(const Frame& frame, int index) {
  std::vector<size_t> numbers;
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    std::string trouble = trouble_with_item(item);
    const size_t number = trouble.empty() ? find(item, index) : 0;
    if (trouble.empty() && number == items_.size()) {
      trouble = trouble_with_surface(*item.surface);
      if (trouble.empty()) add(item);
    }
    if (!trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", frame.number, item.name, trouble));
    if (items_.size() > kMaxItems) {
      return input_error(fmt::format("frame {}: \"{}\" has other triangles in frame after frame; a point cache keeps them. Use .usda or .glb", frame.number, item.name));
    }
    items_[number].last_seen = index;
    numbers.push_back(number);
  }
  return numbers;
}

Result<void> CachedScene::add_all(int count, const std::function<void(const Frame&)>& look) {
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = frames_(index);
    if (!frame) return frame.error();
    if (const auto numbers = numbers_of(*frame, index); !numbers) return numbers.error();
    look(*frame);
  }
  for (CachedItem& item : items_) item.last_seen = -1;
  return {};
}

bool CachedScene::has_changing_surfaces() const {
  return std::ranges::any_of(by_name_, [&](const auto& named) {
    return std::ranges::any_of(named.second, [&](size_t item) { return !same_surface(*items_[item].first.surface, *items_[named.second.front()].first.surface); });
  });
}

Result<void> CachedScene::scan(const FrameSource& source, int count, const std::function<void(const Frame&)>& look) {
  frames_ = source;
  if (Result<void> added = add_all(count, look); !added) return added;
  if (!has_changing_surfaces()) return {};
  Result<SurfacePatches> patches = SurfacePatches::find(source, count);
  if (!patches) return patches.error();
  patches_ = std::move(*patches);
  frames_ = patches_.divide(source);
  items_.clear(), by_name_.clear(), vertices_ = 0;
  return add_all(count, [](const Frame&) {});
}

Result<void> CachedScene::set_places(const Frame& frame, int index, std::vector<Vec3f>& places) {
  const auto numbers = numbers_of(frame, index);
  if (!numbers) return numbers.error();
  places.resize(vertices_);
  for (const CachedItem& item : items_) {
    std::fill_n(places.begin() + static_cast<std::ptrdiff_t>(item.begin), item.first.surface->positions.size(), item.place.cast<float>());
  }
  size_t next = 0;
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    CachedItem& cached = items_[(*numbers)[next++]];
    cached.place = item.place.translation;
    const std::vector<Vec3> world = world_positions(item);
    for (size_t i = 0; i < world.size(); ++i) places[cached.begin + i] = world[i].cast<float>();
  }
  return {};
}

Frame CachedScene::with_all(const std::vector<Vec3f>& places) const {
  Frame frame;
  for (const CachedItem& item : items_) {
    FrameItem here = item.first;
    here.place = Transform();
    const auto first = places.begin() + static_cast<std::ptrdiff_t>(item.begin);
    here.positions.assign(first, first + static_cast<std::ptrdiff_t>(item.first.surface->positions.size()));
    frame.items.push_back(std::move(here));
  }
  return frame;
}

size_t CachedScene::find(const FrameItem& item, int index) const {
  const auto known = by_name_.find(item.name);
  if (known == by_name_.end()) return items_.size();
  for (const size_t number : known->second) {
    const CachedItem& other = items_[number];
    if (other.last_seen == index) continue;
    if (same_surface(*other.first.surface, *item.surface)) return number;
  }
  return items_.size();
}

void CachedScene::add(const FrameItem& item) {
  by_name_[item.name].push_back(items_.size());
  items_.push_back({item, vertices_, -1, item.place.translation});
  vertices_ += item.surface->positions.size();
}

}  // namespace crumple::io
