#include "assets/generator/ship.h"
#include "assets/generator/ship_hull.h"
#include "assets/generator/ship_paint.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace crumple::generator {
namespace {

constexpr double kHalfBeam = 2.35, kBulwark = 0.72;

// Full and nearly square aft, fine and flared at the bow; a keel that drops a little towards the stern and rises to its counter.
HullLines trawler_lines() {
  HullLines lines;
  lines.keel = [](double along) {
    const double deep = -1.75 + 0.25 * along, rise = std::clamp((0.24 - along) / 0.24, 0.0, 1.0);
    return deep + (-0.42 - deep) * rise * rise * (3 - 2 * rise);
  };
  lines.rail = [](double along) {
    const double fore = std::max(0.0, along - 0.36) / 0.64, aft = std::max(0.0, 0.36 - along) / 0.36;
    return 1.2 + 1.15 * fore * fore + 0.22 * aft * aft;
  };
  lines.stern = [](double height) { return -6.65 - 0.14 * height; };
  lines.stem = [](double height) { return height < 0 ? 6.25 - 1.25 * std::pow(-height / 1.5, 2.2) : 6.25 + 0.40 * height + 0.06 * height * height; };
  lines.breadth = [keel = lines.keel](double along, double height) {
    const double depth = keel(along), sunk = std::clamp((height - depth) / (0.35 - depth), 0.0, 1.0);
    const double up = std::clamp(height / 2.0, -1.0, 1.15);
    const double fine = std::max(0.0, (along - 0.42) / 0.58), aft = std::max(0.0, (0.42 - along) / 0.42);
    const double plan = (1 - std::pow(fine, 2.15 + 1.1 * up)) * (1 - (0.17 - 0.05 * up) * aft * aft);
    const double section = std::pow(1 - std::pow(1 - sunk, 2.0), 1 / 1.7);
    return std::max(0.05, kHalfBeam * plan * section * (1 + 0.05 * up));
  };
  lines.round_stern = 0.35;
  return lines;
}

HullBuild trawler_build(bool drawn) {
  HullBuild build;
  build.along = gathered_shares(drawn ? 30 : 20);
  build.rows_below = drawn ? 7 : 4;
  build.rows_above = drawn ? 4 : 2;
  build.line = 0.14;
  build.strake = 0.16;
  build.skin = drawn ? 0.09 : 0.45;
  build.bulwark = kBulwark;
  build.paint = {kAntifouling, kWhitePaint, kMarineBlue, kWhitePaint, kWhitePaint, kGreyPaint, kPlanks};
  return build;
}

// A storey of white walls with windows, under a slab of a roof.
void add_house(TriMesh& mesh, const Block& block, const std::array<Windows, 4>& windows, double eaves, const Vec3f& roof) {
  for (int side = 0; side < 4; ++side) add_wall(mesh, side_of(block, BlockSide(side)), windows[side], kWhitePaint, kGlass);
  Vec3 low = block.roof[0], high = block.roof[0];
  for (const Vec3& corner : block.roof) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
  add_block(mesh, low - Vec3(eaves, 0, eaves), high + Vec3(eaves, 0.1, eaves), 0.8, roof);
}

Block wheelhouse() {
  Block block = upright_block(Vec3(0.75, 2.5, -1.3), Vec3(2.85, 4.45, 1.3));
  for (const int front : {1, 2}) block.roof[front].x() += 0.32;  // windows lean forward against reflections
  return block;
}

void add_houses(TriMesh& mesh) {
  const Windows ports{.count = 5, .from = 0.55, .to = 0.76, .gap = 1.3, .border = 0.08};
  add_house(mesh, upright_block(Vec3(-1.3, 0.3, -1.45), Vec3(3.05, 2.4, 1.45)),
            {ports, {.count = 3, .from = 0.55, .to = 0.76, .gap = 1.2, .border = 0.14}, ports, {.count = 1, .from = 0.25, .to = 0.9, .border = 0.4}},
            0.1, kGreyPaint);
  const Windows sides{.count = 3, .from = 0.45, .to = 0.85, .gap = 0.14, .border = 0.05};
  add_house(mesh, wheelhouse(),
            {sides,
             {.count = 5, .from = 0.45, .to = 0.85, .gap = 0.12, .border = 0.03},
             sides,
             {.count = 2, .from = 0.45, .to = 0.85, .gap = 0.3, .border = 0.12}},
            0.14, kWhitePaint);
}

void add_funnel(TriMesh& mesh) {
  add_block(mesh, Vec3(-1.15, 2.5, -0.38), Vec3(-0.25, 3.45, 0.38), 0.5, kOrangePaint);
  add_block(mesh, Vec3(-1.15, 3.45, -0.38), Vec3(-0.25, 3.85, 0.38), 0.5, kBlackPaint);
  for (const double z : {-0.16, 0.16}) add_bar(mesh, std::array{Vec3(-0.7, 3.8, z), Vec3(-0.7, 4.1, z), Vec3(-0.85, 4.25, z)}, 0.09, 8, kDarkGrey);
}

void add_mast(TriMesh& mesh) {
  add_cone(mesh, Vec3(1.35, 4.5, 0), Vec3(1.25, 7.7, 0), 0.11, 0.05, 10, kYellowPaint);
  add_bar(mesh, Vec3(1.3, 6.5, -0.9), Vec3(1.3, 6.5, 0.9), 0.035, 6, kYellowPaint);
  for (const double z : {-0.85, 0.85}) add_bar(mesh, Vec3(1.3, 6.5, z), Vec3(1.3, 7.6, z), 0.015, 4, kDarkGrey);
  add_block(mesh, Vec3(1.3, 5.5, -0.12), Vec3(1.75, 5.62, 0.12), 1, kYellowPaint);
  add_block(mesh, Vec3(1.5, 5.62, -0.75), Vec3(1.66, 5.8, 0.75), 0.5, kWhitePaint);  // radar
  for (const double y : {6.1, 6.9}) add_cone(mesh, Vec3(1.42, y, 0), Vec3(1.42, y + 0.16, 0), 0.07, 0.07, 8, kBlackPaint);
  for (const double z : {-0.85, 0.85}) add_bar(mesh, Vec3(1.3, 6.9, 0), Vec3(-5.95, 3.6, 1.5 * z), 0.018, 4, kDarkGrey);  // stays
  add_bar(mesh, Vec3(1.27, 7.3, 0), Vec3(6.9, 2.45, 0), 0.018, 4, kDarkGrey);
  add_bar(mesh, Vec3(2.3, 4.55, 0.75), Vec3(2.3, 4.85, 0.75), 0.05, 6, kDarkGrey);  // searchlight
  add_cone(mesh, Vec3(2.2, 4.95, 0.75), Vec3(2.5, 4.95, 0.75), 0.12, 0.17, 10, kWhitePaint);
  add_bar(mesh, Vec3(0.9, 4.72, -0.8), Vec3(1.9, 4.72, -0.8), 0.2, 10, kWhitePaint);  // life raft
}

void add_gantry(TriMesh& mesh) {
  for (const double z : {-1.55, 1.55}) {
    add_bar(mesh, Vec3(-5.95, 0.6, z), Vec3(-5.95, 3.5, 0.93 * z), 0.12, 8, kOrangePaint);
    add_bar(mesh, Vec3(-4.7, 0.5, z), Vec3(-5.9, 2.7, 0.95 * z), 0.08, 8, kOrangePaint);
    add_bar(mesh, Vec3(-5.95, 3.35, 0.55 * z), Vec3(-5.95, 2.95, 0.55 * z), 0.02, 4, kBlackPaint);
    add_ring(mesh, Vec3(-5.95, 2.85, 0.55 * z), Vec3::UnitZ(), 0.1, 0.05, kDarkGrey, 10, 5);
  }
  add_bar(mesh, Vec3(-5.95, 3.5, -1.6), Vec3(-5.95, 3.5, 1.6), 0.13, 8, kOrangePaint);
  add_bar(mesh, Vec3(-1.4, 2.7, 0), Vec3(-4.9, 4.4, 0), 0.075, 8, kYellowPaint);  // boom and its tackle
  add_bar(mesh, Vec3(-4.9, 4.4, 0), Vec3(1.28, 7.0, 0), 0.018, 4, kDarkGrey);
  add_bar(mesh, Vec3(-4.85, 4.35, 0), Vec3(-4.85, 1.9, 0), 0.018, 4, kDarkGrey);
}

void add_drum(TriMesh& mesh, const Vec3& centre, double half_width, double radius, const Vec3f& core) {
  const Vec3 z = Vec3::UnitZ();
  add_cone(mesh, centre - half_width * z, centre + half_width * z, radius, radius, 14, core);
  for (const double side : {-1.0, 0.0, 1.0})
    add_cone(mesh, centre + (side * half_width - 0.05) * z, centre + (side * half_width + 0.05) * z, radius * 1.4, radius * 1.4, 14, kOrangePaint);
}

void add_deck_gear(TriMesh& mesh) {
  add_drum(mesh, Vec3(-2.35, 1.1, 0), 0.85, 0.34, kDarkGrey);
  add_block(mesh, Vec3(-2.7, 0.4, -1.2), Vec3(-2.0, 1.15, -0.95), 0.5, kOrangePaint);
  add_block(mesh, Vec3(-2.7, 0.4, 0.95), Vec3(-2.0, 1.15, 1.2), 0.5, kOrangePaint);
  add_drum(mesh, Vec3(-4.75, 1.25, 0), 1.1, 0.42, kNetGreen);
  for (const double z : {-1.25, 1.25}) add_block(mesh, Vec3(-4.95, 0.5, z - 0.08), Vec3(-4.55, 1.3, z + 0.08), 0.5, kOrangePaint);
  add_block(mesh, Vec3(-4.0, 0.4, -0.6), Vec3(-3.1, 0.8, 0.6), 0.5, kGreyPaint);  // fish hatch
  add_drum(mesh, Vec3(4.9, 1.55, 0), 0.4, 0.17, kDarkGrey);                       // anchor windlass
  add_block(mesh, Vec3(4.65, 1.0, -0.5), Vec3(5.15, 1.35, 0.5), 0.5, kOrangePaint);
  for (const double z : {-1.46, 1.46}) {
    const Vec3 out(0, 0, z);
    for (const double x : {-0.1, 2.0}) add_ring(mesh, Vec3(x, 1.15, z), out, 0.24, 0.06, kOrangePaint);
    for (const double x : {-5.2, 3.9})
      add_cone(mesh, Vec3(x, x < 0 ? 0.5 : 0.9, z * 0.9), Vec3(x, x < 0 ? 1.0 : 1.5, z * 0.9), 0.08, 0.1, 8, kBlackPaint);
  }
}

void add_along_hull(TriMesh& mesh, const HullLines& lines, double from, double to, int steps, double above_rail, double out, double radius,
                    const Vec3f& color) {
  std::vector<Vec3> line;
  for (int i = 0; i <= steps; ++i) {
    const double along = from + (to - from) * i / steps;
    line.push_back(lines.starboard(along, lines.rail(along) + std::min(0.0, above_rail)) + Vec3(0, std::max(0.0, above_rail), out));
  }
  for (const double side : {1.0, -1.0}) {
    std::vector<Vec3> here = line;
    for (Vec3& point : here) point.z() *= side;
    add_bar(mesh, here, radius, 6, color);
  }
}

void add_rails_and_fenders(TriMesh& mesh, const HullLines& lines) {
  add_along_hull(mesh, lines, 0.0, 0.985, 28, -0.62, 0.03, 0.075, kBlackPaint);
  add_along_hull(mesh, lines, 0.74, 0.99, 9, 0.5, -0.06, 0.028, kWhitePaint);
  for (const double along : {0.74, 0.80, 0.865, 0.93, 0.99}) {
    const Vec3 foot = lines.starboard(along, lines.rail(along)) - Vec3(0, 0, 0.06);
    for (const double side : {1.0, -1.0})
      add_bar(mesh, foot.cwiseProduct(Vec3(1, 1, side)), (foot + Vec3(0, 0.5, 0)).cwiseProduct(Vec3(1, 1, side)), 0.022, 5, kWhitePaint);
  }
  for (const double along : {0.12, 0.25, 0.38, 0.51, 0.64}) {
    const double height = lines.rail(along) - 0.55;
    const Vec3 place = lines.starboard(along, height) + Vec3(0, 0, 0.14);
    for (const double side : {1.0, -1.0}) add_ring(mesh, place.cwiseProduct(Vec3(1, 1, side)), Vec3(0, -0.12, side), 0.3, 0.13, kBlackPaint, 12, 6);
  }
}

void add_below(TriMesh& mesh) {
  add_block(mesh, Vec3(-5.35, -1.72, -0.06), Vec3(-3.0, -0.9, 0.06), 0.6, kAntifouling);  // skeg
  add_block(mesh, Vec3(-6.35, -1.6, -0.05), Vec3(-5.85, -0.3, 0.05), 0.5, kAntifouling);  // rudder
  add_bar(mesh, Vec3(-5.3, -1.1, 0), Vec3(-5.75, -1.1, 0), 0.1, 8, kBronze);
  add_propeller(mesh, Vec3(-5.6, -1.1, 0), 0.5, kBronze);
}

}  // namespace

