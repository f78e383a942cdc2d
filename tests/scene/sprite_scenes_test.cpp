// Sprites in scenes: what each scene of the project is meant to show, rigid bodies in the plane, checkpoints, and what is drawn and exported.
#include <cmath>
#include <map>

#include "crumple/io/export.h"
#include "crumple/io/gltf.h"
#include "crumple/geometry/orientation.h"
#include "crumple/methods/sprites/kernels.h"
#include "crumple/run/playback.h"
#include "tests/sanitized.h"
#include "tests/scene/inside.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

using SpritesAtWork = AtWork<sprites::Settings, sprites::Model, sprites::State>;

const SpritesAtWork& sprite_of(const World& world, std::string_view name) {
  return std::get<SpritesAtWork>(*world.bodies()[static_cast<size_t>(body_named(world, name))].matter);
}

Vec2 middle_of_sprite(const World& world, std::string_view name) {
  const auto& [model, state] = sprite_of(world, name);
  const sprites::Complex middle = sprites::middle_of(model, state.x);
  return {model.origin.x() + middle.real(), model.origin.y() + middle.imag()};
}

double weight_of(const World& world, std::string_view name, std::string_view pose) {
  const auto& [model, state] = sprite_of(world, name);
  const auto found = std::find(model.poses.begin(), model.poses.end(), pose);
  EXPECT_NE(found, model.poses.end()) << pose;
  return state.weights[static_cast<size_t>(found - model.poses.begin())];
}

std::string behaviour_of(const World& world, std::string_view name) {
  const auto& [model, state] = sprite_of(world, name);
  return model.settings.behaviours[static_cast<size_t>(state.behaviour)].name;
}

/// Runs a scene to its end and looks at each frame.
template <class Look>
World watched(const std::string& name, const Look& look) {
  World world = built(scene_file(name));
  while (world.frame_number() < world.scene().frame_count()) world.step_frame(), look(world);
  EXPECT_TRUE(world.report().frozen.empty());
  return world;
}

/// One with a ground and a ball of the project's.
Scene ball_scene(const std::string& ball, const std::string& more = "", double seconds = 2) {
  return parsed_scene(fmt::format(R"({{"crumple": 1, "flat": true, "fps": 60, "substeps": 4, "seconds": {}, "assets": {{"ball": "../assets/sprites/ball.glb"}}, "bodies": [
    {{"name": "ground", "plane": [0, 1, 0, 0]}}, {{"name": "ball", "asset": "ball", {}}}{}]}})", seconds, ball, more));
}

#define WHOLE_SCENE \
  if (kSanitized) GTEST_SKIP() << "the goldens run its beginning"

TEST(SpriteScenes, three_balls_of_other_numbers_behave_otherwise) {
  WHOLE_SCENE;
  struct Seen {
    bool has_landed = false;
    double rebound = 0, squash = 0, stretch = 0;
  };
  std::map<std::string, Seen> all;
  const World world = watched("bouncing_ball.json", [&](const World& now) {
    for (const char* name : {"rubber", "dough", "alive"}) {
      Seen& seen = all[name];
      const auto& [model, state] = sprite_of(now, name);
      seen.has_landed = seen.has_landed || state.grounded < 0.01;
      if (seen.has_landed) seen.rebound = std::max(seen.rebound, middle_of_sprite(now, name).y());
      seen.squash = std::max(seen.squash, weight_of(now, name, "squash")), seen.stretch = std::max(seen.stretch, weight_of(now, name, "stretch"));
    }
  });
  EXPECT_GT(all["rubber"].rebound, 1.1);
  EXPECT_LT(all["rubber"].rebound, 2.6);
  EXPECT_LT(all["dough"].rebound, 0.6) << "it stays down";
  EXPECT_GT(all["dough"].squash, 0.7);
  EXPECT_LT(all["dough"].stretch, 0.01);
  EXPECT_GT(all["alive"].stretch, all["rubber"].stretch + 0.2) << "it stretches in the air";
  EXPECT_GE(sprite_of(world, "rubber").state.counts[sprites::kBounces], 3);
  EXPECT_EQ(sprite_of(world, "dough").state.counts[sprites::kBounces], 0);
}

