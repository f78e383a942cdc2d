#include "crumple/io/svg.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/io/files.h"

namespace crumple::io {
namespace {

constexpr double kPi = std::numbers::pi;
using Lines = std::vector<VectorShape::Line>;

Lines path(std::string_view data, double tolerance = 0.01) {
  const Result<Lines> lines = parse_svg_path(data, tolerance);
  EXPECT_TRUE(lines) << data << ": " << lines.error().text;
  return lines ? *lines : Lines();
}

std::string path_complaint(std::string_view data) {
  const Result<Lines> lines = parse_svg_path(data, 0.01);
  return lines ? "" : lines.error().text;
}

/// The points of a path of one line.
std::vector<Vec2> points(std::string_view data, double tolerance = 0.01) {
  const Lines lines = path(data, tolerance);
  EXPECT_EQ(lines.size(), 1u) << data;
  return lines.size() == 1 ? lines[0].points : std::vector<Vec2>();
}

void expect_points(const std::vector<Vec2>& found, const std::vector<Vec2>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_LT((found[i] - wanted[i]).norm(), 1e-9) << i << ": " << found[i].transpose();
}

/// How far the middles of the lines of a path are from a circle; its points must lie on it.
double farthest_from_circle(const std::vector<Vec2>& points, const Vec2& center, double radius) {
  double farthest = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR((points[i] - center).norm(), radius, 1e-9);
    const Vec2 middle = 0.5 * (points[i] + points[i + 1 < points.size() ? i + 1 : i]);
    farthest = std::max(farthest, radius - (middle - center).norm());
  }
  return farthest;
}

double area_of(const std::vector<Vec2>& points) {
  double area = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec2 &a = points[i], &b = points[(i + 1) % points.size()];
    area += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return area;
}

VectorDrawing drawing(std::string_view inside, std::string_view box = "0 0 100 50") {
  const Result<VectorDrawing> read = parse_svg(fmt::format("<svg viewBox=\"{}\">\n{}\n</svg>", box, inside), "a.svg");
  EXPECT_TRUE(read) << read.error().text;
  return read ? *read : VectorDrawing();
}

VectorShape shape(std::string_view inside) {
  const VectorDrawing read = drawing(inside);
  EXPECT_EQ(read.shapes.size(), 1u) << inside;
  return read.shapes.size() == 1 ? read.shapes[0] : VectorShape();
}

std::string svg_complaint(std::string_view text) {
  const Result<VectorDrawing> read = parse_svg(text, "a.svg");
  EXPECT_TRUE(read || read.error().kind == Error::Kind::Input);
  return read ? "" : read.error().text;
}

std::string svg_complaint_inside(std::string_view inside) {
  return svg_complaint(fmt::format("<svg viewBox=\"0 0 100 50\">\n{}\n</svg>", inside));
}

void expect_color(const VectorPaint& paint, float r, float g, float b, float alpha = 1) {
  ASSERT_EQ(paint.kind, VectorPaint::Kind::Color);
  EXPECT_LT((paint.color - Eigen::Vector4f(r, g, b, alpha)).norm(), 1e-5) << paint.color.transpose();
}

TEST(SvgPath, lines_go_where_their_commands_say) {
  expect_points(points("M1 2L3,4H10V-1"), {{1, 2}, {3, 4}, {10, 4}, {10, -1}});
  expect_points(points("m1 2l3,4h10v-1"), {{1, 2}, {4, 6}, {14, 6}, {14, 5}});
  expect_points(points("M1 2 3 4 5 6"), {{1, 2}, {3, 4}, {5, 6}});
  expect_points(points("m1 2 3 4 5 6"), {{1, 2}, {4, 6}, {9, 12}});
}

TEST(SvgPath, numbers_need_no_blanks_where_they_can_be_told_apart) {
  expect_points(points("M.5.25L-1-2L1e1,+3E0l-.5-.5"), {{0.5, 0.25}, {-1, -2}, {10, 3}, {9.5, 2.5}});
  expect_points(points(" \n\tM 1\n,2 L 3 , 4 "), {{1, 2}, {3, 4}});
}

TEST(SvgPath, closing_returns_to_the_start_and_a_new_line_begins_there) {
  const Lines lines = path("M1 1h4v4zl-2 0M7 7h1");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].is_closed);
  expect_points(lines[0].points, {{1, 1}, {5, 1}, {5, 5}});
  EXPECT_FALSE(lines[1].is_closed);
  expect_points(lines[1].points, {{1, 1}, {-1, 1}});
  expect_points(lines[2].points, {{7, 7}, {8, 7}});
  EXPECT_TRUE(path("").empty());
  EXPECT_TRUE(path("M3 3").empty());
  EXPECT_TRUE(path("M3 3z").empty());
}

