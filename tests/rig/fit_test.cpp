#include "crumple/rig/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/io/asset_check.h"
#include "crumple/io/paper1_asset.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/fit_align.h"
#include "crumple/rig/fit_bones.h"
#include "crumple/rig/fit_carry.h"
#include "crumple/rig/fit_decompose.h"
#include "crumple/rig/fit_start.h"
#include "crumple/rig/fit_weights.h"
#include "crumple/rig/rigged_body.h"
#include "tests/authors_data.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

/// A bar of 0.2 x 1 x 0.2 m that stands on the origin, without doubled vertices.
TriMesh standing_bar(int across = 5, int along = 25) {
  TetMesh box = lattice_box({0.2, 1, 0.2}, 1, {across, along, across});
  TriMesh surface = io::boundary_surface(box);
  for (Vec3& p : surface.positions) p.y() += 0.5;
  return surface;
}

template <class Map>
FitExample mapped(const TriMesh& rest, const std::string& name, const Map& map) {
  FitExample example{name, {}};
  for (const Vec3& p : rest.positions) example.positions.push_back(map(p));
  return example;
}

Vec3 twisted(const Vec3& p) {
  return Eigen::AngleAxisd(0.5 * std::numbers::pi * p.y(), Vec3::UnitY()) * Vec3(p.x(), 0, p.z()) + Vec3(0, p.y(), 0);
}

/// To a quarter of a circle whose middle line keeps its length.
Vec3 bent(const Vec3& p) {
  const double radius = 2 / std::numbers::pi, angle = 0.5 * std::numbers::pi * p.y();
  return {(radius + p.x()) * std::cos(angle) - radius, (radius + p.x()) * std::sin(angle), p.z()};
}

Vec3 dented(const Vec3& p) {
  const double depth = 0.06 * std::exp(-std::pow((p.y() - 0.6) / 0.15, 2));
  return p - Vec3(p.x() > 0 ? depth : 0.3 * depth, 0, 0);
}

/// Few cells, so that tests take little time.
FitSettings quick(int bones = 0) {
  FitSettings settings;
  settings.bones = bones, settings.cells = 12, settings.lattice.thin_allowed = 1;
  return settings;
}

struct Errors {
  double rms = 0, most = 0;  // over the diagonal
};

/// Measured anew from the asset.
Errors errors_of(const Asset& asset, int example, const std::vector<Vec3>& wanted) {
  const auto body = rig_body(asset);
  const std::vector<Vec3> moved = example_shape(body->skin, example);
  Errors errors;
  for (size_t i = 0; i < wanted.size(); ++i) {
    Vec3 place = Vec3::Zero();
    for (size_t k = 0; k < 4; ++k) {
      place += static_cast<double>(body->embedding.weights[i][k]) *
               moved[static_cast<size_t>(asset.tets.tets[static_cast<size_t>(body->embedding.tet[i])][k])];
    }
    const double error = (place - wanted[i]).norm() / bounds_of(asset.surface.positions).diagonal();
    errors.rms += error * error / static_cast<double>(wanted.size()), errors.most = std::max(errors.most, error);
  }
  errors.rms = std::sqrt(errors.rms);
  return errors;
}

Asset fitted(const TriMesh& rest, const std::vector<FitExample>& examples, const FitSettings& settings, FitReport& report) {
  Result<Asset> asset = fit_rig(rest, examples, settings, report);
  EXPECT_TRUE(asset) << asset.error().text;
  return asset ? std::move(*asset) : Asset{};
}

void expect_refused(const TriMesh& rest, const std::vector<FitExample>& examples, const std::string& part, const FitSettings& settings = {}) {
  FitReport report;
  const Result<Asset> asset = fit_rig(rest, examples, settings, report);
  ASSERT_FALSE(asset);
  EXPECT_EQ(asset.error().kind, Error::Kind::Input);
  EXPECT_NE(asset.error().text.find(part), std::string::npos) << asset.error().text;
}

