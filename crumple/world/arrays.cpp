#include "crumple/world/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "crumple/core/bytes.h"
#include "crumple/io/files.h"
#include "crumple/world/engine.h"
#include "crumple/world/place_record.h"

namespace crumple {
namespace {

/// The numbers of a part in a checkpoint, and of a plastic joint.
using PartRecord = std::array<double, 39>;
using PlasticRecord = std::array<double, 22>;
using LagRecord = std::array<double, 6>;
/// Rotation and translation of a piece in its part.
using PoseRecord = std::array<double, 12>;

/// Copies numbers into or out of a record, in one order for both ways.
template <class Record, class Visit>
void visit_part(Record& record, rigid::PartState& state, Part& part, bool& is_frozen, Visit&& visit) {
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
constexpr const char* kLags = "joints/lags";
constexpr const char* kSceneJoints = "joints/books";
constexpr const char* kEvents = "events/times";

/// Rows of one kind of record in a store; nothing if their count or values are invalid.
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

/// The whole state, or the arrays needed to draw.
enum class Need { Everything, Drawing };

std::string_view array_folder(const MethodInfo& method) {
  return method.arrays.empty() ? method.name : method.arrays;
}

std::vector<io::ArrayView> method_arrays(Body& body, Need need) {
  std::vector<io::ArrayView> views;
  each_method(body, [&](auto& at_work) {
    if (need == Need::Drawing) record(at_work.model, at_work.state);
    for (const StateArray& array : need == Need::Everything ? arrays(at_work.state) : recorded(at_work.state)) {
      views.push_back({fmt::format("{}/{}/{}", body.description->name, array_folder(info_of(at_work)), array.name), array.row_bytes, array.data});
    }
  });
  return views;
}

/// Overwrites an array from a store; fails if it is missing, of another size or non-finite.
Result<void> restore_array(const io::ArrayStore& store, const std::string& name, const StateArray& array) {
  const auto found = store.find(name);
  if (found == store.end() || found->second.data.size() != array.data.size()) {
    return input_error(fmt::format("the recording does not fit its scene: \"{}\" is missing or of another size", name));
  }
  if (!array.all_finite(found->second.data)) return input_error(fmt::format("the recording is damaged: \"{}\" is not finite", name));
  copy_bytes(array.data, found->second.data);
  return {};
}

/// Overwrites the state of a body's methods from a store; fails if an array is missing or has another size.
Result<void> restore_methods(Body& body, const io::ArrayStore& store, Need need) {
  Result<void> done;
  each_method(body, [&](auto& at_work) {
    if (!done) return;
    const std::string folder = fmt::format("{}/{}/", body.description->name, array_folder(info_of(at_work)));
    SavedArrays saved;
    saved.rows = [&](std::string_view name, size_t row_bytes) { return io::row_count(store, folder + std::string(name), row_bytes); };
    saved.read = [&](const StateArray& array) { return static_cast<bool>(restore_array(store, folder + std::string(array.name), array)); };
    need == Need::Everything ? fit(at_work.model, at_work.state, saved) : fit_recorded(at_work.model, at_work.state, saved);
    for (const StateArray& array : need == Need::Everything ? arrays(at_work.state) : recorded(at_work.state)) {
      done = restore_array(store, folder + std::string(array.name), array);
      if (!done) return;
    }
    const Result<void> made = need == Need::Everything ? rebuilt(at_work.model, at_work.state) : replayed(at_work.model, at_work.state);
    if (!made) done = input_error(fmt::format("\"{}\": {}", body.description->name, made.error().text));
  });
  if (done && !body.layers.empty()) put_together(body);
  return done;
}

std::vector<PartRecord> part_records(const WorldState& w, Body& body) {
  std::vector<PartRecord> records;
  for (Part& part : body.parts) {
    rigid::PartState state = part.index >= 0 ? w.rigid.state(part.index) : part.state;
    PartRecord& record = records.emplace_back();
    record.fill(0);
    visit_part(record, state, part, body.frozen, [](double& stored, double& value) { stored = value; });
    record[37] = part.mass;
    record[38] = body.is_present() ? 1 : 0;
  }
  return records;
}

std::vector<PoseRecord> pose_records(const Body& body) {
  std::vector<PoseRecord> records;
  for (const Transform& pose : body.poses) {
    PoseRecord& record = records.emplace_back();
    std::memcpy(record.data(), pose.rotation.data(), 9 * sizeof(double)), std::memcpy(record.data() + 9, pose.translation.data(), 3 * sizeof(double));
  }
  return records;
}

std::vector<PlasticRecord> plastic_records(const WorldState& w) {
  static_assert(offsetof(rigid::PlasticState, lag) == sizeof(PlasticRecord));  // few joints have a lag: see lag_records
  std::vector<PlasticRecord> records;
  for (const JointSlot& joint : w.joints) {
    if (joint.history < 0) continue;
    const rigid::PlasticState state = joint.plastic.value_or(rigid::PlasticState());
    std::memcpy(records.emplace_back().data(), &state, sizeof(PlasticRecord));
  }
  return records;
}

/// Lags of all plastic joints; nothing if none has any.
std::vector<LagRecord> lag_records(const WorldState& w) {
  std::vector<LagRecord> records;
  bool any = false;
  for (const JointSlot& joint : w.joints) {
    if (joint.history < 0) continue;
    const Vec6 lag = joint.plastic ? joint.plastic->lag : Vec6(Vec6::Zero());
    any = any || !lag.isZero(0);
    std::copy_n(lag.data(), 6, records.emplace_back().data());
  }
  return any ? records : std::vector<LagRecord>();
}

/// Poses of its pieces; none while all are at rest.
Result<void> read_poses(Body& body, const io::ArrayStore& store) {
  const std::string name = body.description->name + "/poses";
  body.poses.clear();
  if (!body.is_divided() || !store.contains(name)) return {};
  const Result<std::vector<PoseRecord>> records = read_records<PoseRecord>(store, name);
  if (!records) return records.error();
  if (records->size() != static_cast<size_t>(body.piece_count())) return misfit(name, "has another number of pieces");
  for (const PoseRecord& record : *records) {
    Transform& pose = body.poses.emplace_back();
    std::memcpy(pose.rotation.data(), record.data(), 9 * sizeof(double)), std::memcpy(pose.translation.data(), record.data() + 9, 3 * sizeof(double));
  }
  return {};
}

/// Restores the parts of a body, after its links.
Result<void> read_parts(Body& body, const io::ArrayStore& store) {
  const std::string name = body.description->name + "/part";
  if (body.bonds && body.solid) regroup(body);
  Result<std::vector<PartRecord>> records = read_records<PartRecord>(store, name);
  if (!records) return records.error();
  if (records->size() != body.parts.size()) return misfit(name, "has another number of parts than its broken links leave");
  for (size_t p = 0; p < body.parts.size(); ++p) {
    Part& part = body.parts[p];
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
    if (body.matter) {
      body.matter_present = present;
    } else {
      part.index = present ? 0 : -1;  // build_rigid_world() gives it its index
    }
  }
  return {};
}

/// Call after all parts are restored: overlaps may be with parts of other bodies.
Result<void> read_overlaps(WorldState& w, int index, const io::ArrayStore& store) {
  const std::string name = w.body(index).description->name + "/overlaps";
  std::vector<BodyOverlap>& saved = w.saved_overlaps[static_cast<size_t>(index)];
  saved.clear();
  if (!store.contains(name)) return {};
  Result<std::vector<BodyOverlap>> overlaps = read_records<BodyOverlap>(store, name);
  if (!overlaps) return overlaps.error();
  const auto is_index = [](double number, size_t count) { return number >= 0 && number < static_cast<double>(count) && number == std::floor(number); };
  for (const BodyOverlap& overlap : *overlaps) {
    const bool is_there = is_index(overlap.part, w.body(index).parts.size()) && is_index(overlap.body_b, w.bodies.size()) &&
                          is_index(overlap.part_b, w.body(static_cast<int>(overlap.body_b)).parts.size());
    if (!is_there || (overlap.body_b == index && overlap.part == overlap.part_b && overlap.depth >= 0)) return misfit(name, "names parts that are not there");
    saved.push_back(overlap);
  }
  return {};
}

Result<void> read_plastic_states(WorldState& w, const io::ArrayStore& store) {
  const auto is_plastic = [](const JointSlot& joint) { return joint.history >= 0; };
  const auto count = static_cast<size_t>(std::count_if(w.joints.begin(), w.joints.end(), is_plastic));
  if (count == 0) return {};
  Result<std::vector<PlasticRecord>> records = read_records<PlasticRecord>(store, kPlasticStates);
  if (!records) return records.error();
  if (records->size() != count) return misfit(kPlasticStates, "has another number of joints");
  auto record = records->begin();
  for (JointSlot& joint : w.joints) {
    if (joint.history >= 0) std::memcpy(static_cast<void*>(&joint.plastic.emplace()), (record++)->data(), sizeof(PlasticRecord));
  }
  if (store.contains(kLags)) {
    Result<std::vector<LagRecord>> lags = read_records<LagRecord>(store, kLags);
    if (!lags) return lags.error();
    if (lags->size() != count) return misfit(kLags, "has another number of joints");
    auto lag = lags->begin();
    for (JointSlot& joint : w.joints) {
      if (joint.history >= 0) std::copy_n((lag++)->data(), 6, joint.plastic->lag.data());
    }
  }
  return restore_array(store, kSceneJoints, rigid::history_array(w.scene_joints));
}

Result<void> read_joint_frames(WorldState& w, const io::ArrayStore& store) {
  for (size_t j = 0; j < w.joints.size(); ++j) {
    w.joints[j].index = -1, w.joints[j].frames.reset(), w.joints[j].plastic.reset();
    const std::string name = fmt::format("joints/{}", j);
    const auto found = store.find(name);
    if (found == store.end()) continue;  // not made yet: one of its bodies appears later
    std::array<double, kJointNumbers> numbers;
    if (found->second.data.size() != sizeof numbers) return misfit(name, "is of another size");
    std::memcpy(numbers.data(), found->second.data.data(), sizeof numbers);
    if (!all_finite(numbers)) return misfit(name, "is not finite");
    std::memcpy(static_cast<void*>(&w.joints[j].frames.emplace()), numbers.data(), sizeof numbers);
  }
  return read_plastic_states(w, store);
}

template <class Record>
void add_owned(ArrayList& list, std::string name, const std::vector<Record>& records) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(records));
  list.owned.emplace_back(bytes.begin(), bytes.end());
  list.views.push_back({std::move(name), sizeof(Record), list.owned.back()});
}

}  // namespace

