#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "crumple/io/files.h"
#include "crumple/io/image.h"
#include "crumple/io/jpeg.h"

namespace crumple::io {
namespace {

/// Every alpha from 0 to 255 with colours that differ from pixel to pixel.
Picture colorful_picture(int width, int height) {
  Picture picture(width, height);
  for (size_t i = 0; i < picture.rgba.size(); ++i) picture.rgba[i] = static_cast<uint8_t>(i % 4 == 3 ? i / 4 : i * 7 + i / 4 * 31);
  return picture;
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

/// 16 x 8 pixels: left half (200, 60, 40), right half (30, 80, 210).
const std::string kTwoColors = from_hex(
    "ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b10"
    "16101113141515150c0f171816141812141514ffdb00430103040405040509050509140d0b0d1414141414141414141414141414141414141414141414141414141414141414"
    "141414141414141414141414141414141414ffc00011080008001003011100021101031101ffc4001500010100000000000000000000000000000607ffc40014100100000000"
    "000000000000000000000000ffc400160101010100000000000000000000000000090708ffc40014110100000000000000000000000000000000ffda000c0301000211031100"
    "3f009a248d80144786fbffd9");
/// 5 x 3 pixels of grey 120.
const std::string kGrey = from_hex(
    "ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b10"
    "16101113141515150c0f171816141812141514ffc0000b080003000501011100ffc40014000100000000000000000000000000000005ffc40014100100000000000000000000"
    "000000000000ffda0008010100003f0029ffd9");
/// 8 x 8 pixels of the ink that shows (200, 60, 40), inverted as Adobe has it.
const std::string kInk = from_hex(
    "ffd8ffee000e41646f626500640000000002ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b101610"
    "1113141515150c0f171816141812141514ffdb00430103040405040509050509140d0b0d14141414141414141414141414141414141414141414141414141414141414141414"
    "14141414141414141414141414141414ffc00014080008000804011100021101031101041100ffc4001500010100000000000000000000000000000008ffc400141001000000"
    "00000000000000000000000000ffc4001501010100000000000000000000000000000708ffc40014110100000000000000000000000000000000ffda000e0401000211031104"
    "00003f001cd062c07fffd9");

void expect_pixel(const Picture& picture, int x, int y, int r, int g, int b) {
  const uint8_t* pixel = picture.pixel(x, y);
  EXPECT_NEAR(pixel[0], r, 3) << x << ", " << y;
  EXPECT_NEAR(pixel[1], g, 3) << x << ", " << y;
  EXPECT_NEAR(pixel[2], b, 3) << x << ", " << y;
  EXPECT_EQ(pixel[3], 255);
}

void expect_refused(const Result<Picture>& picture) {
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().kind, Error::Kind::Input);
  EXPECT_EQ(picture.error().text.rfind("cat.png: ", 0), 0u) << picture.error().text;
}

TEST(PictureFile, comes_back_from_a_png_as_it_was) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {257, 1}, {37, 23}, {64, 64}}) {
    const Picture picture = colorful_picture(width, height);
    const Result<std::string> bytes = encode_png(picture);
    ASSERT_TRUE(bytes) << bytes.error().text;
    const Result<Picture> back = decode_picture(*bytes, "cat.png");
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(*back, picture) << width << " x " << height;
    EXPECT_EQ(*decode_any_picture(*bytes, "cat.png"), picture);
  }
}

TEST(PictureFile, comes_back_from_the_disk_as_it_was) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "crumple_picture_test.png";
  const Picture picture = colorful_picture(19, 7);
  ASSERT_TRUE(write_png(file, picture));
  const Result<Picture> back = read_picture(file);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, picture);
  std::filesystem::remove(file);
  EXPECT_FALSE(read_picture(file));
  EXPECT_FALSE(write_png("/no such folder/a.png", picture));
}

TEST(PictureFile, without_transparency_is_opaque) {
  Image image(3, 2);
  for (size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<uint8_t>(i * 13);
  const Result<Picture> picture = decode_picture(*encode_png(image), "cat.png");
  ASSERT_TRUE(picture) << picture.error().text;
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 3; ++x) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(picture->pixel(x, y)[c], image.pixel(x, y)[c]);
      EXPECT_EQ(picture->pixel(x, y)[3], 255);
    }
  }
}

TEST(PictureFile, of_no_size_or_of_another_size_than_its_bytes_cannot_be_written) {
  EXPECT_FALSE(encode_png(Picture()));
  Picture picture(4, 4);
  picture.rgba.pop_back();
  EXPECT_FALSE(encode_png(picture));
}

TEST(PictureFile, torn_pngs_are_refused) {
  const std::string sound = *encode_png(colorful_picture(16, 16));
  const size_t end = sound.find("IEND") - 8;  // rows are complete before the last chunk and the check sum of their own
  for (size_t length = 0; length + 4 < end; length += 7) expect_refused(decode_picture(sound.substr(0, length), "cat.png"));
  expect_refused(decode_any_picture("hello", "cat.png"));
  expect_refused(decode_any_picture("", "cat.png"));
}

