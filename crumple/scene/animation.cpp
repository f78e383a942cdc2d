#include "crumple/scene/animation.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace crumple {
namespace {

namespace fs = std::filesystem;

constexpr double kSameTime = 1e-9;  // s
constexpr size_t kNodesTold = 4;    // of a file

Result<io::NodeMotion> read_clip(const Scene& scene, const NodeClip& clip, io::NodeUse use, const std::string& where) {
  const fs::path file = resolve_path(scene, clip.file);
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return input_error(fmt::format("{}/file: no such file: {}", where, file.string()));
  io::NodeMistake mistake;
  Result<io::NodeMotion> motion = io::read_node_motion(file, clip.node, clip.clip, use, mistake);
  if (!motion) return input_error(fmt::format("{}/{}: {}", where, mistake.key, mistake.text));
  return motion;
}

/// Time of the file, not yet repeated.
double played(const NodeClip& clip, double time) {
  return (time - clip.start) * clip.speed;
}

bool is_gltf(const fs::path& file) {
  return file.extension() == ".glb" || file.extension() == ".gltf";
}

}  // namespace

double clip_time(const NodeClip& clip, const io::NodeMotion& motion, double time) {
  const double length = motion.last - motion.first, since = played(clip, time) - motion.first;
  if (since <= 0 || length <= 0) return motion.first;
  if (since >= length && !clip.loop) return motion.last;
  double within = std::fmod(since, length);
  if (length - within < kSameTime) within = 0;
  // Rounding must not put off a jump to the next step.
  const auto next = std::lower_bound(motion.jumps.begin(), motion.jumps.end(), motion.first + within);
  return next != motion.jumps.end() && *next - motion.first - within < kSameTime ? *next : motion.first + within;
}

bool jumps_within(const NodeClip& clip, const io::NodeMotion& motion, double time, double dt) {
  const double length = motion.last - motion.first, from = played(clip, time) + kSameTime, until = played(clip, time + dt) + kSameTime;
  const auto happens = [&](double at) {
    // The first time after `from` at which it comes round.
    const double next = clip.loop ? at + length * std::max(0.0, std::floor((from - at) / length) + 1) : at;
    return next > from && next <= until;
  };
  if (length <= 0) return false;
  return (clip.loop && !motion.is_closed() && happens(motion.last)) || std::any_of(motion.jumps.begin(), motion.jumps.end(), happens);
}

Result<io::NodeMotion> read_animation(const Scene& scene, const BodyDescription& body) {
  return read_clip(scene, body.animation->clip, io::NodeUse::Body,
                   fmt::format("{}: /bodies/{}/animation", place_in_file(scene, body.line), body.name));
}

Result<std::optional<io::NodeMotion>> read_camera(const Scene& scene) {
  if (scene.camera.clip.file.empty()) return std::optional<io::NodeMotion>();
  Result<io::NodeMotion> motion = read_clip(scene, scene.camera.clip, io::NodeUse::Camera, fmt::format("{}: /camera", scene.file.string()));
  if (!motion) return motion.error();
  return std::optional(std::move(*motion));
}

std::string use_of_animation(const std::string& file, const io::AnimatedNode& node) {
  return fmt::format("\"animation\": {{\"file\": \"{}\", \"node\": \"{}\"}}", file, node.node);
}

std::string use_of_camera(const std::string& file, const std::string& camera) {
  return fmt::format("\"camera\": {{\"file\": \"{}\", \"node\": \"{}\"}}", file, camera);
}

std::vector<std::string> unused_animations(const Scene& scene) {
  std::set<std::string> files;
  for (const auto& [name, file] : scene.assets) files.insert(file);
  std::set<std::pair<std::string, std::string>> used;
  for (const BodyDescription& body : scene.bodies) {
    if (!body.mesh.empty()) files.insert(body.mesh);
    if (body.animation) used.emplace(body.animation->clip.file, body.animation->clip.node);
  }
  std::vector<std::string> notes;
  for (const std::string& file : files) {
    if (!is_gltf(file)) continue;
    const Result<io::AnimatedNodes> animated = io::find_animated_nodes(resolve_path(scene, file));
    if (!animated) continue;  // told by the reader that wants more of it
    size_t told = 0;
    for (const io::AnimatedNode& node : animated->nodes) {
      if (used.contains({file, node.node})) continue;
      if (told++ >= kNodesTold) break;
      notes.push_back(fmt::format("{}: its animation \"{}\" of the node \"{}\" does not move the body; a scripted one follows it by {}", file,
                                  node.clip, node.node, use_of_animation(file, node)));
    }
  }
  return notes;
}

}  // namespace crumple
