#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "crumple/io/svg.h"

namespace crumple::io {
namespace {

constexpr size_t kMaxPathPoints = 1000000;
constexpr int kMaxCurveLines = 2000;

/// Numbers and letters of a path, with commas and blanks between them.
class PathReader {
 public:
  PathReader(std::string_view data, double tolerance) : data_(data), tolerance_(tolerance) {}

  Result<std::vector<VectorShape::Line>> read() {
    char command = 0;
    for (skip(); at_ < data_.size(); skip()) {
      if (std::isalpha(static_cast<unsigned char>(data_[at_]))) {
        if (command == 0 && data_[at_] != 'M' && data_[at_] != 'm') return input_error(fmt::format("a path begins with {} and not with M, at character {}", data_[at_], at_));
        command = data_[at_++];
      } else if (command == 0 || command == 'Z' || command == 'z') {
        return input_error(fmt::format("a path has a number where a command should be, at character {}", at_));
      }
      if (!step(command)) return input_error(fmt::format("a path has a wrong or missing number near character {}", at_));
      if (points_ > kMaxPathPoints) return input_error("a path has more than a million points");
      if (command == 'M') command = 'L';  // further pairs are lines
      if (command == 'm') command = 'l';
    }
    return std::move(lines_);
  }

 private:
  void skip() {
    while (at_ < data_.size() && (std::isspace(static_cast<unsigned char>(data_[at_])) || data_[at_] == ',')) ++at_;
  }
  bool number(double& value) {
    skip();
    if (at_ < data_.size() && data_[at_] == '+') ++at_;
    const auto [end, error] = std::from_chars(data_.data() + at_, data_.data() + data_.size(), value);
    if (error != std::errc() || !std::isfinite(value) || std::abs(value) > 1e9) return false;
    at_ = static_cast<size_t>(end - data_.data());
    return true;
  }
  bool point(bool relative, Vec2& p) {
    if (!number(p.x()) || !number(p.y())) return false;
    if (relative) p += now_;
    return true;
  }
  /// A flag of an arc may stand without a blank behind it.
  bool flag(bool& value) {
    skip();
    if (at_ >= data_.size() || (data_[at_] != '0' && data_[at_] != '1')) return false;
    value = data_[at_++] == '1';
    return true;
  }

  void begin_line() {
    if (is_open_) return;
    lines_.push_back({{start_}, false});
    is_open_ = true;
  }
  void line_to(const Vec2& p) {
    begin_line();
    lines_.back().points.push_back(p), ++points_;
    now_ = p;
  }
  /// As many lines as keep within the tolerance.
  template <class Curve>
  void curve_to(double bend, const Curve& curve) {
    const int count = std::clamp(static_cast<int>(std::min(std::ceil(std::sqrt(bend / (8 * tolerance_))), double{kMaxCurveLines})), 1, kMaxCurveLines);
    const Vec2 from = now_;
    for (int k = 1; k <= count; ++k) line_to(curve(from, static_cast<double>(k) / count));
  }
  void cubic_to(const Vec2& a, const Vec2& b, const Vec2& to) {
    const double bend = 6 * std::max((now_ - 2 * a + b).norm(), (a - 2 * b + to).norm());
    curve_to(bend, [&](const Vec2& from, double t) {
      const double s = 1 - t;
      return Vec2(s * s * s * from + 3 * s * s * t * a + 3 * s * t * t * b + t * t * t * to);
    });
    control_ = b, last_was_cubic_ = true;
  }
  void quadratic_to(const Vec2& a, const Vec2& to) {
    curve_to(2 * (now_ - 2 * a + to).norm(), [&](const Vec2& from, double t) { return Vec2((1 - t) * (1 - t) * from + 2 * t * (1 - t) * a + t * t * to); });
    control_ = a, last_was_quadratic_ = true;
  }
  /// SVG 1.1, appendix F.6.
  void arc_to(Vec2 radii, double degrees, bool large, bool sweep, const Vec2& to) {
    radii = radii.cwiseAbs();
    if (to == now_) return;
    if (!(radii.minCoeff() > 0)) return line_to(to);
    const Eigen::Rotation2Dd turn(degrees * std::numbers::pi / 180);
    const Vec2 half = turn.inverse() * Vec2(0.5 * (now_ - to));
    const double excess = half.cwiseQuotient(radii).squaredNorm();
    if (excess > 1) radii *= std::sqrt(excess);
    const Vec2 square = radii.cwiseAbs2(), h = half.cwiseAbs2();
    const double bottom = square.x() * h.y() + square.y() * h.x();
    const double root = std::sqrt(std::max(0.0, (square.x() * square.y() - bottom) / bottom)) * (large == sweep ? -1 : 1);
    const Vec2 middle(root * radii.x() * half.y() / radii.y(), -root * radii.y() * half.x() / radii.x());
    const Vec2 center = turn * middle + 0.5 * (now_ + to);
    const Vec2 a = (half - middle).cwiseQuotient(radii), b = (-half - middle).cwiseQuotient(radii);
    const double first = std::atan2(a.y(), a.x());
    double angle = std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b));
    if (sweep && angle < 0) angle += 2 * std::numbers::pi;
    if (!sweep && angle > 0) angle -= 2 * std::numbers::pi;
    curve_to(radii.maxCoeff() * angle * angle, [&](const Vec2&, double t) {
      if (t == 1) return to;
      return Vec2(turn * radii.cwiseProduct(Vec2(std::cos(first + t * angle), std::sin(first + t * angle))) + center);
    });
  }

