#include "crumple/world/cluster_models.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "crumple/core/bytes.h"
#include "crumple/io/recording.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

/// Overwrites the arrays of a model from a store; false if something is missing, of another size or not finite.
bool restore(const io::ArrayStore& store, clusters::StoredModel& model) {
  const std::vector<StateArray> ours = clusters::arrays(model);
  const auto rows = [&](std::string_view name) {
    const auto own = std::find_if(ours.begin(), ours.end(), [&](const StateArray& array) { return array.name == name; });
    return io::row_count(store, std::string(name), own->row_bytes);
  };
  clusters::resize(model, {rows("rest"), rows("ball"), rows("particle"), rows("planes")});
  for (const StateArray& array : clusters::arrays(model)) {
    const auto found = store.find(std::string(array.name));
    if (found == store.end() || found->second.data.size() != array.data.size() || !array.all_finite(found->second.data)) return false;
    copy_bytes(array.data, found->second.data);
  }
  return true;
}

}  // namespace

void ClusterModels::read(const std::string& body, const fs::path& file) {
  Result<io::RecordingReader> reader = io::RecordingReader::open(file);
  if (!reader || reader->checkpoints().empty()) return;
  Result<io::RecordingReader::Checkpoint> found = reader->checkpoint(reader->checkpoints().front());
  clusters::StoredModel model;
  if (found && restore(found->arrays, model)) stored_[body] = std::move(model);
}

Result<clusters::Model> ClusterModels::model(const std::string& body, const clusters::Particles& particles,
                                             const clusters::Settings& settings) const {
  if (const auto found = stored_.find(body); found != stored_.end()) {
    if (Result<clusters::Model> model = clusters::rebuilt(found->second, particles, settings)) return model;
  }
  return clusters::build(particles, settings);
}

Result<void> write_cluster_model(const clusters::Model& model, const fs::path& file) {
  clusters::StoredModel stored = clusters::stored(model);
  std::vector<io::ArrayView> views;
  for (const StateArray& array : clusters::arrays(stored)) views.push_back({std::string(array.name), array.row_bytes, array.data});
  const Result<std::string> bytes = io::encode_arrays(views);
  if (!bytes) return Error{bytes.error().kind, fmt::format("{}: {}", file.string(), bytes.error().text)};
  return io::write_if_changed(file, *bytes);
}

}  // namespace crumple
