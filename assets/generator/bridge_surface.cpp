#include "assets/generator/bridge.h"
#include "assets/generator/loft.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace crumple::generator {
namespace {

const Vec3f kAsphalt(0.040f, 0.041f, 0.045f), kLine(0.72f, 0.72f, 0.70f), kConcrete(0.40f, 0.39f, 0.36f), kKerbStone(0.52f, 0.51f, 0.48f),
    kGirderPaint(0.035f, 0.16f, 0.14f), kGalvanised(0.42f, 0.44f, 0.46f), kJoint(0.02f, 0.02f, 0.02f);

constexpr double kHalfSpan = kSpan / 2, kHalfWidth = kDeckWidth / 2;
constexpr double kRoadEdge = 3.3, kKerbTop = 0.18, kSlabBottom = -0.32, kBottom = -kDeckDepth;
constexpr std::array<double, 4> kGirders{-3.15, -1.05, 1.05, 3.15};  // z

using Point2 = std::array<double, 2>;  // z, y

std::vector<double> stations(double cell) {
  std::vector<double> xs;
  for (const double share : even_shares(kSpan, cell)) xs.push_back(kSpan * (share - 0.5));
  return xs;
}

// An outline across the bridge carried along it. Seen from the far end (+x), with z to the left, it runs counter-clockwise.
Grid carried(std::span<const Point2> outline, std::span<const double> xs) {
  Grid grid(int(outline.size()), int(xs.size()));
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.columns; ++c) grid.at(r, c) = Vec3(xs[c], outline[r][1], outline[r][0]);
  return grid;
}

Folds folded_everywhere(const Grid& grid) {
  Folds folds;
  for (int r = 1; r + 1 < grid.rows; ++r) folds.rows.push_back(r);
  return folds;
}

double road_height(double z) {
  return 0.05 * (1 - z * z / (kRoadEdge * kRoadEdge));  // cambered
}

// Rows of the roadway from z > 0 to z < 0: edge lines and the middle line have rows of their own.
constexpr std::array kRoadRows{3.3, 3.06, 2.92, 1.95, 0.98, 0.08, -0.08, -0.98, -1.95, -2.92, -3.06, -3.3};

void add_roadway(TriMesh& mesh) {
  std::vector<double> xs = stations(0.5);
  xs[1] = -kHalfSpan + 0.22, xs[xs.size() - 2] = kHalfSpan - 0.22;  // the joints to the next spans
  std::vector<Point2> outline;
  for (const double z : kRoadRows) outline.push_back({z, road_height(z)});
  const int last = int(xs.size()) - 2;
  add_sheet(mesh, carried(outline, xs), [&](int row, int column) {
    if (column == 0 || column == last) return kJoint;
    const bool dash = column % 12 >= 3 && column % 12 < 9;
    return row == 1 || row == 9 || (row == 5 && dash) ? kLine : kAsphalt;
  });
}

// All of the slab but the roadway, beginning at its far edge.
void add_slab(TriMesh& mesh) {
  std::vector<Point2> outline{{-kRoadEdge, 0},
                              {-kRoadEdge, kKerbTop},
                              {-kHalfWidth, kKerbTop},
                              {-kHalfWidth, -0.12},
                              {-kHalfWidth, kSlabBottom + 0.1},
                              {-3.4, kSlabBottom},
                              {-2.1, kSlabBottom},
                              {0, kSlabBottom},
                              {2.1, kSlabBottom},
                              {3.4, kSlabBottom},
                              {kHalfWidth, kSlabBottom + 0.1},
                              {kHalfWidth, -0.12},
                              {kHalfWidth, kKerbTop},
                              {kRoadEdge, kKerbTop},
                              {kRoadEdge, 0}};
  const Grid grid = carried(outline, stations(0.75));
  add_sheet(mesh, grid, [&](int row, int) { return row < 2 || row > 11 ? kKerbStone : kConcrete; }, {{1, 2, 4, 5, 9, 10, 12, 13}, {}});
  const auto across = even_shares(kDeckWidth, 1.0);
  for (const double end : {-1.0, 1.0}) {
    const auto wall = [&](double from, double to, double low, double high) {
      const double x = end * kHalfSpan, left = end * to, right = end * from;  // as seen from outside
      add_sheet(mesh, flat_grid(Vec3(x, low, left), Vec3(x, low, right), Vec3(x, high, right), Vec3(x, high, left), across, std::array{0.0, 1.0}),
                plain(kConcrete));
    };
    wall(-kHalfWidth, kHalfWidth, kSlabBottom + 0.05, 0.04);
    wall(-kHalfWidth, -kRoadEdge, 0, kKerbTop);
    wall(kRoadEdge, kHalfWidth, 0, kKerbTop);
  }
}

void add_girder(TriMesh& mesh, double z) {
  constexpr double kWeb = 0.03, kFlange = 0.22, kThick = 0.07;
  const double top = kSlabBottom, low = kBottom;
  const std::vector<Point2> outline{{z - kFlange, low},       {z + kFlange, low},       {z + kFlange, low + kThick},
                                    {z + kWeb, low + kThick}, {z + kWeb, top - kThick}, {z + 0.18, top - kThick},
                                    {z + 0.18, top},          {z - 0.18, top},          {z - 0.18, top - kThick},
                                    {z - kWeb, top - kThick}, {z - kWeb, low + kThick}, {z - kFlange, low + kThick},
                                    {z - kFlange, low}};
  const Grid grid = carried(outline, stations(1.0));
  add_sheet(mesh, grid, plain(kGirderPaint), folded_everywhere(grid));
  for (const double end : {-1.0, 1.0}) {  // plates close both ends and stiffen the web
    const double from = end * (kHalfSpan - 0.06), to = end * kHalfSpan;
    add_block(mesh, Vec3(std::min(from, to), low, z - kFlange), Vec3(std::max(from, to), top, z + kFlange), 1, kGirderPaint);
  }
  if (std::abs(z) < 2) return;
  const double side = z > 0 ? 1 : -1, inner = z + side * kWeb, outer = z + side * (kFlange - 0.03);
  for (int i = -5; i <= 5; ++i)
    add_block(mesh, Vec3(2.0 * i - 0.025, low + kThick, std::min(inner, outer)), Vec3(2.0 * i + 0.025, top - kThick, std::max(inner, outer)), 1,
              kGirderPaint);
}

