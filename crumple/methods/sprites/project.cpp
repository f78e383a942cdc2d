// Projection of a shape onto the poses (thesis, eq. 4.2).
#include <algorithm>
#include <cmath>
#include <functional>

#include <Eigen/Eigenvalues>

#include "crumple/core/index.h"
#include "crumple/methods/sprites/manifold.h"

namespace crumple::sprites {
namespace {

constexpr int kMaxNewton = 30;
constexpr double kSettled = 1e-13;     // of a weight
constexpr double kQuadratic = 1e-5;    // steps below it leave only their square
constexpr double kBetter = 1e-3;       // of the cost: a simplex is left only for one that is better by this

struct Found {
  std::vector<double> a;  // of the simplex
  double value = 1e300;
  int steps = 0;
};

using CostOf = std::function<Cost(std::span<const double> a, bool with_derivatives)>;

/// Newton's step within a face of a simplex. Where the cost curves the wrong way, the size of the curvature tells how far to go down.
std::vector<double> way_along(const Cost& cost, const std::vector<size_t>& face, size_t poses) {
  // Directions along the face: each pose but its first against its first.
  const auto count = static_cast<Eigen::Index>(face.size()) - 1;
  Eigen::MatrixXd along = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(poses) - 1, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    if (face[at(j) + 1] > 0) along(static_cast<Eigen::Index>(face[at(j) + 1]) - 1, j) += 1;
    if (face[0] > 0) along(static_cast<Eigen::Index>(face[0]) - 1, j) -= 1;
  }
  const Eigen::VectorXd gradient = along.transpose() * cost.gradient;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(along.transpose() * cost.hessian * along);
  const double least = 1e-12 * std::max(eigen.eigenvalues().cwiseAbs().maxCoeff(), 1e-300);
  const Eigen::VectorXd change = -along * (eigen.eigenvectors() * (eigen.eigenvectors().transpose() * gradient).cwiseQuotient(eigen.eigenvalues().cwiseAbs().cwiseMax(least)));
  std::vector<double> way(poses, 0.0);
  for (size_t j = 1; j < poses; ++j) way[j] = change[static_cast<Eigen::Index>(j) - 1], way[0] -= way[j];
  return way;
}

/// Newton's method within a face of a simplex: the weights of the poses in `face` (their numbers within the simplex) may change, all others are 0.
/// Stops where it would leave the face.
Found newton(const CostOf& cost_of, std::vector<double> a, const std::vector<size_t>& face) {
  Found found;
  Cost cost = cost_of(a, true);
  for (int step = 0; step < kMaxNewton; ++step) {
    ++found.steps;
    std::vector<double> way(a.size(), 0.0);
    if (face.size() == 2) {  // along an edge, which is what most complexes are made of
      const auto slope = [&](size_t j) { return j == 0 ? 0.0 : cost.gradient[static_cast<Eigen::Index>(j) - 1]; };
      const auto curve = [&](size_t j, size_t l) { return j == 0 || l == 0 ? 0.0 : cost.hessian(static_cast<Eigen::Index>(j) - 1, static_cast<Eigen::Index>(l) - 1); };
      const double curvature = std::abs(curve(face[0], face[0]) + curve(face[1], face[1]) - 2 * curve(face[0], face[1]));
      way[face[1]] = -(slope(face[1]) - slope(face[0])) / std::max(curvature, 1e-300), way[face[0]] = -way[face[1]];
    } else {
      way = way_along(cost, face, a.size());
    }
    // As far as the face goes, and halved until the cost falls.
    double share = 1;
    for (const size_t j : face) {
      if (way[j] < 0) share = std::min(share, a[j] / -way[j]);
    }
    double longest = 0;
    for (const double w : way) longest = std::max(longest, std::abs(w));
    if (share * longest < kSettled) break;
    if (share == 1 && longest < kQuadratic) {  // the last step: what is left after it is no more than its square, less than costs can tell
      for (size_t j = 0; j < a.size(); ++j) a[j] = std::max(a[j] + way[j], 0.0);
      break;
    }
    bool is_lower = false;
    for (int halving = 0; halving < 30 && !is_lower; ++halving, share *= 0.5) {
      std::vector<double> next = a;
      for (size_t j = 0; j < a.size(); ++j) next[j] = std::max(a[j] + share * way[j], 0.0);
      double sum = 0;
      for (const double w : next) sum += w;
      for (double& w : next) w /= sum;
      Cost there = cost_of(next, true);  // the first is nearly always lower, and then its derivatives are needed
      is_lower = there.value < cost.value;
      if (is_lower) a = std::move(next), cost = std::move(there);
    }
    if (!is_lower) break;
  }
  found.a = std::move(a), found.value = cost.value;
  return found;
}

void better(Found& best, Found other) {
  other.steps += best.steps;
  if (other.value < best.value) {
    best = std::move(other);
  } else {
    best.steps = other.steps;
  }
}

/// The least cost within a closed simplex of `count` poses. From a start: inside first, then on the faces where it stopped.
Found minimize(const CostOf& cost_of, size_t count, const std::vector<std::vector<double>>& starts) {
  Found best;
  std::vector<size_t> all(count);
  for (size_t j = 0; j < count; ++j) all[j] = j;
  for (const std::vector<double>& start : starts) {
    if (count == 1) {
      better(best, {start, cost_of(start, false).value, 0});
      continue;
    }
    Found found = newton(cost_of, start, all);
    // A weight that came to 0 stays there while the others go on.
    for (size_t round = 0; round + 1 < count; ++round) {
      std::vector<size_t> face;
      for (size_t j = 0; j < count; ++j) {
        if (found.a[j] > kFace) face.push_back(j);
      }
      if (face.size() == count || face.size() < 2) break;
      better(found, newton(cost_of, found.a, face));
    }
    better(best, std::move(found));
  }
  return best;
}

std::vector<std::vector<double>> starts_of(size_t count) {
  std::vector<std::vector<double>> starts;
  const double share = 1.0 / static_cast<double>(count);
  starts.emplace_back(count, share);
  for (size_t j = 0; count > 1 && j < count; ++j) {
    starts.emplace_back(count, 0.1 / static_cast<double>(count - 1));
    starts.back()[j] = 0.9;
  }
  return starts;
}

/// Whether a simplex has any of them.
bool touches(const Simplex& simplex, const Place& place) {
  return std::any_of(simplex.poses.begin(), simplex.poses.end(), [&](int k) { return place.a[at(k)] > kFace; });
}

/// Whether the cost rises from a place on a face, where the weights of all other poses are 0, into the simplex.
bool rises_inwards(const CostOf& cost_of, const std::vector<double>& start, std::span<const char> is_shared) {
  const Cost cost = cost_of(start, true);
  const auto slope = [&](size_t j) { return j == 0 ? 0.0 : cost.gradient[static_cast<Eigen::Index>(j) - 1]; };
  double shared = 0, along = 0;
  for (size_t j = 0; j < start.size(); ++j) {
    if (is_shared[j]) shared += start[j], along += start[j] * slope(j);
  }
  for (size_t j = 0; j < start.size(); ++j) {
    if (!is_shared[j] && slope(j) <= along / shared) return false;
  }
  return true;
}

/// The best place of all simplices, or of those around the last one.
template <class CostIn>
int project_by(const Manifold& m, const CostIn& cost_in, bool anywhere, double scale, Place& place) {
  int steps = 0;
  Place best;
  double least = 1e300, stays = 1e300;
  for (size_t s = 0; s < m.simplices.size(); ++s) {
    const bool is_last = static_cast<int>(s) == place.simplex;
    if (!anywhere && !is_last && !touches(m.simplices[s], place)) continue;
    const CostOf cost_of = [&](std::span<const double> a, bool with_derivatives) { return cost_in(static_cast<int>(s), a, with_derivatives); };
    const size_t count = m.simplices[s].poses.size();
    std::vector<std::vector<double>> starts;
    if (anywhere) {
      starts = starts_of(count);
    } else if (holds(m.simplices[s], place)) {
      // From where it is, a little inside, so that no face holds it back.
      std::vector<double> start = own_weights(m, {static_cast<int>(s), place.a});
      for (double& a : start) a = 0.98 * a + 0.02 / static_cast<double>(count);
      starts = {start};
    } else {
      std::vector<double> start(count, 0.02 / static_cast<double>(count));
      double used = 0;
      for (size_t j = 0; j < count; ++j) used += place.a[at(m.simplices[s].poses[j])];
      for (size_t j = 0; j < count; ++j) start[j] += 0.98 * place.a[at(m.simplices[s].poses[j])] / used;
      starts = {start};
    }
    if (!anywhere && !is_last) {  // nothing is to be found beyond a face from which all ways lead up
      std::vector<char> is_shared;
      std::vector<double> on_face = own_weights(m, {static_cast<int>(s), place.a});
      double used = 0;
      for (const double a : on_face) is_shared.push_back(a > kFace), used += a;
      for (double& a : on_face) a /= used;
      if (std::count(is_shared.begin(), is_shared.end(), 0) > 0 && rises_inwards(cost_of, on_face, is_shared)) {
        ++steps;
        continue;
      }
    }
    const Found found = minimize(cost_of, count, starts);
    steps += found.steps;
    if (is_last) stays = found.value;
    if (found.value < least) least = found.value, best = place_from(m, static_cast<int>(s), found.a);
  }
  // Equal costs must not make it flicker between simplices: they share the cost of the noise.
  if (!anywhere && best.simplex != place.simplex && !(least < stays - kBetter * stays - 1e-12 * scale)) {
    const CostOf cost_of = [&](std::span<const double> a, bool with_derivatives) { return cost_in(place.simplex, a, with_derivatives); };
    std::vector<double> start = own_weights(m, place);
    for (double& a : start) a = 0.98 * a + 0.02 / static_cast<double>(start.size());
    best = place_from(m, place.simplex, minimize(cost_of, start.size(), {start}).a);
  }
  place = best;
  return steps;
}

}  // namespace

