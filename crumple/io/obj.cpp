#include "crumple/io/obj.h"

#include <algorithm>
#include <climits>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/characters.h"
#include "crumple/core/index.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/display_color.h"
#include "crumple/io/files.h"
#include "crumple/io/mtl.h"
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

  const std::vector<std::string>& libraries() const { return libraries_; }

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
    if (keyword == "usemtl") material_ = material_numbers_.number_of(as_utf8(rest_of_line()));
    if (keyword == "o") object_ = group_numbers_.number_of(as_utf8(rest_of_line())), has_objects_ = true;
    if (keyword == "g" && !has_objects_) object_ = group_numbers_.number_of(as_utf8(rest_of_line()));
    if (keyword == "mtllib") libraries_.push_back(rest_of_line());
  }

  std::string rest_of_line() {
    std::string text;
    for (std::string_view word = cursor_.word_in_line(); !word.empty(); word = cursor_.word_in_line()) text += (text.empty() ? "" : " ") + std::string(word);
    return text;
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
    const auto [place, is_new] = distinct_normals_.try_emplace({n.x(), n.y(), n.z()}, static_cast<int>(distinct_normals_.size()));
    if (is_new) directions_.push_back(n.stableNormalized().cast<float>());
    normals_.push_back(place->second);
  }

  void read_face() {
    polygon_.clear();
    for (std::string_view word = cursor_.word_in_line(); !word.empty(); word = cursor_.word_in_line()) polygon_.push_back(read_corner(word));
    if (cursor_.failed()) return;
    if (polygon_.size() < 3) return cursor_.fail("a face needs at least three corners");
    for (size_t i = 2; i < polygon_.size(); ++i) {
      triangles_.push_back({polygon_[0], polygon_[i - 1], polygon_[i]});
      material_of_.push_back(material_);
      object_of_.push_back(object_);
    }
  }

  /// Numbers of names, in the order in which they are first met. Beyond what triangles can carry, all have the last.
  struct Names {
    std::vector<std::string> names;
    std::map<std::string, int> numbers;
    int number_of(const std::string& name) {
      const auto [place, is_new] = numbers.try_emplace(name, static_cast<int>(std::min<size_t>(names.size(), 65534)));
      if (is_new && names.size() < 65535) names.push_back(name);
      return place->second;
    }
  };

  /// Triangles before the first name belong to one without.
  static std::vector<uint16_t> numbers_of(std::vector<int>& of_triangles, Names& names) {
    if (names.names.empty()) return {};
    const bool has_nameless = std::ranges::find(of_triangles, -1) != of_triangles.end();
    const int nameless = has_nameless ? names.number_of("") : 0;
    std::vector<uint16_t> numbers;
    for (const int number : of_triangles) numbers.push_back(static_cast<uint16_t>(number < 0 ? nameless : number));
    return numbers;
  }

  void take_names(TriMesh& mesh) {
    mesh.material = numbers_of(material_of_, material_numbers_);
    mesh.group = numbers_of(object_of_, group_numbers_);
    if (!mesh.group.empty()) mesh.groups = std::make_shared<const std::vector<std::string>>(group_numbers_.names);
    if (mesh.material.empty()) return;
    Materials materials;
    for (const std::string& name : material_numbers_.names) {
      materials.emplace_back();
      materials.back().name = name, materials.back().metal = 0, materials.back().roughness = 0.6, materials.back().color = Vec3f(0.62f, 0.62f, 0.60f);
    }
    mesh.materials = std::make_shared<const Materials>(std::move(materials));
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
    take_names(mesh);
    return mesh;
  }

  Result<TriMesh> build_split() {
    TriMesh mesh;
    const bool colored = has_colors();
    const bool has_normals = std::ranges::all_of(triangles_, [](const auto& corners) { return std::ranges::all_of(corners, [](const Corner& c) { return c.normal >= 0; }); });
    std::unordered_map<Corner, int, CornerHash> vertex_of;  // only looked up, so its order does not matter
    auto vertex = [&](const Corner& corner) {
      const auto [place, is_new] = vertex_of.try_emplace(corner, static_cast<int>(mesh.positions.size()));
      if (is_new) {
        mesh.positions.push_back(positions_[corner.position]);
        if (colored) mesh.colors.push_back(colors_[corner.position]);
        if (has_uvs_) mesh.uvs.push_back(corner.uv >= 0 ? uvs_[corner.uv] : Vec2f(0, 0));
        if (has_normals) mesh.normals.push_back(directions_[corner.normal]);
      }
      return place->second;
    };
    for (const auto& corners : triangles_) {
      const int a = vertex(corners[0]), b = vertex(corners[1]), c = vertex(corners[2]);
      mesh.triangles.push_back({a, b, c});
    }
    take_names(mesh);
    drop_unfit_attributes(mesh);
    return mesh;
  }

  TextCursor cursor_;
  std::vector<Vec3> positions_;
  std::vector<Vec3f> colors_;
  std::vector<Vec2f> uvs_;
  std::vector<int> normals_;  // number of each among the distinct ones
  std::vector<Vec3f> directions_;  // the distinct ones
  std::map<std::array<double, 3>, int> distinct_normals_;
  std::vector<std::array<Corner, 3>> triangles_;
  std::vector<int> material_of_, object_of_;  // #triangles; -1: none
  std::vector<Corner> polygon_;
  Names material_numbers_, group_numbers_;
  std::vector<std::string> libraries_;
  int material_ = -1, object_ = -1;
  bool has_objects_ = false;
  bool has_uvs_ = false, split_ = false;
};

}  // namespace

