#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "crumple/io/gltf_scene.h"

namespace crumple::io {

/// Place of a node of a glTF file over time, as the nodes above it and their animations make it.
struct NodeMotion {
  struct Link {
    GltfPose rest;
    std::vector<GltfChannel> channels;
  };
  std::vector<Link> chain;            // from the root to the node
  double first = 0, last = 0;         // s, of the keys
  std::vector<double> jumps;          // s, ascending: where it goes from one place to another in no time
  std::optional<double> fov_degrees;  // vertical, of a camera

  bool moves() const { return last > first; }
  /// Before the first and after the last key it waits.
  Transform at(double time) const;
  /// Whether it ends where it begins, so that repeating it needs no jump.
  bool is_closed() const;
};

enum class NodeUse {
  Body,    ///< it must be animated
  Camera,  ///< it, or one node right below it, must be a perspective camera
};

/// What is wrong with a name, and which: the key of the caller's that holds it.
struct NodeMistake {
  std::string key;  // "file", "node" or "clip"
  std::string text;
};

/// Reads the motion of a node, given by its name or, where several have that, by its path ("arm/hand"). `clip` names an animation; if it is
/// empty, each node is moved by the first animation that moves it. An empty node is the first camera.
Result<NodeMotion> read_node_motion(const std::filesystem::path& file, const std::string& node, const std::string& clip, NodeUse use,
                                    NodeMistake& mistake);

/// What moves in a file, and what looks.
struct AnimatedNode {
  std::string node;
  std::string clip;
  double seconds = 0;  // from its first to its last key
};
struct AnimatedNodes {
  std::vector<AnimatedNode> nodes;  // without joints of skins, which are handles of assets
  std::vector<std::string> cameras;
};
Result<AnimatedNodes> find_animated_nodes(const std::filesystem::path& file);

/// A node that is shown, without those below it.
struct PlacedNode {
  std::string name;
  Json extras;     // under "crumple", if there is anything
  Transform place;  // in the scene
  Vec3 scale = Vec3::Ones();
  bool is_plain = true;  // neither mirrored nor sheared
};
Result<std::vector<PlacedNode>> read_placed_nodes(const std::filesystem::path& file);

}  // namespace crumple::io
