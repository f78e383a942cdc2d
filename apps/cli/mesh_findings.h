#pragma once

#include <string>

#include "crumple/core/json.h"
#include "crumple/geometry/doctor.h"

namespace crumple::cli {

/// A picture must be a .png in a folder that exists; no picture is fine.
Result<void> check_picture(const std::string& file);

/// What the doctor found, for programs.
Json findings_json(const MeshReport& report);

/// Draws a surface as it was given with every place of the findings marked; the numbers are those of the findings, from 1.
Result<void> draw_findings(const TriMesh& surface, const MeshReport& report, const std::string& file);

}  // namespace crumple::cli
