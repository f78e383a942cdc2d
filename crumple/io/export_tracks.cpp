#include "crumple/io/export_tracks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/io/export_check.h"
#include "crumple/io/files.h"

namespace crumple::io {
namespace {

template <class T>
uint64_t hash_rows(const std::vector<T>& rows, uint64_t seed) {
  return hash_bytes(std::as_bytes(std::span(rows)), seed);
}

uint64_t hash_of(const TriMesh& surface) {
  return hash_rows(surface.colors, hash_rows(surface.uvs, hash_rows(surface.positions, hash_rows(surface.triangles, 0))));
}

Error item_error(const FrameItem& item, int frame, const std::string& trouble) {
  return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", frame, item.name, trouble));
}

}  // namespace

Result<void> ItemTracks::add(Frame frame) {
  if (auto time = add_time(frame); !time) return time;
  const auto index = static_cast<int>(times_.size()) - 1;
  flat_ = frame.flat;
  std::erase_if(frame.items, [](const FrameItem& item) { return !is_drawn(item); });
  std::vector<int>& tracks = items_.emplace_back();
  for (const FrameItem& item : frame.items) {
    if (const std::string trouble = trouble_with_item(item); !trouble.empty()) return item_error(item, frame.number, trouble);
    const auto found = track_of(item, index);
    if (!found) return found.error();
    tracks.push_back(*found);
  }
  if (auto followed = follow_shapes(frame, index); !followed) return followed;
  for (size_t i = 0; i < frame.items.size(); ++i) {
    ItemTrack& track = tracks_[at(tracks[i])];
    track.places.add(index, frame.items[i].place);
    track.look = frame.items[i].look;
    if (settings_.colors) track.colors = std::move(frame.items[i].colors);
  }
  hide_missing(index);
  return {};
}

/// Shapes are compared on all threads and written down one after another.
Result<void> ItemTracks::follow_shapes(const Frame& frame, int index) {
  const std::vector<int>& tracks = items_[at(index)];
  std::vector<uint8_t> is_new(tracks.size());
  parallel_for(tracks.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) is_new[i] = tracks_[at(tracks[i])].shapes.is_new(*surface_of(tracks_[at(tracks[i])]).rest, frame.items[i].positions);
  });
  for (size_t i = 0; i < tracks.size(); ++i) {
    ItemTrack& track = tracks_[at(tracks[i])];
    const Points& shape = frame.items[i].positions.empty() ? *surface_of(track).rest : frame.items[i].positions;
    if (!is_new[i]) {
      track.shapes.stay(index);
    } else if (auto added = track.shapes.add(index, shape, spool_); !added) {
      return added;
    }
  }
  return {};
}

Result<void> ItemTracks::add_time(const Frame& frame) {
  if (times_.empty()) first_time_ = frame.time;
  const double time = static_cast<float>(frame.time - first_time_);
  if (!std::isfinite(time) || (!times_.empty() && time <= times_.back())) {
    return input_error(fmt::format("frame {}: its time, {} s, does not follow that of the frame before", frame.number, frame.time));
  }
  times_.push_back(time);
  return {};
}

/// An item is known by its name and surface; of two with the same name the first in the frame stays the first.
Result<int> ItemTracks::track_of(const FrameItem& item, int frame) {
  std::vector<int>& same_name = tracks_by_name_[item.name];
  for (const int index : same_name) {
    ItemTrack& track = tracks_[static_cast<size_t>(index)];
    const TriMesh* surface = surfaces_[static_cast<size_t>(track.surface)].mesh.get();
    if (track.last_seen == frame || (surface != item.surface.get() && !same_surface(*surface, *item.surface))) continue;
    if (track.last_seen != frame - 1) track.switches.push_back({frame, true});
    track.last_seen = frame;
    return index;
  }
  const auto surface = find_surface(item);
  if (!surface) return surface.error();
  const std::string name = same_name.empty() ? item.name : fmt::format("{} {}", item.name, same_name.size() + 1);
  same_name.push_back(static_cast<int>(tracks_.size()));
  tracks_.push_back({name, item.body, item.piece, *surface, {}, {}, {{frame, true}}, frame, item.look, {}});
  return same_name.back();
}

bool ItemTracks::has_changing_surfaces() const {
  return std::ranges::any_of(tracks_by_name_, [&](const auto& named) {
    return std::ranges::any_of(named.second, [&](int track) { return tracks_[at(track)].surface != tracks_[at(named.second.front())].surface; });
  });
}

Result<int> ItemTracks::find_surface(const FrameItem& item) {
  const uint64_t hash = hash_of(*item.surface);
  const auto [first, last] = surfaces_by_hash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (same_surface(*surfaces_[static_cast<size_t>(known->second)].mesh, *item.surface)) return known->second;
  }
  if (const std::string trouble = trouble_with_surface(*item.surface); !trouble.empty()) {
    return input_error(fmt::format("\"{}\" cannot be exported: {}", item.name, trouble));
  }
  surfaces_by_hash_.emplace(hash, static_cast<int>(surfaces_.size()));
  surfaces_.push_back(export_surface(item.surface));
  return static_cast<int>(surfaces_.size()) - 1;
}

void ItemTracks::hide_missing(int frame) {
  for (ItemTrack& track : tracks_) {
    if (track.last_seen != frame - 1) continue;
    track.switches.push_back({frame, false});
    track.places.stay(frame);  // does not set off to where it will appear again before it is gone
  }
}

}  // namespace crumple::io
