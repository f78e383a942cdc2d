#pragma once

#include <vector>

#include "crumple/math/types.h"

namespace crumple::io {

/// Where an item was, at a frame (index into the exported frames).
struct PlaceSample {
  int frame = 0;
  Vec3f translation = Vec3f::Zero();
  Eigen::Quaternionf rotation = Eigen::Quaternionf::Identity();
};

bool same_place(const PlaceSample& a, const PlaceSample& b);
Transform placed(const PlaceSample& sample);

/// The places of one item over time. A pause costs two samples, however long.
class PlaceTrack {
 public:
  void add(int frame, const Transform& place);
  /// Stays where it was, up to that frame.
  void stay(int frame);
  const std::vector<PlaceSample>& samples() const { return samples_; }

 private:
  void add(PlaceSample sample);
  std::vector<PlaceSample> samples_;
};

/// The samples that linear interpolation needs to give all others back; one if nothing ever moves. Rotations stay within the tolerance for readers that
/// interpolate along the arc, and for those that interpolate the four numbers.
/// `times` in seconds for every frame, `tolerance` in metres and in degrees.
std::vector<int> translation_keys(const std::vector<PlaceSample>& samples, const std::vector<double>& times, double tolerance);
std::vector<int> rotation_keys(const std::vector<PlaceSample>& samples, const std::vector<double>& times, double tolerance);

}  // namespace crumple::io
