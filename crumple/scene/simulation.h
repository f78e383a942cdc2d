#pragma once

#include <array>
#include <optional>
#include <vector>

#include "crumple/scene/world.h"

namespace crumple {

/// The inside of a World. Split by what happens in a step: controls.cpp, layers.cpp, compose.cpp, state.cpp.
struct World::Simulation {
  struct JointSlot {
    rigid::JointSettings settings;
    int body_a = -1, body_b = -1;
    int index = -1;                            // in the rigid world, -1 while it is not there
    std::optional<rigid::JointFrames> frames;  // once it has been made
  };
  /// One body's part of a step, kept to avoid allocation.
  struct Work {
    std::vector<std::pair<int, bool>> contacts;  // index in loads, and whether the body is side a
    std::vector<Hit> hits;
    Effects effects;
    std::vector<Vec3> points;                    // of the hulls, after a change of shape
    rigid::World::Reshape reshape;
    Vec3 spin;
    Mat3 axes;
    Vec3 center, inertia;
    bool finite = true;
  };
  /// The numbers of a body in a recorded frame and in a checkpoint.
  using PlaceRecord = std::array<double, 13>;  // rotation (rows), translation, present
  using PartRecord = std::array<double, 39>;

  explicit Simulation(const Scene& given) : scene(given), rigid({given.gravity, given.iterations, given.sleeping}) {}

  // world.cpp: building, and counting steps
  Result<void> assign_groups();
  void build_joints();
  void set_start(size_t body);
  long steps_at_frame(int number) const;

  // controls.cpp: who is there, and what the script says
  void control();
  void add_part(int body);
  void remove_part(int body);
  void add_joints();
  void rebuild();
  rigid::PartSettings part_settings(const Body& body) const;

  // layers.cpp: loads become changes of shape
  void route_contacts();
  void step_layers();
  void step_body(int body);

  // compose.cpp: the changed shape goes back to the engine
  void compose(int body);
  void apply_effects();
  void check();
  void freeze(int body, std::string why);

  // state.cpp
  Transform place(const Body& body) const;
  void write_places();
  void write_parts();
  void read_part(Body& body, const PartRecord& record);
  void update_fingerprint();

  Scene scene;
  AssetLibrary library;
  std::vector<Body> bodies;
  std::vector<JointSlot> joints;
  std::vector<unsigned> groups, masks;           // #bodies
  std::vector<int> body_of_part;
  std::vector<rigid::PartState> states;          // #bodies: of those that are not in the world, where they will appear
  std::vector<rigid::PartState> last_good;       // #bodies
  rigid::World rigid;
  rigid::Loads loads;
  std::vector<Work> work;                        // #bodies
  std::vector<int> busy;                         // bodies whose layers step
  long steps = 0;
  int frame = 0;
  StepReport report;
  StepTimings timings;
  std::vector<PlaceRecord> place_records;        // #bodies
  std::vector<PartRecord> part_records;          // #bodies
  uint64_t fingerprint = 0, scene_hash = 0;
};

}  // namespace crumple
