#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "crumple/core/parallel.h"
#include "crumple/io/files.h"
#include "crumple/run/run.h"
#include "crumple/world/world.h"
#include "tests/scene/inside.h"

namespace crumple {

/// A folder of its own for each test, gone afterwards.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::string_view name) : path_(std::filesystem::temp_directory_path() / fmt::format("crumple_{}_{}", name, ::getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path scenes_folder() {
  return std::filesystem::path(CRUMPLE_SOURCE_DIR) / "scenes";
}

/// A scene from what stands between its outer braces; the drum is an asset already.
inline Scene drum_scene(const std::string& inside) {
  const std::string text = R"({"crumple": 1, "assets": {"drum": "../assets/drum.glb"}, )" + inside + "}";
  Result<Scene> scene = parse_scene(text, scenes_folder() / "in_a_test.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
  return scene ? *scene : Scene{};
}

inline Scene scene_file(const std::string& name, const std::vector<std::string>& changes = {}) {
  Result<Scene> scene = load_scene(scenes_folder() / name, changes);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
  return scene ? *scene : Scene{};
}

inline Scene written_scene(const std::filesystem::path& file, const std::string& text) {
  EXPECT_TRUE(io::write_file(file, text));
  Result<Scene> scene = load_scene(file);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
  return scene ? *scene : Scene{};
}

/// Sets the number of threads until it goes out of scope.
class Threads {
 public:
  explicit Threads(int count) { set_thread_count(count); }
  ~Threads() { set_thread_count(before_); }

 private:
  int before_ = thread_count();
};

/// A scene as text, with paths as in scenes/.
inline Scene parsed_scene(const std::string& text) {
  Result<Scene> scene = parse_scene(text, scenes_folder() / "test.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text);
  return scene ? *scene : Scene();
}

/// The scenes that come with the project, in order of their names.
inline std::vector<std::string> all_scene_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scenes_folder())) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Limits the frames that a test runs: only the beginning of a scene that takes minutes.
inline int frames_to_test(const Scene& scene, int frames) {
  constexpr size_t kManyBending = 100;
  size_t bending = 0;
  for (const BodyDescription& body : scene.bodies) bending += body.of<bends::Settings>() ? 1 : 0;
  return bending > kManyBending ? std::min(frames, 10) : frames;
}

inline World built(const Scene& scene, std::shared_ptr<AssetLibrary> assets = nullptr) {
  Result<World> world = World::build(scene, std::move(assets));
  if (!world) throw std::runtime_error(world.error().text);  // fails the test with its text
  return std::move(*world);
}

inline void run_frames(World& world, int frames) {
  for (int i = 0; i < frames; ++i) world.step_frame();
}

inline const Examples& example_layer(const World& world, int body) {
  return std::get<Examples>(world.bodies()[static_cast<size_t>(body)].layers.back());
}

inline int body_named(const World& world, std::string_view name) {
  for (size_t i = 0; i < world.bodies().size(); ++i) {
    if (world.bodies()[i].description->name == name) return static_cast<int>(i);
  }
  ADD_FAILURE() << "no body " << name;
  return 0;
}

inline const Bends& bends_of(const World& world, std::string_view name) {
  return std::get<Bends>(*world.bodies()[static_cast<size_t>(body_named(world, name))].bonds);
}

/// Bodies that can crumple.
inline std::vector<int> crumpling_bodies(const World& world) {
  std::vector<int> found;
  for (size_t i = 0; i < world.bodies().size(); ++i) {
    if (!world.bodies()[i].layers.empty()) found.push_back(static_cast<int>(i));
  }
  return found;
}

/// Least distance of two bodies that can change their shape.
inline double nearest_centers(const World& world) {
  double nearest = 1e300;
  const std::vector<int> bodies = crumpling_bodies(world);
  for (size_t a = 0; a < bodies.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      nearest = std::min(nearest, (world.part_state(bodies[a]).place.translation - world.part_state(bodies[b]).place.translation).norm());
    }
  }
  return nearest;
}

/// Whether elastic-plastic joints take part; structure_scenes_test asks such scenes for what they are meant to show.
inline bool has_structure(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodyDescription& body) { return shape_method(body) != nullptr; });
}
/// Whether bodies bend.
inline bool has_bends(const Scene& scene) {
  return std::ranges::any_of(scene.bodies, [](const BodyDescription& body) { return body.of<bends::Settings>().has_value(); });
}
inline bool is_soft(const Scene& scene) {
  return std::ranges::any_of(scene.bodies, [](const BodyDescription& body) { return method_of(body, MethodKind::Matter) != nullptr; });
}

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A world that goes on from what another has saved: all state is the same, and so is what is drawn.
inline World resumed_from(World& world, const Scene& scene) {
  World resumed = built(scene);
  const Result<void> restored = resumed.restore(world.snapshot());
  EXPECT_TRUE(restored) << (restored ? "" : restored.error().text);
  EXPECT_EQ(state_hash(resumed), state_hash(world));
  const std::vector<FrameItem> drawn = world.frame().items, again = resumed.frame().items;
  EXPECT_EQ(drawn.size(), again.size());
  for (size_t i = 0; i < std::min(drawn.size(), again.size()); ++i) EXPECT_EQ(drawn[i].positions, again[i].positions) << drawn[i].name;
  return resumed;
}

}  // namespace crumple