void update_fingerprint(WorldState& w) {
  std::vector<PartRecord> parts;
  for (Body& body : w.bodies) {
    for (const PartRecord& record : part_records(w, body)) parts.push_back(record);
  }
  uint64_t hash = io::hash_bytes(std::as_bytes(std::span(parts)), w.fingerprint);
  for (Body& body : w.bodies) {
    for (const io::ArrayView& array : method_arrays(body, Need::Everything)) hash = io::hash_bytes(array.data, hash);
    const std::vector<PoseRecord> poses = pose_records(body);
    if (!poses.empty()) hash = io::hash_bytes(std::as_bytes(std::span(poses)), hash);
  }
  if (const std::vector<PlasticRecord> plastic = plastic_records(w); !plastic.empty()) {
    hash = io::hash_bytes(std::as_bytes(std::span(plastic)), hash);
    if (const std::vector<LagRecord> lags = lag_records(w); !lags.empty()) hash = io::hash_bytes(std::as_bytes(std::span(lags)), hash);
    hash = io::hash_bytes(rigid::history_array(w.scene_joints).data, hash);
  }
  if (!w.happened.empty()) hash = io::hash_bytes(std::as_bytes(std::span(w.happened)), hash);
  w.fingerprint = hash;
}

ArrayList frame_arrays(WorldState& w) {
  ArrayList list;
  for (Body& body : w.bodies) {
    std::vector<PlaceRecord> places;
    const double presence = !body.is_present() ? 0 : body.is_broken() ? 2 : 1;
    for (const Transform& place : places_of_pieces(w, body)) places.push_back(place_record(place, presence));
    add_owned(list, body.description->name + "/place", places);
    for (io::ArrayView& view : method_arrays(body, Need::Drawing)) list.views.push_back(std::move(view));
  }
  return list;
}

