#include "crumple/render/sprite_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "crumple/core/index.h"

namespace crumple::render {
namespace {

constexpr int kApart = 2;                // pixels between pictures: engines look half a pixel beyond
constexpr int kLongestSheetSide = 8192;  // what graphics cards take

struct Box {
  int x = 0, y = 0, width = 0, height = 0;
};

/// What is not transparent; one pixel if all is.
Box painted(const Picture& picture) {
  int left = picture.width, right = -1, top = picture.height, bottom = -1;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      if (picture.pixel(x, y)[3] == 0) continue;
      left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
    }
  }
  return right < 0 ? Box{0, 0, 1, 1} : Box{left, top, right - left + 1, bottom - top + 1};
}

Picture cut_out(const Picture& picture, const Box& box) {
  Picture part(box.width, box.height);
  for (int y = 0; y < box.height; ++y) std::memcpy(part.pixel(0, y), picture.pixel(box.x, box.y + y), size_t{4} * at(box.width));
  return part;
}

/// Places on shelves, the tallest first; the height that this takes.
int place_on_shelves(const std::vector<Picture>& parts, const std::vector<size_t>& order, int width, std::vector<Box>& places) {
  int x = 0, y = 0, shelf = 0;
  for (const size_t i : order) {
    if (x > 0 && x + parts[i].width > width) x = 0, y += shelf + kApart, shelf = 0;
    places[i] = {x, y, parts[i].width, parts[i].height};
    x += parts[i].width + kApart, shelf = std::max(shelf, parts[i].height);
  }
  return y + shelf;
}

Json rectangle(const Box& box) {
  return Json::object({{"x", box.x}, {"y", box.y}, {"w", box.width}, {"h", box.height}});
}

Json tags_of(const std::vector<SheetCell>& cells) {
  Json tags = Json::array();
  for (size_t from = 0, to; from < cells.size(); from = to) {
    to = from + 1;
    while (to < cells.size() && cells[to].tag == cells[from].tag) ++to;
    if (!cells[from].tag.empty()) tags.push(Json::object({{"name", cells[from].tag}, {"from", from}, {"to", to - 1}, {"direction", "forward"}}));
  }
  return tags;
}

}  // namespace

Result<SpriteSheet> pack_sprite_sheet(const std::vector<SheetCell>& cells, const SheetNames& names) {
  if (cells.empty()) return input_error("a sprite sheet needs at least one picture");
  std::vector<Picture> parts;
  std::vector<Box> trims;
  std::vector<size_t> part_of;
  std::map<std::pair<std::pair<int, int>, std::string_view>, size_t> known;
  parts.reserve(cells.size());  // what is known points into them
  for (const SheetCell& cell : cells) {
    trims.push_back(painted(cell.picture));
    parts.push_back(cut_out(cell.picture, trims.back()));
    const std::string_view bytes(reinterpret_cast<const char*>(parts.back().rgba.data()), parts.back().rgba.size());
    const auto [same, is_new] = known.try_emplace({{parts.back().width, parts.back().height}, bytes}, parts.size() - 1);
    part_of.push_back(same->second);
    if (!is_new) parts.pop_back();
  }
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return parts[a].height > parts[b].height; });
  int widest = 0, width = 0, height = 0;
  double area = 0;
  for (const Picture& part : parts) widest = std::max(widest, part.width), area += double{1.0} * (part.width + kApart) * (part.height + kApart);
  std::vector<Box> places(parts.size());
  for (width = std::max(widest, static_cast<int>(std::ceil(std::sqrt(area)))); width <= kLongestSheetSide; width += std::max(8, width / 16)) {
    height = place_on_shelves(parts, order, width, places);
    if (height <= kLongestSheetSide) break;
  }
  if (width > kLongestSheetSide) {
    return input_error(fmt::format("{} pictures of up to {} x {} pixels do not fit into a sheet of {} x {}; take fewer frames or fewer pixels", parts.size(), cells[0].picture.width,
                                   cells[0].picture.height, kLongestSheetSide, kLongestSheetSide));
  }
  int used = 0;
  for (const Box& place : places) used = std::max(used, place.x + place.width);
  SpriteSheet sheet;
  sheet.picture = Picture(used, height), sheet.pictures = static_cast<int>(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    for (int y = 0; y < parts[i].height; ++y) std::memcpy(sheet.picture.pixel(places[i].x, places[i].y + y), parts[i].pixel(0, y), size_t{4} * at(parts[i].width));
  }
  Json frames = Json::object();
  for (size_t i = 0; i < cells.size(); ++i) {
    const Picture& whole = cells[i].picture;
    const bool trimmed = trims[i].width != whole.width || trims[i].height != whole.height;
    frames[cells[i].name] = Json::object({{"frame", rectangle(places[part_of[i]])},
                                          {"rotated", false},
                                          {"trimmed", trimmed},
                                          {"spriteSourceSize", rectangle(trims[i])},
                                          {"sourceSize", Json::object({{"w", whole.width}, {"h", whole.height}})},
                                          {"pivot", Json::object({{"x", names.pivot.x()}, {"y", names.pivot.y()}})},
                                          {"duration", std::round(1000 * cells[i].seconds)}});
  }
  sheet.json = Json::object({{"frames", std::move(frames)},
                             {"meta", Json::object({{"app", "Crumple"},
                                                    {"version", "1.0"},
                                                    {"image", names.image},
                                                    {"format", "RGBA8888"},
                                                    {"size", Json::object({{"w", used}, {"h", height}})},
                                                    {"scale", "1"},
                                                    {"frameTags", tags_of(cells)}})}});
  return sheet;
}

}  // namespace crumple::render
