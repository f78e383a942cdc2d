#pragma once

#include <memory>
#include <vector>

#include "crumple/math/types.h"

namespace crumple::io {

using Points = std::vector<Vec3f>;

/// A shape that a surface keeps from `begin` to `end` (seconds). From one to the next it moves in a straight line.
struct HeldShape {
  double begin = 0, end = 0;
  Points positions;        // empty: the rest shape
  double error_after = 0;  // metres: how far the straight line to the next shape is from what happened, at most
};

/// Displacements below this are not worth a byte. Metres.
inline constexpr float kUnmoved = 1e-5f;

/// Chooses the few shapes of a moving surface that give it back by linear interpolation. Shapes come in the order of time and
/// are not kept: from each chosen shape on, every coordinate has a cone of velocities that would pass near enough by all that
/// came since; once a shape lies outside, the one before it is chosen.
class ShapeKeys {
 public:
  /// `tolerance` in metres; it gives way when there would be more than `most` shapes besides the rest shape.
  ShapeKeys(std::shared_ptr<const Points> rest, double tolerance, int most);

  /// The shape at a later time than the last one; empty: the rest shape.
  void add(double time, const Points& positions);
  /// The last shape is always chosen.
  void finish();

  const std::vector<HeldShape>& shapes() const { return shapes_; }
  bool ever_changes() const { return shapes_.size() > 1 || (!shapes_.empty() && !shapes_[0].positions.empty()); }
  double error() const;

 private:
  const Points& points_of(const HeldShape& shape) const { return shape.positions.empty() ? *rest_ : shape.positions; }
  void choose(HeldShape shape);
  void choose_last();
  bool within_cone(double time, const Points& positions) const;
  void narrow_cone(double time, const Points& positions);
  void drop_one_shape();
  double distance_from_line(size_t index) const;
  int targets() const;

  std::shared_ptr<const Points> rest_;
  double tolerance_;
  int most_;
  std::vector<HeldShape> shapes_;

  // since the end of the last chosen shape
  int passed_ = 0;         // shapes that came since
  Points last_;            // the last of them
  double last_begin_ = 0;  // since when it has been like that
  double last_time_ = 0;
  int still_ = 0;      // for how many frames
  Points low_, high_;  // velocities that pass by all of them
};

}  // namespace crumple::io
