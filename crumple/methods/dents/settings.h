#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/methods/dents/print.h"
#include "crumple/methods/info.h"

namespace crumple::dents {

/// How two bodies that both dent divide the depth of a dent.
enum class Both {
  Share,  ///< by their hardness: the softer one takes more
  Full,   ///< each takes all of it, as in paper 3, figure 1
};

/// What happens to what hit the body.
enum class Projectile {
  Untouched,  ///< it stays where the engine puts it, beside the print
  Moved,      ///< it moves into its print, as in paper 3
};

struct Settings {
  double depth = 0.006;     // s: depth of a dent per normal speed beyond the threshold
  double threshold = 1;     // m/s
  double deepest = 0.1;     // m
  std::optional<double> hardness = {};  // Pa: depth by the energy of the impact instead
  double resistance = 1;    // against another body that dents, how the depth is divided
  Both both = Both::Share;
  PrintSettings print;
  double steepest = 75;     // degrees between a press and the normal
  Projectile projectile = Projectile::Untouched;
  double over = 0;          // s in which a dent appears
  int most = 8;             // dents of a body in a step
  int triangles = 100000;   // of the drawn surface, refined
};

struct Model;
struct State;

const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Settings& settings);
inline std::string summary(const Settings&) { return ""; }
inline std::vector<FileName> files(Settings&) { return {}; }
inline std::vector<BodyName> bodies_named(const Settings&) { return {}; }
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }

}  // namespace crumple::dents
