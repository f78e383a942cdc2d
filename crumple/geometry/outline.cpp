#include "crumple/geometry/outline.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"

namespace crumple {
namespace {

constexpr double kCornerTurn = 0.95;       // radians within the reach below: more is a corner
constexpr double kCornerReach = 4;         // pixels
constexpr double kCornersApart = 0.45;     // edges
constexpr double kSmallestHole = 24;       // square pixels: smaller ones are filled
constexpr double kEdgeOfThickness = 0.8;   // of the mean thickness
constexpr int kFinerRounds = 5;                 // of finer points, where an outline crosses itself
constexpr double kStraight = 1e-9;         // square edges
constexpr double kFinest = 1.0 / 56, kCoarsest = 1.0 / 20;  // of the diagonal: bounds of the distance between points

/// Alpha at the middles of pixels, with a clear pixel around; rows from the bottom.
struct AlphaField {
  int width = 0, height = 0;
  double pixel = 1;  // of the picture, for one of these
  std::vector<float> alpha;

  float& at(int x, int y) { return alpha[crumple::at(y) * crumple::at(width) + crumple::at(x)]; }
  float at(int x, int y) const { return alpha[crumple::at(y) * crumple::at(width) + crumple::at(x)]; }
};

AlphaField shrunk_alpha(const Picture& picture, int longest_side) {
  const int each = std::max(1, (std::max(picture.width, picture.height) + longest_side - 1) / longest_side);
  AlphaField field;
  field.width = (picture.width + each - 1) / each + 2, field.height = (picture.height + each - 1) / each + 2, field.pixel = each;
  field.alpha.assign(at(field.width) * at(field.height), 0.0f);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      // Rows of the picture run down; the last block may be cut off at the top.
      field.at(x / each + 1, (picture.height - 1 - y) / each + 1) += static_cast<float>(picture.pixel(x, y)[3]) / (255.0f * static_cast<float>(each * each));
    }
  }
  return field;
}

/// The greatest alpha around each pixel.
AlphaField grown(const AlphaField& field, double by) {
  const int reach = static_cast<int>(by);
  if (reach <= 0) return field;
  AlphaField wide = field;
  wide.width += 2 * reach, wide.height += 2 * reach;
  wide.alpha.assign(at(wide.width) * at(wide.height), 0.0f);
  for (int y = 0; y < field.height; ++y) {
    for (int x = 0; x < field.width; ++x) {
      if (field.at(x, y) == 0) continue;
      for (int dy = -reach; dy <= reach; ++dy) {
        for (int dx = -reach; dx <= reach; ++dx) {
          if (dx * dx + dy * dy > by * by) continue;
          float& to = wide.at(x + reach + dx, y + reach + dy);
          to = std::max(to, field.at(x, y));
        }
      }
    }
  }
  return wide;
}

/// Lines of equal alpha, by marching squares: closed, with paint on their left.
class Contours {
 public:
  Contours(const AlphaField& field, double cut, double border) : field_(field), cut_(static_cast<float>(cut)), border_(border) {
    next_.assign(2 * field.alpha.size(), -1);
    for (int y = 0; y + 1 < field.height; ++y) {
      for (int x = 0; x + 1 < field.width; ++x) add_cell(x, y);
    }
  }

  std::vector<std::vector<Vec2>> trace() {
    std::vector<std::vector<Vec2>> loops;
    for (size_t first = 0; first < next_.size(); ++first) {
      if (next_[first] < 0) continue;
      loops.emplace_back();
      for (int64_t at_edge = static_cast<int64_t>(first); next_[at(at_edge)] >= 0;) {
        loops.back().push_back(place(at(at_edge)));
        at_edge = std::exchange(next_[at(at_edge)], -1);
      }
    }
    return loops;
  }

 private:
  bool is_in(int x, int y) const { return field_.at(x, y) >= cut_; }
  /// Edges between middles: to the right of a pixel (0) and above it (1).
  size_t edge(int x, int y, int axis) const { return 2 * (at(y) * at(field_.width) + at(x)) + at(axis); }

