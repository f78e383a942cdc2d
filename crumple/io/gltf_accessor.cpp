#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "crumple/io/gltf.h"

namespace crumple::io {
namespace {

constexpr size_t kMaxNumbers = size_t{1} << 26;
constexpr size_t kFewRows = 4096;

size_t component_bytes(size_t type) {
  switch (type) {
    case kByte:
    case kUnsignedByte:
      return 1;
    case kShort:
    case kUnsignedShort:
      return 2;
    case kUnsignedInt:
    case kFloat:
      return 4;
    default:
      return 0;
  }
}

const char* type_name(int components) {
  switch (components) {
    case 1:
      return "SCALAR";
    case 2:
      return "VEC2";
    case 3:
      return "VEC3";
    case 4:
      return "VEC4";
    default:
      return "MAT4";
  }
}

template <class T>
double load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double component_at(const std::byte* at, size_t type, bool normalized) {
  switch (type) {
    case kByte:
      return normalized ? std::max(load<int8_t>(at) / 127.0, -1.0) : load<int8_t>(at);
    case kUnsignedByte:
      return load<uint8_t>(at) / (normalized ? 255.0 : 1.0);
    case kShort:
      return normalized ? std::max(load<int16_t>(at) / 32767.0, -1.0) : load<int16_t>(at);
    case kUnsignedShort:
      return load<uint16_t>(at) / (normalized ? 65535.0 : 1.0);
    case kUnsignedInt:
      return load<uint32_t>(at);
    default:
      return load<float>(at);
  }
}

/// Rows of numbers somewhere in the buffer, known to lie inside it.
struct Rows {
  const std::byte* data = nullptr;
  size_t stride = 0;
};

/// A member that may be left out.
Result<size_t> index_or(const GltfDocument& document, const Json& object, std::string_view key, size_t otherwise, std::string_view where) {
  if (!object.find(key)) return otherwise;
  return gltf_index(document, object, key, where);
}

/// Finds `count` rows of `row_bytes` each that start `offset` bytes into the buffer view named by `object`.
Result<Rows> find_rows(const GltfDocument& document, const Json& object, size_t count, size_t row_bytes, const std::string& where) {
  const Result<size_t> view_index = gltf_index(document, object, "bufferView", where);
  if (!view_index) return view_index.error();
  const Result<const Json*> view = gltf_item(document, "bufferViews", *view_index, where);
  if (!view) return view.error();
  const std::string view_where = fmt::format("/bufferViews/{}", *view_index);
  const Result<size_t> buffer = index_or(document, **view, "buffer", 0, view_where);
  const Result<size_t> start = index_or(document, **view, "byteOffset", 0, view_where);
  const Result<size_t> length = gltf_index(document, **view, "byteLength", view_where);
  const Result<size_t> stride = index_or(document, **view, "byteStride", row_bytes, view_where);
  const Result<size_t> offset = index_or(document, object, "byteOffset", 0, where);
  for (const auto* number : {&buffer, &start, &length, &stride, &offset}) {
    if (!*number) return number->error();
  }
  if (*buffer != 0) return input_error(fmt::format("{}: {}: asks for buffer {}, but there is only one", document.name, view_where, *buffer));
  if (*start > document.buffer.size() || *length > document.buffer.size() - *start) {
    return input_error(fmt::format("{}: {}: {} bytes from {} reach past the end of the buffer ({} bytes)", document.name, view_where, *length, *start,
                                   document.buffer.size()));
  }
  if (*stride < row_bytes)
    return input_error(fmt::format("{}: {}: byteStride {} is less than a row of {} bytes", document.name, view_where, *stride, row_bytes));
  // No product here can overflow: rows that fit are counted by division.
  const bool fits = *offset <= *length && row_bytes <= *length - *offset && (count - 1) <= (*length - *offset - row_bytes) / *stride;
  if (!fits) {
    return input_error(
        fmt::format("{}: {}: {} rows of {} bytes do not fit into its buffer view of {} bytes", document.name, where, count, row_bytes, *length));
  }
  return Rows{document.buffer.data() + *start + *offset, *stride};
}

struct Layout {
  size_t count = 0, type = 0;
  bool normalized = false;
};

Result<Layout> layout_of(const GltfDocument& document, const Json& accessor, int components, const std::string& where) {
  const Result<size_t> count = gltf_index(document, accessor, "count", where);
  if (!count) return count.error();
  const Result<size_t> type = gltf_index(document, accessor, "componentType", where);
  if (!type) return type.error();
  const Json* shape = accessor.find("type");
  if (!shape || shape->text != type_name(components)) {
    return input_error(
        fmt::format("{}: {}: should be of type {}, but is {}", document.name, where, type_name(components), shape ? shape->text : "nothing"));
  }
  if (component_bytes(*type) == 0) return input_error(fmt::format("{}: {}: unknown componentType {}", document.name, where, *type));
  // Matrices of small integers are padded by column; no known tool writes them.
  if (components == 16 && *type != kFloat) return input_error(fmt::format("{}: {}: matrices must be of floats", document.name, where));
  if (*count == 0) return input_error(fmt::format("{}: {}: is empty", document.name, where));
  if (*count > kMaxNumbers / static_cast<size_t>(components)) {
    return input_error(fmt::format("{}: {}: {} rows are more than can be read", document.name, where, *count));
  }
  const Json* normalized = accessor.find("normalized");
  return Layout{*count, *type, normalized && normalized->boolean};
}

template <class T>
class NumberReader {
 public:
  NumberReader(const GltfDocument& document, size_t accessor, int components)
      : document_(document), where_(fmt::format("/accessors/{}", accessor)), index_(accessor), components_(static_cast<size_t>(components)) {}

