#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "crumple/rig/rigged_body.h"
#include "crumple/rigid/hulls.h"
#include "crumple/world/cluster_models.h"
#include "crumple/scene/scene.h"

namespace crumple {

/// A rigged asset with its collision hulls, shared by all bodies of the same asset, size and hull settings.
struct LoadedAsset {
  std::shared_ptr<const RiggedBody> rig;
  rigid::HullDecomposition hulls;
  uint64_t content_hash = 0;  // of the asset before scaling
};

/// Everything read from disk for one scene, each file once.
class AssetLibrary {
 public:
  Result<std::shared_ptr<const LoadedAsset>> load(const Scene& scene, const BodyDescription& body);
  /// `where`: what complaints begin with.
  Result<std::shared_ptr<const TriMesh>> load_mesh(const Scene& scene, const std::string& name, double scale, const std::string& where);
  /// What is painted on such a mesh, which has `vertices`.
  Result<std::vector<PaintedMap>> load_maps(const Scene& scene, const std::string& name, size_t vertices, const std::string& where);
  Result<std::shared_ptr<const std::vector<Vec3>>> load_particles(const Scene& scene, const std::string& name, const std::string& where);
  /// An asset that is neither scaled nor rigged.
  Result<const Asset*> original(const Scene& scene, const std::string& name);

  /// Unscaled assets by their name in the scene, for recordings that carry them along.
  const std::map<std::string, Asset>& originals() const { return originals_; }
  /// Of everything that was loaded, in order of names.
  uint64_t content_hash() const;

  ClusterModels cluster_models;  // that need not be built again

 private:
  std::map<std::string, Asset> originals_;
  std::map<std::string, uint64_t> hashes_;
  std::map<std::string, std::shared_ptr<const RiggedBody>> rigs_;
  std::map<std::string, std::shared_ptr<const LoadedAsset>> loaded_;
  std::map<std::string, std::shared_ptr<const TriMesh>> meshes_;
  std::map<std::string, std::shared_ptr<const std::vector<Vec3>>> particles_;
};

}  // namespace crumple
