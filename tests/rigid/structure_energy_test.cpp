// Nothing is gained: what moves, what is stored and what was dissipated never exceed what was put in. Ten seconds at 1/120 s each.
#include <gtest/gtest.h>

#include "tests/rigid/structures.h"

namespace crumple::rigid::testing {
namespace {

constexpr double kEnergyStep = 1.0 / 120;

/// The most that energy and work exceeded the start by.
double largest_gain(Rig& rig, double seconds, double dt = kEnergyStep) {
  const double start = rig.energy() + rig.work();
  double most = 0;
  for (int i = 0, steps = static_cast<int>(std::lround(seconds / dt)); i < steps; ++i) {
    rig.step(dt);
    most = std::max(most, rig.energy() + rig.work() - start);
  }
  return most;
}

void record_gain(const std::string& what, double gain, double put_in) {
  record_row(what + ", largest gain of energy in 10 s (% of what was put in)", digits(100 * gain / put_in, 4), "0");
}

/// Every piece moves as if the bar were rigid.
void spin_bar(Rig& rig, const std::vector<int>& parts, const Vec3& middle, const Vec3& velocity, const Vec3& spin) {
  for (const int part : parts) rig.set_velocity(part, velocity + spin.cross(rig.place(part) - middle), spin);
}

TEST(StructureEnergy, a_free_bar_that_spins_keeps_energy_and_momentum) {
  Rig rig;
  const std::vector<int> parts = add_bar(rig, {.pieces = 16, .law = {.bending_rigidity = 1e8, .bending_capacity = 20e3}});
  spin_bar(rig, parts, Vec3(1.5, 0, 0), Vec3(0.3, 0.2, -0.1), Vec3(0, 0, 3));
  const double put_in = rig.energy();
  const Vec3 momentum = rig.momentum(), turning = rig.angular_momentum();
  const double gain = largest_gain(rig, 10);
  EXPECT_LE(gain, 0.005 * put_in);
  EXPECT_GE(rig.energy(), 0.99 * put_in);
  EXPECT_LE((rig.momentum() - momentum).norm(), 1e-9 * momentum.norm());
  EXPECT_LE((rig.angular_momentum() - turning).norm(), 1e-9 * turning.norm());
  record_gain("free spinning bar of 16", gain, put_in);
  record_row("free spinning bar of 16, change of momentum and of angular momentum in 10 s",
             digits((rig.momentum() - momentum).norm() / momentum.norm() * 1e12, 2) + "e-12, " +
                 digits((rig.angular_momentum() - turning).norm() / turning.norm() * 1e12, 2) + "e-12",
             "0");
}

TEST(StructureEnergy, a_free_bar_that_tumbles_and_yields_keeps_its_momentum) {
  Rig rig(turned_view());
  const std::vector<int> parts = add_bar(rig, {.length = 4.8, .pieces = 16, .law = {.bending_rigidity = 1e7, .bending_capacity = 2e3}});  // cubes
  spin_bar(rig, parts, Vec3(2.4, 0, 0), Vec3(0.5, -1, 2), Vec3(0.4, 1, 2));
  rig.set_velocity(parts[3], Vec3(0, 8, 3), Vec3(0, 1, 2));  // as if it had been hit
  const double put_in = rig.energy();
  const Vec3 momentum = rig.momentum(), turning = rig.angular_momentum();
  EXPECT_LE(largest_gain(rig, 10), 0.005 * put_in);
  EXPECT_GT(rig.work(), 100);
  EXPECT_LE((rig.momentum() - momentum).norm(), 1e-9 * momentum.norm());
  EXPECT_LE((rig.angular_momentum() - turning).norm(), 1e-9 * turning.norm());
}

TEST(StructureEnergy, a_bar_that_is_dropped_gains_nothing) {
  Rig rig;
  rig.add_floor(0.5);
  const Vec3 along = turned(0.3, Vec3::UnitZ()) * Vec3::UnitX();
  add_bar(rig, {.from = Vec3(-1.5, 2.5, 0), .along = along, .pieces = 16, .law = {.bending_rigidity = 1e8, .bending_capacity = 20e3}});
  rig.set_gravity(Vec3(0, -10, 0));
  const double put_in = 900 * 10 * 2.5;
  const double gain = largest_gain(rig, 10);
  EXPECT_LE(gain, 0.005 * put_in);
  EXPECT_GT(rig.work(), 0);
  record_gain("bar of 16 dropped by 2.5 m", gain, put_in);
}

TEST(StructureEnergy, a_plate_that_a_ball_hits_gains_nothing) {
  Rig rig;
  const Plate plate = add_plate(rig, {.size = 6, .thickness = 0.2, .mass = 18000, .cells = 6, .bending_rigidity = 2e7, .bending_capacity = 60e3});
  for (int i = 0; i < 6; ++i) {
    const double at = i + 0.5 - 3;
    for (const double side : {-1.0, 1.0}) {
      rest(rig, plate.part(side < 0 ? 0 : 5, i), Vec3(3 * side, 0, at), false);
      rest(rig, plate.part(i, side < 0 ? 0 : 5), Vec3(at, 0, 3 * side), false, 1e10, Vec3::UnitZ());
    }
  }
  rig.ramp_gravity(Vec3(0, -10, 0), 1, kEnergyStep);
  rig.run(1, kEnergyStep);
  const int ball = rig.add_ball(0.5, 2000, Vec3(0.2, 0.85, 0.1), 0.5);
  rig.set_gravity(Vec3(0, -10, 0));
  rig.set_velocity(ball, Vec3(0, -4, 0));
  const double put_in = 0.5 * 2000 * 16;
  const double gain = largest_gain(rig, 10);
  EXPECT_LE(gain, 0.005 * put_in);
  EXPECT_GT(rig.work(), 1000);
  EXPECT_GT(rig.place(ball).y(), -1);
  record_gain("plate of 6 x 6 hit by a ball", gain, put_in);
}

/// 3 m x 3 m of steel, 10 mm thick, clamped all around. Its cells turn far within a step and hang on each other with all that steel can pull.
void clamp_sheet(Rig& rig, const Plate& sheet, const BarLaw& law) {
  const double half = 0.5 * sheet.cell * sheet.cells;
  for (int i = 0; i < sheet.cells; ++i) {
    const double at = (i + 0.5) * sheet.cell - half;
    for (const int side : {0, sheet.cells - 1}) {
      const double edge = side == 0 ? -half : half;
      rig.join(sheet.part(side, i), -1, Vec3(edge, 0, at), bar_law(law, 0.5 * sheet.cell), Vec3::UnitX(), Vec3::UnitZ());
      rig.join(sheet.part(i, side), -1, Vec3(at, 0, edge), bar_law(law, 0.5 * sheet.cell), Vec3::UnitZ(), Vec3::UnitX());
    }
  }
}

TEST(StructureEnergy, a_thin_sheet_that_catches_a_ball_gains_nothing_at_any_step) {
  struct Hit {
    double mass, speed, dt;
  };
  for (const Hit& hit : {Hit{2000, 4, 1.0 / 60}, Hit{2000, 4, 1.0 / 120}, Hit{10000, 11, 1.0 / 60}, Hit{10000, 11, 1.0 / 120}, Hit{10000, 11, 1.0 / 240}}) {
    Rig rig;
    const double rigidity = 2e11 * 1e-6 / 12, capacity = 250e6 * 1e-4 / 4;  // of a metre
    const Plate sheet = add_plate(rig, {.size = 3, .thickness = 0.01, .mass = 702, .cells = 12, .bending_rigidity = rigidity, .bending_capacity = capacity});
    clamp_sheet(rig, sheet, {rigidity * sheet.cell, capacity * sheet.cell, 0.01});
    rig.set_gravity(Vec3(0, -10, 0));
    rig.run(0.5, hit.dt);
    const double radius = std::cbrt(hit.mass / 7800 * 0.75 / 3.14159265);
    const int ball = rig.add_ball(radius, hit.mass, Vec3(0.02, radius + 0.01, 0.03), 0.5);
    rig.set_gravity(Vec3(0, -10, 0));
    rig.set_velocity(ball, Vec3(0, -hit.speed, 0));
    const double put_in = 0.5 * hit.mass * hit.speed * hit.speed;
    const double gain = largest_gain(rig, 1, hit.dt);
    EXPECT_LE(gain, 0.005 * put_in) << hit.mass << " kg at " << 1 / hit.dt << " Hz";
    EXPECT_GT(rig.work(), 0);
    EXPECT_GT(rig.place(ball).y(), -1);  // it is caught
    if (hit.mass == 10000 && hit.dt == 1.0 / 120) record_gain("10 mm sheet of 12 x 12 that catches 10 t", gain, put_in);
  }
}

TEST(StructureEnergy, an_elastic_bar_under_sudden_weight_comes_to_rest_and_gains_nothing) {
  for (const double dt : {1.0 / 60, 1.0 / 240}) {
    Rig rig;
    const BarLaw law{.bending_rigidity = 1.0125e6};
    const std::vector<int> parts = add_bar(rig, {.pieces = 8, .law = law});
    clamp(rig, parts[0], Vec3::Zero(), law, 3.0 / 8);
    rig.set_gravity(Vec3(0, -10, 0));
    EXPECT_LE(largest_gain(rig, 10, dt), 0.005 * 900 * 10 * 0.03) << dt;
    EXPECT_LT(rig.velocity(parts.back()).norm(), 1e-4) << dt;
  }
}

}  // namespace
}  // namespace crumple::rigid::testing