TEST(Fit, matches_a_twisted_and_bent_bar_with_eight_bones) {
  const TriMesh rest = standing_bar();
  const std::vector<FitExample> examples = {mapped(rest, "twist", twisted), mapped(rest, "bend", bent)};
  const FitSettings settings = quick(8);
  FitReport report;
  const Asset asset = fitted(rest, examples, settings, report);
  ASSERT_EQ(asset.examples.size(), 3u);
  EXPECT_EQ(asset.handles.size(), 8u);
  for (int e = 1; e <= 2; ++e) {
    const Errors errors = errors_of(asset, e, examples[static_cast<size_t>(e) - 1].positions);
    EXPECT_LT(errors.rms, 0.002);  // asked for: 0.005
    EXPECT_LT(errors.most, 0.005);
    EXPECT_NEAR(report.examples[static_cast<size_t>(e) - 1].rms, errors.rms, 1e-6);  // reported is what a file gives
    EXPECT_NEAR(report.examples[static_cast<size_t>(e) - 1].most, errors.most, 1e-5);
  }
}

TEST(Fit, matches_the_authors_drum_with_as_many_bones_as_it_has_handles) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  Result<Asset> drum = io::read_paper1_asset(*data / "examples" / "barrel2");
  ASSERT_TRUE(drum) << drum.error().text;
  scale_asset(*drum, 0.01);
  drum->surface = io::boundary_surface(drum->tets);
  const auto body = rig_body(*drum);
  std::vector<FitExample> examples;
  for (size_t e = 1; e < drum->examples.size(); ++e) {
    std::vector<Vec3f> moved;
    for (const Vec3& p : example_shape(body->skin, static_cast<int>(e))) moved.push_back(p.cast<float>());
    FitExample example{drum->examples[e].name, {}};
    for (const Vec3f& p : carried_surface(*body, moved)) example.positions.push_back(p.cast<double>());
    examples.push_back(example);
  }
  const FitSettings settings = quick(static_cast<int>(drum->handles.size()));
  FitReport report;
  const Asset asset = fitted(drum->surface, examples, settings, report);
  for (size_t e = 0; e < examples.size(); ++e)
    EXPECT_LT(errors_of(asset, static_cast<int>(e) + 1, examples[e].positions).most, 0.002);  // asked for: 0.01
}

TEST(Fit, finds_the_rig_that_made_the_examples) {
  // Two bones with linear weights; its own examples squeeze and turn.
  const Asset maker = bar_asset(4);
  const auto body = rig_body(maker);
  const TriMesh rest = io::boundary_surface(maker.tets);
  std::vector<FitExample> examples;
  for (int e = 1; e <= 2; ++e) {
    const std::vector<Vec3> moved = example_shape(body->skin, e);
    const Embedding places = embed(maker.tets, rest.positions);
    FitExample example{maker.examples[static_cast<size_t>(e)].name, {}};
    for (size_t i = 0; i < rest.positions.size(); ++i) {
      Vec3 place = Vec3::Zero();
      for (size_t k = 0; k < 4; ++k)
        place += static_cast<double>(places.weights[i][k]) * moved[static_cast<size_t>(maker.tets.tets[static_cast<size_t>(places.tet[i])][k])];
      example.positions.push_back(place);
    }
    examples.push_back(example);
  }
  FitReport report;
  FitSettings settings = quick();
  settings.wanted = 0.001;
  const Asset asset = fitted(rest, examples, settings, report);
  EXPECT_EQ(report.bones, 2);
  for (int e = 1; e <= 2; ++e) EXPECT_LT(errors_of(asset, e, examples[static_cast<size_t>(e) - 1].positions).rms, 0.001);
}

