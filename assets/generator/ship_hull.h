#pragma once

#include "assets/generator/loft.h"

#include "crumple/rig/asset.h"

#include <functional>
#include <string>
#include <vector>

namespace crumple::generator {

/// The lines of a hull, in metres about the waterline amidships: x forward, z to starboard. `along` runs from 0 at the stern to 1 at
/// the stem.
struct HullLines {
  std::function<double(double along)> keel, rail;              // lowest and highest line
  std::function<double(double height)> stern, stem;            // where a waterline begins and ends in x
  std::function<double(double along, double height)> breadth;  // half of it
  double round_stern = 0;                                      // how far the stern is drawn in at its sides

  Vec3 starboard(double along, double height) const { return across(along, height, breadth(along, height)); }
  /// A point inside of the skin.
  Vec3 across(double along, double height, double z) const;
};

/// How a hull is divided and painted.
struct HullPaint {
  Vec3f bottom, line, side, strake, rail, inside, deck;
};
struct HullBuild {
  std::vector<double> along;  // stations, from 0 to 1
  int rows_below = 6;         // from the keel to the waterline
  int rows_above = 4;
  double line = 0.1;     // width of the painted waterline
  double strake = 0;     // width of a painted band below the rail
  double skin = 0.08;    // thickness of the bulwark
  double bulwark = 0.7;  // its height above the deck; 0 puts the deck at the rail
  int deck_columns = 4;  // half across
  HullPaint paint;
};

/// Adds the closed hull: skin, stern, rail, the inside of the bulwark and the deck.
void add_hull(TriMesh& mesh, const HullLines& lines, const HullBuild& build);

/// Adds a propeller of four blades about a shaft along x.
void add_propeller(TriMesh& mesh, const Vec3& centre, double radius, const Vec3f& color);

/// Adds a handle on starboard and one on port, named so.
void add_both_sides(std::vector<Handle>& handles, const std::string& name, const Vec3& starboard);

/// `count` + 1 shares from 0 to 1, closer to each other near both ends.
std::vector<double> gathered_shares(int count);

}  // namespace crumple::generator
