#include "crumple/methods/dents/print.h"

#include <algorithm>
#include <cmath>

namespace crumple::dents {
namespace {

constexpr int kCoarse = 64;              // cells along a side of the first look
constexpr double kCellsPerSigma = 2.5;   // finer shows no stairs
constexpr int kCellsPerPrint = 64;
constexpr double kFaded = 20;            // widths of the fading through the body after which nothing is left
constexpr double kFaint = 1e-3;          // of the depth: where Gaussians end
constexpr double kHeatLength = 0.5;      // of sigma
// The ring around a print: where it begins, how fast it leaves the print, how high it may become and how wide it is, of the print's depth and half width.
constexpr double kMask = 0.06, kLeave = 0.1, kLipHeight = 0.2, kLipWidth = 0.15, kRimHeight = 0.1, kRimWidest = 1.5;
// Largest height of a ring over its width, times the slant: a Gaussian's steepest slope is 0.61 of it, and mostly twice that ahead of the press.
constexpr double kSteepestRing = 0.5;

/// Points of all surfaces in press coordinates.
std::vector<std::vector<Vec3>> pressed(const PressFrame& frame, std::span<const SurfaceNow> surfaces) {
  std::vector<std::vector<Vec3>> all;
  for (const SurfaceNow& surface : surfaces) {
    std::vector<Vec3>& points = all.emplace_back();
    points.reserve(surface.points.size());
    for (const Vec3f& p : surface.points) points.push_back(frame.to_press(p.cast<double>()));
  }
  return all;
}

Bounds bounds_of_all(const std::vector<std::vector<Vec3>>& all) {
  Bounds box;
  for (const std::vector<Vec3>& points : all) {
    for (const Vec3& p : points) box.add(p);
  }
  return box;
}

/// Both surfaces on one grid: the front of the target and the far side of the projectile.
struct Depths {
  Map wall, punch;
};

Depths measure(const Grid& grid, std::span<const SurfaceNow> target, const std::vector<std::vector<Vec3>>& target_points, std::span<const SurfaceNow> projectile,
               const std::vector<std::vector<Vec3>>& punch_points, double from) {
  Depths depths{Map(grid.size(), kNone), Map(grid.size(), kNone)};
  for (size_t i = 0; i < target.size(); ++i) rasterise(grid, target_points[i], target[i].triangles, Keep::Least, Facing::Against, from, depths.wall);
  for (size_t i = 0; i < projectile.size(); ++i) rasterise(grid, punch_points[i], projectile[i].triangles, Keep::Most, Facing::Any, -1e299, depths.punch);
  return depths;
}

double front_of(const Bounds& punch) {
  return punch.low.z() - punch.high.z();
}

/// Cells with no wall take that of a neighbour, so that points at a silhouette find one.
void fill_gaps(const Grid& grid, Map& wall) {
  for (int pass = 0; pass < 2; ++pass) {
    const Map before = wall;
    for (int j = 0; j < grid.ny; ++j) {
      for (int i = 0; i < grid.nx; ++i) {
        if (before[grid.at(i, j)] != kNone) continue;
        double least = 1e300;
        for (int l = std::max(0, j - 1); l <= std::min(grid.ny - 1, j + 1); ++l) {
          for (int k = std::max(0, i - 1); k <= std::min(grid.nx - 1, i + 1); ++k) {
            if (before[grid.at(k, l)] != kNone) least = std::min(least, before[grid.at(k, l)]);
          }
        }
        if (least < 1e300) wall[grid.at(i, j)] = least;
      }
    }
  }
}

/// What depths are measured from: the target's surface, or where there is one, a plane through the point of contact across the way (paper 3, section 3.4).
Map base_of(const Grid& grid, const PressFrame& frame, const Map& wall, bool from_plane) {
  if (!from_plane) return wall;
  Map base = wall;
  const double slope_x = frame.x.dot(frame.way), slope_y = frame.y.dot(frame.way);
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) {
      double& w = base[grid.at(i, j)];
      if (w != kNone) w = -(grid.x0 + (i + 0.5) * grid.cell) * slope_x - (grid.y0 + (j + 0.5) * grid.cell) * slope_y;
    }
  }
  return base;
}

double largest(const Map& map) {
  return map.empty() ? 0 : *std::max_element(map.begin(), map.end());
}

