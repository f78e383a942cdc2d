#include "crumple/io/gltf_shapes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "crumple/io/gltf_scene.h"

namespace crumple::io {
namespace {

constexpr size_t kMaxNames = 4096;  // of morph targets
constexpr size_t kMaxKeys = 64;     // of an animation that are looked at
constexpr size_t kMaxPositions = size_t{1} << 26;
constexpr double kAlike = 0.005;  // of the diagonal: root mean square distance of poses that are much like each other

/// A skin's joints.
struct Joints {
  std::vector<size_t> nodes;
  std::vector<Eigen::Affine3d> to_joint;  // inverse bind matrices
  bool posed = false;                     // in the scene at rest: its joints do not agree where the mesh is
  Eigen::Affine3d place = Eigen::Affine3d::Identity();
};

/// One primitive of one node.
struct Piece {
  size_t node = 0;
  std::optional<size_t> skin;
  size_t first = 0, count = 0;  // vertices of the surface
  std::string where;
  std::map<std::string, size_t> targets;  // accessors of displacements, by name
  std::vector<uint32_t> joints;           // #vertices x influences
  std::vector<float> weights;
  size_t influences = 0;
};

class ShapeReader {
 public:
  ShapeReader(GltfScene& scene, const ShapeSettings& settings) : scene_(scene), document_(scene.document()), settings_(settings) {}

  Result<ShapeSet> read() {
    for (const auto step : {&ShapeReader::read_pieces, &ShapeReader::place_rest, &ShapeReader::read_targets, &ShapeReader::read_pose_at_rest,
                            &ShapeReader::read_animations, &ShapeReader::check_names}) {
      if (const Result<void> done = (this->*step)(); !done) return done.error();
    }
    return std::move(result_);
  }

 private:
  template <class... Args>
  Error wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return input_error(fmt::format("{}: {}", document_.name, fmt::format(format, std::forward<Args>(args)...)));
  }
  bool wanted(const std::string& name) const {
    return settings_.only.empty() || std::find(settings_.only.begin(), settings_.only.end(), name) != settings_.only.end();
  }

  Result<void> read_pieces() {
    for (size_t n = 0; n < scene_.node_count(); ++n) {
      const Result<std::optional<size_t>> mesh = scene_.reference(n, "mesh");
      if (!mesh) return mesh.error();
      if (!*mesh || !scene_.shown(n)) continue;
      const Result<std::optional<size_t>> skin = scene_.reference(n, "skin");
      if (!skin) return skin.error();
      if (*skin) {
        if (const Result<void> read = read_skin(**skin); !read) return read;
      }
      if (const Result<void> read = read_mesh_pieces(n, **mesh, *skin); !read) return read;
    }
    if (result_.rest.triangles.empty()) return wrong("there are no triangles in its scene");
    return finish_surface(scene_, std::move(groups_), result_.rest);
  }

  Result<void> read_mesh_pieces(size_t node, size_t mesh, std::optional<size_t> skin) {
    const size_t first = result_.rest.positions.size();
    if (const Result<void> added = scene_.append_mesh(mesh, Eigen::Affine3d::Identity(), result_.rest); !added) return added;
    result_.rest.group.resize(result_.rest.triangles.size(), static_cast<uint16_t>(std::min<size_t>(groups_.size(), 65535)));
    groups_.push_back(node_path(scene_, node));
    const Json& item = document_.json.find("meshes")->items[mesh];
    const Json* primitives = item.find("primitives");
    size_t next = first;
    for (size_t p = 0; primitives && p < primitives->items.size(); ++p) {
      const Json& primitive = primitives->items[p];
      const Json* mode = primitive.find("mode");
      if (mode && mode->number < 4) continue;  // points and lines have no part in the surface
      Piece piece;
      piece.node = node, piece.skin = skin, piece.first = next;
      piece.where = fmt::format("/meshes/{}/primitives/{}", mesh, p);
      const Result<size_t> positions = gltf_index(document_, *primitive.find("attributes"), "POSITION", piece.where);
      if (!positions) return positions.error();
      const Result<const Json*> accessor = gltf_item(document_, "accessors", *positions, piece.where);
      if (!accessor) return accessor.error();
      const Result<size_t> count = gltf_index(document_, **accessor, "count", fmt::format("/accessors/{}", *positions));
      if (!count) return count.error();
      piece.count = *count, next += *count;
      if (const Result<void> listed = list_targets(item, primitive, piece); !listed) return listed;
      if (skin) {
        if (const Result<void> read = read_influences(*primitive.find("attributes"), piece); !read) return read;
      }
      pieces_.push_back(std::move(piece));
    }
    if (next != result_.rest.positions.size()) return wrong("/meshes/{}: its vertices cannot be counted", mesh);
    return {};
  }

