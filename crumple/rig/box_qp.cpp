#include "crumple/rig/box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "crumple/core/parallel.h"
#include "crumple/rig/box_lanes.h"
#include "crumple/rig/box_polish.h"

namespace crumple {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Collects, row by row, what the certificate needs.
struct Certifier {
  double greatest = 0, open = 0, rounding = 0;

  void add(double gradient, double size, bool fixed, double value) {
    greatest = std::max(greatest, std::abs(gradient));
    rounding = std::max(rounding, kEpsilon * size);
    if (!fixed) open = std::max(open, value <= 0 ? -gradient : value >= 1 ? gradient : std::abs(gradient));
  }
  Optimality result() const {
    if (greatest <= 64 * rounding) return {0, 0};  // constant values: there is no energy to speak of
    return {open / greatest, rounding / greatest};
  }
};

double greatest_of(const std::vector<double>& values) {
  double greatest = 0;
  for (const double value : values) greatest = std::max(greatest, std::abs(value));
  return greatest;
}

void divide(std::vector<double>& values, double by) {
  for (double& value : values) value /= by;
}

/// Everything the problems share.
struct Shared {
  const SparseMatrix& laplacian;
  const std::vector<double>& masses;
  std::vector<char> eliminated;  // rows that are free
  int free = 0;
};

OrderedEnergy order_energy(const Shared& shared, std::vector<int>& order) {
  const SparseMatrix energy = biharmonic_energy(shared.laplacian, shared.masses);
  order = elimination_order(energy, shared.eliminated);
  OrderedEnergy result;
  result.matrix = reordered(energy, order);
  result.free = shared.free;
  result.pattern = factor_pattern(result.matrix, shared.free);
  divide(result.matrix.value, greatest_of(result.matrix.value));
  return result;
}

/// Any size of body fits single precision after this.
SplitEnergy split_energy(const Shared& shared, std::vector<int> order) {
  SplitEnergy split;
  split.laplacian = reordered(shared.laplacian, order);
  divide(split.laplacian.value, greatest_of(split.laplacian.value));
  const double mean = std::accumulate(shared.masses.begin(), shared.masses.end(), 0.0) / static_cast<double>(shared.masses.size());
  for (const int row : order) split.masses.push_back(shared.masses[row] / mean);
  split.free = shared.free;
  split.order = std::move(order);
  return split;
}

class Solver {
 public:
  Solver(const Shared& shared, std::vector<double>& values, double residual, std::vector<BoxReport>& reports)
      : shared_(shared), values_(values), residual_(residual), reports_(reports), rows_(static_cast<size_t>(shared.laplacian.size)) {}

  /// Returns the problems that are not finished.
  std::vector<size_t> solve_together() {
    const bool split = shared_.laplacian.size - shared_.free <= kMaxFixedToSplit;
    std::vector<int> order;
    OrderedEnergy whole;
    if (split) {
      order = elimination_order(shared_.laplacian, shared_.eliminated);
    } else {
      whole = order_energy(shared_, order);
    }
    const SplitEnergy energy = split_energy(shared_, std::move(order));
    const SparseMatrix* unsplit = split ? nullptr : &whole.matrix;
    std::vector<char> reached(reports_.size(), 0);
    if (!solve_in_lanes<float>(energy, unsplit, reached)) solve_in_lanes<double>(energy, unsplit, reached);
    std::vector<size_t> left;
    for (size_t p = 0; p < reached.size(); ++p) {
      if (!reached[p]) left.push_back(p);
    }
    return left;
  }

  /// One problem at a time, with factors of its own. [Bertsekas 1982]
  Result<void> polish(const std::vector<size_t>& problems) {
    std::vector<int> order;
    const OrderedEnergy energy = order_energy(shared_, order);
    const std::vector<char> all(static_cast<size_t>(shared_.free), 1);
    if (!SparseFactor<double>().factorize(energy.pattern, energy.matrix, all, 0)) {
      return input_error(
          "the tetrahedra are too badly shaped for weights (their energy is not positive as rounded); mesh the body again with rounder ones");
    }
    parallel_for(problems.size(), 2, [&](size_t begin, size_t end) {
      BoxPolish polish(energy);
      for (size_t k = begin; k < end; ++k) {
        std::vector<double> sorted = sorted_values(problems[k], order);
        polish.run(sorted, residual_, reports_[problems[k]]);
        put_back(sorted, problems[k], order);
      }
    });
    return {};
  }