TriMesh small_ship_surface() {
  TriMesh mesh;
  const HullLines lines = trawler_lines();
  add_hull(mesh, lines, trawler_build(true));
  add_houses(mesh);
  add_funnel(mesh);
  add_mast(mesh);
  add_gantry(mesh);
  add_deck_gear(mesh);
  add_rails_and_fenders(mesh, lines);
  add_below(mesh);
  return mesh;
}

// Everything thick enough to be filled: bars become posts of about a cell.
TriMesh small_ship_solid() {
  TriMesh mesh;
  add_hull(mesh, trawler_lines(), trawler_build(false));
  add_block(mesh, Vec3(-1.3, -0.2, -1.45), Vec3(3.05, 2.5, 1.45), 0.6, kWhitePaint);
  Block house = wheelhouse();
  for (Vec3& corner : house.floor) corner.y() -= 0.5;
  for (Vec3& corner : house.roof) corner.y() += 0.12;
  add_block(mesh, house, 0.6, kWhitePaint);
  add_block(mesh, Vec3(-1.15, 2.0, -0.38), Vec3(-0.25, 4.1, 0.38), 0.6, kWhitePaint);
  add_block(mesh, Vec3(1.05, 4.0, -0.25), Vec3(1.55, 7.6, 0.25), 0.6, kWhitePaint);
  for (const double z : {-1.5, 1.5}) add_block(mesh, Vec3(-6.2, 0.2, z - 0.25), Vec3(-5.7, 3.6, z + 0.25), 0.6, kWhitePaint);
  add_block(mesh, Vec3(-6.2, 3.2, -1.75), Vec3(-5.7, 3.7, 1.75), 0.6, kWhitePaint);
  add_block(mesh, Vec3(-2.75, 0.2, -1.2), Vec3(-1.95, 1.5, 1.2), 0.6, kWhitePaint);
  add_block(mesh, Vec3(-5.2, 0.2, -1.3), Vec3(-4.3, 1.7, 1.3), 0.6, kWhitePaint);
  return mesh;
}

}  // namespace crumple::generator
