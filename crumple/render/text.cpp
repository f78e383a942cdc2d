#include "crumple/render/text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "crumple/render/font.h"

namespace crumple::render {
namespace {

// In units of the dot grid: a capital letter is 6 units from the middle of its top dots to that of its bottom dots.
constexpr double kAdvance = 6.2;
constexpr double kStroke = 0.52;  // half the width of a line
constexpr double kCapital = 6 + 2 * kStroke;

struct Stroke {
  double ax, ay, bx, by;
};

/// Joins the dots of a letter with lines to their neighbours; diagonals only where no way around the corner exists.
std::vector<Stroke> strokes_of(char character) {
  const std::string_view dots = glyph_dots(character);
  const auto dot = [&](int x, int y) {
    const int at = 6 * y + x;
    return x >= 0 && x < 5 && y >= 0 && at < static_cast<int>(dots.size()) && dots[static_cast<size_t>(at)] == '1';
  };
  std::vector<Stroke> strokes;
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 5; ++x) {
      if (!dot(x, y)) continue;
      const auto join = [&](int u, int v) { strokes.push_back({double(x), double(y), double(u), double(v)}); };
      join(x, y);
      if (dot(x + 1, y)) join(x + 1, y);
      if (dot(x, y + 1)) join(x, y + 1);
      if (dot(x + 1, y + 1) && !dot(x + 1, y) && !dot(x, y + 1)) join(x + 1, y + 1);
      if (dot(x - 1, y + 1) && !dot(x - 1, y) && !dot(x, y + 1)) join(x - 1, y + 1);
    }
  }
  return strokes;
}

double distance_to(const Stroke& stroke, double x, double y) {
  const double dx = stroke.bx - stroke.ax, dy = stroke.by - stroke.ay;
  const double length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((x - stroke.ax) * dx + (y - stroke.ay) * dy) / length, 0.0, 1.0) : 0.0;
  return std::hypot(x - stroke.ax - along * dx, y - stroke.ay - along * dy);
}

void blend(uint8_t* pixel, Rgb color, double cover) {
  for (size_t i = 0; i < 3; ++i) pixel[i] = static_cast<uint8_t>(std::lround(pixel[i] + cover * (color[i] - pixel[i])));
}

void draw_glyph(io::Image& image, double left, double top, double unit, char character, Rgb color) {
  const std::vector<Stroke> strokes = strokes_of(character);
  if (strokes.empty()) return;
  const int x_end = std::min(image.width, static_cast<int>(std::ceil(left + 6 * unit)));
  const int y_end = std::min(image.height, static_cast<int>(std::ceil(top + 10 * unit)));
  for (int y = std::max(0, static_cast<int>(std::floor(top))); y < y_end; ++y) {
    for (int x = std::max(0, static_cast<int>(std::floor(left))); x < x_end; ++x) {
      const double gx = (x + 0.5 - left) / unit - kStroke, gy = (y + 0.5 - top) / unit - kStroke;
      double nearest = 1e9;
      for (const Stroke& stroke : strokes) nearest = std::min(nearest, distance_to(stroke, gx, gy));
      const double cover = std::clamp((kStroke - nearest) * unit + 0.5, 0.0, 1.0);
      if (cover > 0) blend(image.pixel(x, y), color, cover);
    }
  }
}

}  // namespace

int text_width(std::string_view text, double height) {
  if (text.empty()) return 0;
  const double unit = height / kCapital;
  return static_cast<int>(std::ceil(unit * (kAdvance * static_cast<double>(text.size()) - (kAdvance - 4 - 2 * kStroke))));
}

void draw_text(io::Image& image, double x, double y, double height, std::string_view text, Rgb color) {
  const double unit = height / kCapital;
  for (const char character : text) {
    if (x >= image.width) return;
    draw_glyph(image, x, y, unit, character, color);
    x += kAdvance * unit;
  }
}

std::string fit_text(std::string_view text, double height, int width) {
  if (text_width(text, height) <= width) return std::string(text);
  size_t keep = text.size();
  while (keep > 0 && text_width(text.substr(0, keep), height) + text_width(".. ", height) > width) --keep;
  return keep > 0 ? std::string(text.substr(0, keep)) + ".." : std::string();
}

}  // namespace crumple::render
