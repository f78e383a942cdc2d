#include "assets/generator/cruiser.h"
#include "assets/generator/facets.h"
#include "assets/generator/spaceship.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace crumple::generator {
namespace {

const std::array<Section, 14> kHull{{{-53.5, 0, 12.2, 7.2},
                                     {-50, 0, 13.8, 8.4},
                                     {-36, 0, 13.8, 8.4},
                                     {-31, 0, 10.4, 7.0},
                                     {-14, 0, 10.0, 6.8},
                                     {-8, 0, 11.6, 7.0},
                                     {8, 0, 12.2, 7.0},
                                     {24, -0.2, 11.6, 6.6},
                                     {36, -0.5, 9.6, 5.6},
                                     {46, -0.8, 7.0, 4.4},
                                     {47.5, -0.8, 7.8, 4.9},
                                     {55, -1.0, 5.0, 3.4},
                                     {59, -1.1, 2.8, 2.2},
                                     {60, -1.1, 1.8, 1.4}}};
// Flat above, with a belt at the side that is set in, and chamfers between.
const Outline kOutline{{0, 1},        {0.58, 1},      {0.80, 0.66},  {1.0, 0.30},  {0.95, 0.22},   {0.95, -0.02},
                       {1.0, -0.10},  {0.84, -0.52},  {0.62, -0.92}, {0, -1},      {-0.62, -0.92}, {-0.84, -0.52},
                       {-1.0, -0.10}, {-0.95, -0.02}, {-0.95, 0.22}, {-1.0, 0.30}, {-0.80, 0.66},  {-0.58, 1}};
const std::vector<int> kCreases{1, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 17};
constexpr double kPlate = 4.6;  // m, along the hull

struct Engine {
  double y, z, radius;
};
constexpr std::array<Engine, 5> kEngines{{{2.2, 0, 3.3}, {2.0, 8.3, 3.1}, {2.0, -8.3, 3.1}, {-3.9, 4.3, 2.3}, {-3.9, -4.3, 2.3}}};

// Scatters numbers evenly from 0 to 1.
double scatter(int a, int b, int c = 0) {
  uint32_t bits = uint32_t(a) * 73856093u ^ uint32_t(b) * 19349663u ^ uint32_t(c) * 83492791u;
  bits = (bits ^ (bits >> 13)) * 1274126177u;
  return double((bits ^ (bits >> 16)) & 0xffff) / 65536;
}

Vec3f plate_color(int row, int column) {
  const double lot = scatter(row / 2, column, 5);
  return lot < 0.46 ? kHullGrey : lot < 0.70 ? kPlateGrey : lot < 0.93 ? kPaleGrey : kShadowGrey;
}

void add_plated_hull(TriMesh& mesh) {
  const auto rings = hull_rings(kHull, kOutline, kPlate);
  const auto color = [&](int row, int column) {
    const bool belt = column == 4 || column == 13, lip = column == 3 || column == 5 || column == 12 || column == 14;
    const double x = row == 0 ? -60 : rings[std::min<size_t>(size_t(row) - 1, rings.size() - 1)][0].x();
    if (row == 0) return kShadowGrey;
    if (belt) return scatter(row, column) < 0.4 && x > -48 && x < 50 ? kLitWindow : kSoot;
    if (lip) return kShadowGrey;
    if (x > 45.5 && x < 47) return kShadowGrey;
    if (x > 26 && x < 29 && (column == 0 || column == 17)) return kSignalOrange;
    return plate_color(row, std::min(column, 17 - column));
  };
  add_loft(mesh, rings, color, kCreases);
}

void add_tier(TriMesh& mesh, const Block& block, int across, int along, const Vec3f& wall, const Vec3f& roof) {
  const Windows front{.count = across, .from = 0.45, .to = 0.66, .gap = 1.1, .border = 0.06},
      side{.count = along, .from = 0.45, .to = 0.66, .gap = 1.1, .border = 0.05};
  for (int i = 0; i < 4; ++i) add_wall(mesh, side_of(block, BlockSide(i)), i % 2 ? front : side, wall, kLitWindow);
  for (const BlockSide end : {kRoof, kFloor}) {
    const auto [a, b, c, d] = side_of(block, end);
    add_sheet(mesh, flat_grid(a, b, c, d, even_shares((b - a).norm(), 6), even_shares((d - a).norm(), 6)), plain(roof));
  }
}

// A block whose walls lean in by as much at each side.
Block leaning_block(const Vec3& low, const Vec3& high, const Vec3& in) {
  Block block = upright_block(low, high);
  const Block roof = upright_block(low + in, high - in);
  for (int i = 0; i < 4; ++i) block.roof[i] = Vec3(roof.roof[i].x(), high.y(), roof.roof[i].z());
  return block;
}

const Block kFoot = leaning_block(Vec3(-34, 5.5, -7.4), Vec3(-5, 11, 7.4), Vec3(2.5, 0, 1.2)),
            kStorey = leaning_block(Vec3(-30, 10.5, -5.4), Vec3(-11, 15, 5.4), Vec3(1.2, 0, 0.7)),
            kTower = leaning_block(Vec3(-27.5, 14.5, -3.6), Vec3(-16.5, 21, 3.6), Vec3(1.0, 0, 0.3)),
            kBridge = leaning_block(Vec3(-28.5, 20.5, -7.2), Vec3(-15.5, 24.5, 7.2), Vec3(1.4, 0, 1.4)),
            kRidge = leaning_block(Vec3(0, 5.5, -3.4), Vec3(41, 8.2, 3.4), Vec3(4, 0, 0.8)),
            kHangar = leaning_block(Vec3(-4, -3.6, 10.0), Vec3(26, 3.4, 17.0), Vec3(3.5, 0, 0.9)),
            kKeel = leaning_block(Vec3(-38, -14, -1.7), Vec3(-12, -5.5, 1.7), Vec3(-4, 0, 0));

void add_tower(TriMesh& mesh) {
  add_tier(mesh, kFoot, 4, 10, kHullGrey, kPlateGrey);
  add_tier(mesh, kStorey, 4, 8, kPaleGrey, kPlateGrey);
  add_tier(mesh, kTower, 3, 5, kHullGrey, kPlateGrey);
  const Windows wide{.count = 7, .from = 0.38, .to = 0.72, .gap = 0.2, .border = 0.04},
      side{.count = 6, .from = 0.38, .to = 0.72, .gap = 0.3, .border = 0.05};
  for (int i = 0; i < 4; ++i) add_wall(mesh, side_of(kBridge, BlockSide(i)), i % 2 ? wide : side, kPaleGrey, kSmokedGlass);
  for (const BlockSide end : {kRoof, kFloor}) {
    const auto [a, b, c, d] = side_of(kBridge, end);
    add_sheet(mesh, flat_grid(a, b, c, d, even_shares(1, 0.5), even_shares(1, 0.5)), plain(kPlateGrey));
  }
  add_spindle(mesh, Vec3(-27, 26, 3.4), Vec3(-22.6, 26, 3.4), 2.2, 2.2, 1, kPaleGrey, 6, 10);
  add_spindle(mesh, Vec3(-27, 26, -3.4), Vec3(-22.6, 26, -3.4), 2.2, 2.2, 1, kPaleGrey, 6, 10);
  add_cone(mesh, Vec3(-20, 24, 0), Vec3(-20.6, 31.5, 0), 0.9, 0.4, 8, kShadowGrey);
  add_bar(mesh, Vec3(-20.4, 28.4, -2.6), Vec3(-20.4, 28.4, 2.6), 0.35, 6, kShadowGrey);
}

void add_turret(TriMesh& mesh, const Vec3& foot, double up) {
  const Vec3 y(0, up, 0);
  add_cone(mesh, foot - 0.4 * y, foot + 0.7 * y, 2.3, 2.1, 8, kShadowGrey);
  const double low = std::min(0.6 * up, 2.3 * up), high = std::max(0.6 * up, 2.3 * up);
  add_block(mesh, foot + Vec3(-1.7, low, -1.5), foot + Vec3(1.5, high, 1.5), 4, kHullGrey);
  for (const double z : {-0.75, 0.75}) add_bar(mesh, foot + Vec3(1.2, 1.5 * up, z), foot + Vec3(6.6, 1.7 * up, z), 0.38, 5, kShadowGrey);
}

void add_hangar(TriMesh& mesh) {
  const Mark before = mark(mesh);
  for (const BlockSide side : {kAhead, kBehind, kLeft, kRoof, kFloor}) {
    const auto [a, b, c, d] = side_of(kHangar, side);
    add_sheet(mesh, flat_grid(a, b, c, d, even_shares((b - a).norm(), 5), even_shares((d - a).norm(), 5)),
              [&](int row, int column) { return plate_color(row + side, column); });
  }
  const auto [a, b, c, d] = side_of(kHangar, kRight);
  const std::array across{0.0, 0.10, 0.26, 0.30, 0.46, 0.50, 0.66, 0.70, 0.86, 1.0};
  const std::array upwards{0.0, 0.14, 0.22, 0.72, 0.80, 1.0};
  add_sheet(mesh, flat_grid(a, b, c, d, across, upwards), [](int row, int column) {
    const bool door = column % 2 == 1 && column < 8;
    return door && row == 2 ? kSoot : door && row == 3 ? kLitWindow : row == 1 ? kSignalOrange : kHullGrey;
  });
  mirror_since(mesh, before);
}

void add_gear(TriMesh& mesh) {
  for (const double x : {10.0, 24.0}) add_turret(mesh, Vec3(x, 8.2, 0), 1);
  add_turret(mesh, Vec3(-42, 8.4, 5.5), 1);
  add_turret(mesh, Vec3(-42, 8.4, -5.5), 1);
  add_turret(mesh, Vec3(12, -6.9, 0), -1);
  for (int i = 0; i < 26; ++i) {  // lockers, vents and hatches along the deck and the belly
    const double x = -48 + 100 * scatter(i, 1), z = (i % 2 ? 1 : -1) * (4.2 + 1.6 * scatter(i, 2)), half = 0.7 + 1.1 * scatter(i, 3),
                 top = i % 3 ? 1 : -1;
    if (x > 36 || (top > 0 && x < -3)) continue;
    const double y = top > 0 ? 6.4 : -6.9, tall = 0.5 + 0.9 * scatter(i, 4);
    add_block(mesh, Vec3(x - half, y - 0.7, z - 0.6 * half), Vec3(x + half, y + tall, z + 0.6 * half), 4, i % 4 ? kPlateGrey : kShadowGrey);
  }
  for (const double z : {-4.2, 4.2}) add_bar(mesh, Vec3(50, -1.5, z), Vec3(62, -1.8, 0.85 * z), 0.42, 6, kShadowGrey);  // sensor booms
}

}  // namespace

