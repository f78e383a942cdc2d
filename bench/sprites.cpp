#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/bench.h"
#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/core/timer.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/methods/sprites/kernels.h"
#include "crumple/render/drawing.h"
#include "crumple/rig/make_flat.h"
#include "crumple/world/world.h"

namespace crumple::bench {
namespace {

/// A game of table 4.1: what the thesis took for a frame of 1/60 s, in ms. It states neither the machine nor the sizes.
struct Game {
  const char *name, *scene;
  double rings, whole, projection, contact, other;
  double sum() const { return rings + whole + projection + contact + other; }
};
constexpr Game kGames[] = {{"platform", "floating_ragdoll", 3.3, 0.3, 5.0, 0.7, 1.2}, {"puzzle", "catapult_puzzle", 2.2, 0.1, 8.9, 13.2, 1.0}, {"launcher", "cannon_ragdoll", 6.0, 0.1, 2.0, 0.3, 0.5}};
constexpr const char *kCrowd = "crowd", *kProjection = "projection", *kSag = "sag";
constexpr int kCrowdSize = 200;

struct Frames {
  std::vector<double> cpu, wall;  // ms each
};

Frames run_frames(World& world, int count, const StopFlag* cancel) {
  Frames frames;
  for (int i = 0; i < count && !(cancel && cancel->requested()); ++i) {
    const double cpu = cpu_seconds(), wall = wall_seconds();
    world.step_frame();
    frames.cpu.push_back(1e3 * (cpu_seconds() - cpu)), frames.wall.push_back(1e3 * (wall_seconds() - wall));
  }
  return frames;
}

/// Frames, sprites and particles of a world, and ms a frame in the parts of table 4.1.
Json measured_row(const World& world, const Frames& frames) {
  std::vector<BodyReport> reports;
  double sprites = 0, particles = 0;
  Json parts = Json::object();
  for (const Body& body : world.bodies()) {
    const std::optional<BodyReport> report = report_of(body, world.scene().fps, {});
    if (!report) continue;
    ++sprites, particles += report->methods.figures.find("particles")->number;
    for (const auto& [part, seconds] : report->methods.seconds) {
      const Json* before = parts.find(part);
      parts[part] = (before ? before->number : 0) + 1e3 * seconds / static_cast<double>(frames.cpu.size());
    }
  }
  std::vector<double> sorted = frames.wall;
  std::sort(sorted.begin(), sorted.end());
  Json row = Json::object({{"sprites", sprites}, {"particles", particles}, {"frames", frames.cpu.size()}});
  row["ms_per_frame"] = mean(frames.wall), row["cpu_ms_per_frame"] = mean(frames.cpu), row["worst_ms"] = sorted.empty() ? 0 : sorted.back();
  row["parts_cpu_ms"] = std::move(parts);
  return row;
}

Result<void> measure_game(const Game& game, const Request& request, Json& json) {
  Result<Scene> scene = load_scene(project_file(fmt::format("scenes/{}.json", game.scene)));
  if (!scene) return scene.error();
  Result<World> world = World::build(*scene);
  if (!world) return world.error();
  const Frames frames = run_frames(*world, scene->frame_count(), request.cancel);
  Json row = measured_row(*world, frames);
  row["scene"] = game.scene;
  row["thesis_ms"] = Json::object({{"neighbourhood matching", game.rings}, {"global matching", game.whole}, {"manifold projection", game.projection}, {"contact", game.contact}, {"other", game.other}, {"sum", game.sum()}});
  row["times_faster"] = game.sum() / row.find("ms_per_frame")->number;
  json["games"][game.name] = std::move(row);
  return {};
}

/// 200 sprites of 81 to 101 particles that fall on a heap.
Result<void> measure_crowd(const Request& request, Json& json) {
  const char* assets[] = {"ibeam", "rope", "catapult"};
  std::string bodies = R"({"name": "ground", "plane": [0, 1, 0, 0]})";
  Random random(3);
  for (int i = 0; i < kCrowdSize; ++i) {
    const double x = 2.6 * (i % 10) - 11.7 + random.range(-0.3, 0.3), y = 0.8 + 0.9 * (i / 10);
    bodies += fmt::format(R"(, {{"name": "sprite {}", "asset": "{}", "at": [{:.3f}, {:.3f}, 0], "turn": [0, 0, {:.1f}], "sprites": {{"energy": {{"pose": "{}"}}}}}})", i + 1, assets[i % 3], x, y,
                          random.range(-20, 20), i % 3 == 2 ? "cocked" : "sag");
  }
  std::string list;
  for (const char* asset : assets) list += fmt::format(R"({}"{}": "{}")", list.empty() ? "" : ", ", asset, project_file(fmt::format("assets/sprites/{}.glb", asset)));
  const std::string text = fmt::format(R"({{"crumple": 1, "flat": true, "fps": 60, "substeps": 4, "seconds": 4, "assets": {{{}}}, "bodies": [{}]}})", list, bodies);
  Result<Scene> scene = parse_scene(text, "crowd.json");
  if (!scene) return scene.error();
  Result<World> world = World::build(*scene);
  if (!world) return world.error();
  const Frames frames = run_frames(*world, scene->frame_count(), request.cancel);
  Json row = measured_row(*world, frames);
  row["real_time_factor"] = 1e3 / 60 / row.find("ms_per_frame")->number;
  json[kCrowd] = std::move(row);
  return {};
}

/// The ball's drawing with triangles of another size.
Result<Asset> ball_of(double edge) {
  const std::filesystem::path files[] = {project_file("assets/drawings/ball.svg")};
  const Result<render::Drawing> drawing = render::read_drawing(files);
  if (!drawing) return drawing.error();
  FlatSettings settings;
  settings.handles = drawing->handles, settings.outline.edge = edge;
  FlatReport report;
  Result<Asset> fine = make_flat_rig(drawing->layers, settings, report);
  if (!fine) return fine;
  const Result<Asset> posed = io::read_asset(project_file("assets/sprites/ball.glb"));
  if (!posed) return posed.error();
  fine->examples = posed->examples;
  return fine;
}

/// Microseconds of a projection, tracked from frame to frame, for drawings of more and more particles.
Result<void> measure_projection(Json& json) {
  constexpr int kProjections = 400;
  Json& rows = json[kProjection] = Json::array();
  for (const double edge : {28.0, 14.0, 7.0}) {
    Result<Asset> asset = ball_of(edge);
    if (!asset) return asset.error();
    MatterSeed seed;
    seed.drawing = std::make_shared<const Asset>(std::move(*asset)), seed.mass = 1;
    const Result<sprites::Model> model = sprites::build(seed, {});
    if (!model) return model.error();
    std::vector<sprites::Complex> shape(model->particles());
    sprites::Place place = model->equilibrium;
    double moments = 0, newton = 0, steps = 0;
    for (int i = 0; i < kProjections; ++i) {
      std::vector<double> a(model->poses.size(), 0.0);
      const double share = 0.5 - 0.5 * std::cos(0.05 * i);
      a[0] = 1 - share, a[1] = share;
      sprites::pose_particles(model->manifold, sprites::place_of(model->manifold, a), shape);
      for (sprites::Complex& x : shape) x *= std::polar(1.0, 0.03 * i);
      sprites::ShapeMoments found;
      moments += least_seconds(1, [&] { found = sprites::moments_of(model->manifold, model->mass, shape); });
      newton += least_seconds(1, [&] { steps += sprites::project(model->manifold, found, i == 0, place); });
    }
    rows.push(Json::object({{"particles", model->particles()}, {"newton_us", 1e6 * newton / kProjections}, {"moments_us", 1e6 * moments / kProjections}, {"newton_steps", steps / kProjections}}));
  }
  return {};
}

/// How much of its height a ball at rest has lost, by the substeps of a frame.
Result<void> measure_sag(Json& json) {
  Json& rows = json["sag_percent"] = Json::object();
  for (const int substeps : {1, 2, 4, 8}) {
    const std::string text = fmt::format(R"({{"crumple": 1, "flat": true, "fps": 60, "substeps": {}, "seconds": 3, "assets": {{"ball": "{}"}}, "bodies": [
      {{"plane": [0, 1, 0, 0]}}, {{"name": "ball", "asset": "ball", "at": [0, 0.5, 0], "sprites": {{"orientation": {{"goal": "angle"}}}}}}]}})", substeps, project_file("assets/sprites/ball.glb"));
    Result<Scene> scene = parse_scene(text, "sag.json");
    if (!scene) return scene.error();
    Result<World> world = World::build(*scene);
    if (!world) return world.error();
    const auto height = [&] {
      Bounds box;
      const Frame frame = world->frame();
      for (const FrameItem& item : frame.items) {
        for (const Vec3f& x : item.positions) {
          if (item.name == "ball") box.add(item.place * x.cast<double>());
        }
      }
      return box.high.y() - box.low.y();
    };
    const double before = height();
    while (world->frame_number() < scene->frame_count()) world->step_frame();
    rows[std::to_string(substeps)] = 100 * (1 - height() / before);
  }
  return {};
}

}  // namespace

