#include <numeric>

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/SparseQR>

#include "crumple/math/union_find.h"
#include "crumple/methods/structures/build.h"

namespace crumple::structures {
namespace {

bool has_support(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(), [](const Joint& joint) { return joint.b < 0; });
}

}  // namespace

Result<void> check_connected(const Model& model) {
  UnionFind groups(model.pieces.size());
  int held = -1;  // all held pieces count as connected
  for (const Joint& joint : model.joints) {
    if (joint.b < 0 && held < 0) held = joint.a;
    groups.merge(joint.a, joint.b >= 0 ? joint.b : held);
  }
  for (size_t p = 1; p < model.pieces.size(); ++p) {
    if (groups.of(static_cast<int>(p)) == 0) continue;
    return input_error(fmt::format(
        ": pieces \"{}\" and \"{}\" are not connected; let bars end on each other, add \"joints\" or \"supports\", or make them two bodies",
        model.pieces[0].name, model.pieces[p].name));
  }
  return {};
}

namespace {

/// How the stiff rows of joints between rigid clusters resist their motions: one row for each, six columns for each cluster.
struct RowMatrix {
  std::vector<Eigen::Triplet<double>> entries;
  int rows = 0;
};

/// Turns count like moves at the distance `size`, so that all columns are alike.
void add_rows(RowMatrix& matrix, const Joint& joint, int a, int b, const Vec3& middle, double size) {
  for (int row = 0; row < 6; ++row) {
    if (joint.law.stiffness[row] == 0) continue;
    const Vec3 axis = joint.frame.rotation.col(row % 3), arm = (joint.frame.translation - middle) / size;
    const Vec3 move = row < 3 ? axis : Vec3(Vec3::Zero()), turn = row < 3 ? Vec3(arm.cross(axis)) : axis;
    for (int k = 0; k < 3; ++k) {
      for (const auto& [cluster, sign] : {std::pair{a, 1.0}, {b, -1.0}}) {
        matrix.entries.emplace_back(matrix.rows, 6 * cluster + k, sign * move[k]);
        matrix.entries.emplace_back(matrix.rows, 6 * cluster + 3 + k, sign * turn[k]);
      }
    }
    ++matrix.rows;
  }
}

Eigen::Index rank(const RowMatrix& matrix, int columns) {
  if (matrix.rows == 0) return 0;
  Eigen::SparseMatrix<double> sparse(matrix.rows, columns);
  sparse.setFromTriplets(matrix.entries.begin(), matrix.entries.end());
  if (columns <= 720) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> dense{Eigen::MatrixXd(sparse)};
    dense.setThreshold(1e-9);
    return dense.rank();
  }
  sparse.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> factor;
  factor.setPivotThreshold(1e-9);
  factor.compute(sparse);
  return factor.rank();
}

}  // namespace

/// Joints with no free row make rigid clusters of their pieces. What is left is small: clusters, and joints that leave something free between them.
/// The shape is fixed if the motions that no row resists are the six of a rigid body.
Result<void> check_mechanism(const Model& model) {
  const auto is_free = [](const Joint& joint) { return joint.law.stiffness.minCoeff() == 0; };
  if (has_support(model) || std::none_of(model.joints.begin(), model.joints.end(), is_free)) return {};
  UnionFind clusters(model.pieces.size());
  for (const Joint& joint : model.joints) {
    if (!is_free(joint)) clusters.merge(joint.a, joint.b);
  }
  std::vector<int> number(model.pieces.size(), -1);
  int count = 0;
  Bounds all;
  for (size_t p = 0; p < model.pieces.size(); ++p) {
    all.add(model.pieces[p].mass.center);
    if (clusters.of(static_cast<int>(p)) == static_cast<int>(p)) number[p] = count++;
  }
  RowMatrix matrix;
  const Joint* loose = nullptr;
  for (const Joint& joint : model.joints) {
    const int a = clusters.of(joint.a), b = clusters.of(joint.b);
    if (a == b) continue;
    if (!loose) loose = &joint;
    add_rows(matrix, joint, number[static_cast<size_t>(a)], number[static_cast<size_t>(b)], 0.5 * (all.low + all.high),
             std::max(all.diagonal(), 1e-6));
  }
  const Eigen::Index freedoms = 6 * count - rank(matrix, 6 * count);
  if (freedoms <= 6) return {};
  return input_error(fmt::format(
      ": is a mechanism without supports: joints with rows of stiffness 0, such as \"{}\", let its pieces move in {} way{} that strain nothing; "
      "add \"supports\" or stiffness",
      loose->name, freedoms - 6, freedoms == 7 ? "" : "s"));
}

}  // namespace crumple::structures
