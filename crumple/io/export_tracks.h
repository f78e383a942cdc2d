#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"
#include "crumple/io/export.h"
#include "crumple/io/export_motion.h"
#include "crumple/io/export_shapes.h"

namespace crumple::io {

/// A rest surface in the numbers of the file, shared by all items that have it.
struct ExportSurface {
  std::shared_ptr<const TriMesh> mesh;
  std::shared_ptr<const Points> rest;
  double diagonal = 0;  // metres
};

/// One item through all frames.
struct ItemTrack {
  struct Switch {
    int frame = 0;
    bool visible = false;
  };

  std::string name;
  int surface = 0;  // index in ItemTracks::surfaces
  ShapeKeys shapes;
  PlaceTrack places;
  std::vector<Switch> switches;  // the first is where it appears
  int last_seen = -1;            // frame
  Appearance look;                     // as last seen
  std::vector<Vec3f> colors;     // as last seen, if asked for
};

/// What is kept of all frames: enough to write the animation, not the frames themselves.
class ItemTracks {
 public:
  explicit ItemTracks(const ExportSettings& settings) : settings_(settings) {}

  /// Frames in the order of time. Complains about items that are not finite or do not fit their surface.
  Result<void> add(Frame frame);
  void finish();

  const std::vector<ExportSurface>& surfaces() const { return surfaces_; }
  const std::vector<ItemTrack>& tracks() const { return tracks_; }
  const std::vector<double>& times() const { return times_; }  // of the frames, from 0, as exact as the file keeps them

 private:
  Result<void> add_time(const Frame& frame);
  Result<int> track_of(const FrameItem& item, int frame);
  Result<int> surface_of(const FrameItem& item);
  void follow(ItemTrack& track, FrameItem& item, int frame) const;
  void hide_missing(int frame);

  ExportSettings settings_;
  std::vector<ExportSurface> surfaces_;
  std::multimap<uint64_t, int> surfaces_by_hash_;
  std::vector<ItemTrack> tracks_;
  std::map<std::string, std::vector<int>> tracks_by_name_;
  std::vector<double> times_;
  double first_time_ = 0;
};

}  // namespace crumple::io
