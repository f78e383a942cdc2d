#include "crumple/material/section.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace crumple {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

const Section kSections[] = {rectangle_section(0.01, 0.01), rectangle_section(0.03, 0.07), circle_section(0.05),
                             tube_section(0.1, 0.01),       tube_section(0.1, 0.045),      i_section(0.2, 0.1, 0.0056, 0.0085)};

double half_width(const Section& s) {
  return (s.shape == SectionShape::Rectangle || s.shape == SectionShape::I ? s.width : s.diameter) / 2;
}
double half_height(const Section& s) {
  return (s.shape == SectionShape::Rectangle || s.shape == SectionShape::I ? s.height : s.diameter) / 2;
}

/// Whether there is material at y along the width and z along the height.
bool inside(const Section& s, double y, double z) {
  const double radius = std::hypot(y, z);
  switch (s.shape) {
    case SectionShape::Rectangle:
      return std::abs(y) < s.width / 2 && std::abs(z) < s.height / 2;
    case SectionShape::Circle:
      return radius < s.diameter / 2;
    case SectionShape::Tube:
      return radius < s.diameter / 2 && radius > s.diameter / 2 - s.wall;
    case SectionShape::I:
      return std::abs(z) < s.height / 2 && (std::abs(z) > s.height / 2 - s.flange ? std::abs(y) < s.width / 2 : std::abs(y) < s.web / 2);
  }
  return false;
}

/// Midpoint rule over the quarter y, z > 0, four times. The straight sides of the sections above lie between its cells.
double integral(const Section& s, const std::function<double(double, double)>& f, int cells = 1000) {
  const double dy = half_width(s) / cells, dz = half_height(s) / cells;
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const double y = (i + 0.5) * dy, z = (j + 0.5) * dz;
      if (inside(s, y, z)) sum += f(y, z);
    }
  }
  return 4 * sum * dy * dz;
}

double distance_to_segment(double y, double z, double y0, double z0, double y1, double z1) {
  const double along_y = y1 - y0, along_z = z1 - z0;
  const double t = std::clamp(((y - y0) * along_y + (z - z0) * along_z) / (along_y * along_y + along_z * along_z), 0.0, 1.0);
  return std::hypot(y - y0 - t * along_y, z - z0 - t * along_z);
}

/// From a point with y, z > 0 in an I to its outline.
double distance_to_outline(const Section& i, double y, double z) {
  const double b = i.width / 2, h = i.height / 2, w = i.web / 2, f = h - i.flange;
  double least = distance_to_segment(y, z, -b, h, b, h);
  least = std::min(least, distance_to_segment(y, z, b, h, b, f));
  least = std::min(least, distance_to_segment(y, z, b, f, w, f));
  least = std::min(least, distance_to_segment(y, z, -b, f, -w, f));
  return std::min(least, distance_to_segment(y, z, w, f, w, -f));
}

void expect_same(const SectionGeometry& a, const SectionGeometry& b, double tolerance) {
  const auto near = [&](const char* what, double x, double y) { EXPECT_NEAR(x, y, tolerance * std::abs(y)) << what; };
  near("area", a.area, b.area);
  near("second moment 1", a.second_moment_1, b.second_moment_1);
  near("second moment 2", a.second_moment_2, b.second_moment_2);
  near("torsion constant", a.torsion_constant, b.torsion_constant);
  near("shear share 1", a.shear_share_1, b.shear_share_1);
  near("shear share 2", a.shear_share_2, b.shear_share_2);
  near("plastic modulus 1", a.plastic_modulus_1, b.plastic_modulus_1);
  near("plastic modulus 2", a.plastic_modulus_2, b.plastic_modulus_2);
  near("plastic torsion", a.plastic_torsion, b.plastic_torsion);
  near("shear area 1", a.shear_area_1, b.shear_area_1);
  near("shear area 2", a.shear_area_2, b.shear_area_2);
}

JointSection joint(const Section& section, const SolidMaterial& material) {
  const Result<JointSection> result = joint_section(section, material);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result ? *result : JointSection();
}

