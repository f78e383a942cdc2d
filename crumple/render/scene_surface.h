#pragma once

#include <optional>
#include <vector>

#include "crumple/geometry/frame.h"
#include "crumple/render/texture.h"

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
  std::vector<Vec3f> colors;        // #vertices, linear RGB, times that of the finish
  std::vector<Vec2f> uvs;           // #vertices
  std::vector<Triangle> triangles;  // #triangles
  std::vector<int> triangle_finish; // #triangles
  /// How a part of an item looks: without a material, by the item's own appearance.
  struct Finish {
    float metal, roughness;
    const SurfaceMaterial* material = nullptr;
    const Pyramid *color = nullptr, *metal_roughness = nullptr, *normal = nullptr, *emissive = nullptr;
  };
  std::vector<Finish> finishes;
  TexturePyramids pictures;
  std::vector<std::shared_ptr<const TriMesh>> kept;  // whose materials the finishes name
  bool has_holes = false;                            // some material is transparent somewhere

  std::vector<Eigen::Vector4f> balls;  // #balls: centre and radius
  std::vector<Vec3f> ball_colors;      // #balls, linear RGB
  std::vector<int> ball_finish;        // #balls

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
