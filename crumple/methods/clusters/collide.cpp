#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <Eigen/LU>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/methods/clusters/collide.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

// A cluster of a few particles does not collide: its ball would be mostly empty.
constexpr int kMinSolid = 10;
constexpr float kFar = 1e30f;  // m

/// Broad phase: grid of boxes by their low corners.
class BoxGrid {
 public:
  /// Boxes of `ids`, in the same order within a cell.
  void fill(const std::vector<int>& ids, const std::vector<Vec3f>& low, const std::vector<Vec3f>& high) {
    measure(ids, low, high);
    cell_of_.clear();
    begin_.assign(at(count_[0]) * at(count_[1]) * at(count_[2]) + 1, 0);
    for (const int id : ids) {
      const Vec3f& corner = low[at(id)];
      cell_of_.push_back(row(cell(corner[0], 0), cell(corner[1], 1)) + at(cell(corner[2], 2)));
      ++begin_[cell_of_.back() + 1];
    }
    for (size_t c = 0; c + 1 < begin_.size(); ++c) begin_[c + 1] += begin_[c];
    next_.assign(begin_.begin(), begin_.end() - 1);
    places_.resize(ids.size());
    for (size_t k = 0; k < ids.size(); ++k) places_[at(next_[cell_of_[k]]++)] = static_cast<int32_t>(k);
  }

  /// Calls visit(index in ids) for all boxes that may overlap a box; conservative.
  template <class Visit>
  void near(const Vec3f& low, const Vec3f& high, const Visit& visit) const {
    int first[3], last[3];
    for (int k = 0; k < 3; ++k) first[k] = cell(low[k] - widest_[k], k), last[k] = cell(high[k], k);
    for (int x = first[0]; x <= last[0]; ++x) {
      for (int y = first[1]; y <= last[1]; ++y) {
        const int32_t end = begin_[row(x, y) + at(last[2]) + 1];
        for (int32_t k = begin_[row(x, y) + at(first[2])]; k < end; ++k) visit(places_[at(k)]);
      }
    }
  }

 private:
  /// Cells are at least as large as a typical box; there are never many more cells than boxes.
  void measure(const std::vector<int>& ids, const std::vector<Vec3f>& low, const std::vector<Vec3f>& high) {
    widest_.setZero(), low_.setConstant(kFar);
    Vec3f top = Vec3f::Constant(-kFar), sum = Vec3f::Zero();
    for (const int id : ids) {
      const Vec3f size = high[at(id)] - low[at(id)];
      widest_ = widest_.cwiseMax(size), sum += size;
      low_ = low_.cwiseMin(low[at(id)]), top = top.cwiseMax(low[at(id)]);
    }
    size_ = std::max(sum.maxCoeff() / static_cast<float>(std::max<size_t>(ids.size(), 1)), 1e-30f);
    widest_.array() += 0.01f * size_;  // margin for rounding errors
    for (int growth = 0; growth < kMaxGrowth; ++growth, size_ *= kGrowth) {
      const Vec3f cells = (top - low_) / size_ + Vec3f::Ones();
      if (!(cells.prod() <= 2 * static_cast<float>(ids.size()) + 8)) continue;
      for (int k = 0; k < 3; ++k) count_[k] = cells[k] > 1 ? static_cast<int>(cells[k]) : 1;  // without boxes they are below 0
      return;
    }
    count_[0] = count_[1] = count_[2] = 1;  // non-finite positions
  }
  int cell(float place, int axis) const {
    const float cells = (place - low_[axis]) / size_;
    return !(cells > 0) ? 0 : cells >= static_cast<float>(count_[axis]) ? count_[axis] - 1 : static_cast<int>(cells);
  }
  size_t row(int x, int y) const { return (at(x) * at(count_[1]) + at(y)) * at(count_[2]); }

  static constexpr int kMaxGrowth = 1000;
  static constexpr float kGrowth = 1.25f;
  Vec3f low_ = Vec3f::Zero(), widest_ = Vec3f::Zero();
  float size_ = 1;
  int count_[3] = {1, 1, 1};
  std::vector<int32_t> begin_ = {0, 0}, next_, places_;
  std::vector<size_t> cell_of_;
};

