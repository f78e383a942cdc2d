#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace crumple {

/// Exported files of a test are kept here, if the tests of other programs' readers are to see them; empty: nowhere.
inline std::filesystem::path kept_exports() {
  const char* folder = std::getenv("CRUMPLE_KEEP_EXPORTS");
  return folder ? std::filesystem::path(folder) : std::filesystem::path();
}

/// Copies all that lies in a folder.
inline void keep_exports(const std::filesystem::path& folder, const std::string& name) {
  if (kept_exports().empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(kept_exports() / name, ignored);
  std::filesystem::copy(folder, kept_exports() / name, std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing, ignored);
}

/// Copies the .glb and .usda files of a test's folder, which goes when the test ends.
inline void keep_animations(const std::filesystem::path& folder, const std::string& test) {
  if (kept_exports().empty()) return;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    const std::filesystem::path extension = entry.path().extension();
    if (extension != ".glb" && extension != ".usda") continue;
    std::filesystem::create_directories(kept_exports() / "all", ignored);
    std::filesystem::copy_file(entry.path(), kept_exports() / "all" / (test + "_" + entry.path().filename().string()), std::filesystem::copy_options::overwrite_existing, ignored);
  }
}

}  // namespace crumple
