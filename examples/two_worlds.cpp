// Two worlds at once that share what they read: the same scene under the gravity of the earth and of the moon.
#include <cstdio>
#include <thread>

#include "crumple/crumple.h"

int main(int count, char** words) {
  auto scene = crumple::load_scene(count > 1 ? words[1] : "scenes/loading_dock.json");
  if (!scene) return std::fprintf(stderr, "%s\n", scene.error().text.c_str()), 2;
  const auto assets = std::make_shared<crumple::AssetLibrary>();
  auto earth = crumple::World::build(*scene, assets);
  scene->gravity /= 6;
  auto moon = crumple::World::build(*scene, assets);
  if (!earth || !moon) return std::fprintf(stderr, "%s\n", (!earth ? earth : moon).error().text.c_str()), 2;
  const auto play = [](crumple::World& world) {
    for (int frame = 0; frame < 60; ++frame) world.step_frame();
  };
  std::thread other(play, std::ref(*moon));
  play(*earth);
  other.join();
  for (const auto* world : {&*earth, &*moon}) {
    double most = 0;
    for (const crumple::Body& body : world->bodies()) most = std::max(most, crumple::damage_of(body).max_displacement);
    std::printf("%s: dented by %.1f cm after a second\n", world == &*earth ? "earth" : "moon", 100 * most);
  }
}