Result<Json> run_sprites(const Request& request) {
  std::vector<std::string> rows = {kCrowd, kProjection, kSag};
  for (const Game& game : kGames) rows.emplace_back(game.name);
  for (const std::string& name : request.scenes) {
    if (std::find(rows.begin(), rows.end(), name) == rows.end()) return input_error(fmt::format("bench sprites has no row \"{}\"; it has {}", name, fmt::join(rows, ", ")));
  }
  const auto is_asked = [&](const std::string& name) {
    if (request.cancel && request.cancel->requested()) return false;
    return request.scenes.empty() || std::find(request.scenes.begin(), request.scenes.end(), name) != request.scenes.end();
  };
  set_thread_count(request.threads);
  Json json = Json::object();
  json["threads"] = thread_count();
  for (const Game& game : kGames) {
    if (!is_asked(game.name)) continue;
    if (const Result<void> done = measure_game(game, request, json); !done) return done.error();
  }
  if (is_asked(kCrowd)) {
    if (const Result<void> done = measure_crowd(request, json); !done) return done.error();
  }
  if (is_asked(kProjection)) {
    if (const Result<void> done = measure_projection(json); !done) return done.error();
  }
  if (is_asked(kSag)) {
    if (const Result<void> done = measure_sag(json); !done) return done.error();
  }
  json["machine_load"] = machine_load();
  return json;
}

}  // namespace crumple::bench