static Result<TriMesh> parse(std::string_view text, std::string_view name, bool as_listed, std::vector<std::string>* libraries = nullptr) {
  // Every vertex takes six bytes and every corner two, so below this size all indices are ints.
  if (text.size() > static_cast<size_t>(INT_MAX)) return input_error(fmt::format("{}: is larger than 2 GiB", name));
  ObjReader reader(text, name);
  Result<TriMesh> mesh = reader.read(as_listed);
  if (libraries) *libraries = reader.libraries();
  return mesh;
}

/// A file of materials: by its name, or by the bare name if that is of another machine.
static Result<Materials> read_library(const std::filesystem::path& file, std::string name, std::vector<std::string>& lost) {
  std::ranges::replace(name, '\\', '/');
  const std::filesystem::path given(name), folder = file.parent_path();
  const bool is_below = !given.is_absolute() && std::ranges::find(given, "..") == given.end();
  Result<std::string> text = is_below ? read_file(folder / given) : input_error("");
  if (!text) text = read_file(folder / given.filename());
  if (!text) {
    lost.push_back(fmt::format("materials of \"{}\", which is not there", name));
    return Materials();
  }
  return parse_mtl(*text, (folder / given.filename()).string(), folder, lost);
}

/// Fills in what the files of materials say of those that the surface names.
static Result<void> read_obj_materials(const std::filesystem::path& file, const std::vector<std::string>& libraries, TriMesh& mesh, std::vector<std::string>& lost) {
  if (!mesh.materials) return {};
  Materials materials = *mesh.materials, all;
  for (const std::string& library : libraries) {
    const Result<Materials> read = read_library(file, library, lost);
    if (!read) return read.error();
    all.insert(all.end(), read->begin(), read->end());
  }
  for (SurfaceMaterial& material : materials) {
    const auto found = std::ranges::find(all.rbegin(), all.rend(), material.name, &SurfaceMaterial::name);
    if (found != all.rend()) {
      material = *found;
    } else if (materials.size() == 1 && all.size() == 1) {
      lost.push_back(fmt::format("the name of material \"{}\": \"{}\" has only \"{}\", which is taken", material.name, libraries[0], all[0].name));
      material = all[0];
    } else if (!all.empty() && !material.name.empty()) {
      lost.push_back(fmt::format("the look of material \"{}\", which is in none of its .mtl files", material.name));
    }
  }
  mesh.materials = std::make_shared<const Materials>(std::move(materials));
  return {};
}