TEST(Section, of_a_square_bar_has_the_capacities_of_paper_5_but_the_torque_of_the_sand_heap) {
  SolidMaterial material = steel(200e6);
  const JointRows tresca = joint(rectangle_section(0.01, 0.01), material).capacity;
  EXPECT_NEAR(tresca.axial, 20e3, 1e-6);
  EXPECT_NEAR(tresca.shear_1, 10e3, 1e-6);
  EXPECT_NEAR(tresca.shear_2, 10e3, 1e-6);
  EXPECT_NEAR(tresca.bending_1, 50, 1e-9);
  EXPECT_NEAR(tresca.bending_2, 50, 1e-9);
  EXPECT_NEAR(tresca.torsion, 100.0 / 3, 1e-9);
  material.shear_rule = ShearRule::VonMises;
  const JointRows mises = joint(rectangle_section(0.01, 0.01), material).capacity;
  EXPECT_NEAR(mises.shear_1, 11547.005, 1e-3);
  EXPECT_NEAR(mises.torsion, 200e6 / std::sqrt(3.0) * 1e-6 / 3, 1e-9);
  EXPECT_EQ(mises.axial, tresca.axial);
  EXPECT_EQ(mises.bending_1, tresca.bending_1);
}

TEST(Section, of_a_round_bar_has_the_capacities_of_the_textbook) {
  const double r = 0.03, fy = 300e6;
  const JointRows capacity = joint(circle_section(2 * r), steel(fy)).capacity;
  EXPECT_NEAR(capacity.axial, M_PI * r * r * fy, 1e-6);
  EXPECT_NEAR(capacity.shear_1, M_PI * r * r * fy / 2, 1e-6);
  EXPECT_NEAR(capacity.bending_1, 4.0 / 3 * r * r * r * fy, 1e-8);
  EXPECT_NEAR(capacity.torsion, 2.0 / 3 * M_PI * r * r * r * fy / 2, 1e-8);
}

TEST(Section, area_and_moments_are_the_integrals_over_it) {
  for (const Section& section : kSections) {
    const SectionGeometry of = section_geometry(section);
    const double tolerance = 1e-4;  // of the grid, on curved sides
    EXPECT_NEAR(integral(section, [](double, double) { return 1; }) / of.area, 1, tolerance);
    EXPECT_NEAR(integral(section, [](double, double z) { return z * z; }) / of.second_moment_1, 1, tolerance);
    EXPECT_NEAR(integral(section, [](double y, double) { return y * y; }) / of.second_moment_2, 1, tolerance);
    EXPECT_NEAR(integral(section, [](double, double z) { return std::abs(z); }) / of.plastic_modulus_1, 1, tolerance);
    EXPECT_NEAR(integral(section, [](double y, double) { return std::abs(y); }) / of.plastic_modulus_2, 1, tolerance);
  }
}

TEST(Section, of_an_i_has_the_published_values_of_ipe_200_without_its_fillets) {
  // Tables give 28.5 cm^2, 1943 cm^4, 142 cm^4, 221 cm^3, 44.6 cm^3 with fillets of 12 mm, which add 1.24 cm^2.
  const SectionGeometry of = section_geometry(i_section(0.2, 0.1, 0.0056, 0.0085));
  const double fillets = (4 - M_PI) * 0.012 * 0.012;
  EXPECT_NEAR(of.area + fillets, 28.48e-4, 0.01e-4);
  EXPECT_NEAR(of.second_moment_1 + fillets * 0.0888 * 0.0888, 1943e-8, 3e-8);
  EXPECT_NEAR(of.second_moment_2, 142.4e-8, 0.01 * 142.4e-8);
  EXPECT_NEAR(of.plastic_modulus_1 + fillets * 0.0888, 220.6e-6, 0.3e-6);
  EXPECT_NEAR(of.plastic_modulus_2, 44.6e-6, 0.03 * 44.6e-6);
}

TEST(Section, of_an_i_gives_each_shear_to_the_parts_that_run_along_it) {
  const SectionGeometry of = section_geometry(i_section(0.2, 0.1, 0.0056, 0.0085));
  EXPECT_NEAR(of.shear_area_1, 2 * 0.1 * 0.0085, 1e-12);
  EXPECT_NEAR(of.shear_area_2, 0.0056 * 0.183, 1e-12);
  EXPECT_NEAR(of.shear_area_1 + of.shear_area_2, of.area, 1e-12);
}

