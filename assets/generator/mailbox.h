#pragma once

#include "crumple/geometry/mesh.h"

namespace crumple::generator {

/// A roadside mailbox on its post as a modelling tool might hand it over: in centimetres, z up, with a hole in its roof and a few faces
/// turned round. What the page about authoring begins with.
TriMesh mailbox_model();

}  // namespace crumple::generator
