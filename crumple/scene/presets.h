#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/json.h"

namespace crumple {

/// Values for a body of one kind of thing: keys of the body, and of each method that has some for it.
struct Preset {
  std::string_view name, help;
  Json values;  // as in a body: "density", "material", and an object for each method
};

/// All presets, in the order of lists.
const std::vector<Preset>& presets();

/// Fills in what bodies with a "preset" do not say themselves. Values of a method are given to bodies that have it.
Result<void> fill_presets(Json& document, std::string_view file);

/// Puts the values of its preset into a body, over what is there.
void override_by_preset(Json& body);

/// Keys of methods that a preset has values for.
std::vector<std::string> methods_of(const Preset& preset);

}  // namespace crumple
