#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/math/types.h"

namespace crumple::io {

/// Particles as plain text: three numbers "x y z" for each, separated by blanks or line ends; no header. Lines that begin with # are skipped.
Result<std::vector<Vec3>> parse_particles(std::string_view text, std::string_view name);
Result<std::vector<Vec3>> read_particles(const std::filesystem::path& file);

}  // namespace crumple::io
