#include "crumple/io/files.h"

#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace crumple::io {
namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return input_error(fmt::format("{}: is a folder, not a file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return input_error(fmt::format("{}: {}", file.string(), fs::exists(file, ignored) ? "cannot be read" : "no such file"));
  std::string content;
  stream.seekg(0, std::ios::end);
  const auto size = stream.tellg();
  if (size > 0) content.resize(static_cast<size_t>(size));
  stream.seekg(0);
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!stream && !content.empty()) return system_error(fmt::format("{}: reading failed", file.string()));
  return content;
}

Result<void> write_file(const fs::path& file, std::string_view bytes) {
  const fs::path temporary = file.string() + fmt::format(".{}.part", getpid());
  auto fail = [&](const char* doing) {
    const Error error = system_error(fmt::format("{}: {}: {}", file.string(), doing, std::strerror(errno)));
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return error;
  };
  std::FILE* stream = std::fopen(temporary.c_str(), "wb");
  if (!stream) return fail("cannot be created");
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  if (std::fclose(stream) != 0 || !written) return fail("writing failed");
  if (std::rename(temporary.c_str(), file.c_str()) != 0) return fail("renaming failed");
  return {};
}

uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}
uint64_t hash_bytes(std::string_view text, uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}
std::string hash_text(uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace crumple::io
