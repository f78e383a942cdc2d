#include "crumple/io/ply.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/display_color.h"
#include "crumple/io/text_cursor.h"

namespace crumple::io {
namespace {

enum class Scalar { Int8, Uint8, Int16, Uint16, Int32, Uint32, Float32, Float64 };

std::optional<Scalar> scalar_of(std::string_view word) {
  struct Name {
    std::string_view word;
    Scalar scalar;
  };
  static constexpr Name kNames[] = {
      {"char", Scalar::Int8},     {"int8", Scalar::Int8},       {"uchar", Scalar::Uint8},    {"uint8", Scalar::Uint8},
      {"short", Scalar::Int16},   {"int16", Scalar::Int16},     {"ushort", Scalar::Uint16},  {"uint16", Scalar::Uint16},
      {"int", Scalar::Int32},     {"int32", Scalar::Int32},     {"uint", Scalar::Uint32},    {"uint32", Scalar::Uint32},
      {"float", Scalar::Float32}, {"float32", Scalar::Float32}, {"double", Scalar::Float64}, {"float64", Scalar::Float64}};
  for (const Name& name : kNames) {
    if (name.word == word) return name.scalar;
  }
  return std::nullopt;
}

size_t bytes_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::Int8:
    case Scalar::Uint8:
      return 1;
    case Scalar::Int16:
    case Scalar::Uint16:
      return 2;
    case Scalar::Float64:
      return 8;
    default:
      return 4;
  }
}

template <class T>
double load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double load_scalar(const char* at, Scalar scalar) {
  switch (scalar) {
    case Scalar::Int8:
      return load<int8_t>(at);
    case Scalar::Uint8:
      return load<uint8_t>(at);
    case Scalar::Int16:
      return load<int16_t>(at);
    case Scalar::Uint16:
      return load<uint16_t>(at);
    case Scalar::Int32:
      return load<int32_t>(at);
    case Scalar::Uint32:
      return load<uint32_t>(at);
    case Scalar::Float32:
      return load<float>(at);
    case Scalar::Float64:
      return load<double>(at);
  }
  return 0;
}

struct Property {
  std::string name;
  Scalar scalar = Scalar::Float32;
  std::optional<Scalar> list_count;  // given: a list, whose length is of this kind
};

struct Element {
  std::string name;
  size_t count = 0;
  std::vector<Property> properties;

  int find(std::initializer_list<std::string_view> names) const {
    for (size_t i = 0; i < properties.size(); ++i) {
      if (std::find(names.begin(), names.end(), properties[i].name) != names.end()) return static_cast<int>(i);
    }
    return -1;
  }
};

struct Header {
  bool binary = false;
  std::vector<Element> elements;
  size_t body = 0;  // where the data begin
};

constexpr size_t kMaxProperties = 1000;

void read_property(TextCursor& cursor, Header& header) {
  if (header.elements.empty()) return cursor.fail("a property stands before any element");
  Property property;
  std::string_view type = cursor.word_in_line();
  if (type == "list") {
    property.list_count = scalar_of(cursor.word_in_line());
    if (!property.list_count) return cursor.fail("the list's length is of no known type");
    type = cursor.word_in_line();
  }
  const std::optional<Scalar> scalar = scalar_of(type);
  if (!scalar) return cursor.fail("the property is of no known type");
  property.scalar = *scalar;
  property.name = cursor.word_in_line();
  header.elements.back().properties.push_back(std::move(property));
  if (header.elements.back().properties.size() > kMaxProperties) cursor.fail("an element has too many properties");
}

Result<Header> read_header(std::string_view bytes, std::string_view name) {
  if (!bytes.starts_with("ply")) return input_error(fmt::format("{}: is not a PLY file: it does not start with \"ply\"", name));
  TextCursor cursor(bytes, name);
  Header header;
  cursor.skip_line();
  while (!cursor.failed()) {
    if (cursor.at_end()) {
      cursor.fail("the header has no end; the file is cut off");
      break;
    }
    const std::string_view keyword = cursor.word_in_line();
    if (keyword == "format") {
      const std::string_view format = cursor.word_in_line();
      header.binary = format == "binary_little_endian";
      if (!header.binary && format != "ascii") cursor.fail("can be read only as ascii or binary_little_endian");
    }
    if (keyword == "element") {
      Element element;
      element.name = cursor.word_in_line();
      element.count = static_cast<size_t>(cursor.parse_whole(cursor.word_in_line(), "the number of elements", 0, INT32_MAX));
      header.elements.push_back(std::move(element));
    }
    if (keyword == "property") read_property(cursor, header);
    if (!cursor.failed()) cursor.skip_line();
    if (keyword == "end_header") break;
  }
  if (cursor.failed()) return cursor.error();
  header.body = cursor.offset();
  return header;
}

