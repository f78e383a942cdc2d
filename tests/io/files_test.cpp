#include "crumple/io/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crumple::io {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() : folder(fs::path(testing::TempDir()) / fmt::format("crumple_files_{}", getpid())) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Files() override { fs::remove_all(folder); }
  static std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  size_t count() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }
  fs::path folder;
};

TEST_F(Files, a_file_appears_whole_or_not_at_all) {
  const fs::path file = folder / "a";
  ASSERT_TRUE(write_file(file, "old"));
  {
    Result<AtomicFile> half = AtomicFile::create(file);
    ASSERT_TRUE(half);
    ASSERT_TRUE(half->write("new, but"));
    EXPECT_EQ(text_of(file), "old");
  }
  EXPECT_EQ(text_of(file), "old");
  EXPECT_EQ(count(), 1u) << "what was not finished is gone";
  ASSERT_TRUE(write_file(file, "new"));
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, many_writers_of_one_file_do_not_mix) {
  const fs::path file = folder / "a";
  std::vector<std::thread> writers;
  for (int w = 0; w < 8; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(write_file(file, std::string(100'000, static_cast<char>('a' + w))));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string text = text_of(file);
  EXPECT_EQ(text, std::string(100'000, text[0]));
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, the_leftover_of_a_killed_writer_is_cleared_away_and_a_living_one_is_not) {
  std::ofstream(folder / "a.part") << "left by a kill";
  ASSERT_TRUE(write_file(folder / "a", "text"));
  EXPECT_FALSE(fs::exists(folder / "a.part"));
  Result<AtomicFile> alive = AtomicFile::create(folder / "a");
  ASSERT_TRUE(alive);
  ASSERT_TRUE(alive->write("slow"));
  ASSERT_TRUE(write_file(folder / "a", "quick"));
  EXPECT_EQ(text_of(folder / "a"), "quick");
  ASSERT_TRUE(alive->finish());
  EXPECT_EQ(text_of(folder / "a"), "slow");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, only_one_process_has_a_locked_file) {
  Result<FileHandle> mine = open_locked(folder / "lock", "is taken");
  ASSERT_TRUE(mine);
  const Result<FileHandle> other = open_locked(folder / "lock", "is taken");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().text, (folder / "lock").string() + ": is taken");
  mine->close();
  EXPECT_TRUE(open_locked(folder / "lock", "is taken"));
}

TEST_F(Files, locked_files_are_not_opened_through_links) {
  std::ofstream(folder / "precious") << "precious";
  fs::create_symlink(folder / "precious", folder / "link");
  EXPECT_FALSE(open_locked(folder / "link", ""));
  EXPECT_FALSE(open_to_append(folder / "link"));
  EXPECT_EQ(text_of(folder / "precious"), "precious");
}

TEST_F(Files, an_endless_device_is_refused) {
  const Result<std::string> zeros = read_file("/dev/zero");
  ASSERT_FALSE(zeros);
  EXPECT_EQ(zeros.error().text, "/dev/zero: gives more than 1024 MiB; is it the right one?");
}

TEST_F(Files, a_pipe_that_nobody_writes_to_is_empty) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Result<std::string> nothing = read_file(pipe);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, "");
}

TEST_F(Files, files_that_hold_the_right_bytes_are_left_alone) {
  ASSERT_TRUE(write_file(folder / "a", "same"));
  const auto before = fs::last_write_time(folder / "a");
  fs::last_write_time(folder / "a", before - std::chrono::hours(1));
  ASSERT_TRUE(write_if_changed(folder / "a", "same"));
  EXPECT_EQ(fs::last_write_time(folder / "a"), before - std::chrono::hours(1));
  ASSERT_TRUE(write_if_changed(folder / "a", "other"));
  EXPECT_EQ(text_of(folder / "a"), "other");
}

}  // namespace
}  // namespace crumple::io
