#include "crumple/rig/weights.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/math/union_find.h"
#include "crumple/rig/box_qp.h"

namespace crumple {
namespace {

constexpr double kDefaultResidual = 1e-5, kExactResidual = 1e-8;

/// A part of the body that no handle holds could be anywhere: its energy is flat.
Result<void> check_parts(const Elements& mesh, const std::vector<char>& fixed) {
  UnionFind parts(mesh.positions.size());
  for (size_t e = 0; e < mesh.size(); ++e) {
    for (size_t i = 1; i < mesh.each(); ++i) parts.merge(mesh[e][0], mesh[e][i]);
  }
  std::vector<char> held(mesh.positions.size(), 0);
  for (size_t v = 0; v < fixed.size(); ++v) {
    if (fixed[v]) held[static_cast<size_t>(parts.of(static_cast<int>(v)))] = 1;
  }
  for (size_t v = 0; v < fixed.size(); ++v) {
    if (held[static_cast<size_t>(parts.of(static_cast<int>(v)))]) continue;
    const Vec3& at = mesh.positions[v];
    return input_error(fmt::format("the part of the body with vertex {} at ({:.4g}, {:.4g}, {:.4g}) is connected to no handle; give it one", v,
                                   at.x(), at.y(), at.z()));
  }
  return {};
}

Result<void> check_input(const Elements& mesh, const std::vector<WeightHandle>& handles, const WeightSettings& settings) {
  if (mesh.size() == 0) return input_error(fmt::format("there are no {} to compute weights on", mesh.names()));
  if (handles.empty()) return input_error("there are no handles; weights need at least one");
  if (!(settings.smallest >= 0 && settings.smallest < 1.0 / static_cast<double>(handles.size()))) {
    return input_error(fmt::format("the smallest weight kept is {}; it must be at least 0 and less than one over the {} handles", settings.smallest,
                                   handles.size()));
  }
  if (!(settings.reach >= 0)) return input_error(fmt::format("the reach of handles is {}; it must be at least 0", settings.reach));
  return {};
}

/// Divides by the sum, drops what is small and divides again.
bool normalize_row(std::vector<double>& row, double smallest) {
  for (int pass = 0; pass < 2; ++pass) {
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum > 0)) return false;
    for (double& each : row) {
      each /= sum;
      if (pass == 0 && each < smallest) each = 0;
    }
  }
  return true;
}

Result<void> normalize(const std::vector<double>& raw, size_t handles, double smallest, std::vector<float>& weights) {
  const size_t vertices = raw.size() / handles;
  weights.resize(raw.size());
  std::vector<double> row(handles);
  for (size_t v = 0; v < vertices; ++v) {
    for (size_t h = 0; h < handles; ++h) row[h] = raw[h * vertices + v];
    if (!normalize_row(row, smallest)) return input_error(fmt::format("no handle has weight at vertex {}; put one nearer to it", v));
    for (size_t h = 0; h < handles; ++h) weights[v * handles + h] = static_cast<float>(row[h]);
  }
  return {};
}

void report(const BoxResult& solved, const std::vector<WeightHandle>& handles, std::vector<std::vector<int>> held, WeightsResult& result) {
  for (size_t h = 0; h < handles.size(); ++h) {
    const BoxReport& from = solved.reports[h];
    result.handles.push_back(
        {std::move(held[h]), from.optimality.residual, from.optimality.noise_floor, from.rounds, from.steps, from.factorizations});
    result.kkt_residual = std::max(result.kkt_residual, from.optimality.residual);
    result.noise_floor = std::max(result.noise_floor, from.optimality.noise_floor);
  }
  if (result.kkt_residual <= result.target) return;
  if (result.noise_floor > 0.1 * result.target) {
    result.warnings.push_back(
        fmt::format("the tetrahedra differ too much in size or shape to certify the weights to {:.0e}: rounding alone may leave {:.1e}, {:.1e} is "
                    "reached; more even ones can be certified",
                    result.target, result.noise_floor, result.kkt_residual));
  } else {
    result.warnings.push_back(fmt::format("the weights reach a residual of {:.1e}, not {:.0e}", result.kkt_residual, result.target));
  }
}

}  // namespace

Result<WeightsResult> compute_weights(const Elements& mesh, const std::vector<WeightHandle>& handles, const WeightSettings& settings) {
  if (Result<void> good = check_input(mesh, handles, settings); !good) return good.error();
  const Result<SparseMatrix> laplacian = cotangent_laplacian(mesh);
  if (!laplacian) return laplacian.error();
  Result<std::vector<std::vector<int>>> held = bind_handles(mesh, handles, settings.reach);
  if (!held) return held.error();
  const size_t vertices = mesh.positions.size();
  std::vector<char> fixed(vertices, 0);
  std::vector<double> start(vertices * handles.size(), 0.0);
  for (size_t h = 0; h < handles.size(); ++h) {
    for (const int v : (*held)[h]) fixed[v] = 1, start[h * vertices + static_cast<size_t>(v)] = 1;
  }
  if (Result<void> good = check_parts(mesh, fixed); !good) return good.error();

  const bool exact = settings.quality == WeightSettings::Quality::Exact;
  WeightsResult result;
  result.target = exact ? kExactResidual : kDefaultResidual;
  const double wanted = exact ? 0.1 * kExactResidual : 0.9 * kDefaultResidual;  // the rest of the target is for rounding
  Result<BoxResult> solved = minimize_in_box(*laplacian, lumped_masses(mesh, 1.0), fixed, std::move(start), wanted);
  if (!solved) return solved.error();
  report(*solved, handles, std::move(*held), result);
  if (Result<void> good = normalize(solved->values, handles.size(), settings.smallest, result.weights); !good) return good.error();
  result.raw = std::move(solved->values);
  return result;
}

}  // namespace crumple
