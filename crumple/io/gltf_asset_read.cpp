#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/io/asset_check.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/gltf_certificate.h"
#include "crumple/io/gltf_flat.h"
#include "crumple/io/gltf_maps.h"
#include "crumple/io/gltf_pieces.h"
#include "crumple/io/gltf_scene.h"

namespace crumple::io {
namespace {

constexpr double kScaleNoise = 1e-3;            // how far a pose may be from a pure turn and shift
constexpr size_t kMaxPoses = size_t{1} << 22;  // joints x animations

class AssetReader {
 public:
  AssetReader(GltfScene& scene) : scene_(scene), document_(scene.document()) {}

  Result<Asset> read() {
    if (const Result<void> found = find_rig(); !found) return found.error();
    using Step = Result<void> (AssetReader::*)();
    const std::vector<Step> solid = {&AssetReader::read_tetrahedra, &AssetReader::read_rig, &AssetReader::read_surface, &AssetReader::read_scoring};
    const std::vector<Step> flat = {&AssetReader::read_surface, &AssetReader::read_layers, &AssetReader::read_rig};
    for (const Step step : is_flat_ ? flat : solid) {
      if (const Result<void> done = (this->*step)(); !done) return done.error();
    }
    if (const Result<void> fine = check_asset(asset_, document_.name); !fine) return fine.error();
    return std::move(asset_);
  }

 private:
  template <class... Args>
  Error wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return input_error(fmt::format("{}: {}", document_.name, fmt::format(format, std::forward<Args>(args)...)));
  }

  /// The one mesh that carries tetrahedra or is a drawing, and the node that shows it.
  Result<void> find_rig() {
    for (size_t m = 0; m < gltf_count(document_, "meshes"); ++m) {
      const Result<const Json*> mesh = gltf_item(document_, "meshes", m, "the scene");
      if (!mesh) return mesh.error();
      const Json* extensions = (*mesh)->find("extensions");
      const Json* extension = extensions ? extensions->find(kTetrahedraExtension) : nullptr;
      if (const Json* flat = extensions ? extensions->find(kFlatExtension) : nullptr) extension = flat, is_flat_ = true;
      if (!extension) continue;
      if (extension_) return wrong("meshes {} and {} both carry {}; an asset has one", mesh_, m, kTetrahedraExtension);
      if (!extension->is_object()) return wrong("/meshes/{}/extensions/{}: must be an object", m, kTetrahedraExtension);
      extension_ = extension;
      mesh_ = m;
      if (const Json* name = (*mesh)->find("name"); name && name->is_text()) asset_.name = name->text;
    }
    if (!extension_) {
      return wrong("lacks the {} extension; an asset has to be made with tetrahedra (as the asset generator does) before it can crumple",
                   kTetrahedraExtension);
    }
    for (size_t n = 0; n < scene_.node_count(); ++n) {
      const Result<std::optional<size_t>> mesh = scene_.reference(n, "mesh");
      if (!mesh) return mesh.error();
      if (*mesh != mesh_) continue;
      if (node_) return wrong("nodes {} and {} both show the mesh with {}; an asset shows it once", *node_, n, kTetrahedraExtension);
      node_ = n;
    }
    if (!node_) return wrong("no node shows the mesh with {}", kTetrahedraExtension);
    const Result<std::optional<size_t>> skin = scene_.reference(*node_, "skin");
    if (!skin) return skin.error();
    skin_ = *skin;
    return {};
  }

  Result<std::vector<float>> extension_floats(std::string_view key, int components) {
    const Result<size_t> accessor = gltf_index(document_, *extension_, key, extension_where());
    if (!accessor) return accessor.error();
    return scene_.floats(*accessor, components);
  }

  std::string extension_where() const { return fmt::format("/meshes/{}/extensions/{}", mesh_, is_flat_ ? kFlatExtension : kTetrahedraExtension); }
  size_t rig_vertices() const { return asset_.elements().positions.size(); }

