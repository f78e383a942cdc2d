#include "crumple/geometry/outline.h"

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

namespace crumple {
namespace {

/// A picture painted where `distance` (pixels, x right and y down) is positive, with edges one pixel soft.
Picture painted(int width, int height, const std::function<double(double, double)>& distance) {
  Picture picture(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) picture.pixel(x, y)[3] = static_cast<uint8_t>(std::lround(255 * std::clamp(distance(x + 0.5, y + 0.5) + 0.5, 0.0, 1.0)));
  }
  return picture;
}

Picture painted_disc(int size, double radius) {
  return painted(size, size, [=](double x, double y) { return radius - std::hypot(x - 0.5 * size, y - 0.5 * size); });
}

Picture painted_ring(int size, double outer, double inner) {
  return painted(size, size, [=](double x, double y) {
    const double r = std::hypot(x - 0.5 * size, y - 0.5 * size);
    return std::min(outer - r, r - inner);
  });
}

Picture painted_box(int width, int height, int left, int top, int right, int bottom) {
  return painted(width, height, [=](double x, double y) { return x > left && x < right && y > top && y < bottom ? 1.0 : -1.0; });
}

double doubled_area(const FlatMesh& mesh, const Triangle& t) {
  const Vec2 &a = mesh.points[static_cast<size_t>(t[0])], b = mesh.points[static_cast<size_t>(t[1])] - a, c = mesh.points[static_cast<size_t>(t[2])] - a;
  return b.x() * c.y() - b.y() * c.x();
}

double flat_area(const FlatMesh& mesh) {
  double area = 0;
  for (const Triangle& t : mesh.triangles) area += 0.5 * doubled_area(mesh, t);
  return area;
}

/// Vertices - edges + triangles: islands - holes.
int euler_characteristic(const FlatMesh& mesh) {
  std::set<std::pair<int, int>> edges;
  for (const Triangle& t : mesh.triangles) {
    for (size_t k = 0; k < 3; ++k) edges.insert(std::minmax(t[k], t[(k + 1) % 3]));
  }
  return static_cast<int>(mesh.points.size()) - static_cast<int>(edges.size()) + static_cast<int>(mesh.triangles.size());
}

/// All triangles count positive, each directed edge is used once, and all points are in use.
void expect_sound(const FlatMesh& mesh) {
  ASSERT_FALSE(mesh.triangles.empty());
  std::set<std::pair<int, int>> edges;
  std::set<int> used;
  for (const Triangle& t : mesh.triangles) {
    EXPECT_GT(doubled_area(mesh, t), 0);
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_TRUE(edges.emplace(t[k], t[(k + 1) % 3]).second) << "two triangles overlap";
      used.insert(t[k]);
    }
  }
  EXPECT_EQ(used.size(), mesh.points.size());
}

PictureOutline outline_of(const Picture& picture, const OutlineSettings& settings = {}) {
  const Result<PictureOutline> outline = trace_outline(picture, settings);
  EXPECT_TRUE(outline) << outline.error().text;
  return outline ? *outline : PictureOutline();
}

OutlineSettings exact() {
  OutlineSettings settings;
  settings.grow = 0;
  return settings;
}

TEST(Outline, of_a_disc_is_a_circle) {
  const PictureOutline outline = outline_of(painted_disc(128, 50), exact());
  ASSERT_EQ(outline.regions.size(), 1u);
  EXPECT_EQ(outline.regions[0].rings.size(), 1u);
  EXPECT_TRUE(outline.is_sound);
  for (const Vec2& p : outline.points) EXPECT_NEAR((p - Vec2(64, 64)).norm(), 50, 0.25);
  const FlatMesh mesh = mesh_outline(outline);
  expect_sound(mesh);
  EXPECT_EQ(euler_characteristic(mesh), 1);
  EXPECT_GE(smallest_angle(mesh), 20);
  // Of the polygon with as many corners.
  const double n = static_cast<double>(outline.points.size()), polygon = 0.5 * n * std::sin(2 * std::numbers::pi / n) * 2500;
  EXPECT_NEAR(flat_area(mesh), polygon, 0.01 * polygon);
}