  /// Blender keeps the names of shape keys in the mesh's extras.
  Result<void> list_targets(const Json& mesh, const Json& primitive, Piece& piece) {
    const Json* targets = primitive.find("targets");
    const Json* extras = mesh.find("extras");
    const Json* names = extras ? extras->find("targetNames") : nullptr;
    for (size_t t = 0; targets && t < targets->items.size(); ++t) {
      const bool named = names && t < names->items.size() && names->items[t].is_text() && !names->items[t].text.empty();
      const std::string name = named ? names->items[t].text : fmt::format("target {}", t + 1);
      if (seen_names_.insert(name).second) {
        if (target_names_.size() == kMaxNames) return wrong("{}: more than {} morph targets", piece.where, kMaxNames);
        target_names_.push_back(name);
      }
      if (!targets->items[t].find("POSITION")) continue;  // it changes normals only
      const Result<size_t> accessor = gltf_index(document_, targets->items[t], "POSITION", fmt::format("{}/targets/{}", piece.where, t));
      if (!accessor) return accessor.error();
      piece.targets.emplace(name, *accessor);
    }
    return {};
  }

  Result<void> read_influences(const Json& attributes, Piece& piece) {
    std::vector<std::vector<uint32_t>> joints;
    std::vector<std::vector<float>> weights;
    for (int set = 0; set < 8 && attributes.find(fmt::format("JOINTS_{}", set)); ++set) {
      const Result<size_t> joint_accessor = gltf_index(document_, attributes, fmt::format("JOINTS_{}", set), piece.where);
      if (!joint_accessor) return joint_accessor.error();
      const Result<size_t> weight_accessor = gltf_index(document_, attributes, fmt::format("WEIGHTS_{}", set), piece.where);
      if (!weight_accessor) return weight_accessor.error();
      Result<std::vector<float>> set_weights = scene_.floats(*weight_accessor, 4);
      if (!set_weights) return set_weights.error();
      Result<std::vector<uint32_t>> set_joints = scene_.indices(*joint_accessor, 4);
      if (!set_joints) return set_joints.error();
      if (set_joints->size() != 4 * piece.count || set_weights->size() != 4 * piece.count)
        return wrong("{}: JOINTS_{} and WEIGHTS_{} do not match its {} vertices", piece.where, set, set, piece.count);
      joints.push_back(std::move(*set_joints)), weights.push_back(std::move(*set_weights));
    }
    if (joints.empty()) return wrong("{}: is skinned, but has no JOINTS_0", piece.where);
    piece.influences = 4 * joints.size();
    for (size_t v = 0; v < piece.count; ++v) {
      for (size_t s = 0; s < joints.size(); ++s) {
        piece.joints.insert(piece.joints.end(), &joints[s][4 * v], &joints[s][4 * v] + 4);
        piece.weights.insert(piece.weights.end(), &weights[s][4 * v], &weights[s][4 * v] + 4);
      }
    }
    for (size_t i = 0; i < piece.joints.size(); ++i) {
      if (piece.weights[i] != 0 && piece.joints[i] >= skins_.at(*piece.skin).nodes.size())
        return wrong("{}: a vertex follows joint {}, but its skin has {}", piece.where, piece.joints[i], skins_.at(*piece.skin).nodes.size());
    }
    return {};
  }