  Result<void> read_layers() {
    Result<FlatRig> flat = read_flat(scene_, *extension_, mesh_, asset_.surface, extension_where());
    if (!flat) return flat.error();
    asset_.flat = std::move(*flat);
    for (Vec3& p : asset_.surface.positions) p.z() = 0;
    return {};
  }

  Result<void> read_tetrahedra() {
    const Result<std::vector<float>> positions = extension_floats("positions", 3);
    if (!positions) return positions.error();
    const Result<size_t> accessor = gltf_index(document_, *extension_, "indices", extension_where());
    if (!accessor) return accessor.error();
    const Result<std::vector<uint32_t>> indices = scene_.indices(*accessor);
    if (!indices) return indices.error();
    const size_t vertices = positions->size() / 3;
    if (indices->size() % 4 != 0) return wrong("{}/indices: {} corners do not make whole tetrahedra", extension_where(), indices->size());
    for (size_t i = 0; i < indices->size(); ++i) {
      if ((*indices)[i] >= vertices) return wrong("tetrahedron {} asks for vertex {}, but there are {}", i / 4, (*indices)[i], vertices);
    }
    for (size_t i = 0; i < vertices; ++i) asset_.tets.positions.emplace_back((*positions)[3 * i], (*positions)[3 * i + 1], (*positions)[3 * i + 2]);
    for (size_t i = 0; i < indices->size(); i += 4) {
      Tetrahedron tet;
      for (size_t k = 0; k < 4; ++k) tet[k] = static_cast<int>((*indices)[i + k]);
      asset_.tets.tets.push_back(tet);
    }
    return {};
  }

  Result<void> read_rig() {
    if (!skin_ && is_flat_) return wrong("node {} has no skin whose joints are the handles of the drawing", *node_);
    if (!skin_) return make_rigid();
    for (const auto step : {&AssetReader::read_joints, &AssetReader::read_weights, &AssetReader::place_at_rest, &AssetReader::read_examples}) {
      if (const Result<void> done = (this->*step)(); !done) return done.error();
    }
    return {};
  }

  Result<void> make_rigid() {
    if (extension_->find("weights")) return wrong("{}: has weights, but node {} has no skin whose joints they are for", extension_where(), *node_);
    place_ = scene_.places(scene_.rest())[*node_];
    move_tetrahedra();
    asset_.handles.push_back({"body", Vec3::Zero()});
    asset_.weights.assign(asset_.tets.positions.size(), 1.0f);
    asset_.examples.push_back({rest_name(), {HandleTransform{}}});
    return {};
  }

  Result<void> read_joints() {
    const Result<const Json*> skin = gltf_item(document_, "skins", *skin_, fmt::format("/nodes/{}", *node_));
    if (!skin) return skin.error();
    const Json* joints = (*skin)->find("joints");
    if (!joints || joints->items.empty()) return wrong("/skins/{}: has no joints", *skin_);
    if (joints->items.size() > scene_.node_count()) return wrong("/skins/{}: has more joints than there are nodes", *skin_);
    for (const Json& joint : joints->items) {
      const bool valid = joint.is_number() && joint.number >= 0 && joint.number < static_cast<double>(scene_.node_count()) &&
                         joint.number == std::floor(joint.number);
      if (!valid) return wrong("/skins/{}/joints: names a node that does not exist", *skin_);
      joints_.push_back(static_cast<size_t>(joint.number));
    }
    to_joint_.assign(joints_.size(), Eigen::Affine3d::Identity());
    if ((*skin)->find("inverseBindMatrices")) {
      const Result<size_t> accessor = gltf_index(document_, **skin, "inverseBindMatrices", fmt::format("/skins/{}", *skin_));
      if (!accessor) return accessor.error();
      const Result<std::vector<float>> matrices = scene_.floats(*accessor, 16);
      if (!matrices) return matrices.error();
      if (matrices->size() < 16 * joints_.size()) return wrong("/skins/{}: {} joints need as many inverseBindMatrices", *skin_, joints_.size());
      for (size_t j = 0; j < joints_.size(); ++j)
        to_joint_[j] = Eigen::Affine3d(Eigen::Matrix4f(Eigen::Map<const Eigen::Matrix4f>(matrices->data() + 16 * j)).cast<double>());
    }
    for (size_t j = 0; j < joints_.size(); ++j) {
      const Json* name = scene_.node(joints_[j]).find("name");
      const double determinant = to_joint_[j].linear().determinant();
      if (!(std::abs(determinant) > 1e-30) || !std::isfinite(determinant))
        return wrong("/skins/{}: inverseBindMatrices {} cannot be inverted", *skin_, j);
      asset_.handles.push_back({name && name->is_text() ? name->text : fmt::format("handle {}", j), to_joint_[j].inverse().translation()});
    }
    return {};
  }

