#include "assets/generator/container.h"
#include "assets/generator/facets.h"
#include "assets/generator/surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace crumple::generator {
namespace {

const Vec3f kPaint(0.22f, 0.040f, 0.022f), kFrame(0.17f, 0.030f, 0.017f), kSteel(0.33f, 0.33f, 0.32f), kRubber(0.02f, 0.02f, 0.02f),
    kFloor(0.075f, 0.06f, 0.05f), kLetters(0.72f, 0.72f, 0.68f), kCasting(0.10f, 0.022f, 0.014f);

constexpr double kX = 3.03, kY = 1.295, kZ = 1.22;  // half of the size
constexpr double kPost = 0.16;                      // corner posts
constexpr double kRail = 0.11;                      // top rails; those below are higher
constexpr double kSill = 0.17;
constexpr double kWave = 0.045;  // depth of the corrugation

// Corrugation over one period of four strips: out, slope, in, slope.
constexpr std::array<double, 4> kStrips{0.0, 0.36, 0.50, 0.86};

// A corrugated wall: u runs over `count` waves. Behind it the plate is thick, so that it overlaps what is inside, but its back has the
// same rows and columns of whole waves: whatever happens to the wall, nothing comes through it.
class Wall {
 public:
  Wall(Facets& facets, const Chart& chart, int count, int rows)
      : facets_(facets), chart_(chart), rows_(rows), waves_(count - 1), last_(4 * (count - 1) + 1) {}

  void add() {
    for (int i = 0; i < last_; ++i) {
      facets_.patch(kPaint);
      for (int j = 0; j < rows_; ++j) facets_.quad(front(i, j), front(i + 1, j), front(i + 1, j + 1), front(i, j + 1));
    }
    facets_.patch();
    for (int wave = 0; wave < waves_; ++wave) {
      for (int j = 0; j < rows_; ++j) facets_.quad(back(wave, j), back(wave, j + 1), back(wave + 1, j + 1), back(wave + 1, j));
      add_edges(wave, wave + 1 == waves_ ? last_ : 4 * wave + 4);
    }
    for (int j = 0; j < rows_; ++j) {
      facets_.quad(back(0, j), front(0, j), front(0, j + 1), back(0, j + 1));
      facets_.quad(front(last_, j), back(waves_, j), back(waves_, j + 1), front(last_, j + 1));
    }
  }

 private:
  static constexpr double kBack = -0.24, kInset = 0.05;

  // Between the front and the back, below and above one wave; the last takes what is left of the front.
  void add_edges(int wave, int end) {
    for (int i = 4 * wave; i < end; ++i) {
      facets_.triangle(back(wave, 0), front(i + 1, 0), front(i, 0));
      facets_.triangle(back(wave, rows_), front(i, rows_), front(i + 1, rows_));
    }
    facets_.triangle(back(wave, 0), back(wave + 1, 0), front(end, 0));
    facets_.triangle(back(wave + 1, rows_), back(wave, rows_), front(end, rows_));
  }

  Vec3 front(int i, int j) const {
    const double u = (i / 4 + kStrips[size_t(i % 4)]) / (waves_ + kStrips[1]);
    return chart_(u, double(j) / rows_, i % 4 < 2 ? 0 : -kWave);
  }
  Vec3 back(int wave, int j) const {
    const double u = double(wave) / waves_, v = double(j) / rows_;
    return chart_(kInset / 2 + (1 - kInset) * u, kInset + (1 - 2 * kInset) * v, kBack);
  }

