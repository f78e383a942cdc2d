#include "crumple/scene/cluster_models.h"

#include <cstring>

#include "crumple/io/recording.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

/// Overwrites the arrays of a model from a store; false if something is missing, of another size or not finite.
bool restore(const io::ArrayStore& store, clusters::StoredModel& model) {
  const auto rows = [&](const char* name) -> size_t {
    const auto found = store.find(name);
    return found == store.end() || found->second.row_bytes == 0 ? 0 : found->second.data.size() / found->second.row_bytes;
  };
  clusters::resize(model, {rows("rest"), rows("ball"), rows("particle"), rows("planes")});
  for (const StateArray& array : clusters::arrays(model)) {
    const auto found = store.find(std::string(array.name));
    if (found == store.end() || found->second.data.size() != array.data.size() || !array.all_finite(found->second.data)) return false;
    if (!array.data.empty()) std::memcpy(array.data.data(), found->second.data.data(), array.data.size());
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
  Result<io::RecordingWriter> writer = io::RecordingWriter::create(file, Json::object());
  if (!writer) return writer.error();
  clusters::StoredModel stored = clusters::stored(model);
  std::vector<io::ArrayView> views;
  for (const StateArray& array : clusters::arrays(stored)) views.push_back({std::string(array.name), array.row_bytes, array.data});
  if (Result<void> written = writer->append_checkpoint(0, Json::object(), views); !written) return written.error();
  return writer->finish();
}

}  // namespace crumple
