#include <algorithm>
#include <cmath>

#include "crumple/geometry/mesh_topology.h"
#include "crumple/geometry/winding.h"

namespace crumple {
namespace {

constexpr double kRoundEnough = 0.02;  // volume over area^1.5 (a sphere has 0.094): below, an open shell has no outside

Vec3 area_of(const TriMesh& mesh, size_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  return 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]);
}

Vec3 middle_of(const TriMesh& mesh, size_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  return (mesh.positions[a] + mesh.positions[b] + mesh.positions[c]) / 3.0;
}

void keep_cavities(const TriMesh& mesh, const Shells& shells, std::vector<char>& inward) {
  if (std::all_of(inward.begin(), inward.end(), [](char c) { return c == 0; })) return;
  std::vector<Triangle> outer;
  std::vector<int> example(inward.size(), -1);
  for (size_t t = mesh.triangles.size(); t-- > 0;) {
    const int shell = shells.shell_of[t];
    if (inward[shell] == 0) outer.push_back(mesh.triangles[t]);
    example[shell] = mesh.triangles[t][0];
  }
  const WindingTree winding(mesh.positions, outer);
  for (size_t s = 0; s < inward.size(); ++s) {
    if (inward[s] != 0 && winding.inside(mesh.positions[example[s]])) inward[s] = 0;
  }
}

}  // namespace

std::vector<char> inward_shells(const TriMesh& mesh, const Shells& shells) {
  const size_t count = shells.count();
  std::vector<double> volume(count, 0.0), surface(count, 0.0);
  std::vector<Vec3> center(count, Vec3::Zero());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const double size = area_of(mesh, t).norm();
    surface[shells.shell_of[t]] += size, center[shells.shell_of[t]] += size * middle_of(mesh, t);
  }
  for (size_t s = 0; s < count; ++s) center[s] /= std::max(surface[s], 1e-300);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    volume[shells.shell_of[t]] += area_of(mesh, t).dot(middle_of(mesh, t) - center[shells.shell_of[t]]) / 3;
  }
  std::vector<char> inward(count, 0);
  for (size_t s = 0; s < count; ++s) {
    const double least = shells.open[s] ? kRoundEnough * std::pow(surface[s], 1.5) : 0;
    inward[s] = volume[s] < -least && !shells.one_sided[s];
  }
  keep_cavities(mesh, shells, inward);
  return inward;
}

}  // namespace crumple
