#include "crumple/rigid/plastic_law.h"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "crumple/core/random.h"

namespace crumple::rigid {
namespace {

constexpr Interaction kAll[] = {Interaction::None, Interaction::Ellipsoid, Interaction::Beam};
constexpr double kNever = PlasticLaw::kNever;

class Dice : public Random {
 public:
  Dice() : Random(7) {}
  double magnitude(double low, double high) { return std::pow(10.0, range(low, high)); }
  bool once_in(int times) { return below(times) == 0; }
  double sign() { return once_in(2) ? 1 : -1; }
  Vec6 direction() {
    Vec6 v;
    for (int i = 0; i < 6; ++i) v[i] = range(-1, 1);
    return v;
  }
};

/// A steel bar of 10 x 20 mm in joints of 0.1 m.
PlasticLaw bar(Interaction interaction) {
  PlasticLaw law;
  law.stiffness << 4e8, 1e8, 1.2e8, 900, 3300, 13300;
  law.capacity << 40e3, 20e3, 23e3, 90, 100, 200;
  law.interaction = interaction;
  return law;
}

PlasticLaw hardened(PlasticLaw law, double share) {
  for (int i = 0; i < 6; ++i) law.hardening[i] = share * (1 + i) * law.stiffness[i];
  return law;
}

/// Strain that is beyond yield by some factors, row by row.
Vec6 strain_beyond(const PlasticLaw& law, Dice& dice, double most) {
  return law.capacity.cwiseQuotient(law.stiffness).cwiseProduct(dice.direction() * dice.range(0, most));
}

/// Anything that someone may ask for: free rows, rows without limit or capacity, 14 orders of stiffness and 18 of capacity.
PlasticLaw extreme_law(Interaction interaction, Dice& dice) {
  PlasticLaw law;
  law.interaction = interaction;
  for (int i = 0; i < 6; ++i) {
    law.stiffness[i] = dice.once_in(8) ? 0 : dice.magnitude(-3, 14);
    law.capacity[i] = dice.once_in(8) ? kNever : dice.once_in(8) ? 0 : dice.magnitude(-3, 15);
    law.hardening[i] = dice.once_in(2) ? 0 : dice.magnitude(-6, 0) * law.stiffness[i];
  }
  return law;
}

Vec6 extreme_strain(Dice& dice) {
  Vec6 strain;
  for (int i = 0; i < 6; ++i) strain[i] = dice.once_in(8) ? 0 : dice.sign() * dice.magnitude(-14, 2);
  return strain;
}

TEST(PlasticLaw, below_yield_is_a_spring) {
  for (const Interaction interaction : kAll) {
    const PlasticLaw law = bar(interaction);
    const Vec6 strain = 0.4 * law.capacity.cwiseQuotient(law.stiffness);
    const LawResponse response = respond(law, law.capacity, strain);
    EXPECT_FALSE(response.yields);
    EXPECT_EQ(response.force, law.stiffness.cwiseProduct(strain));
    EXPECT_EQ(response.tangent, Mat6(law.stiffness.asDiagonal()));
    EXPECT_EQ(response.flow, Vec6(Vec6::Zero()));
    EXPECT_EQ(response.work, 0);
  }
}

TEST(PlasticLaw, never_exceeds_its_surface_however_extreme_the_numbers) {
  Dice dice;
  for (const Interaction interaction : kAll) {
    for (int i = 0; i < 20000; ++i) {
      const PlasticLaw law = extreme_law(interaction, dice);
      const Vec6 strain = extreme_strain(dice);
      const LawResponse response = respond(law, law.capacity, strain);
      ASSERT_TRUE(response.force.allFinite() && response.flow.allFinite() && response.tangent.allFinite() && std::isfinite(response.work));
      ASSERT_GE(response.work, 0);
      const Vec6 limited = response.force - law.hardening.cwiseProduct(response.flow);
      for (int row = 0; row < 6; ++row) {
        const double trial = law.stiffness[row] * strain[row];
        if (law.capacity[row] == kNever) {
          EXPECT_EQ(response.force[row], trial);
        } else if (law.capacity[row] == 0 && law.hardening[row] == 0) {
          EXPECT_EQ(response.force[row], 0);
        }
        // The force is that of the strain that has not flown.
        EXPECT_NEAR(response.force[row], trial - law.stiffness[row] * response.flow[row], 1e-12 * std::abs(trial));
      }
      // Where a row hardens, the difference has lost digits of the force.
      Vec6 cleaned = limited;
      for (int row = 0; row < 6; ++row) {
        const double lost = 1e-14 * std::abs(response.force[row]);
        cleaned[row] = law.capacity[row] == 0 ? 0 : std::copysign(std::max(0.0, std::abs(limited[row]) - lost), limited[row]);
      }
      ASSERT_LE(utilisation(law, law.capacity, cleaned), 1 + 1e-12);
      ASSERT_EQ(force_of(law, law.capacity, strain), response.force);
      ASSERT_EQ(force_of(law, law.capacity, -strain), Vec6(-response.force));
    }
  }
}

/// y is nearest to t in a convex set if and only if (t - y) A^-1 (w - y) <= 0 for all w of the set.
TEST(PlasticLaw, returns_to_the_nearest_admissible_force) {
  Dice dice;
  for (const Interaction interaction : kAll) {
    for (const double hardening : {0.0, 0.02}) {
      const PlasticLaw law = hardened(bar(interaction), hardening);
      for (int i = 0; i < 300; ++i) {
        const Vec6 strain = strain_beyond(law, dice, 20);
        const LawResponse response = respond(law, law.capacity, strain);
        if (!response.yields) continue;
        const Vec6 kept = response.force - law.hardening.cwiseProduct(response.flow);
        const double scale = response.flow.cwiseAbs().dot(law.capacity);
        for (int k = 0; k < 300; ++k) {
          Vec6 other = law.capacity.cwiseProduct(dice.direction());
          other /= utilisation(law, law.capacity, other);
          if (dice.once_in(2)) other = 0.999 * kept + 0.001 * other;
          ASSERT_LE(response.flow.dot(other - kept), 1e-12 * scale);
        }
      }
    }
  }
}

TEST(PlasticLaw, returns_to_the_nearest_point_of_a_finely_drawn_beam_surface) {
  const PlasticLaw law = bar(Interaction::Beam);
  Dice dice;
  for (int i = 0; i < 40; ++i) {
    Vec6 strain = Vec6::Zero();
    strain[0] = dice.range(0, 3) * law.capacity[0] / law.stiffness[0];
    strain[4] = dice.range(0, 3) * law.capacity[4] / law.stiffness[4];
    const LawResponse response = respond(law, law.capacity, strain);
    if (!response.yields) continue;
    const auto distance = [&](double axial, double bending) {
      const double x = law.stiffness[0] * strain[0] - axial, y = law.stiffness[4] * strain[4] - bending;
      return x * x / law.stiffness[0] + y * y / law.stiffness[4];
    };
    double least = kNever;
    for (int k = 0; k <= 20000; ++k) {
      const double n = k / 20000.0;
      least = std::min(least, distance(n * law.capacity[0], (1 - n * n) * law.capacity[4]));
    }
    const double found = distance(response.force[0], response.force[4]);
    EXPECT_LE(found, least * (1 + 1e-12));
    EXPECT_NEAR(found, least, 1e-6 * least + 2e-8);  // the drawing's own error
  }
}

TEST(PlasticLaw, tangent_is_the_derivative_of_the_force) {
  Dice dice;
  for (const Interaction interaction : kAll) {
    for (const double hardening : {0.0, 0.02}) {
      const PlasticLaw law = hardened(bar(interaction), hardening);
      const Vec6 unit = law.capacity.cwiseQuotient(law.stiffness);  // strain at yield
      int compared = 0;
      for (int i = 0; i < 400; ++i) {
        const Vec6 strain = strain_beyond(law, dice, 4);
        const LawResponse response = respond(law, law.capacity, strain);
        for (int column = 0; column < 6; ++column) {
          Vec6 step = Vec6::Zero();
          step[column] = 1e-6 * unit[column];
          const LawResponse up = respond(law, law.capacity, strain + step), down = respond(law, law.capacity, strain - step);
          if ((up.tangent - down.tangent).norm() > 1e-3 * law.stiffness.norm()) continue;  // an edge of the surface
          // In units of capacity over strain at yield: all rows alike.
          const Vec6 slope = (up.force - down.force).cwiseQuotient(law.capacity) / 2e-6;
          const Vec6 expected = response.tangent.col(column).cwiseQuotient(law.capacity) * unit[column];
          ASSERT_LT((slope - expected).norm(), 1e-6) << "interaction " << static_cast<int>(interaction) << " column " << column;
          ++compared;
        }
      }
      EXPECT_GT(compared, 2300);
    }
  }
}

TEST(PlasticLaw, tangent_is_symmetric_and_never_negative_so_that_the_energy_is_convex) {
  Dice dice;
  for (const Interaction interaction : kAll) {
    for (int i = 0; i < 5000; ++i) {
      const PlasticLaw law = extreme_law(interaction, dice);
      const Mat6 tangent = respond(law, law.capacity, extreme_strain(dice)).tangent;
      // Every row against its own stiffness, which is all that rounding can be compared with.
      Vec6 root;
      for (int row = 0; row < 6; ++row) root[row] = law.stiffness[row] > 0 ? 1 / std::sqrt(law.stiffness[row]) : 0;
      const Mat6 scaled = root.asDiagonal() * tangent * root.asDiagonal();
      ASSERT_LT((scaled - scaled.transpose()).norm(), 1e-14);
      const Vec6 values = Eigen::SelfAdjointEigenSolver<Mat6>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
      ASSERT_GE(values[0], -1e-13);
      ASSERT_LE(values[5], 1 + 1e-13);
    }
  }
}

TEST(PlasticLaw, forces_rise_with_strains) {
  Dice dice;
  for (const Interaction interaction : kAll) {
    const PlasticLaw law = hardened(bar(interaction), 0.01);
    for (int i = 0; i < 3000; ++i) {
      const Vec6 one = strain_beyond(law, dice, 5), other = strain_beyond(law, dice, 5);
      const Vec6 change = force_of(law, law.capacity, one) - force_of(law, law.capacity, other);
      ASSERT_GE(change.dot(one - other), 0);
    }
  }
}

TEST(PlasticLaw, force_has_an_energy_that_does_not_depend_on_the_way) {
  Dice dice;
  for (const Interaction interaction : kAll) {
    const PlasticLaw law = hardened(bar(interaction), 0.01);
    const auto energy = [&](const Vec6& strain) {  // elastic and dissipated
      const LawResponse response = respond(law, law.capacity, strain);
      return 0.5 * response.force.cwiseAbs2().cwiseQuotient(law.stiffness).sum() + response.work;
    };
    for (int i = 0; i < 50; ++i) {
      const Vec6 from = strain_beyond(law, dice, 3), to = strain_beyond(law, dice, 3);
      constexpr int kParts = 2000;
      double work = 0;
      for (int k = 0; k < kParts; ++k) work += force_of(law, law.capacity, from + (to - from) * ((k + 0.5) / kParts)).dot(to - from) / kParts;
      EXPECT_NEAR(work, energy(to) - energy(from), 1e-5 * (energy(to) + energy(from)));
    }
  }
}

TEST(PlasticLaw, half_of_the_axial_capacity_leaves_three_quarters_of_the_bending) {
  const PlasticLaw law = bar(Interaction::Beam);
  Vec6 strain = Vec6::Zero();
  strain[4] = 50 * law.capacity[4] / law.stiffness[4];
  double low = 0, high = 1000 * law.capacity[0] / law.stiffness[0];
  for (int i = 0; i < 200; ++i) {
    strain[0] = 0.5 * (low + high);
    (force_of(law, law.capacity, strain)[0] < 0.5 * law.capacity[0] ? low : high) = strain[0];
  }
  EXPECT_NEAR(force_of(law, law.capacity, strain)[4], 0.75 * law.capacity[4], 1e-12 * law.capacity[4]);
  Vec6 force = Vec6::Zero();
  force[0] = 0.5 * law.capacity[0];
  force[5] = -0.75 * law.capacity[5];
  EXPECT_NEAR(utilisation(law, law.capacity, force), 1, 1e-15);
  EXPECT_NEAR(utilisation(law, law.capacity, 0.3 * force), 0.3, 1e-15);
}

TEST(PlasticLaw, the_tip_of_the_beam_surface_carries_axial_force_alone) {
  const PlasticLaw law = bar(Interaction::Beam);
  // In units of capacities and strains at yield: g = k / c^2, so that the tip ends at bending use = (axial use - 1) / 2 * g_bending / g_axial.
  const double ratio = law.stiffness[4] / std::pow(law.capacity[4], 2) * std::pow(law.capacity[0], 2) / law.stiffness[0];
  Vec6 strain = Vec6::Zero();
  strain[0] = -1.002 * law.capacity[0] / law.stiffness[0];
  const double edge = 0.001 * ratio * law.capacity[4] / law.stiffness[4];
  strain[4] = 0.999 * edge;
  const LawResponse inner = respond(law, law.capacity, strain);
  EXPECT_EQ(inner.force[0], -law.capacity[0]);
  EXPECT_EQ(inner.force[4], 0);
  EXPECT_EQ(inner.tangent(0, 0), 0);
  EXPECT_EQ(inner.tangent(4, 4), 0);
  strain[4] = 1.001 * edge;
  const LawResponse outer = respond(law, law.capacity, strain);
  EXPECT_GT(outer.force[4], 0);
  EXPECT_LT(outer.force[4], 0.01 * law.capacity[4]);
  EXPECT_GT(outer.tangent(4, 4), 0);
  EXPECT_NEAR(utilisation(law, law.capacity, outer.force), 1, 1e-12);
}

TEST(PlasticLaw, ellipsoid_of_rows_that_yield_at_like_strain_is_returned_radially) {
  PlasticLaw law;
  law.interaction = Interaction::Ellipsoid;
  law.capacity << 1, 2, 3, 4, 5, 6;
  law.stiffness = 1e6 * law.capacity.cwiseAbs2();
  const Vec6 trial = law.capacity * 0.8;  // length 0.8 sqrt(6) in units of capacities
  const Vec6 force = force_of(law, law.capacity, trial.cwiseQuotient(law.stiffness));
  EXPECT_LT((force - law.capacity / std::sqrt(6.0)).norm(), 1e-14);
}

TEST(PlasticLaw, one_row_hardens_linearly_under_every_interaction) {
  for (const Interaction interaction : kAll) {
    for (int row = 0; row < 6; ++row) {
      const PlasticLaw law = hardened(bar(interaction), 0.01);
      const double k = law.stiffness[row], h = law.hardening[row], c = law.capacity[row];
      Vec6 strain = Vec6::Zero();
      strain[row] = -7 * c / k;
      const LawResponse response = respond(law, law.capacity, strain);
      const double flow = (k * std::abs(strain[row]) - c) / (k + h);
      EXPECT_NEAR(response.flow[row], -flow, 1e-13 * flow);
      EXPECT_NEAR(response.force[row], -(c + h * flow), 1e-13 * c);
      EXPECT_NEAR(response.work, (c + 0.5 * h * flow) * flow, 1e-13 * c * flow);
      EXPECT_NEAR(response.tangent(row, row), k * h / (k + h), 1e-9 * k);
    }
  }
}

TEST(PlasticLaw, hardening_fades_with_the_capacity) {
  PlasticLaw law = hardened(bar(Interaction::None), 0.01);
  const Vec6 strain = 5 * law.capacity.cwiseQuotient(law.stiffness);
  const LawResponse half = respond(law, 0.5 * law.capacity, strain);
  EXPECT_NEAR(half.force[0], 0.5 * (law.capacity[0] + law.hardening[0] * half.flow[0]), 1e-9);
  EXPECT_EQ(respond(law, Vec6::Zero(), strain).force, Vec6(Vec6::Zero()));
  EXPECT_LT((respond(law, Vec6::Zero(), strain).flow - strain).norm(), 1e-15);
}

TEST(PlasticLaw, rows_of_a_beam_yield_by_themselves_in_shear_and_torsion) {
  const PlasticLaw law = bar(Interaction::Beam), alone = bar(Interaction::None);
  Vec6 strain = 3 * law.capacity.cwiseQuotient(law.stiffness);
  strain[0] = strain[4] = strain[5] = 0;
  EXPECT_EQ(force_of(law, law.capacity, strain), force_of(alone, law.capacity, strain));
}

TEST(PlasticLaw, utilisation_counts_by_the_interaction) {
  PlasticLaw law = bar(Interaction::None);
  const Vec6 force = (Vec6() << 0.3, -0.4, 0, 0, 0.1, 0.2).finished().cwiseProduct(law.capacity);
  EXPECT_NEAR(utilisation(law, law.capacity, force), 0.4, 1e-15);
  law.interaction = Interaction::Ellipsoid;
  EXPECT_NEAR(utilisation(law, law.capacity, force), std::sqrt(0.3), 1e-15);
  law.interaction = Interaction::Beam;
  const double m = std::hypot(0.1, 0.2), beam = 0.5 * (m + std::sqrt(m * m + 4 * 0.09));
  EXPECT_NEAR(utilisation(law, law.capacity, force), std::max(beam, 0.4), 1e-15);
  EXPECT_EQ(utilisation(law, Vec6::Constant(kNever), force), 0);
  EXPECT_EQ(utilisation(law, Vec6::Zero(), Vec6::Zero()), 0);
}

/// A block of 1 kg that hangs by row 0 for one step: m (v - g dt) = -F dt, found by bisection.
double speed_after_a_step(const PlasticLaw& law, double strain, double pull, double dt) {
  double low = -100, high = 100;
  for (int i = 0; i < 200; ++i) {
    const double v = 0.5 * (low + high);
    Vec6 now = Vec6::Zero();
    now[0] = strain + dt * v;
    (v - pull * dt + force_of(law, law.capacity, now)[0] * dt < 0 ? low : high) = v;
  }
  return 0.5 * (low + high);
}

TEST(PlasticLaw, the_papers_switch_turns_at_its_stiffness) {
  constexpr double kDt = 1.0 / 60;
  PlasticLaw law;
  law.capacity.setConstant(20);
  const Vec6 inertia = Vec6::Ones();
  law.stiffness.setConstant(224);  // sqrt(224) / 60 = 0.2494
  Vec6 strain = Vec6::Constant(0.01);
  const PlasticLaw soft = switched(law, inertia, kDt, strain);
  EXPECT_EQ(soft.stiffness, law.stiffness);
  EXPECT_EQ(strain, Vec6(Vec6::Constant(0.01)));

  law.stiffness[0] = 226;  // 0.2506: this row alone
  const PlasticLaw stiff = switched(law, inertia, kDt, strain);
  EXPECT_EQ(strain[0], 0);
  EXPECT_EQ(strain.tail<5>(), (Eigen::Matrix<double, 5, 1>::Constant(0.01)));
  EXPECT_EQ(stiff.stiffness.tail<5>(), law.stiffness.tail<5>());
  // It holds what its capacity can hold, whatever the position was, and no more.
  EXPECT_NEAR(speed_after_a_step(stiff, strain[0], 19.9, kDt), 0, 1e-8);
  EXPECT_NEAR(speed_after_a_step(stiff, strain[0], 23, kDt), 3 * kDt, 1e-8);
  EXPECT_GT(speed_after_a_step(law, 0, 19.9, kDt), 0.3);  // as a spring it would have moved
}

}  // namespace
}  // namespace crumple::rigid
