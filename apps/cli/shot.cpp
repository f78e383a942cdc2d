#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/shot_scene.h"
#include "apps/cli/shot_view.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/pose.h"
#include "crumple/world/world.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

struct ShotOptions {
  std::string asset, file, kind = "drop", front;
  std::optional<double> speed;
  bool pin = false, force = false;
};

constexpr int kTiles = 9;              // of the sheet that 'demo' draws
constexpr double kImpactAt = 0.22;     // of the whole time: shortly before the third tile
constexpr double kImpactLater = 0.34;  // the fourth: where the body or what hits it flies on
constexpr double kDeepEnough = 0.04;   // over the size of the body

/// What happened when the shot was tried.
struct Trial {
  std::vector<Frame> frames;
  int body = 0;
  int impact = -1;   // frame of the hit; below 0: none left a mark
  double depth = 0;  // m, of the deepest mark
};

/// The first frame with a good part of the mark; standing on the ground may leave a small one before.
int impact_of(const Trial& trial) {
  for (size_t frame = 0; frame < trial.frames.size() && trial.depth > 0; ++frame) {
    if (deepest(trial.frames[frame], trial.body) > 0.25 * trial.depth) return static_cast<int>(frame);
  }
  return -1;
}

/// Runs the shot and keeps as much of it as the tiles need to show what the impact does.
Result<Trial> try_out(const ShotPlan& plan, const Asset& asset, const fs::path& file) {
  Result<Scene> scene = parse_scene(shot_text(plan, asset), file);
  if (!scene) return scene.error();
  Result<World> world = World::build(*scene);
  if (!world) return world.error();
  Trial trial;
  while (world->bodies()[static_cast<size_t>(trial.body)].description->name != plan.name) ++trial.body;
  for (int frame = 0; frame <= scene->frame_count(); ++frame) {
    if (frame > 0) world->step_frame();
    trial.frames.push_back(world->frame());
    trial.depth = std::max(trial.depth, deepest(trial.frames.back(), trial.body));
  }
  trial.impact = impact_of(trial);
  const double impact_at = plan.kind == "wall" || plan.kind == "ball" ? kImpactLater : kImpactAt;
  const size_t wanted = static_cast<size_t>(std::ceil(std::max(trial.impact, 2) / impact_at)) + 1;
  if (trial.impact >= 0 && trial.frames.size() > wanted) trial.frames.resize(wanted);
  return trial;
}

/// Gain of a shot that leaves a mark to be seen, if there is any.
Result<Trial> try_until_seen(ShotPlan& plan, const Asset& asset, const fs::path& file) {
  const double wanted = kDeepEnough * diagonal_of(asset), usual = plan.gain;
  Result<Trial> best = try_out(plan, asset, file);
  double gain = plan.gain;
  for (int i = 0; best && best->depth < wanted && i < 2; ++i) {
    plan.gain = usual * std::pow(4, i + 1);
    Result<Trial> again = try_out(plan, asset, file);
    if (!again) return again;
    if (again->depth > 1.2 * best->depth) best = std::move(again), gain = plan.gain;
  }
  plan.gain = gain;
  return best;
}

/// A side that hardly gives way is not the one that the artist had in mind.
void try_favoured_front(ShotPlan& plan, const Asset& asset, const fs::path& file, Front& front, Result<Trial>& trial) {
  const Front favoured = favoured_front(asset);
  if (favoured.side == front.side) return;
  ShotPlan other = plan;
  other.front = favoured.side;
  other.gain = plan_shot(asset, plan.kind, plan.speed).gain;
  Result<Trial> tried = try_until_seen(other, asset, file);
  if (!tried || tried->depth <= 1.5 * trial->depth) return;
  plan = std::move(other);
  front = favoured;
  trial = std::move(tried);
}

std::vector<Frame> tile_frames(const Trial& trial) {
  std::vector<Frame> chosen;
  const int last = static_cast<int>(trial.frames.size()) - 1;
  for (int tile = 0; tile < kTiles; ++tile) {
    chosen.push_back(trial.frames[static_cast<size_t>(std::lround(static_cast<double>(tile) * last / (kTiles - 1)))]);
  }
  return chosen;
}

/// Those in which the body is near the place of the impact.
std::vector<Frame> near_impact(const Trial& trial, std::vector<Frame> frames, double size) {
  const Vec3 place = middle_of(trial.frames[static_cast<size_t>(std::max(trial.impact, 0))], trial.body);
  std::erase_if(frames, [&](const Frame& frame) { return (middle_of(frame, trial.body) - place).norm() > 0.8 * size; });
  return frames;
}