TEST(SpriteScenes, platforms_give_way_as_they_are_made) {
  WHOLE_SCENE;
  std::map<std::string, double> moved, sag;
  const World world = watched("platforms.json", [&](const World& now) {
    for (const char* name : {"brick", "I-beam", "rope"}) {
      const auto& [model, state] = sprite_of(now, name);
      moved[name] = std::max(moved[name], std::abs(sprites::middle_of(model, state.x) - model.home));
      if (std::string_view(name) != "brick") sag[name] = std::max(sag[name], weight_of(now, name, "sag"));
    }
  });
  EXPECT_LT(moved["brick"], 0.12);
  EXPECT_GT(sag["I-beam"], 0.3);
  EXPECT_GT(sag["rope"], 0.5);
  EXPECT_GT(middle_of_sprite(world, "snake").x(), 1.5) << "it came over brick and beam";
}

TEST(SpriteScenes, the_ball_is_flung_into_the_bucket) {
  WHOLE_SCENE;
  const World world = watched("catapult_puzzle.json", [](const World&) {});
  const Vec2 ball = middle_of_sprite(world, "ball"), bucket = middle_of_sprite(world, "bucket");
  EXPECT_LT(std::abs(ball.x() - bucket.x()), 0.5);
  EXPECT_GT(ball.y(), 0.3);
  EXPECT_LT(ball.y(), 1.5);
}

TEST(SpriteScenes, only_the_sprite_is_a_hero) {
  WHOLE_SCENE;
  std::map<std::string, double> flies, curls;
  const World world = watched("cannon_ragdoll.json", [&](const World& now) {
    if (!now.bodies()[static_cast<size_t>(body_named(now, "sprites: doll"))].is_present()) return;
    for (const char* lane : {"plain", "poses", "sprites"}) {
      const std::string doll = fmt::format("{}: doll", lane);
      flies[lane] = std::max(flies[lane], weight_of(now, doll, "superman")), curls[lane] = std::max(curls[lane], weight_of(now, doll, "fetal"));
    }
  });
  EXPECT_GT(flies["sprites"], 0.8);
  EXPECT_GT(curls["sprites"], 0.5);
  EXPECT_EQ(flies["plain"], 0);
  EXPECT_EQ(curls["plain"], 0);
  EXPECT_LT(flies["poses"], 0.2);
  for (const char* lane : {"plain", "poses", "sprites"}) EXPECT_LT(middle_of_sprite(world, fmt::format("{}: crate 3", lane)).y() - middle_of_sprite(world, fmt::format("{}: crate 1", lane)).y(), 1) << "the stack has fallen";
}

TEST(SpriteScenes, the_walk_visits_its_six_keys_in_order) {
  WHOLE_SCENE;
  const std::vector<std::string> keys = {"reach", "pass", "swing", "reach 2", "pass 2", "swing 2"};
  std::vector<std::string> visited;
  double right = -1e9, highest = 0;
  bool was_left = false;
  const World world = watched("walker.json", [&](const World& now) {
    const std::string behaviour = behaviour_of(now, "walker");
    if (behaviour == "walk") {
      for (const std::string& key : keys) {
        // Near it, by the measure of the complex: an edge is 1.
        if (weight_of(now, "walker", key) > 0.75 && (visited.empty() || visited.back() != key)) visited.push_back(key);
      }
      right = std::max(right, middle_of_sprite(now, "walker").x());
    }
    was_left = was_left || sprite_of(now, "walker").state.is_left;
    if (behaviour == "leap") highest = std::max(highest, middle_of_sprite(now, "walker").y());
  });
  ASSERT_GE(visited.size(), 12u);
  for (size_t i = 1; i < visited.size(); ++i) {
    const size_t before = static_cast<size_t>(std::find(keys.begin(), keys.end(), visited[i - 1]) - keys.begin());
    EXPECT_EQ(visited[i], keys[(before + 1) % keys.size()]) << i;
  }
  EXPECT_GT(right, -0.8) << "it set out at -3.2";
  EXPECT_TRUE(was_left);
  EXPECT_LT(middle_of_sprite(world, "walker").x(), right - 1) << "it walked back";
  EXPECT_GT(highest, 1.65) << "and jumped";
}

