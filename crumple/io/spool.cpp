#include "crumple/io/spool.h"

#include <cassert>

namespace crumple::io {

Spool::Spool() : file_(std::tmpfile(), [](std::FILE* file) { return file ? std::fclose(file) : 0; }) {}

Result<Spool::Range> Spool::add(std::span<const std::byte> bytes) {
  const auto end = static_cast<long>(size_);
  if (!file_) return system_error("a temporary file cannot be made");
  if (std::fseek(file_.get(), end, SEEK_SET) != 0 || std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    return system_error("a temporary file cannot be written; is the disk full?");
  }
  size_ += bytes.size();
  return Range{static_cast<size_t>(end), bytes.size()};
}

Result<void> Spool::read(const Range& range, std::span<std::byte> bytes) {
  assert(bytes.size() == range.size);
  if (!file_ || std::fseek(file_.get(), static_cast<long>(range.begin), SEEK_SET) != 0 || std::fread(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    return system_error("a temporary file cannot be read");
  }
  return {};
}

}  // namespace crumple::io