/// Gives one number after the other, from text or bytes, and notices the end.
class NumberSource {
 public:
  NumberSource(const Header& header, std::string_view bytes, std::string_view name)
      : binary_(header.binary), rest_(bytes.substr(header.body)), name_(name), cursor_(rest_, name) {}

  double next(Scalar scalar) {
    if (!binary_) return cursor_.number("a value");
    const size_t size = bytes_of(scalar);
    if (size > rest_.size()) {
      cursor_.fail("the data end too early; the file is cut off");
      rest_ = {};
      return 0;
    }
    const double value = load_scalar(rest_.data(), scalar);
    rest_.remove_prefix(size);
    if (!std::isfinite(value)) cursor_.fail("a value is not finite");
    return value;
  }

  /// Upper bound of the values that the rest of the data can hold.
  size_t most_values() const { return binary_ ? rest_.size() : (rest_.size() - cursor_.offset()) / 2 + 1; }
  bool failed() const { return cursor_.failed(); }
  void fail(std::string_view complaint) { cursor_.fail(complaint); }
  /// Lines of the body mean nothing to a reader of the whole file.
  Error error() const { return input_error(fmt::format("{}: {}", name_, cursor_.error().text.substr(cursor_.error().text.find(": ") + 2))); }

 private:
  bool binary_;
  std::string_view rest_;
  std::string name_;
  TextCursor cursor_;
};

uint8_t display_byte(float linear) {
  return static_cast<uint8_t>(std::lround(display_from_linear(linear) * 255));
}

class PlyReader {
 public:
  PlyReader(const Header& header, std::string_view bytes, std::string_view name) : header_(header), source_(header, bytes, name) {}

