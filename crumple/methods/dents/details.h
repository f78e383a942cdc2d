#pragma once

#include "crumple/methods/dents/dents.h"

/// Where the drawn surface is, and how rest space is turned there.
namespace crumple::dents {

/// How the surroundings of a vertex of the tetrahedra are turned and stretched by the layers that skin the body.
Mat3 turn_at_vertex(const Model& model, const Shape& shape, int vertex);

/// The same for all vertices of a drawn surface.
std::vector<Mat3> turns_of(const Model& model, const State& state, size_t sheet, const Shape& shape);

/// A drawn surface now, refined.
std::vector<Vec3f> drawn_positions(const Model& model, const State& state, size_t sheet, const Shape& shape, bool is_skinned);

}  // namespace crumple::dents
