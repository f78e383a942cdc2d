#include "crumple/io/node_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "crumple/core/suggest.h"

namespace crumple::io {
namespace {

constexpr double kSameScale = 1e-4;  // tools write 0.99999994
constexpr double kSamePlace = 1e-5;  // m, and entries of a rotation
constexpr size_t kNamesTold = 8;

std::string name_of(const Json& item, std::string_view kind, size_t index) {
  const Json* name = item.find("name");
  return name && name->is_text() && !name->text.empty() ? name->text : fmt::format("{} {}", kind, index);
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamesTold); ++i) text += fmt::format("{}\"{}\"", i > 0 ? ", " : "", names[i]);
  if (names.size() > kNamesTold) text += fmt::format(" and {} more", names.size() - kNamesTold);
  return text;
}

/// Finds the node and reads all that moves it.
class MotionReader {
 public:
  MotionReader(GltfScene& scene, NodeUse use, NodeMistake& mistake) : scene_(scene), document_(scene.document()), use_(use), mistake_(mistake) {}

  Result<NodeMotion> read(const std::string& node, const std::string& clip) {
    const Result<size_t> found = node.empty() && use_ == NodeUse::Camera ? first_camera() : find(node);
    if (!found) return found.error();
    NodeMotion motion;
    size_t last = *found;
    if (use_ == NodeUse::Camera) {
      const Result<size_t> camera = camera_at(last);
      if (!camera) return camera.error();
      last = *camera;
      if (Result<void> lens = read_lens(last, motion); !lens) return lens.error();
    }
    for (int n = static_cast<int>(last); n >= 0; n = scene_.parent(static_cast<size_t>(n))) chain_.push_back(static_cast<size_t>(n));
    std::reverse(chain_.begin(), chain_.end());
    for (const size_t n : chain_) motion.chain.push_back({scene_.rest()[n], {}});
    if (Result<void> added = add_channels(clip, motion); !added) return added.error();
    if (use_ == NodeUse::Body && !has_channels(motion)) return no_animation(last);
    for (size_t i = 0; i < chain_.size(); ++i) {
      if (Result<void> fine = check_link(chain_[i], motion.chain[i]); !fine) return fine.error();
    }
    find_times(motion);
    return motion;
  }

 private:
  Error wrong(const char* key, std::string text) const {
    mistake_ = {key, text};
    return input_error(std::move(text));
  }
  std::string node_name(size_t n) const { return name_of(scene_.node(n), "node", n); }

  Result<size_t> find(const std::string& wanted) const {
    std::vector<size_t> found;
    std::vector<std::string> names;
    const bool is_path = wanted.find('/') != std::string::npos;
    for (size_t n = 0; n < scene_.node_count(); ++n) {
      names.push_back(node_name(n));
      if (names.back() == wanted || (is_path && node_path(scene_, n) == wanted)) found.push_back(n);
    }
    if (found.size() == 1) return found[0];
    if (found.size() > 1)
      return wrong("node", fmt::format("{} nodes of {} are called \"{}\"; name those above it too, as in \"{}\"", found.size(), document_.name,
                                       wanted, node_path(scene_, found[0])));
    const std::string otherwise = names.empty() ? "; it has none at all" : fmt::format("; it has {}", list_of(names));
    return wrong("node", fmt::format("{} has no node \"{}\"{}", document_.name, wanted, suggestion(wanted, names, otherwise)));
  }

  Result<size_t> first_camera() const {
    for (size_t n = 0; n < scene_.node_count(); ++n) {
      if (scene_.node(n).find("camera")) return n;
    }
    return wrong("file", fmt::format("{} holds no camera; export it with cameras", document_.name));
  }

  /// Some tools hang a camera below a node of its name, to turn it.
  Result<size_t> camera_at(size_t n) const {
    if (scene_.node(n).find("camera")) return n;
    std::vector<size_t> below;
    std::vector<std::string> cameras;
    for (size_t child = 0; child < scene_.node_count(); ++child) {
      if (!scene_.node(child).find("camera")) continue;
      cameras.push_back(node_name(child));
      if (scene_.parent(child) == static_cast<int>(n)) below.push_back(child);
    }
    if (below.size() == 1) return below[0];
    return wrong("node", fmt::format("\"{}\" of {} is no camera; {}", node_name(n), document_.name,
                                     cameras.empty() ? "export the file with cameras" : "there is " + list_of(cameras)));
  }

  Result<void> read_lens(size_t n, NodeMotion& motion) const {
    const Result<std::optional<size_t>> index = scene_.reference(n, "camera");
    if (!index) return wrong("node", index.error().text);
    const Result<const Json*> camera = gltf_item(document_, "cameras", index->value_or(0), "a node");
    if (!camera) return wrong("node", camera.error().text);
    const Json* lens = (*camera)->find("perspective");
    const Json* fov = lens ? lens->find("yfov") : nullptr;
    if (!fov || !fov->is_number() || !(fov->number > 0.01 && fov->number < 3)) {
      return wrong(
          "node", fmt::format("\"{}\" of {} has no perspective with a \"yfov\"; only perspective cameras can be used", node_name(n), document_.name));
    }
    motion.fov_degrees = fov->number * 180 / std::numbers::pi;
    return {};
  }