  Result<void> read_weights() {
    Result<std::vector<float>> weights = extension_floats("weights", 1);
    if (!weights) return weights.error();
    if (weights->size() != rig_vertices() * joints_.size()) {
      return wrong("{}/weights: {} weights do not match {} vertices x {} joints", extension_where(), weights->size(), rig_vertices(), joints_.size());
    }
    asset_.weights = std::move(*weights);
    const Json* given = extension_->find("certificate");
    if (!given) return {};
    Result<WeightCertificate> certificate = read_certificate(document_, *given, asset_.tets.positions.size(), joints_.size(), extension_where() + "/certificate");
    if (!certificate) return certificate.error();
    asset_.certificate = std::move(*certificate);
    return {};
  }

  /// How each joint moves the mesh in a pose of the scene.
  std::vector<Eigen::Affine3d> motions(std::span<const GltfPose> poses) const {
    std::vector<Eigen::Affine3d> result;
    const std::vector<Eigen::Affine3d> places = scene_.places(poses);
    for (size_t j = 0; j < joints_.size(); ++j) result.push_back(places[joints_[j]] * to_joint_[j]);
    return result;
  }

  /// If the whole rig stands elsewhere in the scene than where it was bound (turned upright, say), the asset stands there too. If joints
  /// disagree, the scene does not show the rest shape, and the shape in which the mesh was bound is taken.
  Result<void> place_at_rest() {
    const std::vector<Eigen::Affine3d> rest = motions(scene_.rest());
    if (is_flat_) return {};  // it stays where it was drawn
    const double size = std::max(bounds_of(asset_.tets.positions).diagonal(), 1e-9);
    for (const Eigen::Affine3d& motion : rest) {
      const bool agrees = (motion.linear() - rest[0].linear()).norm() < 1e-4 && (motion.translation() - rest[0].translation()).norm() < 1e-4 * size;
      if (!agrees) return {};
    }
    if (const Result<HandleTransform> pose = rigid_part(rest[0], 0, rest_name()); !pose) return pose.error();
    const bool moved = (rest[0].linear() - Mat3::Identity()).norm() > 1e-6 || rest[0].translation().norm() > 1e-6 * size;
    if (!moved) return {};
    place_ = rest[0];
    move_tetrahedra();
    for (Handle& handle : asset_.handles) handle.position = place_ * handle.position;
    return {};
  }

  void move_tetrahedra() {
    for (Vec3& point : asset_.tets.positions) point = place_ * point;
  }

  Result<HandleTransform> rigid_part(const Eigen::Affine3d& motion, size_t joint, const std::string& example) const {
    const double determinant = motion.linear().determinant();
    const double scale = std::cbrt(determinant);
    const std::string& name = asset_.handles[joint].name;
    if (!(std::abs(scale - 1) <= kScaleNoise)) {
      return wrong("joint \"{}\" is scaled by {:.4g} in pose \"{}\"; handles may only move and turn: apply the scale before exporting", name, scale,
                   example);
    }
    if (!((motion.linear().transpose() * motion.linear() - Mat3::Identity()).norm() <= 4 * kScaleNoise)) {
      return wrong("joint \"{}\" is stretched or sheared in pose \"{}\"; handles may only move and turn", name, example);
    }
    HandleTransform pose;
    pose.rotation = Quat(motion.linear()).normalized();
    if (pose.rotation.w() < 0) pose.rotation.coeffs() *= -1;
    pose.translation = motion.translation();
    return pose;
  }

