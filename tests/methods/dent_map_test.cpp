// The map of a dent: closed forms of paper 3's steps.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/geometry/refine.h"
#include "crumple/methods/dents/print.h"
#include "crumple/methods/dents/sheet.h"

namespace crumple::dents {
namespace {

constexpr double kPi = std::numbers::pi;

Grid grid_of(int n, double cell) {
  Grid grid;
  grid.nx = grid.ny = n, grid.cell = cell;
  return grid;
}

Map brute_force(const Grid& grid, const Map& map, double sigma) {
  Map result(map.size(), 0.0);
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) {
      for (int l = 0; l < grid.ny; ++l) {
        for (int k = 0; k < grid.nx; ++k) {
          const double d2 = grid.cell * grid.cell * ((i - k) * (i - k) + (j - l) * (j - l));
          result[grid.at(i, j)] = std::max(result[grid.at(i, j)], map[grid.at(k, l)] * std::exp(-d2 / (2 * sigma * sigma)));
        }
      }
    }
  }
  return result;
}

TEST(DentMap, envelope_is_that_of_all_gaussians) {
  Random random(3);
  for (const int n : {1, 7, 25, 40}) {
    for (const double sigma : {0.5, 2.0, 9.0}) {
      const Grid grid = grid_of(n, 1);
      Map map(grid.size(), 0.0);
      for (double& v : map) v = random.range(0, 1) < 0.4 ? random.range(0, 0.04) : 0.0;
      const Map fast = gauss_envelope(grid, map, sigma), slow = brute_force(grid, map, sigma);
      for (size_t i = 0; i < map.size(); ++i) EXPECT_NEAR(fast[i], slow[i], 1e-12 * 0.04 + 1e-16) << n << " " << sigma;
    }
  }
}

TEST(DentMap, envelope_of_nothing_is_nothing_and_scales) {
  const Grid grid = grid_of(20, 0.01);
  EXPECT_EQ(gauss_envelope(grid, Map(grid.size(), 0.0), 0.03), Map(grid.size(), 0.0));
  Map map(grid.size(), 0.0);
  map[grid.at(4, 9)] = 0.02, map[grid.at(15, 3)] = 0.01;
  const Map once = gauss_envelope(grid, map, 0.03);
  for (double& v : map) v *= 3;
  const Map thrice = gauss_envelope(grid, map, 0.03);
  for (size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(thrice[i], 3 * once[i], 1e-15);
}

TEST(DentMap, heat_spreads_as_a_gaussian_and_keeps_its_sum) {
  const Grid grid = grid_of(101, 0.01);
  Map map(grid.size(), 0.0);
  map[grid.at(50, 50)] = 1;
  const double length = 0.05;
  spread_heat(grid, map, length, false);
  double sum = 0, second = 0;
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) sum += map[grid.at(i, j)], second += map[grid.at(i, j)] * (i - 50) * (i - 50) * grid.cell * grid.cell;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_NEAR(std::sqrt(second), length, 0.02 * length);
}

std::vector<Vec3f> points_of(const TriMesh& mesh, const Transform& place) {
  std::vector<Vec3f> points;
  for (const Vec3& p : mesh.positions) points.push_back((place * p).cast<float>());
  return points;
}

/// A plate whose upper side is the plane y = 0, and something above it, pressed along `way`.
struct Scenario {
  explicit Scenario(const TriMesh& punch_mesh, const Transform& place, const Vec3& way, double size = 0.8)
      : plate(refined(make_box(Vec3(size, 0.3, size)), 0.02)), punch(punch_mesh) {
    plate_points = points_of(plate, {Mat3::Identity(), Vec3(0, -0.15, 0)});
    punch_points = points_of(punch, place);
    contour = find_contour(press_frame(Vec3::Zero(), -Vec3::UnitY(), way, 75.01 * kPi / 180), target(), projectile());
  }
  std::vector<SurfaceNow> target() const { return {{plate_points, plate.triangles}}; }
  std::vector<SurfaceNow> projectile() const { return {{punch_points, punch.triangles}}; }
  Print print(double depth, const PrintSettings& settings, double share = 1) const { return make_print(contour, target(), projectile(), depth, share, settings); }

  TriMesh plate, punch;
  std::vector<Vec3f> plate_points, punch_points;
  Contour contour;
};

PrintSettings sharp() {
  PrintSettings settings;
  settings.softness = 0, settings.lip = 0;
  return settings;
}