double sum(const Map& map) {
  double total = 0;
  for (const double v : map) total += v;
  return total;
}

/// Broadened, smoothed, never less than the print itself: paper 3, section 3.3. Rescaled before the last pass, so that what is pressed in does not stand out.
Map soften(const Grid& grid, const Map& profile, double deepest, double sigma) {
  if (!(sigma > 0)) return profile;
  Map map = gauss_envelope(grid, profile, sigma);
  for (size_t i = 0; i < map.size(); ++i) map[i] = std::max({profile[i], (map[i] - kFaint * deepest) / (1 - kFaint), 0.0});
  spread_heat(grid, map, kHeatLength * sigma, false);
  const double scale = deepest / std::max(largest(map), 1e-300);
  for (size_t i = 0; i < map.size(); ++i) map[i] = std::max(profile[i], std::min(deepest, scale * map[i]));
  spread_heat(grid, map, kHeatLength * sigma, true);
  for (double& v : map) v = std::min(v, deepest);
  return map;
}

/// A ring of this width around the print, more of it ahead of a slanted press, of largest height 1.
Map ring(const Grid& grid, const Map& depth, const Map& wall, const PressFrame& frame, double deepest, double width) {
  Map mask(depth.size());
  for (size_t i = 0; i < depth.size(); ++i) mask[i] = std::min(1.0, depth[i] / (kMask * deepest));
  Map map = gauss_envelope(grid, mask, width);
  const double slant = std::sqrt(std::max(0.0, 1 - std::pow(frame.way.dot(frame.normal), 2)));
  double x = 0, y = 0, total = 0;  // middle of the print
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) {
      const double v = depth[grid.at(i, j)];
      x += v * i, y += v * j, total += v;
    }
  }
  x /= total, y /= total;
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) {
      const size_t at = grid.at(i, j);
      const double leave = depth[at] / (kLeave * deepest), dx = i - x, dy = j - y;
      const double ahead = 1 + slant * dx / std::max(std::hypot(dx, dy), 1e-9);  // x runs along the slant
      map[at] = wall[at] == kNone ? 0 : std::max(0.0, map[at] - kFaint) / (1 + leave * leave) * ahead;
    }
  }
  const double high = largest(map);
  for (double& v : map) v = high > 0 ? v / high : 0;
  return map;
}

/// Raises `volume` (in heights times cells) in a ring of given width, no higher than `height`. Returns what had no room. It rises along the normal, aslant
/// to the lines of a slanted press: its slope is bounded, so that nothing folds.
double raise_ring(const Grid& grid, Print& print, double volume, double width, double height) {
  const double along = print.frame.way.dot(print.frame.normal), slant = std::sqrt(std::max(0.0, 1 - along * along)) / along;
  if (slant > 0) height = std::min(height, kSteepestRing * width / slant);
  const Map shape = ring(grid, print.depth, print.wall, print.frame, print.deepest, width);
  const double full = sum(shape);
  if (!(full > 0)) return volume;
  const double scale = std::min(height, volume / full);
  if (print.raise.empty()) print.raise.assign(grid.size(), 0.0);
  for (size_t i = 0; i < shape.size(); ++i) print.raise[i] += scale * shape[i];
  return volume - scale * full;
}

/// The width at which a ring of the given height holds the volume; at most `widest`.
double rim_width(const Grid& grid, const Print& print, double volume, double height, double narrowest, double widest) {
  double low = narrowest, high = widest;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (height * sum(ring(grid, print.depth, print.wall, print.frame, print.deepest, middle)) > volume ? high : low) = middle;
  }
  return high;
}

void raise_around(Print& print, const PrintSettings& settings) {
  const double pressed = sum(print.depth) * print.frame.way.dot(print.frame.normal);
  const double lip = settings.lip * pressed, rim = settings.rim * (pressed - lip);
  double missing = 0;
  if (lip > 0) missing += raise_ring(print.grid, print, lip, kLipWidth * print.half_width, kLipHeight * print.deepest);
  if (rim > 0) {
    const double height = kRimHeight * print.deepest, widest = kRimWidest * print.half_width;
    missing += raise_ring(print.grid, print, rim, rim_width(print.grid, print, rim, height, kLipWidth * print.half_width, widest), settings.rim >= 1 ? 1e300 : height);
  }
  print.missing_volume = missing * print.grid.cell * print.grid.cell;
}

}  // namespace

