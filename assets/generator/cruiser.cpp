#include "assets/generator/cruiser.h"

#include "assets/generator/pose.h"
#include "assets/generator/ship_hull.h"
#include "assets/generator/solid_and_skin.h"
#include "assets/generator/spaceship.h"

#include <array>
#include <string>
#include <utility>

namespace crumple::generator {
namespace {

constexpr int kCells = 27;

/// Where the hull folds: a frame has a handle above, one below and one on each side.
struct FrameLine {
  const char* name;
  double x, top, bottom, side;
};
constexpr std::array<FrameLine, 7> kFrames{{{"fore", 47, 4.0, -5.6, 7.6},
                                            {"shoulder", 33, 7.8, -6.4, 10.2},
                                            {"waist", 17, 8.1, -6.9, 12.0},
                                            {"middle", 2, 7.0, -7.0, 11.9},
                                            {"aft", -13, 7.0, -7.0, 10.2},
                                            {"collar", -32, 8.0, -7.2, 11.4},
                                            {"engine", -50, 8.4, -8.4, 13.8}}};

}  // namespace

std::vector<Handle> cruiser_handles() {
  std::vector<Handle> handles{{"bow", Vec3(60, -1.1, 0)}};
  for (const FrameLine& frame : kFrames) {
    const std::string name = frame.name;
    handles.push_back({name + " deck", Vec3(frame.x, frame.top, 0)});
    handles.push_back({name + " belly", Vec3(frame.x, frame.bottom, 0)});
    add_both_sides(handles, name, Vec3(frame.x, 1, frame.side));
  }
  add_both_sides(handles, "hangar front", Vec3(24, 0, 16.5));
  add_both_sides(handles, "hangar back", Vec3(-2, 0, 16.5));
  add_both_sides(handles, "foot", Vec3(-20, 10.8, 6.4));
  add_both_sides(handles, "bridge front", Vec3(-16.5, 22.5, 6.6));
  add_both_sides(handles, "bridge back", Vec3(-27.5, 22.5, 6.6));
  handles.push_back({"tower", Vec3(-16.6, 17, 0)});
  handles.push_back({"mast", Vec3(-20.3, 31, 0)});
  handles.push_back({"keel", Vec3(-30, -14, 0)});
  add_both_sides(handles, "nozzle", Vec3(-59.5, 2, 8.3));
  return handles;
}

namespace {

const std::vector<std::string> kBridgeParts{"bridge front starboard", "bridge front port", "bridge back starboard", "bridge back port", "mast"};

// The bow telescopes: its frames are driven into each other, one side out and the other in.
Sketch bow_crushed(const std::vector<Handle>& handles) {
  Sketch sketch("bow crushed", handles);
  sketch.carry({"bow"}, turn_about(Vec3(0.2, 1, 0.3), 24), Vec3(60, -1.1, 0), Vec3(-14.5, -1.2, 2));
  sketch.move("fore deck", Vec3(-7.5, 2.4, 0.6))
      .move("fore belly", Vec3(-7.8, -1.2, 0))
      .move("fore starboard", Vec3(-8, 0.5, 2.6))
      .move("fore port", Vec3(-6.4, 0.8, 0.6));
  sketch.move("shoulder deck", Vec3(-3, -1.2, 0)).move("shoulder belly", Vec3(-2.6, 1.0, 0));
  sketch.move("shoulder starboard", Vec3(-2.2, 0.6, -1.8)).move("shoulder port", Vec3(-3, 0, -2.2));
  return sketch;
}

// One side is broken in at the hangar, and the tower leans away from the blow.
Sketch side_stove_in(const std::string& name, const std::vector<Handle>& handles, const std::string& side, double out, double shift) {
  Sketch sketch(name, handles);
  const auto here = [&](const std::string& part) { return part + " " + side; };
  sketch.move(here("waist"), Vec3(-shift, -0.8, -6.6 * out))
      .move(here("middle"), Vec3(shift, 0.9, -7.0 * out))
      .move(here("aft"), Vec3(0, 0.4, -4.6 * out));
  sketch.move(here("hangar front"), Vec3(-1.5, -1.6, (-4.2 + shift) * out)).move(here("hangar back"), Vec3(1.5, 1.5, (-4.6 - shift) * out));
  sketch.move(here("shoulder"), Vec3(0, 0.5, -3.0 * out)).move(here("fore"), Vec3(0, 0, -1.6 * out)).move(here("collar"), Vec3(0.5, 0.2, -3.4 * out));
  sketch.move(here("engine"), Vec3(1, 0.5, -3.2 * out)).move(here("nozzle"), Vec3(1, 0.5, -1.6 * out));
  sketch.move({"middle deck", "waist deck"}, Vec3(0, 0.9, -1.2 * out)).move({"middle belly", "waist belly"}, Vec3(0, -0.4, -1.0 * out));
  const Quat lean = turn_about(Vec3(1, 0.15 * shift, 0), 21 * out);
  sketch.carry(kBridgeParts, lean, Vec3(-21, 12, 0), Vec3(0, -0.6, -1.5 * out));
  sketch.carry({"tower"}, turn_about(Vec3(1, 0, 0), 12 * out), Vec3(-16.6, 12, 0), Vec3(0, 0, -1.4 * out));
  sketch.move(here("bridge front"), Vec3(-1.4, -1.6, -2.6 * out))
      .move(here("bridge back"), Vec3(0.8, -0.8, -1.6 * out))
      .move(here("foot"), Vec3(0, -1.2, -2.4 * out));
  return sketch;
}

// The hull breaks before the tower: the fore part hangs, the stern sinks, the deck between them humps.
Sketch back_broken(const std::vector<Handle>& handles) {
  Sketch sketch("back broken", handles);
  const Vec3 hinge(-4, 0, 0);
  for (const std::string frame : {"fore", "shoulder", "waist"})
    sketch.carry(std::vector{frame + " deck", frame + " belly", frame + " starboard", frame + " port"}, turn_about(Vec3(0.1, 0.35, 1), -12), hinge,
                 Vec3(0, 1.5, 0));
  sketch.carry({"bow", "hangar front starboard", "hangar front port"}, turn_about(Vec3(0.1, 0.35, 1), -12), hinge, Vec3(0, 1.5, 0));
  for (const std::string frame : {"collar", "engine"})
    sketch.carry(std::vector{frame + " deck", frame + " belly", frame + " starboard", frame + " port"}, turn_about(Vec3(-0.1, 0.2, 1), 11), hinge,
                 Vec3(0, 1.5, 0));
  sketch.carry({"nozzle starboard", "nozzle port", "keel", "foot starboard", "foot port", "tower"}, turn_about(Vec3(-0.1, 0.2, 1), 11), hinge,
               Vec3(0, 1.5, 0));
  sketch.carry(kBridgeParts, turn_about(Vec3(-0.1, 0.2, 1), 14), hinge, Vec3(0, 0.5, 0));
  sketch.move({"middle deck", "aft deck"}, Vec3(0, 2.2, 0)).move({"middle belly", "aft belly"}, Vec3(0, 3.0, 0));
  sketch.move({"middle starboard", "aft starboard"}, Vec3(0, 1.5, 1.6)).move({"middle port", "aft port"}, Vec3(0, 1.5, -1.6));
  sketch.move({"hangar back starboard", "hangar back port"}, Vec3(0, 1.0, 0));
  return sketch;
}

// Pressed in from above: the ridge sinks between the sides, the bridge is flattened onto its tower and leans back.
Sketch deck_pressed(const std::vector<Handle>& handles) {
  Sketch sketch("deck pressed in", handles);
  sketch.move("fore deck", Vec3(0, -1.8, 0)).move("shoulder deck", Vec3(0, -3.4, 0.5)).move("waist deck", Vec3(0, -4.6, -0.5));
  sketch.move("middle deck", Vec3(0, -4.4, 0))
      .move("aft deck", Vec3(0, -2.4, 0))
      .move("collar deck", Vec3(0, -2.2, 0))
      .move("engine deck", Vec3(0.5, -3.4, 0));
  sketch.move({"waist starboard", "middle starboard"}, Vec3(0, -0.8, 1.5)).move({"waist port", "middle port"}, Vec3(0, -0.8, -1.5));
  sketch.carry(kBridgeParts, turn_about(Vec3(0.2, 0.1, 1), 13), Vec3(-22, 20, 0), Vec3(-2.0, -4.6, 0));
  sketch.move("tower", Vec3(1.2, -2.6, 0.6)).move("foot starboard", Vec3(0, -1.8, 1.3)).move("foot port", Vec3(0, -1.5, -1.4));
  sketch.move("bridge front port", Vec3(0, -1.3, 0)).move("bridge back starboard", Vec3(0, -1.2, 0.5));
  return sketch;
}

// The engines are rammed into the block that holds them, which bulges and tilts.
Sketch engines_crushed(const std::vector<Handle>& handles) {
  Sketch sketch("engine block crushed", handles);
  sketch.move("nozzle starboard", Vec3(8.5, -0.6, -0.8)).move("nozzle port", Vec3(6.2, 1.2, 1.6));
  sketch.move("engine deck", Vec3(5, -1.6, 0))
      .move("engine belly", Vec3(4.4, 1.8, 0))
      .move("engine starboard", Vec3(5.4, 0.4, 1.8))
      .move("engine port", Vec3(3.6, 0, -2.2));
  sketch.move("collar deck", Vec3(1.6, 1.2, 0))
      .move("collar belly", Vec3(1.4, -1.2, 0))
      .move("collar starboard", Vec3(1.6, 0, 2.0))
      .move("collar port", Vec3(1.2, 0, -1.6));
  sketch.move("keel", Vec3(3, 2.2, 1.5));
  sketch.carry(kBridgeParts, turn_about(Vec3(-0.15, 0, 1), -7), Vec3(-22, 11, 0), Vec3(0.6, 0, 0));
  return sketch;
}

}  // namespace

std::vector<Sketch> cruiser_examples(const std::vector<Handle>& handles) {
  return {bow_crushed(handles),
          side_stove_in("starboard stove in", handles, "starboard", 1, 0.6),
          side_stove_in("port stove in", handles, "port", -1, -0.5),
          back_broken(handles),
          deck_pressed(handles),
          engines_crushed(handles)};
}

// Seeds along the hull cut it across, a little askew; those of hangars and tower part them from it.
std::vector<ConvexCell> cruiser_cells(const Bounds& box) {
  const std::vector<Vec3> seeds{Vec3(55, -1, 0.6),   Vec3(41, 0, -0.8),  Vec3(25, -1, 0.7),    Vec3(9, 0, -0.5),  Vec3(-7, -1, 0.5),
                                Vec3(-23, -1, -0.5), Vec3(-41, 0, 0.7),  Vec3(10.5, 0, 25),    Vec3(9.5, 0, -25), Vec3(-13, 15.5, 0.4),
                                Vec3(-29, 15, -0.5), Vec3(-21, 25, 4.8), Vec3(-22, 25.5, -4.6)};
  return voronoi_cells(seeds, box);
}

Result<Asset> make_cruiser() {
  Design design;
  design.name = "cruiser";
  design.surface = cruiser_solid();
  design.handles = cruiser_handles();
  design.cells = kCells;
  design.thin_allowed = 1;
  design.look = {Vec3f::Ones(), 0.1, 0.5};
  return scored(author_within(std::move(design), cruiser_examples, cruiser_surface()), cruiser_cells);
}

}  // namespace crumple::generator