  bool step(char command) {
    const bool relative = std::islower(static_cast<unsigned char>(command)) != 0;
    const bool was_cubic = last_was_cubic_, was_quadratic = last_was_quadratic_;
    last_was_cubic_ = last_was_quadratic_ = false;
    Vec2 a, b, to;
    double value = 0;
    switch (std::toupper(static_cast<unsigned char>(command))) {
      case 'M':
        if (!point(relative, to)) return false;
        now_ = start_ = to, is_open_ = false;
        return true;
      case 'L':
        return point(relative, to) && (line_to(to), true);
      case 'H':
        return number(value) && (line_to({relative ? now_.x() + value : value, now_.y()}), true);
      case 'V':
        return number(value) && (line_to({now_.x(), relative ? now_.y() + value : value}), true);
      case 'C':
        return point(relative, a) && point(relative, b) && point(relative, to) && (cubic_to(a, b, to), true);
      case 'S':
        a = was_cubic ? Vec2(2 * now_ - control_) : now_;
        return point(relative, b) && point(relative, to) && (cubic_to(a, b, to), true);
      case 'Q':
        return point(relative, a) && point(relative, to) && (quadratic_to(a, to), true);
      case 'T':
        a = was_quadratic ? Vec2(2 * now_ - control_) : now_;
        return point(relative, to) && (quadratic_to(a, to), true);
      case 'A': {
        bool large = false, sweep = false;
        return number(a.x()) && number(a.y()) && number(value) && flag(large) && flag(sweep) && point(relative, to) && (arc_to(a, value, large, sweep, to), true);
      }
      case 'Z':
        if (is_open_) lines_.back().is_closed = true;
        now_ = start_, is_open_ = false;
        return true;
      default:
        return false;
    }
  }

  std::string_view data_;
  double tolerance_;
  size_t at_ = 0, points_ = 0;
  std::vector<VectorShape::Line> lines_;
  Vec2 now_ = Vec2::Zero(), start_ = Vec2::Zero(), control_ = Vec2::Zero();
  bool is_open_ = false, last_was_cubic_ = false, last_was_quadratic_ = false;
};

}  // namespace

Result<std::vector<VectorShape::Line>> parse_svg_path(std::string_view data, double tolerance) {
  return PathReader(data, tolerance).read();
}

}  // namespace crumple::io