TEST(Section, torque_of_a_rectangle_is_twice_the_volume_of_its_sand_heap) {
  const double published[][3] = {{1, 33.33, 38.26}, {2, 83.3, 118.6}, {4, 183.3, 424}, {10, 483.3, 2532}};  // aspect, N m, paper 5's integral
  for (const auto& [aspect, torque, polar] : published) {
    const Section section = rectangle_section(0.01, 0.01 * aspect);
    const double heap = 2 * integral(section, [&, aspect = aspect](double y, double z) { return std::min(0.005 - y, 0.005 * aspect - z); });
    const double of = section_geometry(section).plastic_torsion;
    EXPECT_NEAR(heap / of, 1, 1e-5) << aspect;
    EXPECT_NEAR(100e6 * of, torque, 0.04) << aspect;
    const double distance = integral(section, [](double y, double z) { return std::hypot(y, z); });
    EXPECT_NEAR(polar_integral(0.01, 0.01 * aspect) / distance, 1, 1e-5) << aspect;
    EXPECT_NEAR(100e6 * polar_integral(0.01, 0.01 * aspect) / polar, 1, 1e-3) << aspect;
    EXPECT_EQ(of, section_geometry(rectangle_section(0.01 * aspect, 0.01)).plastic_torsion);
  }
}

TEST(Section, torque_of_a_tube_is_twice_the_volume_of_a_heap_that_is_level_over_the_hole) {
  for (const Section& tube : {tube_section(0.1, 0.001), tube_section(0.1, 0.01), tube_section(0.1, 0.04)}) {
    const double R = tube.diameter / 2, t = tube.wall;
    const double heap = 2 * integral(circle_section(tube.diameter), [&](double y, double z) { return std::min(t, R - std::hypot(y, z)); });
    EXPECT_NEAR(heap / section_geometry(tube).plastic_torsion, 1, 1e-5);
  }
}

TEST(Section, torque_of_an_i_by_its_parts_is_a_close_lower_bound) {
  // HEB 200, IPE 200, and one that is nearly all web
  for (const Section& i : {i_section(0.2, 0.2, 0.009, 0.015), i_section(0.2, 0.1, 0.0056, 0.0085), i_section(0.3, 0.05, 0.004, 0.006)}) {
    const double heap = 2 * integral(i, [&](double y, double z) { return distance_to_outline(i, y, z); });
    EXPECT_LT(section_geometry(i).plastic_torsion, heap);
    EXPECT_GT(section_geometry(i).plastic_torsion, 0.98 * heap);
  }
  // Even where an I is a plate on its side, or a block, the bound holds.
  for (const Section& i : {i_section(0.02, 0.1, 0.1, 0.005), i_section(0.1, 0.1, 0.09, 0.04)}) {
    const double heap = section_geometry(rectangle_section(i.width, i.height)).plastic_torsion;
    EXPECT_LT(section_geometry(i).plastic_torsion, heap);
  }
}

TEST(Section, elastic_torsion_constant_of_a_rectangle_is_that_of_the_tables) {
  const double table[][2] = {{1, 0.14058}, {1.5, 0.19576}, {2, 0.22868}, {4, 0.28081}, {10, 0.31232}};  // J / (b^3 h)
  for (const auto& [aspect, factor] : table) {
    EXPECT_NEAR(section_geometry(rectangle_section(0.1, 0.1 * aspect)).torsion_constant / (1e-4 * aspect), factor, 1e-5);
  }
  const auto series = [](double b, double h) {  // holds whichever side is the longer
    double sum = 0;
    for (int n = 1; n < 400; n += 2) sum += std::tanh(n * M_PI * h / (2 * b)) / std::pow(n, 5);
    return h * b * b * b / 3 * (1 - 192 * b / (std::pow(M_PI, 5) * h) * sum);
  };
  for (const double h : {0.2, 0.5, 0.9, 1.0, 1.3, 3.0}) EXPECT_NEAR(section_geometry(rectangle_section(1, h)).torsion_constant, series(1, h), 1e-7);
}

TEST(Section, elastic_torsion_constant_of_what_is_round_is_its_polar_moment) {
  for (const Section& section : {circle_section(0.05), tube_section(0.1, 0.01)}) {
    const double polar = integral(section, [](double y, double z) { return y * y + z * z; });
    EXPECT_NEAR(section_geometry(section).torsion_constant / polar, 1, 1e-4);
  }
  EXPECT_NEAR(section_geometry(tube_section(2, 1e-6)).torsion_constant, 2 * M_PI * 1e-6, 1e-11);  // 2 pi R^3 t
}

