#include "crumple/geometry/isosurface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/cell_sheets.h"
#include "crumple/geometry/quad_surface.h"

namespace crumple {
namespace {

constexpr int kBlock = 8;        // samples along the side of a cube that is left out or looked at as a whole
constexpr int kEdgeSteps = 6;    // of regula falsi along an edge of the grid
constexpr double kSlopeSlack = 1.01;  // for slopes that are not quite bounded

using Place = std::array<int, 3>;

/// The field within the box; outside of it the distance to the box counts as well.
struct Clipped {
  const Field& field;
  Vec3 middle, half;
  double operator()(const Vec3& p) const { return std::max(field(p), ((p - middle).cwiseAbs() - half).maxCoeff()); }
};

/// Samples at the corners of cubes around the middle of the box; the outermost lie outside of it.
struct Grid {
  Vec3 low = Vec3::Zero();
  double cell = 0;
  Place size = {0, 0, 0};  // samples
  std::vector<double> values;

  size_t index(const Place& at) const { return (static_cast<size_t>(at[2]) * size[1] + at[1]) * size[0] + at[0]; }
  Place place(size_t index) const {
    const auto x = static_cast<size_t>(size[0]), y = static_cast<size_t>(size[1]);
    return {static_cast<int>(index % x), static_cast<int>(index / x % y), static_cast<int>(index / x / y)};
  }
  size_t stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? size[0] : static_cast<size_t>(size[0]) * size[1]; }
  Vec3 position(const Place& at) const { return low + cell * Vec3(at[0], at[1], at[2]); }
  /// Of the cell whose lowest corner is this sample: a bit for each corner that is inside.
  uint8_t inside(size_t lowest) const {
    unsigned bits = 0;
    for (unsigned corner = 0; corner < 8; ++corner) {
      const size_t at = lowest + (corner & 1) * stride(0) + (corner >> 1 & 1) * stride(1) + (corner >> 2) * stride(2);
      bits |= static_cast<unsigned>(values[at] < 0) << corner;
    }
    return static_cast<uint8_t>(bits);
  }
};

Result<Grid> lay_grid(const IsosurfaceSettings& settings) {
  const Vec3 size = settings.box.high - settings.box.low;
  if (!settings.box.low.allFinite() || !settings.box.high.allFinite() || !(size.minCoeff() > 0) || !size.allFinite())
    return input_error("the box to look for a surface in is empty or not finite: give one with a positive size along each axis");
  if (!std::isfinite(settings.cell) || !(settings.cell > 0))
    return input_error(fmt::format("cells of {} m for a surface: give a length above 0", settings.cell));
  if (!(settings.slope >= 0) || settings.relax < 0 || settings.relax > 1000)
    return input_error("slope must not be negative, and relax must be 0 to 1000");
  Grid grid;
  grid.cell = settings.cell;
  const double most = static_cast<double>(std::min<size_t>(settings.most_samples, 1000000000));
  double samples = 1;
  for (int k = 0; k < 3; ++k) samples *= std::floor(size[k] / grid.cell) + 3;
  if (!(samples <= most)) {
    return input_error(fmt::format("a surface with cells of {} m needs {:.3g} samples, more than the {:.3g} allowed: use cells of {:.3g} m or more",
                                   grid.cell, samples, most, grid.cell * 1.05 * std::cbrt(samples / most)));
  }
  for (int k = 0; k < 3; ++k) grid.size[static_cast<size_t>(k)] = static_cast<int>(std::floor(size[k] / grid.cell)) + 3;
  grid.low = 0.5 * (settings.box.low + settings.box.high) - 0.5 * grid.cell * Vec3(grid.size[0] - 1, grid.size[1] - 1, grid.size[2] - 1);
  grid.values.resize(static_cast<size_t>(samples));
  return grid;
}

/// Fills one cube of samples; with one value where the slope says that no surface can be.
void sample_block(const Clipped& field, double slope, Grid& grid, const Place& first) {
  Place last{};
  for (size_t k = 0; k < 3; ++k) last[k] = std::min(first[k] + kBlock, grid.size[k]) - 1;
  const Vec3 a = grid.position(first), b = grid.position(last);
  const double middle = slope > 0 ? field(0.5 * (a + b)) : 0;
  const bool far = std::abs(middle) > kSlopeSlack * std::max(slope, 1.0) * (0.5 * (b - a).norm() + grid.cell);
  for (int z = first[2]; z <= last[2]; ++z) {
    for (int y = first[1]; y <= last[1]; ++y) {
      for (int x = first[0]; x <= last[0]; ++x) grid.values[grid.index({x, y, z})] = far ? middle : field(grid.position({x, y, z}));
    }
  }
}

Result<void> sample(const Clipped& field, double slope, Grid& grid) {
  Place blocks{};
  for (size_t k = 0; k < 3; ++k) blocks[k] = (grid.size[k] + kBlock - 1) / kBlock;
  parallel_for(static_cast<size_t>(blocks[0]) * blocks[1] * blocks[2], 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const int b = static_cast<int>(i);
      sample_block(field, slope, grid, {b % blocks[0] * kBlock, b / blocks[0] % blocks[1] * kBlock, b / blocks[0] / blocks[1] * kBlock});
    }
  });
  for (size_t i = 0; i < grid.values.size(); ++i) {
    if (std::isfinite(grid.values[i])) continue;
    const Vec3 at = grid.position(grid.place(i));
    return input_error(fmt::format("the field is not a finite number at ({:.4g}, {:.4g}, {:.4g})", at.x(), at.y(), at.z()));
  }
  return {};
}

