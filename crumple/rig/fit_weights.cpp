#include "crumple/rig/fit_weights.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include <Eigen/Cholesky>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

/// The bones above zero, and the solution of the problem that has no others and no bounds.
class ActiveSet {
 public:
  ActiveSet(const BoneMatrix& hessian, const BoneVector& linear, std::span<double> weights) : hessian_(hessian), linear_(linear), weights_(weights) {
    for (int b = 0; b < hessian.rows(); ++b) {
      if (weights[static_cast<size_t>(b)] > 0) members_[count_++] = b;
    }
  }

  int count() const { return count_; }

  /// Goes to the minimum over the members, leaving out those that would fall below zero.
  void settle() {
    for (int tries = 0; tries <= kMaxBones && count_ > 0; ++tries) {
      const BoneVector best = solve();
      double step = 1;
      for (int i = 0; i < count_; ++i) {
        const double now = weight(i);
        if (best[i] <= 0) step = std::min(step, now / (now - best[i]));
      }
      int kept = 0;
      for (int i = 0; i < count_; ++i) {
        double& now = weight(i);
        now += step * (best[i] - now);
        if (best[i] <= 0 && now <= 1e-14) {
          now = 0;
        } else {
          members_[kept++] = members_[i];
        }
      }
      const bool done = kept == count_;
      count_ = kept;
      if (done && step == 1) return;
    }
  }

  /// Takes in the bone that promises most. False if none does.
  bool grow() {
    const Eigen::Map<const Eigen::VectorXd> all(weights_.data(), static_cast<long>(weights_.size()));
    const BoneVector slope = hessian_ * all - linear_;
    int best = -1;
    double least = -1e-12 * (1 + linear_.cwiseAbs().maxCoeff());
    for (int b = 0; b < hessian_.rows(); ++b) {
      if (weights_[static_cast<size_t>(b)] > 0) continue;
      if (slope[b] + multiplier_ < least) least = slope[b] + multiplier_, best = b;
    }
    if (best < 0) return false;
    members_[count_++] = best;
    return true;
  }

  void keep_largest(int most) {
    std::stable_sort(members_.begin(), members_.begin() + count_,
                     [&](int a, int b) { return weights_[static_cast<size_t>(a)] > weights_[static_cast<size_t>(b)]; });
    double sum = 0;
    for (int i = 0; i < most; ++i) sum += weight(i);
    for (int i = 0; i < count_; ++i) weight(i) = i < most ? weight(i) / sum : 0;
    count_ = most;
  }

 private:
  double& weight(int member) { return weights_[static_cast<size_t>(members_[static_cast<size_t>(member)])]; }

  BoneVector solve() {
    BoneMatrix inner(count_, count_);
    BoneVector pull(count_);
    for (int i = 0; i < count_; ++i) {
      pull[i] = linear_[members_[static_cast<size_t>(i)]];
      for (int j = 0; j < count_; ++j) inner(i, j) = hessian_(members_[static_cast<size_t>(i)], members_[static_cast<size_t>(j)]);
    }
    const Eigen::LLT<BoneMatrix> factor(inner);
    const BoneVector free = factor.solve(pull), ones = factor.solve(BoneVector::Ones(count_));
    multiplier_ = (free.sum() - 1) / ones.sum();
    return free - multiplier_ * ones;
  }

  const BoneMatrix& hessian_;
  const BoneVector& linear_;
  std::span<double> weights_;
  std::array<int, kMaxBones> members_{};
  int count_ = 0;
  double multiplier_ = 0;
};

/// One vertex's problem: |A w - y|^2 + smooth |w - w_mean|^2 + rigid sum_b w_b |A_b - goal|^2, where column b of A is where bone b alone
/// would take the vertex in all examples.
class VertexSolver {
 public:
  VertexSolver(const FitProblem& problem, const FitTerms& terms, Decomposition& state)
      : problem_(problem), terms_(terms), state_(state), rows_(3 * problem.examples), places_(rows_, state.bones), target_(rows_), goal_(rows_) {}

