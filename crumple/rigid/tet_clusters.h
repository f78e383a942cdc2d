#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple::rigid {

using Members = std::vector<int>;  // tetrahedra of one cluster

/// Lloyd's k-means over the members' centres; clusters that come out empty are left out.
std::vector<Members> k_means(const std::vector<Vec3>& centers_of_tets, const Members& members, int count);

/// The directions across `outward`, the one first along which the points spread most.
std::array<Vec3, 2> cut_normals(std::span<const Vec3> points, const Vec3& outward);

/// The members in two, by the side of the plane on which their centre lies.
std::vector<Members> cut_by_plane(std::span<const Vec3> centers, const Members& members, const Vec3& at, const Vec3& normal);

/// Shares `count` out in proportion to the sizes, at least one each.
std::vector<int> share_out(std::span<const double> sizes, int count);

}  // namespace crumple::rigid
