#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/generator/solid.h"
#include "bench/bench.h"
#include "crumple/core/timer.h"
#include "crumple/rig/weights.h"

namespace crumple::bench {
namespace {

struct Size {
  int rings, levels, handles;
};
// 1,820 and 4,732 vertices.
constexpr Size kSizes[] = {{5, 20, 12}, {7, 28, 32}, {7, 28, 64}};

TetMesh make_drum(const Size& size) {
  return generator::extrude(generator::make_disc(0.29, size.rings), generator::even_heights(0.88, size.levels - 1));
}

/// Handles as far from one another as they can be, one after the other.
std::vector<WeightHandle> spread_handles(const TetMesh& mesh, int count) {
  std::vector<WeightHandle> handles;
  std::vector<double> distance(mesh.positions.size(), 1e300);
  size_t next = 0;
  for (int h = 0; h < count; ++h) {
    const Vec3 at = mesh.positions[next];
    handles.push_back({"", PointHandle{at}});
    for (size_t v = 0; v < distance.size(); ++v) distance[v] = std::min(distance[v], (mesh.positions[v] - at).norm());
    next = static_cast<size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  }
  return handles;
}

struct Measured {
  double cpu = 1e300, wall = 1e300;
  WeightsResult result;
};

Result<Measured> measure(const TetMesh& mesh, const std::vector<WeightHandle>& handles, WeightSettings::Quality quality, int runs) {
  Measured best;
  for (int i = 0; i < runs; ++i) {
    const double cpu = cpu_seconds(), wall = wall_seconds();
    Result<WeightsResult> result = compute_weights(mesh, handles, {.quality = quality});
    if (!result) return result.error();
    best.cpu = std::min(best.cpu, cpu_seconds() - cpu);
    best.wall = std::min(best.wall, wall_seconds() - wall);
    best.result = std::move(*result);
  }
  return best;
}

double greatest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double greatest = 0;
  for (size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, static_cast<double>(std::abs(a[i] - b[i])));
  return greatest;
}

}  // namespace

/// Weights of solid drums at both qualities: least CPU seconds of all threads, from mesh and handles to finished weights.
Result<Json> run_weights() {
  Json json = Json::object({});
  for (const Size& size : kSizes) {
    const TetMesh mesh = make_drum(size);
    const std::vector<WeightHandle> handles = spread_handles(mesh, size.handles);
    Result<Measured> usual = measure(mesh, handles, WeightSettings::Quality::Default, 5);
    if (!usual) return usual.error();
    Result<Measured> exact = measure(mesh, handles, WeightSettings::Quality::Exact, 3);
    if (!exact) return exact.error();
    const std::string suffix = fmt::format("_{}_{}", mesh.positions.size() < 3000 ? 1800 : 4700, size.handles);
    json["vertices" + suffix] = mesh.positions.size();
    json["tetrahedra" + suffix] = mesh.tets.size();
    json["bbw_s" + suffix] = usual->cpu;
    json["bbw_wall_s" + suffix] = usual->wall;
    json["bbw_kkt_residual" + suffix] = usual->result.kkt_residual;
    json["bbw_exact_s" + suffix] = exact->cpu;
    json["bbw_exact_wall_s" + suffix] = exact->wall;
    json["kkt_residual" + suffix] = exact->result.kkt_residual;
    json["max_difference" + suffix] = greatest_difference(usual->result.weights, exact->result.weights);
  }
  return json;
}

}  // namespace crumple::bench
