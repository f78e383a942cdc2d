#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "crumple/core/stop.h"
#include "crumple/world/world.h"

namespace crumple {

struct RunSettings {
  std::filesystem::path folder;
  std::optional<std::pair<int, int>> frames;  // first and last to record; absent: all
  bool resume = false, force = false, strict = false;
  std::function<void(int frame, int last, const World&)> progress;
  const StopFlag* cancel = nullptr;
};

enum class Outcome { Done, Frozen, Stopped, Interrupted };

/// What a run tells at its end; also written to run.json.
struct RunReport {
  Outcome outcome = Outcome::Done;
  bool was_finished = false;  // there was nothing left to do
  int first_frame = 0, last_frame = 0, frames = 0;
  std::optional<int> resumed_from;
  long steps = 0, hits = 0;
  long skipped_pairs = 0;  // in crowds, since the checkpoint that was continued
  double load_s = 0, rigid_s = 0, deform_s = 0, record_s = 0, total_s = 0, wall_s = 0;  // CPU seconds of the process, but for the last
  std::vector<BodyReport> bodies;  // that can change
  std::vector<StepReport::Frozen> frozen;
  std::vector<StepReport::Break> breaks, hinges;
  EnergyLedger energy;
  std::vector<JointReport> joints;  // elastic-plastic ones
  rigid::World::StructureHealth solver;
  double joint_work() const;        // J, dissipated by all of them
  int broken_joints() const;
  uint64_t fingerprint = 0;
};

/// Simulates a scene into a folder. Nothing is written before everything has been read and checked.
Result<RunReport> run_scene(const Scene& scene, const RunSettings& settings);

Json run_json(const Scene& scene, const RunReport& report);
std::string_view outcome_name(Outcome outcome);

}  // namespace crumple
