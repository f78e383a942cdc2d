#include <cmath>
#include <functional>

#include "tests/methods/structures_of.h"

namespace crumple::structures {
namespace {

Settings good() {
  Settings settings = of_bars({bar({0, 0, 0}, {2, 0, 0}, 2, "rail"), bar({2, 0, 0}, {2, 2, 0}, 2, "post")});
  settings.supports = {support({0, 0, 0})};
  return settings;
}

std::string with(const std::function<void(Settings&)>& change) {
  Settings settings = good();
  change(settings);
  return complaint(settings);
}

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(JointsErrors, name_the_section_that_is_none) {
  EXPECT_EQ(with([](Settings& s) { s.section = rect(0, 0.1); }), "/section/rect: the width of the rectangle is 0 m; it must be above zero");
  EXPECT_EQ(with([](Settings& s) { s.bars[1].section = circle(-1); }),
            "/bars/1/section/circle: the diameter of the circle is -1 m; it must be above zero");
  expect_in("/bars/0/section/tube: the wall of the tube", with([](Settings& s) { s.bars[0].section = tube(0.1, 0.2); }));
  expect_in("/bars/0/section/i: two flanges", with([](Settings& s) { s.bars[0].section = i_beam(0.1, 0.1, 0.01, 0.05); }));
  expect_in("/section/rect: the width", with([](Settings& s) { s.section = rect(std::nan(""), 0.1); }));
  expect_in("/section: a section has exactly one shape", with([](Settings& s) { s.section->circle = 0.1; }));
  expect_in("/section: a section is \"rect\"", with([](Settings& s) { s.section = SectionChoice(); }));
  expect_in("/section/rect: expected 2 numbers", with([](Settings& s) { s.section->rect = {0.1}; }));
  expect_in("/section: without a shape it needs both", with([](Settings& s) {
              s.section = SectionChoice();
              s.section->capacity = JointRows{1, 1, 1, 1, 1, 1};
            }));
  expect_in("/section/capacity: the torsion capacity is 0", with([](Settings& s) { s.section->capacity = JointRows{1, 1, 1, 0, 1, 1}; }));
  expect_in("/section/stiffness: must be numbers, none of them below zero",
            with([](Settings& s) { s.section->stiffness = JointRows{1, 1, 1, -1, 1, 1}; }));
  expect_in("/section/stiffness: every row is zero", with([](Settings& s) { s.section->stiffness = JointRows(); }));
  expect_in("/bars/0/section: a bar needs a shape", with([](Settings& s) {
              s.section = SectionChoice();
              s.section->capacity = s.section->stiffness = JointRows{1, 1, 1, 1, 1, 1};
            }));
  EXPECT_EQ(with([](Settings& s) { s.section.reset(); }), "/bars/0: has no \"section\", and neither has the structure");
}

TEST(JointsErrors, name_the_material_that_is_none) {
  expect_in("/material/steel: the yield stress of 3e+11 Pa is not below E = 2e+11 Pa", with([](Settings& s) { s.material->steel = 300e9; }));
  expect_in("/material/steel: the yield stress is -1 Pa", with([](Settings& s) { s.material->steel = -1; }));
  expect_in("/bars/1/material: a material is exactly one of", with([](Settings& s) {
              s.bars[1].material = steel_choice();
              s.bars[1].material->wood = 24e6;
            }));
  expect_in("/material: a material is \"steel\"", with([](Settings& s) { s.material = MaterialChoice(); }));
  expect_in("/material/concrete: needs \"yield\"", with([](Settings& s) {
              s.material = MaterialChoice();
              s.material->concrete = 0.01;
            }));
  expect_in("/material/yield: belongs to \"concrete\"", with([](Settings& s) { s.material->yield = 200e6; }));
  expect_in("/material/yield: the yield stress of 2e+09 Pa is not below E", with([](Settings& s) {
              s.material = MaterialChoice();
              s.material->numbers = SolidMaterial();
              s.material->numbers->young = 1e9, s.material->numbers->yield = 2e9;
            }));
  EXPECT_EQ(with([](Settings& s) { s.material.reset(); }), "/bars/0: has no \"material\", and neither has the structure");
}

TEST(JointsErrors, name_bars_and_plates_that_cannot_be_cut) {
  EXPECT_EQ(with([](Settings& s) { s.bars[1].to = s.bars[1].from; }), "/bars/1/to: is the same place as \"from\"");
  EXPECT_EQ(with([](Settings& s) { s.bars[0].pieces = 0; }), "/bars/0/pieces: must be between 1 and 4096");
  EXPECT_EQ(with([](Settings& s) { s.bars[0].pieces = 5000; }), "/bars/0/pieces: must be between 1 and 4096");
  expect_in("/bars/0/from: must be numbers", with([](Settings& s) { s.bars[0].from.x() = std::nan(""); }));
  expect_in("/bars/0/to: makes pieces of", with([](Settings& s) { s.bars[0].to = Vec3(1e-6, 0, 0); }));
  expect_in("/bars/0/up: points along the bar", with([](Settings& s) { s.bars[0].up = Vec3(1, 0, 0); }));
  expect_in("/bars/0/up: has no length", with([](Settings& s) { s.bars[0].up = Vec3(0, 0, 0); }));
  const auto plate = [](const std::function<void(Plate&)>& change) {
    Settings settings = of_plate(2, 2);
    change(settings.plates[0]);
    return complaint(settings);
  };
  expect_in("/plates/0/cells: must be at least 1", plate([](Plate& p) { p.cells = {0, 3}; }));
  expect_in(": makes 1e+06 pieces; there may be 20000", plate([](Plate& p) { p.cells = {1000, 1000}; }));
  expect_in(": makes", plate([](Plate& p) { p.cells = {2147483647, 2147483647}; }));
  expect_in("/plates/0/thickness: is 0 m", plate([](Plate& p) { p.thickness = 0; }));
  expect_in("/plates/0/size: is -1 m", plate([](Plate& p) { p.size = {1, -1}; }));
  expect_in("/plates/0: has no \"material\"", [] {
    Settings settings = of_plate(2, 2);
    settings.material.reset();
    return complaint(settings);
  }());
  expect_in(": a structure needs pieces", complaint(Settings()));
}

TEST(JointsErrors, name_single_pieces_and_joints) {
  const auto change = [](const std::function<void(Settings&)>& how) {
    Settings settings;
    settings.section = rect(0.1, 0.1), settings.material = steel_choice();
    settings.pieces = {box_piece("left", {1, 1, 1}, {0, 0, 0}), box_piece("right", {1, 1, 1}, {1, 0, 0})};
    settings.joints = {joint("left", "right", {0.5, 0, 0})};
    how(settings);
    return complaint(settings);
  };
  EXPECT_EQ(change([](Settings& s) { s.joints[0].b = "rigth"; }), "/joints/0/b: there is no piece \"rigth\"; did you mean \"right\"?");
  expect_in("/joints/0/a: there is no piece \"nobody\"; pieces of bars are called", change([](Settings& s) { s.joints[0].a = "nobody"; }));
  expect_in("/joints/0/b: a piece cannot be joined to itself", change([](Settings& s) { s.joints[0].b = "left"; }));
  expect_in("/joints/0: \"a\" is missing", change([](Settings& s) { s.joints[0].a = ""; }));
  expect_in("/joints/0/axis: has no length", change([](Settings& s) { s.joints[0].axis.setZero(); }));
  expect_in("/joints/0/length: is -1 m", change([](Settings& s) { s.joints[0].length = -1; }));
  expect_in("/joints/0: has no \"section\"", change([](Settings& s) { s.section.reset(); }));
  expect_in("/joints/0/section/rect: the width", change([](Settings& s) { s.joints[0].section = rect(0, 1); }));
  expect_in("/pieces/1/box: is 0 m", change([](Settings& s) { s.pieces[1].box = {1, 0, 1}; }));
  expect_in("/pieces/1: a piece needs a shape", change([](Settings& s) { s.pieces[1].box.reset(); }));
  expect_in("/pieces/1/mass: give either", change([](Settings& s) { s.pieces[1].mass = s.pieces[1].density = 1; }));
  expect_in(": two pieces are called \"left\"", change([](Settings& s) { s.pieces[1].name = "left"; }));
  expect_in(": pieces \"left\" and \"right\" are not connected", change([](Settings& s) { s.joints.clear(); }));
  expect_in("/behaviour/softening_from: must be between 0 and 1", change([](Settings& s) { s.behaviour.softening_from = 2; }));
}

TEST(JointsErrors, tell_where_a_support_would_find_something) {
  EXPECT_EQ(with([](Settings& s) { s.supports[0].at = Vec3(0, 1, 0); }),
            "/supports/0/at: there is no end of a bar and no border of a plate here; the nearest is \"rail 1\" at [0, 0, 0]");
}

TEST(JointsErrors, two_free_groups_are_no_structure) {
  Settings settings = of_bars({bar({0, 0, 0}, {1, 0, 0}, 2, "here"), bar({0, 5, 0}, {1, 5, 0}, 2, "there")});
  expect_in(": pieces \"here 1\" and \"there 1\" are not connected", complaint(settings));
  settings.supports = {support({0, 0, 0})};
  expect_in("are not connected", complaint(settings));  // one is held, the other is not
  settings.supports.push_back(support({0, 5, 0}));
  EXPECT_TRUE(tried(settings));
}

/// A square of four rods that are joined by hinges about z at their corners, with as many diagonals.
Settings linkage(int diagonals) {
  Settings settings = of_bars(
      {bar({0, 0, 0}, {1, 0, 0}, 2, "a"), bar({1, 0, 0}, {1, 1, 0}, 2, "b"), bar({1, 1, 0}, {0, 1, 0}, 2, "c"), bar({0, 1, 0}, {0, 0, 0}, 2, "d")});
  settings.joints = {joint("a 2", "b 1", {1, 0, 0}), joint("b 2", "c 1", {1, 1, 0}), joint("c 2", "d 1", {0, 1, 0}), joint("d 2", "a 1", {0, 0, 0})};
  if (diagonals > 0) {
    settings.bars.push_back(bar({0, 0, 0}, {1, 1, 0}, 2, "e"));
    settings.joints.push_back(joint("a 1", "e 1", {0, 0, 0}));
    settings.joints.push_back(joint("b 2", "e 2", {1, 1, 0}));
  }
  for (SingleJoint& one : settings.joints) {
    one.section = rect(0.1, 0.1);
    one.section->stiffness = JointRows{1e9, 1e9, 1e9, 1e6, 0, 1e6};  // with the axis x and the height y: free about z
    one.length = 0.1;
  }
  return settings;
}

TEST(JointsErrors, a_linkage_without_supports_is_a_mechanism) {
  expect_in(": is a mechanism without supports", complaint(linkage(0)));
  expect_in("let its pieces move in 1 way that", complaint(linkage(0)));
  EXPECT_TRUE(tried(linkage(1)));  // a diagonal makes it a truss
  Settings held = linkage(0);
  held.supports = {support({0, 0, 0})};
  EXPECT_TRUE(tried(held));  // what is held may move as it likes
}

TEST(JointsErrors, a_long_chain_of_hinges_is_a_mechanism_too) {
  Settings settings;
  for (int k = 0; k < 300; ++k) {
    settings.pieces.push_back(box_piece("link " + std::to_string(k), {1, 0.1, 0.1}, Vec3(k, 0, 0)));
    if (k == 0) continue;
    settings.joints.push_back(joint("link " + std::to_string(k - 1), "link " + std::to_string(k), Vec3(k - 0.5, 0, 0)));
    settings.joints.back().section.emplace();
    settings.joints.back().section->capacity = JointRows{1, 1, 1, 1, 1, 1};
    settings.joints.back().section->stiffness = JointRows{1, 1, 1, 1, 1, 0};
  }
  expect_in("let its pieces move in 299 ways", complaint(settings));
}

TEST(JointsErrors, too_many_pieces_in_one_place_end_in_an_error) {
  Settings settings;
  settings.section = rect(0.1, 0.1), settings.material = steel_choice();
  for (int k = 0; k < 2100; ++k) {
    settings.pieces.push_back(box_piece("p" + std::to_string(k), {1, 1, 1}, {0, 0, 0}));
    if (k > 0) settings.joints.push_back(joint("p" + std::to_string(k - 1), "p" + std::to_string(k), {0, 0, 0}));
    if (k > 0) settings.joints.back().length = 1;
  }
  expect_in("pairs of pieces touch or lie inside each other", complaint(settings));
}

Result<void> read(const std::string& text, Settings& settings) {
  const Result<Json> json = parse_json(text, "scene.json");
  EXPECT_TRUE(json) << text;
  return Fields::read(*json, "scene.json", settings);
}

std::string refused(const std::string& text) {
  Settings settings;
  const Result<void> done = read(text, settings);
  EXPECT_FALSE(done) << text;
  return done ? "" : done.error().text;
}

constexpr const char* kScene = R"({
  "section": {"rect": [0.1, 0.2]},
  "material": {"concrete": 0.006, "yield": 500e6, "shear_rule": "von_mises"},
  "bars": [
    {"name": "rail", "from": [0, 1, 0], "to": [4, 1, 0], "pieces": 5, "up": [0, 1, 1], "section": {"i": [0.2, 0.1, 0.01, 0.02]}},
    {"from": [4, 1, 0], "to": [4, 0, 0], "section": {"tube": [0.1, 0.01]}, "material": {"young": 70e9, "yield": 250e6, "density": 2700}}
  ],
  "plates": [{"name": "deck", "at": [0, 3, 0], "turn": [0, 90, 0], "size": [2, 3], "thickness": 0.02, "cells": [2, 3], "material": {"steel": 235e6, "hardening": 1e9}}],
  "pieces": [{"name": "ball", "box": [1, 1, 1], "at": [0, 3, 0], "mass": 5}],
  "joints": [{"a": "deck 1 1", "b": "ball", "at": [0, 3, 0], "axis": [0, 1, 0], "length": 0.5, "section": {"circle": 0.05}},
             {"a": "ball", "section": {"capacity": {"axial": 1, "shear_1": 2, "shear_2": 3, "torsion": 4, "bending_1": 5, "bending_2": 6},
              "stiffness": {"axial": 1, "shear_1": 2, "shear_2": 3, "torsion": 0, "bending_1": 5, "bending_2": 6}}}],
  "supports": [{"at": [0, 1, 0], "hold": "pinned", "to": "wall"}, {"at": [4, 0, 0], "until": [5, 0, 0], "hold": "roller"}],
  "behaviour": {"interaction": "beam", "damping": 0.001, "softening_from": 0.8}
})";

