#include "crumple/world/forces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/world/events.h"
#include "crumple/world/ledger.h"

namespace crumple {
namespace {

constexpr double kTick = 0.25;        // s: sleeping parts look at what acts on them at this interval
constexpr double kWakes = 0.1;        // m/s^2: and wake if it has changed by more
constexpr double kBlastWakes = 1e-3;  // m/s

/// Area of the convex outline of points in a plane.
double outline_area(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(), [](const Vec2& a, const Vec2& b) { return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y()); });
  std::vector<Vec2> outline;
  for (const bool is_upper : {false, true}) {
    const size_t first = outline.size();
    for (const Vec2& p : points) {
      const auto is_left = [&](const Vec2& a, const Vec2& b) { return (b - a).x() * (p - a).y() - (b - a).y() * (p - a).x() > 0; };
      while (outline.size() >= first + 2 && !is_left(outline[outline.size() - 2], outline.back())) outline.pop_back();
      outline.push_back(p);
    }
    if (!outline.empty()) outline.pop_back();  // the other half begins with it
    if (!is_upper) std::reverse(points.begin(), points.end());
  }
  double doubled = 0;
  for (size_t i = 0; i < outline.size(); ++i) {
    const Vec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
    doubled += a.x() * b.y() - a.y() * b.x();
  }
  return 0.5 * std::abs(doubled);
}

/// Silhouettes of a cloud of points along the axes.
Vec3 silhouettes_of(std::span<const Vec3> points) {
  Vec3 silhouettes;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Vec2> flat;
    for (const Vec3& p : points) flat.emplace_back(p[(axis + 1) % 3], p[(axis + 2) % 3]);
    silhouettes[axis] = outline_area(std::move(flat));
  }
  return silhouettes;
}

Bounds box_around(std::span<const Vec3> points) {
  Bounds box;
  for (const Vec3& p : points) box.add(p);
  return box;
}

/// Eight places stand for a body that is in one piece: the moments of their masses are those of a box.
Exposure simple_exposure(const Vec3& silhouette, const Vec3& half, const Vec3& middle, int hull) {
  Exposure exposure{false, silhouette, half, {}, std::vector<double>(8, 0.125), std::vector<int>(8, hull)};
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    exposure.places.push_back(middle + sign.cwiseProduct(half) / std::sqrt(3.0));
  }
  return exposure;
}

Exposure exposure_of(std::span<const Vec3> points, int hull) {
  const Bounds box = box_around(points);
  return simple_exposure(silhouettes_of(points), 0.5 * (box.high - box.low), 0.5 * (box.high + box.low), hull);
}

/// For a compound stand the middles of its hulls.
Exposure exposure_of(const rigid::Hulls& hulls) {
  std::vector<Vec3> all;
  for (const std::vector<Vec3>& hull : hulls.points) all.insert(all.end(), hull.begin(), hull.end());
  Exposure exposure = exposure_of(all, 0);
  if (hulls.points.size() < 2) return exposure;
  exposure.places.clear(), exposure.shares.clear(), exposure.hulls.clear();
  double sum = 0;
  for (const std::vector<Vec3>& hull : hulls.points) {
    const Bounds box = box_around(hull);
    exposure.places.push_back(0.5 * (box.low + box.high));
    exposure.shares.push_back(silhouettes_of(hull).sum()), sum += exposure.shares.back();
    exposure.hulls.push_back(static_cast<int>(exposure.hulls.size()));
  }
  for (double& share : exposure.shares) share = sum > 0 ? share / sum : 0;
  return exposure;
}

