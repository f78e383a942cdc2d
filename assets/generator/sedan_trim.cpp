#include "assets/generator/sedan_parts.h"

#include <array>
#include <cmath>
#include <vector>

namespace crumple::generator::sedan {
namespace {

using Outline = std::vector<std::array<double, 2>>;

// Half of the plan of a bumper, from the side to the middle; front and rear differ.
struct Plan {
  std::vector<std::array<double, 2>> half;  // x, z
};
const Plan kFrontPlan{
    {{1.86, 0.908}, {2.00, 0.906}, {2.12, 0.890}, {2.20, 0.858}, {2.265, 0.80}, {2.32, 0.70}, {2.375, 0.54}, {2.42, 0.32}, {2.437, 0.0}}};
const Plan kRearPlan{
    {{-1.74, 0.908}, {-1.9, 0.906}, {-2.08, 0.895}, {-2.20, 0.868}, {-2.285, 0.81}, {-2.345, 0.70}, {-2.395, 0.54}, {-2.425, 0.32}, {-2.437, 0.0}}};

// Places along a plan in the direction of outward x up: left to right at the front, right to left at the rear.
std::vector<Transform> bumper_path(const Plan& plan, bool front) {
  std::vector<Vec3> points;
  for (const auto& [x, z] : plan.half) points.push_back({x, 0, front ? -z : z});
  for (size_t i = plan.half.size() - 1; i-- > 0;) points.push_back({plan.half[i][0], 0, front ? plan.half[i][1] : -plan.half[i][1]});
  std::vector<Transform> path;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3 along = (points[std::min(i + 1, points.size() - 1)] - points[i == 0 ? 0 : i - 1]).normalized();
    Transform place;
    place.rotation.col(2) = along;
    place.rotation.col(1) = Vec3::UnitY();
    place.rotation.col(0) = Vec3::UnitY().cross(along);
    place.translation = points[i];
    path.push_back(place);
  }
  return path;
}

void add_bumper(Facets& facets, const Plan& plan, bool front) {
  const double raise = front ? 0.0 : 0.05;
  const auto path = bumper_path(plan, front);
  const Outline shell{{-0.10, 0.26 + raise},  {-0.035, 0.255 + raise}, {-0.005, 0.30 + raise}, {0.0, 0.40 + raise},
                      {-0.008, 0.50 + raise}, {-0.03, 0.525 + raise},  {-0.10, 0.53 + raise}};
  facets.patch(kPaint);
  add_sweep(facets, path, shell, true);
  const Outline strip{{-0.03, 0.385 + raise}, {0.010, 0.39 + raise}, {0.012, 0.415 + raise}, {0.010, 0.44 + raise}, {-0.03, 0.445 + raise}};
  facets.patch(kTrim);
  add_sweep(facets, path, strip, true);
  facets.patch(kChrome);
  const Outline bead{{-0.01, 0.442 + raise}, {0.012, 0.444 + raise}, {0.012, 0.456 + raise}, {-0.01, 0.458 + raise}};
  add_sweep(facets, path, bead, true);
}

Chart nose() {
  return on_nose;
}
Chart tail() {
  return on_tail;
}
Chart side() {
  return on_side;
}

Plate plate(double u0, double v0, double u1, double v1, double front, int columns = 1, double bevel = 0.0) {
  return {.low = {u0, v0}, .high = {u1, v1}, .front = front, .back = -0.03, .bevel = {bevel, bevel}, .columns = columns, .rows = 1};
}

void add_grille(Facets& facets) {
  facets.patch(kChrome);
  add_plate(facets, nose(), plate(-0.385, 0.535, 0.385, 0.685, 0.014, 8, 0.008));
  facets.patch(kDark);
  add_plate(facets, nose(), plate(-0.365, 0.550, 0.365, 0.668, 0.016, 8));
  facets.patch(kChrome);
  for (int bar = 0; bar < 4; ++bar) add_plate(facets, nose(), plate(-0.365, 0.569 + 0.024 * bar, 0.365, 0.576 + 0.024 * bar, 0.020, 8));
  facets.patch(kTrim);
  add_plate(facets, nose(), plate(-0.045, 0.578, 0.045, 0.638, 0.026, 1, 0.008));
}

void add_plate_number(Facets& facets, const Chart& chart, double y) {
  facets.patch(kWhite);
  add_plate(facets, chart, plate(-0.155, y, 0.155, y + 0.15, 0.014, 2));
  facets.patch(kPaint);
  for (int i = 0; i < 7; ++i)
    if (i != 3) add_plate(facets, chart, plate(-0.125 + 0.037 * i, y + 0.045, -0.103 + 0.037 * i, y + 0.105, 0.017, 1));
}

// One side; the other is mirrored. Seen from before the car, its right is on the left.
void add_side_lamps(Facets& facets) {
  facets.patch(kChrome);
  add_plate(facets, nose(), plate(-0.80, 0.530, -0.415, 0.682, 0.010, 4, 0.004));
  facets.patch(kLamp);
  add_plate(facets, nose(), plate(-0.790, 0.540, -0.425, 0.674, 0.020, 4, 0.010));
  facets.patch(kAmber);
  add_plate(facets, side(), plate(2.185, 0.540, 2.335, 0.640, 0.010, 2, 0.008));
  facets.patch(kRed);
  add_plate(facets, tail(), plate(0.42, 0.700, 0.842, 0.865, 0.014, 4, 0.008));
  add_plate(facets, side(), plate(-2.374, 0.704, -2.14, 0.861, 0.010, 2, 0.006));
  facets.patch(kWhite);
  add_plate(facets, tail(), plate(0.45, 0.735, 0.54, 0.79, 0.018, 1, 0.004));
}

Chart top() {
  return [](double u, double v, double out) { return on_top(v, u, out); };  // as seen from above, the front up
}

// Lines between panels: thin dark strips.
void add_seams(Facets& facets) {
  facets.patch(kDark);
  const auto line = [&](double u0, double v0, double u1, double v1, int columns, int rows) {
    add_plate(facets, side(), {.low = {u0, v0}, .high = {u1, v1}, .front = 0.0015, .back = -0.02, .columns = columns, .rows = rows});
  };
  const double width = 0.010;
  for (const double x : {0.84, -0.19}) line(x - width / 2, 0.255, x + width / 2, belt_at(x) - 0.085, 1, 4);
  line(-1.125, 0.665, -1.125 + width, belt_at(-1.1) - 0.085, 1, 2);
  line(-0.865, 0.25, 0.84, 0.258, 8, 1);
  const double z = 0.70;
  add_plate(facets, top(), {.low = {z - 0.005, 1.06}, .high = {z + 0.005, 2.33}, .front = 0.0015, .back = -0.02, .columns = 1, .rows = 8});
  add_plate(facets, top(), {.low = {z - 0.005, -2.345}, .high = {z + 0.005, -1.70}, .front = 0.0015, .back = -0.02, .columns = 1, .rows = 5});
}

// Rubbing strips along the sides and handles in the doors.
void add_side_trim(Facets& facets) {
  facets.patch(kTrim);
  for (const auto& [from, to, cells] : {std::array{-0.89, 1.01, 8.0}, std::array{-1.86, -1.745, 1.0}, std::array{1.85, 1.95, 1.0}})
    add_plate(facets, side(),
              {.low = {from, 0.462}, .high = {to, 0.515}, .front = 0.014, .back = -0.02, .bevel = {0.004, 0.010}, .columns = int(cells), .rows = 1});
  facets.patch(kChrome);
  for (const double x : {-0.02, -0.98}) add_plate(facets, side(), plate(x - 0.085, 0.735, x + 0.085, 0.765, 0.022, 2, 0.008));
  facets.patch(kChrome);  // along the lower edge of the windows
  const Chart edge = [](double u, double v, double out) { return Vec3(on_side(u, belt_at(u) - 0.085, 0).x(), belt_at(u) + v, 0.805 + out); };
  add_plate(facets, edge, {.low = {-1.03, -0.012}, .high = {0.80, 0.010}, .front = 0.002, .back = -0.05, .columns = 8, .rows = 1});
}

void add_mirror(Facets& facets) {
  facets.patch(kPaint);
  const Outline outline{{-0.075, -0.06}, {0.075, -0.055}, {0.085, 0.0}, {0.07, 0.055}, {-0.075, 0.065}};
  std::vector<Transform> path;
  for (const auto& [x, scale] : {std::array{0.665, 0.88}, std::array{0.70, 1.0}, std::array{0.76, 0.85}, std::array{0.79, 0.45}}) {
    Transform place;
    place.rotation << 0, 0, 1, 0, scale, 0, -scale, 0, 0;
    place.translation = {x, 0.995, 0.905};
    path.push_back(place);
  }
  add_sweep(facets, path, outline, true);
  add_strut(facets, {0.71, 0.94, 0.78}, {0.71, 0.975, 0.88}, 0.03, 6);
}

}  // namespace

void add_bumpers(TriMesh& mesh) {
  Facets facets(mesh);
  add_bumper(facets, kFrontPlan, true);
  add_bumper(facets, kRearPlan, false);
}

void add_lamps(TriMesh& mesh) {
  Facets middle(mesh);
  add_grille(middle);
  add_plate_number(middle, tail(), 0.695);
  middle.patch(kDark);  // the front edge of the boot's lid
  add_plate(middle, top(), {.low = {-0.70, -1.71}, .high = {0.70, -1.70}, .front = 0.0015, .back = -0.02, .columns = 8, .rows = 1});
  const Mark begin = mark(mesh);
  Facets facets(mesh);
  add_side_lamps(facets);
  mirror_since(mesh, begin);
}

void add_trim(TriMesh& mesh) {
  const Mark begin = mark(mesh);
  Facets facets(mesh);
  add_seams(facets);
  add_side_trim(facets);
  add_mirror(facets);
  mirror_since(mesh, begin);
}

}  // namespace crumple::generator::sedan