  Result<std::vector<T>> read() {
    const Result<const Json*> accessor = gltf_item(document_, "accessors", index_, "a reader");
    if (!accessor) return accessor.error();
    const Result<Layout> layout = layout_of(document_, **accessor, static_cast<int>(components_), where_);
    if (!layout) return layout.error();
    layout_ = *layout;
    const bool whole = layout_.type == kUnsignedByte || layout_.type == kUnsignedShort || layout_.type == kUnsignedInt;
    if (std::is_integral_v<T> && !whole) return input_error(fmt::format("{}: {}: should hold whole numbers from 0", document_.name, where_));

    const Json* sparse = (*accessor)->find("sparse");
    const Result<void> base = read_base(**accessor);
    if (!base) return base.error();
    if (sparse) {
      if (const Result<void> filled = read_sparse(*sparse); !filled) return filled.error();
    }
    return std::move(numbers_);
  }

 private:
  size_t row_bytes() const { return component_bytes(layout_.type) * components_; }

  Result<void> read_base(const Json& accessor) {
    if (!accessor.find("bufferView")) {
      // Zeros stand for a mesh whose other data are in the file.
      if (layout_.count > std::max(kFewRows, document_.buffer.size())) {
        return input_error(fmt::format("{}: {}: {} rows without data, in a file with {} bytes of them", document_.name, where_, layout_.count, document_.buffer.size()));
      }
      numbers_.assign(layout_.count * components_, T{0});
      return {};
    }
    const Result<Rows> rows = find_rows(document_, accessor, layout_.count, row_bytes(), where_);
    if (!rows) return rows.error();
    numbers_.resize(layout_.count * components_);
    for (size_t row = 0; row < layout_.count; ++row) {
      if (!copy_row(rows->data + row * rows->stride, row)) return not_finite(row);
    }
    return {};
  }

