#include "assets/generator/sedan_parts.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace crumple::generator::sedan {
namespace {

constexpr int kSectors = 28;

// A point of the section of a wheel; the band that begins there has this colour, and an edge if it differs or is asked for.
struct Point {
  double radius, height;  // height: outwards, along the axle
  Vec3f color;
  bool crease = false;
};

const std::vector<Point> kSection{
    {0.0, -0.09, kDark},         {0.20, -0.09, kDark},          {0.205, -0.10, kTyre, true}, {0.29, -0.10, kTyre},    {0.317, -0.082, kTyre},
    {kWheel, -0.06, kTyre},      {kWheel, 0.06, kTyre},         {0.317, 0.082, kTyre},       {0.285, 0.103, kTyre},   {0.225, 0.097, kChrome, true},
    {0.213, 0.090, kDark, true}, {0.205, 0.070, kSilver, true}, {0.190, 0.082, kSilver},     {0.100, 0.098, kSilver}, {0.060, 0.094, kChrome, true},
    {0.050, 0.108, kChrome},     {0.0, 0.112, kChrome}};

Vec3 polar(double angle, double radius, double height) {
  return {radius * std::cos(angle), -radius * std::sin(angle), height};
}

void add_turned(Facets& facets) {
  for (size_t i = 0; i + 1 < kSection.size(); ++i) {
    const Point &low = kSection[i], &high = kSection[i + 1];
    if (i == 0 || low.crease) facets.patch(low.color);
    for (int k = 0; k < kSectors; ++k) {
      const double from = 2 * std::numbers::pi * k / kSectors, to = 2 * std::numbers::pi * ((k + 1) % kSectors) / kSectors;
      facets.quad(polar(to, low.radius, low.height), polar(from, low.radius, low.height), polar(from, high.radius, high.height),
                  polar(to, high.radius, high.height));
    }
  }
}

// Slots in the wheel cover.
void add_slots(Facets& facets) {
  facets.patch(kDark);
  constexpr int kSlots = 12;
  for (int k = 0; k < kSlots; ++k) {
    const double turn = 2 * std::numbers::pi * k / kSlots;
    const Chart cover = [=](double u, double v, double out) {
      const double height = v > 0.19 ? 0.082 : 0.082 + 0.016 * (0.19 - v) / 0.09;
      return polar(turn + u / v, v, height + out);
    };
    add_plate(facets, cover, {.low = {-0.016, 0.125}, .high = {0.016, 0.182}, .front = 0.0015, .back = -0.02, .bevel = {0, 0}});
  }
}

}  // namespace

void add_wheels(TriMesh& mesh) {
  for (const double axle : {kFrontAxle, kRearAxle}) {
    const Mark begin = mark(mesh);
    Facets facets(mesh);
    add_turned(facets);
    add_slots(facets);
    move_since(mesh, begin, {Mat3::Identity(), Vec3(axle, kWheel, kTread)});
    mirror_since(mesh, begin);
  }
}

}  // namespace crumple::generator::sedan
