#include "crumple/rig/pose.h"

#include <numbers>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/pose_clusters.h"
#include "crumple/rig/pose_energy.h"
#include "crumple/rig/pose_rotation.h"
#include "crumple/rig/skin.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

/// A lopsided block with a handle at each corner and one in the middle; weights fall off with the distance and are 1 at their handle.
Asset block_asset() {
  Asset asset;
  asset.name = "block";
  asset.tets = lattice_box({2, 1, 0.7}, 4, {6, 4, 3});
  for (Vec3& p : asset.tets.positions) p += Vec3(0.1 * p.y() * p.y(), 0.2 * p.x() * p.z(), 0.05 * p.x()) + Vec3(3, -1, 2);
  const size_t corners[] = {0, 6, 28, 34, 3 * 35, 3 * 35 + 6, 3 * 35 + 28, 3 * 35 + 34, 35 + 2 * 7 + 3};
  for (const size_t c : corners) asset.handles.push_back({"h" + std::to_string(asset.handles.size()), asset.tets.positions[c]});
  for (const Vec3& p : asset.tets.positions) {
    std::vector<double> row;
    double sum = 0;
    for (const Handle& handle : asset.handles) sum += row.emplace_back(1 / (1e-6 + std::pow((p - handle.position).norm(), 3)));
    for (const double weight : row) asset.weights.push_back(static_cast<float>(weight / sum));
  }
  asset.examples = {{"rest", std::vector<HandleTransform>(asset.handles.size())}};
  asset.surface.positions = asset.tets.positions;
  asset.surface.triangles = boundary_faces(asset.tets);
  return asset;
}

Quat about(const Vec3& axis, double angle) {
  return Quat(Eigen::AngleAxisd(angle, axis.normalized()));
}

Vec3 place_of(const Asset& asset, const std::vector<HandleTransform>& pose, size_t b) {
  return pose[b].rotation * asset.handles[b].position + pose[b].translation;
}

/// Goals of all handles for one rigid motion.
std::vector<PoseGoal> rigid_goals(const Asset& asset, const Quat& turn, const Vec3& shift) {
  std::vector<PoseGoal> goals;
  for (size_t b = 0; b < asset.handles.size(); ++b) {
    const Vec3& at = asset.handles[b].position;
    goals.push_back({static_cast<int>(b), turn * at + shift - at, {}, false});
  }
  return goals;
}

double angle_between(const Quat& a, const Quat& b) {
  return 2 * (a.conjugate() * b).vec().norm();  // small angles, without the noise of acos
}

HandlePlaces random_places(const Asset& asset, Random& random) {
  HandlePlaces at;
  const auto vector = [&](double size) { return Vec3(random.range(-size, size), random.range(-size, size), random.range(-size, size)); };
  for (const Handle& handle : asset.handles) {
    at.turn.push_back(rotation_by(vector(0.5)));
    at.place.push_back(handle.position + vector(0.2));
  }
  return at;
}

PoseFreedom all_free(size_t handles) {
  PoseFreedom free;
  for (size_t b = 0; b < handles; ++b) free.turn.push_back(6 * static_cast<int>(b)), free.place.push_back(6 * static_cast<int>(b) + 3);
  free.count = 6 * static_cast<int>(handles);
  return free;
}

HandlePlaces changed(HandlePlaces at, const Eigen::VectorXd& by) {
  for (size_t b = 0; b < at.turn.size(); ++b) {
    const auto row = static_cast<Eigen::Index>(6 * b);
    at.turn[b] = rotation_by(by.segment<3>(row)) * at.turn[b];
    at.place[b] += by.segment<3>(row + 3);
  }
  return at;
}

