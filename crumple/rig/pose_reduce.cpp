#include "crumple/rig/pose_reduce.h"
#include "crumple/geometry/elements.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/LU>

namespace crumple {
namespace {

constexpr double kUpright = 100;  // of the volume: no stretch in the plane comes near it

/// The rows of M, sparse: vertex i moves by W_ib (u_i - p_b, 1) with handle b.
struct Row {
  struct Entry {
    int handle;
    Eigen::Vector4d value;
  };
  std::vector<Entry> entries;
};

std::vector<Row> rows_of(const Asset& asset) {
  const size_t handles = asset.handles.size();
  const Elements mesh = asset.elements();
  std::vector<Row> rows(mesh.positions.size());
  for (size_t v = 0; v < rows.size(); ++v) {
    double sum = 0;
    for (size_t b = 0; b < handles; ++b) sum += asset.weight(v, b);
    if (!(sum > 0)) continue;
    for (size_t b = 0; b < handles; ++b) {
      // Single precision sums to 1 but for rounding; exactly 1 makes rigid motions cost exactly nothing.
      const double weight = asset.weight(v, b) / sum;
      if (weight == 0) continue;
      const Vec3 arm = weight * (mesh.positions[v] - asset.handles[b].position);
      rows[v].entries.push_back({static_cast<int>(b), {arm.x(), arm.y(), arm.z(), weight}});
    }
  }
  return rows;
}

struct Element {
  double volume = 0;               // or area; 0: not worth looking at
  std::array<Vec3, 4> gradient{};  // of the linear shape functions
};

std::vector<Element> shapes_of(const Elements& mesh) {
  std::vector<Element> elements(mesh.size());
  for (size_t t = 0; t < elements.size(); ++t) {
    const std::span<const int> corners = mesh[t];
    Mat3 edges = Mat3::Identity();  // of a triangle in the plane the last column is the direction across it
    for (int k = 0; k < mesh.dimension; ++k)
      edges.col(k) = mesh.positions[static_cast<size_t>(corners[static_cast<size_t>(k) + 1])] - mesh.positions[static_cast<size_t>(corners[0])];
    const double longest = edges.leftCols(mesh.dimension).colwise().norm().maxCoeff(), determinant = std::abs(edges.determinant());
    if (!(determinant > 1e-9 * (mesh.dimension == 3 ? longest * longest * longest : longest * longest))) continue;
    const Mat3 inverse = edges.inverse();
    elements[t].volume = determinant / (mesh.dimension == 3 ? 6 : 2);
    elements[t].gradient[0] = -inverse.topRows(mesh.dimension).colwise().sum().transpose();
    for (int k = 0; k < mesh.dimension; ++k) elements[t].gradient[static_cast<size_t>(k) + 1] = inverse.row(k).transpose();
  }
  return elements;
}

struct Stiffness {
  int i, j;
  double value;
};

/// Entries of L by row and column, each once.
std::vector<Stiffness> stiffness_of(const Elements& mesh, const std::vector<Element>& elements) {
  std::vector<Stiffness> all;
  all.reserve(16 * elements.size());
  for (size_t t = 0; t < elements.size(); ++t) {
    if (elements[t].volume == 0) continue;
    for (size_t a = 0; a < mesh.each(); ++a) {
      for (size_t b = 0; b < mesh.each(); ++b) {
        all.push_back({mesh[t][a], mesh[t][b], elements[t].volume * elements[t].gradient[a].dot(elements[t].gradient[b])});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Stiffness& x, const Stiffness& y) { return std::pair(x.i, x.j) < std::pair(y.i, y.j); });
  size_t kept = 0;
  for (const Stiffness& each : all) {
    if (kept > 0 && all[kept - 1].i == each.i && all[kept - 1].j == each.j) {
      all[kept - 1].value += each.value;
    } else {
      all[kept++] = each;
    }
  }
  all.resize(kept);
  return all;
}

/// M^T (L M), row of L by row of L.
Eigen::MatrixXd quadratic_of(const std::vector<Row>& rows, const std::vector<Stiffness>& stiffness, size_t handles) {
  const auto size = static_cast<Eigen::Index>(4 * handles);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size, size);
  std::vector<Eigen::Vector4d> product(handles);  // row i of L M
  std::vector<int> touched;
  std::vector<char> is_touched(handles, 0);
  for (size_t begin = 0; begin < stiffness.size();) {
    const int i = stiffness[begin].i;
    size_t end = begin;
    for (; end < stiffness.size() && stiffness[end].i == i; ++end) {
      for (const Row::Entry& entry : rows[static_cast<size_t>(stiffness[end].j)].entries) {
        const auto b = static_cast<size_t>(entry.handle);
        if (!is_touched[b]) is_touched[b] = 1, product[b].setZero(), touched.push_back(entry.handle);
        product[b] += stiffness[end].value * entry.value;
      }
    }
    for (const Row::Entry& entry : rows[static_cast<size_t>(i)].entries) {
      for (const int c : touched) result.block<4, 4>(4 * entry.handle, 4 * c) += entry.value * product[static_cast<size_t>(c)].transpose();
    }
    for (const int c : touched) is_touched[static_cast<size_t>(c)] = 0;
    touched.clear();
    begin = end;
  }
  return 0.5 * (result + result.transpose());
}

void add_cluster(const Asset& asset, const std::vector<Row>& rows, const std::vector<Element>& elements, const std::vector<int>& members,
                 PoseReduction& reduced) {
  const Elements mesh = asset.elements();
  double volume = 0;
  std::vector<PoseReduction::Part> all(asset.handles.size());
  std::vector<char> used(all.size(), 0);
  for (const int t : members) {
    const Element& element = elements[static_cast<size_t>(t)];
    volume += element.volume;
    for (size_t k = 0; k < mesh.each() && element.volume > 0; ++k) {
      const Vec3 gradient = element.volume * element.gradient[k];
      for (const Row::Entry& entry : rows[static_cast<size_t>(mesh[static_cast<size_t>(t)][k])].entries) {
        PoseReduction::Part& part = all[static_cast<size_t>(entry.handle)];
        used[static_cast<size_t>(entry.handle)] = 1;
        part.linear += entry.value.head<3>() * gradient.transpose();
        part.shift += entry.value[3] * gradient;
      }
    }
  }
  for (size_t b = 0; b < all.size(); ++b) {
    if (!used[b]) continue;
    all[b].handle = static_cast<int>(b);
    reduced.parts.push_back(all[b]);
  }
  reduced.first.push_back(static_cast<int>(reduced.parts.size()));
  if (asset.flat) reduced.upright.push_back(kUpright * volume);
}

std::vector<double> reach_of(const Asset& asset, const std::vector<Row>& rows) {
  const std::vector<double> masses = lumped_masses(asset.elements(), 1.0);
  std::vector<double> squares(asset.handles.size(), 0), sums(asset.handles.size(), 0);
  for (size_t v = 0; v < rows.size(); ++v) {
    for (const Row::Entry& entry : rows[v].entries) {
      const auto b = static_cast<size_t>(entry.handle);
      squares[b] += masses[v] * entry.value.head<3>().squaredNorm() / entry.value[3];
      sums[b] += masses[v] * entry.value[3];
    }
  }
  for (size_t b = 0; b < squares.size(); ++b) squares[b] = sums[b] > 0 ? std::sqrt(squares[b] / sums[b]) : 0;
  return squares;
}

}  // namespace

PoseReduction reduce_to_handles(const Asset& asset, const std::vector<int>& cluster) {
  PoseReduction reduced;
  const std::vector<Row> rows = rows_of(asset);
  const std::vector<Element> elements = shapes_of(asset.elements());
  double volume = 0;
  for (const Element& element : elements) volume += element.volume;
  const double scale = volume > 0 ? 1 / volume : 0;
  reduced.quadratic = scale * quadratic_of(rows, stiffness_of(asset.elements(), elements), asset.handles.size());
  std::vector<std::vector<int>> members;
  for (size_t t = 0; t < cluster.size(); ++t) {
    members.resize(std::max(members.size(), static_cast<size_t>(cluster[t]) + 1));
    members[static_cast<size_t>(cluster[t])].push_back(static_cast<int>(t));
  }
  reduced.first.push_back(0);
  for (const std::vector<int>& some : members) add_cluster(asset, rows, elements, some, reduced);
  for (PoseReduction::Part& part : reduced.parts) part.linear *= scale, part.shift *= scale;
  for (double& upright : reduced.upright) upright *= scale;
  reduced.reach = reach_of(asset, rows);
  return reduced;
}

}  // namespace crumple