TEST(Section, elastic_shear_shares_run_from_solid_bar_to_thin_tube) {
  EXPECT_NEAR(section_geometry(circle_section(1)).shear_share_1, 6.0 / 7, 1e-12);
  EXPECT_NEAR(section_geometry(tube_section(1, 1e-6)).shear_share_1, 0.5, 1e-6);
  double last = 0.5;
  for (const double wall : {0.01, 0.1, 0.2, 0.3, 0.4, 0.499}) {
    const double share = section_geometry(tube_section(1, wall)).shear_share_1;
    EXPECT_GT(share, last);
    last = share;
  }
  // Strain energy of the parabola of shear stress over a rectangle, tau = 3/2 (1 - s^2) of the mean: share = 1 / mean of tau^2.
  double mean = 0;
  for (int i = 0; i < 1000; ++i) mean += std::pow(1.5 * (1 - std::pow((i + 0.5) / 1000, 2)), 2) / 1000;
  EXPECT_NEAR(section_geometry(rectangle_section(0.1, 0.3)).shear_share_2, 1 / mean, 1e-6);
}

TEST(Section, turned_by_a_quarter_swaps_its_axes) {
  expect_same(turned(section_geometry(rectangle_section(0.03, 0.07))), section_geometry(rectangle_section(0.07, 0.03)), 1e-14);
  for (const Section& round : {circle_section(0.05), tube_section(0.1, 0.01)}) {
    expect_same(turned(section_geometry(round)), section_geometry(round), 1e-14);
  }
  const Section i = i_section(0.2, 0.1, 0.0056, 0.0085);
  const JointRows straight = joint(i, steel(235e6)).capacity, over = joint_section(turned(section_geometry(i)), steel(235e6)).capacity;
  EXPECT_EQ(straight.bending_1, over.bending_2);
  EXPECT_EQ(straight.bending_2, over.bending_1);
  EXPECT_EQ(straight.shear_1, over.shear_2);
  EXPECT_EQ(straight.torsion, over.torsion);
  EXPECT_GT(straight.bending_1, 4 * straight.bending_2);  // high, so strong about the width
}

TEST(Section, a_tube_of_ever_thicker_wall_becomes_a_solid_bar_in_all_but_plastic_shear) {
  SectionGeometry tube = section_geometry(tube_section(0.1, 0.05 - 1e-9)), bar = section_geometry(circle_section(0.1));
  EXPECT_NEAR(tube.shear_area_1 / bar.shear_area_1, 2 / M_PI, 1e-9);
  tube.shear_area_1 = tube.shear_area_2 = bar.shear_area_1;
  expect_same(tube, bar, 1e-9);
}

TEST(Section, of_a_thin_tube_is_that_of_a_line_of_wall) {
  const double R = 0.05, t = 1e-7;
  const SectionGeometry of = section_geometry(tube_section(2 * R, t));
  EXPECT_NEAR(of.area / (2 * M_PI * R * t), 1, 1e-5);
  EXPECT_NEAR(of.plastic_modulus_1 / (4 * R * R * t), 1, 1e-5);
  EXPECT_NEAR(of.plastic_torsion / (2 * M_PI * R * R * t), 1, 1e-5);
  EXPECT_NEAR(of.shear_area_1 / (4 * R * t), 1, 1e-5);  // integral of |cos| along the wall
}

TEST(Section, an_i_whose_web_is_as_wide_as_its_flanges_bends_as_a_rectangle) {
  const SectionGeometry i = section_geometry(i_section(0.2, 0.1, 0.1, 0.03)), plain = section_geometry(rectangle_section(0.1, 0.2));
  EXPECT_NEAR(i.area / plain.area, 1, 1e-12);
  EXPECT_NEAR(i.second_moment_1 / plain.second_moment_1, 1, 1e-12);
  EXPECT_NEAR(i.second_moment_2 / plain.second_moment_2, 1, 1e-12);
  EXPECT_NEAR(i.plastic_modulus_1 / plain.plastic_modulus_1, 1, 1e-12);
  EXPECT_NEAR(i.plastic_modulus_2 / plain.plastic_modulus_2, 1, 1e-12);
}

