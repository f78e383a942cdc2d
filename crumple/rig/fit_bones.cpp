#include "crumple/rig/fit_bones.h"

#include <algorithm>

#include <Eigen/Cholesky>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

// Legend. A bone puts an observed point at R p + o t, where p is its weighted rest position and o its weight; all bones together
// sum to where it is. X: the rows R^T and t^T of all bones, so an example is (p o) X. M: sum of (p o)^T (p o). N: sum of (p o)^T y.

constexpr size_t kMaxParts = 32;  // sums made side by side before they are added up

struct Sums {
  Eigen::MatrixXd m;               // 4 bones x 4 bones
  std::vector<Eigen::MatrixXd> n;  // #examples: 4 bones x 3
  std::vector<double> goals;       // #examples: sum of |y|^2

  Sums(int bones, int examples)
      : m(Eigen::MatrixXd::Zero(4 * bones, 4 * bones)),
        n(static_cast<size_t>(examples), Eigen::MatrixXd::Zero(4 * bones, 3)),
        goals(static_cast<size_t>(examples), 0.0) {}
  void add(const Sums& other) {
    m += other.m;
    for (size_t e = 0; e < n.size(); ++e) n[e] += other.n[e], goals[e] += other.goals[e];
  }
};

/// Bones that hold an observed point.
struct Holding {
  std::vector<int> bones;
  std::vector<Eigen::Vector4d> parts;  // #bones of the problem: (p, o)

  explicit Holding(int count) : parts(static_cast<size_t>(count), Eigen::Vector4d::Zero()) {}
  void clear() {
    for (const int b : bones) parts[static_cast<size_t>(b)].setZero();
    bones.clear();
  }
  void add(int bone, double weight, const Vec3& rest) {
    Eigen::Vector4d& part = parts[static_cast<size_t>(bone)];
    if (part.isZero(0)) bones.push_back(bone);
    part += weight * rest.homogeneous();
  }
  void add_vertex(const Decomposition& state, const FitProblem& problem, size_t v, double share) {
    const auto row = state.row(v);
    for (int b = 0; b < state.bones; ++b) {
      if (row[static_cast<size_t>(b)] != 0 && share != 0) add(b, share * row[static_cast<size_t>(b)], problem.rest[v]);
    }
  }
};

void add_observation(Holding& holding, const Vec3* goals, double counts, Sums& sums) {
  std::sort(holding.bones.begin(), holding.bones.end());
  holding.bones.erase(std::unique(holding.bones.begin(), holding.bones.end()), holding.bones.end());
  for (const int b : holding.bones) {
    const Eigen::Vector4d part = counts * holding.parts[static_cast<size_t>(b)];
    for (const int c : holding.bones) sums.m.block<4, 4>(4 * b, 4 * c) += part * holding.parts[static_cast<size_t>(c)].transpose();
    for (size_t e = 0; e < sums.n.size(); ++e) sums.n[e].block<4, 3>(4 * b, 0) += part * goals[e].transpose();
  }
  for (size_t e = 0; e < sums.n.size(); ++e) sums.goals[e] += counts * goals[e].squaredNorm();
}

double hold_of(const FitProblem& problem, size_t v) {
  double hold = problem.pull[v];
  for (int k = problem.point_first[v]; k < problem.point_first[v + 1]; ++k) {
    const double share = problem.share[static_cast<size_t>(k)];
    hold += problem.importance[static_cast<size_t>(problem.point[static_cast<size_t>(k)])] * share * share;
  }
  return hold;
}

/// A vertex's own goal, and each of its bones alone against it.
void add_vertex(const FitProblem& problem, const FitTerms& terms, const Decomposition& state, size_t v, Holding& holding, Sums& sums) {
  const Vec3* goals = &problem.goals[problem.at(v, 0)];
  holding.clear();
  holding.add_vertex(state, problem, v, 1);
  add_observation(holding, goals, problem.pull[v], sums);
  const double alone = terms.rigid * hold_of(problem, v);
  const auto row = state.row(v);
  for (int b = 0; b < state.bones; ++b) {
    if (row[static_cast<size_t>(b)] == 0) continue;
    holding.clear();
    holding.add(b, 1, problem.rest[v]);
    add_observation(holding, goals, alone * row[static_cast<size_t>(b)], sums);
  }
}

Sums sum_up(const FitProblem& problem, const FitTerms& terms, const Decomposition& state) {
  const size_t points = problem.points(), count = points + problem.vertices();
  const size_t grain = std::max<size_t>(512, (count + kMaxParts - 1) / kMaxParts);
  std::vector<Sums> parts((count + grain - 1) / grain, Sums(state.bones, problem.examples));
  parallel_for(count, grain, [&](size_t begin, size_t end) {
    Holding holding(state.bones);
    Sums& sums = parts[begin / grain];
    for (size_t i = begin; i < end; ++i) {
      if (i >= points) {
        add_vertex(problem, terms, state, i - points, holding, sums);
        continue;
      }
      holding.clear();
      for (size_t k = 0; k < 4; ++k) holding.add_vertex(state, problem, static_cast<size_t>(problem.corners[i][k]), problem.shares[i][k]);
      add_observation(holding, &problem.shapes[problem.at(i, 0)], problem.importance[i], sums);
    }
  });
  Sums all(state.bones, problem.examples);
  for (const Sums& part : parts) all.add(part);
  return all;
}

/// All bones in one example.
class ExampleSolver {
 public:
  ExampleSolver(const Sums& sums, size_t example, std::vector<Transform> motions) : sums_(sums), example_(example), motions_(std::move(motions)) {}

