#include "crumple/render/drawing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/io/files.h"
#include "crumple/io/image.h"
#include "crumple/io/svg.h"
#include "crumple/render/canvas.h"

namespace crumple::render {
namespace {

constexpr double kLongestDrawn = 4096;  // pixels

Result<FlatLayer> layer_of(const std::string& name, Picture picture) {
  auto image = std::make_shared<TextureImage>();
  Result<std::string> bytes = io::encode_png(picture);
  if (!bytes) return bytes.error();
  image->name = name, image->mime = "image/png", image->bytes = std::move(*bytes), image->picture = std::make_shared<const Picture>(std::move(picture));
  return FlatLayer{name, std::move(image)};
}

Result<Drawing> from_svg(const std::filesystem::path& file, double scale) {
  const Result<io::VectorDrawing> read = io::read_svg(file);
  if (!read) return read.error();
  if (read->layers.size() > kMaxFlatLayers) return input_error(fmt::format("{}: {} layers are too many; at most {}", file.string(), read->layers.size(), kMaxFlatLayers));
  Drawing drawing;
  drawing.scale = std::min(scale, kLongestDrawn / std::max(read->width, read->height));
  for (const std::string& note : read->notes) drawing.notes.push_back(fmt::format("{}: {} cannot be read", file.string(), note));
  for (size_t l = 0; l < read->layers.size(); ++l) {
    const bool is_only = read->layers.size() == 1;
    Result<FlatLayer> layer = layer_of(is_only ? file.stem().string() : read->layers[l], draw(*read, is_only ? -1 : static_cast<int>(l), drawing.scale));
    if (!layer) return layer.error();
    drawing.layers.push_back(std::move(*layer));
  }
  for (const io::RigMark& mark : read->marks) {
    const Vec2 at = drawing.scale * mark.at;
    if (mark.kind == io::RigMark::Kind::Pin) {
      drawing.pins.push_back({mark.name, at, mark.layer, mark.pinned_to});
    } else {
      drawing.handles.push_back({mark.name, at, mark.kind == io::RigMark::Kind::Bone ? std::optional<Vec2>(drawing.scale * mark.to) : std::nullopt, mark.layer});
    }
  }
  return drawing;
}

}  // namespace

Result<Drawing> read_drawing(std::span<const std::filesystem::path> files, double scale) {
  if (files.empty()) return input_error("there is no drawing");
  const auto is_svg = [](const std::filesystem::path& file) { return file.extension() == ".svg"; };
  if (files.size() == 1 && is_svg(files[0])) return from_svg(files[0], scale);
  Drawing drawing;
  for (const std::filesystem::path& file : files) {
    if (is_svg(file)) return input_error(fmt::format("{}: an .svg is a whole drawing; its layers are groups with ids such as \"layer-arm\"", file.string()));
    Result<std::string> bytes = io::read_file(file);
    if (!bytes) return bytes.error();
    Result<Picture> picture = io::decode_picture(*bytes, file.string());
    if (!picture) return picture.error();
    auto image = std::make_shared<TextureImage>();
    image->name = file.stem().string(), image->mime = "image/png", image->bytes = std::move(*bytes), image->picture = std::make_shared<const Picture>(std::move(*picture));
    drawing.layers.push_back({image->name, std::move(image)});
  }
  return drawing;
}

}  // namespace crumple::render
