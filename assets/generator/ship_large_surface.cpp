#include "assets/generator/ship.h"
#include "assets/generator/ship_hull.h"
#include "assets/generator/ship_paint.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace crumple::generator {
namespace {

constexpr double kHalfBeam = 7.2, kKeel = -5.6, kMainRail = 4.0, kBulwark = 1.0, kDeck = kMainRail - kBulwark, kPoop = 5.4;
constexpr double kPoopEnd = 0.195, kForecastle = 0.865;  // along

double step_between(double from, double to, double t) {
  const double share = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return share * share * (3 - 2 * share);
}

// Parallel sides for half of the length, a flared bow, a stern that is fine below and square above; rails are higher on poop and forecastle.
HullLines freighter_lines() {
  HullLines lines;
  lines.keel = [](double along) { return kKeel + 4.6 * step_between(0.15, 0.0, along); };
  lines.rail = [](double along) {
    const double poop = (kPoop + kBulwark - kMainRail) * step_between(kPoopEnd + 0.012, kPoopEnd, along);
    const double forecastle =
        2.9 * step_between(kForecastle, kForecastle + 0.014, along) + 0.9 * std::pow(std::max(0.0, (along - kForecastle) / (1 - kForecastle)), 2);
    return kMainRail + poop + forecastle;
  };
  lines.stern = [](double height) { return -43.0 - 0.16 * height; };
  lines.stem = [](double height) { return height < 0 ? 41.5 - 0.9 * std::pow(-height / 5.6, 3) : 41.5 + 0.35 * height + 0.022 * height * height; };
  lines.breadth = [](double along, double height) {
    const double keel = kKeel + 4.6 * step_between(0.15, 0.0, along);
    const double up = std::clamp(height / 7.5, -0.75, 1.0), sunk = std::clamp((height - keel) / 3.0, 0.0, 1.0);
    const double fine = std::max(0.0, (along - 0.72) / 0.28), aft = std::max(0.0, (0.26 - along) / 0.26);
    const double plan = (1 - std::pow(fine, 2.0 + 1.5 * up)) * (1 - aft * aft * (0.16 - 0.5 * std::min(0.0, up)));
    const double flat = 0.76 * (1 - fine) * (1 - aft);  // of the bottom
    const double section = flat + (1 - flat) * std::pow(1 - std::pow(1 - sunk, 2.4), 1 / 2.0);
    return std::max(0.12, kHalfBeam * plan * section);
  };
  lines.round_stern = 1.6;
  return lines;
}

HullBuild freighter_build(bool drawn) {
  HullBuild build;
  for (const double t : gathered_shares(drawn ? 42 : 30)) build.along.push_back(t);
  for (const double edge : {kPoopEnd, kPoopEnd + 0.012, kForecastle, kForecastle + 0.014}) {
    *std::min_element(build.along.begin() + 1, build.along.end() - 1, [&](double a, double b) { return std::abs(a - edge) < std::abs(b - edge); }) =
        edge;
    std::sort(build.along.begin(), build.along.end());
  }
  build.rows_below = drawn ? 7 : 4;
  build.rows_above = drawn ? 4 : 2;
  build.line = 0.45;
  build.skin = 0.25;
  build.bulwark = drawn ? kBulwark : 0.0;
  build.paint = {kAntifouling, kWhitePaint, kNightBlue, kNightBlue, kWhitePaint, kWhitePaint, kDeckRed};
  return build;
}

// Stacks of forty-foot containers: four bays of five stacks.
constexpr int kBays = 4, kStacks = 5;
constexpr std::array<double, kBays> kBayStart{-24.2, -11.4, 4.6, 17.4};
constexpr std::array<std::array<int, kStacks>, kBays> kStackHeights{{{3, 3, 3, 3, 3}, {3, 3, 3, 2, 2}, {3, 2, 3, 3, 2}, {2, 2, 2, 2, 1}}};
constexpr double kBoxLength = 12.2, kBoxWidth = 2.44, kBoxHeight = 2.6, kPitch = 2.52, kHatchTop = 4.4;

Vec3f box_color(int bay, int stack, int layer) {
  static const std::array<Vec3f, 7> colors{Vec3f(0.33f, 0.055f, 0.03f), Vec3f(0.025f, 0.12f, 0.27f), Vec3f(0.05f, 0.20f, 0.09f),
                                           Vec3f(0.60f, 0.26f, 0.03f),  Vec3f(0.45f, 0.46f, 0.45f),  Vec3f(0.17f, 0.04f, 0.035f),
                                           Vec3f(0.03f, 0.27f, 0.30f)};
  return colors[(bay * 5 + stack * 3 + layer * 4 + bay * stack) % colors.size()];
}

// Closed on all sides, also where others stand close by: the ship may break.
void add_container(TriMesh& mesh, int bay, int stack, int layer) {
  const double z = (stack - 2) * kPitch, y = kHatchTop + 0.08 + layer * (kBoxHeight + 0.03);
  add_block(mesh, Vec3(kBayStart[bay], y, z - kBoxWidth / 2), Vec3(kBayStart[bay] + kBoxLength, y + kBoxHeight, z + kBoxWidth / 2), 4.1,
            box_color(bay, stack, layer));
}

void add_cargo(TriMesh& mesh) {
  for (const auto& [from, to] : {std::pair(-24.6, 1.2), std::pair(4.2, 30.0)}) {
    add_block(mesh, Vec3(from, kDeck - 0.3, -6.0), Vec3(to, kHatchTop - 0.3, 6.0), 3, kGreyPaint);
    add_block(mesh, Vec3(from - 0.2, kHatchTop - 0.3, -6.3), Vec3(to + 0.2, kHatchTop, 6.3), 3, kDeckGreen);
  }
  for (int bay = 0; bay < kBays; ++bay)
    for (int stack = 0; stack < kStacks; ++stack)
      for (int layer = 0; layer < kStackHeights[bay][stack]; ++layer) add_container(mesh, bay, stack, layer);
}

// A crane at rest, its jib laid aft over the cargo.
constexpr std::array<double, 2> kCranes{2.7, 31.7};
constexpr double kJibLength = 22;

void add_crane(TriMesh& mesh, double x) {
  add_cone(mesh, Vec3(x, kDeck, 0), Vec3(x, 13.2, 0), 1.15, 0.95, 14, kWhitePaint);
  add_cone(mesh, Vec3(x, 13.2, 0), Vec3(x, 13.7, 0), 1.35, 1.35, 14, kGreyPaint);
  Block house = upright_block(Vec3(x - 1.3, 13.7, -1.25), Vec3(x + 1.7, 18.0, 1.25));
  for (const int corner : {0, 3}) house.roof[corner].x() += 0.9;
  const Windows none{.count = 1, .from = 0.1, .to = 0.11, .border = 0.47}, cab{.count = 1, .from = 0.15, .to = 0.4, .border = 0.12};
  const std::array<Windows, 4> windows{Windows{.count = 1, .from = 0.15, .to = 0.38, .border = 0.3}, none, none, cab};
  for (int side = 0; side < 4; ++side) add_wall(mesh, side_of(house, BlockSide(side)), windows[side], kYellowPaint, kGlass);
  add_block(mesh, Vec3(x - 0.4, 18.0, -1.25), Vec3(x + 1.7, 18.1, 1.25), 3, kYellowPaint);
  const Vec3 heel(x - 1.2, 14.4, 0), tip(x - kJibLength, 13.6, 0);
  for (const double z : {-0.9, 0.9}) {
    std::vector<Vec3> chord;
    for (int i = 0; i <= 8; ++i) chord.push_back(heel + (tip - heel) * i / 8.0 + Vec3(0, 0, z * (1 - 0.7 * i / 8.0)));
    add_bar(mesh, chord, 0.24, 6, kYellowPaint);
  }
  for (int i = 0; i < 8; ++i) {
    const auto rung = [&](int k, double z) { return Vec3(heel + (tip - heel) * k / 8.0 + Vec3(0, 0, z * (1 - 0.7 * k / 8.0))); };
    add_bar(mesh, rung(i, i % 2 ? 0.9 : -0.9), rung(i + 1, i % 2 ? -0.9 : 0.9), 0.12, 5, kYellowPaint);
  }
  for (const double z : {-0.6, 0.6}) add_bar(mesh, Vec3(x - 0.1, 17.9, z), tip + Vec3(0.6, 0, 0.4 * z), 0.06, 4, kDarkGrey);
  add_block(mesh, tip + Vec3(-0.4, -1.3, -0.3), tip + Vec3(0.2, -0.5, 0.3), 2, kDarkGrey);
}

void add_tier(TriMesh& mesh, const Vec3& low, const Vec3& high, int front_windows, int side_windows) {
  const Block block = upright_block(low, high);
  const Windows front{.count = front_windows, .from = 0.5, .to = 0.78, .gap = 1.0, .border = 0.05};
  const Windows side{.count = side_windows, .from = 0.5, .to = 0.78, .gap = 1.4, .border = 0.06};
  for (int i = 0; i < 4; ++i) add_wall(mesh, side_of(block, BlockSide(i)), i % 2 ? front : side, kWhitePaint, kGlass);
  add_block(mesh, Vec3(low.x() - 0.35, high.y(), low.z() - 0.35), Vec3(high.x() + 0.35, high.y() + 0.2, high.z() + 0.35), 3, kWhitePaint);
}

void add_bridge_deck(TriMesh& mesh) {
  const Block block = upright_block(Vec3(-36.2, 16.5, -5.4), Vec3(-28.8, 19.2, 5.4));
  const Windows wide{.count = 10, .from = 0.4, .to = 0.82, .gap = 0.15, .border = 0.02},
      side{.count = 5, .from = 0.4, .to = 0.82, .gap = 0.3, .border = 0.04};
  for (int i = 0; i < 4; ++i) add_wall(mesh, side_of(block, BlockSide(i)), i % 2 ? wide : side, kWhitePaint, kGlass);
  add_block(mesh, Vec3(-36.7, 19.2, -5.9), Vec3(-28.2, 19.5, 5.9), 3, kGreyPaint);
  for (const double side_sign : {-1.0, 1.0}) {  // wings: a floor with a parapet
    const double inner = 5.4 * side_sign, outer = 7.6 * side_sign, low = std::min(inner, outer), high = std::max(inner, outer);
    add_block(mesh, Vec3(-32.4, 16.3, low), Vec3(-28.8, 16.6, high), 3, kWhitePaint);
    add_block(mesh, Vec3(-29.0, 16.6, low), Vec3(-28.8, 17.8, high), 3, kWhitePaint);
    add_block(mesh, Vec3(-32.4, 16.6, low), Vec3(-32.2, 17.8, high), 3, kWhitePaint);
    add_block(mesh, Vec3(-32.4, 16.6, outer - 0.1), Vec3(-28.8, 17.8, outer + 0.1), 3, kWhitePaint);
  }
}

void add_lifeboats(TriMesh& mesh) {
  for (const double z : {-6.5, 6.5}) {
    add_spindle(mesh, Vec3(-38.2, 9.9, z), Vec3(-31.4, 9.9, z), 1.15, 1.1, 1.4, kOrangePaint, 10, 12);
    add_block(mesh, Vec3(-36.6, 10.7, z - 0.5), Vec3(-34.4, 11.4, z + 0.5), 2, kOrangePaint);
    for (const double x : {-37.4, -32.2})
      add_bar(mesh, std::array{Vec3(x, 8.2, 0.86 * z), Vec3(x, 11.2, 0.86 * z), Vec3(x, 11.9, z), Vec3(x, 10.4, z)}, 0.14, 6, kWhitePaint);
  }
}

void add_superstructure(TriMesh& mesh) {
  add_tier(mesh, Vec3(-39.2, kPoop, -6.1), Vec3(-28.0, 8.1, 6.1), 6, 6);
  for (int tier = 0; tier < 3; ++tier) add_tier(mesh, Vec3(-37.4, 8.3 + 2.75 * tier, -5.2), Vec3(-28.4, 10.85 + 2.75 * tier, 5.2), 7, 6);
  add_bridge_deck(mesh);
  add_lifeboats(mesh);
  Block funnel = upright_block(Vec3(-42.2, kPoop, -1.7), Vec3(-38.6, 12.0, 1.7));
  add_block(mesh, funnel, 3, kMarineBlue);
  add_block(mesh, Vec3(-42.2, 12.0, -1.7), Vec3(-38.6, 13.6, 1.7), 3, kWhitePaint);
  add_block(mesh, Vec3(-42.2, 13.6, -1.7), Vec3(-38.6, 15.6, 1.7), 3, kMarineBlue);
  add_block(mesh, Vec3(-42.3, 15.6, -1.8), Vec3(-38.5, 16.6, 1.8), 3, kBlackPaint);
  for (const double z : {-0.8, 0.0, 0.8}) add_bar(mesh, Vec3(-40.6, 16.4, z), Vec3(-40.9, 17.8, z), 0.3, 8, kDarkGrey);
}

void add_masts(TriMesh& mesh) {
  add_cone(mesh, Vec3(-33.5, 19.4, 0), Vec3(-33.7, 26.0, 0), 0.5, 0.22, 10, kWhitePaint);
  add_bar(mesh, Vec3(-33.6, 23.8, -2.2), Vec3(-33.6, 23.8, 2.2), 0.13, 6, kWhitePaint);
  for (const double y : {21.4, 22.8}) {
    add_block(mesh, Vec3(-33.6, y, -0.3), Vec3(-32.3, y + 0.15, 0.3), 2, kWhitePaint);
    add_block(mesh, Vec3(-32.9, y + 0.3, -1.8), Vec3(-32.5, y + 0.75, 1.8), 2, kWhitePaint);
  }
  for (const double z : {-2.1, 2.1}) add_bar(mesh, Vec3(-33.6, 23.8, z), Vec3(-33.6, 26.2, z), 0.05, 4, kDarkGrey);
  add_spindle(mesh, Vec3(-35.9, 20.6, 2.6), Vec3(-34.1, 20.6, 2.6), 0.9, 0.9, 1, kWhitePaint, 8, 10);  // antenna dome
  add_cone(mesh, Vec3(-35.0, 19.4, 2.6), Vec3(-35.0, 20.0, 2.6), 0.5, 0.5, 8, kWhitePaint);
  add_cone(mesh, Vec3(39.2, 6.5, 0), Vec3(39.2, 14.6, 0), 0.35, 0.16, 8, kWhitePaint);  // foremast
  add_bar(mesh, Vec3(39.2, 12.6, -1.1), Vec3(39.2, 12.6, 1.1), 0.1, 6, kWhitePaint);
}

void add_bow_gear(TriMesh& mesh, const HullLines& lines) {
  for (const double z : {-1.6, 1.6}) {
    add_cone(mesh, Vec3(36.6, 7.1, z - 0.7), Vec3(36.6, 7.1, z + 0.7), 0.6, 0.6, 10, kOrangePaint);  // windlasses
    add_block(mesh, Vec3(36.0, 6.2, z - 0.3), Vec3(37.2, 6.9, z + 0.3), 2, kOrangePaint);
    const double height = 4.6;
    const Vec3 place = lines.starboard(0.955, height).cwiseProduct(Vec3(1, 1, z < 0 ? -1 : 1)) + Vec3(0, 0, z < 0 ? -0.12 : 0.12);
    add_cone(mesh, place + Vec3(0, 0.6, 0), place - Vec3(0, 1.0, 0), 0.22, 0.3, 8, kDarkGrey);  // anchors
    add_cone(mesh, place - Vec3(1.0, 1.0, 0), place - Vec3(-1.0, 1.0, 0), 0.28, 0.28, 8, kDarkGrey);
  }
  add_spindle(mesh, Vec3(34.0, -3.7, 0), Vec3(45.6, -3.5, 0), 1.7, 1.35, 1.3, kAntifouling, 10, 14);  // bulb
}

void add_below(TriMesh& mesh) {
  add_block(mesh, Vec3(-42.6, -5.3, -0.3), Vec3(-39.6, -0.9, 0.3), 3, kAntifouling);  // rudder
  add_spindle(mesh, Vec3(-38.8, -3.6, 0), Vec3(-32.0, -3.6, 0), 0.7, 0.7, 1.5, kAntifouling, 6, 10);
  add_propeller(mesh, Vec3(-38.5, -3.6, 0), 2.0, kBronze);
}

}  // namespace

