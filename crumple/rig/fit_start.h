#pragma once

#include "crumple/rig/fit_problem.h"

namespace crumple {

/// Cuts the body into `bones` parts that move as rigidly as possible: starting from one, the part with the greatest error is split where
/// it is worst, and all parts are chosen anew. Every vertex has one bone of weight 1. `choice` (from 0) varies where parts are split.
Decomposition start_from_parts(const FitProblem& problem, int bones, int choice);

/// Adds a bone that moves like the place where the error is greatest; the next sweep of weights finds out where it is of use.
void add_bone(const FitProblem& problem, Decomposition& state);

/// Takes away bones that hold less than one vertex in all. How many.
int remove_idle_bones(const FitProblem& problem, Decomposition& state);
/// Puts them where the error is greatest instead.
int reseed_bones(const FitProblem& problem, Decomposition& state);

void remove_bone(int bone, int examples, Decomposition& state);

}  // namespace crumple
