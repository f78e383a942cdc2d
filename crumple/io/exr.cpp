#include "crumple/io/exr.h"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputFile.h>
#include <ImfOutputFile.h>
#include <fmt/format.h>

#include "crumple/io/files.h"

namespace crumple::io {
namespace {

constexpr int kLongestSide = 1 << 16;

Imf::FrameBuffer frame_buffer(Vec3f* pixels, int width) {
  Imf::FrameBuffer buffer;
  const char* names[] = {"R", "G", "B"};
  for (size_t c = 0; c < 3; ++c) buffer.insert(names[c], Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(pixels->data() + c), sizeof(Vec3f), sizeof(Vec3f) * static_cast<size_t>(width)));
  return buffer;
}

}  // namespace

Result<void> write_exr(const std::filesystem::path& file, int width, std::span<const Vec3f> pixels) {
  Result<AtomicFile> out = AtomicFile::create(file);
  if (!out) return out.error();
  const int height = static_cast<int>(pixels.size() / static_cast<size_t>(width));
  try {
    Imf::Header header(width, height);
    header.compression() = Imf::ZIP_COMPRESSION;
    for (const char* name : {"R", "G", "B"}) header.channels().insert(name, Imf::Channel(Imf::FLOAT));
    Imf::OutputFile picture(out->temporary().c_str(), header, 0);
    picture.setFrameBuffer(frame_buffer(const_cast<Vec3f*>(pixels.data()), width));  // is only read
    picture.writePixels(height);
  } catch (const std::exception& error) {
    return system_error(fmt::format("{}: cannot be written: {}", file.string(), error.what()));
  }
  return out->finish();
}

Result<ExrPicture> read_exr(const std::filesystem::path& file) {
  try {
    Imf::InputFile picture(file.c_str(), 0);
    const Imath::Box2i window = picture.header().dataWindow();
    ExrPicture read{window.max.x - window.min.x + 1, window.max.y - window.min.y + 1, {}};
    if (read.width < 1 || read.height < 1 || read.width > kLongestSide || read.height > kLongestSide) return input_error(fmt::format("{}: has a size that cannot be", file.string()));
    read.pixels.resize(static_cast<size_t>(read.width) * static_cast<size_t>(read.height));
    picture.setFrameBuffer(frame_buffer(read.pixels.data() - window.min.x - static_cast<std::ptrdiff_t>(window.min.y) * read.width, read.width));
    picture.readPixels(window.min.y, window.max.y);
    return read;
  } catch (const std::exception& error) {
    return input_error(fmt::format("{}: is no readable EXR: {}", file.string(), error.what()));
  }
}

}  // namespace crumple::io
