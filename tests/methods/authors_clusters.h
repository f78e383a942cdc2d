#pragma once

#include <filesystem>
#include <string>

#include "crumple/scene/authors_clusters.h"

namespace crumple {

/// `folder` holds scenes and particle files side by side.
inline Result<AuthorsClusters> read_authors_clusters(const std::filesystem::path& folder, const std::string& name) {
  return load_authors_clusters(folder / (name + ".json"));
}

}  // namespace crumple
