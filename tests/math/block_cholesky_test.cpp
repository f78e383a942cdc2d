#include "crumple/math/block_cholesky.h"

#include <algorithm>
#include <limits>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "crumple/math/block_kernels.h"

namespace crumple {
namespace {

using Links = std::vector<std::pair<int, int>>;

/// A matrix of blocks, once sparse and once in full.
struct Both {
  BlockCholesky sparse;
  Eigen::MatrixXd full;

  Both(int rows, const Links& links) : full(Eigen::MatrixXd::Zero(6 * rows, 6 * rows)) { sparse.analyze(rows, links); }

  void add(int row, int column, const Mat6& block) {
    full.block<6, 6>(6 * row, 6 * column) += block;
    if (row == column) {
      sparse.diagonal(row) += block;
      return;
    }
    full.block<6, 6>(6 * column, 6 * row) += block.transpose();
    const auto [index, flipped] = sparse.slot(row, column);
    flipped ? sparse.link(index) += block.transpose() : sparse.link(index) += block;
  }
};

struct Draws {
  std::mt19937 engine;
  double value() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  int index(int end) { return std::uniform_int_distribution<int>(0, end - 1)(engine); }
  Mat6 block() {
    return Mat6::NullaryExpr([&] { return value(); });
  }
};

/// Springs between rows and weak springs to the ground: as little definite as structures are.
void add_springs(Both& both, int rows, const Links& links, Draws& random) {
  for (int i = 0; i < rows; ++i) both.add(i, i, 0.1 * Mat6::Identity());
  for (const auto& [a, b] : links) {
    const Mat6 ja = random.block(), jb = random.block();
    both.add(a, a, ja.transpose() * ja);
    both.add(b, b, jb.transpose() * jb);
    both.add(a, b, ja.transpose() * jb);
  }
}

Links random_links(int rows, int count, Draws& random) {
  Links links;
  while (static_cast<int>(links.size()) < count) {
    const int a = random.index(rows), b = random.index(rows);
    if (a != b) links.emplace_back(a, b);
  }
  return links;
}

Links grid(int side) {
  Links links;
  for (int i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) links.emplace_back(i, i + 1);
    if (i + side < side * side) links.emplace_back(i + side, i);
  }
  return links;
}

Links chain(int rows) {
  Links links;
  for (int i = 0; i + 1 < rows; ++i) links.emplace_back(i, i + 1);
  return links;
}

std::vector<Vec6> solved(const BlockCholesky& factor, const Eigen::VectorXd& right) {
  std::vector<Vec6> x(static_cast<size_t>(factor.rows()));
  for (size_t i = 0; i < x.size(); ++i) x[i] = right.segment<6>(6 * static_cast<Eigen::Index>(i));
  factor.solve(x);
  return x;
}

double difference(const std::vector<Vec6>& x, const Eigen::VectorXd& expected) {
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) most = std::max(most, (x[i] - expected.segment<6>(6 * static_cast<Eigen::Index>(i))).cwiseAbs().maxCoeff());
  return most / expected.cwiseAbs().maxCoeff();
}

TEST(BlockCholesky, solves_what_a_dense_factor_solves) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Draws random{std::mt19937(seed)};
    const int rows = 1 + random.index(25);
    const Links links = rows > 1 ? random_links(rows, random.index(3 * rows), random) : Links{};
    Both both(rows, links);
    add_springs(both, rows, links, random);
    const Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(6 * rows, [&] { return random.value(); });
    ASSERT_TRUE(both.sparse.factor());
    EXPECT_LT(difference(solved(both.sparse, right), both.full.llt().solve(right)), 1e-11) << "seed " << seed;
  }
}

TEST(BlockCholesky, reads_only_the_lower_triangle_of_the_diagonal) {
  Draws random{std::mt19937(3)};
  const Links links = grid(3);
  Both both(9, links);
  add_springs(both, 9, links, random);
  for (int i = 0; i < 9; ++i) both.sparse.diagonal(i).triangularView<Eigen::StrictlyUpper>().setConstant(1e9);
  const Eigen::VectorXd right = Eigen::VectorXd::Ones(54);
  ASSERT_TRUE(both.sparse.factor());
  EXPECT_LT(difference(solved(both.sparse, right), both.full.llt().solve(right)), 1e-11);
}

TEST(BlockCholesky, factors_new_numbers_in_the_old_order) {
  Draws random{std::mt19937(5)};
  const Links links = grid(4);
  Both both(16, links);
  for (int round = 0; round < 3; ++round) {
    both.sparse.set_zero();
    both.full.setZero();
    add_springs(both, 16, links, random);
    const Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(96, [&] { return random.value(); });
    ASSERT_TRUE(both.sparse.factor());
    EXPECT_LT(difference(solved(both.sparse, right), both.full.llt().solve(right)), 1e-11);
  }
}