TEST(Fit, weights_are_shares_of_few_bones_and_handles_stand_where_their_bones_hold) {
  const TriMesh rest = standing_bar(4, 20);
  FitReport report;
  FitSettings settings = quick(12);
  settings.influences = 3;
  const Asset asset = fitted(rest, {mapped(rest, "twist", twisted), mapped(rest, "dent", dented)}, settings, report);
  size_t kept = 0;
  for (size_t v = 0; v < asset.tets.positions.size(); ++v) {
    double sum = 0;
    int bones = 0;
    for (size_t b = 0; b < asset.handles.size(); ++b) {
      const float weight = asset.weight(v, b);
      EXPECT_TRUE(weight == 0 || (weight >= 9.9e-5f && weight <= 1.0f)) << weight;
      sum += weight, bones += weight != 0;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_LE(bones, 3);
    kept += static_cast<size_t>(bones);
  }
  EXPECT_EQ(kept, report.weights_kept);
  for (size_t b = 0; b < asset.handles.size(); ++b) {
    float greatest = 0, here = 0;
    for (size_t v = 0; v < asset.tets.positions.size(); ++v) {
      greatest = std::max(greatest, asset.weight(v, b));
      if (asset.tets.positions[v] == asset.handles[b].position) here = asset.weight(v, b);
    }
    EXPECT_GE(here, 0.79f * greatest);
    EXPECT_GT(greatest, 0);
  }
}

TEST(Fit, keeps_the_surface_as_it_was_given) {
  // Doubled vertices of creases stay doubled, and a vertex of no triangle stays where it is.
  TriMesh rest = make_box({1, 0.5, 0.5});
  rest.positions.push_back(Vec3(3, 3, 3));
  const FitExample example = mapped(rest, "sheared", [](const Vec3& p) { return Vec3(p.x() + 0.3 * p.y(), p.y(), p.z()); });
  FitReport report;
  const Asset asset = fitted(rest, {example}, quick(), report);
  EXPECT_EQ(asset.surface.triangles, rest.triangles);
  ASSERT_EQ(asset.surface.positions.size(), rest.positions.size());
  for (size_t v = 0; v < rest.positions.size(); ++v) EXPECT_LT((asset.surface.positions[v] - rest.positions[v]).norm(), 1e-6);
  EXPECT_LT(report.examples[0].rms, 0.003);
  EXPECT_TRUE(io::asset_to_glb(asset));
}

TEST(Fit, is_the_same_for_any_number_of_threads) {
  const TriMesh rest = standing_bar(4, 20);
  const std::vector<FitExample> examples = {mapped(rest, "twist", twisted), mapped(rest, "dent", dented)};
  std::string bytes[2];
  const int before = thread_count();
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    FitReport report;
    const FitSettings settings = quick(5);
    const Asset asset = fitted(rest, examples, settings, report);
    Result<std::string> glb = io::asset_to_glb(asset);
    ASSERT_TRUE(glb) << glb.error().text;
    bytes[threads == 3] = *glb;
  }
  set_thread_count(before);
  EXPECT_TRUE(bytes[0] == bytes[1]);
}

TEST(Fit, takes_no_more_bones_than_the_error_asks_for) {
  const TriMesh rest = standing_bar(3, 15);
  const std::vector<FitExample> examples = {mapped(rest, "twist", twisted)};
  FitSettings settings = quick();
  FitReport loose, tight;
  settings.wanted = 0.01;
  fitted(rest, examples, settings, loose);
  settings.wanted = 0.001;
  fitted(rest, examples, settings, tight);
  EXPECT_LE(loose.examples[0].rms, 0.011);
  EXPECT_LE(tight.examples[0].rms, 0.0011);
  EXPECT_LT(loose.bones, tight.bones);
  // One bone fewer than it took is not enough.
  settings.bones = tight.bones - 1;
  FitReport fewer;
  fitted(rest, examples, settings, fewer);
  EXPECT_GT(fewer.examples[0].rms, 0.001);
}

