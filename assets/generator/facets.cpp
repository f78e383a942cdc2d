#include "assets/generator/facets.h"

#include <cmath>
#include <numbers>

namespace crumple::generator {

int Facets::patch(const Vec3f& color) {
  colors_.push_back(color);
  return current_ = int(colors_.size()) - 1;
}

int Facets::vertex(const Vec3& point) {
  const auto [found, fresh] = vertices_.try_emplace({current_, {point.x(), point.y(), point.z()}}, int(mesh_.positions.size()));
  if (fresh) {
    mesh_.positions.push_back(point);
    mesh_.colors.push_back(colors_[size_t(current_)]);
  }
  return found->second;
}

void Facets::triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  if (a == b || b == c || c == a) return;
  mesh_.triangles.push_back({vertex(a), vertex(b), vertex(c)});
}

void Facets::quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  if ((a - c).squaredNorm() <= (b - d).squaredNorm()) {
    triangle(a, b, c), triangle(a, c, d);
  } else {
    triangle(a, b, d), triangle(b, c, d);
  }
}

void move_since(TriMesh& mesh, const Mark& mark, const Transform& place) {
  for (size_t i = mark.vertices; i < mesh.positions.size(); ++i) mesh.positions[i] = place * mesh.positions[i];
}

void mirror_since(TriMesh& mesh, const Mark& mark) {
  const size_t vertices = mesh.positions.size(), triangles = mesh.triangles.size();
  const int shift = int(vertices - mark.vertices);
  for (size_t i = mark.vertices; i < vertices; ++i) {
    mesh.positions.push_back(mesh.positions[i].cwiseProduct(Vec3(1, 1, -1)));
    if (!mesh.colors.empty()) mesh.colors.push_back(Vec3f(mesh.colors[i]));
  }
  for (size_t t = mark.triangles; t < triangles; ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    mesh.triangles.push_back({a + shift, c + shift, b + shift});
  }
}

void paint_rest(TriMesh& mesh, const Vec3f& color) {
  mesh.colors.resize(mesh.positions.size(), color);
}

namespace {

// The surface of a plate, seen as three nested rectangles: the rim of its back, the rim of its front and the face.
class PlateFaces {
 public:
  PlateFaces(Facets& facets, const Chart& chart, const Plate& plate) : facets_(facets), chart_(chart), plate_(plate) {}

  void add() {
    facets_.patch();
    grid(plate_.bevel, plate_.front, false);
    facets_.patch();
    grid({0, 0}, plate_.back, true);
    rim();
  }

 private:
  Vec3 at(double i, double j, const std::array<double, 2>& inset, double out) const {
    const double s = i / plate_.columns, t = j / plate_.rows;
    return chart_((1 - s) * (plate_.low[0] + inset[0]) + s * (plate_.high[0] - inset[0]),
                  (1 - t) * (plate_.low[1] + inset[1]) + t * (plate_.high[1] - inset[1]), out);
  }

  void grid(const std::array<double, 2>& inset, double out, bool backwards) {
    for (int j = 0; j < plate_.rows; ++j) {
      for (int i = 0; i < plate_.columns; ++i) {
        const Vec3 a = at(i, j, inset, out), b = at(i + 1, j, inset, out), c = at(i + 1, j + 1, inset, out), d = at(i, j + 1, inset, out);
        backwards ? facets_.quad(a, d, c, b) : facets_.quad(a, b, c, d);
      }
    }
  }

  // One patch: its corners are rounded in the light, which saves a third of the vertices of small plates.
  void rim() {
    facets_.patch();
    const int columns = plate_.columns, rows = plate_.rows;
    side(columns, [](int k) { return std::array{k, 0}; });
    side(rows, [=](int k) { return std::array{columns, k}; });
    side(columns, [=](int k) { return std::array{columns - k, rows}; });
    side(rows, [=](int k) { return std::array{0, rows - k}; });
  }

  template <class Along>
  void side(int count, const Along& along) {
    for (int k = 0; k < count; ++k) {
      const auto [i, j] = along(k);
      const auto [i2, j2] = along(k + 1);
      facets_.quad(at(i, j, {0, 0}, plate_.back), at(i2, j2, {0, 0}, plate_.back), at(i2, j2, plate_.bevel, plate_.front),
                   at(i, j, plate_.bevel, plate_.front));
    }
  }

  Facets& facets_;
  const Chart& chart_;
  const Plate& plate_;
};

}  // namespace

void add_plate(Facets& facets, const Chart& chart, const Plate& plate) {
  PlateFaces(facets, chart, plate).add();
}

namespace {

// A fan about the middle of an outline; it must see all of the outline.
void add_cap(Facets& facets, const std::vector<Vec3>& rim, bool forwards) {
  facets.patch();
  if (rim.size() == 4) {
    forwards ? facets.quad(rim[0], rim[1], rim[2], rim[3]) : facets.quad(rim[3], rim[2], rim[1], rim[0]);
    return;
  }
  Vec3 middle = Vec3::Zero();
  for (const Vec3& point : rim) middle += point / double(rim.size());
  for (size_t k = 0; k < rim.size(); ++k) {
    const Vec3 &a = rim[k], &b = rim[(k + 1) % rim.size()];
    forwards ? facets.triangle(middle, a, b) : facets.triangle(middle, b, a);
  }
}

}  // namespace

void add_sweep(Facets& facets, std::span<const Transform> path, std::span<const std::array<double, 2>> outline, bool smooth) {
  std::vector<std::vector<Vec3>> rings;
  for (const Transform& place : path) {
    rings.emplace_back();
    for (const auto& [x, y] : outline) rings.back().push_back(place * Vec3(x, y, 0));
  }
  for (size_t k = 0; k < outline.size(); ++k) {
    if (k == 0 || !smooth) facets.patch();
    const size_t next = (k + 1) % outline.size();
    for (size_t i = 0; i + 1 < rings.size(); ++i) facets.quad(rings[i][k], rings[i][next], rings[i + 1][next], rings[i + 1][k]);
  }
  add_cap(facets, rings.front(), false);
  add_cap(facets, rings.back(), true);
}

void add_strut(Facets& facets, const Vec3& from, const Vec3& to, double radius, int sides, int segments, bool smooth) {
  const Vec3 along = (to - from).normalized();
  const Vec3 aside = std::abs(along.y()) < 0.9 ? Vec3::UnitY().cross(along).normalized() : Vec3::UnitZ().cross(along).normalized();
  Transform place;
  place.rotation.col(0) = aside;
  place.rotation.col(1) = along.cross(aside);
  place.rotation.col(2) = along;
  std::vector<Transform> path(size_t(segments) + 1, place);
  for (int i = 0; i <= segments; ++i) path[size_t(i)].translation = from + (to - from) * (double(i) / segments);
  std::vector<std::array<double, 2>> outline;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.5) / sides;
    outline.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  add_sweep(facets, path, outline, smooth);
}

void add_block(Facets& facets, const Vec3& low, const Vec3& high, const Transform& place) {
  const Transform ends[2] = {{place.rotation, place * Vec3(0, 0, low.z())}, {place.rotation, place * Vec3(0, 0, high.z())}};
  const std::array<double, 2> outline[4] = {{low.x(), low.y()}, {high.x(), low.y()}, {high.x(), high.y()}, {low.x(), high.y()}};
  add_sweep(facets, ends, outline, false);
}

}  // namespace crumple::generator
