#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/geometry/frame.h"
#include "crumple/methods/faults.h"
#include "crumple/methods/list.h"
#include "crumple/rigid/kinds.h"
#include "crumple/rigid/stock.h"
#include "crumple/scene/forces.h"

namespace crumple {

inline constexpr double kWater = 1000;     // kg/m^3: density of what has neither density nor mass

/// How a body's surface behaves in contact.
struct Material {
  double friction = 0.5;
  double restitution = 0.2;
  double rolling_friction = 0;
  double damping = 0, spin_damping = 0.01;
};

/// How finely a crumpling body is approximated for collision.
struct HullsDescription {
  std::optional<double> tolerance;  // m; absent: a share of the body's size
  int least = 8, most = 24;
  double margin = 0.005;  // m; less around small bodies unless it is given: see rigid::margin_for
};

/// A stretch of scripted velocity.
struct ScriptStep {
  double from = 0;
  std::optional<double> until;
  std::optional<Vec3> velocity, spin;
  std::optional<When> when;  // what the times count from
};

/// A node of a GLB file whose place over time is used.
struct NodeClip {
  std::string file, node, clip;  // no clip: whatever moves the node
  double start = 0;              // s, when the file's time is 0
  double speed = 1;
  bool loop = false;
};

/// A body goes where a node goes.
struct NodeAnimation {
  NodeClip clip;
  std::optional<When> when;  // what `start` counts from
};

/// One of the places of a body that is written once.
struct Place {
  std::string name;
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> turn;
};

/// Particles of a body that has no surface of its own: a text file of them, put somewhere in the body's frame.
struct ParticleFile {
  std::string file;
  double scale = 1;
  Vec3 at = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();  // beside the body's
};

struct BodyDescription {
  std::string name;
  std::string preset;  // where values came from that the file does not hold; they are filled in when it is read
  // the shape: exactly one of these
  std::optional<std::vector<double>> box, cylinder, capsule, plane, polygon;
  std::optional<double> sphere;
  std::string mesh, asset;
  std::vector<ParticleFile> particles;

  Vec3 at = Vec3::Zero();
  std::optional<Vec3> turn;  // degrees about x, then y, then z
  std::optional<std::vector<double>> quaternion;  // x y z w, instead of turn
  double scale = 1;
  std::vector<Place> places;

  rigid::Motion motion = rigid::Motion::Dynamic;
  std::optional<double> mass, density;  // density 1000 if neither is given; of a structure: of what has none of its own
  Material material;
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
  std::vector<ScriptStep> script;
  std::optional<NodeAnimation> animation;  // instead of a script; `at` and `turn` then place the origin of its file
  double start = 0;
  std::optional<double> end;
  std::optional<When> when;     // when it appears; `start` and `end` count from it
  std::optional<When> release;  // until then it stands still and is not moved
  std::string group;
  std::vector<std::string> ignores;
  bool asleep = false;

  MethodSettings methods;  // each absent or present; some bring the shape
  HullsDescription hulls;
  std::optional<Appearance> look;  // absent: the asset's own, or plain grey

  int line = 0;  // of the file it was read from, for messages

  /// What is said about one method, by the type of its settings.
  template <class Settings>
  std::optional<Settings>& of() {
    return std::get<std::optional<Settings>>(methods);
  }
  template <class Settings>
  const std::optional<Settings>& of() const {
    return std::get<std::optional<Settings>>(methods);
  }
};

/// What a method that a body has says about itself; nothing if it has none of this kind.
const MethodInfo* method_of(const BodyDescription& body, MethodKind kind);
/// Likewise of the method that brings its shape.
const MethodInfo* shape_method(const BodyDescription& body);

struct JointDescription {
  std::string name;
  rigid::JointKind kind = rigid::JointKind::Fixed;
  std::string body, to;  // `to` empty: the world
  Vec3 at = Vec3::Zero();
  Vec3 axis = Vec3::UnitY();
  std::optional<double> low, high;
  std::optional<double> motor;
  double strength = 0;
  bool collide = false;
  // of a plastic joint
  std::optional<rigid::SectionChoice> section;
  std::optional<rigid::MaterialChoice> material;
  std::optional<double> length;  // of the bar that bends at the joint, m
  std::optional<Vec3> up;        // direction of the section's height; absent: y, or x if the axis stands
  std::optional<rigid::Behaviour> behaviour;

  int line = 0;  // of the file it was read from, for messages
};

struct CameraDescription {
  std::optional<Vec3> eye, target;
  std::optional<double> fov;
  NodeClip clip;  // with a file: the camera is a node of it
};

/// Everything an artist writes about a shot. SI units, right-handed, y up.
struct Scene {
  int version = 1;
  std::string title;
  double fps = 60;
  int substeps = 4;
  double seconds = 5;
  Vec3 gravity = Vec3(0, -9.81, 0);  // at the start
  Keyed<Vec3> gravity_keys;          // where it changes; without keys it stays
  int checkpoint = 60;  // frames
  int iterations = 10;
  bool sleeping = true;
  bool second_phase = true;
  bool flat = false;  // everything moves in the plane z = 0
  std::optional<double> step;  // s; foreign scenes keep their own step, ours derive it
  std::map<std::string, std::string> assets;
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<ForceDescription> forces;
  CameraDescription camera;

  // not in the file
  std::filesystem::path file;  // where it was read from
  std::vector<std::string> notes;  // what an importer had to leave out
  std::map<std::string, int> asset_lines;

  double dt() const { return step ? *step : 1.0 / (fps * substeps); }
  int frame_count() const;  // the last frame's number; frame 0 is the start
  /// Changes one value: "/bodies/drum 1/examples/yield=2", as --set does. Everything is checked again; nothing changes if it is wrong.
  Result<void> set(const std::string& change);
};

/// Whether a world can be built from it: what the reader of files asks for, and what refers to something else is there.
Result<void> check_scene(const Scene& scene);

void describe(Fields& fields, ParticleFile& file);
void describe(Fields& fields, Scene& scene);
void describe(Fields& fields, JointDescription& joint);

/// Reads a scene of ours or of the authors of papers 1 and 2, after applying `changes` ("/bodies/drum 1/examples/yield=2"). Repeated bodies are
/// expanded and everything is validated; files it names are found beside it.
Result<Scene> load_scene(const std::filesystem::path& file, const std::vector<std::string>& changes = {});

/// The same from a text, named `file` in messages.
Result<Scene> parse_scene(std::string_view text, const std::filesystem::path& file, const std::vector<std::string>& changes = {});

/// What is allowed but will hardly be meant, such as speeds at which bodies are frozen.
std::vector<std::string> scene_warnings(const Scene& scene);

Json scene_json(const Scene& scene);
Json scene_schema();

/// The law of a plastic joint between bodies; complaints name the key that is wrong.
Result<rigid::PlasticLaw> law_of(const JointDescription& joint);

Mat3 rotation_of(const BodyDescription& body);
Mat3 rotation_from_degrees(const Vec3& turn);
std::filesystem::path resolve_path(const Scene& scene, const std::string& file);
/// "dock.json:12", for messages; line 0 is unknown.
std::string place_in_file(const Scene& scene, int line);

}  // namespace crumple
