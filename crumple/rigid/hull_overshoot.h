#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/bvh.h"
#include "crumple/rigid/convex_hull.h"

namespace crumple::rigid {

/// The closed surface of a body in one of its shapes; tells inside from outside.
class BodySurface {
 public:
  BodySurface(std::span<const Vec3> positions, std::span<const Triangle> faces);
  /// Distance to the surface, negative inside. The sign is that of the normal of the nearest face, edge or corner; edges and corners
  /// have the angle-weighted sum of their faces' normals. [Baerentzen and Aanaes 2005]
  double signed_distance(const Vec3& point) const { return measure(point).distance; }

  struct Measure {
    double distance;
    Vec3 nearest;
  };
  Measure measure(const Vec3& point, double within = 1e300) const;  // `within`: the surface is known to be this near

 private:
  Vec3 normal_at(const TriangleTree::Hit& hit) const;
  std::vector<Triangle> faces_;
  std::vector<Vec3> face_normals_;         // #faces
  std::vector<Vec3> corner_normals_;       // #positions
  std::vector<Vec3> edge_normals_;         // #edges
  std::vector<std::array<int, 3>> edges_;  // #faces: the edge opposite each corner
  TriangleTree tree_;
};

/// How far a hull stands out of the body it belongs to, sampled over the hull's faces and weighted by area.
struct Overshoot {
  struct Sample {
    double distance, area;
  };
  /// The sample that bridges most, to cut there.
  struct Bridge {
    int shape = -1;
    double distance = 0;
    Vec3 floor = Vec3::Zero();     // the surface below the bridge
    Vec3 outward = Vec3::UnitY();  // from there to the bridge
  };
  std::vector<Sample> outside;  // samples outside the body
  Bridge widest;
  double exposed = 0;  // m2 of hull on or outside the body's surface
  double beyond = 0;   // m3: integral of what exceeds the tolerance
};

/// Fine sampling looks at wide faces in seven places, coarse sampling at every face in one: enough to compare cuts.
enum class Sampling { Coarse, Fine };

/// Adds what one hull shows in shape number `shape`. `body_faces` are the body's boundary faces with sorted corners, ascending: where a face of
/// the hull is one of them, there is nothing to measure. `vertices` says which of the body's vertices the hull's points are.
void add_overshoot(const BodySurface& surface, std::span<const Triangle> body_faces, std::span<const Vec3> points, std::span<const int> vertices,
                   const ConvexHull& hull, int shape, double tolerance, Sampling sampling, Overshoot& overshoot);

/// Puts the samples farthest outside first.
void sort_outside(Overshoot& overshoot);
/// The distance that all but a twentieth of the exposed area stays below; samples must be sorted.
double percentile_95(std::span<const Overshoot* const> hulls);

}  // namespace crumple::rigid