/// A name that is safe in a scene: letters, digits, spaces, - and _.
std::string plain_name(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != ' ') c = '_';
  }
  return name.empty() || name == "ground" || name == "wall" || name == "block" || name == "ball" ? "asset " + name : name;
}

std::string length_text(double metres) {
  return metres < 0.01 ? fmt::format("{:.2g} mm", 1e3 * metres)
         : metres < 1  ? fmt::format("{:.2g} cm", 100 * metres)
                       : fmt::format("{:.3g} m", metres);
}

void report(const ShotOptions& options, const ShotPlan& plan, const Front& front, const Trial& trial) {
  print("{}: see it with 'crumple demo {}'\n", options.file, options.file);
  print("  {:<10} {}{}\n", "front", front.side, front.why.empty() ? "" : fmt::format(", guessed: {}; say another with --front", front.why));
  if (trial.impact < 0) {
    return warn(fmt::format("{}: nothing leaves a mark within {:.3g} s; try another --front or --kind", options.file, plan.seconds));
  }
  print("  {:<10} at {:.3g} of {:.3g} s, {:.3g} m/s; moves the surface by up to {}\n", "impact", trial.frames[static_cast<size_t>(trial.impact)].time,
        plan.seconds, plan.speed, length_text(trial.depth));
}

Result<Asset> read_posed(const std::string& file) {
  Result<Asset> asset = io::read_asset(file);
  if (!asset) return asset;
  if (asset->flat) return input_error(fmt::format("{}: is a drawing; this is for solid assets", file));
  if (asset->examples.size() < 2) {
    return input_error(fmt::format("{}: has no example but the rest pose, so nothing can be damaged; add one with 'crumple pose'", file));
  }
  return asset;
}

int run(const ShotOptions& options) {
  if (Result<void> possible = check_output(options.file); !possible) return print_error(possible.error());
  std::error_code ignored;
  if (!options.force && fs::exists(options.file, ignored)) {
    return print_error(input_error(fmt::format("{}: exists already; overwrite it with --force", options.file)));
  }
  Result<Asset> asset = read_posed(options.asset);
  if (!asset) return print_error(asset.error());
  Front front = options.front.empty() ? guess_front(*asset) : Front{options.front, ""};
  const double size = diagonal_of(*asset);
  ShotPlan plan = plan_shot(*asset, options.kind, options.speed.value_or(usual_speed(options.kind, size)));
  std::error_code failed;
  const fs::path path = fs::relative(fs::absolute(options.asset), fs::absolute(options.file).parent_path(), failed);
  plan.path = (failed ? fs::absolute(options.asset) : path).generic_string();
  plan.name = plain_name(fs::path(options.asset).stem().string());
  plan.front = front.side, plan.pin = options.pin;
  Result<Trial> trial = try_until_seen(plan, *asset, options.file);
  if (trial && options.front.empty() && trial->depth < kDeepEnough * size) try_favoured_front(plan, *asset, options.file, front, trial);
  if (!trial) return print_error(trial.error());
  const double fps = trial->frames.size() > 1 ? 1 / (trial->frames[1].time - trial->frames[0].time) : 60;
  plan.seconds = static_cast<double>(trial->frames.size() - 1) / fps;
  const std::vector<Frame> tiles = tile_frames(*trial);
  plan.camera = find_view(near_impact(*trial, tiles, size), tiles, trial->body);
  if (Result<void> written = io::write_file(options.file, shot_text(plan, *asset)); !written) return print_error(written.error());
  report(options, plan, front, *trial);
  return kDone;
}

}  // namespace

void add_shot(CLI::App& app, Action& action) {
  auto options = std::make_shared<ShotOptions>();
  Command command(app, "shot", "Write a first scene for an asset: something hits it, and the camera shows the damage");
  command.add_option("asset", options->asset, "Asset made by 'crumple rig' or 'crumple fit' (.glb)").required();
  command.add_option("-o,--output", options->file, "Scene file to write (.json)").required();
  command
      .add_option("--kind", options->kind,
                  "drop: falls on the ground; wall: runs into a wall; block: a block falls on it; ball: a ball is shot at it")
      .one_of({"drop", "wall", "block", "ball"});
  command.add_option("--front", options->front, "Side of the model that is hit: +x, -x, +z or -z (default: guessed from its shape)")
      .one_of({"+x", "-x", "+z", "-z"});
  command.add_flag("--force", options->force, "Overwrite an existing scene");
  command.add_flag("--pin", options->pin, "Hold the asset to the ground where it stands");
  command
      .add_option("--speed", options->speed,
                  "Of the impact, m/s (default, for a model of 2 m: 7, or 12 for wall and ball; grows with the root of the size)")
      .range(0.001, 1000.0);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
