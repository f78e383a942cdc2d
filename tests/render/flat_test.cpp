#include "crumple/render/flat.h"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/display_color.h"
#include "crumple/io/files.h"
#include "crumple/render/drawing.h"

namespace crumple::render {
namespace {

constexpr double kPi = std::numbers::pi;
const Rgba kRed(1, 0, 0, 1), kBlue(0, 0, 1, 1);

/// Pixels that polygons cover, in all.
double covered(const std::vector<Polygon>& polygons, bool even_odd = false, int width = 64, int height = 64) {
  Canvas canvas(width, height);
  fill(canvas, polygons, even_odd, [](const Vec2&) { return kRed; });
  double sum = 0;
  for (const Rgba& pixel : canvas.pixels) sum += double{pixel[3]};
  return sum;
}

Polygon box(double x, double y, double width, double height) {
  return {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
}

Polygon turned(Polygon polygon) {
  std::reverse(polygon.begin(), polygon.end());
  return polygon;
}

Polygon disc(const Vec2& center, double radius) {
  Polygon polygon;
  for (int k = 0; k < 200; ++k) polygon.push_back(center + radius * Vec2(std::cos(kPi * k / 100), std::sin(kPi * k / 100)));
  return polygon;
}

TEST(Canvas, covers_the_area_of_a_polygon) {
  EXPECT_NEAR(covered({box(3, 5, 20, 10)}), 200, 1e-4);
  EXPECT_NEAR(covered({box(3.25, 5.5, 20.5, 10.25)}), 20.5 * 10.25, 1e-3);
  EXPECT_NEAR(covered({{{2, 3}, {60, 10}, {20, 55}}}), 0.5 * (58 * 52 - 7 * 18), 2);
  EXPECT_NEAR(covered({disc({31.3, 32.7}, 25)}), 100 * std::sin(kPi / 100) * 625, 1);
  EXPECT_EQ(covered({}), 0);
  EXPECT_EQ(covered({{}, {{1, 1}}, {{1, 1}, {9, 9}}}), 0);
}

TEST(Canvas, a_pixel_has_the_part_that_is_covered) {
  Canvas canvas(4, 4);
  const std::vector<Polygon> polygons = {box(1.25, 1.5, 1.5, 1)};
  fill(canvas, polygons, false, [](const Vec2&) { return Rgba(1, 0.5f, 0, 1); });
  EXPECT_NEAR(canvas.at(1, 1)[3], 0.75 * 0.5, 1e-6);
  EXPECT_NEAR(canvas.at(2, 1)[3], 0.75 * 0.5, 1e-6);
  EXPECT_NEAR(canvas.at(1, 1)[1], 0.5 * 0.375, 1e-6) << "multiplied by alpha";
  EXPECT_EQ(canvas.at(0, 0)[3], 0);
  EXPECT_EQ(canvas.at(3, 3)[3], 0);
}

TEST(Canvas, what_is_outside_is_cut_off) {
  EXPECT_NEAR(covered({box(-100, -100, 1000, 1000)}), 64 * 64, 1e-2);
  EXPECT_NEAR(covered({box(60, -10, 100, 20)}), 4 * 10, 1e-3);
  EXPECT_EQ(covered({box(70, 70, 5, 5)}), 0);
  EXPECT_EQ(covered({box(-70, -70, 5, 5)}), 0);
  EXPECT_EQ(covered({box(1e12, 1e12, 5, 5)}), 0);
  EXPECT_EQ(covered({box(-1e12, -1e12, 5, 5)}), 0);
  EXPECT_NEAR(covered({box(-1e12, 10, 2e12, 1)}), 64, 1e-3);
  const double nan = std::nan("");
  EXPECT_EQ(covered({{{nan, 1}, {5, nan}, {nan, nan}}}), 0);
}

TEST(Canvas, windings_and_crossings_are_counted_as_their_rules_say) {
  const Polygon outer = box(4, 4, 40, 40), inner = box(14, 14, 20, 20);
  EXPECT_NEAR(covered({outer, inner}, true), 1600 - 400, 1e-2);
  EXPECT_NEAR(covered({outer, turned(inner)}, true), 1600 - 400, 1e-2);
  EXPECT_NEAR(covered({outer, inner}, false), 1600, 1e-2);
  EXPECT_NEAR(covered({outer, turned(inner)}, false), 1600 - 400, 1e-2);
  EXPECT_NEAR(covered({turned(outer), inner}, false), 1600 - 400, 1e-2);
  // A star of five points drawn in one line: its middle is twice inside.
  Polygon star;
  for (int k = 0; k < 5; ++k) star.push_back(Vec2(32, 32) + 30 * Vec2(std::sin(0.8 * kPi * k), -std::cos(0.8 * kPi * k)));
  const double inradius = 30 * std::cos(0.4 * kPi), pentagon = 5 * inradius * inradius * std::tan(kPi / 5);
  EXPECT_NEAR(covered({star}, false) - covered({star}, true), pentagon, 2);
}

TEST(Canvas, transparent_paint_blends_over_what_is_there) {
  Canvas canvas(1, 1, kBlue);
  const std::vector<Polygon> polygons = {box(0, 0, 1, 1)};
  fill(canvas, polygons, false, [](const Vec2&) { return Rgba(1, 0, 0, 0.25f); });
  EXPECT_LT((canvas.at(0, 0) - Rgba(0.25f, 0, 0.75f, 1)).matrix().norm(), 1e-6);
  Canvas clear(1, 1);
  fill(clear, polygons, false, [](const Vec2&) { return Rgba(1, 0, 0, 0.5f); });
  fill(clear, polygons, false, [](const Vec2&) { return Rgba(0, 0, 1, 0.5f); });
  EXPECT_LT((clear.at(0, 0) - Rgba(0.25f, 0, 0.5f, 0.75f)).matrix().norm(), 1e-6);
  const Picture picture = to_picture(clear);  // alpha divided out
  EXPECT_EQ(picture.pixel(0, 0)[0], 85);
  EXPECT_EQ(picture.pixel(0, 0)[2], 170);
  EXPECT_EQ(picture.pixel(0, 0)[3], 191);
}

TEST(Canvas, white_shows_through_an_image) {
  Picture picture(3, 1);
  picture.rgba = {200, 100, 0, 255, 10, 20, 30, 0, 0, 255, 51, 51};
  EXPECT_EQ(to_image(picture).rgb, (std::vector<uint8_t>{200, 100, 0, 255, 255, 255, 204, 255, 214}));
}

io::VectorShape stroke(std::vector<Vec2> points, bool is_closed, double width) {
  io::VectorShape shape;
  shape.lines = {{std::move(points), is_closed}};
  shape.width = width;
  return shape;
}

TEST(Stroke, covers_its_width_along_its_length) {
  for (const double degrees : {0.0, 30.0, 90.0, 200.0}) {
    const Vec2 half = 20 * Vec2(std::cos(degrees * kPi / 180), std::sin(degrees * kPi / 180));
    EXPECT_NEAR(covered(stroke_polygons(stroke({Vec2(32, 32) - half, Vec2(32, 32) + half}, false, 3), 1)), 40 * 3, 1) << degrees;
  }
  EXPECT_NEAR(covered(stroke_polygons(stroke({{5, 8}, {15, 8}}, false, 3), 2)), 20 * 6, 0.1) << "enlarged";
}

TEST(Stroke, caps_add_a_disc_or_a_square) {
  io::VectorShape line = stroke({{12, 32}, {52, 32}}, false, 20);
  line.cap = io::VectorShape::Cap::Square;
  EXPECT_NEAR(covered(stroke_polygons(line, 1)), 60 * 20, 0.1);
  line.cap = io::VectorShape::Cap::Round;
  EXPECT_NEAR(covered(stroke_polygons(line, 1)), 40 * 20 + kPi * 100, 6);
  const double dot = covered(stroke_polygons([] {
    io::VectorShape shape = stroke({{32, 32}, {32, 32}}, false, 20);
    shape.cap = io::VectorShape::Cap::Round;
    return shape;
  }(), 1));
  EXPECT_NEAR(dot, kPi * 100, 6);
}

TEST(Stroke, joins_fill_the_outer_corner) {
  io::VectorShape angle = stroke({{12, 52}, {52, 52}, {52, 12}}, false, 10);
  const double both = 2 * 40 * 10 - 25;  // the inner corner counts once
  EXPECT_NEAR(covered(stroke_polygons(angle, 1)), both + 25, 0.1);
  angle.join = io::VectorShape::Join::Bevel;
  EXPECT_NEAR(covered(stroke_polygons(angle, 1)), both + 12.5, 0.2);
  angle.join = io::VectorShape::Join::Round;
  EXPECT_NEAR(covered(stroke_polygons(angle, 1)), both + kPi / 4 * 25, 1);
}

TEST(Stroke, a_closed_line_has_a_join_at_each_corner_and_a_hole) {
  EXPECT_NEAR(covered(stroke_polygons(stroke({{12, 12}, {52, 12}, {52, 52}, {12, 52}}, true, 4), 1)), 44 * 44 - 36 * 36, 0.1);
  EXPECT_NEAR(covered(stroke_polygons(stroke({{12, 12}, {52, 12}, {52, 52}, {12, 52}, {12, 12}}, true, 4), 1)), 44 * 44 - 36 * 36, 0.1) << "the start named twice";
}

TEST(Stroke, a_needle_has_no_long_point) {
  // The miter of such a turn would be 57 times as long as the line is wide.
  for (const Polygon& polygon : stroke_polygons(stroke({{10, 30}, {50, 30}, {10, 30.7}}, false, 4), 1)) {
    for (const Vec2& p : polygon) EXPECT_LT(p.x(), 53);
  }
}

Picture drawn(const std::string& inside, int layer = -1, double scale = 1) {
  const Result<io::VectorDrawing> drawing = io::parse_svg("<svg viewBox=\"0 0 20 10\">" + inside + "</svg>", "a.svg");
  EXPECT_TRUE(drawing) << drawing.error().text;
  return draw(*drawing, layer, scale);
}

void expect_pixel(const Picture& picture, int x, int y, std::array<int, 4> color, int within = 1) {
  for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(picture.pixel(x, y)[c], color[c], within) << "pixel " << x << ", " << y << ", channel " << c;
}

TEST(Draw, has_the_size_of_the_drawing_and_shapes_in_their_places) {
  const Picture picture = drawn("<rect x=\"2\" y=\"1\" width=\"3\" height=\"2\" fill=\"#336699\"/>");
  EXPECT_EQ(picture.width, 20);
  EXPECT_EQ(picture.height, 10);
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 20; ++x) {
      const bool is_in = x >= 2 && x < 5 && y >= 1 && y < 3;
      expect_pixel(picture, x, y, is_in ? std::array{0x33, 0x66, 0x99, 255} : std::array{0, 0, 0, 0}, 0);
    }
  }
  const Picture large = drawn("<rect x=\"2\" y=\"1\" width=\"3\" height=\"2\" fill=\"#336699\"/>", -1, 2.5);
  EXPECT_EQ(large.width, 50);
  EXPECT_EQ(large.height, 25);
  expect_pixel(large, 5, 3, {0x33, 0x66, 0x99, 255});
  EXPECT_EQ(large.pixel(4, 3)[3], 0);
}

TEST(Draw, gradients_have_the_values_of_their_line) {
  const std::string linear =
      "<linearGradient id=\"a\" gradientUnits=\"userSpaceOnUse\" x1=\"5\" x2=\"15\" y2=\"0\"><stop offset=\"0\" stop-color=\"#000\"/><stop offset=\"0.5\" stop-color=\"#f00\"/>"
      "<stop offset=\"1\" stop-color=\"#f00\" stop-opacity=\"0\"/></linearGradient><rect width=\"20\" height=\"10\" fill=\"url(#a)\"/>";
  const Picture picture = drawn(linear);
  for (int x = 0; x < 20; ++x) {
    const double t = std::clamp((x + 0.5 - 5) / 10, 0.0, 1.0), alpha = std::clamp(2 - 2 * t, 0.0, 1.0);
    EXPECT_NEAR(picture.pixel(x, 4)[3], 255 * alpha, 1) << x;
    EXPECT_NEAR(picture.pixel(x, 4)[0], alpha > 0 ? 255 * std::min(1.0, 2 * t) : 0, 1) << x;
  }
  const Picture radial = drawn(
      "<radialGradient id=\"a\" gradientUnits=\"userSpaceOnUse\" cx=\"10\" cy=\"5\" r=\"4\"><stop offset=\"0\" stop-color=\"#fff\"/><stop offset=\"1\" stop-color=\"#000\"/></radialGradient>"
      "<rect width=\"20\" height=\"10\" fill=\"url(#a)\"/>");
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 20; ++x) EXPECT_NEAR(radial.pixel(x, y)[1], 255 * (1 - std::min(1.0, std::hypot(x + 0.5 - 10, y + 0.5 - 5) / 4)), 1);
  }
}

