#include "crumple/rig/box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "crumple/core/parallel.h"
#include "crumple/core/wide.h"
#include "crumple/rig/box_polish.h"

// Alternating directions (ADMM) for many problems at once: x minimises the energy near z, z is x brought into the box, u adds up
// what that changed. All problems share the factors of A + rho diag(A). A small rho first lets far parts move, a larger one
// then settles the bounds; one rho alone takes about twice as long.
namespace crumple {
namespace {

constexpr int kLanes = SparseFactor<float>::kLanes;
constexpr float kRelaxation = 1.6f;

struct Phase {
  double rho;
  int rounds;
};

struct SharedFactors {
  SparseFactor<double> energy;
  std::vector<Phase> phases;
  std::vector<SparseFactor<float>> damped;  // one a phase
  bool settle = false;
};

/// Sixteen problems side by side.
struct Lanes {
  std::vector<float> pull, x, z, u;  // #free rows x 16
};

CRUMPLE_WIDE void prepare_solve(const float* pull, const float* diagonal, const float* z, const float* u, int rows, float* x) {
  for (int i = 0; i < rows; ++i) {
    for (int l = 0; l < kLanes; ++l) x[i * kLanes + l] = diagonal[i] * (z[i * kLanes + l] - u[i * kLanes + l]) - pull[i * kLanes + l];
  }
}

CRUMPLE_WIDE void return_to_box(const float* x, int count, float* z, float* u) {
  for (int i = 0; i < count; ++i) {
    const float sum = kRelaxation * x[i] + (1 - kRelaxation) * z[i] + u[i];
    const float inside = sum < 0 ? 0 : sum > 1 ? 1 : sum;
    z[i] = inside;
    u[i] = sum - inside;
  }
}

OrderedEnergy order_energy(const SparseMatrix& energy, const std::vector<int>& order, int free) {
  OrderedEnergy result;
  result.matrix = reordered(energy, order);
  result.free = free;
  result.pattern = factor_pattern(result.matrix, free);
  double greatest = 0;
  for (const double value : result.matrix.value) greatest = std::max(greatest, std::abs(value));
  for (double& value : result.matrix.value) value /= greatest;  // any size of body fits single precision
  return result;
}

std::vector<float> diagonal_of(const OrderedEnergy& energy) {
  std::vector<float> diagonal;
  for (int i = 0; i < energy.free; ++i) {
    const auto row = energy.matrix.column.begin() + energy.matrix.start[i];
    const auto found = std::lower_bound(row, energy.matrix.column.begin() + energy.matrix.start[i + 1], i);
    diagonal.push_back(static_cast<float>(energy.matrix.value[found - energy.matrix.column.begin()]));
  }
  return diagonal;
}

bool factorize_shared(const OrderedEnergy& energy, SharedFactors& shared) {
  const std::vector<char> all(static_cast<size_t>(energy.free), 1);
  std::vector<char> good(shared.phases.size() + 1, 0);
  shared.damped.resize(shared.phases.size());
  parallel_for(good.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      good[i] = i == 0 ? shared.energy.factorize(energy.pattern, energy.matrix, all, 0)
                       : shared.damped[i - 1].factorize(energy.pattern, energy.matrix, all, shared.phases[i - 1].rho);
    }
  });
  return std::all_of(good.begin(), good.end(), [](char each) { return each; });
}

/// The pull of the fixed rows, and the minimum without bounds as the start: from zero the rounds would be many.
Lanes start_lanes(const OrderedEnergy& energy, const SharedFactors& shared, const std::vector<std::span<double>>& problems) {
  const SparseMatrix& matrix = energy.matrix;
  const size_t count = static_cast<size_t>(energy.free) * kLanes;
  Lanes lanes{std::vector<float>(count), std::vector<float>(count), std::vector<float>(count), std::vector<float>(count)};
  constexpr int kHalf = SparseFactor<double>::kLanes;
  std::vector<double> half(static_cast<size_t>(energy.free) * kHalf);
  for (size_t first = 0; first < problems.size(); first += kHalf) {
    const size_t here = std::min<size_t>(kHalf, problems.size() - first);
    std::fill(half.begin(), half.end(), 0.0);
    for (int i = 0; i < energy.free; ++i) {
      for (int k = matrix.start[i + 1] - 1; k >= matrix.start[i] && matrix.column[k] >= energy.free; --k) {
        for (size_t l = 0; l < here; ++l) half[static_cast<size_t>(i) * kHalf + l] -= matrix.value[k] * problems[first + l][matrix.column[k]];
      }
      for (size_t l = 0; l < here; ++l) lanes.pull[static_cast<size_t>(i) * kLanes + first + l] = static_cast<float>(-half[static_cast<size_t>(i) * kHalf + l]);
    }
    shared.energy.solve(half);
    for (int i = 0; i < energy.free; ++i) {
      for (size_t l = 0; l < here; ++l) {
        lanes.z[static_cast<size_t>(i) * kLanes + first + l] = std::clamp(static_cast<float>(half[static_cast<size_t>(i) * kHalf + l]), 0.0f, 1.0f);
      }
    }
  }
  return lanes;
}

void run_rounds(const SparseFactor<float>& factor, double rho, int rounds, const std::vector<float>& diagonal, Lanes& lanes) {
  std::vector<float> scaled;
  for (const float each : diagonal) scaled.push_back(each * static_cast<float>(rho));
  for (int round = 0; round < rounds; ++round) {
    prepare_solve(lanes.pull.data(), scaled.data(), lanes.z.data(), lanes.u.data(), static_cast<int>(diagonal.size()), lanes.x.data());
    factor.solve(lanes.x);
    return_to_box(lanes.x.data(), static_cast<int>(lanes.x.size()), lanes.z.data(), lanes.u.data());
  }
}

