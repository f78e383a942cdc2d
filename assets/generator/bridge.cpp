#include "assets/generator/bridge.h"
#include "assets/generator/pose.h"
#include "assets/generator/solid_and_skin.h"

#include <array>
#include <string>
#include <utility>

namespace crumple::generator {
namespace {

constexpr int kCells = 27;

// Frames across the bridge, from one end to the other: three near the middle, so that it can fold sharply there.
constexpr int kFrames = 9;
constexpr std::array<double, kFrames> kFrameX{-11.8, -8, -4.6, -1.7, 0, 1.7, 4.6, 8, 11.8};
constexpr int kMiddleFrame = 4;

std::string left(int frame) {
  return "left " + std::to_string(frame);
}
std::string lane(int frame) {
  return "middle " + std::to_string(frame);
}
std::string right(int frame) {
  return "right " + std::to_string(frame);
}

}  // namespace

// Left is towards -z. Each frame has a handle in both kerbs and one in the middle of the road; rails and the bottom of the outer girders
// have their own where they buckle.
std::vector<Handle> bridge_deck_handles() {
  std::vector<Handle> handles;
  for (int i = 0; i < kFrames; ++i) {
    handles.push_back({left(i), Vec3(kFrameX[i], 0, -3.9)});
    handles.push_back({lane(i), Vec3(kFrameX[i], 0.1, 0)});
    handles.push_back({right(i), Vec3(kFrameX[i], 0, 3.9)});
  }
  for (const auto& [name, z] : {std::pair("left", -3.7), std::pair("right", 3.7)}) {
    handles.push_back({std::string(name) + " rail", Vec3(0, 1.15, z)});
    handles.push_back({std::string(name) + " girder", Vec3(0, -1.15, z < 0 ? -3.0 : 3.0)});
  }
  return handles;
}

namespace {

std::vector<std::string> frames(int from, int to) {
  std::vector<std::string> names;
  for (int i = from; i <= to; ++i) names.insert(names.end(), {left(i), lane(i), right(i)});
  return names;
}

void carry_half(Sketch& sketch, bool ahead, const Quat& turn, const Vec3& pivot, const Vec3& shift = Vec3::Zero()) {
  sketch.carry(ahead ? frames(kMiddleFrame + 1, kFrames - 1) : frames(0, kMiddleFrame - 1), turn, pivot, shift);
}

// Both halves stay straight and turn about their bearings; the road folds between them, the rails above buckle outwards and the girders
// are torn open below.
Sketch sagging(const std::vector<Handle>& handles) {
  Sketch sketch("sagging", handles);
  carry_half(sketch, false, turn_about(Vec3::UnitZ(), -12), Vec3(-12, -1.2, 0), Vec3(0.15, 0, 0));
  carry_half(sketch, true, turn_about(Vec3(0.06, 0, 1), 11), Vec3(12, -1.2, 0), Vec3(-0.15, 0, 0));
  sketch.move({left(kMiddleFrame), lane(kMiddleFrame), right(kMiddleFrame)}, Vec3(0, -2.45, 0))
      .move({"left girder", "right girder"}, Vec3(0, -2.5, 0));
  sketch.move("left rail", Vec3(0, -2.35, -0.7)).move("right rail", Vec3(0.1, -2.5, 0.55));
  return sketch;
}

// Driven up from below: a ridge across the road, with both ends hanging.
Sketch humped(const std::vector<Handle>& handles) {
  Sketch sketch("humped", handles);
  carry_half(sketch, false, turn_about(Vec3(0.05, 0, 1), 10), Vec3(-12, -1.2, 0), Vec3(0, -0.5, 0));
  carry_half(sketch, true, turn_about(Vec3(-0.08, 0, 1), -11), Vec3(12, -1.2, 0), Vec3(0, -0.5, 0));
  sketch.move({left(kMiddleFrame), lane(kMiddleFrame), right(kMiddleFrame)}, Vec3(0, 1.75, 0)).move({"left girder", "right girder"}, Vec3(0, 2.0, 0));
  sketch.move("left rail", Vec3(0, 1.6, 0.25)).move("right rail", Vec3(0, 1.65, -0.2));
  return sketch;
}

// The ends turn against each other, about the length of the bridge.
Sketch twisted(const std::vector<Handle>& handles) {
  Sketch sketch("twisted", handles);
  constexpr std::array<double, kFrames> kDegrees{20, 18, 14, 4, 0, -4, -13, -16, -18};
  for (int i = 0; i < kFrames; ++i) {
    const double shorter = i < kMiddleFrame ? 0.25 : i > kMiddleFrame ? -0.25 : 0;
    sketch.carry(frames(i, i), turn_about(Vec3::UnitX(), kDegrees[i]), Vec3(0, -0.6, 0), Vec3(shorter, 0, 0));
  }
  sketch.move({lane(3), lane(4), lane(5)}, Vec3(0, -0.4, 0));
  sketch.move("left rail", Vec3(0, 0.1, -0.45)).move("right rail", Vec3(0, -0.1, 0.5));
  return sketch;
}

// One end has lost its bearing and is bent down behind a sharp kink.
Sketch end_dropped(const std::vector<Handle>& handles) {
  Sketch sketch("end dropped", handles);
  const Vec3 kink(6.2, 0, 0);
  sketch.carry(frames(7, 8), turn_about(Vec3(0.25, 0, 1), -30), kink, Vec3(-0.2, -0.4, 0));
  sketch.carry(frames(6, 6), turn_about(Vec3(0, 0, 1), 2), kink, Vec3(0, 0.15, 0));
  return sketch;
}

// One lane is torn down along the middle of the road.
Sketch side_torn_down(const std::vector<Handle>& handles) {
  Sketch sketch("side torn down", handles);
  constexpr std::array<double, kFrames> kDegrees{2, 6, 22, 38, 42, 40, 26, 8, 3};
  const Vec3 seam(0, -0.4, 0.8);
  for (int i = 0; i < kFrames; ++i) sketch.carry({right(i)}, turn_about(Vec3::UnitX(), kDegrees[i]), seam, Vec3(0, -0.012 * kDegrees[i], 0));
  sketch.carry({"right rail", "right girder"}, turn_about(Vec3::UnitX(), 42), seam, Vec3(0, -0.5, 0));
  sketch.move({lane(3), lane(4), lane(5)}, Vec3(0, -0.35, 0));
  return sketch;
}

// Struck from the side, as by a ship: bent in the plane of the road, the struck edge pushed in and rolled up.
Sketch rammed(const std::vector<Handle>& handles) {
  Sketch sketch("rammed", handles);
  carry_half(sketch, false, turn_about(Vec3(0, 1, 0), -7), Vec3(-12, 0, 0));
  carry_half(sketch, true, turn_about(Vec3(0, 1, 0), 8), Vec3(12, 0, 0));
  sketch.move(left(4), Vec3(0, 0.6, 2.8)).move(lane(4), Vec3(0, 0.9, 2.0)).move(right(4), Vec3(0, -0.1, 1.6));
  sketch.move("left girder", Vec3(0, 0.2, 3.0)).move("right girder", Vec3(0, 0, 1.6));
  sketch.move("left rail", Vec3(0, 0.45, 2.5)).move("right rail", Vec3(0, -0.15, 1.9));
  return sketch;
}

}  // namespace

std::vector<Sketch> bridge_deck_examples(const std::vector<Handle>& handles) {
  return {sagging(handles), humped(handles), twisted(handles), end_dropped(handles), side_torn_down(handles), rammed(handles)};
}

Result<Asset> make_bridge_deck() {
  Design design;
  design.name = "bridge_deck";
  design.surface = bridge_deck_solid();
  design.handles = bridge_deck_handles();
  design.cells = kCells;
  design.thin_allowed = 1;
  design.look = {Vec3f::Ones(), 0.0, 0.6};
  return author_within(std::move(design), bridge_deck_examples, bridge_deck_surface());
}

}  // namespace crumple::generator
