#include "crumple/methods/structures/checks.h"

namespace crumple {

/// Six numbers of which none goes without saying.
void describe(Fields& f, JointRows& rows) {
  f.number("axial", rows.axial, at_least(0), {"along the bar", "N or N/m"});
  f.number("shear_1", rows.shear_1, at_least(0), {"across, along the section's width", "N or N/m"});
  f.number("shear_2", rows.shear_2, at_least(0), {"across, along its height", "N or N/m"});
  f.number("torsion", rows.torsion, at_least(0), {"about the bar", "N m or N m/rad"});
  f.number("bending_1", rows.bending_1, at_least(0), {"about the section's width, against loads along its height", "N m or N m/rad"});
  f.number("bending_2", rows.bending_2, at_least(0), {"about its height, against loads along its width", "N m or N m/rad"});
  for (const char* key : {"axial", "shear_1", "shear_2", "torsion", "bending_1", "bending_2"}) f.require(key);
}

}  // namespace crumple

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

void describe(Fields& f, MaterialChoice& m) {
  const SolidMaterial given = m.numbers.value_or(SolidMaterial());
  std::optional<double> young, poisson, shear_modulus = given.given_shear_modulus, shear_yield = given.given_shear_yield;
  if (m.numbers) young = given.young, poisson = given.poisson, m.yield = given.yield, m.shear_rule = given.shear_rule;
  if (m.numbers && !m.hardening) m.hardening = given.hardening;
  if (m.numbers && !m.ultimate_strain) m.ultimate_strain = given.ultimate_strain;
  if (m.numbers && !m.ultimate_rotation) m.ultimate_rotation = given.ultimate_rotation;
  if (m.numbers && !m.density && given.density > 0) m.density = given.density;

  f.number("steel", m.steel, more_than(0), {"steel: its yield stress (f_y, paper 5 sec. 2)", "Pa"});
  f.number("aluminium", m.aluminium, more_than(0), {"aluminium: its yield stress; 250e6 for alloy 6082-T6", "Pa"});
  f.number("wood", m.wood, more_than(0), {"wood along the grain: its yield stress; 24e6 for C24", "Pa"});
  f.number("concrete", m.concrete, {0, 1, true},
           {"reinforced concrete: the share of its section that is steel and carries all load (paper 5 sec. 3); needs \"yield\""});
  f.number("young", young, more_than(0), {"a material by its numbers: Young's modulus E; needs \"yield\"", "Pa"});
  f.number("yield", m.yield, more_than(0),
           {"yield stress in tension (f_y, paper 5 sec. 2) of the material given by its numbers, or of the steel in concrete", "Pa"});
  f.number("poisson", poisson, {-1, 0.5, true}, {"with \"young\": Poisson's ratio, which gives the shear modulus unless that is given; absent: 0.3"});
  f.number("shear_modulus", shear_modulus, more_than(0), {"with \"young\": shear modulus G", "Pa"});
  f.number("shear_yield", shear_yield, more_than(0), {"with \"young\": yield stress in shear", "Pa"});
  f.choice<ShearRule>("shear_rule", m.shear_rule, {{"tresca", ShearRule::Tresca}, {"von_mises", ShearRule::VonMises}},
                      {"yield stress in shear unless it is given: half the yield stress, or 0.577 of it (paper 5 sec. 2)"});
  f.number("hardening", m.hardening, at_least(0), {"growth of the yield stress with plastic strain; absent: none", "Pa"});
  f.number("ultimate_strain", m.ultimate_strain, at_least(0), {"plastic strain at which it breaks; absent: the material's own, 0.25 for steel"});
  f.number("ultimate_rotation", m.ultimate_rotation, at_least(0),
           {"plastic turn at which a joint breaks; absent: the material's own, 2.5 for steel", "rad"});
  f.number("density", m.density, more_than(0), {"absent: the material's own, or the body's", "kg/m^3"});

  if (!f.reading() || f.failed()) return;
  if (young) {
    if (!m.yield) return f.fail("young", "needs \"yield\"");
    m.numbers = given;
    m.numbers->name = "material by its numbers";
    m.numbers->young = *young, m.numbers->yield = *m.yield, m.numbers->shear_rule = m.shear_rule;
    m.numbers->poisson = poisson.value_or(given.poisson);
    m.numbers->given_shear_modulus = shear_modulus, m.numbers->given_shear_yield = shear_yield;
  }
  for (const char* key : {"poisson", "shear_modulus", "shear_yield"}) {
    if (f.has(key) && !young) return f.fail(key, "belongs to \"young\", a material by its numbers");
  }
  complain(f, m);
}

void describe(Fields& f, SectionChoice& s) {
  f.numbers("rect", s.rect, 2, {"a rectangle: width, height (b, h, paper 5 fig. 2.5)", "m"});
  f.number("circle", s.circle, between(1e-9, 1e6), {"a round bar: diameter", "m"});
  f.numbers("tube", s.tube, 2, {"a tube: outer diameter, thickness of its wall", "m"});
  f.numbers("i", s.i_beam, 4, {"an I: height, width, thickness of the web, of the flanges", "m"});
  f.object("capacity", s.capacity, {"largest forces and moments, instead of those of the shape"});
  f.object("stiffness", s.stiffness, {"stiffness of every joint, instead of that of the shape; a row of 0 is free"});
  complain(f, s);
}

