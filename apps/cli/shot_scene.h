#pragma once

#include <optional>
#include <string>

#include "crumple/render/camera.h"
#include "crumple/rig/asset.h"

/// The scene that 'crumple shot' writes.
namespace crumple::cli {

/// The side of a model that is hit first.
struct Front {
  std::string side;  // +x, -x, +z or -z
  std::string why;   // empty: as given
};

/// By its shape: along the axis whose ends differ, or else the longer one, the slimmer end; where shape does not say, the side that the
/// examples push in most.
Front guess_front(const Asset& asset);
/// The side that the examples push in most.
Front favoured_front(const Asset& asset);

/// Everything that decides the scene.
struct ShotPlan {
  std::string name, path;  // of the asset, in the scene
  std::string title;
  std::string kind;   // drop, wall, block or ball
  std::string front;  // side of the model
  bool pin = false;
  double speed = 7;     // m/s
  double slowness = 1;  // of everything that happens, against a body of 2 m that is hit at the usual speed
  double gain = 300;    // 1/m
  double seconds = 1;
  std::optional<render::Camera> camera;
};

/// Speeds grow with the root of the size, as falls do: then small and large models move alike.
double usual_speed(const std::string& kind, double size);
ShotPlan plan_shot(const Asset& asset, const std::string& kind, double speed);

std::string shot_text(const ShotPlan& plan, const Asset& asset);

}  // namespace crumple::cli
