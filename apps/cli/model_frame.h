#pragma once

#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "crumple/math/types.h"

namespace crumple::cli {

/// What other tools mean by 1 and by up. Crumple means metres and y.
struct ModelFrame {
  std::string unit = "m", up = "y";

  void add_to(CLI::App& command) {
    command.add_option("--unit", unit, "Length of 1 in the file (default m)")->check(CLI::IsMember({"m", "cm", "mm", "km", "in", "ft"}));
    command.add_option("--up", up, "Axis that points up in the file (default y)")->check(CLI::IsMember({"x", "y", "z"}));
  }
  double metres() const {
    return unit == "cm" ? 0.01 : unit == "mm" ? 0.001 : unit == "km" ? 1000 : unit == "in" ? 0.0254 : unit == "ft" ? 0.3048 : 1;
  }
  /// Turns by a quarter or not at all, so right stays right-handed.
  Vec3 operator*(const Vec3& p) const {
    const Vec3 turned = up == "z" ? Vec3(p.x(), p.z(), -p.y()) : up == "x" ? Vec3(-p.y(), p.x(), p.z()) : p;
    return metres() * turned;
  }
  void apply(std::vector<Vec3>& positions) const {
    for (Vec3& p : positions) p = *this * p;
  }
};

}  // namespace crumple::cli