TEST(Draw, shapes_lie_over_those_before_them) {
  const std::string both = "<g id=\"layer-a\"><rect width=\"10\" height=\"10\" fill=\"red\"/></g><g id=\"layer-b\"><rect x=\"5\" width=\"10\" height=\"10\" fill=\"blue\" opacity=\"0.4\"/></g>";
  const Picture all = drawn(both);
  expect_pixel(all, 2, 5, {255, 0, 0, 255});
  expect_pixel(all, 7, 5, {153, 0, 102, 255});
  expect_pixel(all, 12, 5, {0, 0, 255, 102});
  expect_pixel(drawn(both, 0), 7, 5, {255, 0, 0, 255});
  expect_pixel(drawn(both, 1), 7, 5, {0, 0, 255, 102});
  EXPECT_EQ(drawn(both, 1).pixel(2, 5)[3], 0);
}

class DrawingFiles : public testing::Test {
 protected:
  DrawingFiles() { std::filesystem::create_directories(folder); }
  ~DrawingFiles() override { std::filesystem::remove_all(folder); }
  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(io::write_file(folder / name, bytes));
    return folder / name;
  }
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / fmt::format("crumple_drawing_files_{}", getpid());
};

TEST_F(DrawingFiles, an_svg_brings_layers_and_marks_in_pixels) {
  const std::filesystem::path file = write("cat.svg",
      "<svg viewBox=\"0 0 20 10\"><g id=\"layer-a\"><rect width=\"20\" height=\"10\"/></g><g id=\"layer-b\"><rect width=\"5\" height=\"5\"/></g><text/>"
      "<g id=\"rig\"><circle id=\"handle-h\" cx=\"3\" cy=\"4\" data-layer=\"a\"/><line id=\"bone-l\" x1=\"1\" y1=\"2\" x2=\"5\" y2=\"2\"/><circle id=\"pin-p\" cx=\"2\" cy=\"2\" data-layer=\"b\" data-to=\"a\"/></g></svg>");
  const Result<Drawing> drawing = read_drawing({{file}}, 3);
  ASSERT_TRUE(drawing) << drawing.error().text;
  ASSERT_EQ(drawing->layers.size(), 2u);
  EXPECT_EQ(drawing->layers[0].name, "a");
  EXPECT_EQ(drawing->layers[1].image->picture->width, 60);
  EXPECT_EQ(drawing->layers[1].image->picture->pixel(16, 5)[3], 0);
  EXPECT_EQ(*io::decode_picture(drawing->layers[1].image->bytes, "b"), *drawing->layers[1].image->picture);
  ASSERT_EQ(drawing->handles.size(), 2u);
  EXPECT_EQ(drawing->handles[0].at, Vec2(9, 12));
  EXPECT_EQ(drawing->handles[0].layer, "a");
  EXPECT_FALSE(drawing->handles[0].to);
  EXPECT_EQ(*drawing->handles[1].to, Vec2(15, 6));
  ASSERT_EQ(drawing->pins.size(), 1u);
  EXPECT_EQ(drawing->pins[0].at, Vec2(6, 6));
  EXPECT_EQ(drawing->pins[0].layer + drawing->pins[0].to, "ba");
  ASSERT_EQ(drawing->notes.size(), 1u);
  EXPECT_NE(drawing->notes[0].find("cat.svg: <text> cannot be read"), std::string::npos) << drawing->notes[0];
}

