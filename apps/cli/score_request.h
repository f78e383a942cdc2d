#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/cells.h"
#include "crumple/rig/asset.h"

namespace crumple::cli {

/// How a body is to be divided; one of the three.
struct ScoreRequest {
  std::vector<std::string> planes;  // nx,ny,nz,d
  std::optional<int> voronoi;       // seeds
  std::string shells;               // a file
  uint64_t seed = 1;
  std::string around;  // x,y,z,r: of Voronoi seeds
};

/// Numbers such as "1,0,0,0.5", as many as there are.
Result<std::vector<double>> parse_numbers(const std::string& text, size_t count, const std::string& what, const std::string& such_as);

/// Everything that can be wrong before the asset is read.
Result<void> check_request(const ScoreRequest& request);

/// The cells that fill the space the asset takes.
Result<std::vector<ConvexCell>> cells_for(const Asset& asset, const ScoreRequest& request);

}  // namespace crumple::cli
