#include "crumple/material/map.h"

#include <algorithm>

#include <fmt/format.h>

namespace crumple {
namespace {

Result<void> check_map(const PaintedMap& map, size_t vertices) {
  if (std::find(kPaintedKnobs.begin(), kPaintedKnobs.end(), map.name) == kPaintedKnobs.end()) {
    return input_error(fmt::format("\"{}\" cannot be painted; the knobs that can are {}", map.name, fmt::join(kPaintedKnobs, ", ")));
  }
  if (map.values.size() != vertices) {
    return input_error(fmt::format("{} is painted on {} vertices, but the surface has {}", map.name, map.values.size(), vertices));
  }
  for (size_t v = 0; v < vertices; ++v) {
    if (map.values[v] >= 0 && map.values[v] <= kMaxPainted) continue;  // false for what is not a number, too
    return input_error(fmt::format("{} is painted {:g} at vertex {}; factors lie between 0 and {:g}", map.name, map.values[v], v, kMaxPainted));
  }
  return {};
}

}  // namespace

const PaintedMap* find_map(std::span<const PaintedMap> maps, std::string_view knob) {
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const PaintedMap& map) { return map.name == knob; });
  return found == maps.end() ? nullptr : &*found;
}

Result<void> check_maps(std::span<const PaintedMap> maps, size_t vertices) {
  for (const PaintedMap& map : maps) {
    if (find_map(maps, map.name) != &map) return input_error(fmt::format("{} is painted twice", map.name));
    if (Result<void> fine = check_map(map, vertices); !fine) return fine;
  }
  return {};
}

}  // namespace crumple
