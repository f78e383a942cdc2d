#pragma once

#include "crumple/io/node_motion.h"
#include "crumple/scene/scene.h"

namespace crumple {

/// Time within a clip at a time of the scene.
double clip_time(const NodeClip& clip, const io::NodeMotion& motion, double time);
/// Whether a node jumps after a time of the scene, and until `dt` later.
bool jumps_within(const NodeClip& clip, const io::NodeMotion& motion, double time, double dt);

/// Reads the motion that a body follows. Errors name the key.
Result<io::NodeMotion> read_animation(const Scene& scene, const BodyDescription& body);
/// Reads the scene's camera, if a file holds it.
Result<std::optional<io::NodeMotion>> read_camera(const Scene& scene);

/// Animations of files that the scene uses for their shape alone, each with the way to use it.
std::vector<std::string> unused_animations(const Scene& scene);
/// How an animated node or a camera of a file is used, for a scene beside it.
std::string use_of_animation(const std::string& file, const io::AnimatedNode& node);
std::string use_of_camera(const std::string& file, const std::string& camera);

}  // namespace crumple