void describe(Fields& f, Behaviour& b) {
  f.choice<rigid::Interaction>(
      "interaction", b.interaction,
      {{"none", rigid::Interaction::None}, {"ellipsoid", rigid::Interaction::Ellipsoid}, {"beam", rigid::Interaction::Beam}},
      {"how forces and moments yield together: each by itself (paper 5), as an ellipsoid, or bending with axial force as in a rectangular bar"});
  f.number("damping", b.damping, between(0, 1e3), {"viscous force over elastic force and rate", "s"});
  f.flag("breaks", b.breaks, {"joints break when their ultimate strain or rotation is used up"});
  f.number("softening_from", b.softening_from, between(0, 1),
           {"share of the ultimate plastic flow from which capacities fall to nothing; 1 breaks at once at the end"});
  f.flag("paper_switch", b.paper_switch, {"for comparison: stiff rows lose their elasticity (paper 5 eq. 3.2)"});
}

void describe(Fields& f, Bar& b) {
  f.text("name", b.name, {"its pieces are called by it and a number, from \"from\" on; absent: bar and its number"});
  f.vector("from", b.from, {"one end of its axis", "m"});
  f.vector("to", b.to, {"the other end", "m"});
  f.integer("pieces", b.pieces, between(1, 4096), {"how many equal pieces it is cut into; it bends between them (n)"});
  f.vector("up", b.up, {"direction of the section's height; absent: y, or x for a bar that stands"});
  f.object("section", b.section, {"its cross-section; absent: the structure's"});
  f.object("material", b.material, {"what it is made of; absent: the structure's"});
  f.require("from");
  f.require("to");
  complain(f, b);
}

void describe(Fields& f, Plate& p) {
  f.text("name", p.name, {"its cells are called by it and two numbers, along x and along z; absent: plate and its number"});
  f.vector("at", p.at, {"its middle", "m"});
  f.vector("turn", p.turn, {"turned about x, then y, then z; absent: it lies flat, square to y", "degrees"});
  pair(f, "size", p.size, {"along x and z, before it is turned", "m"});
  f.number("thickness", p.thickness, between(1e-6, 1e6), {"thickness", "m"});
  whole_pair(f, "cells", p.cells, {"how many cells it is cut into along x and z"});
  f.object("material", p.material, {"what it is made of; absent: the structure's"});
  complain(f, p);
}

void describe(Fields& f, SinglePiece& p) {
  f.text("name", p.name, {"what it is called in joints and reports; absent: piece and its number"});
  f.numbers("box", p.box, 3, {"a box: full sizes along x, y, z", "m"});
  f.text("mesh", p.mesh, {"a convex surface from an OBJ, PLY or GLB file"});
  f.vector("at", p.at, {"where its origin is", "m"});
  f.vector("turn", p.turn, {"turned about x, then y, then z", "degrees"});
  f.number("mass", p.mass, between(1e-9, 1e12), {"mass, instead of a density", "kg"});
  f.number("density", p.density, between(1e-6, 1e9), {"absent: the body's", "kg/m^3"});
  complain(f, p);
}

void describe(Fields& f, SingleJoint& j) {
  f.text("name", j.name, {"what it is called in reports; absent: after its pieces"});
  f.text("a", j.a, {"a piece: its own name, \"rail 3\" of a bar, \"deck 2 5\" of a plate"});
  f.text("b", j.b, {"the other piece; absent: the world"});
  f.vector("at", j.at, {"where", "m"});
  f.vector("axis", j.axis, {"along the bar that it stands for"});
  f.vector("up", j.up, {"direction of the section's height; absent: y, or x if the axis stands"});
  f.number("length", j.length, between(0, 1e6),
           {"of the bar that bends there (l_s: stiffness = EI / l_s); 0: the way between the middles of the pieces", "m"});
  f.object("section", j.section, {"its cross-section; absent: the structure's"});
  f.object("material", j.material, {"what it is made of; absent: the structure's"});
  f.require("a");
  complain(f, j);
}

void describe(Fields& f, Support& s) {
  f.vector("at", s.at, {"the end of a bar, or where one side of a border cell of a plate has its middle", "m"});
  f.vector("until", s.until, {"holds every end of a bar and every border cell on the straight way from \"at\" to here", "m"});
  f.choice<SupportKind>("hold", s.hold, {{"clamped", SupportKind::Clamped}, {"pinned", SupportKind::Pinned}, {"roller", SupportKind::Roller}},
                 {"what is held: everything, places but not turns, or only places across the bar or square to the plate"});
  f.text("to", s.to, {"the body that holds it; absent: the world"});
  f.require("at");
  complain(f, s);
}

void describe(Fields& f, Settings& s) {
  f.object("section", s.section, {"cross-section of bars and joints that have none"});
  f.object("material", s.material, {"material of bars, plates and joints that have none"});
  f.list("bars", s.bars, {"straight bars; where an end meets another bar, the two are joined"});
  f.list("plates", s.plates, {"flat plates, cut into cells both ways"});
  f.list("pieces", s.pieces, {"single rigid pieces"});
  f.list("joints", s.joints, {"joints between pieces that are named; between neighbours they replace the one that is there"});
  f.list("supports", s.supports, {"where the structure is held; without any it is free"});
  f.object("behaviour", s.behaviour, {"how all of its joints yield and break"});
  if (f.reading() && !f.failed() && s.bars.empty() && s.plates.empty() && s.pieces.empty()) {
    f.fail("", "a structure needs pieces: \"bars\", \"plates\" or \"pieces\"");
  }
}

}  // namespace crumple::structures
