#include "crumple/methods/dents/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace crumple::dents {
namespace {

// Share of the difference to the neighbours that a heat step takes; stable up to 1/4.
constexpr double kHeat = 0.2;
constexpr double kMaxHeatSteps = 120;  // prints much softer than they are wide are smooth already

/// Doubled area of a triangle in the plane.
double area2(const Vec3& a, const Vec3& b, const Vec3& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// One row or column of the envelope: values are logarithms, -infinity where nothing is. [Felzenszwalb and Huttenlocher 2012], with the roles of up and down swapped.
class Sweep {
 public:
  explicit Sweep(int most) : places_(static_cast<size_t>(most)), from_(static_cast<size_t>(most) + 1), values_(static_cast<size_t>(most)) {}

  void run(double* line, int count, int stride, double curvature) {
    const auto value = [&](int i) { return values_[static_cast<size_t>(i)]; };
    for (int i = 0; i < count; ++i) values_[static_cast<size_t>(i)] = line[static_cast<ptrdiff_t>(i) * stride];
    int top = -1;  // last parabola of the envelope
    for (int q = 0; q < count; ++q) {
      if (!(value(q) > -std::numeric_limits<double>::infinity())) continue;
      double begin = -std::numeric_limits<double>::infinity();
      while (top >= 0) {
        const int p = places_[static_cast<size_t>(top)];
        begin = ((value(p) - value(q)) / curvature + static_cast<double>(q) * q - static_cast<double>(p) * p) / (2.0 * (q - p));
        if (begin > from_[static_cast<size_t>(top)]) break;
        --top;
      }
      if (top < 0) begin = -std::numeric_limits<double>::infinity();
      ++top;
      places_[static_cast<size_t>(top)] = q, from_[static_cast<size_t>(top)] = begin;
    }
    if (top < 0) return;
    for (int i = 0, now = 0; i < count; ++i) {
      while (now < top && from_[static_cast<size_t>(now) + 1] < i) ++now;
      const double d = i - places_[static_cast<size_t>(now)];
      line[static_cast<ptrdiff_t>(i) * stride] = value(places_[static_cast<size_t>(now)]) - curvature * d * d;
    }
  }

 private:
  std::vector<int> places_;
  std::vector<double> from_, values_;
};

}  // namespace

PressFrame press_frame(const Vec3& origin, const Vec3& normal, const Vec3& way, double steepest) {
  PressFrame frame;
  frame.origin = origin, frame.normal = normal.normalized();
  Vec3 aside = way - way.dot(frame.normal) * frame.normal;
  const double along = way.dot(frame.normal), slope = std::tan(steepest);
  const double most = slope * std::max(along, 0.0);
  if (aside.norm() > most) aside *= most / aside.norm();
  frame.way = (std::max(along, 0.0) * frame.normal + aside).normalized();
  if (!(frame.way.norm() > 0.5)) frame.way = frame.normal;
  // x along the slant, so that maps are stretched along one axis.
  frame.x = aside.norm() > 1e-9 * way.norm() ? Vec3(aside.normalized()) : frame.normal.unitOrthogonal();
  frame.y = frame.normal.cross(frame.x);
  const Vec3 across = frame.normal / frame.way.dot(frame.normal);
  frame.matrix << (frame.x - frame.way.dot(frame.x) * across).transpose(), (frame.y - frame.way.dot(frame.y) * across).transpose(), across.transpose();
  return frame;
}

Grid grid_over(double x0, double x1, double y0, double y1, double cell, int most) {
  Grid grid;
  grid.cell = std::max({cell, (x1 - x0) / most, (y1 - y0) / most});
  grid.nx = std::clamp(static_cast<int>(std::ceil((x1 - x0) / grid.cell)), 1, most);
  grid.ny = std::clamp(static_cast<int>(std::ceil((y1 - y0) / grid.cell)), 1, most);
  grid.x0 = 0.5 * (x0 + x1) - 0.5 * grid.nx * grid.cell;
  grid.y0 = 0.5 * (y0 + y1) - 0.5 * grid.ny * grid.cell;
  return grid;
}

void rasterise(const Grid& grid, std::span<const Vec3> points, std::span<const Triangle> triangles, Keep keep, Facing facing, double from, Map& map) {
  for (const Triangle& t : triangles) {
    const Vec3 &a = points[static_cast<size_t>(t[0])], &b = points[static_cast<size_t>(t[1])], &c = points[static_cast<size_t>(t[2])];
    const double whole = area2(a, b, c);
    // Triangles are counter-clockwise from outside; w goes into the body, so those that face the press run clockwise in x, y.
    if (!(std::abs(whole) > 1e-300) || !std::isfinite(whole + a.z() + b.z() + c.z()) || (facing == Facing::Against && whole > 0)) continue;
    const double low_x = std::min({a.x(), b.x(), c.x()}), high_x = std::max({a.x(), b.x(), c.x()});
    const double low_y = std::min({a.y(), b.y(), c.y()}), high_y = std::max({a.y(), b.y(), c.y()});
    const auto first = [&](double low, double start, int count) { return static_cast<int>(std::clamp(std::ceil((low - start) / grid.cell - 0.5), 0.0, double(count))); };
    const auto last = [&](double high, double start, int count) { return static_cast<int>(std::clamp(std::floor((high - start) / grid.cell - 0.5), -1.0, double(count - 1))); };
    const int i0 = first(low_x, grid.x0, grid.nx), i1 = last(high_x, grid.x0, grid.nx), j0 = first(low_y, grid.y0, grid.ny), j1 = last(high_y, grid.y0, grid.ny);
    // Shares of the corners are linear in x and y.
    const double over = 1 / whole, ax = (b.y() - c.y()) * over * grid.cell, bx = (c.y() - a.y()) * over * grid.cell;
    for (int j = j0; j <= j1; ++j) {
      const Vec3 p(grid.x0 + (i0 + 0.5) * grid.cell, grid.y0 + (j + 0.5) * grid.cell, 0);
      const double wa0 = area2(b, c, p) * over, wb0 = area2(c, a, p) * over;
      double* const row = &map[grid.at(0, j)];
      for (int i = i0; i <= i1; ++i) {
        const double wa = wa0 + (i - i0) * ax, wb = wb0 + (i - i0) * bx, wc = 1 - wa - wb;
        if (wa < -1e-9 || wb < -1e-9 || wc < -1e-9) continue;
        const double w = wa * a.z() + wb * b.z() + wc * c.z();
        if (w < from) continue;
        double& kept = row[i];
        if (kept == kNone || (keep == Keep::Most ? w > kept : w < kept)) kept = w;
      }
    }
  }
}

Map gauss_envelope(const Grid& grid, const Map& map, double sigma) {
  if (!(sigma > 0)) return map;
  const double curvature = 0.5 * (grid.cell / sigma) * (grid.cell / sigma);  // per cell squared
  Map result(map.size());
  for (size_t i = 0; i < map.size(); ++i) result[i] = map[i] > 0 ? std::log(map[i]) : -std::numeric_limits<double>::infinity();
  Sweep sweep(std::max(grid.nx, grid.ny));
  for (int j = 0; j < grid.ny; ++j) sweep.run(&result[grid.at(0, j)], grid.nx, 1, curvature);
  for (int i = 0; i < grid.nx; ++i) sweep.run(&result[grid.at(i, 0)], grid.ny, grid.nx, curvature);
  for (double& value : result) value = std::exp(value);
  return result;
}

void spread_heat(const Grid& grid, Map& map, double length, bool only_up) {
  const int steps = static_cast<int>(std::min(kMaxHeatSteps, std::ceil(length * length / (2 * kHeat * grid.cell * grid.cell))));
  // A border of nothing around the map.
  const size_t wide = static_cast<size_t>(grid.nx) + 2;
  std::vector<double> now(wide * (static_cast<size_t>(grid.ny) + 2), 0.0), next = now;
  const auto at = [&](int i, int j) { return (static_cast<size_t>(j) + 1) * wide + static_cast<size_t>(i) + 1; };
  for (int j = 0; j < grid.ny; ++j) std::copy_n(&map[grid.at(0, j)], grid.nx, &now[at(0, j)]);
  for (int step = 0; step < steps; ++step) {
    for (int j = 0; j < grid.ny; ++j) {
      const double *here = &now[at(0, j)], *below = here - wide, *above = here + wide;
      double* const there = &next[at(0, j)];
      for (int i = 0; i < grid.nx; ++i) {
        const double change = kHeat * (here[i - 1] + here[i + 1] + below[i] + above[i] - 4 * here[i]);
        there[i] = here[i] + (only_up ? std::max(0.0, change) : change);
      }
    }
    now.swap(next);
  }
  for (int j = 0; j < grid.ny; ++j) std::copy_n(&now[at(0, j)], grid.nx, &map[grid.at(0, j)]);
}

double sample(const Grid& grid, const Map& map, double x, double y) {
  const double u = (x - grid.x0) / grid.cell - 0.5, v = (y - grid.y0) / grid.cell - 0.5;
  if (!(u > -1 && v > -1 && u < grid.nx && v < grid.ny)) return 0;
  const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
  const double s = u - i, t = v - j;
  const auto value = [&](int k, int l) { return k < 0 || l < 0 || k >= grid.nx || l >= grid.ny ? 0.0 : map[grid.at(k, l)]; };
  return (1 - t) * ((1 - s) * value(i, j) + s * value(i + 1, j)) + t * ((1 - s) * value(i, j + 1) + s * value(i + 1, j + 1));
}

}  // namespace crumple::dents
