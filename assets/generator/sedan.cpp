#include "assets/generator/sedan.h"

#include "assets/generator/pose.h"
#include "assets/generator/solid_and_skin.h"
#include "assets/generator/sedan_parts.h"

#include <string>
#include <vector>

namespace crumple::generator {
namespace {

// Into a wall, the left side first: the nose is pushed back to the axle, the bonnet stands up in a tent, the wings spring out.
Sketch front_crushed(const std::vector<Handle>& handles) {
  return Sketch("front crushed", handles)
      .move("nose", {-0.80, 0.05, 0.0})
      .move("nose left", {-0.66, 0.04, 0.06})
      .move("nose right", {-0.50, 0.04, -0.02})
      .move("lamp left", {-0.80, -0.04, 0.08})
      .move("lamp right", {-0.62, -0.02, 0.02})
      .move("front bonnet", {-0.66, 0.06, 0.0})
      .move("bonnet", {-0.34, 0.42, -0.03})
      .move("wing left", {-0.34, 0.10, -0.17})
      .move("wing right", {-0.24, 0.08, 0.15})
      .move("front wheel left", {-0.28, 0.05, 0.06})
      .move("front wheel right", {-0.18, 0.04, -0.02})
      .move({"pillar left", "pillar right"}, {-0.11, 0.05, 0})
      .move({"front door left", "front door right"}, {-0.03, 0, 0})
      .move({"front roof left", "front roof right", "front roof"}, {-0.05, 0.05, 0})
      .move("floor", {-0.02, -0.05, 0});
}

// Run into from behind: the boot folds up, the tail goes in as far as the wheels.
Sketch rear_crushed(const std::vector<Handle>& handles) {
  return Sketch("rear crushed", handles)
      .move("tail", {0.76, 0.05, 0.0})
      .move("tail left", {0.52, 0.02, 0.03})
      .move("tail right", {0.66, 0.04, -0.05})
      .move("boot left", {0.60, -0.10, 0.03})
      .move("boot right", {0.68, -0.10, -0.06})
      .move("boot", {0.36, 0.34, 0.04})
      .move("haunch left", {0.16, 0.06, -0.13})
      .move("haunch right", {0.24, 0.05, 0.16})
      .move("rear wheel left", {0.14, 0.03, 0.02})
      .move("rear wheel right", {0.22, 0.04, -0.04})
      .move({"rear roof left", "rear roof right", "rear roof"}, {0.08, 0.05, 0})
      .move("roof", {0.02, 0.05, 0});
}

// Struck across the doors: sill, doors and roof rail go in, the roof is thrown up in a ridge and the car is bent around the place.
Sketch side_caved(const std::string& name, const std::vector<Handle>& handles) {
  return Sketch(name, handles)
      .move("belt left", {0.0, -0.05, 0.60})
      .move("front door left", {-0.06, -0.02, 0.48})
      .move("rear door left", {0.06, 0.0, 0.44})
      .move("front sill left", {0.0, 0.03, 0.34})
      .move("rear sill left", {0.0, 0.03, 0.31})
      .move("front roof left", {-0.02, -0.10, 0.24})
      .move("rear roof left", {0.02, -0.07, 0.18})
      .move("pillar left", {-0.06, -0.03, 0.15})
      .move("haunch left", {0.06, 0.02, 0.13})
      .move({"front wheel left", "rear wheel left", "wing left"}, {0, 0, 0.07})
      .move("roof", {0, 0.14, 0.12})
      .move({"front roof", "rear roof"}, {0, 0.05, 0.10})
      .move("floor", {0, -0.07, 0.08})
      .move({"front roof right", "rear roof right"}, {0, 0.0, 0.06})
      .move({"front door right", "rear door right", "belt right"}, {0, 0, 0.12})
      .move({"front sill right", "rear sill right"}, {0, 0, 0.09})
      .move({"nose", "nose left", "nose right", "lamp left", "lamp right", "front bonnet"}, {-0.07, 0, -0.16})
      .move({"tail", "tail left", "tail right", "boot left", "boot right"}, {0.06, 0, -0.13})
      .move("boot", {0.02, 0, -0.07});
}

// It has rolled over: pillars folded, the roof creased between them, bonnet and boot pressed in.
Sketch roof_flattened(const std::vector<Handle>& handles) {
  return Sketch("roof flattened", handles)
      .move("roof", {0.03, -0.50, 0.05})
      .move("front roof", {-0.08, -0.22, 0.02})
      .move("rear roof", {0.05, -0.17, 0.02})
      .move("front roof left", {-0.11, -0.36, -0.03})
      .move("front roof right", {-0.08, -0.27, 0.13})
      .move("rear roof left", {0.07, -0.33, -0.02})
      .move("rear roof right", {0.05, -0.20, 0.12})
      .move({"bonnet", "front bonnet"}, {0, -0.15, 0})
      .move("boot", {0, -0.17, 0})
      .move({"wing left", "wing right", "haunch left", "haunch right"}, {0, -0.07, 0})
      .move({"lamp left", "lamp right", "boot left", "boot right"}, {0, -0.08, 0})
      .move({"pillar left", "pillar right"}, {0.02, -0.08, 0})
      .move("belt left", {0, -0.06, -0.13})
      .move("belt right", {0, -0.05, 0.15})
      .move({"front door left", "rear door left"}, {0, -0.03, -0.06})
      .move({"front door right", "rear door right"}, {0, -0.03, 0.07});
}

// Come down hard on its wheels: they are driven up, the floor arches, bonnet and boot buckle, and the whole is twisted.
Sketch frame_bent(const std::vector<Handle>& handles) {
  return Sketch("frame bent", handles)
      .move("floor", {0, 0.22, 0})
      .move({"front sill left", "rear sill right"}, {0, 0.18, 0.0})
      .move({"front sill right", "rear sill left"}, {0, 0.11, 0})
      .move("front wheel left", {0.02, 0.24, 0.08})
      .move("front wheel right", {0.02, 0.14, -0.07})
      .move("rear wheel left", {-0.02, 0.12, 0.07})
      .move("rear wheel right", {-0.02, 0.22, -0.08})
      .move("nose", {-0.16, 0.17, 0})
      .move({"nose left", "nose right"}, {-0.12, 0.15, 0})
      .move("front bonnet", {-0.06, -0.04, 0})
      .move("bonnet", {0, 0.12, 0})
      .move("tail", {0.15, 0.16, 0})
      .move({"tail left", "tail right"}, {0.11, 0.14, 0})
      .move("boot", {0.02, 0.11, 0})
      .move({"front door left", "rear door right"}, {0, 0.12, 0})
      .move({"front door right", "rear door left"}, {0, 0.07, 0})
      .move({"front roof left", "front roof right", "rear roof left", "rear roof right"}, {0, 0.07, 0})
      .move({"front roof", "rear roof"}, {0, 0.08, 0})
      .move("roof", {0, 0.15, 0})
      .move({"lamp left", "lamp right"}, {-0.08, -0.02, 0})
      .move({"boot left", "boot right"}, {0.08, -0.02, 0});
}

}  // namespace

// Given with the ground at y = 0, on the right (+z).
std::vector<Handle> sedan_handles() {
  std::vector<Handle> handles;
  const auto single = [&](const std::string& name, double x, double y) { handles.push_back({name, Vec3(x, y, 0)}); };
  const auto both = [&](const std::string& name, const Vec3& place) {
    handles.push_back({name + " left", place.cwiseProduct(Vec3(1, 1, -1))});
    handles.push_back({name + " right", place});
  };
  single("nose", 2.42, 0.42);
  both("nose", {2.22, 0.42, 0.80});
  both("lamp", {2.28, 0.68, 0.68});
  single("front bonnet", 2.05, 0.80);
  single("bonnet", 1.50, 0.89);
  both("wing", {1.40, 0.84, 0.88});
  both("front wheel", {1.43, 0.20, 0.86});
  both("pillar", {0.88, 0.91, 0.82});
  both("front door", {0.30, 0.60, 0.92});
  both("front sill", {0.32, 0.24, 0.86});
  both("front roof", {0.26, 1.32, 0.64});
  single("front roof", 0.20, 1.41);
  single("roof", -0.40, 1.45);
  single("rear roof", -1.00, 1.40);
  both("belt", {-0.19, 0.92, 0.84});
  single("floor", -0.10, 0.22);
  both("rear roof", {-0.98, 1.33, 0.64});
  both("rear door", {-0.60, 0.60, 0.92});
  both("rear sill", {-0.60, 0.24, 0.86});
  both("haunch", {-1.40, 0.93, 0.84});
  both("rear wheel", {-1.31, 0.20, 0.86});
  single("boot", -1.92, 1.02);
  both("boot", {-2.32, 0.95, 0.68});
  both("tail", {-2.30, 0.45, 0.80});
  single("tail", -2.40, 0.46);
  for (Handle& handle : handles) handle.position.y() -= sedan::kHeight / 2;
  return handles;
}

std::vector<Sketch> sedan_examples(const std::vector<Handle>& handles) {
  const Sketch left = side_caved("left side caved", handles);
  return {front_crushed(handles), rear_crushed(handles), left, left.mirrored("right side caved"), roof_flattened(handles), frame_bent(handles)};
}

// With 21 cells the tetrahedra end just below the tyres; most other numbers leave lumps there to stand on.
Result<Asset> make_sedan() {
  Design design;
  design.name = "sedan";
  design.surface = sedan_surface();
  design.handles = sedan_handles();
  design.cells = 21;
  design.thin_allowed = 1;
  design.look = {.color = Vec3f::Ones(), .metal = 0.0, .roughness = 0.3};
  return author_within(std::move(design), sedan_examples, sedan_surface());
}

}  // namespace crumple::generator