TEST(Pose, the_nearest_rotation_is_no_reflection_and_no_other_is_nearer) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    Mat3 m;
    for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = random.range(-1, 1);
    if (i % 5 == 0) m.col(2) = 0.3 * m.col(0) - m.col(1);  // flat
    if (i % 7 == 0) m *= 1e-12;
    const Mat3 r = nearest_rotation(m, i % 2 ? Mat3::Identity() : rotation_by({1, 2, 0.5}));
    EXPECT_LT((r * r.transpose() - Mat3::Identity()).norm(), 1e-12);
    EXPECT_NEAR(r.determinant(), 1, 1e-12);
    EXPECT_LT(skew_vector(m * r.transpose()).norm(), 1e-9 * m.norm());
    for (int j = 0; j < 20; ++j) {
      const Mat3 other = rotation_by({random.range(-3, 3), random.range(-3, 3), random.range(-3, 3)}) * r;
      EXPECT_LE(other.cwiseProduct(m).sum(), r.cwiseProduct(m).sum() + 1e-12 * m.norm());
    }
  }
}

TEST(Pose, a_matrix_without_direction_leaves_the_rotation_as_it_was) {
  const Mat3 guess = rotation_by({0.3, -0.2, 1});
  EXPECT_EQ(nearest_rotation(Mat3::Zero(), guess), guess);
  const Vec3 x = Vec3::UnitX();
  EXPECT_LT((nearest_rotation(x * x.transpose()) - Mat3::Identity()).norm(), 1e-3);  // may turn about x: as little as possible
}

TEST(Pose, clusters_cover_all_tetrahedra_and_none_is_empty) {
  const Asset asset = block_asset();
  for (const int count : {1, 7, 50, 100000}) {
    const std::vector<int> cluster = cluster_elements(asset, count);
    ASSERT_EQ(cluster.size(), asset.tets.tets.size());
    const int used = *std::max_element(cluster.begin(), cluster.end()) + 1;
    EXPECT_EQ(used, std::min<int>(count, static_cast<int>(asset.tets.tets.size())));
    for (int k = 0; k < used; ++k) EXPECT_TRUE(std::count(cluster.begin(), cluster.end(), k) > 0);
  }
}

TEST(Pose, the_energy_is_what_its_sum_over_tetrahedra_says) {
  // One tetrahedron a cluster: sum of V |F - R|^2, with F by differences of skinned positions. Turns are alike, so they agree.
  const Asset asset = block_asset();
  const PoseEnergy energy(asset, 1000000);
  ASSERT_EQ(energy.clusters(), asset.tets.tets.size());
  Random random(4);
  HandlePlaces at = random_places(asset, random);
  for (Mat3& turn : at.turn) turn = at.turn[0];
  std::vector<HandleTransform> pose;
  for (size_t b = 0; b < at.turn.size(); ++b) pose.push_back({Quat(at.turn[b]), at.place[b] - at.turn[b] * asset.handles[b].position});
  const std::vector<Vec3> moved = posed_positions(asset, pose);
  double sum = 0, volume = 0;
  for (const Tetrahedron& tet : asset.tets.tets) {
    Mat3 rest, now;
    for (int k = 0; k < 3; ++k) {
      rest.col(k) = asset.tets.positions[static_cast<size_t>(tet[static_cast<size_t>(k) + 1])] - asset.tets.positions[static_cast<size_t>(tet[0])];
      now.col(k) = moved[static_cast<size_t>(tet[static_cast<size_t>(k) + 1])] - moved[static_cast<size_t>(tet[0])];
    }
    const Mat3 f = now * rest.inverse();
    sum += rest.determinant() / 6 * (f - nearest_rotation(f)).squaredNorm();
    volume += rest.determinant() / 6;
  }
  std::vector<Mat3> rotations;
  EXPECT_NEAR(energy.evaluate(at, rotations), sum / volume, 1e-6 * sum / volume);
}

