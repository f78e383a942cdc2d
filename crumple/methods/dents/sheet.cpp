#include "crumple/methods/dents/sheet.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace crumple::dents {
namespace {

// A chain of ever longer edges is no longer than this on sane meshes.
constexpr int kLongestChain = 200;

std::pair<int, int> ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

Sheet::Sheet(std::shared_ptr<const TriMesh> base) : base_(base->positions.size()), mesh_(*base), drawn_(std::move(base)) {
  std::map<std::tuple<double, double, double>, int> places;
  for (const Vec3& p : mesh_.positions) place_.push_back(places.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(places.size())).first->second);
  places_ = static_cast<int>(places.size());
}

Sheet::Edge Sheet::edge_of(int a, int b) const {
  return ordered(place_[static_cast<size_t>(a)], place_[static_cast<size_t>(b)]);
}

void Sheet::add_edges(int triangle) {
  const Triangle& t = mesh_.triangles[static_cast<size_t>(triangle)];
  for (size_t i = 0; i < 3; ++i) triangles_of_[edge_of(t[i], t[(i + 1) % 3])].push_back(triangle);
}

void Sheet::drop_edge(const Edge& edge, int triangle) {
  const auto found = triangles_of_.find(edge);
  if (found == triangles_of_.end()) return;
  std::erase(found->second, triangle);
  if (found->second.empty()) triangles_of_.erase(found);
}

void Sheet::index() {
  if (!triangles_of_.empty()) return;
  for (size_t t = 0; t < mesh_.triangles.size(); ++t) add_edges(static_cast<int>(t));
}

/// The corner at which the longest edge begins. Equal lengths are told apart by places, so that both sides agree.
int Sheet::longest(const Triangle& t) const {
  int best = 0;
  std::pair<double, Edge> most{-1, {}};
  for (int i = 0; i < 3; ++i) {
    const int a = t[static_cast<size_t>(i)], b = t[static_cast<size_t>((i + 1) % 3)];
    const std::pair<double, Edge> now{(mesh_.positions[static_cast<size_t>(a)] - mesh_.positions[static_cast<size_t>(b)]).squaredNorm(), edge_of(a, b)};
    if (now > most) most = now, best = i;
  }
  return best;
}

/// Halves the edge between two vertices in all triangles that have both.
void Sheet::split(int a, int b) {
  const Edge edge = edge_of(a, b);
  const int middle = static_cast<int>(mesh_.positions.size());
  const auto mean = [&](auto& values) {
    if (!values.empty()) values.push_back(0.5f * (values[static_cast<size_t>(a)] + values[static_cast<size_t>(b)]));
  };
  mesh_.positions.push_back(0.5 * (mesh_.positions[static_cast<size_t>(a)] + mesh_.positions[static_cast<size_t>(b)]));
  mean(mesh_.uvs), mean(mesh_.colors);
  const auto [found, is_new] = middle_.try_emplace(edge, places_);
  if (is_new) ++places_;
  place_.push_back(found->second);
  parents_.push_back(a), parents_.push_back(b);

  std::vector<int> halved;
  for (const int t : triangles_of_[edge]) {
    const Triangle& v = mesh_.triangles[static_cast<size_t>(t)];
    if (std::find(v.begin(), v.end(), a) != v.end() && std::find(v.begin(), v.end(), b) != v.end()) halved.push_back(t);
  }
  for (const int t : halved) {
    const Triangle old = mesh_.triangles[static_cast<size_t>(t)];
    for (size_t i = 0; i < 3; ++i) drop_edge(edge_of(old[i], old[(i + 1) % 3]), t);
    Triangle near_a = old, near_b = old;
    std::replace(near_a.begin(), near_a.end(), b, middle), std::replace(near_b.begin(), near_b.end(), a, middle);
    mesh_.triangles[static_cast<size_t>(t)] = near_a;
    mesh_.triangles.push_back(near_b);
    add_edges(t), add_edges(static_cast<int>(mesh_.triangles.size()) - 1);
  }
  if (triangles_of_[edge].empty()) triangles_of_.erase(edge);
  drawn_.reset();
}

/// All edges between two places.
void Sheet::split_place(const Edge& edge, const std::function<void(int, int)>& added) {
  std::vector<Edge> pairs;
  for (const int t : triangles_of_.at(edge)) {
    const Triangle& v = mesh_.triangles[static_cast<size_t>(t)];
    for (size_t i = 0; i < 3; ++i) {
      const int a = v[i], b = v[(i + 1) % 3];
      if (edge_of(a, b) == edge && std::find(pairs.begin(), pairs.end(), ordered(a, b)) == pairs.end()) pairs.push_back(ordered(a, b));
    }
  }
  for (const auto& [a, b] : pairs) split(a, b), added(a, b);
}

bool Sheet::refine(const std::function<bool(const Triangle&)>& is_coarse, size_t most, const std::function<void(int a, int b)>& added) {
  index();
  for (size_t t = 0; t < mesh_.triangles.size();) {
    if (!is_coarse(mesh_.triangles[t])) {
      ++t;
      continue;
    }
    if (mesh_.triangles.size() + 4 > most) return false;
    int at = static_cast<int>(t);
    Edge edge;
    for (int step = 0; step < kLongestChain; ++step) {
      const Triangle& v = mesh_.triangles[static_cast<size_t>(at)];
      const int corner = longest(v);
      edge = edge_of(v[static_cast<size_t>(corner)], v[static_cast<size_t>((corner + 1) % 3)]);
      int next = -1;
      for (const int other : triangles_of_.at(edge)) {
        const Triangle& o = mesh_.triangles[static_cast<size_t>(other)];
        const int c = longest(o);
        if (other != at && edge_of(o[static_cast<size_t>(c)], o[static_cast<size_t>((c + 1) % 3)]) != edge) next = other;
      }
      if (next < 0) break;
      at = next;
    }
    if (edge.first == edge.second) {
      ++t;  // a triangle without extent
      continue;
    }
    split_place(edge, added);
  }
  return true;
}

bool Sheet::replay(std::span<const int32_t> parents) {
  if (parents.size() % 2 != 0) return false;
  if (parents.size() < parents_.size() || !std::equal(parents_.begin(), parents_.end(), parents.begin())) return false;
  if (parents.size() == parents_.size()) return true;
  index();
  for (size_t i = parents_.size(); i < parents.size(); i += 2) {
    const int a = parents[i], b = parents[i + 1], count = static_cast<int>(mesh_.positions.size());
    if (a < 0 || b < 0 || a >= count || b >= count || a == b) return false;
    split(a, b);
  }
  return true;
}

void Sheet::finish() {
  if (!drawn_) drawn_ = std::make_shared<const TriMesh>(mesh_);
}

}  // namespace crumple::dents