TEST(Outline, lies_outside_of_the_paint_by_what_it_grows) {
  for (const double grow : {1.0, 3.0}) {
    OutlineSettings settings;
    settings.grow = grow;
    for (const Vec2& p : outline_of(painted_disc(128, 50), settings).points) EXPECT_NEAR((p - Vec2(64, 64)).norm(), 50 + grow, 0.6);
  }
}

TEST(Outline, keeps_corners_where_they_are_and_y_up) {
  // 20 to 60 from the left, and 10 to 40 from the top of 100.
  const PictureOutline outline = outline_of(painted_box(90, 100, 20, 10, 60, 40), exact());
  const FlatMesh mesh = mesh_outline(outline);
  expect_sound(mesh);
  EXPECT_NEAR(flat_area(mesh), 40 * 30, 25);
  for (const Vec2& corner : {Vec2(20, 90), Vec2(60, 90), Vec2(60, 60), Vec2(20, 60)}) {
    double nearest = 1e300;
    for (const Vec2& p : outline.points) nearest = std::min(nearest, (p - corner).norm());
    EXPECT_LT(nearest, 1.1) << corner.transpose();
  }
  for (const Vec2& p : outline.points) {
    EXPECT_TRUE(p.x() > 19.4 && p.x() < 60.6 && p.y() > 59.4 && p.y() < 90.6) << p.transpose();
  }
}

TEST(Outline, paint_up_to_the_border_of_the_picture_is_closed_there) {
  const PictureOutline outline = outline_of(painted_box(64, 48, -1, -1, 65, 49), exact());
  const FlatMesh mesh = mesh_outline(outline);
  expect_sound(mesh);
  EXPECT_NEAR(flat_area(mesh), 64 * 48, 0.02 * 64 * 48);
  EXPECT_EQ(euler_characteristic(mesh), 1);
}

TEST(Outline, a_ring_has_a_hole) {
  const PictureOutline outline = outline_of(painted_ring(160, 70, 40), exact());
  ASSERT_EQ(outline.regions.size(), 1u);
  EXPECT_EQ(outline.regions[0].rings.size(), 2u);
  const FlatMesh mesh = mesh_outline(outline);
  expect_sound(mesh);
  EXPECT_EQ(euler_characteristic(mesh), 0);
  EXPECT_GE(smallest_angle(mesh), 20);
  EXPECT_NEAR(flat_area(mesh), std::numbers::pi * (4900 - 1600), 0.02 * std::numbers::pi * 3300);
}

TEST(Outline, a_hole_of_a_few_pixels_is_filled) {
  const FlatMesh mesh = mesh_outline(outline_of(painted_ring(128, 50, 2), exact()));
  EXPECT_EQ(euler_characteristic(mesh), 1);
}

TEST(Outline, islands_are_regions_of_their_own) {
  const Picture picture = painted(200, 100, [](double x, double y) { return std::max(30 - std::hypot(x - 50, y - 50), 20 - std::hypot(x - 150, y - 50)); });
  const PictureOutline outline = outline_of(picture, exact());
  EXPECT_EQ(outline.regions.size(), 2u);
  EXPECT_EQ(outline.dropped, 0);
  const FlatMesh mesh = mesh_outline(outline);
  expect_sound(mesh);
  EXPECT_EQ(euler_characteristic(mesh), 2);
  EXPECT_NEAR(flat_area(mesh), std::numbers::pi * 1300, 0.03 * std::numbers::pi * 1300);
}

TEST(Outline, an_island_in_a_hole_is_not_part_of_the_ring) {
  const Picture picture = painted(200, 200, [](double x, double y) {
    const double r = std::hypot(x - 100, y - 100);
    return std::max(std::min(90 - r, r - 60), 30 - r);
  });
  const PictureOutline outline = outline_of(picture, exact());
  EXPECT_EQ(outline.regions.size(), 2u);
  const FlatMesh mesh = mesh_outline(outline);
  expect_sound(mesh);
  EXPECT_EQ(euler_characteristic(mesh), 1);  // two islands, one hole
  EXPECT_NEAR(flat_area(mesh), std::numbers::pi * (8100 - 3600 + 900), 0.02 * std::numbers::pi * 5400);
}

