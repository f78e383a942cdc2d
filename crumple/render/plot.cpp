#include "crumple/render/plot.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/characters.h"

namespace crumple::render {
namespace {

// Pixels. The right margin has room for half a tick label.
constexpr double kWidth = 960, kHeight = 420, kLeft = 68, kRight = 24, kTop = 92, kBottom = 58;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kHeight - kTop - kBottom;
constexpr long kMaxColumns = 1200;   // more cannot be told apart
constexpr double kLimitInSight = 4;   // a limit this many times higher than all values would press them flat
constexpr size_t kLongestTitle = 80;  // characters
constexpr const char* kTextColor = "#22262b";
constexpr const char* kPale = "#5d666f";
constexpr const char* kLimitColor = "#b3261e";
constexpr const char* kDashes = " stroke-width=\"1.5\" stroke-dasharray=\"6 4\"";

/// The numbers of x in columns of equal width, and the mean of each series there.
struct Columns {
  long first = 0, count = 0, each = 1;    // number of the first; how many columns; numbers in a column
  std::vector<uint8_t> has_values;        // #columns
  std::vector<std::vector<double>> tops;  // #series x #columns, stacked or not
};

Columns make_columns(const Plot& plot) {
  Columns columns;
  columns.tops.resize(plot.series.size());
  if (plot.x.empty()) return columns;
  columns.first = plot.x.front() == 1 ? 0 : plot.x.front();  // an axis that could begin at 0 does
  const long range = static_cast<long>(plot.x.back()) - columns.first + 1;
  columns.each = (range + kMaxColumns - 1) / kMaxColumns;
  columns.count = (range + columns.each - 1) / columns.each;
  const auto column = [&](size_t i) { return static_cast<size_t>((plot.x[i] - columns.first) / columns.each); };
  std::vector<double> rows(static_cast<size_t>(columns.count)), below(static_cast<size_t>(columns.count));
  for (size_t i = 0; i < plot.x.size(); ++i) ++rows[column(i)];
  for (const double count : rows) columns.has_values.push_back(count > 0 ? 1 : 0);
  for (size_t s = 0; s < plot.series.size(); ++s) {
    assert(plot.series[s].values.size() == plot.x.size());
    std::vector<double> sums(static_cast<size_t>(columns.count));
    for (size_t i = 0; i < plot.x.size(); ++i) sums[column(i)] += plot.series[s].values[i];
    for (size_t c = 0; c < sums.size(); ++c) below[c] = (plot.stacked ? below[c] : 0) + (rows[c] > 0 ? sums[c] / rows[c] : 0);
    columns.tops[s] = below;
  }
  return columns;
}

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

struct Style {
  int size = 13;
  const char* anchor = "start";
  const char* color = kTextColor;
  bool bold = false;
};

std::string text(double x, double y, const Style& style, std::string_view words, std::string_view more = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}{}>{}</text>\n", number(x), number(y), style.size,
                     style.anchor, style.color, style.bold ? " font-weight=\"bold\"" : "", more, escape_xml(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view color, std::string_view more = "") {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\"{}/>\n", number(x1), number(y1), number(x2), number(y2), color,
                     more);
}

/// Where numbers are on the picture.
struct Axes {
  double first, last;  // of x: edges of the first and the last column
  double most;         // of y
  double at_x(double x) const { return kLeft + kPlotWidth * (x - first) / (last - first); }
  double at_y(double y) const { return kTop + kPlotHeight * (1 - y / most); }
};

std::string draw_grid(const Axes& axes, const std::vector<double>& ticks) {
  std::string svg;
  for (const double tick : ticks) {
    svg += line(kLeft, axes.at_y(tick), kWidth - kRight, axes.at_y(tick), tick == 0 ? kPale : "#e3e6e9");
    svg += text(kLeft - 8, axes.at_y(tick) + 4.5, {.anchor = "end", .color = kPale}, fmt::format("{:.6g}", tick));
  }
  return svg;
}

std::string draw_frames_axis(const Axes& axes) {
  std::string svg;
  const double range = axes.last - axes.first;
  const std::vector<double> ticks = round_ticks(range, 10);
  const double step = std::max(1.0, ticks[1]);
  for (double count = std::ceil(axes.first / step); count * step <= axes.last; ++count) {
    const double tick = count * step + 0.0;  // not -0
    const double x = axes.at_x(tick);
    svg += line(x, kTop + kPlotHeight, x, kTop + kPlotHeight + 5, kPale);
    svg += text(x, kTop + kPlotHeight + 20, {.anchor = "middle", .color = kPale}, fmt::format("{:.9g}", tick));
  }
  return svg;
}

/// The area between two rows of tops, as steps.
std::string draw_area(const Axes& axes, const Columns& columns, const std::vector<double>& lower, const std::vector<double>& upper,
                      std::string_view color) {
  const auto x = [&](size_t c) { return number(axes.at_x(axes.first + static_cast<double>(c) * static_cast<double>(columns.each))); };
  std::string path = fmt::format("M{} {}", x(0), number(axes.at_y(0)));
  for (size_t c = 0; c < upper.size(); ++c) path += fmt::format("V{}H{}", number(axes.at_y(upper[c])), x(c + 1));
  for (size_t c = lower.size(); c-- > 0;) path += fmt::format("V{}H{}", number(axes.at_y(lower[c])), x(c));
  return fmt::format("<path d=\"{}Z\" fill=\"{}\"/>\n", path, escape_xml(color));
}

/// A line through the middles of the columns, with gaps where there are no values.
std::string draw_line(const Axes& axes, const Columns& columns, const std::vector<double>& tops, std::string_view color) {
  std::string path;
  bool is_first = true;
  for (size_t c = 0; c < tops.size(); ++c) {
    if (columns.has_values[c]) path += fmt::format("{}{} {}", is_first ? "M" : "L", number(axes.at_x(axes.first + (static_cast<double>(c) + 0.5) * static_cast<double>(columns.each))), number(axes.at_y(tops[c])));
    is_first = !columns.has_values[c];
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke-width=\"2\" stroke=\"{}\"/>\n", path, escape_xml(color));
}

/// Estimated width of a text: fonts differ.
double width_of(std::string_view words) {
  return 6.6 * static_cast<double>(std::count_if(words.begin(), words.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Along the line above the plot: the series from the bottom up, then the limit. A mark stands right before its words, whatever the font.
std::string draw_legend(const Plot& plot, const std::string& limit_words, bool in_sight) {
  std::string svg;
  double x = kLeft;
  const double y = kTop - 16;
  for (const Plot::Series& series : plot.series) {
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>\n", number(x), number(y - 10.5),
                       escape_xml(series.color));
    svg += text(x + 18, y, {}, series.name);
    x += 18 + width_of(series.name) + 22;
  }
  if (limit_words.empty()) return svg;
  if (in_sight) svg += line(x, y - 4.5, x + 22, y - 4.5, kLimitColor, kDashes), x += 28;
  return svg + text(x, y, {.color = kLimitColor}, limit_words);
}

bool fits_xml(unsigned code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0xD800 || (code >= 0xE000 && code < 0xFFFE) || (code >= 0x10000 && code < 0x110000);
}

std::string_view entity_of(unsigned code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

/// As many characters as there is room for.
std::string shortened(std::string_view words, size_t most) {
  size_t at = 0, count = 0;
  for (; at < words.size() && count < most; ++count) at += std::max<size_t>(first_character(words.substr(at)).length, 1);
  return std::string(words.substr(0, at)) + (at < words.size() ? "..." : "");
}

/// Everything but what is inside the axes.
std::string draw_words(const Plot& plot, const Columns& columns, bool limit_in_sight) {
  std::string limit_words;
  if (plot.limit) {
    limit_words = fmt::format("{}: {} {}{}", plot.limit->name, number(plot.limit->value), plot.unit, limit_in_sight ? "" : ", above this plot");
  }
  const std::string means = columns.each > 1 ? fmt::format(" (means of {})", columns.each) : "";
  const double middle = kTop + kPlotHeight / 2;
  return text(kLeft, 30, {.size = 19, .bold = true}, shortened(plot.title, kLongestTitle)) + text(kLeft, 50, {.color = kPale}, plot.subtitle) +
         draw_legend(plot, limit_words, limit_in_sight) + text(kLeft + kPlotWidth / 2, kHeight - 14, {.anchor = "middle"}, plot.x_label + means) +
         text(20, middle, {.anchor = "middle"}, plot.y_label, fmt::format(" transform=\"rotate(-90 20 {})\"", number(middle)));
}

std::string draw_series(const Plot& plot, const Axes& axes, const Columns& columns) {
  std::string svg;
  for (size_t s = 0; !plot.stacked && s < plot.series.size(); ++s) svg += draw_line(axes, columns, columns.tops[s], plot.series[s].color);
  if (!plot.stacked) return svg;
  std::vector<double> lower(static_cast<size_t>(columns.count));
  for (size_t s = 0; s < plot.series.size() && columns.count > 0; ++s) {
    svg += draw_area(axes, columns, lower, columns.tops[s], plot.series[s].color);
    lower = columns.tops[s];
  }
  return svg;
}

}  // namespace

std::vector<double> round_ticks(double most, int wanted) {
  if (!(most > 0) || !std::isfinite(most)) most = 1;
  double best = 0, best_miss = 1e300;
  for (int power = static_cast<int>(std::floor(std::log10(most))) - 3; power <= std::floor(std::log10(most)) + 1; ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double step = power < 0 ? digit / std::pow(10.0, -power) : digit * std::pow(10.0, power);
      const double miss = std::abs(std::ceil(most / step * (1 - 1e-12)) - wanted);
      if (miss <= best_miss) best = step, best_miss = miss;
    }
  }
  std::vector<double> ticks = {0};
  const int count = std::max(1, static_cast<int>(std::ceil(most / best * (1 - 1e-12))));
  for (int i = 1; i <= count; ++i) ticks.push_back(best * i);
  return ticks;
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Character character = first_character(text);
    const size_t length = std::max<size_t>(character.length, 1);
    if (character.length == 0 || !fits_xml(character.code)) {
      escaped += '?';
    } else if (const std::string_view entity = entity_of(character.code); !entity.empty()) {
      escaped += entity;
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return escaped;
}

std::string write_svg(const Plot& plot) {
  const Columns columns = make_columns(plot);
  double most = 0;
  for (const std::vector<double>& tops : columns.tops) {
    for (const double top : tops) most = std::max(most, top);
  }
  const bool in_sight = plot.limit && plot.limit->value <= kLimitInSight * most;
  const std::vector<double> ticks = round_ticks(in_sight ? std::max(most, plot.limit->value * 1.02) : most, 6);
  const double first = static_cast<double>(columns.first) - 0.5;
  const Axes axes{first, first + static_cast<double>(std::max(columns.count, 1L) * columns.each), ticks.back()};

  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" role=\"img\">\n"
      "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      kWidth, kHeight, escape_xml(plot.title));
  svg += draw_grid(axes, ticks);
  svg += draw_series(plot, axes, columns);
  svg += line(kLeft, axes.at_y(0), kWidth - kRight, axes.at_y(0), kPale);
  svg += draw_frames_axis(axes);
  if (in_sight) svg += line(kLeft, axes.at_y(plot.limit->value), kWidth - kRight, axes.at_y(plot.limit->value), kLimitColor, kDashes);
  return svg + draw_words(plot, columns, in_sight) + "</svg>\n";
}

}  // namespace crumple::render
