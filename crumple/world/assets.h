#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>

#include "crumple/io/node_motion.h"
#include "crumple/io/recording.h"
#include "crumple/rig/rigged_body.h"
#include "crumple/rigid/hulls.h"
#include "crumple/scene/scene.h"

namespace crumple {

/// Tetrahedra, skin and collision hulls of a body that can change its shape, shared by all bodies of the same asset, size and hull settings.
struct Solid {
  std::shared_ptr<const RiggedBody> rig;
  rigid::HullDecomposition hulls;  // empty if it needs no collision shape
};

/// How bonds divide a body into pieces, and the settings that decide it, as part of a key.
struct Divider {
  std::string key;
  std::function<Result<Division>(const Asset&)> divide;  // none: the body stays in one piece
};

/// Everything read from disk, each file once, for any number of worlds at the same time.
class AssetLibrary {
 public:
  template <class T>
  using Shared = std::shared_ptr<const T>;

  /// The object of this type under a key, made on first use. A failure is not kept.
  template <class T>
  Result<Shared<T>> get(const std::string& key, const std::function<Result<T>()>& make) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const void>& kept = kept_[{std::type_index(typeid(T)), key}];
    if (!kept) {
      Result<T> made = make();
      if (!made) return made.error();
      kept = std::make_shared<const T>(std::move(*made));
    }
    return std::static_pointer_cast<const T>(kept);
  }

 private:
  std::recursive_mutex mutex_;
  std::map<std::pair<std::type_index, std::string>, std::shared_ptr<const void>> kept_;
};

/// The assets of a library that one scene uses, under the scene's names.
class SceneAssets {
 public:
  explicit SceneAssets(std::shared_ptr<AssetLibrary> library = nullptr) : library_(library ? std::move(library) : std::make_shared<AssetLibrary>()) {}

  /// A rigged asset. Hulls are made only if bodies are to collide.
  Result<std::shared_ptr<const Solid>> load(const Scene& scene, const BodyDescription& body, const Divider& divider, bool with_hulls);
  /// Tetrahedra around any closed surface, for bodies without an asset; finer ones if it is divided.
  Result<std::shared_ptr<const Solid>> fill(const TriMesh& surface, const BodyDescription& body, const Divider& divider, bool with_hulls);
  /// `where`: prefix of error messages.
  Result<std::shared_ptr<const TriMesh>> load_mesh(const Scene& scene, const std::string& name, double scale, const std::string& where);
  /// Paint of such a mesh, which has `vertices`.
  Result<std::vector<PaintedMap>> load_maps(const Scene& scene, const std::string& name, size_t vertices, const std::string& where);
  Result<std::shared_ptr<const std::vector<Vec3>>> load_particles(const Scene& scene, const std::string& name, const std::string& where);
  /// The motion that a body follows.
  Result<std::shared_ptr<const io::NodeMotion>> load_animation(const Scene& scene, const BodyDescription& body);
  /// An asset that is neither scaled nor rigged.
  Result<std::shared_ptr<const Asset>> original(const Scene& scene, const std::string& name);

  /// Unscaled assets by their name in the scene, for recordings that carry them along.
  const std::map<std::string, std::shared_ptr<const Asset>>& originals() const { return originals_; }
  /// Of all loaded files, in order of names.
  uint64_t content_hash() const;

  std::map<std::string, io::ArrayStore> saved_models;  // by body: models that a recording stores because building them is slow

 private:
  std::shared_ptr<AssetLibrary> library_;
  std::map<std::string, std::shared_ptr<const Asset>> originals_;
  std::map<std::string, uint64_t> hashes_;
};

}  // namespace crumple
