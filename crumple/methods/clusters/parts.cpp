#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/core/parallel.h"
#include "crumple/methods/clusters/mesh_field.h"
#include "crumple/methods/clusters/part_search.h"

namespace crumple::clusters {
namespace {

constexpr double kBounces = 0.2;        // m/s: what hits more slowly does not bounce
constexpr double kWakingShare = 0.1;    // of the weight's impulse in a step, from which a push wakes
constexpr double kWakingSpeed = 0.01;   // m/s, at least
constexpr double kWeighs = 4;           // steps of free fall: what presses down more slowly than that lies there
constexpr double kShallow = 0.25;       // of a shape's depth: who moves less in a step leaves through the nearest surface
constexpr double kSearched = 4;         // spacings: deeper inside a mesh nobody is found
constexpr int kMostStrides = 24;

/// A shape as particles meet it in this step.
struct Met {
  const RigidPart* part;
  Box3f box;
  double dt, depth, searched, thick;
  std::vector<int32_t> particles;  // that touch it
};

/// A part while its particles take turns with it.
struct Moving {
  Vec3 velocity, spin, shift = Vec3::Zero();
  double inverse_mass = 0;
  Mat3 inverse_inertia = Mat3::Zero();
};

/// How deep a particle is in a shape, below zero, and which way out; above zero if it is not.
struct Contact {
  double distance;
  Vec3 normal;
};

bool is_sheet(const RigidShape& shape) {
  return shape.kind == RigidShape::Kind::Mesh && !shape.mesh->is_closed();
}

/// Goes from a place outside in strides that cannot miss the surface. Where it gets in, it is as deep as the rest of the way takes it behind the
/// surface there. [Hart 1996]
bool find_entry(const Met& met, const Vec3& from, const Vec3& to, Contact& contact) {
  const RigidShape& shape = met.part->form();
  const double travel = (to - from).norm(), close = 1e-4 * travel + 1e-9;
  const Vec3 along = (to - from) / travel;
  Vec3 normal;
  double gone = 0;
  for (int k = 0; k < kMostStrides; ++k) {
    const Vec3 here = from + gone * along;
    const double distance = signed_distance(shape, here, normal, met.searched + travel) - met.part->margin;
    if (k == 0 && distance <= 0) return false;  // it was inside
    if (distance < close) {
      const double deep = (to - here).dot(normal);
      if (deep >= 0) return false;
      contact = {deep, normal};
      return true;
    }
    gone += distance;
    if (gone >= travel) return false;
  }
  return false;
}

/// In the shape's frame: where a particle is that came from `from`.
Contact meet(const Met& met, const Vec3& from, const Vec3& to) {
  Contact contact;
  const double travel = (to - from).norm();
  contact.distance = signed_distance(met.part->form(), to, contact.normal, met.searched + travel) - met.part->margin;
  if (contact.distance >= travel || travel == 0) return contact;
  if (contact.distance < 0 && travel < kShallow * met.depth) return contact;
  if (!(travel <= 1e6) || find_entry(met, from, to, contact)) return contact;
  if (contact.distance < -met.thick) contact.distance = 0;  // behind a sheet, and not through it
  return contact;
}

Contact meet(const Model& model, const State& state, const Met& met, const Moving& moving, size_t i) {
  const Mat3& turn = met.part->place.rotation;
  const Vec3 world = model.origin + state.positions[i].head<3>().cast<double>();
  const Vec3 to = turn.transpose() * (world - met.part->place.translation - moving.shift);
  // Over the step the part went as it did before the particles slowed it.
  const Vec3 relative =
      state.velocities[i].head<3>().cast<double>() - met.part->velocity - met.part->spin.cross(world - met.part->center - moving.shift);
  Contact contact = meet(met, to - met.dt * (turn.transpose() * relative), to);
  contact.normal = turn * contact.normal;
  return contact;
}

/// One over the mass that a push at `arm` meets in a direction.
double lightness(const Moving& moving, double inverse_mass, const Vec3& arm, const Vec3& direction) {
  const Vec3 lever = arm.cross(direction);
  return inverse_mass + moving.inverse_mass + lever.dot(moving.inverse_inertia * lever);
}

struct Blow {
  Vec3 normal = Vec3::Zero(), friction = Vec3::Zero();  // N s, on the particle
};

/// Normal part first, then friction by Coulomb's law on how they slide after it: neither adds energy.
Blow hit(const RigidPart& part, const Moving& moving, const Vec3& relative, const Vec3& normal, const Vec3& arm, double inverse_mass) {
  Blow blow;
  const double in = relative.dot(normal);
  if (in >= 0) return blow;
  const double bounce = in < -kBounces ? part.restitution : 0;
  const double impulse = -(1 + bounce) * in / lightness(moving, inverse_mass, arm, normal);
  blow.normal = impulse * normal;
  Vec3 slide = relative + (inverse_mass + moving.inverse_mass) * blow.normal + (moving.inverse_inertia * arm.cross(blow.normal)).cross(arm);
  slide -= slide.dot(normal) * normal;
  const double speed = slide.norm();
  if (!(speed > 0)) return blow;
  const Vec3 along = slide / speed;
  blow.friction = -std::min(part.friction * impulse, speed / lightness(moving, inverse_mass, arm, along)) * along;
  return blow;
}

/// One particle and the part that it is in.
void resolve(const Model& model, State& state, const Met& met, size_t i, Moving& moving, Push& push) {
  const RigidPart& part = *met.part;
  const Contact contact = meet(model, state, met, moving, i);
  if (!(contact.distance < 0)) return;
  const bool held = state.held[i] >= 0;
  const double mass = model.unit * double(state.mass[i]), inverse_mass = held ? 0 : 1 / mass;
  const double yields = part.yields ? moving.inverse_mass : 0;
  if (inverse_mass + moving.inverse_mass == 0) return;
  ++push.contacts;
  // Both leave the overlap, each by the other's share of the mass.
  const Vec3 world = model.origin + state.positions[i].head<3>().cast<double>(), center = part.center + moving.shift;
  const Vec3 out = inverse_mass + yields > 0 ? Vec3(-contact.distance / (inverse_mass + yields) * contact.normal) : Vec3::Zero();
  state.positions[i].head<3>() += (inverse_mass * out).cast<float>();
  const Vec3 now = model.origin + state.positions[i].head<3>().cast<double>(), moved = now - world;  // as rounded
  const Vec3 shift = yields * (held ? Vec3(-out) : Vec3(-mass * moved));
  moving.shift += shift, push.shift += shift;
  // And hit.
  const Vec3 before = state.velocities[i].head<3>().cast<double>(), arm = now - part.center - moving.shift;
  const Vec3 relative = before - moving.velocity - moving.spin.cross(arm);
  const Blow blow = hit(part, moving, relative, contact.normal, arm, inverse_mass);
  Vec3 impulse = blow.normal + blow.friction;
  if (!held) {
    state.velocities[i].head<3>() = (before + inverse_mass * impulse).cast<float>();
    impulse = mass * (state.velocities[i].head<3>().cast<double>() - before);  // as rounded, so that nothing is lost between the two
  }
  moving.velocity -= moving.inverse_mass * impulse;
  Vec3 twist = -arm.cross(impulse);
  if (yields > 0 && !held) {
    // What moves out while it slides along would carry angular momentum with it: the part keeps it.
    twist = -(world - center).cross(impulse) - mass * moved.cross(state.velocities[i].head<3>().cast<double>() - moving.velocity);
  }
  moving.spin += moving.inverse_inertia * twist;
  const double strength = impulse.norm();
  push.impulse -= impulse, push.twist += twist, push.normal -= blow.normal, push.strength += strength, push.at += strength * now;
}

/// Whether what hits a part that sleeps is enough to wake it.
bool wakes(const Model& model, const State& state, std::span<const Met> group) {
  const RigidPart& part = *group.front().part;
  const Moving still{part.velocity, part.spin};
  Vec3 push = Vec3::Zero();
  double mass = 0, momentum = 0;
  for (const Met& met : group) {
    for (const int32_t k : met.particles) {
      const size_t i = static_cast<size_t>(k);
      const Contact contact = meet(model, state, met, still, i);
      const double in = contact.distance < 0 ? state.velocities[i].head<3>().cast<double>().dot(contact.normal) : 0;
      if (!(in < 0)) continue;
      const double own = model.unit * double(state.mass[i]);
      push += own * in * contact.normal, momentum -= own * in, mass += own;
    }
  }
  const double weight = part.weight.norm(), least = std::max(kWakingShare * weight, kWakingSpeed / part.inverse_mass);
  if (push.norm() <= least) return false;
  const Vec3 down = weight > 0 ? Vec3(part.weight / weight) : Vec3::Zero();
  if ((push - std::max(push.dot(down), 0.0) * down).norm() > least) return true;
  return momentum > kWeighs * mass * weight * part.inverse_mass;  // a hit from above
}

/// Everything that touches the shapes of one part.
void collide_part(const Model& model, State& state, std::span<const Met> group, Push* pushes) {
  const RigidPart& part = *group.front().part;
  if (std::all_of(group.begin(), group.end(), [](const Met& met) { return met.particles.empty(); })) return;
  Moving moving{part.velocity, part.spin};
  const bool moves = part.inverse_mass > 0 && (!part.asleep || wakes(model, state, group));
  if (moves) moving.inverse_mass = part.inverse_mass, moving.inverse_inertia = part.inverse_inertia;
  for (const Met& met : group) {
    Push& push = pushes[met.part - group.front().part];
    for (const int32_t i : met.particles) resolve(model, state, met, static_cast<size_t>(i), moving, push);
    push.woken = part.asleep && moves;
  }
}

bool are_one(const RigidPart& a, const RigidPart& b) {
  return a.owner >= 0 && a.owner == b.owner;
}

/// Whether a particle is so far above a plane that it did not touch it in this step; a cheap question, since a floor is near to everybody.
struct PlaneFilter {
  Vec3f normal = Vec3f::Zero();
  float most = std::numeric_limits<float>::infinity();

