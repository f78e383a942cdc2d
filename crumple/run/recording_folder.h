#pragma once

#include <filesystem>
#include <string>

#include "crumple/world/world.h"

namespace crumple {

/// Names inside the folder of a recording.
struct RecordingFolder {
  std::filesystem::path folder;
  std::filesystem::path run() const { return folder / "run.json"; }
  std::filesystem::path scene() const { return folder / "scene.json"; }
  std::filesystem::path stream() const { return folder / "state.crumple"; }
  std::filesystem::path timings() const { return folder / "timings.csv"; }
  std::filesystem::path assets() const { return folder / "assets"; }
  /// A model that takes long to make, of a body of this method.
  std::filesystem::path model(size_t body, std::string_view method) const { return assets() / ("body_" + std::to_string(body) + "." + std::string(method)); }
};

/// True if the folder holds a recording of ours, so that it may be overwritten.
bool is_recording(const std::filesystem::path& folder);

/// Puts the scene and everything it refers to into the folder, so that the recording can be looked at anywhere. What is there already
/// and right stays.
Result<void> pack_scene(const World& world, const RecordingFolder& folder);

}  // namespace crumple
