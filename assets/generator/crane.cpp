#include "assets/generator/crane.h"

#include "assets/generator/crane_parts.h"
#include "assets/generator/pose.h"
#include "assets/generator/solid_and_skin.h"

#include <algorithm>
#include <string>
#include <vector>

namespace crumple::generator {
namespace {

using namespace crane;
using Names = std::vector<std::string>;

const Names kUpper{"tower 3", "tower 4"};
const Names kHead{"cab", "head", "peak"};
const Names kCounter{"counter jib 1", "counter jib 2", "counter jib 3", "counterweight", "counter tie"};
const Names kInnerJib{"jib 1", "jib 2"}, kMiddleJib{"jib 3", "jib 4", "trolley", "hook"}, kOuterJib{"jib 5", "jib 6"};
const Names kTies{"inner tie", "outer tie"};

Names together(std::initializer_list<Names> lists) {
  Names all;
  for (const Names& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Vec3 between(const Vec3& a, const Vec3& b) {
  return (a + b) / 2;
}

Vec3 at(double x, double y, double z = 0) {
  return Vec3(x, y, z) - kMiddle;
}

// The tower kinks below its middle and falls to one side; what it carries goes with it.
Sketch tower_buckled(const std::string& name, const std::vector<Handle>& handles, const Vec3& axis, double degrees) {
  const Vec3 lean = axis.cross(Vec3::UnitY()).normalized();
  Sketch sketch(name, handles);
  const Names above = together({kUpper, kHead, kCounter, kInnerJib, kMiddleJib, kOuterJib, kTies});
  sketch.carry(above, turn_about(axis, degrees), at(0, 9.0), -0.75 * lean - Vec3(0, 0.25, 0));
  sketch.carry(Names{"tower 2"}, turn_about(axis, degrees / 5), at(0, 7.75), -0.65 * lean - Vec3(0, 0.1, 0));
  sketch.move("tower 1", -0.35 * lean);
  return sketch;
}

// The jib breaks in two places and hangs down; its ties go slack.
Sketch jib_folded(const std::vector<Handle>& handles) {
  Sketch sketch("jib folded", handles);
  const Quat first = turn_about(Vec3(0, 0.1, -1), 42), second = turn_about(Vec3(0, -0.15, -1), 34);
  sketch.carry(together({kMiddleJib, kOuterJib}), first, at(7.0, kJibLow));
  sketch.carry(Names{"hook"}, first.inverse(), at(7.0, kJibLow) + first * Vec3(kTrolley - 7.0, -0.25, 0));
  const Vec3 knee = at(7.0, kJibLow) + first * Vec3(14.2 - 7.0, 0, 0);
  sketch.carry(kOuterJib, second, knee);
  sketch.carry(Names{"jib 2"}, turn_about(-Vec3::UnitZ(), 10), at(5.7, kJibLow), Vec3(-0.1, -0.25, 0));
  sketch.move("inner tie", {-0.4, -0.5, 0.3}).move("outer tie", {-0.9, -0.7, -0.2});
  return sketch.move("peak", {0.35, -0.05, 0});
}

// Something has struck the jib from the side.
Sketch jib_sideways(const std::string& name, const std::vector<Handle>& handles, double side) {
  Sketch sketch(name, handles);
  const Quat first = turn_about(Vec3(0.25, -side, 0), 33), second = turn_about(Vec3(-0.1, -side, 0.2), 38);
  sketch.carry(together({kMiddleJib, kOuterJib}), first, at(7.0, kJibLow));
  const Vec3 knee = at(7.0, kJibLow) + first * Vec3(14.2 - 7.0, 0, 0);
  sketch.carry(kOuterJib, second, knee);
  sketch.move("jib 2", {0, 0, 0.25 * side}).move("inner tie", {0, -0.1, 0.55 * side}).move("outer tie", {-0.4, -0.1, 1.3 * side});
  return sketch.move("peak", {0, 0, 0.25 * side});
}

// The counter jib tears down with its weights and the jib is thrown up.
Sketch counter_dropped(const std::vector<Handle>& handles) {
  Sketch sketch("counter jib dropped", handles);
  sketch.carry(together({{"counter jib 2", "counter jib 3", "counterweight"}}), turn_about(Vec3(0.1, 0.1, 1), 47), at(-2.6, kJibLow));
  sketch.carry(Names{"counter jib 1"}, turn_about(Vec3::UnitZ(), 22), at(-1.2, kJibLow), Vec3(0, -0.1, 0));
  sketch.move("counter tie", {0.3, -1.2, -0.2}).move("peak", {-0.5, 0.0, 0});
  sketch.carry(together({kInnerJib, kMiddleJib, kOuterJib}), turn_about(Vec3::UnitZ(), 11), at(1.0, kJibLow));
  sketch.carry(kTies, turn_about(Vec3::UnitZ(), 6), at(0, kJibLow));
  return sketch.move("tower 4", {-0.25, 0, 0}).move("tower 3", {-0.3, 0, 0});
}

}  // namespace

// Along the middles of tower and jibs, so that each turns its part of the lattice; and where things hang.
std::vector<Handle> crane_handles() {
  const Vec3 peak(-0.25, kPeak, 0);
  std::vector<Handle> handles;
  for (const auto& [name, x, z] :
       {std::tuple{"front", 1.0, 0.0}, std::tuple{"back", -1.0, 0.0}, std::tuple{"left", 0.0, -1.0}, std::tuple{"right", 0.0, 1.0}})
    handles.push_back({std::string("base ") + name, Vec3(x * 2.1, 0.2, z * 2.1)});
  const double heights[] = {2.0, 4.9, 7.75, 10.2, 16.65};
  for (int i = 0; i < 5; ++i) handles.push_back({"tower " + std::to_string(i), Vec3(0.2, heights[i], 0)});
  handles.push_back({"cab", Vec3(1.0, kTowerTop + 1.2, 1.7)});
  handles.push_back({"head", Vec3(0, kTowerTop + 1.0, 0)});
  handles.push_back({"peak", peak});
  const double along[] = {2.4, 5.7, 8.3, 13.0, 15.5, 20.5};
  for (int i = 0; i < 6; ++i) handles.push_back({"jib " + std::to_string(i + 1), Vec3(along[i], kJibLow + 0.35, 0)});
  handles.push_back({"trolley", Vec3(kTrolley, kJibLow - 0.25, 0)});
  handles.push_back({"hook", Vec3(kTrolley, kJibLow - 3.0, 0)});
  const double back[] = {-2.05, -4.9, -7.3};
  for (int i = 0; i < 3; ++i) handles.push_back({"counter jib " + std::to_string(i + 1), Vec3(back[i], kJibLow - 0.05, 0)});
  handles.push_back({"counterweight", Vec3(-6.6, kJibLow - 1.6, 0)});
  handles.push_back({"inner tie", between(peak, Vec3(kJibTies[0], jib_top(kJibTies[0]), 0))});
  handles.push_back({"outer tie", between(peak, Vec3(kJibTies[1], jib_top(kJibTies[1]), 0))});
  handles.push_back({"counter tie", between(peak, Vec3(kCounterTie, kJibLow, 0))});
  for (Handle& handle : handles) handle.position -= kMiddle;
  return handles;
}

std::vector<Sketch> crane_examples(const std::vector<Handle>& handles) {
  return {tower_buckled("tower buckled forward", handles, -Vec3::UnitZ(), 34),
          tower_buckled("tower buckled aside", handles, Vec3(1, 0, 0.35), 30),
          jib_folded(handles),
          jib_sideways("jib bent right", handles, 1),
          jib_sideways("jib bent left", handles, -1),
          counter_dropped(handles)};
}

Result<Asset> make_crane() {
  Design design;
  design.name = "crane";
  design.surface = crane_solid();
  design.handles = crane_handles();
  design.cells = 44;
  design.thin_allowed = 1;
  design.enclose = false;
  design.look = {.color = Vec3f::Ones(), .metal = 0.0, .roughness = 0.5};
  return author_within(std::move(design), crane_examples, crane_surface());
}

}  // namespace crumple::generator
