#include "crumple/rigid/welds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "crumple/math/block_cholesky.h"

namespace crumple::rigid {

/// Rigid pieces joined by springs, all but the root of the tree free to move.
struct StressSolver {
  std::vector<Mat3> turning;  // #links of the group: stiffness against turning, A S
  BlockCholesky factor;       // a row for each piece of the group; that of the root stands alone
};

namespace {

// A strip of width w and length 100 w has w^2 / 12 = A / 1200 about its long axis.
constexpr double kThinnest = 1.0 / 1200;
// Solved again for what is left over until pieces get what they should to this share: long chains lose many digits in one go.
constexpr double kBalanced = 1e-11;
constexpr int kMaxRounds = 5;

const WeldedPiece& piece_at(const Welds& welds, const Group& group, int place) {
  return welds.pieces[static_cast<size_t>(group.pieces[static_cast<size_t>(place)])];
}
const Weld& link_at(const Welds& welds, const Group& group, int place) {
  return welds.links[static_cast<size_t>(group.links[static_cast<size_t>(place)])];
}

/// The same wrench about another point, from which the old one is seen at `old`.
Wrench about(const Wrench& wrench, const Vec3& old) {
  Wrench result = wrench;
  result.tail<3>() += old.cross(wrench.head<3>());
  return result;
}

Wrench join(const Vec3& impulse, const Vec3& twist) {
  Wrench result;
  result << impulse, twist;
  return result;
}

Carried carried_by(const Weld& link, const Wrench& on_b) {
  Carried carried{on_b.head<3>(), on_b.tail<3>(), 0};
  carried.size = std::sqrt(carried.impulse.squaredNorm() + carried.twist.dot(link.turning * carried.twist));
  return carried;
}

/// From a piece's displacement and turn to those of its matter at `arm` from its centre.
Mat6 motion_at(const Vec3& arm) {
  Mat6 m = Mat6::Identity();
  m.topRightCorner<3, 3>() = -cross_matrix(arm);
  return m;
}

/// A link's springs between its pieces: K += B^T C B.
void add_stiffness(const Welds& welds, const Group& group, int l, const Mat3& turning, BlockCholesky& matrix) {
  const Weld& link = link_at(welds, group, l);
  Mat6 c = Mat6::Zero();
  c.topLeftCorner<3, 3>().diagonal().setConstant(link.area);
  c.bottomRightCorner<3, 3>() = turning;
  const std::array<int, 2> ends = group.ends[static_cast<size_t>(l)];
  const Mat6 motion[2] = {-motion_at(link.center - piece_at(welds, group, ends[0]).center),
                          motion_at(link.center - piece_at(welds, group, ends[1]).center)};
  const int root = group.tree[0].piece;
  for (size_t i = 0; i < 2; ++i) {
    if (ends[i] != root) matrix.diagonal(ends[i]) += motion[i].transpose() * c * motion[i];
  }
  if (ends[0] == root || ends[1] == root) return;
  const BlockCholesky::Slot slot = matrix.slot(ends[0], ends[1]);
  const size_t row = slot.flipped ? 1 : 0;
  matrix.link(slot.index) += motion[row].transpose() * c * motion[1 - row];
}

/// What the springs carry when pieces are displaced; what they give to each piece is taken from `left`.
void load_springs(const Welds& welds, const Group& group, std::span<const Wrench> displaced, std::span<Wrench> on_b, std::span<Wrench> left) {
  const StressSolver& solver = group.solver(welds);
  for (size_t l = 0; l < group.links.size(); ++l) {
    const Weld& link = link_at(welds, group, static_cast<int>(l));
    const auto [a, b] = group.ends[l];
    const Wrench &ua = displaced[static_cast<size_t>(a)], &ub = displaced[static_cast<size_t>(b)];
    const Vec3 arm_a = link.center - piece_at(welds, group, a).center, arm_b = link.center - piece_at(welds, group, b).center;
    const Vec3 stretch = ub.head<3>() + ub.tail<3>().cross(arm_b) - ua.head<3>() - ua.tail<3>().cross(arm_a);
    const Wrench wrench = join(link.area * stretch, solver.turning[l] * (ub.tail<3>() - ua.tail<3>()));
    on_b[l] += wrench;
    left[static_cast<size_t>(a)] += about(wrench, arm_a);
    left[static_cast<size_t>(b)] -= about(wrench, arm_b);
  }
}

}  // namespace

Mat3 turning_of(const Mat3& spread, double area) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(Mat3(spread.trace() * Mat3::Identity() - spread));
  const Vec3 inverse = eigen.eigenvalues().cwiseMax(kThinnest * area).cwiseInverse();
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

Wrench wrench_at(const Vec3& impulse, const Vec3& at) {
  return join(impulse, at.cross(impulse));
}

void add_spin_loads(const Welds& welds, const Group& group, const Vec3& spin, double dt, std::span<Wrench> loads) {
  // Free turning: I dw/dt = -w x I w, and the matter at r from the centre is accelerated by dw/dt x r + w x (w x r).
  const Vec3 change = -group.inverse_inertia * spin.cross(group.whole.inertia * spin);
  for (const int k : group.pieces) {
    const WeldedPiece& piece = welds.pieces[static_cast<size_t>(k)];
    const Vec3 r = piece.center - group.whole.center;
    const Vec3 force = piece.mass * (change.cross(r) + spin.cross(spin.cross(r)));
    const Vec3 torque = piece.inertia * change + spin.cross(piece.inertia * spin);
    loads[static_cast<size_t>(k)] -= dt * about(join(force, torque), piece.center);
  }
}

std::vector<Wrench> wanted_from_links(const Welds& welds, const Group& group, std::span<const Wrench> loads) {
  assert(loads.size() == welds.pieces.size());
  Wrench sum = Wrench::Zero();
  for (const int k : group.pieces) sum += loads[static_cast<size_t>(k)];
  const Vec3& center = group.whole.center;
  const Vec3 dv = sum.head<3>() / group.whole.mass;
  const Vec3 dw = group.inverse_inertia * about(sum, -center).tail<3>();
  std::vector<Wrench> wanted;
  wanted.reserve(group.pieces.size());
  for (const int k : group.pieces) {
    const WeldedPiece& piece = welds.pieces[static_cast<size_t>(k)];
    const Wrench change = join(piece.mass * (dv + dw.cross(piece.center - center)), piece.inertia * dw);
    wanted.push_back(change - about(loads[static_cast<size_t>(k)], -piece.center));
  }
  return wanted;
}

double energy_over_tree(const Welds& welds, const Group& group, std::span<const Wrench> wanted) {
  assert(wanted.size() == group.pieces.size());
  std::vector<Wrench> behind(wanted.begin(), wanted.end());  // what a piece and all that hang on it want, about the piece's centre
  double energy = 0;
  for (size_t i = group.tree.size() - 1; i > 0; --i) {
    const auto [k, parent, l] = group.tree[i];
    const Weld& link = link_at(welds, group, l);
    const Vec3& center = piece_at(welds, group, k).center;
    const Wrench& wrench = behind[static_cast<size_t>(k)];
    const Carried carried = carried_by(link, about(wrench, center - link.center));
    energy += carried.size * carried.size / link.area;
    behind[static_cast<size_t>(parent)] += about(wrench, center - piece_at(welds, group, parent).center);
  }
  return energy;
}

namespace {

std::shared_ptr<const StressSolver> make_solver(const Welds& welds, const Group& group) {
  const int root = group.tree[0].piece;
  std::vector<std::pair<int, int>> links;
  for (const auto& [a, b] : group.ends) {
    if (a != root && b != root) links.emplace_back(a, b);
  }
  auto solver = std::make_shared<StressSolver>();
  solver->factor.analyze(static_cast<int>(group.pieces.size()), links);
  solver->factor.diagonal(root).setIdentity();
  for (int l = 0; l < static_cast<int>(group.links.size()); ++l) {
    solver->turning.push_back(link_at(welds, group, l).area * link_at(welds, group, l).turning.inverse());
    add_stiffness(welds, group, l, solver->turning.back(), solver->factor);
  }
  [[maybe_unused]] const bool definite = solver->factor.factor();  // every piece hangs on the root
  assert(definite);
  return solver;
}

}  // namespace

const StressSolver& Group::solver(const Welds& welds) const {
  std::call_once(made_, [&] { solver_ = make_solver(welds, *this); });
  return *solver_;
}

std::vector<Carried> solve(const Welds& welds, const Group& group, std::span<const Wrench> wanted) {
  std::vector<Carried> result;
  if (group.links.empty()) return result;
  const size_t root = static_cast<size_t>(group.tree[0].piece);
  std::vector<Wrench> on_b(group.links.size(), Wrench::Zero()), left(wanted.begin(), wanted.end()), displaced;
  const auto size = [&] { return std::accumulate(left.begin(), left.end(), 0.0, [](double sum, const Wrench& w) { return sum + w.squaredNorm(); }); };
  const double enough = kBalanced * kBalanced * size();
  for (int round = 0; round < kMaxRounds && (round == 0 || size() > enough); ++round) {
    displaced = left;
    displaced[root].setZero();
    group.solver(welds).factor.solve(displaced);
    load_springs(welds, group, displaced, on_b, left);
  }
  for (size_t l = 0; l < group.links.size(); ++l) result.push_back(carried_by(link_at(welds, group, static_cast<int>(l)), on_b[l]));
  return result;
}

}  // namespace crumple::rigid
