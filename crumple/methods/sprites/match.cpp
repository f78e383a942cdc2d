#include "crumple/methods/sprites/match.h"

#include <algorithm>

#include "crumple/core/index.h"

namespace crumple::sprites {

Rings make_rings(size_t particles, std::span<const Triangle> triangles, int rings, std::span<const double> masses, bool plain) {
  std::vector<std::vector<int32_t>> near(particles);
  for (const Triangle& t : triangles) {
    for (size_t k = 0; k < 3; ++k) near[at(t[k])].push_back(t[(k + 1) % 3]), near[at(t[k])].push_back(t[(k + 2) % 3]);
  }
  Rings made;
  made.begin.push_back(0);
  std::vector<int32_t> seen(particles, -1), ring, edge, next;
  for (size_t i = 0; i < particles; ++i) {
    const auto own = static_cast<int32_t>(i);
    ring = edge = {own}, seen[i] = own;
    for (int k = 0; k < rings; ++k) {
      next.clear();
      for (const int32_t v : edge) {
        for (const int32_t w : near[at(v)]) {
          if (seen[at(w)] != own) seen[at(w)] = own, next.push_back(w), ring.push_back(w);
        }
      }
      edge = next;
    }
    std::sort(ring.begin(), ring.end());
    made.members.insert(made.members.end(), ring.begin(), ring.end());
    made.begin.push_back(static_cast<int32_t>(made.members.size()));
  }
  made.in_begin.assign(particles + 1, 0), made.in.resize(made.members.size());
  for (const int32_t v : made.members) ++made.in_begin[at(v) + 1];
  for (size_t i = 0; i < particles; ++i) made.in_begin[i + 1] += made.in_begin[i];
  std::vector<int32_t> fill(made.in_begin.begin(), made.in_begin.end() - 1);
  made.share.resize(particles), made.mass.assign(particles, 0.0);
  for (size_t i = 0; i < particles; ++i) made.share[i] = plain ? masses[i] : masses[i] / (made.in_begin[i + 1] - made.in_begin[i]);
  for (size_t r = 0; r < particles; ++r) {
    for (int32_t k = made.begin[r]; k < made.begin[r + 1]; ++k) {
      const size_t v = at(made.members[at(k)]);
      made.in[at(fill[v]++)] = static_cast<int32_t>(r), made.mass[r] += made.share[v];
    }
  }
  return made;
}

PoseRings pose_rings(const Rings& rings, std::span<const Complex> pose) {
  PoseRings posed;
  posed.middle.resize(rings.mass.size());
  for (size_t r = 0; r < rings.mass.size(); ++r) {
    Complex sum = 0;
    for (int32_t k = rings.begin[r]; k < rings.begin[r + 1]; ++k) sum += rings.share[at(rings.members[at(k)])] * pose[at(rings.members[at(k)])];
    posed.middle[r] = sum / rings.mass[r];
  }
  return posed;
}

namespace {

using Row = Eigen::Array4d;  // two complex numbers

}  // namespace

void match_rings(const Rings& rings, const PoseRings& posed, std::span<const Complex> pose, double share, std::span<Complex> places) {
  const size_t count = places.size();
  // Each ring needs the sums of m e~ x and of m x over its members; each particle the means of the rotations and shifts of its rings. Two sums of rows.
  thread_local std::vector<Row> rows, turned;
  rows.resize(count), turned.resize(count);
  const Complex origin = places[0];  // small numbers keep the digits
  for (size_t i = 0; i < count; ++i) {
    const Complex x = rings.share[i] * (places[i] - origin), z = std::conj(pose[i]) * x;
    rows[i] << z.real(), z.imag(), x.real(), x.imag();
  }
  for (size_t r = 0; r < count; ++r) {
    Row sum = Row::Zero();
    for (int32_t k = rings.begin[r]; k < rings.begin[r + 1]; ++k) sum += rows[at(rings.members[at(k)])];
    const Complex z(sum[0], sum[1]), x(sum[2], sum[3]), middle = posed.middle[r];
    const Complex turn = z - std::conj(middle) * x;  // about the middles
    const double size = std::abs(turn);
    const Complex unit = size > 1e-300 ? turn / size : Complex(1);
    const Complex shift = x / rings.mass[r] - unit * middle;
    turned[r] << unit.real(), unit.imag(), shift.real(), shift.imag();
  }
  for (size_t i = 0; i < count; ++i) {
    Row sum = Row::Zero();
    for (int32_t k = rings.in_begin[i]; k < rings.in_begin[i + 1]; ++k) sum += turned[at(rings.in[at(k)])];
    sum /= rings.in_begin[i + 1] - rings.in_begin[i];
    const Complex goal = Complex(sum[0], sum[1]) * pose[i] + Complex(sum[2], sum[3]) + origin;
    places[i] += share * (goal - places[i]);
  }
}

Fit fit_pose(std::span<const double> masses, std::span<const Complex> pose, std::span<const Complex> places, Complex otherwise) {
  Fit fit;
  double mass = 0;
  for (size_t i = 0; i < places.size(); ++i) fit.from += masses[i] * pose[i], fit.to += masses[i] * places[i], mass += masses[i];
  fit.from /= mass, fit.to /= mass;
  Complex z = 0;
  double size = 0;
  for (size_t i = 0; i < places.size(); ++i) z += masses[i] * std::conj(pose[i] - fit.from) * (places[i] - fit.to), size += masses[i] * std::norm(pose[i] - fit.from);
  fit.turn = std::abs(z) > 1e-9 * size ? z / std::abs(z) : otherwise;
  return fit;
}

Fit match_all(std::span<const double> masses, std::span<const Complex> pose, double share, Complex otherwise, std::span<Complex> places) {
  const Fit fit = fit_pose(masses, pose, places, otherwise);
  for (size_t i = 0; i < places.size(); ++i) places[i] += share * (fit.turn * (pose[i] - fit.from) + fit.to - places[i]);
  return fit;
}

}  // namespace crumple::sprites
