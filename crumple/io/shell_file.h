#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple::io {

/// Shells that an artist drew around the pieces of a body.
struct ShellFile {
  std::vector<TriMesh> shells;
  std::vector<int> labels;         // #shells: those of one name have one label
  std::vector<std::string> names;  // #labels
};

/// Everything that hangs together in a file of surfaces is a shell. Groups and objects of an OBJ, and nodes of a glTF scene, give them names; without
/// a name every shell has a label of its own.
Result<ShellFile> read_shells(const std::filesystem::path& file);

}  // namespace crumple::io
