#pragma once

#include "crumple/methods/examples/examples.h"

/// Which part of what bodies do to each other leaves a mark, whatever the step. Speed changes of a pair are summed over a window, so that an impact
/// counts alike whether it falls into one step or into several; what lasts is taken out, so that rest leaves no mark; and what has left its mark within
/// the window leaves no second one.
/// Legend: S sum over the window, L what of it lasts, D what of it has left a mark; all m/s.
namespace crumple::examples {

/// Books what touched the body in a step, and marks the pairs whose hits may leave a mark.
void book_loads(const Model& model, State& state, const LayerContext& now, std::span<Touching> touching);

/// Whether restored pairs are whole rows.
Result<void> check_pairs(const Model& model, const State& state);

/// The loads of a pair in this step.
struct PairLoad {
  double step = 0;    // speed change of this step
  double window = 0;  // S
  double excess = 0;  // S - L - D
};
PairLoad load_of(const Model& model, State& state, const LayerContext& now, int part, int other_body);

/// How much of the hits of this step leaves a mark where the yield is this.
double mark_share(const Settings& settings, const PairLoad& load, double yield, double dt);

/// Books what hits of this step have left as a mark, m/s.
void book_mark(const Model& model, State& state, const LayerContext& now, int part, int other_body, double speed_change);

}  // namespace crumple::examples
