#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"

namespace crumple::io {

/// A matrix, row after row.
struct Dmat {
  size_t rows = 0, columns = 0;
  std::vector<double> values;  // rows x columns
};

/// The text form of libigl's .dmat: "columns rows", then column after column. `name` is the file's, for messages.
Result<Dmat> parse_dmat(std::string_view text, std::string_view name);

}  // namespace crumple::io
