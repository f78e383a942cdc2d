#include "assets/generator/pose.h"
#include "assets/generator/ship.h"
#include "assets/generator/ship_hull.h"
#include "assets/generator/solid_and_skin.h"

#include <utility>

namespace crumple::generator {
namespace {

constexpr int kCells = 27;

}  // namespace

// Frames of keel and rails; three of them stand close together amidships, where the back breaks between the two holds.
std::vector<Handle> large_ship_handles() {
  std::vector<Handle> handles;
  handles.push_back({"stem head", Vec3(44.4, 7.3, 0)});
  handles.push_back({"forefoot", Vec3(40.5, -4.5, 0)});
  handles.push_back({"fore keel", Vec3(26, -5.6, 0)});
  handles.push_back({"waist fore keel", Vec3(9.5, -5.6, 0)});
  handles.push_back({"mid keel", Vec3(2.7, -5.6, 0)});
  handles.push_back({"waist aft keel", Vec3(-4.5, -5.6, 0)});
  handles.push_back({"aft keel", Vec3(-21, -5.6, 0)});
  handles.push_back({"stern keel", Vec3(-41.5, -1.0, 0)});
  add_both_sides(handles, "shoulder", Vec3(37, 6.6, 4.9));
  add_both_sides(handles, "fore rail", Vec3(26, 4, 6.9));
  add_both_sides(handles, "waist fore rail", Vec3(9.5, 4, 7.2));
  add_both_sides(handles, "mid rail", Vec3(2.7, 4, 7.2));
  add_both_sides(handles, "mid side", Vec3(2.7, -2.2, 7.1));
  add_both_sides(handles, "waist aft rail", Vec3(-4.5, 4, 7.2));
  add_both_sides(handles, "aft rail", Vec3(-20, 4, 7.2));
  add_both_sides(handles, "quarter", Vec3(-33, 6.3, 6.9));
  add_both_sides(handles, "stern", Vec3(-42.8, 6.3, 4.6));
  handles.push_back({"fore cargo", Vec3(18, 11, 0)});
  handles.push_back({"aft cargo", Vec3(-12, 12, 0)});
  handles.push_back({"fore crane", Vec3(32, 17.8, 0)});
  handles.push_back({"aft crane", Vec3(3, 17.8, 0)});
  add_both_sides(handles, "bridge front", Vec3(-28.6, 19.2, 5.2));
  add_both_sides(handles, "bridge back", Vec3(-37.2, 19.2, 5.2));
  handles.push_back({"masthead", Vec3(-33.5, 25.2, 0)});
  handles.push_back({"funnel", Vec3(-40.5, 16.8, 0)});
  return handles;
}

namespace {

// The bow telescopes: the stem is driven back and turned aside, the shoulders bulge, one higher than the other.
Sketch bow_crushed(const std::vector<Handle>& handles) {
  Sketch sketch("bow crushed", handles);
  sketch.carry({"stem head"}, turn_about(Vec3(0.2, 1, 0.45), 38), Vec3(44.4, 7.3, 0), Vec3(-10.0, -1.6, 2.0));
  sketch.move("forefoot", Vec3(-7.2, 2.0, -0.8));
  sketch.move("shoulder starboard", Vec3(-5.2, 1.6, 2.4)).move("shoulder port", Vec3(-4.2, -1.4, -2.0));
  sketch.move("fore rail starboard", Vec3(-1.0, 0.4, -1.1)).move("fore rail port", Vec3(-1.0, 0.8, 0.9)).move("fore keel", Vec3(-0.5, 0.4, 0));
  sketch.carry({"fore crane"}, turn_about(Vec3(0.3, 0, 1), 7), Vec3(32, 4, 0), Vec3(-1.0, 0.3, 0));
  return sketch;
}

// One side is broken in between the holds.
Sketch side_stove_in(const std::string& name, const std::vector<Handle>& handles, const std::string& side, double out, double tilt) {
  Sketch sketch(name, handles);
  const auto here = [&](const std::string& part) { return part + " " + side; };
  const std::string other = out > 0 ? "port" : "starboard";
  sketch.move(here("mid rail"), Vec3(0, -1.4, -4.5 * out))
      .move(here("mid side"), Vec3(0, 0.7, -4.5 * out))
      .move("mid keel", Vec3(0, 0.6, -1.0 * out));
  sketch.move(here("waist fore rail"), Vec3(-0.7, 0.5, (-0.9 + tilt) * out)).move(here("waist aft rail"), Vec3(0.7, 0.5, (-0.9 - tilt) * out));
  sketch.move(here("fore rail"), Vec3(-0.2, 0, 0.35 * out)).move(here("aft rail"), Vec3(0.2, 0, 0.35 * out));
  sketch.move("mid rail " + other, Vec3(0, 0.2, -0.9 * out));
  sketch.carry({"aft crane"}, turn_about(Vec3(1, 0, 0.3), 14 * out), Vec3(3, 2, 0), Vec3(0, -0.4, -1.4 * out));
  return sketch;
}

// The stern is pushed in; the funnel and the house over it lean forward.
Sketch stern_crushed(const std::vector<Handle>& handles) {
  Sketch sketch("stern crushed", handles);
  sketch.move("stern starboard", Vec3(5.4, 0.8, 0.9)).move("stern port", Vec3(4.2, -1.2, 0.6)).move("stern keel", Vec3(4.8, 1.4, 0));
  sketch.move("quarter starboard", Vec3(1.2, -0.5, 1.3)).move("quarter port", Vec3(0.9, 0.6, -1.3));
  sketch.carry({"funnel"}, turn_about(Vec3(0.25, 0, 1), -14), Vec3(-40, 6, 0), Vec3(2.4, -0.4, 0));
  sketch.carry({"bridge front starboard", "bridge front port", "bridge back starboard", "bridge back port", "masthead"},
               turn_about(Vec3(-0.2, 0.2, 1), -6), Vec3(-29, 6, 0), Vec3(0.5, -0.2, 0));
  sketch.move("bridge back starboard", Vec3(0.5, -1.1, 0)).move("bridge back port", Vec3(0.4, -0.5, 0));
  sketch.move("aft rail starboard", Vec3(0.3, 0.3, -0.3)).move("aft rail port", Vec3(0.3, 0, 0.3));
  return sketch;
}

const std::vector<std::string> kForePart{"stem head",
                                         "forefoot",
                                         "fore keel",
                                         "waist fore keel",
                                         "shoulder starboard",
                                         "shoulder port",
                                         "fore rail starboard",
                                         "fore rail port",
                                         "waist fore rail starboard",
                                         "waist fore rail port",
                                         "fore cargo",
                                         "fore crane"};
const std::vector<std::string> kAftPart{"waist aft keel",
                                        "aft keel",
                                        "stern keel",
                                        "waist aft rail starboard",
                                        "waist aft rail port",
                                        "aft rail starboard",
                                        "aft rail port",
                                        "quarter starboard",
                                        "quarter port",
                                        "stern starboard",
                                        "stern port",
                                        "aft cargo",
                                        "bridge front starboard",
                                        "bridge front port",
                                        "bridge back starboard",
                                        "bridge back port",
                                        "masthead",
                                        "funnel"};

// The back is broken upwards between the holds: both ends hang, the bottom folds in, the deck is pulled apart.
Sketch hogged(const std::vector<Handle>& handles) {
  Sketch sketch("hogged", handles);
  const Vec3 hinge(2.7, 1.5, 0);
  sketch.carry(kForePart, turn_about(Vec3(0.12, 0, 1), -10), hinge, Vec3(0.2, 1.0, 0));
  sketch.carry(kAftPart, turn_about(Vec3(-0.1, 0, 1), 9), hinge, Vec3(-0.2, 1.0, 0));
  sketch.move("mid keel", Vec3(0, 2.9, 0)).move({"mid rail starboard", "mid rail port"}, Vec3(0, 0.9, 0));
  sketch.move("mid side starboard", Vec3(0, 1.3, 1.0)).move("mid side port", Vec3(0, 1.3, -1.0));
  sketch.carry({"aft crane"}, turn_about(Vec3(0.4, 0, 1), -5), Vec3(3, 3, 0), Vec3(0, 1.0, 0));
  return sketch;
}

// Overloaded: the back is broken downwards, the sides bulge where the deck folds, and the bridge is flattened.
Sketch sagged(const std::vector<Handle>& handles) {
  Sketch sketch("sagged", handles);
  const Vec3 hinge(2.7, -2.5, 0);
  sketch.carry(kForePart, turn_about(Vec3(-0.1, 0, 1), 9), hinge, Vec3(-0.1, -1.0, 0));
  sketch.carry(kAftPart, turn_about(Vec3(0.08, 0, 1), -8), hinge, Vec3(0.1, -1.0, 0));
  sketch.move("mid keel", Vec3(0, -1.0, 0)).move("mid rail starboard", Vec3(0, -1.9, 1.4)).move("mid rail port", Vec3(0, -1.6, -1.4));
  sketch.move("mid side starboard", Vec3(0, -1.0, 0.9)).move("mid side port", Vec3(0, -1.0, -0.9));
  sketch.carry({"aft crane"}, turn_about(Vec3(0.6, 0, 1), 7), Vec3(3, 3, 0), Vec3(0, -1.6, 0));
  sketch.move("bridge front starboard", Vec3(0.8, -4.6, 0.6)).move("bridge front port", Vec3(0.8, -3.4, -0.9));
  sketch.move("bridge back starboard", Vec3(0.6, -3.2, 0.9)).move("bridge back port", Vec3(0.6, -4.4, -0.5));
  sketch.carry({"masthead"}, turn_about(Vec3(0.5, 0, 1), -24), Vec3(-33.5, 19, 0), Vec3(0.5, -4.2, 0));
  sketch.move("fore cargo", Vec3(0, -1.6, 0)).move("aft cargo", Vec3(0, -1.8, 0)).move("funnel", Vec3(-0.5, -1.5, 0.4));
  return sketch;
}

}  // namespace

std::vector<Sketch> large_ship_examples(const std::vector<Handle>& handles) {
  return {bow_crushed(handles),
          side_stove_in("starboard stove in", handles, "starboard", 1, 0.4),
          side_stove_in("port stove in", handles, "port", -1, -0.5),
          stern_crushed(handles),
          hogged(handles),
          sagged(handles)};
}

Result<Asset> make_large_ship() {
  Design design;
  design.name = "large_ship";
  design.surface = large_ship_solid();
  design.handles = large_ship_handles();
  design.cells = kCells;
  design.thin_allowed = 1;
  design.look = {Vec3f::Ones(), 0.0, 0.45};
  return author_within(std::move(design), large_ship_examples, large_ship_surface());
}

}  // namespace crumple::generator