TEST(Pose, gradient_and_hessian_equal_finite_differences) {
  const Asset asset = block_asset();
  const PoseEnergy energy(asset, 40);
  Random random(5);
  const HandlePlaces at = random_places(asset, random);
  const PoseFreedom free = all_free(asset.handles.size());
  std::vector<Mat3> rotations;
  energy.evaluate(at, rotations);
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
  energy.derivatives(at, rotations, free, gradient, hessian);
  EXPECT_LT((hessian - hessian.transpose()).norm(), 1e-10 * hessian.norm());
  const auto along = [&](const Eigen::VectorXd& by) {
    std::vector<Mat3> guess = rotations;
    return energy.evaluate(changed(at, by), guess);
  };
  for (int i = 0; i < 30; ++i) {
    Eigen::VectorXd direction(free.count);
    for (Eigen::Index k = 0; k < direction.size(); ++k) direction[k] = random.range(-1, 1);
    if (i < 15) direction = Eigen::VectorXd::Unit(free.count, random.below(free.count));
    const double h = 1e-4, up = along(h * direction), down = along(-h * direction), middle = along(0 * direction);
    const double slope = gradient.dot(direction), bend = direction.dot(hessian * direction);
    EXPECT_NEAR((up - down) / (2 * h), slope, 1e-6 * gradient.norm() * direction.norm());
    EXPECT_NEAR((up - 2 * middle + down) / (h * h), bend, 1e-5 * hessian.norm() * direction.squaredNorm());
  }
}

TEST(Pose, a_rigid_motion_of_all_handles_is_that_motion_and_costs_nothing) {
  const Asset asset = block_asset();
  const Poser poser(asset);
  for (const double angle : {0.0, 0.4, 1.7, 3.1}) {
    const Quat turn = about({1, -2, 0.5}, angle);
    const Vec3 shift(0.3, 1, -2);
    PoseReport report;
    const std::vector<HandleTransform> pose = poser.solve(rigid_goals(asset, turn, shift), {}, {}, &report);
    EXPECT_NEAR(report.energy, 0, 1e-12);
    EXPECT_TRUE(report.converged);
    for (const HandleTransform& to : pose) {
      EXPECT_LT(angle_between(to.rotation, turn), 1e-6);
      EXPECT_LT((to.translation - shift).norm(), 1e-5);
    }
  }
}

TEST(Pose, without_goals_nothing_moves) {
  const Asset asset = block_asset();
  const Poser poser(asset);
  std::vector<PoseGoal> free;
  for (int b = 0; b < static_cast<int>(asset.handles.size()); ++b) free.push_back({b, Vec3(1, 2, 3), {}, true});
  for (const std::vector<PoseGoal>& goals : {std::vector<PoseGoal>{}, free}) {
    PoseReport report;
    for (const HandleTransform& to : poser.solve(goals, {}, {}, &report)) {
      EXPECT_LT(angle_between(to.rotation, Quat::Identity()), 1e-9);
      EXPECT_LT(to.translation.norm(), 1e-9);
    }
    EXPECT_TRUE(report.converged);
  }
}

TEST(Pose, free_handles_follow_one_that_moves_or_turns) {
  const Asset asset = block_asset();
  const Poser poser(asset);
  std::vector<PoseGoal> goals;
  for (int b = 0; b < static_cast<int>(asset.handles.size()); ++b) goals.push_back({b, Vec3::Zero(), {}, b != 2});
  goals[2].move = {0.5, 0.2, -0.1};
  PoseReport report;
  for (const HandleTransform& to : poser.solve(goals, {}, {}, &report)) {
    EXPECT_LT(angle_between(to.rotation, Quat::Identity()), 1e-6);
    EXPECT_LT((to.translation - goals[2].move).norm(), 1e-5);
  }
  goals[2].turn = about({0, 1, 1}, 1.2);  // the whole body turns about it
  const std::vector<HandleTransform> pose = poser.solve(goals, {}, {}, &report);
  EXPECT_NEAR(report.energy, 0, 1e-9);
  for (const HandleTransform& to : pose) EXPECT_LT(angle_between(to.rotation, *goals[2].turn), 1e-4);
  EXPECT_LT((place_of(asset, pose, 2) - asset.handles[2].position - goals[2].move).norm(), 1e-12);
}

