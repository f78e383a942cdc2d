#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <utility>

#include "crumple/io/files.h"
#include "crumple/io/gltf.h"

namespace crumple::io {
namespace {

constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

Json numbers(const Vec3f& vector) {
  return Json::array({double{vector.x()}, double{vector.y()}, double{vector.z()}});
}

template <class Small>
std::vector<Small> narrowed(std::span<const uint32_t> values) {
  return std::vector<Small>(values.begin(), values.end());
}

uint32_t largest(std::span<const uint32_t> values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

size_t bytes_of_number(GltfNumber number) {
  return number == kFloat ? 4 : number == kShort ? 2 : 1;
}

/// A vector in the numbers of the file.
Vec3f stored(const Vec3f& value, GltfNumber number, float scale) {
  return number == kFloat ? value : Vec3f((scale * value).array().round());
}

void append_numbers(const Vec3f& value, GltfNumber number, std::vector<std::byte>& bytes) {
  for (const float v : {value.x(), value.y(), value.z()}) {
    const auto whole = static_cast<int16_t>(number == kFloat ? 0 : v);
    const void* source = number == kFloat ? static_cast<const void*>(&v) : &whole;  // little endian: the first byte of a short is the byte
    const auto* begin = static_cast<const std::byte*>(source);
    bytes.insert(bytes.end(), begin, begin + bytes_of_number(number));
  }
}

}  // namespace

GltfBuilder::GltfBuilder(std::string_view generator) {
  document_.json = Json::object();
  document_.json["asset"] = Json::object({{"version", "2.0"}, {"generator", std::string(generator)}});
}

size_t GltfBuilder::add_view(std::span<const std::byte> bytes, GltfTarget target, size_t stride) {
  std::vector<std::byte>& buffer = document_.buffer;
  buffer.resize((buffer.size() + 3) / 4 * 4);
  Json view = Json::object({{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", bytes.size()}});
  if (target != GltfTarget::Other) view["target"] = target == GltfTarget::Vertices ? kArrayBuffer : kElementArrayBuffer;
  if (stride > 0) view["byteStride"] = stride;
  buffer.insert(buffer.end(), bytes.begin(), bytes.end());
  return add("bufferViews", std::move(view));
}

size_t GltfBuilder::add_accessor(size_t view, int component_type, const char* type, size_t count, Json low, Json high) {
  assert(count > 0);
  Json accessor = Json::object({{"bufferView", view}, {"componentType", component_type}, {"count", count}, {"type", type}});
  if (low.is_array()) accessor["min"] = std::move(low), accessor["max"] = std::move(high);
  return add("accessors", std::move(accessor));
}

size_t GltfBuilder::add_bytes(std::span<const std::byte> bytes) {
  document_.buffer.resize((document_.buffer.size() + 7) / 8 * 8);
  return add_view(bytes, GltfTarget::Other);
}

size_t GltfBuilder::add_positions(std::span<const Vec3f> points) {
  assert(!points.empty());
  Vec3f low = points[0], high = points[0];
  for (const Vec3f& point : points) low = low.cwiseMin(point), high = high.cwiseMax(point);
  const size_t view = add_view(bytes_of(points), GltfTarget::Vertices);
  return add_accessor(view, kFloat, "VEC3", points.size(), numbers(low), numbers(high));
}

size_t GltfBuilder::add_vec2(std::span<const Vec2f> values, GltfTarget target) {
  return add_accessor(add_view(bytes_of(values), target), kFloat, "VEC2", values.size());
}

size_t GltfBuilder::add_vec3(std::span<const Vec3f> values, GltfTarget target) {
  return add_accessor(add_view(bytes_of(values), target), kFloat, "VEC3", values.size());
}

size_t GltfBuilder::add_vec4(std::span<const std::array<float, 4>> values, GltfTarget target) {
  return add_accessor(add_view(bytes_of(values), target), kFloat, "VEC4", values.size());
}

size_t GltfBuilder::add_joints(std::span<const std::array<uint16_t, 4>> joints) {
  return add_accessor(add_view(bytes_of(joints), GltfTarget::Vertices), kUnsignedShort, "VEC4", joints.size());
}

size_t GltfBuilder::add_matrices(std::span<const Eigen::Matrix4f> matrices) {
  static_assert(sizeof(Eigen::Matrix4f) == 64 && !Eigen::Matrix4f::IsRowMajor);
  return add_accessor(add_view(bytes_of(matrices), GltfTarget::Other), kFloat, "MAT4", matrices.size());
}

size_t GltfBuilder::add_scalars(std::span<const float> values, GltfTarget target) {
  assert(!values.empty());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const size_t view = add_view(bytes_of(values), target);
  return add_accessor(view, kFloat, "SCALAR", values.size(), Json::array({double{*low}}), Json::array({double{*high}}));
}

size_t GltfBuilder::add_fractions(std::span<const float> values) {
  std::vector<uint16_t> whole;
  for (const float value : values) whole.push_back(static_cast<uint16_t>(std::lround(65535.0f * value)));
  const auto [low, high] = std::minmax_element(whole.begin(), whole.end());
  const size_t index = add_accessor(add_view(bytes_of(std::span<const uint16_t>(whole)), GltfTarget::Other), kUnsignedShort, "SCALAR", whole.size(), Json::array({int{*low}}), Json::array({int{*high}}));
  document_.json["accessors"].items[index]["normalized"] = true;
  return index;
}

size_t GltfBuilder::add_indices(std::span<const uint32_t> indices, GltfTarget target) {
  // 65535 itself restarts a primitive in 16-bit indices.
  if (largest(indices) < 65535) {
    const auto small = narrowed<uint16_t>(indices);
    return add_accessor(add_view(bytes_of(std::span<const uint16_t>(small)), target), kUnsignedShort, "SCALAR", indices.size());
  }
  return add_accessor(add_view(bytes_of(indices), target), kUnsignedInt, "SCALAR", indices.size());
}

size_t GltfBuilder::add_triangles(std::span<const Triangle> triangles) {
  std::vector<uint32_t> indices;
  indices.reserve(triangles.size() * 3);
  for (const Triangle& triangle : triangles) indices.insert(indices.end(), triangle.begin(), triangle.end());
  return add_indices(indices);
}

Json GltfBuilder::add_to_pool(std::span<const std::byte> bytes, Pool& pool) {
  if (pool.bytes.empty()) pool.view = add("bufferViews", Json::object({{"buffer", 0}}));
  pool.bytes.resize((pool.bytes.size() + 3) / 4 * 4);
  Json place = Json::object({{"bufferView", pool.view}});
  if (!pool.bytes.empty()) place["byteOffset"] = pool.bytes.size();
  pool.bytes.insert(pool.bytes.end(), bytes.begin(), bytes.end());
  return place;
}

Json GltfBuilder::add_row_numbers(std::span<const uint32_t> rows) {
  const auto add = [&](auto numbers, int type) {
    Json place = add_to_pool(std::as_bytes(std::span(numbers)), sparse_rows_);
    place["componentType"] = type;
    return place;
  };
  if (rows.back() <= 255) return add(narrowed<uint8_t>(rows), kUnsignedByte);
  if (rows.back() <= 65535) return add(narrowed<uint16_t>(rows), kUnsignedShort);
  return add(rows, kUnsignedInt);
}

size_t GltfBuilder::add_times(std::span<const float> times) {
  const auto [place, is_new] = times_.try_emplace(hash_bytes(bytes_of(times)), 0);
  if (is_new) place->second = add_scalars(times);
  return place->second;
}

size_t GltfBuilder::add_position_moves(size_t count, std::span<const uint32_t> rows, std::span<const Vec3f> values, GltfNumber number) {
  Vec3f low = Vec3f::Zero(), high = Vec3f::Zero();
  if (rows.size() == count) low = high = stored(values[0], number, 1);
  for (const Vec3f& value : values) low = low.cwiseMin(stored(value, number, 1)), high = high.cwiseMax(stored(value, number, 1));
  const size_t index = add_moves(count, rows, values, number);
  Json& accessor = document_.json["accessors"].items[index];
  accessor["min"] = numbers(low), accessor["max"] = numbers(high);
  return index;
}

size_t GltfBuilder::add_moves(size_t count, std::span<const uint32_t> rows, std::span<const Vec3f> values, GltfNumber number, bool normalized) {
  assert(count > 0 && rows.size() == values.size() && rows.size() <= count && (rows.empty() || rows.back() < count));
  const float scale = !normalized ? 1.0f : number == kByte ? 127.0f : 32767.0f;
  Json accessor = Json::object({{"componentType", static_cast<int>(number)}, {"count", count}, {"type", "VEC3"}});
  if (normalized) accessor["normalized"] = true;
  if (rows.empty()) return add("accessors", std::move(accessor));
  const size_t size = bytes_of_number(number), row_bytes = rows.back() <= 255 ? 1 : rows.back() <= 65535 ? 2 : 4;
  const size_t stride = (3 * size + 3) / 4 * 4;  // elements of vertex data begin at multiples of four bytes
  if (rows.size() * (3 * size + row_bytes) < count * stride) {
    std::vector<std::byte> packed;
    for (const Vec3f& value : values) append_numbers(stored(value, number, scale), number, packed);
    Json sparse = Json::object({{"count", rows.size()}});
    sparse["indices"] = add_row_numbers(rows);
    sparse["values"] = add_to_pool(packed, sparse_values_);
    accessor["sparse"] = std::move(sparse);
    return add("accessors", std::move(accessor));
  }
  std::vector<Vec3f> all(count, Vec3f::Zero());
  for (size_t i = 0; i < rows.size(); ++i) all[rows[i]] = stored(values[i], number, scale);
  std::vector<std::byte> packed;
  for (const Vec3f& value : all) {
    append_numbers(value, number, packed);
    packed.resize((packed.size() + 3) / 4 * 4);
  }
  accessor["bufferView"] = add_view(packed, GltfTarget::Vertices, number == kFloat ? 0 : stride);
  return add("accessors", std::move(accessor));
}

size_t GltfBuilder::add(std::string_view list, Json item) {
  Json& all = document_.json[list];
  if (!all.is_array()) all = Json::array();
  all.push(std::move(item));
  return all.items.size() - 1;
}

void GltfBuilder::use_extension(std::string_view extension, bool required) {
  for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
    if (list == std::string_view("extensionsRequired") && !required) return;
    const Json* used = document_.json.find(list);
    const bool is_known = used && std::any_of(used->items.begin(), used->items.end(), [&](const Json& name) { return name.text == extension; });
    if (!is_known) add(list, std::string(extension));
  }
}

GltfDocument GltfBuilder::finish() && {
  for (Pool* pool : {&sparse_rows_, &sparse_values_}) {
    if (pool->bytes.empty()) continue;
    std::vector<std::byte>& buffer = document_.buffer;
    buffer.resize((buffer.size() + 3) / 4 * 4);
    Json& view = document_.json["bufferViews"].items[pool->view];
    view["byteOffset"] = buffer.size(), view["byteLength"] = pool->bytes.size();
    buffer.insert(buffer.end(), pool->bytes.begin(), pool->bytes.end());
  }
  if (!document_.buffer.empty()) document_.json["buffers"] = Json::array({Json::object({{"byteLength", document_.buffer.size()}})});
  return std::move(document_);
}

}  // namespace crumple::io
