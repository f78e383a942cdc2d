#include "crumple/rig/fit_problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

void link_neighbors(FitProblem& problem, const std::vector<Tetrahedron>& tets) {
  std::vector<std::pair<int, int>> edges;
  for (const Tetrahedron& tet : tets) {
    for (const int a : tet) {
      for (const int b : tet) {
        if (a != b) edges.emplace_back(a, b);
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  problem.neighbor_first.assign(problem.vertices() + 1, 0);
  for (const auto& [a, b] : edges) {
    ++problem.neighbor_first[static_cast<size_t>(a) + 1];
    problem.neighbor.push_back(b);
  }
  for (size_t v = 0; v < problem.vertices(); ++v) problem.neighbor_first[v + 1] += problem.neighbor_first[v];
}

void link_points(FitProblem& problem) {
  problem.point_first.assign(problem.vertices() + 1, 0);
  for (const Tetrahedron& tet : problem.corners) {
    for (const int v : tet) ++problem.point_first[static_cast<size_t>(v) + 1];
  }
  for (size_t v = 0; v < problem.vertices(); ++v) problem.point_first[v + 1] += problem.point_first[v];
  problem.point.resize(4 * problem.points());
  problem.share.resize(4 * problem.points());
  std::vector<int> next(problem.point_first.begin(), problem.point_first.end() - 1);
  for (size_t p = 0; p < problem.points(); ++p) {
    for (size_t k = 0; k < 4; ++k) {
      const int place = next[static_cast<size_t>(problem.corners[p][k])]++;
      problem.point[static_cast<size_t>(place)] = static_cast<int>(p);
      problem.share[static_cast<size_t>(place)] = problem.shares[p][k];
    }
  }
}

/// Greedy colouring: each vertex joins the first group that none of its neighbours is in.
void group_vertices(FitProblem& problem) {
  std::vector<int> group(problem.vertices(), -1);
  std::vector<char> taken;
  for (size_t v = 0; v < problem.vertices(); ++v) {
    taken.assign(problem.groups.size() + 1, 0);
    for (int k = problem.neighbor_first[v]; k < problem.neighbor_first[v + 1]; ++k) {
      const int other = group[static_cast<size_t>(problem.neighbor[static_cast<size_t>(k)])];
      if (other >= 0) taken[static_cast<size_t>(other)] = 1;
    }
    group[v] = static_cast<int>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
    if (static_cast<size_t>(group[v]) == problem.groups.size()) problem.groups.emplace_back();
    problem.groups[static_cast<size_t>(group[v])].push_back(static_cast<int>(v));
  }
}

}  // namespace

void link_problem(FitProblem& problem, const std::vector<Tetrahedron>& tets) {
  link_neighbors(problem, tets);
  link_points(problem);
  group_vertices(problem);
}

void move_all(const FitProblem& problem, Decomposition& state) {
  const int examples = problem.examples;
  state.moved.assign(problem.vertices() * static_cast<size_t>(examples), Vec3::Zero());
  state.surface.assign(problem.points() * static_cast<size_t>(examples), Vec3::Zero());
  parallel_for(problem.vertices(), 256, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      const auto row = state.row(v);
      for (int b = 0; b < state.bones; ++b) {
        if (row[static_cast<size_t>(b)] == 0) continue;
        for (int e = 0; e < examples; ++e)
          state.moved[problem.at(v, e)] += row[static_cast<size_t>(b)] * (state.motion(b, e, examples) * problem.rest[v]);
      }
    }
  });
  parallel_for(problem.points(), 256, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      for (size_t k = 0; k < 4; ++k) {
        for (int e = 0; e < examples; ++e) {
          state.surface[problem.at(p, e)] += problem.shares[p][k] * state.moved[problem.at(static_cast<size_t>(problem.corners[p][k]), e)];
        }
      }
    }
  });
}

double surface_rms(const FitProblem& problem, const Decomposition& state, int example) {
  double worst = 0;
  for (int e = std::max(example, 0); e < (example < 0 ? problem.examples : example + 1); ++e) {
    double sum = 0;
    for (size_t p = 0; p < problem.points(); ++p) {
      sum += problem.importance[p] * (state.surface[problem.at(p, e)] - problem.shapes[problem.at(p, e)]).squaredNorm();
    }
    worst = std::max(worst, sum);
  }
  return std::sqrt(worst);
}

Transform nearest_rigid(std::span<const Vec3> from, std::span<const Vec3> to, std::span<const double> weights) {
  assert(from.size() == to.size() && from.size() == weights.size());
  double all = 0;
  Vec3 from_center = Vec3::Zero(), to_center = Vec3::Zero();
  for (size_t i = 0; i < from.size(); ++i) all += weights[i], from_center += weights[i] * from[i], to_center += weights[i] * to[i];
  if (!(all > 0)) return {};
  from_center /= all, to_center /= all;
  Mat3 cross = Mat3::Zero();
  for (size_t i = 0; i < from.size(); ++i) cross += weights[i] * (to[i] - to_center) * (from[i] - from_center).transpose();
  const Eigen::JacobiSVD<Mat3> svd(cross, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 sign = Vec3::Ones();
  if (svd.matrixU().determinant() * svd.matrixV().determinant() < 0) sign.z() = -1;
  Transform rigid;
  rigid.rotation = svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
  rigid.translation = to_center - rigid.rotation * from_center;
  return rigid;
}

}  // namespace crumple
