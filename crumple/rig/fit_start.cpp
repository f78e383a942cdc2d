#include "crumple/rig/fit_start.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

constexpr int kRounds = 6;  // of choosing parts anew after a split

double alone_error(const FitProblem& problem, const Decomposition& state, int bone, size_t v) {
  double error = 0;
  for (int e = 0; e < problem.examples; ++e)
    error += (state.motion(bone, e, problem.examples) * problem.rest[v] - problem.goals[problem.at(v, e)]).squaredNorm();
  return error;
}

/// The vertices nearest to one along edges, ring by ring, at least `count` of them if there are.
std::vector<int> around(const FitProblem& problem, int seed, size_t count) {
  std::vector<int> found = {seed};
  std::vector<char> seen(problem.vertices(), 0);
  seen[static_cast<size_t>(seed)] = 1;
  for (size_t ring = 0; found.size() < count && ring < found.size();) {
    const size_t end = found.size();
    for (; ring < end; ++ring) {
      const auto v = static_cast<size_t>(found[ring]);
      for (int k = problem.neighbor_first[v]; k < problem.neighbor_first[v + 1]; ++k) {
        const int next = problem.neighbor[static_cast<size_t>(k)];
        if (!std::exchange(seen[static_cast<size_t>(next)], 1)) found.push_back(next);
      }
    }
  }
  return found;
}

void set_motion_from(const FitProblem& problem, const std::vector<int>& members, int bone, Decomposition& state) {
  std::vector<Vec3> from, to;
  for (const int v : members) from.push_back(problem.rest[static_cast<size_t>(v)]);
  const std::vector<double> counts(members.size(), 1.0);
  for (int e = 0; e < problem.examples; ++e) {
    to.clear();
    for (const int v : members) to.push_back(problem.goals[problem.at(static_cast<size_t>(v), e)]);
    state.motion(bone, e, problem.examples) = nearest_rigid(from, to, counts);
  }
}

size_t seed_size(const FitProblem& problem, int bones) {
  return std::clamp<size_t>(problem.vertices() / static_cast<size_t>(6 * bones), 8, 200);
}

/// Parts of vertices that follow one bone each.
class Parts {
 public:
  Parts(const FitProblem& problem, int bones) : problem_(problem), part_(problem.vertices(), 0), error_(problem.vertices(), 0.0) {
    state_.motions.resize(static_cast<size_t>(bones) * static_cast<size_t>(problem.examples));
    state_.bones = 1;
    refit();
    measure();
  }
  int count() const { return state_.bones; }

  /// False if there is nothing left to split.
  bool split(int choice) {
    const int seed = find_seed(choice);
    if (seed < 0) return false;
    set_motion_from(problem_, around(problem_, seed, seed_size(problem_, state_.bones + 1)), state_.bones, state_);
    ++state_.bones;
    for (int round = 0; round < kRounds && assign(); ++round) refit();
    measure();
    return true;
  }

  Decomposition take() {
    const auto bones = static_cast<size_t>(state_.bones);
    state_.motions.resize(bones * static_cast<size_t>(problem_.examples));
    state_.weights.assign(problem_.vertices() * bones, 0.0);
    for (size_t v = 0; v < part_.size(); ++v) state_.weights[v * bones + static_cast<size_t>(part_[v])] = 1;
    move_all(problem_, state_);
    return std::move(state_);
  }

 private:
  void refit() {
    std::vector<std::vector<int>> members(static_cast<size_t>(state_.bones));
    for (size_t v = 0; v < part_.size(); ++v) members[static_cast<size_t>(part_[v])].push_back(static_cast<int>(v));
    for (int b = 0; b < state_.bones; ++b) {
      if (members[static_cast<size_t>(b)].size() >= 4) set_motion_from(problem_, members[static_cast<size_t>(b)], b, state_);
    }
  }

  void measure() {
    for (size_t v = 0; v < part_.size(); ++v) error_[v] = alone_error(problem_, state_, part_[v], v);
  }

