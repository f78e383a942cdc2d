// The library in eight lines: load a scene, let a second pass, look at what there is.
#include <cstdio>

#include "crumple/crumple.h"

int main(int count, char** words) {
  const auto scene = crumple::load_scene(count > 1 ? words[1] : "scenes/loading_dock.json");
  if (!scene) return std::fprintf(stderr, "%s\n", scene.error().text.c_str()), 2;
  auto world = crumple::World::build(*scene);
  if (!world) return std::fprintf(stderr, "%s\n", world.error().text.c_str()), 2;
  for (int frame = 0; frame < 60; ++frame) world->step_frame();
  for (const crumple::FrameItem& item : world->frame().items) {
    std::printf("%s: %zu vertices, %.2f m high\n", item.name.c_str(), item.surface->positions.size(), item.place.translation.y());
  }
}