  Result<void> read_sparse(const Json& sparse) {
    const std::string where = where_ + "/sparse";
    const Result<size_t> count = gltf_index(document_, sparse, "count", where);
    if (!count) return count.error();
    const Json* indices = sparse.find("indices");
    const Json* values = sparse.find("values");
    if (!indices || !values || *count == 0 || *count > layout_.count) {
      return input_error(fmt::format("{}: {}: needs indices, values and a count from 1 to {}", document_.name, where, layout_.count));
    }
    const Result<size_t> type = gltf_index(document_, *indices, "componentType", where + "/indices");
    if (!type) return type.error();
    if (*type != kUnsignedByte && *type != kUnsignedShort && *type != kUnsignedInt) {
      return input_error(fmt::format("{}: {}/indices: should hold whole numbers from 0", document_.name, where));
    }
    const Result<Rows> index_rows = find_rows(document_, *indices, *count, component_bytes(*type), where + "/indices");
    if (!index_rows) return index_rows.error();
    const Result<Rows> value_rows = find_rows(document_, *values, *count, row_bytes(), where + "/values");
    if (!value_rows) return value_rows.error();
    for (size_t i = 0; i < *count; ++i) {
      const auto row = static_cast<size_t>(component_at(index_rows->data + i * index_rows->stride, *type, false));
      if (row >= layout_.count)
        return input_error(fmt::format("{}: {}: row {} is out of range (there are {})", document_.name, where, row, layout_.count));
      if (!copy_row(value_rows->data + i * value_rows->stride, row)) return not_finite(row);
    }
    return {};
  }

  bool copy_row(const std::byte* from, size_t row) {
    const size_t size = component_bytes(layout_.type);
    for (size_t c = 0; c < components_; ++c) {
      const double value = component_at(from + c * size, layout_.type, layout_.normalized && !std::is_integral_v<T>);
      if (!std::isfinite(value)) return false;
      numbers_[row * components_ + c] = static_cast<T>(value);
    }
    return true;
  }

  Error not_finite(size_t row) const { return input_error(fmt::format("{}: {}: row {} is not a finite number", document_.name, where_, row)); }

  const GltfDocument& document_;
  std::string where_;
  size_t index_, components_;
  Layout layout_;
  std::vector<T> numbers_;
};

}  // namespace

Result<std::vector<float>> read_floats(const GltfDocument& document, size_t accessor, int components) {
  return NumberReader<float>(document, accessor, components).read();
}

Result<std::span<const std::byte>> read_bytes(const GltfDocument& document, const Json& object, std::string_view key, const std::string& where) {
  const Result<size_t> index = gltf_index(document, object, key, where);
  if (!index) return index.error();
  const Result<const Json*> view = gltf_item(document, "bufferViews", *index, where);
  if (!view) return view.error();
  const std::string view_where = fmt::format("/bufferViews/{}", *index);
  const Result<size_t> length = gltf_index(document, **view, "byteLength", view_where);
  if (!length) return length.error();
  const Result<size_t> offset = index_or(document, **view, "byteOffset", 0, view_where);
  if (!offset) return offset.error();
  if (*length > document.buffer.size() || *offset > document.buffer.size() - *length) {
    return input_error(
        fmt::format("{}: {}: {} bytes from {} do not lie in the buffer of {}", document.name, view_where, *length, *offset, document.buffer.size()));
  }
  return std::span(document.buffer).subspan(*offset, *length);
}

Result<size_t> count_rows(const GltfDocument& document, size_t accessor) {
  const Result<const Json*> item = gltf_item(document, "accessors", accessor, "a reader");
  if (!item) return item.error();
  const Result<size_t> count = gltf_index(document, **item, "count", fmt::format("/accessors/{}", accessor));
  if (count && *count > kMaxNumbers) return input_error(fmt::format("{}: /accessors/{}: {} rows are more than can be read", document.name, accessor, *count));
  return count;
}

Result<std::vector<uint32_t>> read_indices(const GltfDocument& document, size_t accessor, int components) {
  return NumberReader<uint32_t>(document, accessor, components).read();
}

}  // namespace crumple::io
