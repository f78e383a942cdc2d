#include "assets/generator/models.h"

#include "assets/generator/fields.h"
#include "crumple/core/random.h"
#include "crumple/geometry/isosurface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace crumple::generator {
namespace {

constexpr double kRadius = 0.52, kHalfHeight = 0.11, kHalfAngle = 0.36, kRound = 0.022, kLip = 0.024;
constexpr double kTip = -0.268;  // x of the wheel's axis
const Vec3f kPaste(0.88f, 0.55f, 0.11f), kHollow(0.74f, 0.42f, 0.07f), kRind(0.50f, 0.22f, 0.045f);

struct Hole {
  Vec3 middle;
  double radius;
};

/// A slice of a wheel.
double wedge(const Vec3& p) {
  const double in = (p.x() - kTip) * std::sin(kHalfAngle), out = p.z() * std::cos(kHalfAngle), side = common(out - in, -out - in, kRound);
  const double round = std::hypot(p.x() - kTip, p.z()) - kRadius;
  return common(common(side, round, kRound), std::abs(p.y()) - kHalfHeight, kRound);
}

/// Whether there is enough cheese around a hole: it lies inside, or is well open to one side and keeps away from all others. Thin walls and sharp
/// edges would tear by themselves.
bool has_walls(const Hole& hole) {
  const Vec3 from = hole.middle - Vec3(kTip, 0, 0);
  const double in = from.x() * std::sin(kHalfAngle), out = from.z() * std::cos(kHalfAngle), wall = hole.radius + 0.02;
  std::array<double, 5> depths{in - out, in + out, kHalfHeight - hole.middle.y(), kHalfHeight + hole.middle.y(),
                               kRadius - std::hypot(from.x(), from.z())};
  if (depths[4] < wall) return false;  // the rind has no holes
  std::sort(depths.begin(), depths.end());
  const bool open = depths[0] > -0.1 * hole.radius && depths[0] < 0.55 * hole.radius;
  return (open || depths[0] > wall) && depths[1] > wall;
}

/// Large ones first.
std::vector<Hole> find_holes() {
  std::vector<Hole> holes;
  Random random(11);
  for (int i = 0; i < 6000 && holes.size() < 26; ++i) {
    const double radius = holes.size() < 7 ? 0.055 - 0.002 * static_cast<double>(holes.size()) : random.range(0.014, 0.036);
    // One by one: compilers evaluate arguments in an order of their own.
    const double z = random.range(-0.2, 0.2);
    const double y = random.range(-kHalfHeight, kHalfHeight);
    const double x = random.range(kTip + 0.1, kTip + kRadius);
    const Vec3 middle(x, y, z);
    bool fits = has_walls({middle, radius});
    for (const Hole& other : holes) fits = fits && (other.middle - middle).norm() > other.radius + radius + 0.018;
    if (fits) holes.push_back({middle, radius});
  }
  return holes;
}

double nearest_hole(const std::vector<Hole>& holes, const Vec3& p) {
  double nearest = 1;
  for (const Hole& hole : holes) nearest = std::min(nearest, ball(p, hole.middle, hole.radius));
  return nearest;
}

Vec3f color(const std::vector<Hole>& holes, const Vec3& p) {
  constexpr double kSoft = 0.012;
  const Vec3f outside = paint_where(kRadius - 0.012 - std::hypot(p.x() - kTip, p.z()), kSoft, kRind, kPaste);
  return paint_where(nearest_hole(holes, p) - 0.3 * kLip, kSoft, kHollow, outside);
}

}  // namespace

Result<TriMesh> cheese_model() {
  const std::vector<Hole> holes = find_holes();
  IsosurfaceSettings settings;
  settings.box = {Vec3(-0.3, -0.14, -0.23), Vec3(0.3, 0.14, 0.23)};
  settings.cell = 0.0087, settings.relax = 12;
  Result<TriMesh> mesh = isosurface([&](const Vec3& p) { return without(wedge(p), nearest_hole(holes, p), kLip); }, settings);
  if (mesh)
    for (const Vec3& p : mesh->positions) mesh->colors.push_back(color(holes, p));
  return mesh;
}

}  // namespace crumple::generator
