#pragma once

#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/geometry/winding.h"

namespace crumple {

/// A place on a surface that stands for some of its area.
struct SurfaceSample {
  Vec3 point, normal;
  double area;
};

/// Points spread over all triangles, at most `spacing` apart where `most` allows; the coarsest are the centres of the triangles.
std::vector<SurfaceSample> sample_surface(const TriMesh& mesh, double spacing, size_t most);

struct Thickness {
  double thin_share = 0;    // of the surface's area: thinner than `limit`
  double needed = 1e300;    // the thickness that all but `allowed` of the area has; at least `limit` if thin_share is within that
  double thinnest = 1e300;  // of the thin places
  Vec3 thinnest_at = Vec3::Zero();
};

/// How thick the body is straight under each sample. Largest inner balls would be blind for square bars: those that touch next to an edge
/// say nothing about thickness, and in a bar nearly all do.
Thickness measure_thickness(const WindingTree& winding, const std::vector<SurfaceSample>& samples, double limit, double allowed);

}  // namespace crumple