TEST(SpriteScenes, an_inflated_walker_floats_into_the_pit) {
  WHOLE_SCENE;
  double fastest = 0, before = 0;
  bool floats = false;
  const World world = watched("floating_ragdoll.json", [&](const World& now) {
    const double y = middle_of_sprite(now, "walker").y();
    if (behaviour_of(now, "walker") == "float") floats = true, fastest = std::max(fastest, (before - y) * now.scene().fps);
    before = y;
  });
  EXPECT_TRUE(floats);
  EXPECT_LT(fastest, 2.5) << "m/s; without drag it would fall with 7";
  EXPECT_GT(middle_of_sprite(world, "walker").x(), 1.95);
  EXPECT_LT(middle_of_sprite(world, "walker").x(), 5.85);
}

TEST(SpriteScenes, rigid_bodies_stay_in_the_plane_and_momentum_is_exchanged) {
  Scene scene = ball_scene(R"("at": [0, 5, 0], "velocity": [4, 0, 0], "density": 3, "sprites": {})",
                           R"(, {"name": "box", "box": [0.5, 0.5, 0.5], "at": [1.4, 5.2, 0], "turn": [0, 0, 20], "mass": 1.5}, {"name": "wedge", "polygon": [0, 0, 1, 0, 0, 1], "at": [3, 5, 0], "mass": 2})");
  scene.gravity = Vec3::Zero();
  World world = built(scene);
  const auto momentum = [&] {
    const auto& [model, state] = sprite_of(world, "ball");
    const sprites::Complex own = sprites::momentum_of(model, state);
    const Vec3 box = world.part_state(body_named(world, "box")).velocity, wedge = world.part_state(body_named(world, "wedge")).velocity;
    return Vec2(own.real() + 1.5 * box.x() + 2 * wedge.x(), own.imag() + 1.5 * box.y() + 2 * wedge.y());
  };
  const Vec2 before = momentum();
  run_frames(world, 60);
  EXPECT_LT((momentum() - before).norm(), 1e-4 * before.norm());
  EXPECT_GT(world.part_state(body_named(world, "box")).velocity.x(), 1);
  for (const char* name : {"box", "wedge"}) {
    const rigid::PartState state = world.part_state(body_named(world, name));
    EXPECT_LT(std::abs(state.place.translation.z()), 1e-12) << name;
    EXPECT_LT(state.spin.head<2>().norm(), 1e-12) << name;
  }
}

TEST(SpriteScenes, a_box_lies_on_a_crate_and_the_crate_on_the_ground) {
  World world = built(parsed_scene(R"({"crumple": 1, "flat": true, "fps": 60, "substeps": 4, "seconds": 3, "assets": {"crate": "../assets/sprites/crate.glb"}, "bodies": [
    {"name": "ground", "plane": [0, 1, 0, 0]}, {"name": "crate", "asset": "crate", "at": [0, 0.5, 0], "density": 3, "sprites": {}},
    {"name": "box", "box": [0.6, 0.2, 1], "at": [0.1, 1.15, 0], "mass": 0.5}]})"));
  run_frames(world, 150);
  const rigid::PartState box = world.part_state(body_named(world, "box"));
  EXPECT_GT(box.place.translation.y(), 0.9);
  EXPECT_LT(box.velocity.norm(), 0.05);
}

TEST(SpriteScenes, thin_plates_are_not_gone_through) {
  for (const char* plate : {R"("box": [3, 0.04, 1])", R"("polygon": [-1.5, -0.02, 1.5, -0.02, 1.5, 0.02, -1.5, 0.02])"}) {
    World world = built(ball_scene(R"("at": [0, 3, 0], "velocity": [0, -3, 0], "sprites": {"energy": {"pose": "squash"}})", fmt::format(R"(, {{"name": "plate", {}, "at": [0, 1, 0], "motion": "static"}})", plate)));
    run_frames(world, 100);
    const auto& [model, state] = sprite_of(world, "ball");
    double lowest = 1e9;
    for (const sprites::Complex& x : state.x) lowest = std::min(lowest, model.origin.y() + x.imag());
    EXPECT_GT(lowest, 0.95) << plate;
  }
}

