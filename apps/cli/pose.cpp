#include <algorithm>
#include <filesystem>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/look.h"
#include "apps/cli/pose_request.h"
#include "crumple/core/fields.h"
#include "crumple/core/suggest.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/skin.h"
#include "crumple/rig/surface_detail.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

struct PoseOptions {
  std::string asset, name, file, output, look;
  std::vector<std::string> move, turn, free, stretch, remove;
  bool list = false, no_look = false;
};

void line(std::string_view what, const std::string& value) {
  print("  {:<12} {}\n", what, value);
}

std::vector<std::string> pose_names(const Asset& asset) {
  std::vector<std::string> names;
  for (size_t e = 1; e < asset.examples.size(); ++e) names.push_back(asset.examples[e].name);
  return names;
}

int list_poses(const PoseOptions& options, const Asset& asset) {
  print("{}: {} handles, {} poses\n", options.asset, asset.handles.size(), asset.examples.size() - 1);
  for (size_t b = 0; b < asset.handles.size(); ++b) line("handle", handle_text(asset, b));
  for (const std::string& name : pose_names(asset)) line("pose", name);
  return kDone;
}

/// What is to be posed, from the file or the command line.
Result<std::vector<PoseRequest>> requests_of(const PoseOptions& options) {
  if (!options.file.empty()) {
    Result<std::vector<PoseRequest>> poses = read_pose_file(options.file);
    if (poses && !options.name.empty()) {
      if (poses->size() > 1)
        return input_error(fmt::format("--name {}: {} holds {} poses, which have their own names", options.name, options.file, poses->size()));
      (*poses)[0].name = options.name;
    }
    return poses;
  }
  PoseRequest pose;
  pose.name = options.name, pose.where = fmt::format("--name {}", options.name);
  for (const std::string& text : options.move) {
    Result<HandleWish> wish = parse_wish("--move", text);
    if (!wish) return wish.error();
    pose.move.push_back(std::move(*wish));
  }
  for (const std::string& text : options.turn) {
    Result<HandleWish> wish = parse_wish("--turn", text);
    if (!wish) return wish.error();
    pose.turn.push_back(std::move(*wish));
  }
  for (const std::string& text : options.stretch) {
    Result<HandleWish> wish = parse_wish("--stretch", text);
    if (!wish) return wish.error();
    pose.stretch.push_back(std::move(*wish));
  }
  for (const std::string& text : options.free) pose.free.push_back({text, Vec3::Zero(), "--free " + text, {}});
  return std::vector<PoseRequest>{pose};
}

Result<void> check_options(const PoseOptions& options) {
  const bool poses = !options.move.empty() || !options.turn.empty() || !options.free.empty() || !options.stretch.empty() || !options.name.empty();
  if (options.list && (poses || !options.file.empty() || !options.remove.empty() || !options.output.empty() || !options.look.empty())) {
    return input_error("--list changes nothing and goes with no other option");
  }
  if (options.list) return {};
  if (!options.file.empty() && (!options.move.empty() || !options.turn.empty() || !options.free.empty())) {
    return input_error("--pose and --move, --turn, --free exclude each other: the file says what moves");
  }
  if (!poses && options.file.empty() && options.remove.empty())
    return input_error("what is to be posed? Give --name and --move, or --pose FILE.json (see 'crumple pose --help')");
  if (poses && options.file.empty() && options.name.empty()) return input_error("the pose needs a name; give it with --name");
  const std::string& output = options.output.empty() ? options.asset : options.output;
  if (fs::path(output).extension() != ".glb") return input_error(fmt::format("{}: assets are written as .glb; name one with -o", output));
  if (!options.look.empty() && options.no_look) return input_error("--look and --no-look exclude each other");
  if (!options.look.empty() && fs::path(options.look).extension() != ".png") return input_error(fmt::format("{}: a look is a .png", options.look));
  for (const std::string& file : {output, options.look}) {
    if (Result<void> possible = check_output(file); !possible) return possible;
  }
  return {};
}

