#pragma once

#include <filesystem>
#include <span>

#include "crumple/rig/make_flat.h"

namespace crumple::render {

/// A drawing as pictures and marks, ready to be rigged.
struct Drawing {
  std::vector<FlatLayer> layers;
  std::vector<FlatHandle> handles;  // pixels of the pictures
  std::vector<FlatPin> pins;
  std::vector<std::string> notes;   // what could not be read
  double scale = 1;                 // pixels for a unit of the file
};

/// Reads one SVG with its layers and marks, or PNGs, each of which is a layer. An SVG is drawn with `scale` pixels for each of its units.
Result<Drawing> read_drawing(std::span<const std::filesystem::path> files, double scale = 1);

}  // namespace crumple::render
