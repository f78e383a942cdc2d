#include "crumple/scene/import/paper2_scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "crumple/io/files.h"
#include "crumple/io/particles.h"
#include "crumple/scene/import/lenient_json.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

constexpr double kSeconds = 15;      // no scene of theirs says how long it is
constexpr double kMaxNumber = 1e12;       // of our numbers
constexpr double kTheirCore = 0.01;  // their inverse-square weight is 1 / (r^2 + 1e-4), whatever the radius

constexpr double kFar = 1e9, kFast = 1e6, kMaxAlpha = 1e4;
// Torn faces in another colour than the skin, both unlike the background.
const Vec3f kSkin(0.12f, 0.3f, 0.45f), kTorn(0.75f, 0.42f, 0.1f);
constexpr double kFov = 34;   // degrees
constexpr double kRoom = 1.6;  // around what begins, in its radii: pieces fly

/// A share that goes in each of their steps, as a rate.
double rate(double share, double dt) {
  return -std::log(std::max(1 - share, 1e-12)) / dt;
}

/// Where a file is, from the scene's folder: as it is named there or in a folder above (they start their program above the scenes), beside the scene,
/// or among data beside the scene's folder. As named, if it is nowhere.
fs::path find_file(const fs::path& scene, const std::string& named) {
  const fs::path path = fs::path(named).lexically_normal(), name = path.filename();
  std::vector<fs::path> places = {path, name};
  for (const char* up : {"..", "../..", "../../.."}) places.push_back(fs::path(up) / path);
  for (const char* folder : {"data", "../data", "particles", "../particles"}) places.push_back(fs::path(folder) / name);
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(scene.parent_path() / place, ignored)) return place;
  }
  return path;
}

class Paper2Importer {
 public:
  Paper2Importer(const Json& json, const fs::path& file) : file_(file), root_(json, file.string(), error_) {}

  Result<Scene> run() {
    scene_.file = file_, scene_.fps = 60, scene_.seconds = kSeconds;
    dt_ = root_.number("dt", 1.0 / 60, 1e-6, 1), scene_.step = dt_;
    scene_.gravity = root_.vector("gravity", scene_.gravity);
    BodyDescription body;
    body.name = "body";
    clusters::BodySettings& clusters = body.of<clusters::BodySettings>().emplace();
    clusters.fill.prestretch = root_.vector("initialStretch", Vec3::Ones());
    if (!(clusters.fill.prestretch.minCoeff() >= 0.1 && clusters.fill.prestretch.maxCoeff() <= 10)) {
      root_.complain("initialStretch", "must be between 0.1 and 10 along each axis");
    }
    const double count = particle_files(body);
    body.mass = count * root_.number("mass", 0.1, 1e-9, 1e9);
    clustering(clusters.clusters, static_cast<double>(body.particles.size()));
    elasticity(clusters.clusters);
    fracture(clusters.clusters);
    loads(clusters.boundary);
    look(body, clusters), frame(clusters.boundary);
    for (const std::string& key : root_.unknown_keys()) note(key);
    if (!error_.empty()) return input_error(error_);
    for (const std::string& note : notes_) scene_.notes.push_back(note);
    scene_.bodies.push_back(std::move(body));
    return scene_;
  }

 private:
  /// How many particles there are in all: their mass is that of one, ours that of the body.
  double particle_files(BodyDescription& body) {
    for (const Json& item : root_.list("particleFiles")) {
      if (!item.is_text()) return complain(item, "\"particleFiles\": expected the names of files"), 0;
      body.particles.emplace_back().file = item.text;
    }
    each("movingParticleFiles", [&](LenientJson& object) {
      ParticleFile& file = body.particles.emplace_back();
      file.file = object.text("filename");
      if (file.file.empty()) object.complain("filename", "is missing");
      file.scale = object.number("scale", 1, 1e-6, 1e6), file.at = object.vector("offset"), file.velocity = object.vector("velocity");
    });
    if (body.particles.empty()) root_.complain("particleFiles", "names no file");
    for (ParticleFile& file : body.particles) {
      if (!error_.empty()) break;
      file.file = find_file(file_, file.file).generic_string();
      const Result<std::vector<Vec3>> points = io::read_particles(resolve_path(scene_, file.file));
      if (!points) return root_.complain(root_.has("particleFiles") ? "particleFiles" : "movingParticleFiles", points.error().text), 0;
      for (const Vec3& p : *points) points_.push_back(file.scale * p + file.at);
    }
    return static_cast<double>(points_.size());
  }