  void solve(size_t v) {
    const double hold = find_target(v);
    for (int b = 0; b < state_.bones; ++b) {
      for (int e = 0; e < problem_.examples; ++e) places_.col(b).segment<3>(3 * e) = state_.motion(b, e, problem_.examples) * problem_.rest[v];
    }
    // With weights of sum 1 the target may be taken off every column, which saves digits.
    offsets_ = places_.colwise() - target_;
    hessian_.noalias() = offsets_.transpose() * offsets_;
    linear_ = -0.5 * terms_.rigid * (places_.colwise() - goal_).colwise().squaredNorm().transpose();
    const double trace = hessian_.trace();
    add_smoothness(v, hold);
    hessian_.diagonal().array() += 1e-12 * trace + 1e-15;
    minimize_on_simplex(hessian_, linear_, terms_.influences, state_.row(v));
    move(v);
  }

 private:
  /// Where the surface wants the vertex to be, if all others stay, and its own goal with what that counts. Gives how much both count.
  double find_target(size_t v) {
    const int examples = problem_.examples;
    double by_surface = 0;
    wanted_.setZero(rows_);
    for (int k = problem_.point_first[v]; k < problem_.point_first[v + 1]; ++k) {
      const auto p = static_cast<size_t>(problem_.point[static_cast<size_t>(k)]);
      const double share = problem_.share[static_cast<size_t>(k)], counts = problem_.importance[p] * share;
      by_surface += counts * share;
      for (int e = 0; e < examples; ++e)
        wanted_.segment<3>(3 * e) += counts * (problem_.shapes[problem_.at(p, e)] - state_.surface[problem_.at(p, e)]);
    }
    const double hold = by_surface + problem_.pull[v];
    for (int e = 0; e < examples; ++e) {
      goal_.segment<3>(3 * e) = problem_.goals[problem_.at(v, e)];
      target_.segment<3>(3 * e) =
          (wanted_.segment<3>(3 * e) + by_surface * state_.moved[problem_.at(v, e)] + problem_.pull[v] * problem_.goals[problem_.at(v, e)]) / hold;
    }
    return hold;
  }

  void add_smoothness(size_t v, double hold) {
    const int first = problem_.neighbor_first[v], last = problem_.neighbor_first[v + 1];
    const double each = terms_.smooth / (hold * static_cast<double>(problem_.vertices()) * 14);
    for (int k = first; k < last; ++k) {
      const auto row = state_.row(static_cast<size_t>(problem_.neighbor[static_cast<size_t>(k)]));
      linear_ += each * Eigen::Map<const Eigen::VectorXd>(row.data(), state_.bones);
    }
    hessian_.diagonal().array() += each * (last - first);
  }

  void move(size_t v) {
    const auto row = state_.row(v);
    wanted_.noalias() = places_ * Eigen::Map<const Eigen::VectorXd>(row.data(), state_.bones);
    for (int e = 0; e < problem_.examples; ++e) {
      Vec3& now = state_.moved[problem_.at(v, e)];
      const Vec3 step = wanted_.segment<3>(3 * e) - now;
      now += step;
      for (int k = problem_.point_first[v]; k < problem_.point_first[v + 1]; ++k) {
        state_.surface[problem_.at(static_cast<size_t>(problem_.point[static_cast<size_t>(k)]), e)] += problem_.share[static_cast<size_t>(k)] * step;
      }
    }
  }

  const FitProblem& problem_;
  const FitTerms& terms_;
  Decomposition& state_;
  int rows_;
  Eigen::MatrixXd places_, offsets_;
  Eigen::VectorXd target_, goal_, wanted_;
  BoneMatrix hessian_;
  BoneVector linear_;
};

}  // namespace

void minimize_on_simplex(const BoneMatrix& hessian, const BoneVector& linear, int most, std::span<double> weights) {
  assert(hessian.rows() == linear.size() && static_cast<size_t>(linear.size()) == weights.size());
  ActiveSet set(hessian, linear, weights);
  set.settle();
  for (int rounds = 0; rounds < 4 * kMaxBones && set.grow(); ++rounds) set.settle();
  if (set.count() > most) {
    set.keep_largest(most);
    set.settle();
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

void sweep_weights(const FitProblem& problem, const FitTerms& terms, Decomposition& state) {
  for (const std::vector<int>& group : problem.groups) {
    parallel_for(group.size(), 64, [&](size_t begin, size_t end) {
      VertexSolver solver(problem, terms, state);
      for (size_t i = begin; i < end; ++i) solver.solve(static_cast<size_t>(group[i]));
    });
  }
}

}  // namespace crumple
