#include "crumple/run/run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "crumple/io/files.h"
#include "crumple/io/recording.h"
#include "crumple/run/recording_folder.h"
#include "crumple/run/report_json.h"
#include "crumple/run/timings.h"
#include "crumple/world/arrays.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

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
    const Snapshot snapshot{from, std::strtoull(fingerprint->text.c_str(), nullptr, 16), read_step_report(checkpoint->note), std::move(checkpoint->arrays)};
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
      report_.frozen = read_step_report(*json).frozen;
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
        Json note = step_report_json(world_->report());
        note["fingerprint"] = io::hash_text(world_->fingerprint());
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
    const std::vector<Body>& bodies = world_->bodies();
    for (size_t i = 0; i < bodies.size(); ++i) {
      std::optional<BodyReport> report = report_of(bodies[i], scene_.fps, world_->report().breaks);
      if (!report) continue;
      report->damage_work = world_->report().damage_work[i];
      report_.bodies.push_back(std::move(*report));
    }
    report_.energy = world_->report().energy;
    report_.frozen = world_->report().frozen;
    report_.breaks = world_->report().breaks, report_.hinges = world_->report().hinges;
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

Result<RunReport> run_scene(const Scene& scene, const RunSettings& settings) {
  return Run(scene, settings).go();
}

}  // namespace crumple
