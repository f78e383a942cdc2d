#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "crumple/geometry/shading.h"
#include "crumple/geometry/shape_basis.h"
#include "crumple/io/spool.h"

namespace crumple::io {

using Points = std::vector<Vec3f>;

/// Displacements below this count as none. Metres.
inline constexpr float kUnmoved = 1e-5f;

/// A rest surface in the numbers of the file, shared by all items that have it.
struct ExportSurface {
  std::shared_ptr<const TriMesh> mesh;
  std::shared_ptr<const Points> rest;
  Bounds bounds;
  Shading shading;
  Points normals;  // of the rest shape
};
ExportSurface export_surface(std::shared_ptr<const TriMesh> mesh);

/// The shapes of an item over time. Each shape that differs from the one before is a row in a spool.
class ShapeTrack {
 public:
  /// At `frame` the item has the shape of `row`; between two keys it moves in a straight line.
  struct Key {
    int frame = 0, row = 0;
  };

  /// Whether a shape is another one than the last; empty: the rest shape.
  bool is_new(const Points& rest, const Points& shape) const;
  /// The shape of a later frame than the last one. Frames in between keep the last shape.
  Result<void> add(int frame, const Points& shape, Spool& spool);
  void stay(int frame) { last_frame_ = frame; }

  const std::vector<Key>& keys() const { return keys_; }
  int rows() const { return static_cast<int>(rows_.size()); }
  Result<Points> row(int index, Spool& spool) const;

 private:
  std::vector<Key> keys_;
  std::vector<Spool::Range> rows_;
  Points last_;  // the shape of the last row
  int last_frame_ = -1;
};

/// A morph target: what weight 1 adds to positions and to normals.
struct MorphTarget {
  ShapeTarget moves, turns;
};

/// Shapes over time as weighted sums of targets.
struct Morph {
  std::vector<MorphTarget> targets;
  std::vector<float> weights;  // #rows x #targets, 0 to 1
  double unit = 0;             // metres: positions are whole multiples of it; 0: any numbers
};

struct MorphSettings {
  double tolerance = 0.001;  // metres
  bool compact = false;      // whole numbers of a fraction of the tolerance, normals where they turn by more than three degrees
};

/// Rows of a track as a morph of the rest shape, each seen from its frame (#rows; none: from the item's own).
Result<Morph> make_morph(const ShapeTrack& track, const std::vector<Transform>& frames, Spool& spool, const ExportSurface& surface, const MorphSettings& settings);

}  // namespace crumple::io
