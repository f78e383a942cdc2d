#include "assets/generator/loft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

namespace crumple::generator {

Grid mirrored(const Grid& grid) {
  Grid result(grid.rows, grid.columns);
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.columns; ++c) result.at(r, c) = grid.at(r, grid.columns - 1 - c).cwiseProduct(Vec3(1, 1, -1));
  return result;
}

Grid flat_grid(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, std::span<const double> across, std::span<const double> upwards) {
  Grid grid(int(upwards.size()), int(across.size()));
  for (int row = 0; row < grid.rows; ++row) {
    const Vec3 left = a + upwards[row] * (d - a), right = b + upwards[row] * (c - b);
    for (int column = 0; column < grid.columns; ++column) grid.at(row, column) = left + across[column] * (right - left);
  }
  return grid;
}

std::vector<double> even_shares(double length, double cell) {
  const int count = std::max(1, int(std::ceil(length / cell - 1e-9)));
  std::vector<double> shares;
  for (int i = 0; i <= count; ++i) shares.push_back(double(i) / count);
  return shares;
}

CellColor plain(const Vec3f& color) {
  return [color](int, int) { return color; };
}

namespace {

// Hands out one vertex for each point, colour and side of the folds.
class SheetVertices {
 public:
  SheetVertices(TriMesh& mesh, const Grid& grid, const Folds& folds) : mesh_(mesh), grid_(grid), folds_(folds) {}

  int vertex(int row, int column, int cell_row, int cell_column, const Vec3f& color) {
    const Key key{row, column, side(folds_.rows, cell_row), side(folds_.columns, cell_column), color.x(), color.y(), color.z()};
    const auto [found, fresh] = known_.try_emplace(key, int(mesh_.positions.size()));
    if (fresh) mesh_.positions.push_back(grid_.at(row, column)), mesh_.colors.push_back(color);
    return found->second;
  }

 private:
  using Key = std::tuple<int, int, int, int, float, float, float>;

  static int side(const std::vector<int>& folds, int cell) {
    return int(std::count_if(folds.begin(), folds.end(), [&](int fold) { return cell >= fold; }));
  }

  TriMesh& mesh_;
  const Grid& grid_;
  const Folds& folds_;
  std::map<Key, int> known_;
};

bool has_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double longest = std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (c - b).squaredNorm()});
  return (b - a).cross(c - a).norm() > 1e-5 * longest;
}

}  // namespace

void add_sheet(TriMesh& mesh, const Grid& grid, const CellColor& color, const Folds& folds) {
  SheetVertices vertices(mesh, grid, folds);
  for (int row = 0; row + 1 < grid.rows; ++row) {
    for (int column = 0; column + 1 < grid.columns; ++column) {
      const Vec3f paint = color(row, column);
      const std::array<std::array<int, 2>, 4> ring{{{row, column}, {row, column + 1}, {row + 1, column + 1}, {row + 1, column}}};
      const auto place = [&](int i) -> const Vec3& { return grid.at(ring[i][0], ring[i][1]); };
      // Along the shorter diagonal, which follows hollow and round places more closely.
      const int first = (place(0) - place(2)).squaredNorm() <= (place(1) - place(3)).squaredNorm() * (1 + 1e-9) ? 0 : 1;
      for (const auto& corners : {std::array{first, first + 1, first + 2}, std::array{first, first + 2, (first + 3) % 4}}) {
        const int a = corners[0], b = corners[1], c = corners[2];
        if (!has_area(place(a), place(b), place(c))) continue;
        const auto vertex = [&](int i) { return vertices.vertex(ring[i][0], ring[i][1], row, column, paint); };
        const int first_vertex = vertex(a), second_vertex = vertex(b);
        mesh.triangles.push_back({first_vertex, second_vertex, vertex(c)});
      }
    }
  }
}

Block upright_block(const Vec3& low, const Vec3& high) {
  Block block;
  const std::array<Vec3, 4> ring{Vec3(low.x(), 0, high.z()), Vec3(high.x(), 0, high.z()), Vec3(high.x(), 0, low.z()), Vec3(low.x(), 0, low.z())};
  for (int i = 0; i < 4; ++i) {
    block.floor[i] = ring[i] + Vec3(0, low.y(), 0);
    block.roof[i] = ring[i] + Vec3(0, high.y(), 0);
  }
  return block;
}

namespace {

void add_side(TriMesh& mesh, const std::array<Vec3, 4>& corners, double cell, const Vec3f& color) {
  const auto& [a, b, c, d] = corners;
  const auto across = even_shares(std::max((b - a).norm(), (c - d).norm()), cell);
  const auto upwards = even_shares(std::max((d - a).norm(), (c - b).norm()), cell);
  add_sheet(mesh, flat_grid(a, b, c, d, across, upwards), plain(color));
}

}  // namespace

std::array<Vec3, 4> side_of(const Block& block, BlockSide side) {
  const auto& [f, r] = block;
  if (side == kRoof) return r;
  if (side == kFloor) return {f[3], f[2], f[1], f[0]};
  const int next = (side + 1) % 4;
  return {f[side], f[next], r[next], r[side]};
}

void add_block(TriMesh& mesh, const Block& block, double cell, const Vec3f& color) {
  for (int side = 0; side < kBlockSides; ++side) add_side(mesh, side_of(block, BlockSide(side)), cell, color);
}

void add_block(TriMesh& mesh, const Vec3& low, const Vec3& high, double cell, const Vec3f& color) {
  add_block(mesh, upright_block(low, high), cell, color);
}