TEST(Pose, a_stretched_bar_turns_with_the_line_between_its_ends) {
  // Both ends turn alike by symmetry, so F = R (1 - x x^T) + d x^T / L everywhere: least where R x points along the chord d, and the
  // energy is then (|d| / L - 1)^2.
  const Asset asset = bar_asset(2);
  const Poser poser(asset);
  for (const double angle : {0.3, 1.0, 2.0}) {
    for (const double stretch : {1.0, 1.25}) {
      const Vec3 chord = stretch * 2 * Vec3(std::cos(angle), std::sin(angle), 0);
      const PoseGoal goals[] = {{0, Vec3(0.1, 0, 0), {}, false}, {1, Vec3(-0.9, 0, 0) + chord - Vec3(1, 0, 0), {}, false}};
      PoseReport report;
      const std::vector<HandleTransform> pose = poser.solve(goals, {}, {}, &report);
      EXPECT_NEAR(report.energy, (stretch - 1) * (stretch - 1), 1e-9);
      for (const HandleTransform& to : pose) EXPECT_LT(angle_between(to.rotation, about(Vec3::UnitZ(), angle)), 1e-4);
    }
  }
}

TEST(Pose, ends_bent_up_turn_by_opposite_angles) {
  // A third handle in the middle of the bar stays; both ends go up: mirror images.
  Asset asset = bar_asset(2);
  asset.handles = {{"left", {-1, 0, 0}}, {"middle", {0, 0, 0}}, {"right", {1, 0, 0}}};
  asset.weights.clear();
  for (const Vec3& p : asset.tets.positions) {
    const auto left = static_cast<float>(std::max(0.0, -p.x())), right = static_cast<float>(std::max(0.0, p.x()));
    asset.weights.insert(asset.weights.end(), {left, 1 - left - right, right});
  }
  const PoseGoal goals[] = {{0, Vec3(0.05, 0.4, 0), {}, false}, {2, Vec3(-0.05, 0.4, 0), {}, false}};
  PoseSettings fine;
  fine.tolerance = 1e-9;
  PoseReport report;
  const std::vector<HandleTransform> pose = Poser(asset).solve(goals, {}, fine, &report);
  const auto z_angle = [&](size_t b) { return 2 * std::atan2(pose[b].rotation.z(), pose[b].rotation.w()); };
  EXPECT_TRUE(report.converged);
  EXPECT_NEAR(z_angle(0), -z_angle(2), 0.01);  // the lattice's diagonals are no mirror images
  EXPECT_NEAR(z_angle(1), 0, 0.01);
  EXPECT_GT(z_angle(2), 0.3);  // the slope from the middle to the end is 0.4
  EXPECT_LT(z_angle(2), 0.7);
}

TEST(Pose, given_turns_and_places_are_kept_exactly) {
  const Asset asset = block_asset();
  const Quat turn = about({1, 1, 0}, 0.8);
  const PoseGoal goals[] = {{1, Vec3(0.2, 0.3, -0.1), turn, false}, {4, Vec3(-0.1, 0, 0.3), {}, false}, {6, Vec3::Zero(), {}, true}};
  PoseReport report;
  const std::vector<HandleTransform> pose = Poser(asset).solve(goals, {}, {}, &report);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(angle_between(pose[1].rotation, turn), 1e-12);
  for (size_t b = 0; b < pose.size(); ++b) {
    EXPECT_NEAR(pose[b].rotation.norm(), 1, 1e-14);
    const Vec3 move = b == 1 ? goals[0].move : b == 4 ? goals[1].move : Vec3(Vec3::Zero());
    EXPECT_TRUE(b == 6 || (place_of(asset, pose, b) - asset.handles[b].position - move).norm() < 1e-13);
  }
  EXPECT_GT((place_of(asset, pose, 6) - asset.handles[6].position).norm(), 1e-4);  // the free one has followed
}