TEST(Fit, takes_out_that_an_example_was_moved_as_a_whole) {
  const TriMesh rest = standing_bar(4, 20);
  Transform motion;
  motion.rotation = Eigen::AngleAxisd(0.8, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  motion.translation = {3, -1, 0.5};
  const std::vector<FitExample> examples = {mapped(rest, "moved dent", [&](const Vec3& p) { return motion * dented(p); })};
  FitReport report;
  const Asset asset = fitted(rest, examples, quick(), report);
  EXPECT_TRUE(report.examples[0].aligned);
  // The dent did not tilt the rest: ends that it does not reach are where they were.
  EXPECT_LT((report.examples[0].motion.rotation - motion.rotation).norm(), 2e-3);
  EXPECT_LT((report.examples[0].motion.inverse() * motion.translation).norm(), 2e-3);
  EXPECT_LT(errors_of(asset, 1, mapped(rest, "", dented).positions).rms, 0.004);
}

TEST(Fit, leaves_a_bend_with_a_fixed_end_as_it_is) {
  const TriMesh rest = standing_bar(4, 20);
  FitReport report;
  const Asset asset = fitted(rest, {mapped(rest, "bend", bent)}, quick(), report);
  EXPECT_FALSE(report.examples[0].aligned);
  EXPECT_LT(errors_of(asset, 1, mapped(rest, "", bent).positions).rms, 0.003);
}

TEST(Fit, leaves_shapes_of_which_no_part_was_moved_rigidly_as_they_are) {
  // Sheared and a little wavy: most of the way is a turn, but no turn puts anything back.
  const TriMesh rest = standing_bar(4, 20);
  const auto sheared = [](const Vec3& p) { return Vec3(p.x() + 0.5 * p.y() + 0.1, p.y() + 0.03 * std::sin(9 * p.y()) + 0.3 * p.z(), p.z() * 1.2); };
  FitReport report;
  fitted(rest, {mapped(rest, "sheared", sheared)}, quick(4), report);
  EXPECT_FALSE(report.examples[0].aligned);
}

TEST(Fit, keeps_a_motion_of_the_whole_if_told_so_and_needs_one_bone_for_it) {
  const TriMesh rest = standing_bar(4, 20);
  const auto moved = [](const Vec3& p) { return Vec3(Eigen::AngleAxisd(1, Vec3::UnitZ()) * p + Vec3(2, 0, 0)); };
  FitSettings settings = quick();
  settings.align = FitSettings::Align::Never;
  FitReport report;
  const Asset asset = fitted(rest, {mapped(rest, "moved", moved)}, settings, report);
  EXPECT_EQ(report.bones, 1);
  EXPECT_LT(errors_of(asset, 1, mapped(rest, "", moved).positions).most, 1e-6);
}

TEST(Fit, leaves_out_examples_that_are_the_rest_shape) {
  const TriMesh rest = standing_bar(4, 20);
  const auto same = [](const Vec3& p) { return p; };
  const auto moved = [](const Vec3& p) { return Vec3(p + Vec3(0, 5, 0)); };
  FitReport report;
  const Asset asset = fitted(
      rest, {mapped(rest, "same", same), mapped(rest, "dent", dented), mapped(rest, "moved", moved), mapped(rest, "dent", twisted)}, quick(), report);
  ASSERT_EQ(asset.examples.size(), 3u);
  EXPECT_EQ(asset.examples[0].name, "rest");
  EXPECT_EQ(asset.examples[1].name, "dent");
  EXPECT_EQ(asset.examples[2].name, "dent 2");
  EXPECT_EQ(report.examples[1].given, 3u);
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_NE(report.warnings[0].find("\"same\" is left out"), std::string::npos);
  EXPECT_NE(report.warnings[1].find("moved as a whole"), std::string::npos);
  expect_refused(rest, {mapped(rest, "same", same)}, "nothing to fit");
}

TEST(Fit, says_which_cells_would_follow_fine_detail) {
  const TriMesh rest = standing_bar(4, 50);
  const auto ripples = [](const Vec3& p) { return Vec3(p.x() + (p.x() > 0.099 ? 0.02 * std::sin(60 * p.y()) : 0), p.y(), p.z()); };
  FitSettings settings;
  settings.cells = 6, settings.lattice.thin_allowed = 1;
  FitReport coarse;
  fitted(rest, {mapped(rest, "ripples", ripples)}, settings, coarse);
  EXPECT_GT(coarse.helpful_cell, 0);
  EXPECT_LT(coarse.helpful_cell, coarse.lattice.cell_size);
  ASSERT_FALSE(coarse.warnings.empty());
  EXPECT_NE(coarse.warnings.back().find("--cells"), std::string::npos);
  settings.cells = 0, settings.bones = 2, settings.most_tets = 12000;
  FitReport chosen;
  fitted(rest, {mapped(rest, "ripples", ripples)}, settings, chosen);
  EXPECT_LT(chosen.lattice.cell_size, coarse.lattice.cell_size);
  EXPECT_LT(chosen.examples[0].cells_rms, coarse.examples[0].cells_rms);
}

TEST(Fit, refuses_what_cannot_be_fitted) {
  const TriMesh rest = standing_bar(3, 10);
  FitExample fewer = mapped(rest, "cut", dented);
  fewer.positions.pop_back();
  expect_refused(
      rest, {fewer},
      "\"cut\" has " + std::to_string(rest.positions.size() - 1) + " vertices, but the rest shape has " + std::to_string(rest.positions.size()));
  FitExample broken = mapped(rest, "broken", dented);
  broken.positions[7].y() = std::numeric_limits<double>::quiet_NaN();
  expect_refused(rest, {broken}, "vertex 7 of example \"broken\"");
  TriMesh lost = rest;
  lost.positions[3].x() = std::numeric_limits<double>::infinity();
  expect_refused(lost, {mapped(rest, "dent", dented)}, "vertex 3 of the rest shape");
  TriMesh torn = rest;
  torn.triangles[5][1] = 100000;
  expect_refused(torn, {mapped(rest, "dent", dented)}, "triangle 5");
  expect_refused(rest, {}, "no examples");
  expect_refused(TriMesh{}, {FitExample{"x", {}}}, "no triangles");
  expect_refused(rest, std::vector<FitExample>(32, mapped(rest, "dent", dented)), "too many");
  FitSettings many;
  many.bones = 1000;
  expect_refused(rest, {mapped(rest, "dent", dented)}, "1000 bones", many);
  TriMesh flat = rest;
  for (Vec3& p : flat.positions) p.z() = 0;
  expect_refused(flat, {mapped(flat, "dent", dented)}, "volume");
  FitSettings still;
  still.align = FitSettings::Align::Never;
  expect_refused(rest, {mapped(rest, "km", [](const Vec3& p) { return Vec3(1e5 * p); })}, "another unit", still);
}

TEST(Fit, stops_when_it_is_told_to) {
  const TriMesh rest = standing_bar(4, 20);
  StopFlag stop;
  FitWatch watch;
  watch.cancel = &stop;
  int stages = 0;
  watch.stage = [&](int stage, const std::string&, double share) {
    stages = std::max(stages, stage);
    if (stage == 2 && share > 0) stop.request();
  };
  FitReport report;
  const Result<Asset> asset = fit_rig(rest, {mapped(rest, "twist", twisted)}, quick(), report, watch);
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().text.find("interrupted"), std::string::npos);
  EXPECT_EQ(stages, 2);
}

