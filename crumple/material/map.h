#pragma once

#include <string>
#include <vector>

namespace crumple {

/// A factor painted over a surface, such as "yield": weak below 1, strong above. It multiplies the knob of the same name.
struct PaintedMap {
  std::string name;           // of the knob: "yield", "gain" or "radius"
  std::vector<float> values;  // #surface vertices, at least 0
};

}  // namespace crumple
