#include "crumple/run/run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "crumple/io/files.h"
#include "crumple/io/recording.h"
#include "crumple/math/whole.h"
#include "crumple/run/recording_folder.h"
#include "crumple/run/timings.h"
#include "crumple/world/arrays.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

Json frozen_json(const std::vector<StepReport::Frozen>& frozen) {
  Json list = Json::array();
  for (const StepReport::Frozen& f : frozen) list.push(Json::object({{"body", f.body}, {"time", f.time}, {"why", f.why}}));
  return list;
}

/// The other way; what is missing or of another kind comes out empty.
std::vector<StepReport::Frozen> read_frozen(const Json& object) {
  std::vector<StepReport::Frozen> frozen;
  const Json* list = object.find("frozen");
  for (const Json& item : list ? list->items : std::vector<Json>{}) {
    const auto get = [&](const char* key) { const Json* value = item.find(key); return value ? *value : Json(); };
    frozen.push_back({get("body").text, get("time").number, get("why").text});
  }
  return frozen;
}

Json breaks_json(const std::vector<StepReport::Break>& breaks) {
  Json list = Json::array();
  for (const StepReport::Break& b : breaks) {
    Json pieces = Json::array();
    pieces.push(b.piece_a), pieces.push(b.piece_b);
    list.push(Json::object({{"body", b.body}, {"time", b.time}, {"link", b.link}, {"pieces", std::move(pieces)}, {"impulse", b.impulse}, {"limit", b.limit}}));
  }
  return list;
}

int as_whole(double number) {
  return static_cast<int>(std::clamp<int64_t>(whole_floor(number), 0, std::numeric_limits<int>::max()));
}

std::vector<StepReport::Break> read_breaks(const Json& object) {
  std::vector<StepReport::Break> breaks;
  const Json* list = object.find("breaks");
  for (const Json& item : list ? list->items : std::vector<Json>{}) {
    const auto number = [](const Json* value) { return value ? value->number : 0.0; };
    const Json* body = item.find("body");
    const Json* pieces = item.find("pieces");
    const auto piece = [&](size_t i) { return pieces && i < pieces->items.size() ? as_whole(pieces->items[i].number) : 0; };
    breaks.push_back({body ? body->text : "", number(item.find("time")), item.whole("link", 0), piece(0), piece(1), number(item.find("impulse")),
                      number(item.find("limit"))});
  }
  return breaks;
}

Json joint_json(const JointReport& joint) {
  Json at = Json::array();
  for (const double part : joint.at) at.push(part);
  const rigid::JointHistory& book = joint.history;
  return Json::object({{"body", joint.body},
                       {"name", joint.name},
                       {"at", std::move(at)},
                       {"utilisation", book.utilisation},
                       {"peak_utilisation", book.peak},
                       {"plastic_turn", book.turn},
                       {"elongation", book.elongation},
                       {"work_J", book.work},
                       {"broken_at", book.broken_at < 0 ? Json() : Json(book.broken_at)}});
}

Json body_json(const BodyReport& body) {
  Json entry(Json::object({{"name", body.name}, {"mass", body.mass}}));
  if (body.damage) entry["max_displacement"] = body.damage->max_displacement, entry["rms_displacement"] = body.damage->rms_displacement;
  for (const auto& [key, value] : body.methods.figures.members) entry[key] = value;
  entry["frozen"] = body.frozen;
  for (const auto& [key, value] : body.bond_figures.members) entry[key] = value;
  return entry;
}

bool same_folder(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a.empty() ? "." : a, b, ignored);
}

/// One run from opening the folder to writing its outcome.
class Run {
 public:
  Run(const Scene& scene, const RunSettings& settings) : scene_(scene), settings_(settings), folder_{settings.folder} {}

  Result<RunReport> go() {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    if (Result<void> allowed = check_folder(); !allowed) return allowed.error();
    if (Result<void> loaded = load(); !loaded) return loaded.error();
    if (Result<void> opened = open(); !opened) return opened.error();
    if (report_.was_finished) return report_;
    report_.load_s = cpu_seconds() - cpu;
    Result<void> ran = simulate();
    report_.total_s = cpu_seconds() - cpu;
    report_.wall_s = wall_seconds() - wall;
    if (!ran) return ran.error();
    if (Result<void> written = write_report(); !written) return written.error();
    return report_;
  }