TEST(SvgPath, a_quadratic_curve_is_its_parabola) {
  const std::vector<Vec2> curve = points("M0 0Q5 10 10 0", 0.001);  // y = x (10 - x) / 5
  ASSERT_GT(curve.size(), 30u);
  for (const Vec2& p : curve) EXPECT_NEAR(p.y(), p.x() * (10 - p.x()) / 5, 1e-9);
  for (size_t i = 0; i + 1 < curve.size(); ++i) {
    const Vec2 middle = 0.5 * (curve[i] + curve[i + 1]);
    EXPECT_NEAR(middle.y(), middle.x() * (10 - middle.x()) / 5, 0.001);
  }
  EXPECT_LT(points("M0 0Q5 10 10 0", 1.0).size(), 5u) << "no more lines than the tolerance asks for";
}

TEST(SvgPath, a_cubic_curve_stays_within_the_tolerance) {
  const std::vector<Vec2> curve = points("M0 0C0 100 100 100 100 0", 0.01);
  const auto at = [](double t) { return Vec2(100 * (3 * t * t - 2 * t * t * t), 300 * t * (1 - t)); };
  for (int k = 0; k <= 1000; ++k) {
    const Vec2 p = at(k / 1000.0);
    double nearest = 1e300;
    for (size_t i = 0; i + 1 < curve.size(); ++i) {
      const Vec2 along = curve[i + 1] - curve[i];
      const double share = std::clamp((p - curve[i]).dot(along) / along.squaredNorm(), 0.0, 1.0);
      nearest = std::min(nearest, (p - curve[i] - share * along).norm());
    }
    EXPECT_LT(nearest, 0.01);
  }
}

TEST(SvgPath, smooth_curves_mirror_the_last_control_point) {
  expect_points(points("M0 0C1 2 3 4 5 5S8 9 10 10"), points("M0 0C1 2 3 4 5 5C7 6 8 9 10 10"));
  expect_points(points("M0 0Q1 3 4 4T9 9"), points("M0 0Q1 3 4 4Q7 5 9 9"));
  expect_points(points("M0 0Q1 3 4 4T9 9T9 0"), points("M0 0Q1 3 4 4Q7 5 9 9Q11 13 9 0"));
  expect_points(points("M2 2S8 9 10 10"), points("M2 2C2 2 8 9 10 10"));   // nothing to mirror
  for (const Vec2& p : points("M2 2T8 9")) EXPECT_NEAR(7 * (p.x() - 2), 6 * (p.y() - 2), 1e-9);
  expect_points(points("M0 0Q1 3 4 4S8 9 10 10"), points("M0 0Q1 3 4 4C4 4 8 9 10 10"));  // a quadratic is not mirrored by a cubic
}

TEST(SvgPath, relative_curves_are_absolute_ones_that_moved) {
  expect_points(points("M3 4c1 2 3 4 5 5s3 4 5 5q1 3 4 4t5 5a3 2 20 0 1 4 1"),
                points("M3 4C4 6 6 8 8 9S11 13 13 14Q14 17 17 18T22 23A3 2 20 0 1 26 24"));
}

TEST(SvgPath, arcs_make_a_circle_within_the_tolerance) {
  for (const double tolerance : {0.5, 0.05, 0.005}) {
    const std::vector<Vec2> circle = points("M15 7A10 10 0 0 1 -5 7A10 10 0 0 1 15 7", tolerance);
    const double far = farthest_from_circle(circle, {5, 7}, 10);
    EXPECT_LE(far, tolerance);
    EXPECT_GT(far, 0.2 * tolerance) << "far more lines than needed";
  }
}