TEST_F(DrawingFiles, an_svg_is_drawn_in_a_size_that_can_be_held) {
  const std::filesystem::path file = write("wide.svg", "<svg viewBox=\"0 0 1000000 10000\"><rect width=\"1000000\" height=\"10000\"/></svg>");
  const Result<Drawing> drawing = read_drawing({{file}}, 16);
  ASSERT_TRUE(drawing) << drawing.error().text;
  EXPECT_EQ(drawing->layers[0].name, "wide");
  EXPECT_EQ(drawing->layers[0].image->picture->width, 4096);
  EXPECT_EQ(drawing->layers[0].image->picture->height, 41);
  EXPECT_NEAR(drawing->scale, 4096e-6, 1e-12);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "<g id=\"layer-a\"/>";
  const Result<Drawing> layers = read_drawing({{write("many.svg", "<svg viewBox=\"0 0 4096 4096\">" + many + "</svg>")}});
  ASSERT_FALSE(layers);
  EXPECT_NE(layers.error().text.find("many.svg: 1000 layers are too many"), std::string::npos) << layers.error().text;
}

TEST_F(DrawingFiles, pngs_are_layers_byte_for_byte) {
  Picture picture(3, 2);
  picture.pixel(1, 1)[3] = 7;
  const std::string bytes = *io::encode_png(picture);
  const std::filesystem::path back = write("back.png", bytes), front = write("front.png", bytes), svg = write("a.svg", "<svg/>");
  const Result<Drawing> drawing = read_drawing({{back, front}});
  ASSERT_TRUE(drawing) << drawing.error().text;
  ASSERT_EQ(drawing->layers.size(), 2u);
  EXPECT_EQ(drawing->layers[1].name, "front");
  EXPECT_EQ(drawing->layers[1].image->bytes, bytes);
  EXPECT_EQ(*drawing->layers[1].image->picture, picture);
  EXPECT_FALSE(read_drawing({}));
  EXPECT_FALSE(read_drawing({{back, svg}}));
  EXPECT_FALSE(read_drawing({{back, folder / "missing.png"}}));
  EXPECT_FALSE(read_drawing({{write("torn.png", bytes.substr(0, 40))}}));
}

