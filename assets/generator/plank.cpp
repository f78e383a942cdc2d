#include "assets/generator/plank.h"

#include "assets/generator/pose.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace crumple::generator {
namespace {

// Pairs of handles on both edges; closest where the plank can snap, to the left and to the right of its middle.
constexpr std::array kPlaces{-1.5, -1.04, -0.68, -0.5, -0.32, 0.0, 0.32, 0.5, 0.68, 1.04, 1.5};

std::string name_at(double x, bool front) {
  return std::to_string(int(std::lround(100 * x))) + (front ? " right" : " left");
}

std::vector<std::string> names_from(double low, double high) {
  std::vector<std::string> names;
  for (const double x : kPlaces)
    if (low <= x && x <= high) names.insert(names.end(), {name_at(x, false), name_at(x, true)});
  return names;
}

// An arc of a circle that turns by this much from end to end.
Sketch bent(const std::string& name, const std::vector<Handle>& handles, double degrees) {
  Sketch sketch(name, handles);
  const double per_metre = degrees / kPlankSize.x();
  for (const double x : kPlaces) {
    const double turn = per_metre * x, radius = 180 / (per_metre * std::numbers::pi), angle = turn * std::numbers::pi / 180;
    const Vec3 place(radius * std::sin(angle), radius * (1 - std::cos(angle)), 0),
        lift(0, -0.35 * radius * (1 - std::cos(1.5 * per_metre * std::numbers::pi / 180)), 0);
    sketch.carry(names_from(x, x), turn_about(Vec3::UnitZ(), turn), Vec3(x, 0, 0), place - Vec3(x, 0, 0) + lift);
  }
  return sketch;
}

Sketch twisted(const std::string& name, const std::vector<Handle>& handles, double degrees) {
  Sketch sketch(name, handles);
  for (const double x : kPlaces) sketch.carry(names_from(x, x), turn_about(Vec3::UnitX(), degrees * x / kPlankSize.x()), Vec3(x, 0, 0));
  return sketch;
}

// Two straight halves, as if only a few fibres still held them together.
Sketch snapped(const std::string& name, const std::vector<Handle>& handles, double at, double degrees) {
  Sketch sketch(name, handles);
  const Vec3 pivot(at, 0, 0);
  sketch.carry(names_from(-2, at - 0.1), turn_about(Vec3(0, 0.12, 1), -degrees / 2), pivot);
  sketch.carry(names_from(at + 0.1, 2), turn_about(Vec3(0, 0.12, 1), degrees / 2), pivot);
  return sketch;
}

}  // namespace

std::vector<Handle> plank_handles() {
  std::vector<Handle> handles;
  for (const double x : kPlaces)
    for (const bool front : {false, true}) handles.push_back({name_at(x, front), Vec3(x, 0, (front ? 1 : -1) * kPlankSize.z() / 2)});
  return handles;
}

std::vector<Sketch> plank_examples(const std::vector<Handle>& handles) {
  return {bent("bent up", handles, 75), bent("bent down", handles, -75), twisted("twisted", handles, 100), snapped("snapped left", handles, -0.5, 62),
          snapped("snapped right", handles, 0.5, -62)};
}

// Cells as thick as the plank, so that its faces are met exactly.
Result<Asset> make_plank() {
  Design design;
  design.name = "plank";
  design.surface = plank_surface();
  design.handles = plank_handles();
  design.cells = 60;
  design.thin_allowed = 1;
  design.look = {.color = Vec3f::Ones(), .metal = 0.0, .roughness = 0.75};
  design.examples = plank_examples(design.handles);
  return author(design);
}

}  // namespace crumple::generator
