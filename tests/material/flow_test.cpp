#include "crumple/material/flow.h"

#include <cmath>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/math/svd.h"
#include "crumple/math/types.h"

namespace crumple {
namespace {

/// One cluster that is forced through deformation gradients.
struct Cluster {
  Mat3 plastic = Mat3::Identity();
  double strain = 0;

  Mat3 elastic(const Mat3& gradient) const { return gradient * inverse_plastic(plastic); }
  bool follow(const Mat3& gradient, const FlowStep<double>& step) {
    const Svd<double> parts = svd(elastic(gradient));
    return flow(step, parts.s, parts.v, plastic, strain);
  }
};

/// Stretched by s along x at constant volume.
Mat3 pulled(double s) {
  return Vec3(s, 1 / std::sqrt(s), 1 / std::sqrt(s)).asDiagonal();
}
/// |s* - 1| of that, eq. 11.
double measure(double s) {
  return std::hypot(s - 1, std::sqrt(2) * (1 / std::sqrt(s) - 1));
}
/// The stretch at which it yields.
double yield_stretch(double yield) {
  double low = 1, high = 10;
  for (int i = 0; i < 100; ++i) (measure(0.5 * (low + high)) < yield ? low : high) = 0.5 * (low + high);
  return low;
}
FlowLaw law_of(double yield, double flow, double hardening = 0) {
  FlowLaw law;
  law.yield = yield, law.flow = flow, law.hardening = hardening;
  return law;
}
/// Pulls evenly to a stretch, in logarithm, within a time.
Cluster pull(const FlowLaw& law, double stretch, double seconds, int steps) {
  Cluster cluster;
  const FlowStep<double> step = flow_step<double>(law, seconds / steps);
  for (int i = 1; i <= steps; ++i) cluster.follow(pulled(std::pow(stretch, static_cast<double>(i) / steps)), step);
  return cluster;
}

TEST(Flow, nothing_flows_up_to_yield_and_something_just_above) {
  const double limit = yield_stretch(0.2);
  const FlowStep<double> step = flow_step<double>(law_of(0.2, 1), 1.0 / 60);
  Cluster below, above;
  EXPECT_FALSE(below.follow(pulled(limit * (1 - 1e-6)), step));
  EXPECT_EQ(below.plastic, Mat3::Identity());
  EXPECT_TRUE(above.follow(pulled(limit * (1 + 1e-6)), step));
  EXPECT_NE(above.plastic, Mat3::Identity());
}

TEST(Flow, one_step_is_the_power_of_equation_12) {
  // s* = 1.5, gamma = nu (n - yield) / n: the plastic stretch is 1.5^gamma whatever the volume, and what is left elastic 1.5^(1 - gamma).
  for (const double nu : {0.5, 1.0, 2.0, 100.0}) {
    const double n = measure(1.5), gamma = std::min(1.0, nu * (n - 0.3) / n);
    Cluster cluster;
    EXPECT_TRUE(cluster.follow(1.7 * pulled(1.5), flow_step<double>(law_of(0.3, nu), 1.0 / 60)));
    EXPECT_LE((cluster.plastic - pulled(std::pow(1.5, gamma))).norm(), 1e-14);
    EXPECT_LE((cluster.elastic(1.7 * pulled(1.5)) - 1.7 * pulled(std::pow(1.5, 1 - gamma))).norm(), 1e-14);
  }
}

TEST(Flow, change_of_volume_alone_and_rotation_alone_never_flow) {
  const FlowStep<double> step = flow_step<double>(law_of(1e-9, 1), 1.0 / 60);
  const Mat3 turn = Eigen::AngleAxisd(2, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (const double size : {0.2, 1.0, 5.0}) {
    Cluster cluster;
    EXPECT_FALSE(cluster.follow(size * turn, step));
    EXPECT_EQ(cluster.plastic, Mat3::Identity());
  }
}

TEST(Flow, a_pull_beyond_yield_keeps_all_but_the_elastic_stretch) {
  // Without hardening and viscosity the elastic stretch stays at yield, so the plastic one is the whole over it.
  const Cluster cluster = pull(law_of(0.1, 1), 3, 1, 4000);
  EXPECT_NEAR(cluster.plastic(0, 0), 3 / yield_stretch(0.1), 1e-4);
  EXPECT_LE((cluster.plastic - pulled(cluster.plastic(0, 0))).norm(), 1e-9);
}

TEST(Flow, any_flow_rate_of_one_or_more_and_any_speed_comes_to_the_same_as_steps_shrink) {
  const double expected = 2 / yield_stretch(0.1);
  for (const double nu : {1.0, 2.0, 20.0}) {
    for (const double seconds : {0.1, 10.0}) {
      // Wrong by no more than nu steps' worth of strain, since that is how far one step can overshoot.
      for (const int steps : {500, 2000, 8000}) {
        const double found = pull(law_of(0.1, nu), 2, seconds, steps).plastic(0, 0);
        EXPECT_NEAR(found / expected, 1, 1.25 * nu * std::log(2) / steps) << nu << ' ' << steps;
      }
    }
  }
}

TEST(Flow, a_rate_below_one_is_viscous_per_second_whatever_the_step) {
  // Held at a small strain, the excess over yield falls by (1 - nu) every flow_time.
  const FlowLaw law = law_of(0.001, 0.3);
  const Mat3 held = pulled(1.004);
  for (const double steps_each : {1.0, 2.0, 7.0}) {
    Cluster cluster;
    const FlowStep<double> step = flow_step<double>(law, law.flow_time / steps_each);
    for (int i = 0; i < 5 * steps_each; ++i) cluster.follow(held, step);
    const double excess = measure(cluster.elastic(held)(0, 0)) - 0.001;
    EXPECT_NEAR(excess / (measure(1.004) - 0.001), std::pow(0.7, 5), 1e-3);
  }
}

TEST(Flow, a_faster_pull_of_a_viscous_material_carries_more) {
  // Constant rate of strain e: the excess settles where it relaxes as fast as it grows, e sqrt(3/2) flow_time / -ln(1 - nu).
  const FlowLaw law = law_of(0.01, 0.2);
  const double rate = 0.05, expected = rate * std::sqrt(1.5) * law.flow_time / -std::log(0.8);
  const Cluster cluster = pull(law, std::exp(rate * 2), 2, 20000);
  const double elastic = cluster.elastic(pulled(std::exp(rate * 2)))(0, 0);
  EXPECT_NEAR((measure(elastic) - 0.01) / expected, 1, 0.02);
}

TEST(Flow, hardening_raises_the_yield_by_strain_times_seconds_at_any_frame_rate) {
  // Held at a stretch below yield for T seconds: alpha = |s - 1| T, eq. 14.
  const double held = 1.05, seconds = 3, hardening = 0.4, yield = 0.2;
  const double raised = yield + hardening * measure(held) * seconds;
  for (const int fps : {24, 60, 1000}) {
    Cluster cluster;
    const FlowStep<double> step = flow_step<double>(law_of(yield, 1, hardening), 1.0 / fps);
    for (int i = 0; i < seconds * fps; ++i) EXPECT_FALSE(cluster.follow(pulled(held), step));
    EXPECT_NEAR(cluster.strain, measure(held) * seconds, 1e-12);
    Cluster below = cluster, above = cluster;
    EXPECT_FALSE(below.follow(pulled(yield_stretch(raised) - 1e-6), step));
    EXPECT_TRUE(above.follow(pulled(yield_stretch(raised) + 1e-6), step));
  }
}

TEST(Flow, hardening_per_step_of_the_authors_is_this_one_per_second) {
  const double dt = 1.0 / 60;
  const FlowStep<double> step = flow_step<double>(law_of(0, 1, hardening_per_second(0.02, dt)), dt);
  Cluster cluster;
  const Mat3 gradient = pulled(1.3);
  double alpha = 0;
  Mat3 plastic = Mat3::Identity();
  for (int i = 0; i < 20; ++i) {
    const double s = (gradient * plastic.inverse())(0, 0), n = measure(s), gamma = n > 0.02 * alpha ? std::min(1.0, (n - 0.02 * alpha) / n) : 0;
    plastic = pulled(std::pow(s, gamma)) * plastic;
    alpha += n;
    cluster.follow(gradient, step);
    EXPECT_LE((cluster.plastic - plastic).norm(), 1e-12);
  }
}

TEST(Flow, softening_never_makes_the_yield_negative) {
  Cluster cluster;
  const FlowStep<double> step = flow_step<double>(law_of(0.1, 1, -10), 1.0 / 60);
  for (int i = 0; i < 300; ++i) cluster.follow(pulled(1.05), step);
  EXPECT_NEAR(cluster.elastic(pulled(1.05))(0, 0), 1, 1e-9);  // all of it has flowed, no more
}

TEST(Flow, volume_is_kept_through_any_history) {
  Random random(9);
  Cluster cluster;
  Eigen::Matrix3f single = Eigen::Matrix3f::Identity();
  float single_strain = 0;
  Mat3 gradient = Mat3::Identity();
  const FlowStep<double> step = flow_step<double>(law_of(0.05, 0.8), 1.0 / 60);
  const FlowStep<float> single_step = flow_step<float>(law_of(0.05, 0.8), 1.0 / 60);
  for (int i = 0; i < 5000; ++i) {
    Mat3 change;
    for (int k = 0; k < 9; ++k) change.data()[k] = random.range(-0.05, 0.05);
    gradient = (Mat3::Identity() + change) * gradient;
    gradient *= (1 + 0.3 * std::sin(0.1 * i)) / std::cbrt(gradient.determinant());
    cluster.follow(gradient, step);
    const Svd<float> parts = svd(Eigen::Matrix3f(gradient.cast<float>() * inverse_plastic(single)));
    flow(single_step, parts.s, parts.v, single, single_strain);
    ASSERT_NEAR(cluster.plastic.determinant(), 1, 1e-12 * std::pow(cluster.plastic.norm(), 3));
    ASSERT_NEAR(single.cast<double>().determinant(), 1, 1e-6 * std::pow(single.norm(), 3));
    ASSERT_LE((cluster.plastic * inverse_plastic(cluster.plastic) - Mat3::Identity()).norm(), 1e-12 * std::pow(cluster.plastic.norm(), 3));
  }
  EXPECT_GT(cluster.plastic.norm(), 3);  // it did flow
}

TEST(Flow, turning_the_world_changes_nothing_and_turning_the_rest_shape_turns_it_along) {
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const FlowStep<double> step = flow_step<double>(law_of(0.1, 1), 1.0 / 60);
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 0.9;
  Cluster plain, world, rest;
  plain.follow(shear, step), world.follow(turn * shear, step), rest.follow(shear * turn, step);
  EXPECT_LE((world.plastic - plain.plastic).norm(), 1e-14);
  EXPECT_LE((rest.plastic - turn.transpose() * plain.plastic * turn).norm(), 1e-14);
}

TEST(Flow, the_form_of_the_paper_gives_the_same_shape) {
  // Fp = s*^gamma V^T Fp differs by a rotation from the left: the right Cauchy-Green tensor Fp^T Fp is the same after any number of steps.
  Random random(10);
  const FlowStep<double> step = flow_step<double>(law_of(0.05, 0.5), 1.0 / 60);
  Cluster ours;
  Mat3 paper = Mat3::Identity();
  for (int i = 0; i < 30; ++i) {
    Mat3 gradient = Mat3::Identity();
    for (int k = 0; k < 9; ++k) gradient.data()[k] += random.range(-0.3, 0.3);
    ours.follow(gradient, step);
    const Svd<double> parts = svd(Mat3(gradient * paper.inverse()));
    if (!(parts.s[2] > 1e-4)) continue;
    const Vec3 isochoric = parts.s / std::cbrt(parts.s.prod());
    const double n = (isochoric - Vec3::Ones()).norm();
    const double gamma = n > 0.05 ? std::min(1.0, 0.5 * (n - 0.05) / n) : 0;
    if (gamma > 0) paper = Mat3(isochoric.array().pow(gamma).matrix().asDiagonal()) * parts.v.transpose() * paper;
    EXPECT_LE((paper.transpose() * paper - ours.plastic.transpose() * ours.plastic).norm(), 1e-11);
  }
}

TEST(Flow, what_is_inverted_flat_or_no_number_does_not_flow) {
  const FlowStep<double> step = flow_step<double>(law_of(0.01, 1), 1.0 / 60);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const Vec3& stretches : {Vec3(2, 1, -0.5), Vec3(1, 1, 0), Vec3(1, 1, 1e-9), Vec3(nan, 1, 1), Vec3(infinity, 1, 1), Vec3(0, 0, 0)}) {
    Cluster cluster;
    EXPECT_FALSE(flow<double>(step, stretches, Mat3::Identity(), cluster.plastic, cluster.strain));
    EXPECT_EQ(cluster.plastic, Mat3::Identity());
    EXPECT_EQ(cluster.strain, 0);
    EXPECT_EQ(flow_measure<double>(stretches), infinity);
  }
}

TEST(Flow, no_more_than_the_most_is_kept_and_back_is_always_open) {
  FlowLaw law = law_of(0.01, 1);
  law.most = 5;
  const FlowStep<double> step = flow_step<double>(law, 1.0 / 60);
  Cluster cluster;
  for (int i = 1; i <= 400; ++i) cluster.follow(pulled(std::pow(1.01, i)), step);
  EXPECT_LE(cluster.plastic.norm(), 5);
  EXPECT_GT(cluster.plastic.norm(), 4.8);
  EXPECT_TRUE(cluster.follow(pulled(1), step));
  EXPECT_LT(cluster.plastic.norm(), 4.8);
}

TEST(Flow, many_are_like_one_and_scales_multiply_the_yield) {
  const FlowStep<double> step = flow_step<double>(law_of(0.1, 1), 1.0 / 60);
  const Mat3 gradient = pulled(1.2);
  const Svd<double> parts = svd(gradient);
  const std::vector<Vec3> stretches(3, parts.s);
  const std::vector<Mat3> axes(3, parts.v);
  std::vector<Mat3> plastic(3, Mat3::Identity());
  std::vector<double> strains(3, 0.0);
  const std::vector<double> scales = {0.5, 1, 10};
  EXPECT_EQ(flow<double>(step, stretches, axes, plastic, strains, scales), 2u);
  EXPECT_LE((plastic[0] - pulled(std::pow(1.2, (measure(1.2) - 0.05) / measure(1.2)))).norm(), 1e-14);
  Cluster one;
  one.follow(gradient, step);
  EXPECT_EQ(plastic[1], one.plastic);
  EXPECT_EQ(strains[1], one.strain);
  EXPECT_EQ(plastic[2], Mat3::Identity());
}

TEST(Flow, a_bad_law_is_refused_with_a_reason) {
  EXPECT_TRUE(check_flow(law_of(0.1, 1, -2)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  FlowLaw no_time = law_of(0.1, 1), no_room = no_time;
  no_time.flow_time = 0, no_room.most = 1;
  for (const FlowLaw& law : {law_of(-1, 1), law_of(nan, 1), law_of(0, -1), law_of(0, nan), law_of(0, 1, nan), no_time, no_room}) {
    const Result<void> good = check_flow(law);
    ASSERT_FALSE(good);
    EXPECT_NE(good.error().text.find("give"), std::string::npos);
  }
}

}  // namespace
}  // namespace crumple