  Result<void> read_skin(size_t index) {
    if (skins_.contains(index)) return {};
    const Result<const Json*> skin = gltf_item(document_, "skins", index, "a node");
    if (!skin) return skin.error();
    const Json* listed = (*skin)->find("joints");
    if (!listed || listed->items.empty()) return wrong("/skins/{}: has no joints", index);
    if (listed->items.size() > scene_.node_count()) return wrong("/skins/{}: has more joints than there are nodes", index);
    Joints joints;
    for (const Json& joint : listed->items) {
      const bool valid = joint.is_number() && joint.number >= 0 && joint.number < static_cast<double>(scene_.node_count()) &&
                         joint.number == std::floor(joint.number);
      if (!valid) return wrong("/skins/{}/joints: names a node that does not exist", index);
      joints.nodes.push_back(static_cast<size_t>(joint.number));
    }
    joints.to_joint.assign(joints.nodes.size(), Eigen::Affine3d::Identity());
    if ((*skin)->find("inverseBindMatrices")) {
      const Result<size_t> accessor = gltf_index(document_, **skin, "inverseBindMatrices", fmt::format("/skins/{}", index));
      if (!accessor) return accessor.error();
      const Result<std::vector<float>> matrices = scene_.floats(*accessor, 16);
      if (!matrices) return matrices.error();
      if (matrices->size() < 16 * joints.nodes.size())
        return wrong("/skins/{}: {} joints need as many inverseBindMatrices", index, joints.nodes.size());
      for (size_t j = 0; j < joints.nodes.size(); ++j)
        joints.to_joint[j] = Eigen::Affine3d(Eigen::Matrix4f(Eigen::Map<const Eigen::Matrix4f>(matrices->data() + 16 * j)).cast<double>());
    }
    skins_.emplace(index, std::move(joints));
    return {};
  }

  static std::vector<Eigen::Affine3d> motions(const Joints& joints, const std::vector<Eigen::Affine3d>& places) {
    std::vector<Eigen::Affine3d> result;
    for (size_t j = 0; j < joints.nodes.size(); ++j) result.push_back(places[joints.nodes[j]] * joints.to_joint[j]);
    return result;
  }

  /// Where meshes stand at rest. Joints that agree put their mesh there; if they do not, the scene shows a pose, and the mesh stays as it was
  /// bound, but for the scale.
  Result<void> place_rest() {
    bound_ = result_.rest.positions;
    const std::vector<Eigen::Affine3d> places = scene_.places(scene_.rest());
    const double size = std::max(bounds_of(bound_).diagonal(), 1e-9);
    for (auto& [index, joints] : skins_) {
      const std::vector<Eigen::Affine3d> rest = motions(joints, places);
      for (const Eigen::Affine3d& motion : rest) {
        joints.posed |= !((motion.linear() - rest[0].linear()).norm() < 1e-4 * rest[0].linear().norm() &&
                          (motion.translation() - rest[0].translation()).norm() < 1e-4 * size * std::max(1.0, rest[0].linear().norm()));
      }
      joints.place = joints.posed ? Eigen::Affine3d(Eigen::Scaling(std::cbrt(std::abs(rest[0].linear().determinant())))) : rest[0];
    }
    rest_places_ = places;
    result_.rest.positions = placed(bound_);
    for (const Vec3& p : result_.rest.positions) {
      if (!p.allFinite()) return wrong("its nodes or joints put vertices at no finite place");
    }
    turn_mirrored();
    turn_normals();
    return {};
  }

  const Eigen::Affine3d& rest_place(const Piece& piece) const { return piece.skin ? skins_.at(*piece.skin).place : rest_places_[piece.node]; }

  /// Shapes in the spaces of their meshes, moved to where these are at rest.
  std::vector<Vec3> placed(std::vector<Vec3> positions) const {
    for (const Piece& piece : pieces_) {
      for (size_t v = piece.first; v < piece.first + piece.count; ++v) positions[v] = rest_place(piece) * positions[v];
    }
    return positions;
  }

  void turn_normals() {
    std::vector<Vec3f>& normals = result_.rest.normals;
    for (const Piece& piece : pieces_) {
      const Mat3 turn = rest_place(piece).linear().inverse().transpose();
      for (size_t v = piece.first; v < piece.first + piece.count && v < normals.size(); ++v) {
        const Vec3 turned = turn * normals[v].cast<double>();
        if (turned.allFinite()) normals[v] = turned.stableNormalized().cast<float>();
      }
    }
  }

