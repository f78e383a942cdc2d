#pragma once

#include <vector>

#include "crumple/particles/contact.h"

/// Who may touch what.
namespace crumple::particles {

struct Box3f {
  Vec3f low, high;
  bool meets(const Box3f& other) const { return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all(); }
  bool holds(const Vec4f& x) const {
    return x[0] >= low[0] && x[0] <= high[0] && x[1] >= low[1] && x[1] <= high[1] && x[2] >= low[2] && x[2] <= high[2];
  }
};

/// All particles of a body by where they are, for questions about boxes. Cells are only made once there is something to ask.
class ParticleSearch {
 public:
  /// `dt`: boxes are to hold those that went through them within that time.
  ParticleSearch(const ParticleSpan& particles, double dt);
  /// Box around a part as it sweeps along, from the model's origin; everything for one that has none.
  Box3f box_of(const Obstacle& obstacle) const;
  double travel() const { return static_cast<double>(fastest_) * dt_; }  // of the fastest particles, m
  bool is_near(const Box3f& box) const { return all_.meets(box); }
  /// Call before find(), with how many boxes there will be.
  void prepare(size_t boxes);
  /// Particles in the box, in an order that depends on nothing but the particles.
  void find(const Box3f& box, std::vector<int32_t>& found) const;

 private:
  int cell(const Vec3f& place, int axis) const;
  const ParticleSpan& particles_;
  double dt_;
  Box3f all_;
  float fastest_ = 0;  // m/s, of all but a few
  bool sorted_ = false;
  float width_ = 1;
  int count_[3] = {1, 1, 1};
  std::vector<int32_t> begin_;  // #cells + 1
  std::vector<int32_t> order_;  // #particles
};

}  // namespace crumple::particles
