#include "crumple/particles/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/core/index.h"

namespace crumple::particles {
namespace {

// A few boxes are tested against every particle: cheaper than sorting the particles.
constexpr size_t kFewBoxes = 6;
constexpr size_t kFewParticles = 1000;
constexpr double kMaxCells = 1 << 18;
constexpr double kCellSpacings = 3;  // width of a cell
constexpr double kOutruns = 4;       // times the mean speed: faster particles may tunnel through thin parts, so one crumb does not slow the search

}  // namespace

ParticleSearch::ParticleSearch(const ParticleSpan& particles, double dt) : particles_(particles), dt_(dt) {
  Vec4f low = Vec4f::Constant(std::numeric_limits<float>::infinity()), high = -low;
  float fastest = 0;
  double sum = 0;
  for (size_t i = 0; i < particles.positions.size(); ++i) {
    if (particles.is_there[i] == 0) continue;
    low = low.cwiseMin(particles.positions[i]), high = high.cwiseMax(particles.positions[i]);
    const float speed2 = particles.velocities[i].head<3>().squaredNorm();
    fastest = std::max(fastest, speed2), sum += double(speed2);
  }
  all_ = {low.head<3>(), high.head<3>()};
  const double mean = std::sqrt(sum / std::max<double>(1, static_cast<double>(particles.positions.size())));
  fastest_ = std::min(std::sqrt(fastest), static_cast<float>(kOutruns * mean));
}

Box3f ParticleSearch::box_of(const Obstacle& obstacle) const {
  const Bounds local = rigid::box_of(obstacle.form());
  if (local.empty()) return all_;
  const Vec3 half = 0.5 * (local.high - local.low), middle = 0.5 * (local.high + local.low);
  const Mat3& turn = obstacle.place.rotation;
  const Vec3 center = turn * middle + obstacle.place.translation;
  const double own = (obstacle.velocity.norm() + obstacle.spin.norm() * ((center - obstacle.center).norm() + half.norm())) * dt_;
  const Vec3 reach = turn.cwiseAbs() * half + Vec3::Constant(obstacle.margin + own + travel() + 1e-6);
  return {(center - reach - particles_.origin).cast<float>(), (center + reach - particles_.origin).cast<float>()};
}

int ParticleSearch::cell(const Vec3f& place, int axis) const {
  const float there = (place[axis] - all_.low[axis]) / width_;
  return there > 0 ? std::min(static_cast<int>(std::min(there, 1e6f)), count_[axis] - 1) : 0;
}

void ParticleSearch::prepare(size_t boxes) {
  sorted_ = boxes > kFewBoxes && particles_.positions.size() > kFewParticles;
  if (!sorted_) return;
  const Vec3f size = all_.high - all_.low;
  width_ = static_cast<float>(kCellSpacings * particles_.spacing);
  const double wanted = (size.cast<double>().array() / double(width_) + 1).prod();
  if (wanted > kMaxCells) width_ *= static_cast<float>(std::cbrt(wanted / kMaxCells));  // some crumbs are far away
  for (int k = 0; k < 3; ++k) count_[k] = static_cast<int>(std::min(double(size[k] / width_), kMaxCells)) + 1;
  while (double(count_[0]) * count_[1] * count_[2] > 8 * kMaxCells) {
    width_ *= 2;
    for (int k = 0; k < 3; ++k) count_[k] = static_cast<int>(size[k] / width_) + 1;
  }
  const auto cell_of = [&](const Vec4f& x) {
    const Vec3f place = x.head<3>();
    return at((cell(place, 2) * count_[1] + cell(place, 1)) * count_[0] + cell(place, 0));
  };
  begin_.assign(at(count_[0] * count_[1] * count_[2]) + 1, 0);
  for (size_t i = 0; i < particles_.positions.size(); ++i) {
    if (particles_.is_there[i] > 0) ++begin_[cell_of(particles_.positions[i]) + 1];
  }
  for (size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  order_.resize(at(begin_.back()));
  std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
  for (size_t i = 0; i < particles_.positions.size(); ++i) {
    if (particles_.is_there[i] > 0) order_[at(next[cell_of(particles_.positions[i])]++)] = static_cast<int32_t>(i);
  }
}

void ParticleSearch::find(const Box3f& box, std::vector<int32_t>& found) const {
  found.clear();
  if (!sorted_) {
    for (size_t i = 0; i < particles_.positions.size(); ++i) {
      if (particles_.is_there[i] > 0 && box.holds(particles_.positions[i])) found.push_back(static_cast<int32_t>(i));
    }
    return;
  }
  for (int z = cell(box.low, 2); z <= cell(box.high, 2); ++z) {
    for (int y = cell(box.low, 1); y <= cell(box.high, 1); ++y) {
      const int row = (z * count_[1] + y) * count_[0];
      for (int32_t k = begin_[at(row + cell(box.low, 0))]; k < begin_[at(row + cell(box.high, 0)) + 1]; ++k) {
        if (box.holds(particles_.positions[at(order_[at(k)])])) found.push_back(order_[at(k)]);
      }
    }
  }
}

}  // namespace crumple::particles