/// Without -o the file itself is replaced; what another program keeps in it (textures, cameras) would be lost.
Result<void> check_own(const PoseOptions& options) {
  if (!options.output.empty() && options.output != options.asset) return {};
  const Result<io::GltfDocument> document = io::read_gltf(options.asset);
  if (!document) return document.error();
  const Json* about = document->json.find("asset");
  const Json* generator = about && about->is_object() ? about->find("generator") : nullptr;
  std::string by = generator && generator->is_text() ? generator->text : "another program";
  std::string lower = by;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("crumple") != std::string::npos) return {};
  return input_error(
      fmt::format("{}: was written by {}, and what Crumple does not know of it would be lost; write to another file with -o", options.asset, by));
}

Result<void> remove_poses(const PoseOptions& options, Asset& asset) {
  for (const std::string& name : options.remove) {
    const auto found = std::find_if(asset.examples.begin() + 1, asset.examples.end(), [&](const Example& example) { return example.name == name; });
    if (name == asset.examples[0].name) return input_error(fmt::format("--remove {}: the rest pose stays", name));
    if (found == asset.examples.end()) {
      return input_error(fmt::format("--remove {}: {} has no such pose{}", name, options.asset, suggestion(name, pose_names(asset))));
    }
    asset.examples.erase(found);
  }
  return {};
}

/// The handles that stay but hold most of what is inside out: setting them free helps most.
std::vector<int> handles_in_the_way(const Asset& asset, const std::vector<PoseGoal>& goals, const std::vector<HandleTransform>& pose) {
  const std::vector<Vec3> positions = posed_positions(asset, pose);
  std::vector<double> held(asset.handles.size(), 0);
  const Elements elements = asset.elements();
  for (size_t e = 0; e < elements.size(); ++e) {
    if (measure_of(elements, positions, e) >= 0) continue;
    for (const int v : elements[e]) {
      for (size_t b = 0; b < held.size(); ++b) held[b] += static_cast<double>(asset.weight(static_cast<size_t>(v), b));
    }
  }
  for (const PoseGoal& goal : goals) held[static_cast<size_t>(goal.handle)] = 0;
  std::vector<int> order;
  for (size_t b = 0; b < held.size(); ++b) {
    if (held[b] > 0) order.push_back(static_cast<int>(b));
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return held[static_cast<size_t>(a)] > held[static_cast<size_t>(b)]; });
  order.resize(std::min<size_t>(order.size(), 2));
  return order;
}

void warn_of_inversion(const Asset& asset, const Poser& poser, std::vector<PoseGoal> goals, const std::vector<HandleTransform>& pose,
                       const PoseEffect& effect) {
  line("warning", fmt::format("{} of {} {} are inside out at the pose, {} half way: the surface folds there.", effect.inside_out,
                              asset.elements().size(), asset.elements().names(), effect.inside_out_halfway));
  line("", "Move the handles less, move their neighbours along, or make two poses of it.");
  std::string options;
  for (const int b : handles_in_the_way(asset, goals, pose)) goals.push_back({b, Vec3::Zero(), {}, true}), options += fmt::format(" --free {}", b);
  if (options.empty()) return;
  const PoseEffect then = measure_pose(asset, poser.solve(goals));
  if (then.inside_out < effect.inside_out)
    line("", fmt::format("With{} it would be {} at the pose, {} half way.", options, then.inside_out, then.inside_out_halfway));
}

/// A pose that may be made, and the example it becomes.
struct Planned {
  std::string name;
  std::vector<PoseGoal> goals;
  std::vector<std::pair<int, Mat3>> stretches;  // of handles of a drawing
  int example = 0;
  bool replaces = false;
};

