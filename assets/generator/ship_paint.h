#pragma once

#include "crumple/math/types.h"

namespace crumple::generator {

// Linear RGB.
inline const Vec3f kAntifouling(0.27f, 0.030f, 0.022f), kMarineBlue(0.012f, 0.070f, 0.22f), kNightBlue(0.012f, 0.022f, 0.05f),
    kWhitePaint(0.78f, 0.78f, 0.75f), kGreyPaint(0.33f, 0.35f, 0.36f), kDarkGrey(0.07f, 0.075f, 0.08f), kBlackPaint(0.018f, 0.018f, 0.02f),
    kGlass(0.012f, 0.018f, 0.026f), kOrangePaint(0.75f, 0.19f, 0.015f), kYellowPaint(0.75f, 0.47f, 0.03f), kDeckGreen(0.075f, 0.16f, 0.11f),
    kDeckRed(0.22f, 0.055f, 0.035f), kPlanks(0.33f, 0.21f, 0.11f), kBronze(0.42f, 0.25f, 0.08f), kNetGreen(0.02f, 0.20f, 0.13f);

}  // namespace crumple::generator
