#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"
#include "crumple/io/gltf.h"

namespace crumple::io {

/// All materials of a document, with their textures. A picture that is not there is left out; `lost` gets what could not be kept, each by name.
Result<Materials> read_materials(const GltfDocument& document, std::vector<std::string>* lost = nullptr);

/// Adds materials, textures, samplers and images to a document; each texture and each list of materials once. Materials must outlive it.
class GltfMaterialWriter {
 public:
  explicit GltfMaterialWriter(GltfBuilder& builder) : builder_(builder) {}
  /// Their numbers in the document.
  size_t add(const SurfaceMaterial& material);
  const std::vector<size_t>& numbers_of(const std::shared_ptr<const Materials>& materials);

 private:
  void add_texture(const Texture& texture, const char* key, Json& to);
  size_t image_of(const TextureImage& image);
  size_t sampler_of(const Texture& texture);

  GltfBuilder& builder_;
  std::map<std::shared_ptr<const Materials>, std::vector<size_t>> lists_;
  std::map<std::tuple<const TextureImage*, TextureWrap, TextureWrap, bool>, size_t> textures_;
  std::map<const TextureImage*, size_t> images_;
  std::map<std::tuple<TextureWrap, TextureWrap, bool>, size_t> samplers_;
};
/// The same for one list.
std::vector<size_t> add_materials(const Materials& materials, GltfBuilder& builder);

/// Gives a surface whose triangles carry the document's numbers of materials only the materials it uses. Returns the surface's number of each
/// material, -1 where it is not used, and last that of triangles without a material.
std::vector<int> attach_materials(const Materials& all, TriMesh& surface);

}  // namespace crumple::io
