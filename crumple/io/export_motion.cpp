#include "crumple/io/export_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace crumple::io {
namespace {

/// Longer stretches are cut, so that the work grows with the number of samples and not with its square.
constexpr int kLongestStretch = 512;

/// 0..1 for a frame between those of two samples.
double share_between(const PlaceSample& a, const PlaceSample& b, const PlaceSample& sample, const std::vector<double>& times) {
  const auto time = [&](const PlaceSample& s) { return times[static_cast<size_t>(s.frame)]; };
  return (time(sample) - time(a)) / (time(b) - time(a));
}

/// Half the sine of the angle is exact where its cosine has no digits left.
double degrees_between(const Quat& a, const Quat& b) {
  return 2 * std::asin(std::min(1.0, (a.conjugate() * b).vec().norm())) * 180 / M_PI;
}

/// Splits where a stretch is off the most until no sample is off by more than 1. off(first, last, i) is how far sample i is off
/// when only first and last are kept, in tolerances. [Douglas and Peucker 1973]
template <class Off>
std::vector<int> needed(int count, Off off) {
  std::vector<int> keys{0};
  std::vector<std::pair<int, int>> open;  // stretches still to look at, the earliest on top
  for (int last = count - 1; last > 0; last -= std::min(last, kLongestStretch)) open.push_back({std::max(0, last - kLongestStretch), last});
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    int worst = -1;
    double most = 1;
    for (int i = first + 1; i < last; ++i) {
      const double distance = off(first, last, i);
      if (distance > most) worst = i, most = distance;
    }
    if (worst < 0) {
      keys.push_back(last);
    } else {
      open.push_back({worst, last});
      open.push_back({first, worst});
    }
  }
  return keys;
}

template <class OffFirst, class Off>
std::vector<int> keys_of(size_t count, OffFirst off_first, Off off) {
  bool moves = false;
  for (size_t i = 1; i < count && !moves; ++i) moves = off_first(static_cast<int>(i)) > 1;
  return moves ? needed(static_cast<int>(count), off) : std::vector<int>{0};
}

}  // namespace

bool same_place(const PlaceSample& a, const PlaceSample& b) {
  return a.translation == b.translation && a.rotation.coeffs() == b.rotation.coeffs();
}

Transform placed(const PlaceSample& sample) {
  return {sample.rotation.cast<double>().normalized().toRotationMatrix(), sample.translation.cast<double>()};
}

void PlaceTrack::add(int frame, const Transform& place) {
  Quat rotation = Quat(place.rotation).normalized();
  // Both signs are the same rotation; the nearer one keeps importers from turning the long way round.
  if (!samples_.empty() && rotation.coeffs().dot(samples_.back().rotation.cast<double>().coeffs()) < 0) rotation.coeffs() *= -1;
  add({frame, place.translation.cast<float>(), rotation.cast<float>()});
}

void PlaceTrack::add(PlaceSample sample) {
  const size_t count = samples_.size();
  const bool paused = count >= 2 && same_place(samples_[count - 1], samples_[count - 2]) && same_place(samples_[count - 1], sample);
  if (paused) {
    samples_.back().frame = sample.frame;
  } else {
    samples_.push_back(sample);
  }
}

void PlaceTrack::stay(int frame) {
  if (samples_.empty()) return;
  PlaceSample sample = samples_.back();
  sample.frame = frame;
  add(sample);
}

std::vector<int> translation_keys(const std::vector<PlaceSample>& samples, const std::vector<double>& times, double tolerance) {
  const auto at = [&](int i) -> const PlaceSample& { return samples[static_cast<size_t>(i)]; };
  const auto off = [&](int first, int last, int i) {
    const double share = share_between(at(first), at(last), at(i), times);
    const Vec3 a = at(first).translation.cast<double>(), b = at(last).translation.cast<double>();
    return (a + (b - a) * share - at(i).translation.cast<double>()).norm() / tolerance;
  };
  const auto off_first = [&](int i) { return (at(i).translation - at(0).translation).cast<double>().norm() / tolerance; };
  return keys_of(samples.size(), off_first, off);
}

std::vector<int> rotation_keys(const std::vector<PlaceSample>& samples, const std::vector<double>& times, double tolerance) {
  const auto at = [&](int i) -> const PlaceSample& { return samples[static_cast<size_t>(i)]; };
  const auto turn = [&](int i) { return at(i).rotation.cast<double>(); };
  const auto off = [&](int first, int last, int i) {
    const double share = share_between(at(first), at(last), at(i), times);
    Quat straight = turn(first);
    straight.coeffs() += share * (turn(last).coeffs() - straight.coeffs());
    return std::max(degrees_between(turn(first).slerp(share, turn(last)), turn(i)), degrees_between(straight.normalized(), turn(i))) / tolerance;
  };
  const auto off_first = [&](int i) { return degrees_between(turn(0), turn(i)) / tolerance; };
  return keys_of(samples.size(), off_first, off);
}

}  // namespace crumple::io
