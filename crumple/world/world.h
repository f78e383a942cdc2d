#pragma once

#include <memory>
#include <string>
#include <vector>

#include "crumple/core/stop.h"
#include "crumple/world/body.h"

namespace crumple {

/// What has gone wrong or was remarkable in a run so far.
struct StepReport {
  struct Frozen {
    std::string body;
    double time;  // s
    std::string why;
  };
  std::vector<Frozen> frozen;

  /// A link of a scored body that gave way.
  struct Break {
    std::string body;
    double time;                // s
    int link, piece_a, piece_b;
    double impulse, limit;      // N s: what it carried within 1/60 s, and what it could carry
  };
  std::vector<Break> breaks;
};

/// What an elastic-plastic joint has done so far.
struct JointReport {
  std::string body, name;
  Vec3 at;  // where it is at rest, in the world
  structures::Book book;
};

/// CPU seconds.
struct StepTimings {
  double rigid = 0, deform = 0;
  long steps = 0, hits = 0;
};

/// A scene in motion.
class World {
 public:
  static Result<World> build(const Scene& scene);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  /// One step of the scene's dt.
  void step();
  /// Steps until the next frame. Frames that are checkpoints end with a barrier: the rigid world is built anew from the state, so a
  /// run that continues from there takes the same way to the last bit. A request to stop ends it between two steps: then it returns false, and the
  /// world is of no use but to be looked at.
  bool step_frame(const StopFlag* stop = nullptr);

  double time() const;
  int frame() const;  // the last frame reached
  const Scene& scene() const;
  const std::vector<Body>& bodies() const;
  const StepReport& report() const;
  const StepTimings& timings() const;
  int awake_count() const;
  double kinetic_energy() const;  // J, of the dynamic bodies
  /// World place of a body's rest frame, as one of its pieces carries it.
  Transform place(int body, int piece = 0) const;
  rigid::PartState part_state(int body, int part = 0) const;
  /// The books of all elastic-plastic joints: the scene's own, then those of its structures, in order.
  std::vector<JointReport> joint_books() const;
  /// Counts of the structures' solver.
  rigid::World::StructureHealth structure_health() const;
  /// Pairs of rigid parts in crowds that were not looked at for contacts, summed over all steps.
  long skipped_pairs() const;
  /// The contacts of the last step.
  const rigid::Loads& loads() const;

  /// What there is to see now.
  Frame look(ColorBy color = ColorBy::Look) const;

  /// State as arrays: what a frame shows, or everything that a checkpoint needs. Valid until the next step.
  std::vector<io::ArrayView> frame_arrays();
  std::vector<io::ArrayView> checkpoint_arrays();
  /// Continues from a checkpoint of the same scene.
  Result<void> restore(int frame, const io::ArrayStore& store);
  bool is_checkpoint(int frame) const;

  /// Chained over the whole state at every frame so far.
  uint64_t fingerprint() const;
  /// After restore(): what a checkpoint remembers beside the state.
  void set_history(uint64_t fingerprint, StepReport report);
  /// Of the scene and all its files: runs with equal hashes are equal.
  uint64_t scene_hash() const;
  const AssetLibrary& library() const;

 private:
  struct Simulation;
  explicit World(std::unique_ptr<Simulation> simulation);
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace crumple