/// Particles grouped by the cluster with their largest share, as separate x, y, z arrays, with a box for each cluster.
struct Homes {
  std::array<std::vector<float>, 3> x;  // as in State::homes
  std::vector<Vec3f> low, high;         // #clusters
  std::vector<int> order;               // clusters with particles, by low x
  BoxGrid grid;                         // of indices into `order`
};

Places places_of(const State& state, const Homes& homes, int cluster) {
  const size_t begin = at(state.homes_begin[at(cluster)]);
  return {{&homes.x[0][begin], &homes.x[1][begin], &homes.x[2][begin]}, state.homes_end[at(cluster)] - state.homes_begin[at(cluster)]};
}

void find_homes(State& state, Homes& homes) {
  renew_homes(state);
  const size_t clusters = at(state.clusters());
  for (std::vector<float>& axis : homes.x) axis.resize(state.homes.size());
  homes.low.resize(clusters), homes.high.resize(clusters);
  parallel_for(clusters, clusters_per_chunk(state), [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      const size_t first = at(state.homes_begin[c]);
      float* const out[3] = {&homes.x[0][first], &homes.x[1][first], &homes.x[2][first]};
      const int count = state.homes_end[c] - state.homes_begin[c];
      if (count > 0) gather_places(&state.homes[first], count, state.positions.data(), out, homes.low[c], homes.high[c]);
    }
  });
  homes.order.clear();
  for (int c = 0; c < state.clusters(); ++c) {
    if (state.homes_end[at(c)] != state.homes_begin[at(c)]) homes.order.push_back(c);
  }
  std::sort(homes.order.begin(), homes.order.end(),
            [&](int a, int b) { return homes.low[at(a)][0] != homes.low[at(b)][0] ? homes.low[at(a)][0] < homes.low[at(b)][0] : a < b; });
  homes.grid.fill(homes.order, homes.low, homes.high);
}

/// A cluster and the unrelated particles inside it.
struct Meeting {
  int cluster = 0;
  Proxy proxy;
  std::vector<int32_t> strangers;
};

bool meets_box(const Proxy& proxy, const Vec3f& low, const Vec3f& high) {
  return (proxy.low.array() <= high.array()).all() && (low.array() <= proxy.high.array()).all() &&
         (proxy.center.cwiseMax(low).cwiseMin(high) - proxy.center).squaredNorm() < proxy.reach * proxy.reach;
}

/// Whether a particle is unrelated to a cluster. Members of a neighbour cluster come near when the body bends, and count as related; not so in the
/// authors' program.
bool is_stranger(const Model& model, const State& state, size_t particle, const std::vector<uint8_t>& related) {
  const int32_t *first = &state.entry_cluster[at(state.entry_begin[particle])], *last = first + state.entry_count[particle];
  if (goes(model.settings, &AuthorsWays::overlaps)) return std::any_of(first, last, [&](int32_t c) { return !related[at(c)]; });
  return std::none_of(first, last, [&](int32_t c) { return related[at(c)] != 0; });
}

void find_strangers(const Model& model, const State& state, const Homes& homes, const std::vector<uint8_t>& related, Meeting& meeting) {
  static thread_local std::vector<int32_t> inside, met;
  const Proxy& proxy = meeting.proxy;
  const Vec3f reach = Vec3f::Constant(proxy.reach);
  std::vector<int32_t>& places = met;
  places.clear();
  homes.grid.near((proxy.center - reach).cwiseMax(proxy.low), (proxy.center + reach).cwiseMin(proxy.high), [&](int32_t place) {
    const size_t c = at(homes.order[at(place)]);
    if ((!related[c] || goes(model.settings, &AuthorsWays::overlaps)) && meets_box(proxy, homes.low[c], homes.high[c])) places.push_back(place);
  });
  std::sort(places.begin(), places.end());  // the order must not depend on the cells
  for (const int32_t place : places) {
    const int c = homes.order[at(place)];
    const Places here = places_of(state, homes, c);
    if (inside.size() < at(here.count)) inside.resize(at(here.count));
    const int count = find_inside(here, proxy, inside.data());
    for (int k = 0; k < count; ++k) {
      const int32_t i = state.homes[at(state.homes_begin[at(c)] + inside[at(k)])];
      if (is_stranger(model, state, at(i), related)) meeting.strangers.push_back(i);
    }
  }
}

