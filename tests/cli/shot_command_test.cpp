#include <cmath>
#include <numbers>

#include "crumple/io/gltf_asset.h"
#include "crumple/rig/rigged_body.h"
#include "crumple/world/world.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 24, kHeight = 14, kTiles = 9;

/// What a tile of the sheet shows of the asset, by a ray through each of its pixels: shares of the pixels.
struct Tile {
  double body = 0;
  double damage = 0;  // points of it that have moved by more than half of the deepest mark
};

struct Nearest {
  double depth = 1e300;
  bool is_body = false;
  double way = 0;
};

void meet(const FrameItem& item, bool is_body, const Vec3& eye, const std::vector<Vec3>& rays, std::vector<Nearest>& nearest) {
  std::vector<Vec3> at;
  for (size_t v = 0; v < item.surface->positions.size(); ++v) {
    at.push_back(item.place * (item.positions.empty() ? item.surface->positions[v] : Vec3(item.positions[v].cast<double>())) - eye);
  }
  for (const auto& [a, b, c] : item.surface->triangles) {
    const Vec3 bc = at[b].cross(at[c]), ca = at[c].cross(at[a]), across = at[a].cross(at[b]);
    const double volume = at[a].dot(bc);
    if (volume == 0) continue;  // the eye is in its plane
    for (size_t i = 0; i < rays.size(); ++i) {
      const double u = rays[i].dot(bc) / volume, v = rays[i].dot(ca) / volume, w = rays[i].dot(across) / volume;
      if (u < 0 || v < 0 || w < 0 || 1 / (u + v + w) >= nearest[i].depth) continue;
      const auto way = [&](int p) { return item.positions.empty() ? 0 : (item.positions[p].cast<double>() - item.surface->positions[p]).norm(); };
      nearest[i] = {1 / (u + v + w), is_body, (u * way(a) + v * way(b) + w * way(c)) / (u + v + w)};
    }
  }
}

Tile look_at(const Frame& frame, int body, const CameraDescription& camera, double deep) {
  const Vec3 forward = (*camera.target - *camera.eye).normalized(), right = forward.cross(Vec3::UnitY()).normalized(), up = right.cross(forward);
  const double slope = 2 * std::tan(0.5 * camera.fov.value_or(32) * std::numbers::pi / 180) / kHeight;
  std::vector<Vec3> rays;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) rays.push_back(forward + slope * ((x + 0.5 - 0.5 * kWidth) * right - (y + 0.5 - 0.5 * kHeight) * up));
  }
  std::vector<Nearest> nearest(rays.size());
  for (const FrameItem& item : frame.items) {
    if (!item.backdrop) meet(item, item.body == body, *camera.eye, rays, nearest);
  }
  Tile tile;
  for (const Nearest& pixel : nearest) {
    tile.body += pixel.is_body ? 1.0 / (kWidth * kHeight) : 0;
    tile.damage += pixel.is_body && pixel.way > 0.5 * deep ? 1.0 / (kWidth * kHeight) : 0;
  }
  return tile;
}

struct Wanted {
  const char* asset;
  double scale;
  const char* kind;
};
class ShotCommand : public testing::TestWithParam<Wanted> {};

TEST_P(ShotCommand, fills_most_tiles_with_the_asset_and_shows_its_damage) {
  Scratch scratch;
  Result<Asset> asset = io::read_asset(kProject / "assets" / (std::string(GetParam().asset) + ".glb"));
  ASSERT_TRUE(asset);
  scale_asset(*asset, GetParam().scale);
  ASSERT_TRUE(io::write_asset(*asset, scratch / "model.glb"));
  const Answer shot = run_program({"shot", "model.glb", "-o", "shot.json", "--kind", GetParam().kind}, scratch.path(), scratch);
  ASSERT_EQ(shot.code, 0) << shot.err;
  EXPECT_EQ(shot.err, "");
  EXPECT_NE(shot.out.find("front      +x"), std::string::npos) << shot.out;

  Result<Scene> scene = load_scene(scratch / "shot.json");
  ASSERT_TRUE(scene) << scene.error().text;
  Result<World> world = World::build(*scene);
  ASSERT_TRUE(world) << world.error().text;
  int body = 0;
  while (scene->bodies[static_cast<size_t>(body)].name != "model") ++body;
  std::vector<Frame> frames = {world->frame()};
  for (int i = 0; i < scene->frame_count(); ++i) {
    world->step_frame();
    frames.push_back(world->frame());
  }
  const double deep = damage_of(world->bodies()[static_cast<size_t>(body)]).max_displacement, size = bounds_of(asset->surface.positions).diagonal();
  EXPECT_GT(deep, 0.03 * size);
  int filled = 0, damaged = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    const size_t number = static_cast<size_t>(std::lround(static_cast<double>(tile) / (kTiles - 1) * static_cast<double>(frames.size() - 1)));
    const Tile seen = look_at(frames[number], body, scene->camera, deep);
    filled += seen.body > 0.06 ? 1 : 0;
    damaged += seen.damage > 0.004 ? 1 : 0;
    EXPECT_TRUE(number > 0 || seen.damage == 0);
  }
  EXPECT_GE(filled, 7);
  EXPECT_GE(damaged, 4);
}

// A screw, a drum and an airliner.
INSTANTIATE_TEST_SUITE_P(ModelsOfAllSizes, ShotCommand,
                         testing::Values(Wanted{"drum", 0.01, "drop"}, Wanted{"drum", 40, "block"}, Wanted{"sedan", 1, "wall"},
                                         Wanted{"sedan", 10, "ball"}),
                         [](const auto& info) { return std::string(info.param.asset) + "_" + info.param.kind; });

TEST(ShotCommandFront, is_what_was_asked_for_and_turns_the_model) {
  Scratch scratch;
  const std::string drum = (kProject / "assets" / "drum.glb").string();
  const Answer left = run_program({"shot", drum, "-o", "left.json", "--kind", "wall", "--front=-z"}, scratch.path(), scratch);
  ASSERT_EQ(left.code, 0) << left.err;
  EXPECT_NE(left.out.find("front      -z\n"), std::string::npos) << left.out;
  EXPECT_NE(text_of(scratch / "left.json").find("\"turn\": [0, -90, 0]"), std::string::npos);
  expect_refusal(run_program({"shot", drum, "-o", "up.json", "--front", "+y"}, scratch.path(), scratch));
}

}  // namespace
}  // namespace crumple
