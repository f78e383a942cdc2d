#include "crumple/run/playback.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "crumple/core/bytes.h"
#include "crumple/io/files.h"
#include "crumple/run/recording_folder.h"
#include "crumple/world/arrays.h"
#include "crumple/world/place_record.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

/// What run.json says; -1 and nothing if it is not there.
struct Ending {
  std::string outcome;
  int last_frame = -1;
};

Ending read_ending(const fs::path& file) {
  const Result<std::string> text = io::read_file(file);
  const Result<Json> json = text ? parse_json(*text, file.string(), JsonDialect::Strict) : Result<Json>(Json());
  const Json* outcome = json ? json->find("outcome") : nullptr;
  if (!outcome) return {};
  return {outcome->text, json->whole("last_frame", -1)};
}

/// Unreadable models are ignored and rebuilt.
void read_model(const fs::path& file, io::ArrayStore& into) {
  Result<io::RecordingReader> reader = io::RecordingReader::open(file);
  if (!reader || reader->checkpoints().empty()) return;
  if (Result<io::RecordingReader::Checkpoint> found = reader->checkpoint(reader->checkpoints().front())) into = std::move(found->arrays);
}

std::string missing_frames(const RecordingFolder& names, const Scene& scene, const io::RecordingReader& reader) {
  const Ending ending = read_ending(names.run());
  const int first = reader.header().whole("first_frame", 0);
  const int reached = reader.frames().empty() ? first - 1 : reader.frames().back();
  const std::string where = names.folder.string();
  if (ending.last_frame > reached) {
    return fmt::format("{}: is damaged: {} of its {} frames, from frame {} on, cannot be read; run the scene again with --resume to restore them", where,
                       ending.last_frame - reached, ending.last_frame - first + 1, reached + 1);
  }
  const bool has_ended = ending.outcome == "done" || ending.outcome == "frozen";
  if (has_ended || reached >= scene.frame_count()) return "";
  return fmt::format("{}: ends at frame {} of {}: its run was interrupted or goes on; --resume continues it", where, std::max(reached, 0), scene.frame_count());
}

}  // namespace

Result<Playback> Playback::open(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return input_error(fmt::format("{}: no such recording (a folder made by 'crumple run')", folder.string()));
  if (!is_recording(folder)) return input_error(fmt::format("{}: is not a recording (a folder made by 'crumple run')", folder.string()));
  const RecordingFolder names{folder};
  Result<Scene> scene = load_scene(names.scene());
  if (!scene) return scene.error();
  Result<io::RecordingReader> reader = io::RecordingReader::open(names.stream());
  if (!reader) return reader.error();
  Playback playback(std::make_unique<Scene>(std::move(*scene)), std::move(*reader));
  playback.warning_ = missing_frames(names, *playback.scene_, playback.reader_);
  for (size_t i = 0; i < playback.scene_->bodies.size(); ++i) {
    const BodyDescription& description = playback.scene_->bodies[i];
    if (const MethodInfo* matter = method_of(description, MethodKind::Matter)) read_model(names.model(i, matter->name), playback.assets_.saved_models[description.name]);
    Result<Body> body = build_body(*playback.scene_, description, playback.assets_, Detail::Drawing);
    if (!body) return body.error();
    playback.bodies_.push_back(std::move(*body));
  }
  return playback;
}

Result<Frame> Playback::frame(int number, const View& view) {
  Result<const io::ArrayStore*> store = reader_.state_at(number);
  if (!store) return store.error();
  Frame frame;
  frame.number = number;
  frame.time = reader_.time(number), frame.flat = scene_->flat;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    const auto found = (*store)->find(body.description->name + "/place");
    std::vector<PlaceRecord> records(static_cast<size_t>(body.piece_count()));
    if (found == (*store)->end() || found->second.data.size() != records.size() * sizeof records[0]) {
      return input_error(fmt::format("frame {}: the recording does not fit its scene: \"{}\" has no place", number, body.description->name));
    }
    copy_rows(records, found->second.data);
    const double presence = records.front()[12];
    if (presence == 0 || !body.look.visible) continue;
    if (Result<void> restored = replay(body, **store); !restored) return restored.error();
    std::vector<Transform> places;
    for (const auto& record : records) {
      const Transform place = places.emplace_back(place_in(record));
      if (!place.rotation.allFinite() || !place.translation.allFinite()) {
        return input_error(fmt::format("frame {}: \"{}\" has no finite place", number, body.description->name));
      }
    }
    const bool in_pieces = presence == 2 && !body.skins.empty();
    for (FrameItem& item : draw_body(body, static_cast<int>(i), places, in_pieces, view, cache_)) frame.items.push_back(std::move(item));
    if (const std::string note = note_of(body, static_cast<int>(i), cache_); !note.empty()) notes_.insert(fmt::format("{}: {}", body.description->name, note));
  }
  return frame;
}

}  // namespace crumple
