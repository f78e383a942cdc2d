#include "assets/generator/models.h"

#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace crumple::generator {
namespace {

/// Where lines run across one axis of a box, before its edges are rounded: equal steps over what stays flat, equal angles over the rest (`arc` steps
/// around half of an edge).
std::vector<double> lines(double half, double radius, int flat, int arc) {
  std::vector<double> places;
  for (int i = arc; i > 0; --i) places.push_back(-(half - radius) - radius * std::tan(0.25 * M_PI * i / arc));
  for (int i = 0; i <= flat; ++i) places.push_back((half - radius) * (2.0 * i / flat - 1));
  for (int i = 1; i <= arc; ++i) places.push_back(half - radius + radius * std::tan(0.25 * M_PI * i / arc));
  return places;
}

/// Vertices of a box by the lines that they are on.
class RoundedBox {
 public:
  RoundedBox(const Vec3& size, double radius, const std::array<int, 3>& flat, int arc)
      : inner_(0.5 * size - Vec3::Constant(radius)), radius_(radius) {
    for (size_t k = 0; k < 3; ++k) lines_[k] = lines(0.5 * size[static_cast<int>(k)], radius, flat[k], arc);
    for (size_t axis = 0; axis < 3; ++axis) add_side(axis, false), add_side(axis, true);
  }
  TriMesh take() { return std::move(mesh_); }

 private:
  int vertex(const std::array<int, 3>& at) {
    const auto [found, is_new] = numbers_.try_emplace(at, static_cast<int>(mesh_.positions.size()));
    if (is_new) {
      const Vec3 sharp(lines_[0][static_cast<size_t>(at[0])], lines_[1][static_cast<size_t>(at[1])], lines_[2][static_cast<size_t>(at[2])]);
      const Vec3 kept = sharp.cwiseMax(-inner_).cwiseMin(inner_);
      mesh_.positions.push_back(kept + radius_ * (sharp - kept).normalized());
    }
    return found->second;
  }
  void add_side(size_t axis, bool high) {
    const size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i + 1 < static_cast<int>(lines_[u].size()); ++i) {
      for (int j = 0; j + 1 < static_cast<int>(lines_[v].size()); ++j) {
        const auto corner = [&](int at_u, int at_v) {
          std::array<int, 3> at{};
          at[axis] = high ? static_cast<int>(lines_[axis].size()) - 1 : 0, at[u] = at_u, at[v] = at_v;
          return vertex(at);
        };
        const int a = corner(i, j), b = corner(i + 1, j), c = corner(i + 1, j + 1), d = corner(i, j + 1);
        add(a, b, c, d, high, (i + j) % 2 == 0);
      }
    }
  }
  void add(int a, int b, int c, int d, bool outward, bool across) {
    const std::array<Triangle, 2> halves = across ? std::array<Triangle, 2>{{{a, b, c}, {a, c, d}}} : std::array<Triangle, 2>{{{b, c, d}, {b, d, a}}};
    for (const auto& [x, y, z] : halves) mesh_.triangles.push_back(outward ? Triangle{x, y, z} : Triangle{x, z, y});
  }

  Vec3 inner_;
  double radius_;
  std::array<std::vector<double>, 3> lines_;
  std::map<std::array<int, 3>, int> numbers_;
  TriMesh mesh_;
};

}  // namespace

TriMesh bar_model() {
  return RoundedBox({1.6, 0.4, 0.4}, 0.02, {30, 7, 7}, 3).take();
}

TriMesh plate_model() {
  return RoundedBox({1, 1, 0.04}, 0.008, {36, 36, 1}, 2).take();
}

}  // namespace crumple::generator
