#pragma once

/// Crumple: bodies that crumple, break, yield and tear. A scene is built into a world, a run of a world is a recording, a recording is played as
/// frames: load_scene -> World -> run_scene -> Playback -> Frame. Assets are made with make_rig, Poser and fit_rig.
#include "crumple/core/parallel.h"
#include "crumple/core/progress.h"
#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"
#include "crumple/io/export.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/mesh_file.h"
#include "crumple/methods/methods.h"
#include "crumple/rig/fit.h"
#include "crumple/rig/make_rig.h"
#include "crumple/rig/pose.h"
#include "crumple/rig/score.h"
#include "crumple/run/playback.h"
#include "crumple/run/run.h"
#include "crumple/scene/scene.h"
#include "crumple/world/world.h"
