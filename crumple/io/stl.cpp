#include "crumple/io/stl.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "crumple/io/text_cursor.h"

namespace crumple::io {
namespace {

constexpr size_t kHeader = 84, kFacet = 50;  // bytes of a binary file
constexpr double kCrease = 0.77;             // cosine of 40 degrees between facets that are shaded as one
constexpr size_t kCrowd = 64;                // facets at one place beyond which creases are not looked for

using Corners = std::vector<Vec3>;  // three a facet

size_t announced_facets(std::string_view bytes) {
  uint32_t count = 0;
  std::memcpy(&count, bytes.data() + kHeader - 4, 4);
  return count;
}

bool is_binary(std::string_view bytes) {
  if (!bytes.starts_with("solid")) return true;
  if (bytes.size() >= kHeader && bytes.size() == kHeader + kFacet * announced_facets(bytes)) return true;
  return bytes.substr(0, 512).find('\0') != std::string_view::npos;
}

Result<Corners> read_binary(std::string_view bytes, std::string_view name) {
  if (bytes.size() < kHeader) return input_error(fmt::format("{}: {} bytes are too few for an STL file", name, bytes.size()));
  const size_t count = announced_facets(bytes), there = (bytes.size() - kHeader) / kFacet;
  if (count > there) return input_error(fmt::format("{}: announces {} facets but ends after {}: it is cut off, or no STL file", name, count, there));
  Corners corners;
  corners.reserve(3 * count);
  for (size_t f = 0; f < count; ++f) {
    float numbers[12];
    std::memcpy(numbers, bytes.data() + kHeader + kFacet * f, sizeof numbers);
    for (int i = 3; i < 12; i += 3) corners.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  }
  return corners;
}

/// Also "nan" and "inf", which broken exporters write.
double any_number(TextCursor& cursor) {
  std::string_view word = cursor.word_in_line();
  if (word.starts_with('+')) word.remove_prefix(1);
  double number = 0;
  const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (trouble == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  if (word.empty() || trouble != std::errc() || end != word.data() + word.size()) cursor.fail("expected the three coordinates of a vertex");
  return number;
}

/// Words that only stand between whole facets.
bool ends_facet(std::string_view word) {
  for (const std::string_view end : {"facet", "FACET", "endfacet", "ENDFACET", "solid", "SOLID", "endsolid", "ENDSOLID"}) {
    if (word == end) return true;
  }
  return false;
}

Result<Corners> read_text(std::string_view bytes, std::string_view name) {
  TextCursor cursor(bytes, name);
  Corners corners;
  cursor.skip_line();  // "solid" and a name
  bool ended = false;
  while (!cursor.at_end() && !cursor.failed()) {
    const std::string_view word = cursor.word();
    if (word == "vertex" || word == "VERTEX") {
      const double x = any_number(cursor);
      const double y = any_number(cursor);
      const double z = any_number(cursor);
      corners.emplace_back(x, y, z);
    } else if (corners.size() % 3 != 0 && ends_facet(word)) {
      cursor.fail("a facet that has not three vertices");
    }
    ended = word == "endsolid" || word == "ENDSOLID";
    cursor.skip_line();
  }
  if (cursor.failed()) return cursor.error();
  if (!ended) return input_error(fmt::format("{}: does not end with \"endsolid\": it is cut off", name));
  return corners;
}

/// Orders positions by their bits; -0 is 0 and every NaN is a place of its own kind.
std::array<uint64_t, 3> key_of(const Vec3& p) {
  return {std::bit_cast<uint64_t>(p.x() + 0.0), std::bit_cast<uint64_t>(p.y() + 0.0), std::bit_cast<uint64_t>(p.z() + 0.0)};
}

Vec3 normal_of(const Corners& corners, size_t facet) {
  return (corners[3 * facet + 1] - corners[3 * facet]).cross(corners[3 * facet + 2] - corners[3 * facet]).normalized();
}

/// Gives corners in one place whose facets are smooth to each other (directly or over others there) one vertex.
class Welding {
 public:
  explicit Welding(const Corners& corners) : corners_(corners), order_(corners.size()), vertex_(corners.size(), -1) {}

  TriMesh run() {
    std::vector<std::array<uint64_t, 3>> keys(corners_.size());
    for (size_t i = 0; i < corners_.size(); ++i) keys[i] = key_of(corners_[i]);
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return std::tie(keys[a], a) < std::tie(keys[b], b); });
    for (size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      while (end < order_.size() && keys[order_[end]] == keys[order_[begin]]) ++end;
      group(std::span(order_).subspan(begin, end - begin));
    }
    // Vertices are numbered as the file first names them.
    TriMesh mesh;
    std::vector<int> number(corners_.size(), -1);
    for (size_t i = 0; i < corners_.size(); ++i) {
      int& mine = number[static_cast<size_t>(vertex_[i])];
      if (mine < 0) mine = static_cast<int>(mesh.positions.size()), mesh.positions.push_back(corners_[i]);
      if (i % 3 == 0) mesh.triangles.emplace_back();
      mesh.triangles.back()[i % 3] = mine;
    }
    return mesh;
  }

 private:
  void group(std::span<const size_t> here) {
    if (here.size() > kCrowd) {
      for (const size_t i : here) vertex_[i] = static_cast<int>(here[0]);
      return;
    }
    std::vector<Vec3> normals;
    for (const size_t i : here) normals.push_back(normal_of(corners_, i / 3));
    std::vector<size_t> waiting;
    for (size_t seed = 0; seed < here.size(); ++seed) {
      if (vertex_[here[seed]] >= 0) continue;
      vertex_[here[seed]] = static_cast<int>(here[seed]);
      waiting.assign(1, seed);
      while (!waiting.empty()) {
        const size_t one = waiting.back();
        waiting.pop_back();
        for (size_t other = seed + 1; other < here.size(); ++other) {
          if (vertex_[here[other]] >= 0 || !(normals[one].dot(normals[other]) > kCrease)) continue;
          vertex_[here[other]] = static_cast<int>(here[seed]);
          waiting.push_back(other);
        }
      }
    }
  }

  const Corners& corners_;
  std::vector<size_t> order_;
  std::vector<int> vertex_;  // #corners: the first corner of the same vertex
};

}  // namespace

Result<TriMesh> parse_stl(std::string_view bytes, std::string_view name) {
  const Result<Corners> corners = is_binary(bytes) ? read_binary(bytes, name) : read_text(bytes, name);
  if (!corners) return corners.error();
  assert(corners->size() % 3 == 0);
  if (corners->empty()) return input_error(fmt::format("{}: holds no facet", name));
  return Welding(*corners).run();
}

}  // namespace crumple::io
