#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/sums.h"
#include "crumple/core/timer.h"
#include "crumple/math/polar.h"
#include "crumple/methods/points/entries.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

constexpr int kMaxIterations = 200;
constexpr size_t kMinGroup = 512, kMaxGroups = 128;
constexpr int kTurns = 8;  // of the nonlinear embedding

/// The normal equations of eq. 3.9 over both ends of every entry: row i is sum W (e_i - e_j) over all pairs of i, W being the sum of both w^2.
struct Normal {
  const Model& model;
  State& state;
  const Pairs& pairs;
  const Patches& patches;
  std::vector<float> squares;     // pairs: W
  std::vector<double> diagonal;
  mutable std::vector<Vec4f> rows;  // of the patches
  std::vector<double> printed;    // what the diagonal of eq. 3.12 has beyond that, or empty: it counts the own entries twice

  double square(int32_t entry) const { return entry < 0 ? 0.0 : weight_of(state, at(entry)) * weight_of(state, at(entry)); }

  Normal(const Model& m, State& s) : model(m), state(s), pairs(s.pairs), patches(s.pairs.patches), squares(pairs.other.size()), diagonal(s.size(), 0.0) {
    state.rows.resize(patches.points.size()), rows.resize(patches.points.size());
    if (model.settings.embed == Embed::Printed) printed.assign(state.size(), 0.0);
    for (size_t i = 0; i < state.size(); ++i) {
      for (size_t k = at(pairs.begin[i]); k < at(pairs.begin[i + 1]); ++k) {
        const double own = square(pairs.entry[k]), back = square(pairs.back[k]);
        const size_t j = at(pairs.other[k]);
        squares[k] = static_cast<float>(own + back);
        diagonal[i] += double{squares[k]}, diagonal[j] += double{squares[k]};
        if (!printed.empty()) printed[i] += own - back, printed[j] += back - own;
      }
    }
    for (size_t i = 0; i < state.size(); ++i) diagonal[i] += printed.empty() ? 0 : printed[i];
    for (double& d : diagonal) d = d > 0 ? d : 1;
  }

  /// Calls work(chunk, first point, end, rows of the chunk) for all chunks; the rows are zero.
  template <class Row, class Work>
  void each_chunk(std::vector<Row>& all, const Work& work) const {
    parallel_for(patches.chunks(), 1, [&](size_t from, size_t to) {
      for (size_t chunk = from; chunk < to; ++chunk) {
        const size_t begin = chunk * Patches::kPoints;
        std::fill(all.begin() + patches.begin[chunk], all.begin() + patches.begin[chunk + 1], Row::Zero());
        work(chunk, begin, std::min(begin + Patches::kPoints, state.size()), all.data() + patches.begin[chunk]);
      }
    });
  }

  /// -C^T C p, as rows
  void apply(std::span<const Vec4f> p) const {
    each_chunk(rows, [&](size_t chunk, size_t begin, size_t end, Vec4f* sums) {
      std::vector<Vec4f> values;
      gather_rows(patches, chunk, p, values);
      for (size_t i = begin; i < end; ++i) {
        const int32_t first = pairs.begin[i];
        add_differences(squares.data() + first, patches.slots.data() + first, pairs.begin[i + 1] - first, values.data(), static_cast<int>(i - begin), sums);
      }
    });
  }
  /// C^T C p of one point, once its rows are there.
  Vec4f product(std::span<const Vec4f> p, size_t i) const {
    const Vec4f sum = -sum_rows(patches, rows, i);
    return printed.empty() ? sum : Vec4f(sum + static_cast<float>(printed[i]) * p[i]);
  }