  void add_cell(int x, int y) {
    const bool corner[4] = {is_in(x, y), is_in(x + 1, y), is_in(x + 1, y + 1), is_in(x, y + 1)};
    const size_t edges[4] = {edge(x, y, 0), edge(x + 1, y, 1), edge(x, y + 1, 0), edge(x, y, 1)};
    int starts[2], ends[2], count = 0, end_count = 0;
    for (int k = 0; k < 4; ++k) {
      if (corner[k] && !corner[(k + 1) % 4]) starts[count++] = k;
      if (!corner[k] && corner[(k + 1) % 4]) ends[end_count++] = k;
    }
    if (count == 1) next_[edges[starts[0]]] = static_cast<int64_t>(edges[ends[0]]);
    if (count < 2) return;
    // Two corners across: joined if the middle is painted.
    const float middle = 0.25f * (field_.at(x, y) + field_.at(x + 1, y) + field_.at(x + 1, y + 1) + field_.at(x, y + 1));
    for (const int start : starts) {
      const int wanted = middle >= cut_ ? (start + 1) % 4 : (start + 3) % 4;
      next_[edges[start]] = static_cast<int64_t>(edges[wanted]);
    }
  }

  Vec2 place(size_t number) const {
    const int axis = static_cast<int>(number % 2), x = static_cast<int>(number / 2 % at(field_.width)), y = static_cast<int>(number / 2 / at(field_.width));
    const double a = field_.at(x, y), b = axis == 0 ? field_.at(x + 1, y) : field_.at(x, y + 1);
    const double share = std::clamp((double{cut_} - a) / (b - a), 0.05, 0.95);
    return field_.pixel * Vec2(x - border_ + 0.5 + (axis == 0 ? share : 0), y - border_ + 0.5 + (axis == 1 ? share : 0));
  }

  const AlphaField& field_;
  float cut_;
  double border_;
  std::vector<int64_t> next_;
};

double doubled_area_of(const std::vector<Vec2>& loop) {
  double area = 0;
  for (size_t i = 0; i < loop.size(); ++i) {
    const Vec2 &a = loop[i], &b = loop[(i + 1) % loop.size()];
    area += a.x() * b.y() - a.y() * b.x();
  }
  return area;
}

/// A closed line with its length up to each point.
class ClosedLine {
 public:
  explicit ClosedLine(const std::vector<Vec2>& points) : points_(points), to_(points.size() + 1, 0.0) {
    for (size_t i = 0; i < points.size(); ++i) to_[i + 1] = to_[i] + (points[(i + 1) % points.size()] - points[i]).norm();
  }
  double length() const { return to_.back(); }
  double at_point(size_t i) const { return to_[i]; }
  Vec2 place(double along) const {
    along -= length() * std::floor(along / length());
    const size_t i = std::min(static_cast<size_t>(std::upper_bound(to_.begin(), to_.end(), along) - to_.begin()), points_.size()) - 1;
    const double step = to_[i + 1] - to_[i], share = step > 0 ? (along - to_[i]) / step : 0;
    return points_[i] + share * (points_[(i + 1) % points_.size()] - points_[i]);
  }

 private:
  const std::vector<Vec2>& points_;
  std::vector<double> to_;
};

/// Where the line turns sharply: lengths along it, ascending. Of corners nearer to each other than `apart` the sharper stays.
std::vector<double> corners_of(const std::vector<Vec2>& loop, const ClosedLine& line, double reach, double apart) {
  std::vector<double> turn(loop.size());
  for (size_t i = 0; i < loop.size(); ++i) {
    const double s = line.at_point(i);
    const Vec2 before = loop[i] - line.place(s - reach), after = line.place(s + reach) - loop[i];
    turn[i] = std::abs(std::atan2(before.x() * after.y() - before.y() * after.x(), before.dot(after)));
  }
  std::vector<std::pair<double, double>> sharp;  // sharpness, place
  for (size_t i = 0; i < loop.size(); ++i) {
    if (turn[i] < kCornerTurn) continue;
    bool is_sharpest = true;
    for (size_t k = 1; k < loop.size() && is_sharpest; ++k) {  // within reach on both sides
      const size_t a = (i + k) % loop.size(), b = (i + loop.size() - k) % loop.size();
      const double far = std::abs(line.at_point(a) - line.at_point(i));
      if (std::min(far, line.length() - far) > reach) break;
      is_sharpest = turn[a] < turn[i] + 1e-12 && turn[b] < turn[i] + 1e-12 && !(turn[b] == turn[i] && b < i);
    }
    if (is_sharpest) sharp.emplace_back(-turn[i], line.at_point(i));
  }
  std::sort(sharp.begin(), sharp.end());
  std::vector<double> corners;
  for (const auto& [sharpness, place] : sharp) {
    const auto is_near = [&, at_place = place](double other) {
      const double far = std::abs(other - at_place);
      return std::min(far, line.length() - far) < apart;
    };
    if (std::none_of(corners.begin(), corners.end(), is_near)) corners.push_back(place);
  }
  std::sort(corners.begin(), corners.end());
  return corners;
}

