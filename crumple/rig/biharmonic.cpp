#include "crumple/rig/biharmonic.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

/// Below this share of its longest edge to the power of its dimension, rounding alone decides an element's volume or area.
constexpr double kFlat = 1e-13;

Result<void> check_elements(const Elements& mesh) {
  const int vertices = static_cast<int>(mesh.positions.size());
  for (int v = 0; v < vertices; ++v) {
    if (!mesh.positions[v].allFinite()) return input_error(fmt::format("vertex {} of the {} is not at a finite place", v, mesh.names()));
  }
  std::vector<char> used(mesh.positions.size(), 0);
  for (size_t t = 0; t < mesh.size(); ++t) {
    double longest = 0;
    for (const int a : mesh[t]) {
      if (a < 0 || a >= vertices) return input_error(fmt::format("{} {} has corner {}, but there are {} vertices", mesh.name(), t, a, vertices));
      used[a] = 1;
    }
    for (const int a : mesh[t]) {
      for (const int b : mesh[t]) longest = std::max(longest, (mesh.positions[a] - mesh.positions[b]).norm());
    }
    const double volume = std::abs(measure_of(mesh, t)), cube = mesh.dimension == 3 ? longest * longest * longest : longest * longest;
    if (!(volume > kFlat * cube) || !std::isnormal(volume)) {
      return input_error(fmt::format("{} {} is flat ({} {:.3g}, longest edge {:.3g}); remove it or mesh the body again", mesh.name(), t,
                                     mesh.dimension == 3 ? "volume" : "area", volume, longest));
    }
  }
  const auto unused = std::find(used.begin(), used.end(), 0);
  if (unused != used.end()) {
    return input_error(fmt::format("vertex {} is in no {}; remove it from the mesh", unused - used.begin(), mesh.name()));
  }
  return {};
}

/// Which vertices share an element, each with itself too.
SparseMatrix neighbor_pattern(const Elements& mesh) {
  SparseMatrix pattern;
  pattern.size = static_cast<int>(mesh.positions.size());
  std::vector<int> first(mesh.positions.size() + 1, 0);
  for (const int v : mesh.corners) ++first[v + 1];
  for (size_t v = 0; v < mesh.positions.size(); ++v) first[v + 1] += first[v];
  std::vector<int> incident(mesh.corners.size()), next(first.begin(), first.end() - 1);
  for (size_t t = 0; t < mesh.size(); ++t) {
    for (const int v : mesh[t]) incident[next[v]++] = static_cast<int>(t);
  }
  std::vector<int> seen(mesh.positions.size(), -1);
  pattern.start.push_back(0);
  for (int v = 0; v < pattern.size; ++v) {
    for (int k = first[v]; k < first[v + 1]; ++k) {
      for (const int w : mesh[static_cast<size_t>(incident[k])]) {
        if (seen[w] != v) seen[w] = v, pattern.column.push_back(w);
      }
    }
    std::sort(pattern.column.begin() + pattern.start.back(), pattern.column.end());
    pattern.start.push_back(static_cast<int>(pattern.column.size()));
  }
  pattern.value.assign(pattern.column.size(), 0.0);
  return pattern;
}

double& entry(SparseMatrix& matrix, int row, int column) {
  const auto begin = matrix.column.begin() + matrix.start[row], end = matrix.column.begin() + matrix.start[row + 1];
  return matrix.value[std::lower_bound(begin, end, column) - matrix.column.begin()];
}

}  // namespace

Result<SparseMatrix> cotangent_laplacian(const Elements& mesh) {
  if (Result<void> good = check_elements(mesh); !good) return good.error();
  SparseMatrix laplacian = neighbor_pattern(mesh);
  const int corners = static_cast<int>(mesh.each());
  for (size_t t = 0; t < mesh.size(); ++t) {
    const std::span<const int> element = mesh[t];
    const std::array<Vec3, 4> side = inward_sides(mesh, t);
    const double scale = 1.0 / (mesh.dimension * mesh.dimension * std::abs(measure_of(mesh, t)));
    for (int i = 0; i < corners; ++i) {
      for (int j = i + 1; j < corners; ++j) {
        const double value = scale * side[i].dot(side[j]);
        entry(laplacian, element[i], element[j]) += value;
        entry(laplacian, element[j], element[i]) += value;
      }
    }
  }
  for (int row = 0; row < laplacian.size; ++row) {
    double sum = 0;
    for (int k = laplacian.start[row]; k < laplacian.start[row + 1]; ++k) sum += laplacian.value[k];
    entry(laplacian, row, row) = -sum;
  }
  return laplacian;
}

SparseMatrix biharmonic_energy(const SparseMatrix& laplacian, const std::vector<double>& masses) {
  constexpr size_t kRows = 256;
  const size_t rows = static_cast<size_t>(laplacian.size), chunks = (rows + kRows - 1) / kRows;
  std::vector<std::vector<int>> columns(chunks), lengths(chunks);
  std::vector<std::vector<double>> values(chunks);
  parallel_for(rows, kRows, [&](size_t begin, size_t end) {
    const size_t chunk = begin / kRows;
    std::vector<double> sum(rows, 0.0);
    std::vector<int> seen(rows, -1), row;
    for (size_t i = begin; i < end; ++i) {
      row.clear();
      for (int k = laplacian.start[i]; k < laplacian.start[i + 1]; ++k) {
        const int middle = laplacian.column[k];
        for (int l = laplacian.start[middle]; l < laplacian.start[middle + 1]; ++l) {
          const int j = laplacian.column[l];
          if (seen[j] != static_cast<int>(i)) seen[j] = static_cast<int>(i), sum[j] = 0, row.push_back(j);
          sum[j] += laplacian.value[k] * laplacian.value[l] / masses[middle];
        }
      }
      std::sort(row.begin(), row.end());
      lengths[chunk].push_back(static_cast<int>(row.size()));
      for (const int j : row) columns[chunk].push_back(j), values[chunk].push_back(sum[j]);
    }
  });
  SparseMatrix energy;
  energy.size = laplacian.size;
  energy.start.push_back(0);
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    for (const int length : lengths[chunk]) energy.start.push_back(energy.start.back() + length);
    energy.column.insert(energy.column.end(), columns[chunk].begin(), columns[chunk].end());
    energy.value.insert(energy.value.end(), values[chunk].begin(), values[chunk].end());
  }
  return energy;
}

}  // namespace crumple