TEST(SvgPath, flags_of_an_arc_choose_one_of_four) {
  // From (10, 0) to (0, 10) with radius 10: around (0, 0) or around (10, 10), a quarter or three of the circle.
  const std::tuple<const char*, Vec2, double> cases[] = {
      {"M10 0A10 10 0 0 1 0 10", {0, 0}, 0.25}, {"M10 0A10 10 0 0 0 0 10", {10, 10}, -0.25}, {"M10 0A10 10 0 1 1 0 10", {10, 10}, 0.75}, {"M10 0A10 10 0 1 0 0 10", {0, 0}, -0.75}};
  for (const auto& [data, center, turns] : cases) {
    std::vector<Vec2> arc = points(data, 1e-4);
    EXPECT_LE(farthest_from_circle(arc, center, 10), 1e-4) << data;
    arc.push_back(center);  // a sector
    EXPECT_NEAR(area_of(arc), turns * kPi * 100, 0.02) << data;
  }
  expect_points(points("M10 0A10 10 0 010 10"), points("M10 0A10 10 0 0 1 0 10"));  // flags without blanks
}

TEST(SvgPath, arcs_of_no_radius_and_too_small_radius_reach_their_end) {
  expect_points(points("M0 0A0 5 0 0 1 10 0"), {{0, 0}, {10, 0}});
  EXPECT_TRUE(path("M5 5A3 3 0 0 1 5 5").empty());
  const std::vector<Vec2> grown = points("M0 0A1 1 0 0 1 10 0");  // grows to a half circle of radius 5
  EXPECT_LE(farthest_from_circle(grown, {5, 0}, 5), 0.01);
  EXPECT_NEAR(area_of(grown), 0.5 * kPi * 25, 0.2);
}

TEST(SvgPath, an_ellipse_that_is_turned_fulfils_its_equation) {
  const Eigen::Rotation2Dd turn(30 * kPi / 180);
  const Vec2 end = turn * Vec2(8, 0);  // across the whole ellipse of radii 4 and 2
  for (const Vec2& p : points(fmt::format("M0 0A4 2 30 0 1 {} {}", end.x(), end.y()))) {
    const Vec2 q = turn.inverse() * Vec2(p - 0.5 * end);
    EXPECT_NEAR(q.x() * q.x() / 16 + q.y() * q.y() / 4, 1, 1e-6);
  }
}

TEST(SvgPath, broken_data_is_refused_with_its_place) {
  for (const char* data : {"M1", "M1 2L", "M1 2L3", "M1 2X3 4", "M1 2A5 5 0 2 0 3 4", "M1 2C1 2 3 4 5", "Mnan 1", "M1 inf", "M1 -inf", "M1e99 2", "M1e999 2", "M1 2L#", "M0x10 1", "1 2", "M1 2z3", "M1 2Lfoo"}) {
    EXPECT_NE(path_complaint(data).find("character"), std::string::npos) << data;
  }
  EXPECT_NE(path_complaint("L1 2 3 4"), "") << "a path begins with a place";
}

TEST(SvgPath, too_many_points_are_refused) {
  std::string data = "M0 0";
  for (int i = 0; i < 600; ++i) data += "a9e8 9e8 0 1 1 9 9";
  EXPECT_NE(path_complaint(data).find("million"), std::string::npos);
}

TEST(Svg, has_the_size_of_its_box) {
  EXPECT_EQ(drawing("").width, 100);
  EXPECT_EQ(drawing("").height, 50);
  const Result<VectorDrawing> sized = parse_svg("<svg width=\"30px\" height=\"20\"><rect width=\"3\" height=\"2\"/></svg>", "a.svg");
  ASSERT_TRUE(sized) << sized.error().text;
  EXPECT_EQ(sized->width, 30);
  EXPECT_EQ(sized->height, 20);
  EXPECT_EQ(sized->layers.size(), 1u);
  const VectorDrawing moved = drawing("<rect x=\"-5\" y=\"10\" width=\"3\" height=\"2\"/>", "-10 5 100 50");
  expect_points(moved.shapes.at(0).lines.at(0).points, {{5, 5}, {8, 5}, {8, 7}, {5, 7}});
}

