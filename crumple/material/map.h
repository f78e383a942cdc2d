#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"

namespace crumple {

/// A factor painted over a surface, such as "yield": weak below 1, strong above. It multiplies the knob of the same name.
struct PaintedMap {
  std::string name;           // of the knob: one of kPaintedKnobs
  std::vector<float> values;  // #surface vertices, from 0 to kMaxPainted
};

/// The knobs that can be painted.
inline constexpr std::array<std::string_view, 7> kPaintedKnobs = {"yield", "gain", "radius", "strength", "toughness", "stiffness", "flow"};
/// A factor above this is a mistake: it is finite strength that is painted, and gain 0 is what keeps a part rigid.
inline constexpr float kMaxPainted = 1000;

/// The map of this knob, or nothing.
const PaintedMap* find_map(std::span<const PaintedMap> maps, std::string_view knob);

/// Each knob at most once, one factor for each of the vertices, and every factor in range.
Result<void> check_maps(std::span<const PaintedMap> maps, size_t vertices);

}  // namespace crumple
