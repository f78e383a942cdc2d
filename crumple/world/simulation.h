#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "crumple/world/world.h"

namespace crumple {

/// The inside of a World. Split by what happens in a step: controls.cpp, plastic_joints.cpp, step_clusters.cpp, layers.cpp, compose.cpp,
/// split.cpp, state.cpp.
struct World::Simulation {
  struct JointSlot {
    rigid::JointSettings settings;
    int body_a = -1, body_b = -1;
    int piece_a = 0, piece_b = 0;              // that it holds on to
    int index = -1;                            // in the rigid world, -1 while it is not there
    std::optional<rigid::JointFrames> frames;  // once it has been made
    // of a plastic joint
    std::string name;
    int owner = -1;                              // the structure it belongs to; -1: the scene
    int book = -1;                               // its number in the owner's books
    std::optional<rigid::PlasticState> plastic;  // after the last step
    bool is_quiet = false;                       // both parts slept when it was last read

    bool is_broken() const { return plastic && plastic->broken != 0; }
  };
  /// A part's new shape.
  struct PartWork {
    bool reshaped = false;
    std::vector<Vec3> points;  // of the hulls
    rigid::World::Reshape reshape;
    Vec3 spin;
    PartMass mass;
  };
  /// What touched a body in a step.
  struct Touch {
    int contact;  // see contact()
    bool is_a;
    int part;     // of the body
  };
  /// One body's share of a step, kept to avoid allocation.
  struct Work {
    std::vector<Touch> contacts;
    std::vector<Hit> hits;
    std::vector<pieces::Load> piece_loads;
    std::vector<pieces::Break> breaks;
    Effects effects;
    std::vector<PartWork> parts;
    bool finite = true;
  };
  /// A part of a body and another one that overlap since they broke apart.
  struct BodyOverlap {
    double part;           // whole numbers
    double body_b, part_b;
    double depth;          // m; below 0: any
  };
  /// A rigid part as soft bodies meet it, in its own frame.
  struct MetPart {
    bool stale = true;                            // since it came into the world or was reshaped
    Bounds box;                                   // empty: it has none
    rigid::Hulls hulls;                           // whose planes are not made before somebody comes near
    std::vector<rigid::ObstacleShape> shapes;     // empty until then
  };
  /// Which shape of which part a soft body meets; beside `soft_parts`.
  struct Meeting {
    int body, part, shape;
  };
  /// A soft body's share of a step, and what it goes back to if its numbers run away.
  struct SoftWork {
    double skin = -1;  // m: how deep its particles lie under what is drawn; below 0: not measured yet
    std::vector<clusters::Vec4f> positions;
    std::vector<clusters::Mat3f> plastic;
    std::vector<float> strain;
  };
  /// The numbers of a piece in a recorded frame, and of a part in a checkpoint.
  using PlaceRecord = std::array<double, 13>;  // rotation (rows), translation; 0 absent, 1 whole, 2 in pieces
  using PartRecord = std::array<double, 39>;
  using PlasticRecord = std::array<double, 22>;

  explicit Simulation(const Scene& given) : scene(given), rigid({given.gravity, given.iterations, given.sleeping}) {}

  // world.cpp: building, and counting steps
  Result<void> assign_groups();
  void build_joint(const JointDescription& description);
  void build_joints();
  int find_body(const std::string& name) const;          // -1: there is none
  int nearest_piece(int body, const Vec3& at) const;     // to a place of the world, as they stand at the start
  void set_start(size_t body);
  long steps_at_frame(int number) const;

  // controls.cpp: who is there, and what the script says
  void control();
  void stand_in(const Body& body);
  void add_parts(int body);
  void add_part(int body, int part);
  void remove_parts(int body);
  void add_joints();
  bool can_add(const JointSlot& joint) const;
  void rebuild();
  void build_rigid_world();
  rigid::PartSettings part_settings(int body, const BodyPart& part) const;

