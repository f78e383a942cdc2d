#include "crumple/render/video.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "crumple/io/files.h"

namespace crumple::render {
namespace {
namespace fs = std::filesystem;

class Video : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("crumple_video_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  bool has_ffmpeg() const {
    const Result<VideoWriter> writer = VideoWriter::create(folder / "probe.mp4", 16, 16, 24);
    return static_cast<bool>(writer);
  }
  ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }
};

TEST_F(Video, appears_when_it_is_finished) {
  if (!has_ffmpeg()) GTEST_SKIP() << "no ffmpeg";
  const fs::path file = folder / "-odd name: $(x).mp4";
  Result<VideoWriter> writer = VideoWriter::create(file, 33, 17, 29.97);
  ASSERT_TRUE(writer) << writer.error().text;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(writer->add(io::Image(33, 17)));
  EXPECT_FALSE(fs::exists(file));
  const Result<void> finished = writer->finish();
  ASSERT_TRUE(finished) << finished.error().text;
  const Result<std::string> bytes = io::read_file(file);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->substr(4, 4), "ftyp");
  EXPECT_LT(bytes->find("moov"), bytes->find("mdat")) << "players must be able to start before the end";
  EXPECT_FALSE(writer->add(io::Image(33, 17)));
  EXPECT_FALSE(writer->finish());
  EXPECT_EQ(files(), 1);
}

TEST_F(Video, that_is_given_up_leaves_nothing_behind) {
  if (!has_ffmpeg()) GTEST_SKIP() << "no ffmpeg";
  {
    Result<VideoWriter> writer = VideoWriter::create(folder / "a.mp4", 32, 32, 24);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->add(io::Image(32, 32)));
  }
  EXPECT_EQ(files(), 0);
}

/// ffmpeg answers 0 although the disk was full: one of our own that does the same stands in for it.
TEST_F(Video, that_is_not_complete_does_not_replace_the_old_one) {
  const fs::path program = folder / "ffmpeg";
  ASSERT_TRUE(io::write_file(program, "#!/bin/sh\ncat > /dev/null\nfor last; do :; done\nprintf 'no film at all, but long enough to look at' > \"${last#file:}\"\n"));
  fs::permissions(program, fs::perms::owner_all);
  const std::string before = std::getenv("PATH");
  setenv("PATH", (folder.string() + ":" + before).c_str(), 1);
  ASSERT_TRUE(io::write_file(folder / "a.mp4", "the old one"));
  Result<VideoWriter> writer = VideoWriter::create(folder / "a.mp4", 32, 32, 24);
  ASSERT_TRUE(writer) << writer.error().text;
  ASSERT_TRUE(writer->add(io::Image(32, 32)));
  const Result<void> finished = writer->finish();
  setenv("PATH", before.c_str(), 1);
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().text.find("is not complete"), std::string::npos) << finished.error().text;
  EXPECT_EQ(*io::read_file(folder / "a.mp4"), "the old one");
}

TEST_F(Video, says_what_is_wrong) {
  EXPECT_FALSE(VideoWriter::create(folder / "a.mp4", 0, 16, 24));
  EXPECT_FALSE(VideoWriter::create(folder / "a.mp4", 16, 16, 0));
  EXPECT_FALSE(VideoWriter::create(folder / "nowhere" / "a.mp4", 16, 16, 24));
  if (!has_ffmpeg()) GTEST_SKIP() << "no ffmpeg";
  Result<VideoWriter> writer = VideoWriter::create(folder / "a.mp4", 16, 16, 24);
  ASSERT_TRUE(writer);
  const Result<void> added = writer->add(io::Image(17, 16));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text.find("17 x 16"), std::string::npos);
  EXPECT_FALSE(writer->finish()) << "a video of no pictures";
}

/// Runs a stand-in for ffmpeg.
class StrangeEncoder : public Video {
 protected:
  std::string path_before = std::getenv("PATH") ? std::getenv("PATH") : "";
  void use(const std::string& script) {
    const fs::path tools = folder / "tools";
    fs::create_directories(tools);
    if (!script.empty()) {
      ASSERT_TRUE(io::write_file(tools / "ffmpeg", "#!/bin/sh\n" + script));
      fs::permissions(tools / "ffmpeg", fs::perms::owner_all);
    }
    setenv("PATH", tools.c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_before.c_str(), 1);
    Video::TearDown();
  }
};

TEST_F(StrangeEncoder, that_is_missing_is_asked_for) {
  use("");
  const Result<VideoWriter> writer = VideoWriter::create(folder / "a.mp4", 16, 16, 24);
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().text.find("install"), std::string::npos);
}

TEST_F(StrangeEncoder, that_dies_is_an_error_with_its_reason_and_no_signal) {
  use("echo 'no such codec' >&2; exit 3\n");
  Result<VideoWriter> writer = VideoWriter::create(folder / "a.mp4", 512, 512, 24);
  ASSERT_TRUE(writer) << writer.error().text;
  Result<void> added;
  for (int i = 0; i < 20 && added; ++i) added = writer->add(io::Image(512, 512));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text.find("no such codec"), std::string::npos);
}

}  // namespace
}  // namespace crumple::render
