#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/world/simulation.h"

namespace crumple {
namespace {

constexpr double kBorne = 0.1;     // of a part's weight: what bears more of it keeps it from falling asleep
constexpr double kPushed = 0.01;   // m/s: the same for speed, where nothing weighs

size_t at(int index) {
  return static_cast<size_t>(index);
}

Mat3 inverse_inertia(const BodyPart& part, const Mat3& axes) {
  return axes * part.inertia.cwiseInverse().asDiagonal() * axes.transpose();
}

/// Where a soft body's particles may be at the end of a step.
Bounds reach_of(const ClusterLayer& layer, double dt) {
  const clusters::State& state = layer.state;
  clusters::Vec4f low = clusters::Vec4f::Constant(1e30f), high = -low;
  float fastest = 0;
  for (size_t i = 0; i < state.positions.size(); ++i) {
    if (state.entry_count[i] == 0) continue;
    low = low.cwiseMin(state.positions[i]), high = high.cwiseMax(state.positions[i]);
    fastest = std::max(fastest, state.velocities[i].head<3>().squaredNorm());
  }
  const Vec3 size = (high - low).head<3>().cast<double>();
  // Springs and limits of strain move particles within the body, not far beyond it.
  const Vec3 slack = Vec3::Constant(2 * std::sqrt(static_cast<double>(fastest)) * dt + 2 * layer.model.spacing + 0.1 * size.norm());
  return {layer.model.origin + low.head<3>().cast<double>() - slack, layer.model.origin + high.head<3>().cast<double>() + slack};
}

bool is_near(const Bounds& box, const Transform& place, double margin, const Bounds& reach) {
  if (box.empty()) return true;
  const Vec3 center = place * (0.5 * (box.low + box.high));
  const Vec3 half = place.rotation.cwiseAbs() * (0.5 * (box.high - box.low)) + Vec3::Constant(margin);
  return ((center - half).array() <= reach.high.array()).all() && ((center + half).array() >= reach.low.array()).all();
}

/// How deep the outermost particles lie under the surface that is drawn, on average over its six sides.
double skin_of(const Body& body) {
  Bounds particles;
  const clusters::Model& model = body.clusters->model;
  for (const clusters::Vec4f& r : model.rest) particles.add(model.origin + r.head<3>().cast<double>());
  const Transform place = {rotation_of(*body.description), body.description->at};
  Bounds drawn;
  for (const Vec3& p : body.surface->positions) drawn.add(place * p);
  const double gap = ((particles.low - drawn.low) + (drawn.high - particles.high)).sum() / 6;
  return std::clamp(gap, 0.0, model.spacing);
}

/// What is wrong with a soft body's motion; empty if nothing is. Sums tell: one number that is not finite spoils them.
std::string trouble_of(const ClusterLayer& layer) {
  clusters::Vec4f place = clusters::Vec4f::Zero(), velocity = clusters::Vec4f::Zero();
  for (const clusters::Vec4f& x : layer.state.positions) place += x;
  for (const clusters::Vec4f& v : layer.state.velocities) velocity += v;
  float strain = 0;
  for (const clusters::Mat3f& plastic : layer.state.plastic) strain += plastic.sum();
  if (!place.allFinite() || !velocity.allFinite() || !std::isfinite(strain)) return "its particles' motion is no longer finite";
  const double count = static_cast<double>(std::max<size_t>(layer.state.positions.size(), 1));
  const double speed = velocity.head<3>().cast<double>().norm() / count;
  const double far = (layer.model.origin + place.head<3>().cast<double>() / count).norm();
  return speed <= kFastest && far <= kFarthest ? "" : fmt::format("it moved at {:.0f} m/s, {:.0f} m from the origin", speed, far);
}

}  // namespace

const rigid::Contact& World::Simulation::contact(int index) const {
  const size_t engine = loads.contacts.size();
  return at(index) < engine ? loads.contacts[at(index)] : soft_contacts[at(index) - engine];
}

bool World::Simulation::collide(int a, int b) const {
  return (masks[at(a)] & groups[at(b)]) && (masks[at(b)] & groups[at(a)]);
}

World::Simulation::MetPart& World::Simulation::met_part(int body, int part) {
  std::vector<MetPart>& met = met_parts[at(body)];
  if (met.size() <= at(part)) met.resize(at(part) + 1);
  return met[at(part)];
}

/// What is no asset keeps its shape for ever.
void World::Simulation::reshaped(int body, int part) {
  if (bodies[at(body)].loaded && at(part) < met_parts[at(body)].size()) met_parts[at(body)][at(part)].stale = true;
}

/// Overlaps with soft bodies do not move parts that touch something in the rigid world or hang on joints: they would be pushed into or torn off it.
void World::Simulation::note_supports() {
  supported.assign(owner_of_part.size(), 0);
  for (const rigid::Contact& contact : loads.contacts) supported[at(contact.part_a)] = supported[at(contact.part_b)] = 1;
  for (const JointSlot& joint : joints) {
    if (joint.index < 0) continue;
    supported[at(joint.settings.part_a)] = 1;
    if (joint.settings.part_b >= 0) supported[at(joint.settings.part_b)] = 1;
  }
}

/// Adds the shapes of a rigid part that a soft body may reach.
void World::Simulation::meet_part(int index, int number, const Bounds& reach, int soft) {
  const Body& body = bodies[at(index)];
  const BodyPart& part = body.parts[at(number)];
  MetPart& met = met_part(index, number);
  if (met.stale) {
    const rigid::Shape shape = shape_of_part(body, part);
    met.stale = false, met.box = {}, met.shapes.clear(), met.hulls.points.clear();
    if (const auto* hulls = std::get_if<rigid::Hulls>(&shape)) {
      met.hulls = *hulls;
      for (const std::vector<Vec3>& points : hulls->points) {
        for (const Vec3& p : points) met.box.add(p);
      }
    } else {
      met.shapes = {rigid::obstacle_shape(shape)}, met.box = rigid::box_of(met.shapes.front());
    }
  }
  const rigid::PartState state = rigid.state(part.index);
  const Material &rubs = body.description->material, &own = bodies[at(soft)].description->material;
  const double skin = soft_work[at(soft)].skin, far = skin + met.hulls.margin + state.velocity.norm() * scene.dt();
  if (!is_near(met.box, state.place, far, reach)) return;
  if (met.shapes.empty()) met.shapes = rigid::obstacle_shapes(met.hulls);
  particles::Obstacle one;
  one.owner = static_cast<int>(soft_parts.size()), one.place = state.place, one.center = state.place.translation, one.margin = skin;
  one.friction = rubs.friction * own.friction, one.restitution = std::max(state.restitution, 0.0) * own.restitution;
  if (body.description->motion != rigid::Motion::Static && !body.frozen) one.velocity = state.velocity, one.spin = state.spin;
  if (body.description->motion == rigid::Motion::Dynamic && !body.frozen) {
    one.inverse_mass = 1 / part.mass, one.inverse_inertia = inverse_inertia(part, state.place.rotation);
    one.asleep = !rigid.is_awake(part.index), one.weight = part.mass * scene.dt() * scene.gravity;
    one.yields = !one.asleep && !supported[at(part.index)];
  }
  for (size_t s = 0; s < met.shapes.size(); ++s) {
    one.kept = &met.shapes[s];
    soft_parts.push_back(one), meetings.push_back({index, number, static_cast<int>(s)});
  }
}

void World::Simulation::meet(int soft) {
  soft_parts.clear(), meetings.clear();
  const Bounds reach = reach_of(*bodies[at(soft)].clusters, scene.dt());
  for (size_t b = 0; b < bodies.size(); ++b) {
    const int index = static_cast<int>(b);
    if (bodies[b].clusters || !bodies[b].is_present() || !collide(index, soft)) continue;
    for (size_t p = 0; p < bodies[b].parts.size(); ++p) meet_part(index, static_cast<int>(p), reach, soft);
  }
}

/// Whoever sleeps and is not woken gets nothing. Who is awake may fall asleep while a soft body touches it, but not while one bears it: that might
/// give way without its noticing.
void World::Simulation::push_part(const Meeting& meeting, const particles::Obstacle& met, const particles::Push& push) {
  if (push.contacts == 0 || met.inverse_mass == 0 || (met.asleep && !push.woken)) return;
  BodyPart& part = bodies[at(meeting.body)].parts[at(meeting.part)];
  rigid::PartState state = rigid.state(part.index);
  state.place.translation += push.shift;
  state.velocity += met.inverse_mass * push.impulse, state.spin += met.inverse_inertia * push.twist;
  rigid.set_state(part.index, state);
  const double weight = met.weight.norm();
  const bool is_borne = weight > 0 ? -push.impulse.dot(met.weight) > kBorne * weight * weight : met.inverse_mass * push.impulse.norm() > kPushed;
  if (push.woken || is_borne) rigid.wake(part.index);
  part.last_good = rigid.state(part.index);
}

/// What layers of the part that is hit are told: one contact for each of its hulls.
void World::Simulation::note_contact(int soft, const Meeting& meeting, const particles::Push& push) {
  const Body& body = bodies[at(meeting.body)];
  const double impulse = push.normal.norm();
  if (!(impulse > 0) || (body.layers.empty() && !body.pieces)) return;
  const BodyPart& part = body.parts[at(meeting.part)];
  rigid::Contact contact;
  contact.part_a = part.index, contact.part_b = -1 - soft;
  contact.hull_a = meeting.shape, contact.hull_b = -1;
  contact.local_a = part.last_good.place.inverse() * push.at, contact.local_b = push.at;
  contact.normal = push.normal / impulse, contact.impulse = impulse, contact.friction = push.impulse - push.normal;
  contact.distance = 0;
  soft_contacts.push_back(contact);
}

void World::Simulation::push_parts(int soft, std::span<const particles::Push> pushes) {
  for (size_t begin = 0, end; begin < meetings.size(); begin = end) {
    particles::Push sum;
    for (end = begin; end < meetings.size() && soft_parts[end].owner == soft_parts[begin].owner; ++end) {
      const particles::Push& push = pushes[end];
      sum.impulse += push.impulse, sum.twist += push.twist, sum.shift += push.shift, sum.contacts += push.contacts;
      sum.woken = sum.woken || push.woken;
    }
    push_part(meetings[begin], soft_parts[begin], sum);
    for (size_t k = begin; k < end; ++k) note_contact(soft, meetings[k], pushes[k]);
  }
}

/// A soft body whose numbers are not finite any more, or that flies off for no reason, goes back to where it was and stays there.
void World::Simulation::check_soft(int index) {
  ClusterLayer& layer = *bodies[at(index)].clusters;
  const SoftWork& backup = soft_work[at(index)];
  const std::string trouble = trouble_of(layer);
  if (trouble.empty()) return;
  clusters::State& state = layer.state;
  for (size_t i = 0; i < state.positions.size(); ++i) {
    // Those that have just split off are where they come from.
    const size_t from = i < backup.positions.size() ? i : at(state.original[i]);
    state.positions[i] = backup.positions[from], state.velocities[i].setZero();
    state.held[i] = 0, state.positions[i][3] = 0;  // what is held stops others and stays
  }
  for (size_t c = 0; c < state.plastic.size(); ++c) {
    const bool is_old = c < backup.plastic.size();
    state.plastic[c] = is_old ? backup.plastic[c] : clusters::Mat3f::Identity(), state.strain[c] = is_old ? backup.strain[c] : 0;
    state.rotation[c].setIdentity(), state.center[c] = state.positions[at(state.slot_particle[at(state.slot_begin[c])])].head<3>();
  }
  (void)clusters::restored(layer.model, state);  // who belongs to whom has not changed
  freeze(index, trouble);
}

void World::Simulation::step_cluster_body(int index) {
  Body& body = bodies[at(index)];
  ClusterLayer& layer = *body.clusters;
  SoftWork& backup = soft_work[at(index)];
  if (backup.skin < 0) backup.skin = skin_of(body);
  meet(index);
  if (body.frozen) {
    push_parts(index, particles::collide_obstacles(clusters::particles(layer.model, layer.state), soft_parts, scene.dt()));
    return;
  }
  backup.positions = layer.state.positions, backup.plastic = layer.state.plastic, backup.strain = layer.state.strain;
  layer.state.time = static_cast<double>(steps) * scene.dt();
  clusters::Context now;
  now.dt = scene.dt(), now.gravity = scene.gravity;
  now.boundary = &layer.boundary, now.obstacles = soft_parts, now.times = &layer.times;
  clusters::step(layer.model, layer.state, now);
  push_parts(index, now.pushes);
  check_soft(index);
}

void World::Simulation::step_clusters() {
  soft_contacts.clear();
  const auto is_soft = [](const Body& body) { return body.clusters && body.is_present(); };
  if (std::none_of(bodies.begin(), bodies.end(), is_soft)) return;
  note_supports();
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (is_soft(bodies[i])) step_cluster_body(static_cast<int>(i));
  }
  const auto is_free = [&](size_t i) { return is_soft(bodies[i]) && !bodies[i].frozen; };
  for (size_t a = 0; a < bodies.size(); ++a) {
    for (size_t b = a + 1; is_free(a) && b < bodies.size(); ++b) {
      if (!is_free(b) || !collide(static_cast<int>(a), static_cast<int>(b))) continue;
      ClusterLayer &one = *bodies[a].clusters, &other = *bodies[b].clusters;
      const double friction = bodies[a].description->material.friction * bodies[b].description->material.friction;
      clusters::collide_bodies(one.model, one.state, other.model, other.state, friction);
    }
  }
}

}  // namespace crumple
