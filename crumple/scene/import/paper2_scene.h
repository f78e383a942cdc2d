#pragma once

#include <filesystem>

#include "crumple/scene/scene.h"

namespace crumple {

/// True for a scene file of the program that the authors of paper 2 published.
bool is_paper2_scene(const Json& json);

/// Translates such a scene into one body of clusters: their parameters mean the same here, their program's bugs are left behind, and keys that have
/// no counterpart are named in Scene::notes. Particle files are looked for where they are named, from the scene's folder upwards, then beside the
/// scene. A scene of theirs has no length: it lasts 15 s.
Result<Scene> read_paper2_scene(const Json& json, const std::filesystem::path& file);

/// The same as the method takes it, without a world around it.
struct Paper2Body {
  clusters::Particles particles;
  clusters::Settings settings;
  particles::Boundary boundary;
  Vec3 gravity = Vec3(0, -9.81, 0);
  double dt = 1.0 / 60;
};
Result<Paper2Body> load_paper2_body(const std::filesystem::path& file);

}  // namespace crumple
