#include "crumple/geometry/places.h"

#include <algorithm>

namespace crumple {

Places find_places(std::span<const Vec3> points) {
  Places places;
  places.of.assign(points.size(), -1);
  std::vector<int> order;
  order.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].allFinite()) order.push_back(static_cast<int>(i));
  }
  const auto at = [&](int i) -> const Vec3& { return points[static_cast<size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return comes_first(at(a), at(b)) || (!comes_first(at(b), at(a)) && a < b); });
  for (const int i : order) {
    if (places.positions.empty() || comes_first(places.positions.back(), at(i))) places.positions.push_back(at(i) + Vec3::Zero());  // -0 is 0
    places.of[static_cast<size_t>(i)] = static_cast<int>(places.positions.size()) - 1;
  }
  return places;
}

}  // namespace crumple
