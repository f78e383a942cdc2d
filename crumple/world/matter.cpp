#include "crumple/world/matter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/particles/meet.h"
#include "crumple/world/faults.h"
#include "crumple/world/forces.h"

namespace crumple {
namespace {

constexpr double kSupportShare = 0.1;   // of a part's weight: a part of which matter bears more does not fall asleep
constexpr double kSupportSpeed = 0.01;  // m/s: the same as a change of speed, without gravity

Mat3 inverse_inertia(const Part& part, const Mat3& axes) {
  return axes * part.inertia.cwiseInverse().asDiagonal() * axes.transpose();
}

bool is_near(const Bounds& box, const Transform& place, double margin, const Bounds& reach) {
  if (box.empty()) return true;
  const Vec3 center = place * (0.5 * (box.low + box.high));
  const Vec3 half = place.rotation.cwiseAbs() * (0.5 * (box.high - box.low)) + Vec3::Constant(margin);
  return ((center - half).array() <= reach.high.array()).all() && ((center + half).array() >= reach.low.array()).all();
}

bool collide(const WorldState& w, int a, int b) {
  return (w.masks[at(a)] & w.groups[at(b)]) && (w.masks[at(b)] & w.groups[at(a)]);
}

ObstaclePart& obstacle_part(WorldState& w, int body, int part) {
  std::vector<ObstaclePart>& parts = w.obstacle_parts[at(body)];
  if (parts.size() <= at(part)) parts.resize(at(part) + 1);
  return parts[at(part)];
}

/// Marks the parts that touch other parts or have joints. Overlaps with matter do not move these: it would push them into or tear them off others.
void note_supports(WorldState& w) {
  w.supported.assign(w.owner_of_part.size(), 0);
  for (const rigid::Contact& contact : w.loads.contacts) w.supported[at(contact.part_a)] = w.supported[at(contact.part_b)] = 1;
  for (const JointSlot& joint : w.joints) {
    if (joint.index < 0) continue;
    w.supported[at(joint.settings.part_a)] = 1;
    if (joint.settings.part_b >= 0) w.supported[at(joint.settings.part_b)] = 1;
  }
}

/// In a flat scene particles leave a part within the plane: across it, parts are as good as endless.
void lengthen(rigid::Shape& shape, const Vec3& across) {
  constexpr double kLonger = 1e3;
  const auto stretched = [&](Vec3& p) { p += (kLonger - 1) * p.dot(across) * across; };
  if (auto* box = std::get_if<rigid::Box>(&shape)) box->size += (kLonger - 1) * across.cwiseAbs().cwiseProduct(box->size);
  if (auto* hulls = std::get_if<rigid::Hulls>(&shape)) {
    for (std::vector<Vec3>& points : hulls->points) std::for_each(points.begin(), points.end(), stretched);
  }
  if (auto* triangles = std::get_if<rigid::Triangles>(&shape)) std::for_each(triangles->mesh.positions.begin(), triangles->mesh.positions.end(), stretched);
}

/// Rebuilds the obstacle of a part. Face planes of hulls are built lazily, on first approach.
void refresh(const Body& body, const Part& part, bool is_flat, ObstaclePart& seen) {
  rigid::Shape shape = shape_of_part(body, part);
  if (is_flat) lengthen(shape, part.axes.transpose() * Vec3::UnitZ());
  seen.stale = false, seen.box = {}, seen.shapes.clear(), seen.hulls.points.clear();
  if (const auto* hulls = std::get_if<rigid::Hulls>(&shape)) {
    seen.hulls = *hulls;
    for (const std::vector<Vec3>& points : hulls->points) {
      for (const Vec3& p : points) seen.box.add(p);
    }
  } else {
    seen.shapes = {rigid::obstacle_shape(shape)}, seen.box = rigid::box_of(seen.shapes.front());
  }
}

/// Adds the shapes of a rigid part that a body of matter may reach.
void gather_part(WorldState& w, int index, int number, const Bounds& reach, double margin, const Material& own, MatterObstacles& near) {
  const Body& body = w.body(index);
  const Part& part = body.parts[at(number)];
  ObstaclePart& seen = obstacle_part(w, index, number);
  if (seen.stale) refresh(body, part, w.scene.flat, seen);
  const rigid::PartState state = w.rigid.state(part.index);
  const double far = margin + seen.hulls.margin + state.velocity.norm() * w.dt();
  if (!is_near(seen.box, state.place, far, reach)) return;
  if (seen.shapes.empty()) seen.shapes = rigid::obstacle_shapes(seen.hulls);
  particles::Obstacle one;
  one.owner = static_cast<int>(near.obstacles.size()), one.place = state.place, one.center = state.place.translation, one.margin = margin;
  one.friction = body.description->material.friction * own.friction, one.restitution = std::max(state.restitution, 0.0) * own.restitution;
  if (body.description->motion != rigid::Motion::Static && !body.frozen && !body.held) one.velocity = state.velocity, one.spin = state.spin;
  if (body.description->motion == rigid::Motion::Dynamic && !body.frozen && !body.held) {
    one.inverse_mass = 1 / part.mass, one.inverse_inertia = inverse_inertia(part, state.place.rotation);
    one.asleep = !w.rigid.is_awake(part.index), one.weight = part.mass * w.dt() * w.scene.gravity;
    one.yields = !one.asleep && !w.supported[at(part.index)];
  }
  for (size_t s = 0; s < seen.shapes.size(); ++s) {
    one.kept = &seen.shapes[s];
    near.obstacles.push_back(one), near.owners.push_back({index, number, static_cast<int>(s)});
  }
}

void gather_obstacles(WorldState& w, int index, const Bounds& reach, double margin) {
  MatterObstacles& near = w.matter_obstacles[at(index)];
  near.obstacles.clear(), near.owners.clear();
  for (size_t b = 0; b < w.bodies.size(); ++b) {
    const int other = static_cast<int>(b);
    if (w.bodies[b].matter || !w.bodies[b].is_present() || !collide(w, other, index)) continue;
    for (size_t p = 0; p < w.bodies[b].parts.size(); ++p) gather_part(w, other, static_cast<int>(p), reach, margin, w.body(index).description->material, near);
  }
}

/// Sleeping parts that the contact does not wake receive no impulse. A part that matter only touches may fall asleep. A part that matter supports
/// may not: the support could give way without waking it.
void push_part(WorldState& w, const ObstacleOwner& owner, const particles::Obstacle& obstacle, const particles::Push& push) {
  if (push.contacts == 0 || obstacle.inverse_mass == 0 || (obstacle.asleep && !push.woken)) return;
  Part& part = w.body(owner.body).parts[at(owner.part)];
  rigid::PartState state = w.rigid.state(part.index);
  state.place.translation += push.shift;
  state.velocity += obstacle.inverse_mass * push.impulse, state.spin += obstacle.inverse_inertia * push.twist;
  w.rigid.set_state(part.index, state);
  const double weight = obstacle.weight.norm();
  const bool is_borne = weight > 0 ? -push.impulse.dot(obstacle.weight) > kSupportShare * weight * weight
                                   : obstacle.inverse_mass * push.impulse.norm() > kSupportSpeed;
  if (push.woken || is_borne) w.rigid.wake(part.index);
  part.last_good = w.rigid.state(part.index);
}

/// Contacts for the layers and bonds of the part: one for each of its hulls.
void note_contact(WorldState& w, int index, const ObstacleOwner& owner, const particles::Push& push) {
  const Body& body = w.body(owner.body);
  const double impulse = push.normal.norm();
  if (!(impulse > 0) || !body.rig || !body.can_change()) return;
  const Part& part = body.parts[at(owner.part)];
  rigid::Contact contact{};
  contact.part_a = part.index, contact.part_b = -1 - index;
  contact.hull_a = owner.shape, contact.hull_b = -1;
  contact.local_a = part.last_good.place.inverse() * push.at, contact.local_b = push.at;
  contact.normal = push.normal / impulse, contact.impulse = impulse, contact.friction = push.impulse - push.normal;
  contact.distance = 0;
  w.matter_contacts.push_back(contact);
}

void push_parts(WorldState& w, int index, std::span<const particles::Push> pushes) {
  const auto& [obstacles, owners, is_done] = w.matter_obstacles[at(index)];
  for (size_t begin = 0, end; begin < obstacles.size(); begin = end) {
    particles::Push sum;
    for (end = begin; end < obstacles.size() && obstacles[end].owner == obstacles[begin].owner; ++end) {
      const particles::Push& push = pushes[end];
      sum.impulse += push.impulse, sum.twist += push.twist, sum.shift += push.shift, sum.contacts += push.contacts;
      sum.woken = sum.woken || push.woken;
    }
    push_part(w, owners[begin], obstacles[begin], sum);
    if (!w.happened.empty() && sum.contacts > 0) w.matter_touches.push_back({index, owners[begin].body, sum.impulse.norm()});
    for (size_t k = begin; k < end; ++k) note_contact(w, index, owners[k], pushes[k]);
  }
}

MatterContext context_of(const WorldState& w, const Body& body) {
  MatterContext now;
  now.dt = w.dt(), now.time = w.time(), now.gravity = w.scene.gravity, now.frozen = body.frozen, now.sleeping = w.scene.sleeping;
  if (!w.scene.step) now.substep = static_cast<int>(w.steps % w.scene.substeps), now.substeps = w.scene.substeps;
  return now;
}

/// Bodies that are many and small have `prepare`: threads take whole bodies of them. Others use all threads for themselves.
template <class Matter>
constexpr bool kIsSmall = requires(Matter& matter, const MatterContext& now) { prepare(matter.model, matter.state, now); };

bool is_small(const Body& body) {
  return body.matter && body.is_present() && std::visit([](const auto& matter) { return kIsSmall<std::remove_cvref_t<decltype(matter)>>; }, *body.matter);
}

void for_small_bodies(WorldState& w, const std::function<void(int index)>& work) {
  parallel_for(w.bodies.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (is_small(w.bodies[i])) work(static_cast<int>(i));
    }
  });
}

