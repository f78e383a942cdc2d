#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/core/parallel.h"
#include "crumple/particles/contact.h"
#include "crumple/particles/search.h"
#include "crumple/rigid/mesh_field.h"

namespace crumple::particles {
namespace {

constexpr double kBounces = 0.2;       // m/s: slower hits do not bounce
constexpr double kWakingShare = 0.1;   // of the weight's impulse in a step: stronger pushes wake a part
constexpr double kWakingSpeed = 0.01;  // m/s: the minimum for waking
constexpr double kWeighs = 4;          // steps of free fall: particles that press down more slowly are at rest on the part
constexpr double kShallow = 0.25;      // of a shape's depth: particles that move less in a step leave through the nearest surface
constexpr double kSearched = 4;        // spacings: particles deeper inside a mesh are not found
constexpr double kOnSurface = 0.1;     // of the travel in a step: particles no deeper inside count as on the surface
constexpr int kMaxStrides = 24;
constexpr int kMaxSweeps = 20;
constexpr double kSettled = 0.01;  // of the fastest approach: contacts that change less have converged

/// An obstacle shape in this step.
struct Met {
  const Obstacle* part;
  Box3f box;
  double dt, depth, searched, thick;
  std::vector<int32_t> touching;  // particles
};

/// Motion of a part while particles push it.
struct Moving {
  Vec3 velocity, spin, shift = Vec3::Zero();
  double inverse_mass = 0;
  Mat3 inverse_inertia = Mat3::Zero();
};

/// Signed distance of a particle to a shape, below zero inside, and the outward direction.
struct Contact {
  double distance;
  Vec3 normal;
};

bool is_sheet(const rigid::ObstacleShape& shape) {
  return shape.kind == rigid::ObstacleShape::Kind::Mesh && !shape.mesh->is_closed();
}

/// Sphere tracing from a point outside, in strides that cannot miss the surface. The depth is the rest of the path behind the surface at the
/// entry. [Hart 1996]
bool find_entry(const Met& met, const Vec3& from, const Vec3& to, Contact& contact) {
  const rigid::ObstacleShape& shape = met.part->form();
  const double travel = (to - from).norm(), close = 1e-4 * travel + 1e-9;
  const Vec3 along = (to - from) / travel;
  Vec3 normal;
  double gone = 0;
  for (int k = 0; k < kMaxStrides; ++k) {
    const Vec3 here = from + gone * along;
    const double distance = rigid::signed_distance(shape, here, normal, met.searched + travel) - met.part->margin;
    if (k == 0 && distance < -kOnSurface * travel - 1e-7) return false;  // it started inside
    if (distance < close) {
      const double deep = (to - here).dot(normal) + std::min(distance, 0.0);
      if (deep >= 0) return false;
      contact = {deep, normal};
      return true;
    }
    gone += distance;
    if (gone >= travel) return false;
  }
  return false;
}

/// Contact of a particle that moved from `from` to `to`, in the shape's frame.
Contact meet(const Met& met, const Vec3& from, const Vec3& to) {
  Contact contact;
  const double travel = (to - from).norm();
  contact.distance = rigid::signed_distance(met.part->form(), to, contact.normal, met.searched + travel) - met.part->margin;
  if (contact.distance >= travel || travel == 0) return contact;
  // A hull may have neighbours; particles must not be pushed out into them.
  const bool alone = met.part->form().kind != rigid::ObstacleShape::Kind::Hull;
  if (contact.distance < 0 && alone && travel < kShallow * met.depth) return contact;
  if (!(travel <= 1e6) || find_entry(met, from, to, contact)) return contact;
  if (contact.distance < -met.thick) contact.distance = 0;  // behind a sheet, and not through it
  return contact;
}

Contact meet(const ParticleSpan& particles, const Met& met, const Moving& moving, size_t i) {
  const Mat3& turn = met.part->place.rotation;
  const Vec3 world = particles.origin + particles.positions[i].head<3>().cast<double>();
  const Vec3 to = turn.transpose() * (world - met.part->place.translation - moving.shift);
  // The part moved through the step with its velocity before these contacts.
  const Vec3 relative =
      particles.velocities[i].head<3>().cast<double>() - met.part->velocity - met.part->spin.cross(world - met.part->center - moving.shift);
  Contact contact = meet(met, to - met.dt * (turn.transpose() * relative), to);
  contact.normal = turn * contact.normal;
  return contact;
}

/// A particle in contact with the part.
struct Touching {
  size_t particle;
  Push* push;  // of the shape
  const Obstacle* part;
  Vec3 normal, arm;  // world; from the part's centre
  double mass, inverse_mass;
  double lightness = 0;        // inverse effective mass along the normal
  double leaves = 0;           // m/s: target velocity along the normal
  double pressed = 0;          // N s: accumulated normal impulse
  Vec3 rubbed = Vec3::Zero();  // N s: accumulated friction impulse
};

double lightness(const Moving& moving, double inverse_mass, const Vec3& arm, const Vec3& direction) {
  const Vec3 lever = arm.cross(direction);
  return inverse_mass + moving.inverse_mass + lever.dot(moving.inverse_inertia * lever);
}

Vec3 velocity_of(const ParticleSpan& particles, size_t i) {
  return particles.velocities[i].head<3>().cast<double>();
}

Vec3 sliding(const ParticleSpan& particles, const Moving& moving, const Touching& at) {
  return velocity_of(particles, at.particle) - moving.velocity - moving.spin.cross(at.arm);
}

/// Resolves an overlap: particle and part each move by the other's share of the mass. Where they slide past each other that would change angular
/// momentum; a change of the part's spin compensates.
bool part_ways(const ParticleSpan& particles, const Met& met, size_t i, Moving& moving, Push& push, Touching& touching) {
  const Obstacle& part = *met.part;
  const Contact contact = meet(particles, met, moving, i);
  if (!(contact.distance < 0)) return false;
  const bool held = particles.held[i] >= 0;
  const double mass = particles.unit * double(particles.mass[i]), inverse_mass = held ? 0 : 1 / mass;
  const double yields = part.yields ? moving.inverse_mass : 0;
  if (inverse_mass + moving.inverse_mass == 0) return false;
  ++push.contacts;
  const Vec3 before = particles.positions[i].head<3>().cast<double>();
  const Vec3 out = inverse_mass + yields > 0 ? Vec3(-contact.distance / (inverse_mass + yields) * contact.normal) : Vec3::Zero();
  particles.positions[i].head<3>() += (inverse_mass * out).cast<float>();
  const Vec3 after = particles.positions[i].head<3>().cast<double>();  // as rounded
  if (yields > 0) {
    const Vec3 moved = held ? out : Vec3(mass * (after - before)), shift = -yields * moved;
    const Vec3 twist = held ? Vec3::Zero() : Vec3(-moved.cross(velocity_of(particles, i) - moving.velocity));
    moving.shift += shift, push.shift += shift;
    moving.spin += moving.inverse_inertia * twist, push.twist += twist;
  }
  touching = {i, &push, &part, contact.normal, particles.origin + after, mass, inverse_mass};
  return true;
}

void add(const Touching& at, const Vec3& wanted, const ParticleSpan& particles, Moving& moving) {
  Vec3 impulse = wanted;  // on the particle
  if (at.inverse_mass > 0) {
    const Vec3 before = velocity_of(particles, at.particle);
    particles.velocities[at.particle].head<3>() = (before + at.inverse_mass * wanted).cast<float>();
    impulse = at.mass * (velocity_of(particles, at.particle) - before);  // as rounded, so that momentum is conserved exactly
  }
  const Vec3 twist = -at.arm.cross(impulse);
  at.push->impulse -= impulse, at.push->twist += twist;
  moving.velocity -= moving.inverse_mass * impulse, moving.spin += moving.inverse_inertia * twist;
}

/// Solves one contact: no approach, and sliding limited by Coulomb friction. Returns the change of the relative speed.
double press(Touching& at, const ParticleSpan& particles, Moving& moving) {
  Vec3 relative = sliding(particles, moving, at);
  const double pressed = std::max(0.0, at.pressed + (at.leaves - relative.dot(at.normal)) / at.lightness), change = pressed - at.pressed;
  if (change != 0) add(at, change * at.normal, particles, moving), relative = sliding(particles, moving, at);
  at.pressed = pressed;
  const Vec3 slide = relative - relative.dot(at.normal) * at.normal;
  const double speed = slide.norm(), most = at.part->friction * pressed;
  if (!(speed > 0) || (most == 0 && at.rubbed.isZero(0))) return std::abs(change) * at.lightness;
  Vec3 rubbed = at.rubbed - slide / lightness(moving, at.inverse_mass, at.arm, slide / speed);
  if (const double strength = rubbed.norm(); strength > most) rubbed *= most / strength;
  const Vec3 rub = rubbed - at.rubbed;
  add(at, rub, particles, moving);
  at.rubbed = rubbed;
  return std::max(std::abs(change), rub.norm()) * at.lightness;
}

/// Iterates over all contacts of one part until they converge. A single pass would favour the last contact of a light part.
void press_all(std::vector<Touching>& contacts, const ParticleSpan& particles, Moving& moving) {
  double fastest = 0;
  for (Touching& at : contacts) {
    at.lightness = lightness(moving, at.inverse_mass, at.arm, at.normal);
    const double in = -sliding(particles, moving, at).dot(at.normal);
    if (in > kBounces) at.leaves = at.part->restitution * in;
    fastest = std::max(fastest, in);
  }
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double most = 0;
    for (Touching& at : contacts) most = std::max(most, press(at, particles, moving));
    if (most <= kSettled * fastest || moving.inverse_mass == 0) break;
  }
}

/// Whether the hits on a sleeping part are strong enough to wake it.
bool wakes(const ParticleSpan& particles, std::span<const Met> group) {
  const Obstacle& part = *group.front().part;
  const Moving still{part.velocity, part.spin};
  Vec3 push = Vec3::Zero();
  double mass = 0, momentum = 0;
  for (const Met& met : group) {
    for (const int32_t k : met.touching) {
      const size_t i = static_cast<size_t>(k);
      const Contact contact = meet(particles, met, still, i);
      const double in = contact.distance < 0 ? velocity_of(particles, i).dot(contact.normal) : 0;
      if (!(in < 0)) continue;
      const double own = particles.unit * double(particles.mass[i]);
      push += own * in * contact.normal, momentum -= own * in, mass += own;
    }
  }
  const double weight = part.weight.norm(), least = std::max(kWakingShare * weight, kWakingSpeed / part.inverse_mass);
  if (push.norm() <= least) return false;
  const Vec3 down = weight > 0 ? Vec3(part.weight / weight) : Vec3::Zero();
  if ((push - std::max(push.dot(down), 0.0) * down).norm() > least) return true;
  return momentum > kWeighs * mass * weight * part.inverse_mass;  // a hit from above
}

/// Solves all contacts with the shapes of one part.
void collide_part(const ParticleSpan& particles, std::span<const Met> group, Push* pushes) {
  const Obstacle& part = *group.front().part;
  if (std::all_of(group.begin(), group.end(), [](const Met& met) { return met.touching.empty(); })) return;
  Moving moving{part.velocity, part.spin};
  const bool moves = part.inverse_mass > 0 && (!part.asleep || wakes(particles, group));
  if (moves) moving.inverse_mass = part.inverse_mass, moving.inverse_inertia = part.inverse_inertia;
  static thread_local std::vector<Touching> contacts;
  contacts.clear();
  for (const Met& met : group) {
    Push& push = pushes[met.part - group.front().part];
    push.woken = part.asleep && moves;
    for (const int32_t i : met.touching) {
      Touching touching;
      if (part_ways(particles, met, static_cast<size_t>(i), moving, push, touching)) contacts.push_back(touching);
    }
  }
  for (Touching& at : contacts) at.arm -= part.center + moving.shift;
  press_all(contacts, particles, moving);
  for (const Touching& at : contacts) {
    // Friction acts over the whole step: otherwise particles on a slope would creep by the acceleration of one step.
    if (!part.yields) particles.positions[at.particle].head<3>() += (group.front().dt * at.inverse_mass * at.rubbed).cast<float>();
    const double strength = std::hypot(at.pressed, at.rubbed.norm());
    at.push->normal -= at.pressed * at.normal, at.push->strength += strength, at.push->at += strength * (part.center + moving.shift + at.arm);
  }
}

bool are_one(const Obstacle& a, const Obstacle& b) {
  return a.owner >= 0 && a.owner == b.owner;
}

/// Whether a particle is too far above a plane to touch it in this step. A cheap test, because a floor is near all particles.
struct PlaneFilter {
  Vec3f normal = Vec3f::Zero();
  float most = std::numeric_limits<float>::infinity();