TEST(Outline, specks_are_dropped_and_counted) {
  const Picture picture = painted(200, 100, [](double x, double y) { return std::max({30 - std::hypot(x - 50, y - 50), 1 - std::hypot(x - 150, y - 50), 1 - std::hypot(x - 170, y - 20)}); });
  const PictureOutline outline = outline_of(picture);
  EXPECT_EQ(outline.regions.size(), 1u);
  EXPECT_EQ(outline.dropped, 2);
}

TEST(Outline, thin_lines_become_triangles) {
  for (const int thick : {1, 2, 3}) {
    SCOPED_TRACE(thick);
    // Straight, slanted, and a circle.
    const Picture pictures[] = {painted_box(200, 40, 10, 20, 190, 20 + thick),
                                painted(200, 120, [=](double x, double y) { return x > 10 && x < 190 ? 0.5 * thick - std::abs(0.5 * x + 10 - y) / std::hypot(1, 0.5) : -1.0; }),
                                painted_ring(160, 70, 70 - thick)};
    const int holes[] = {0, 0, 1};
    for (size_t i = 0; i < 3; ++i) {
      SCOPED_TRACE(i);
      const PictureOutline outline = outline_of(pictures[i]);
      EXPECT_TRUE(outline.is_sound);
      const FlatMesh mesh = mesh_outline(outline);
      expect_sound(mesh);
      EXPECT_EQ(euler_characteristic(mesh), 1 - holes[i]);
      const double length = i == 0 ? 180 : i == 1 ? 180 * std::hypot(1, 0.5) : 2 * std::numbers::pi * (70 - 0.5 * thick);
      EXPECT_NEAR(flat_area(mesh), length * (thick + 2), 0.3 * length * (thick + 2)) << "grown by a pixel on either side";
    }
  }
}

TEST(Outline, of_awkward_pictures_is_an_error_that_says_why) {
  const auto complaint_of = [](const Picture& picture) {
    const Result<PictureOutline> outline = trace_outline(picture);
    return outline ? "" : outline.error().text;
  };
  EXPECT_EQ(complaint_of(Picture()), "is empty");
  EXPECT_NE(complaint_of(Picture(64, 64)).find("is transparent everywhere"), std::string::npos);
  EXPECT_EQ(complaint_of(painted_box(64, 64, 30, 30, 31, 31)), "nothing in it is larger than 16 pixels");
  EXPECT_EQ(complaint_of(painted_box(1, 1, -1, -1, 2, 2)), "nothing in it is larger than 16 pixels");
  Picture faint = painted_disc(64, 20);
  for (uint8_t& value : faint.rgba) value /= 3;
  EXPECT_NE(complaint_of(faint).find("is transparent everywhere"), std::string::npos);
}

TEST(Outline, one_pixel_checks_do_not_hang_or_cross) {
  const Picture picture = painted(64, 64, [](double x, double y) { return (static_cast<int>(x) + static_cast<int>(y)) % 2 ? 1.0 : -1.0; });
  for (const OutlineSettings& settings : {OutlineSettings(), exact()}) {
    const Result<PictureOutline> outline = trace_outline(picture, settings);
    if (!outline) continue;
    for (const Triangle& t : mesh_outline(*outline).triangles) EXPECT_GE(t[0], 0);
  }
}

