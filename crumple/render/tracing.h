#pragma once

#include <memory>

#include "crumple/core/result.h"
#include "crumple/render/scene_surface.h"
#include "crumple/render/shading.h"

namespace crumple::render {

/// Where a ray ends. Both normals point to the side the ray came from.
struct Hit {
  float distance = 0;
  Vec3f point;
  Vec3f face;        // the true normal
  Vec3f normal;      // the smooth normal
  Vec3f leave_from;  // where rays start that leave the surface: lifted onto the smooth surface, so that facets cast no shadow on it
  Material material;
  Vec3f emitted = Vec3f::Zero();  // light of its own
  bool backdrop = false;
};

/// Answers what a ray hits. The only user of Embree.
class Tracer {
 public:
  /// `scale` is the size of what is looked at; gaps much smaller than a hundred thousandth of it may be missed. `pixel_slope`: width of a pixel at a
  /// distance of 1, for the size of textures.
  static Result<Tracer> create(SceneSurface surface, float scale, float pixel_slope);
  Tracer(Tracer&&) noexcept;
  Tracer& operator=(Tracer&&) noexcept;
  ~Tracer();

  /// `sample` is the number of a ray among those of its pixel: it decides whether the ray goes through what is half transparent.
  bool closest(const Vec3f& from, const Vec3f& direction, uint32_t sample, Hit& hit, bool coherent = false) const;
  bool blocked(const Vec3f& from, const Vec3f& direction, uint32_t sample) const;

 private:
  struct Structure;
  explicit Tracer(std::unique_ptr<Structure> structure);
  std::unique_ptr<Structure> structure_;
};

}  // namespace crumple::render
