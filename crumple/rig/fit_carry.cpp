#include "crumple/rig/fit_carry.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "crumple/core/parallel.h"
#include "crumple/rig/biharmonic.h"
#include "crumple/rig/sparse_cholesky.h"

namespace crumple {
namespace {

constexpr double kRidge = 1e-12;  // holds parts of the body that carry no point

struct Entry {
  int row, column;
  double value;
};

SparseMatrix matrix_of(std::vector<Entry>& entries, int size) {
  // Stable: entries of one place are added in the order they came.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  SparseMatrix matrix;
  matrix.size = size;
  matrix.start.assign(static_cast<size_t>(size) + 1, 0);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && entries[i].row == entries[i - 1].row && entries[i].column == entries[i - 1].column) {
      matrix.value.back() += entries[i].value;
      continue;
    }
    ++matrix.start[static_cast<size_t>(entries[i].row) + 1];
    matrix.column.push_back(entries[i].column);
    matrix.value.push_back(entries[i].value);
  }
  for (size_t i = 0; i < static_cast<size_t>(size); ++i) matrix.start[i + 1] += matrix.start[i];
  return matrix;
}

template <size_t N>
void add_square(const std::array<int, N>& vertices, const std::array<double, N>& factors, double counts, std::vector<Entry>& entries) {
  for (size_t i = 0; i < N; ++i) {
    for (size_t j = 0; j < N; ++j) entries.push_back({vertices[i], vertices[j], counts * factors[i] * factors[j]});
  }
}

/// A face between two tetrahedra with the corner beyond it on either side.
struct InnerFace {
  Triangle sorted;
  int apex, tet;
};

/// The jump of the gradient over a face lies along its normal n: f(apex) - (f on the plane of the face, continued linearly), over the
/// apex's height, summed over both sides. Written for a field f, it is a row of five factors.
void add_face(const TetMesh& mesh, const InnerFace& one, const InnerFace& two, double scale, std::vector<Entry>& entries) {
  const auto& [a, b, c] = one.sorted;
  const Vec3 &pa = mesh.positions[a], &pb = mesh.positions[b], &pc = mesh.positions[c];
  const Vec3 normal = (pb - pa).cross(pc - pa);
  const double twice = normal.norm();
  if (!(twice > 0)) return;
  std::array<int, 5> vertices = {a, b, c, one.apex, two.apex};
  std::array<double, 5> factors{};
  double heights = 0;
  for (const int side : {0, 1}) {
    const Vec3& apex = mesh.positions[static_cast<size_t>(side == 0 ? one.apex : two.apex)];
    const double height = std::abs(normal.dot(apex - pa)) / twice;
    if (!(height > 0)) return;
    heights += height;
    // Foot of the apex in the plane, in barycentric coordinates of the face.
    const double at_b = normal.dot((apex - pa).cross(pc - pa)) / (twice * twice), at_c = normal.dot((pb - pa).cross(apex - pa)) / (twice * twice);
    factors[static_cast<size_t>(3 + side)] = 1 / height;
    factors[0] -= (1 - at_b - at_c) / height, factors[1] -= at_b / height, factors[2] -= at_c / height;
  }
  add_square(vertices, factors, scale * 0.5 * twice * 0.25 * heights, entries);
}

void add_smoothness(const TetMesh& mesh, double smooth, std::vector<Entry>& entries) {
  std::vector<InnerFace> faces;
  double volume = 0;
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    const Tetrahedron& tet = mesh.tets[t];
    volume += std::abs(tet_volume(mesh.positions, tet));
    for (size_t k = 0; k < 4; ++k) {
      Triangle face = {tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]};
      std::sort(face.begin(), face.end());
      faces.push_back({face, tet[k], static_cast<int>(t)});
    }
  }
  std::stable_sort(faces.begin(), faces.end(), [](const InnerFace& a, const InnerFace& b) { return a.sorted < b.sorted; });
  // About the edge of a tetrahedron, squared: over it a jump of the gradient becomes a length.
  const double reach = std::pow(8.5 * volume / static_cast<double>(mesh.tets.size()), 2.0 / 3.0);
  for (size_t i = 0; i + 1 < faces.size(); ++i) {
    if (faces[i].sorted == faces[i + 1].sorted) add_face(mesh, faces[i], faces[i + 1], smooth * reach / volume, entries);
  }
}

}  // namespace

Result<std::vector<Vec3>> carry_to_tets(const TetMesh& mesh, std::span<const Tetrahedron> corners, std::span<const std::array<double, 4>> shares,
                                        std::span<const double> counts, std::span<const Vec3> points, std::span<const Vec3> shapes, int examples,
                                        const CarrySettings& settings) {
  const size_t vertices = mesh.positions.size();
  assert(shapes.size() == points.size() * static_cast<size_t>(examples) && corners.size() == points.size());
  std::vector<Entry> entries;
  for (size_t p = 0; p < corners.size(); ++p) add_square(corners[p], shares[p], counts[p], entries);
  add_smoothness(mesh, settings.smooth, entries);
  for (size_t v = 0; v < vertices; ++v) entries.push_back({static_cast<int>(v), static_cast<int>(v), kRidge / static_cast<double>(vertices)});
  const SparseMatrix plain = matrix_of(entries, static_cast<int>(vertices));
  const std::vector<int> order = elimination_order(plain, std::vector<char>(vertices, 1));
  const SparseMatrix matrix = reordered(plain, order);
  const FactorPattern pattern = factor_pattern(matrix, matrix.size);
  SparseFactor<double> factor;
  if (!factor.factorize(pattern, matrix, std::vector<char>(vertices, 1), 0)) {
    return input_error("the surface does not hold its tetrahedra well enough to carry the examples into them; use other cells");
  }
  std::vector<int> place(vertices);  // of a vertex in the order
  for (size_t i = 0; i < vertices; ++i) place[static_cast<size_t>(order[i])] = static_cast<int>(i);

  constexpr size_t kLanes = SparseFactor<double>::kLanes;
  const size_t sides = 3 * static_cast<size_t>(examples);
  std::vector<Vec3> moved(vertices * static_cast<size_t>(examples));
  for (size_t first = 0; first < sides; first += kLanes) {
    std::vector<double> lanes(vertices * kLanes, 0.0);
    const size_t here = std::min(kLanes, sides - first);
    for (size_t p = 0; p < points.size(); ++p) {
      for (size_t l = 0; l < here; ++l) {
        const size_t e = (first + l) / 3, axis = (first + l) % 3;
        const double shift = shapes[p * static_cast<size_t>(examples) + e][static_cast<long>(axis)] - points[p][static_cast<long>(axis)];
        for (size_t k = 0; k < 4; ++k)
          lanes[static_cast<size_t>(place[static_cast<size_t>(corners[p][k])]) * kLanes + l] += counts[p] * shares[p][k] * shift;
      }
    }
    factor.solve(lanes);
    for (size_t v = 0; v < vertices; ++v) {
      for (size_t l = 0; l < here; ++l) {
        const size_t e = (first + l) / 3, axis = (first + l) % 3;
        moved[v * static_cast<size_t>(examples) + e][static_cast<long>(axis)] =
            mesh.positions[v][static_cast<long>(axis)] + lanes[static_cast<size_t>(place[v]) * kLanes + l];
      }
    }
  }
  return moved;
}

}  // namespace crumple
