#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <Eigen/Eigenvalues>

#include "crumple/math/union_find.h"
#include "crumple/rigid/welds.h"

namespace crumple::rigid {
namespace {

// Moments of inertia below this share of the greatest are those of a line or a point of mass, which no twist about it can turn.
constexpr double kNoInertia = 1e-12;

const WeldedPiece& piece_at(const Welds& welds, const Group& group, size_t place) {
  return welds.pieces[static_cast<size_t>(group.pieces[place])];
}

/// |r|^2 1 - r r^T: inertia of a unit mass at r.
Mat3 unit_inertia(const Vec3& r) {
  return r.squaredNorm() * Mat3::Identity() - r * r.transpose();
}

WeldedPiece together(const Welds& welds, const Group& group) {
  WeldedPiece whole;
  // Relative to a piece, so that a body far from its own origin keeps its digits.
  const Vec3 base = piece_at(welds, group, 0).center;
  for (size_t k = 0; k < group.pieces.size(); ++k) {
    const WeldedPiece& piece = piece_at(welds, group, k);
    whole.mass += piece.mass;
    whole.center += piece.mass * (piece.center - base);
  }
  whole.center = base + whole.center / whole.mass;
  for (size_t k = 0; k < group.pieces.size(); ++k) {
    const WeldedPiece& piece = piece_at(welds, group, k);
    whole.inertia += piece.inertia + piece.mass * unit_inertia(piece.center - whole.center);
  }
  return whole;
}

Mat3 inverse_where_it_turns(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Vec3 inverse = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    if (eigen.eigenvalues()[i] > kNoInertia * eigen.eigenvalues()[2]) inverse[i] = 1 / eigen.eigenvalues()[i];
  }
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

size_t heaviest(const Welds& welds, const Group& group) {
  size_t best = 0;
  for (size_t k = 1; k < group.pieces.size(); ++k) {
    if (piece_at(welds, group, k).mass > piece_at(welds, group, best).mass) best = k;
  }
  return best;
}

/// Reaches every piece from the heaviest by the ways of the least sum of 1 / area: a wrench costs most where patches are small.
std::vector<Group::Branch> make_tree(const Welds& welds, const Group& group) {
  const size_t count = group.pieces.size(), root = heaviest(welds, group);
  std::vector<std::vector<int>> around(count);
  for (size_t l = 0; l < group.links.size(); ++l) {
    for (const int end : group.ends[l]) around[static_cast<size_t>(end)].push_back(static_cast<int>(l));
  }
  std::vector<double> cost(count, std::numeric_limits<double>::infinity());
  std::vector<Group::Branch> best(count, {static_cast<int>(root), -1, -1}), tree;
  std::set<std::pair<double, int>> next = {{0.0, static_cast<int>(root)}};
  cost[root] = 0;
  while (!next.empty()) {
    const int k = next.extract(next.begin()).value().second;
    tree.push_back(best[static_cast<size_t>(k)]);
    for (const int l : around[static_cast<size_t>(k)]) {
      const auto [a, b] = group.ends[static_cast<size_t>(l)];
      const int other = a == k ? b : a;
      double& known = cost[static_cast<size_t>(other)];
      const double way = cost[static_cast<size_t>(k)] + 1 / welds.links[static_cast<size_t>(group.links[static_cast<size_t>(l)])].area;
      if (!(way < known)) continue;
      next.erase({known, other});
      next.insert({known = way, other});
      best[static_cast<size_t>(other)] = {other, k, l};
    }
  }
  assert(tree.size() == count);
  return tree;
}

}  // namespace

Weld make_weld(int a, int b, double area, double limit, const Vec3& center, const Mat3& spread) {
  Weld weld{a, b, area, limit, center, turning_of(spread, area)};
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(weld.turning);
  weld.axes << eigen.eigenvectors().col(0), eigen.eigenvectors().col(1), eigen.eigenvectors().col(0).cross(eigen.eigenvectors().col(1));
  weld.levers = eigen.eigenvalues().cwiseSqrt().cwiseInverse();
  return weld;
}

PlasticLaw capacity_of(const Weld& weld, double force) {
  PlasticLaw law;
  law.interaction = Interaction::Ellipsoid;  // |p|^2 + q . turning q <= limit^2
  law.capacity.head<3>().setConstant(force);
  law.capacity.tail<3>() = force * weld.levers;
  return law;
}

Groups connected(const Welds& welds, std::span<const uint8_t> broken) {
  assert(broken.size() == welds.links.size());
  UnionFind welded(welds.pieces.size());
  for (size_t l = 0; l < welds.links.size(); ++l) {
    if (!broken[l]) welded.merge(welds.links[l].a, welds.links[l].b);
  }
  Groups groups;
  groups.of_piece.resize(welds.pieces.size());
  for (size_t k = 0; k < welds.pieces.size(); ++k) {
    const int first = welded.of(static_cast<int>(k));
    groups.of_piece[k] = first == static_cast<int>(k) ? groups.count++ : groups.of_piece[static_cast<size_t>(first)];
  }
  return groups;
}

std::shared_ptr<const Group> make_group(const Welds& welds, std::vector<int> pieces, std::vector<int> links) {
  auto made = std::make_shared<Group>();
  Group& group = *made;
  group.pieces = std::move(pieces);
  group.links = std::move(links);
  const auto place = [&](int piece) {
    return static_cast<int>(std::lower_bound(group.pieces.begin(), group.pieces.end(), piece) - group.pieces.begin());
  };
  for (const int l : group.links) {
    const Weld& link = welds.links[static_cast<size_t>(l)];
    group.ends.push_back({place(link.a), place(link.b)});
    group.most_brittle = std::max(group.most_brittle, std::sqrt(link.area) / link.limit);
  }
  group.whole = together(welds, group);
  group.inverse_inertia = inverse_where_it_turns(group.whole.inertia);
  group.tree = make_tree(welds, group);
  return made;
}

std::shared_ptr<const Factors> make_factors(const Welds& welds, std::span<const uint8_t> broken, const Groups& groups, const Factors* before) {
  const size_t count = static_cast<size_t>(groups.count);
  std::vector<std::vector<int>> pieces(count), links(count);
  for (size_t k = 0; k < welds.pieces.size(); ++k) pieces[static_cast<size_t>(groups.of_piece[k])].push_back(static_cast<int>(k));
  for (size_t l = 0; l < welds.links.size(); ++l) {
    if (!broken[l]) links[static_cast<size_t>(groups.of_piece[static_cast<size_t>(welds.links[l].a)])].push_back(static_cast<int>(l));
  }
  auto factors = std::make_shared<Factors>();
  size_t old = 0;  // both lists ascend by their lowest pieces
  for (size_t g = 0; g < count; ++g) {
    while (before && old < before->groups.size() && before->groups[old]->pieces[0] < pieces[g][0]) ++old;
    const bool same = before && old < before->groups.size() && before->groups[old]->pieces == pieces[g] && before->groups[old]->links == links[g];
    factors->groups.push_back(same ? before->groups[old] : make_group(welds, std::move(pieces[g]), std::move(links[g])));
  }
  return factors;
}

}  // namespace crumple::rigid