  /// They cluster file by file.
  void clustering(clusters::Settings& s, double files) {
    s.clusters = static_cast<int>(std::min(1e5, root_.number("nClusters", 1, 1, 1e5) * files));
    s.radius = root_.number("neighborRadius", 0.1, 1e-9, kMaxNumber);
    s.core = kTheirCore, s.seeding = clusters::Seeding::Libcxx;
    const int kernel = static_cast<int>(root_.number("clusterKernel", 0));
    if (kernel == 1) s.kernel = clusters::Kernel::Constant;
    if (kernel == 2 || kernel == 3) s.kernel = clusters::Kernel::Poly6;
    if (kernel < 0 || kernel > 2) note(fmt::format("clusterKernel {}", kernel));
    if (root_.number("clusteringAlgorithm", 0) != 0) note("clusteringAlgorithm: fuzzy clustering is used");
  }

  /// Shares of a step become rates, or what they are in 1/60 s.
  void elasticity(clusters::Settings& s) {
    const double steps = dt_ / clusters::kReferenceStep;
    const double alpha = root_.number("alpha", 1, 0, kMaxAlpha), damped = root_.number("springDamping", 0, 0, 1);
    s.stiffness = std::min(1e4, alpha / (steps * steps)), s.overshoot = std::max(1.0, alpha);
    // With a share d of the velocity damped, x and v of a spring after a step are stable while alpha < 4 - 2 d.
    if (alpha >= 4 - 2 * damped) {
      tell(fmt::format("alpha {:g}: particles swing past their goals by more each time, and the body flies apart; below {:g} it does not", alpha, 4 - 2 * damped));
    } else if (alpha > 1) {
      tell(fmt::format("alpha {:g}: particles swing past their goals", alpha));
    }
    s.damping = rate(damped, dt_), s.damp_spin = true;
    const double gamma = root_.number("gamma", 0.1, 0, kMaxNumber);
    s.stretch = root_.number("maxStretch", gamma, 0, kMaxNumber);
    s.sweeps = static_cast<int>(root_.number("numConstraintIters", 5, 0, 100)), s.relax = root_.number("omega", 1, 0, 1);
    s.yield = std::min(kMaxNumber, root_.number("yield", 0, 0, INFINITY));
    s.flow = std::min(kMaxNumber, root_.number("nu", 0, 0, INFINITY) / steps);
    s.hardening = root_.number("hardening", 0, -1e5, 1e5) / dt_;
    s.self_collision = on("selfCollisions"), s.give = root_.number("collisionRestitution", 0.5, 0, 1);
    s.flat = root_.number("collisionGeometryThreshold", 0.5, 0, 1);
  }

  static void look(BodyDescription& body, clusters::BodySettings& settings) {
    body.look.emplace().color = kSkin;
    settings.inner.emplace().color = kTorn, settings.inner->roughness = 0.9;
  }