TEST(Pose, the_energy_never_rises_and_nothing_is_left_to_gain) {
  const Asset asset = block_asset();
  Random random(6);
  for (int i = 0; i < 20; ++i) {
    std::vector<PoseGoal> goals;
    for (int b = 0; b < 4; ++b) goals.push_back({b, Vec3(random.range(-0.6, 0.6), random.range(-0.6, 0.6), random.range(-0.6, 0.6)), {}, b == 3});
    PoseReport report;
    PoseSettings settings;
    settings.tolerance = 1e-8;
    const std::vector<HandleTransform> pose = Poser(asset).solve(goals, {}, settings, &report);
    EXPECT_TRUE(report.converged) << i;
    EXPECT_EQ(report.energies.back(), report.energy);
    for (size_t r = 1; r < report.energies.size(); ++r) EXPECT_LE(report.energies[r], report.energies[r - 1]);
    HandlePlaces at;
    PoseFreedom free;
    for (size_t b = 0; b < pose.size(); ++b) {
      at.turn.push_back(pose[b].rotation.toRotationMatrix()), at.place.push_back(place_of(asset, pose, b));
      free.turn.push_back(3 * static_cast<int>(b)), free.place.push_back(-1);
    }
    free.place[3] = 3 * static_cast<int>(pose.size());
    free.count = free.place[3] + 3;
    const PoseEnergy energy(asset);
    std::vector<Mat3> rotations;
    EXPECT_NEAR(energy.evaluate(at, rotations), report.energy, 1e-12);
    Eigen::VectorXd gradient;
    Eigen::MatrixXd hessian;
    energy.derivatives(at, rotations, free, gradient, hessian);
    EXPECT_LT(gradient.norm(), 1e-6);
  }
}

TEST(Pose, moving_or_turning_the_world_moves_or_turns_the_pose) {
  const Asset asset = block_asset();
  const Poser poser(asset);
  const std::vector<PoseGoal> goals = {{0, Vec3(0.2, 0.1, 0.1), {}, false}, {7, Vec3(-0.3, -0.2, 0.1), {}, false}, {5, Vec3::Zero(), {}, true}};
  PoseSettings fine;
  fine.tolerance = 1e-10;
  const std::vector<HandleTransform> plain = poser.solve(goals, {}, fine);
  for (const Quat& turn : {Quat::Identity(), about({1, 2, 3}, 0.7)}) {
    const Vec3 shift(-1, 0.5, 2);
    std::vector<PoseGoal> moved = rigid_goals(asset, turn, shift);
    for (const PoseGoal& goal : goals) {
      PoseGoal& same = moved[static_cast<size_t>(goal.handle)];
      same.move += turn * goal.move, same.free = goal.free;
    }
    const std::vector<HandleTransform> pose = poser.solve(moved, {}, fine);
    for (size_t b = 0; b < pose.size(); ++b) {
      EXPECT_LT(angle_between(pose[b].rotation, turn * plain[b].rotation), 1e-6);
      EXPECT_LT((pose[b].translation - (turn * plain[b].translation + shift)).norm(), 1e-5);
    }
  }
}

TEST(Pose, a_drag_ends_where_one_move_ends) {
  const Asset asset = block_asset();
  const Poser poser(asset);
  PoseSettings fine;
  fine.tolerance = 1e-10;
  const auto goal = [](double share) { return PoseGoal{6, share * Vec3(-0.3, 0.25, 0.1), {}, false}; };
  std::vector<HandleTransform> dragged;
  for (int i = 1; i <= 10; ++i) {
    const PoseGoal now = goal(0.1 * i);
    dragged = poser.solve({&now, 1}, dragged, fine);
  }
  const PoseGoal end = goal(1);
  const std::vector<HandleTransform> once = poser.solve({&end, 1}, {}, fine);
  for (size_t b = 0; b < once.size(); ++b) EXPECT_LT(angle_between(once[b].rotation, dragged[b].rotation), 1e-6);
}

