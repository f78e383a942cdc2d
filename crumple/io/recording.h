#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/json.h"
#include "crumple/core/result.h"
#include "crumple/io/files.h"

namespace crumple::io {

/// A named array of rows, the form of all state in a recording, independent of the methods.
struct ArrayView {
  std::string name;       // "drum 1/examples/weights"
  size_t row_bytes = 0;
  std::span<const std::byte> data;  // a whole number of rows
};

struct StoredArray {
  size_t row_bytes = 0;
  std::vector<std::byte> data;
};
using ArrayStore = std::map<std::string, StoredArray>;
/// Rows of an array; none if it is missing or its rows are of another size than expected: many tiny rows would make much room for large ones.
size_t row_count(const ArrayStore& store, const std::string& name, size_t row_bytes);

/// The stream of a recording while it is ours to write: no other process can open it so.
struct LockedStream {
  std::filesystem::path name;
  FileHandle file;
  uint64_t size() const;  // bytes
};
/// Created empty if it is missing.
Result<LockedStream> lock_stream(const std::filesystem::path& file);

/// An append-only stream of frames (only rows that changed since the frame before) and checkpoints (everything). Each chunk
/// is compressed and checksummed; a torn last chunk is dropped on opening.
class RecordingWriter {
 public:
  /// A new stream; `header` is kept as it is (scene hash, fps, ...).
  static Result<RecordingWriter> create(LockedStream stream, const Json& header);
  static Result<RecordingWriter> create(const std::filesystem::path& file, const Json& header);
  /// Opens an existing stream to continue after frame `frame`: everything later is cut off.
  static Result<RecordingWriter> continue_after(LockedStream stream, int frame);
  static Result<RecordingWriter> continue_after(const std::filesystem::path& file, int frame);
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;
  ~RecordingWriter();

  /// Rows equal to the last appended frame's are left out; the first frame is whole.
  Result<void> append_frame(int frame, double time, std::span<const ArrayView> arrays);
  /// Everything needed to continue after `frame`; flushed to disk before it returns.
  Result<void> append_checkpoint(int frame, const Json& note, std::span<const ArrayView> arrays);
  Result<void> finish();  // flush and close

 private:
  struct Stream;
  explicit RecordingWriter(std::unique_ptr<Stream> stream);
  std::unique_ptr<Stream> stream_;
};

/// A whole recording that is a single checkpoint of frame 0, for arrays that have no frames.
Result<std::string> encode_arrays(std::span<const ArrayView> arrays);

class RecordingReader {
 public:
  static Result<RecordingReader> open(const std::filesystem::path& file);
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;
  ~RecordingReader();

  const Json& header() const;
  const std::vector<int>& frames() const;       // numbers of the complete frames, ascending
  const std::vector<int>& checkpoints() const;  // frame numbers, ascending
  double time(int frame) const;
  bool was_torn() const;                        // a torn end was dropped

  /// The arrays as they were at that frame. Going forward frame by frame is cheap; going back starts from the nearest whole one.
  Result<const ArrayStore*> state_at(int frame);
  struct Checkpoint {
    Json note;
    ArrayStore arrays;
  };
  Result<Checkpoint> checkpoint(int frame);

 private:
  struct Stream;
  explicit RecordingReader(std::unique_ptr<Stream> stream);
  std::unique_ptr<Stream> stream_;
};

}  // namespace crumple::io
