#include <gtest/gtest.h>

#include "crumple/rigid/island_work.h"
#include "tests/rigid/islands.h"

namespace crumple::rigid {
namespace {

using namespace testing;

constexpr Interaction kInteractions[] = {Interaction::None, Interaction::Ellipsoid, Interaction::Beam};

std::vector<double> impulses_of(const Island& island) {
  std::vector<double> result;
  for (const IslandRow& row : island.rows) result.push_back(row.impulse);
  return result;
}

double weight_of(const Island& island) {
  double most = 0;
  for (const IslandBody& body : island.bodies) most = std::max(most, times_inertia(body, body.free - body.start).cwiseAbs().maxCoeff());
  return most;
}

TEST(Island, leaves_no_imbalance) {
  for (const Interaction interaction : kInteractions) {
    for (const double stiffness : {1.0, 1e3, 1e5}) {
      for (unsigned seed = 1; seed <= 30; ++seed) {
        RandomIsland random(seed, stiffness, interaction);
        std::vector<Vec6> v = starts(random.island);
        const IslandReport report = IslandSolver().solve(random.island, {}, v);
        EXPECT_TRUE(report.converged) << seed << " stiffness " << stiffness;
        EXPECT_LT(largest(imbalance(random.island, v, impulses_of(random.island))), 1e-7 * weight_of(random.island))
            << seed << " stiffness " << stiffness;
      }
    }
  }
}

TEST(Island, impulses_of_rows_are_what_their_rule_says) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    RandomIsland random(seed, 100, Interaction::None);
    const std::vector<double> guessed = impulses_of(random.island);
    IslandSettings settings;
    settings.friction_solves = 1;  // limits by the guess
    std::vector<Vec6> v = starts(random.island);
    IslandSolver().solve(random.island, settings, v);
    const std::vector<double> expected = row_impulses(random.island, v, guessed);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(random.island.rows[i].impulse, expected[i], 1e-9);
  }
}

TEST(Island, lagged_friction_settles_at_the_cone) {
  int slides = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    RandomIsland random(seed, 1e3, Interaction::None);
    IslandSettings settings;
    settings.friction_solves = 30;
    std::vector<Vec6> v = starts(random.island);
    const IslandReport report = IslandSolver().solve(random.island, settings, v);
    if (report.solves == 30 || !report.converged) continue;  // friction that feeds on itself need not settle
    for (const IslandRow& row : random.island.rows) {
      if (row.normal < 0) continue;
      const double size = std::hypot(row.impulse, (&row)[&row == &random.island.rows[static_cast<size_t>(row.normal) + 1] ? 1 : -1].impulse);
      const double limit = row.friction * random.island.rows[static_cast<size_t>(row.normal)].impulse;
      EXPECT_LE(size, limit * (1 + 2e-4) + 1e-9);
      slides += size > 0.99 * limit && limit > 0;
    }
  }
  EXPECT_GT(slides, 50);
}

TEST(Island, keeps_momentum) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomIsland random(seed, 1e3, Interaction::Ellipsoid, false);
    std::vector<Vec6> v = starts(random.island);
    IslandSettings settings;
    settings.tolerance = 1e-13;
    IslandSolver().solve(random.island, settings, v);
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    double size = 0;
    for (size_t i = 0; i < v.size(); ++i) {
      const Vec6 change = times_inertia(random.island.bodies[i], v[i] - random.island.bodies[i].free);
      linear += change.head<3>();
      angular += change.tail<3>() + random.centers[i].cross(change.head<3>());
      size += change.norm();
    }
    EXPECT_LT(linear.norm(), 1e-12 * size) << seed;
    EXPECT_LT(angular.norm(), 1e-12 * size) << seed;
  }
}