Result<TriMesh> read_obj(const std::filesystem::path& file, std::vector<std::string>& lost) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  std::vector<std::string> libraries;
  Result<TriMesh> mesh = parse(*text, file.string(), false, &libraries);
  if (!mesh) return mesh;
  if (const Result<void> read = read_obj_materials(file, libraries, *mesh, lost); !read) return read.error();
  return mesh;
}

Result<TriMesh> parse_obj(std::string_view text, std::string_view name) {
  return parse(text, name, false);
}

Result<TriMesh> parse_obj_vertices(std::string_view text, std::string_view name) {
  return parse(text, name, true);
}

std::string obj_name(const std::string& name) {
  std::string result = name.empty() ? "item" : name;
  for (char& letter : result) {
    if (static_cast<unsigned char>(letter) <= ' ') letter = '_';
  }
  return result;
}

static void add_number(double value, std::string& text) {
  const auto single = static_cast<float>(value);
  if (double{single} == value) {
    fmt::format_to(std::back_inserter(text), " {}", single);
  } else {
    fmt::format_to(std::back_inserter(text), " {}", value);
  }
}

std::string write_obj(const TriMesh& mesh, const ObjStyle& style) {
  std::string text;
  auto out = std::back_inserter(text);
  if (!style.mtl.empty()) fmt::format_to(out, "mtllib {}\n", style.mtl);
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    text += 'v';
    for (int axis = 0; axis < 3; ++axis) add_number(mesh.positions[v][axis], text);
    for (int channel = 0; channel < 3 && !mesh.colors.empty(); ++channel)
      fmt::format_to(out, " {:.4g}", display_from_linear(mesh.colors[v][channel]));
    text += '\n';
  }
  for (const Vec2f& uv : mesh.uvs) fmt::format_to(out, "vt {} {}\n", uv.x(), 1 - uv.y());
  for (const Vec3f& n : mesh.normals) fmt::format_to(out, "vn {:.5g} {:.5g} {:.5g}\n", n.x(), n.y(), n.z());
  const auto corner = [&](int v) {
    const int number = v + 1;
    if (mesh.uvs.empty() && mesh.normals.empty()) return fmt::format(" {}", number);
    if (mesh.normals.empty()) return fmt::format(" {0}/{0}", number);
    return mesh.uvs.empty() ? fmt::format(" {0}//{0}", number) : fmt::format(" {0}/{0}/{0}", number);
  };
  int group = -1, material = -1;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (mesh.groups && mesh.group_of(t) != group) {
      group = mesh.group_of(t);
      fmt::format_to(out, "{} {}\n", style.group, obj_name((*mesh.groups)[at(group)]));
    }
    if (mesh.materials && !style.mtl.empty() && mesh.material_of(t) != material) {
      material = mesh.material_of(t);
      fmt::format_to(out, "usemtl {}\n", obj_name((*mesh.materials)[at(material)].name));
    }
    const auto& [a, b, c] = mesh.triangles[t];
    text += 'f' + corner(a) + corner(b) + corner(c) + '\n';
  }
  return text;
}

Result<void> write_obj_files(const TriMesh& mesh, const std::filesystem::path& file) {
  if (!mesh.materials) return write_file(file, write_obj(mesh));
  const std::filesystem::path library = std::filesystem::path(file).replace_extension(".mtl");
  PictureFiles pictures(file);
  if (Result<void> written = write_file(library, write_mtl(*mesh.materials, pictures)); !written) return written;
  if (Result<void> written = pictures.write(); !written) return written;
  return write_file(file, write_obj(mesh, {library.filename().string()}));
}

}  // namespace crumple::io
