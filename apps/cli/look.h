#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"
#include "crumple/rig/asset.h"

namespace crumple::cli {

/// A small coloured ball with a word beside it. What is hidden behind the surface shows through faintly.
struct Mark {
  Vec3 at = Vec3::Zero();
  Vec3f color = Vec3f(0.02f, 0.05f, 0.12f);  // linear RGB
  std::string label;
};

/// One tile of a look: a surface with marks over a title.
struct LookTile {
  std::shared_ptr<const TriMesh> surface;
  std::vector<Vec3f> positions;  // #vertices, or empty: as the surface is
  std::vector<Vec3f> colors;     // #vertices, or empty: plain
  Appearance look;
  std::string title;
  std::vector<Mark> marks;
  bool is_flat = false;  // a drawing, seen straight on
  std::optional<Vec3> from;  // side it is seen from; none: as the others
};

struct LookOptions {
  int width = 640, height = 480;  // of a tile; its height is then fitted to what is seen
  int columns = 4;                // at most
  double mark_size = 0.012;       // of the first surface's diagonal
  int samples = 6;                // of a pixel, smoothed
  std::vector<Vec3> facing;       // places that are turned to the camera if possible
  std::string footer;
};

/// Tiles in rows, all seen by one camera, as a PNG.
Result<void> draw_tiles(const std::vector<LookTile>& tiles, const std::string& file, const LookOptions& options = {});

/// The asset's surface at some examples (0: the rest pose) with its handles where they are then, numbered; those that have moved are orange.
LookTile asset_tile(const Asset& asset, int example);
/// The rest pose with its handles from the front, a side and above; of a drawing one tile, straight on.
std::vector<LookTile> handle_tiles(const Asset& asset);
Result<void> draw_asset(const Asset& asset, std::span<const int> examples, const std::string& file, const LookOptions& options = {});

}  // namespace crumple::cli
