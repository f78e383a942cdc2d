#include "crumple/render/plot.h"

#include <cmath>

#include <gtest/gtest.h>

namespace crumple::render {
namespace {

Plot two_frames() {
  Plot plot;
  plot.title = "Two frames", plot.x_label = "frame", plot.y_label = "ms", plot.unit = "ms";
  plot.x = {1, 2};
  plot.series = {{"below", "#111111", {4, 2}}, {"above", "#222222", {2, 8}}};
  return plot;
}

/// The path of a colour as the numbers in it.
std::vector<double> path_numbers(const std::string& svg, const std::string& color) {
  const size_t end = svg.find("\" fill=\"" + color + "\"/>"), begin = svg.rfind("d=\"", end) + 3;
  std::vector<double> numbers;
  for (const char* at = svg.c_str() + begin; at < svg.c_str() + end;) {
    if (std::isdigit(static_cast<unsigned char>(*at)) || *at == '-') {
      char* next = nullptr;
      numbers.push_back(std::strtod(at, &next));
      at = next;
    } else {
      ++at;
    }
  }
  return numbers;
}

size_t count(const std::string& text, const std::string& word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Plot, ticks_are_round_and_reach_the_greatest_value) {
  EXPECT_EQ(round_ticks(10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_ticks(16.7, 4), (std::vector<double>{0, 5, 10, 15, 20}));
  EXPECT_EQ(round_ticks(0.07, 7), (std::vector<double>{0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07}));
  for (const double most : {1e-9, 3e-4, 0.999, 1.0, 1.001, 17.0, 720.0, 1e5, 123456789.0}) {
    const std::vector<double> ticks = round_ticks(most, 6);
    EXPECT_GE(ticks.back(), most * (1 - 1e-9)) << most;
    EXPECT_LT(ticks[ticks.size() - 2], most) << most;
    EXPECT_GE(ticks.size(), 4u) << most;
    EXPECT_LE(ticks.size(), 12u) << most;
    const double step = ticks[1], digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::abs(digit - 1) < 1e-9 || std::abs(digit - 2) < 1e-9 || std::abs(digit - 5) < 1e-9) << step;
  }
}

TEST(Plot, ticks_of_nothing_are_those_of_one) {
  for (const double most : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) EXPECT_EQ(round_ticks(most, 5), round_ticks(1, 5));
}

TEST(Plot, areas_stand_upon_each_other_in_proportion) {
  const std::string svg = write_svg(two_frames());
  // M x0 base, then (top, right edge) of columns 0 to 2, then the lower edge back. Column 0 is the frame before the first.
  const std::vector<double> below = path_numbers(svg, "#111111"), above = path_numbers(svg, "#222222");
  ASSERT_EQ(below.size(), 14u);
  ASSERT_EQ(above.size(), 14u);
  const double base = below[1], per_ms = (base - below[4]) / 4;
  ASSERT_GT(per_ms, 1);
  EXPECT_NEAR(below[2], base, 1e-9);
  EXPECT_NEAR(base - below[6], 2 * per_ms, 0.02);
  EXPECT_NEAR(base - above[4], 6 * per_ms, 0.02);
  EXPECT_NEAR(base - above[6], 10 * per_ms, 0.02);
  // The lower edge of one is the upper edge of the other.
  EXPECT_EQ(above[8], below[6]);
  EXPECT_EQ(above[10], below[4]);
  // Columns are equally wide.
  EXPECT_NEAR(below[5] - below[3], below[7] - below[5], 0.02);
}

TEST(Plot, frames_that_are_missing_stay_blank) {
  Plot plot = two_frames();
  plot.x = {5, 8};
  const std::vector<double> path = path_numbers(write_svg(plot), "#111111");
  ASSERT_EQ(path.size(), 2u + 4 * 4);
  EXPECT_LT(path[2], path[1]);
  EXPECT_EQ(path[4], path[1]);
  EXPECT_EQ(path[6], path[1]);
  EXPECT_LT(path[8], path[1]);
}

TEST(Plot, a_limit_is_drawn_where_it_is_or_told_when_it_is_far_above) {
  Plot plot = two_frames();
  plot.limit = {"real time", 12};
  const std::string near = write_svg(plot);
  EXPECT_NE(near.find(">real time: 12 ms<"), std::string::npos);
  EXPECT_EQ(count(near, "stroke-dasharray"), 2u);  // the line and its mark in the legend
  plot.limit->value = 1000;
  const std::string far = write_svg(plot);
  EXPECT_NE(far.find(">real time: 1000 ms, above this plot<"), std::string::npos);
  EXPECT_EQ(count(far, "stroke-dasharray"), 0u);
  EXPECT_EQ(path_numbers(far, "#111111"), path_numbers(write_svg(two_frames()), "#111111"));
}

TEST(Plot, text_is_escaped_and_what_xml_cannot_hold_is_replaced) {
  EXPECT_EQ(escape_xml("<a & 'b'> \"c\""), "&lt;a &amp; &#39;b&#39;&gt; &quot;c&quot;");
  EXPECT_EQ(escape_xml("M\xC3\xBCll \xE2\x82\xAC \xF0\x9F\x9A\x97"), "M\xC3\xBCll \xE2\x82\xAC \xF0\x9F\x9A\x97");
  EXPECT_EQ(escape_xml(std::string_view("a\0b\x1B[c", 6)), "a?b?[c");
  EXPECT_EQ(escape_xml("\xC3"), "?");              // cut off
  EXPECT_EQ(escape_xml("\xC0\x80"), "??");         // overlong
  EXPECT_EQ(escape_xml("\xED\xA0\x80"), "?");      // a surrogate
  EXPECT_EQ(escape_xml("\xEF\xBF\xBE"), "?");      // U+FFFE
  EXPECT_EQ(escape_xml("\xF4\x90\x80\x80"), "?");  // beyond Unicode
  Plot plot = two_frames();
  plot.title = "</title><script>&", plot.series[0].name = "a<b";
  const std::string svg = write_svg(plot);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_EQ(svg.find("a<b"), std::string::npos);
  EXPECT_EQ(count(svg, "&lt;/title&gt;&lt;script&gt;&amp;"), 2u);  // what is seen, and what is read aloud
}

TEST(Plot, a_title_that_is_too_long_is_cut_between_characters) {
  Plot plot = two_frames();
  for (int i = 0; i < 100; ++i) plot.title += "\xC3\xBC";
  const std::string svg = write_svg(plot), whole = plot.title, shown = plot.title.substr(0, 10 + 2 * 70) + "...";
  EXPECT_NE(svg.find("<title>" + whole + "</title>"), std::string::npos);
  EXPECT_NE(svg.find(">" + shown + "</text>"), std::string::npos);
}

TEST(Plot, many_frames_are_drawn_as_means_in_a_file_of_bounded_size) {
  Plot plot = two_frames();
  plot.x.clear();
  for (Plot::Series& series : plot.series) series.values.clear();
  for (int frame = 0; frame < 120000; ++frame) {
    plot.x.push_back(frame);
    plot.series[0].values.push_back(frame % 2 == 0 ? 2 : 4), plot.series[1].values.push_back(1);
  }
  const std::string svg = write_svg(plot);
  EXPECT_LT(svg.size(), 150000u);
  EXPECT_NE(svg.find(">frame (means of 100)<"), std::string::npos);
  const std::vector<double> below = path_numbers(svg, "#111111"), above = path_numbers(svg, "#222222");
  ASSERT_EQ(below.size(), 2u + 4 * 1200);
  EXPECT_NEAR((below[1] - below[2]) / (above[1] - above[2]), 3.0 / 4.0, 1e-3);
}

TEST(Plot, strange_plots_are_drawn_all_the_same) {
  Plot plot;
  EXPECT_TRUE(write_svg(plot).ends_with("</svg>\n"));
  plot.x = {0, 1000000000};
  plot.series = {{"all", "red", {0, 0}}};
  const std::string svg = write_svg(plot);
  EXPECT_LT(svg.size(), 60000u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Plot, equal_plots_give_equal_bytes) {
  EXPECT_EQ(write_svg(two_frames()), write_svg(two_frames()));
}

}  // namespace
}  // namespace crumple::render
