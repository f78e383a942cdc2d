#include "crumple/io/obj.h"

#include <algorithm>
#include <climits>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "crumple/io/display_color.h"
#include "crumple/io/text_cursor.h"

namespace crumple::io {
namespace {

/// Where a corner's parts are listed in the file; -1 if it has none.
struct Corner {
  int position = -1, uv = -1, normal = -1;
  bool operator==(const Corner&) const = default;
};

struct CornerHash {
  size_t operator()(const Corner& corner) const {
    return (static_cast<size_t>(corner.position) * 0x9E3779B97F4A7C15u + static_cast<size_t>(corner.uv)) * 0xC2B2AE3D27D4EB4Fu +
           static_cast<size_t>(corner.normal);
  }
};

class ObjReader {
 public:
  ObjReader(std::string_view text, std::string_view name) : cursor_(text, name) {}

  Result<TriMesh> read(bool as_listed) {
    while (!cursor_.failed() && !cursor_.at_end()) {
      read_line();
      if (!cursor_.failed()) cursor_.skip_line();
    }
    if (!cursor_.failed() && triangles_.empty()) cursor_.fail("there are no faces in it");
    if (cursor_.failed()) return cursor_.error();
    return split_ && !as_listed ? build_split() : build_plain();
  }

 private:
  void read_line() {
    const std::string_view keyword = cursor_.word_in_line();
    if (keyword == "v") positions_.push_back(read_vector()), read_color();
    if (keyword == "vn") read_normal();
    if (keyword == "vt") {
      const double u = cursor_.number_in_line("u"), v = cursor_.number_in_line("v");
      uvs_.emplace_back(static_cast<float>(u), static_cast<float>(1 - v));
    }
    if (keyword == "f") read_face();
  }

  Vec3 read_vector() {
    const double x = cursor_.number_in_line("x"), y = cursor_.number_in_line("y"), z = cursor_.number_in_line("z");
    return {x, y, z};
  }

  /// "v x y z r g b", as sculpting and scanning tools write it; a single number more is a weight, which is ignored.
  void read_color() {
    const std::string_view red = cursor_.word_in_line(), green = cursor_.word_in_line(), blue = cursor_.word_in_line();
    if (blue.empty()) return;
    const auto channel = [&](std::string_view word) { return linear_from_display(std::clamp(cursor_.parse_number(word, "a colour"), 0.0, 1.0)); };
    colors_.emplace_back(channel(red), channel(green), channel(blue));
  }

  /// Colours count only if every vertex has one.
  bool has_colors() const { return !colors_.empty() && colors_.size() == positions_.size(); }

  /// Equal normals get one number, however often the file repeats them.
  void read_normal() {
    const Vec3 n = read_vector();
    const auto [place, ignored] = distinct_normals_.try_emplace({n.x(), n.y(), n.z()}, static_cast<int>(distinct_normals_.size()));
    normals_.push_back(place->second);
  }

  void read_face() {
    polygon_.clear();
    for (std::string_view word = cursor_.word_in_line(); !word.empty(); word = cursor_.word_in_line()) polygon_.push_back(read_corner(word));
    if (cursor_.failed()) return;
    if (polygon_.size() < 3) return cursor_.fail("a face needs at least three corners");
    for (size_t i = 2; i < polygon_.size(); ++i) triangles_.push_back({polygon_[0], polygon_[i - 1], polygon_[i]});
  }

  /// "7", "7/2", "7//3", "7/2/3", each from 1, or negative to count from the latest.
  Corner read_corner(std::string_view word) {
    auto next_part = [&] {
      const std::string_view part = word.substr(0, word.find('/'));
      word.remove_prefix(std::min(word.size(), part.size() + 1));
      return part;
    };
    Corner corner;
    corner.position = read_index(next_part(), "vertex", positions_.size());
    if (const std::string_view part = next_part(); !part.empty()) corner.uv = read_index(part, "texture coordinate", uvs_.size()), has_uvs_ = true;
    if (const std::string_view part = next_part(); !part.empty()) corner.normal = normal_at(read_index(part, "normal", normals_.size()));
    split_ |= corner.uv >= 0 || corner.normal >= 0;
    return corner;
  }

