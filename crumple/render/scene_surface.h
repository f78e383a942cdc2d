#pragma once

#include <optional>
#include <vector>

#include "crumple/geometry/frame.h"

namespace crumple::render {

enum class ColorMode {
  Plain,    ///< the look of each body
  Weights,  ///< the frame's colours where there are any, pale grey elsewhere
  Piece,    ///< the frame's colours where there are any, otherwise every piece of every body in a colour of its own
};

/// All that is solid in a frame as one triangle soup, in metres from `origin`: small numbers where the camera looks, so that float is enough.
struct SceneSurface {
  std::vector<Vec3f> positions;     // #vertices
  std::vector<Vec3f> normals;       // #vertices
  std::vector<Vec3f> colors;        // #vertices, linear RGB
  std::vector<Triangle> triangles;  // #triangles
  std::vector<int> triangle_item;   // #triangles: item, an index into `finishes`
  struct Finish {
    float metal, roughness;
  };
  std::vector<Finish> finishes;  // #items

  std::vector<Eigen::Vector4f> balls;  // #balls: centre and radius
  std::vector<Vec3f> ball_colors;      // #balls, linear RGB
  std::vector<int> ball_item;          // #balls: as triangle_item

  /// The backdrops: endless, seen from their front only, and casting no shadow.
  struct Plane {
    Vec3f normal;
    float offset;  // normal . point
    Vec3f color;
    Finish finish;
  };
  std::vector<Plane> planes;
};

/// Items that are hidden, and triangles and balls that are not finite, out of range or absurdly far away, are left out.
SceneSurface gather_surface(const Frame& frame, const Vec3& origin, ColorMode mode);

/// A colour for a piece of a body: neighbours in either number differ clearly. Linear RGB.
Vec3f piece_color(int body, int piece);

}  // namespace crumple::render
