#include "assets/generator/crane.h"
#include "assets/generator/crane_parts.h"
#include "assets/generator/facets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace crumple::generator {
namespace crane {
namespace {

const Vec3f kYellow(0.62f, 0.30f, 0.012f), kGrey(0.20f, 0.21f, 0.22f), kConcrete(0.34f, 0.33f, 0.31f), kGlass(0.02f, 0.03f, 0.04f),
    kWhite(0.66f, 0.66f, 0.63f), kDark(0.03f, 0.03f, 0.03f), kRed(0.45f, 0.02f, 0.015f);

constexpr int kSquare = 4;
constexpr double kChord = 0.115, kLace = 0.058;  // from the middle to a corner of the tubes

void chord(Facets& facets, const Vec3& from, const Vec3& to, int segments, double radius = kChord) {
  add_strut(facets, from, to, radius, kSquare, segments, false);
}
void lace(Facets& facets, const Vec3& from, const Vec3& to) {
  add_strut(facets, from, to, kLace, kSquare, 1, true);
}

// A lattice mast: square frames at the given heights, chords between them and one diagonal in each side.
void add_tower(Facets& facets) {
  facets.patch(kYellow);
  const auto corner = [](int k, double y) { return Vec3(kTowerHalf * (k == 0 || k == 3 ? 1 : -1), y, kTowerHalf * (k < 2 ? 1 : -1)); };
  for (int k = 0; k < 4; ++k) chord(facets, corner(k, kTowerFoot), corner(k, kTowerTop), kTowerBays);
  for (int bay = 0; bay <= kTowerBays; ++bay) {
    const double low = kTowerFoot + kTowerBay * bay, high = low + kTowerBay;
    for (int k = 0; k < 4; ++k) {
      const int next = (k + 1) % 4;
      lace(facets, corner(k, low), corner(next, low));
      if (bay == kTowerBays) continue;
      bay % 2 ? lace(facets, corner(k, low), corner(next, high)) : lace(facets, corner(next, low), corner(k, high));
    }
  }
}

// A cross of beams with ballast and the foot of the tower.
void add_base(Facets& facets) {
  facets.patch(kGrey);
  add_block(facets, {-kBaseHalf, 0, -0.35}, {kBaseHalf, kTowerFoot - 0.1, 0.35});
  add_block(facets, {-0.35, 0, -kBaseHalf}, {0.35, kTowerFoot - 0.1, kBaseHalf});
  add_block(facets, {-1.0, 0.05, -1.0}, {1.0, kTowerFoot + 0.05, 1.0});
  facets.patch(kConcrete);
  for (const double side : {-1.0, 1.0}) {
    const double near = std::min(side * 1.15, side * 1.95), far = std::max(side * 1.15, side * 1.95);
    add_block(facets, {near, 0.3, -1.0}, {far, 1.25, 1.0});
    add_block(facets, {-1.0, 0.3, near}, {1.0, 1.25, far});
  }
}

// Ring, platform with the winches' housing, cab.
void add_slewing(Facets& facets) {
  facets.patch(kGrey);
  add_strut(facets, {0, kTowerTop - 0.1, 0}, {0, kTowerTop + 0.35, 0}, 1.12, 16);
  facets.patch(kYellow);
  add_block(facets, {-1.1, kTowerTop + 0.35, -0.9}, {1.1, kTowerTop + 0.65, 0.9});
  facets.patch(kWhite);
  const double floor = kTowerTop + 0.40, side = 0.95;
  add_block(facets, {0.1, floor - 0.15, side - 0.2}, {1.3, floor, side + 0.3});
  add_block(facets, {0.1, floor - 0.1, side}, {1.75, floor + 0.6, side + 1.35});
  add_block(facets, {0.1, floor + 1.72, side - 0.03}, {1.85, floor + 1.85, side + 1.38});
  add_block(facets, {0.11, floor + 0.55, side + 0.01}, {0.35, floor + 1.75, side + 1.34});
  facets.patch(kGlass);
  add_block(facets, {0.3, floor + 0.55, side + 0.03}, {1.72, floor + 1.75, side + 1.32});
}

// The head above the ring: four legs that lean together, and the ties to both jibs.
void add_head(Facets& facets) {
  facets.patch(kYellow);
  const double foot = kTowerTop + 0.6;
  const Vec3 peak(-0.25, kPeak, 0);
  const auto leg = [&](double x, double z, double t) {
    return Vec3((1 - t) * Vec3(x, foot, z) + t * (peak + Vec3(0.12 * (x > 0 ? 1 : -1), 0, 0.12 * (z > 0 ? 1 : -1))));
  };
  const std::array<std::array<double, 2>, 4> feet{{{0.75, 0.75}, {-0.75, 0.75}, {-0.75, -0.75}, {0.75, -0.75}}};
  constexpr int kBays = 4;
  for (int bay = 0; bay < kBays; ++bay) {
    const double low = double(bay) / kBays, high = double(bay + 1) / kBays;
    for (int k = 0; k < 4; ++k) {
      const auto [x, z] = feet[size_t(k)];
      const auto [x2, z2] = feet[size_t((k + 1) % 4)];
      if (bay == 0) chord(facets, leg(x, z, 0), leg(x, z, 1), kBays, 0.10);
      lace(facets, leg(x, z, high), leg(x2, z2, high));
      bay % 2 ? lace(facets, leg(x, z, low), leg(x2, z2, high)) : lace(facets, leg(x2, z2, low), leg(x, z, high));
    }
  }
  add_block(facets, peak - Vec3(0.25, 0.1, 0.2), peak + Vec3(0.25, 0.25, 0.2));
  facets.patch(kGrey);
  for (const double x : kJibTies) add_strut(facets, peak + Vec3(0.1, 0.05, 0), {x, jib_top(x), 0}, 0.065, kSquare, 10);
  for (const double z : {-0.55, 0.55}) add_strut(facets, peak + Vec3(-0.1, 0.05, z * 0.2), {kCounterTie, kJibLow + 0.1, z}, 0.055, kSquare, 6);
}

// Triangular: two chords below, on which the trolley runs, and one above.
void add_jib(Facets& facets) {
  const double step = (kJibTip - kJibRoot) / kJibBays;
  const auto below = [&](int i, double side) { return Vec3(kJibRoot + step * i, kJibLow, side * kJibHalf); };
  const auto above = [&](int i) { return Vec3(kJibRoot + step * (i + 0.5), jib_top(kJibRoot + step * (i + 0.5)), 0); };
  for (int i = 0; i < kJibBays; ++i) {
    facets.patch(i % 4 == 3 && i > kJibBays - 6 ? kRed : kYellow);
    for (const double side : {-1.0, 1.0}) {
      lace(facets, below(i, side), above(i));
      lace(facets, above(i), below(i + 1, side));
    }
    lace(facets, below(i, 1), below(i, -1));
    i % 2 ? lace(facets, below(i, -1), below(i + 1, 1)) : lace(facets, below(i, 1), below(i + 1, -1));
  }
  lace(facets, below(kJibBays, 1), below(kJibBays, -1));
  facets.patch(kYellow);
  for (const double side : {-1.0, 1.0}) chord(facets, {0.7, kJibLow, side * kJibHalf}, below(kJibBays, side), kJibBays + 1, 0.095);
  // The upper chord is straight as far as the height is the same.
  const Vec3 bend(kJibBend, jib_top(kJibBend), 0);
  chord(facets, {0.6, kJibLow + 0.9, 0}, above(0), 1, 0.10);
  chord(facets, above(0), bend, 6, 0.10);
  chord(facets, bend, above(kJibBays - 1), 6, 0.10);
}

// Two beams with a grating, rails, a winch, and hanging slabs of concrete.
void add_counter_jib(Facets& facets) {
  facets.patch(kYellow);
  for (const double side : {-0.6, 0.6}) {
    add_strut(facets, {-0.8, kJibLow, side}, {-kCounterLength, kJibLow, side}, 0.16, kSquare, 5, false);
    add_strut(facets, {-0.8, kJibLow + 1.0, side * 1.25}, {-kCounterLength, kJibLow + 1.0, side * 1.25}, kLace, kSquare, 5);
    for (int i = 0; i < 5; ++i) {
      const double x = -0.8 - (kCounterLength - 0.8) / 5 * i;
      lace(facets, {x, kJibLow, side}, {x, kJibLow + 1.0, side * 1.25});
    }
    lace(facets, {-kCounterLength, kJibLow, side}, {-kCounterLength, kJibLow + 1.0, side * 1.25});
  }
  facets.patch(kGrey);
  for (int i = 0; i < 5; ++i) {
    const double x = -1.0 - 1.3 * i;
    add_block(facets, {x - 1.22, kJibLow + 0.02, -0.6}, {x, kJibLow + 0.10, 0.6});
  }
  add_block(facets, {-4.3, kJibLow + 0.1, -0.5}, {-3.0, kJibLow + 0.35, 0.5});
  facets.patch(kDark);
  add_strut(facets, {-3.65, kJibLow + 0.6, -0.42}, {-3.65, kJibLow + 0.6, 0.42}, 0.38, 12);
  facets.patch(kConcrete);
  for (int i = 0; i < 3; ++i) {
    const double x = -kCounterLength + 0.15 + 0.56 * i;
    add_block(facets, {x, kJibLow - 1.75, -0.48}, {x + 0.5, kJibLow + 0.35, 0.48});
  }
}

// The trolley under the jib and the hook on its ropes.
void add_trolley(Facets& facets) {
  facets.patch(kGrey);
  const double x = kTrolley, y = kJibLow - 0.1;
  add_block(facets, {x - 0.6, y - 0.22, -0.75}, {x + 0.6, y, 0.75});
  facets.patch(kDark);
  for (const double side : {-0.22, 0.22}) add_strut(facets, {x + side, y - 0.2, 0}, {x + side * 0.6, y - 1.7, 0}, 0.045, kSquare, 2);
  facets.patch(kRed);
  add_block(facets, {x - 0.3, y - 2.35, -0.18}, {x + 0.3, y - 1.65, 0.18});
  facets.patch(kDark);
  const std::array<Vec3, 6> hook{Vec3(0, -2.3, 0),    Vec3(0, -2.6, 0), Vec3(0.2, -2.75, 0),
                                 Vec3(0.2, -2.98, 0), Vec3(0, -3.1, 0), Vec3(-0.2, -2.95, 0)};
  for (size_t i = 0; i + 1 < hook.size(); ++i) add_strut(facets, Vec3(x, y, 0) + hook[i], Vec3(x, y, 0) + hook[i + 1], 0.075, 6);
}

}  // namespace
}  // namespace crane