TEST(Island, keeps_momentum_and_gains_nothing_where_it_does_not_get_to_its_end) {
  int ended_early = 0;
  for (const Interaction interaction : kInteractions) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      RandomIsland random(seed, 1e3, interaction);
      for (IslandJoint& joint : random.island.joints) joint.strain.setZero();  // no energy but that of the motion
      std::vector<Vec6> v = starts(random.island);
      IslandSettings settings;
      settings.factors = 1;
      if (IslandSolver().solve(random.island, settings, v).converged) continue;
      ++ended_early;
      std::vector<Vec6> change(v.size(), Vec6::Zero());
      const auto push = [&](int body, const Vec6& impulse) {
        if (body >= 0) change[static_cast<size_t>(body)] += impulse;
      };
      for (const IslandRow& row : random.island.rows) {
        push(row.body_a, row.impulse * row.jacobian_a), push(row.body_b, row.impulse * row.jacobian_b);
        if (row.normal < 0) continue;
        const bool is_first = row.normal + 1 == &row - random.island.rows.data();
        EXPECT_LE(std::hypot(row.impulse, (&row)[is_first ? 1 : -1].impulse), row.friction * random.island.rows[static_cast<size_t>(row.normal)].impulse * (1 + 1e-9) + 1e-12);
      }
      double before = 0, after = 0, size = 0;
      for (const IslandJoint& joint : random.island.joints) {
        push(joint.body_a, -random.island.dt * joint.jacobian_a.transpose() * joint.force);
        push(joint.body_b, -random.island.dt * joint.jacobian_b.transpose() * joint.force);
      }
      for (size_t i = 0; i < v.size(); ++i) {
        const IslandBody& body = random.island.bodies[i];
        before += body.free.dot(times_inertia(body, body.free)), after += v[i].dot(times_inertia(body, v[i]));
        size += change[i].norm();
        EXPECT_LT((times_inertia(body, v[i] - body.free) - change[i]).norm(), 1e-9 * (size + 1)) << seed;
      }
      EXPECT_LE(after, before * (1 + 1e-9)) << seed;
    }
  }
  EXPECT_GT(ended_early, 20);
}

/// The energy that is minimised, for joints of six separate limits without hardening.
double energy_of(const Island& island, const std::vector<Vec6>& v, const std::vector<double>& normals) {
  // parabola up to the limit, straight beyond
  const auto huber = [](double stretch, double stiffness, double low, double high) {
    const double force = stiffness * stretch, kept = std::min(std::max(force, low), high);
    return kept == force ? 0.5 * force * stretch : kept * stretch - 0.5 * kept * kept / stiffness;
  };
  double sum = 0;
  for (size_t i = 0; i < v.size(); ++i)
    sum += 0.5 * (v[i] - island.bodies[i].free).dot(times_inertia(island.bodies[i], v[i] - island.bodies[i].free));
  for (const IslandJoint& joint : island.joints) {
    Vec6 rate = joint.outer_rate;
    if (joint.body_a >= 0) rate += joint.jacobian_a * v[static_cast<size_t>(joint.body_a)];
    if (joint.body_b >= 0) rate += joint.jacobian_b * v[static_cast<size_t>(joint.body_b)];
    const double reach = island.dt + joint.law->damping;
    const Vec6 strain = joint.strain + reach * rate;
    for (int k = 0; k < 6; ++k) sum += island.dt / reach * huber(strain[k], joint.law->stiffness[k], -joint.capacity[k], joint.capacity[k]);
  }
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const auto stretch = [&](const IslandRow& row) {
      double value = row.target;
      if (row.body_a >= 0) value -= row.jacobian_a.dot(v[static_cast<size_t>(row.body_a)] - island.bodies[static_cast<size_t>(row.body_a)].free);
      if (row.body_b >= 0) value -= row.jacobian_b.dot(v[static_cast<size_t>(row.body_b)] - island.bodies[static_cast<size_t>(row.body_b)].free);
      return value;
    };
    const IslandRow& row = island.rows[i];
    if (row.normal < 0) {
      sum += huber(stretch(row), 1 / row.softness, row.low, row.high);
    } else {
      const double limit = row.friction * normals[static_cast<size_t>(row.normal)];
      sum += huber(std::hypot(stretch(row), stretch(island.rows[i + 1])), 1 / softness_of_disc(row, island.rows[i + 1]), -limit, limit);
      ++i;
    }
  }
  return sum;
}

/// Gradient as the solver sees it, at any velocities.
std::vector<Vec6> gradient_at(const Island& island, const std::vector<Vec6>& v, IslandWork& work) {
  measure(island, v, work);
  respond_joints(island, work);
  respond_rows(island, work);
  find_gradient(island, v, work);
  return work.gradient;
}

