#include "assets/generator/sedan_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace crumple::generator::sedan {

Curve::Curve(std::initializer_list<std::pair<double, double>> points) : points_(points), slopes_(points.size(), 0.0) {
  const auto secant = [&](size_t i) { return (points_[i + 1].second - points_[i].second) / (points_[i + 1].first - points_[i].first); };
  for (size_t i = 0; i < points_.size(); ++i) {
    const double before = secant(i == 0 ? 0 : i - 1), after = secant(i + 1 < points_.size() ? i : i - 1);
    slopes_[i] = before * after <= 0 ? 0.0 : 2 * before * after / (before + after);
  }
}

double Curve::operator()(double x) const {
  if (x >= points_.front().first) return points_.front().second;
  if (x <= points_.back().first) return points_.back().second;
  size_t i = 0;
  while (points_[i + 1].first > x) ++i;
  const double step = points_[i + 1].first - points_[i].first, t = (x - points_[i].first) / step, s = 1 - t;
  return s * s * (1 + 2 * t) * points_[i].second + t * t * (1 + 2 * s) * points_[i + 1].second +
         step * (s * s * t * slopes_[i] - t * t * s * slopes_[i + 1]);
}

namespace {

// Along the middle: bonnet, windscreen, roof, rear window, boot.
const Curve top{{2.365, 0.700}, {2.345, 0.728}, {2.30, 0.750}, {2.00, 0.815}, {1.50, 0.890},  {1.04, 0.945},  {0.98, 0.962},  {0.62, 1.170},
                {0.26, 1.370},  {0.18, 1.398},  {0.00, 1.428}, {-0.35, 1.45}, {-0.75, 1.432}, {-0.98, 1.398}, {-1.06, 1.372}, {-1.34, 1.220},
                {-1.62, 1.055}, {-1.68, 1.032}, {-2.0, 1.020}, {-2.30, 1.0},  {-2.35, 0.985}, {-2.375, 0.955}};
const Curve belt{{2.365, 0.672}, {2.345, 0.697}, {2.30, 0.715}, {2.00, 0.775},  {1.50, 0.845},  {1.00, 0.898},  {0.50, 0.918},
                 {-0.5, 0.940},  {-1.6, 0.965},  {-2.0, 0.965}, {-2.30, 0.950}, {-2.35, 0.935}, {-2.375, 0.905}};
const Curve half_width{{2.365, 0.855}, {2.20, 0.880}, {1.80, 0.905}, {1.30, 0.920}, {0.0, 0.925}, {-1.3, 0.920}, {-1.9, 0.900}, {-2.375, 0.855}};
const Curve bottom{{2.365, 0.30}, {2.0, 0.245}, {1.7, 0.22}, {-1.6, 0.22}, {-2.0, 0.27}, {-2.375, 0.34}};
// How much of the plan is rounded off: nose and tail as a whole, windscreen and rear window only above the belt.
const Curve nose_round{{2.365, 0.19}, {2.2, 0.13}, {1.86, 0.0}, {-1.80, 0.0}, {-2.2, -0.075}, {-2.375, -0.12}};
const Curve glass_round{{1.5, 0.0}, {1.0, 0.13}, {0.25, 0.07}, {-0.2, 0.0}, {-0.7, 0.0}, {-1.0, -0.06}, {-1.65, -0.12}, {-2.1, 0.0}};
// The pillar behind the rear doors leans forward.
const Curve pillar_lean{{-0.75, 0.0}, {-1.0, 0.35}, {-1.15, 0.30}, {-1.5, 0.0}};

constexpr double kCrown = 0.062;  // fall of the roof from the middle to its rails
constexpr double kPillar = 0.062;

double side_z(double x, double y) {
  const double t = y < 0.60 ? (0.60 - y) / 0.40 : (y - 0.60) / 0.25;
  return half_width(x) - (y < 0.60 ? 0.055 : 0.035) * t * t;
}

double rail_y(double x) {
  return std::max(belt(x), top(x) - kCrown);
}
double window_z(double x, double y) {
  return half_width(x) - 0.125 - 0.36 * (y - belt(x));
}
double rail_z(double x) {
  return window_z(x, rail_y(x));
}
double top_y(double x, double z) {
  const double share = std::min(1.0, std::abs(z) / rail_z(x));
  return rail_y(x) + (top(x) - rail_y(x)) * (1 - std::pow(share, 2.4));
}

// `above`: 0 on the sides, 1 from the belt upwards.
Vec3 rounded(double x, double y, double z, double above) {
  const double across = std::abs(z) / 0.9, lean = y > belt(x) ? pillar_lean(x) * (y - belt(x)) : 0.0;
  return {x - nose_round(x) * across * across - above * glass_round(x) * (z / 0.75) * (z / 0.75) + above * lean, y, z};
}

constexpr int kRows = 16, kLip = 3, kBelt = 8, kRail = 9, kRoof = 10;

struct Station {
  double x;
  double lip;  // height of the lower edge of the side: above the wheels it follows the arch
};

// Half of the section from the middle of the floor outwards, up the side, and over the roof to the middle.
std::array<Vec3, kRows> section(const Station& station) {
  const double x = station.x, floor = bottom(x), lip = std::max(station.lip, floor);
  const double shoulder = belt(x) - 0.085, rail = rail_z(x), roof = std::max(0.1, rail - kPillar);
  std::array<Vec3, kRows> points;
  points[0] = rounded(x, floor, 0, 0);
  points[1] = rounded(x, floor, 0.56, 0);
  points[2] = rounded(x, lip, 0.57, 0);
  points[kLip] = rounded(x, lip, side_z(x, lip) - 0.005, 0);
  const std::array<double, 3> nominal{0.36, 0.53, 0.68}, share{0.15, 0.42, 0.75};
  for (int k = 0; k < 3; ++k) {
    const double y = std::max(std::min(nominal[k], shoulder - 0.04), lip + share[k] * (shoulder - lip));
    points[kLip + 1 + k] = rounded(x, y, side_z(x, y), 0);
  }
  points[7] = rounded(x, shoulder + 0.055, side_z(x, shoulder) - 0.035, 0.35);
  points[6] = rounded(x, std::max(shoulder, points[6].y() + 0.01), side_z(x, shoulder), 0);
  points[kBelt] = rounded(x, belt(x), window_z(x, belt(x)), 1);
  points[kRail] = rounded(x, rail_y(x), rail, 1);
  for (int k = kRoof; k < kRows; ++k) {
    const double z = roof * (kRows - 1 - k) / (kRows - 1 - kRoof);
    points[k] = rounded(x, top_y(x, z), z, 1);
  }
  return points;
}

void add_arch(std::vector<Station>& stations, double axle) {
  constexpr double kAxleHeight = kWheel - 0.005;
  stations.push_back({axle + kArch + 0.012, 0});
  for (const double degrees : {2.0, 14.0, 28.0, 44.0, 60.0, 75.0, 90.0, 105.0, 120.0, 136.0, 152.0, 166.0, 178.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    stations.push_back({axle + kArch * std::cos(angle), kAxleHeight + kArch * std::sin(angle)});
  }
  stations.push_back({axle - kArch - 0.012, 0});
}

// From front to back. Windows and pillars end at stations.
std::vector<Station> stations() {
  std::vector<Station> stations;
  for (const double x : {kNose, 2.345, 2.30, 2.20, 2.08, 1.95}) stations.push_back({x, 0});
  add_arch(stations, kFrontAxle);
  for (const double x : {1.00, 0.96, 0.90, 0.80, 0.66, 0.50, 0.36, 0.26, 0.18, 0.02, -0.14, -0.24, -0.40, -0.58, -0.74}) stations.push_back({x, 0});
  add_arch(stations, kRearAxle);
  for (const double x : {-1.80, -1.95, -2.10, -2.22, -2.31, -2.35, kTail}) stations.push_back({x, 0});
  return stations;
}

bool between(double low, double x, double high) {
  return low < x && x < high;
}

Vec3f color_of(double x, int row) {
  if (row < kLip) return kDark;
  if (row == kBelt) {
    if (between(-0.24, x, -0.14)) return kDark;  // between the doors
    return between(-1.06, x, 0.80) ? kGlass : kPaint;
  }
  if (row >= kRoof) {
    if (between(0.96, x, 1.03)) return kDark;  // wipers
    return between(0.26, x, 0.96) || between(-1.64, x, -1.06) ? kGlass : kPaint;
  }
  return kPaint;
}

// Patches of one colour and one direction: floor, wheel arch, sides, top.
class Skin {
 public:
  explicit Skin(Facets& facets) : facets_(facets) {}

  void use(const Vec3f& color, int kind) {
    const auto key = std::make_pair(std::array{color.x(), color.y(), color.z()}, kind);
    const auto found = patches_.find(key);
    if (found == patches_.end()) {
      patches_[key] = facets_.patch(color);
    } else {
      facets_.resume(found->second);
    }
  }

 private:
  Facets& facets_;
  std::map<std::pair<std::array<float, 3>, int>, int> patches_;
};

int kind_of(int row) {
  return row < kLip ? row : row < kBelt ? 10 : 11;
}

// Closes the body at a station: strips across, in cells that can bend.
void add_cap(Facets& facets, const std::array<Vec3, kRows>& half, bool front) {
  facets.patch(kPaint);
  constexpr int kCells = 10;
  const Vec3 flip(1, 1, -1);
  const auto at = [&](int row, int cell) {
    const double t = double(cell) / kCells;
    if (cell == kCells) return half[row];
    if (cell == 0) return Vec3(half[row].cwiseProduct(flip));
    if (row == 1 && 2 * cell == kCells) return half[0];
    Vec3 point = (1 - t) * half[row].cwiseProduct(flip) + t * half[row];
    const double whole = half[row].z(), part = point.z();
    point.x() = half[row].x() + nose_round(half[row].x() > 0 ? kNose : kTail) * (whole * whole - part * part) / 0.81;
    return point;
  };
  const auto crown = [&](int cell) { return 2 * cell < kCells ? Vec3(half[kRoof + cell].cwiseProduct(flip)) : half[kRoof + kCells - cell]; };
  const auto face = [&](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { front ? facets.quad(a, d, c, b) : facets.quad(a, b, c, d); };
  for (int cell = 0; cell < kCells; ++cell) {
    for (int row = 1; row < kRoof; ++row) face(at(row, cell), at(row, cell + 1), at(row + 1, cell + 1), at(row + 1, cell));
    // The top edge is as finely divided as the strips; the bottom edge is not.
    face(at(kRoof, cell), at(kRoof, cell + 1), crown(cell + 1), crown(cell));
    face(half[0], half[0], at(1, cell + 1), at(1, cell));
  }
}

}  // namespace

double belt_at(double x) {
  return belt(x);
}

Vec3 on_side(double x, double y, double out) {
  Vec3 point = rounded(x, y, side_z(x, y), 0);
  point.z() += out;
  return point;
}

Vec3 on_top(double x, double z, double out) {
  Vec3 point = rounded(x, top_y(x, z), z, 1);
  point.y() += out;
  return point;
}

Vec3 on_nose(double u, double y, double out) {
  Vec3 point = rounded(kNose, y, -u, 0);
  point.x() += out;
  return point;
}

Vec3 on_tail(double u, double y, double out) {
  Vec3 point = rounded(kTail, y, u, 0);
  point.x() -= out;
  return point;
}

void add_body(TriMesh& mesh) {
  Facets facets(mesh);
  Skin skin(facets);
  const std::vector<Station> line = stations();
  const Vec3 flip(1, 1, -1);
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const auto ahead = section(line[i]), behind = section(line[i + 1]);
    for (int row = 0; row + 1 < kRows; ++row) {
      skin.use(color_of((line[i].x + line[i + 1].x) / 2, row), kind_of(row));
      const Vec3 &a = behind[row], &b = ahead[row], &c = ahead[row + 1], &d = behind[row + 1];
      facets.quad(a, b, c, d);
      facets.quad(a.cwiseProduct(flip), d.cwiseProduct(flip), c.cwiseProduct(flip), b.cwiseProduct(flip));
    }
  }
  add_cap(facets, section(line.front()), true);
  add_cap(facets, section(line.back()), false);
}

}  // namespace crumple::generator::sedan