TEST(Pose, is_the_same_for_any_number_of_threads_and_in_every_run) {
  const Asset asset = block_asset();
  const PoseGoal goals[] = {{0, Vec3(0.2, 0.1, 0.1), {}, false}, {5, Vec3(-0.3, -0.2, 0.1), {}, false}};
  const int before = thread_count();
  std::vector<std::vector<HandleTransform>> poses;
  for (const int threads : {1, 2, 3, 1}) {
    set_thread_count(threads);
    poses.push_back(Poser(asset).solve(goals));
  }
  set_thread_count(before);
  for (const auto& pose : poses) {
    for (size_t b = 0; b < pose.size(); ++b) {
      EXPECT_EQ(pose[b].rotation.coeffs(), poses[0][b].rotation.coeffs());
      EXPECT_EQ(pose[b].translation, poses[0][b].translation);
    }
  }
}

TEST(Pose, goes_through_a_file_and_is_what_the_simulation_skins) {
  Asset asset = block_asset();
  const PoseGoal goals[] = {{0, Vec3(0.3, 0.2, 0.1), {}, false}};
  asset.examples.push_back({"pressed", Poser(asset).solve(goals)});
  const auto folder = std::filesystem::path(testing::TempDir()) / "crumple_pose_test.glb";
  const Result<void> written = io::write_asset(asset, folder);
  ASSERT_TRUE(written) << written.error().text;
  const Result<Asset> back = io::read_asset(folder);
  std::filesystem::remove(folder);
  ASSERT_TRUE(back) << back.error().text;
  ASSERT_EQ(back->examples.size(), 2u);
  EXPECT_EQ(back->examples[1].name, "pressed");
  const std::vector<Vec3> expected = posed_positions(asset, asset.examples[1].handles), skinned = example_shape(build_skin(*back), 1);
  for (size_t v = 0; v < expected.size(); ++v) EXPECT_LT((expected[v] - skinned[v]).norm(), 5e-6);
  for (size_t b = 0; b < asset.handles.size(); ++b)
    EXPECT_LT(angle_between(asset.examples[1].handles[b].rotation, back->examples[1].handles[b].rotation), 1e-6);
  // Half way too.
  const Skin skin = build_skin(*back);
  const std::vector<Vec3> half = posed_positions(asset, asset.examples[1].handles, 0.5);
  const std::vector<double> weights = {0.5, 0.5};
  for (int v = 0; v < skin.vertices; ++v) EXPECT_LT((half[static_cast<size_t>(v)] - skin_vertex(skin, v, weights)).norm(), 5e-6);
}

TEST(Pose, its_effect_is_measured) {
  const Asset asset = bar_asset(2);
  const auto turned = [](double angle) { return HandleTransform{about(Vec3::UnitX(), angle), Vec3::Zero()}; };
  HandleTransform shift;
  shift.translation = {-1, 0, 0};
  // One end moves half the bar's length inwards: half the volume is gone, nothing is inside out; at twice the length everything is.
  PoseEffect effect = measure_pose(asset, std::vector<HandleTransform>{HandleTransform{}, shift});
  EXPECT_NEAR(effect.farthest, 1, 1e-6);
  EXPECT_NEAR(effect.volume_change, -0.5, 1e-6);
  EXPECT_EQ(effect.inside_out, 0u);
  EXPECT_EQ(effect.largest_turn, 0);
  shift.translation = {-3, 0, 0};
  effect = measure_pose(asset, std::vector<HandleTransform>{HandleTransform{}, shift});
  EXPECT_NEAR(effect.volume_change, -1.5, 1e-6);
  EXPECT_EQ(effect.inside_out, asset.tets.tets.size());
  EXPECT_EQ(effect.inside_out_halfway, 0u);
  effect = measure_pose(asset, std::vector<HandleTransform>{turned(0), turned(-1.5)});
  EXPECT_NEAR(effect.largest_turn, 1.5, 1e-9);
  EXPECT_EQ(effect.turns_most, 1);
}

