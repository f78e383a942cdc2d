#include "crumple/io/recording.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "crumple/io/recording_arrays.h"
#include "crumple/io/recording_chunks.h"

namespace crumple::io {
namespace fs = std::filesystem;
namespace {

/// How far reading may have to go back at most.
constexpr int kFramesBetweenWholeOnes = 64;

bool is_checkpoint(const Chunk& chunk) {
  return chunk.head.kind == ChunkKind::Checkpoint;
}

Result<ArrayStore> apply_to(ArrayStore store, const FileHandle& file, const fs::path& name, const Chunk& chunk) {
  auto changes = unpack_chunk(file, name, chunk);
  if (!changes) return changes.error();
  if (!apply_changes(*changes, store)) return input_error(fmt::format("{}: frame {} makes no sense", name.string(), chunk.head.frame));
  return store;
}

Result<Bytes> checkpoint_payload(const Json& note, std::span<const ArrayView> arrays) {
  const auto sorted = sorted_arrays(arrays);
  if (!sorted) return sorted.error();
  Bytes payload;
  write_text(write_json(note, 0), payload);
  write_changes({}, *sorted, payload);
  return payload;
}

}  // namespace

size_t row_count(const ArrayStore& store, const std::string& name, size_t row_bytes) {
  const auto found = store.find(name);
  return found == store.end() || row_bytes == 0 || found->second.row_bytes != row_bytes ? 0 : found->second.data.size() / row_bytes;
}

Result<LockedStream> lock_stream(const fs::path& file) {
  // Two runs that write one recording would destroy each other's.
  auto handle = open_locked(file, "another run is writing this recording; wait for it or choose another name");
  if (!handle) return handle.error();
  return LockedStream{file, std::move(*handle)};
}

uint64_t LockedStream::size() const {
  struct stat status {};
  return fstat(file.descriptor(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

// ---- writing

struct RecordingWriter::Stream {
  fs::path name;
  FileHandle file;
  uint64_t end = 0;   // where the next chunk goes
  uint64_t seed = 0;  // for its checksum
  std::optional<ChunkHead> last;
  int frames_since_whole = 0;
  bool next_is_whole = true;
  ArrayStore state;  // as of the last frame; of no use while next_is_whole

  Result<void> check_order(int frame, ChunkKind kind) const;
  Result<void> append(ChunkHead head, std::span<const std::byte> payload);
  void remember(const ChunkHead& head);
  Error failed(const Error& error) const { return {error.kind, fmt::format("{}: {}", name.string(), error.text)}; }
};

/// What the next frame will be depends on the stream so far and nothing else: a continued recording equals an uninterrupted one.
void RecordingWriter::Stream::remember(const ChunkHead& head) {
  last = head;
  if (head.kind == ChunkKind::Checkpoint) {
    next_is_whole = true;
  } else {
    frames_since_whole = head.kind == ChunkKind::Whole ? 1 : frames_since_whole + 1;
    next_is_whole = frames_since_whole >= kFramesBetweenWholeOnes;
  }
}

Result<void> RecordingWriter::Stream::check_order(int frame, ChunkKind kind) const {
  if (!file.is_open()) return system_error(fmt::format("{}: the recording was finished already", name.string()));
  if (!last) return {};
  const bool same_allowed = kind == ChunkKind::Checkpoint && last->kind != ChunkKind::Checkpoint;
  if (frame > last->frame || (same_allowed && frame == last->frame)) return {};
  return system_error(fmt::format("{}: frame {} cannot be recorded after frame {}", name.string(), frame, last->frame));
}

Result<void> RecordingWriter::Stream::append(ChunkHead head, std::span<const std::byte> payload) {
  const auto packed = pack_chunk(head, payload, seed);
  if (!packed) return failed(packed.error());
  if (!file.write_at(end, *packed)) {
    const Error error = file_error(name, fmt::format("frame {} could not be written", head.frame));
    // What was there stays whole. If even this fails, the torn rest is dropped when the file is opened again.
    if (::ftruncate(file.descriptor(), static_cast<off_t>(end)) != 0) return error;
    return error;
  }
  end += packed->size();
  seed = head.head_check;
  remember(head);
  return {};
}

RecordingWriter::RecordingWriter(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;
RecordingWriter::~RecordingWriter() = default;

Result<RecordingWriter> RecordingWriter::create(const fs::path& file, const Json& header) {
  Result<LockedStream> locked = lock_stream(file);
  if (!locked) return locked.error();
  return create(std::move(*locked), header);
}

Result<RecordingWriter> RecordingWriter::create(LockedStream locked, const Json& header) {
  const RecordingFront front = make_front(header);
  if (::ftruncate(locked.file.descriptor(), 0) != 0 || !locked.file.write_at(0, front.bytes)) return file_error(locked.name, "cannot be written");
  sync_folder(locked.name.parent_path());
  auto stream = std::make_unique<Stream>();
  stream->name = std::move(locked.name);
  stream->file = std::move(locked.file);
  stream->end = front.bytes.size();
  stream->seed = front.seed;
  return RecordingWriter(std::move(stream));
}

Result<RecordingWriter> RecordingWriter::continue_after(const fs::path& file, int frame) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return input_error(fmt::format("{}: no such file", file.string()));
  Result<LockedStream> locked = lock_stream(file);
  if (!locked) return locked.error();
  return continue_after(std::move(*locked), frame);
}

Result<RecordingWriter> RecordingWriter::continue_after(LockedStream locked, int frame) {
  const fs::path& file = locked.name;
  auto list = scan_chunks(locked.file, file);
  if (!list) return list.error();
  const auto later = std::find_if(list->chunks.begin(), list->chunks.end(), [&](const Chunk& chunk) { return chunk.head.frame > frame; });
  list->chunks.erase(later, list->chunks.end());
  if (list->chunks.empty() || list->chunks.back().head.frame != frame) {
    return input_error(fmt::format("{}: holds no frame {} to continue after", file.string(), frame));
  }

  auto stream = std::make_unique<Stream>();
  for (const Chunk& chunk : list->chunks) stream->remember(chunk.head);
  if (!stream->next_is_whole) {
    // Only changes are recorded next, so what they change must be known.
    auto chunk = std::find_if(list->chunks.rbegin(), list->chunks.rend(), [](const Chunk& c) { return c.head.kind == ChunkKind::Whole; }).base() - 1;
    for (; chunk != list->chunks.end(); ++chunk) {
      if (chunk->head.kind == ChunkKind::Whole) stream->state.clear();
      auto state = apply_to(std::move(stream->state), locked.file, file, *chunk);
      if (!state) return state.error();
      stream->state = std::move(*state);
    }
  }
  if (::ftruncate(locked.file.descriptor(), static_cast<off_t>(list->end())) != 0) return file_error(file, "cannot be cut");
  stream->name = file;
  stream->file = std::move(locked.file);
  stream->end = list->end();
  stream->seed = list->next_seed();
  return RecordingWriter(std::move(stream));
}

Result<void> RecordingWriter::append_frame(int frame, double time, std::span<const ArrayView> arrays) {
  if (auto order = stream_->check_order(frame, ChunkKind::Whole); !order) return order;
  if (!std::isfinite(time)) return system_error(fmt::format("{}: frame {} has no finite time", stream_->name.string(), frame));
  const auto sorted = sorted_arrays(arrays);
  if (!sorted) return stream_->failed(sorted.error());
  const bool whole = stream_->next_is_whole;
  Bytes payload;
  write_changes(whole ? ArrayStore{} : stream_->state, *sorted, payload);
  const ChunkHead head{whole ? ChunkKind::Whole : ChunkKind::Changes, frame, time};
  if (auto done = stream_->append(head, payload); !done) return done;
  copy_arrays(*sorted, stream_->state);
  return {};
}

Result<void> RecordingWriter::append_checkpoint(int frame, const Json& note, std::span<const ArrayView> arrays) {
  if (auto order = stream_->check_order(frame, ChunkKind::Checkpoint); !order) return order;
  const auto payload = checkpoint_payload(note, arrays);
  if (!payload) return stream_->failed(payload.error());
  if (auto done = stream_->append({ChunkKind::Checkpoint, frame}, *payload); !done) return done;
  if (!stream_->file.sync()) return file_error(stream_->name, "flushing to disk failed");
  return {};
}

Result<void> RecordingWriter::finish() {
  if (!stream_->file.is_open()) return {};
  const bool flushed = stream_->file.sync();
  if (!stream_->file.close() || !flushed) return file_error(stream_->name, "flushing to disk failed");
  return {};
}

Result<std::string> encode_arrays(std::span<const ArrayView> arrays) {
  const auto payload = checkpoint_payload(Json::object(), arrays);
  if (!payload) return payload.error();
  const RecordingFront front = make_front(Json::object());
  ChunkHead head{ChunkKind::Checkpoint, 0};
  const auto chunk = pack_chunk(head, *payload, front.seed);
  if (!chunk) return chunk.error();
  std::string bytes(reinterpret_cast<const char*>(front.bytes.data()), front.bytes.size());
  bytes.append(reinterpret_cast<const char*>(chunk->data()), chunk->size());
  return bytes;
}

// ---- reading

struct RecordingReader::Stream {
  fs::path name;
  FileHandle file;
  ChunkList list;
  std::vector<int> frames, checkpoints;
  std::vector<size_t> frame_chunks, checkpoint_chunks;  // of each of them, in list.chunks

  int current = -1;  // index in frames of what `state` holds
  ArrayStore state;

  const Chunk& frame_chunk(int index) const { return list.chunks[frame_chunks[static_cast<size_t>(index)]]; }
  int index_of(int frame) const;
  int start_for(int index) const;
  Error missing(int frame, const char* what) const { return input_error(fmt::format("{}: holds no {} {}", name.string(), what, frame)); }
};

/// -1 if there is no such frame.
int RecordingReader::Stream::index_of(int frame) const {
  const auto place = std::lower_bound(frames.begin(), frames.end(), frame);
  return place == frames.end() || *place != frame ? -1 : static_cast<int>(place - frames.begin());
}

/// The first frame to apply on the way to `index`: the one after the current frame, or a whole one.
int RecordingReader::Stream::start_for(int index) const {
  for (int i = index; i >= 0; --i) {
    if (frame_chunk(i).head.kind == ChunkKind::Whole || i == current + 1) return i;
  }
  assert(false && "a stream starts with a whole frame");
  return 0;
}

RecordingReader::RecordingReader(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;
RecordingReader::~RecordingReader() = default;

Result<RecordingReader> RecordingReader::open(const fs::path& file) {
  auto handle = open_to_read(file);
  if (!handle) return handle.error();
  auto list = scan_chunks(*handle, file);
  if (!list) return list.error();
  auto stream = std::make_unique<Stream>();
  stream->name = file;
  stream->file = std::move(*handle);
  stream->list = std::move(*list);
  for (size_t i = 0; i < stream->list.chunks.size(); ++i) {
    const Chunk& chunk = stream->list.chunks[i];
    (is_checkpoint(chunk) ? stream->checkpoints : stream->frames).push_back(chunk.head.frame);
    (is_checkpoint(chunk) ? stream->checkpoint_chunks : stream->frame_chunks).push_back(i);
  }
  return RecordingReader(std::move(stream));
}

const Json& RecordingReader::header() const {
  return stream_->list.header;
}
const std::vector<int>& RecordingReader::frames() const {
  return stream_->frames;
}
const std::vector<int>& RecordingReader::checkpoints() const {
  return stream_->checkpoints;
}
bool RecordingReader::was_torn() const {
  return stream_->list.torn;
}

double RecordingReader::time(int frame) const {
  const int index = stream_->index_of(frame);
  return index < 0 ? 0.0 : stream_->frame_chunk(index).head.time;
}

Result<const ArrayStore*> RecordingReader::state_at(int frame) {
  Stream& stream = *stream_;
  const int index = stream.index_of(frame);
  if (index < 0) return stream.missing(frame, "frame");
  if (index == stream.current) return &stream.state;
  for (int i = stream.start_for(index); i <= index; ++i) {
    const Chunk& chunk = stream.frame_chunk(i);
    if (chunk.head.kind == ChunkKind::Whole) stream.state.clear();
    auto state = apply_to(std::move(stream.state), stream.file, stream.name, chunk);
    stream.state = state ? std::move(*state) : ArrayStore{};
    stream.current = state ? i : -1;
    if (!state) return state.error();
  }
  return &stream.state;
}

Result<RecordingReader::Checkpoint> RecordingReader::checkpoint(int frame) {
  const auto place = std::lower_bound(stream_->checkpoints.begin(), stream_->checkpoints.end(), frame);
  if (place == stream_->checkpoints.end() || *place != frame) return stream_->missing(frame, "checkpoint of frame");
  const Chunk& chunk = stream_->list.chunks[stream_->checkpoint_chunks[static_cast<size_t>(place - stream_->checkpoints.begin())]];
  const auto payload = unpack_chunk(stream_->file, stream_->name, chunk);
  if (!payload) return payload.error();
  std::span<const std::byte> bytes = *payload;
  std::string text;
  Checkpoint result;
  if (!take_text(bytes, text) || !apply_changes(bytes, result.arrays)) {
    return input_error(fmt::format("{}: the checkpoint of frame {} makes no sense", stream_->name.string(), frame));
  }
  auto note = parse_json(text, stream_->name.string(), JsonDialect::Strict);
  if (!note) return note.error();
  result.note = std::move(*note);
  return result;
}

}  // namespace crumple::io
