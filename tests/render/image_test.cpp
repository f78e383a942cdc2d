#include "crumple/io/image.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "crumple/io/files.h"

namespace crumple::io {
namespace {
namespace fs = std::filesystem;

Image test_card(int width, int height) {
  Image image(width, height);
  for (size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<uint8_t>(i * 7 + i / 3 * 31);
  return image;
}

struct TemporaryFolder {
  fs::path path = fs::temp_directory_path() / ("crumple_image_test_" + std::to_string(getpid()));
  TemporaryFolder() { fs::create_directories(path); }
  ~TemporaryFolder() { fs::remove_all(path); }
};

TEST(Image, comes_back_from_a_png_as_it_was) {
  const TemporaryFolder folder;
  const Image image = test_card(37, 23);
  ASSERT_TRUE(write_png(folder.path / "a.png", image));
  const Result<Image> back = read_png(folder.path / "a.png");
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, image);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1) << "a temporary file was left";
}

TEST(Image, of_no_size_cannot_be_written) {
  EXPECT_FALSE(encode_png(Image()));
  Image image(4, 4);
  image.rgb.pop_back();
  EXPECT_FALSE(encode_png(image));
}

TEST(Image, broken_files_are_input_errors_that_name_the_file) {
  const std::string sound = encode_png(test_card(16, 16)).value();
  for (const std::string& bytes : {std::string(), std::string("hello"), sound.substr(0, 8), sound.substr(0, 30), sound.substr(0, sound.size() / 2)}) {
    const Result<Image> image = decode_png(bytes, "shot.png");
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().kind, Error::Kind::Input);
    EXPECT_EQ(image.error().text.rfind("shot.png", 0), 0u);
  }
}

TEST(Image, a_file_that_claims_to_be_huge_is_refused_before_it_takes_memory) {
  std::string bytes = encode_png(test_card(16, 16)).value();
  bytes[16] = 0x00, bytes[17] = 0x0f;  // width
  EXPECT_FALSE(decode_png(bytes, "shot.png"));
}

TEST(Image, a_folder_that_is_not_there_is_an_error) {
  EXPECT_FALSE(write_png("/no such folder/a.png", test_card(2, 2)));
}

}  // namespace
}  // namespace crumple::io