/// What bodies do by themselves, on all threads.
void prepare_bodies(WorldState& w) {
  for_small_bodies(w, [&](int index) {
    std::visit(
        [&](auto& matter) {
          if constexpr (kIsSmall<std::remove_cvref_t<decltype(matter)>>) prepare(matter.model, matter.state, context_of(w, w.body(index)));
          w.matter_reach[at(index)] = reach(matter.model, matter.state, w.dt());
        },
        *w.body(index).matter);
  });
}

void gather_for(WorldState& w, int index) {
  std::visit([&](auto& matter) { gather_obstacles(w, index, w.matter_reach[at(index)], margin(matter.model)); }, *w.body(index).matter);
}

std::vector<particles::Push> step_alone(WorldState& w, int index) {
  MatterContext now = context_of(w, w.body(index));
  now.obstacles = w.matter_obstacles[at(index)].obstacles;
  std::visit([&](auto& matter) { step(matter.model, matter.state, now); }, *w.body(index).matter);
  return std::move(now.pushes);
}

/// Small bodies with nothing around them that a push would move, on all threads: none of them changes what others meet.
void step_among_fixed(WorldState& w) {
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    if (is_small(w.bodies[i])) gather_for(w, static_cast<int>(i));
  }
  for_small_bodies(w, [&](int index) {
    MatterObstacles& near = w.matter_obstacles[at(index)];
    near.is_done = std::all_of(near.obstacles.begin(), near.obstacles.end(), [](const particles::Obstacle& one) { return one.inverse_mass == 0; });
    if (near.is_done) step_alone(w, index);
  });
}