 private:
  Result<void> check_folder() {
    std::error_code ignored;
    const fs::path& folder = settings_.folder;
    if (!fs::exists(folder, ignored) || (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored))) return {};
    if (!fs::is_directory(folder, ignored)) return input_error(fmt::format("{}: is a file, not a folder", folder.string()));
    if (!settings_.resume && !settings_.force) return exists_already();
    if (!is_recording(folder)) return input_error(fmt::format("{}: holds something else than a recording; choose another folder", folder.string()));
    if (same_folder(scene_.file.parent_path(), folder)) {
      return input_error(fmt::format("{}: holds the scene itself, which must not be overwritten; choose another folder", folder.string()));
    }
    return fs::exists(folder_.stream(), ignored) ? lock() : Result<void>();
  }

  Error exists_already() const {
    return input_error(fmt::format("{}: exists already; continue it with --resume or overwrite it with --force", settings_.folder.string()));
  }

  Result<void> lock() {
    Result<io::LockedStream> locked = io::lock_stream(folder_.stream());
    if (!locked) return locked.error();
    locked_.emplace(std::move(*locked));
    return {};
  }

  Result<void> load() {
    Result<World> world = World::build(scene_);
    if (!world) return world.error();
    world_.emplace(std::move(*world));
    const int last = scene_.frame_count();
    first_ = settings_.frames ? settings_.frames->first : 0;
    last_ = settings_.frames ? settings_.frames->second : last;
    if (first_ > last_ || first_ < 0 || last_ > last) {
      return input_error(fmt::format("--frames {}-{}: the scene has frames 0 to {}", first_, last_, last));
    }
    return {};
  }

  /// The stream is locked before anything in the folder is believed or changed: another run may have come first while the world was built.
  Result<void> open() {
    if (Result<void> made = io::make_folder(folder_.folder); !made) return made.error();
    if (!locked_) {
      if (Result<void> ours = lock(); !ours) return ours.error();
      if (locked_->size() > 0 && !settings_.resume && !settings_.force) return exists_already();
    }
    return settings_.resume && locked_->size() > 0 ? resume() : begin();
  }

  Result<void> begin() {
    remove_outcome();
    const Json header = Json::object({{"scene", scene_.file.filename().string()},
                                      {"scene_hash", io::hash_text(world_->scene_hash())},
                                      {"start_hash", io::hash_text(world_->fingerprint())},
                                      {"fps", scene_.fps},
                                      {"dt", scene_.dt()},
                                      {"checkpoint", scene_.checkpoint},
                                      {"first_frame", first_}});
    // The stream comes first: whatever moment a run is killed at, its folder is known as a recording and may be continued.
    Result<io::RecordingWriter> writer = io::RecordingWriter::create(std::move(*locked_), header);
    if (!writer) return writer.error();
    writer_.emplace(std::move(*writer));
    Result<TimingLog> timings = TimingLog::create(folder_.timings());
    if (!timings) return timings.error();
    timings_.emplace(std::move(*timings));
    std::error_code ignored;
    fs::remove_all(folder_.assets(), ignored);
    if (Result<void> packed = pack_scene(*world_, folder_); !packed) return packed.error();
    return first_ == 0 ? record_frame() : Result<void>();
  }

  /// What an earlier run has said of its end is not true of this one.
  void remove_outcome() const {
    std::error_code ignored;
    if (fs::remove(folder_.run(), ignored)) io::sync_folder(folder_.folder);
  }

  Result<void> resume() {
    Result<io::RecordingReader> reader = io::RecordingReader::open(folder_.stream());
    if (!reader) return reader.error();
    const Json* hash = reader->header().find("scene_hash");
    const Json* start = reader->header().find("start_hash");  // also tells if files of particles have changed
    if (!hash || hash->text != io::hash_text(world_->scene_hash()) || (start && start->text != io::hash_text(world_->fingerprint()))) {
      return input_error(fmt::format("{}: was recorded from another scene (or its scene or assets have changed since); use --force to start anew",
                                     settings_.folder.string()));
    }
    if (const int first = reader->header().whole("first_frame", first_); first != first_) {
      return input_error(fmt::format("{}: was recorded from frame {} on; ask for the same with --frames", settings_.folder.string(), first));
    }
    // Files that a crash of the machine has emptied are made again.
    if (Result<void> packed = pack_scene(*world_, folder_); !packed) return packed.error();
    if (is_finished(*reader)) {
      report_.first_frame = first_, report_.last_frame = last_, report_.frames = static_cast<int>(reader->frames().size());
      return {};
    }
    int from = -1;
    for (const int frame : reader->checkpoints()) {
      if (frame <= last_) from = std::max(from, frame);
    }
    if (from < 0) return begin();  // nothing to continue from: the first checkpoint was not reached
    remove_outcome();
    Result<io::RecordingReader::Checkpoint> checkpoint = reader->checkpoint(from);
    if (!checkpoint) return checkpoint.error();
    const Json* fingerprint = checkpoint->note.find("fingerprint");
    if (!fingerprint || !fingerprint->is_text()) return input_error(fmt::format("{}: the checkpoint at frame {} is incomplete", folder_.stream().string(), from));
    const Snapshot snapshot{from, std::strtoull(fingerprint->text.c_str(), nullptr, 16), {read_frozen(checkpoint->note), read_breaks(checkpoint->note)},
                            std::move(checkpoint->arrays)};
    if (Result<void> restored = world_->restore(snapshot); !restored) return restored.error();
    earlier_steps_ = std::lround(world_->time() / scene_.dt());
    if (const Result<std::vector<FrameTiming>> rows = read_timings(folder_.timings())) {
      for (const FrameTiming& row : *rows) earlier_hits_ += row.frame <= from ? row.hits : 0;
    }
    Result<io::RecordingWriter> writer = io::RecordingWriter::continue_after(std::move(*locked_), from);
    if (!writer) return writer.error();
    writer_.emplace(std::move(*writer));
    Result<TimingLog> timings = TimingLog::continue_after(folder_.timings(), from);
    if (!timings) return timings.error();
    timings_.emplace(std::move(*timings));
    report_.resumed_from = from;
    for (const int frame : reader->frames()) recorded_ += frame <= from ? 1 : 0;
    return {};
  }

  /// Whether all that is wanted has been recorded; then the report tells how that ended. A recording that goes on further is left alone.
  bool is_finished(const io::RecordingReader& reader) {
    if (reader.frames().empty() || reader.frames().back() < last_) return false;
    Result<std::string> text = io::read_file(folder_.run());
    Result<Json> json = text ? parse_json(*text, "run.json", JsonDialect::Strict) : Result<Json>(Json());
    const auto number = [&](const char* key) { return json ? json->whole(key, -1) : -1; };
    const Json* found = json ? json->find("outcome") : nullptr;
    std::string outcome = found ? found->text : "";
    // One that tells of other frames was left by another run.
    const bool is_stale = number("last_frame") != reader.frames().back() || number("frames") != static_cast<int>(reader.frames().size());
    if (is_stale) outcome = "";
    report_.was_finished = outcome == "done" || outcome == "frozen" || reader.frames().back() > last_;
    if (outcome == "frozen") {
      report_.outcome = Outcome::Frozen;
      report_.frozen = read_frozen(*json);
    }
    return report_.was_finished;
  }

  Result<void> simulate() {
    while (world_->frame_number() < last_) {
      const StepTimings before = world_->timings();
      const double recorded_before = report_.record_s, matter_before = world_->matter_seconds();
      if (!world_->step_frame(settings_.cancel)) {
        report_.outcome = Outcome::Interrupted;
        break;
      }
      const int frame = world_->frame_number();
      if (frame >= first_) {
        if (Result<void> recorded = record_frame(); !recorded) return recorded.error();
      }
      if (Result<void> noted = note_time(before, recorded_before, matter_before); !noted) return noted.error();
      if (world_->is_checkpoint(frame)) {
        if (Result<void> kept = timings_->flush(); !kept) return kept.error();
        const CpuTimer timer(report_.record_s);
        const Json note = Json::object({{"fingerprint", io::hash_text(world_->fingerprint())}, {"frozen", frozen_json(world_->report().frozen)},
                                        {"breaks", breaks_json(world_->report().breaks)}});
        const ArrayList arrays = world_->checkpoint_arrays();
        if (Result<void> written = writer_->append_checkpoint(frame, note, arrays.views); !written) return written.error();
      }
      if (settings_.progress) settings_.progress(frame, last_, *world_);
      if (settings_.strict && !world_->report().frozen.empty()) {
        report_.outcome = Outcome::Stopped;
        break;
      }
    }
    if (report_.outcome == Outcome::Done && !world_->report().frozen.empty()) report_.outcome = Outcome::Frozen;
    fill_report();
    if (Result<void> kept = timings_->flush(); !kept) return kept.error();
    return writer_->finish();
  }

  /// One row of timings.csv; the time that a checkpoint takes to write is in run.json only.
  Result<void> note_time(const StepTimings& before, double recorded_before, double matter_before) {
    const StepTimings& now = world_->timings();
    return timings_->add({world_->frame_number(), 1e3 * (now.rigid - before.rigid), 1e3 * (now.deform - before.deform), 1e3 * (report_.record_s - recorded_before),
                          now.hits - before.hits, world_->awake_count(), 1e3 * (world_->matter_seconds() - matter_before)});
  }

  Result<void> record_frame() {
    const CpuTimer timer(report_.record_s);
    ++recorded_;
    const ArrayList arrays = world_->frame_arrays();
    return writer_->append_frame(world_->frame_number(), world_->time(), arrays.views);
  }

  void fill_report() {
    report_.first_frame = first_, report_.last_frame = world_->frame_number(), report_.frames = recorded_;
    const StepTimings& timings = world_->timings();
    report_.rigid_s = timings.rigid, report_.deform_s = timings.deform;
    report_.steps = earlier_steps_ + timings.steps;
    report_.hits = earlier_hits_ + timings.hits;
    for (const Body& body : world_->bodies()) {
      if (std::optional<BodyReport> report = report_of(body, scene_.fps, world_->report().breaks)) report_.bodies.push_back(std::move(*report));
    }
    report_.frozen = world_->report().frozen;
    report_.breaks = world_->report().breaks;
    report_.joints = world_->joint_reports(), report_.solver = world_->structure_health();
    report_.fingerprint = world_->fingerprint();
    report_.skipped_pairs = world_->skipped_pairs();
  }

  Result<void> write_report() { return io::write_file(folder_.run(), write_json(run_json(scene_, report_)) + "\n"); }

  const Scene& scene_;
  const RunSettings& settings_;
  RecordingFolder folder_;
  std::optional<World> world_;
  std::optional<io::RecordingWriter> writer_;
  std::optional<TimingLog> timings_;
  std::optional<io::LockedStream> locked_;  // until the writer has it
  int first_ = 0, last_ = 0, recorded_ = 0;
  long earlier_steps_ = 0, earlier_hits_ = 0;  // before the checkpoint that is continued
  RunReport report_;
};

}  // namespace