/// Finds unrelated particles inside clusters. Each particle is listed once, under the cluster with its largest share.
std::vector<Meeting> find_meetings(const Model& model, State& state) {
  static thread_local Homes kept;
  Homes& homes = kept;
  find_homes(state, homes);
  const size_t clusters = at(state.clusters()), chunk = clusters_per_chunk(state);
  std::vector<std::vector<Meeting>> found((clusters + chunk - 1) / chunk);
  parallel_for(clusters, chunk, [&](size_t begin, size_t end) {
    std::vector<uint8_t> related(clusters, 0);
    Meeting meeting;
    for (size_t c = begin; c < end; ++c) {
      meeting.cluster = static_cast<int>(c);
      meeting.proxy = proxy_of(state, meeting.cluster);
      if (!meeting.proxy.solid) continue;
      if (goes(model.settings, &AuthorsWays::overlaps)) meeting.proxy.low.setConstant(-kFar), meeting.proxy.high.setConstant(kFar);
      related[c] = 1;
      for (const int32_t d : state.neighbors[c]) related[at(d)] = 1;
      find_strangers(model, state, homes, related, meeting);
      related[c] = 0;
      for (const int32_t d : state.neighbors[c]) related[at(d)] = 0;
      if (meeting.strangers.empty()) continue;
      found[begin / chunk].push_back(meeting);
      meeting.strangers.clear();
    }
  });
  std::vector<Meeting> all;
  for (std::vector<Meeting>& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
  return all;
}

struct Contact {
  int particle;
  Vec3f out;
};

/// Pushes particles out of a cluster, which gets the reaction: momentum and angular momentum are conserved.
void resolve(const Model& model, State& state, int into, std::span<const Contact> contacts) {
  const ClusterMotion body = motion_of(state, into);
  const float give = static_cast<float>(model.settings.give), friction = static_cast<float>(model.settings.friction);
  float touching = 0;
  for (const Contact& contact : contacts) touching += state.mass[at(contact.particle)];
  const float share = body.mass / (body.mass + touching);  // of the relative motion that the particles take on
  Reaction reaction;
  for (const Contact& contact : contacts) {
    const size_t i = at(contact.particle);
    if (state.held[i] >= 0) continue;
    const float mass = state.mass[i], depth = contact.out.norm();
    const Vec3f normal = contact.out / depth, arm = state.positions[i].head<3>() - body.center;
    const Vec3f shift = give * share * contact.out;
    const Vec3f relative = state.velocities[i].head<3>() - body.velocity - body.spin.cross(arm);
    const float in = relative.dot(normal);
    Vec3f change = Vec3f::Zero();
    if (in < 0 && !goes(model.settings, &AuthorsWays::overlaps)) {
      const Vec3f slide = relative - in * normal;
      const float speed = slide.norm();
      change = -share * (in * normal + (speed > 0 ? Vec3f(slide * std::min(1.0f, -friction * in / speed)) : Vec3f::Zero()));
    }
    state.positions[i].head<3>() += shift;
    state.velocities[i].head<3>() += change;
    reaction.shift -= mass * shift, reaction.shift_turn -= mass * arm.cross(shift);
    reaction.push -= mass * change, reaction.push_turn -= mass * arm.cross(change);
  }
  if (!goes(model.settings, &AuthorsWays::overlaps)) recoil(state, into, body, reaction);
}

}  // namespace