/// A square of a metre around the origin that shows a picture.
FrameItem textured(const Picture& picture, bool nearest = false) {
  auto image = std::make_shared<TextureImage>();
  image->picture = std::make_shared<const Picture>(picture);
  SurfaceMaterial material;
  material.alpha_mode = AlphaMode::Blend;
  material.color_texture = {image, TextureWrap::Clamp, TextureWrap::Clamp, nearest};
  auto mesh = std::make_shared<TriMesh>();
  mesh->positions = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}};
  mesh->uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};  // v runs down
  mesh->triangles = {{0, 1, 2}, {0, 2, 3}};
  mesh->materials = std::make_shared<const Materials>(Materials{material});
  FrameItem item;
  item.surface = mesh;
  return item;
}

FrameItem plain(const Vec3f& color, const Vec3& at, double size) {
  FrameItem item;
  item.surface = std::make_shared<TriMesh>(make_box({size, size, 0.01}));
  item.place.translation = at;
  item.look.color = color;
  return item;
}

FlatSettings flat_settings(int width, int height) {
  FlatSettings settings;
  settings.width = width, settings.height = height, settings.background = false, settings.outline = 0;
  return settings;
}

Picture random_picture(int width, int height) {
  Picture picture(width, height);
  uint32_t random = 3;
  for (uint8_t& value : picture.rgba) random = random * 1664525u + 1013904223u, value = static_cast<uint8_t>(random >> 24);
  for (int i = 0; i < width * height; ++i) picture.rgba[static_cast<size_t>(4 * i + 3)] = 255;
  return picture;
}