  /// What an entry misses, times its w^2.
  Vec3 left(size_t i, int32_t entry, const Vec3& way, std::span<const Mat3> turns) const {
    const Vec3 wanted = turns.empty() ? Vec3(rest_vector(state, at(entry))) : Vec3(turns[i] * rest_vector(state, at(entry)));
    return square(entry) * (wanted - way);
  }
  /// What is left of C^T (u - C e), as rows: by entries, so that nothing large cancels.
  void residual(std::span<const Mat3> turns) const {
    each_chunk(state.rows, [&](size_t, size_t begin, size_t end, Vec4* sums) {
      for (size_t i = begin; i < end; ++i) {
        for (size_t k = at(pairs.begin[i]); k < at(pairs.begin[i + 1]); ++k) {
          const size_t j = at(pairs.other[k]);
          const Vec3 way = state.e[j] - state.e[i];
          Vec3 both = left(i, pairs.entry[k], way, turns);
          if (pairs.back[k] >= 0) both -= left(j, pairs.back[k], -way, turns);
          const Vec4 padded(both.x(), both.y(), both.z(), 0);  // whole rows: a part of one is assigned number by number
          sums[i - begin] -= padded;
          sums[patches.slots[k]] += padded;
        }
      }
    });
  }
};

Vec4 divided(const Vec4& a, const Vec4& b) {
  return (b.array() != 0).select(a.array() / b.array(), 0.0);
}

template <class Work>
void each_point(size_t count, const Work& work) {
  parallel_for(count, kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) work(i);
  });
}

/// Moves, stretches and turns whole groups of points at once: a second level, which carries far what neighbours would hand on step by step. Points lie
/// along a curve, so those of a group have numbers in a row.
struct Groups {
  static constexpr int kShapes = 4;  // 1 and the three coordinates, from the middle of the group
  size_t size = 0;                   // points of a group
  std::vector<Vec4f> shapes;         // #points
  Eigen::LLT<Eigen::MatrixXd> factor;

  explicit Groups(const Normal& normal) : shapes(normal.state.size()) {
    const size_t points = shapes.size();
    size = std::max(kMinGroup, (points + kMaxGroups - 1) / kMaxGroups);
    for (size_t g = 0; g < count(); ++g) set_shapes(normal.state, g * size, std::min((g + 1) * size, points));
    const auto rows = static_cast<Eigen::Index>(kShapes * count());
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows, rows);
    for (size_t i = 0; i < points; ++i) {
      for (size_t k = at(normal.pairs.begin[i]); k < at(normal.pairs.begin[i + 1]); ++k) add_pair(i, at(normal.pairs.other[k]), normal.squares[k], a);
    }
    a.diagonal().array() += 1e-6 * a.trace() / static_cast<double>(rows) + 1e-300;  // nothing holds the whole
    factor.compute(a);
  }
  size_t count() const { return (shapes.size() + size - 1) / size; }
  size_t end(size_t group) const { return std::min((group + 1) * size, shapes.size()); }

 private:
  void set_shapes(const State& state, size_t begin, size_t end) {
    Vec3 middle = Vec3::Zero();
    for (size_t i = begin; i < end; ++i) middle += state.e[i];
    middle /= static_cast<double>(end - begin);
    double extent = 0;
    for (size_t i = begin; i < end; ++i) extent = std::max(extent, (state.e[i] - middle).cwiseAbs().maxCoeff());
    for (size_t i = begin; i < end; ++i) {
      const Vec3 way = (state.e[i] - middle) / std::max(extent, 1e-300);
      shapes[i] = Vec4(1, way.x(), way.y(), way.z()).cast<float>();
    }
  }
  /// Only the lower triangle.
  void add_pair(size_t i, size_t j, float w, Eigen::MatrixXd& a) const {
    const auto g = static_cast<Eigen::Index>(kShapes * (i / size)), h = static_cast<Eigen::Index>(kShapes * (j / size));
    if (g == h) {
      const Eigen::Vector3f way = (shapes[i] - shapes[j]).tail<3>();
      a.block<3, 3>(g + 1, g + 1) += (w * way * way.transpose()).cast<double>();
      return;
    }
    a.block<4, 4>(g, g) += (w * shapes[i] * shapes[i].transpose()).cast<double>();
    a.block<4, 4>(h, h) += (w * shapes[j] * shapes[j].transpose()).cast<double>();
    const size_t high = g > h ? i : j, low = g > h ? j : i;
    a.block<4, 4>(std::max(g, h), std::min(g, h)) -= (w * shapes[high] * shapes[low].transpose()).cast<double>();
  }
};

