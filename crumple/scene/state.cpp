#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "crumple/io/files.h"
#include "crumple/scene/simulation.h"

namespace crumple {
namespace {

/// Copies numbers into or out of a record, in one order for both ways.
template <class Record, class Visit>
void visit_part(Record& record, rigid::PartState& state, Body& body, Visit&& visit) {
  size_t next = 0;
  const auto numbers = [&](double* values, size_t count) {
    for (size_t i = 0; i < count; ++i) visit(record[next++], values[i]);
  };
  double activation = state.activation, frozen = body.frozen ? 1 : 0;
  numbers(state.place.rotation.data(), 9);
  numbers(state.place.translation.data(), 3);
  numbers(state.velocity.data(), 3);
  numbers(state.spin.data(), 3);
  numbers(&state.restitution, 1);
  numbers(&state.idle_time, 1);
  numbers(&activation, 1);
  numbers(body.axes.data(), 9);
  numbers(body.center.data(), 3);
  numbers(body.inertia.data(), 3);
  numbers(&frozen, 1);
  state.activation = static_cast<int>(activation);
  body.frozen = frozen != 0;
}

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

Error misfit(const std::string& name, std::string_view what) {
  return input_error(fmt::format("the recording does not fit its scene: \"{}\" {}", name, what));
}

/// Twice a rotation and a translation, as in JointFrames.
constexpr size_t kJointNumbers = 24;
static_assert(sizeof(rigid::JointFrames) == kJointNumbers * sizeof(double));

io::ArrayView view_of(const std::string& name, const auto& record) {
  return {name, sizeof(record), std::as_bytes(std::span(&record, 1))};
}

}  // namespace

Transform World::Simulation::place(const Body& body) const {
  const size_t index = static_cast<size_t>(&body - bodies.data());
  const Transform part = body.part >= 0 ? rigid.state(body.part).place : states[index].place;
  return part * body.rest_in_part();
}

void World::Simulation::write_places() {
  place_records.resize(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Transform at = place(bodies[i]);
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) place_records[i][static_cast<size_t>(row * 3 + column)] = at.rotation(row, column);
      place_records[i][static_cast<size_t>(9 + row)] = at.translation[row];
    }
    place_records[i][12] = bodies[i].part >= 0 ? 1 : 0;
  }
}

void World::Simulation::write_parts() {
  part_records.resize(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    rigid::PartState state = bodies[i].part >= 0 ? rigid.state(bodies[i].part) : states[i];
    part_records[i].fill(0);
    visit_part(part_records[i], state, bodies[i], [](double& stored, double& value) { stored = value; });
    part_records[i][38] = bodies[i].part >= 0 ? 1 : 0;
  }
}

void World::Simulation::read_part(Body& body, const PartRecord& record) {
  const size_t index = static_cast<size_t>(&body - bodies.data());
  PartRecord copy = record;
  // Reading overwrites every number before the two flags are used.
  rigid::PartState state;
  state.activation = static_cast<int>(copy[20]);
  body.frozen = copy[36] != 0;
  visit_part(copy, state, body, [](double& stored, double& value) { value = stored; });
  states[index] = state, last_good[index] = state;
  body.part = copy[38] != 0 ? 0 : -1;  // rebuild() gives it its index
}

void World::Simulation::update_fingerprint() {
  write_parts();
  uint64_t hash = io::hash_bytes(std::as_bytes(std::span(part_records)), fingerprint);
  for (Body& body : bodies) {
    for (const io::ArrayView& array : layer_arrays(body, Need::Everything)) hash = io::hash_bytes(array.data, hash);
  }
  fingerprint = hash;
}

std::vector<io::ArrayView> World::frame_arrays() {
  simulation_->write_places();
  std::vector<io::ArrayView> views;
  for (size_t i = 0; i < simulation_->bodies.size(); ++i) {
    Body& body = simulation_->bodies[i];
    views.push_back(view_of(body.description->name + "/place", simulation_->place_records[i]));
    for (io::ArrayView& view : layer_arrays(body, Need::Drawing)) views.push_back(std::move(view));
  }
  return views;
}

std::vector<io::ArrayView> World::checkpoint_arrays() {
  simulation_->write_parts();
  std::vector<io::ArrayView> views;
  for (size_t i = 0; i < simulation_->bodies.size(); ++i) {
    Body& body = simulation_->bodies[i];
    views.push_back(view_of(body.description->name + "/part", simulation_->part_records[i]));
    for (io::ArrayView& view : layer_arrays(body, Need::Everything)) views.push_back(std::move(view));
  }
  for (size_t j = 0; j < simulation_->joints.size(); ++j) {
    if (simulation_->joints[j].frames) views.push_back(view_of(fmt::format("joints/{}", j), *simulation_->joints[j].frames));
  }
  return views;
}

Result<void> World::restore(int frame, const io::ArrayStore& store) {
  Simulation& s = *simulation_;
  for (Body& body : s.bodies) {
    const std::string name = body.description->name + "/part";
    const auto found = store.find(name);
    Simulation::PartRecord record;
    if (found == store.end() || found->second.data.size() != sizeof record) {
      return misfit(name, "is missing or of another size");
    }
    std::memcpy(record.data(), found->second.data.data(), sizeof record);
    if (!all_finite(record)) return misfit(name, "is not finite");
    s.read_part(body, record);
    if (Result<void> layers = restore_layers(body, store, Need::Everything); !layers) return layers.error();
  }
  for (size_t j = 0; j < s.joints.size(); ++j) {
    s.joints[j].index = -1, s.joints[j].frames.reset();
    const std::string name = fmt::format("joints/{}", j);
    const auto found = store.find(name);
    if (found == store.end()) continue;  // not made yet: one of its bodies comes later
    std::array<double, kJointNumbers> numbers;
    if (found->second.data.size() != sizeof numbers) return misfit(name, "is of another size");
    std::memcpy(numbers.data(), found->second.data.data(), sizeof numbers);
    if (!all_finite(numbers)) return misfit(name, "is not finite");
    std::memcpy(static_cast<void*>(&s.joints[j].frames.emplace()), numbers.data(), sizeof numbers);
  }
  // The rigid world itself is built from `states`, exactly as at the barrier of the run that wrote the checkpoint.
  s.rigid = rigid::World({s.scene.gravity, s.scene.iterations, s.scene.sleeping});
  s.body_of_part.clear();
  for (size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies[i].part >= 0) s.add_part(static_cast<int>(i));
  }
  s.add_joints();
  s.frame = frame;
  s.steps = s.steps_at_frame(frame);
  s.report = {};
  return {};
}

}  // namespace crumple
