#include "crumple/crumple.h"  // alone: it must be enough for everything below that is ours

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <unistd.h>

#include "tests/scene/scenes.h"

namespace crumple {
namespace {

TEST(Library, a_scene_is_loaded_stepped_and_looked_at) {
  const Result<Scene> scene = load_scene(scenes_folder() / "loading_dock.json");
  ASSERT_TRUE(scene);
  Result<World> world = World::build(*scene);
  ASSERT_TRUE(world);
  for (int i = 0; i < 60; ++i) world->step_frame();
  const Frame frame = world->frame();
  EXPECT_EQ(frame.number, 60);
  EXPECT_NEAR(frame.time, 60 / scene->fps, 1e-12);
  ASSERT_EQ(frame.items.size(), scene->bodies.size());
  for (const FrameItem& item : frame.items) {
    EXPECT_EQ(item.name, scene->bodies[static_cast<size_t>(item.body)].name);
    EXPECT_TRUE(item.positions.empty() || item.positions.size() == item.surface->positions.size()) << item.name;
    for (const Vec3f& p : item.positions) ASSERT_TRUE(p.allFinite()) << item.name;
  }
}

TEST(Library, a_scene_can_be_made_in_code) {
  Scene scene;
  BodyDescription ground, box;
  ground.name = "ground", ground.plane = {0, 1, 0, 0}, ground.motion = rigid::Motion::Static;
  box.name = "box", box.box = {1, 1, 1}, box.at = Vec3(0, 2, 0);
  scene.bodies = {ground, box};
  Result<World> world = World::build(scene);
  ASSERT_TRUE(world) << world.error().text;
  for (int i = 0; i < 120; ++i) world->step_frame();
  EXPECT_NEAR(world->place(1).translation.y(), 0.5, 0.01);
}

TEST(Library, changes_are_made_when_a_scene_is_loaded) {
  const Result<Scene> scene = load_scene(scenes_folder() / "loading_dock.json", {"/bodies/drum 1/examples/yield=2.5", "/substeps=3"});
  ASSERT_TRUE(scene) << scene.error().text;
  EXPECT_EQ(scene->substeps, 3);
  for (const BodyDescription& body : scene->bodies) {
    EXPECT_TRUE(body.name != "drum 1" || body.of<examples::Settings>()->yield == 2.5);
  }
}

TEST(Library, a_recording_shows_what_the_world_showed) {
  const Result<Scene> scene = load_scene(scenes_folder() / "loading_dock.json");
  ASSERT_TRUE(scene);
  RunSettings settings;
  settings.folder = std::filesystem::temp_directory_path() / ("crumple_library_" + std::to_string(::getpid()));
  settings.frames = {0, 70};
  settings.force = true;
  std::vector<Frame> seen;
  settings.progress = [&](int frame, int, const World& world) {
    if (frame == 50 || frame == 70) seen.push_back(world.frame());
  };
  ASSERT_TRUE(run_scene(*scene, settings));
  ASSERT_EQ(seen.size(), 2u);
  Result<Playback> playback = Playback::open(settings.folder);
  ASSERT_TRUE(playback) << playback.error().text;
  for (const Frame& live : seen) {
    const Result<Frame> played = playback->frame(live.number);
    ASSERT_TRUE(played) << played.error().text;
    ASSERT_EQ(played->items.size(), live.items.size());
    for (size_t i = 0; i < live.items.size(); ++i) {
      EXPECT_EQ(played->items[i].place.rotation, live.items[i].place.rotation) << live.items[i].name;
      EXPECT_EQ(played->items[i].place.translation, live.items[i].place.translation) << live.items[i].name;
      ASSERT_EQ(played->items[i].positions.size(), live.items[i].positions.size()) << live.items[i].name;
      for (size_t v = 0; v < live.items[i].positions.size(); ++v) {  // recorded weights are rounded
        ASSERT_LT((played->items[i].positions[v] - live.items[i].positions[v]).norm(), 1e-4f) << live.items[i].name;
      }
    }
  }
  std::filesystem::remove_all(settings.folder);
}

TEST(Library, what_is_wrong_comes_back_as_an_error) {
  const Result<Scene> missing = load_scene(scenes_folder() / "no_such_scene.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::Input);
  EXPECT_NE(missing.error().text.find("no_such_scene.json"), std::string::npos);
  const Result<Scene> orphan =
      parse_scene(R"({"crumple": 1, "assets": {"drum": "nowhere.glb"}, "bodies": [{"asset": "drum"}]})", scenes_folder() / "orphan.json");
  ASSERT_TRUE(orphan);
  const Result<World> world = World::build(*orphan);
  ASSERT_FALSE(world);
  EXPECT_NE(world.error().text.find("nowhere.glb"), std::string::npos);
}

}  // namespace
}  // namespace crumple
