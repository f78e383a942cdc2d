#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "crumple/core/bytes.h"
#include "crumple/io/files.h"
#include "crumple/world/simulation.h"

namespace crumple {
namespace {

/// Copies numbers into or out of a record, in one order for both ways.
template <class Record, class Visit>
void visit_part(Record& record, rigid::PartState& state, BodyPart& part, bool& is_frozen, Visit&& visit) {
  size_t next = 0;
  const auto numbers = [&](double* values, size_t count) {
    for (size_t i = 0; i < count; ++i) visit(record[next++], values[i]);
  };
  double activation = state.activation, frozen = is_frozen ? 1 : 0;
  numbers(state.place.rotation.data(), 9);
  numbers(state.place.translation.data(), 3);
  numbers(state.velocity.data(), 3);
  numbers(state.spin.data(), 3);
  numbers(&state.restitution, 1);
  numbers(&state.idle_time, 1);
  numbers(&activation, 1);
  numbers(part.axes.data(), 9);
  numbers(part.center.data(), 3);
  numbers(part.inertia.data(), 3);
  numbers(&frozen, 1);
  state.activation = static_cast<int>(activation);
  is_frozen = frozen != 0;
}

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

Error misfit(const std::string& name, std::string_view what) {
  return input_error(fmt::format("the recording does not fit its scene: \"{}\" {}", name, what));
}

constexpr double kLastActivation = 6;  // of the engine: active, sleeping, wants to sleep, never sleeps ...

/// Twice a rotation and a translation, as in JointFrames.
constexpr size_t kJointNumbers = 24;
static_assert(sizeof(rigid::JointFrames) == kJointNumbers * sizeof(double));

constexpr const char* kPlasticStates = "joints/plastic";
std::string scene_book_name(const StateArray& array) {
  return fmt::format("joints/{}", array.name);
}

io::ArrayView view_of(const std::string& name, const auto& record) {
  return {name, sizeof(record), std::as_bytes(std::span(&record, 1))};
}

/// Rows of one kind of record, as they are in a store; nothing if their number or their numbers are wrong.
template <class Record>
Result<std::vector<Record>> read_records(const io::ArrayStore& store, const std::string& name) {
  const auto found = store.find(name);
  if (found == store.end() || found->second.data.size() % sizeof(Record) != 0) return misfit(name, "is missing or of another size");
  std::vector<Record> records(found->second.data.size() / sizeof(Record));
  copy_rows(records, found->second.data);
  for (const Record& record : records) {
    std::array<double, sizeof(Record) / sizeof(double)> numbers;
    std::memcpy(numbers.data(), &record, sizeof record);
    if (!all_finite(numbers)) return misfit(name, "is not finite");
  }
  return records;
}

}  // namespace

Transform World::Simulation::place(const BodyPart& part) const {
  return (part.index >= 0 ? rigid.state(part.index).place : part.state.place) * part.rest_in_part();
}

void World::Simulation::write_places() {
  place_records.clear();
  for (const Body& body : bodies) {
    for (int piece = 0; piece < body.piece_count(); ++piece) {
      const Transform at = place(body.part_of(piece));
      PlaceRecord& record = place_records.emplace_back();
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) record[static_cast<size_t>(row * 3 + column)] = at.rotation(row, column);
        record[static_cast<size_t>(9 + row)] = at.translation[row];
      }
      record[12] = !body.is_present() ? 0 : body.is_broken() ? 2 : 1;
    }
  }
}

void World::Simulation::write_parts() {
  part_records.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    Body& body = bodies[i];
    for (BodyPart& part : body.parts) {
      rigid::PartState state = part.index >= 0 ? rigid.state(part.index) : part.state;
      PartRecord& record = part_records.emplace_back();
      record.fill(0);
      visit_part(record, state, part, body.frozen, [](double& stored, double& value) { stored = value; });
      record[37] = part.mass;
      record[38] = body.is_present() ? 1 : 0;
    }
    overlap_records[i] = body.is_present() && !body.clusters ? overlaps_of(static_cast<int>(i)) : waiting_overlaps[i];
  }
}

