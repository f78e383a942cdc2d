#include "assets/generator/drum.h"

#include "assets/generator/ramp.h"
#include "crumple/geometry/extrude.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace crumple::generator {
namespace {

// Five rings make 30 sectors of about the same length as the rings are apart; 18 layers put a level on each hoop.
constexpr int kRings = 5, kLayers = 18;

double angle_of(int handle, int count) {
  return 2.0 * std::numbers::pi * handle / count;
}

void add_ring_handles(std::vector<Handle>& handles, const std::string& name, int count, double height) {
  for (int i = 0; i < count; ++i)
    handles.push_back({name + " " + std::to_string(360 * i / count), kDrumRadius * outward_at(angle_of(i, count)) + height * Vec3::UnitY()});
}

std::vector<Handle> drum_handles() {
  std::vector<Handle> handles;
  add_ring_handles(handles, "top rim", kRimHandles, kDrumHeight / 2);
  add_ring_handles(handles, "middle", kMiddleHandles, 0);
  add_ring_handles(handles, "bottom rim", kRimHandles, -kDrumHeight / 2);
  handles.push_back({"top lid", Vec3(0, kDrumHeight / 2, 0)});
  handles.push_back({"bottom lid", Vec3(0, -kDrumHeight / 2, 0)});
  return handles;
}

// The share of each handle, a product of height, distance from the axis and angle. Near the axis angles mean nothing: there the
// lids take over at the ends and the handles of the middle are all alike.
std::array<double, kDrumHandles> weights_at(const Vec3& point) {
  const double top = rounded_ramp(point.y() / (kDrumHeight / 2)), bottom = rounded_ramp(-point.y() / (kDrumHeight / 2));
  const double outer = rounded_ramp(std::hypot(point.x(), point.z()) / kDrumRadius), inner = 1.0 - outer;
  const double angle = std::atan2(-point.z(), point.x());
  std::array<double, kDrumHandles> weights{};
  for (int i = 0; i < kRimHandles; ++i) {
    const double share = outer * circular_hat(angle - angle_of(i, kRimHandles), kRimHandles);
    weights[kTopRim + i] = top * share;
    weights[kBottomRim + i] = bottom * share;
  }
  for (int i = 0; i < kMiddleHandles; ++i)
    weights[kMiddle + i] =
        (1.0 - top - bottom) * (outer * circular_hat(angle - angle_of(i, kMiddleHandles), kMiddleHandles) + inner / kMiddleHandles);
  weights[kTopLid] = top * inner;
  weights[kBottomLid] = bottom * inner;
  return weights;
}

}  // namespace

Vec3 outward_at(double radians) {
  return Vec3(std::cos(radians), 0, -std::sin(radians));
}

Asset make_drum() {
  Asset drum;
  drum.name = "drum";
  drum.tets = extrude(make_disc(kDrumRadius, kRings), even_heights(kDrumHeight, kLayers));
  drum.handles = drum_handles();
  for (const Vec3& position : drum.tets.positions)
    for (const double weight : weights_at(position)) drum.weights.push_back(float(weight));
  drum.examples = drum_examples(drum.handles);
  drum.surface = drum_surface();
  drum.color = Vec3f(0.02f, 0.13f, 0.42f);
  drum.metal = 0.4;
  drum.roughness = 0.35;
  return drum;
}

}  // namespace crumple::generator
