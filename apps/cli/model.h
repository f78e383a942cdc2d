#pragma once

#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "crumple/geometry/frame.h"
#include "crumple/geometry/mesh.h"
#include "crumple/material/map.h"

namespace crumple::cli {

/// An artist's file, and what it does not say itself: its unit and which way is up.
struct ModelOptions {
  std::string file, unit = "m", up = "y";
  void add_to(Command& command);
  /// Only --unit and --up, for commands that name their files otherwise.
  void add_frame_to(Command& command);

  double scale() const;  // metres in a unit
  /// From the model's own coordinates to metres with y up.
  Vec3 to_asset(const Vec3& point) const;
};

/// What was read, in metres with y up.
struct Model {
  TriMesh mesh;
  std::vector<PaintedMap> maps;
  Appearance look;
  bool has_look = false;  // the file says how it looks
};

Result<Model> read_model(const ModelOptions& options);

/// Three numbers such as "0.5,0,-1".
Result<Vec3> parse_place(const std::string& text, const std::string& what);

}  // namespace crumple::cli