TriMesh crane_surface() {
  using namespace crane;
  TriMesh mesh;
  Facets facets(mesh);
  add_base(facets);
  add_tower(facets);
  add_slewing(facets);
  add_head(facets);
  add_jib(facets);
  add_counter_jib(facets);
  add_trolley(facets);
  move_since(mesh, Mark{}, {Mat3::Identity(), -kMiddle});
  return mesh;
}

namespace {

// A block that narrows towards its top.
void add_taper(Facets& facets, const Vec3& foot, const Vec3& top, double foot_half, double top_half) {
  std::vector<Transform> path(2);
  for (int end = 0; end < 2; ++end) {
    const double half = end ? top_half : foot_half;
    path[size_t(end)].rotation << 0, half, 0, 0, 0, 1, half, 0, 0;  // x and y of the outline are z and x, and it rises
    path[size_t(end)].translation = end ? top : foot;
  }
  const std::array<std::array<double, 2>, 4> square{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  add_sweep(facets, path, square, false);
}

}  // namespace

TriMesh crane_solid() {
  using namespace crane;
  TriMesh mesh;
  Facets facets(mesh);
  facets.patch(Vec3f::Ones());
  const double top = kTowerTop, jib = kJibLow, thick = 0.66;  // `thick`: from the middle to a corner of ties
  const Vec3 peak(-0.25, kPeak - 0.1, 0);
  add_block(facets, {-kBaseHalf, 0, -1.0}, {kBaseHalf, 1.25, 1.0});
  add_block(facets, {-1.0, 0, -kBaseHalf}, {1.0, 1.25, kBaseHalf});
  add_block(facets, {-0.92, 0.1, -0.92}, {0.92, top + 0.65, 0.92});
  add_block(facets, {0.05, top + 0.2, 0.5}, {1.85, top + 2.25, kBaseHalf});
  add_taper(facets, {-0.05, top + 0.3, 0}, {-0.25, kPeak + 0.25, 0}, 0.95, 0.4);
  add_block(facets, {0, jib - 0.15, -0.75}, {kJibTip, jib + 1.1, 0.75});
  add_block(facets, {kTrolley - 0.45, jib - 3.2, -0.45}, {kTrolley + 0.45, jib, 0.45});
  add_block(facets, {-kCounterLength, jib - 0.2, -0.8}, {0, jib + 0.85, 0.8});
  add_block(facets, {-kCounterLength, jib - 1.75, -0.5}, {-kCounterLength + 1.8, jib + 0.3, 0.5});
  for (const double x : kJibTies) add_strut(facets, peak, {x, jib_top(x) - 0.2, 0}, thick, kSquare);
  add_strut(facets, peak, {kCounterTie, jib + 0.3, 0}, thick, kSquare);
  move_since(mesh, Mark{}, {Mat3::Identity(), -kMiddle});
  return mesh;
}

}  // namespace crumple::generator