/// Everything that can be wrong with requests is found before the first is solved. Adds the examples that are new, as rest poses.
Result<std::vector<Planned>> plan(const std::vector<PoseRequest>& requests, Asset& asset) {
  std::vector<Planned> planned;
  for (const PoseRequest& request : requests) {
    if (const Result<void> fine = check_pose_name(asset, request); !fine) return fine.error();
    if (std::any_of(planned.begin(), planned.end(), [&](const Planned& other) { return other.name == request.name; })) {
      return input_error(fmt::format("{}: two poses are called \"{}\"", request.where, request.name));
    }
    Result<std::vector<PoseGoal>> goals = goals_of(asset, request);
    if (!goals) return goals.error();
    Result<std::vector<std::pair<int, Mat3>>> stretches = stretches_of(asset, request);
    if (!stretches) return stretches.error();
    const auto same =
        std::find_if(asset.examples.begin() + 1, asset.examples.end(), [&](const Example& example) { return example.name == request.name; });
    const bool replaces = same != asset.examples.end();
    planned.push_back({request.name, std::move(*goals), std::move(*stretches), static_cast<int>(same - asset.examples.begin()), replaces});
    if (replaces) continue;
    if (static_cast<int>(asset.examples.size()) >= Skin::kMaxExamples) {
      return input_error(fmt::format("{}: the asset has {} examples with the rest pose, and more cannot be blended; --remove one", request.where,
                                     asset.examples.size()));
    }
    asset.examples.push_back({request.name, asset.examples[0].handles});
  }
  return planned;
}

/// A surface that stays flat where the rig bends shows less than the pose.
void warn_of_coarse_surface(const Asset& asset, const std::vector<HandleTransform>& pose, double farthest) {
  constexpr double kSeen = 0.1, kSize = 0.01;  // of the motion, of the diagonal
  if (asset.flat || asset.surface.triangles.empty()) return;
  const Stray stray = stray_of_edges(asset, pose);
  if (stray.farthest < kSeen * farthest || stray.farthest < kSize * diagonal_of(asset)) return;
  line("warning",
       fmt::format("the surface is too coarse to follow: near {:.3g} {:.3g} {:.3g} it is {:.3g} m off; 'crumple rig --refine' splits its triangles",
                   stray.at.x(), stray.at.y(), stray.at.z(), stray.farthest));
}

/// Solves for one pose and tells about it.
void make_pose(const Planned& planned, const Poser& poser, Asset& asset) {
  PoseReport report;
  const std::vector<HandleTransform> solved = poser.solve(planned.goals, {}, {}, &report);
  std::vector<HandleTransform> pose = solved;
  for (const auto& [handle, stretch] : planned.stretches) {
    // The handle itself goes where it was told; only what is around it stretches.
    HandleTransform& to = pose[static_cast<size_t>(handle)];
    const Vec3& pivot = asset.handles[static_cast<size_t>(handle)].position;
    to.translation += to.rotation * pivot - to.rotation * (stretch * pivot), to.stretch = stretch;
  }
  asset.examples[static_cast<size_t>(planned.example)].handles = pose;
  const PoseEffect effect = measure_pose(asset, pose);
  const double diagonal = diagonal_of(asset);
  print("{}: pose \"{}\"{}\n", asset.name, planned.name, planned.replaces ? ", in place of the one of that name" : "");
  line("solved", fmt::format("{} rounds, energy {:.4g}{}", report.rounds, report.energy, report.converged ? "" : ", not settled yet"));
  line("moves", fmt::format("{:.4g} m at most, {:.3g} % of the size", effect.farthest, 100 * effect.farthest / diagonal));
  line(asset.flat ? "area" : "volume", fmt::format("{:+.2f} %", 100 * effect.volume_change));
  line("turns", fmt::format("handle {} most, by {:.1f} degrees", effect.turns_most, effect.largest_turn * 180 / std::numbers::pi));
  if (effect.inside_out + effect.inside_out_halfway > 0) {
    warn_of_inversion(asset, poser, planned.goals, pose, effect);
  } else {
    line("inside out", fmt::format("no {}, neither at the pose nor half way", asset.elements().name()));
  }
  warn_of_coarse_surface(asset, pose, effect.farthest);
}

