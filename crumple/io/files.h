#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "crumple/core/process.h"
#include "crumple/core/result.h"

namespace crumple::io {

/// "run.rec: cannot be opened: Permission denied", with the reason of the last system call.
Error file_error(const std::filesystem::path& name, const std::string& what);

/// An open file that closes itself.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { close(); }

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool read_at(uint64_t offset, std::span<std::byte> bytes) const;  // false at the end of the file too
  bool write_at(uint64_t offset, std::span<const std::byte> bytes) const;
  bool append(std::string_view bytes) const;
  bool sync() const;  // to the disk
  bool close();

 private:
  int descriptor_ = -1;
};

Result<FileHandle> open_to_read(const std::filesystem::path& file);
/// Opens a file that only one process may write at a time, created if it is missing. Links are not followed. `busy` is the error while another process has it.
Result<FileHandle> open_locked(const std::filesystem::path& file, const std::string& busy);
/// Opens a file to write at its end. Links are not followed.
Result<FileHandle> open_to_append(const std::filesystem::path& file);

/// A file, a pipe or a device, whole. Files above 4 GiB, and pipes and devices that give more than 1 GiB, are refused before memory is taken for them.
Result<std::string> read_file(const std::filesystem::path& file);

/// A file that appears under its name when it is complete and on disk, and not before. Without finish() nothing is left behind; after a kill, what is
/// left is cleared away by the next one that writes the file.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& file);
  AtomicFile(AtomicFile&&) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) noexcept = delete;
  ~AtomicFile();

  const std::filesystem::path& temporary() const { return temporary_; }  // for programs that write it in our place
  Result<void> write(std::string_view bytes);
  Result<void> finish();

 private:
  AtomicFile(std::filesystem::path file, std::filesystem::path temporary, FileHandle handle);
  std::filesystem::path file_, temporary_;
  FileHandle handle_;
  Doomed doomed_;
};

/// All of it as an atomic file.
Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);
/// Leaves the file alone if it holds these bytes already.
Result<void> write_if_changed(const std::filesystem::path& file, std::string_view bytes);

/// Creates a folder and those it lies in, on disk.
Result<void> make_folder(const std::filesystem::path& folder);
/// The names in a folder reach the disk, as far as the system knows how.
void sync_folder(const std::filesystem::path& folder);

/// 64-bit content hash, and the same chained onto an earlier one.
uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed = 0);
uint64_t hash_bytes(std::string_view text, uint64_t seed = 0);
std::string hash_text(uint64_t hash);  // 16 hexadecimal digits

}  // namespace crumple::io
