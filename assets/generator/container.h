#pragma once

#include "assets/generator/author.h"

namespace crumple::generator {

/// A freight container of 20 feet, along x about the origin, its doors at +x.
Result<Asset> make_container();

/// Length, height and width.
inline const Vec3 kContainerSize(6.06, 2.59, 2.44);

TriMesh container_surface();
std::vector<Handle> container_handles();
std::vector<Sketch> container_examples(const std::vector<Handle>& handles);

}  // namespace crumple::generator
