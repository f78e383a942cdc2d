#include "crumple/methods/structures/checks.h"

namespace crumple::structures {
namespace {

template <class T>
void complain(Fields& f, const T& settings) {
  if (!f.reading() || f.failed()) return;
  if (const auto wrong = check(settings)) f.fail(wrong->key, wrong->text);
}

/// Lists of two that are not optional.
void pair(Fields& f, std::string_view key, std::vector<double>& values, About about) {
  std::optional<std::vector<double>> list = values;
  f.numbers(key, list, 2, about);
  if (list) values = *list;
}

void whole_pair(Fields& f, std::string_view key, std::vector<int>& values, About about) {
  std::vector<double> list(values.begin(), values.end());
  pair(f, key, list, about);
  if (f.failed()) return;
  for (size_t k = 0; k < 2; ++k) {
    if (list[k] != static_cast<int>(list[k])) return f.fail(key, "expected whole numbers");
    values[k] = static_cast<int>(list[k]);
  }
}

}  // namespace

void describe(Fields& f, Bar& b) {
  f.text("name", b.name, {"name; its pieces are numbered after it, starting at \"from\"; absent: bar and its number"});
  f.vector("from", b.from, {"start of the bar's axis", "m"});
  f.vector("to", b.to, {"end of the bar's axis", "m"});
  f.integer("pieces", b.pieces, between(1, 4096), {"number of equal pieces, between which the bar bends (n)"});
  f.vector("up", b.up, {"direction of the section's height; absent: y, or x for a vertical bar"});
  f.object("section", b.section, {"cross-section; absent: the structure's"});
  f.object("material", b.material, {"material; absent: the structure's"});
  f.require("from");
  f.require("to");
  complain(f, b);
}

void describe(Fields& f, Plate& p) {
  f.text("name", p.name, {"name; its cells are numbered after it, along x and along z; absent: plate and its number"});
  f.vector("at", p.at, {"position of the plate's centre", "m"});
  f.vector("turn", p.turn, {"rotation about x, then y, then z; absent: none, the plate is horizontal", "degrees"});
  pair(f, "size", p.size, {"size along x and z, before rotation", "m"});
  f.number("thickness", p.thickness, between(1e-6, 1e6), {"thickness", "m"});
  whole_pair(f, "cells", p.cells, {"number of cells along x and z"});
  f.object("material", p.material, {"material; absent: the structure's"});
  complain(f, p);
}

void describe(Fields& f, SinglePiece& p) {
  f.text("name", p.name, {"name in joints and reports; absent: piece and its number"});
  f.numbers("box", p.box, 3, {"box: full sizes along x, y, z", "m"});
  f.text("mesh", p.mesh, {"convex surface from an OBJ, PLY or GLB file"});
  f.vector("at", p.at, {"position of its origin", "m"});
  f.vector("turn", p.turn, {"rotation about x, then y, then z", "degrees"});
  f.number("mass", p.mass, between(1e-9, 1e12), {"mass, instead of a density", "kg"});
  f.number("density", p.density, between(1e-6, 1e9), {"density; absent: the body's", "kg/m^3"});
  complain(f, p);
}

void describe(Fields& f, SingleJoint& j) {
  f.text("name", j.name, {"name in reports; absent: made from the names of its pieces"});
  f.text("a", j.a, {"first piece: its own name, \"rail 3\" of a bar, \"deck 2 5\" of a plate"});
  f.text("b", j.b, {"second piece; absent: the world"});
  f.vector("at", j.at, {"position of the joint", "m"});
  f.vector("axis", j.axis, {"direction of the bar that the joint represents"});
  f.vector("up", j.up, {"direction of the section's height; absent: y, or x if the axis is vertical"});
  f.number("length", j.length, between(0, 1e6),
           {"length of the bar that bends at the joint (l_s: stiffness = EI / l_s); 0: distance between the centres of the pieces", "m"});
  f.object("section", j.section, {"cross-section; absent: the structure's"});
  f.object("material", j.material, {"material; absent: the structure's"});
  f.require("a");
  complain(f, j);
}

void describe(Fields& f, Support& s) {
  f.vector("at", s.at, {"end of a bar, or midpoint of an outer side of a border cell of a plate", "m"});
  f.vector("until", s.until, {"end of a line from \"at\", along which every bar end and every border cell is held", "m"});
  f.choice<SupportKind>("hold", s.hold, {{"clamped", SupportKind::Clamped}, {"pinned", SupportKind::Pinned}, {"roller", SupportKind::Roller}},
                 {"held motion: all, translation only, or only translation across the bar or normal to the plate"});
  f.text("to", s.to, {"body that the support is fixed to; absent: the world"});
  f.require("at");
  complain(f, s);
}

void describe(Fields& f, Settings& s) {
  f.object("section", s.section, {"default cross-section of bars and joints"});
  f.object("material", s.material, {"default material of bars, plates and joints"});
  f.list("bars", s.bars, {"straight bars; a bar whose end meets another is joined to it"});
  f.list("plates", s.plates, {"flat plates, each a grid of cells"});
  f.list("pieces", s.pieces, {"single rigid pieces"});
  f.list("joints", s.joints, {"joints between named pieces; between neighbours they replace the existing joint"});
  f.list("supports", s.supports, {"supports of the structure; without any it is free"});
  f.object("behaviour", s.behaviour, {"yielding and breaking of all joints"});
  if (f.reading() && !f.failed() && s.bars.empty() && s.plates.empty() && s.pieces.empty()) {
    f.fail("", "a structure needs pieces: \"bars\", \"plates\" or \"pieces\"");
  }
}

}  // namespace crumple::structures