  void turn_mirrored() {
    std::vector<char> mirrored(bound_.size(), 0);
    for (const Piece& piece : pieces_) {
      if (rest_place(piece).linear().determinant() < 0) std::fill_n(mirrored.begin() + static_cast<long>(piece.first), piece.count, 1);
    }
    for (Triangle& triangle : result_.rest.triangles) {
      if (mirrored[static_cast<size_t>(triangle[0])]) std::swap(triangle[1], triangle[2]);
    }
  }

  Result<void> add_shape(std::string name, std::vector<Vec3> positions) {
    if (result_.shapes.size() == settings_.most_shapes) {
      return wrong("holds more than {} shapes, which are the most there can be; name those that are wanted", settings_.most_shapes);
    }
    if ((result_.shapes.size() + 1) * positions.size() > kMaxPositions) return wrong("its shapes have too many vertices in all");
    for (const Vec3& p : positions) {
      if (!p.allFinite()) return wrong("shape \"{}\" has a vertex at no finite place", name);
    }
    result_.shapes.push_back({std::move(name), std::move(positions)});
    return {};
  }

  Result<void> read_targets() {
    for (const std::string& name : target_names_) {
      known_.push_back(name);
      if (!wanted(name)) continue;
      std::vector<Vec3> shape = bound_;
      for (const Piece& piece : pieces_) {
        const auto target = piece.targets.find(name);
        if (target == piece.targets.end()) continue;
        const Result<std::vector<float>> shifts = scene_.floats(target->second, 3);
        if (!shifts) return shifts.error();
        if (shifts->size() != 3 * piece.count) return wrong("{}: morph target \"{}\" does not match its {} vertices", piece.where, name, piece.count);
        for (size_t v = 0; v < piece.count; ++v) shape[piece.first + v] += Vec3f(Eigen::Map<const Vec3f>(shifts->data() + 3 * v)).cast<double>();
      }
      if (const Result<void> added = add_shape(name, placed(std::move(shape))); !added) return added;
    }
    return {};
  }

  /// The whole surface in a pose of the nodes.
  std::vector<Vec3> posed(const std::vector<GltfPose>& nodes) const {
    const std::vector<Eigen::Affine3d> places = scene_.places(nodes);
    std::map<size_t, std::vector<Eigen::Affine3d>> moved;
    for (const auto& [index, joints] : skins_) moved.emplace(index, motions(joints, places));
    std::vector<Vec3> shape = bound_;
    for (const Piece& piece : pieces_) {
      for (size_t v = 0; v < piece.count; ++v) {
        Vec3& p = shape[piece.first + v];
        p = piece.skin ? blended(piece, moved.at(*piece.skin), v, p) : Vec3(places[piece.node] * p);
      }
    }
    return shape;
  }

  Vec3 blended(const Piece& piece, const std::vector<Eigen::Affine3d>& motions, size_t v, const Vec3& p) const {
    Vec3 sum = Vec3::Zero();
    double all = 0;
    for (size_t i = v * piece.influences; i < (v + 1) * piece.influences; ++i) {
      if (piece.weights[i] == 0) continue;
      sum += piece.weights[i] * (motions[piece.joints[i]] * p), all += piece.weights[i];
    }
    return all > 0 ? Vec3(sum / all) : Vec3(rest_place(piece) * p);
  }

  Result<void> read_pose_at_rest() {
    const bool any = std::any_of(skins_.begin(), skins_.end(), [](const auto& skin) { return skin.second.posed; });
    if (!any) return {};
    known_.push_back("pose");
    return wanted("pose") ? add_shape("pose", posed(scene_.rest())) : Result<void>();
  }

  /// Root mean square distance of two shapes.
  static double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double sum = 0;
    for (size_t v = 0; v < a.size(); ++v) sum += (a[v] - b[v]).squaredNorm();
    return std::sqrt(sum / static_cast<double>(a.size()));
  }