/// A cell that the surface passes through.
struct Crossed {
  size_t lowest;  // sample
  uint8_t inside;
  bool turned;
  int first_vertex;
  std::array<double, 3> cuts;  // along the edges from the lowest corner: where the surface crosses, 0..1

  const CellSheets& sheets() const { return cell_sheets(inside, turned); }
};

std::vector<Crossed> find_crossed(const Grid& grid) {
  std::vector<std::vector<Crossed>> of_layer(static_cast<size_t>(grid.size[2] - 1));
  parallel_for(of_layer.size(), 1, [&](size_t begin, size_t end) {
    for (size_t z = begin; z < end; ++z) {
      for (int y = 0; y + 1 < grid.size[1]; ++y) {
        for (int x = 0; x + 1 < grid.size[0]; ++x) {
          const size_t lowest = grid.index({x, y, static_cast<int>(z)});
          const uint8_t inside = grid.inside(lowest);
          if (inside == 0 || inside == 255) continue;
          const int face = cell_sheets(inside, false).doubled_face;
          // No surface crosses the sides of the grid, so there is a cell beyond the face.
          const size_t stride = face < 0 ? 0 : grid.stride(face / 2);
          const bool turned = face >= 0 && cell_sheets(grid.inside(face & 1 ? lowest + stride : lowest - stride), false).doubled_face == (face ^ 1);
          of_layer[z].push_back({lowest, inside, turned, 0, {}});
        }
      }
    }
  });
  std::vector<Crossed> all;
  for (const auto& layer : of_layer) all.insert(all.end(), layer.begin(), layer.end());
  return all;
}

/// Where the field vanishes between two places, as a share of the way; it has opposite signs there.
double cut_edge(const Clipped& field, const Vec3& a, const Vec3& b, double at_a, double at_b) {
  double low = 0, high = 1, t = 0.5;
  for (int step = 0; step < kEdgeSteps; ++step) {
    t = low + (high - low) * std::clamp(at_a / (at_a - at_b), 0.01, 0.99);
    const double value = field(a + t * (b - a));
    if (!std::isfinite(value) || value == 0) break;
    // The end that stays counts half: it moves at last. (The Illinois rule.)
    if ((value < 0) == (at_a < 0)) {
      low = t, at_a = value, at_b *= 0.5;
    } else {
      high = t, at_b = value, at_a *= 0.5;
    }
  }
  return t;
}

/// Crossed cells by their lowest sample.
class CrossedGrid {
 public:
  CrossedGrid(const Grid& grid, std::vector<Crossed> cells) : grid_(grid), cells_(std::move(cells)), number_(grid.values.size(), -1) {
    for (size_t i = 0; i < cells_.size(); ++i) {
      number_[cells_[i].lowest] = static_cast<int32_t>(i);
      cells_[i].first_vertex = vertices_;
      vertices_ += cells_[i].sheets().count;
    }
  }