Exposure exposure_of(const rigid::Shape& shape) {
  const double pi = std::numbers::pi;
  const Vec3 origin = Vec3::Zero();
  if (const auto* box = std::get_if<rigid::Box>(&shape)) {
    const Vec3& s = box->size;
    return simple_exposure(Vec3(s.y() * s.z(), s.z() * s.x(), s.x() * s.y()), 0.5 * s, origin, -1);
  }
  if (const auto* ball = std::get_if<rigid::Sphere>(&shape))
    return simple_exposure(Vec3::Constant(pi * ball->radius * ball->radius), Vec3::Constant(ball->radius), origin, -1);
  if (const auto* can = std::get_if<rigid::Cylinder>(&shape)) {
    const double side = 2 * can->radius * can->height;
    return simple_exposure(Vec3(side, pi * can->radius * can->radius, side), Vec3(can->radius, 0.5 * can->height, can->radius), origin, -1);
  }
  if (const auto* capsule = std::get_if<rigid::Capsule>(&shape)) {
    const double r = capsule->radius, side = 2 * r * (capsule->height - 2 * r) + pi * r * r;
    return simple_exposure(Vec3(side, pi * r * r, side), Vec3(r, 0.5 * capsule->height, r), origin, -1);
  }
  if (const auto* hulls = std::get_if<rigid::Hulls>(&shape)) return exposure_of(*hulls);
  const auto* triangles = std::get_if<rigid::Triangles>(&shape);
  return triangles ? exposure_of(triangles->mesh.positions, -1) : Exposure{false, Vec3::Zero(), Vec3::Zero(), {}, {}, {}};
}

const Exposure& exposure(WorldState& w, int body, int part) {
  std::vector<Exposure>& of_body = w.exposures[at(body)];
  if (of_body.size() <= at(part)) of_body.resize(at(part) + 1);
  Exposure& found = of_body[at(part)];
  if (found.stale) found = exposure_of(shape_of_part(w.body(body), w.body(body).parts[at(part)]));
  return found;
}

/// Silhouette along a direction of length 1 in the frame of the exposure: exact along its axes, between them that of an ellipsoid.
double silhouette(const Exposure& exposure, const Vec3& way) {
  return exposure.silhouette.cwiseProduct(way).norm();
}

/// What a force acts on: a rigid part, or a particle.
struct Target {
  Vec3 at = Vec3::Zero(), velocity = Vec3::Zero();
  double mass = 1;                     // kg, of the part or of the whole body of particles
  const Exposure* exposure = nullptr;  // likewise
  Mat3 axes = Mat3::Identity();        // of the exposure, in the world
  double area(const Vec3& way) const { return silhouette(*exposure, axes.transpose() * way); }
};

Vec3 to_local(const ForceDescription& force, const Vec3& at) {
  return force.turn ? Vec3(rotation_from_degrees(*force.turn).transpose() * (at - force.at)) : Vec3(at - force.at);
}

bool is_inside(const ForceDescription& force, const Vec3& at) {
  if (force.sphere) return (at - force.at).norm() <= *force.sphere;
  if (!force.box) return true;
  const Vec3 half = 0.5 * Vec3((*force.box)[0], (*force.box)[1], (*force.box)[2]);
  return (to_local(force, at).cwiseAbs().array() <= half.array()).all();
}

/// Smooth noise between -1 and 1 with one value a unit of time.
double noise(int seed, double time) {
  const double whole = std::floor(time), share = time - whole;
  const auto value = [&](double number) {
    Random random(static_cast<uint64_t>(seed) * 0x9E3779B97F4A7C15ull + static_cast<uint64_t>(static_cast<int64_t>(number)));
    random.next();
    return random.range(-1, 1);
  };
  const double weight = share * share * (3 - 2 * share);
  return (1 - weight) * value(whole) + weight * value(whole + 1);
}

/// Drag over a step, solved exactly for air that stays: stable at any step.
Vec3 wind(const ForceDescription& force, double time, double dt, const Target& target) {
  if (!is_inside(force, target.at)) return Vec3::Zero();
  const double swell = force.gust > 0 ? 1 + force.gust * noise(force.seed, time / force.gust_time) : 1;
  const Vec3 relative = swell * force.velocity.at(time) - target.velocity;
  const double speed = relative.norm();
  if (!(speed > 0)) return Vec3::Zero();
  const double rate = 0.5 * force.air * force.drag * target.area(relative / speed) / target.mass * speed;
  return rate / (1 + rate * dt) * relative;
}

