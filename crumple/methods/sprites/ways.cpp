// Ways through the complex of poses.
#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/methods/sprites/manifold.h"

namespace crumple::sprites {

bool holds(const Simplex& simplex, const Place& place) {
  for (size_t k = 0; k < place.a.size(); ++k) {
    if (place.a[k] > kFace && !std::binary_search(simplex.poses.begin(), simplex.poses.end(), static_cast<int>(k))) return false;
  }
  return true;
}

Place place_of(const Manifold& m, std::span<const double> a) {
  Place place{-1, {a.begin(), a.end()}};
  for (size_t s = 0; s < m.simplices.size() && place.simplex < 0; ++s) {
    if (holds(m.simplices[s], place)) place.simplex = static_cast<int>(s);
  }
  return place;
}

namespace {

double length_of(std::span<const double> from, std::span<const double> to) {
  double sum = 0;
  for (size_t k = 0; k < from.size(); ++k) sum += std::abs(to[k] - from[k]);
  return 0.5 * sum;
}

/// Corners of the shortest way from a place to another: straight within a simplex, otherwise over poses that simplices share.
std::vector<std::vector<double>> way_between(const Manifold& m, const Place& from, const Place& to) {
  const auto has_both = [&](const Place& a, const Place& b) {
    return std::any_of(m.simplices.begin(), m.simplices.end(), [&](const Simplex& s) { return holds(s, a) && holds(s, b); });
  };
  if (has_both(from, to)) return {from.a, to.a};
  // Shortest paths over the poses, from the beginning.
  const size_t poses = at(m.poses);
  std::vector<double> length(poses, 1e300);
  std::vector<int> before(poses, -1);
  std::vector<char> done(poses, 0);
  const auto corner = [&](size_t k) {
    std::vector<double> a(poses, 0.0);
    a[k] = 1;
    return a;
  };
  for (size_t k = 0; k < poses; ++k) {
    if (has_both(from, {0, corner(k)})) length[k] = length_of(from.a, corner(k));
  }
  for (size_t round = 0; round < poses; ++round) {
    size_t nearest = poses;
    for (size_t k = 0; k < poses; ++k) {
      if (!done[k] && length[k] < 1e300 && (nearest == poses || length[k] < length[nearest])) nearest = k;
    }
    if (nearest == poses) break;
    done[nearest] = 1;
    for (const Simplex& s : m.simplices) {
      if (!std::binary_search(s.poses.begin(), s.poses.end(), static_cast<int>(nearest))) continue;
      for (const int k : s.poses) {
        if (length[nearest] + 1 < length[at(k)]) length[at(k)] = length[nearest] + 1, before[at(k)] = static_cast<int>(nearest);
      }
    }
  }
  int last = -1;
  double least = 1e300;
  for (size_t k = 0; k < poses; ++k) {
    if (length[k] < 1e300 && has_both(to, {0, corner(k)}) && length[k] + length_of(corner(k), to.a) < least) least = length[k] + length_of(corner(k), to.a), last = static_cast<int>(k);
  }
  if (last < 0) return {from.a};  // another part of the complex: there is no way
  std::vector<std::vector<double>> way = {to.a};
  for (int k = last; k >= 0; k = before[at(k)]) way.push_back(corner(at(k)));
  way.push_back(from.a);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

double distance(const Manifold& m, const Place& from, const Place& to) {
  const std::vector<std::vector<double>> way = way_between(m, from, to);
  double length = 0;
  for (size_t k = 0; k + 1 < way.size(); ++k) length += length_of(way[k], way[k + 1]);
  return way.size() < 2 ? 1e300 : length;
}

Place moved(const Manifold& m, const Place& from, const Place& to, double share) {
  if (!(share > 0)) return from;
  const std::vector<std::vector<double>> way = way_between(m, from, to);
  double length = 0;
  for (size_t k = 0; k + 1 < way.size(); ++k) length += length_of(way[k], way[k + 1]);
  double left = std::min(share, 1.0) * length;
  for (size_t k = 0; k + 1 < way.size(); ++k) {
    const double step = length_of(way[k], way[k + 1]);
    if (left > step && k + 2 < way.size()) {
      left -= step;
      continue;
    }
    std::vector<double> a = way[k];
    const double part = step > 0 ? std::min(left / step, 1.0) : 1.0;
    for (size_t j = 0; j < a.size(); ++j) a[j] += part * (way[k + 1][j] - a[j]);
    Place place = place_of(m, a);
    // It stays in its simplex where that holds it as well.
    if (from.simplex >= 0 && holds(m.simplices[at(from.simplex)], place)) place.simplex = from.simplex;
    return place.simplex < 0 ? from : place;
  }
  return from;
}

}  // namespace crumple::sprites