TEST(Svg, shapes_are_lines) {
  expect_points(shape("<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\"/>").lines.at(0).points, {{1, 2}, {4, 2}, {4, 6}, {1, 6}});
  expect_points(shape("<polygon points=\"1,2 3,4, 5 6\"/>").lines.at(0).points, {{1, 2}, {3, 4}, {5, 6}});
  EXPECT_TRUE(shape("<polygon points=\"1,2 3,4 5,6\"/>").lines.at(0).is_closed);
  EXPECT_FALSE(shape("<polyline points=\"1,2 3,4 5,6\"/>").lines.at(0).is_closed);
  expect_points(shape("<line x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\"/>").lines.at(0).points, {{1, 2}, {3, 4}});
  EXPECT_LE(farthest_from_circle(shape("<circle cx=\"20\" cy=\"10\" r=\"8\"/>").lines.at(0).points, {20, 10}, 8), 0.051);
  const std::vector<Vec2> ellipse = shape("<ellipse cx=\"20\" cy=\"10\" rx=\"8\" ry=\"4\"/>").lines.at(0).points;
  EXPECT_NEAR(area_of(ellipse), kPi * 32, 1);
  expect_points(shape("<path d=\"M1 2L3 4L5 0Z\"/>").lines.at(0).points, {{1, 2}, {3, 4}, {5, 0}});
}

TEST(Svg, a_round_rectangle_lacks_its_corners) {
  for (const char* radii : {"rx=\"5\"", "ry=\"5\"", "rx=\"5\" ry=\"5\""}) {
    const VectorShape round = shape(fmt::format("<rect x=\"10\" y=\"10\" width=\"40\" height=\"20\" {}/>", radii));
    EXPECT_NEAR(area_of(round.lines.at(0).points), 40 * 20 - (4 - kPi) * 25, 1) << radii;
  }
  const VectorShape pill = shape("<rect x=\"10\" y=\"10\" width=\"40\" height=\"20\" rx=\"100\" ry=\"10\"/>");  // at most half of the width
  EXPECT_NEAR(area_of(pill.lines.at(0).points), kPi * 20 * 10, 4);
}

TEST(Svg, shapes_of_no_size_are_left_out) {
  EXPECT_TRUE(drawing("<rect width=\"0\" height=\"5\"/><rect width=\"5\" height=\"-5\"/><circle r=\"0\"/><circle r=\"-1\"/><ellipse rx=\"4\"/><path/><path d=\"\"/>").shapes.empty());
}

TEST(Svg, transforms_are_applied_from_the_inside_out) {
  const auto corner = [](const std::string& transform) { return shape("<polygon transform=\"" + transform + "\" points=\"2,1 0,0 9,9\"/>").lines.at(0).points.at(0); };
  EXPECT_LT((corner("translate(3)") - Vec2(5, 1)).norm(), 1e-12);
  EXPECT_LT((corner("translate(3 4) scale(2)") - Vec2(7, 6)).norm(), 1e-12);
  EXPECT_LT((corner("scale(2) translate(3,4)") - Vec2(10, 10)).norm(), 1e-12);
  EXPECT_LT((corner("scale(2,3)") - Vec2(4, 3)).norm(), 1e-12);
  EXPECT_LT((corner("rotate(90)") - Vec2(-1, 2)).norm(), 1e-12);
  EXPECT_LT((corner("rotate(90, 2, 0), translate(0)") - Vec2(1, 0)).norm(), 1e-12);
  EXPECT_LT((corner("matrix(1 2 3 4 5 6)") - Vec2(10, 14)).norm(), 1e-12);
  const VectorDrawing nested = drawing("<g transform=\"translate(10 0)\"><g transform=\"scale(2)\"><rect x=\"1\" width=\"1\" height=\"1\" stroke=\"red\" stroke-width=\"3\"/></g></g>");
  expect_points(nested.shapes.at(0).lines.at(0).points, {{12, 0}, {14, 0}, {14, 2}, {12, 2}});
  EXPECT_NEAR(nested.shapes[0].width, 6, 1e-12);
}

TEST(Svg, colours_have_the_values_of_their_codes) {
  const auto fill = [](const char* text) { return shape(fmt::format("<rect width=\"1\" height=\"1\" fill=\"{}\"/>", text)).fill; };
  expect_color(fill("#ff8000"), 1, 128 / 255.0f, 0);
  expect_color(fill("#F80"), 1, 136 / 255.0f, 0);
  expect_color(fill("rgb(51, 102, 255)"), 0.2f, 0.4f, 1);
  expect_color(fill("orange"), 1, 165 / 255.0f, 0);
  expect_color(shape("<rect width=\"1\" height=\"1\"/>").fill, 0, 0, 0);
  EXPECT_EQ(shape("<rect width=\"1\" height=\"1\"/>").stroke.kind, VectorPaint::Kind::None);
  EXPECT_EQ(fill("none").kind, VectorPaint::Kind::None);
  EXPECT_EQ(fill("transparent").kind, VectorPaint::Kind::None);
}

