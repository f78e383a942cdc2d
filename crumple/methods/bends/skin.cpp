#include <algorithm>
#include <map>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/methods/bends/kernels.h"

namespace crumple::bends {
namespace {

constexpr float kMinShare = 2e-3f;

/// Pieces that have not turned against each other have one number.
std::vector<int> same_places(std::span<const Transform> places) {
  std::vector<int> same;
  for (size_t p = 0; p < places.size(); ++p) {
    size_t first = 0;
    while (first < p && (places[first].rotation != places[p].rotation || places[first].translation != places[p].translation)) ++first;
    same.push_back(static_cast<int>(first));
  }
  return same;
}

Motion blended(const Follows& follows, size_t point, std::span<const Motion> pieces) {
  const PieceShares& shares = follows.shares;
  const Vec3 middle = follows.middles[point].cast<double>();
  const Quat& main = pieces[at(shares.piece[at(shares.first[point])])].turn;
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  Vec3 to = Vec3::Zero();
  for (int i = shares.first[point]; i < shares.first[point + 1]; ++i) {
    const Motion& piece = pieces[at(shares.piece[at(i)])];
    const double share = static_cast<double>(shares.share[at(i)]);
    sum += (piece.turn.dot(main) < 0 ? -share : share) * piece.turn.coeffs();
    to += share * (piece.turn * middle + piece.shift);
  }
  Motion motion;
  motion.turn.coeffs() = sum.normalized();
  motion.shift = to - motion.turn * middle;
  return motion;
}

}  // namespace

PieceShares shares_of_points(const PieceShares& vertices, const TetMesh& mesh, const Embedding& embedding) {
  PieceShares shares;
  for (size_t i = 0; i < embedding.tet.size(); ++i) {
    shares.begin_point();
    std::map<int, float> row;
    for (size_t corner = 0; corner < 4; ++corner) {
      const int v = mesh.tets[at(embedding.tet[i])][corner];
      const float weight = std::max(0.0f, embedding.weights[i][corner]);  // outside of the tetrahedra weights may be negative
      for (int k = vertices.first[at(v)]; k < vertices.first[at(v) + 1]; ++k) row[vertices.piece[at(k)]] += weight * vertices.share[at(k)];
    }
    std::vector<std::pair<float, int>> kept;
    float sum = 0;
    for (const auto& [piece, share] : row) {
      if (share >= kMinShare) kept.emplace_back(share, piece), sum += share;
    }
    std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [share, piece] : kept) shares.piece.push_back(piece), shares.share.push_back(share / sum);
  }
  shares.begin_point();
  return shares;
}

Follows follow(PieceShares shares, const rigid::Welds& welds) {
  Follows follows;
  std::map<std::pair<int, int>, Vec3> link_at;
  for (const rigid::Weld& link : welds.links) link_at[std::minmax(link.a, link.b)] = link.center;
  for (size_t point = 0; point < shares.points(); ++point) {
    Vec3 sum = Vec3::Zero(), fallback = Vec3::Zero();
    double total = 0;
    for (int i = shares.first[point]; i < shares.first[point + 1]; ++i) {
      fallback += static_cast<double>(shares.share[at(i)]) * welds.pieces[at(shares.piece[at(i)])].center;
      for (int j = i + 1; j < shares.first[point + 1]; ++j) {
        const auto found = link_at.find(std::minmax(shares.piece[at(i)], shares.piece[at(j)]));
        if (found == link_at.end()) continue;
        const double weight = static_cast<double>(shares.share[at(i)]) * static_cast<double>(shares.share[at(j)]);
        sum += weight * found->second, total += weight;
      }
    }
    follows.middles.push_back((total > 0 ? Vec3(sum / total) : fallback).cast<float>());
  }
  follows.shares = std::move(shares);
  return follows;
}

std::vector<Motion> motions_of(const Follows& follows, std::span<const Transform> places) {
  const std::vector<int> same = same_places(places);
  std::vector<Motion> pieces;
  for (const Transform& place : places) pieces.push_back({Quat(place.rotation), place.translation});
  const PieceShares& shares = follows.shares;
  std::vector<Motion> motions(shares.points());
  parallel_for(motions.size(), 2048, [&](size_t begin, size_t end) {
    for (size_t point = begin; point < end; ++point) {
      const int first = shares.first[point], last = shares.first[point + 1];
      const int main = same[at(shares.piece[at(first)])];
      const bool is_rigid = std::all_of(&shares.piece[at(first)], &shares.piece[at(first)] + (last - first), [&](int piece) { return same[at(piece)] == main; });
      motions[point] = is_rigid ? pieces[at(main)] : blended(follows, point, pieces);
    }
  });
  return motions;
}

std::vector<Vec3f> pose(const Model& model, const State&, const PieceSide& side, std::span<const Transform> places) {
  std::vector<Motion> motions = motions_of(side.vertices ? model.vertices : model.surface, places);
  motions.reserve(side.points.size());
  for (size_t i = 0; i + 1 < side.parents.size(); i += 2) {
    const Motion &a = motions[at(side.parents[i])], &b = motions[at(side.parents[i + 1])];
    Motion between;
    between.turn.coeffs() = (a.turn.coeffs() + (a.turn.dot(b.turn) < 0 ? -1.0 : 1.0) * b.turn.coeffs()).normalized();
    between.shift = 0.5 * (a.shift + b.shift);
    motions.push_back(between);
  }
  std::vector<Vec3f> points(side.points.size());
  for (size_t v = 0; v < points.size(); ++v) points[v] = (motions[v].turn * side.points[v].cast<double>() + motions[v].shift).cast<float>();
  if (side.turns) {
    for (const Motion& motion : motions) side.turns->push_back(motion.turn.toRotationMatrix());
  }
  return points;
}

}  // namespace crumple::bends
