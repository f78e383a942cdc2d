#include "assets/generator/pose.h"
#include "assets/generator/ship.h"
#include "assets/generator/ship_hull.h"
#include "assets/generator/solid_and_skin.h"

#include <algorithm>
#include <utility>

namespace crumple::generator {
namespace {

constexpr int kCells = 21;

}  // namespace

// Frames of keel, waterline and rail from the stern to the bow, where the hull would fold; the corners of the houses, and what stands up.
std::vector<Handle> small_ship_handles() {
  std::vector<Handle> handles;
  handles.push_back({"stem head", Vec3(7.15, 2.2, 0)});
  handles.push_back({"stem foot", Vec3(6.1, 0, 0)});
  handles.push_back({"forefoot", Vec3(4.6, -1.4, 0)});
  handles.push_back({"fore keel", Vec3(2.0, -1.55, 0)});
  handles.push_back({"mid keel", Vec3(-0.4, -1.6, 0)});
  handles.push_back({"aft keel", Vec3(-2.9, -1.6, 0)});
  handles.push_back({"stern keel", Vec3(-6.2, -0.4, 0)});
  add_both_sides(handles, "shoulder", Vec3(5.2, 1.7, 1.25));
  add_both_sides(handles, "bow side", Vec3(4.7, 0.1, 1.2));
  add_both_sides(handles, "fore rail", Vec3(2.3, 1.3, 2.3));
  add_both_sides(handles, "fore side", Vec3(2.0, -0.3, 1.9));
  add_both_sides(handles, "mid rail", Vec3(-0.4, 1.1, 2.4));
  add_both_sides(handles, "mid side", Vec3(-0.4, -0.4, 2.1));
  add_both_sides(handles, "aft rail", Vec3(-2.9, 1.1, 2.35));
  add_both_sides(handles, "aft side", Vec3(-2.9, -0.4, 2.0));
  add_both_sides(handles, "stern", Vec3(-6.3, 1.25, 1.9));
  add_both_sides(handles, "front roof", Vec3(3.1, 4.55, 1.25));
  add_both_sides(handles, "back roof", Vec3(0.8, 4.55, 1.25));
  add_both_sides(handles, "house", Vec3(-1.2, 2.45, 1.4));
  add_both_sides(handles, "gantry", Vec3(-5.95, 3.6, 1.5));
  handles.push_back({"masthead", Vec3(1.3, 7.45, 0)});
  handles.push_back({"funnel", Vec3(-0.7, 4.0, 0)});
  return handles;
}

namespace {

// The stem is driven in and folds over to one side; the shoulders bulge, and the deck between them humps.
Sketch bow_crushed(const std::vector<Handle>& handles) {
  Sketch sketch("bow crushed", handles);
  sketch.carry({"stem head"}, turn_about(Vec3(0.25, 1, 0.6), 40), Vec3(7.15, 2.2, 0), Vec3(-2.3, -0.45, 0.55));
  sketch.move("stem foot", Vec3(-1.6, 0.3, -0.25)).move("forefoot", Vec3(-0.9, 0.5, 0.1));
  sketch.move("shoulder starboard", Vec3(-1.2, 0.35, 0.75)).move("shoulder port", Vec3(-0.9, -0.35, -0.6));
  sketch.move("bow side starboard", Vec3(-0.7, -0.1, -0.35)).move("bow side port", Vec3(-0.9, 0.2, 0.3));
  sketch.move("fore rail starboard", Vec3(-0.2, 0.05, -0.25)).move("fore rail port", Vec3(-0.2, 0.15, 0.2));
  return sketch;
}

// One side is broken in over the length of the house, which leans over the breach; the rail before and behind it kicks out.
Sketch side_stove_in(const std::string& name, const std::vector<Handle>& handles, const std::string& side, double out, double shift) {
  Sketch sketch(name, handles);
  const auto here = [&](const std::string& part) { return part + " " + side; };
  sketch.move(here("mid rail"), Vec3(0.1, -0.5, -1.45 * out))
      .move(here("mid side"), Vec3(0, 0.15, -1.4 * out))
      .move("mid keel", Vec3(0, 0.3, -0.4 * out));
  sketch.move(here("fore rail"), Vec3(-0.15, 0.2, (0.1 + shift) * out)).move(here("aft rail"), Vec3(0.15, 0.15, (-0.35 - shift) * out));
  sketch.move(here("fore side"), Vec3(-0.1, 0.1, (-0.2 + shift) * out)).move(here("aft side"), Vec3(0.1, 0.05, (-0.45 - shift) * out));
  const Quat lean = turn_about(Vec3(1, 0, 0), 12 * out);
  sketch.carry({"front roof starboard", "front roof port", "back roof starboard", "back roof port", "masthead", "funnel"}, lean, Vec3(1, 0.5, 0),
               Vec3(0, -0.15, -0.3 * out));
  sketch.move(here("back roof"), Vec3(0.2, -0.5, -0.3 * out)).move(here("house"), Vec3(0.15, -0.45, -0.75 * out));
  return sketch;
}

// The stern is pushed in under the gantry, which folds forward over the working deck.
Sketch stern_crushed(const std::vector<Handle>& handles) {
  Sketch sketch("stern crushed", handles);
  sketch.move("stern starboard", Vec3(1.35, 0.15, 0.05)).move("stern port", Vec3(1.0, -0.3, 0.25)).move("stern keel", Vec3(1.1, 0.3, 0));
  sketch.carry({"gantry starboard", "gantry port"}, turn_about(Vec3(0.25, 0.2, 1), -38), Vec3(-5.9, 1.2, 0), Vec3(1.0, -0.3, 0));
  sketch.move("aft rail starboard", Vec3(0.25, 0.1, 0.35)).move("aft rail port", Vec3(0.2, 0.25, -0.4));
  sketch.move("aft side starboard", Vec3(0.2, 0, 0.12)).move("aft side port", Vec3(0.2, 0, -0.15)).move("aft keel", Vec3(0.15, 0.1, 0));
  return sketch;
}

const std::vector<std::string> kForePart{"stem head",
                                         "bow side starboard",
                                         "bow side port",
                                         "stem foot",
                                         "forefoot",
                                         "fore keel",
                                         "shoulder starboard",
                                         "shoulder port",
                                         "fore rail starboard",
                                         "fore rail port",
                                         "fore side starboard",
                                         "fore side port",
                                         "front roof starboard",
                                         "front roof port",
                                         "back roof starboard",
                                         "back roof port",
                                         "masthead"};
const std::vector<std::string> kAftPart{"aft keel",      "stern keel",      "aft rail starboard", "aft rail port",    "aft side starboard",
                                        "aft side port", "stern starboard", "stern port",         "gantry starboard", "gantry port"};

// The back is broken over something hard below: both ends hang, the keel is driven up and the sides part.
Sketch hogged(const std::vector<Handle>& handles) {
  Sketch sketch("hogged", handles);
  const Vec3 hinge(-0.4, 0.9, 0);
  sketch.carry(kForePart, turn_about(Vec3(0.1, 0, 1), -17), hinge, Vec3(-0.1, 0.45, 0));
  sketch.carry(kAftPart, turn_about(Vec3(-0.12, 0, 1), 15), hinge, Vec3(0.1, 0.45, 0));
  sketch.move("mid keel", Vec3(0, 1.15, 0.1)).move({"mid rail starboard", "mid rail port"}, Vec3(0, 0.45, 0));
  sketch.move("mid side starboard", Vec3(0, 0.5, 0.45)).move("mid side port", Vec3(0, 0.5, -0.45));
  sketch.move({"house starboard", "house port"}, Vec3(0, 0.4, 0)).move("funnel", Vec3(-0.1, 0.4, 0));
  return sketch;
}

// Something heavy fell on the ship: the houses are flattened, the mast falls aft, and the back is broken downwards.
Sketch flattened(const std::vector<Handle>& handles) {
  Sketch sketch("flattened", handles);
  const Vec3 hinge(-0.4, -0.6, 0);
  sketch.carry({"stem head", "stem foot", "forefoot", "shoulder starboard", "shoulder port", "bow side starboard", "bow side port"},
               turn_about(Vec3(0, 0, 1), 11), hinge, Vec3(0, -0.4, 0));
  sketch.carry(kAftPart, turn_about(Vec3(0.1, 0, 1), -11), hinge, Vec3(0, -0.3, 0));
  sketch.carry({"fore keel", "fore rail starboard", "fore rail port", "fore side starboard", "fore side port"}, turn_about(Vec3(0, 0, 1), 6), hinge,
               Vec3(0, -0.3, 0));
  sketch.move("mid keel", Vec3(0, -0.2, 0)).move("mid rail starboard", Vec3(0, -0.4, 0.3)).move("mid rail port", Vec3(0, -0.5, -0.35));
  sketch.move("mid side starboard", Vec3(0, -0.25, 0.25)).move("mid side port", Vec3(0, -0.25, -0.25));
  // The roof is dished: its corners turn towards the middle.
  const auto press = [&](const std::string& corner, double degrees, const Vec3& shift) {
    const auto handle = std::find_if(handles.begin(), handles.end(), [&](const Handle& h) { return h.name == corner; });
    sketch.carry(std::vector{corner}, turn_about(Vec3::UnitX(), degrees), handle->position, shift);
  };
  press("front roof starboard", -14, Vec3(-0.3, -1.2, 0.3));
  press("front roof port", 18, Vec3(-0.2, -1.6, -0.2));
  press("back roof starboard", -18, Vec3(-0.5, -1.6, 0.3));
  press("back roof port", 12, Vec3(-0.45, -1.25, -0.35));
  sketch.move("house starboard", Vec3(-0.1, -0.85, 0.25)).move("house port", Vec3(-0.1, -0.7, -0.3)).move("funnel", Vec3(-0.5, -1.0, 0.2));
  sketch.carry({"masthead"}, turn_about(Vec3(0.35, 0, 1), 52), Vec3(1.3, 4.6, 0), Vec3(-0.35, -1.75, 0));
  sketch.move("gantry starboard", Vec3(0.5, -0.9, 0)).move("gantry port", Vec3(0.4, -0.7, 0));
  return sketch;
}

}  // namespace

std::vector<Sketch> small_ship_examples(const std::vector<Handle>& handles) {
  return {bow_crushed(handles),
          side_stove_in("starboard stove in", handles, "starboard", 1, 0.1),
          side_stove_in("port stove in", handles, "port", -1, -0.12),
          stern_crushed(handles),
          hogged(handles),
          flattened(handles)};
}

Result<Asset> make_small_ship() {
  Design design;
  design.name = "small_ship";
  design.surface = small_ship_solid();
  design.handles = small_ship_handles();
  design.cells = kCells;
  design.thin_allowed = 1;
  design.look = {Vec3f::Ones(), 0.0, 0.45};
  return author_within(std::move(design), small_ship_examples, small_ship_surface());
}

}  // namespace crumple::generator