  void cut_edges(const Clipped& field) {
    parallel_for(cells_.size(), 64, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        Crossed& cell = cells_[i];
        for (int axis = 0; axis < 3; ++axis) {
          if (cell.sheets().of_edge[static_cast<size_t>(4 * axis)] < 0) continue;
          const Vec3 a = grid_.position(grid_.place(cell.lowest)), b = a + grid_.cell * Vec3::Unit(axis);
          cell.cuts[static_cast<size_t>(axis)] = cut_edge(field, a, b, grid_.values[cell.lowest], grid_.values[cell.lowest + grid_.stride(axis)]);
        }
      }
    });
  }

  /// A vertex for each sheet in the middle of where it crosses edges.
  std::vector<Vec3> vertices() const {
    std::vector<Vec3> sums(static_cast<size_t>(vertices_), Vec3::Zero());
    parallel_for(cells_.size(), 256, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) place_vertices(cells_[i], sums);
    });
    return sums;
  }

  std::vector<Quad> quads() const {
    std::vector<Quad> quads;
    for (const Crossed& cell : cells_) {
      for (int axis = 0; axis < 3; ++axis)
        if (cell.sheets().of_edge[static_cast<size_t>(4 * axis)] >= 0) quads.push_back(around_edge(cell, axis));
    }
    return quads;
  }

 private:
  /// The cell that has an edge of this cell as its first along its axis.
  const Crossed& owner(const Crossed& cell, int edge) const {
    const int corner = edge_corner(edge);
    size_t lowest = cell.lowest;
    for (int k = 0; k < 3; ++k) lowest += (corner >> k & 1) * grid_.stride(k);
    return cells_[static_cast<size_t>(number_[lowest])];
  }
  void place_vertices(const Crossed& cell, std::vector<Vec3>& sums) const {
    const CellSheets& sheets = cell.sheets();
    std::array<int, 4> counts{};
    for (int edge = 0; edge < 12; ++edge) {
      const int sheet = sheets.of_edge[static_cast<size_t>(edge)];
      if (sheet < 0) continue;
      const Crossed& from = owner(cell, edge);
      const int axis = edge / 4;
      sums[static_cast<size_t>(cell.first_vertex + sheet)] +=
          grid_.position(grid_.place(from.lowest)) + grid_.cell * from.cuts[static_cast<size_t>(axis)] * Vec3::Unit(axis);
      ++counts[static_cast<size_t>(sheet)];
    }
    for (int sheet = 0; sheet < sheets.count; ++sheet) sums[static_cast<size_t>(cell.first_vertex + sheet)] /= counts[static_cast<size_t>(sheet)];
  }
  Quad around_edge(const Crossed& cell, int axis) const {
    // The other three cells lie before the edge, along either or both of the other axes. Counter-clockwise seen from the edge's end.
    constexpr int kBefore[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
    Quad quad{};
    for (size_t k = 0; k < 4; ++k) {
      const auto [u, v] = kBefore[k];
      const size_t lowest = cell.lowest - u * grid_.stride((axis + 1) % 3) - v * grid_.stride((axis + 2) % 3);
      const Crossed& at = cells_[static_cast<size_t>(number_[lowest])];
      quad[k] = at.first_vertex + at.sheets().of_edge[static_cast<size_t>(4 * axis + u + 2 * v)];
    }
    if (!(cell.inside & 1)) std::swap(quad[1], quad[3]);
    return quad;
  }

  const Grid& grid_;
  std::vector<Crossed> cells_;
  std::vector<int32_t> number_;  // #samples: the crossed cell there, or -1
  int vertices_ = 0;
};

}  // namespace

Result<TriMesh> isosurface(const Field& field, const IsosurfaceSettings& settings) {
  Result<Grid> grid = lay_grid(settings);
  if (!grid) return grid.error();
  const Clipped clipped{field, 0.5 * (settings.box.low + settings.box.high), 0.5 * (settings.box.high - settings.box.low)};
  if (const Result<void> sampled = sample(clipped, settings.slope, *grid); !sampled) return sampled.error();
  CrossedGrid cells(*grid, find_crossed(*grid));
  cells.cut_edges(clipped);
  QuadSurface surface(cells.vertices(), cells.quads());
  if (surface.quads.empty())
    return input_error(
        fmt::format("nothing in the box is inside: the field is nowhere negative at places {} m apart; use smaller cells", grid->cell));
  surface.settle(clipped, grid->cell, settings.relax);
  return surface.triangulated();
}

}  // namespace crumple