Result<void> draw_look(const PoseOptions& options, const Asset& asset, std::vector<int> shown, const std::string& output) {
  if (options.no_look || shown.empty()) return {};
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  shown.insert(shown.begin(), 0);
  fs::path file = options.look;
  if (file.empty()) file = fs::path(output).replace_extension(".look.png");
  if (Result<void> drawn = draw_asset(asset, shown, file.string()); !drawn) return drawn;
  print("{}\n", file.string());
  return {};
}

int run(const PoseOptions& options) {
  if (Result<void> fine = check_options(options); !fine) return print_error(fine.error());
  Result<Asset> asset = io::read_asset(options.asset);
  if (!asset) return print_error(asset.error());
  if (options.list) return list_poses(options, *asset);
  if (asset->handles.size() > Poser::kMaxHandles) {
    return print_error(
        input_error(fmt::format("{}: has {} handles; poses are found for at most {}", options.asset, asset->handles.size(), Poser::kMaxHandles)));
  }
  if (Result<void> own = check_own(options); !own) return print_error(own.error());
  if (Result<void> removed = remove_poses(options, *asset); !removed) return print_error(removed.error());
  std::vector<PoseRequest> requests;
  if (!options.file.empty() || !options.name.empty()) {
    Result<std::vector<PoseRequest>> read = requests_of(options);
    if (!read) return print_error(read.error());
    requests = std::move(*read);
  }
  const Result<std::vector<Planned>> planned = plan(requests, *asset);
  if (!planned) return print_error(planned.error());
  const Poser poser(*asset);
  std::vector<int> shown;
  for (const Planned& each : *planned) {
    make_pose(each, poser, *asset);
    shown.push_back(each.example);
  }
  const std::string output = options.output.empty() ? options.asset : options.output;
  if (Result<void> written = io::write_asset(*asset, output); !written) return print_error(written.error());
  print("{}: {} poses{}\n", output, asset->examples.size() - 1,
             options.remove.empty() ? "" : fmt::format(", {} removed", options.remove.size()));
  if (Result<void> drawn = draw_look(options, *asset, std::move(shown), output); !drawn)
    return interrupted() ? kInterrupted : print_error(drawn.error());
  return kDone;
}

}  // namespace

void add_pose(CLI::App& app, Action& action) {
  auto options = std::make_shared<PoseOptions>();
  Command command(app, "pose", "Give an asset an example: move handles, the rest follows as rigidly as possible");
  command.add_option("asset", options->asset, "ASSET.glb").required();
  command.add_option("--name", options->name, "Name of the pose; one of the same name is replaced");
  command.add_option("--move", options->move,
                      "H=dx,dy,dz: moves a handle (name or number) by metres (of a drawing: dx,dy); handles not named stay where they are and only turn").single();
  command.add_option("--turn", options->turn, "H=rx,ry,rz: turns a handle by degrees about x, then y, then z, instead of finding its turn").single();
  command.add_option("--stretch", options->stretch, "H=sx,sy: stretches what is around a handle of a drawing along x and y").single();
  command.add_option("--free", options->free, "H: lets a handle follow the others").single();
  command.add_option(
      "--pose", options->file,
      "FILE.json: {\"name\": \"crushed\", \"move\": {\"H\": [dx, dy, dz]}, \"turn\": {}, \"free\": []}, or a list of such as \"poses\"; of a drawing also "
      "\"stretch\": {\"H\": [sx, sy]} and \"exchange\": \"POSE\", which takes another pose with left and right (or front and back) handles exchanged");
  command.add_option("--remove", options->remove, "NAME: takes a pose away first").single();
  command.add_flag("--list", options->list, "Only list handles and poses");
  command.add_option("-o,--output", options->output, "OUT.glb (default: the asset itself is replaced)");
  command.add_option("--picture,--look", options->look, "FILE.png: where rest and pose are drawn side by side (default: beside the output as OUT.look.png)");
  command.add_flag("--no-look", options->no_look, "Draw nothing");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