TriMesh smooth_ball() {
  // The drawn sphere, halved and put back on the sphere: fine enough for a per mille.
  TriMesh ball = refined(make_sphere(0.1), 0.008);
  for (Vec3& p : ball.positions) p *= 0.1 / p.norm();
  return ball;
}

TEST(DentPrint, of_a_ball_has_the_volume_of_a_cap) {
  const Scenario press(smooth_ball(), {Mat3::Identity(), Vec3(0, 0.1, 0)}, -Vec3::UnitY());
  for (const double depth : {0.025, 0.04}) {
    const Print print = press.print(depth, sharp());
    const double cap = kPi * depth * depth * (0.1 - depth / 3);  // 1.800e-4 and 4.356e-4 m^3
    EXPECT_NEAR(print.volume, cap, 0.02 * cap);
    EXPECT_NEAR(print.half_width, std::sqrt(2 * 0.1 * depth - depth * depth), 0.006);
    EXPECT_NEAR(press.contour.volume_at(depth), cap, 0.06 * cap);
  }
}

TEST(DentPrint, of_a_cube_broadens_as_its_perimeter_says) {
  const Scenario press(make_box(Vec3::Constant(0.14)), {Mat3::Identity(), Vec3(0, 0.07, 0)}, -Vec3::UnitY());
  const double area = 0.14 * 0.14, perimeter = 4 * 0.14, depth = 0.04;
  for (const double sigma : {0.004, 0.012}) {
    PrintSettings settings = sharp();
    settings.softness = sigma / 0.07;
    const Print print = press.print(depth, settings);
    const double now = print.sigma;  // the half width is known to a cell
    const double volume = depth * (area + perimeter * now * std::sqrt(kPi / 2) + 2 * kPi * now * now);
    EXPECT_NEAR(print.volume, volume, 0.05 * volume) << sigma;
  }
}

TEST(DentPrint, moves_points_by_the_dent_distance_at_any_angle) {
  const Mat3 on_a_corner = Quat::FromTwoVectors(Vec3::Ones(), -Vec3::UnitY()).toRotationMatrix();
  const double depth = 0.04;
  for (const auto& [mesh, turn, name] : {std::tuple{smooth_ball(), Mat3(Mat3::Identity()), "ball"}, std::tuple{make_box(Vec3::Constant(0.14)), Mat3(Mat3::Identity()), "cube"},
                                         std::tuple{make_box(Vec3::Constant(0.14)), on_a_corner, "corner"}}) {
    for (const double degrees : {0.0, 15.0, 30.0, 45.0, 60.0, 75.0}) {
      const double angle = degrees * kPi / 180;
      const Vec3 way(std::sin(angle), -std::cos(angle), 0);
      const Scenario press(mesh, {turn, Vec3(0, 0.13, 0)}, way);
      const Print print = press.print(depth, PrintSettings());
      double most = 0;
      Vec3 deepest = Vec3::Zero();  // where
      int flipped = 0;
      std::vector<Vec3> moved;
      TriMesh fine = refined(press.plate, 0.006);
      for (Vec3& p : fine.positions) {
        p.y() -= 0.15;
        moved.push_back(p + print.move(p));
        if (const double move = (moved.back() - p).norm(); move > most) most = move, deepest = p;
      }
      // The tip of a corner lies between the vertices.
      for (double x = -0.006; x <= 0.006; x += 0.0002) {
        for (double z = -0.006; z <= 0.006; z += 0.0002) most = std::max(most, print.move(deepest + Vec3(x, 0, z)).norm());
      }
      for (const Triangle& t : fine.triangles) {
        const auto normal = [&](const std::vector<Vec3>& at) { return Vec3((at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]])); };
        if (normal(fine.positions).y() > 0 && normal(moved).dot(way) > 1e-12) ++flipped;  // of the upper side, seen along the press
      }
      EXPECT_NEAR(most, depth, 0.01 * depth) << name << " " << degrees;
      EXPECT_EQ(flipped, 0) << name << " " << degrees;
    }
  }
}