double RunReport::joint_work() const {
  double work = 0;
  for (const JointReport& joint : joints) work += joint.history.work;
  return work;
}

int RunReport::broken_joints() const {
  return static_cast<int>(std::count_if(joints.begin(), joints.end(), [](const JointReport& joint) { return joint.history.broken_at >= 0; }));
}

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Done: return "done";
    case Outcome::Frozen: return "frozen";
    case Outcome::Stopped: return "stopped";
    case Outcome::Interrupted: return "interrupted";
  }
  return "";
}

Json run_json(const Scene& scene, const RunReport& r) {
  Json json = Json::object({{"crumple", 1}, {"outcome", std::string(outcome_name(r.outcome))}, {"scene", scene.file.filename().string()}});
  json["frames"] = r.frames, json["first_frame"] = r.first_frame, json["last_frame"] = r.last_frame;
  if (r.resumed_from) json["resumed_from"] = *r.resumed_from;
  json["fps"] = scene.fps, json["dt"] = scene.dt();
  json["steps"] = static_cast<double>(r.steps), json["hits"] = static_cast<double>(r.hits);
  json["timings"] = Json::object({{"rigid_s", r.rigid_s}, {"deform_s", r.deform_s}, {"record_s", r.record_s}, {"load_s", r.load_s}, {"total_s", r.total_s}, {"wall_s", r.wall_s}});
  if (const auto seconds = seconds_of(r.bodies); !seconds.empty()) {
    Json parts(Json::object({}));
    double total = 0;
    for (const auto& [key, value] : seconds) parts[key] = value, total += value;
    parts["total"] = total;
    json["step_s"] = std::move(parts);
  }
  for (const Report::Total& total : total_of(r.bodies)) json[total.key] = total.is_first && total.value < 0 ? Json() : Json(total.value);
  Json bodies = Json::array();
  for (const BodyReport& body : r.bodies) bodies.push(body_json(body));
  json["bodies"] = std::move(bodies);
  json["frozen"] = frozen_json(r.frozen);
  json["breaks"] = breaks_json(r.breaks);
  Json joints = Json::array();
  for (const JointReport& joint : r.joints) joints.push(joint_json(joint));
  json["joints"] = std::move(joints);
  json["joint_work_J"] = r.joint_work(), json["broken_joints"] = r.broken_joints();
  if (!r.joints.empty()) {
    json["joint_solver"] = Json::object({{"islands", static_cast<double>(r.solver.islands)}, {"factors", static_cast<double>(r.solver.factors)},
                                         {"unconverged", static_cast<double>(r.solver.unconverged)}, {"most_factors", r.solver.most_factors}});
  }
  if (r.skipped_pairs > 0) json["skipped_pairs"] = static_cast<double>(r.skipped_pairs);
  json["fingerprint"] = io::hash_text(r.fingerprint);
  return json;
}

Result<RunReport> run_scene(const Scene& scene, const RunSettings& settings) {
  return Run(scene, settings).go();
}

}  // namespace crumple
