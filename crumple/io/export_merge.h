#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"

namespace crumple::io {

/// What tells looks apart: colour, metalness, roughness, name.
using LookKey = std::pair<std::array<float, 5>, std::string>;
LookKey look_key(const Appearance& look);
/// A look as a material, for an item whose surface has none; one without a name is called like the item. One whose vertices have colours is white: they
/// tint it.
SurfaceMaterial look_material(const Appearance& look, bool tinted, const std::string& item);
/// Colours of an item's vertices, or none: those by the state of the simulation if the frame has them, otherwise the artist's.
const std::vector<Vec3f>& colors_of(const FrameItem& item);
/// Vertices where they are in the world.
std::vector<Vec3> world_positions(const FrameItem& item);
/// Their unit normals there.
std::vector<Vec3f> world_normals(const FrameItem& item);
/// Fails if something that is drawn cannot be written.
Result<void> check_items(const Frame& frame);

/// All that is drawn in a frame as one surface: a group for each item, all vertices in their order.
struct MergedFrame {
  TriMesh mesh;                  // without the names of its materials
  std::vector<int> body, piece;  // #vertices
};

/// Merges frames; materials are numbered across all of them, with names that no two share.
class FrameMerger {
 public:
  /// Colours of vertices for formats with materials, which tint those, and for formats without, which show them as they are.
  enum class Colors { Tint, Shown };
  explicit FrameMerger(Colors colors) : colors_(colors) {}
  MergedFrame merge(const Frame& frame);
  const Materials& materials() const { return materials_; }

 private:
  void append(const FrameItem& item, MergedFrame& merged);
  std::vector<Vec3f> shown_colors(const FrameItem& item) const;
  uint16_t add(SurfaceMaterial material);
  const std::vector<uint16_t>& numbers_of(const std::shared_ptr<const Materials>& materials);
  uint16_t number_of(const FrameItem& item);

  Colors colors_;
  Materials materials_;
  std::set<std::string> names_;
  std::map<std::shared_ptr<const Materials>, std::vector<uint16_t>> of_surfaces_;
  std::map<LookKey, uint16_t> of_looks_;
};

}  // namespace crumple::io