TEST(Island, gradient_is_that_of_the_energy) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomIsland random(seed, 10, Interaction::None);
    for (PlasticLaw& law : random.laws) law.hardening.setZero();
    IslandWork work;
    start(random.island, work);
    set_friction_limits(random.island, work);
    std::vector<Vec6> v = starts(random.island);
    const std::vector<Vec6> gradient = gradient_at(random.island, v, work);
    const std::vector<double> normals = impulses_of(random.island);
    for (size_t i = 0; i < v.size(); ++i) {
      for (int k = 0; k < 6; ++k) {
        const double h = 1e-5;
        std::vector<Vec6> plus = v, minus = v;
        plus[i][k] += h, minus[i][k] -= h;
        const double slope = (energy_of(random.island, plus, normals) - energy_of(random.island, minus, normals)) / (2 * h);
        EXPECT_NEAR(gradient[i][k], slope, 2e-4 * (1 + std::abs(slope))) << seed;
      }
    }
  }
}

TEST(Island, the_matrix_is_the_derivative_of_the_gradient) {
  for (const Interaction interaction : kInteractions) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      RandomIsland random(seed, 3, interaction);
      IslandWork work;
      start(random.island, work);
      set_friction_limits(random.island, work);
      const std::vector<Vec6> v = starts(random.island);
      RandomNumbers numbers{std::mt19937(seed)};
      std::vector<Vec6> direction = v, plus = v, minus = v;
      const double h = 1e-7;
      for (size_t i = 0; i < v.size(); ++i) {
        direction[i] << numbers.vector(), numbers.vector();
        plus[i] += h * direction[i], minus[i] -= h * direction[i];
      }
      const std::vector<Vec6> after = gradient_at(random.island, plus, work), before = gradient_at(random.island, minus, work);
      gradient_at(random.island, v, work);
      ASSERT_TRUE(factor(random.island, work));
      std::vector<Vec6> found = after;
      for (size_t i = 0; i < v.size(); ++i) found[i] = (after[i] - before[i]) / (2 * h);
      work.matrix.solve(found);
      for (size_t i = 0; i < v.size(); ++i) EXPECT_LT((found[i] - direction[i]).norm(), 1e-4) << seed;
    }
  }
}

/// Gradient descent with momentum and restarts, in the metric of the mass. [Nesterov 1983; O'Donoghue and Candes 2015]
std::vector<Vec6> minimised_slowly(const Island& island, const std::vector<double>& normals, double stiffest) {
  const size_t count = island.bodies.size();
  const auto downhill = [&](const std::vector<Vec6>& at) {
    std::vector<Vec6> result = imbalance(island, at, row_impulses(island, at, normals));
    for (size_t i = 0; i < count; ++i) {
      result[i].head<3>() /= -island.bodies[i].mass;
      result[i].tail<3>() = -island.bodies[i].inertia.inverse() * Vec3(result[i].tail<3>());
    }
    return result;
  };
  std::vector<Vec6> v = starts(island), ahead = v;
  double pace = 1;
  for (int round = 0; round < 40000; ++round) {
    const std::vector<Vec6> down = downhill(ahead);
    if (largest(down) < 1e-10) break;
    const double next_pace = 0.5 * (1 + std::sqrt(1 + 4 * pace * pace));
    double uphill = 0;
    std::vector<Vec6> next = ahead;
    for (size_t i = 0; i < count; ++i) {
      next[i] += down[i] / stiffest;
      uphill -= times_inertia(island.bodies[i], down[i]).dot(next[i] - v[i]);
    }
    for (size_t i = 0; i < count; ++i) ahead[i] = next[i] + (uphill > 0 ? 0 : (pace - 1) / next_pace) * (next[i] - v[i]);
    pace = uphill > 0 ? 1 : next_pace;
    v = next;
  }
  return v;
}

TEST(Island, finds_what_a_slow_minimiser_finds) {
  for (const Interaction interaction : kInteractions) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
      RandomIsland random(seed, 3, interaction);
      const std::vector<double> normals = impulses_of(random.island);
      const std::vector<Vec6> expected = minimised_slowly(random.island, normals, 1500);
      IslandSettings settings;
      settings.friction_solves = 1;
      std::vector<Vec6> v = starts(random.island);
      EXPECT_TRUE(IslandSolver().solve(random.island, settings, v).converged);
      for (size_t i = 0; i < v.size(); ++i) EXPECT_LT((v[i] - expected[i]).norm(), 1e-6) << "seed " << seed << " body " << i;
    }
  }
}

}  // namespace
}  // namespace crumple::rigid
