#include "crumple/methods/clusters/surface_check.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/math/svd.h"

namespace crumple::clusters {
namespace {

constexpr double kMaxExplained = 4;    // more than that is no strain of matter, but a cluster without matter in its middle
constexpr double kShortestEdge = 0.5;  // spacings: shorter edges count as of this length
constexpr double kNearby = 2;          // spacings, times the local stretch: a triangle without a particle within it is empty

/// The greatest stretch of each cluster, at least 1, from the positions of its particles.
std::vector<double> cluster_stretches(const State& state) {
  std::vector<double> stretches(at(state.clusters()), 1.0);
  for (size_t c = 0; c < stretches.size(); ++c) {
    if (state.slot_count[c] == 0) continue;
    Mat3 sum = Mat3::Zero();
    for (size_t s = at(state.slot_begin[c]), end = s + at(state.slot_count[c]); s < end; ++s) {
      const Vec3f x = state.positions[at(state.slot_particle[s])].head<3>(), q(state.slot_rest[0][s], state.slot_rest[1][s], state.slot_rest[2][s]);
      sum += (state.slot_mass[s] * x).cast<double>() * q.cast<double>().transpose();
    }
    const Mat3 whole = sum * state.shapes[c].inverse.cast<double>();
    stretches[c] = whole.allFinite() ? std::clamp(svd<double>(whole).s[0], 1.0, kMaxExplained) : kMaxExplained;
  }
  return stretches;
}

std::vector<double> point_stretches(const State& state, const Surface& surface) {
  const std::vector<double> of_cluster = cluster_stretches(state);
  std::vector<double> stretches(surface.carriers.size(), 1.0);
  for (size_t p = 0; p < stretches.size(); ++p) {
    for (size_t k = 0; k < kCarriers; ++k) {
      if (surface.carriers[p].weight[k] == 0) continue;
      const size_t i = at(surface.carriers[p].particle[k]), first = at(state.entry_begin[i]), last = first + at(state.entry_count[i]);
      for (size_t e = first; e < last; ++e) stretches[p] = std::max(stretches[p], of_cluster[at(state.entry_cluster[e])]);
    }
  }
  return stretches;
}

void check_pieces(const State& state, const Surface& surface, SurfaceCheck& check) {
  const Pieces found = pieces(state);
  check.simulated = static_cast<int>(found.sizes.size()), check.drawn = surface.pieces;
  if (!surface.torn) return;
  // The piece of a solid is that of most of its particles.
  std::vector<std::array<int32_t, 2>> pairs;  // solid, piece
  for (size_t i = 0; i < surface.home.size(); ++i) {
    if (surface.home[i] >= 0 && surface.solid_of[i] >= 0) pairs.push_back({surface.solid_of[i], found.of_particle[at(surface.home[i])]});
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<int> solids(found.sizes.size(), 0);
  for (size_t begin = 0, end; begin < pairs.size(); begin = end) {
    int32_t main = -1;
    int most = 0, all = 0, kinds = 0;
    for (end = begin; end < pairs.size() && pairs[end][0] == pairs[begin][0];) {
      const size_t first = end;
      while (end < pairs.size() && pairs[end] == pairs[first]) ++end;
      const int count = static_cast<int>(end - first);
      if (count > most) most = count, main = pairs[first][1];
      all += count, ++kinds;
    }
    check.mixed += kinds > 1 ? 1 : 0, check.strays += all - most;
    ++solids[at(main)];
  }
  for (const int count : solids) check.divided += count > 1 ? 1 : 0, check.unseen += count == 0 ? 1 : 0;
}

}  // namespace

SurfaceCheck check_surface(const Model& model, const SurfaceModel& surface_model, const State& state, const Surface& surface,
                           const PosedSurface& posed) {
  SurfaceCheck check;
  check_pieces(state, surface, check);
  const Pieces found = pieces(state);
  const std::vector<double> stretches = point_stretches(state, surface);
  const Transform home = surface_model.place.inverse();
  std::vector<Vec3> places;
  for (int i = 0; i < state.particles(); ++i) places.push_back(home * position(model, state, i));
  const NearestPoints particles(places);
  std::vector<NearestPoints::Found> scratch;
  const auto add = [&](const TriMesh& mesh, const std::vector<Vec3f>& now, const std::vector<int32_t>& points) {
    for (const Triangle& t : mesh.triangles) {
      bool is_long = false;
      double stretch = 1;
      for (size_t k = 0; k < 3; ++k) {
        const size_t a = at(t[k]), b = at(t[(k + 1) % 3]);
        const double explained = std::max(stretches[at(points[a])], stretches[at(points[b])]);
        const double rest = std::max((mesh.positions[a] - mesh.positions[b]).norm(), kShortestEdge * surface_model.spacing);
        const double length = static_cast<double>((now[a] - now[b]).norm()), ratio = length / (explained * rest);
        stretch = std::max(stretch, explained);
        check.worst_edge = std::max(check.worst_edge, ratio);
        ++check.edges;
        if (!(ratio > kLongEdge)) continue;
        ++check.long_edges, is_long = true;
        check.longest_edge = std::max(check.longest_edge, length);
      }
      const Vec3 a = now[at(t[0])].cast<double>(), b = now[at(t[1])].cast<double>(), c = now[at(t[2])].cast<double>();
      const double area = 0.5 * (b - a).cross(c - a).norm();
      check.area += area, check.long_area += is_long ? area : 0;
      const int32_t piece = found.of_particle[at(surface.owner[at(points[at(t[0])])])];
      const auto same = [&](int32_t i) { return found.of_particle[at(i)] == piece; };
      particles.find((a + b + c) / 3, 1, kNearby * stretch * surface_model.spacing, same, scratch);
      check.empty_area += scratch.empty() ? area : 0;
    }
  };
  add(*surface.skin, posed.skin, surface.skin_point);
  add(*surface.inner, posed.inner, surface.inner_point);
  return check;
}

}  // namespace crumple::clusters
