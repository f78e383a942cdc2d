#pragma once

#include "crumple/rig/fit_problem.h"

namespace crumple {

/// Improves the turns and shifts of all bones, weights as they are, by at most `steps` steps of Gauss-Newton's method. Errors are summed
/// once into matrices as large as the number of bones, so a step does not depend on how many vertices there are.
void improve_motions(const FitProblem& problem, const FitTerms& terms, int steps, Decomposition& state);

/// How much bones move together: what improve_motions works on, for tests. Of one example.
double motions_error(const FitProblem& problem, const FitTerms& terms, const Decomposition& state, int example);

}  // namespace crumple
