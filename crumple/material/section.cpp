#include "crumple/material/section.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

// Legend (b width, h height, R and r outer and inner radius, t_w web, t_f flange, h_w = h - 2 t_f clear height of the web): A area, I second moment,
// J torsion constant, Z plastic modulus, W plastic modulus of torsion, f_y and tau_y yield stress in tension and in shear.

namespace crumple {
namespace {

constexpr double kSmallestSize = 1e-9, kLargestSize = 1e6;  // metres: between them fourth powers and their quotients are good numbers

double square(double x) {
  return x * x;
}
double cube(double x) {
  return x * x * x;
}

/// Saint-Venant's series for a rectangle; 0.1406 b^4 for a square. [Timoshenko and Goodier, Theory of Elasticity, sec. 109]
double rectangle_torsion_constant(double width, double height) {
  const double thin = std::min(width, height), aspect = std::max(width, height) / thin;
  double sum = 0;
  for (int n = 1; n < 60; n += 2) sum += std::tanh(n * M_PI * aspect / 2) / std::pow(n, 5);
  return cube(thin) * thin * (aspect - 192 / std::pow(M_PI, 5) * sum) / 3;
}

/// Nadai's sand heap: twice the volume of the heap of slope 1 over the rectangle, b^2 (3 h - b) / 6 with b <= h. [Nadai, Theory of Flow and Fracture
/// of Solids] Paper 5 takes the polar integral instead, 15 % too much for a square and 42 % for an aspect of two.
double rectangle_plastic_torsion(double width, double height) {
  const double thin = std::min(width, height), wide = std::max(width, height);
  return square(thin) * (3 * wide - thin) / 6;
}

/// Share of the area that resists elastic shear, of a ring with m = r / R. Cowper's coefficient without lateral contraction, as 5/6 is for a
/// rectangle: 6/7 for a solid bar, 1/2 for a thin tube. Poisson's ratio would change it by a few per cent. [Cowper 1966]
double ring_shear_share(double m) {
  const double s = square(1 + m * m);
  return 6 * s / (7 * s + 20 * m * m);
}

SectionGeometry rectangle_geometry(double b, double h) {
  SectionGeometry of;
  of.area = b * h;
  of.second_moment_1 = b * cube(h) / 12;
  of.second_moment_2 = h * cube(b) / 12;
  of.torsion_constant = rectangle_torsion_constant(b, h);
  of.shear_share_1 = of.shear_share_2 = 5.0 / 6;
  of.plastic_modulus_1 = b * square(h) / 4;  // paper 5, fig. 2.5
  of.plastic_modulus_2 = square(b) * h / 4;
  of.plastic_torsion = rectangle_plastic_torsion(b, h);
  of.shear_area_1 = of.shear_area_2 = of.area;  // eq. 2.11
  return of;
}

/// A ring; a solid circle for r = 0.
SectionGeometry ring_geometry(double outer, double inner) {
  SectionGeometry of;
  // Powers of R minus powers of r, over the thickness, so that a thin wall loses no digits.
  const double t = outer - inner;
  of.area = M_PI * t * (outer + inner);
  of.second_moment_1 = of.second_moment_2 = of.area * (square(outer) + square(inner)) / 4;
  of.torsion_constant = 2 * of.second_moment_1;
  of.shear_share_1 = of.shear_share_2 = ring_shear_share(inner / outer);
  const double cubes = t * (square(outer) + outer * inner + square(inner));  // R^3 - r^3
  of.plastic_modulus_1 = of.plastic_modulus_2 = 4 * cubes / 3;               // integral of |y|
  of.plastic_torsion = 2 * M_PI * cubes / 3;                                 // integral of the radius; eq. 2.14 is right for what is round
  // Shear in a wall runs along the wall, so only its part along the load counts: 2/pi of it (also EN 1993-1-1, 6.2.6). A solid bar takes it on its
  // whole area (eq. 2.11), as the same code has it: the one number that a tube of ever thicker wall does not share with the solid bar.
  of.shear_area_1 = of.shear_area_2 = inner > 0 ? 2 * of.area / M_PI : of.area;
  return of;
}

/// An I as a web between two flanges, without fillets. Torsion adds up the three rectangles, as if they were glued by nothing: for plastic torque a
/// lower bound that is less than 2 % low for rolled sections. Shear is taken by the parts that run along it.
SectionGeometry i_geometry(double h, double b, double t_w, double t_f) {
  const double h_w = h - 2 * t_f;
  SectionGeometry of;
  of.shear_area_1 = 2 * b * t_f;
  of.shear_area_2 = h_w * t_w;
  of.area = of.shear_area_1 + of.shear_area_2;
  of.second_moment_1 = t_w * cube(h_w) / 12 + b * cube(t_f) / 6 + b * t_f * square(h - t_f) / 2;
  of.second_moment_2 = (2 * t_f * cube(b) + h_w * cube(t_w)) / 12;
  of.torsion_constant = 2 * rectangle_torsion_constant(b, t_f) + rectangle_torsion_constant(t_w, h_w);
  of.shear_share_1 = 5.0 / 6 * of.shear_area_1 / of.area;
  of.shear_share_2 = of.shear_area_2 / of.area;  // shear flow is nearly even along the web
  of.plastic_modulus_1 = b * t_f * (h - t_f) + t_w * square(h_w) / 4;
  of.plastic_modulus_2 = t_f * square(b) / 2 + h_w * square(t_w) / 4;
  of.plastic_torsion = 2 * rectangle_plastic_torsion(b, t_f) + rectangle_plastic_torsion(t_w, h_w);
  return of;
}

using Sizes = std::initializer_list<std::pair<const char*, double>>;

Result<void> check_sizes(const char* shape, Sizes sizes) {
  for (const auto& [name, size] : sizes) {
    if (size >= kSmallestSize && size <= kLargestSize) continue;  // false for what is not a number, too
    if (size > 0)
      return input_error(fmt::format("the {} of the {} is {:g} m; sizes lie between {:g} and {:g} m", name, shape, size, kSmallestSize, kLargestSize));
    return input_error(fmt::format("the {} of the {} is {:g} m; it must be above zero", name, shape, size));
  }
  return {};
}

Result<void> check_tube(const Section& tube) {
  if (Result<void> fine = check_sizes("tube", {{"diameter", tube.diameter}, {"wall", tube.wall}}); !fine) return fine;
  if (tube.wall < tube.diameter / 2) return {};
  const bool same = tube.wall == tube.diameter / 2;
  return input_error(fmt::format("the wall of the tube is {:g} m, {} its radius of {:g} m{}", tube.wall, same ? "all of" : "thicker than",
                                 tube.diameter / 2, same ? ": make it a circle" : ""));
}

Result<void> check_i(const Section& i) {
  if (Result<void> fine = check_sizes("I", {{"height", i.height}, {"width", i.width}, {"web", i.web}, {"flange", i.flange}}); !fine) return fine;
  if (2 * i.flange >= i.height) {
    return input_error(
        fmt::format("two flanges of {:g} m leave no web in an I that is {:g} m high: the order is height, width, web, flange", i.flange, i.height));
  }
  if (i.web <= i.width) return {};
  return input_error(
      fmt::format("the web of the I is {:g} m thick, more than its width of {:g} m: the order is height, width, web, flange", i.web, i.width));
}

}  // namespace

Section rectangle_section(double width, double height) {
  Section section;
  section.width = width, section.height = height;
  return section;
}

Section circle_section(double diameter) {
  Section section;
  section.shape = SectionShape::Circle;
  section.diameter = diameter;
  return section;
}

Section tube_section(double diameter, double wall) {
  Section section;
  section.shape = SectionShape::Tube;
  section.diameter = diameter, section.wall = wall;
  return section;
}

Section i_section(double height, double width, double web, double flange) {
  Section section;
  section.shape = SectionShape::I;
  section.height = height, section.width = width, section.web = web, section.flange = flange;
  return section;
}

Result<void> check_section(const Section& section) {
  switch (section.shape) {
    case SectionShape::Rectangle:
      return check_sizes("rectangle", {{"width", section.width}, {"height", section.height}});
    case SectionShape::Circle:
      return check_sizes("circle", {{"diameter", section.diameter}});
    case SectionShape::Tube:
      return check_tube(section);
    case SectionShape::I:
      return check_i(section);
  }
  return input_error("there is no such shape of section");
}

Result<void> check_capacities(const JointRows& capacity) {
  const Sizes rows = {{"axial", capacity.axial},     {"shear_1", capacity.shear_1},     {"shear_2", capacity.shear_2},
                      {"torsion", capacity.torsion}, {"bending_1", capacity.bending_1}, {"bending_2", capacity.bending_2}};
  for (const auto& [name, value] : rows) {
    if (value > 0 && std::isfinite(value)) continue;
    return input_error(fmt::format("the {} capacity is {:g}; it must be above zero and finite", name, value));
  }
  return {};
}

SectionGeometry section_geometry(const Section& section) {
  switch (section.shape) {
    case SectionShape::Circle:
      return ring_geometry(section.diameter / 2, 0);
    case SectionShape::Tube:
      return ring_geometry(section.diameter / 2, section.diameter / 2 - section.wall);
    case SectionShape::I:
      return i_geometry(section.height, section.width, section.web, section.flange);
    case SectionShape::Rectangle:
      break;
  }
  return rectangle_geometry(section.width, section.height);
}

SectionGeometry turned(const SectionGeometry& geometry) {
  SectionGeometry other = geometry;
  std::swap(other.second_moment_1, other.second_moment_2);
  std::swap(other.shear_share_1, other.shear_share_2);
  std::swap(other.plastic_modulus_1, other.plastic_modulus_2);
  std::swap(other.shear_area_1, other.shear_area_2);
  return other;
}

JointSection joint_section(const SectionGeometry& of, const SolidMaterial& material) {
  const double E = material.young, G = shear_modulus(material), H = material.hardening, H_s = shear_hardening(material);
  const double f_y = material.yield, tau_y = shear_yield(material);
  JointSection joint;
  joint.geometry = of;
  joint.mass = material.density * of.area;
  joint.rigidity = {
      E * of.area,           G * of.shear_share_1 * of.area, G * of.shear_share_2 * of.area, G * of.torsion_constant, E * of.second_moment_1,
      E * of.second_moment_2};
  // paper 5, eqs. 2.10 to 2.14, with the exact plastic torque in the place of the last
  joint.capacity = {f_y * of.area,
                    tau_y * of.shear_area_1,
                    tau_y * of.shear_area_2,
                    tau_y * of.plastic_torsion,
                    f_y * of.plastic_modulus_1,
                    f_y * of.plastic_modulus_2};
  // A fully plastic section whose plastic strain is linear over it: sigma = f_y + H kappa |y| gives M = f_y Z + H I kappa, and so on.
  joint.hardening = {H * of.area,           H_s * of.shear_area_1, H_s * of.shear_area_2, H_s * of.torsion_constant, H * of.second_moment_1,
                     H * of.second_moment_2};
  joint.ultimate_strain = material.ultimate_strain;
  joint.ultimate_rotation = material.ultimate_rotation;
  return joint;
}

Result<JointSection> joint_section(const Section& section, const SolidMaterial& material) {
  if (Result<void> fine = check_section(section); !fine) return fine.error();
  if (Result<void> fine = check_material(material); !fine) return fine.error();
  return joint_section(section_geometry(section), material);
}

JointRows per_length(const JointRows& rows, double length) {
  return {rows.axial / length, rows.shear_1 / length, rows.shear_2 / length, rows.torsion / length, rows.bending_1 / length, rows.bending_2 / length};
}

double polar_integral(double width, double height) {
  const double a = width / 2, c = height / 2;
  return 4 * (a * c * std::hypot(a, c) / 3 + cube(a) * std::asinh(c / a) / 6 + cube(c) * std::asinh(a / c) / 6);
}

}  // namespace crumple