Frame frame_of(std::vector<FrameItem> items) {
  Frame frame;
  frame.items = std::move(items), frame.flat = true;
  return frame;
}

TEST(Flat, shows_a_picture_pixel_for_pixel_and_the_right_way_up) {
  const Picture picture = random_picture(16, 16);
  const Picture shown = render_flat(frame_of({textured(picture, true)}), {Vec2::Zero(), 1}, flat_settings(16, 16));
  EXPECT_EQ(shown, picture);
}

TEST(Flat, a_window_shows_its_part_of_the_plane) {
  const Picture picture = random_picture(16, 16);
  // Twice as large, the upper right quarter: a texel is 2 x 2 pixels.
  const Picture quarter = render_flat(frame_of({textured(picture, true)}), {{0.25, 0.25}, 0.5}, flat_settings(16, 16));
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      for (int c = 0; c < 4; ++c) EXPECT_EQ(quarter.pixel(x, y)[c], picture.pixel(8 + x / 2, y / 2)[c]);
    }
  }
  // A wide window has margins on both sides.
  const Picture wide = render_flat(frame_of({textured(picture, true)}), {Vec2::Zero(), 1}, flat_settings(32, 16));
  for (int y = 0; y < 16; ++y) {
    EXPECT_EQ(wide.pixel(7, y)[3], 0);
    EXPECT_EQ(wide.pixel(24, y)[3], 0);
    for (int c = 0; c < 4; ++c) EXPECT_EQ(wide.pixel(8, y)[c], picture.pixel(0, y)[c]);
  }
}