TEST(Svg, opacities_multiply_and_stay_between_0_and_1) {
  const VectorShape both = shape("<g opacity=\"0.5\" fill=\"red\"><g opacity=\"0.5\"><rect width=\"1\" height=\"1\" stroke=\"blue\" fill-opacity=\"0.4\" stroke-opacity=\"50%\"/></g></g>");
  expect_color(both.fill, 1, 0, 0, 0.1f);
  expect_color(both.stroke, 0, 0, 1, 0.125f);
  expect_color(shape("<rect width=\"1\" height=\"1\" opacity=\"7\"/>").fill, 0, 0, 0, 1);
  expect_color(shape("<rect width=\"1\" height=\"1\" fill-opacity=\"-7\"/>").fill, 0, 0, 0, 0);
}

TEST(Svg, groups_hand_their_style_down) {
  const VectorDrawing read = drawing(
      "<g fill=\"red\" stroke=\"blue\" stroke-width=\"4\" fill-rule=\"evenodd\" stroke-linejoin=\"round\" stroke-linecap=\"square\">"
      "<rect width=\"1\" height=\"1\"/><rect width=\"1\" height=\"1\" fill=\"black\" fill-rule=\"nonzero\" stroke-linejoin=\"bevel\" stroke-linecap=\"butt\"/></g><rect width=\"1\" height=\"1\"/>");
  ASSERT_EQ(read.shapes.size(), 3u);
  expect_color(read.shapes[0].fill, 1, 0, 0);
  EXPECT_TRUE(read.shapes[0].even_odd);
  EXPECT_EQ(read.shapes[0].width, 4);
  EXPECT_EQ(read.shapes[0].join, VectorShape::Join::Round);
  EXPECT_EQ(read.shapes[0].cap, VectorShape::Cap::Square);
  expect_color(read.shapes[1].fill, 0, 0, 0);
  expect_color(read.shapes[1].stroke, 0, 0, 1);
  EXPECT_FALSE(read.shapes[1].even_odd);
  EXPECT_EQ(read.shapes[1].join, VectorShape::Join::Bevel);
  EXPECT_EQ(read.shapes[1].cap, VectorShape::Cap::Butt);
  EXPECT_EQ(read.shapes[2].stroke.kind, VectorPaint::Kind::None);
  EXPECT_EQ(read.shapes[2].width, 1);
}

constexpr const char* kStops = "<stop offset=\"0\" stop-color=\"red\"/><stop offset=\"25%\" stop-color=\"#00f\" stop-opacity=\"0.5\"/><stop offset=\"1\" stop-color=\"white\"/>";

TEST(Svg, a_linear_gradient_runs_along_its_line) {
  const std::string user = fmt::format("<linearGradient id=\"a\" gradientUnits=\"userSpaceOnUse\" x1=\"10\" y1=\"10\" x2=\"30\" y2=\"30\">{}</linearGradient>", kStops);
  const VectorPaint paint = shape("<rect width=\"50\" height=\"50\" opacity=\"0.5\" fill=\"url(#a)\"/>" + user).fill;  // defined after it is used
  ASSERT_EQ(paint.kind, VectorPaint::Kind::Linear);
  EXPECT_NEAR((paint.to_gradient * Vec2(10, 10)).x(), 0, 1e-12);
  EXPECT_NEAR((paint.to_gradient * Vec2(30, 30)).x(), 1, 1e-12);
  EXPECT_NEAR((paint.to_gradient * Vec2(40, 0)).x(), 0.5, 1e-12);  // across it the colour stays
  ASSERT_EQ(paint.stops.size(), 3u);
  EXPECT_EQ(paint.stops[1].offset, 0.25);
  EXPECT_LT((paint.stops[1].color - Eigen::Vector4f(0, 0, 1, 0.25f)).norm(), 1e-6);
  EXPECT_LT((paint.stops[2].color - Eigen::Vector4f(1, 1, 1, 0.5f)).norm(), 1e-6);
}

