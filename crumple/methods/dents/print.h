#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/methods/dents/kernels.h"

/// The print of one surface in another: how far each point of the target moves when the projectile is pressed in.
namespace crumple::dents {

/// A surface as it is now, in the rest frame of the target.
struct SurfaceNow {
  std::span<const Vec3f> points;
  std::span<const Triangle> triangles;
};

struct PrintSettings {
  double softness = 0.08;    // width of the Gaussians, as a share of the print's half width
  double attenuation = 1;    // depth through the body over which a dent fades, as a share of its depth
  double lip = 0.15;         // share of the volume that is raised in a narrow ring around it
  double rim = 0;            // share of the rest that is raised broadly
  int cells = 400;           // at most, along a side of the map
  bool from_plane = false;   // depths from a plane across the way of the press, as in paper 3, not from the target's surface; for comparison
};

/// Depths of both surfaces under a press, coarse: enough to know how deep it goes and how wide it is.
struct Contour {
  PressFrame frame;
  Grid grid;
  Map overlap;           // how far the projectile lies behind the target's surface when it just touches: 0 at the touch, less elsewhere
  bool touches = false;  // otherwise one of the surfaces is not there

  /// m^3 that a press of this depth (m) displaces.
  double volume_at(double depth) const;
};

/// What of the target lies farther out than the projectile is thick stands behind it and is not hit.
Contour find_contour(const PressFrame& frame, std::span<const SurfaceNow> target, std::span<const SurfaceNow> projectile, bool from_plane = false);

/// The depth at which the displaced volume takes `energy` (J) against `hardness` (Pa), at most `deepest`.
double depth_by_energy(const Contour& contour, double energy, double hardness, double deepest);

struct Print {
  PressFrame frame;
  Grid grid;
  Map depth;             // along the way of the press, m
  Map raise;             // against the normal, m; empty: nowhere
  Map wall;              // w of the target's surface
  double deepest = 0;    // m
  double fade = 0;       // m: depth through the body over which it fades
  double half_width = 0, sigma = 0;  // m
  double nearest = 0, reach = 0;     // m: w of the surface where it is pressed, at least, and how far that and what follows it lie behind
  double volume = 0;          // m^3 pressed in
  double missing_volume = 0;  // m^3 that lip and rim should have raised and had no room for
  bool coarsened = false;     // the cells are larger than the softness asks for

  Vec3 middle = Vec3::Zero();
  double radius = 0;  // m: nothing farther from the middle moves

  bool empty() const { return depth.empty(); }
  /// How far a point of the target moves.
  Vec3 move(const Vec3& p) const;
  /// Whether a triangle larger than the print may reach into it.
  bool overlaps(const Vec3& a, const Vec3& b, const Vec3& c) const;
};

/// The print of a press by `depth` (m) of which the target takes `share`. Empty if they do not meet.
Print make_print(const Contour& contour, std::span<const SurfaceNow> target, std::span<const SurfaceNow> projectile, double depth, double share, const PrintSettings& settings);

}  // namespace crumple::dents
