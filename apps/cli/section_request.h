#pragma once

#include <optional>
#include <string>

#include "crumple/core/result.h"
#include "crumple/material/section.h"

namespace crumple::cli {

/// A section and a material in the words of the command line: one of the first four and one of the next five.
struct SectionRequest {
  std::optional<std::string> rect, circle, tube, i;                       // sizes in metres, such as 0.1x0.2
  std::optional<std::string> steel, concrete, aluminium, wood, material;  // MPa; MPa:share; MPa or nothing, twice; KEY=VALUE,...
  bool tresca = false, von_mises = false;
  std::optional<std::string> length;  // metres
};

Result<Section> requested_section(const SectionRequest& request);
Result<SolidMaterial> requested_material(const SectionRequest& request);
/// Metres of bar at the joint, if any are given.
Result<std::optional<double>> requested_length(const SectionRequest& request);

}  // namespace crumple::cli
