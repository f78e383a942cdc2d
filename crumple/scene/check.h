#pragma once

#include "crumple/scene/scene.h"

namespace crumple {

/// Assets that bodies name are there.
Result<void> check_assets(const Scene& scene);
/// What a flat scene may hold, and what only a flat scene may.
Result<void> check_flat(const Scene& scene);
/// Names differ, and bodies that are referred to are there and can be held on to.
Result<void> check_names(const Scene& scene);

}  // namespace crumple
