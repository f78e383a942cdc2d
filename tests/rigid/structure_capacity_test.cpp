// A joint made from a section and a material holds, in each of its six ways, exactly what the section can take.
#include <gtest/gtest.h>

#include "crumple/material/presets.h"
#include "crumple/material/section.h"
#include "tests/rigid/structures.h"

namespace crumple::rigid::testing {
namespace {

Vec6 numbers(const JointRows& rows) {
  Vec6 result;
  result << rows.axial, rows.shear_1, rows.shear_2, rows.torsion, rows.bending_1, rows.bending_2;
  return result;
}

/// The largest force of one row while a scripted part pulls, shears, twists or bends a joint far beyond its yield.
double driven_force(const PlasticLaw& law, int row) {
  Rig rig;
  const int held = rig.add_box({.size = Vec3::Constant(0.1), .mass = 1});
  const int driver = rig.add_box({.size = Vec3::Constant(0.1), .mass = 1, .at = Vec3::Zero(), .motion = Motion::Scripted});
  PlasticLaw rigid;
  rigid.stiffness.setConstant(1e12);
  rig.join(held, -1, Vec3::Zero(), rigid);
  const int joint = rig.join(driver, held, Vec3::Zero(), law);
  const Vec3 axes[] = {Vec3::UnitX(), Vec3::UnitZ(), -Vec3::UnitY()};  // along the bar, the section's width, its height
  if (row < 3)
    rig.set_velocity(driver, 0.01 * axes[row]);
  else
    rig.set_velocity(driver, Vec3::Zero(), axes[row - 3]);
  rig.run(0.2, 1.0 / 240);
  return rig.force(joint)[row];
}

TEST(StructureCapacity, a_joint_holds_what_its_section_can_take) {
  const JointSection section = *joint_section(rectangle_section(0.01, 0.01), steel(200e6));
  PlasticLaw law;
  law.stiffness = numbers(per_length(section.rigidity, 0.1));
  law.capacity = numbers(section.capacity);
  const double exact[] = {20e3, 10e3, 10e3, 33.3333, 50, 50};  // b h fy, half of it by Tresca, the sand heap's torque, b h^2 fy / 4
  const char* names[] = {"axial force (N)", "shear (N)", "shear across (N)", "torque (N m)", "bending moment (N m)", "bending moment across (N m)"};
  const char* printed[] = {"20000", "10000", "10000", "38.2 (polar integral)", "50", "50"};
  for (int row = 0; row < 6; ++row) {
    const double force = driven_force(law, row);
    EXPECT_NEAR(force, exact[row], 1e-5 * exact[row]) << names[row];
    record_row(std::string("10 x 10 mm, 200 MPa: ") + names[row], digits(force, 2), digits(exact[row], 2), printed[row]);
  }
}

}  // namespace
}  // namespace crumple::rigid::testing
