#include "crumple/rig/mirror.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "crumple/rig/make_rig.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

/// A wedge that is symmetric in z alone, away from the origin.
TriMesh wedge() {
  TriMesh mesh = make_box({2, 1, 1.2});
  for (Vec3& p : mesh.positions) {
    if (p.x() > 0 && p.y() > 0) p.y() -= 0.6;
    p += Vec3(3, 1, -7);
  }
  return mesh;
}

Asset rigged(int handles, bool mirror, RigReport& report) {
  RigSettings settings;
  settings.handles = handles, settings.cells = 10, settings.mirror = mirror;
  const Result<Asset> asset = make_rig(wedge(), settings, report);
  EXPECT_TRUE(asset) << asset.error().text;
  return asset ? *asset : Asset();
}

TEST(Mirror, the_plane_of_a_symmetric_surface_is_found) {
  const std::optional<MirrorPlane> plane = mirror_plane(wedge());
  ASSERT_TRUE(plane);
  EXPECT_EQ(plane->axis, 2);
  EXPECT_NEAR(plane->at, -7, 1e-9);
  EXPECT_FALSE(mirror_plane(make_lump(3)));
  EXPECT_FALSE(mirror_plane({}));
  EXPECT_EQ(mirror_plane(make_box({1, 1, 3}))->axis, 0) << "left and right are across the narrow side";
}

TEST(Mirror, automatic_handles_are_pairs_or_lie_in_the_plane) {
  const MirrorPlane plane{2, -7};
  for (const int count : {6, 9, 12}) {
    RigReport report;
    const Asset asset = rigged(count, true, report);
    ASSERT_EQ(asset.handles.size(), static_cast<size_t>(count));
    EXPECT_EQ(report.mirrored, std::optional<int>(2));
    for (const Handle& handle : asset.handles) {
      const Vec3 image = plane.image(handle.position);
      double off = 1e300;
      for (const Handle& other : asset.handles) off = std::min(off, (other.position - image).norm());
      EXPECT_LT(off, 0.5 * report.lattice.cell_size) << handle.name;
    }
  }
}

TEST(Mirror, without_symmetry_or_unless_asked_for_handles_are_as_ever) {
  RigReport report;
  const Asset plain = rigged(12, false, report);
  EXPECT_FALSE(report.mirrored);
  RigSettings settings;
  settings.handles = 10, settings.cells = 8;
  const Result<Asset> before = make_rig(make_lump(3), settings, report);
  settings.mirror = true;
  const Result<Asset> after = make_rig(make_lump(3), settings, report);
  ASSERT_TRUE(before);
  ASSERT_TRUE(after);
  EXPECT_FALSE(report.mirrored);
  for (size_t h = 0; h < before->handles.size(); ++h) EXPECT_EQ(before->handles[h].position, after->handles[h].position);
}

}  // namespace
}  // namespace crumple