TEST(BlockCholesky, does_not_care_in_which_order_links_are_named) {
  Draws random{std::mt19937(7)};
  Links links = grid(5), mixed = links;
  std::shuffle(mixed.begin(), mixed.end(), random.engine);
  for (auto& [a, b] : mixed) {
    if (random.value() < 0) std::swap(a, b);
  }
  mixed.insert(mixed.end(), links.begin(), links.begin() + 7);
  Both first(25, links), second(25, mixed);
  second.sparse.analyze(7, chain(7));  // nor what was analyzed before
  second.sparse.analyze(25, mixed);
  EXPECT_EQ(first.sparse.fill(), second.sparse.fill());
  Draws numbers = random, again = random;
  add_springs(first, 25, links, numbers);
  add_springs(second, 25, links, again);
  ASSERT_TRUE(first.sparse.factor() && second.sparse.factor());
  const std::vector<Vec6> x = solved(first.sparse, Eigen::VectorXd::Ones(150)), y = solved(second.sparse, Eigen::VectorXd::Ones(150));
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], y[i]);
}

TEST(BlockCholesky, fills_nothing_in_on_chains_and_trees) {
  Links tree;
  for (int i = 1; i < 300; ++i) tree.emplace_back((i - 1) / 3, i);
  BlockCholesky factor;
  factor.analyze(2000, chain(2000));
  EXPECT_EQ(factor.fill(), 1999);
  factor.analyze(300, tree);
  EXPECT_EQ(factor.fill(), 299);
}

TEST(BlockCholesky, fills_plates_far_less_than_a_band_would) {
  BlockCholesky factor;
  factor.analyze(144, grid(12));
  EXPECT_LT(factor.fill(), 144 * 12 * 6 / 10);
  factor.analyze(576, grid(24));
  EXPECT_LT(factor.fill(), 576 * 24 * 5 / 10);
}

TEST(BlockCholesky, refuses_what_is_not_positive_definite) {
  const Links links = chain(3);
  Both both(3, links);
  for (int i = 0; i < 3; ++i) both.add(i, i, Mat6::Identity());
  both.add(0, 1, 0.8 * Mat6::Identity());
  both.add(1, 2, 0.8 * Mat6::Identity());  // eigenvalue 1 - 0.8 sqrt(2) < 0
  EXPECT_FALSE(both.sparse.factor());

  both.sparse.set_zero();
  for (int i = 0; i < 3; ++i) both.add(i, i, Mat6::Identity());
  both.sparse.diagonal(1)(4, 4) = 0;
  EXPECT_FALSE(both.sparse.factor());
  both.sparse.set_zero();
  for (int i = 0; i < 3; ++i) both.add(i, i, Mat6::Identity());
  both.sparse.diagonal(2)(3, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(both.sparse.factor());
}

TEST(BlockCholesky, keeps_soft_directions_beside_stiff_ones) {
  // A chain of springs of 1e10 on masses of 1: its whole moves as one mass of 8, to as many digits as the ratio leaves.
  const int rows = 8;
  Both both(rows, chain(rows));
  for (int i = 0; i < rows; ++i) both.add(i, i, Mat6::Identity());
  Draws random{std::mt19937(11)};
  for (const auto& [a, b] : chain(rows)) {
    const Vec6 across = random.block().col(0).normalized();
    const Mat6 turned = Mat6::Identity() - 2 * across * across.transpose();
    const Mat6 stiff = turned * (Vec6() << 1e10, 1e10, 1e10, 1e4, 1e4, 1e4).finished().asDiagonal() * turned.transpose();
    both.add(a, a, stiff);
    both.add(b, b, stiff);
    both.add(a, b, -stiff);
  }
  ASSERT_TRUE(both.sparse.factor());
  for (const Vec6& x : solved(both.sparse, Eigen::VectorXd::Ones(6 * rows))) EXPECT_LT((x - Vec6::Ones()).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(BlockKernels, multiply_to_the_same_bits_with_wide_registers) {
  Draws random{std::mt19937(13)};
  for (int round = 0; round < 20; ++round) {
    const Mat6 a = random.block(), b = random.block(), c = random.block();
    Mat6 sum = c, expected = c;
    add_product(sum, a, b);
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) {
        for (int i = 0; i < 6; ++i) {
          const volatile double product = a(i, k) * b(k, j);
          expected(i, j) += product;
        }
      }
    }
    EXPECT_EQ(sum, expected);
  }
}

TEST(BlockCholesky, has_nothing_to_say_about_nothing) {
  BlockCholesky factor;
  factor.analyze(0, {});
  EXPECT_TRUE(factor.factor());
  factor.solve({});
  EXPECT_EQ(factor.rows(), 0);
}

}  // namespace
}  // namespace crumple
