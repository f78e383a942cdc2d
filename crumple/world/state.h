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
  int piece_a = 0, piece_b = 0;              // that it holds on to
  int index = -1;                            // in the rigid world, -1 while it is not there
  std::optional<rigid::JointFrames> frames;  // once it has been made
  // of a plastic joint
  std::string name;
  int owner = -1;                              // the body whose link it is; -1: the scene
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

/// What touched a body in a step.
struct Touch {
  int contact;  // see contact()
  bool is_a;
  int part;     // of the body
};

/// One rigid body's share of a step, kept to avoid allocation.
struct BodyWork {
  std::vector<Touch> contacts;
  std::vector<Hit> hits;
  std::vector<PieceLoad> piece_loads;
  std::vector<LinkBreak> breaks;
  bool reshaped = false;
  std::vector<int> moved;             // blocks of vertices, ascending
  std::optional<double> restitution;
  std::vector<PartWork> parts;
  bool finite = true;
};

/// A part of a body and another one that overlap since they broke apart.
struct BodyOverlap {
  double part;           // whole numbers
  double body_b, part_b;
  double depth;          // m; below 0: any
};

/// A rigid part as matter meets it, in its own frame.
struct ObstaclePart {
  bool stale = true;                            // since it came into the world or was reshaped
  Bounds box;                                   // empty: it has none
  rigid::Hulls hulls;                           // whose planes are not made before somebody comes near
  std::vector<rigid::ObstacleShape> shapes;     // empty until then
};

/// Which shape of which part an obstacle is.
struct ObstacleOwner {
  int body, part, shape;
};

/// Everything of a scene in motion. What happens in a step is said by free functions, a file for each concern.
struct WorldState {
  WorldState(const Scene& given, std::shared_ptr<AssetLibrary> library)
      : scene(given), assets(std::move(library)), rigid({given.gravity, given.iterations, given.sleeping}) {}

  double dt() const { return scene.dt(); }
  double time() const { return static_cast<double>(steps) * scene.dt(); }
  Body& body(int index) { return bodies[static_cast<size_t>(index)]; }
  const Body& body(int index) const { return bodies[static_cast<size_t>(index)]; }

  Scene scene;
  SceneAssets assets;
  std::vector<Body> bodies;
  std::map<std::string, int> number_of_body;      // by name
  std::vector<unsigned> groups, masks;            // #bodies: who collides with whom
  // engine
  rigid::World rigid;
  rigid::Loads loads;
  std::vector<std::pair<int, int>> owner_of_part;         // body and its part, by index in the rigid world
  std::vector<std::vector<BodyOverlap>> saved_overlaps;   // #bodies: of those that are not in the world
  // links
  std::vector<JointSlot> joints;                  // the scene's own, then those of bonds
  std::vector<int> slot_of_joint;                 // by index in the rigid world
  std::vector<rigid::JointHistory> scene_joints;  // of the scene's own plastic joints
  // matter; all but the first are of the step alone
  std::vector<std::vector<ObstaclePart>> obstacle_parts;  // #bodies, #parts
  std::vector<rigid::Contact> matter_contacts;            // with part_b = -1 - body
  std::vector<particles::Obstacle> obstacles;             // as one body meets them
  std::vector<ObstacleOwner> obstacle_owners;             // #obstacles
  std::vector<uint8_t> supported;                         // by index in the rigid world: something touches or holds it
  // rigid bodies
  std::vector<BodyWork> work;                     // #bodies
  std::vector<int> busy;                          // bodies whose layers or bonds step

  long steps = 0;
  int frame = 0;
  StepReport report;
  StepTimings timings;
  rigid::World::StructureHealth earlier_health;  // of the rigid worlds before this one
  long earlier_skipped_pairs = 0;
  uint64_t fingerprint = 0, scene_hash = 0;
};

}  // namespace crumple