void step_body(WorldState& w, int index) {
  Body& body = w.body(index);
  MatterObstacles& near = w.matter_obstacles[at(index)];
  if (!std::exchange(near.is_done, false)) {
    std::visit([&](auto& matter) { w.matter_reach[at(index)] = reach(matter.model, matter.state, w.dt()); }, *body.matter);
    gather_for(w, index);
    push_parts(w, index, step_alone(w, index));
  }
  if (body.frozen) return;
  std::visit(
      [&](auto& matter) {
        const std::string why = fault(matter.model, matter.state);
        if (why.empty()) return;
        freeze(matter.model, matter.state);
        freeze_body(w, index, why);
      },
      *body.matter);
}

template <class Matter>
void stir_matter(Matter& matter) {
  if constexpr (requires { stir(matter.model, matter.state); }) stir(matter.model, matter.state);
}

/// Collides two bodies: by their own method if both have the same, otherwise as particles.
void collide_bodies(Body& one, Body& other) {
  const double friction = one.description->material.friction * other.description->material.friction;
  std::visit(
      [&](auto& a, auto& b) {
        if constexpr (std::is_same_v<decltype(a), decltype(b)>) {
          collide(a.model, a.state, b.model, b.state, friction);
        } else {
          stir_matter(a), stir_matter(b);
          particles::meet(particles_of(a.model, a.state), particles_of(b.model, b.state), friction);
        }
      },
      *one.matter, *other.matter);
}

