// What if? Goes to a moment of a shot, keeps it, changes one knob and goes on from there, once for each value.
#include <cstdio>

#include "crumple/crumple.h"

int main(int count, char** words) {
  auto scene = crumple::load_scene(count > 1 ? words[1] : "scenes/loading_dock.json");
  if (!scene) return std::fprintf(stderr, "%s\n", scene.error().text.c_str()), 2;
  const auto assets = std::make_shared<crumple::AssetLibrary>();
  auto world = crumple::World::build(*scene, assets);
  if (!world) return std::fprintf(stderr, "%s\n", world.error().text.c_str()), 2;
  for (int frame = 0; frame < 20; ++frame) world->step_frame();
  const crumple::Snapshot before_the_crash = world->snapshot();
  for (const char* yield : {"0.2", "1", "4"}) {
    const auto changed = scene->set(std::string("/bodies/drum 1/examples/yield=") + yield);
    if (!changed) return std::fprintf(stderr, "%s\n", changed.error().text.c_str()), 2;
    auto again = crumple::World::build(*scene, assets);
    if (!again) return std::fprintf(stderr, "%s\n", again.error().text.c_str()), 2;
    if (const auto restored = again->restore(before_the_crash); !restored) return std::fprintf(stderr, "%s\n", restored.error().text.c_str()), 2;
    for (int frame = 0; frame < 60; ++frame) again->step_frame();
    for (const crumple::Body& body : again->bodies()) {
      if (body.description->name == "drum 1") std::printf("yield %s m/s: dented by %.1f cm\n", yield, 100 * crumple::damage_of(body).max_displacement);
    }
  }
}
