#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "crumple/core/result.h"
#include "crumple/geometry/materials.h"

namespace crumple::io {

/// A name of letters, digits and underscores that does not begin with a digit, and is in `used` afterwards but was not before.
std::string unique_name(const std::string& wanted, std::set<std::string>& used);

/// Pictures of a format that names them: written to a folder NAME_textures beside the file, as they were read.
class PictureFiles {
 public:
  explicit PictureFiles(const std::filesystem::path& file) : folder_(file.parent_path() / (file.stem().string() + "_textures")) {}

  /// The path of a picture from the folder of the file.
  std::string add(const TextureImage& image);
  Result<void> write() const;

 private:
  std::filesystem::path folder_;
  std::set<std::string> names_;
  std::map<const TextureImage*, std::string> files_;  // in the folder
};

}  // namespace crumple::io
