#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"
#include "crumple/io/gltf.h"

namespace crumple::io {

/// Where a node stands in its parent.
struct GltfPose {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
  std::optional<Eigen::Affine3d> matrix;  // given: it counts instead of the other three
  Eigen::Affine3d affine() const;
};

/// What one channel of an animation says.
struct GltfChannel {
  size_t node = 0;
  std::string path;           // "translation", "rotation" or "scale"
  std::vector<float> times;   // #keys
  std::vector<float> values;  // #keys x 3 (4 for rotations), three times as many for splines
  bool step = false, spline = false;
  /// At a time, in seconds; rotations are as interpolated, not yet of length 1.
  Eigen::Vector4d at(double time) const;
};
/// Puts a channel's value at a time into a pose; false if that is a rotation without length.
bool apply(const GltfChannel& channel, double time, GltfPose& pose);

/// The nodes of a document as a forest, and what hangs on them. Keeps a reference to the document.
class GltfScene {
 public:
  /// Fails if nodes are not a forest or not finite.
  static Result<GltfScene> open(const GltfDocument& document);

  const GltfDocument& document() const { return document_; }
  size_t node_count() const { return rest_.size(); }
  const Json& node(size_t index) const { return document_.json.find("nodes")->items[index]; }
  int parent(size_t node) const { return parents_[node]; }
  /// False for what only scenes other than the default one show.
  bool shown(size_t node) const { return shown_[node]; }
  /// What node[key] refers to, such as its mesh or skin, if it has one.
  Result<std::optional<size_t>> reference(size_t node, std::string_view key) const;

  const std::vector<GltfPose>& rest() const { return rest_; }
  /// Where nodes are after the last key of an animation; those without channels stay at rest.
  struct Posed {
    std::vector<GltfPose> nodes;
    std::vector<bool> animated;  // #nodes
  };
  Result<Posed> last_pose(size_t animation);
  /// Where nodes are at a time of an animation (seconds); before its first and after its last key they wait.
  Result<Posed> pose_at(size_t animation, double time);
  /// The times at which any channel of an animation that moves nodes has a key, ascending.
  Result<std::vector<double>> key_times(size_t animation);
  /// The channels of an animation that move nodes.
  Result<std::vector<GltfChannel>> channels(size_t animation);
  /// Places of all nodes in the scene.
  std::vector<Eigen::Affine3d> places(std::span<const GltfPose> poses) const;

  /// Adds the triangles of a mesh, moved to `place`, to a surface.
  Result<void> append_mesh(size_t mesh, const Eigen::Affine3d& place, TriMesh& surface);
  /// Only one of its primitives.
  Result<void> append_primitive(size_t mesh, size_t primitive, const Eigen::Affine3d& place, TriMesh& surface);
  /// What the file has and a surface cannot hold, each named once.
  const std::vector<std::string>& lost() const { return lost_; }
  void note_lost(std::string what);
  /// read_floats and read_indices within a budget over all calls: what many references to one accessor unpack to stays within a multiple of the file.
  Result<std::vector<float>> floats(size_t accessor, int components);
  Result<std::vector<uint32_t>> indices(size_t accessor, int components = 1);

 private:
  explicit GltfScene(const GltfDocument& document) : document_(document) {}
  Result<void> link_nodes();
  Result<void> order_nodes();
  void find_shown();
  Result<std::optional<GltfChannel>> read_channel(const Json& animation, const Json& channel, const std::string& where);
  Result<void> apply_channel(const GltfChannel& channel, double time, const std::string& where, Posed& posed) const;
  Result<void> append_primitive(const Json& primitive, const std::string& where, const Eigen::Affine3d& place, TriMesh& surface);
  Result<std::vector<uint32_t>> triangle_corners(const Json& primitive, const std::string& where, size_t vertices);
  Result<void> append_attributes(const Json& primitive, const std::string& where, const Eigen::Affine3d& place, size_t first, TriMesh& surface);
  Result<void> append_uvs(const Json& primitive, const std::string& where, size_t first, TriMesh& surface);
  /// Numbers of a vertex attribute, if there is one of that name.
  Result<std::optional<std::vector<float>>> attribute(const Json& attributes, std::string_view key, int components, const std::string& where, size_t vertices);
  Result<void> spend(size_t numbers);
  Result<void> spend_rows(size_t accessor, int components);

  const GltfDocument& document_;
  std::vector<int> parents_;    // #nodes, -1 for roots
  std::vector<size_t> order_;   // parents before children
  std::vector<bool> shown_;     // #nodes
  std::vector<GltfPose> rest_;  // #nodes
  size_t spent_ = 0;            // numbers read so far
  std::vector<std::string> lost_;
};

/// Every mesh of the scene that is shown as one surface in its rest shape. For skinned meshes, `skinned_place` gives their place: their nodes'
/// own transforms do not count. Groups are nodes (node_path). `material_numbers` gets the surface's number of each material of the document, -1 where it has none.
Result<TriMesh> gather_surface(GltfScene& scene, const Eigen::Affine3d& skinned_place, std::vector<int>* material_numbers = nullptr);

/// Names of a node and the nodes above it, with slashes between.
std::string node_path(const GltfScene& scene, size_t node);
/// Gives a surface that was appended mesh by mesh its groups, its materials, and normals where only parts of it have them.
Result<void> finish_surface(GltfScene& scene, std::vector<std::string> groups, TriMesh& surface, std::vector<int>* material_numbers = nullptr);

/// A surface as a .glb: a node with a mesh for each group, and a primitive for each material. Vertices may have second texture coordinates.
Result<void> write_gltf_surface(const TriMesh& surface, const std::filesystem::path& file, std::span<const Vec2f> second_uvs = {});

}  // namespace crumple::io
