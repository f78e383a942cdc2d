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

/// One item through all frames.
struct ItemTrack {
  struct Switch {
    int frame = 0;
    bool visible = false;
  };

  std::string name;
  int body = -1, piece = 0;  // of the scene
  int surface = 0;  // index in ItemTracks::surfaces
  ShapeTrack shapes;
  PlaceTrack places;
  std::vector<Switch> switches;  // the first is where it appears
  int last_seen = -1;            // frame
  Appearance look;               // as last seen
  std::vector<Vec3f> colors;     // as last seen, if asked for
};

/// All frames by item: enough to write the animation. Shapes are on disk.
class ItemTracks {
 public:
  explicit ItemTracks(const ExportSettings& settings) : settings_(settings) {}

  /// Frames in the order of time. Complains about items that are not finite or do not fit their surface.
  Result<void> add(Frame frame);

  const std::vector<ExportSurface>& surfaces() const { return surfaces_; }
  const std::vector<ItemTrack>& tracks() const { return tracks_; }
  const ExportSurface& surface_of(const ItemTrack& track) const { return surfaces_[static_cast<size_t>(track.surface)]; }
  Spool& spool() { return spool_; }
  bool is_flat() const { return flat_; }
  /// Whether an item has other triangles in some frames than in others.
  bool has_changing_surfaces() const;
  const std::vector<double>& times() const { return times_; }  // of the frames, from 0, as exact as the file keeps them
  /// The tracks of the drawn items of a frame, in their order.
  const std::vector<int>& items_of(int frame) const { return items_[static_cast<size_t>(frame)]; }

 private:
  Result<void> add_time(const Frame& frame);
  Result<int> track_of(const FrameItem& item, int frame);
  Result<int> find_surface(const FrameItem& item);
  Result<void> follow_shapes(const Frame& frame, int index);
  void hide_missing(int frame);

  ExportSettings settings_;
  Spool spool_;
  std::vector<ExportSurface> surfaces_;
  std::multimap<uint64_t, int> surfaces_by_hash_;
  std::vector<ItemTrack> tracks_;
  std::map<std::string, std::vector<int>> tracks_by_name_;
  std::vector<std::vector<int>> items_;
  std::vector<double> times_;
  double first_time_ = 0;
  bool flat_ = false;
};

}  // namespace crumple::io
