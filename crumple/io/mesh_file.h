#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple::io {

/// A format of surfaces, for help texts.
struct MeshFormat {
  std::string_view name;
  std::string_view extension;  // ".obj"
  bool writes = false;         // all of them are read
  std::string_view help;
};

std::span<const MeshFormat> mesh_formats();

/// A surface as it lies in the file, in the file's units; the extension of the name tells the format. `lost` gets what the file has and a surface cannot
/// hold, each by name.
Result<TriMesh> read_mesh(const std::filesystem::path& file, std::vector<std::string>* lost = nullptr);
/// The same for a doctor to look at: vertices may not be finite where the format can say so.
Result<TriMesh> read_model(const std::filesystem::path& file, std::vector<std::string>* lost = nullptr);
/// Writes a surface with its materials and their pictures, as far as the format has them.
Result<void> write_mesh(const TriMesh& mesh, const std::filesystem::path& file);

}  // namespace crumple::io