TEST(Pose, large_moves_do_not_fold_the_body) {
  const Asset asset = block_asset();
  const Poser poser(asset);
  const double diagonal = bounds_of(asset.tets.positions).diagonal();
  for (const Vec3& way : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, -1), Vec3(0.6, 0.7, 0.2)}) {
    std::vector<PoseGoal> goals;  // the half at high x goes half a diagonal
    for (int b = 0; b < 8; ++b) {
      if (b % 2 == 1) goals.push_back({b, 0.5 * diagonal * way, {}, false});
    }
    PoseReport report;
    const std::vector<HandleTransform> pose = poser.solve(goals, {}, {}, &report);
    EXPECT_TRUE(report.converged);
    EXPECT_LT(measure_pose(asset, pose).largest_turn, std::numbers::pi / 2);
    const std::vector<Vec3> moved = posed_positions(asset, pose);
    for (const Vec3& p : moved) EXPECT_TRUE(p.allFinite());
  }
}

TEST(Pose, goals_that_make_no_sense_are_refused_by_name_and_left_out) {
  const Asset asset = block_asset();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const PoseGoal wrong[] = {{-1, Vec3::Zero(), {}, false},
                            {9, Vec3::Zero(), {}, false},
                            {1, Vec3(0, nan, 0), {}, false},
                            {1, Vec3(1e4, 0, 0), {}, false},
                            {1, Vec3::Zero(), Quat(0, 0, 0, 0), false},
                            {1, Vec3::Zero(), Quat(nan, 0, 0, 0), false}};
  const Poser poser(asset);
  for (const PoseGoal& goal : wrong) {
    EXPECT_FALSE(check_goals(asset, {&goal, 1}));
    for (const HandleTransform& to : poser.solve({&goal, 1})) EXPECT_LT(to.translation.norm(), 1e-9);
  }
  const PoseGoal fine = {8, Vec3(0.1, 0, 0), about({0, 1, 0}, 1), false};
  EXPECT_TRUE(check_goals(asset, {&fine, 1}));
  EXPECT_NE(check_goals(asset, {&wrong[3], 1}).error().text.find("\"h1\""), std::string::npos);
}

TEST(Pose, handles_without_weight_and_bodies_of_one_handle_are_no_trouble) {
  Asset asset = block_asset();
  const size_t handles = asset.handles.size();
  for (size_t v = 0; v < asset.tets.positions.size(); ++v) {  // the last handle holds nothing
    asset.weights[v * handles] += asset.weights[v * handles + handles - 1];
    asset.weights[v * handles + handles - 1] = 0;
  }
  const PoseGoal goals[] = {{8, Vec3(0.2, 0, 0), {}, false}, {1, Vec3(0.1, 0.1, 0), {}, false}, {2, Vec3::Zero(), {}, true}};
  PoseReport report;
  for (const HandleTransform& to : Poser(asset).solve(goals, {}, {}, &report))
    EXPECT_TRUE(to.rotation.coeffs().allFinite() && to.translation.allFinite());
  EXPECT_TRUE(report.converged);

  asset.handles.resize(1);
  asset.weights.assign(asset.tets.positions.size(), 1.0f);
  const PoseGoal one = {0, Vec3(0.3, 0, 0), {}, false};
  const std::vector<HandleTransform> pose = Poser(asset).solve({&one, 1});
  EXPECT_LT((pose[0].translation - one.move).norm(), 1e-12);
  asset.tets = {};
  asset.weights.clear();
  EXPECT_TRUE(Poser(asset).solve({})[0].translation.isZero());  // nothing at all
}

}  // namespace
}  // namespace crumple
