#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/json.h"
#include "crumple/core/result.h"
#include "crumple/io/files.h"
#include "crumple/io/recording_arrays.h"

namespace crumple::io {

/// A recording on disk: magic, version and header text, then chunks one after the other. All numbers are little endian. The
/// checksum of each chunk's head is seeded by that of the chunk before, so nothing can be lost or reordered unnoticed.
enum class ChunkKind : uint32_t { Changes = 1, Whole = 2, Checkpoint = 3 };

struct ChunkHead {
  ChunkKind kind = ChunkKind::Changes;
  int32_t frame = 0;
  double time = 0;           // seconds
  uint64_t raw_size = 0;     // of the payload once unpacked
  uint64_t stored_size = 0;  // of the payload in the file
  uint64_t payload_check = 0;
  uint64_t head_check = 0;  // of everything above, seeded by the chunk before
};
static_assert(sizeof(ChunkHead) == 48);

struct Chunk {
  ChunkHead head;
  uint64_t payload = 0;  // offset in the file
  uint64_t end() const { return payload + head.stored_size; }
};

/// What can be trusted of a recording's file.
struct ChunkList {
  Json header;
  uint64_t seed = 0;        // for the first chunk
  uint64_t header_end = 0;  // where the first chunk starts
  std::vector<Chunk> chunks;
  bool torn = false;  // something that is no good chunk follows the last one

  uint64_t end() const { return chunks.empty() ? header_end : chunks.back().end(); }
  uint64_t next_seed() const { return chunks.empty() ? seed : chunks.back().head.head_check; }
};

/// The bytes a new recording starts with, and the seed for its first chunk.
struct RecordingFront {
  Bytes bytes;
  uint64_t seed = 0;
};
RecordingFront make_front(const Json& header);

/// Reads the header and checks every chunk; stops at the first one that is not right.
Result<ChunkList> scan_chunks(const FileHandle& file, const std::filesystem::path& name);

/// Head and compressed payload, ready to be appended; fills in the sizes and checks of `head`.
Result<Bytes> pack_chunk(ChunkHead& head, std::span<const std::byte> payload, uint64_t seed);

/// The payload of a chunk, checked again.
Result<Bytes> unpack_chunk(const FileHandle& file, const std::filesystem::path& name, const Chunk& chunk);

}  // namespace crumple::io
