#pragma once

#include <span>

#include <Eigen/Core>

#include "crumple/rig/fit_problem.h"

namespace crumple {

inline constexpr int kMaxBones = 64;
using BoneMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxBones, kMaxBones>;
using BoneVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxBones, 1>;

/// The least of w^T H w / 2 - g^T w over w >= 0 with sum 1, for positive definite H, by the active set method. `weights` is a start that
/// fulfils both. `most` bounds how many may be above zero: beyond it the smallest go and the rest are solved for again.
void minimize_on_simplex(const BoneMatrix& hessian, const BoneVector& linear, int most, std::span<double> weights);

/// Changes the weights of every vertex once (Gauss-Seidel), bones as they are. No sweep makes the whole of errors and terms greater.
void sweep_weights(const FitProblem& problem, const FitTerms& terms, Decomposition& state);

}  // namespace crumple
