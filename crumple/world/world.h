#pragma once

#include <memory>
#include <string>
#include <vector>

#include "crumple/core/stop.h"
#include "crumple/world/body.h"
#include "crumple/world/report.h"
#include "crumple/world/view.h"

namespace crumple {

struct ArrayList;
struct WorldState;

/// The whole state of a world at one time.
struct Snapshot {
  int frame = 0;
  uint64_t fingerprint = 0;
  StepReport report;
  io::ArrayStore arrays;
};

/// A running scene.
class World {
 public:
  /// Checks the scene and reads its files; worlds may share the loaded files.
  static Result<World> build(const Scene& scene, std::shared_ptr<AssetLibrary> assets = nullptr);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  /// One step of the scene's dt.
  void step();
  /// Steps until the next frame. Frames that are checkpoints end with a barrier: the rigid world is rebuilt from the state, so a
  /// run continued from there is identical to the last bit. A request to stop ends it between two steps: then it returns false, and the world can
  /// be viewed, but not stepped.
  bool step_frame(const StopFlag* stop = nullptr);

  double time() const;
  int frame_number() const;  // the last frame reached
  const Scene& scene() const;
  const std::vector<Body>& bodies() const;
  const StepReport& report() const;
  const StepTimings& timings() const;
  /// CPU seconds that bodies of matter took so far; part of timings().deform.
  double matter_seconds() const;
  int awake_count() const;
  double kinetic_energy() const;  // J, of the dynamic bodies
  /// World place of a body's rest frame, as moved by one of its pieces.
  Transform place(int body, int piece = 0) const;
  rigid::PartState part_state(int body, int part = 0) const;
  /// Histories of all elastic-plastic joints: the scene's own, then those of bodies, in order.
  std::vector<JointReport> joint_reports() const;
  /// Settings with which a body would sag or behave like jelly, and better ones.
  std::vector<std::string> advice() const;
  /// Counts of the solver of joints.
  rigid::World::StructureHealth structure_health() const;
  /// Pairs of rigid parts in crowds that were not tested for contacts, summed over all steps.
  long skipped_pairs() const;
  /// The contacts of the last step.
  const rigid::Loads& loads() const;

  /// The current frame to draw. It depends on the state alone.
  Frame frame(const View& view = {}) const;

  /// State as arrays: of a frame (enough to draw it), or of a checkpoint (the whole state). Valid until the next step.
  ArrayList frame_arrays();
  ArrayList checkpoint_arrays();
  bool is_checkpoint(int frame) const;

  /// The whole state, for restoring. A world restored from it continues like a run with a checkpoint at this frame.
  Snapshot snapshot();
  /// Continues from a snapshot of the same bodies. Settings come from this world's scene, so settings changed since take effect.
  Result<void> restore(const Snapshot& snapshot);

  /// Hash chained over the whole state at every frame so far.
  uint64_t fingerprint() const;
  /// Hash of the scene and all its files: runs with equal hashes are equal.
  uint64_t scene_hash() const;
  const SceneAssets& assets() const;

 private:
  explicit World(std::unique_ptr<WorldState> state);
  std::unique_ptr<WorldState> state_;
};

}  // namespace crumple