/// Goes on in the last phase until a whole spell of rounds hardly changes a value; what is left to come is about as much again.
int settle(const SharedFactors& shared, const std::vector<float>& diagonal, Lanes& lanes) {
  constexpr int kSpell = 20, kMostSpells = 20;
  constexpr float kSettled = 1e-3f;
  for (int spell = 1;; ++spell) {
    const std::vector<float> before = lanes.z;
    run_rounds(shared.damped.back(), shared.phases.back().rho, kSpell, diagonal, lanes);
    float change = 0;
    for (size_t i = 0; i < before.size(); ++i) change = std::max(change, std::abs(lanes.z[i] - before[i]));
    if (change < kSettled || spell == kMostSpells) return spell * kSpell;
  }
}

int solve_lanes(const OrderedEnergy& energy, const SharedFactors& shared, const std::vector<std::span<double>>& problems) {
  Lanes lanes = start_lanes(energy, shared, problems);
  const std::vector<float> diagonal = diagonal_of(energy);
  int rounds = 0;
  for (size_t phase = 0; phase < shared.phases.size(); ++phase) {
    const Phase& now = shared.phases[phase];
    if (phase > 0) {
      for (float& each : lanes.u) each *= static_cast<float>(shared.phases[phase - 1].rho / now.rho);
    }
    run_rounds(shared.damped[phase], now.rho, now.rounds, diagonal, lanes);
    rounds += now.rounds;
  }
  if (shared.settle) rounds += settle(shared, diagonal, lanes);
  for (size_t l = 0; l < problems.size(); ++l) {
    for (int i = 0; i < energy.free; ++i) problems[l][i] = lanes.z[static_cast<size_t>(i) * kLanes + l];
  }
  return rounds;
}

}  // namespace

Optimality optimality(const SparseMatrix& energy, const std::vector<char>& fixed, std::span<const double> values) {
  double greatest = 0, open = 0, rounding = 0;
  for (int i = 0; i < energy.size; ++i) {
    double gradient = 0, size = 0;
    for (int k = energy.start[i]; k < energy.start[i + 1]; ++k) {
      const double term = energy.value[k] * values[energy.column[k]];
      gradient += term;
      size += std::abs(term);
    }
    greatest = std::max(greatest, std::abs(gradient));
    rounding = std::max(rounding, std::numeric_limits<double>::epsilon() * size);
    if (fixed[i]) continue;
    open = std::max(open, values[i] <= 0 ? -gradient : values[i] >= 1 ? gradient : std::abs(gradient));
  }
  if (greatest <= 64 * rounding) return {0, 0};  // constant values: there is no energy to speak of
  return {open / greatest, rounding / greatest};
}

Result<BoxResult> minimize_in_box(const SparseMatrix& energy, const std::vector<char>& fixed, std::vector<double> values, const BoxSettings& settings) {
  const size_t rows = static_cast<size_t>(energy.size), problems = rows ? values.size() / rows : 0;
  std::vector<char> eliminated;
  for (const char each : fixed) eliminated.push_back(!each);
  const std::vector<int> order = elimination_order(energy, eliminated);
  const int free = static_cast<int>(std::count(fixed.begin(), fixed.end(), 0));
  const OrderedEnergy ordered = order_energy(energy, order, free);
  SharedFactors shared;
  shared.settle = !settings.polish;
  shared.phases = {{0.001, 25}, {0.03, 10}};
  // Too few rounds and the polish must factorise anew for each guess of the bounds; large bodies need more of them.
  if (settings.polish) shared.phases = {{0.03, std::clamp(80 + free / 40, 120, 400)}};
  if (!factorize_shared(ordered, shared)) {
    return input_error("the tetrahedra are too badly shaped for weights (their energy is not positive as rounded); mesh the body again with rounder ones");
  }
  BoxResult result;
  result.reports.resize(problems);
  std::vector<double> sorted(values.size());
  const auto problem = [&](std::vector<double>& all, size_t p) { return std::span<double>(all).subspan(p * rows, rows); };
  parallel_for(problems, kLanes, [&](size_t begin, size_t end) {
    std::vector<std::span<double>> lanes;
    for (size_t p = begin; p < end; ++p) {
      lanes.push_back(problem(sorted, p));
      for (size_t i = 0; i < rows; ++i) lanes.back()[i] = values[p * rows + static_cast<size_t>(order[i])];
    }
    const int rounds = solve_lanes(ordered, shared, lanes);
    for (size_t p = begin; p < end; ++p) result.reports[p].rounds = rounds;
  });
  parallel_for(problems, 2, [&](size_t begin, size_t end) {
    if (settings.polish) {
      BoxPolish polish(ordered);
      for (size_t p = begin; p < end; ++p) polish.run(problem(sorted, p), settings.residual, result.reports[p]);
    }
    for (size_t p = begin; p < end; ++p) {
      for (size_t i = 0; i < rows; ++i) values[p * rows + static_cast<size_t>(order[i])] = sorted[p * rows + i];
      result.reports[p].optimality = optimality(energy, fixed, problem(values, p));
    }
  });
  result.values = std::move(values);
  return result;
}

}  // namespace crumple
