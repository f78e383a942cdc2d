#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "crumple/core/result.h"

namespace crumple::io {

Result<std::string> read_file(const std::filesystem::path& file);

/// Writes to a temporary name beside the file and renames, so that nobody ever sees half a file.
Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);

/// 64-bit content hash, and the same chained onto an earlier one.
uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed = 0);
uint64_t hash_bytes(std::string_view text, uint64_t seed = 0);
std::string hash_text(uint64_t hash);  // 16 hexadecimal digits

}  // namespace crumple::io