TriMesh cruiser_surface() {
  TriMesh mesh;
  add_plated_hull(mesh);
  add_tower(mesh);
  add_block(mesh, kRidge, 6, kPlateGrey);
  add_block(mesh, kKeel, 8, kPlateGrey);
  add_hangar(mesh);
  add_gear(mesh);
  for (const Engine& engine : kEngines) add_nozzle(mesh, Vec3(-52.5, engine.y, engine.z), 7, 0.8 * engine.radius, engine.radius, 12);
  return mesh;
}

TriMesh cruiser_solid() {
  TriMesh mesh;
  const Outline plain_outline{{0, 1}, {0.6, 1}, {1, 0.3}, {1, -0.1}, {0.62, -0.95}, {0, -1}, {-0.62, -0.95}, {-1, -0.1}, {-1, 0.3}, {-0.6, 1}};
  add_loft(mesh, hull_rings(kHull, plain_outline, 6), plain(kHullGrey));
  for (const Block* block : {&kFoot, &kStorey, &kTower, &kBridge, &kRidge, &kKeel}) add_block(mesh, *block, 6, kHullGrey);
  const Mark before = mark(mesh);
  add_block(mesh, kHangar, 6, kHullGrey);
  mirror_since(mesh, before);
  add_block(mesh, Vec3(-27, 23.5, -5.4), Vec3(-22.6, 28, 5.4), 6, kHullGrey);
  add_block(mesh, Vec3(-21.8, 23.5, -1.4), Vec3(-18.8, 31.3, 1.4), 6, kHullGrey);
  for (const double x : {10.0, 24.0}) add_block(mesh, Vec3(x - 1.8, 7, -1.6), Vec3(x + 6.5, 10.8, 1.6), 6, kHullGrey);
  for (const double z : {-5.5, 5.5}) add_block(mesh, Vec3(-43.8, 7, z - 1.6), Vec3(-35.5, 10.9, z + 1.6), 6, kHullGrey);
  for (const Engine& engine : kEngines)
    add_cone(mesh, Vec3(-59.7, engine.y, engine.z), Vec3(-52, engine.y, engine.z), engine.radius, 0.9 * engine.radius, 10, kHullGrey);
  return mesh;
}

}  // namespace crumple::generator