  std::string animation_name(size_t animation) const {
    const Json* name = document_.json.find("animations")->items[animation].find("name");
    return name && name->is_text() && !name->text.empty() ? name->text : fmt::format("animation {}", animation + 1);
  }

  Result<void> read_animations() {
    std::vector<size_t> moving;
    for (size_t a = 0; a < gltf_count(document_, "animations"); ++a) {
      const Result<GltfScene::Posed> ends = scene_.last_pose(a);
      if (!ends) return ends.error();
      if (std::find(ends->animated.begin(), ends->animated.end(), true) != ends->animated.end()) moving.push_back(a);
    }
    if (moving.size() == 1) return read_keys(moving[0]);
    for (const size_t a : moving) {
      const std::string name = animation_name(a);
      known_.push_back(name);
      if (!wanted(name)) continue;
      const Result<GltfScene::Posed> ends = scene_.last_pose(a);
      if (!ends) return ends.error();
      if (const Result<void> added = add_shape(name, posed(ends->nodes)); !added) return added;
    }
    return {};
  }

  /// The keyed poses of the only animation, those first that differ most from rest and from each other.
  Result<void> read_keys(size_t animation) {
    const std::string name = animation_name(animation);
    known_.push_back(name);
    if (!wanted(name)) return {};
    const Result<std::vector<double>> all = scene_.key_times(animation);
    if (!all) return all.error();
    const size_t stride = (all->size() + kMaxKeys - 1) / kMaxKeys;
    std::vector<std::pair<double, std::vector<Vec3>>> poses;
    for (size_t k = 0; k < all->size(); k += stride) {
      const double time = (*all)[all->size() - 1 - k];  // from the end, which is always looked at
      const Result<GltfScene::Posed> pose = scene_.pose_at(animation, time);
      if (!pose) return pose.error();
      if ((poses.size() + 1) * bound_.size() > kMaxPositions) break;
      poses.emplace_back(time, posed(pose->nodes));
    }
    const double alike = kAlike * bounds_of(result_.rest.positions).diagonal();
    std::vector<double> nearest;
    for (const auto& [time, shape] : poses) nearest.push_back(distance(shape, result_.rest.positions));
    std::vector<size_t> chosen;
    while (chosen.size() < settings_.most_keys) {
      const size_t next = static_cast<size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
      if (nearest.empty() || !(nearest[next] > alike)) break;
      chosen.push_back(next);
      for (size_t i = 0; i < poses.size(); ++i) nearest[i] = std::min(nearest[i], distance(poses[i].second, poses[next].second));
    }
    std::sort(chosen.begin(), chosen.end(), std::greater<>());  // poses were gathered from the end
    for (const size_t i : chosen) {
      const std::string shape_name = chosen.size() == 1 ? name : fmt::format("{} {:.3g} s", name, poses[i].first);
      if (const Result<void> added = add_shape(shape_name, std::move(poses[i].second)); !added) return added;
    }
    return {};
  }

  Result<void> check_names() {
    for (const std::string& name : settings_.only) {
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      return wrong("has no shape \"{}\"; its shapes are {}", name, known_.empty() ? "none" : fmt::format("\"{}\"", fmt::join(known_, "\", \"")));
    }
    if (known_.empty()) return wrong("holds one shape only: neither morph targets (shape keys) nor animations that move anything");
    return {};
  }

  GltfScene& scene_;
  const GltfDocument& document_;
  const ShapeSettings& settings_;
  std::vector<std::string> groups_;  // nodes whose meshes the surface has
  std::vector<Piece> pieces_;
  std::map<size_t, Joints> skins_;
  std::vector<Vec3> bound_;                   // #vertices, in the spaces of their meshes
  std::vector<Eigen::Affine3d> rest_places_;  // #nodes
  std::set<std::string> seen_names_;
  std::vector<std::string> target_names_, known_;
  ShapeSet result_;
};

}  // namespace

Result<ShapeSet> read_gltf_shapes(const GltfDocument& document, const ShapeSettings& settings) {
  Result<GltfScene> scene = GltfScene::open(document);
  if (!scene) return scene.error();
  return ShapeReader(*scene, settings).read();
}

}  // namespace crumple::io
