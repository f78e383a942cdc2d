#pragma once

/// Crumple: rigid bodies that dent, bend and crumple the way an artist posed them. Start with load_scene, World and Playback.
#include "crumple/core/parallel.h"
#include "crumple/core/progress.h"
#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"
#include "crumple/io/export.h"
#include "crumple/methods/methods.h"
#include "crumple/scene/playback.h"
#include "crumple/scene/run.h"
#include "crumple/scene/scene.h"
#include "crumple/scene/world.h"