TEST(Flat, a_picture_made_smaller_is_its_mean) {
  Picture checks(64, 64);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) std::fill_n(checks.pixel(x, y), 3, static_cast<uint8_t>((x + y) % 2 ? 255 : 0)), checks.pixel(x, y)[3] = 255;
  }
  const Picture small = render_flat(frame_of({textured(checks)}), {Vec2::Zero(), 1}, flat_settings(8, 8));
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) expect_pixel(small, x, y, {128, 128, 128, 255});
  }
}

TEST(Flat, covers_the_area_of_its_triangles_once) {
  Picture half(1, 1);
  half.rgba = {255, 255, 255, 128};
  FrameItem item = textured(half);
  item.place.rotation = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()));
  const Picture picture = render_flat(frame_of({item}), {Vec2::Zero(), 2}, flat_settings(100, 100));
  double sum = 0;
  for (int i = 0; i < 100 * 100; ++i) {
    sum += picture.rgba[static_cast<size_t>(4 * i + 3)];
    EXPECT_LE(picture.rgba[static_cast<size_t>(4 * i + 3)], 128) << "the diagonal is drawn twice";
  }
  EXPECT_NEAR(sum / 128, 50 * 50, 15);
  EXPECT_EQ(picture.pixel(50, 50)[3], 128) << "the diagonal has a gap";
}

TEST(Flat, later_items_and_triangles_lie_over_earlier_ones) {
  Picture half(1, 1);
  half.rgba = {255, 0, 0, 51};
  const FrameItem red = plain({1, 0, 0}, Vec3::Zero(), 1), blue = plain({0, 0, 1}, {0.25, 0, -5}, 1);  // depth plays no part
  const auto middle = [](std::vector<FrameItem> items) {
    const Picture picture = render_flat(frame_of(std::move(items)), {Vec2::Zero(), 1}, flat_settings(8, 8));
    return std::array<int, 4>{picture.pixel(5, 4)[0], picture.pixel(5, 4)[1], picture.pixel(5, 4)[2], picture.pixel(5, 4)[3]};
  };
  EXPECT_EQ(middle({red, blue}), (std::array{0, 0, 255, 255}));
  EXPECT_EQ(middle({blue, red}), (std::array{255, 0, 0, 255}));
  EXPECT_EQ(middle({blue, textured(half)}), (std::array{51, 0, 204, 255}));
  EXPECT_EQ(middle({textured(half)}), (std::array{255, 0, 0, 51}));
  FrameItem hidden = red;
  hidden.look.visible = false;
  EXPECT_EQ(middle({blue, hidden}), (std::array{0, 0, 255, 255}));
}

TEST(Flat, colours_are_shown_as_a_screen_shows_light) {
  const Picture picture = render_flat(frame_of({plain({0.5f, 0.2f, 0}, Vec3::Zero(), 2)}), {Vec2::Zero(), 1}, flat_settings(8, 8));
  expect_pixel(picture, 4, 4, {static_cast<int>(std::lround(255 * display_from_linear(0.5f))), static_cast<int>(std::lround(255 * display_from_linear(0.2f))), 0, 255});
}

TEST(Flat, only_wanted_bodies_are_drawn) {
  FrameItem red = plain({1, 0, 0}, Vec3::Zero(), 2), blue = plain({0, 0, 1}, Vec3::Zero(), 2);
  red.body = 0, blue.body = 1;
  FlatSettings settings = flat_settings(4, 4);
  settings.bodies = {0};
  expect_pixel(render_flat(frame_of({red, blue}), {Vec2::Zero(), 1}, settings), 2, 2, {255, 0, 0, 255});
}