  PlaneFilter(const ParticleSpan& particles, const Obstacle& part, double travel) {
    if (part.form().kind != rigid::ObstacleShape::Kind::Plane) return;
    const Vec3 up = part.place.rotation * part.form().planes[0].head<3>();
    normal = up.cast<float>();
    most = static_cast<float>(part.form().planes[0][3] + up.dot(part.place.translation - particles.origin) + part.margin + travel + 1e-4);
  }
  bool rejects(const Vec4f& x) const { return normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2] > most; }
};

/// The parts near the body, each with the particles that touch it.
std::vector<Met> find_contacts(const ParticleSpan& particles, std::span<const Obstacle> obstacles, double dt) {
  std::vector<Met> near;
  if (obstacles.empty()) return near;
  ParticleSearch search(particles, dt);
  for (const Obstacle& part : obstacles) {
    const Box3f box = search.box_of(part);
    if (!search.is_near(box)) continue;
    const bool sheet = is_sheet(part.form());
    near.push_back({&part, box, dt, rigid::depth_of(part.form()), kSearched * particles.spacing + part.margin, sheet ? particles.spacing : std::numeric_limits<double>::infinity(), {}});
  }
  if (near.empty()) return near;
  search.prepare(near.size());
  parallel_for(near.size(), 1, [&](size_t begin, size_t end) {
    std::vector<int32_t> found;
    for (size_t k = begin; k < end; ++k) {
      Met& met = near[k];
      const Moving still{met.part->velocity, met.part->spin};
      const PlaneFilter filter(particles, *met.part, search.travel() + met.part->velocity.norm() * dt);
      search.find(met.box, found);
      for (const int32_t i : found) {
        if (filter.rejects(particles.positions[static_cast<size_t>(i)])) continue;
        if (meet(particles, met, still, static_cast<size_t>(i)).distance < 0) met.touching.push_back(i);
      }
    }
  });
  return near;
}

}  // namespace

std::vector<Push> collide_obstacles(const ParticleSpan& particles, std::span<const Obstacle> obstacles, double dt) {
  std::vector<Push> pushes(obstacles.size());
  const std::vector<Met> near = find_contacts(particles, obstacles, dt);
  for (size_t begin = 0, end; begin < near.size(); begin = end) {
    for (end = begin + 1; end < near.size() && are_one(*near[begin].part, *near[end].part);) ++end;
    collide_part(particles, std::span(near).subspan(begin, end - begin), &pushes[static_cast<size_t>(near[begin].part - obstacles.data())]);
  }
  for (Push& push : pushes) push.at = push.strength > 0 ? Vec3(push.at / push.strength) : Vec3::Zero();
  return pushes;
}

}  // namespace crumple::particles
