#include "crumple/particles/meet.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace crumple::particles {
namespace {

Vec3 place_of(const ParticleSpan& span, size_t i) {
  return span.origin + span.positions[i].head<3>().cast<double>();
}

void part(const ParticleSpan& a, size_t i, const ParticleSpan& b, size_t j, double apart, double friction) {
  const Vec3 way = place_of(a, i) - place_of(b, j);
  const double distance = way.norm();
  if (!(distance < apart)) return;
  const double light_a = a.held[i] >= 0 ? 0 : 1 / (a.unit * double{a.mass[i]}), light_b = b.held[j] >= 0 ? 0 : 1 / (b.unit * double{b.mass[j]});
  if (light_a + light_b == 0) return;
  const Vec3 normal = distance > 0 ? Vec3(way / distance) : Vec3::UnitY();
  const Vec3 shift = (apart - distance) / (light_a + light_b) * normal;
  a.positions[i].head<3>() += (light_a * shift).cast<float>();
  b.positions[j].head<3>() -= (light_b * shift).cast<float>();
  const Vec3 relative = (a.velocities[i].head<3>() - b.velocities[j].head<3>()).cast<double>();
  const double in = relative.dot(normal);
  if (in >= 0) return;
  const Vec3 slide = relative - in * normal;
  const double speed = slide.norm();
  const Vec3 rubbed = speed > 0 ? Vec3(-std::min(1.0, friction * -in / speed) * slide) : Vec3::Zero();
  const Vec3 impulse = (-in * normal + rubbed) / (light_a + light_b);
  a.velocities[i].head<3>() += (light_a * impulse).cast<float>();
  b.velocities[j].head<3>() -= (light_b * impulse).cast<float>();
}

}  // namespace

void meet(const ParticleSpan& a, const ParticleSpan& b, double friction) {
  const double apart = 0.5 * (a.spacing + b.spacing);
  std::vector<Vec3> places;
  std::vector<size_t> numbers;
  for (size_t j = 0; j < b.size(); ++j) {
    if (b.is_there[j] > 0) places.push_back(place_of(b, j)), numbers.push_back(j);
  }
  if (places.empty()) return;
  // Sorted along x, so that near particles are adjacent.
  std::vector<size_t> order(places.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](size_t l, size_t r) { return std::pair(places[l].x(), l) < std::pair(places[r].x(), r); });
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.is_there[i] == 0) continue;
    const Vec3 at = place_of(a, i);
    auto next = std::lower_bound(order.begin(), order.end(), at.x() - apart, [&](size_t k, double x) { return places[k].x() < x; });
    for (; next != order.end() && places[*next].x() <= at.x() + apart; ++next) {
      if (((places[*next] - at).cwiseAbs().array() <= apart).all()) part(a, i, b, numbers[*next], apart, friction);
    }
  }
}

}  // namespace crumple::particles
