#pragma once

#include "assets/generator/loft.h"

#include "crumple/core/result.h"
#include "crumple/geometry/cells.h"
#include "crumple/rig/asset.h"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace crumple::generator {

// Linear RGB.
inline const Vec3f kHullGrey(0.235f, 0.245f, 0.26f), kPlateGrey(0.125f, 0.13f, 0.145f), kPaleGrey(0.40f, 0.405f, 0.41f),
    kShadowGrey(0.045f, 0.048f, 0.055f), kSoot(0.015f, 0.015f, 0.017f), kSmokedGlass(0.012f, 0.02f, 0.032f), kSignalOrange(0.72f, 0.17f, 0.015f),
    kLitWindow(0.95f, 0.80f, 0.42f), kEngineGlow(0.35f, 0.72f, 0.98f), kTornMetal(0.07f, 0.066f, 0.064f);

/// A closed line of points around an axis, counter-clockwise as seen from where the loft goes to.
using Ring = std::vector<Vec3>;

/// A cross-section of a hull that runs along x.
struct Section {
  double x = 0, y = 0;  // of its middle; z is 0
  double half_width = 0, half_height = 0;
};

/// An outline in z and y, each from -1 to 1, from the top over starboard and the bottom back to the top; the first point is not repeated.
using Outline = std::vector<std::array<double, 2>>;
/// `count` points on a superellipse; an exponent of 2 makes a circle, a larger one a rounded square.
Outline round_outline(int count, double exponent);

/// The ring of each section, with as many between two as leave no gap wider than `step` along x.
std::vector<Ring> hull_rings(std::span<const Section> sections, const Outline& outline, double step);

/// A wing, fin or keel: a lens of six corners from `leading` backwards along -x. `across` is the direction of its thickness; `across` x (where the
/// loft goes to) must point forwards.
Ring wing_ring(const Vec3& leading, double chord, double thickness, const Vec3& across);

/// Adds the closed skin through rings; both ends are fans about their middle, so rows of its cells begin and end with those. Columns in `creases` and
/// the rims of both ends are sharp.
void add_loft(TriMesh& mesh, std::span<const Ring> rings, const CellColor& color, std::vector<int> creases = {});

/// An engine's nozzle that opens towards -x, dark, with a glowing disc.
void add_nozzle(TriMesh& mesh, const Vec3& root, double length, double root_radius, double rim_radius, int sides);

/// The box around everything of an asset, with a little room.
Bounds room_around(const Asset& asset);

/// Cuts an asset that was made; errors pass through.
Result<Asset> scored(Result<Asset> asset, const std::function<std::vector<ConvexCell>(const Bounds&)>& cells);

}  // namespace crumple::generator
