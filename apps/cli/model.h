#pragma once

#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "crumple/geometry/frame.h"
#include "crumple/geometry/mesh.h"
#include "crumple/material/map.h"

namespace crumple::cli {

/// An artist's file, and what it does not say itself: its unit, which way is up, and which parts of it count.
struct ModelOptions {
  std::string file, unit = "m", up = "y";
  std::vector<std::string> only, without, rigid;  // patterns of names of objects and materials
  bool unit_given = false;
  /// `required`: otherwise the command itself finds out that no model is named.
  void add_to(Command& command, bool required = true);
  /// Notes whether the unit was given; of the callback of a command.
  void take_from(const Command& command) { unit_given = command.has("--unit"); }
  /// --rigid, for commands that can keep it.
  void add_rigid_to(Command& command);
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
  std::string material;            // name of its only material, if that is plain: then `look` is how it looks
  bool has_look = false;           // the file says how it looks
  std::vector<std::string> notes;  // what was lost, and what looks wrong
};

Result<Model> read_model(const ModelOptions& options);

/// What looks wrong with the size of a model whose unit is taken to be the metre, if `unit_given` is false, or with parts of it that are far away.
std::vector<std::string> size_notes(const TriMesh& mesh, const std::string& file, bool unit_given);

/// A word as a shell takes it.
std::string shell_word(const std::string& word);

/// Three numbers such as "0.5,0,-1".
Result<Vec3> parse_place(const std::string& text, const std::string& what);

}  // namespace crumple::cli
