#include <fmt/format.h>

#include "apps/cli/command.h"
#include "crumple/scene/world.h"

namespace crumple::cli {
namespace {

struct Options {
  std::string scene;
  std::vector<std::string> changes;
};

int run(const Options& options) {
  Result<Scene> scene = load_scene(options.scene, options.changes);
  if (!scene) return complain(scene.error());
  Result<World> world = World::build(*scene);  // also reads and checks everything that the scene names
  if (!world) return complain(world.error());
  for (const std::string& note : scene->notes) fmt::print(stderr, "note: {}\n", note);
  fmt::print("{}\n", write_json(scene_json(*scene)));
  return kDone;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Validate a scene and print it with every value resolved");
  command->add_option("scene", options->scene, "Scene file (.json)")->required();
  command->add_option("--set", options->changes, "Change a value first")->allow_extra_args(false);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
