#pragma once

#include <vector>

#include "crumple/particles/contact.h"

/// Broad phase: which particles may touch which parts.
namespace crumple::particles {

struct Box3f {
  Vec3f low, high;
  bool meets(const Box3f& other) const { return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all(); }
  bool holds(const Vec4f& x) const {
    return x[0] >= low[0] && x[0] <= high[0] && x[1] >= low[1] && x[1] <= high[1] && x[2] >= low[2] && x[2] <= high[2];
  }
};

/// Grid of all particles of a body, for box queries. Cells are built lazily, by prepare().
class ParticleSearch {
 public:
  /// `dt`: boxes include the particles that crossed them within that time.
  ParticleSearch(const ParticleSpan& particles, double dt);
  /// Swept box of a part, relative to the model's origin; infinite for a part without a box.
  Box3f box_of(const Obstacle& obstacle) const;
  double travel() const { return static_cast<double>(fastest_) * dt_; }  // m, of the fastest particles
  bool is_near(const Box3f& box) const { return all_.meets(box); }
  /// Call before find(), with the number of boxes to come.
  void prepare(size_t boxes);
  /// Particles in the box, in an order that depends on the particles alone.
  void find(const Box3f& box, std::vector<int32_t>& found) const;

 private:
  int cell(const Vec3f& place, int axis) const;
  const ParticleSpan& particles_;
  double dt_;
  Box3f all_;
  float fastest_ = 0;  // m/s, of all but a few outliers
  bool sorted_ = false;
  float width_ = 1;
  int count_[3] = {1, 1, 1};
  std::vector<int32_t> begin_;  // #cells + 1
  std::vector<int32_t> order_;  // #particles
};

}  // namespace crumple::particles
