#include <fmt/format.h>

#include "apps/cli/command.h"
#include "crumple/scene/scene.h"

namespace crumple::cli {

void add_schema(CLI::App& app, Action& action) {
  Command command(app, "schema", "Print the JSON Schema of scene files");
  command.callback([&action] {
    action = [] {
      print("{}\n", write_json(scene_schema()));
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace crumple::cli