TEST(FitParts, the_nearest_rigid_motion_of_a_moved_body_is_that_motion) {
  const TriMesh rest = standing_bar(2, 4);
  const Mat3 turn = Eigen::AngleAxisd(2.5, Vec3(1, 1, 0.3).normalized()).toRotationMatrix();
  std::vector<Vec3> moved;
  for (const Vec3& p : rest.positions) moved.push_back(turn * p + Vec3(1, 2, 3));
  const std::vector<double> counts(moved.size(), 0.7);
  const Transform found = nearest_rigid(rest.positions, moved, counts);
  EXPECT_LT((found.rotation - turn).norm(), 1e-12);
  EXPECT_LT((found.translation - Vec3(1, 2, 3)).norm(), 1e-12);
}

TEST(FitParts, weights_on_the_simplex_are_barycentric_inside_and_nearest_outside) {
  // Three places in a plane: |A w - y|^2 is least at y's barycentric coordinates, or at the nearest point of the triangle.
  const Eigen::Matrix<double, 2, 3> places = (Eigen::Matrix<double, 2, 3>() << 0, 1, 0, 0, 0, 1).finished();
  const auto solve = [&](const Eigen::Vector2d& y) {
    std::array<double, 3> weights = {1, 0, 0};
    BoneMatrix hessian = places.transpose() * places + 1e-12 * Eigen::Matrix3d::Identity();
    BoneVector linear = places.transpose() * y;
    minimize_on_simplex(hessian, linear, 8, weights);
    return weights;
  };
  const auto inside = solve({0.2, 0.3});
  EXPECT_NEAR(inside[0], 0.5, 1e-9);
  EXPECT_NEAR(inside[1], 0.2, 1e-9);
  EXPECT_NEAR(inside[2], 0.3, 1e-9);
  const auto beyond = solve({0.9, 0.7});  // nearest point of x + y = 1: (0.6, 0.4)
  EXPECT_EQ(beyond[0], 0);
  EXPECT_NEAR(beyond[1], 0.6, 1e-9);
  const auto corner = solve({3, -5});
  EXPECT_EQ(corner[1], 1);
}