  std::string rest_name() const {
    const Json* name = extension_->find("rest");
    return name && name->is_text() ? name->text : "rest";
  }

  Result<void> read_examples() {
    asset_.examples.push_back({rest_name(), std::vector<HandleTransform>(joints_.size())});
    const size_t count = gltf_count(document_, "animations");
    if (count > kMaxPoses / joints_.size()) return wrong("{} animations of {} joints are too many", count, joints_.size());
    for (size_t a = 0; a < count; ++a) {
      const Result<GltfScene::Posed> posed = scene_.last_pose(a);
      if (!posed) return posed.error();
      if (!moves_joints(*posed)) continue;  // it is about a camera, say
      const Json* name = document_.json.find("animations")->items[a].find("name");
      Example example{name && name->is_text() ? name->text : fmt::format("example {}", asset_.examples.size()), {}};
      const std::vector<Eigen::Affine3d> moved = motions(posed->nodes);
      for (size_t j = 0; j < joints_.size(); ++j) {
        const Result<HandleTransform> pose = rigid_part(moved[j] * place_.inverse(), j, example.name);
        if (!pose) return pose.error();
        example.handles.push_back(*pose);
      }
      if (const Result<void> stretched = stretch(example); !stretched) return stretched.error();
      asset_.examples.push_back(std::move(example));
    }
    return {};
  }

  /// Of a drawing: a joint's motion has no stretch in it, which is told apart.
  Result<void> stretch(Example& example) {
    if (!is_flat_) return {};
    const Result<std::vector<Mat3>> stretches = read_stretches(scene_, *extension_, example.name, example.handles.size(), extension_where());
    if (!stretches) return stretches.error();
    for (size_t j = 0; j < example.handles.size(); ++j) {
      HandleTransform& pose = example.handles[j];
      const Vec3 pivot = asset_.handles[j].position, goes_to = pose.rotation * pivot + pose.translation;
      if (pose.rotation.vec().head<2>().norm() > 1e-4) return wrong("handle \"{}\" leaves the plane of the drawing in \"{}\"", asset_.handles[j].name, example.name);
      pose.rotation = Quat(pose.rotation.w(), 0, 0, pose.rotation.z()).normalized();
      pose.stretch = (*stretches)[j], pose.translation = goes_to - pose.rotation * (pose.stretch * pivot);
      pose.translation.z() = 0;
    }
    return {};
  }

  bool moves_joints(const GltfScene::Posed& posed) const {
    std::vector<bool> above(scene_.node_count(), false);  // joints and their ancestors, each visited once
    for (const size_t joint : joints_) {
      for (int n = static_cast<int>(joint); n >= 0 && !above[static_cast<size_t>(n)]; n = scene_.parent(static_cast<size_t>(n))) {
        above[static_cast<size_t>(n)] = true;
        if (posed.animated[static_cast<size_t>(n)]) return true;
      }
    }
    return false;
  }

