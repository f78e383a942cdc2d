#pragma once

#include <map>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"
#include "crumple/io/export.h"
#include "crumple/io/export_patches.h"

namespace crumple::io {

/// One thing with its own triangles, that is there in some of the frames.
struct CachedItem {
  FrameItem first;   // as it was first seen
  size_t begin = 0;  // of its vertices in the cache
  int last_seen = -1;
  Vec3 place = Vec3::Zero();  // where it is while it is away
};

/// All that is ever drawn as one list of vertices, in the order in which it is first seen. Filled by a first pass over all frames.
class CachedScene {
 public:
  /// The items of a frame: for each drawn one its number.
  Result<std::vector<size_t>> numbers_of(const Frame& frame, int index);
  /// All frames; `look` sees each once. Surfaces that change are divided into patches, and looked at again.
  Result<void> scan(const FrameSource& source, int count, const std::function<void(const Frame&)>& look);
  /// The frames that it was made from, with patches. This must outlive it.
  const FrameSource& frames() const { return frames_; }

  size_t vertices() const { return vertices_; }
  /// The places of all vertices in a frame. What is away is drawn together into one point.
  Result<void> set_places(const Frame& frame, int index, std::vector<Vec3f>& places);
  /// A frame with all that will ever be, with its vertices at `places`.
  Frame with_all(const std::vector<Vec3f>& places) const;

 private:
  Result<void> add_all(int count, const std::function<void(const Frame&)>& look);
  bool has_changing_surfaces() const;
  size_t find(const FrameItem& item, int index) const;
  void add(const FrameItem& item);

  FrameSource frames_;
  SurfacePatches patches_;
  std::vector<CachedItem> items_;
  std::map<std::string, std::vector<size_t>> by_name_;
  size_t vertices_ = 0;
};

}  // namespace crumple::io