  Result<void> add_channels(const std::string& clip, NodeMotion& motion) {
    std::vector<std::string> clips;
    bool has_clip = clip.empty();
    for (size_t a = 0; a < gltf_count(document_, "animations"); ++a) {
      clips.push_back(name_of(document_.json.find("animations")->items[a], "animation", a));
      if (!clip.empty() && clips.back() != clip) continue;
      has_clip = true;
      Result<std::vector<GltfChannel>> channels = scene_.channels(a);
      if (!channels) return wrong("file", channels.error().text);
      std::set<size_t> moved;
      for (GltfChannel& channel : *channels) {
        const auto link = std::find(chain_.begin(), chain_.end(), channel.node);
        if (link == chain_.end() || taken_.contains(channel.node)) continue;
        moved.insert(channel.node);
        motion.chain[static_cast<size_t>(link - chain_.begin())].channels.push_back(std::move(channel));
      }
      taken_.insert(moved.begin(), moved.end());
    }
    if (has_clip) return {};
    const std::string otherwise = clips.empty() ? "; it has none" : fmt::format("; it has {}", list_of(clips));
    return wrong("clip", fmt::format("{} has no animation \"{}\"{}", document_.name, clip, suggestion(clip, clips, otherwise)));
  }

  static bool has_channels(const NodeMotion& motion) {
    return std::any_of(motion.chain.begin(), motion.chain.end(), [](const NodeMotion::Link& link) { return !link.channels.empty(); });
  }

  Error no_animation(size_t n) const {
    std::vector<std::string> moved;
    for (size_t a = 0; a < gltf_count(document_, "animations"); ++a) {
      const Result<std::vector<GltfChannel>> channels = scene_.channels(a);
      if (!channels) continue;
      for (const GltfChannel& channel : *channels) {
        if (std::find(moved.begin(), moved.end(), node_name(channel.node)) == moved.end()) moved.push_back(node_name(channel.node));
      }
    }
    const std::string others = moved.empty() ? "the file holds no animation of nodes" : "what moves is " + list_of(moved);
    return wrong("node", fmt::format("nothing in {} moves \"{}\" or a node above it; {}", document_.name, node_name(n), others));
  }

  /// Bodies do not change their size, so that neither the node nor what is above it may. That of a camera's own node means nothing.
  Result<void> check_link(size_t n, NodeMotion::Link& link) const {
    const auto has_size = [](const Vec3& scale) { return (scale.array() - 1).abs().maxCoeff() > kSameScale; };
    if (use_ == NodeUse::Camera && n == chain_.back()) {
      link.rest.scale.setOnes();
      std::erase_if(link.channels, [](const GltfChannel& channel) { return channel.path == "scale"; });
    }
    if (link.rest.matrix) {
      if (!link.channels.empty()) return wrong("node", fmt::format("\"{}\" of {} is moved, but has a fixed matrix", node_name(n), document_.name));
      const Mat3 turn = link.rest.matrix->linear();
      if ((turn.transpose() * turn - Mat3::Identity()).cwiseAbs().maxCoeff() > 2 * kSameScale || turn.determinant() < 0) return sized(n);
      link.rest.rotation = Quat(turn).normalized(), link.rest.translation = link.rest.matrix->translation();
      link.rest.matrix.reset();
    }
    if (has_size(link.rest.scale) && std::none_of(link.channels.begin(), link.channels.end(), [](const GltfChannel& c) { return c.path == "scale"; }))
      return sized(n);
    for (const GltfChannel& channel : link.channels) {
      for (const float time : channel.times) {
        GltfPose pose;
        if (!apply(channel, time, pose)) return wrong("file", fmt::format("{}: a rotation of \"{}\" has no length", document_.name, node_name(n)));
        if (has_size(pose.scale)) return sized(n);
        if (!(pose.translation.cwiseAbs().maxCoeff() < 1e6))
          return wrong("file", fmt::format("{}: \"{}\" goes further than 1000 km", document_.name, node_name(n)));
      }
    }
    link.rest.scale.setOnes();
    std::erase_if(link.channels, [](const GltfChannel& channel) { return channel.path == "scale"; });
    return {};
  }

  Error sized(size_t n) const {
    return wrong("node", fmt::format("\"{}\" of {} has a scale other than 1, which a motion cannot have; apply it in the modelling program (Blender: "
                                     "Ctrl+A, Scale) and remove its keys",
                                     node_name(n), document_.name));
  }

