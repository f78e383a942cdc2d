#include "crumple/world/world.h"

#include <cassert>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "crumple/io/files.h"
#include "crumple/world/simulation.h"

namespace crumple {
namespace {

constexpr int kMostGroups = 30;

/// Direction of a plastic joint's section height.
Vec3 height_of(const JointDescription& joint) {
  if (joint.up) return *joint.up;
  return std::abs(joint.axis.normalized().y()) > 0.999 ? Vec3::UnitX() : Vec3::UnitY();
}

}  // namespace

long World::Simulation::steps_at_frame(int number) const {
  if (!scene.step) return static_cast<long>(number) * scene.substeps;
  return static_cast<long>(std::ceil(number / scene.fps / *scene.step - 1e-9));  // the first step at or after the frame's time
}

Result<void> World::Simulation::assign_groups() {
  std::map<std::string, unsigned> bits = {{"", 1u}};
  const auto bit = [&](const std::string& name) {
    return bits.emplace(name, 1u << bits.size()).first->second;
  };
  for (const BodyDescription& body : scene.bodies) {
    groups.push_back(bit(body.group));
    unsigned mask = ~0u;
    for (const std::string& ignored : body.ignores) mask &= ~bit(ignored);
    masks.push_back(mask);
    if (bits.size() > kMostGroups) return input_error(fmt::format("{}: /bodies: more than {} collision groups", scene.file.string(), kMostGroups - 1));
  }
  return {};
}

int World::Simulation::find_body(const std::string& name) const {
  const auto found = number_of_body.find(name);
  return found == number_of_body.end() ? -1 : found->second;
}

/// The piece of a body at its start that a joint at this place of the world holds on to.
int World::Simulation::nearest_piece(int index, const Vec3& at) const {
  const Body& body = bodies[static_cast<size_t>(index)];
  if (body.piece_count() == 1) return 0;
  const BodyDescription& d = *body.description;
  const Vec3 here = Transform{rotation_of(d), d.at}.inverse() * at;
  if (body.structure) return nearest_structure_piece(body.structure->model, here);
  const RiggedBody& rig = *body.loaded->rig;
  int nearest = 0;
  double least = 1e300;
  for (int piece = 0; piece < body.piece_count(); ++piece) {
    for (int v = rig.first_vertex[static_cast<size_t>(piece)]; v < rig.first_vertex[static_cast<size_t>(piece) + 1]; ++v) {
      const double squared = (rig.asset.tets.positions[static_cast<size_t>(v)] - here).squaredNorm();
      if (squared < least) least = squared, nearest = piece;
    }
  }
  return nearest;
}

void World::Simulation::build_joint(const JointDescription& d) {
  JointSlot slot;
  slot.body_a = find_body(d.body), slot.body_b = find_body(d.to);
  const double unit = d.kind == rigid::JointKind::Hinge ? std::numbers::pi / 180 : 1.0;
  slot.settings.kind = d.kind;
  slot.settings.at = d.at, slot.settings.axis = d.axis.normalized();
  if (d.low) slot.settings.low = *d.low * unit, slot.settings.high = *d.high * unit;
  slot.settings.motor_speed = d.motor;
  slot.settings.motor_strength = d.strength;
  slot.settings.collide = d.collide;
  slot.piece_a = nearest_piece(slot.body_a, d.at);
  if (slot.body_b >= 0) slot.piece_b = nearest_piece(slot.body_b, d.at);
  if (d.kind == rigid::JointKind::Plastic) {
    const Result<rigid::PlasticLaw> law = law_of(d);
    assert(law);  // the scene was checked
    slot.settings.plastic = *law;
    slot.settings.width = height_of(d).cross(slot.settings.axis);
    slot.name = d.name.empty() ? fmt::format("joint {}", joints.size() + 1) : d.name;
    slot.book = static_cast<int>(scene_books.books.size());
    scene_books.books.emplace_back();
  }
  joints.push_back(std::move(slot));
}

void World::Simulation::build_joints() {
  for (const JointDescription& description : scene.joints) build_joint(description);
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].structure) build_structure_joints(static_cast<int>(i));
  }
}

void World::Simulation::set_start(size_t index) {
  Body& body = bodies[index];
  const BodyDescription& d = *body.description;
  const Transform rest = {rotation_of(d), d.at};
  Vec3 center = Vec3::Zero();
  for (const BodyPart& part : body.parts) center += body.mass > 0 ? Vec3(part.mass / body.mass * (rest * part.center)) : Vec3::Zero();
  for (BodyPart& part : body.parts) {
    rigid::PartState& state = part.state;
    state.place = rest * part.rest_in_part().inverse();
    state.velocity = d.velocity, state.spin = d.spin;
    if (body.is_broken()) state.velocity += d.spin.cross(state.place.translation - center);  // all turn about the centre of the whole
    state.restitution = d.material.restitution;
    if (d.asleep) state.activation = 2;
    part.last_good = state;
  }
}