Vec3 attraction(const ForceDescription& force, double time, const Target& target) {
  Vec3 way = force.at - target.at;
  if (force.box) {
    const Vec3 half = 0.5 * Vec3((*force.box)[0], (*force.box)[1], (*force.box)[2]), local = to_local(force, target.at);
    const Vec3 out = local.cwiseMax(-half).cwiseMin(half) - local;
    way = force.turn ? Vec3(rotation_from_degrees(*force.turn) * out) : out;
  }
  if (force.reach && way.norm() > *force.reach) return Vec3::Zero();
  const double softened = std::hypot(way.norm(), force.core);
  return force.strength.at(time) * std::pow(force.radius / softened, force.falloff) / softened * way;
}

/// Impulse per area of silhouette.
double blast(const ForceDescription& force, double distance) {
  return distance < force.radius ? force.impulse * std::pow(1 - distance / force.radius, force.falloff) : 0;
}

/// The time since a force began; below 0: it has not.
double age_of(const WorldState& w, const ForceDescription& force, double time) {
  const std::optional<double> begin = begin_of(w, force.when);
  return begin ? time - *begin - force.start + 1e-9 : -1;
}

bool is_on(const WorldState& w, const ForceDescription& force, double time) {
  const double age = age_of(w, force, time);
  return age >= 0 && (!force.end || age < *force.end - force.start);
}

bool goes_off(const WorldState& w, const ForceDescription& force) {
  const double age = age_of(w, force, w.time());
  return force.kind == ForceKind::Explosion && age >= 0 && age < w.dt();
}

Vec3 gravity_at(const WorldState& w, double time) {
  return w.scene.gravity_keys.keys.empty() ? w.scene.gravity : w.scene.gravity_keys.at(time);
}

/// Acceleration by all forces that last.
Vec3 acceleration(const WorldState& w, int body, const Target& target, double time) {
  Vec3 sum = Vec3::Zero(), region = Vec3::Zero();
  for (size_t i = 0; i < w.scene.forces.size(); ++i) {
    const ForceDescription& force = w.scene.forces[i];
    if (force.kind == ForceKind::Explosion || !w.force_acts[i][at(body)] || !is_on(w, force, time)) continue;
    if (force.kind == ForceKind::Wind) sum += wind(force, time, w.dt(), target);
    if (force.kind == ForceKind::Attractor) sum += attraction(force, time, target);
    if (force.kind == ForceKind::Gravity && is_inside(force, target.at)) region = force.gravity.at(time) - gravity_at(w, time);
  }
  sum += region;
  if (w.scene.flat) sum.z() = 0;
  return sum;
}

/// Impulses of an explosion on a part, by its places.
void blow_up(WorldState& w, int body, int number, const ForceDescription& force, const rigid::PartState& state, Blast& blown) {
  const Exposure& exposed = exposure(w, body, number);
  const std::vector<int>& own = w.body(body).parts[at(number)].hulls;
  for (size_t i = 0; i < exposed.places.size(); ++i) {
    const Vec3 way = state.place * exposed.places[i] - force.at;
    const double distance = way.norm();
    Vec3 out = distance > 1e-9 ? Vec3(way / distance) : Vec3(Vec3::UnitY());
    if (w.scene.flat) out.z() = 0;
    const double area = exposed.shares[i] * silhouette(exposed, state.place.rotation.transpose() * out);
    const Vec3 impulse = blast(force, distance) * area * out;
    if (impulse.isZero(0)) continue;
    const int hull = exposed.hulls[i];
    blown.places.push_back(exposed.places[i]), blown.impulses.push_back(impulse), blown.hulls.push_back(hull);
    blown.world.push_back(state.place * exposed.places[i]);
    blown.own_hulls.push_back(hull >= 0 && at(hull) < own.size() ? own[at(hull)] : -1);
  }
}

bool feels_forces(const Body& body) {
  return body.is_present() && !body.frozen && !body.held && body.description->motion == rigid::Motion::Dynamic;
}

Target target_of(WorldState& w, int body, int number, const rigid::PartState& state) {
  return {state.place.translation, state.velocity, w.body(body).parts[at(number)].mass, &exposure(w, body, number), state.place.rotation};
}

