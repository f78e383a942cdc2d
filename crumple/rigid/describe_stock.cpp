#include "crumple/rigid/stock.h"

namespace crumple {

/// Six required numbers.
void describe(Fields& f, JointRows& rows) {
  f.number("axial", rows.axial, at_least(0), {"axial row, along the bar", "N or N/m"});
  f.number("shear_1", rows.shear_1, at_least(0), {"shear row, along the section's width", "N or N/m"});
  f.number("shear_2", rows.shear_2, at_least(0), {"shear row, along the section's height", "N or N/m"});
  f.number("torsion", rows.torsion, at_least(0), {"torsion row, about the bar", "N m or N m/rad"});
  f.number("bending_1", rows.bending_1, at_least(0), {"bending row, about the section's width, against loads along its height", "N m or N m/rad"});
  f.number("bending_2", rows.bending_2, at_least(0), {"bending row, about the section's height, against loads along its width", "N m or N m/rad"});
  for (const char* key : {"axial", "shear_1", "shear_2", "torsion", "bending_1", "bending_2"}) f.require(key);
}

}  // namespace crumple

namespace crumple::rigid {
namespace {

template <class T>
void complain(Fields& f, const T& settings) {
  if (!f.reading() || f.failed()) return;
  if (const auto wrong = check(settings)) f.fail(wrong->key, wrong->text);
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

  f.number("steel", m.steel, more_than(0), {"steel: yield stress (f_y, paper 5 sec. 2)", "Pa"});
  f.number("aluminium", m.aluminium, more_than(0), {"aluminium: yield stress; 250e6 for alloy 6082-T6", "Pa"});
  f.number("wood", m.wood, more_than(0), {"wood: yield stress along the grain; 24e6 for C24", "Pa"});
  f.number("concrete", m.concrete, {0, 1, true},
           {"reinforced concrete: share of steel in the section, which carries all load (paper 5 sec. 3); needs \"yield\""});
  f.number("young", young, more_than(0), {"custom material: Young's modulus E; needs \"yield\"", "Pa"});
  f.number("yield", m.yield, more_than(0),
           {"yield stress in tension (f_y, paper 5 sec. 2) of a custom material, or of the steel in concrete", "Pa"});
  f.number("poisson", poisson, {-1, 0.5, true}, {"with \"young\": Poisson's ratio, from which an absent shear modulus is computed; absent: 0.3"});
  f.number("shear_modulus", shear_modulus, more_than(0), {"with \"young\": shear modulus G", "Pa"});
  f.number("shear_yield", shear_yield, more_than(0), {"with \"young\": yield stress in shear", "Pa"});
  f.choice<ShearRule>("shear_rule", m.shear_rule, {{"tresca", ShearRule::Tresca}, {"von_mises", ShearRule::VonMises}},
                      {"rule for an absent yield stress in shear: 0.5 or 0.577 of the yield stress (paper 5 sec. 2)"});
  f.number("hardening", m.hardening, at_least(0), {"hardening modulus: increase of the yield stress with plastic strain; absent: none", "Pa"});
  f.number("ultimate_strain", m.ultimate_strain, at_least(0),
           {"plastic strain at which the material breaks; absent: the material's own, 0.25 for steel"});
  f.number("ultimate_rotation", m.ultimate_rotation, at_least(0),
           {"plastic rotation at which a joint breaks; absent: the material's own, 2.5 for steel", "rad"});
  f.number("density", m.density, more_than(0), {"density; absent: the material's own, or the body's", "kg/m^3"});

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
  f.numbers("rect", s.rect, 2, {"rectangle: width, height (b, h, paper 5 fig. 2.5)", "m"});
  f.number("circle", s.circle, between(1e-9, 1e6), {"solid circle: diameter", "m"});
  f.numbers("tube", s.tube, 2, {"tube: outer diameter, wall thickness", "m"});
  f.numbers("i", s.i_beam, 4, {"I-beam: height, width, web thickness, flange thickness", "m"});
  f.object("capacity", s.capacity, {"maximum forces and moments, instead of those of the shape"});
  f.object("stiffness", s.stiffness, {"stiffness of every joint, instead of that of the shape; a row of 0 is free"});
  complain(f, s);
}

void describe(Fields& f, Behaviour& b) {
  f.choice<Interaction>(
      "interaction", b.interaction,
      {{"none", Interaction::None}, {"ellipsoid", Interaction::Ellipsoid}, {"beam", Interaction::Beam}},
      {"interaction of forces and moments at yield: none (paper 5), ellipsoid, or bending with axial force as in a rectangular bar"});
  f.number("damping", b.damping, between(0, 1e3), {"damping time: viscous force over elastic force and rate", "s"});
  f.flag("breaks", b.breaks, {"whether joints break at their ultimate strain or rotation"});
  f.number("softening_from", b.softening_from, between(0, 1),
           {"share of the ultimate plastic flow from which capacities fall to zero; 1: abrupt break at the end"});
  f.flag("paper_switch", b.paper_switch, {"whether stiff rows lose their elasticity, for comparison (paper 5 eq. 3.2)"});
}

}  // namespace crumple::rigid
