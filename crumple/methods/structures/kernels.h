#pragma once

#include <span>
#include <utility>
#include <vector>

#include "crumple/methods/structures/structures.h"

/// What lies next to what.
namespace crumple::structures {

using Pairs = std::vector<std::pair<int, int>>;

/// Pairs (first < second, ascending) of bounds that overlap, by sorting along the longest axis; stops after `most` of them.
Pairs overlapping(std::span<const Bounds> bounds, size_t most);

/// Boxes that come nearer than `reach` in the sense of the separating axes: they overlap when each is grown by half of it.
bool boxes_touch(const Transform& place_a, const Vec3& size_a, const Transform& place_b, const Vec3& size_b, double reach);
/// Whether the hulls of two sets of points are within `reach` of each other. [Gilbert, Johnson and Keerthi 1988]
bool hulls_touch(std::span<const Vec3> a, std::span<const Vec3> b, double reach);

Bounds bounds_of(const Piece& piece, double grown);
/// Points whose hull the piece is.
std::vector<Vec3> outline(const Piece& piece);
/// Pieces that touch when each is grown by a thousandth of its size. An error if there are too many to be meant.
Result<Pairs> touching_pieces(std::span<const Piece> pieces);

}  // namespace crumple::structures