TEST(Section, capacities_grow_with_the_right_power_of_size) {
  for (Section section : kSections) {
    const JointRows small = joint(section, steel(200e6)).capacity;
    for (double* size : {&section.width, &section.height, &section.diameter, &section.wall, &section.web, &section.flange}) *size *= 2;
    const JointRows large = joint(section, steel(200e6)).capacity;
    EXPECT_NEAR(large.axial / small.axial, 4, 1e-12);
    EXPECT_NEAR(large.shear_1 / small.shear_1, 4, 1e-12);
    EXPECT_NEAR(large.torsion / small.torsion, 8, 1e-12);
    EXPECT_NEAR(large.bending_1 / small.bending_1, 8, 1e-12);
    EXPECT_NEAR(large.bending_2 / small.bending_2, 8, 1e-12);
  }
}

TEST(Section, of_the_notched_charpy_specimen_takes_64_newton_metres) {
  EXPECT_NEAR(joint(rectangle_section(0.01, 0.008), steel(400e6)).capacity.bending_1, 64, 1e-9);
}

TEST(Section, of_reinforced_concrete_has_the_numbers_of_the_papers_blocks) {
  const Result<SolidMaterial> block = reinforced_concrete(200e6, 0.0004);
  ASSERT_TRUE(block);
  const JointSection tension = joint(rectangle_section(1, 1), *block);
  EXPECT_NEAR(3 * tension.mass, 6006.96, 1e-8);
  EXPECT_NEAR(tension.capacity.axial, 80e3, 1e-8);
  const double stiffness = per_length(tension.rigidity, 1.5).axial;
  EXPECT_NEAR(stiffness, 160e6 / 3, 1e-4);
  EXPECT_NEAR(tension.capacity.axial / stiffness, 1.5e-3, 1e-12);  // elastic limit, m

  const JointSection bending = joint(rectangle_section(1, 1), *reinforced_concrete(200e6, 0.006));
  EXPECT_NEAR(6 * bending.mass, 12208.8, 1e-8);
  EXPECT_NEAR(bending.capacity.bending_1, 300e3, 1e-6);
  EXPECT_NEAR(joint(rectangle_section(9, 0.4375), *reinforced_concrete(200e6, 0.05)).capacity.bending_1, 4.31e6, 0.005e6);

  const JointSection gate = joint(rectangle_section(0.4, 0.6), *reinforced_concrete(200e6, 0.05));
  EXPECT_NEAR(gate.capacity.bending_1, 360e3, 1e-6);
  EXPECT_NEAR(gate.mass * 10 * 8 * 8 / 2, 176e3, 0.5e3);
  EXPECT_NEAR(gate.mass * 10 * std::pow(8, 4) / (8 * gate.rigidity.bending_1), 39e-3, 0.5e-3);  // w L^4 / 8 E I
}

TEST(Section, rigidities_are_those_of_the_elastic_beam) {
  const JointSection of = joint(rectangle_section(0.02, 0.05), steel(235e6));
  const double G = 200e9 / 2.6;
  EXPECT_NEAR(of.rigidity.axial / (200e9 * 1e-3), 1, 1e-12);
  EXPECT_NEAR(of.rigidity.shear_1 / (G * 1e-3 * 5 / 6), 1, 1e-12);
  EXPECT_NEAR(of.rigidity.bending_1 / (200e9 * 0.02 * std::pow(0.05, 3) / 12), 1, 1e-12);
  EXPECT_NEAR(of.rigidity.bending_2 / (200e9 * 0.05 * std::pow(0.02, 3) / 12), 1, 1e-12);
  EXPECT_NEAR(of.rigidity.torsion / (G * of.geometry.torsion_constant), 1, 1e-12);
  EXPECT_NEAR(of.mass, 7.8, 1e-12);
  const JointRows stiffness = per_length(of.rigidity, 0.5);
  EXPECT_NEAR(stiffness.bending_1 / of.rigidity.bending_1, 2, 1e-12);
  EXPECT_NEAR(stiffness.shear_2 / of.rigidity.shear_2, 2, 1e-12);
}