  Facets& facets_;
  const Chart& chart_;
  int rows_, waves_, last_;
};

// A plane at `origin`, whose u and v run along two vectors; outside is u x v.
Chart plane(const Vec3& origin, const Vec3& u, const Vec3& v) {
  const Vec3 out = u.cross(v).normalized();
  return [=](double s, double t, double d) { return Vec3(origin + s * u + t * v + d * out); };
}

void add_walls(Facets& facets) {
  const auto add_wall = [&](const Chart& chart, int count) { Wall(facets, chart, count, 5).add(); };
  const double x = kX - kPost, low = -kY + kSill - 0.02, high = kY - kRail + 0.02, z = kZ - 0.012;
  const Vec3 up(0, high - low, 0);
  add_wall(plane({-x, low, z}, {2 * x, 0, 0}, up), 20);
  add_wall(plane({x, low, -z}, {-2 * x, 0, 0}, up), 20);
  add_wall(plane({-kX + 0.012, low, -kZ + kPost}, {0, 0, 2 * (kZ - kPost)}, up), 8);
  add_wall(plane({-x, kY - 0.012, kZ - 0.08}, {2 * x, 0, 0}, {0, 0, -2 * (kZ - 0.08)}), 16);
}

// A beam between two corners, in cells that can bend.
void add_bar(TriMesh& mesh, const Vec3& low, const Vec3& high, const Vec3f& color, double bevel = 0.008) {
  paint_rest(mesh, color);
  Transform place;
  place.translation = (low + high) / 2;
  add_beam(mesh, place, high - low, bevel, 0.4);
  paint_rest(mesh, color);
}

void add_frame(TriMesh& mesh) {
  const double inner = kZ - 0.14, x = kX - 0.17, y = kY - 0.11;
  for (const double side : {-1.0, 1.0}) {
    const auto across = [&](double from, double to) { return std::array{std::min(side * from, side * to), std::max(side * from, side * to)}; };
    const auto [z0, z1] = across(kZ - 0.09, kZ - 0.003);
    add_bar(mesh, {-x, kY - kRail, z0}, {x, kY - 0.006, z1}, kFrame);
    add_bar(mesh, {-x, -kY + 0.012, z0}, {x, -kY + kSill, z1}, kFrame);
    const auto [x0, x1] = across(kX - kPost, kX - 0.004);
    for (const double other : {-1.0, 1.0}) {
      const double za = std::min(other * (kZ - kPost), other * (kZ - 0.004)), zb = std::max(other * (kZ - kPost), other * (kZ - 0.004));
      add_bar(mesh, {x0, -y, za}, {x1, y, zb}, kFrame);
    }
    const auto [e0, e1] = across(kX - 0.12, kX - 0.004);
    add_bar(mesh, {e0, kY - 0.12, -inner}, {e1, kY - 0.006, inner}, kFrame);
    add_bar(mesh, {e0, -kY + 0.012, -inner}, {e1, -kY + 0.15, inner}, kFrame);
  }
  // The floor, and all that is behind the walls: the container is rigged as a full one.
  add_bar(mesh, {-kX + 0.20, -kY + 0.06, -kZ + 0.20}, {kX - 0.10, kY - 0.20, kZ - 0.20}, kFloor);
}

// Corner castings: blocks with an oval hole in each outer face, drawn as a dark plate.
void add_castings(TriMesh& mesh) {
  const Vec3 size(0.178, 0.118, 0.162);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    const Vec3 outer = sign.cwiseProduct(Vec3(kX, kY, kZ)), inner = outer - sign.cwiseProduct(size), middle = (outer + inner) / 2;
    add_bar(mesh, outer.cwiseMin(inner), outer.cwiseMax(inner), kCasting, 0.012);
    Facets facets(mesh);
    facets.patch(kRubber);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 u = Vec3::Unit((axis + 1) % 3), v = Vec3::Unit((axis + 2) % 3);
      if (sign[axis] < 0) std::swap(u, v);
      Vec3 at = middle;
      at[axis] = outer[axis];
      add_plate(facets, plane(at, u, v), {.low = {-0.034, -0.034}, .high = {0.034, 0.034}, .front = 0.0, .back = -0.02, .bevel = {0.008, 0.008}});
    }
  }
}

// The doors: two leaves with pressed panels, gaskets, four locking bars with cams, guides and handles.
class Doors {
 public:
  explicit Doors(TriMesh& mesh) : facets_(mesh) {}

  void add() {
    facets_.patch(kRubber);
    plate({-kHalf, kLow}, {kHalf, kHigh}, -0.055, -0.11, 8);
    for (const double side : {-1.0, 1.0}) add_leaf(side);
    add_lettering();
  }

