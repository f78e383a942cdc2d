#include "crumple/render/sheet.h"

#include <set>

#include <gtest/gtest.h>

#include "crumple/render/font.h"
#include "crumple/render/text.h"

namespace crumple::render {
namespace {

io::Image plain(int width, int height, uint8_t value) {
  io::Image image(width, height);
  std::fill(image.rgb.begin(), image.rgb.end(), value);
  return image;
}

int dark_pixels(const io::Image& image) {
  int count = 0;
  for (size_t i = 0; i < image.rgb.size(); i += 3) count += image.rgb[i] < 160;
  return count;
}

TEST(Sheet, is_as_large_as_its_tiles_and_gutters) {
  const std::vector<io::Image> tiles(7, plain(480, 270, 0));
  const SheetLayout layout = sheet_layout(480, true, true);
  const io::Image sheet = contact_sheet(tiles, 3, {"a", "b"}, "footer");
  EXPECT_EQ(sheet.width, 3 * 480 + 4 * layout.gutter);
  EXPECT_EQ(sheet.height, layout.gutter + 3 * (270 + layout.caption) + layout.footer);
  EXPECT_EQ(*sheet.pixel(layout.gutter, layout.gutter), 0);
  EXPECT_GT(*sheet.pixel(layout.gutter - 1, layout.gutter), 240);
  EXPECT_GT(*sheet.pixel(sheet.width - layout.gutter - 1, layout.gutter + 2 * (270 + layout.caption)), 240) << "the ninth cell is empty";
}

TEST(Sheet, takes_odd_requests) {
  EXPECT_GT(contact_sheet({}, 3, {}, "").width, 0);
  EXPECT_GT(contact_sheet({io::Image()}, 0, {"one", "two"}, "").height, 0);
  EXPECT_GT(contact_sheet({plain(3, 2, 9), plain(50, 20, 9)}, 1000000, {std::string(1000, 'x')}, std::string(500, '\xff')).width, 50);
}

TEST(Sheet, captions_stay_under_their_own_tile) {
  const std::vector<io::Image> tiles(2, plain(200, 100, 255));
  const io::Image sheet = contact_sheet(tiles, 2, {std::string(200, 'W'), ""}, "");
  const SheetLayout layout = sheet_layout(200, true, false);
  for (int y = 0; y < sheet.height; ++y) {
    for (int x = layout.gutter + 200; x < sheet.width; ++x) EXPECT_GT(*sheet.pixel(x, y), 200);
  }
}

TEST(Text, every_character_has_its_own_shape) {
  std::set<std::string_view> shapes;
  for (char character = '!'; character <= '~'; ++character) {
    const std::string_view dots = glyph_dots(character);
    EXPECT_NE(dots.find('1'), std::string_view::npos) << character;
    EXPECT_LE(dots.size(), 9u * 6 - 1) << character;
    for (size_t i = 0; i < dots.size(); ++i) EXPECT_EQ(dots[i] == ' ', i % 6 == 5) << character;
    EXPECT_TRUE(shapes.insert(dots).second) << character;
  }
  EXPECT_TRUE(glyph_dots(' ').empty());
  EXPECT_NE(glyph_dots('\n').find('1'), std::string_view::npos);
}

TEST(Text, is_as_wide_and_high_as_it_says) {
  io::Image image = plain(200, 40, 255);
  draw_text(image, 10, 10, 14, "HELM", {0, 0, 0});
  const int width = text_width("HELM", 14);
  int left = 999, right = 0, top = 999, bottom = 0;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 200; ++x) {
      if (*image.pixel(x, y) > 128) continue;
      left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
    }
  }
  EXPECT_NEAR(left, 10, 1);
  EXPECT_NEAR(right, 10 + width - 1, 1);
  EXPECT_NEAR(top, 10, 1);
  EXPECT_NEAR(bottom, 23, 1);
}

TEST(Text, is_cut_off_at_the_border_of_the_picture) {
  io::Image image = plain(20, 10, 255);
  draw_text(image, -8, -4, 30, "crumple", {0, 0, 0});
  draw_text(image, 1e9, 5, 10, "crumple", {0, 0, 0});
  EXPECT_GT(dark_pixels(image), 0);
}

TEST(Text, too_long_for_its_place_ends_in_dots) {
  const std::string fitted = fit_text("a very long caption", 10, 60);
  EXPECT_LE(text_width(fitted, 10), 60);
  EXPECT_TRUE(fitted.ends_with(".."));
  EXPECT_EQ(fit_text("short", 10, 600), "short");
  EXPECT_EQ(fit_text("short", 10, 3), "");
}

}  // namespace
}  // namespace crumple::render