TEST(FitParts, weights_on_the_simplex_fulfil_the_conditions_of_a_minimum) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + random.below(30), rows = 1 + random.below(12);
    Eigen::MatrixXd a(rows, n);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < n; ++j) a(i, j) = random.range(-1, 1);
    }
    BoneMatrix hessian = a.transpose() * a + 1e-6 * Eigen::MatrixXd::Identity(n, n);
    BoneVector linear(n);
    for (int j = 0; j < n; ++j) linear[j] = random.range(-1, 1);
    std::vector<double> weights(static_cast<size_t>(n), 1.0 / n);
    minimize_on_simplex(hessian, linear, n, weights);
    const Eigen::Map<Eigen::VectorXd> w(weights.data(), n);
    EXPECT_NEAR(w.sum(), 1, 1e-12);
    EXPECT_GE(w.minCoeff(), 0);
    // Slopes are equal where weights are above zero and not smaller elsewhere.
    const Eigen::VectorXd slope = hessian * w - linear;
    const double level = slope.dot(w);
    for (int j = 0; j < n; ++j) {
      EXPECT_GE(slope[j], level - 1e-7);
      if (w[j] > 1e-7) {
        EXPECT_NEAR(slope[j], level, 1e-7);
      }
    }
  }
}

/// Points of a box's surface carried by its tetrahedra.
struct Carried {
  TetMesh mesh = lattice_box({1, 0.5, 0.5}, 1, {8, 4, 4});
  std::vector<Vec3> points;
  std::vector<Tetrahedron> corners;
  std::vector<std::array<double, 4>> shares;
  std::vector<double> counts;
  Carried() {
    points = io::boundary_surface(lattice_box({0.98, 0.47, 0.49}, 1, {7, 5, 5})).positions;
    const Embedding places = embed(mesh, points);
    for (size_t i = 0; i < points.size(); ++i) {
      corners.push_back(mesh.tets[static_cast<size_t>(places.tet[i])]);
      shares.emplace_back();
      for (size_t k = 0; k < 4; ++k) shares.back()[k] = places.weights[i][k];
      // Exactly where the rounded shares put it.
      points[i].setZero();
      for (size_t k = 0; k < 4; ++k) points[i] += shares[i][k] * mesh.positions[static_cast<size_t>(corners[i][k])];
      counts.push_back(1.0 / static_cast<double>(points.size()));
    }
  }
};

TEST(FitParts, affine_motions_of_the_surface_are_carried_to_every_vertex_exactly) {
  const Carried body;
  const Mat3 stretch = (Mat3() << 1.2, 0.3, 0, -0.4, 0.9, 0.1, 0, 0.2, 0.7).finished();
  std::vector<Vec3> shapes;
  for (const Vec3& p : body.points) shapes.push_back(stretch * p + Vec3(1, 2, 3)), shapes.push_back(p + Vec3(0, 0, 1));
  const Result<std::vector<Vec3>> moved = carry_to_tets(body.mesh, body.corners, body.shares, body.counts, body.points, shapes, 2);
  ASSERT_TRUE(moved);
  for (size_t v = 0; v < body.mesh.positions.size(); ++v) {
    EXPECT_LT(((*moved)[2 * v] - (stretch * body.mesh.positions[v] + Vec3(1, 2, 3))).norm(), 1e-6);
    EXPECT_LT(((*moved)[2 * v + 1] - (body.mesh.positions[v] + Vec3(0, 0, 1))).norm(), 1e-6);
  }
}

