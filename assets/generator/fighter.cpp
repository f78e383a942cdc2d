#include "assets/generator/fighter.h"

#include "assets/generator/pose.h"
#include "assets/generator/solid_and_skin.h"
#include "assets/generator/spaceship.h"

#include <cmath>
#include <utility>

namespace crumple::generator {
namespace {

constexpr int kCells = 20;
constexpr double kNeck = 1.75, kRump = -2.4, kRoot = 0.68, kJoint = 1.6;  // cuts: across the hull, and along the wings

void add_pair(std::vector<Handle>& handles, const std::string& name, const Vec3& right) {
  handles.push_back({name + " right", right});
  handles.push_back({name + " left", right.cwiseProduct(Vec3(1, 1, -1))});
}

}  // namespace

// A wing has four, where it bends between its root and the pod; the hull has a few above and below.
std::vector<Handle> fighter_handles() {
  std::vector<Handle> handles;
  handles.push_back({"nose", Vec3(3.95, -0.16, 0)});
  handles.push_back({"neck", Vec3(2.2, 0.25, 0)});
  handles.push_back({"chin", Vec3(2.8, -0.35, 0)});
  handles.push_back({"cockpit", Vec3(0.5, 0.75, 0)});
  handles.push_back({"belly", Vec3(-0.3, -0.55, 0)});
  handles.push_back({"rump", Vec3(-2.2, -0.45, 0)});
  handles.push_back({"engine", Vec3(-3.95, 0, 0)});
  handles.push_back({"fin", Vec3(-3.4, 1.85, 0)});
  add_pair(handles, "root", Vec3(-0.5, 0.1, 0.95));
  add_pair(handles, "pod nose", Vec3(0.35, -0.22, 2.3));
  add_pair(handles, "pod end", Vec3(-2.8, -0.22, 2.3));
  add_pair(handles, "tip", Vec3(-1.9, -0.3, 3.6));
  return handles;
}

namespace {

// The nose is driven back into the hull, which buckles: up behind the canopy, down at the chin.
Sketch nose_crushed(const std::vector<Handle>& handles) {
  Sketch sketch("nose crushed", handles);
  sketch.carry({"nose"}, turn_about(Vec3(0.3, 1, 0.3), 14), Vec3(3.95, -0.16, 0), Vec3(-1.45, 0.1, 0.22));
  sketch.move("chin", Vec3(-0.9, -0.14, -0.12)).move("neck", Vec3(-0.62, 0.3, -0.12));
  sketch.move("cockpit", Vec3(-0.2, 0.02, 0)).move("belly", Vec3(-0.1, -0.14, 0));
  return sketch;
}

// Outside of its root a wing folds up and back.
Sketch right_wing_up(const std::vector<Handle>& handles) {
  Sketch sketch("right wing bent up", handles);
  const Quat fold = turn_about(Vec3(1, 0.25, 0.1), -58);
  sketch.carry({"pod nose right", "pod end right", "tip right"}, fold, Vec3(-0.7, -0.1, 1.25));
  sketch.carry({"tip right"}, turn_about(Vec3(1, 0, 0), -22), Vec3(-1.4, 1.0, 1.9));
  sketch.carry({"root right"}, turn_about(Vec3(1, 0, 0), -14), Vec3(-0.5, 0, 0.7));
  return sketch;
}

// Torn back by something in their way: the right one dives and twists, the left one is swept back and turned up.
Sketch wings_twisted(const std::vector<Handle>& handles) {
  Sketch sketch("wings twisted", handles);
  sketch.carry({"pod nose right", "pod end right", "tip right"}, turn_about(Vec3(0.75, 0.7, 0.15), 42), Vec3(-0.8, -0.1, 1.1));
  sketch.carry({"pod nose left", "pod end left", "tip left"}, turn_about(Vec3(-0.6, -0.8, 0.2), 46), Vec3(-0.8, -0.1, -1.1));
  sketch.carry({"tip right"}, turn_about(Vec3(0, 0, 1), 16), Vec3(-2.2, -1.2, 2.6));
  sketch.carry({"fin"}, turn_about(Vec3(1, 0, 0.2), 24), Vec3(-2.8, 0.5, 0));
  sketch.move("cockpit", Vec3(-0.1, -0.05, 0));
  return sketch;
}

// The hull breaks behind the cockpit: both ends rise, the wings with the tail.
Sketch back_broken(const std::vector<Handle>& handles) {
  Sketch sketch("back broken", handles);
  const Vec3 hinge(-0.6, 0.2, 0);
  sketch.carry({"nose", "chin", "neck"}, turn_about(Vec3(0, 0.3, 1), 19), hinge, Vec3(-0.25, 0, 0));
  sketch.carry({"engine", "fin", "rump"}, turn_about(Vec3(0.15, -0.35, 1), -24), hinge, Vec3(0.25, 0, 0));
  sketch.carry({"fin"}, turn_about(Vec3(1, 0, 0.6), -34), Vec3(-2.4, 1.4, 0), Vec3(0.1, -0.3, 0));
  sketch.move("belly", Vec3(0.05, -0.2, 0)).move("cockpit", Vec3(-0.1, -0.18, 0));
  sketch.move({"tip right", "tip left"}, Vec3(0, -0.5, 0));
  return sketch;
}

Vec3 inside_of(const ConvexCell& cell, const Bounds& box) {
  constexpr int kSteps = 60;
  for (int i = 0; i < kSteps; ++i)
    for (int j = 0; j < kSteps; ++j)
      for (int k = 0; k < kSteps; ++k) {
        const Vec3 share((i + 0.5) / kSteps, (j + 0.5) / kSteps, (k + 0.5) / kSteps), point = box.low + share.cwiseProduct(box.high - box.low);
        bool inside = true;
        for (const HalfSpace& side : cell.sides) inside = inside && side.normal.dot(point) < side.offset;
        if (inside) return point;
      }
  return 0.5 * (box.low + box.high);
}

}  // namespace

std::vector<Sketch> fighter_examples(const std::vector<Handle>& handles) {
  const Sketch right_up = right_wing_up(handles);
  return {nose_crushed(handles), right_up.mirrored("left wing bent up"), right_up, wings_twisted(handles), back_broken(handles)};
}

// Planes divide all of space; those across the hull shall not divide the wings, so cells of one wing get one label.
std::vector<ConvexCell> fighter_cells(const Bounds& box) {
  std::vector<CutPlane> planes{{Vec3::UnitX(), kNeck}, {Vec3::UnitX(), kRump}};
  for (const double z : {kRoot, kJoint})
    for (const double side : {1.0, -1.0}) planes.push_back({side * Vec3::UnitZ(), z});
  std::vector<ConvexCell> cells = cells_between_planes(planes, box);
  enum Part { kNose, kMiddle, kTail, kInner, kOuter };
  for (ConvexCell& cell : cells) {
    const Vec3 point = inside_of(cell, box);
    const double out = std::abs(point.z());
    const Part part = out > kJoint ? kOuter : out > kRoot ? kInner : point.x() > kNeck ? kNose : point.x() < kRump ? kTail : kMiddle;
    cell.label = part < kInner ? part : 2 * part + (point.z() > 0);
  }
  return cells;
}

Result<Asset> make_fighter() {
  Design design;
  design.name = "fighter";
  design.surface = fighter_solid();
  design.handles = fighter_handles();
  design.cells = kCells;
  design.thin_allowed = 1;
  design.look = {Vec3f::Ones(), 0.1, 0.4};
  return scored(author_within(std::move(design), fighter_examples, fighter_surface()), fighter_cells);
}

}  // namespace crumple::generator
