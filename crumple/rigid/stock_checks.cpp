#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "crumple/rigid/stock.h"

namespace crumple::rigid {
namespace {

std::optional<Complaint> check_counts(const SectionChoice& s) {
  for (const auto& [key, list, count] : {std::tuple{"rect", &s.rect, 2}, {"tube", &s.tube, 2}, {"i", &s.i_beam, 4}}) {
    if (*list && (*list)->size() != static_cast<size_t>(count)) return Complaint{key, fmt::format("expected {} numbers", count)};
  }
  return {};
}

std::string_view chosen_key(const MaterialChoice& m) {
  return m.steel ? "steel" : m.aluminium ? "aluminium" : m.wood ? "wood" : m.concrete ? "concrete" : "yield";
}

}  // namespace

std::optional<Complaint> check(const MaterialChoice& m) {
  const int named = m.steel.has_value() + m.aluminium.has_value() + m.wood.has_value() + m.concrete.has_value() + m.numbers.has_value();
  if (named != 1) {
    return Complaint{"", named == 0 ? "a material is \"steel\", \"aluminium\", \"wood\", \"concrete\" or, by its numbers, \"young\" and \"yield\""
                                    : "a material is exactly one of \"steel\", \"aluminium\", \"wood\", \"concrete\" and \"young\""};
  }
  if (m.concrete && !m.yield) return Complaint{"concrete", "needs \"yield\", the yield stress of its steel"};
  if (m.yield && !m.concrete && !m.numbers) {
    return Complaint{"yield", fmt::format("belongs to \"concrete\" or \"young\"; the number of \"{0}\" is the yield stress of {0}", chosen_key(m))};
  }
  const Result<SolidMaterial> solid = solid_material(m, 1000);
  if (!solid) return Complaint{chosen_key(m), solid.error().text};
  return {};
}

std::optional<Complaint> check(const SectionChoice& s) {
  const int shapes = s.rect.has_value() + s.circle.has_value() + s.tube.has_value() + s.i_beam.has_value();
  if (shapes > 1) return Complaint{"", "a section has exactly one shape"};
  if (shapes == 0 && !(s.capacity && s.stiffness)) {
    return Complaint{"", s.capacity || s.stiffness
                             ? "without a shape it needs both \"capacity\" and \"stiffness\""
                             : "a section is \"rect\", \"circle\", \"tube\" or \"i\", or it is given by \"capacity\" and \"stiffness\""};
  }
  if (auto wrong = check_counts(s)) return wrong;
  if (shapes == 1) {
    const Result<void> fine = check_section(shape_of(s));
    if (!fine) return Complaint{s.rect ? "rect" : s.circle ? "circle" : s.tube ? "tube" : "i", fine.error().text};
  }
  if (s.capacity) {
    if (const Result<void> fine = check_capacities(*s.capacity); !fine) return Complaint{"capacity", fine.error().text};
  }
  if (s.stiffness) {
    const Vec6 rows = as_vector(*s.stiffness);
    if (!(rows.allFinite() && rows.minCoeff() >= 0)) return Complaint{"stiffness", "must be numbers, none of them below zero"};
    if (rows.maxCoeff() == 0) return Complaint{"stiffness", "every row is zero: that is no joint"};
  }
  return {};
}

std::optional<Complaint> check(const Behaviour& b) {
  if (!(b.damping >= 0 && b.damping <= 1e3)) return Complaint{"damping", "must be between 0 and 1000 s"};
  if (!(b.softening_from >= 0 && b.softening_from <= 1)) return Complaint{"softening_from", "must be between 0 and 1"};
  return {};
}

}  // namespace crumple::rigid