/// What conjugate gradients work with. Single precision will do: the residual is made anew in double where much of it has gone.
struct Search {
  std::vector<Vec4f> r, p, q;
  std::vector<float> inverse;  // of the diagonal
  Eigen::MatrixXd sums;        // of r, by groups
  Eigen::MatrixXd moves;       // of the groups
  Vec4 size;                   // r z, for each coordinate
  double left = 0;             // what of it is due to the points themselves

  Search(const Normal& normal, const Groups& groups) : r(normal.state.size()), p(r.size()), q(r.size()), inverse(r.size()), sums(Groups::kShapes * groups.count(), 4) {
    for (size_t i = 0; i < r.size(); ++i) inverse[i] = static_cast<float>(1 / normal.diagonal[i]);
  }
};

/// Calls change(i) for all points and measures r after it.
template <class Change>
void change_residual(const Groups& groups, Search& s, const Change& change) {
  std::vector<Vec4> sizes(groups.count());
  parallel_for(groups.count(), 1, [&](size_t begin, size_t end) {
    for (size_t g = begin; g < end; ++g) {
      Vec4 size = Vec4::Zero();
      Eigen::Matrix4d sum = Eigen::Matrix4d::Zero();
      for (size_t i = g * groups.size; i < groups.end(g); ++i) {
        change(i);
        sum += groups.shapes[i].cast<double>() * s.r[i].cast<double>().transpose();
        size += (s.inverse[i] * s.r[i].cwiseAbs2()).cast<double>();
      }
      s.sums.middleRows<Groups::kShapes>(static_cast<Eigen::Index>(Groups::kShapes * g)) = sum;
      sizes[g] = size;
    }
  });
  s.size.setZero();
  for (const Vec4& size : sizes) s.size += size;
  s.left = s.size.sum();
  s.moves = groups.factor.solve(s.sums);
  s.size += s.moves.cwiseProduct(s.sums).colwise().sum().transpose();
}

/// What the embedding misses, from the rest vectors themselves.
void set_residual(const Normal& normal, const Groups& groups, std::span<const Mat3> turns, Search& s) {
  normal.residual(turns);
  change_residual(groups, s, [&](size_t i) { s.r[i] = sum_rows(normal.patches, normal.state.rows, i).cast<float>(); });
}

/// q = C^T C p; returns p q.
Vec4 multiply(const Normal& normal, Search& s) {
  normal.apply(s.p);
  return sum_over(s.p.size(), Vec4(Vec4::Zero()), [&](size_t i) {
    s.q[i] = normal.product(s.p, i);
    return Vec4(s.p[i].cwiseProduct(s.q[i]).cast<double>());
  });
}

/// Steps along p.
void move(const Groups& groups, State& state, Search& s, const Vec4& step) {
  const Vec4f small = step.cast<float>();
  change_residual(groups, s, [&](size_t i) { 
    const Vec4 change = step.cwiseProduct(s.p[i].cast<double>());
    state.e[i] += Vec3(change.x(), change.y(), change.z());
    s.r[i] -= small.cwiseProduct(s.q[i]);
  });
}

/// The next direction: z with a share of the last one.
void turn(const Groups& groups, Search& s, const Vec4& share) {
  const Vec4f small = share.cast<float>();
  parallel_for(groups.count(), 1, [&](size_t begin, size_t end) {
    for (size_t g = begin; g < end; ++g) {
      const Eigen::Matrix4f moves = s.moves.middleRows<Groups::kShapes>(static_cast<Eigen::Index>(Groups::kShapes * g)).transpose().cast<float>();
      for (size_t i = g * groups.size; i < groups.end(g); ++i) s.p[i] = s.inverse[i] * s.r[i] + moves * groups.shapes[i] + small.cwiseProduct(s.p[i]);
    }
  });
}