 private:
  /// False if the precision is too low for the matrix.
  template <class T>
  bool solve_in_lanes(const SplitEnergy& energy, const SparseMatrix* unsplit, std::vector<char>& reached) {
    SharedInverse<T> inverse;
    if (!inverse.build(energy, unsplit)) return false;
    parallel_for(reports_.size(), lane::kLanes, [&](size_t begin, size_t end) { solve_lanes(energy, inverse, begin, end, reached); });
    return true;
  }
  template <class T>
  void solve_lanes(const SplitEnergy& split, const SharedInverse<T>& inverse, size_t begin, size_t end, std::vector<char>& reached) {
    std::vector<std::vector<double>> sorted;
    std::vector<std::span<double>> spans;
    for (size_t p = begin; p < end; ++p) sorted.push_back(sorted_values(p, split.order));
    for (std::vector<double>& each : sorted) spans.emplace_back(each);
    const auto outcome = BoxLanes<T>(split, inverse).run(spans, residual_);
    for (size_t p = begin; p < end; ++p) {
      put_back(sorted[p - begin], p, split.order);
      reached[p] = outcome.reached[p - begin];
      reports_[p].rounds = outcome.rounds;
    }
  }
  std::vector<double> sorted_values(size_t problem, const std::vector<int>& order) const {
    std::vector<double> sorted(rows_);
    for (size_t i = 0; i < rows_; ++i) sorted[i] = values_[problem * rows_ + static_cast<size_t>(order[i])];
    return sorted;
  }
  void put_back(const std::vector<double>& sorted, size_t problem, const std::vector<int>& order) {
    for (size_t i = 0; i < rows_; ++i) values_[problem * rows_ + static_cast<size_t>(order[i])] = sorted[i];
  }

  const Shared& shared_;
  std::vector<double>& values_;
  double residual_;
  std::vector<BoxReport>& reports_;
  size_t rows_;
};

}  // namespace

Optimality optimality(const SparseMatrix& energy, const std::vector<char>& fixed, std::span<const double> values) {
  Certifier certifier;
  for (int i = 0; i < energy.size; ++i) {
    double gradient = 0, size = 0;
    for (int k = energy.start[i]; k < energy.start[i + 1]; ++k) {
      const double term = energy.value[k] * values[energy.column[k]];
      gradient += term;
      size += std::abs(term);
    }
    certifier.add(gradient, size, fixed[i], values[i]);
  }
  return certifier.result();
}

Optimality optimality(const SparseMatrix& laplacian, const std::vector<double>& masses, const std::vector<char>& fixed,
                      std::span<const double> values) {
  const size_t rows = values.size();
  std::vector<double> curvature(rows, 0.0), size(rows, 0.0);
  for (size_t i = 0; i < rows; ++i) {
    for (int k = laplacian.start[i]; k < laplacian.start[i + 1]; ++k) {
      const double term = laplacian.value[k] * values[laplacian.column[k]] / masses[i];
      curvature[i] += term;
      size[i] += std::abs(term);
    }
  }
  Certifier certifier;
  for (size_t i = 0; i < rows; ++i) {
    double gradient = 0, sizes = 0;
    for (int k = laplacian.start[i]; k < laplacian.start[i + 1]; ++k) {
      gradient += laplacian.value[k] * curvature[laplacian.column[k]];
      sizes += std::abs(laplacian.value[k]) * size[laplacian.column[k]];
    }
    certifier.add(gradient, sizes, fixed[i], values[i]);
  }
  return certifier.result();
}

Result<BoxResult> minimize_in_box(const SparseMatrix& laplacian, const std::vector<double>& masses, const std::vector<char>& fixed,
                                  std::vector<double> values, double residual) {
  const size_t rows = static_cast<size_t>(laplacian.size), problems = rows ? values.size() / rows : 0;
  Shared shared{laplacian, masses, {}, static_cast<int>(std::count(fixed.begin(), fixed.end(), 0))};
  for (const char each : fixed) shared.eliminated.push_back(!each);
  BoxResult result;
  result.values = std::move(values);
  result.reports.resize(problems);
  Solver solver(shared, result.values, residual, result.reports);
  if (const std::vector<size_t> left = solver.solve_together(); !left.empty()) {
    if (Result<void> done = solver.polish(left); !done) return done.error();
  }
  parallel_for(problems, 4, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      result.reports[p].optimality = optimality(laplacian, masses, fixed, std::span<const double>(result.values).subspan(p * rows, rows));
    }
  });
  return result;
}

}  // namespace crumple