TEST(FitParts, smooth_shapes_are_carried_nearly) {
  const Carried body;
  std::vector<Vec3> shapes;
  for (const Vec3& p : body.points) shapes.push_back(twisted(p));
  const Result<std::vector<Vec3>> moved = carry_to_tets(body.mesh, body.corners, body.shares, body.counts, body.points, shapes, 1);
  ASSERT_TRUE(moved);
  double most = 0;
  for (size_t v = 0; v < body.mesh.positions.size(); ++v) most = std::max(most, ((*moved)[v] - twisted(body.mesh.positions[v])).norm());
  EXPECT_LT(most, 0.03);  // inner vertices, which no point says anything about; they went up to 0.35
  for (size_t i = 0; i < body.points.size(); ++i) {
    Vec3 place = Vec3::Zero();
    for (size_t k = 0; k < 4; ++k) place += body.shares[i][k] * (*moved)[static_cast<size_t>(body.corners[i][k])];
    EXPECT_LT((place - shapes[i]).norm(), 0.004);
  }
}

/// A problem whose surface is all vertices of a box, made by `bones` known bones.
FitProblem made_by(const Decomposition& maker, const TetMesh& mesh, int examples) {
  FitProblem problem;
  problem.examples = examples;
  problem.rest = mesh.positions;
  problem.pull.assign(mesh.positions.size(), 0.03 / static_cast<double>(mesh.positions.size()));
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    problem.corners.push_back(mesh.tets[t]);
    problem.shares.push_back({0.4, 0.3, 0.2, 0.1});
    problem.importance.push_back(1.0 / static_cast<double>(mesh.tets.size()));
  }
  link_problem(problem, mesh.tets);
  Decomposition made = maker;
  move_all(problem, made);
  problem.goals = made.moved, problem.shapes = made.surface;
  return problem;
}

/// Three bones along x with smooth weights that turn and move in three examples.
Decomposition three_bones(const TetMesh& mesh) {
  Decomposition maker;
  maker.bones = 3;
  for (int b = 0; b < 3; ++b) {
    for (int e = 0; e < 3; ++e) {
      Transform motion;
      motion.rotation =
          Eigen::AngleAxisd(0.7 * std::sin(1 + 3 * b + 5 * e), Vec3(std::cos(b), std::sin(2.0 * e), 0.5).normalized()).toRotationMatrix();
      motion.translation = 0.1 * Vec3(std::sin(b + e), std::cos(2 * b + 3 * e), std::sin(3.0 * b - e));
      maker.motions.push_back(motion);
    }
  }
  for (const Vec3& p : mesh.positions) {
    const double right = 0.5 + 0.5 * std::sin(std::numbers::pi * std::clamp(p.x(), -0.5, 0.5)), left = 1 - right;
    for (const double weight : {left * left, 2 * left * right, right * right}) maker.weights.push_back(weight);
  }
  return maker;
}

TEST(FitParts, motions_are_recovered_when_weights_are_known) {
  const TetMesh mesh = lattice_box({1, 0.4, 0.4}, 1, {8, 3, 3});
  const Decomposition maker = three_bones(mesh);
  const FitProblem problem = made_by(maker, mesh, 3);
  Decomposition state = maker;
  state.motions.assign(9, Transform{});
  const FitTerms plain = {0, 0, 8};
  improve_motions(problem, plain, 100, state);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_LT((state.motions[i].rotation - maker.motions[i].rotation).norm(), 1e-6);
    EXPECT_LT((state.motions[i].translation - maker.motions[i].translation).norm(), 1e-6);
  }
  EXPECT_LT(surface_rms(problem, state), 1e-7);
}

