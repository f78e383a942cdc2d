#include "crumple/geometry/elements.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"

namespace crumple {

double measure_of(const Elements& elements, std::span<const Vec3> positions, size_t element) {
  const std::span<const int> c = elements[element];
  const Vec3 &a = positions[at(c[0])], b = positions[at(c[1])] - a, d = positions[at(c[2])] - a;
  if (elements.dimension == 2) return 0.5 * (b.x() * d.y() - b.y() * d.x());
  return b.cross(d).dot(positions[at(c[3])] - a) / 6;
}

std::array<Vec3, 4> inward_sides(const Elements& elements, size_t element) {
  const std::span<const int> corners = elements[element];
  const Vec3 &a = elements.positions[at(corners[0])], &b = elements.positions[at(corners[1])], &c = elements.positions[at(corners[2])];
  std::array<Vec3, 4> sides;
  sides[3].setZero();
  if (elements.dimension == 2) {
    const auto across = [](const Vec3& edge) { return Vec3(-edge.y(), edge.x(), 0); };  // to the left
    sides[1] = across(a - c), sides[2] = across(b - a), sides[0] = -(sides[1] + sides[2]);
    return sides;
  }
  const Vec3& d = elements.positions[at(corners[3])];
  sides[1] = 0.5 * (c - a).cross(d - a), sides[2] = 0.5 * (d - a).cross(b - a), sides[3] = 0.5 * (b - a).cross(c - a);
  sides[0] = -(sides[1] + sides[2] + sides[3]);
  return sides;
}

double mean_edge(const Elements& elements) {
  double sum = 0;
  for (size_t e = 0; e < elements.size(); ++e) {
    const std::span<const int> c = elements[e];
    for (size_t i = 0; i < c.size(); ++i) {
      for (size_t j = 0; j < i; ++j) sum += (elements.positions[at(c[i])] - elements.positions[at(c[j])]).norm();
    }
  }
  const double edges = elements.dimension == 3 ? 6 : 3;
  return sum / (edges * static_cast<double>(std::max<size_t>(1, elements.size())));
}

std::vector<double> lumped_masses(const Elements& elements, double density) {
  std::vector<double> masses(elements.positions.size(), 0.0);
  for (size_t e = 0; e < elements.size(); ++e) {
    const double share = density * std::abs(measure_of(elements, e)) / static_cast<double>(elements.each());
    for (const int v : elements[e]) masses[at(v)] += share;
  }
  return masses;
}

}  // namespace crumple
