#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>

#include "crumple/core/result.h"

namespace crumple::io {

/// Bytes on disk, in a file without a name, until it is known where they belong.
class Spool {
 public:
  struct Range {
    size_t begin = 0, size = 0;
  };

  Spool();
  Result<Range> add(std::span<const std::byte> bytes);
  Result<void> read(const Range& range, std::span<std::byte> bytes);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  size_t size_ = 0;
};

}  // namespace crumple::io
