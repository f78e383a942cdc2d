#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/scene/scene.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

struct ShotOptions {
  std::string asset, file, kind = "drop";
  std::optional<double> speed;
  bool pin = false, force = false;
};

constexpr double kRadius = 0.45;  // of damage, over the size of the body

/// Three digits, as a person would write it.
std::string rounded(double value) {
  return fmt::format("{:.3g}", value);
}

/// Where the body's origin must be for its lowest point to be at height 0 after turning.
double standing_height(const Asset& asset, const Vec3& turn) {
  const Mat3 rotation = rotation_from_degrees(turn);
  double lowest = 1e300;
  for (const Vec3& p : asset.tets.positions) lowest = std::min(lowest, (rotation * p).y());
  return -lowest;
}

std::string body_line(const std::string& name, const Vec3& at, const Vec3& turn, const Vec3& velocity, double radius) {
  return fmt::format(R"(    {{"name": "{0}", "asset": "{0}", "at": [{1}, {2}, {3}], "turn": [{4}, {5}, {6}], "velocity": [{7}, {8}, {9}], "density": 300,
     // gain: how readily hits turn into damage; yield: the speed change (m/s) that leaves a mark; radius: how far damage spreads (m)
     "examples": {{"gain": 300, "yield": 0.4, "radius": {10}, "lag": 0.9}}}})",
                     name, rounded(at.x()), rounded(at.y()), rounded(at.z()), rounded(turn.x()), rounded(turn.y()), rounded(turn.z()), rounded(velocity.x()),
                     rounded(velocity.y()), rounded(velocity.z()), rounded(radius));
}

/// What is in a shot besides the ground, and from where it is seen.
struct Staging {
  std::string bodies = {}, joints = {};
  Vec3 eye, target;
};

Staging drop(const std::string& name, const Asset& asset, double speed) {
  const double size = bounds_of(asset.tets.positions).diagonal();
  const Vec3 tilted(20, 0, 15), start(0, standing_height(asset, tilted) + 0.3 * size, 0);
  return {.bodies = body_line(name, start, tilted, Vec3(0, -speed, 0), kRadius * size), .eye = size * Vec3(1.3, 0.9, 2.1), .target = size * Vec3(0, 0.35, 0)};
}

Staging wall(const std::string& name, const Asset& asset, double speed) {
  const Bounds bounds = bounds_of(asset.tets.positions);
  const double size = bounds.diagonal(), stand = standing_height(asset, Vec3::Zero()) + 0.002 * size;
  const std::string wall =
      fmt::format(R"(    {{"name": "wall", "box": [{0}, {1}, {2}], "at": [{3}, {4}, 0], "motion": "static", "look": {{"color": [0.36, 0.35, 0.33], "roughness": 0.9}}}},
)",
                  rounded(0.2 * size), rounded(size), rounded(2 * size), rounded(bounds.high.x() + 0.3 * size), rounded(0.5 * size));
  return {.bodies = wall + body_line(name, Vec3(0, stand, 0), Vec3::Zero(), Vec3(speed, 0, 0), kRadius * size),
          .eye = size * Vec3(-1.1, 0.8, 2.1),
          .target = Vec3(0.25 * size, 0.25 * size, 0)};
}

Staging block(const std::string& name, const Asset& asset, double speed) {
  const Bounds bounds = bounds_of(asset.tets.positions);
  const double size = bounds.diagonal(), stand = standing_height(asset, Vec3::Zero()) + 0.002 * size, edge = 0.35 * size;
  const std::string block = fmt::format(R"(,
    {{"name": "block", "box": [{0}, {0}, {0}], "at": [0, {1}, 0], "turn": [10, 20, 15], "velocity": [0, {2}, 0], "density": 2500}})",
                                        rounded(edge), rounded(stand + bounds.high.y() + edge), rounded(-speed));
  return {.bodies = body_line(name, Vec3(0, stand, 0), Vec3::Zero(), Vec3::Zero(), kRadius * size) + block,
          .eye = size * Vec3(1.2, 1.0, 2.0),
          .target = Vec3(0, stand, 0)};
}

/// The ball comes a little from the left and above and is gone after it has struck.
Staging ball(const std::string& name, const Asset& asset, double speed) {
  const Bounds bounds = bounds_of(asset.tets.positions);
  const double size = bounds.diagonal(), stand = standing_height(asset, Vec3::Zero()) + 0.002 * size, radius = 0.11 * size;
  const Vec3 aim(0.5 * (bounds.low.x() + bounds.high.x()), stand + bounds.low.y() + 0.8 * (bounds.high.y() - bounds.low.y()), bounds.high.z());
  const Vec3 from = aim + size * Vec3(-0.3, 0.12, 0.8), velocity = speed * (aim - from).normalized();
  const std::string ball = fmt::format(R"(,
    {{"name": "ball", "sphere": {}, "at": [{}, {}, {}], "velocity": [{}, {}, {}], "density": 5000, "look": {{"color": [0.05, 0.05, 0.055], "metal": 0.7, "roughness": 0.3}}}})",
                                       rounded(radius), rounded(from.x()), rounded(from.y()), rounded(from.z()), rounded(velocity.x()), rounded(velocity.y()),
                                       rounded(velocity.z()));
  return {.bodies = body_line(name, Vec3(0, stand, 0), Vec3::Zero(), Vec3::Zero(), kRadius * size) + ball,
          .eye = size * Vec3(1.5, 0.9, 1.3),
          .target = Vec3(0, stand + 0.5 * (bounds.low.y() + bounds.high.y()), 0)};
}