TEST(Svg, a_gradient_fills_the_box_of_its_shape) {
  const std::string box = fmt::format("<defs><linearGradient id=\"a\">{0}</linearGradient><radialGradient id=\"b\">{0}</radialGradient></defs>", kStops);
  const VectorPaint linear = shape(box + "<rect x=\"20\" y=\"10\" width=\"40\" height=\"20\" transform=\"translate(5 5)\" fill=\"url('#a')\"/>").fill;
  EXPECT_NEAR((linear.to_gradient * Vec2(25, 20)).x(), 0, 1e-12);
  EXPECT_NEAR((linear.to_gradient * Vec2(65, 35)).x(), 1, 1e-12);
  const VectorPaint radial = shape(box + "<rect x=\"20\" y=\"10\" width=\"40\" height=\"20\" fill=\"url(#b)\"/>").fill;
  ASSERT_EQ(radial.kind, VectorPaint::Kind::Radial);
  EXPECT_NEAR((radial.to_gradient * Vec2(40, 20)).norm(), 0, 1e-12);
  for (const Vec2& rim : {Vec2(60, 20), Vec2(20, 20), Vec2(40, 10), Vec2(40, 30)}) EXPECT_NEAR((radial.to_gradient * rim).norm(), 1, 1e-12);
}

TEST(Svg, stops_ascend_and_are_black_unless_told) {
  const VectorPaint paint = shape("<linearGradient id=\"a\"><stop offset=\"0.5\"/><stop offset=\"0.2\" stop-color=\"red\"/><stop offset=\"9\" stop-color=\"red\"/></linearGradient>"
                                  "<rect width=\"1\" height=\"1\" fill=\"url(#a)\"/>").fill;
  ASSERT_EQ(paint.stops.size(), 3u);
  EXPECT_EQ(paint.stops[1].offset, 0.5);
  EXPECT_EQ(paint.stops[2].offset, 1);
  EXPECT_EQ(paint.stops[0].color, Eigen::Vector4f(0, 0, 0, 1));
}

TEST(Svg, groups_of_the_top_level_are_layers) {
  const VectorDrawing read = drawing(
      "<g id=\"layer-back\"><rect width=\"1\" height=\"1\"/><g id=\"layer-inner\"><circle r=\"2\"/></g></g><g id=\"other\"><rect width=\"2\" height=\"2\"/></g><g id=\"layer-arm\"><rect width=\"3\" height=\"3\"/></g>");
  EXPECT_EQ(read.layers, (std::vector<std::string>{"back", "arm"}));
  ASSERT_EQ(read.shapes.size(), 4u);
  EXPECT_EQ(read.shapes[0].layer, 0);
  EXPECT_EQ(read.shapes[1].layer, 0);
  EXPECT_EQ(read.shapes[3].layer, 1);
}

TEST(Svg, the_rig_is_marked_and_not_drawn) {
  const VectorDrawing read = drawing(
      "<g id=\"layer-body\"/><g id=\"rig\" transform=\"translate(10 20)\"><circle id=\"handle-head\" cx=\"1\" cy=\"2\" r=\"5\"/>"
      "<line id=\"bone-arm\" x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\" data-layer=\"body\"/><circle id=\"pin-hip\" cx=\"7\" data-layer=\"leg\" data-to=\"body\"/></g>", "5 0 100 50");
  EXPECT_TRUE(read.shapes.empty());
  ASSERT_EQ(read.marks.size(), 3u);
  EXPECT_EQ(read.marks[0].kind, RigMark::Kind::Handle);
  EXPECT_EQ(read.marks[0].name, "head");
  EXPECT_EQ(read.marks[0].at, Vec2(6, 22));
  EXPECT_EQ(read.marks[0].layer, "");
  EXPECT_EQ(read.marks[1].kind, RigMark::Kind::Bone);
  EXPECT_EQ(read.marks[1].to, Vec2(8, 24));
  EXPECT_EQ(read.marks[1].layer, "body");
  EXPECT_EQ(read.marks[2].kind, RigMark::Kind::Pin);
  EXPECT_EQ(read.marks[2].at, Vec2(12, 20));
  EXPECT_EQ(read.marks[2].pinned_to, "body");
}