TEST(Flat, the_background_is_a_sky_or_nothing) {
  FlatSettings settings = flat_settings(5, 9);
  for (const uint8_t value : render_flat({}, {}, settings).rgba) EXPECT_EQ(value, 0);
  settings.background = true;
  const Picture sky = render_flat({}, {}, settings);
  for (int i = 0; i < 45; ++i) EXPECT_EQ(sky.rgba[static_cast<size_t>(4 * i + 3)], 255);
  EXPECT_LT(sky.pixel(0, 0)[0], sky.pixel(0, 8)[0]) << "paler towards the ground";
}

TEST(Flat, a_plane_fills_everything_below_it) {
  FrameItem floor;
  floor.surface = std::make_shared<TriMesh>(make_plane_patch(Vec3::UnitY(), 0, 20));
  floor.backdrop = true, floor.look.color = {0, 1, 0};
  const Picture picture = render_flat(frame_of({floor}), {{3, 0.25}, 1}, flat_settings(8, 8));
  for (int y = 0; y < 8; ++y) EXPECT_EQ(picture.pixel(4, y)[3], y < 6 ? 0 : 255) << y;
}

TEST(Flat, balls_are_discs_of_their_radius) {
  FrameItem balls;
  balls.ball_radius = 0.3f, balls.positions = {{0, 0, 0}}, balls.look.color = {1, 1, 1};
  const Picture picture = render_flat(frame_of({balls}), {Vec2::Zero(), 1}, flat_settings(100, 100));
  double sum = 0;
  for (int i = 0; i < 100 * 100; ++i) sum += picture.rgba[static_cast<size_t>(4 * i + 3)] / 255.0;
  EXPECT_NEAR(sum, 8 * std::sin(kPi / 8) * 900, 10);  // of 16 corners
}

TEST(Flat, a_camera_sees_a_window_of_the_plane) {
  Camera camera;
  camera.eye = Vec3(1, 2, 10), camera.target = Vec3(1, 2, 0), camera.fov_degrees = 90;
  const FlatWindow window = window_of(camera);
  EXPECT_LT((window.center - Vec2(1, 2)).norm(), 1e-12);
  EXPECT_NEAR(window.height, 20, 1e-9);
}

TEST(Flat, is_the_same_for_any_number_of_threads) {
  Frame frame = frame_of({textured(random_picture(33, 21))});
  for (int i = 0; i < 20; ++i) frame.items.push_back(plain({0.05f * static_cast<float>(i), 0.5f, 1}, {0.9 * std::sin(i), 0.9 * std::cos(i), 0}, 0.3));
  frame.items[0].place.rotation = Quat(Eigen::AngleAxisd(0.4, Vec3::UnitZ()));
  FlatSettings settings = flat_settings(120, 90);
  settings.background = true, settings.outline = 0.0045;
  const int before = thread_count();
  std::vector<Picture> pictures;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    pictures.push_back(render_flat(frame, {Vec2::Zero(), 2}, settings));
  }
  set_thread_count(before);
  EXPECT_EQ(pictures[0], pictures[1]);
  EXPECT_EQ(pictures[0], pictures[2]);
}

TEST(Flat, shapes_that_are_not_finite_or_far_away_do_no_harm) {
  const double nan = std::nan("");
  for (const Vec3& at : {Vec3(1e30, 0, 0), Vec3(0, -1e30, 0), Vec3(nan, 0, 0), Vec3(0, nan, nan)}) {
    const Picture picture = render_flat(frame_of({plain({1, 0, 0}, at, 1), plain({0, 0, 1}, Vec3::Zero(), 2)}), {Vec2::Zero(), 1}, flat_settings(8, 40));
    expect_pixel(picture, 4, 4, {0, 0, 255, 255});
  }
  FrameItem far = textured(random_picture(4, 4));
  TriMesh mesh = *far.surface;
  for (Vec2f& uv : mesh.uvs) uv *= 1e30f;
  far.surface = std::make_shared<TriMesh>(mesh);
  EXPECT_EQ(render_flat(frame_of({far}), {Vec2::Zero(), 1}, flat_settings(8, 8)).pixel(4, 4)[3], 255);
}

}  // namespace
}  // namespace crumple::render
