#include "crumple/rig/cell_choice.h"

#include <algorithm>
#include <cmath>

#include "crumple/geometry/thickness.h"

namespace crumple {
namespace {

constexpr int kFewestCells = 14;  // along the longest side
constexpr int kMaxCells = 1000;
constexpr double kFewestTets = 6000;  // fewer look coarse when they bend, and are no faster
constexpr double kAcross = 1.5;       // cells that thin parts should have across
constexpr size_t kSamples = 8000;
constexpr double kStep = 1.02;  // between sizes tried

double surface_area(const TriMesh& mesh) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    area += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return area;
}

/// A lattice has twelve tetrahedra a cube; what is thinner than a cell becomes about one and a half thick.
double expected_tets(double volume, double area, double cell) {
  return 12 * std::max(std::abs(volume), 0.5 * area * 1.6 * cell) / (cell * cell * cell);
}

/// The thickness that all but `allowed` of the surface has, or `limit` if that is less.
double thickness_of_most(const TriMesh& surface, double limit, double allowed) {
  const WindingTree winding(surface.positions, surface.triangles);
  const std::vector<SurfaceSample> all = sample_surface(surface, 0.5 * limit, kSamples);
  std::vector<SurfaceSample> samples;
  for (size_t i = 0; i < all.size(); i += all.size() / kSamples + 1) samples.push_back(all[i]);
  return std::min(limit, measure_thickness(winding, samples, limit, allowed).needed);
}

}  // namespace

CellChoice choose_cell(const TriMesh& surface, double volume, double thin_allowed, size_t most_tets) {
  const Bounds bounds = bounds_of(surface.positions);
  const double longest = (bounds.high - bounds.low).maxCoeff(), area = surface_area(surface);
  const auto tets = [&](double cell) { return expected_tets(volume, area, cell); };
  CellChoice choice;
  choice.cell = longest / kFewestCells;
  while (tets(choice.cell) < kFewestTets && choice.cell > longest / kMaxCells) choice.cell /= kStep;
  choice.wanted = std::min(choice.cell, 0.98 * thickness_of_most(surface, kAcross * choice.cell, thin_allowed) / kAcross);
  choice.wanted_tets = tets(choice.wanted);
  const double most = static_cast<double>(most_tets);
  while (tets(choice.cell) > most) choice.cell *= kStep;
  while (choice.cell > choice.wanted && choice.cell > longest / kMaxCells && tets(choice.cell / kStep) <= most) choice.cell /= kStep;
  choice.cell = std::max(choice.cell, choice.wanted);
  return choice;
}

}  // namespace crumple