Result<World> World::build(const Scene& scene) {
  auto simulation = std::make_unique<Simulation>(scene);
  Simulation& s = *simulation;
  if (Result<void> grouped = s.assign_groups(); !grouped) return grouped.error();
  for (const BodyDescription& description : s.scene.bodies) {
    Result<Body> body = build_body(s.scene, description, s.library);
    if (!body) return body.error();
    s.number_of_body.emplace(description.name, static_cast<int>(s.bodies.size()));
    s.bodies.push_back(std::move(*body));
  }
  s.work.resize(s.bodies.size()), s.waiting_overlaps.resize(s.bodies.size()), s.overlap_records.resize(s.bodies.size());
  s.met_parts.resize(s.bodies.size()), s.soft_work.resize(s.bodies.size());
  for (size_t i = 0; i < s.bodies.size(); ++i) s.set_start(i);
  s.build_joints();
  s.control();
  s.scene_hash = io::hash_bytes(write_json(scene_json(s.scene), 0, JsonNumbers::Shortest), s.library.content_hash());
  s.fingerprint = s.scene_hash;
  s.update_fingerprint();
  return World(std::move(simulation));
}

void World::step() {
  Simulation& s = *simulation_;
  {
    const CpuTimer timer(s.timings.rigid);
    s.rigid.step(s.scene.dt(), s.loads);
  }
  const CpuTimer timer(s.timings.deform);
  s.check();
  s.read_plastic_joints();
  s.break_joints();
  s.step_clusters();
  s.step_layers();
  s.apply_effects();
  ++s.steps;
  ++s.timings.steps;
  for (const int body : s.busy) s.timings.hits += static_cast<long>(s.work[static_cast<size_t>(body)].hits.size());
  s.control();  // for the time now reached, so that a frame shows who is there at its own time
}

bool World::step_frame(const StopFlag* stop) {
  Simulation& s = *simulation_;
  const long until = s.steps_at_frame(s.frame + 1);
  while (s.steps < until) {
    if (stop && stop->requested()) return false;
    step();
  }
  if (stop && stop->requested()) return false;
  ++s.frame;
  s.update_fingerprint();
  if (is_checkpoint(s.frame)) s.rebuild();
  return true;
}

World::World(std::unique_ptr<Simulation> simulation) : simulation_(std::move(simulation)) {}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

double World::time() const { return static_cast<double>(simulation_->steps) * simulation_->scene.dt(); }
int World::frame() const { return simulation_->frame; }
const Scene& World::scene() const { return simulation_->scene; }
const std::vector<Body>& World::bodies() const { return simulation_->bodies; }
const StepReport& World::report() const { return simulation_->report; }
const StepTimings& World::timings() const { return simulation_->timings; }
int World::awake_count() const { return simulation_->rigid.awake_count(); }
const rigid::Loads& World::loads() const { return simulation_->loads; }
const AssetLibrary& World::library() const { return simulation_->library; }
uint64_t World::fingerprint() const { return simulation_->fingerprint; }
void World::set_history(uint64_t fingerprint, StepReport report) { simulation_->fingerprint = fingerprint, simulation_->report = std::move(report); }
uint64_t World::scene_hash() const { return simulation_->scene_hash; }
bool World::is_checkpoint(int frame) const { return frame > 0 && frame % simulation_->scene.checkpoint == 0; }
Transform World::place(int body, int piece) const { return simulation_->place(simulation_->bodies[static_cast<size_t>(body)].part_of(piece)); }

rigid::PartState World::part_state(int body, int part) const {
  const BodyPart& of = simulation_->bodies[static_cast<size_t>(body)].parts[static_cast<size_t>(part)];
  return of.index >= 0 ? simulation_->rigid.state(of.index) : of.state;
}

long World::skipped_pairs() const {
  return simulation_->earlier_skipped_pairs + simulation_->rigid.skipped_pairs();
}

double World::kinetic_energy() const {
  double energy = 0;
  for (const Body& body : simulation_->bodies) {
    if (!body.is_present() || body.frozen || body.description->motion != rigid::Motion::Dynamic) continue;
    if (body.clusters) {
      energy += clusters::kinetic_energy(body.clusters->model, body.clusters->state);
      continue;
    }
    for (const BodyPart& part : body.parts) {
      const rigid::PartState state = simulation_->rigid.state(part.index);
      const Vec3 local_spin = state.place.rotation.transpose() * state.spin;
      energy += 0.5 * part.mass * state.velocity.squaredNorm() + 0.5 * local_spin.dot(part.inertia.cwiseProduct(local_spin));
    }
  }
  return energy;
}

Frame World::look(ColorBy color) const {
  Frame frame;
  frame.number = simulation_->frame;
  frame.time = time();
  for (size_t i = 0; i < simulation_->bodies.size(); ++i) {
    const Body& body = simulation_->bodies[i];
    if (!body.is_present() || !body.look.visible) continue;
    std::vector<Transform> places;
    for (int piece = 0; piece < body.piece_count(); ++piece) places.push_back(simulation_->place(body.part_of(piece)));
    for (FrameItem& item : draw_body(body, static_cast<int>(i), places, body.is_broken(), color)) frame.items.push_back(std::move(item));
  }
  return frame;
}

}  // namespace crumple
