#pragma once

#include <vector>

#include "crumple/methods/clusters/loads.h"
#include "crumple/rigid/shape.h"

namespace crumple {

/// A shape of the rigid world as soft bodies meet it, in the frame of its part. Not for hulls, whose shapes are several.
clusters::RigidShape soft_shape(const rigid::Shape& shape);

/// The same of each hull, with its margin. Faces between two hulls are marked: nobody leaves one through them.
std::vector<clusters::RigidShape> soft_shapes(const rigid::Hulls& hulls);

}  // namespace crumple
