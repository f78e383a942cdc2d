#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

#include "crumple/core/parallel.h"
#include "crumple/methods/clusters/collide.h"
#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

size_t at(int index) {
  return static_cast<size_t>(index);
}

// A handful of particles is no wall; its ball would be mostly air.
constexpr int kLeastSolid = 10;

/// A cluster and those who may be in it.
struct Meeting {
  int into = 0;
  std::vector<int> others;
};

/// Clusters by where they begin along x.
struct Span {
  float low, high;
  int cluster;
};

bool boxes_overlap(const ClusterPlace& a, const ClusterPlace& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

/// Whether the ball around a cluster's members meets the box around the other's.
bool reaches_box(const State& state, int cluster, int other) {
  const Vec3f& center = state.center[at(cluster)];
  const ClusterPlace& box = state.places[at(other)];
  return (center.cwiseMax(box.low).cwiseMin(box.high) - center).squaredNorm() < state.places[at(cluster)].reach * state.places[at(cluster)].reach;
}

/// Clusters that come near each other and have nothing in common.
std::vector<Meeting> find_meetings(const State& state) {
  std::vector<Span> spans;
  for (int c = 0; c < state.clusters(); ++c) {
    if (state.slot_count[at(c)] == 0) continue;
    spans.push_back({state.places[at(c)].low[0], state.places[at(c)].high[0], c});
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.low != b.low ? a.low < b.low : a.cluster < b.cluster; });
  std::vector<std::vector<int>> met(at(state.clusters()));
  std::vector<int> near(at(state.clusters()), -1);
  for (size_t i = 0; i < spans.size(); ++i) {
    const int c = spans[i].cluster;
    for (const int32_t d : state.neighbors[at(c)]) near[at(d)] = c;
    for (size_t j = i + 1; j < spans.size() && spans[j].low <= spans[i].high; ++j) {
      const int d = spans[j].cluster;
      if (near[at(d)] == c || !boxes_overlap(state.places[at(c)], state.places[at(d)])) continue;
      if (reaches_box(state, d, c)) met[at(d)].push_back(c);
      if (reaches_box(state, c, d)) met[at(c)].push_back(d);
    }
  }
  std::vector<Meeting> meetings;
  for (int c = 0; c < state.clusters(); ++c) {
    if (!met[at(c)].empty()) meetings.push_back({c, std::move(met[at(c)])});
  }
  return meetings;
}

struct Contact {
  int particle;
  Vec3f out;
};

bool in_box(const Proxy& proxy, const Vec4f& x) {
  return x[0] >= proxy.low[0] && x[0] <= proxy.high[0] && x[1] >= proxy.low[1] && x[1] <= proxy.high[1] && x[2] >= proxy.low[2] &&
         x[2] <= proxy.high[2];
}

/// Particles of others inside a cluster, each once. Those that belong to one of its neighbours as well are not strangers: they come near when the
/// body bends.
std::vector<int> find_strangers(const Model& model, const State& state, const Meeting& meeting, const Proxy& proxy) {
  static thread_local std::vector<int32_t> near, looked;
  static thread_local std::vector<uint8_t> known, seen;
  std::vector<int> strangers;
  if (seen.size() < state.positions.size()) seen.assign(state.positions.size(), 0);
  known.assign(at(state.clusters()), 0);
  if (!model.settings.published) {
    for (const int32_t d : state.neighbors[at(meeting.into)]) known[at(d)] = 1;
  }
  for (const int c : meeting.others) {
    const Members members = members_of(state, c);
    if (near.size() < at(members.count)) near.resize(at(members.count));
    const int count = find_near(members, state.positions.data(), proxy.center, proxy.reach, near.data());
    for (int k = 0; k < count; ++k) {
      const size_t i = at(near[at(k)]);
      if (seen[i]) continue;
      seen[i] = 1, looked.push_back(near[at(k)]);
      bool stranger = model.settings.published || in_box(proxy, state.positions[i]);
      for (int32_t e = state.entry_begin[i]; e < state.entry_begin[i] + state.entry_count[i]; ++e)
        stranger = stranger && !known[at(state.entry_cluster[at(e)])];
      if (stranger && way_out(proxy, state.positions[i].head<3>()).squaredNorm() > 0) strangers.push_back(near[at(k)]);
    }
  }
  for (const int32_t i : looked) seen[at(i)] = 0;
  looked.clear();
  return strangers;
}

/// Members of one cluster leave the other, which takes what they lose: momentum and angular momentum stay.
void resolve(const Model& model, State& state, int into, std::span<const Contact> contacts) {
  const ClusterMotion body = motion_of(state, into);
  const float give = static_cast<float>(model.settings.give), friction = static_cast<float>(model.settings.friction);
  float touching = 0;
  for (const Contact& contact : contacts) touching += state.mass[at(contact.particle)];
  const float share = body.mass / (body.mass + touching);  // of the relative motion that is the particles' to change
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
    if (in < 0 && !model.settings.published) {
      const Vec3f slide = relative - in * normal;
      const float speed = slide.norm();
      change = -share * (in * normal + (speed > 0 ? Vec3f(slide * std::min(1.0f, -friction * in / speed)) : Vec3f::Zero()));
    }
    state.positions[i].head<3>() += shift;
    state.velocities[i].head<3>() += change;
    reaction.shift -= mass * shift, reaction.shift_turn -= mass * arm.cross(shift);
    reaction.push -= mass * change, reaction.push_turn -= mass * arm.cross(change);
  }
  if (!model.settings.published) recoil(state, into, body, reaction);
}

}  // namespace