TEST(Svg, what_cannot_be_read_is_noted_once) {
  const VectorDrawing read = drawing(
      "<text>a</text><text>b</text><image/><rect style=\"fill:red\" width=\"1\" height=\"1\"/><rect width=\"1\" height=\"1\" fill=\"tomato\" stroke=\"url(#nowhere)\"/>"
      "<linearGradient id=\"a\" gradientTransform=\"scale(2)\"><stop stop-color=\"thistle\"/></linearGradient>");
  const auto has = [&](const char* part) { return std::count_if(read.notes.begin(), read.notes.end(), [&](const std::string& note) { return note.find(part) != std::string::npos; }); };
  EXPECT_EQ(has("<text>"), 1);
  EXPECT_EQ(has("<image>"), 1);
  EXPECT_EQ(has("style"), 1);
  EXPECT_EQ(has("tomato"), 1);
  EXPECT_EQ(has("thistle"), 1);
  EXPECT_EQ(has("nowhere"), 1);
  EXPECT_EQ(has("gradients"), 1);
  EXPECT_EQ(read.shapes.size(), 2u);
  EXPECT_TRUE(drawing("<rect width=\"1\" height=\"1\"/><title>a</title><!-- text --><defs><path d=\"M0 0L1 1\"/></defs>").notes.empty());
}

TEST(Svg, what_is_hidden_or_only_a_definition_is_not_drawn) {
  const VectorDrawing read = drawing(
      "<defs><rect width=\"1\" height=\"1\"/></defs><g display=\"none\"><rect width=\"1\" height=\"1\"/></g><clipPath id=\"c\"><rect width=\"1\" height=\"1\"/></clipPath>"
      "<mask id=\"m\"><g><circle r=\"1\"/></g></mask><symbol><circle r=\"1\"/></symbol><pattern id=\"p\"><circle r=\"1\"/></pattern>");
  EXPECT_TRUE(read.shapes.empty());
  EXPECT_EQ(read.notes.size(), 4u);
}

TEST(Svg, names_may_have_a_prefix_and_documents_a_doctype) {
  const Result<VectorDrawing> read = parse_svg(
      "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">"
      "<svg:svg xmlns:svg=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 4\"><svg:rect width=\"1\" height=\"1\"/></svg:svg>", "a.svg");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->shapes.size(), 1u);
}

TEST(Svg, broken_files_are_refused_with_file_and_line) {
  EXPECT_EQ(svg_complaint("").rfind("a.svg:1: is no valid SVG", 0), 0u) << svg_complaint("");
  EXPECT_EQ(svg_complaint("hello").rfind("a.svg:1: is no valid SVG", 0), 0u);
  EXPECT_EQ(svg_complaint("<svg viewBox=\"0 0 1 1\">\n<g>\n</svg>").rfind("a.svg:3: is no valid SVG", 0), 0u);
  EXPECT_EQ(svg_complaint("<svg viewBox=\"0 0 1 1\">\n<g>").rfind("a.svg:2: is no valid SVG", 0), 0u);
  EXPECT_EQ(svg_complaint("<html/>"), "a.svg: has no <svg> element");
  for (const char* size : {"", "width=\"5\"", "viewBox=\"0 0 0 5\"", "viewBox=\"0 0 -1 5\"", "viewBox=\"0 0 1e8 1e8\""}) {
    EXPECT_EQ(svg_complaint(fmt::format("<svg {}/>", size)), "a.svg:1: needs a size: viewBox=\"0 0 WIDTH HEIGHT\"") << size;
  }
  EXPECT_EQ(svg_complaint("<svg viewBox=\"0 0 nan 1\"/>").rfind("a.svg:1: viewBox=\"0 0 nan 1\" has something in it that is not a number", 0), 0u);
  EXPECT_EQ(svg_complaint("<svg width=\"inf\" height=\"1\"/>").rfind("a.svg:1: width=\"inf\" is not a number", 0), 0u);
}