TEST(SpriteScenes, a_run_goes_on_from_a_snapshot_as_if_nothing_had_been) {
  const Scene scene = scene_file("floating_ragdoll.json");
  World world = built(scene), other = built(scene);
  run_frames(world, 40);
  const Snapshot snapshot = world.snapshot();
  ASSERT_TRUE(other.restore(snapshot));
  run_frames(world, 20), run_frames(other, 20);
  for (const Body& body : world.bodies()) {
    if (!body.matter) continue;
    EXPECT_EQ(sprite_of(world, body.description->name).state.x, sprite_of(other, body.description->name).state.x) << body.description->name;
  }
}

TEST(SpriteScenes, what_was_recorded_is_what_is_drawn) {
  const ScratchFolder scratch("sprites_recorded");
  Scene scene = scene_file("bouncing_ball.json");
  scene.seconds = 0.9;
  RunSettings settings;
  settings.folder = scratch / "run";
  ASSERT_TRUE(run_scene(scene, settings));
  Result<Playback> playback = Playback::open(scratch / "run");
  ASSERT_TRUE(playback) << playback.error().text;
  World world = built(scene);
  run_frames(world, 54);
  const Result<Frame> played = playback->frame(54);
  ASSERT_TRUE(played);
  const Frame there = world.frame();
  EXPECT_TRUE(played->flat);
  ASSERT_EQ(played->items.size(), there.items.size());
  for (size_t k = 0; k < there.items.size(); ++k) {
    for (size_t i = 0; i < there.items[k].positions.size(); ++i) {
      EXPECT_LT((played->items[k].place * played->items[k].positions[i].cast<double>() - there.items[k].place * there.items[k].positions[i].cast<double>()).norm(), 1e-6);
    }
  }
}

/// Number, text or list at a path of keys and indices.
const Json& json_at(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* here = &json;
  for (const std::string_view key : path) {
    here = here->is_array() ? &here->items[static_cast<size_t>(std::stoi(std::string(key)))] : here->find(key);
    if (!here) throw std::runtime_error(fmt::format("no {}", key));
  }
  return *here;
}

TEST(SpriteScenes, an_export_has_textures_and_is_where_the_particles_were) {
  const ScratchFolder scratch("sprites_exported");
  Scene scene = scene_file("bouncing_ball.json");
  scene.seconds = 1.2;
  World world = built(scene);
  std::vector<Frame> frames = {world.frame()};
  for (int index = 1; index < 73; ++index) {
    world.step_frame();
    frames.push_back(world.frame());
  }
  const auto source = [&](int index) -> Result<Frame> { return frames[static_cast<size_t>(index)]; };
  io::ExportSettings settings;
  settings.fps = 60;
  const Result<io::ExportReport> report = io::export_glb(source, 73, settings, scratch / "balls.glb");
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_LE(report->worst, 0.001 * 1.5);
  const Result<io::GltfDocument> document = io::read_gltf(scratch / "balls.glb");
  ASSERT_TRUE(document);
  const Json& json = document->json;
  EXPECT_EQ(json_at(json, {"images"}).items.size(), 3u) << "three balls, three pictures";
  int textured = 0;
  for (const Json& material : json_at(json, {"materials"}).items) {
    const Json* texture = json_at(material, {"pbrMetallicRoughness"}).find("baseColorTexture");
    if (!texture) continue;
    ++textured;
    EXPECT_EQ(json_at(material, {"alphaMode"}).text, "BLEND");
    EXPECT_TRUE(json_at(material, {"extensions"}).find("KHR_materials_unlit"));
  }
  EXPECT_EQ(textured, 3);
}

}  // namespace
}  // namespace crumple