TEST(PictureFile, damaged_pngs_are_refused) {
  const std::string sound = *encode_png(colorful_picture(16, 16));
  for (const size_t place : {0u, 5u, 12u, 17u, 24u, 30u, 60u}) {
    std::string bytes = sound;
    bytes[place] = static_cast<char>(~bytes[place]);
    SCOPED_TRACE(place);
    expect_refused(decode_picture(bytes, "cat.png"));
  }
}

TEST(PictureFile, a_png_that_claims_to_be_huge_is_refused_before_it_takes_memory) {
  // Headers with the check sums that belong to them, before the data of a small picture.
  const auto claiming = [](const char* header) { return from_hex("89504e470d0a1a0a0000000d49484452" + std::string(header)) + (*encode_png(colorful_picture(16, 16))).substr(33); };
  ASSERT_TRUE(decode_picture(claiming("000000100000001008060000001ff3ff61"), "cat.png"));
  const Result<Picture> wide = decode_picture(claiming("00004e20000000100806000000f33e4fb0"), "cat.png");
  expect_refused(wide);
  EXPECT_NE(wide.error().text.find("20000 x 16 pixels is too large"), std::string::npos) << wide.error().text;
  const Result<Picture> large = decode_picture(claiming("000f4240000f424008060000005c6d387d"), "cat.png");
  expect_refused(large);
  EXPECT_NE(large.error().text.find("1000000 x 1000000 pixels"), std::string::npos) << large.error().text;
}

TEST(Jpeg, has_the_colours_that_were_painted) {
  const Result<Picture> picture = decode_jpeg(kTwoColors, "cat.jpg");
  ASSERT_TRUE(picture) << picture.error().text;
  EXPECT_EQ(picture->width, 16);
  EXPECT_EQ(picture->height, 8);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) expect_pixel(*picture, x, y, 200, 60, 40);
    for (int x = 8; x < 16; ++x) expect_pixel(*picture, x, y, 30, 80, 210);
  }
  EXPECT_EQ(*decode_any_picture(kTwoColors, "cat.jpg"), *picture);
}

TEST(Jpeg, grey_and_ink_become_colours) {
  const Result<Picture> grey = decode_jpeg(kGrey, "cat.jpg");
  ASSERT_TRUE(grey) << grey.error().text;
  EXPECT_EQ(grey->width, 5);
  EXPECT_EQ(grey->height, 3);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 5; ++x) expect_pixel(*grey, x, y, 120, 120, 120);
  }
  const Result<Picture> ink = decode_jpeg(kInk, "cat.jpg");
  ASSERT_TRUE(ink) << ink.error().text;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) expect_pixel(*ink, x, y, 200, 60, 40);
  }
}

TEST(Jpeg, is_told_from_a_png_by_its_first_bytes) {
  EXPECT_EQ(mime_of(kTwoColors), "image/jpeg");
  EXPECT_EQ(mime_of(*encode_png(colorful_picture(2, 2))), "image/png");
  expect_refused(decode_picture(kTwoColors, "cat.png"));
}

TEST(Jpeg, torn_files_are_refused) {
  for (const std::string* sound : {&kTwoColors, &kGrey, &kInk}) {
    for (size_t length = 0; length + 4 < sound->size(); ++length) {  // the end mark itself, and padding before it, may be missing
      const Result<Picture> picture = decode_jpeg(std::string_view(*sound).substr(0, length), "cat.png");
      EXPECT_FALSE(picture) << length << " of " << sound->size() << " bytes";
      if (!picture) expect_refused(picture);
    }
  }
}

TEST(Jpeg, hostile_bytes_are_refused_or_read_but_never_crash) {
  expect_refused(decode_jpeg("\xFF\xD8", "cat.png"));
  expect_refused(decode_jpeg("\xFF\xD8\xFF\xD9", "cat.png"));
  expect_refused(decode_any_picture("\xFF\xD8 this is a text", "cat.png"));
  const size_t frame = kTwoColors.find("\xFF\xC0");
  uint32_t random = 1;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = kTwoColors;
    for (int k = 0; k < 2; ++k) {
      random = random * 1664525u + 1013904223u;
      const size_t place = (random >> 8) % bytes.size();
      if (place < frame || place > frame + 9) bytes[place] = static_cast<char>(random >> 24);  // its size stays
    }
    const Result<Picture> picture = decode_jpeg(bytes, "cat.png");
    EXPECT_TRUE(!picture || picture->rgba.size() == size_t{4} * 16 * 8);
  }
}

TEST(Jpeg, a_file_that_claims_to_be_huge_is_refused_before_it_takes_memory) {
  std::string bytes = kTwoColors;
  const size_t frame = bytes.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  bytes[frame + 5] = '\x40', bytes[frame + 6] = '\x01';  // height 16385
  const Result<Picture> picture = decode_jpeg(bytes, "cat.png");
  expect_refused(picture);
  EXPECT_NE(picture.error().text.find("16 x 16385 pixels is too large"), std::string::npos) << picture.error().text;
}

}  // namespace
}  // namespace crumple::io
