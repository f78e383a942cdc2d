#pragma once

#include <vector>

#include "crumple/rig/asset.h"

namespace crumple {

/// Elements that follow the handles alike share one rotation [Jacobson et al. 2012, section 4.2]: the number of the cluster of each
/// element, at most `count` of them, none empty. Alike means of similar weights and, to a lesser degree, near: the group with the
/// greatest spread is cut in two until there are enough, so there is nothing random about it.
std::vector<int> cluster_elements(const Asset& asset, int count);

}  // namespace crumple
