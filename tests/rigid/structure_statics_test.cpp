// Elastic structures at rest, against closed forms.
#include <gtest/gtest.h>

#include "tests/rigid/structures.h"

namespace crumple::rigid::testing {
namespace {

/// Sag of the tip of a clamped bar of 3 m and 900 kg under its own weight.
double cantilever_sag(int pieces, double rigidity = 1.0125e6, const View& view = {}) {
  Rig rig(view);
  const BarLaw law{.bending_rigidity = rigidity, .height = 0.02};  // so thin that it hardly shears
  BarSettings bar{.pieces = pieces, .law = law};
  const std::vector<int> parts = add_bar(rig, bar);
  const double length = bar.length / pieces;
  clamp(rig, parts[0], Vec3::Zero(), law, length);
  rig.set_gravity(Vec3(0, -10, 0));
  rig.run(4, 1.0 / 30);
  return -rig.point(parts.back(), Vec3(length / 2, 0, 0)).y();
}

TEST(StructureStatics, a_cantilever_sags_as_theory_says_for_any_number_of_pieces) {
  for (const int n : {1, 2, 4, 8, 16, 32, 64}) {
    const double exact = 0.03 * (1 + 1.0 / (n * n));  // w L^4 / (8 E I), and what pieces add that bend only at their ends
    const double sag = cantilever_sag(n);
    EXPECT_NEAR(sag, exact, 0.005 * exact) << n;
    record_row("elastic cantilever of " + std::to_string(n) + ", sag / theory", digits(sag / exact, 5), "1");
  }
}

TEST(StructureStatics, stiffness_does_not_matter_to_the_solver) {
  for (const double rigidity : {1e7, 1e9, 1e11, 1e13}) {
    const double exact = 0.03 * 1.0125e6 / rigidity * (1 + 1.0 / 256);
    EXPECT_NEAR(cantilever_sag(16, rigidity), exact, 0.005 * exact) << rigidity;
  }
}

TEST(StructureStatics, a_cantilever_sags_alike_in_every_view) {
  expect_objective([](const View& view) { return cantilever_sag(8, 1.0125e6, view); });
}

TEST(StructureStatics, a_weight_that_hangs_on_ordinary_joints_bends_as_a_tip_load) {
  for (const JointKind kind : {JointKind::Ball, JointKind::Hinge, JointKind::Fixed}) {
    Rig rig;
    const BarLaw law{.bending_rigidity = 1.0125e6, .height = 0.02};
    const std::vector<int> parts = add_bar(rig, {.mass = 0.9, .pieces = 8, .law = law});
    clamp(rig, parts[0], Vec3::Zero(), law, 3.0 / 8);
    const int weight = rig.add_box({.size = Vec3::Constant(0.2), .mass = 100, .at = Vec3(3, -0.5, 0)});
    rig.link(kind, weight, parts.back(), Vec3(3, 0, 0));
    rig.set_gravity(Vec3(0, -10, 0));
    rig.run(6, 1.0 / 30);
    const double exact = 1000 * 27 / (3 * 1.0125e6) * (1 + 1.0 / 128);  // P L^3 / (3 E I)
    EXPECT_NEAR(-rig.point(parts.back(), Vec3(3.0 / 16, 0, 0)).y(), exact, 0.005 * exact) << static_cast<int>(kind);
  }
}

TEST(StructureStatics, moments_in_the_joints_are_those_of_statics) {
  Rig rig;
  const BarLaw law{.bending_rigidity = 1e8};
  BarSettings bar{.pieces = 8, .law = law};
  const std::vector<int> parts = add_bar(rig, bar);
  const int wall = clamp(rig, parts[0], Vec3::Zero(), law, bar.length / 8);
  rig.set_gravity(Vec3(0, -10, 0));
  rig.run(2, 1.0 / 60);
  const auto moment = [](double x) { return 3000 * (3 - x) * (3 - x) / 2; };
  EXPECT_NEAR(rig.force(wall).tail<3>().norm(), moment(0), 1e-3 * moment(0));
  EXPECT_NEAR(rig.force(wall).head<3>().norm(), 9000, 9);
  for (int i = 1; i < 8; ++i) {
    const Vec6 force = rig.force(rig.joints[static_cast<size_t>(i - 1)]);
    const double x = 3.0 * i / 8;
    EXPECT_NEAR(force.tail<3>().norm(), moment(x), 1e-3 * moment(0)) << i;
    EXPECT_NEAR(force.head<3>().norm(), 3000 * (3 - x), 9) << i;
  }
}

}  // namespace
}  // namespace crumple::rigid::testing