TEST(Section, hardening_adds_what_the_hardened_stress_field_does) {
  SolidMaterial material = steel(200e6);
  material.hardening = 2e9;
  const double curvature = 0.7, twist = 0.4;  // plastic, 1/m
  const Section bar = rectangle_section(0.03, 0.07), round = circle_section(0.05);
  const JointSection bent = joint(bar, material), twisted = joint(round, material);
  const double moment = integral(bar, [&](double, double z) { return std::abs(z) * (200e6 + 2e9 * curvature * std::abs(z)); });
  EXPECT_NEAR((bent.capacity.bending_1 + bent.hardening.bending_1 * curvature) / moment, 1, 1e-4);
  const double torque = integral(round, [&](double y, double z) {  // Tresca: a quarter of the slope
    const double r = std::hypot(y, z);
    return r * (100e6 + 0.5e9 * twist * r);
  });
  EXPECT_NEAR((twisted.capacity.torsion + twisted.hardening.torsion * twist) / torque, 1, 1e-4);
  EXPECT_NEAR(bent.hardening.axial, 2e9 * 0.0021, 1e-3);
  material.shear_rule = ShearRule::VonMises;
  EXPECT_NEAR(shear_hardening(material), 2e9 / 3, 1);
  EXPECT_EQ(joint(bar, steel(200e6)).hardening.bending_1, 0);
}

TEST(Section, keeps_what_the_material_says_of_breaking) {
  const JointSection of = joint(circle_section(0.1), aluminium());
  EXPECT_EQ(of.ultimate_strain, aluminium().ultimate_strain);
  EXPECT_EQ(of.ultimate_rotation, aluminium().ultimate_rotation);
}

std::string complaint(const Section& section) {
  const Result<void> fine = check_section(section);
  return fine ? "" : fine.error().text;
}

TEST(Section, says_what_is_wrong_with_it) {
  for (const Section& section : kSections) EXPECT_EQ(complaint(section), "");
  EXPECT_EQ(complaint(rectangle_section(0, 0.1)), "the width of the rectangle is 0 m; it must be above zero");
  EXPECT_EQ(complaint(rectangle_section(0.1, -2)), "the height of the rectangle is -2 m; it must be above zero");
  EXPECT_EQ(complaint(circle_section(kNan)), "the diameter of the circle is nan m; it must be above zero");
  EXPECT_EQ(complaint(circle_section(kInfinity)), "the diameter of the circle is inf m; sizes lie between 1e-09 and 1e+06 m");
  EXPECT_NE(complaint(circle_section(1e-300)), "");
  EXPECT_EQ(complaint(tube_section(0.1, 0.06)), "the wall of the tube is 0.06 m, thicker than its radius of 0.05 m");
  EXPECT_EQ(complaint(tube_section(0.1, 0.05)), "the wall of the tube is 0.05 m, all of its radius of 0.05 m: make it a circle");
  EXPECT_NE(complaint(tube_section(0.1, 0)), "");
  EXPECT_EQ(complaint(i_section(0.2, 0.1, 0.01, 0.1)),
            "two flanges of 0.1 m leave no web in an I that is 0.2 m high: the order is height, width, web, flange");
  EXPECT_EQ(complaint(i_section(0.2, 0.1, 0.11, 0.01)),
            "the web of the I is 0.11 m thick, more than its width of 0.1 m: the order is height, width, web, flange");
  EXPECT_NE(complaint(i_section(0.2, 0.1, kNan, 0.01)), "");
}

TEST(Section, of_the_largest_and_smallest_size_stays_finite) {
  SolidMaterial material = steel(200e6);
  material.young = 1e15, material.yield = 7e14;
  for (const Section& section : {rectangle_section(1e6, 1e6), rectangle_section(1e-9, 1e6), tube_section(1e6, 1e-9), circle_section(1e-9)}) {
    const JointSection of = joint(section, material);
    EXPECT_TRUE(check_capacities(of.capacity));
    EXPECT_TRUE(check_capacities(of.rigidity));
  }
}

