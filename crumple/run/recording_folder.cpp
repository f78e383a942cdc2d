#include "crumple/run/recording_folder.h"

#include <set>

#include <fmt/format.h>

#include "crumple/io/files.h"
#include "crumple/io/gltf.h"
#include "crumple/io/gltf_asset.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

/// A file name for an asset: its own name where that is harmless, made unique by its number.
std::string safe_name(const std::string& name, size_t number) {
  std::string safe;
  for (const char c : name) safe.push_back(std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '_');
  return fmt::format("{}_{}", number, safe.substr(0, 40));
}

/// The files of surfaces and particles that a scene names.
std::vector<std::string*> file_names(Scene& scene) {
  std::vector<std::string*> names;
  for (BodyDescription& body : scene.bodies) {
    if (!body.mesh.empty()) names.push_back(&body.mesh);
    if (body.animation) names.push_back(&body.animation->clip.file);
    for (ParticleFile& particles : body.particles) names.push_back(&particles.file);
    for_each_method(body.methods, [&](auto& settings) {
      if (!settings) return;
      for (const FileName& file : files(*settings)) names.push_back(file.name);
    });
  }
  if (!scene.camera.clip.file.empty()) names.push_back(&scene.camera.clip.file);
  return names;
}

/// The bytes of a file that needs no other: a .gltf may name some beside it.
Result<std::string> whole_file(const fs::path& file) {
  if (file.extension() != ".gltf") return io::read_file(file);
  const Result<io::GltfDocument> document = io::read_gltf(file);
  return document ? io::write_glb(*document) : Result<std::string>(document.error());
}

/// Models of matter that take longer to make than to read.
Result<void> write_model(const Body& body, size_t index, const RecordingFolder& folder) {
  Result<void> written;
  if (!body.matter) return written;
  std::visit(
      [&](const auto& matter) {
        save(matter.model, [&](std::span<const StateArray> arrays) {
          const fs::path file = folder.model(index, info_of(matter).name);
          std::vector<io::ArrayView> views;
          for (const StateArray& array : arrays) views.push_back({std::string(array.name), array.row_bytes, array.data});
          const Result<std::string> bytes = io::encode_arrays(views);
          written = bytes ? io::write_if_changed(file, *bytes) : Result<void>(Error{bytes.error().kind, fmt::format("{}: {}", file.string(), bytes.error().text)});
        });
      },
      *body.matter);
  return written;
}

}  // namespace

bool is_recording(const fs::path& folder) {
  std::error_code ignored;
  const RecordingFolder names{folder};
  return fs::exists(names.stream(), ignored) || fs::exists(names.run(), ignored);
}

Result<void> pack_scene(const World& world, const RecordingFolder& folder) {
  Scene scene = world.scene();
  if (Result<void> made = io::make_folder(folder.assets()); !made) return made.error();
  size_t number = 0;
  std::map<std::string, std::string> packed;
  for (const auto& [name, asset] : world.assets().originals()) {
    const std::string file = fmt::format("assets/{}.glb", safe_name(name, ++number));
    const Result<std::string> bytes = io::asset_to_glb(*asset);
    if (!bytes) return Error{bytes.error().kind, fmt::format("{}: cannot be written: {}", file, bytes.error().text)};
    if (Result<void> written = io::write_if_changed(folder.folder / file, *bytes); !written) return written.error();
    packed[name] = file;
  }
  scene.assets = packed;
  std::map<std::string, std::string> files;
  for (std::string* name : file_names(scene)) {
    std::string& file = files[*name];
    if (file.empty()) {
      const fs::path source = resolve_path(world.scene(), *name);
      file = fmt::format("assets/{}{}", safe_name(source.stem().string(), ++number), source.extension() == ".gltf" ? ".glb" : source.extension().string());
      Result<std::string> bytes = whole_file(source);
      if (!bytes) return bytes.error();
      if (Result<void> written = io::write_if_changed(folder.folder / file, *bytes); !written) return written.error();
    }
    *name = file;
  }
  for (size_t i = 0; i < world.bodies().size(); ++i) {
    if (Result<void> written = write_model(world.bodies()[i], i, folder); !written) return written.error();
  }
  return io::write_if_changed(folder.scene(), write_json(scene_json(scene)) + "\n");
}

}  // namespace crumple