  /// A camera that sees the body where it begins and, if it falls, the floor under it.
  void frame(const particles::Boundary& loads) {
    Bounds seen = bounds_of(points_);
    if (seen.empty()) return;
    const Vec3 middle = 0.5 * (seen.low + seen.high);
    for (const particles::PlaneObstacle& plane : loads.planes) {
      const double under = plane.normal.dot(middle) - plane.offset;
      if (plane.normal.dot(scene_.gravity) < 0 && under > 0 && under < kFar) seen.add(middle - under * plane.normal);
    }
    const double distance = kRoom * 0.5 * seen.diagonal() / std::tan(0.5 * kFov * std::numbers::pi / 180);
    const Vec3 target = 0.5 * (seen.low + seen.high);
    scene_.camera.target = target, scene_.camera.fov = kFov;
    scene_.camera.eye = target + distance * Vec3(0.52, 0.42, 0.85).normalized();
  }

  void fracture(clusters::Settings& s) {
    s.toughness = std::min(kMaxNumber, root_.number("toughness", kMaxNumber, 0, INFINITY));
    if (!on("fracture")) s.toughness = kMaxNumber;
    s.boost = root_.number("toughnessBoost", 0, 0, 1e6);
    s.falloff = std::min(1e9, root_.number("toughnessFalloff", 1e9, 0, INFINITY));
    s.boosted_at_start = true, s.delay = on("delayRepeatedFracture");
    s.held_toughness = s.boost > 0 ? 1 : 10;  // their boost overwrites the factor
    s.bridge = 0;  // their program has no such rule
    s.outlier = root_.number("outlierThreshold", 2, 1e-9, kMaxNumber);
  }

  void loads(particles::Boundary& loads) {
    const particles::Touch touch{0, rate(0.6, dt_)};  // what slides keeps 0.4 in each of their steps
    for (const Json& item : root_.list("planes")) {
      particles::PlaneObstacle plane;
      if (!plane_of(item, plane)) break;
      plane.touch = touch, loads.planes.push_back(plane);
    }
    each("movingPlanes", [&](LenientJson& object) {
      particles::Clamp clamp =
          particles::moving_clamp(direction(object, "normal"), object.number("offset", 0, -kFar, kFar), object.number("velocity", 0, -kFast, kFast));
      clamp.touch = touch, clamp.end = lifetime(object), add(loads, clamp, "movingPlanes");
    });
    each("twistingPlanes", [&](LenientJson& object) {
      object.get("width");  // of its picture
      const double offset = object.number("offset", 0, -kFar, kFar), spin = object.number("angularVelocity", 0, -kFast, kFast);
      add(loads, particles::twisting_clamp(direction(object, "normal"), offset, spin, lifetime(object)), "twistingPlanes");
    });
    each("tiltingPlanes", [&](LenientJson& object) {
      object.get("width");
      const double offset = object.number("offset", 0, -kFar, kFar), spin = object.number("angularVelocity", 0, -kFast, kFast);
      add(loads, particles::tilting_clamp(direction(object, "normal"), direction(object, "tilt"), offset, spin, lifetime(object)), "tiltingPlanes");
    });
    each("projectiles", [&](LenientJson& object) {
      particles::BallObstacle ball;
      ball.center = object.vector("start"), ball.velocity = object.vector("velocity"), ball.radius = object.number("radius", 0.1, 1e-9, 1e6);
      ball.push = object.number("momentumScale", 0, 0, 1e6) / dt_, loads.balls.push_back(ball);
    });
    each("cylinders", [&](LenientJson& object) {
      particles::CylinderObstacle cylinder;
      cylinder.axis = direction(object, "normal"), cylinder.point = object.vector("supportPoint"),
      cylinder.radius = object.number("radius", 0.1, 1e-9, 1e6);
      cylinder.kick = 2 * clusters::kReferenceStep / dt_, loads.cylinders.push_back(cylinder);
    });
  }

  /// A plane that holds nothing is allowed there: all it does is to keep particles out, if it does that.
  void add(particles::Boundary& loads, const particles::Clamp& clamp, const char* key) {
    const bool holds = std::any_of(points_.begin(), points_.end(), [&](const Vec3& p) { return clamp.normal.dot(p) > clamp.offset; });
    if (holds) return loads.clamps.push_back(clamp);
    note(fmt::format("{} that hold nothing", key));
    if (!clamp.blocks) return;
    particles::PlaneObstacle plane;
    plane.normal = -clamp.normal, plane.offset = -clamp.offset, plane.velocity = clamp.velocity, plane.touch = clamp.touch, plane.end = clamp.end;
    loads.planes.push_back(plane);
  }