Staging stage(const ShotOptions& options, const std::string& name, const Asset& asset, double speed) {
  Staging staging = options.kind == "drop" ? drop(name, asset, speed)
                    : options.kind == "wall" ? wall(name, asset, speed)
                    : options.kind == "ball" ? ball(name, asset, speed)
                                             : block(name, asset, speed);
  if (options.pin) staging.joints = fmt::format(",\n  \"joints\": [{{\"name\": \"pin\", \"kind\": \"fixed\", \"body\": \"{}\", \"at\": [0, 0, 0]}}]", name);
  return staging;
}

std::string scene_text(const ShotOptions& options, const std::string& name, const Asset& asset, const std::string& path, double speed) {
  const Staging staging = stage(options, name, asset, speed);
  const double friction = options.kind == "wall" ? 0.1 : 0.5;  // wheels would roll
  const auto vector = [](const Vec3& v) { return fmt::format("[{}, {}, {}]", rounded(v.x()), rounded(v.y()), rounded(v.z())); };
  return fmt::format(R"({{
  "crumple": 1,
  "title": "{0}: {1}",
  "fps": 60,
  "substeps": 4,
  "seconds": 2,
  "assets": {{"{0}": {2}}},
  "camera": {{"eye": {3}, "target": {4}, "fov": 32}},
  "bodies": [
    {{"name": "ground", "plane": [0, 1, 0, 0], "material": {{"friction": {5}}}, "look": {{"color": [0.3, 0.29, 0.27], "roughness": 0.9}}}},
{6}
  ]{7}
}}
)",
                     name, options.kind, write_json(Json(path)), vector(staging.eye), vector(staging.target), friction, staging.bodies, staging.joints);
}

/// A name that is safe in a scene: letters, digits, spaces, - and _.
std::string plain_name(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != ' ') c = '_';
  }
  return name.empty() ? "asset" : name;
}

int run(const ShotOptions& options) {
  if (Result<void> possible = check_output(options.file); !possible) return print_error(possible.error());
  std::error_code ignored;
  if (!options.force && fs::exists(options.file, ignored)) {
    return print_error(input_error(fmt::format("{}: exists already; overwrite it with --force", options.file)));
  }
  Result<Asset> asset = io::read_asset(options.asset);
  if (!asset) return print_error(asset.error());
  if (asset->flat) return print_error(input_error(fmt::format("{}: is a drawing; this is for solid assets", options.asset)));
  if (asset->examples.size() < 2) {
    return print_error(input_error(fmt::format("{}: has no example but the rest pose, so nothing can be damaged; add one with 'crumple pose'", options.asset)));
  }
  std::error_code failed;
  const fs::path folder = fs::absolute(options.file).parent_path();
  const fs::path path = fs::relative(fs::absolute(options.asset), folder, failed);
  const double speed = options.speed.value_or(options.kind == "wall" || options.kind == "ball" ? 12 : 7);
  const std::string text = scene_text(options, plain_name(fs::path(options.asset).stem().string()), *asset, (failed ? fs::absolute(options.asset) : path).generic_string(), speed);
  if (Result<Scene> valid = parse_scene(text, options.file); !valid) return print_error(valid.error());
  if (Result<void> written = io::write_file(options.file, text); !written) return print_error(written.error());
  print("{}: see it with 'crumple demo {}'\n", options.file, options.file);
  return kDone;
}

}  // namespace

void add_shot(CLI::App& app, Action& action) {
  auto options = std::make_shared<ShotOptions>();
  Command command(app, "shot", "Write a first scene for an asset: something hits it");
  command.add_option("asset", options->asset, "Asset made by 'crumple rig' or 'crumple fit' (.glb)").required();
  command.add_option("-o,--output", options->file, "Scene file to write (.json)").required();
  command.add_option("--kind", options->kind, "drop: falls on the ground; wall: runs into a wall along +x; block: a block falls on it; ball: a ball is shot at it")
      .one_of({"drop", "wall", "block", "ball"});
  command.add_flag("--force", options->force, "Overwrite an existing scene");
  command.add_flag("--pin", options->pin, "Hold the asset to the ground where it stands");
  command.add_option("--speed", options->speed, "Of the impact, m/s (default 7; 12 for wall and ball)").range(0.1, 200.0);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
