#pragma once

#include "crumple/rig/asset.h"

namespace crumple::generator {

/// A steel drum of 200 litres, standing along y about the origin.
Asset make_drum();
/// The same with strength painted on: its upper half, which is orange, gives way like the plain drum; the lower one keeps its shape.
Asset make_painted_drum();

// Its measures: those of the solid, which touches the hoops and both chimes from outside.
inline constexpr double kDrumRadius = 0.33, kDrumHeight = 0.88;

TriMesh drum_surface();
std::vector<Example> drum_examples(const std::vector<Handle>& handles);

// How the handles of the drum are numbered: the rings one after the other, each from angle 0 on, then the lids.
inline constexpr int kRimHandles = 4, kMiddleHandles = 6;
inline constexpr int kTopRim = 0, kMiddle = kTopRim + kRimHandles, kBottomRim = kMiddle + kMiddleHandles, kTopLid = kBottomRim + kRimHandles,
                     kBottomLid = kTopLid + 1, kDrumHandles = kBottomLid + 1;

/// The direction from the axis at an angle; angles grow with turns about y.
Vec3 outward_at(double radians);

}  // namespace crumple::generator
