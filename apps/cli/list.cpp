#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "crumple/io/mesh_file.h"
#include "crumple/methods/methods.h"
#include "crumple/scene/presets.h"
#include "crumple/scene/scene.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

/// Scenes lie in ./scenes, or beside the folder of the program.
fs::path scenes_folder() {
  std::error_code ignored;
  if (fs::is_directory("scenes", ignored)) return "scenes";
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (fs::path at = program.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (fs::is_directory(at / "scenes", ignored)) return at / "scenes";
  }
  return {};
}

void list_scenes() {
  const fs::path folder = scenes_folder();
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string name = file.stem().string();
    Result<Scene> scene = load_scene(file);
    print("{:<24} {}\n", name, scene ? fmt::format("{} ({} bodies, {:g} s)", scene->title, scene->bodies.size(), scene->seconds) : scene.error().text);
    const fs::path picture = folder.parent_path() / "docs" / "images" / (name + ".png");
    if (fs::exists(picture, ignored)) print("{:<24} {}\n", "", picture.string());
  }
}

void list_methods() {
  const MethodSettings all;
  for_each_method(all, [](const auto& settings) {
    const MethodInfo& method = info_of(settings);
    print("{:<12} {}; {}\n", method.name, method.help, method.paper);
  });
}

void list_presets() {
  for (const Preset& preset : presets()) {
    print("{:<20} {}\n", preset.name, preset.help);
    for (const auto& [key, value] : preset.values.members) print("{:<20} \"{}\": {}\n", "", key, write_json(value, 0));
  }
}

void list_formats() {
  print("{:<8} {}\n", ".json", "scenes, of our own and of the authors of papers 1 and 2 (read)");
  print("{:<8} {}\n", ".glb", "assets (read, written), animations (written)");
  print("{:<8} {}\n", "folder", "assets of paper 1's authors (read); recordings (read, written)");
  for (const io::MeshFormat& format : io::mesh_formats()) print("{:<8} {} ({})\n", format.extension, format.help, format.writes ? "read, written" : "read");
  print("{:<8} {}\n", ".txt", "particles of soft bodies, three numbers each (read)");
  for (const auto& [extension, help] : {std::pair{".usda", "animations (written)"}, {".mdd", "point caches, as .pc2 (written)"}, {".svg", "drawings (read), plots (written)"}, {".png", "drawings (read), pictures and sprite sheets (written)"}, {".mp4", "films, as .gif and .webp (written)"}}) {
    print("{:<8} {}\n", extension, help);
  }
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto what = std::make_shared<std::string>();
  Command command(app, "list", "List scenes, methods, presets or formats");
  command.add_option("what", *what, "scenes, methods, presets or formats (default: all)").one_of({"scenes", "methods", "presets", "formats"});
  command.callback([what, &action] {
    action = [what] {
      const auto heading = [&](const char* name) {
        if (what->empty()) print("{}:\n", name);
        return what->empty() || *what == name;
      };
      if (heading("scenes")) list_scenes();
      if (heading("methods")) list_methods();
      if (heading("presets")) list_presets();
      if (heading("formats")) list_formats();
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace crumple::cli