/// The parts of a body whose links are known already, as they were.
Result<void> World::Simulation::read_parts(Body& body, const io::ArrayStore& store) {
  const std::string name = body.description->name + "/part";
  if (body.pieces) regroup(body);
  Result<std::vector<PartRecord>> records = read_records<PartRecord>(store, name);
  if (!records) return records.error();
  if (records->size() != body.parts.size()) return misfit(name, "has another number of parts than its broken links leave");
  for (size_t p = 0; p < body.parts.size(); ++p) {
    BodyPart& part = body.parts[p];
    PartRecord& record = (*records)[p];
    // Reading overwrites every number before the two flags are used.
    rigid::PartState state;
    if (!(record[20] >= 0 && record[20] <= kLastActivation)) return misfit(name, "is in a state of activation that does not exist");
    state.activation = static_cast<int>(record[20]);
    body.frozen = record[36] != 0;
    visit_part(record, state, part, body.frozen, [](double& stored, double& value) { value = stored; });
    part.state = part.last_good = state;
    part.mass = record[37];
    const bool present = record[38] != 0;
    if (body.clusters) {
      body.clusters->present = present;
    } else {
      part.index = present ? 0 : -1;  // build_rigid_world() gives it its index
    }
  }
  return {};
}

/// After all parts: some overlap with those of other bodies.
Result<void> World::Simulation::read_overlaps(int index, const io::ArrayStore& store) {
  const std::string name = bodies[static_cast<size_t>(index)].description->name + "/overlaps";
  waiting_overlaps[static_cast<size_t>(index)].clear();
  if (!store.contains(name)) return {};
  Result<std::vector<BodyOverlap>> overlaps = read_records<BodyOverlap>(store, name);
  if (!overlaps) return overlaps.error();
  const auto is_index = [](double number, size_t count) { return number >= 0 && number < static_cast<double>(count) && number == std::floor(number); };
  for (const BodyOverlap& overlap : *overlaps) {
    const bool is_there = is_index(overlap.part, bodies[static_cast<size_t>(index)].parts.size()) && is_index(overlap.body_b, bodies.size()) &&
                          is_index(overlap.part_b, bodies[static_cast<size_t>(overlap.body_b)].parts.size());
    if (!is_there || (overlap.body_b == index && overlap.part == overlap.part_b && overlap.depth >= 0)) return misfit(name, "names parts that are not there");
    waiting_overlaps[static_cast<size_t>(index)].push_back(overlap);
  }
  return {};
}

void World::Simulation::write_plastic_joints() {
  static_assert(sizeof(rigid::PlasticState) == sizeof(PlasticRecord));
  plastic_records.clear();
  for (const JointSlot& joint : joints) {
    if (joint.book < 0) continue;
    const rigid::PlasticState state = joint.plastic.value_or(rigid::PlasticState());
    std::memcpy(plastic_records.emplace_back().data(), &state, sizeof state);
  }
}

Result<void> World::Simulation::read_joints(const io::ArrayStore& store) {
  for (size_t j = 0; j < joints.size(); ++j) {
    joints[j].index = -1, joints[j].frames.reset(), joints[j].plastic.reset();
    const std::string name = fmt::format("joints/{}", j);
    const auto found = store.find(name);
    if (found == store.end()) continue;  // not made yet: one of its bodies comes later
    std::array<double, kJointNumbers> numbers;
    if (found->second.data.size() != sizeof numbers) return misfit(name, "is of another size");
    std::memcpy(numbers.data(), found->second.data.data(), sizeof numbers);
    if (!all_finite(numbers)) return misfit(name, "is not finite");
    std::memcpy(static_cast<void*>(&joints[j].frames.emplace()), numbers.data(), sizeof numbers);
  }
  return read_plastic_states(store);
}

