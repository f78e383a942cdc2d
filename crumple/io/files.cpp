#include "crumple/io/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace crumple::io {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kLargestFile = uint64_t{4} << 30;
constexpr uint64_t kLargestStream = uint64_t{1} << 30;  // of a pipe or device, whose size is not known before
constexpr size_t kBlock = size_t{1} << 20;
constexpr int kMaxWriters = 100;  // of one file at the same time

struct stat status_of(const FileHandle& file) {
  struct stat status {};
  fstat(file.descriptor(), &status);
  return status;
}

FileHandle open_handle(const fs::path& file, int flags) {
  int descriptor = -1;
  do {
    descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return FileHandle(descriptor);
}

enum class Lock { Ours, Busy, Unknown };

Lock try_lock(const FileHandle& file) {
  if (::flock(file.descriptor(), LOCK_EX | LOCK_NB) == 0) return Lock::Ours;
  return errno == EWOULDBLOCK ? Lock::Busy : Lock::Unknown;
}

/// Whether the name still means the file that was opened.
bool is_named(const FileHandle& file, const fs::path& name) {
  struct stat named {};
  const struct stat opened = status_of(file);
  return ::lstat(name.c_str(), &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/// Removes the leftover of a killed writer under a temporary name: an unlocked file, or a link. False: a writer is active, or it is not a file.
bool remove_leftover(const fs::path& name) {
  struct stat status {};
  if (::lstat(name.c_str(), &status) != 0) return errno == ENOENT;
  if (S_ISLNK(status.st_mode)) return ::unlink(name.c_str()) == 0;
  if (!S_ISREG(status.st_mode)) return false;
  const FileHandle left = open_handle(name, O_RDWR | O_NOFOLLOW);
  return left.is_open() && try_lock(left) == Lock::Ours && is_named(left, name) && ::unlink(name.c_str()) == 0;
}

/// A new file under exactly this name, locked; not open if the name is taken.
FileHandle create_locked(const fs::path& name) {
  FileHandle file = open_handle(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!file.is_open()) return file;
  // Another process may take the file for a leftover before the lock is ours.
  if (try_lock(file) == Lock::Busy || !is_named(file, name)) {
    file.close();
    errno = EEXIST;
  }
  return file;
}

std::optional<std::string> read_block(const FileHandle& file) {
  std::string block(kBlock, '\0');
  ssize_t count = 0;
  do {
    count = ::read(file.descriptor(), block.data(), block.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return std::nullopt;
  block.resize(static_cast<size_t>(count));
  return block;
}

Result<std::string> read_stream(const FileHandle& file, const fs::path& name) {
  std::string content;
  while (true) {
    const std::optional<std::string> block = read_block(file);
    if (!block) return file_error(name, "reading failed");
    if (block->empty()) return content;
    if (content.size() + block->size() > kLargestStream) {
      return input_error(fmt::format("{}: gives more than {} MiB; is it the right one?", name.string(), kLargestStream >> 20));
    }
    content += *block;
  }
}

Result<std::string> read_regular(const FileHandle& file, const fs::path& name, uint64_t size) {
  if (size > kLargestFile) return input_error(fmt::format("{}: is larger than {} MiB", name.string(), kLargestFile >> 20));
  std::string content(size, '\0');
  if (!file.read_at(0, std::as_writable_bytes(std::span(content)))) return system_error(fmt::format("{}: reading failed", name.string()));
  return content;
}

}  // namespace

Error file_error(const fs::path& name, const std::string& what) {
  return system_error(fmt::format("{}: {}: {}", name.string(), what, std::strerror(errno)));
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

bool FileHandle::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor < 0 || ::close(descriptor) == 0;
}

bool FileHandle::sync() const {
  return ::fsync(descriptor_) == 0;
}

bool FileHandle::read_at(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

bool FileHandle::write_at(uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

bool FileHandle::append(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

Result<FileHandle> open_to_read(const fs::path& file) {
  // A pipe without a writer must not block us.
  FileHandle handle = open_handle(file, O_RDONLY | O_NONBLOCK);
  if (!handle.is_open()) {
    if (errno == ENOENT) return input_error(fmt::format("{}: no such file", file.string()));
    return input_error(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  }
  ::fcntl(handle.descriptor(), F_SETFL, 0);
  if (S_ISDIR(status_of(handle).st_mode)) return input_error(fmt::format("{}: is a folder, not a file", file.string()));
  return handle;
}

Result<FileHandle> open_locked(const fs::path& file, const std::string& busy) {
  FileHandle handle = open_handle(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  if (!handle.is_open()) {
    if (errno == ELOOP) return input_error(fmt::format("{}: is a link, and is not written through; remove it", file.string()));
    return file_error(file, "cannot be opened");
  }
  if (!S_ISREG(status_of(handle).st_mode)) return input_error(fmt::format("{}: is not a file", file.string()));
  if (try_lock(handle) == Lock::Busy) return input_error(fmt::format("{}: {}", file.string(), busy));
  return handle;
}

Result<FileHandle> open_to_append(const fs::path& file) {
  FileHandle handle = open_handle(file, O_WRONLY | O_APPEND | O_NOFOLLOW);
  if (!handle.is_open()) return file_error(file, "cannot be written");
  return handle;
}

Result<std::string> read_file(const fs::path& file) {
  const Result<FileHandle> handle = open_to_read(file);
  if (!handle) return handle.error();
  const struct stat status = status_of(*handle);
  // What /proc and the like call a regular file of no bytes may hold some.
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return read_stream(*handle, file);
  return read_regular(*handle, file, static_cast<uint64_t>(status.st_size));
}

AtomicFile::AtomicFile(fs::path file, fs::path temporary, FileHandle handle)
    : file_(std::move(file)), temporary_(std::move(temporary)), handle_(std::move(handle)), doomed_(temporary_.string()) {}

AtomicFile::~AtomicFile() {
  if (handle_.is_open()) ::unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::create(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return input_error(fmt::format("{}: is a folder; choose another name", file.string()));
  for (int writer = 0; writer < kMaxWriters; ++writer) {
    const fs::path temporary = file.string() + (writer == 0 ? ".part" : fmt::format(".{}.part", writer));
    for (int attempt = 0; attempt < 2; ++attempt) {
      FileHandle handle = create_locked(temporary);
      if (handle.is_open()) return AtomicFile(file, temporary, std::move(handle));
      if (errno != EEXIST) return file_error(file, "cannot be created");
      if (!remove_leftover(temporary)) break;
    }
  }
  return system_error(fmt::format("{}: cannot be created: too many processes write it", file.string()));
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (!handle_.append(bytes)) return file_error(file_, "writing failed");
  return {};
}

Result<void> AtomicFile::finish() {
  if (!handle_.sync()) return file_error(file_, "writing failed");
  if (std::rename(temporary_.c_str(), file_.c_str()) != 0) return file_error(file_, "renaming failed");
  doomed_.spare();
  handle_.close();
  sync_folder(file_.parent_path());
  return {};
}

Result<void> write_file(const fs::path& file, std::string_view bytes) {
  Result<AtomicFile> target = AtomicFile::create(file);
  if (!target) return target.error();
  if (const Result<void> written = target->write(bytes); !written) return written;
  return target->finish();
}

Result<void> write_if_changed(const fs::path& file, std::string_view bytes) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) && fs::file_size(file, ignored) == bytes.size()) {
    const Result<std::string> there = read_file(file);
    if (there && *there == bytes) return {};
  }
  return write_file(file, bytes);
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code trouble;
  const bool is_new = fs::create_directories(folder, trouble);
  if (trouble) return system_error(fmt::format("{}: cannot be created: {}", folder.string(), trouble.message()));
  if (is_new) sync_folder(folder.parent_path());
  return {};
}

void sync_folder(const fs::path& folder) {
  const FileHandle handle = open_handle(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (handle.is_open()) (void)handle.sync();  // some file systems cannot, and then need not
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