TEST(DentPrint, two_equal_balls_are_both_flat_between_them) {
  const TriMesh ball = smooth_ball();
  const std::vector<Vec3f> lower = points_of(ball, {Mat3::Identity(), Vec3(0, -0.1, 0)}), upper = points_of(ball, {Mat3::Identity(), Vec3(0, 0.1, 0)});
  const std::vector<SurfaceNow> a = {{lower, ball.triangles}}, b = {{upper, ball.triangles}};
  const Contour contour = find_contour(press_frame(Vec3::Zero(), -Vec3::UnitY(), -Vec3::UnitY(), 1.3), a, b);
  const double depth = 0.02;
  const Print print = make_print(contour, a, b, depth, 0.5, sharp());
  EXPECT_NEAR(print.deepest, depth / 2, 1e-12);
  EXPECT_NEAR(print.half_width, std::sqrt(0.1 * depth - depth * depth / 4), 0.004);
  EXPECT_NEAR(print.volume, kPi * depth * depth / 4 * (0.1 - depth / 6), 0.03 * print.volume);
  for (const Vec3f& p : lower) {
    const Vec3 at = p.cast<double>();
    if (at.y() < -depth / 2 || std::hypot(at.x(), at.z()) > 0.9 * print.half_width) continue;
    EXPECT_NEAR((at + print.move(at)).y(), -depth / 2, 4e-4);
  }
}

TEST(DentPrint, measured_from_a_plane_misprints_a_slanted_face_as_the_paper_does) {
  const TriMesh cube = make_box(Vec3::Constant(0.14));
  for (const double degrees : {0.0, 30.0}) {
    const double angle = degrees * kPi / 180, depth = 0.02;
    const Vec3 way(std::sin(angle), -std::cos(angle), 0);
    const Scenario press(cube, {Mat3::Identity(), Vec3(0, 0.07, 0)}, way);
    PrintSettings settings = sharp();
    const Print by_target = press.print(depth, settings);
    // Pressed flat: the whole face goes in, by the depth along the way.
    EXPECT_NEAR(by_target.volume, 0.14 * 0.14 * depth * std::cos(angle), 0.04 * by_target.volume) << degrees;
    settings.from_plane = true;
    const Contour contour = find_contour(press.contour.frame, press.target(), press.projectile(), true);
    const Print by_plane = make_print(contour, press.target(), press.projectile(), depth, 1, settings);
    EXPECT_NEAR(by_plane.deepest, depth, 1e-12);
    if (degrees == 0) {
      EXPECT_NEAR(by_plane.volume, by_target.volume, 1e-3 * by_target.volume);
    } else {
      EXPECT_LT(by_plane.volume, 0.5 * by_target.volume);  // a wedge along the leading edge
    }
  }
}

TEST(DentPrint, thin_walls_stay_walls) {
  const Scenario press(smooth_ball(), {Mat3::Identity(), Vec3(0, 0.1, 0)}, -Vec3::UnitY());
  const double depth = 0.03;
  const Print print = press.print(depth, PrintSettings());
  for (const auto& [share, left] : {std::pair{0.1, 0.050}, {0.5, 0.255}, {1.0, 0.538}, {2.0, 1.24}, {5.0, 4.01}}) {
    const Vec3 front(0, 0, 0), back(0, -share * depth, 0);
    const double thickness = (front + print.move(front)).y() - (back + print.move(back)).y();
    EXPECT_NEAR(thickness, left * depth, 0.02 * depth) << share;
  }
}

TEST(DentPrint, a_full_rim_keeps_the_volume) {
  const TriMesh fine = refined(make_box(Vec3(1.6, 0.3, 1.6)), 0.006, 3000000);
  for (const double degrees : {0.0, 30.0}) {
    const double tilt = degrees * kPi / 180;
    const Scenario press(smooth_ball(), {Mat3::Identity(), Vec3(0, 0.1, 0)}, Vec3(std::sin(tilt), -std::cos(tilt), 0), 1.6);
    PrintSettings settings;
    settings.rim = 1;
    const Print print = press.print(0.025, settings);
    double before = 0, after = 0;
    for (const Triangle& t : fine.triangles) {
      const auto at = [&](int i) { return Vec3(fine.positions[t[static_cast<size_t>(i)]] - Vec3(0, 0.15, 0)); };
      if (at(0).y() < -0.01 || at(1).y() < -0.01 || at(2).y() < -0.01) continue;
      const auto volume = [](const Vec3& a, const Vec3& b, const Vec3& c) { return -(a.y() + b.y() + c.y()) / 6 * ((c - a).x() * (b - a).z() - (c - a).z() * (b - a).x()); };
      before += volume(at(0), at(1), at(2));
      after += volume(at(0) + print.move(at(0)), at(1) + print.move(at(1)), at(2) + print.move(at(2)));
    }
    EXPECT_LT(std::abs(after - before) + print.missing_volume, 0.01 * print.volume) << degrees;
  }
}