Proxy proxy_of(const State& state, int cluster) {
  Proxy proxy;
  const ClusterPlace& place = state.places[at(cluster)];
  proxy.center = state.center[at(cluster)], proxy.reach = place.reach, proxy.rest_center = state.shapes[at(cluster)].rest_center;
  proxy.ball = state.ball[at(cluster)].head<3>(), proxy.radius = state.ball[at(cluster)][3];
  proxy.low = place.low, proxy.high = place.high;
  proxy.to_world = place.whole;
  const Mat3 whole = proxy.to_world.cast<double>();
  proxy.solid = state.slot_count[at(cluster)] >= kLeastSolid && state.shapes[at(cluster)].rank == 3 && whole.determinant() > 1e-3;
  if (proxy.solid) proxy.to_rest = whole.inverse().cast<float>();
  for (const int32_t p : state.cluster_planes[at(cluster)]) proxy.planes.push_back(state.planes[at(p)]);
  return proxy;
}

Vec3f way_out(const Proxy& proxy, const Vec3f& point) {
  const Vec3f out = point - proxy.center;
  const float far2 = out.squaredNorm();
  if (!(far2 < proxy.reach * proxy.reach)) return Vec3f::Zero();
  const Vec3f rest = proxy.rest_center + proxy.to_rest * out, from_ball = rest - proxy.ball;
  const float inside = proxy.radius - from_ball.norm();
  if (!(inside > 0)) return Vec3f::Zero();
  float least = inside;
  Vec3f way = from_ball.norm() > 0 ? Vec3f(from_ball.normalized() * inside) : Vec3f(Vec3f::UnitX() * inside);
  for (const CutPlane& plane : proxy.planes) {
    const float depth = plane.offset - plane.normal.dot(rest);
    if (!(depth > 0)) return Vec3f::Zero();
    if (depth < least) least = depth, way = depth * plane.normal;
  }
  Vec3f world = proxy.to_world * way;
  const float length = world.norm(), most = proxy.reach - std::sqrt(far2);  // never farther than out of the ball around its members
  if (length > most) world *= most / length;
  return world;
}

ClusterMotion motion_of(const State& state, int cluster) {
  ClusterMotion body;
  const Vec3f from = state.center[at(cluster)];
  const Members members = members_of(state, cluster);
  Sums sums;
  sum_velocities(members, state.positions.data(), state.velocities.data(), from, sums);
  body.mass = state.shapes[at(cluster)].mass;
  Vec3f center = Vec3f::Zero();  // others may have moved it since it was last seen
  for (int k = 0; k < members.count; ++k) center += members.mass[k] * (state.positions[at(members.particle[k])].head<3>() - from);
  center /= body.mass;
  body.center = from + center;
  body.velocity = Vec3f(sums.velocity[0], sums.velocity[1], sums.velocity[2]) / body.mass;
  const Vec3f turn = Vec3f(sums.spin[0], sums.spin[1], sums.spin[2]) - body.mass * center.cross(body.velocity);
  body.spin = rigid_spin(turn, sums.spread, center, body.mass);
  for (int k = 0; k < 3; ++k) body.inverse_inertia.col(k) = rigid_spin(Vec3f::Unit(k), sums.spread, center, body.mass);
  return body;
}

void recoil(State& state, int cluster, const ClusterMotion& body, const Reaction& reaction) {
  const Vec3f shift = reaction.shift / body.mass, turn = body.inverse_inertia * reaction.shift_turn;
  const Vec3f push = reaction.push / body.mass, spin = body.inverse_inertia * reaction.push_turn;
  for (int32_t s = state.slot_begin[at(cluster)]; s < state.slot_begin[at(cluster)] + state.slot_count[at(cluster)]; ++s) {
    const size_t i = at(state.slot_particle[at(s)]);
    if (state.held[i] >= 0) continue;
    const float share = state.slot_share[at(s)];
    const Vec3f out = state.positions[i].head<3>() - body.center;
    state.positions[i].head<3>() += share * (shift + turn.cross(out));
    state.velocities[i].head<3>() += share * (push + spin.cross(out));
  }
}

void collide_self(const Model& model, State& state) {
  if (!model.settings.self_collision) return;
  const std::vector<Meeting> meetings = find_meetings(state);
  std::vector<std::vector<int>> strangers(meetings.size());
  parallel_for(meetings.size(), 1, [&](size_t begin, size_t end) {
    for (size_t m = begin; m < end; ++m) {
      const Proxy proxy = proxy_of(state, meetings[m].into);
      if (proxy.solid) strangers[m] = find_strangers(model, state, meetings[m], proxy);
    }
  });
  // One cluster after the other, each as it stands after those before: what is pushed twice is not pushed too far.
  std::vector<Contact> contacts;
  for (size_t m = 0; m < meetings.size(); ++m) {
    if (strangers[m].empty()) continue;
    const Proxy proxy = proxy_of(state, meetings[m].into);
    contacts.clear();
    for (const int i : strangers[m]) {
      const Vec3f out = way_out(proxy, state.positions[at(i)].head<3>());
      if (out.squaredNorm() > 0) contacts.push_back({i, out});
    }
    if (!contacts.empty()) resolve(model, state, meetings[m].into, contacts);
  }
}

}  // namespace crumple::clusters
