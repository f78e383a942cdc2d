#include "crumple/io/recording_chunks.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "crumple/io/files.h"

namespace crumple::io {
namespace {

static_assert(std::endian::native == std::endian::little, "recordings are little endian");

constexpr uint32_t kVersion = 1;
constexpr int kCompression = -1;
constexpr char kMagic[8] = {'C', 'R', 'U', 'M', 'P', 'R', 'E', 'C'};
constexpr uint64_t kLargestHeader = uint64_t{256} << 20;
// State holds positions, which hardly compress: what claims to unpack to very much more than it is comes from no run. Bounds memory by the file's size.
constexpr uint64_t kAlwaysUnpacked = uint64_t{16} << 20, kLargestRatio = 1000;

struct FrontHead {
  char magic[8];
  uint32_t version = kVersion;
  uint32_t reserved = 0;
  uint64_t header_size = 0;
  uint64_t header_check = 0;  // of the header text
  uint64_t head_check = 0;    // of everything above
};
static_assert(sizeof(FrontHead) == 40);

uint64_t check_of(const FrontHead& head) {
  return XXH3_64bits(&head, offsetof(FrontHead, head_check));
}
uint64_t check_of(const ChunkHead& head, uint64_t seed) {
  return XXH3_64bits_withSeed(&head, offsetof(ChunkHead, head_check), seed);
}

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// The checksum of a stretch of the file, read in blocks; none if the file ends before.
std::optional<uint64_t> check_stretch(const FileHandle& file, uint64_t offset, uint64_t size) {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  Bytes block(std::min<uint64_t>(size, 1 << 20));
  while (size > 0) {
    const std::span<std::byte> part(block.data(), std::min<uint64_t>(size, block.size()));
    if (!file.read_at(offset, part)) return std::nullopt;
    XXH3_64bits_update(state.get(), part.data(), part.size());
    offset += part.size(), size -= part.size();
  }
  return XXH3_64bits_digest(state.get());
}

Result<FrontHead> read_front(const FileHandle& file, const std::filesystem::path& name, uint64_t file_size) {
  FrontHead front;
  if (!file.read_at(0, bytes_of(front)) || std::memcmp(front.magic, kMagic, sizeof kMagic) != 0) {
    return input_error(fmt::format("{}: is not a recording", name.string()));
  }
  if (front.version > kVersion) {
    return input_error(fmt::format("{}: is a recording of version {}, and this program reads up to version {}; use a newer program", name.string(),
                                   front.version, kVersion));
  }
  if (front.head_check != check_of(front) || front.header_size > std::min(file_size - sizeof front, kLargestHeader)) {
    return input_error(fmt::format("{}: the start of the recording is damaged; simulate again", name.string()));
  }
  return front;
}

Result<Json> read_header(const FileHandle& file, const std::filesystem::path& name, const FrontHead& front) {
  std::string text(front.header_size, '\0');
  if (!file.read_at(sizeof front, std::as_writable_bytes(std::span(text))) || hash_bytes(text) != front.header_check) {
    return input_error(fmt::format("{}: the header of the recording is damaged; simulate again", name.string()));
  }
  return parse_json(text, name.string(), JsonDialect::Strict);
}

/// Frames ascend, and a checkpoint belongs to the last frame or a later moment.
bool follows(const ChunkHead& head, const std::vector<Chunk>& before) {
  if (head.kind < ChunkKind::Changes || head.kind > ChunkKind::Checkpoint || !std::isfinite(head.time)) return false;
  if (head.raw_size > std::min<uint64_t>(2 * kLargestState, std::max(kAlwaysUnpacked, kLargestRatio * head.stored_size))) return false;
  if (before.empty()) return head.kind != ChunkKind::Changes;
  const ChunkHead& last = before.back().head;
  if (head.kind == ChunkKind::Changes && last.kind == ChunkKind::Checkpoint) return false;
  if (head.kind == ChunkKind::Checkpoint && last.kind != ChunkKind::Checkpoint) return head.frame >= last.frame;
  return head.frame > last.frame;
}

}  // namespace

RecordingFront make_front(const Json& header) {
  const std::string text = write_json(header, 0);
  FrontHead front;
  std::memcpy(front.magic, kMagic, sizeof kMagic);
  front.header_size = text.size();
  front.header_check = hash_bytes(text);
  front.head_check = check_of(front);
  RecordingFront result;
  result.bytes.resize(sizeof front + text.size());
  std::memcpy(result.bytes.data(), &front, sizeof front);
  std::memcpy(result.bytes.data() + sizeof front, text.data(), text.size());
  result.seed = front.head_check;
  return result;
}

Result<ChunkList> scan_chunks(const FileHandle& file, const std::filesystem::path& name) {
  struct stat status {};
  if (fstat(file.descriptor(), &status) != 0) return file_error(name, "cannot be read");
  if (!S_ISREG(status.st_mode)) return input_error(fmt::format("{}: is not a file", name.string()));
  const auto file_size = static_cast<uint64_t>(status.st_size);
  const auto front = read_front(file, name, file_size);
  if (!front) return front.error();
  auto header = read_header(file, name, *front);
  if (!header) return header.error();

  ChunkList list{std::move(*header), front->head_check, sizeof(FrontHead) + front->header_size, {}, false};
  while (list.end() < file_size) {
    const uint64_t offset = list.end();
    Chunk chunk{{}, offset + sizeof(ChunkHead)};
    list.torn = true;  // until this chunk has proved good
    if (!file.read_at(offset, bytes_of(chunk.head))) break;
    if (chunk.head.head_check != check_of(chunk.head, list.next_seed()) || !follows(chunk.head, list.chunks)) break;
    if (chunk.head.stored_size > file_size - chunk.payload) break;
    if (check_stretch(file, chunk.payload, chunk.head.stored_size) != chunk.head.payload_check) break;
    list.chunks.push_back(chunk);
    list.torn = false;
  }
  return list;
}

Result<Bytes> pack_chunk(ChunkHead& head, std::span<const std::byte> payload, uint64_t seed) {
  Bytes packed(sizeof head + ZSTD_compressBound(payload.size()));
  const size_t stored = ZSTD_compress(packed.data() + sizeof head, packed.size() - sizeof head, payload.data(), payload.size(), kCompression);
  if (ZSTD_isError(stored)) return system_error(fmt::format("compression failed: {}", ZSTD_getErrorName(stored)));
  packed.resize(sizeof head + stored);
  head.raw_size = payload.size();
  head.stored_size = stored;
  head.payload_check = XXH3_64bits(packed.data() + sizeof head, stored);
  head.head_check = check_of(head, seed);
  std::memcpy(packed.data(), &head, sizeof head);
  return packed;
}

Result<Bytes> unpack_chunk(const FileHandle& file, const std::filesystem::path& name, const Chunk& chunk) {
  const auto damaged = [&] { return input_error(fmt::format("{}: frame {} is damaged", name.string(), chunk.head.frame)); };
  Bytes stored(chunk.head.stored_size);  // no more than the file had when it was scanned
  if (!file.read_at(chunk.payload, stored) || XXH3_64bits(stored.data(), stored.size()) != chunk.head.payload_check) return damaged();

  // The size in the head is a claim: memory grows only as data really comes out.
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  Bytes raw(std::min<uint64_t>(chunk.head.raw_size, uint64_t{16} << 20));
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  size_t done = 0;
  while (true) {
    ZSTD_outBuffer out{raw.data(), raw.size(), done};
    const size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left)) return damaged();
    const bool stuck = out.pos == done && in.pos == in.size;
    done = out.pos;
    if (left == 0) break;
    if (done == raw.size() && raw.size() < chunk.head.raw_size) {
      raw.resize(std::min<uint64_t>(chunk.head.raw_size, raw.size() * 2));
    } else if (stuck) {
      return damaged();
    }
  }
  if (done != chunk.head.raw_size || in.pos != in.size) return damaged();
  return raw;
}

}  // namespace crumple::io
