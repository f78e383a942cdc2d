#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "crumple/core/index.h"
#include "crumple/geometry/noise.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

constexpr double kLongSide = 0.8;  // spacings: longer edges of crack faces are divided
constexpr int kMaxDivisions = 3;
constexpr double kBroad = 3, kFine = 1.1;     // spacings: widths of the bumps
constexpr double kFineShare = 0.4;            // of the height
constexpr uint32_t kSeeds[3] = {11, 23, 47};  // of each direction
constexpr uint32_t kGrainSeed = 91;
constexpr double kGrainWidth = 0.35;  // spacings

/// The same at the same place: both sides of a crack fit.
Vec3 bump(const Vec3& place, double spacing) {
  Vec3 sum;
  for (int k = 0; k < 3; ++k)
    sum[k] =
        (1 - kFineShare) * value_noise(place / (kBroad * spacing), kSeeds[k]) + kFineShare * value_noise(place / (kFine * spacing), kSeeds[k] + 1);
  return sum;
}

/// The mean of two sets of carriers: the heaviest of both.
Carriers halfway(const Carriers& a, const Carriers& b) {
  std::array<std::pair<float, int32_t>, 2 * kCarriers> all;
  size_t count = 0;
  for (const Carriers* side : {&a, &b}) {
    for (size_t k = 0; k < kCarriers; ++k) {
      if (side->weight[k] == 0) continue;
      const auto same = std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count),
                                     [&](const auto& one) { return one.second == side->particle[k]; });
      if (same == all.begin() + static_cast<std::ptrdiff_t>(count)) all[count++] = {0.0f, side->particle[k]};
      same->first += side->weight[k];
    }
  }
  std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count),
            [](const auto& one, const auto& other) { return one.first != other.first ? one.first > other.first : one.second < other.second; });
  Carriers mean;
  float sum = 0;
  for (size_t k = 0; k < std::min<size_t>(count, kCarriers); ++k) {
    mean.weight[k] = all[k].first, mean.particle[k] = all[k].second;
    sum += all[k].first;
  }
  for (float& w : mean.weight) w /= sum;
  return mean;
}

/// Divides crack faces and moves their insides. Edges on the skin stay: the skin has no vertex in their middle.
class Relief {
 public:
  Relief(const SurfaceModel& model, Surface& surface, TriMesh& inner) : model_(model), surface_(surface), inner_(inner) {
    for (const Triangle& t : surface.skin->triangles) {
      for (size_t k = 0; k < 3; ++k) rims_.push_back(edge(surface.skin_point[at(t[k])], surface.skin_point[at(t[(k + 1) % 3])]));
    }
    std::sort(rims_.begin(), rims_.end());
    rims_.erase(std::unique(rims_.begin(), rims_.end()), rims_.end());
  }

  /// `rim`: places of cracks on the skin, from the model's centre.
  void run(std::vector<uint8_t> fixed, const std::vector<Vec3>& rim) {
    fixed_ = std::move(fixed);
    for (int round = 0; round < kMaxDivisions && divide(); ++round) {
    }
    raise(rim);
  }

 private:
  using Edge = std::array<int32_t, 2>;
  static Edge edge(int32_t a, int32_t b) { return {std::min(a, b), std::max(a, b)}; }
  int32_t point(int v) const { return surface_.inner_point[at(v)]; }

  bool is_divided(const Edge& e) const {
    const double length = static_cast<double>((surface_.rest[at(e[0])] - surface_.rest[at(e[1])]).norm());
    return length > kLongSide * model_.spacing && !std::binary_search(rims_.begin(), rims_.end(), e);
  }
  /// The point in the middle of an edge; -1: it is not divided.
  int32_t middle_point(const Edge& e) {
    const auto [known, is_new] = middles_.try_emplace(e, -1);
    if (!is_new || !is_divided(e)) return known->second;
    const size_t a = at(e[0]), b = at(e[1]);
    surface_.rest.push_back(0.5f * (surface_.rest[a] + surface_.rest[b]));
    surface_.carriers.push_back(halfway(surface_.carriers[a], surface_.carriers[b]));
    surface_.owner.push_back(int32_t{surface_.owner[a]});
    fixed_.push_back(0);
    return known->second = static_cast<int32_t>(surface_.rest.size()) - 1;
  }
  /// Vertices of different crack planes are different, as are their texture coordinates.
  int middle_vertex(int a, int b) {
    const int32_t p = middle_point(edge(point(a), point(b)));
    if (p < 0) return -1;
    const auto [known, is_new] = vertices_.try_emplace(Edge{std::min(a, b), std::max(a, b)}, -1);
    if (!is_new) return known->second;
    inner_.positions.push_back(0.5 * (inner_.positions[at(a)] + inner_.positions[at(b)]));
    inner_.uvs.push_back(0.5f * (inner_.uvs[at(a)] + inner_.uvs[at(b)]));
    surface_.inner_point.push_back(p);
    return known->second = static_cast<int>(inner_.positions.size()) - 1;
  }