TEST(DentPrint, depth_by_energy_is_linear_in_the_speed_of_a_ball) {
  const Scenario press(smooth_ball(), {Mat3::Identity(), Vec3(0, 0.1, 0)}, -Vec3::UnitY());
  const double mass = 32.7, speed = 10, hardness = 1e7;
  const double expected = speed * std::sqrt(mass / (2 * kPi * hardness * 0.1));  // 22.8 mm, to first order in depth over radius
  const double found = depth_by_energy(press.contour, 0.5 * mass * speed * speed, hardness, 0.1);
  EXPECT_NEAR(found, expected, 0.08 * expected);
  EXPECT_EQ(depth_by_energy(press.contour, 1e9, hardness, 0.05), 0.05);
  EXPECT_EQ(depth_by_energy(press.contour, 0, hardness, 0.05), 0);
}

TEST(DentPrint, what_does_not_meet_leaves_none) {
  const Scenario press(smooth_ball(), {Mat3::Identity(), Vec3(5, 0.1, 0)}, -Vec3::UnitY());
  EXPECT_FALSE(press.contour.touches);
  EXPECT_TRUE(press.print(0.02, PrintSettings()).empty());
  const Scenario under(smooth_ball(), {Mat3::Identity(), Vec3(0, 0.1, 0)}, -Vec3::UnitY());
  EXPECT_TRUE(under.print(0, PrintSettings()).empty());
}

TEST(DentSheet, refines_without_gaps_and_comes_back_from_its_parents) {
  const auto box = std::make_shared<const TriMesh>(make_box(Vec3(1, 1, 1)));
  Sheet sheet(box);
  const Vec3 corner(0.5, 0.5, 0.5);
  std::vector<Vec3> at = box->positions;
  const auto coarse = [&](const Triangle& t) {
    const Vec3 &a = at[t[0]], &b = at[t[1]], &c = at[t[2]];
    const double longest = std::max({(a - b).norm(), (b - c).norm(), (c - a).norm()}), near = std::min({(a - corner).norm(), (b - corner).norm(), (c - corner).norm()});
    return longest > 0.05 && near < 0.2;
  };
  EXPECT_TRUE(sheet.refine(coarse, 100000, [&](int a, int b) { at.push_back(0.5 * (at[static_cast<size_t>(a)] + at[static_cast<size_t>(b)])); }));
  sheet.finish();
  const TriMesh& fine = *sheet.drawn();
  EXPECT_GT(fine.triangles.size(), 300u);
  EXPECT_LT(fine.triangles.size(), 8000u);
  // Closed by places: each edge is passed as often one way as the other. And as large as before.
  std::map<std::pair<std::tuple<double, double, double>, std::tuple<double, double, double>>, int> balance;
  double area = 0;
  for (const Triangle& t : fine.triangles) {
    const auto place = [&](int i) { const Vec3& p = fine.positions[t[static_cast<size_t>(i % 3)]]; return std::tuple(p.x(), p.y(), p.z()); };
    for (int i = 0; i < 3; ++i) place(i) < place(i + 1) ? ++balance[{place(i), place(i + 1)}] : --balance[{place(i + 1), place(i)}];
    area += 0.5 * (fine.positions[t[1]] - fine.positions[t[0]]).cross(fine.positions[t[2]] - fine.positions[t[0]]).norm();
  }
  for (const auto& [edge, count] : balance) EXPECT_EQ(count, 0);
  EXPECT_NEAR(area, 6, 1e-9);
  Sheet again(box);
  ASSERT_TRUE(again.replay(sheet.parents()));
  again.finish();
  EXPECT_EQ(again.drawn()->triangles.size(), fine.triangles.size());
  EXPECT_EQ(again.drawn()->positions, fine.positions);
  EXPECT_EQ(again.drawn()->triangles, fine.triangles);
  const std::vector<int32_t> nonsense = {0, 999999};
  EXPECT_FALSE(Sheet(box).replay(nonsense));
}

TEST(DentSheet, stops_at_its_budget) {
  Sheet sheet(std::make_shared<const TriMesh>(make_box(Vec3(1, 1, 1))));
  EXPECT_FALSE(sheet.refine([](const Triangle&) { return true; }, 200, [](int, int) {}));
  EXPECT_LE(sheet.triangles().size(), 200u);
}

}  // namespace
}  // namespace crumple::dents
