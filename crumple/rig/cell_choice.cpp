#include "crumple/rig/cell_choice.h"

#include <algorithm>
#include <cmath>

#include "crumple/geometry/thickness.h"

namespace crumple {
namespace {

constexpr int kFewestCells = 14;  // along the longest side
constexpr int kMostCells = 1000;
constexpr size_t kSamples = 20000;
constexpr double kStep = 1.02;  // between sizes tried

double surface_area(const TriMesh& mesh) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    area += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return area;
}

/// A lattice has twelve tetrahedra a cube; trimming makes more of them, and thickened parts are about a cell thick.
double expected_tets(double volume, double area, double cell) {
  return 12 * (std::abs(volume) + 0.5 * area * cell) / (cell * cell * cell);
}

}  // namespace

CellChoice choose_cell(const TriMesh& surface, double volume, double thin_allowed, size_t most_tets) {
  const Bounds bounds = bounds_of(surface.positions);
  const double longest = (bounds.high - bounds.low).maxCoeff(), coarsest = longest / kFewestCells;
  const TriangleTree tree(surface.positions, surface.triangles);
  const WindingTree winding(surface.positions, surface.triangles);
  const std::vector<SurfaceSample> all = sample_surface(surface, 0.5 * coarsest, kSamples);
  std::vector<SurfaceSample> samples;
  for (size_t i = 0; i < all.size(); i += all.size() / kSamples + 1) samples.push_back(all[i]);
  const double area = surface_area(surface), most = static_cast<double>(most_tets);
  CellChoice choice;
  choice.wanted = std::min(coarsest, 0.98 * measure_thickness(tree, winding, samples, coarsest, thin_allowed).needed);
  choice.wanted_tets = expected_tets(volume, area, choice.wanted);
  choice.cell = coarsest;
  while (choice.cell > choice.wanted && choice.cell > longest / kMostCells && expected_tets(volume, area, choice.cell / kStep) <= most)
    choice.cell /= kStep;
  choice.cell = std::max(choice.cell, choice.wanted);
  return choice;
}

}  // namespace crumple
