#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "crumple/io/export_merge.h"
#include "crumple/io/picture_files.h"

namespace crumple::io {

/// A text in quotes, as USD reads it.
std::string usd_quoted(const std::string& text);

/// Materials of a USD file as UsdPreviewSurface, each once, with pictures in NAME_textures beside it.
class UsdMaterials {
 public:
  explicit UsdMaterials(const std::filesystem::path& file) : pictures_(file) {}

  /// Paths of their prims.
  std::string path_of(const Appearance& look, bool tinted, const std::string& item);
  const std::vector<std::string>& paths_of(const std::shared_ptr<const Materials>& materials);

  /// A scope with all of them.
  std::string text() const;
  Result<void> write_pictures() const { return pictures_.write(); }

 private:
  std::string add(const SurfaceMaterial& material, bool tinted);

  PictureFiles pictures_;
  std::set<std::string> names_;
  std::string prims_;  // text
  std::map<LookKey, std::string> looks_;
  std::map<std::shared_ptr<const Materials>, std::vector<std::string>> lists_;
};

}  // namespace crumple::io
