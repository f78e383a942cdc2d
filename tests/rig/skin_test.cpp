#include "crumple/rig/skin.h"

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/rig/rigged_body.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

std::vector<double> random_simplex(Random& random, int count) {
  std::vector<double> weights;
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += weights.emplace_back(random.unit() + 1e-3);
  for (double& w : weights) w /= sum;
  return weights;
}

TEST(Skin, each_example_is_reproduced_at_its_own_weight) {
  const Asset asset = bar_asset();
  const Skin skin = build_skin(asset);
  for (size_t e = 0; e < asset.examples.size(); ++e) {
    const std::vector<Vec3> shape = example_shape(skin, static_cast<int>(e));
    for (size_t v = 0; v < shape.size(); ++v) {
      Vec3 expected = Vec3::Zero();  // plain linear blend skinning, paper 1 eq. 1
      for (size_t b = 0; b < asset.handles.size(); ++b) {
        const HandleTransform& to = asset.examples[e].handles[b];
        expected += static_cast<double>(asset.weight(v, b)) * (to.rotation * asset.tets.positions[v] + to.translation);
      }
      EXPECT_LT((shape[v] - expected).norm(), 1e-6);
    }
  }
}

TEST(Skin, the_wide_kernel_equals_the_plain_one) {
  const Asset asset = bar_asset(3);
  const Skin skin = build_skin(asset);
  Random random(5);
  std::vector<float> weights;
  for (int v = 0; v < skin.vertices; ++v) {
    for (const double w : random_simplex(random, skin.examples)) weights.push_back(static_cast<float>(w));
  }
  std::vector<Vec3f> positions(skin.vertices);
  skin_all(skin, weights, positions);
  std::vector<double> row(skin.examples);
  for (int v = 0; v < skin.vertices; ++v) {
    for (int e = 0; e < skin.examples; ++e) row[e] = weights[static_cast<size_t>(v) * skin.examples + e];
    EXPECT_LT((positions[v].cast<double>() - skin_vertex(skin, v, row)).norm(), 2e-6);
  }
}

TEST(Skin, any_number_of_examples_and_vertices_fits_into_the_wide_kernel) {
  Random random(8);
  for (int examples = 1; examples <= 19; ++examples) {
    Asset asset = bar_asset(3);
    while (asset.examples.size() > static_cast<size_t>(examples)) asset.examples.pop_back();
    while (asset.examples.size() < static_cast<size_t>(examples)) asset.examples.push_back(asset.examples[asset.examples.size() % 3]);
    asset.tets.positions.resize(asset.tets.positions.size() - static_cast<size_t>(examples % 8));  // a last block of every length
    asset.weights.resize(asset.tets.positions.size() * asset.handles.size());
    const Skin skin = build_skin(asset);
    std::vector<float> weights;  // exactly as long as needed: reading past the end is seen by sanitizers
    for (int v = 0; v < skin.vertices; ++v) {
      std::vector<double> row = random_simplex(random, examples);
      for (int e = 1; e < examples; ++e) row[e] *= (v / 16 + e) % 3 == 0 ? 0 : 1;  // some are used by no vertex of a block
      for (const double w : row) weights.push_back(static_cast<float>(w));
    }
    std::vector<Vec3f> positions(skin.vertices);
    skin_all(skin, weights, positions);
    for (int v = 0; v < skin.vertices; ++v) {
      const std::vector<double> row(&weights[static_cast<size_t>(v) * examples], &weights[static_cast<size_t>(v) * examples] + examples);
      EXPECT_LT((positions[v].cast<double>() - skin_vertex(skin, v, row)).norm(), 4e-6) << examples << " examples, vertex " << v << " of " << skin.vertices;
    }
  }
}

TEST(Skin, the_jacobian_with_rotations_equals_finite_differences) {
  const Skin skin = build_skin(bar_asset(2));
  Random random(6);
  std::vector<Vec3> jacobian(skin.examples);
  double largest_turn = 0;
  for (int i = 0; i < 200; ++i) {
    const int vertex = random.below(skin.vertices);
    std::vector<double> weights = random_simplex(random, skin.examples);
    skin_vertex(skin, vertex, weights, jacobian);
    for (int e = 0; e < skin.examples; ++e) {
      const double h = 1e-5;
      std::vector<double> up = weights, down = weights;
      up[e] += h, down[e] -= h;
      const Vec3 difference = (skin_vertex(skin, vertex, up) - skin_vertex(skin, vertex, down)) / (2 * h);
      EXPECT_LT((jacobian[e] - difference).norm(), 1e-8);
    }
    largest_turn = std::max(largest_turn, jacobian[0].norm());
  }
  EXPECT_GT(largest_turn, 1e-3);  // the rest pose's column is not zero once something turns
}

TEST(Skin, opposite_quaternions_are_the_same_pose) {
  Asset asset = bar_asset(2);
  const Skin once = build_skin(asset);
  for (HandleTransform& to : asset.examples[2].handles) to.rotation.coeffs() *= -1;
  const Skin twice = build_skin(asset);
  const std::vector<double> half = {0.5, 0, 0.5};
  for (int v = 0; v < once.vertices; ++v) EXPECT_LT((skin_vertex(once, v, half) - skin_vertex(twice, v, half)).norm(), 1e-9);
}

TEST(Skin, a_half_way_rotation_is_a_rotation_by_half_the_angle) {
  // One handle only, so the blend itself is seen: QLERP of two rotations halves their angle exactly.
  Asset asset = bar_asset(1);
  asset.handles.resize(1);
  asset.weights.assign(asset.tets.positions.size(), 1.0f);
  for (Example& example : asset.examples) example.handles.resize(1);
  const Skin skin = build_skin(asset);
  const std::vector<double> half = {0.5, 0, 0.5};
  const Mat3 turn = Eigen::AngleAxisd(20 * M_PI / 180, Vec3::UnitZ()).toRotationMatrix();
  for (int v = 0; v < skin.vertices; ++v) {
    const Vec3 expected = turn * (asset.tets.positions[v] - Vec3(-1, 0, 0)) + Vec3(-1, 0, 0) + 0.5 * Vec3(0.1, -0.3, 0);
    EXPECT_LT((skin_vertex(skin, v, half) - expected).norm(), 1e-6);
  }
}

TEST(Skin, scaling_an_asset_scales_every_example) {
  Asset asset = bar_asset(2);
  const Skin skin = build_skin(asset);
  scale_asset(asset, 3);
  const Skin scaled = build_skin(asset);
  for (int e = 0; e < 3; ++e) {
    const std::vector<Vec3> a = example_shape(skin, e), b = example_shape(scaled, e);
    for (size_t v = 0; v < a.size(); ++v) EXPECT_LT((3 * a[v] - b[v]).norm(), 1e-5);
  }
}

}  // namespace
}  // namespace crumple