  bool plane_of(const Json& item, particles::PlaneObstacle& plane) {
    const auto is_number = [](const Json& part) { return part.is_number() && std::abs(part.number) <= 1e9; };
    const bool fine = item.is_array() && item.items.size() == 4 && std::all_of(item.items.begin(), item.items.end(), is_number);
    if (!fine) return complain(item, "\"planes\": expected four numbers: a normal and an offset"), false;
    const Vec3 normal(item.items[0].number, item.items[1].number, item.items[2].number);
    if (normal.norm() < 1e-9) return complain(item, "\"planes\": the normal has no length"), false;
    plane.normal = normal.normalized(), plane.offset = item.items[3].number;  // they do not scale the offset either
    return true;
  }

  Vec3 direction(LenientJson& object, const char* key) {
    const Vec3 given = object.vector(key, Vec3::UnitY());
    if (given.norm() >= 1e-9) return given.normalized();
    object.complain(key, "has no length");
    return Vec3::UnitY();
  }

  double lifetime(LenientJson& object) { return object.number("lifetime", particles::kForever, 1e-9, kMaxNumber); }

  /// Their switches are words: all but "off" is on.
  bool on(const char* key) { return root_.text(key) != "off"; }

  /// Calls `read` for each object of a list.
  template <class Read>
  void each(const char* key, const Read& read) {
    for (const Json& item : root_.list(key)) {
      if (!error_.empty()) return;
      if (!item.is_object()) return complain(item, fmt::format("\"{}\": expected objects", key));
      LenientJson object(item, file_.string(), error_);
      read(object);
      for (const std::string& unknown : object.unknown_keys()) note(fmt::format("{} of {}", unknown, key));
    }
  }

  void complain(const Json& at, std::string_view what) {
    if (error_.empty()) error_ = fmt::format("{}:{}: {}", file_.string(), at.line, what);
  }
  void note(std::string_view what) { tell(fmt::format("left out: {}", what)); }
  void tell(std::string what) { notes_.insert(std::move(what)); }

  fs::path file_;
  std::string error_;
  LenientJson root_;
  Scene scene_;
  double dt_ = 1.0 / 60;
  std::vector<Vec3> points_;  // of all files
  std::set<std::string> notes_;
};

}  // namespace

bool is_paper2_scene(const Json& json) {
  return json.is_object() && !json.find("crumple") && (json.find("particleFiles") || json.find("movingParticleFiles"));
}

Result<Scene> read_paper2_scene(const Json& json, const fs::path& file) {
  return Paper2Importer(json, file).run();
}

Result<Paper2Body> load_paper2_body(const fs::path& file) {
  const Result<Scene> scene = load_scene(file);
  if (!scene) return scene.error();
  if (scene->bodies.size() != 1 || scene->bodies[0].particles.empty())
    return input_error(fmt::format("{}: is no scene of paper 2's authors", file.string()));
  const BodyDescription& body = scene->bodies[0];
  Paper2Body made;
  made.settings = body.of<clusters::BodySettings>()->clusters, made.boundary = body.of<clusters::BodySettings>()->boundary, made.gravity = scene->gravity, made.dt = scene->dt();
  for (const ParticleFile& from : body.particles) {
    const Result<std::vector<Vec3>> points = io::read_particles(resolve_path(*scene, from.file));
    if (!points) return points.error();
    for (const Vec3& p : *points) made.particles.positions.push_back(from.scale * p + from.at);
  }
  made.particles.masses = {*body.mass / static_cast<double>(made.particles.positions.size())};
  return made;
}

}  // namespace crumple