TEST(FitParts, the_summed_error_is_the_error) {
  const TetMesh mesh = lattice_box({1, 0.4, 0.4}, 1, {6, 3, 3});
  const FitProblem problem = made_by(three_bones(mesh), mesh, 3);
  Decomposition state = start_from_parts(problem, 2, 0);
  for (size_t v = 0; v < mesh.positions.size(); ++v) state.row(v)[0] = 0.3, state.row(v)[1] = 0.7;
  move_all(problem, state);
  const FitTerms terms = {0, 0.25, 8};
  double error = 0;
  for (size_t p = 0; p < problem.points(); ++p)
    error += problem.importance[p] * (state.surface[problem.at(p, 1)] - problem.shapes[problem.at(p, 1)]).squaredNorm();
  for (size_t v = 0; v < problem.vertices(); ++v) {
    const Vec3& goal = problem.goals[problem.at(v, 1)];
    double hold = problem.pull[v];
    for (int k = problem.point_first[v]; k < problem.point_first[v + 1]; ++k)
      hold += problem.importance[static_cast<size_t>(problem.point[static_cast<size_t>(k)])] * std::pow(problem.share[static_cast<size_t>(k)], 2);
    error += problem.pull[v] * (state.moved[problem.at(v, 1)] - goal).squaredNorm();
    for (int b = 0; b < 2; ++b)
      error += 0.25 * hold * state.row(v)[static_cast<size_t>(b)] * (state.motion(b, 1, 3) * problem.rest[v] - goal).squaredNorm();
  }
  EXPECT_NEAR(motions_error(problem, terms, state, 1), error, 1e-12);
}

TEST(FitParts, a_sweep_of_weights_and_better_motions_never_raise_the_error) {
  const TetMesh mesh = lattice_box({1, 0.4, 0.4}, 1, {8, 3, 3});
  const FitProblem problem = made_by(three_bones(mesh), mesh, 3);
  Decomposition state = start_from_parts(problem, 3, 0);
  const FitTerms terms = {0, 1e-3, 8};
  const auto error = [&] {
    return motions_error(problem, terms, state, 0) + motions_error(problem, terms, state, 1) + motions_error(problem, terms, state, 2);
  };
  double now = error();
  for (int round = 0; round < 10; ++round) {
    sweep_weights(problem, terms, state);
    EXPECT_LE(error(), now * (1 + 1e-9));
    now = error();
    // What the sweep keeps up to date is what the weights say.
    Decomposition anew = state;
    move_all(problem, anew);
    for (size_t i = 0; i < anew.surface.size(); ++i) EXPECT_LT((anew.surface[i] - state.surface[i]).norm(), 1e-12);
    improve_motions(problem, terms, 3, state);
    EXPECT_LE(error(), now * (1 + 1e-9));
    now = error();
  }
}

TEST(FitParts, data_from_three_bones_are_matched_by_three_bones) {
  const TetMesh mesh = lattice_box({1, 0.4, 0.4}, 1, {10, 4, 4});
  const FitProblem problem = made_by(three_bones(mesh), mesh, 3);
  DecomposeSettings settings;
  settings.bones = 3;
  const Decomposition found = decompose(problem, settings);
  ASSERT_EQ(found.bones, 3);
  EXPECT_LT(surface_rms(problem, found), 0.001);
}

TEST(FitParts, bones_that_hold_nothing_start_again_where_the_error_is) {
  const TetMesh mesh = lattice_box({1, 0.4, 0.4}, 1, {8, 3, 3});
  const FitProblem problem = made_by(three_bones(mesh), mesh, 3);
  Decomposition state = start_from_parts(problem, 2, 0);
  add_bone(problem, state);
  EXPECT_EQ(state.bones, 3);
  state.motions[6].translation = Vec3(100, 0, 0);  // of no use anywhere
  EXPECT_EQ(reseed_bones(problem, state), 1);
  EXPECT_EQ(state.bones, 3);
  const double before = surface_rms(problem, state);
  sweep_weights(problem, {}, state);
  EXPECT_LT(surface_rms(problem, state), before);
  double held = 0;
  for (size_t v = 0; v < problem.vertices(); ++v) held += state.row(v)[2];
  EXPECT_GT(held, 1);
}

}  // namespace
}  // namespace crumple