TriMesh large_ship_surface() {
  TriMesh mesh;
  const HullLines lines = freighter_lines();
  add_hull(mesh, lines, freighter_build(true));
  add_cargo(mesh);
  for (const double x : kCranes) add_crane(mesh, x);
  add_superstructure(mesh);
  add_masts(mesh);
  add_bow_gear(mesh, lines);
  add_below(mesh);
  return mesh;
}

TriMesh large_ship_solid() {
  TriMesh mesh;
  add_hull(mesh, freighter_lines(), freighter_build(false));
  const auto block = [&](const Vec3& low, const Vec3& high) { add_block(mesh, low, high, 3, kWhitePaint); };
  for (int bay = 0; bay < kBays; ++bay) {
    const auto& heights = kStackHeights[bay];
    const double left = kHatchTop + kBoxHeight * heights[0], right = kHatchTop + kBoxHeight * heights[kStacks - 1];
    const double from = bay % 2 ? kBayStart[bay - 1] + kBoxLength : kBayStart[bay], to = kBayStart[bay] + kBoxLength;  // no gap within a hatch
    block(Vec3(from, 2, -6.3), Vec3(to, left, 1.3));
    block(Vec3(from, 2, 1.3), Vec3(to, right, 6.3));
  }
  for (const double x : kCranes) {
    block(Vec3(x - 1.4, 2, -1.3), Vec3(x + 1.7, 18, 1.3));
    block(Vec3(x - kJibLength, 12.6, -1.2), Vec3(x, 15.2, 1.2));
  }
  block(Vec3(-39.2, 3, -6.1), Vec3(-28.0, 8.2, 6.1));
  block(Vec3(-37.4, 7, -5.4), Vec3(-28.4, 19.4, 5.4));
  block(Vec3(-32.4, 15.2, -7.6), Vec3(-28.8, 17.8, 7.6));
  block(Vec3(-42.2, 3, -1.7), Vec3(-38.0, 17.0, 1.7));
  block(Vec3(-34.8, 18.5, -1.2), Vec3(-32.3, 25.5, 1.2));
  block(Vec3(38.0, 5, -1.2), Vec3(40.4, 14, 1.2));
  return mesh;
}

}  // namespace crumple::generator
