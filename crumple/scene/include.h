#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/scene/scene.h"

namespace crumple {

/// Another scene file, whose bodies, joints and forces come along.
struct Include {
  std::string file;
  std::string prefix;
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> turn;
};

void describe(Fields& fields, Include& include);

/// Reads a file that another includes, through all that it includes itself.
using ReadIncluded = std::function<Result<Scene>(const std::filesystem::path& file)>;

/// What included files bring.
struct Included {
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<ForceDescription> forces;
};

/// Reads what a document includes; assets are added to the scene's. Paths come to be relative to the scene's own folder.
Result<Included> read_included(Scene& scene, const Json& document, const ReadIncluded& read);
/// Puts it before the scene's own bodies, joints and forces.
void put_first(const Included& included, Scene& scene);

}  // namespace crumple
