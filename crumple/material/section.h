#pragma once

#include "crumple/core/result.h"
#include "crumple/material/presets.h"

namespace crumple {

/// The frame of a section, and of the joint that has it: axis 0 runs along the bar, axis 1 along the section's width, axis 2 along its height.
enum class SectionShape { Rectangle, Circle, Tube, I };

/// A cross-section, in metres. Only the sizes that its shape names are looked at.
struct Section {
  SectionShape shape = SectionShape::Rectangle;
  double width = 0, height = 0;  // Rectangle; I: of the flanges, and over both of them
  double diameter = 0;           // Circle, Tube: outer
  double wall = 0;               // Tube
  double web = 0, flange = 0;    // I: thicknesses
};

Section rectangle_section(double width, double height);
Section circle_section(double diameter);
Section tube_section(double diameter, double wall);
Section i_section(double height, double width, double web, double flange);

/// One number for each of a joint's six rows. A force acts along its axis and a moment about it: bending_1 resists the load of shear_2.
struct JointRows {
  double axial = 0, shear_1 = 0, shear_2 = 0;        // forces along axes 0, 1, 2
  double torsion = 0, bending_1 = 0, bending_2 = 0;  // moments about axes 0, 1, 2
};

/// What depends on the shape alone. Moments and moduli are named by the axis that is turned about.
struct SectionGeometry {
  double area = 0;                                      // m^2
  double second_moment_1 = 0, second_moment_2 = 0;      // m^4
  double torsion_constant = 0;                          // m^4, elastic (Saint-Venant)
  double shear_share_1 = 0, shear_share_2 = 0;          // of the area, elastic (Timoshenko's kappa)
  double plastic_modulus_1 = 0, plastic_modulus_2 = 0;  // m^3: moment = modulus * yield stress
  double plastic_torsion = 0;                           // m^3: torque = this * shear yield stress
  double shear_area_1 = 0, shear_area_2 = 0;            // m^2, plastic: force = this * shear yield stress
};

/// All that a joint needs to know of the bar it stands for.
struct JointSection {
  SectionGeometry geometry;
  double mass = 0;               // kg for each metre of bar
  JointRows rigidity;            // EA, GA_s, GA_s (N), GJ, EI, EI (N m^2); divided by the length of bar that bends at the joint it is its stiffness
  JointRows capacity;            // largest forces (N) and moments (N m), each by itself
  JointRows hardening;           // growth of the capacities with plastic flow; like rigidity, to be divided by the length of bar
  double ultimate_strain = 0;    // plastic; times the length of bar it is the elongation (m) at which the joint breaks
  double ultimate_rotation = 0;  // rad, plastic: the turn at which the joint breaks
};

/// Every size above zero, walls that fit, numbers that are numbers.
Result<void> check_section(const Section& section);
/// Capacities that are given instead of a section: every one a number above zero.
Result<void> check_capacities(const JointRows& capacity);

/// Of a section that passes the check.
SectionGeometry section_geometry(const Section& section);
/// The same section turned by a quarter about the bar: axes 1 and 2 swap.
SectionGeometry turned(const SectionGeometry& geometry);

/// Of a section and a material that pass their checks.
JointSection joint_section(const SectionGeometry& geometry, const SolidMaterial& material);
/// Checks both.
Result<JointSection> joint_section(const Section& section, const SolidMaterial& material);

/// Stiffness or hardening of a joint at which `length` metres of bar are thought to bend.
JointRows per_length(const JointRows& rows, double length);

/// The integral of the distance from the middle over a rectangle (m^3), which paper 5 (eq. 2.14) multiplies with the shear yield stress. It is a
/// torque that no bar but a round one can take: compare `plastic_torsion`.
double polar_integral(double width, double height);

}  // namespace crumple
