#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"

namespace crumple::render {

struct Camera {
  Vec3 eye = Vec3(4, 3, 6);
  Vec3 target = Vec3::Zero();
  Vec3 up = Vec3::UnitY();
  double fov_degrees = 32;  // vertical
};

/// Right, up and forward of a camera, orthonormal whatever the camera holds.
struct CameraAxes {
  Vec3 right, up, forward;
};
CameraAxes axes_of(const Camera& camera);

/// Width of a pixel at a distance of 1.
double pixel_slope(const Camera& camera, int height);

/// From the target to the eye: a three-quarter view from slightly above.
inline const Vec3 kPleasantDirection = Vec3(0.52, 0.42, 0.85);

struct FitSettings {
  Vec3 direction = kPleasantDirection;
  Vec3 up = Vec3::UnitY();
  double aspect = 16.0 / 9.0;
  double fov_degrees = 32;
  double margin = 0.06;  // free border, as a part of the picture
  /// Bodies to keep in view: an item counts if its name is one of these or starts with one and a slash. Empty: whatever moves.
  std::vector<std::string> names;
};

/// The nearest camera that sees all of `bounds`.
Camera fit_camera(std::span<const Bounds> bounds, const FitSettings& settings);

/// The nearest camera that sees the named (or else the moving, or else all) items of `frames`, however they move. Backdrops never
/// count, and neither do the few places far from where everything else happens.
Camera fit_camera(std::span<const Frame> frames, const FitSettings& settings);

/// The bounds that the camera above is fitted to.
std::vector<Bounds> bounds_to_fit(std::span<const Frame> frames, std::span<const std::string> names);

/// "x,y,z" (the eye), "x,y,z:x,y,z" (eye and target), and either with ":fov" in degrees behind it. What the text leaves out is taken
/// from `otherwise`.
Result<Camera> parse_camera(std::string_view text, const Camera& otherwise = {});

}  // namespace crumple::render
