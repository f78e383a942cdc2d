#pragma once

#include <vector>

#include "crumple/rig/fit.h"

namespace crumple {

/// Shapes that have been looked at.
struct FitInput {
  std::vector<FitExample> examples;  // those that differ from rest, without motions of the whole
  std::vector<double> importance;    // #vertices, of sum 1; 0 for those that no triangle uses
  Vec3 center = Vec3::Zero();        // of the rest shape's box
  double diagonal = 0;               // of the same
};

/// Refuses what cannot be fitted, takes out motions of the whole, leaves out what does not differ from rest, and gives every example a
/// name of its own. Fills in the list of examples in the report.
Result<FitInput> prepare_input(const TriMesh& rest, std::vector<FitExample> examples, const FitSettings& settings, FitReport& report);

/// How far a rotation turns.
double degrees(const Mat3& rotation);

}  // namespace crumple