ArrayList checkpoint_arrays(WorldState& w) {
  ArrayList list;
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    Body& body = w.bodies[i];
    add_owned(list, body.description->name + "/part", part_records(w, body));
    const std::vector<BodyOverlap> overlaps = body.is_present() && !body.matter ? overlaps_of(w, static_cast<int>(i)) : w.saved_overlaps[i];
    if (!overlaps.empty()) add_owned(list, body.description->name + "/overlaps", overlaps);
    if (!body.poses.empty()) add_owned(list, body.description->name + "/poses", pose_records(body));
    for (io::ArrayView& view : method_arrays(body, Need::Everything)) list.views.push_back(std::move(view));
  }
  for (size_t j = 0; j < w.joints.size(); ++j) {
    if (w.joints[j].frames) add_owned(list, fmt::format("joints/{}", j), std::vector<rigid::JointFrames>{*w.joints[j].frames});
  }
  if (const std::vector<PlasticRecord> plastic = plastic_records(w); !plastic.empty()) {
    add_owned(list, kPlasticStates, plastic);
    if (const std::vector<LagRecord> lags = lag_records(w); !lags.empty()) add_owned(list, kLags, lags);
    const StateArray histories = rigid::history_array(w.scene_joints);
    list.views.push_back({kSceneJoints, histories.row_bytes, histories.data});
  }
  if (!w.happened.empty()) add_owned(list, kEvents, w.happened);
  return list;
}

Result<void> restore_arrays(WorldState& w, const io::ArrayStore& store) {
  for (Body& body : w.bodies) {
    if (Result<void> methods = restore_methods(body, store, Need::Everything); !methods) return methods.error();
    if (Result<void> poses = read_poses(body, store); !poses) return poses.error();
    if (Result<void> parts = read_parts(body, store); !parts) return parts.error();
  }
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    if (Result<void> overlaps = read_overlaps(w, static_cast<int>(i), store); !overlaps) return overlaps.error();
  }
  if (!w.happened.empty()) {
    if (Result<void> events = restore_array(store, kEvents, state_rows<double>(kEvents, std::span(w.happened))); !events) return events.error();
  }
  return read_joint_frames(w, store);
}

Result<void> replay(Body& body, const io::ArrayStore& store) {
  return restore_methods(body, store, Need::Drawing);
}

}  // namespace crumple