/// Conjugate gradients for the three coordinates at once, for the change of e. `tolerance`: relative to the residual at the beginning.
int solve(const Normal& normal, const Groups& groups, State& state, std::span<const Mat3> turns, double tolerance) {
  constexpr double kPass = 1e-4;  // what single precision can take off the residual in one go
  Search s(normal, groups);
  set_residual(normal, groups, turns, s);
  const double goal = tolerance * tolerance * s.left;
  // Rounding of the rest vectors themselves is no reason to solve.
  const double scale = sum_over(state.size(), 0.0, [&](size_t i) { return normal.diagonal[i] * state.radius[i] * state.radius[i]; });
  if (!(s.left > 1e-24 * scale)) return 0;
  // What flows goes on flowing: the best step along the last move comes first.
  each_point(state.size(), [&](size_t i) { s.p[i] << state.last_move[i].cast<float>(), 0.0f; });
  const Vec4 along = multiply(normal, s);
  move(groups, state, s, divided(sum_over(state.size(), Vec4(Vec4::Zero()), [&](size_t i) { return Vec4(s.p[i].cwiseProduct(s.r[i]).cast<double>()); }), along));
  int iterations = 0;
  for (double pass = kPass * kPass * goal / (tolerance * tolerance); iterations < kMaxIterations && s.left > goal; pass *= kPass * kPass) {
    turn(groups, s, Vec4::Zero());
    while (iterations < kMaxIterations && s.left > std::max(goal, pass)) {
      const Vec4 before = s.size;
      move(groups, state, s, divided(s.size, multiply(normal, s)));
      turn(groups, s, divided(s.size, before));
      ++iterations;
    }
    if (pass > goal) set_residual(normal, groups, turns, s);
  }
  return iterations;
}

/// How each neighbourhood is turned in the embedded space.
std::vector<Mat3> fitted_turns(const Normal& normal, const State& state) {
  const size_t stride = normal.model.stride();
  std::vector<Mat3> turns(state.size());
  each_point(state.size(), [&](size_t i) {
    Mat3 sum = Mat3::Zero();
    for (size_t k = i * stride; k < (i + 1) * stride; ++k) {
      if (state.neighbor[k] >= 0) sum += normal.square(static_cast<int32_t>(k)) * (state.e[at(state.neighbor[k])] - state.e[i]) * rest_vector(state, k).transpose();
    }
    turns[i] = nearest_rotation<double>(sum, Quat::Identity()).toRotationMatrix();
  });
  return turns;
}

}  // namespace

int embed(const Model& model, State& state, double tolerance) {
  const CpuTimer timer(state.times.embedding);
  const Normal normal(model, state);
  const Groups groups(normal);
  const std::vector<Vec3> before = state.e;
  int iterations = 0;
  if (model.settings.embed == Embed::Nonlinear) {
    for (int round = 0; round < kTurns; ++round) iterations += solve(normal, groups, state, fitted_turns(normal, state), tolerance);
  } else {
    iterations = solve(normal, groups, state, {}, tolerance);
  }
  each_point(state.size(), [&](size_t i) { state.last_move[i] = state.e[i] - before[i]; });
  return iterations;
}

double mismatch(const Model& model, const State& state) {
  double missed = 0, all = 0;
  for (size_t k = 0; k < state.neighbor.size(); ++k) {
    if (state.neighbor[k] < 0) continue;
    const size_t i = k / model.stride();
    const double square = weight_of(state, k) * weight_of(state, k);
    missed += square * (rest_vector(state, k) - (state.e[at(state.neighbor[k])] - state.e[i])).squaredNorm();
    all += square * rest_vector(state, k).squaredNorm();
  }
  return all > 0 ? std::sqrt(missed / all) : 0;
}

}  // namespace crumple::points
