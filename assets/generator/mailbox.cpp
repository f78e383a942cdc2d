#include "assets/generator/mailbox.h"

#include "assets/generator/loft.h"

#include <array>
#include <cmath>
#include <vector>

namespace crumple::generator {
namespace {

// Metres, y up, door towards +x; the box stands on a post above the origin.
constexpr double kLength = 0.50, kHalfWidth = 0.095, kSide = 0.13, kFloor = 0.95;
constexpr double kCell = 0.018;
const Vec3f kTin(0.30f, 0.33f, 0.36f), kDoor(0.24f, 0.27f, 0.30f), kRed(0.55f, 0.02f, 0.015f), kWood(0.22f, 0.12f, 0.055f);

/// The outline of a box with a round roof, seen from the door: up the left side, over the roof, down the right side, back along the floor.
struct Outline {
  std::vector<std::array<double, 2>> points;  // z, y above the floor; the last is the first
  int right_corner = 0;
};

Outline outline() {
  constexpr int kUp = 7, kOver = 20, kBack = 10;
  Outline line;
  for (int i = 0; i < kUp; ++i) line.points.push_back({-kHalfWidth, kSide * i / kUp});
  for (int i = 0; i <= kOver; ++i) {
    const double angle = M_PI * i / kOver;
    line.points.push_back({-kHalfWidth * std::cos(angle), kSide + kHalfWidth * std::sin(angle)});
  }
  for (int i = kUp - 1; i >= 0; --i) line.points.push_back({kHalfWidth, kSide * i / kUp});
  line.right_corner = int(line.points.size()) - 1;
  for (int i = 1; i <= kBack; ++i) line.points.push_back({kHalfWidth * (1 - 2.0 * i / kBack), 0});
  return line;
}

/// A point of the outline, moved away from the middle by `out`.
Vec3 on_outline(const std::array<double, 2>& point, double x, double out) {
  const Vec3 middle(x, kFloor + kSide, 0), at(x, kFloor + point[1], point[0]);
  return at + out * (at - middle).normalized();
}

/// A stretch of the box between two stations; `bulge` gives its beads.
template <class Bulge>
void add_stretch(TriMesh& mesh, double from, double to, const Bulge& bulge, const Vec3f& color) {
  const Outline line = outline();
  const int stations = std::max(1, int(std::lround((to - from) / kCell)));
  Grid grid(stations + 1, int(line.points.size()));
  for (int row = 0; row <= stations; ++row) {
    const double x = from + (to - from) * row / stations;
    for (int column = 0; column < grid.columns; ++column) grid.at(row, column) = on_outline(line.points[column], x, bulge(x));
  }
  add_sheet(mesh, grid, plain(color), {{}, {line.right_corner}});
}

/// A flat end; `side` is +1 towards the door.
void add_end(TriMesh& mesh, double x, double out, int side, const Vec3f& color) {
  constexpr int kRings = 6;
  const Outline line = outline();
  Grid grid(kRings + 1, int(line.points.size()));
  const Vec3 middle(x, kFloor + 0.8 * kSide, 0);
  for (int row = 0; row <= kRings; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      const auto& point = line.points[side > 0 ? column : grid.columns - 1 - column];
      grid.at(row, column) = on_outline(point, x, out) + (middle - on_outline(point, x, out)) * row / kRings;
    }
  }
  add_sheet(mesh, grid, plain(color));
}

void add_closed(TriMesh& mesh, double from, double to, double out, const Vec3f& color) {
  add_stretch(mesh, from, to, [&](double) { return out; }, color);
  add_end(mesh, from, out, -1, color);
  add_end(mesh, to, out, 1, color);
}

void add_box(TriMesh& mesh) {
  const double end = kLength / 2;
  const auto beads = [&](double x) {
    double bulge = 0;
    for (const double at : {-0.16, -0.05, 0.06, 0.17}) bulge += 0.006 * std::exp(-std::pow((x - at) / 0.012, 2));
    return bulge;
  };
  add_stretch(mesh, -end, end, beads, kTin);
  add_end(mesh, -end, 0, -1, kTin);
  add_end(mesh, end, 0, 1, kTin);
}

void add_fittings(TriMesh& mesh) {
  const double end = kLength / 2, roof = kFloor + kSide;
  add_closed(mesh, end - 0.012, end + 0.014, 0.007, kDoor);
  add_bar(mesh, Vec3(end + 0.01, roof + 0.05, 0), Vec3(end + 0.045, roof + 0.05, 0), 0.014, 10, kTin);
  const double out = kHalfWidth + 0.012;  // the flag stands on the right side
  add_block(mesh, Vec3(0.05, kFloor + 0.06, kHalfWidth - 0.004), Vec3(0.08, roof + 0.15, out), 0.03, kRed);
  add_block(mesh, Vec3(0.06, roof + 0.08, kHalfWidth - 0.002), Vec3(0.17, roof + 0.148, out - 0.001), 0.03, kRed);
  add_block(mesh, Vec3(-0.05, 0, -0.05), Vec3(0.05, kFloor - 0.02, 0.05), 0.05, kWood);
  add_block(mesh, Vec3(-0.2, kFloor - 0.025, -0.075), Vec3(0.2, kFloor + 0.002, 0.075), 0.05, kWood);
}

/// What happens to models on their way: a lost triangle, a few turned round.
void spoil(TriMesh& mesh) {
  mesh.triangles.erase(mesh.triangles.begin() + 121);
  for (const size_t turned : {300, 301, 512}) std::swap(mesh.triangles[turned][1], mesh.triangles[turned][2]);
}

}  // namespace

TriMesh mailbox_model() {
  TriMesh mesh;
  add_box(mesh);
  spoil(mesh);
  add_fittings(mesh);
  for (Vec3& p : mesh.positions) p = (Vec3(p.x(), -p.z(), p.y()) * 1e5).array().round() / 1e3;  // centimetres, z up, a hundredth of a millimetre
  return mesh;
}

}  // namespace crumple::generator