/// Whether what acts on a sleeping part has changed since the last tick.
bool is_woken(const WorldState& w, int body, const Target& target) {
  const long tick = std::max(1L, std::lround(kTick / w.dt()));
  if (w.steps == 0 || w.steps % tick != 0) return false;
  const double before = w.time() - static_cast<double>(tick) * w.dt();
  const Vec3 change =
      acceleration(w, body, target, w.time()) + gravity_at(w, w.time()) - acceleration(w, body, target, before) - gravity_at(w, before);
  return change.norm() > kWakes;
}

/// A force and a torque about a centre.
struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  void add(const Vec3& more, const Vec3& arm) { force += more, torque += arm.cross(more); }
};

/// Pushes a part by what lasts and, on top, by explosions.
void push_part(WorldState& w, int body, int number, const rigid::PartState& state, Wrench wrench) {
  const Part& part = w.body(body).parts[at(number)];
  const Target target = target_of(w, body, number, state);
  if (!w.rigid.is_awake(part.index)) {
    if (!is_woken(w, body, target) && wrench.force.norm() * w.dt() < kBlastWakes * part.mass) return;
    w.rigid.wake(part.index);
  }
  wrench.force += part.mass * acceleration(w, body, target, w.time());
  if (!wrench.force.isZero(0) || !wrench.torque.isZero(0)) w.rigid.push(part.index, wrench.force, wrench.torque);
}

void push_part(WorldState& w, int body, int number) {
  const rigid::PartState state = w.rigid.state(w.body(body).parts[at(number)].index);
  Blast blown{body, number, {}, {}, {}, {}, {}};
  for (size_t i = 0; i < w.scene.forces.size(); ++i) {
    if (w.force_acts[i][at(body)] && goes_off(w, w.scene.forces[i])) blow_up(w, body, number, w.scene.forces[i], state, blown);
  }
  Wrench wrench;
  for (size_t i = 0; i < blown.places.size(); ++i) wrench.add(blown.impulses[i] / w.dt(), blown.world[i] - state.place.translation);
  push_part(w, body, number, state, wrench);
  if (!blown.places.empty()) w.blasts.push_back(std::move(blown));
}

void set_gravity(WorldState& w) {
  const Vec3 now = gravity_at(w, w.time());
  if (now == w.scene.gravity) return;
  book(w, &EnergyLedger::forces, [&] { w.rigid.set_gravity(now); });
  w.scene.gravity = now;
}

bool has_forces(const WorldState& w) {
  return !w.scene.forces.empty() || !w.scene.gravity_keys.keys.empty();
}

/// Exposure of a body of particles: that of an ellipsoid in their box, and their mass.
std::pair<Exposure, double> exposure_of(const particles::ParticleSpan& span) {
  Bounds box;
  double mass = 0;
  for (size_t i = 0; i < span.size(); ++i) {
    if (span.is_there[i] == 0) continue;
    box.add(span.origin + span.positions[i].head<3>().cast<double>());
    mass += span.unit * double{span.mass[i]};
  }
  if (box.empty()) return {{}, 0};
  const Vec3 size = box.high - box.low;
  return {{false, std::numbers::pi / 4 * Vec3(size.y() * size.z(), size.z() * size.x(), size.x() * size.y()), 0.5 * size, {}, {}, {}}, mass};
}

/// Every particle gets its share by mass of what acts on the whole, at its own place and speed.
void push_particles(const WorldState& w, int body, const particles::ParticleSpan& span) {
  const auto [exposed, mass] = exposure_of(span);
  if (!(mass > 0)) return;
  std::vector<const ForceDescription*> blasts;
  for (size_t i = 0; i < w.scene.forces.size(); ++i) {
    if (w.force_acts[i][at(body)] && goes_off(w, w.scene.forces[i])) blasts.push_back(&w.scene.forces[i]);
  }
  parallel_for(span.size(), 256, [&, &exposed = exposed, mass = mass](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (span.is_there[i] == 0 || span.held[i] >= 0) continue;
      const Target target{span.origin + span.positions[i].head<3>().cast<double>(), span.velocities[i].head<3>().cast<double>(), mass, &exposed};
      Vec3 change = w.dt() * acceleration(w, body, target, w.time());
      for (const ForceDescription* force : blasts) {
        const Vec3 way = target.at - force->at;
        const double distance = way.norm();
        if (distance > 1e-9) change += blast(*force, distance) * target.area(way / distance) / mass * way / distance;
      }
      if (w.scene.flat) change.z() = 0;
      span.velocities[i].head<3>() += change.cast<float>();
    }
  });
}

}  // namespace