double Contour::volume_at(double depth) const {
  double total = 0;
  for (const double v : overlap) {
    if (v != kNone) total += std::max(0.0, v + depth);
  }
  return total * grid.cell * grid.cell * frame.way.dot(frame.normal);
}

Contour find_contour(const PressFrame& frame, std::span<const SurfaceNow> target, std::span<const SurfaceNow> projectile, bool from_plane) {
  Contour contour;
  contour.frame = frame;
  const std::vector<std::vector<Vec3>> target_points = pressed(frame, target), punch_points = pressed(frame, projectile);
  const Bounds goal = bounds_of_all(target_points), punch = bounds_of_all(punch_points);
  const double x0 = std::max(goal.low.x(), punch.low.x()), x1 = std::min(goal.high.x(), punch.high.x());
  const double y0 = std::max(goal.low.y(), punch.low.y()), y1 = std::min(goal.high.y(), punch.high.y());
  if (!(x1 > x0 && y1 > y0) || !std::isfinite((x1 - x0) + (y1 - y0))) return contour;
  contour.grid = grid_over(x0, x1, y0, y1, std::max(x1 - x0, y1 - y0) / kCoarse, kCoarse);
  const Depths depths = measure(contour.grid, target, target_points, projectile, punch_points, front_of(punch));
  const Map base = base_of(contour.grid, frame, depths.wall, from_plane);
  contour.overlap.assign(contour.grid.size(), kNone);
  double touch = -1e300;
  for (size_t i = 0; i < base.size(); ++i) {
    if (base[i] == kNone || depths.punch[i] == kNone) continue;
    contour.overlap[i] = depths.punch[i] - base[i];
    touch = std::max(touch, contour.overlap[i]);
    contour.touches = true;
  }
  for (double& v : contour.overlap) v = v == kNone ? kNone : v - touch;
  return contour;
}

double depth_by_energy(const Contour& contour, double energy, double hardness, double deepest) {
  if (!contour.touches || !(energy > 0)) return 0;
  const double volume = energy / hardness;
  if (contour.volume_at(deepest) <= volume) return deepest;
  double low = 0, high = deepest;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (contour.volume_at(middle) > volume ? high : low) = middle;
  }
  return high;
}