Result<void> World::Simulation::read_plastic_states(const io::ArrayStore& store) {
  const auto is_plastic = [](const JointSlot& joint) { return joint.book >= 0; };
  const auto count = static_cast<size_t>(std::count_if(joints.begin(), joints.end(), is_plastic));
  if (count == 0) return {};
  Result<std::vector<PlasticRecord>> records = read_records<PlasticRecord>(store, kPlasticStates);
  if (!records) return records.error();
  if (records->size() != count) return misfit(kPlasticStates, "has another number of joints");
  auto record = records->begin();
  for (JointSlot& joint : joints) {
    if (joint.book >= 0) std::memcpy(static_cast<void*>(&joint.plastic.emplace()), (record++)->data(), sizeof(PlasticRecord));
  }
  for (const StateArray& array : structures::arrays(scene_books)) {
    if (Result<void> restored = restore_array(store, scene_book_name(array), array); !restored) return restored.error();
  }
  return {};
}

void World::Simulation::update_fingerprint() {
  write_parts();
  uint64_t hash = io::hash_bytes(std::as_bytes(std::span(part_records)), fingerprint);
  for (Body& body : bodies) {
    for (const io::ArrayView& array : layer_arrays(body, Need::Everything)) hash = io::hash_bytes(array.data, hash);
  }
  write_plastic_joints();
  if (!plastic_records.empty()) {
    hash = io::hash_bytes(std::as_bytes(std::span(plastic_records)), hash);
    for (const StateArray& array : structures::arrays(scene_books)) hash = io::hash_bytes(array.data, hash);
  }
  fingerprint = hash;
}

std::vector<io::ArrayView> World::frame_arrays() {
  simulation_->write_places();
  std::vector<io::ArrayView> views;
  size_t next = 0;
  for (Body& body : simulation_->bodies) {
    const size_t count = static_cast<size_t>(body.piece_count());
    views.push_back({body.description->name + "/place", sizeof(Simulation::PlaceRecord), std::as_bytes(std::span(simulation_->place_records).subspan(next, count))});
    next += count;
    for (io::ArrayView& view : layer_arrays(body, Need::Drawing)) views.push_back(std::move(view));
  }
  return views;
}

std::vector<io::ArrayView> World::checkpoint_arrays() {
  simulation_->write_parts();
  std::vector<io::ArrayView> views;
  size_t next = 0;
  for (size_t i = 0; i < simulation_->bodies.size(); ++i) {
    Body& body = simulation_->bodies[i];
    views.push_back({body.description->name + "/part", sizeof(Simulation::PartRecord), std::as_bytes(std::span(simulation_->part_records).subspan(next, body.parts.size()))});
    next += body.parts.size();
    const std::vector<Simulation::BodyOverlap>& overlaps = simulation_->overlap_records[i];
    if (!overlaps.empty()) views.push_back({body.description->name + "/overlaps", sizeof(Simulation::BodyOverlap), std::as_bytes(std::span(overlaps))});
    for (io::ArrayView& view : layer_arrays(body, Need::Everything)) views.push_back(std::move(view));
  }
  for (size_t j = 0; j < simulation_->joints.size(); ++j) {
    if (simulation_->joints[j].frames) views.push_back(view_of(fmt::format("joints/{}", j), *simulation_->joints[j].frames));
  }
  simulation_->write_plastic_joints();
  if (!simulation_->plastic_records.empty()) {
    views.push_back({kPlasticStates, sizeof(Simulation::PlasticRecord), std::as_bytes(std::span(simulation_->plastic_records))});
    for (const StateArray& array : structures::arrays(simulation_->scene_books)) views.push_back({scene_book_name(array), array.row_bytes, array.data});
  }
  return views;
}

Result<void> World::restore(int frame, const io::ArrayStore& store) {
  Simulation& s = *simulation_;
  for (Body& body : s.bodies) {
    if (Result<void> layers = restore_layers(body, store, Need::Everything); !layers) return layers.error();
    if (Result<void> parts = s.read_parts(body, store); !parts) return parts.error();
  }
  for (size_t i = 0; i < s.bodies.size(); ++i) {
    if (Result<void> overlaps = s.read_overlaps(static_cast<int>(i), store); !overlaps) return overlaps.error();
  }
  if (Result<void> joints = s.read_joints(store); !joints) return joints.error();
  // The rigid world itself is built from `states`, exactly as at the barrier of the run that wrote the checkpoint.
  s.build_rigid_world();
  s.frame = frame;
  s.steps = s.steps_at_frame(frame);
  s.report = {};
  return {};
}

}  // namespace crumple
