#pragma once

#include <map>
#include <optional>
#include <vector>

#include "crumple/world/body.h"
#include "crumple/world/report.h"

namespace crumple {

/// A joint of the scene or of a body's bonds.
struct JointSlot {
  rigid::JointSettings settings;
  int body_a = -1, body_b = -1;
  int piece_a = 0, piece_b = 0;              // that it is attached to
  int index = -1;                            // in the rigid world; -1: absent
  std::optional<rigid::JointFrames> frames;  // once added to the rigid world
  // of a plastic joint
  std::string name;
  int owner = -1;                              // body of the link; -1: the scene
  int history = -1;                            // the owner's link, or its number among the scene's own; -1: not plastic
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

/// A contact of a body in a step.
struct Touch {
  int contact;  // see contact()
  bool is_a;
  int part;     // of the body
};

/// Working data of one rigid body in a step, kept to avoid allocation.
struct BodyWork {
  std::vector<Touch> contacts;
  std::vector<Touching> touching;
  std::vector<Hit> hits;
  std::vector<OtherShape> others;
  std::vector<int> part_of_piece;     // #pieces
  std::vector<int> surface_of_piece;  // #pieces
  std::vector<PieceLoad> piece_loads;
  std::vector<LinkChange> changes;
  bool is_split = false;              // by these changes
  double link_work = 0;               // J that links which broke did on their pieces in the second solve
  std::vector<uint8_t> broken;        // #links: those that gave way before
  bool reshaped = false;
  std::vector<int> moved;             // blocks of vertices, ascending
  std::vector<int> yielded_to;        // bodies whose hits did damage
  std::optional<double> restitution;
  std::vector<Sunk> sunk;
  std::vector<PartWork> parts;
  bool finite = true;
};

/// An allowed overlap between a part of a body and another part.
struct BodyOverlap {
  double part;           // whole numbers
  double body_b, part_b;
  double depth;          // m; below 0: any
};

/// A rigid part as an obstacle to matter, in its own frame.
struct ObstaclePart {
  bool stale = true;                            // new or reshaped since the last refresh()
  Bounds box;                                   // empty: none
  rigid::Hulls hulls;                           // face planes are built lazily, on first approach
  std::vector<rigid::ObstacleShape> shapes;     // empty until then
};

/// Part and shape of an obstacle.
struct ObstacleOwner {
  int body, part, shape;
};
/// Shapes of rigid parts near a body of matter.
struct MatterObstacles {
  std::vector<particles::Obstacle> obstacles;
  std::vector<ObstacleOwner> owners;  // #obstacles
  bool is_done = false;               // whether the body has been stepped among them
};

/// What a part shows to the air, in its own frame.
struct Exposure {
  bool stale = true;
  Vec3 silhouette = Vec3::Zero();  // m^2, along each axis
  Vec3 half = Vec3::Zero();        // m, half its sizes
  // places that stand for all of it, in explosions
  std::vector<Vec3> places;
  std::vector<double> shares;  // of the silhouette
  std::vector<int> hulls;      // of a compound, or -1
};

/// Impulses of explosions on a part in a step.
struct Blast {
  int body, part;
  std::vector<Vec3> places;    // in the part's frame
  std::vector<Vec3> impulses;  // N s, world
  std::vector<int> hulls;      // of a compound, or -1
  std::vector<Vec3> world;     // the places
  std::vector<int> own_hulls;  // of the body's decomposition, or -1
};

/// A rigid body that a body of matter touched.
struct MatterTouch {
  int body, other;
  double impulse;  // N s
};

/// The whole state of a running scene. Free functions step it, one file for each concern.
struct WorldState {
  WorldState(const Scene& given, std::shared_ptr<AssetLibrary> library)
      : scene(given), assets(std::move(library)), rigid(engine_settings(given)) {}

  static rigid::WorldSettings engine_settings(const Scene& scene) { return {scene.gravity, scene.iterations, scene.sleeping, scene.second_phase}; }

  double dt() const { return scene.dt(); }
  double time() const { return static_cast<double>(steps) * scene.dt(); }
  Body& body(int index) { return bodies[static_cast<size_t>(index)]; }
  const Body& body(int index) const { return bodies[static_cast<size_t>(index)]; }

  Scene scene;
  SceneAssets assets;
  std::vector<Body> bodies;
  std::map<std::string, int> number_of_body;      // by name
  std::vector<unsigned> groups, masks;            // #bodies: collision groups, as bits
  // engine
  rigid::World rigid;
  rigid::Loads loads;
  std::vector<std::pair<int, int>> owner_of_part;         // body and its part, by index in the rigid world
  std::vector<std::vector<BodyOverlap>> saved_overlaps;   // #bodies: of absent bodies
  // links
  std::vector<JointSlot> joints;                  // the scene's own, then those of bonds
  std::vector<std::vector<int>> joints_of_body;   // #bodies: slots of its joints
  std::vector<int> slot_of_joint;                 // by index in the rigid world
  std::vector<rigid::JointHistory> scene_joints;  // of the scene's own plastic joints
  // matter; all but the first are valid within a step only
  std::vector<std::vector<ObstaclePart>> obstacle_parts;  // #bodies, #parts
  std::vector<rigid::Contact> matter_contacts;            // with part_b = -1 - body
  std::vector<MatterObstacles> matter_obstacles;          // #bodies: of matter
  std::vector<Bounds> matter_reach;                       // #bodies: where particles may be at the end of the step
  std::vector<uint8_t> supported;                         // by index in the rigid world: has a contact or a joint
  // forces and events
  std::vector<std::vector<uint8_t>> force_acts;  // #forces, #bodies
  std::vector<std::vector<Exposure>> exposures;  // #bodies, #parts
  std::vector<Blast> blasts;                     // of the step
  std::map<const When*, int> number_of_event;
  std::vector<double> happened;                  // #events, s; below 0: not yet
  std::vector<MatterTouch> matter_touches;       // of the step, if there are events
  // rigid bodies
  std::vector<BodyWork> work;                     // #bodies
  std::vector<int> busy;                          // bodies with layers or bonds to step

  long steps = 0;
  int frame = 0;
  StepReport report;
  StepTimings timings;
  rigid::World::StructureHealth earlier_health;  // of the rigid worlds before the last rebuild
  long earlier_skipped_pairs = 0;
  uint64_t fingerprint = 0, scene_hash = 0;
};

}  // namespace crumple
