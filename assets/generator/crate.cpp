#include "assets/generator/crate.h"

#include "assets/generator/ramp.h"
#include "crumple/geometry/extrude.h"

#include <array>
#include <cmath>
#include <string>

namespace crumple::generator {
namespace {

constexpr int kColumns = 10, kRows = 8, kLayers = 8;

double side_of(int corner, int axis) {
  return corner >> axis & 1 ? 1.0 : -1.0;
}

std::string corner_name(int corner) {
  return std::string(side_of(corner, 1) > 0 ? "top" : "bottom") + (side_of(corner, 2) > 0 ? " front" : " back") +
         (side_of(corner, 0) > 0 ? " right" : " left");
}

std::vector<Handle> crate_handles() {
  std::vector<Handle> handles;
  const Vec3 half = kCrateSize / 2;
  for (int corner = 0; corner < kCorners; ++corner)
    handles.push_back({corner_name(corner), half.cwiseProduct(Vec3(side_of(corner, 0), side_of(corner, 1), side_of(corner, 2)))});
  const std::array names{"left side", "right side", "bottom", "top", "back", "front"};
  for (int face = 0; face < kFaces; ++face) {
    const int axis = face / 2;
    handles.push_back({names[face], Vec3((face % 2 ? half[axis] : -half[axis]) * Vec3::Unit(axis))});
  }
  return handles;
}

// Say that with every axis goes the chance of being near one of its two faces, growing from the middle. A face has the chance
// of being near it and no other; what all faces leave, the corners share by how near they are.
std::array<double, kCrateHandles> weights_at(const Vec3& point) {
  const Vec3 place = point.cwiseQuotient(kCrateSize / 2);  // -1 .. 1
  std::array<double, kCrateHandles> weights{};
  double left = 1.0;
  for (int face = 0; face < kFaces; ++face) {
    const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double share = rounded_ramp(face % 2 ? place[axis] : -place[axis]) * hat(place[u]) * hat(place[v]);
    weights[kCorners + face] = share;
    left -= share;
  }
  for (int corner = 0; corner < kCorners; ++corner) {
    weights[corner] = left;
    for (int axis = 0; axis < 3; ++axis) weights[corner] *= rounded_ramp(0.5 + 0.5 * side_of(corner, axis) * place[axis]);
  }
  return weights;
}

}  // namespace

Asset make_crate() {
  Asset crate;
  crate.name = "crate";
  crate.tets = extrude(make_rectangle(kCrateSize.x(), kCrateSize.z(), kColumns, kRows), even_heights(kCrateSize.y(), kLayers));
  crate.handles = crate_handles();
  for (const Vec3& position : crate.tets.positions)
    for (const double weight : weights_at(position)) crate.weights.push_back(float(std::max(0.0, weight)));
  crate.examples = crate_examples(crate.handles);
  crate.surface = crate_surface();
  crate.color = Vec3f(0.38f, 0.19f, 0.075f);
  crate.metal = 0.0;
  crate.roughness = 0.65;
  return crate;
}

}  // namespace crumple::generator
