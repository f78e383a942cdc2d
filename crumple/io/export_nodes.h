#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/io/export_tracks.h"

namespace crumple::io {

/// One item as an animation format holds it: keys of its place, and a morph if its shape changes.
struct ExportNode {
  const ItemTrack* track = nullptr;
  const ExportSurface* surface = nullptr;
  double tolerance = 0;              // metres
  std::vector<PlaceSample> places;   // all
  std::vector<int> translations;     // places that are keys
  std::vector<int> rotations;        // places that are keys
  Points baked;                      // the one shape of an item that never changes; empty: the rest shape
  std::optional<Morph> morph;
};

struct NodeSettings {
  double scale = 1;      // of the tolerances
  bool compact = false;  // as in MorphSettings
  size_t max_bytes = 0;  // of all shapes: beyond, no more nodes are made; 0: any
};

/// Farthest that a vertex of an item of this size may be from its place, metres.
double tolerance_of(const ExportSettings& settings, double diagonal);

/// A node for each track; fewer if their shapes need too many bytes.
Result<std::vector<ExportNode>> make_nodes(ItemTracks& tracks, const ExportSettings& settings, const NodeSettings& how);

/// Distance of the vertex that is farthest from its place, over all frames, with the numbers that a reader finds.
struct Measured {
  double worst = 0;  // metres
  std::string item;
  int frame = 0;  // number
};
Result<Measured> measure_nodes(const std::vector<ExportNode>& nodes, const ItemTracks& tracks, const FrameSource& source, int count);

}  // namespace crumple::io