  const std::vector<Transform>& motions() const { return motions_; }
  double error() const { return error_of(motions_); }

  /// Levenberg-Marquardt: damping falls while steps help and rises until they do.
  void improve(int steps) {
    double damping = 1e-6, now = error();
    for (int step = 0; step < steps; ++step) {
      linearize();
      bool better = false;
      for (int tries = 0; tries < 12 && !better; ++tries, damping *= better ? 0.1 : 10) {
        std::vector<Transform> candidate = stepped(damping);
        const double then = error_of(candidate);
        if (!(then < now)) continue;
        better = true;
        const bool settled = now - then < 1e-9 * now;
        motions_ = std::move(candidate), now = then;
        if (settled) return;
      }
      if (!better) return;
      damping = std::max(damping, 1e-12);
    }
  }

 private:
  int bones() const { return static_cast<int>(motions_.size()); }

  static Eigen::MatrixXd stacked(const std::vector<Transform>& motions) {
    Eigen::MatrixXd x(4 * motions.size(), 3);
    for (size_t b = 0; b < motions.size(); ++b) {
      x.block<3, 3>(4 * static_cast<long>(b), 0) = motions[b].rotation.transpose();
      x.row(4 * static_cast<long>(b) + 3) = motions[b].translation.transpose();
    }
    return x;
  }

  double error_of(const std::vector<Transform>& motions) const {
    const Eigen::MatrixXd x = stacked(motions);
    return sums_.goals[example_] + (x.cwiseProduct(sums_.m * x - 2 * sums_.n[example_])).sum();
  }

  /// Turning bone b by a small vector w moves its part a = R p of a point by w x a.
  void linearize() {
    const Eigen::MatrixXd left = sums_.n[example_] - sums_.m * stacked(motions_);  // sum of (p o)^T residual
    normal_.resize(6 * bones(), 6 * bones());
    slope_.resize(6 * bones());
    for (int b = 0; b < bones(); ++b) {
      const Mat3& r = motions_[static_cast<size_t>(b)].rotation;
      const Mat3 z = r * left.block<3, 3>(4 * b, 0);
      slope_.segment<3>(6 * b) = Vec3(z(1, 2) - z(2, 1), z(2, 0) - z(0, 2), z(0, 1) - z(1, 0));
      slope_.segment<3>(6 * b + 3) = left.row(4 * b + 3).transpose();
      for (int c = 0; c < bones(); ++c) {
        const Mat3& q = motions_[static_cast<size_t>(c)].rotation;
        const Mat3 both = r * sums_.m.block<3, 3>(4 * b, 4 * c) * q.transpose();
        normal_.block<3, 3>(6 * b, 6 * c) = both.trace() * Mat3::Identity() - both.transpose();
        normal_.block<3, 3>(6 * b, 6 * c + 3) = cross_matrix(r * sums_.m.block<3, 1>(4 * b, 4 * c + 3));
        normal_.block<3, 3>(6 * b + 3, 6 * c) = -cross_matrix(q * sums_.m.block<1, 3>(4 * b + 3, 4 * c).transpose());
        normal_.block<3, 3>(6 * b + 3, 6 * c + 3) = sums_.m(4 * b + 3, 4 * c + 3) * Mat3::Identity();
      }
    }
  }

  std::vector<Transform> stepped(double damping) const {
    Eigen::MatrixXd damped = normal_;
    damped.diagonal() += damping * normal_.diagonal() + Eigen::VectorXd::Constant(damped.rows(), 1e-14 * normal_.diagonal().maxCoeff() + 1e-300);
    const Eigen::VectorXd step = damped.ldlt().solve(slope_);
    std::vector<Transform> result = motions_;
    for (int b = 0; b < bones(); ++b) {
      Transform& motion = result[static_cast<size_t>(b)];
      const Vec3 turn = step.segment<3>(6 * b);
      const double angle = turn.norm();
      if (angle > 1e-300)
        motion.rotation = Quat(Quat(Eigen::AngleAxisd(angle, turn / angle)) * Quat(motion.rotation)).normalized().toRotationMatrix();
      motion.translation += step.segment<3>(6 * b + 3);
    }
    return result;
  }

  const Sums& sums_;
  size_t example_;
  std::vector<Transform> motions_;
  Eigen::MatrixXd normal_;
  Eigen::VectorXd slope_;
};

std::vector<Transform> motions_of(const FitProblem& problem, const Decomposition& state, int example) {
  std::vector<Transform> motions;
  for (int b = 0; b < state.bones; ++b) motions.push_back(state.motion(b, example, problem.examples));
  return motions;
}

}  // namespace

void improve_motions(const FitProblem& problem, const FitTerms& terms, int steps, Decomposition& state) {
  const Sums sums = sum_up(problem, terms, state);
  parallel_for(static_cast<size_t>(problem.examples), 1, [&](size_t begin, size_t end) {
    for (size_t e = begin; e < end; ++e) {
      ExampleSolver solver(sums, e, motions_of(problem, state, static_cast<int>(e)));
      solver.improve(steps);
      for (int b = 0; b < state.bones; ++b) state.motion(b, static_cast<int>(e), problem.examples) = solver.motions()[static_cast<size_t>(b)];
    }
  });
  move_all(problem, state);
}

double motions_error(const FitProblem& problem, const FitTerms& terms, const Decomposition& state, int example) {
  const Sums sums = sum_up(problem, terms, state);
  return ExampleSolver(sums, static_cast<size_t>(example), motions_of(problem, state, example)).error();
}

}  // namespace crumple
