#pragma once

#include <functional>

#include "crumple/core/stop.h"
#include "crumple/rig/fit_problem.h"

namespace crumple {

struct DecomposeSettings {
  int bones = 0;  // 0: the fewest that reach `wanted`
  int most_bones = 32;
  double wanted = 0.003;  // root mean square error of the worst example
  int influences = 8;     // bones that may hold one vertex
};

/// What goes on meanwhile; both may be left out.
struct DecomposeWatch {
  std::function<void(double share)> progress;  // 0 .. 1, a guess
  const StopFlag* cancel = nullptr;
};

/// Rigid bones and smooth weights that reproduce the examples: weights and motions take turns, from parts that move nearly rigidly
/// [in the spirit of Le and Deng 2012]. Terms that keep bones local and weights smooth begin strong and fade. If it is cancelled, what there
/// is comes back.
Decomposition decompose(const FitProblem& problem, const DecomposeSettings& settings, const DecomposeWatch& watch = {});

}  // namespace crumple
