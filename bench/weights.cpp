#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/geometry/extrude.h"
#include "bench/bench.h"
#include "crumple/core/timer.h"
#include "crumple/geometry/lattice.h"
#include "crumple/rig/pose.h"
#include "crumple/rig/weights.h"

namespace crumple::bench {
namespace {

using Quality = WeightSettings::Quality;

struct Size {
  int rings, levels, handles;
};
// 1,820 and 4,732 vertices.
constexpr Size kSizes[] = {{5, 20, 12}, {7, 28, 32}, {7, 28, 64}};
constexpr Size kPosed = {5, 22, 32};  // 2,002 vertices

TetMesh make_drum(const Size& size) {
  return extrude(make_disc(0.29, size.rings), even_heights(0.88, size.levels - 1));
}

/// Vertices as far from one another as they can be, one after the other.
std::vector<Vec3> spread_places(const TetMesh& mesh, int count) {
  std::vector<Vec3> places;
  std::vector<double> distance(mesh.positions.size(), 1e300);
  size_t next = 0;
  for (int h = 0; h < count; ++h) {
    places.push_back(mesh.positions[next]);
    for (size_t v = 0; v < distance.size(); ++v) distance[v] = std::min(distance[v], (mesh.positions[v] - places.back()).norm());
    next = static_cast<size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  }
  return places;
}

std::vector<WeightHandle> points_at(const std::vector<Vec3>& places) {
  std::vector<WeightHandle> handles;
  for (const Vec3& place : places) handles.push_back({"", PointHandle{place}});
  return handles;
}

struct Measured {
  double cpu = 1e300, wall = 1e300;
  WeightsResult result;
};

Result<Measured> measure(const TetMesh& mesh, const std::vector<WeightHandle>& handles, Quality quality, int runs) {
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

/// Weights of a solid drum at both qualities: least CPU seconds of all threads, from mesh and handles to finished weights.
Result<void> measure_weights(const Size& size, Json& json) {
  const TetMesh mesh = make_drum(size);
  const std::vector<WeightHandle> handles = points_at(spread_places(mesh, size.handles));
  const Result<Measured> usual = measure(mesh, handles, Quality::Default, 7), exact = measure(mesh, handles, Quality::Exact, 5);
  if (!usual) return usual.error();
  if (!exact) return exact.error();
  const std::string suffix = fmt::format("_{}_{}", mesh.positions.size() < 3000 ? 1800 : 4700, size.handles);
  json["vertices" + suffix] = mesh.positions.size();
  json["tetrahedra" + suffix] = mesh.tets.size();
  json["bbw_s" + suffix] = usual->cpu;
  json["bbw_wall_s" + suffix] = usual->wall;
  json["kkt_residual" + suffix] = usual->result.kkt_residual;
  json["bbw_exact_s" + suffix] = exact->cpu;
  json["bbw_exact_wall_s" + suffix] = exact->wall;
  json["kkt_residual_exact" + suffix] = exact->result.kkt_residual;
  json["max_difference" + suffix] = greatest_difference(usual->result.weights, exact->result.weights);
  return {};
}

/// Tetrahedra a CPU second, from a closed surface.
Result<void> measure_mesher(Json& json) {
  const TriMesh surface = make_cylinder(0.29, 0.88);
  double least = 1e300;
  LatticeReport report;
  for (int i = 0; i < 3; ++i) {
    const double start = cpu_seconds();
    if (Result<TetMesh> mesh = fill_with_tets(surface, {.cells = 18}, report); !mesh) return mesh.error();
    least = std::min(least, cpu_seconds() - start);
  }
  json["mesh_tets"] = report.tets;
  json["mesh_tets_per_s"] = static_cast<double>(report.tets) / least;
  return {};
}

Result<Asset> posed_drum() {
  Asset asset;
  asset.name = "drum";
  asset.tets = make_drum(kPosed);
  const std::vector<Vec3> places = spread_places(asset.tets, kPosed.handles);
  for (const Vec3& place : places) asset.handles.push_back({fmt::format("{}", asset.handles.size()), place});
  Result<WeightsResult> weights = compute_weights(asset.tets, points_at(places));
  if (!weights) return weights.error();
  asset.weights = std::move(weights->weights);
  asset.examples = {{"rest", std::vector<HandleTransform>(places.size())}};
  asset.surface.positions = asset.tets.positions;
  asset.surface.triangles = boundary_faces(asset.tets);
  return asset;
}

/// One handle of a drum is dragged inward in twenty steps of a centimetre; each starts from the pose of the last.
Result<void> measure_poses(Json& json) {
  constexpr int kDrags = 20, kHandle = 7;
  const Result<Asset> asset = posed_drum();
  if (!asset) return asset.error();
  const double start = cpu_seconds();
  const Poser poser(*asset);
  const double built = cpu_seconds();
  std::vector<HandleTransform> pose;
  double longest = 0;
  for (int i = 1; i <= kDrags; ++i) {
    const PoseGoal goal{.handle = kHandle, .move = -0.01 * i * asset->handles[kHandle].position.normalized(), .turn = {}};
    const double before = cpu_seconds();
    pose = poser.solve(std::span(&goal, 1), pose);
    longest = std::max(longest, cpu_seconds() - before);
  }
  json["pose_build_s"] = built - start;
  json["pose_ms"] = (cpu_seconds() - built) / kDrags * 1e3;
  json["pose_longest_ms"] = longest * 1e3;
  return {};
}

}  // namespace

Result<Json> run_weights(const Request&) {
  Json json = Json::object({});
  for (const Size& size : kSizes) {
    if (Result<void> done = measure_weights(size, json); !done) return done.error();
  }
  if (Result<void> done = measure_mesher(json); !done) return done.error();
  if (Result<void> done = measure_poses(json); !done) return done.error();
  return json;
}

}  // namespace crumple::bench