  Result<void> read_surface() {
    for (size_t n = 0; n < scene_.node_count(); ++n) {
      const Result<std::optional<size_t>> skin = scene_.reference(n, "skin");
      if (!skin) return skin.error();
      if (*skin && scene_.shown(n) && *skin != skin_) return wrong("node {} has another skin than the tetrahedra; bind all meshes to one armature", n);
    }
    Result<TriMesh> surface = gather_surface(scene_, place_, &material_numbers_);
    if (!surface) return surface.error();
    asset_.surface = std::move(*surface);
    if (!extension_->find("normals")) asset_.surface.normals.clear();
    if (const std::optional<SurfaceMaterial> material = take_plain_material(asset_.surface)) {
      asset_.material = material->name;
      asset_.color = material->color, asset_.metal = material->metal, asset_.roughness = material->roughness;
    }
    if (const Result<void> read = read_groups(); !read) return read;
    if (const Result<void> read = read_rigid_parts(); !read) return read;
    Result<std::vector<PaintedMap>> maps = gather_maps(scene_, asset_.surface.positions.size());
    if (!maps) return maps.error();
    asset_.maps = std::move(*maps);
    return {};
  }

  /// Numbers below `end` for all triangles of the surface, in the order of the primitives.
  Result<std::vector<uint16_t>> triangle_numbers(const Json& owner, const char* key, size_t end, const std::string& where) {
    const Result<size_t> accessor = gltf_index(document_, owner, key, where);
    if (!accessor) return accessor.error();
    const Result<std::vector<uint32_t>> numbers = scene_.indices(*accessor);
    if (!numbers) return numbers.error();
    const size_t triangles = asset_.surface.triangles.size();
    if (numbers->size() != triangles) return wrong("{}/{}: {} numbers do not match {} triangles", where, key, numbers->size(), triangles);
    for (const uint32_t number : *numbers) {
      if (number >= end || number > 65535) return wrong("{}/{}: {} names nothing", where, key, number);
    }
    return std::vector<uint16_t>(numbers->begin(), numbers->end());
  }

  Result<void> read_groups() {
    TriMesh& surface = asset_.surface;
    surface.group.clear(), surface.groups = nullptr;
    const Json* given = extension_->find("groups");
    if (!given) return {};
    std::vector<std::string> names;
    const Json* list = given->find("names");
    for (size_t i = 0; list && i < list->items.size(); ++i) names.push_back(list->items[i].text);
    Result<std::vector<uint16_t>> numbers = triangle_numbers(*given, "triangles", names.size(), extension_where() + "/groups");
    if (!numbers) return numbers.error();
    surface.group = std::move(*numbers);
    surface.groups = std::make_shared<const std::vector<std::string>>(std::move(names));
    return {};
  }

  Result<void> read_rigid_parts() {
    if (!extension_->find("rigid")) return {};
    Result<std::vector<uint16_t>> numbers = triangle_numbers(*extension_, "rigid", 65536, extension_where());
    if (!numbers) return numbers.error();
    asset_.surface.rigid = std::move(*numbers);
    return {};
  }

  Result<void> read_scoring() {
    const Json* given = extension_->find("pieces");
    if (!given) return {};
    Result<Pieces> pieces = read_pieces(scene_, *given, place_, {asset_.surface, material_numbers_}, extension_where() + "/pieces");
    if (!pieces) return pieces.error();
    asset_.pieces = std::move(*pieces);
    return {};
  }

  GltfScene& scene_;
  const GltfDocument& document_;
  const Json* extension_ = nullptr;
  size_t mesh_ = 0;
  bool is_flat_ = false;
  std::optional<size_t> node_, skin_;
  std::vector<size_t> joints_;                           // nodes
  std::vector<Eigen::Affine3d> to_joint_;                // #joints, inverse bind matrices
  Eigen::Affine3d place_ = Eigen::Affine3d::Identity();  // of the bound mesh in the scene
  std::vector<int> material_numbers_;                    // of the document's materials in the surface
  Asset asset_;
};

}  // namespace

Result<Asset> asset_from_gltf(const GltfDocument& document) {
  Result<GltfScene> scene = GltfScene::open(document);
  if (!scene) return scene.error();
  return AssetReader(*scene).read();
}

Result<Asset> read_asset(const std::filesystem::path& file) {
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return document.error();
  Result<Asset> asset = asset_from_gltf(*document);
  if (asset && asset->name.empty()) asset->name = file.stem().string();
  return asset;
}

}  // namespace crumple::io