void add_bracing(TriMesh& mesh) {
  for (const double x : {-11.5, -6.0, 0.0, 6.0, 11.5}) {
    for (int bay = 0; bay < 3; ++bay) {
      const double left = kGirders[bay] + 0.04, right = kGirders[bay + 1] - 0.04, high = kSlabBottom - 0.12, low = kBottom + 0.12;
      add_bar(mesh, Vec3(x, low, left), Vec3(x, high, right), 0.05, 4, kGirderPaint);
      add_bar(mesh, Vec3(x + 0.06, high, left), Vec3(x + 0.06, low, right), 0.05, 4, kGirderPaint);
      add_bar(mesh, Vec3(x, low, left), Vec3(x, low, right), 0.05, 4, kGirderPaint);
    }
  }
}

// Posts on the kerb with a folded crash barrier towards the road and two pipes above.
void add_guard_rail(TriMesh& mesh, double side) {
  const double post = side * 3.72;
  for (int i = -6; i <= 6; ++i) {
    const double x = i == -6 ? -11.85 : i == 6 ? 11.85 : 2.0 * i;
    add_block(mesh, Vec3(x - 0.06, kKerbTop, post - 0.06), Vec3(x + 0.06, 1.2, post + 0.06), 1.2, kGalvanised);
  }
  const double face = side * 3.6;
  std::vector<Point2> barrier;
  for (const Point2& point :
       {Point2{0.02, 0.50}, {0.0, 0.53}, {-0.08, 0.58}, {-0.08, 0.64}, {0.0, 0.69}, {-0.08, 0.74}, {-0.08, 0.80}, {0.0, 0.85}, {0.02, 0.88}})
    barrier.push_back({face + side * point[0], point[1]});
  for (size_t i = barrier.size(); i-- > 0;) barrier.push_back({barrier[i][0] + side * 0.03, barrier[i][1]});
  barrier.push_back(barrier.front());
  if (side < 0) std::reverse(barrier.begin(), barrier.end());
  std::reverse(barrier.begin(), barrier.end());
  add_sheet(mesh, carried(barrier, stations(1.0)), plain(kGalvanised));
  for (const auto& [y, radius] : {std::pair(1.02, 0.035), std::pair(1.22, 0.05)}) {
    std::vector<Vec3> line;
    for (const double x : stations(1.0)) line.push_back(Vec3(x, y, post));
    add_bar(mesh, line, radius, 6, kGalvanised);
  }
}

}  // namespace

TriMesh bridge_deck_surface() {
  TriMesh mesh;
  add_roadway(mesh);
  add_slab(mesh);
  for (const double z : kGirders) add_girder(mesh, z);
  add_bracing(mesh);
  for (const double side : {-1.0, 1.0}) add_guard_rail(mesh, side);
  return mesh;
}

// One trough with the rails as its walls; no shells that overlap.
TriMesh bridge_deck_solid() {
  TriMesh mesh;
  constexpr double kRoad = 0.1, kRail = 1.2, kInside = 3.4, kLedge = -0.5;
  const std::vector<Point2> outline{{kInside, kRoad},    {1.7, kRoad},         {0, kRoad},           {-1.7, kRoad},         {-kInside, kRoad},
                                    {-kInside, kRail},   {-kHalfWidth, kRail}, {-kHalfWidth, kRoad}, {-kHalfWidth, kLedge}, {-kInside, kLedge},
                                    {-kInside, kBottom}, {-1.7, kBottom},      {0, kBottom},         {1.7, kBottom},        {kInside, kBottom},
                                    {kInside, kLedge},   {kHalfWidth, kLedge}, {kHalfWidth, kRoad},  {kHalfWidth, kRail},   {kInside, kRail},
                                    {kInside, kRoad}};
  add_sheet(mesh, carried(outline, stations(0.8)), plain(kConcrete));
  const auto close = [&](double from, double to, double low, double high) {
    const std::array whole{0.0, 1.0};
    const std::array quarters{0.0, 0.25, 0.5, 0.75, 1.0};
    const std::span<const double> across = to - from > 1 ? std::span<const double>(quarters) : std::span<const double>(whole);
    for (const double end : {-1.0, 1.0}) {
      const double x = end * kHalfSpan, left = end < 0 ? from : to, right = end < 0 ? to : from;  // as seen from outside
      add_sheet(mesh, flat_grid(Vec3(x, low, left), Vec3(x, low, right), Vec3(x, high, right), Vec3(x, high, left), across, whole), plain(kConcrete));
    }
  };
  close(-kInside, kInside, kBottom, kLedge);
  close(-kInside, kInside, kLedge, kRoad);
  for (const auto& [from, to] : {std::pair(-kHalfWidth, -kInside), std::pair(kInside, kHalfWidth)}) {
    close(from, to, kLedge, kRoad);
    close(from, to, kRoad, kRail);
  }
  return mesh;
}

}  // namespace crumple::generator
