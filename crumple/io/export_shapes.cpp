#include "crumple/io/export_shapes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>

namespace crumple::io {
namespace {

/// A surface that has not moved for this many frames is kept still: a dent must not creep through a long pause.
constexpr int kStillFrames = 4;

std::span<const float> numbers(const Points& points) {
  return {points.empty() ? nullptr : points[0].data(), points.size() * 3};
}
std::span<float> numbers(Points& points) {
  return {points.empty() ? nullptr : points[0].data(), points.size() * 3};
}

/// Loops over blocks so that the inner one has no exit and runs several lanes at a time.
template <class Bad>
bool none_of(size_t count, Bad bad) {
  constexpr size_t kBlock = 512;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t end = std::min(count, begin + kBlock);
    int found = 0;
    for (size_t i = begin; i < end; ++i) found |= bad(i);
    if (found) return false;
  }
  return true;
}

bool same_shape(const Points& a, const Points& b) {
  const float* x = numbers(a).data();
  const float* y = numbers(b).data();
  return none_of(a.size() * 3, [x, y](size_t i) { return int{std::abs(x[i] - y[i]) > kUnmoved}; });
}

/// The furthest that `shape` lies from a + (b - a) * share.
double furthest(const Points& shape, const Points& a, const Points& b, double share) {
  float furthest = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    furthest = std::max(furthest, (a[i] + (b[i] - a[i]) * static_cast<float>(share) - shape[i]).squaredNorm());
  }
  return std::sqrt(furthest);
}

}  // namespace

ShapeKeys::ShapeKeys(std::shared_ptr<const Points> rest, double tolerance, int most)
    : rest_(std::move(rest)), tolerance_(tolerance), most_(std::max(most, 2)) {}

void ShapeKeys::add(double time, const Points& given) {
  const Points& positions = given.empty() ? *rest_ : given;
  assert(positions.size() == rest_->size());
  if (shapes_.empty()) {
    choose({time, time, positions, 0});
    return;
  }
  if (passed_ > 0) {
    still_ = same_shape(positions, last_) ? still_ + 1 : 0;
    if (!within_cone(time, positions)) choose_last();
  }
  if (passed_ == 0 && same_shape(positions, points_of(shapes_.back()))) {
    shapes_.back().end = time;
    return;
  }
  narrow_cone(time, positions);
  if (still_ == 0) last_ = positions, last_begin_ = time;
  last_time_ = time;
  ++passed_;
  if (still_ >= kStillFrames) choose_last();
}

void ShapeKeys::finish() {
  if (passed_ > 0) choose_last();
  if (shapes_.empty() || targets() > 0) return;
  // It has moved by less than the tolerance, and back: it rests.
  shapes_.front().end = shapes_.back().end;
  shapes_.resize(1);
}

void ShapeKeys::choose_last() {
  choose({last_begin_, last_time_, std::move(last_), 0});
}

void ShapeKeys::choose(HeldShape shape) {
  if (same_shape(shape.positions, *rest_)) Points().swap(shape.positions);
  if (passed_ > 1) shapes_.back().error_after = tolerance_;
  shapes_.push_back(std::move(shape));
  passed_ = still_ = 0;
  if (targets() > most_) drop_one_shape();
}

bool ShapeKeys::within_cone(double time, const Points& positions) const {
  const Points& start = points_of(shapes_.back());
  const float per_second = static_cast<float>(1.0 / (time - shapes_.back().end));
  const float *from = numbers(start).data(), *to = numbers(positions).data();
  const float *low = numbers(low_).data(), *high = numbers(high_).data();
  return none_of(positions.size() * 3, [=](size_t i) {
    const float velocity = (to[i] - from[i]) * per_second;
    return int{velocity < low[i]} | int{velocity > high[i]};
  });
}

void ShapeKeys::narrow_cone(double time, const Points& positions) {
  const Points& start = points_of(shapes_.back());
  if (passed_ == 0) {
    low_.assign(positions.size(), Vec3f::Constant(-1e30f));
    high_.assign(positions.size(), Vec3f::Constant(1e30f));
  }
  // Each coordinate has its share, so that together they stay within the tolerance.
  const float slack = static_cast<float>(tolerance_ / std::sqrt(3.0));
  const float per_second = static_cast<float>(1.0 / (time - shapes_.back().end));
  const float *from = numbers(start).data(), *to = numbers(positions).data();
  float *low = numbers(low_).data(), *high = numbers(high_).data();
  for (size_t i = 0; i < positions.size() * 3; ++i) {
    low[i] = std::max(low[i], (to[i] - from[i] - slack) * per_second);
    high[i] = std::min(high[i], (to[i] - from[i] + slack) * per_second);
  }
}

int ShapeKeys::targets() const {
  return static_cast<int>(std::count_if(shapes_.begin(), shapes_.end(), [](const HeldShape& shape) { return !shape.positions.empty(); }));
}

/// How far that shape is from the line between its neighbours.
double ShapeKeys::distance_from_line(size_t index) const {
  const HeldShape &before = shapes_[index - 1], &shape = shapes_[index], &after = shapes_[index + 1];
  double distance = 0;
  for (const double time : {shape.begin, shape.end}) {
    const double share = (time - before.end) / (after.begin - before.end);
    distance = std::max(distance, furthest(points_of(shape), points_of(before), points_of(after), share));
  }
  return distance;
}

/// The one that is missed least. From then on the tolerance is no finer than what had to be given up.
void ShapeKeys::drop_one_shape() {
  size_t best = 0;
  double least = 1e300, given_up = 0;
  for (size_t i = 1; i + 1 < shapes_.size(); ++i) {
    if (shapes_[i].positions.empty()) continue;
    const double distance = distance_from_line(i);
    const double error = distance + std::max(shapes_[i - 1].error_after, shapes_[i].error_after);
    if (error < least) best = i, least = error, given_up = distance;
  }
  if (best == 0) return;
  shapes_[best - 1].error_after = least;
  shapes_.erase(shapes_.begin() + static_cast<std::ptrdiff_t>(best));
  tolerance_ = std::max(tolerance_, given_up);
}

double ShapeKeys::error() const {
  double worst = 0;
  for (const HeldShape& shape : shapes_) worst = std::max(worst, shape.error_after);
  return worst + kUnmoved;
}

}  // namespace crumple::io
