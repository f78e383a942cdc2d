#include "crumple/rigid/stock.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>


namespace crumple::rigid {

bool names_a_material(const MaterialChoice& m) {
  return m.steel || m.aluminium || m.wood || m.concrete || m.numbers;
}

bool has_shape(const SectionChoice& s) {
  return s.rect || s.circle || s.tube || s.i_beam;
}

Section shape_of(const SectionChoice& s) {
  if (s.rect) return rectangle_section((*s.rect)[0], (*s.rect)[1]);
  if (s.circle) return circle_section(*s.circle);
  if (s.tube) return tube_section((*s.tube)[0], (*s.tube)[1]);
  return i_section((*s.i_beam)[0], (*s.i_beam)[1], (*s.i_beam)[2], (*s.i_beam)[3]);
}

namespace {

Result<SolidMaterial> as_it_comes(const MaterialChoice& m) {
  if (m.steel) return steel(*m.steel);
  if (m.aluminium) return aluminium(*m.aluminium);
  if (m.wood) return wood(*m.wood);
  if (m.concrete) return reinforced_concrete(m.yield.value_or(0), *m.concrete);
  if (m.numbers) return *m.numbers;
  return input_error("there is no material");
}

}  // namespace

Result<SolidMaterial> solid_material(const MaterialChoice& m, double density) {
  Result<SolidMaterial> made = as_it_comes(m);
  if (!made) return made;
  SolidMaterial& solid = *made;
  if (!m.numbers) solid.shear_rule = m.shear_rule;
  if (m.hardening) solid.hardening = *m.hardening;
  if (m.ultimate_strain) solid.ultimate_strain = *m.ultimate_strain;
  if (m.ultimate_rotation) solid.ultimate_rotation = *m.ultimate_rotation;
  if (m.density) solid.density = *m.density;
  if (solid.density == 0) solid.density = density;
  if (Result<void> fine = check_material(solid); !fine) return fine.error();
  return made;
}

Vec6 as_vector(const JointRows& rows) {
  Vec6 all;
  all << rows.axial, rows.shear_1, rows.shear_2, rows.torsion, rows.bending_1, rows.bending_2;
  return all;
}

namespace {

Error at_key(std::string_view object, const Complaint& complaint) {
  return input_error(fmt::format("/{}{}{}: {}", object, complaint.key.empty() ? "" : "/", complaint.key, complaint.text));
}

}  // namespace

Result<Stock> make_stock(const SectionChoice* section, const MaterialChoice* material, double density) {
  if (!section) return input_error(": has no \"section\", and neither has the structure");
  if (const auto wrong = check(*section)) return at_key("section", *wrong);
  Stock stock;
  std::optional<SolidMaterial> solid;
  if (material && names_a_material(*material)) {
    if (const auto wrong = check(*material)) return at_key("material", *wrong);
    Result<SolidMaterial> made = solid_material(*material, density);
    if (!made) return input_error("/material: " + made.error().text);
    solid = *made;
    stock.ultimate_strain = solid->ultimate_strain, stock.ultimate_rotation = solid->ultimate_rotation;
  }
  if (has_shape(*section)) {
    if (!solid) return input_error(": has no \"material\", and neither has the structure");
    stock.shape = shape_of(*section);
    stock.section = joint_section(section_geometry(*stock.shape), *solid);
    stock.capacity = stock.section->capacity;
  }
  if (section->capacity) stock.capacity = *section->capacity;
  stock.stiffness = section->stiffness;
  return stock;
}

PlasticLaw law_of(const Stock& stock, const Behaviour& behaviour, double length) {
  PlasticLaw law;
  law.stiffness = as_vector(stock.stiffness ? *stock.stiffness : per_length(stock.section->rigidity, length));
  law.capacity = as_vector(stock.capacity);
  if (stock.section) law.hardening = as_vector(per_length(stock.section->hardening, length));
  law.damping = behaviour.damping;
  law.interaction = behaviour.interaction;
  law.softening_from = behaviour.softening_from;
  law.paper_switch = behaviour.paper_switch;
  if (behaviour.breaks) {
    // A material that bears no plastic strain at all breaks with the first of it; nothing would be a limit that is always used up.
    constexpr double kBrittle = 1e-12;
    law.ultimate_elongation = std::max(kBrittle, stock.ultimate_strain * length);
    law.ultimate_rotation = std::max(kBrittle, stock.ultimate_rotation);
  }
  return law;
}

Result<PlasticLaw> make_law(const SectionChoice& section, const MaterialChoice& material, const Behaviour& behaviour, double length) {
  if (!(length >= kSmallestSize && length <= kLargestSize)) {
    return input_error(fmt::format("/length: {:g} m of bar; it must be between {:g} and {:g} m", length, kSmallestSize, kLargestSize));
  }
  if (const auto wrong = check(behaviour)) return at_key("behaviour", *wrong);
  const Result<Stock> stock = make_stock(&section, &material, 1000);
  if (!stock) return stock.error();
  return law_of(*stock, behaviour, length);
}

}  // namespace crumple::rigid
