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
  bool backdrop = false;
};

/// Answers what a ray hits. The only user of Embree.
class Tracer {
 public:
  /// `scale` is the size of what is looked at; gaps much smaller than a hundred thousandth of it may be missed.
  static Result<Tracer> create(SceneSurface surface, float scale);
  Tracer(Tracer&&) noexcept;
  Tracer& operator=(Tracer&&) noexcept;
  ~Tracer();

  bool closest(const Vec3f& from, const Vec3f& direction, Hit& hit, bool coherent = false) const;
  bool blocked(const Vec3f& from, const Vec3f& direction) const;

 private:
  struct Structure;
  explicit Tracer(std::unique_ptr<Structure> structure);
  std::unique_ptr<Structure> structure_;
};

}  // namespace crumple::render
