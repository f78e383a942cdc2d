#pragma once

#include <filesystem>

#include "crumple/scene/scene.h"

namespace crumple {

/// True for a scene file of the program that the authors of paper 1 published.
bool is_paper1_scene(const Json& json);

/// Translates such a scene: their parameters mean the same here, their program's bugs are left behind, and what has no counterpart
/// is named in Scene::notes. Paths resolve beside the scene.
Result<Scene> read_paper1_scene(const Json& json, const std::filesystem::path& file);

}  // namespace crumple
