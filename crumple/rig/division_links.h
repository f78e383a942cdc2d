#pragma once

#include "crumple/rig/division.h"

/// The sections at which the pieces of a division meet.
namespace crumple {

/// Area, middle and spread of the section of every link: the faces between its two pieces, projected on the plane square to the link. Its middle moves
/// in that plane only.
void measure_sections(const TetMesh& mesh, std::span<const InnerFace> faces, Division& division);

/// Links over the widest sections between pieces, as many as leave no ring (a tree of the greatest area).
std::vector<DivisionLink> widest_sections(const TetMesh& mesh, std::span<const InnerFace> faces, const Division& division);

}  // namespace crumple