 private:
  static constexpr double kHalf = kZ - kPost + 0.01, kLow = -kY + 0.14, kHigh = kY - 0.11;

  // Seen from outside u runs along -z; plates are given by what is left and right of the middle.
  void plate(std::array<double, 2> low, std::array<double, 2> high, double front, double back, int columns = 2, double bevel = 0) {
    add_plate(facets_, plane({kX, 0, 0}, {0, 0, -1}, {0, 1, 0}),
              {.low = low, .high = high, .front = front, .back = back, .bevel = {bevel, bevel}, .columns = columns, .rows = 6});
  }

  void add_leaf(double side) {
    const double gap = 0.012, near = gap, far = kHalf - gap;
    const auto span = [&](double a, double b) { return std::array{std::min(side * a, side * b), std::max(side * a, side * b)}; };
    const auto [u0, u1] = span(near, far);
    facets_.patch(kPaint);
    plate({u0, kLow + gap}, {u1, kHigh - gap}, -0.035, -0.10, 4, 0.01);
    facets_.patch(kPaint);
    const double panel = (kHigh - kLow - 0.16) / 4;
    for (int i = 0; i < 4; ++i) {
      const auto [p0, p1] = span(near + 0.06, far - 0.06);
      const double low = kLow + 0.08 + i * panel;
      plate({p0, low + 0.035}, {p1, low + panel - 0.035}, -0.012, -0.05, 4, 0.035);
    }
    for (const double at : {0.27, 0.76}) add_locking_bar(side * at * kHalf, side);
    facets_.patch(kFrame);
    for (int i = 0; i < 4; ++i) {
      const auto [h0, h1] = span(far - 0.03, far + 0.06);
      const double low = kLow + 0.22 + i * 0.58;
      plate({h0, low}, {h1, low + 0.13}, 0.0, -0.05, 1, 0.01);
    }
  }

  void add_locking_bar(double u, double side) {
    facets_.patch(kSteel);
    const double out = kX + 0.016 - 0.024, foot = -kY + 0.10, head = kY - 0.08;
    add_strut(facets_, {out, foot, -u}, {out, head, -u}, 0.021, 8, 8);
    for (const double y : {foot - 0.02, head - 0.05}) plate({u - 0.045, y}, {u + 0.045, y + 0.075}, 0.014, -0.02, 1, 0.01);
    for (const double y : {-0.62, 0.05, 0.72}) plate({u - 0.055, y}, {u + 0.055, y + 0.06}, 0.012, -0.04, 1, 0.01);
    const double handle = -0.22;
    const double reach = std::abs(u) < 0.5 * kHalf ? 0.30 : -0.30;
    plate({std::min(u, u + side * reach), handle}, {std::max(u, u + side * reach), handle + 0.035}, 0.014, -0.01, 3, 0.005);
    plate({u + 0.7 * side * reach - 0.04, handle - 0.05}, {u + 0.7 * side * reach + 0.04, handle + 0.085}, 0.006, -0.04, 1, 0.01);
  }

  // Rows of pale plates where the number and the weights are stencilled.
  void add_lettering() {
    facets_.patch(kLetters);
    const double row = 0.055;
    for (int i = 0; i < 11; ++i) {
      if (i == 4) continue;
      const double u = 0.43 + i * 0.034;
      plate({u, 0.86}, {u + 0.022, 0.86 + row}, -0.010, -0.03, 1);
    }
    for (int line = 0; line < 5; ++line) plate({0.46, 0.40 - 0.075 * line}, {0.46 + (line % 2 ? 0.22 : 0.30), 0.43 - 0.075 * line}, -0.010, -0.03, 1);
  }

  Facets facets_;
};

}  // namespace

TriMesh container_surface() {
  TriMesh mesh;
  Facets facets(mesh);
  add_walls(facets);
  add_frame(mesh);
  add_castings(mesh);
  Doors(mesh).add();
  return mesh;
}

}  // namespace crumple::generator
