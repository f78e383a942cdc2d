#include <cmath>

#include "crumple/io/gltf_asset.h"
#include "crumple/world/world.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

Result<World> world_of(const fs::path& asset, double scale, const std::string& more, double seconds = 1) {
  const double fps = 60 / std::sqrt(std::min(scale, 1.0));
  const std::string text = R"({"crumple": 1, "fps": )" + std::to_string(fps) + R"(, "substeps": 4, "seconds": )" + std::to_string(seconds) +
                           R"(, "assets": {"a": ")" + asset.string() +
                           R"("}, "bodies": [{"name": "ground", "plane": [0, 1, 0, 0]}, {"name": "a", "asset": "a", "density": 300, "scale": )" +
                           std::to_string(scale) + ", " + more + "}]}";
  Result<Scene> scene = parse_scene(text, "standing.json");
  if (!scene) return scene.error();
  return World::build(*scene);
}

TEST(StandingBodies, come_to_rest_as_near_to_the_floor_at_any_size) {
  for (const double scale : {0.01, 1.0}) {
    const double height = 0.46 * scale;
    Result<World> world =
        world_of(kProject / "assets" / "drum.glb", scale, R"("at": [0, )" + std::to_string(height) + R"(, 0], "examples": {"gain": 0})", 3);
    ASSERT_TRUE(world) << world.error().text;
    for (int i = 0; i < 100; ++i) world->step_frame();
    double lowest = 1e300;
    for (const FrameItem& item : world->frame().items) {
      if (item.backdrop) continue;
      for (size_t v = 0; v < item.surface->positions.size(); ++v) {
        lowest = std::min(lowest, (item.place * (item.positions.empty() ? item.surface->positions[v] : Vec3(item.positions[v].cast<double>()))).y());
      }
    }
    EXPECT_NEAR(lowest, 0, 0.008 * scale) << scale;
    EXPECT_LT(world->part_state(1).velocity.norm(), 0.01 * std::sqrt(scale)) << scale;
  }
}

/// A copy of the drum's asset with examples of our own: how far each handle is moved.
template <class Move>
void add_example(Asset& asset, const std::string& name, const Move& move) {
  Example example{name, asset.examples[0].handles};
  for (size_t b = 0; b < example.handles.size(); ++b) example.handles[b].translation = move(asset.handles[b].position);
  asset.examples.push_back(std::move(example));
}

TEST(ExamplesThatCannotAct, are_told_before_anything_moves_and_only_they) {
  Scratch scratch;
  Result<Asset> asset = io::read_asset(kProject / "assets" / "drum.glb");
  ASSERT_TRUE(asset);
  add_example(*asset, "Nothing", [](const Vec3&) { return Vec3(0, 0, 0); });
  add_example(*asset, "Swollen", [](const Vec3& at) { return Vec3(0.2 * at); });
  asset->examples.push_back(asset->examples[1]);
  asset->examples.back().name = "Again";
  ASSERT_TRUE(io::write_asset(*asset, scratch / "drum.glb"));
  const Result<World> own = world_of(kProject / "assets" / "drum.glb", 1, R"("examples": {})"),
                      other = world_of(scratch / "drum.glb", 1, R"("examples": {})");
  ASSERT_TRUE(own);
  EXPECT_EQ(warnings_of(own->bodies()), std::vector<std::string>());
  ASSERT_TRUE(other) << other.error().text;
  const std::vector<std::string> warnings = warnings_of(other->bodies());
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_NE(warnings[0].find("\"Nothing\" equals the rest pose"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("\"Swollen\" moves the surface nowhere inwards"), std::string::npos) << warnings[1];
  EXPECT_NE(warnings[2].find("\"Again\" equals"), std::string::npos) << warnings[2];
}

TEST(ExamplesThatCannotAct, are_told_after_hits_where_they_stay_as_they_are) {
  Scratch scratch;
  Result<Asset> asset = io::read_asset(kProject / "assets" / "drum.glb");
  ASSERT_TRUE(asset);
  const Bounds bounds = bounds_of(asset->tets.positions);
  const double middle = 0.5 * (bounds.low.y() + bounds.high.y());
  asset->examples.resize(1);
  add_example(*asset, "Crush", [&](const Vec3& at) { return Vec3(0, at.y() > middle ? -0.3 : 0, 0); });
  ASSERT_TRUE(io::write_asset(*asset, scratch / "drum.glb"));
  for (const bool upright : {true, false}) {
    const std::string turn = upright ? "0" : "180";  // on its base, which stays as it is, or on its top
    Result<World> world =
        world_of(scratch / "drum.glb", 1,
                 R"("at": [0, 0.6, 0], "turn": [)" + turn + R"(, 0, 0], "velocity": [0, -5, 0], "examples": {"gain": 300, "radius": 0.3})");
    ASSERT_TRUE(world) << world.error().text;
    for (int i = 0; i < 20; ++i) world->step_frame();
    const std::optional<BodyReport> report = report_of(world->bodies()[1], 60, {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->methods.lines.size(), upright ? 1u : 0u);
    if (report->methods.lines.empty()) continue;
    EXPECT_EQ(report->methods.lines[0].second, "hit beyond its yield, but keeps its shape: \"Crush\" does not move where the hits landed");
  }
}

}  // namespace
}  // namespace crumple