int project(const Manifold& m, const ShapeMoments& shape, bool anywhere, Place& place) {
  return project_by(m, [&](int simplex, std::span<const double> a, bool with_derivatives) { return cost_at(m, shape, simplex, a, with_derivatives, nullptr); }, anywhere, shape.squares, place);
}

int project_alternating(const Manifold& m, const Representatives& some, std::span<const Complex> shape, bool anywhere, Place& place) {
  constexpr int kRounds = 60;
  // Rows and shape of the representatives, about their means.
  Manifold small;
  small.handles = m.handles, small.poses = m.poses, small.p = m.p, small.s = m.s, small.t = m.t, small.angle = m.angle, small.simplices = m.simplices;
  Eigen::VectorXcd mean = Eigen::VectorXcd::Zero(3 * m.handles);
  Complex middle = 0;
  double mass = 0;
  for (size_t k = 0; k < some.particles.size(); ++k) mean += some.masses[k] * row_of(m, at(some.particles[k])), middle += some.masses[k] * shape[at(some.particles[k])], mass += some.masses[k];
  mean /= mass, middle /= mass;
  small.gram = Eigen::MatrixXcd::Zero(3 * m.handles, 3 * m.handles);
  ShapeMoments moments;
  moments.y = Eigen::VectorXcd::Zero(3 * m.handles);
  for (size_t k = 0; k < some.particles.size(); ++k) {
    const Eigen::VectorXcd row = row_of(m, at(some.particles[k])) - mean;
    const Complex x = shape[at(some.particles[k])] - middle;
    small.gram += some.masses[k] * row.conjugate() * row.transpose(), moments.y += some.masses[k] * x * row.conjugate(), moments.squares += some.masses[k] * std::norm(x);
  }
  int steps = 0;
  Complex turn = rotation_at(small, moments, place, 1);
  for (int round = 0; round < kRounds; ++round) {
    const auto cost_in = [&](int simplex, std::span<const double> a, bool with_derivatives) { return cost_at(small, moments, simplex, a, with_derivatives, &turn); };
    const std::vector<double> before = place.a;
    steps += project_by(small, cost_in, anywhere && round == 0, moments.squares, place);
    const Complex next = rotation_at(small, moments, place, turn);
    double change = std::abs(next - turn);
    for (size_t k = 0; k < before.size(); ++k) change = std::max(change, std::abs(before[k] - place.a[k]));
    turn = next;
    if (change < 1e-9) break;
  }
  return steps;
}

}  // namespace crumple::sprites