/// Corners, and points about `edge` apart between them.
std::vector<Vec2> resampled(const std::vector<Vec2>& loop, double edge, double pixel) {
  const ClosedLine line(loop);
  std::vector<double> corners = corners_of(loop, line, kCornerReach * pixel, kCornersApart * edge);
  const int fewest = corners.empty() ? 6 : 1;
  if (corners.empty()) corners.push_back(0);
  std::vector<Vec2> points;
  for (size_t c = 0; c < corners.size(); ++c) {
    const double from = corners[c], to = c + 1 < corners.size() ? corners[c + 1] : corners[0] + line.length();
    const int count = std::max(fewest, static_cast<int>(std::lround((to - from) / edge)));
    for (int k = 0; k < count; ++k) points.push_back(line.place(from + (to - from) * k / count));
  }
  return points;
}

}  // namespace

Result<PictureOutline> trace_outline(const Picture& picture, const OutlineSettings& settings) {
  if (picture.width <= 0 || picture.height <= 0) return input_error("is empty");
  const AlphaField alpha = shrunk_alpha(picture, settings.longest_side);
  const AlphaField field = grown(alpha, settings.grow / alpha.pixel >= 1 ? settings.grow / alpha.pixel : (settings.grow > 0 ? 1 : 0));
  std::vector<std::vector<Vec2>> loops = Contours(field, settings.cut, 0.5 * (field.width - alpha.width) + 1).trace();
  PictureOutline outline;
  double area = 0, length = 0;
  Vec2 low = Vec2::Constant(1e300), high = -low;
  std::erase_if(loops, [&](const std::vector<Vec2>& loop) {
    const double size = 0.5 * doubled_area_of(loop);
    const bool is_island = size > 0, is_small = is_island ? size < settings.smallest : -size < kSmallestHole;
    outline.dropped += is_small && is_island ? 1 : 0;
    return is_small;
  });
  for (const std::vector<Vec2>& loop : loops) {
    area += 0.5 * doubled_area_of(loop), length += ClosedLine(loop).length();
    for (const Vec2& p : loop) low = low.cwiseMin(p), high = high.cwiseMax(p);
  }
  if (!(area > 0)) {
    return input_error(outline.dropped > 0 ? fmt::format("nothing in it is larger than {:g} pixels", settings.smallest) : "is transparent everywhere; a drawing needs something painted with alpha above one half");
  }
  const double diagonal = (high - low).norm();
  outline.edge = settings.edge > 0 ? settings.edge : std::clamp(kEdgeOfThickness * 2 * area / length, kFinest * diagonal, kCoarsest * diagonal);
  outline.edge = std::max(outline.edge, 1.5 * alpha.pixel);
  // Where opposite sides are so near that evenly spaced points would cross them, finer ones do not.
  for (int finer = 0; finer < kFinerRounds; ++finer) {
    if (finer > 0) outline.edge *= 0.65;
    outline.points.clear();
    std::vector<Ring> rings;
    for (const std::vector<Vec2>& loop : loops) {
      rings.emplace_back();
      for (const Vec2& p : resampled(loop, outline.edge, alpha.pixel)) rings.back().push_back(static_cast<int>(outline.points.size())), outline.points.push_back(p);
    }
    outline.regions = nest_rings(outline.points, rings, std::vector<int>(rings.size(), 0));
    double meshed = 0;
    bool is_sound = true;
    for (const PlanarRegion& region : outline.regions) {
      for (const Triangle& t : triangulate_polygon(outline.points, region.rings)) {
        const Vec2 &a = outline.points[at(t[0])], b = outline.points[at(t[1])] - a, c = outline.points[at(t[2])] - a;
        const double twice = b.x() * c.y() - b.y() * c.x();
        // Ears without area, of points on a straight line, cross nothing.
        meshed += 0.5 * twice, is_sound = is_sound && twice > -kStraight * outline.edge * outline.edge;
      }
      is_sound = is_sound && !region.turned;
    }
    outline.is_sound = is_sound && std::abs(meshed - area) < 0.1 * area;
    if (outline.is_sound) break;
  }
  return outline;
}

}  // namespace crumple
