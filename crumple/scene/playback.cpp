#include "crumple/scene/playback.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "crumple/scene/recording_folder.h"

namespace crumple {
namespace fs = std::filesystem;

Result<Playback> Playback::open(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return input_error(fmt::format("{}: no such recording (a folder made by 'crumple run')", folder.string()));
  if (!is_recording(folder)) return input_error(fmt::format("{}: is not a recording (a folder made by 'crumple run')", folder.string()));
  const RecordingFolder names{folder};
  Result<Scene> scene = load_scene(names.scene());
  if (!scene) return scene.error();
  Result<io::RecordingReader> reader = io::RecordingReader::open(names.stream());
  if (!reader) return reader.error();
  // The collision hulls are not looked at here: the fewest will do.
  for (BodyDescription& body : scene->bodies) body.hulls = {1e6, 1, 1, 0.005};
  Playback playback(std::make_unique<Scene>(std::move(*scene)), std::move(*reader));
  for (size_t i = 0; i < playback.scene_->bodies.size(); ++i) {
    const BodyDescription& description = playback.scene_->bodies[i];
    if (description.clusters) playback.library_.cluster_models.read(description.name, names.clusters(i));
    Result<Body> body = build_body(*playback.scene_, description, playback.library_);
    if (!body) return body.error();
    playback.bodies_.push_back(std::move(*body));
  }
  return playback;
}

Result<Frame> Playback::frame(int number, ColorBy color, SoftView soft) {
  Result<const io::ArrayStore*> store = reader_.state_at(number);
  if (!store) return store.error();
  Frame frame;
  frame.number = number;
  frame.time = reader_.time(number);
  for (size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    const auto found = (*store)->find(body.description->name + "/place");
    std::vector<std::array<double, 13>> records(static_cast<size_t>(body.piece_count()));
    if (found == (*store)->end() || found->second.data.size() != records.size() * sizeof records[0]) {
      return input_error(fmt::format("frame {}: the recording does not fit its scene: \"{}\" has no place", number, body.description->name));
    }
    std::memcpy(records.data(), found->second.data.data(), found->second.data.size());
    const double presence = records.front()[12];
    if (presence == 0 || !body.look.visible) continue;
    if (Result<void> restored = restore_layers(body, **store, Need::Drawing); !restored) return restored.error();
    std::vector<Transform> places;
    for (const auto& record : records) {
      Transform& place = places.emplace_back();
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) place.rotation(row, column) = record[static_cast<size_t>(row * 3 + column)];
        place.translation[row] = record[static_cast<size_t>(9 + row)];
      }
      if (!place.rotation.allFinite() || !place.translation.allFinite()) {
        return input_error(fmt::format("frame {}: \"{}\" has no finite place", number, body.description->name));
      }
    }
    const bool in_pieces = presence == 2 && !body.skins.empty();
    for (FrameItem& item : draw_body(body, static_cast<int>(i), places, in_pieces, color, soft)) frame.items.push_back(std::move(item));
  }
  return frame;
}

}  // namespace crumple