TEST(Outline, a_wide_picture_is_looked_at_in_blocks) {
  Picture picture(8192, 512);
  double true_area = 0;
  for (int y = 0; y < 512; ++y) {
    for (int x = 0; x < 8192; ++x) {
      const bool is_in = std::abs(x + 0.5 - 4096) / 4000 + std::abs(y + 0.5 - 256) / 250 < 1;  // a diamond
      picture.pixel(x, y)[3] = is_in ? 255 : 0, true_area += is_in ? 1 : 0;
    }
  }
  const PictureOutline outline = outline_of(picture, exact());
  const FlatMesh mesh = mesh_outline(outline);
  expect_sound(mesh);
  EXPECT_EQ(euler_characteristic(mesh), 1);
  EXPECT_NEAR(flat_area(mesh), true_area, 0.02 * true_area);
  EXPECT_LT(mesh.triangles.size(), 5000u);
  Vec2 low = mesh.points[0], high = low;
  for (const Vec2& p : mesh.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  EXPECT_LT((low - Vec2(96, 6)).cwiseAbs().maxCoeff(), 130);  // the tips are sharper than a block
  EXPECT_NEAR(high.y(), 506, 9);
}

TEST(Outline, a_size_that_is_no_multiple_of_a_block_keeps_its_place) {
  // 1030 x 1030 is looked at in blocks of two: the paint reaches the top and the right.
  const Picture picture = painted_box(1031, 1031, 500, -1, 1032, 600);
  const FlatMesh mesh = mesh_outline(outline_of(picture, exact()));
  expect_sound(mesh);
  EXPECT_NEAR(flat_area(mesh), 531.0 * 600, 0.01 * 531 * 600);
  Vec2 low = mesh.points[0], high = low;
  for (const Vec2& p : mesh.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  EXPECT_LT((low - Vec2(500, 431)).cwiseAbs().maxCoeff(), 2.1);
  EXPECT_LT((high - Vec2(1031, 1031)).cwiseAbs().maxCoeff(), 2.1);
}

TEST(Outline, points_are_as_far_apart_as_asked) {
  OutlineSettings settings = exact();
  settings.edge = 8;
  const PictureOutline outline = outline_of(painted_disc(256, 100), settings);
  EXPECT_EQ(outline.edge, 8);
  EXPECT_NEAR(static_cast<double>(outline.points.size()), 2 * std::numbers::pi * 100 / 8, 3);
  const FlatMesh mesh = mesh_outline(outline);
  double shortest = 1e300, longest = 0;
  for (const Triangle& t : mesh.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      const double length = (mesh.points[static_cast<size_t>(t[k])] - mesh.points[static_cast<size_t>(t[(k + 1) % 3])]).norm();
      shortest = std::min(shortest, length), longest = std::max(longest, length);
    }
  }
  EXPECT_GT(shortest, 0.4 * 8);
  EXPECT_LT(longest, 2 * 8);
}

TEST(Outline, wanted_points_are_in_the_mesh) {
  const PictureOutline outline = outline_of(painted_disc(128, 50), exact());
  const std::vector<Vec2> wanted = {{64, 64}, {40.25, 70.5}, {64, 100}, {90, 64}};
  const FlatMesh mesh = mesh_outline(outline, wanted);
  expect_sound(mesh);
  for (const Vec2& place : wanted) {
    double nearest = 1e300;
    for (const Vec2& p : mesh.points) nearest = std::min(nearest, (p - place).norm());
    EXPECT_LT(nearest, 1e-9) << place.transpose();
  }
  EXPECT_GE(smallest_angle(mesh), 20);
  const FlatMesh outside = mesh_outline(outline, {{5, 5}, {-1000, 3}});
  expect_sound(outside);
  for (const Vec2& p : outside.points) EXPECT_LT((p - Vec2(64, 64)).norm(), 51);
  expect_sound(mesh_outline(outline, {{64, 64}, {64, 64}, {64.0001, 64}}));
}

TEST(Outline, is_the_same_in_every_run) {
  const Picture picture = painted_ring(160, 70, 40);
  const FlatMesh a = mesh_outline(outline_of(picture)), b = mesh_outline(outline_of(picture));
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.triangles, b.triangles);
}

TEST(SmallestAngle, is_that_of_the_sharpest_corner) {
  const FlatMesh mesh = {{{0, 0}, {1, 0}, {0, 1}, {std::sqrt(3.0), 1}}, {{0, 1, 2}}};
  EXPECT_NEAR(smallest_angle(mesh), 45, 1e-9);
  EXPECT_NEAR(smallest_angle({mesh.points, {{0, 3, 2}}}), 30, 1e-9);
}

}  // namespace
}  // namespace crumple