TEST(Capacities, that_are_given_must_be_above_zero_and_finite) {
  JointRows rows = {1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(check_capacities(rows));
  rows.bending_1 = 0;
  EXPECT_EQ(check_capacities(rows).error().text, "the bending_1 capacity is 0; it must be above zero and finite");
  for (const double wrong : {-1.0, kNan, kInfinity}) {
    rows.bending_1 = wrong;
    EXPECT_FALSE(check_capacities(rows));
  }
}

std::string complaint(const SolidMaterial& material) {
  const Result<void> fine = check_material(material);
  return fine ? "" : fine.error().text;
}

SolidMaterial changed(const std::function<void(SolidMaterial&)>& change) {
  SolidMaterial material = steel(200e6);
  change(material);
  return material;
}

TEST(SolidMaterial, of_every_name_makes_sense) {
  for (const SolidMaterial& material : {steel(235e6), aluminium(), wood(), *reinforced_concrete(500e6, 0.01), *reinforced_concrete(500e6, 1)}) {
    EXPECT_EQ(complaint(material), "") << material.name;
  }
  EXPECT_NEAR(shear_yield(wood()), 4e6, 1e-6);  // EN 338, C24
  EXPECT_NEAR(reinforced_concrete(500e6, 1)->density, kSteelDensity, 1e-9);
  EXPECT_EQ(reinforced_concrete(500e6, 1)->young, kSteelYoung);
}

TEST(SolidMaterial, takes_g_from_poissons_ratio_unless_it_is_given) {
  EXPECT_NEAR(shear_modulus(steel(200e6)), 200e9 / 2.6, 1e-3);
  EXPECT_EQ(shear_modulus(changed([](SolidMaterial& m) { m.given_shear_modulus = 80e9; })), 80e9);
}

TEST(SolidMaterial, says_what_is_wrong_with_it) {
  EXPECT_EQ(complaint(steel(0)), "the yield stress is 0 Pa; it must be above zero and at most 1e+15");
  EXPECT_EQ(complaint(steel(kNan)), "the yield stress is nan Pa; it must be above zero and at most 1e+15");
  EXPECT_EQ(complaint(steel(200e9)),
            "the yield stress of 2e+11 Pa is not below E = 2e+11 Pa; nothing stretches to twice its length and springs back: are the units right?");
  EXPECT_EQ(complaint(changed([](SolidMaterial& m) { m.young = -1; })), "E is -1 Pa; it must be above zero and at most 1e+15");
  EXPECT_EQ(complaint(changed([](SolidMaterial& m) { m.poisson = 0.6; })), "Poisson's ratio is 0.6; it must be above -1 and at most 0.5");
  EXPECT_EQ(complaint(changed([](SolidMaterial& m) { m.given_shear_modulus = 0; })), "G is 0 Pa; it must be above zero and at most 1e+15");
  EXPECT_EQ(complaint(changed([](SolidMaterial& m) { m.given_shear_yield = 1e11; })),
            "the shear yield stress of 1e+11 Pa is not below G = 7.69231e+10 Pa");
  EXPECT_EQ(complaint(changed([](SolidMaterial& m) { m.hardening = -1; })), "the hardening is -1 Pa; it must be not below zero and at most 1e+15");
  EXPECT_EQ(complaint(changed([](SolidMaterial& m) { m.hardening = 300e9; })), "the hardening of 3e+11 Pa is not below E = 2e+11 Pa");
  EXPECT_NE(complaint(changed([](SolidMaterial& m) { m.ultimate_strain = kNan; })), "");
  EXPECT_NE(complaint(changed([](SolidMaterial& m) { m.ultimate_rotation = -1; })), "");
  EXPECT_NE(complaint(changed([](SolidMaterial& m) { m.density = kInfinity; })), "");
  EXPECT_EQ(complaint(changed([](SolidMaterial& m) { m.ultimate_strain = 0; })), "");  // breaks as it yields
  for (const double share : {0.0, -0.1, 1.5, kNan}) EXPECT_FALSE(reinforced_concrete(200e6, share)) << share;
}

TEST(SolidMaterial, is_read_by_its_numbers) {
  const auto read = [](const char* text, SolidMaterial& material) { return Fields::read(*parse_json(text, "m.json"), "m.json", material); };
  SolidMaterial material;
  ASSERT_TRUE(
      read(R"({"E": 1e9, "yield": 2e6, "G": 3e8, "shear_rule": "von_mises", "hardening": 1e6, "density": 500, "ultimate_rotation": 0.5})", material));
  EXPECT_EQ(complaint(material), "");
  EXPECT_EQ(shear_modulus(material), 3e8);
  EXPECT_NEAR(shear_yield(material), 2e6 / std::sqrt(3.0), 1e-6);
  EXPECT_EQ(read(R"({"E": 1e9})", material).error().text, "m.json:1: /: \"yield\" is missing");
  EXPECT_EQ(read(R"({"E": 1e9, "yeild": 1, "yield": 1})", material).error().text, "m.json:1: /yeild: unknown key; did you mean \"yield\"?");
  EXPECT_FALSE(read(R"({"E": 1e9, "yield": -1})", material));
}

}  // namespace
}  // namespace crumple