  PlaneFilter(const Model& model, const RigidPart& part, double travel) {
    if (part.form().kind != RigidShape::Kind::Plane) return;
    const Vec3 up = part.place.rotation * part.form().planes[0].head<3>();
    normal = up.cast<float>();
    most = static_cast<float>(part.form().planes[0][3] + up.dot(part.place.translation - model.origin) + part.margin + travel + 1e-4);
  }
  bool rejects(const Vec4f& x) const { return normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2] > most; }
};

/// The parts that come near, each with the particles that touch it.
std::vector<Met> find_contacts(const Model& model, const State& state, std::span<const RigidPart> parts, double dt) {
  std::vector<Met> near;
  if (parts.empty()) return near;
  ParticleSearch search(model, state, dt);
  for (const RigidPart& part : parts) {
    const Box3f box = search.box_of_part(part);
    if (!search.is_near(box)) continue;
    const bool sheet = is_sheet(part.form());
    near.push_back({&part, box, dt, depth_of(part.form()), kSearched * model.spacing + part.margin, sheet ? model.spacing : kForever, {}});
  }
  if (near.empty()) return near;
  search.prepare(near.size());
  parallel_for(near.size(), 1, [&](size_t begin, size_t end) {
    std::vector<int32_t> found;
    for (size_t k = begin; k < end; ++k) {
      Met& met = near[k];
      const Moving still{met.part->velocity, met.part->spin};
      const PlaneFilter filter(model, *met.part, search.travel() + met.part->velocity.norm() * dt);
      search.find(met.box, found);
      for (const int32_t i : found) {
        if (filter.rejects(state.positions[static_cast<size_t>(i)])) continue;
        if (meet(model, state, met, still, static_cast<size_t>(i)).distance < 0) met.particles.push_back(i);
      }
    }
  });
  return near;
}

}  // namespace

std::vector<Push> collide_parts(const Model& model, State& state, std::span<const RigidPart> parts, double dt) {
  std::vector<Push> pushes(parts.size());
  const std::vector<Met> near = find_contacts(model, state, parts, dt);
  for (size_t begin = 0, end; begin < near.size(); begin = end) {
    for (end = begin + 1; end < near.size() && are_one(*near[begin].part, *near[end].part);) ++end;
    collide_part(model, state, std::span(near).subspan(begin, end - begin), &pushes[static_cast<size_t>(near[begin].part - parts.data())]);
  }
  for (Push& push : pushes) push.at = push.strength > 0 ? Vec3(push.at / push.strength) : Vec3::Zero();
  return pushes;
}

}  // namespace crumple::clusters