  Result<TriMesh> read() {
    for (const Element& element : header_.elements) {
      if (element.properties.empty()) continue;  // nothing to read, however many there claim to be
      if (element.count > source_.most_values())
        source_.fail(fmt::format("claims {} of \"{}\", but has no room for them", element.count, element.name));
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == "face") {
        read_faces(element);
      } else {
        for (size_t i = 0; i < element.count && !source_.failed(); ++i) read_row(element);
      }
    }
    check();
    if (source_.failed()) return source_.error();
    drop_unfit_attributes(mesh_);
    return std::move(mesh_);
  }

 private:
  /// One value per property; of a list its length, and its items in list_ if it is property `wanted_list`.
  void read_row(const Element& element, int wanted_list = -1) {
    row_.clear();
    for (size_t p = 0; p < element.properties.size() && !source_.failed(); ++p) {
      const Property& property = element.properties[p];
      row_.push_back(source_.next(property.list_count.value_or(property.scalar)));
      if (property.list_count) read_list(property, row_.back(), static_cast<int>(p) == wanted_list);
    }
    row_.resize(element.properties.size());
  }

  void read_list(const Property& property, double length, bool wanted) {
    if (wanted) list_.clear();
    if (!(length >= 0) || length > static_cast<double>(source_.most_values())) return source_.fail("a list has an impossible length");
    for (size_t i = 0; i < static_cast<size_t>(length) && !source_.failed(); ++i) {
      const double value = source_.next(property.scalar);
      if (wanted) list_.push_back(value);
    }
  }

  void read_vertices(const Element& element) {
    const int x = element.find({"x"}), y = element.find({"y"}), z = element.find({"z"});
    const int u = element.find({"s", "u", "texture_u"}), v = element.find({"t", "v", "texture_v"});
    const int red = element.find({"red", "r"}), green = element.find({"green", "g"}), blue = element.find({"blue", "b"});
    if (x < 0 || y < 0 || z < 0) return source_.fail("its vertices have no x, y and z");
    const int nx = element.find({"nx"}), ny = element.find({"ny"}), nz = element.find({"nz"});
    const bool has_color = red >= 0 && green >= 0 && blue >= 0;
    const double full = has_color && element.properties[red].scalar == Scalar::Uint8 ? 255 : 1;
    for (size_t i = 0; i < element.count; ++i) {
      read_row(element);
      if (source_.failed()) return;
      mesh_.positions.emplace_back(row_[x], row_[y], row_[z]);
      if (u >= 0 && v >= 0) mesh_.uvs.emplace_back(static_cast<float>(row_[u]), static_cast<float>(1 - row_[v]));
      if (nx >= 0 && ny >= 0 && nz >= 0) mesh_.normals.push_back(Vec3(row_[nx], row_[ny], row_[nz]).cast<float>());
      if (has_color) {
        mesh_.colors.emplace_back(linear_from_display(row_[red] / full), linear_from_display(row_[green] / full),
                                  linear_from_display(row_[blue] / full));
      }
    }
  }

  void read_faces(const Element& element) {
    const int list = element.find({"vertex_indices", "vertex_index"});
    if (list < 0 || !element.properties[list].list_count) return source_.fail("its faces have no vertex_indices");
    for (size_t i = 0; i < element.count; ++i) {
      list_.clear();
      read_row(element, list);
      if (source_.failed()) return;
      if (list_.size() < 3) return source_.fail(fmt::format("face {} has fewer than three corners", i));
      for (const double index : list_) {
        if (!(index >= 0) || index > INT32_MAX || index != std::floor(index))
          return source_.fail(fmt::format("face {} has an impossible vertex index", i));
      }
      for (size_t c = 2; c < list_.size(); ++c) {
        mesh_.triangles.push_back({static_cast<int>(list_[0]), static_cast<int>(list_[c - 1]), static_cast<int>(list_[c])});
      }
    }
  }

  void check() {
    if (mesh_.triangles.empty()) source_.fail("there are no faces in it");
    for (const Triangle& triangle : mesh_.triangles) {
      for (const int v : triangle) {
        if (static_cast<size_t>(v) >= mesh_.positions.size()) {
          return source_.fail(fmt::format("a face asks for vertex {}, but there are {}", v, mesh_.positions.size()));
        }
      }
    }
  }

  const Header& header_;
  NumberSource source_;
  TriMesh mesh_;
  std::vector<double> row_, list_;
};

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Result<TriMesh> parse_ply(std::string_view bytes, std::string_view name) {
  const Result<Header> header = read_header(bytes, name);
  if (!header) return header.error();
  return PlyReader(*header, bytes, name).read();
}

std::string write_ply(const TriMesh& mesh, const PlyExtras& extras) {
  std::string bytes = fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n",
                                  mesh.positions.size());
  if (!mesh.normals.empty()) bytes += "property float nx\nproperty float ny\nproperty float nz\n";
  if (!mesh.uvs.empty()) bytes += "property float s\nproperty float t\n";
  if (!mesh.colors.empty()) bytes += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  if (!extras.velocities.empty()) bytes += "property float vx\nproperty float vy\nproperty float vz\n";
  if (!extras.body.empty()) bytes += "property int body\n";
  if (!extras.piece.empty()) bytes += "property int piece\n";
  bytes += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.size());
  if (!mesh.material.empty()) bytes += "property int material\n";
  bytes += "end_header\n";
  const auto add = [&](const Vec3f& vector) {
    for (const float number : vector) append(bytes, number);
  };
  for (size_t i = 0; i < mesh.positions.size(); ++i) {
    add(mesh.positions[i].cast<float>());
    if (!mesh.normals.empty()) add(mesh.normals[i]);
    if (!mesh.uvs.empty()) append(bytes, mesh.uvs[i].x()), append(bytes, 1 - mesh.uvs[i].y());
    for (int channel = 0; channel < 3 && !mesh.colors.empty(); ++channel) append(bytes, display_byte(mesh.colors[i][channel]));
    if (!extras.velocities.empty()) add(extras.velocities[i]);
    if (!extras.body.empty()) append(bytes, int32_t{extras.body[i]});
    if (!extras.piece.empty()) append(bytes, int32_t{extras.piece[i]});
  }
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    append(bytes, uint8_t{3});
    for (const int v : mesh.triangles[t]) append(bytes, int32_t{v});
    if (!mesh.material.empty()) append(bytes, int32_t{mesh.material[t]});
  }
  return bytes;
}

}  // namespace crumple::io