void prepare_forces(WorldState& w) {
  w.exposures.resize(w.bodies.size());
  for (const ForceDescription& force : w.scene.forces) {
    std::vector<uint8_t>& acts = w.force_acts.emplace_back();
    for (const BodyDescription& body : w.scene.bodies) {
      const auto is_named = [&](const std::string& word) { return is_meant(body, word); };
      acts.push_back(force.bodies.empty() || std::any_of(force.bodies.begin(), force.bodies.end(), is_named));
    }
  }
}

void push_rigid_bodies(WorldState& w) {
  if (!has_forces(w)) return;
  set_gravity(w);
  w.rigid.clear_pushes();
  w.blasts.clear();
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    if (w.bodies[i].matter || !feels_forces(w.bodies[i])) continue;
    for (size_t p = 0; p < w.bodies[i].parts.size(); ++p) push_part(w, static_cast<int>(i), static_cast<int>(p));
  }
}

void push_again(WorldState& w, int body) {
  if (!has_forces(w) || !feels_forces(w.body(body))) return;
  for (size_t p = 0; p < w.body(body).parts.size(); ++p) {
    const Part& part = w.body(body).parts[p];
    const rigid::PartState state = w.rigid.state(part.index);
    Wrench wrench;
    for (const Blast& blown : w.blasts) {
      if (blown.body != body) continue;
      for (size_t i = 0; i < blown.places.size(); ++i) {
        const bool is_its_own =
            blown.own_hulls[i] >= 0 ? std::binary_search(part.hulls.begin(), part.hulls.end(), blown.own_hulls[i]) : at(blown.part) == p;
        if (is_its_own) wrench.add(blown.impulses[i] / w.dt(), blown.world[i] - state.place.translation);
      }
    }
    push_part(w, body, static_cast<int>(p), state, wrench);
  }
}

void push_matter(WorldState& w) {
  if (w.scene.forces.empty()) return;
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    Body& body = w.bodies[i];
    if (!body.matter || !feels_forces(body)) continue;
    std::visit([&](auto& matter) { push_particles(w, static_cast<int>(i), particles_of(matter.model, matter.state)); }, *body.matter);
  }
}

namespace {

/// The number of air among bodies: none has it.
int part_of_air(const WorldState& w) {
  return -1 - static_cast<int>(w.bodies.size());
}

}  // namespace

std::optional<Vec3> speed_of_air(const WorldState& w, const rigid::Contact& contact, const Part& part) {
  if (contact.part_b != part_of_air(w)) return std::nullopt;
  double impulse = 0;
  for (const Blast& blown : w.blasts) {
    if (&w.body(blown.body).parts[at(blown.part)] != &part) continue;
    for (const Vec3& one : blown.impulses) impulse += one.norm();
  }
  return impulse / part.mass * contact.normal;
}

void add_blast_contacts(WorldState& w) {
  for (const Blast& blown : w.blasts) {
    const Body& body = w.body(blown.body);
    if (!body.rig || !body.can_change() || body.frozen) continue;
    const Part& part = body.parts[at(blown.part)];
    const double far = 2 * exposure(w, blown.body, blown.part).half.norm();
    for (size_t i = 0; i < blown.places.size(); ++i) {
      rigid::Contact contact{};
      contact.impulse = blown.impulses[i].norm(), contact.normal = blown.impulses[i] / contact.impulse;
      contact.part_a = part.index, contact.part_b = part_of_air(w);
      contact.hull_a = blown.hulls[i], contact.hull_b = -1;
      // It touches the side that it comes from.
      contact.local_a = blown.places[i] - far * (part.last_good.place.rotation.transpose() * contact.normal);
      contact.local_b = part.last_good.place * contact.local_a;
      contact.friction.setZero(), contact.distance = 0;
      w.matter_contacts.push_back(contact);
    }
  }
}

}  // namespace crumple
