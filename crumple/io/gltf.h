#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/json.h"
#include "crumple/core/result.h"
#include "crumple/math/types.h"

namespace crumple::io {

/// A glTF 2.0 file as it is: its JSON and the one binary buffer that the accessors point into.
struct GltfDocument {
  std::string name;  // of the file, for messages
  Json json;
  std::vector<std::byte> buffer;
  std::filesystem::path folder;  // of a .gltf, where what it names lies
};

/// Takes a .glb apart; `name` is the file's, for messages.
Result<GltfDocument> parse_glb(std::string_view bytes, std::string_view name);
/// Reads a .glb, or a .gltf whose buffers are data URIs or files beside it. Several buffers become one, and what is compressed becomes plain.
Result<GltfDocument> read_gltf(const std::filesystem::path& file);
/// The bytes of a .glb file. Fails if it would be larger than the format can say (4 GiB).
Result<std::string> write_glb(const GltfDocument& document);

/// All numbers of an accessor, row after row: `components` is 1 for SCALAR, 2..4 for VEC, 16 for MAT4. Normalized integers
/// become fractions; sparse accessors are filled in. Fails unless every number is finite and lies in the buffer.
Result<std::vector<float>> read_floats(const GltfDocument& document, size_t accessor, int components);
/// The same for accessors of whole numbers, such as triangle indices or joints.
Result<std::vector<uint32_t>> read_indices(const GltfDocument& document, size_t accessor, int components = 1);
/// How many rows an accessor claims to have, before any memory is taken for them.
Result<size_t> count_rows(const GltfDocument& document, size_t accessor);

/// The bytes of the buffer view that object[key] names, known to lie in the buffer: for what accessors have no type for.
Result<std::span<const std::byte>> read_bytes(const GltfDocument& document, const Json& object, std::string_view key, const std::string& where);

/// What a URI of the document stands for: data, or a file in its folder or below.
Result<std::vector<std::byte>> fetch_uri(const GltfDocument& document, const std::string& uri, const std::string& where);

/// The `index`th of json[list] ("nodes", "meshes", ...), or an error that names `wanted_by`.
Result<const Json*> gltf_item(const GltfDocument& document, std::string_view list, size_t index, std::string_view wanted_by);
/// How many there are of them.
size_t gltf_count(const GltfDocument& document, std::string_view list);
/// A member that must be a whole number from 0, such as a reference into another list.
Result<size_t> gltf_index(const GltfDocument& document, const Json& object, std::string_view key, std::string_view where);

/// Kinds of numbers in a buffer, by the format's own codes.
enum GltfNumber { kByte = 5120, kUnsignedByte = 5121, kShort = 5122, kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126 };

/// What a stretch of the buffer is for; vertex and index data may not share one.
enum class GltfTarget { Other, Vertices, Indices };

/// Puts a document together. Each add_ function appends a buffer view with one accessor and returns the accessor's index;
/// nodes, meshes, skins and animations are plain JSON that the caller adds.
class GltfBuilder {
 public:
  explicit GltfBuilder(std::string_view generator);

  /// Vertex positions: the format wants their bounds.
  size_t add_positions(std::span<const Vec3f> points);
  size_t add_vec2(std::span<const Vec2f> values, GltfTarget target = GltfTarget::Vertices);
  size_t add_vec3(std::span<const Vec3f> values, GltfTarget target = GltfTarget::Vertices);
  size_t add_vec4(std::span<const std::array<float, 4>> values, GltfTarget target = GltfTarget::Vertices);
  size_t add_joints(std::span<const std::array<uint16_t, 4>> joints);
  size_t add_matrices(std::span<const Eigen::Matrix4f> matrices);
  /// Times of animation keys; the same times are kept once.
  size_t add_times(std::span<const float> times);
  /// With bounds.
  size_t add_scalars(std::span<const float> values, GltfTarget target = GltfTarget::Other);
  /// Numbers from 0 to 1 in 16 bits each.
  size_t add_fractions(std::span<const float> values);
  /// 16 bits each where that is enough.
  size_t add_indices(std::span<const uint32_t> indices, GltfTarget target = GltfTarget::Indices);
  size_t add_triangles(std::span<const Triangle> triangles);
  /// `count` vectors, all zero but those at `rows` (ascending): morph targets. In bytes and shorts, `values` must be whole numbers, or
  /// with `normalized` fractions of 1. Sparse where that is smaller.
  size_t add_moves(size_t count, std::span<const uint32_t> rows, std::span<const Vec3f> values, GltfNumber number = kFloat, bool normalized = false);
  /// The same of positions, for which the format wants bounds.
  size_t add_position_moves(size_t count, std::span<const uint32_t> rows, std::span<const Vec3f> values, GltfNumber number = kFloat);

  /// A buffer view without an accessor, for what glTF has no type for; returns the view's index. Starts at a multiple of eight bytes.
  size_t add_bytes(std::span<const std::byte> bytes);

  /// Appends to json[list] and returns the index: add("nodes", node).
  size_t add(std::string_view list, Json item);
  /// Declares an extension, which readers may ignore unless it is required.
  void use_extension(std::string_view extension, bool required = false);
  Json& json() { return document_.json; }
  size_t buffer_size() const { return document_.buffer.size(); }

  /// The whole document; the builder is empty afterwards.
  GltfDocument finish() &&;

 private:
  size_t add_view(std::span<const std::byte> bytes, GltfTarget target, size_t stride = 0);
  /// Bytes of many accessors in one buffer view: a view for each would need more room than they do.
  struct Pool {
    size_t view = 0;
    std::vector<std::byte> bytes;
  };
  Json add_to_pool(std::span<const std::byte> bytes, Pool& pool);
  Json add_row_numbers(std::span<const uint32_t> rows);
  size_t add_accessor(size_t view, int component_type, const char* type, size_t count, Json low = {}, Json high = {});
  GltfDocument document_;
  Pool sparse_rows_, sparse_values_;
  std::map<uint64_t, size_t> times_;  // accessors by a hash of their values
};

}  // namespace crumple::io