Proxy proxy_of(const State& state, int cluster) {
  Proxy proxy;
  const ClusterPlace& place = state.places[at(cluster)];
  proxy.center = state.center[at(cluster)], proxy.reach = place.reach, proxy.low = place.low, proxy.high = place.high;
  const Mat3 whole = place.whole.cast<double>();
  proxy.solid = state.slot_count[at(cluster)] >= kMinSolid && state.shapes[at(cluster)].rank == 3 && whole.determinant() > 1e-3;
  if (!proxy.solid) return proxy;
  const Vec3f ball = state.ball[at(cluster)].head<3>();
  proxy.to_world = place.whole, proxy.to_rest = whole.inverse().cast<float>();
  proxy.from_ball = state.shapes[at(cluster)].rest_center - ball, proxy.radius = state.ball[at(cluster)][3];
  for (const int32_t p : state.cluster_planes[at(cluster)]) {
    const CutPlane& plane = state.planes[at(p)];
    proxy.planes.push_back(Vec4f(plane.normal[0], plane.normal[1], plane.normal[2], plane.offset - plane.normal.dot(ball)));
  }
  return proxy;
}

Vec3f way_out(const Proxy& proxy, const Vec3f& point) {
  const Vec3f out = point - proxy.center;
  const float far2 = out.squaredNorm();
  if (!(far2 < proxy.reach * proxy.reach)) return Vec3f::Zero();
  const Vec3f rest = proxy.from_ball + proxy.to_rest * out;
  const float from_center = rest.norm(), inside = proxy.radius - from_center;
  if (!(inside > 0)) return Vec3f::Zero();
  float least = inside;
  Vec3f way = from_center > 0 ? Vec3f(rest * (inside / from_center)) : Vec3f(Vec3f::UnitX() * inside);
  for (const Vec4f& plane : proxy.planes) {
    const float depth = plane[3] - plane.head<3>().dot(rest);
    if (!(depth > 0)) return Vec3f::Zero();
    if (depth < least) least = depth, way = depth * plane.head<3>();
  }
  Vec3f world = proxy.to_world * way;
  const float length = world.norm(), most = proxy.reach - std::sqrt(far2);  // at most out of the ball around its members
  if (length > most) world *= most / length;
  return world;
}

ClusterMotion motion_of(const State& state, int cluster) {
  static thread_local std::vector<float> scratch;
  ClusterMotion motion;
  const Vec3f from = state.center[at(cluster)];
  const Members members = members_of(state, cluster);
  const size_t stride = gathered_stride(members.count);
  if (scratch.size() < kGatheredArrays * stride) scratch.resize(kGatheredArrays * stride);
  Sums sums;
  sum_positions(members, state.positions.data(), from, {scratch.data(), stride}, sums);
  sum_velocities(members, {scratch.data(), stride}, state.velocities.data(), sums);
  motion.mass = state.shapes[at(cluster)].mass;
  const Vec3f center = Vec3f(sums.center[0], sums.center[1], sums.center[2]) / motion.mass;  // other clusters may have moved it since the last update
  motion.center = from + center;
  motion.velocity = Vec3f(sums.velocity[0], sums.velocity[1], sums.velocity[2]) / motion.mass;
  const Vec3f turn = Vec3f(sums.spin[0], sums.spin[1], sums.spin[2]) - motion.mass * center.cross(motion.velocity);
  motion.inverse_inertia = inverse_inertia(sums.spread, center, motion.mass);
  motion.spin = motion.inverse_inertia * turn;
  return motion;
}

void recoil(State& state, int cluster, const ClusterMotion& motion, const Reaction& reaction) {
  const RigidChange change = {motion.center, reaction.shift / motion.mass, motion.inverse_inertia * reaction.shift_turn, reaction.push / motion.mass,
                              motion.inverse_inertia * reaction.push_turn};
  move_rigidly(members_of(state, cluster), &state.slot_share[at(state.slot_begin[at(cluster)])], change, state.positions.data(),
               state.velocities.data());
}

void collide_self(const Model& model, State& state) {
  if (!model.settings.self_collision) return;
  // Sequential, each cluster at its updated position: a particle in two clusters is not pushed too far.
  std::vector<Contact> contacts;
  for (const Meeting& meeting : find_meetings(model, state)) {
    contacts.clear();
    for (const int32_t i : meeting.strangers) {
      const Vec3f out = way_out(meeting.proxy, state.positions[at(i)].head<3>());
      if (out.squaredNorm() > 0) contacts.push_back({i, out});
    }
    if (!contacts.empty()) resolve(model, state, meeting.cluster, contacts);
  }
}

}  // namespace crumple::clusters
