#include "crumple/methods/sprites/match.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/wide.h"

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
  for (size_t i = 0; i < particles; ++i) made.each.push_back(1.0 / (made.in_begin[i + 1] - made.in_begin[i]));
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

/// Sums of rows of four numbers: for each list, of the rows that it names.
CRUMPLE_WIDE void sum_rows(const double* rows, const int32_t* begin, const int32_t* members, size_t lists, double* sums) {
  for (size_t r = 0; r < lists; ++r) {
    double sum[4] = {};
    for (int32_t k = begin[r]; k < begin[r + 1]; ++k) {
      const double* row = rows + 4 * members[k];
      for (int c = 0; c < 4; ++c) sum[c] += row[c];
    }
    for (int c = 0; c < 4; ++c) sums[4 * r + static_cast<size_t>(c)] = sum[c];
  }
}

/// Of each ring: its rotation and shift, from the sums over its members. `middle`: of the pose.
CRUMPLE_WIDE void turn_rings(const double* sums, const double* middle, const double* mass, size_t rings, double* rows) {
  for (size_t r = 0; r < rings; ++r) {
    const double zr = sums[4 * r], zi = sums[4 * r + 1], xr = sums[4 * r + 2], xi = sums[4 * r + 3], mr = middle[2 * r], mi = middle[2 * r + 1];
    const double tr = zr - (mr * xr + mi * xi), ti = zi - (mr * xi - mi * xr);  // about the middles
    const double size = std::sqrt(tr * tr + ti * ti);
    const bool is_turned = size > 1e-150;
    const double scale = 1 / (is_turned ? size : 1), ur = is_turned ? tr * scale : 1, ui = ti * scale, light = 1 / mass[r];
    rows[4 * r] = ur, rows[4 * r + 1] = ui, rows[4 * r + 2] = xr * light - (ur * mr - ui * mi), rows[4 * r + 3] = xi * light - (ur * mi + ui * mr);
  }
}

}  // namespace

void match_rings(const Rings& rings, const PoseRings& posed, std::span<const Complex> pose, double share, std::span<Complex> places) {
  const size_t count = places.size();
  // Each ring needs the sums of m e~ x and of m x over its members; each particle the means of the rotations and shifts of its rings. Two sums of rows.
  thread_local std::vector<double> rows, sums;
  rows.resize(4 * count), sums.resize(4 * count);
  const Complex origin = places[0];  // small numbers keep the digits
  for (size_t i = 0; i < count; ++i) {
    const Complex x = rings.share[i] * (places[i] - origin), z = std::conj(pose[i]) * x;
    rows[4 * i] = z.real(), rows[4 * i + 1] = z.imag(), rows[4 * i + 2] = x.real(), rows[4 * i + 3] = x.imag();
  }
  sum_rows(rows.data(), rings.begin.data(), rings.members.data(), count, sums.data());
  turn_rings(sums.data(), reinterpret_cast<const double*>(posed.middle.data()), rings.mass.data(), count, rows.data());
  sum_rows(rows.data(), rings.in_begin.data(), rings.in.data(), count, sums.data());
  for (size_t i = 0; i < count; ++i) {
    const double each = rings.each[i];
    const double* sum = &sums[4 * i];
    const Complex goal = each * (Complex(sum[0], sum[1]) * pose[i] + Complex(sum[2], sum[3])) + origin;
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