  static void find_times(NodeMotion& motion) {
    bool any = false;
    for (const NodeMotion::Link& link : motion.chain) {
      for (const GltfChannel& channel : link.channels) {
        motion.first = any ? std::min(motion.first, double{channel.times.front()}) : channel.times.front();
        motion.last = any ? std::max(motion.last, double{channel.times.back()}) : channel.times.back();
        any = true;
        for (size_t k = 1; k < channel.times.size(); ++k) {
          if (channel.step || channel.times[k] == channel.times[k - 1]) motion.jumps.push_back(channel.times[k]);
        }
      }
    }
    std::sort(motion.jumps.begin(), motion.jumps.end());
    motion.jumps.erase(std::unique(motion.jumps.begin(), motion.jumps.end()), motion.jumps.end());
  }

  GltfScene& scene_;
  const GltfDocument& document_;
  NodeUse use_;
  NodeMistake& mistake_;
  std::vector<size_t> chain_;
  std::set<size_t> taken_;  // nodes that an animation moves already
};

}  // namespace

Transform NodeMotion::at(double time) const {
  Transform place;
  for (const Link& link : chain) {
    GltfPose pose = link.rest;
    for (const GltfChannel& channel : link.channels) apply(channel, time, pose);
    place = place * Transform{pose.rotation.toRotationMatrix(), pose.translation};
  }
  return place;
}

bool NodeMotion::is_closed() const {
  const Transform begin = at(first), end = at(last);
  return (begin.translation - end.translation).cwiseAbs().maxCoeff() < kSamePlace &&
         (begin.rotation - end.rotation).cwiseAbs().maxCoeff() < kSamePlace;
}

Result<NodeMotion> read_node_motion(const std::filesystem::path& file, const std::string& node, const std::string& clip, NodeUse use,
                                    NodeMistake& mistake) {
  const auto wrong = [&](const Error& error) {
    mistake = {"file", error.text};
    return error;
  };
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return wrong(document.error());
  Result<GltfScene> scene = GltfScene::open(*document);
  if (!scene) return wrong(scene.error());
  return MotionReader(*scene, use, mistake).read(node, clip);
}

Result<AnimatedNodes> find_animated_nodes(const std::filesystem::path& file) {
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return document.error();
  Result<GltfScene> scene = GltfScene::open(*document);
  if (!scene) return scene.error();
  std::set<size_t> joints;
  const Json* skins = document->json.find("skins");
  for (size_t s = 0; skins && s < skins->items.size(); ++s) {
    const Json* list = skins->items[s].find("joints");
    for (size_t j = 0; list && j < list->items.size(); ++j) {
      if (list->items[j].is_number() && list->items[j].number >= 0) joints.insert(static_cast<size_t>(list->items[j].number));
    }
  }
  AnimatedNodes found;
  for (size_t n = 0; n < scene->node_count(); ++n) {
    if (scene->node(n).find("camera")) found.cameras.push_back(name_of(scene->node(n), "node", n));
  }
  for (size_t a = 0; a < gltf_count(*document, "animations"); ++a) {
    const Result<std::vector<GltfChannel>> channels = scene->channels(a);
    if (!channels) return channels.error();
    const std::string clip = name_of(document->json.find("animations")->items[a], "animation", a);
    std::set<size_t> told;
    for (const GltfChannel& channel : *channels) {
      if (joints.contains(channel.node) || !told.insert(channel.node).second) continue;
      found.nodes.push_back({name_of(scene->node(channel.node), "node", channel.node), clip, double{channel.times.back()} - channel.times.front()});
    }
  }
  return found;
}

Result<std::vector<PlacedNode>> read_placed_nodes(const std::filesystem::path& file) {
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return document.error();
  Result<GltfScene> scene = GltfScene::open(*document);
  if (!scene) return scene.error();
  const std::vector<Eigen::Affine3d> places = scene->places(scene->rest());
  std::vector<PlacedNode> nodes;
  for (size_t n = 0; n < scene->node_count(); ++n) {
    if (!scene->shown(n)) continue;
    PlacedNode& node = nodes.emplace_back();
    node.name = name_of(scene->node(n), "node", n);
    const Json* extras = scene->node(n).find("extras");
    const Json* ours = extras ? extras->find("crumple") : nullptr;
    if (ours) node.extras = *ours;
    const Mat3 linear = places[n].linear();
    node.scale = linear.colwise().norm();
    node.place.translation = places[n].translation();
    if (!(node.scale.minCoeff() > 1e-9) || !places[n].matrix().allFinite()) {
      node.is_plain = false;
      continue;
    }
    const Mat3 turn = linear * node.scale.cwiseInverse().asDiagonal();
    node.is_plain = (turn.transpose() * turn - Mat3::Identity()).cwiseAbs().maxCoeff() < kSameScale && turn.determinant() > 0;
    node.place.rotation = Quat(turn).normalized().toRotationMatrix();
  }
  return nodes;
}

}  // namespace crumple::io