  // plastic_joints.cpp: joints that yield and break
  void build_structure_joints(int body);
  structures::State& books_of(const JointSlot& joint);
  void read_plastic_joints();
  void break_joints();
  void ignore_neighbours(int body);
  rigid::World::StructureHealth health() const;

  // layers.cpp: loads become changes of shape
  void route_contacts();
  void step_layers();
  void step_body(int body);
  void gather_hits(int body);
  void step_pieces(int body);
  void add_joint_loads(int body);

  // step_clusters.cpp: soft bodies, and what they and rigid parts do to each other
  void step_clusters();
  void step_cluster_body(int body);
  void note_supports();
  bool collide(int a, int b) const;
  MetPart& met_part(int body, int part);
  void reshaped(int body, int part);
  void meet(int body);
  void meet_part(int body, int part, const Bounds& reach, int soft);
  void push_parts(int body, std::span<const particles::Push> pushes);
  void push_part(const Meeting& meeting, const particles::Obstacle& met, const particles::Push& push);
  void note_contact(int body, const Meeting& meeting, const particles::Push& push);
  void check_soft(int body);
  const rigid::Contact& contact(int index) const;  // of the engine, then of soft bodies

  // split.cpp: what has broken becomes several parts
  void split(int body);
  void move_joints(int body, const std::vector<BodyPart>& before);
  std::vector<BodyOverlap> overlaps_of(int body) const;
  void allow_overlaps(int body, std::span<const BodyOverlap> overlaps);
  bool is_in_world(int body, int part) const;

  // compose.cpp: the changed shape goes back to the engine
  void compose(int body);
  void compose_part(const Body& body, const BodyPart& part, PartWork& work) const;
  void apply_effects();
  void apply_shape(BodyPart& part, PartWork& work);
  void check();
  void freeze(int body, std::string why);

  // state.cpp
  Transform place(const BodyPart& part) const;
  void write_places();
  void write_parts();
  void write_plastic_joints();
  Result<void> read_joints(const io::ArrayStore& store);
  Result<void> read_plastic_states(const io::ArrayStore& store);
  Result<void> read_parts(Body& body, const io::ArrayStore& store);
  Result<void> read_overlaps(int body, const io::ArrayStore& store);
  void update_fingerprint();

  Scene scene;
  AssetLibrary library;
  std::vector<Body> bodies;
  std::map<std::string, int> number_of_body;      // by name
  std::vector<JointSlot> joints;                  // the scene's own, then those of its structures
  std::vector<int> slot_of_joint;                 // by index in the rigid world
  structures::State scene_books;                      // of the scene's own plastic joints
  std::vector<unsigned> groups, masks;           // #bodies
  std::vector<std::pair<int, int>> owner_of_part;  // body and its part, by index in the rigid world
  std::vector<std::vector<BodyOverlap>> waiting_overlaps;  // #bodies: of those that are not in the world
  rigid::World rigid;
  rigid::Loads loads;
  // of soft bodies; all but the first two are of the step alone
  std::vector<std::vector<MetPart>> met_parts;   // #bodies, #parts
  std::vector<SoftWork> soft_work;               // #bodies
  std::vector<rigid::Contact> soft_contacts;     // with part_b = -1 - body
  std::vector<particles::Obstacle> soft_parts;   // as one of them meets them
  std::vector<Meeting> meetings;                 // #soft_parts
  std::vector<uint8_t> supported;                // by index in the rigid world: something touches or holds it
  std::vector<Work> work;                        // #bodies
  std::vector<int> busy;                         // bodies whose layers step
  long steps = 0;
  int frame = 0;
  StepReport report;
  StepTimings timings;
  std::vector<PlaceRecord> place_records;        // #pieces of all bodies
  std::vector<PartRecord> part_records;          // #parts of all bodies
  std::vector<std::vector<BodyOverlap>> overlap_records;  // #bodies
  std::vector<PlasticRecord> plastic_records;    // #plastic joints
  rigid::World::StructureHealth earlier_health;  // of the rigid worlds before this one
  long earlier_skipped_pairs = 0;
  uint64_t fingerprint = 0, scene_hash = 0;
};

}  // namespace crumple