/// Broad phase: pairs of bodies with overlapping boxes, by sorting along x.
std::vector<std::pair<int, int>> near_pairs(const WorldState& w) {
  struct Span {
    double low, high;
    int body;
    Bounds box;
  };
  std::vector<Span> spans;
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    const Body& body = w.bodies[i];
    if (!body.matter || !body.is_present() || body.frozen) continue;
    const Bounds& box = w.matter_reach[i];
    spans.push_back({box.low.x(), box.high.x(), static_cast<int>(i), box});
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return std::pair(a.low, a.body) < std::pair(b.low, b.body); });
  std::vector<std::pair<int, int>> pairs;
  for (size_t a = 0; a < spans.size(); ++a) {
    for (size_t b = a + 1; b < spans.size() && spans[b].low <= spans[a].high; ++b) {
      const bool meets = (spans[a].box.low.array() <= spans[b].box.high.array()).all() && (spans[b].box.low.array() <= spans[a].box.high.array()).all();
      if (meets && collide(w, spans[a].body, spans[b].body)) pairs.push_back(std::minmax(spans[a].body, spans[b].body));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Pairs in rounds: within one, none shares a body with another. The rounds depend on the pairs alone.
std::vector<std::vector<std::pair<int, int>>> rounds_of(const std::vector<std::pair<int, int>>& pairs, size_t bodies) {
  std::vector<std::vector<std::pair<int, int>>> rounds;
  std::vector<std::vector<char>> busy;  // #rounds x #bodies
  for (const auto& [a, b] : pairs) {
    size_t r = 0;
    while (r < rounds.size() && (busy[r][at(a)] || busy[r][at(b)])) ++r;
    if (r == rounds.size()) rounds.emplace_back(), busy.emplace_back(bodies, 0);
    rounds[r].emplace_back(a, b), busy[r][at(a)] = busy[r][at(b)] = 1;
  }
  return rounds;
}

/// Bodies meet: those that are not small one pair after another, as each uses all threads.
void collide_all(WorldState& w) {
  std::vector<std::pair<int, int>> small;
  for (const auto& [a, b] : near_pairs(w)) {
    if (is_small(w.body(a)) && is_small(w.body(b))) {
      small.emplace_back(a, b);
    } else {
      collide_bodies(w.body(a), w.body(b));
    }
  }
  for (const std::vector<std::pair<int, int>>& round : rounds_of(small, w.bodies.size())) {
    parallel_for(round.size(), 1, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) collide_bodies(w.body(round[k].first), w.body(round[k].second));
    });
  }
}

}  // namespace

void mark_shape_stale(WorldState& w, int body, int part) {
  if (at(part) < w.exposures[at(body)].size()) w.exposures[at(body)][at(part)].stale = true;
  if (w.body(body).solid && at(part) < w.obstacle_parts[at(body)].size()) w.obstacle_parts[at(body)][at(part)].stale = true;
}

void step_matter(WorldState& w) {
  w.matter_contacts.clear(), w.matter_touches.clear();
  const auto is_there = [](const Body& body) { return body.matter && body.is_present(); };
  if (std::none_of(w.bodies.begin(), w.bodies.end(), is_there)) return;
  note_supports(w);
  w.matter_obstacles.resize(w.bodies.size());
  prepare_bodies(w);
  step_among_fixed(w);
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    if (is_there(w.bodies[i])) step_body(w, static_cast<int>(i));
  }
  push_matter(w);
  if (std::count_if(w.bodies.begin(), w.bodies.end(), is_there) < 2) return;
  collide_all(w);
}

}  // namespace crumple