TEST(Svg, wrong_values_are_refused_with_file_and_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"<path d=\"M1 2L\"/>", "a.svg:2: a path has a wrong or missing number"},
      {"\n<path d=\"1 2\"/>", "a.svg:3: a path has a number where a command should be"},
      {"<circle r=\"nan\"/>", "a.svg:2: r=\"nan\" is not a number"},
      {"<circle r=\"1e99\"/>", "a.svg:2: r=\"1e99\" is not a number"},
      {"<rect x=\"a\" width=\"1\" height=\"1\"/>", "a.svg:2: x=\"a\" is not a number"},
      {"<g opacity=\"inf\"/>", "a.svg:2: opacity=\"inf\" is not a number"},
      {"<g transform=\"turn(4)\"/>", "a.svg:2: transform=\"turn(4)\" cannot be read"},
      {"<g transform=\"scale(\"/>", "a.svg:2: transform=\"scale(\" cannot be read"},
      {"<g transform=\"matrix(1 2 3)\"/>", "a.svg:2: transform=\"matrix(1 2 3)\" cannot be read"},
      {"<g transform=\"translate(nan)\"/>", "a.svg:2: transform=\"translate(nan)\" cannot be read"},
      {"<g transform=\"translate(1,nan)\"/>", "a.svg:2: transform=\"translate(1,nan)\" cannot be read"},
      {"<polygon points=\"0,0 1,nan 1,1\"/>", "a.svg:2: points=\"0,0 1,nan 1,1\" "},
      {"<g id=\"rig\"><rect id=\"handle-a\"/></g>", "a.svg:2: <rect id=\"handle-a\"> in the rig"},
      {"<g id=\"rig\"><circle id=\"handle-\"/></g>", "a.svg:2: <circle id=\"handle-\"> in the rig"},
  };
  for (const auto& [inside, begin] : cases) EXPECT_EQ(svg_complaint_inside(inside).rfind(begin, 0), 0u) << inside << " -> " << svg_complaint_inside(inside);
}

TEST(Svg, hostile_files_are_refused_before_they_grow) {
  std::string laughs = "<!DOCTYPE svg [<!ENTITY a \"ha\">\n";
  for (char c = 'b'; c < 'z'; ++c) laughs += fmt::format("<!ENTITY {0} \"&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};\">\n", c, static_cast<char>(c - 1));
  EXPECT_NE(svg_complaint(laughs + "]><svg viewBox=\"0 0 1 1\"><title>&y;</title></svg>").find("declares entities"), std::string::npos);
  EXPECT_NE(svg_complaint("<!DOCTYPE svg [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><svg viewBox=\"0 0 1 1\"><title>&a;</title></svg>").find("declares entities"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<g>";
  EXPECT_EQ(svg_complaint_inside(deep), "a.svg:2: its groups are nested too deeply");
  std::string many;
  for (int i = 0; i < 100001; ++i) many += "<line/>";
  EXPECT_EQ(svg_complaint_inside(many), "a.svg:2: has more than 100000 shapes");
  std::string scaled;
  for (int i = 0; i < 100; ++i) scaled += "<g transform=\"scale(1e9)\">";
  EXPECT_NE(svg_complaint_inside(scaled + "<circle r=\"1\"/>").find("a.svg:2: transform"), std::string::npos) << svg_complaint_inside(scaled).substr(0, 200);
  const std::string arcs = "<path d=\"M0 0" + [] {
    std::string all;
    for (int i = 0; i < 400; ++i) all += "a9e8 9e8 0 1 1 9 9";
    return all;
  }() + "\"/>";
  std::string heavy;
  for (int i = 0; i < 20; ++i) heavy += arcs;
  EXPECT_NE(svg_complaint_inside(heavy).find("points"), std::string::npos) << "16 million points from 150 kB";
}

TEST(Svg, bytes_at_random_never_crash) {
  const std::string sound =
      "<svg viewBox=\"0 0 9 9\"><g id=\"layer-a\" transform=\"rotate(3)\"><path d=\"M1 2c3 4 5 6 7 8a1 2 3 0 1 5 6z\" fill=\"url(#g)\"/></g>"
      "<radialGradient id=\"g\"><stop offset=\"1\"/></radialGradient><g id=\"rig\"><circle id=\"handle-a\" cx=\"1\"/></g></svg>";
  EXPECT_EQ(svg_complaint(sound), "");
  uint32_t random = 1;
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = sound;
    for (int k = 0; k < 3; ++k) {
      random = random * 1664525u + 1013904223u;
      bytes[(random >> 8) % bytes.size()] = static_cast<char>(random >> 24);
    }
    refused += svg_complaint(bytes).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
  for (size_t length = 0; length < sound.size(); ++length) EXPECT_NE(svg_complaint(std::string_view(sound).substr(0, length)), "") << length;
}

TEST(Svg, a_file_that_is_not_there_is_an_error_that_names_it) {
  const Result<VectorDrawing> read = read_svg("/no such folder/a.svg");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text.find("/no such folder/a.svg"), std::string::npos);
}

}  // namespace
}  // namespace crumple::io