  /// The same for the other side of the crack, with the triangle seen from there.
  bool is_shorter(int a, int b, int c, int d) const {
    const auto key = [&](int one, int other) {
      const Vec3 &p = inner_.positions[at(one)], &q = inner_.positions[at(other)];
      const Vec3 sum = p + q;
      return std::array<double, 4>{(p - q).squaredNorm(), sum.x(), sum.y(), sum.z()};
    };
    return key(a, b) < key(c, d);
  }

  bool divide() {
    middles_.clear(), vertices_.clear();
    std::vector<Triangle> triangles;
    std::vector<int32_t> piece, crack;
    for (size_t t = 0; t < inner_.triangles.size(); ++t) {
      Triangle v = inner_.triangles[t];
      std::array<int, 3> m;
      for (size_t k = 0; k < 3; ++k) m[k] = middle_vertex(v[k], v[(k + 1) % 3]);
      const auto add = [&](int a, int b, int c) {
        triangles.push_back({a, b, c});
        piece.push_back(surface_.inner_piece[t]), crack.push_back(surface_.inner_crack[t]);
      };
      const int count = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0);
      // Turned so that the edges without a middle come last.
      for (int turn = 0; turn < 2 && ((count == 1 && m[0] < 0) || (count == 2 && m[2] >= 0)); ++turn) v = {v[1], v[2], v[0]}, m = {m[1], m[2], m[0]};
      if (count == 0) {
        add(v[0], v[1], v[2]);
      } else if (count == 1) {
        add(v[0], m[0], v[2]), add(m[0], v[1], v[2]);
      } else if (count == 2) {
        add(m[0], v[1], m[1]);
        if (is_shorter(v[0], m[1], m[0], v[2]))
          add(v[0], m[0], m[1]), add(v[0], m[1], v[2]);
        else
          add(v[0], m[0], v[2]), add(m[0], m[1], v[2]);
      } else {
        add(v[0], m[0], m[2]), add(m[0], v[1], m[1]), add(m[2], m[1], v[2]), add(m[0], m[1], m[2]);
      }
    }
    inner_.triangles = std::move(triangles);
    surface_.inner_piece = std::move(piece), surface_.inner_crack = std::move(crack);
    return std::any_of(middles_.begin(), middles_.end(), [](const auto& one) { return one.second >= 0; });
  }

  /// How freely a place moves: not on the skin, little beside it.
  double freedom(const Vec3& place, const NearestPoints& rim) {
    if (rim.points().empty()) return 1;
    rim.find(
        place, 1, model_.spacing, [](int32_t) { return true; }, scratch_);
    return scratch_.empty() ? 1 : std::min(1.0, std::sqrt(scratch_[0].squared) / model_.spacing);
  }

  void raise(const std::vector<Vec3>& rim) {
    const NearestPoints skin = rim.empty() ? NearestPoints() : NearestPoints(rim);
    const double height = model_.relief * model_.spacing;
    std::vector<Vec3f> moved(surface_.rest.size(), Vec3f::Zero());
    for (size_t p = 0; p < moved.size(); ++p) {
      const Vec3 place = surface_.rest[p].cast<double>();
      if (!fixed_[p]) moved[p] = (height * freedom(place, skin) * bump(place, model_.spacing)).cast<float>();
    }
    if (model_.grain > 0) inner_.colors.clear();
    for (size_t v = 0; v < inner_.positions.size(); ++v) {
      const size_t p = at(surface_.inner_point[v]);
      if (model_.grain > 0) {
        const double lighter = 1 + model_.grain * value_noise(inner_.positions[v] / (kGrainWidth * model_.spacing), kGrainSeed);
        inner_.colors.push_back(static_cast<float>(lighter) * model_.inner_color);
      }
      inner_.positions[v] += moved[p].cast<double>();
    }
    for (size_t p = 0; p < moved.size(); ++p) surface_.rest[p] += moved[p];
  }

  const SurfaceModel& model_;
  Surface& surface_;
  TriMesh& inner_;
  std::vector<Edge> rims_;      // of the skin, ascending
  std::vector<uint8_t> fixed_;  // #points: on the skin
  struct Hash {
    size_t operator()(const Edge& e) const { return (at(e[0]) << 32 | at(e[1])) * 0x9e3779b97f4a7c15ull >> 7; }
  };
  std::unordered_map<Edge, int32_t, Hash> middles_;  // points
  std::unordered_map<Edge, int, Hash> vertices_;
  std::vector<NearestPoints::Found> scratch_;
};

}  // namespace

void roughen(const SurfaceModel& surface_model, std::vector<uint8_t> fixed, const std::vector<Vec3>& rim, Surface& surface, TriMesh& inner) {
  if (surface_model.relief <= 0 && surface_model.grain <= 0) return;
  Relief(surface_model, surface, inner).run(std::move(fixed), rim);
}

}  // namespace crumple::clusters