Print make_print(const Contour& contour, std::span<const SurfaceNow> target, std::span<const SurfaceNow> projectile, double depth, double share, const PrintSettings& settings) {
  Print print;
  print.frame = contour.frame;
  if (!contour.touches || !(depth > 0 && share > 0)) return print;
  // Where the coarse map says that it presses, and a cell around.
  Bounds where;
  const Grid& coarse = contour.grid;
  for (int j = 0; j < coarse.ny; ++j) {
    for (int i = 0; i < coarse.nx; ++i) {
      const double over = contour.overlap[coarse.at(i, j)];
      if (over == kNone || over + depth <= 0) continue;
      for (const int next : {0, 1}) where.add({coarse.x0 + (i + next) * coarse.cell, coarse.y0 + (j + next) * coarse.cell, 0});
    }
  }
  const double size_x = where.high.x() - where.low.x(), size_y = where.high.y() - where.low.y();
  const double narrow = std::min(size_x, size_y), wide = std::max(size_x, size_y);
  print.half_width = 0.5 * narrow;
  print.sigma = settings.softness * print.half_width;
  const double ends = std::sqrt(2 * std::log(1 / kFaint));  // of a Gaussian, in widths
  const double lip = settings.lip > 0 ? kLipWidth * print.half_width : 0, rim = settings.rim > 0 ? kRimWidest * print.half_width : 0;
  const double room = ends * std::max({print.sigma, lip, rim}) + coarse.cell;
  const double wanted = std::min(print.sigma > 0 ? print.sigma / kCellsPerSigma : 1e300, wide / kCellsPerPrint);
  print.grid = grid_over(where.low.x() - room, where.high.x() + room, where.low.y() - room, where.high.y() + room, wanted, settings.cells);
  print.coarsened = print.grid.cell > 1.01 * wanted;

  const std::vector<std::vector<Vec3>> target_points = pressed(print.frame, target), punch_points = pressed(print.frame, projectile);
  const double front = front_of(bounds_of_all(punch_points));
  Depths depths = measure(print.grid, target, target_points, projectile, punch_points, front);
  const Map base = base_of(print.grid, print.frame, depths.wall, settings.from_plane);
  double touch = -1e300;
  for (size_t i = 0; i < base.size(); ++i) {
    if (base[i] != kNone && depths.punch[i] != kNone) touch = std::max(touch, depths.punch[i] - base[i]);
  }
  Map profile(print.grid.size(), 0.0);
  for (size_t i = 0; i < profile.size(); ++i) {
    if (base[i] != kNone && depths.punch[i] != kNone) profile[i] = share * std::max(0.0, depths.punch[i] - base[i] - touch + depth);
  }
  print.deepest = share * depth, print.fade = settings.attenuation * print.deepest;
  print.depth = soften(print.grid, profile, print.deepest, print.sigma);
  print.wall = std::move(depths.wall);
  print.volume = sum(print.depth) * print.grid.cell * print.grid.cell * print.frame.way.dot(print.frame.normal);
  raise_around(print, settings);
  print.nearest = 1e300;
  double farthest = -1e300;
  for (size_t i = 0; i < print.wall.size(); ++i) {
    if (print.wall[i] != kNone && print.depth[i] > 0) print.nearest = std::min(print.nearest, print.wall[i]), farthest = std::max(farthest, print.wall[i]);
  }
  print.reach = farthest - print.nearest + 2 * print.fade;
  const double wide_x = 0.5 * print.grid.nx * print.grid.cell, wide_y = 0.5 * print.grid.ny * print.grid.cell;
  print.middle = print.frame.origin + (print.grid.x0 + wide_x) * print.frame.x + (print.grid.y0 + wide_y) * print.frame.y + 0.5 * (print.nearest + farthest) * print.frame.way;
  print.radius = std::hypot(wide_x, wide_y) + 0.5 * (farthest - print.nearest) - front + kFaded * print.fade;
  fill_gaps(print.grid, print.wall);
  return print;
}

Vec3 Print::move(const Vec3& p) const {
  if ((p - middle).squaredNorm() > radius * radius) return Vec3::Zero();
  const Vec3 q = frame.to_press(p);
  const double in = sample(grid, depth, q.x(), q.y()), out = raise.empty() ? 0 : sample(grid, raise, q.x(), q.y());
  if (!(in > 0 || out > 0)) return Vec3::Zero();
  const int i = std::clamp(static_cast<int>((q.x() - grid.x0) / grid.cell), 0, grid.nx - 1), j = std::clamp(static_cast<int>((q.y() - grid.y0) / grid.cell), 0, grid.ny - 1);
  const double surface = wall[grid.at(i, j)];
  if (surface == kNone) return Vec3::Zero();
  const double behind = std::max(0.0, q.z() - surface);
  const double share = 2 / (1 + std::exp(std::min(behind / fade, 500.0)));  // paper 3, figure 2c
  return share * (in * frame.way - out * frame.normal);
}

bool Print::overlaps(const Vec3& a, const Vec3& b, const Vec3& c) const {
  Bounds box;
  for (const Vec3& p : {a, b, c}) box.add(frame.to_press(p));
  const double x1 = grid.x0 + grid.nx * grid.cell, y1 = grid.y0 + grid.ny * grid.cell;
  if (box.high.x() < grid.x0 || box.low.x() > x1 || box.high.y() < grid.y0 || box.low.y() > y1 || box.low.z() > nearest + reach) return false;
  // The plane of the triangle under the print: on the surface, or behind it.
  const Vec3 p = frame.to_press(a), u = frame.to_press(b) - p, v = frame.to_press(c) - p;
  const double across = u.x() * v.y() - u.y() * v.x();
  if (!(std::abs(across) > 0)) return true;
  const double dx = 0.5 * (grid.x0 + x1) - p.x(), dy = 0.5 * (grid.y0 + y1) - p.y();
  const double w = p.z() + (dx * v.y() - dy * v.x()) / across * u.z() + (u.x() * dy - u.y() * dx) / across * v.z();
  return w < nearest + reach;
}

}  // namespace crumple::dents
