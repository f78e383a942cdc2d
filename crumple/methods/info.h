#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crumple {

/// Sums over all bodies of one method, under the keys of its reports.
using Totals = std::map<std::string, double>;

/// How a method stands to the world.
enum class MethodKind {
  Layer,   ///< changes the shape of a rigid body
  Bonds,   ///< holds the rigid pieces of a body together
  Matter,  ///< a body of particles that moves itself
};

/// What a body must be to have a method.
enum class BodyNeed {
  Solid,    ///< anything with an inside; it is filled with tetrahedra if it has none
  Rig,      ///< an asset with handles and examples
  Score,    ///< an asset that was cut into pieces
  OwnShape, ///< no other shape: the method brings its own
  Surface,  ///< a closed surface, or particles from files
  Drawing,  ///< an asset that is a drawing, in a flat scene
};

/// A file that settings name: below the method's key.
struct FileName {
  std::string where;
  std::string* name;
};

/// A body of the scene that settings refer to: below the method's key, and its name (empty: the world).
struct BodyName {
  std::string where, name;
};

/// A speed that settings ask for: below the method's key, and in m/s.
struct NamedSpeed {
  std::string where;
  double speed;
};

/// A way to colour what a method draws.
struct ColorScheme {
  std::string_view name, help;
};

/// What a method makes of a preset of bodies: a JSON object of its own keys.
struct PresetValues {
  std::string_view preset, values;
};

/// What a method says about itself.
struct MethodInfo {
  MethodKind kind;
  std::string_view name;      // of its folder, its namespace, its page and in lists
  std::string_view key;       // in scenes
  std::string_view key_help;
  std::string_view paper, help;
  BodyNeed need;
  std::string_view noun;      // "structure": what a body with it is called
  std::string_view verb;      // "crumple": what only dynamic bodies do
  std::string_view held_by;   // the key that holds such a body in place; empty: it can be static
  std::span<const ColorScheme> colors;
  std::string_view state_color;  // the scheme that shows its state best
  /// What became of `bodies` of them, for the foot of a picture; empty: nothing to say.
  std::string (*footer)(int bodies, const Totals& totals);
  int order = 0;  // of layers: the shape is put together from those with lower numbers first
  bool skins = false;            // of layers: it writes every vertex itself, whatever was there
  std::string_view directed_by = "";  // of matter: the key that moves such a body; empty: the one that holds it
  std::string_view arrays = "";  // what its arrays are filed under in recordings; empty: its name
  std::span<const PresetValues> presets = {};  // those that it has values for; the names stand in scene/presets.cpp
};

}  // namespace crumple
