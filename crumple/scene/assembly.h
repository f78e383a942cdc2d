#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crumple/core/json.h"
#include "crumple/core/result.h"

namespace crumple {

/// Puts copies of a document's bodies where the nodes of its "assembly" are. A body that has nodes is a template: its copies take its place. Nodes that no
/// body is meant by are told in `notes`.
Result<void> assemble(Json& document, const std::filesystem::path& file, std::vector<std::string>& notes);

}  // namespace crumple