  int normal_at(int index) const { return index >= 0 && static_cast<size_t>(index) < normals_.size() ? normals_[index] : -1; }

  int read_index(std::string_view word, std::string_view what, size_t count) {
    const long index = cursor_.parse_whole(word, what, -static_cast<long>(count), static_cast<long>(count));
    if (index == 0) cursor_.fail(fmt::format("a face asks for {} 0, but they are counted from 1 and {} came before it", what, count));
    return static_cast<int>(index > 0 ? index - 1 : static_cast<long>(count) + index);
  }

  Result<TriMesh> build_plain() {
    TriMesh mesh;
    if (has_colors()) mesh.colors = std::move(colors_);
    mesh.positions = std::move(positions_);
    for (const auto& [a, b, c] : triangles_) mesh.triangles.push_back({a.position, b.position, c.position});
    return mesh;
  }

  Result<TriMesh> build_split() {
    TriMesh mesh;
    const bool colored = has_colors();
    std::unordered_map<Corner, int, CornerHash> vertex_of;  // only looked up, so its order does not matter
    auto vertex = [&](const Corner& corner) {
      const auto [place, is_new] = vertex_of.try_emplace(corner, static_cast<int>(mesh.positions.size()));
      if (is_new) {
        mesh.positions.push_back(positions_[corner.position]);
        if (colored) mesh.colors.push_back(colors_[corner.position]);
        if (has_uvs_) mesh.uvs.push_back(corner.uv >= 0 ? uvs_[corner.uv] : Vec2f(0, 0));
      }
      return place->second;
    };
    for (const auto& corners : triangles_) {
      const int a = vertex(corners[0]), b = vertex(corners[1]), c = vertex(corners[2]);
      mesh.triangles.push_back({a, b, c});
    }
    return mesh;
  }

  TextCursor cursor_;
  std::vector<Vec3> positions_;
  std::vector<Vec3f> colors_;
  std::vector<Vec2f> uvs_;
  std::vector<int> normals_;  // number of each among the distinct ones
  std::map<std::array<double, 3>, int> distinct_normals_;
  std::vector<std::array<Corner, 3>> triangles_;
  std::vector<Corner> polygon_;
  bool has_uvs_ = false, split_ = false;
};

}  // namespace

static Result<TriMesh> parse(std::string_view text, std::string_view name, bool as_listed) {
  // Every vertex takes six bytes and every corner two, so below this size all indices are ints.
  if (text.size() > static_cast<size_t>(INT_MAX)) return input_error(fmt::format("{}: is larger than 2 GiB", name));
  return ObjReader(text, name).read(as_listed);
}

Result<TriMesh> parse_obj(std::string_view text, std::string_view name) {
  return parse(text, name, false);
}

Result<TriMesh> parse_obj_vertices(std::string_view text, std::string_view name) {
  return parse(text, name, true);
}

std::string write_obj(const TriMesh& mesh) {
  std::string text;
  auto out = std::back_inserter(text);
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3& p = mesh.positions[v];
    fmt::format_to(out, "v {} {} {}", p.x(), p.y(), p.z());
    for (int channel = 0; channel < 3 && !mesh.colors.empty(); ++channel)
      fmt::format_to(out, " {:.4g}", display_from_linear(mesh.colors[v][channel]));
    text += '\n';
  }
  for (const Vec2f& uv : mesh.uvs) fmt::format_to(out, "vt {} {}\n", uv.x(), 1 - uv.y());
  for (const auto& [a, b, c] : mesh.triangles) {
    if (mesh.uvs.empty()) {
      fmt::format_to(out, "f {} {} {}\n", a + 1, b + 1, c + 1);
    } else {
      fmt::format_to(out, "f {0}/{0} {1}/{1} {2}/{2}\n", a + 1, b + 1, c + 1);
    }
  }
  return text;
}

}  // namespace crumple::io
