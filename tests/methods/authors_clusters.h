#pragma once

#include <filesystem>
#include <string>

#include "crumple/scene/import/paper2_scene.h"

namespace crumple {

/// `folder` holds scenes and particle files side by side.
inline Result<Paper2Body> read_authors_clusters(const std::filesystem::path& folder, const std::string& name) {
  return load_paper2_body(folder / (name + ".json"));
}

}  // namespace crumple
