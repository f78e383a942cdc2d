#include "crumple/world/world.h"

#include <cmath>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "crumple/io/files.h"
#include "crumple/scene/animation.h"
#include "crumple/world/arrays.h"
#include "crumple/world/compose.h"
#include "crumple/world/contacts.h"
#include "crumple/world/controls.h"
#include "crumple/world/engine.h"
#include "crumple/world/events.h"
#include "crumple/world/faults.h"
#include "crumple/world/forces.h"
#include "crumple/world/ledger.h"
#include "crumple/world/links.h"
#include "crumple/world/matter.h"
#include "crumple/world/second_phase.h"
#include "crumple/world/state.h"

namespace crumple {
namespace {

constexpr int kMaxGroups = 30;

long steps_at_frame(const Scene& scene, int number) {
  if (!scene.step) return static_cast<long>(number) * scene.substeps;
  return static_cast<long>(std::ceil(number / scene.fps / *scene.step - 1e-9));  // the first step at or after the frame's time
}

Result<void> assign_groups(WorldState& w) {
  std::map<std::string, unsigned> bits = {{"", 1u}};
  const auto bit = [&](const std::string& name) {
    return bits.emplace(name, 1u << bits.size()).first->second;
  };
  for (const BodyDescription& body : w.scene.bodies) {
    w.groups.push_back(bit(body.group));
    unsigned mask = ~0u;
    for (const std::string& ignored : body.ignores) mask &= ~bit(ignored);
    w.masks.push_back(mask);
    if (bits.size() > kMaxGroups) return input_error(fmt::format("{}: /bodies: more than {} collision groups", w.scene.file.string(), kMaxGroups - 1));
  }
  return {};
}

/// Initial positions and velocities of its parts.
void set_start(const WorldState& w, Body& body) {
  const BodyDescription& d = *body.description;
  const Transform rest = wanted_place(w, body, 0);
  Vec3 center = Vec3::Zero();
  for (const Part& part : body.parts) center += body.mass > 0 ? Vec3(part.mass / body.mass * (rest * part.center)) : Vec3::Zero();
  for (Part& part : body.parts) {
    rigid::PartState& state = part.state;
    state.place = rest * part.rest_in_part().inverse();
    state.velocity = d.velocity, state.spin = d.spin;
    if (body.is_broken()) state.velocity += d.spin.cross(state.place.translation - center);  // all turn about the centre of the whole
    state.restitution = d.material.restitution;
    if (d.asleep) state.activation = 2;
    part.last_good = state;
  }
}

}  // namespace

Result<World> World::build(const Scene& scene, std::shared_ptr<AssetLibrary> assets) {
  if (Result<void> checked = check_scene(scene); !checked) return checked.error();
  auto state = std::make_unique<WorldState>(scene, std::move(assets));
  WorldState& w = *state;
  for (BodyDescription& body : w.scene.bodies) {
    if (body.plane) body.motion = rigid::Motion::Static;  // as files have it
  }
  if (Result<void> grouped = assign_groups(w); !grouped) return grouped.error();
  if (const auto camera = read_camera(w.scene); !camera) return camera.error();
  for (const BodyDescription& description : w.scene.bodies) {
    Result<Body> body = build_body(w.scene, description, w.assets, Detail::Simulation);
    if (!body) return body.error();
    w.number_of_body.emplace(description.name, static_cast<int>(w.bodies.size()));
    w.bodies.push_back(std::move(*body));
  }
  w.work.resize(w.bodies.size()), w.saved_overlaps.resize(w.bodies.size()), w.obstacle_parts.resize(w.bodies.size()), w.matter_reach.resize(w.bodies.size());
  number_events(w);
  for (Body& body : w.bodies) set_start(w, body);
  hold_bodies(w);
  prepare_forces(w);
  build_joints(w);
  control(w);
  w.scene_hash = io::hash_bytes(write_json(scene_json(w.scene), 0, JsonNumbers::Shortest), w.assets.content_hash());
  w.report.damage_work.assign(w.bodies.size(), 0.0);
  note_energy(w, rigid_energy(w));
  w.report.energy.start = w.report.energy.highest = rigid_energy(w).sum();
  w.report.energy.lowest_potential = w.report.energy.potential;
  w.fingerprint = w.scene_hash;
  update_fingerprint(w);
  return World(std::move(state));
}

void World::step() {
  WorldState& w = *state_;
  {
    const CpuTimer timer(w.timings.rigid);
    push_rigid_bodies(w);
    w.rigid.step(w.dt(), w.loads);  // plastic joints are solved inside
  }
  const CpuTimer timer(w.timings.deform);
  put_back_runaways(w);
  step_matter(w);
  add_blast_contacts(w);
  route_contacts(w);
  step_rigid_bodies(w);
  solve_again(w);
  book_step(w);
  read_joints(w);
  RigidEnergy energy = rigid_energy(w);
  energy = book(w, &EnergyLedger::shape, energy, [&] { return apply_effects(w); });
  ++w.steps;
  note_events(w);
  ++w.timings.steps;
  for (const int body : w.busy) w.timings.hits += static_cast<long>(w.work[static_cast<size_t>(body)].hits.size());
  energy = book(w, &EnergyLedger::scripted, energy, [&] { return control(w); });  // for the new time, so that a frame shows the bodies present at its own time
  note_energy(w, energy);
}

bool World::step_frame(const StopFlag* stop) {
  WorldState& w = *state_;
  const long until = steps_at_frame(w.scene, w.frame + 1);
  while (w.steps < until) {
    if (stop && stop->requested()) return false;
    step();
  }
  if (stop && stop->requested()) return false;
  ++w.frame;
  update_fingerprint(w);
  if (is_checkpoint(w.frame)) rebuild(w);
  return true;
}

World::World(std::unique_ptr<WorldState> state) : state_(std::move(state)) {}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

double World::time() const { return state_->time(); }
int World::frame_number() const { return state_->frame; }
const Scene& World::scene() const { return state_->scene; }
const std::vector<Body>& World::bodies() const { return state_->bodies; }
const StepReport& World::report() const { return state_->report; }
const StepTimings& World::timings() const { return state_->timings; }
int World::awake_count() const { return state_->rigid.awake_count(); }
const rigid::Loads& World::loads() const { return state_->loads; }
const SceneAssets& World::assets() const { return state_->assets; }
uint64_t World::fingerprint() const { return state_->fingerprint; }
uint64_t World::scene_hash() const { return state_->scene_hash; }
bool World::is_checkpoint(int frame) const { return frame > 0 && frame % state_->scene.checkpoint == 0; }
Transform World::place(int body, int piece) const { return place_of_piece(*state_, state_->body(body), piece); }
std::vector<JointReport> World::joint_reports() const { return crumple::joint_reports(*state_); }
rigid::World::StructureHealth World::structure_health() const { return health_of(*state_); }
long World::skipped_pairs() const { return state_->earlier_skipped_pairs + state_->rigid.skipped_pairs(); }
ArrayList World::frame_arrays() { return crumple::frame_arrays(*state_); }
ArrayList World::checkpoint_arrays() { return crumple::checkpoint_arrays(*state_); }

rigid::PartState World::part_state(int body, int part) const {
  const Part& of = state_->body(body).parts[static_cast<size_t>(part)];
  return of.index >= 0 ? state_->rigid.state(of.index) : of.state;
}

namespace {

/// Advice is given by methods that have it.
template <class Matter>
std::string advice_on(const Matter& matter, const Scene& scene) {
  if constexpr (requires { advice(matter.model, 0.0, 1, Vec3()); }) return advice(matter.model, scene.dt(), scene.substeps, scene.gravity);
  return {};
}

}  // namespace

std::vector<std::string> World::advice() const {
  std::vector<std::string> all;
  for (const Body& body : state_->bodies) {
    const std::string said = body.matter ? std::visit([&](const auto& matter) { return advice_on(matter, scene()); }, *body.matter) : std::string();
    if (!said.empty()) all.push_back(fmt::format("{}: /bodies/{}: {}", place_in_file(scene(), body.description->line), body.description->name, said));
  }
  return all;
}

double World::matter_seconds() const {
  double sum = 0;
  for (const Body& body : state_->bodies) {
    if (body.matter) sum += std::visit([](const auto& matter) { return cpu_seconds(matter.state); }, *body.matter);
  }
  return sum;
}

namespace {

template <class AtWork>
double energy_of(const AtWork& matter) {
  return kinetic_energy(matter.model, matter.state);
}

}  // namespace

double World::kinetic_energy() const {
  double energy = 0;
  for (const Body& body : state_->bodies) {
    if (!body.is_present() || body.frozen || body.description->motion != rigid::Motion::Dynamic) continue;
    if (body.matter) {
      energy += std::visit([](const auto& matter) { return energy_of(matter); }, *body.matter);
      continue;
    }
    energy += rigid_energy(*state_, body).kinetic;
  }
  return energy;
}

Frame World::frame(const View& view) const {
  Frame frame;
  ViewCache cache;
  frame.number = state_->frame;
  frame.time = time(), frame.flat = state_->scene.flat;
  for (size_t i = 0; i < state_->bodies.size(); ++i) {
    const Body& body = state_->bodies[i];
    if (!body.is_present() || !body.look.visible) continue;
    for (FrameItem& item : draw_body(body, static_cast<int>(i), places_of_pieces(*state_, body), body.is_broken(), view, cache)) frame.items.push_back(std::move(item));
  }
  return frame;
}

Snapshot World::snapshot() {
  Snapshot snapshot{state_->frame, state_->fingerprint, state_->report, {}};
  for (const io::ArrayView& view : checkpoint_arrays().views) {
    snapshot.arrays[view.name] = {view.row_bytes, std::vector<std::byte>(view.data.begin(), view.data.end())};
  }
  return snapshot;
}

Result<void> World::restore(const Snapshot& snapshot) {
  WorldState& w = *state_;
  if (Result<void> restored = restore_arrays(w, snapshot.arrays); !restored) return restored.error();
  w.frame = snapshot.frame;
  w.steps = steps_at_frame(w.scene, snapshot.frame);
  hold_bodies(w);
  if (!w.scene.gravity_keys.keys.empty()) w.scene.gravity = w.scene.gravity_keys.at(w.time() - w.dt());
  // The rigid world itself is built from the parts' states, exactly as at the barrier of the run that wrote the checkpoint.
  build_rigid_world(w);
  w.fingerprint = snapshot.fingerprint, w.report = snapshot.report;
  w.report.damage_work.resize(w.bodies.size(), 0.0);
  return {};
}

}  // namespace crumple
