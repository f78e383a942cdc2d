#pragma once

#include <string_view>

namespace crumple {

/// Whether a name matches a pattern in which * stands for any letters and ? for one. Names with slashes match by any part between two, too.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace crumple
