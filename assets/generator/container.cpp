#include "assets/generator/container.h"

#include "assets/generator/pose.h"
#include "assets/generator/solid_and_skin.h"

#include <array>
#include <string>
#include <vector>

namespace crumple::generator {
namespace {

const Vec3 kHalf = kContainerSize / 2;

// Something heavy has lain on it: the roof hangs in a trough, rails are drawn in after it and the sides belly out.
Sketch roof_pressed(const std::vector<Handle>& handles) {
  return Sketch("roof pressed", handles)
      .move("middle roof", {0.1, -0.86, 0.12})
      .move("front roof", {0, -0.62, -0.1})
      .move("back roof", {0, -0.42, 0.1})
      .move("middle top left", {0, -0.34, 0.14})
      .move("middle top right", {0, -0.26, -0.10})
      .move({"front top left", "front top right"}, {-0.04, -0.10, 0})
      .move({"back top left", "back top right"}, {0.03, -0.06, 0})
      .move("middle side left", {0, -0.14, -0.20})
      .move("middle side right", {0, -0.12, 0.22})
      .move("front side left", {0, -0.05, -0.10})
      .move("front side right", {0, -0.05, 0.12})
      .move("doors", {0.08, -0.05, 0});
}

// A long side is driven in; the rails bow after it and the roof is thrown up in a ridge.
Sketch side_caved(const std::string& name, const std::vector<Handle>& handles) {
  return Sketch(name, handles)
      .move("middle side left", {0.1, -0.08, 0.80})
      .move("front side left", {-0.05, 0.08, 0.44})
      .move("back side left", {0.05, 0.0, 0.58})
      .move("middle top left", {0, -0.10, 0.40})
      .move("middle bottom left", {0, 0.05, 0.26})
      .move("middle roof", {0, 0.13, 0.14})
      .move("back roof", {0, 0.07, 0.06})
      .move("middle floor", {0, -0.06, 0.06})
      .move({"front top left", "front bottom left"}, {-0.10, 0, 0.07})
      .move({"back top left", "back bottom left"}, {0.12, 0, 0.07})
      .move("middle side right", {0, 0, 0.10});
}

// The end is rammed: the sheet goes in most, the walls behind it fold outwards, the roof upwards.
Sketch end_crushed(const std::vector<Handle>& handles) {
  return Sketch("end crushed", handles)
      .move("end", {1.15, -0.05, 0.05})
      .move({"back top left", "back bottom left"}, {0.55, 0, 0})
      .move({"back top right", "back bottom right"}, {0.72, 0, 0})
      .move({"back top left", "back top right"}, {0.06, -0.16, 0})
      .move({"back bottom left", "back bottom right"}, {0, 0.10, 0})
      .move("back side left", {0.32, 0, -0.26})
      .move("back side right", {0.36, 0, 0.30})
      .move("back roof", {0.34, 0.30, 0})
      .move("back floor", {0.34, -0.10, 0})
      .move({"middle side left", "middle side right", "middle roof", "middle floor"}, {0.08, 0, 0})
      .move("middle roof", {0, -0.10, 0});
}

// A fall onto the door end, one corner first: that corner is folded in, the doors spring.
Sketch corner_crushed(const std::vector<Handle>& handles) {
  return Sketch("corner crushed", handles)
      .move("front top right", {-0.80, -0.50, -0.37})
      .move("front top left", {-0.42, -0.18, 0.05})
      .move("front bottom right", {-0.40, 0.10, -0.06})
      .move("front bottom left", {-0.20, 0.03, 0.04})
      .move("doors", {-0.50, -0.10, -0.10})
      .move("front roof", {-0.26, 0.12, -0.05})
      .move("front side right", {-0.20, -0.08, 0.20})
      .move("front side left", {-0.12, 0, -0.10})
      .move("middle top right", {-0.08, 0.0, 0.05})
      .move("middle roof", {-0.08, -0.05, 0});
}

// Sheared sideways and along by the weight above, the floor arched.
Sketch racked(const std::vector<Handle>& handles) {
  Sketch sketch("racked", handles);
  for (const char* end : {"front", "middle", "back"}) {
    const std::string part(end);
    const double more = part == "front" ? 1.0 : part == "middle" ? 0.8 : 0.6;
    for (const char* side : {" left", " right"}) {
      sketch.move(part + " top" + side, Vec3(0.16, -0.16 * more, 0.66 * more));
      sketch.move(part + " side" + side, Vec3(0.06, -0.04, 0.30 * more));
    }
    sketch.move(part + " roof", Vec3(0.16, -0.10 * more, 0.64 * more));
  }
  return sketch.move("doors", {0.04, 0, 0.28})
      .move("end", {0.04, 0, 0.18})
      .move("middle floor", {0, 0.30, 0})
      .move({"front floor", "back floor"}, {0, 0.24, 0})
      .move({"middle bottom left", "middle bottom right"}, {0, 0.22, 0})
      .move({"front bottom left", "back bottom right"}, {0, 0.10, 0});
}

}  // namespace

// Corners, the middles of the long edges, three handles along each side, roof and floor, one in each end. Right is +z, the doors
// are at the front (+x).
std::vector<Handle> container_handles() {
  std::vector<Handle> handles;
  const double x = kHalf.x() - 0.07, y = kHalf.y() - 0.05, z = kHalf.z() - 0.05, third = 1.5;
  const auto both = [&](const std::string& name, const Vec3& place) {
    handles.push_back({name + " left", place.cwiseProduct(Vec3(1, 1, -1))});
    handles.push_back({name + " right", place});
  };
  for (const auto& [level, height] : {std::pair{"top", y}, std::pair{"bottom", -y}}) {
    both(std::string("front ") + level, {x, height, z});
    both(std::string("back ") + level, {-x, height, z});
    both(std::string("middle ") + level, {0, height, z});
  }
  for (const auto& [part, at] : {std::pair{"front", third}, std::pair{"middle", 0.0}, std::pair{"back", -third}}) {
    both(std::string(part) + " side", {at, 0, z});
    handles.push_back({std::string(part) + " roof", Vec3(at, y, 0)});
    handles.push_back({std::string(part) + " floor", Vec3(at, -y, 0)});
  }
  handles.push_back({"doors", Vec3(x, 0.12, 0)});
  handles.push_back({"end", Vec3(-x, -0.12, 0)});
  return handles;
}

std::vector<Sketch> container_examples(const std::vector<Handle>& handles) {
  const Sketch left = side_caved("left side caved", handles);
  return {roof_pressed(handles), left, left.mirrored("right side caved"), end_crushed(handles), corner_crushed(handles), racked(handles)};
}

// The tetrahedra fill a plain box and do not enclose its edges: so containers stand and stack without gaps.
Result<Asset> make_container() {
  Design design;
  design.name = "container";
  design.surface = make_box(kContainerSize);
  design.handles = container_handles();
  design.cells = 14;
  design.enclose = false;
  design.look = {.color = Vec3f::Ones(), .metal = 0.0, .roughness = 0.5};
  return author_within(std::move(design), container_examples, container_surface());
}

}  // namespace crumple::generator