TEST(JointsDescription, is_read_and_written_alike) {
  Settings settings, again;
  const Result<void> done = read(kScene, settings);
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_EQ(settings.bars[0].pieces, 5);
  EXPECT_EQ(settings.bars[1].material->numbers->young, 70e9);
  EXPECT_EQ(settings.plates[0].cells, (std::vector<int>{2, 3}));
  EXPECT_EQ(settings.supports[1].hold, SupportKind::Roller);
  EXPECT_EQ(settings.behaviour.interaction, rigid::Interaction::Beam);
  EXPECT_EQ(settings.joints[1].section->stiffness->bending_2, 6);
  const std::string written = write_json(Fields::write(settings));
  const Result<void> reread = read(written, again);
  ASSERT_TRUE(reread) << reread.error().text;
  EXPECT_EQ(write_json(Fields::write(again)), written);
  const Result<Model> one = tried(settings), other = tried(again);
  ASSERT_TRUE(one) << one.error().text;
  for (size_t j = 0; j < one->joints.size(); ++j) EXPECT_EQ(one->joints[j].law.capacity, other->joints[j].law.capacity);
}

TEST(JointsDescription, complains_at_the_right_key) {
  expect_in("/bars/0/sektion: unknown key; did you mean \"section\"?", refused(R"({"bars": [{"from": [0,0,0], "to": [1,0,0], "sektion": 1}]})"));
  expect_in("/bars/0: \"to\" is missing", refused(R"({"bars": [{"from": [0,0,0]}]})"));
  expect_in("/bars/0/to: is the same place", refused(R"({"bars": [{"from": [1,0,0], "to": [1,0,0]}]})"));
  expect_in("/bars/0/pieces: 0 is out of range", refused(R"({"bars": [{"from": [0,0,0], "to": [1,0,0], "pieces": 0}]})"));
  expect_in("/section/rect: the height of the rectangle is 0 m", refused(R"({"section": {"rect": [1, 0]}})"));
  expect_in("/section/rect: expected 2 numbers", refused(R"({"section": {"rect": [1]}})"));
  expect_in("/section/capacity: \"shear_1\" is missing", refused(R"({"section": {"capacity": {"axial": 1}}})"));
  expect_in("/material/steel: the yield stress of", refused(R"({"material": {"steel": 1e12}})"));
  expect_in("/material/young: needs \"yield\"", refused(R"({"material": {"young": 1e12}})"));
  expect_in("/material/poisson: belongs to \"young\"", refused(R"({"material": {"steel": 2e8, "poisson": 0.2}})"));
  expect_in("/material: a material is exactly one of", refused(R"({"material": {"steel": 2e8, "wood": 2e7}})"));
  expect_in("/plates/0/cells: expected whole numbers", refused(R"({"plates": [{"cells": [2.5, 1]}]})"));
  expect_in("/plates/0/cells: makes", refused(R"({"plates": [{"cells": [1e9, 1e9]}]})"));
  expect_in("/supports/0/hold: unknown word", refused(R"({"supports": [{"at": [0,0,0], "hold": "glued"}]})"));
  expect_in("a structure needs pieces", refused("{}"));
}

TEST(JointsDescription, has_a_schema) {
  const std::string schema = write_json(Fields::schema<Settings>());
  for (const char* key : {"\"tube\"", "\"concrete\"", "\"softening_from\"", "\"bending_2\"", "\"until\"", "\"roller\""}) expect_in(key, schema);
}

}  // namespace
}  // namespace crumple::structures
