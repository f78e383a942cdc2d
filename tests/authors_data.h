#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace crumple {

/// The folder with the data that the papers' authors published (with examples/ and clusters/ in it): named by the environment
/// variable CRUMPLE_AUTHORS_DATA, or ../shared/data beside the sources. It is not part of the project, so tests skip without it.
inline std::optional<std::filesystem::path> authors_data() {
  const char* named = std::getenv("CRUMPLE_AUTHORS_DATA");
  const std::filesystem::path folder = named ? std::filesystem::path(named) : std::filesystem::path(CRUMPLE_SOURCE_DIR) / ".." / "shared" / "data";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder / "examples", ignored)) return std::nullopt;
  return folder;
}

inline constexpr const char* kNoAuthorsData = "the authors' data are not here; set CRUMPLE_AUTHORS_DATA to their folder";

}  // namespace crumple