  bool assign() {
    std::vector<char> changed(part_.size(), 0);
    parallel_for(part_.size(), 256, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        int best = part_[v];
        double least = alone_error(problem_, state_, best, v);
        for (int b = 0; b < state_.bones; ++b) {
          const double error = alone_error(problem_, state_, b, v);
          if (error < least) least = error, best = b;
        }
        changed[v] = best != part_[v];
        part_[v] = best;
      }
    });
    return std::find(changed.begin(), changed.end(), 1) != changed.end();
  }

  /// The worst vertex of the worst part, or of all (odd choices).
  int find_seed(int choice) const {
    std::vector<double> sums(static_cast<size_t>(state_.bones), 0.0);
    for (size_t v = 0; v < part_.size(); ++v) sums[static_cast<size_t>(part_[v])] += error_[v];
    const auto worst = static_cast<int>(std::max_element(sums.begin(), sums.end()) - sums.begin());
    int seed = -1;
    double greatest = 1e-16;
    for (size_t v = 0; v < part_.size(); ++v) {
      if ((choice % 2 == 1 || part_[v] == worst) && error_[v] > greatest) greatest = error_[v], seed = static_cast<int>(v);
    }
    return seed;
  }

  const FitProblem& problem_;
  std::vector<int> part_;      // #vertices
  std::vector<double> error_;  // #vertices
  Decomposition state_;
};

/// The vertex around which the surface (and the vertex itself) is farthest from where it should be.
int worst_vertex(const FitProblem& problem, const Decomposition& state) {
  int worst = 0;
  double greatest = -1;
  for (size_t v = 0; v < problem.vertices(); ++v) {
    double error = 0, shares = 0;
    for (int k = problem.point_first[v]; k < problem.point_first[v + 1]; ++k) {
      const auto p = static_cast<size_t>(problem.point[static_cast<size_t>(k)]);
      const double share = std::abs(problem.share[static_cast<size_t>(k)]) * problem.importance[p];
      shares += share;
      for (int e = 0; e < problem.examples; ++e) error += share * (state.surface[problem.at(p, e)] - problem.shapes[problem.at(p, e)]).squaredNorm();
    }
    if (shares > 0 && error / shares > greatest) greatest = error / shares, worst = static_cast<int>(v);
  }
  return worst;
}

}  // namespace

Decomposition start_from_parts(const FitProblem& problem, int bones, int choice) {
  Parts parts(problem, bones);
  while (parts.count() < bones && parts.split(choice)) {
  }
  return parts.take();
}

void add_bone(const FitProblem& problem, Decomposition& state) {
  const auto bones = static_cast<size_t>(state.bones);
  std::vector<double> wider(problem.vertices() * (bones + 1), 0.0);
  for (size_t v = 0; v < problem.vertices(); ++v) std::copy_n(&state.weights[v * bones], bones, &wider[v * (bones + 1)]);
  state.weights = std::move(wider);
  state.motions.resize((bones + 1) * static_cast<size_t>(problem.examples));
  ++state.bones;
  set_motion_from(problem, around(problem, worst_vertex(problem, state), seed_size(problem, state.bones)), state.bones - 1, state);
}

void remove_bone(int bone, int examples, Decomposition& state) {
  assert(state.bones > 1);
  const auto bones = static_cast<size_t>(state.bones), gone = static_cast<size_t>(bone), per = static_cast<size_t>(examples);
  state.motions.erase(state.motions.begin() + static_cast<long>(gone * per), state.motions.begin() + static_cast<long>((gone + 1) * per));
  std::vector<double> narrower;
  for (size_t v = 0; v < state.weights.size() / bones; ++v) {
    const double left = 1 - state.weights[v * bones + gone];
    for (size_t b = 0; b < bones; ++b) {
      if (b == gone) continue;
      narrower.push_back(left > 1e-9 ? state.weights[v * bones + b] / left : 1.0 / static_cast<double>(bones - 1));
    }
  }
  state.weights = std::move(narrower);
  --state.bones;
}

int remove_idle_bones(const FitProblem& problem, Decomposition& state) {
  int removed = 0;
  for (int b = state.bones - 1; b >= 0 && state.bones > 1; --b) {
    double held = 0;
    for (size_t v = 0; v < problem.vertices(); ++v) held += state.row(v)[static_cast<size_t>(b)];
    if (held >= 1) continue;
    remove_bone(b, problem.examples, state);
    ++removed;
  }
  if (removed > 0) move_all(problem, state);
  return removed;
}

int reseed_bones(const FitProblem& problem, Decomposition& state) {
  const int idle = remove_idle_bones(problem, state);
  for (int i = 0; i < idle; ++i) add_bone(problem, state);
  return idle;
}

}  // namespace crumple