void add_wall(TriMesh& mesh, const std::array<Vec3, 4>& corners, const Windows& windows, const Vec3f& wall, const Vec3f& glass) {
  const double width = (1 - 2 * windows.border) / (windows.count + (windows.count - 1) * windows.gap);
  std::vector<double> across{0};
  for (int i = 0; i < windows.count; ++i) {
    const double left = windows.border + i * width * (1 + windows.gap);
    across.insert(across.end(), {left, left + width});
  }
  across.push_back(1);
  const std::array upwards{0.0, windows.from, windows.to, 1.0};
  const auto& [a, b, c, d] = corners;
  add_sheet(mesh, flat_grid(a, b, c, d, across, upwards), [&](int row, int column) { return row == 1 && column % 2 ? glass : wall; });
}

namespace {

// Two directions across a third, turning with it.
struct Across {
  Vec3 u, v;
  explicit Across(const Vec3& along) : u(along.unitOrthogonal()), v(along.normalized().cross(u)) {}
  Vec3 at(double angle) const { return std::cos(angle) * u + std::sin(angle) * v; }
};

double turn_share(int i, int count) {
  return 2.0 * std::numbers::pi * i / count;
}

void add_cap(TriMesh& mesh, const std::vector<Vec3>& ring, const Vec3f& color, bool reversed) {
  const int first = int(mesh.positions.size()), count = int(ring.size());
  for (const Vec3& point : ring) mesh.positions.push_back(point), mesh.colors.push_back(color);
  for (int i = 1; i + 1 < count; ++i)
    mesh.triangles.push_back(reversed ? Triangle{first, first + i + 1, first + i} : Triangle{first, first + i, first + i + 1});
}

}  // namespace

void add_bar(TriMesh& mesh, std::span<const Vec3> line, double radius, int sides, const Vec3f& color) {
  const int count = int(line.size());
  Grid grid(count, sides + 1);
  Vec3 side = (line[1] - line[0]).unitOrthogonal();
  for (int i = 0; i < count; ++i) {
    const Vec3 along = (line[std::min(i + 1, count - 1)] - line[std::max(i - 1, 0)]).normalized();
    side = (side - side.dot(along) * along).normalized();  // carried along, so that the bar does not twist
    const Vec3 other = along.cross(side);
    for (int j = 0; j <= sides; ++j) {
      const double angle = turn_share(j % sides, sides);
      grid.at(i, j) = line[i] + radius * (std::cos(angle) * side + std::sin(angle) * other);
    }
  }
  add_sheet(mesh, grid, plain(color));
  for (const bool start : {true, false}) {
    std::vector<Vec3> ring;
    for (int j = 0; j < sides; ++j) ring.push_back(grid.at(start ? 0 : count - 1, j));
    add_cap(mesh, ring, color, start);
  }
}

void add_bar(TriMesh& mesh, const Vec3& from, const Vec3& to, double radius, int sides, const Vec3f& color) {
  add_bar(mesh, std::array{from, to}, radius, sides, color);
}

void add_cone(TriMesh& mesh, const Vec3& from, const Vec3& to, double from_radius, double to_radius, int sides, const Vec3f& color) {
  const Across across(to - from);
  Grid grid(2, sides + 1);
  for (int j = 0; j <= sides; ++j) {
    const Vec3 out = across.at(turn_share(j % sides, sides));
    grid.at(0, j) = from + from_radius * out;
    grid.at(1, j) = to + to_radius * out;
  }
  add_sheet(mesh, grid, plain(color));
  for (const bool start : {true, false}) {
    if ((start ? from_radius : to_radius) <= 0) continue;
    std::vector<Vec3> ring;
    for (int j = 0; j < sides; ++j) ring.push_back(grid.at(start ? 0 : 1, j));
    add_cap(mesh, ring, color, start);
  }
}

void add_spindle(TriMesh& mesh, const Vec3& from, const Vec3& to, double up, double across, double blunt, const Vec3f& color, int rings, int sides) {
  const Vec3 along = to - from, side = along.cross(Vec3::UnitY()).normalized(), top = side.cross(along).normalized();
  Grid grid(rings + 1, sides + 1);
  for (int i = 0; i <= rings; ++i) {
    const double t = std::cos(std::numbers::pi * (rings - i) / rings);  // rings crowd at the ends
    const double width = std::pow(std::max(0.0, 1 - std::pow(std::abs(t), 2 * blunt)), 0.5);
    for (int j = 0; j <= sides; ++j) {
      const double angle = turn_share(j % sides, sides);
      grid.at(i, j) = from + (0.5 + 0.5 * t) * along + width * (across * std::cos(angle) * side - up * std::sin(angle) * top);
    }
  }
  add_sheet(mesh, grid, plain(color));
}

void add_ring(TriMesh& mesh, const Vec3& centre, const Vec3& axis, double radius, double thickness, const Vec3f& color, int around, int sides) {
  const Across across(axis);
  Grid grid(around + 1, sides + 1);
  for (int i = 0; i <= around; ++i) {
    const Vec3 out = across.at(turn_share(i % around, around));
    for (int j = 0; j <= sides; ++j) {
      const double angle = turn_share(j % sides, sides);
      grid.at(i, j) = centre + (radius + thickness * std::cos(angle)) * out - thickness * std::sin(angle) * axis.normalized();
    }
  }
  add_sheet(mesh, grid, plain(color));
}

}  // namespace crumple::generator
