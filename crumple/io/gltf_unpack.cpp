#include "crumple/io/gltf_unpack.h"

#include <algorithm>
#include <array>

#include <draco/compression/decode.h>
#include <fmt/format.h>
#include <meshoptimizer.h>

namespace crumple::io {
namespace {

constexpr std::string_view kMeshopt = "EXT_meshopt_compression", kDraco = "KHR_draco_mesh_compression";
constexpr size_t kMaxUnpacked = size_t{1} << 30;  // bytes
constexpr size_t kMaxStride = 256;                // of a compressed view, as the format has it

const Json* extension_of(const Json& object, std::string_view name) {
  const Json* extensions = object.find("extensions");
  return extensions ? extensions->find(name) : nullptr;
}

class Unpacker {
 public:
  explicit Unpacker(GltfDocument& document) : document_(document) {}

  Result<void> run() {
    for (size_t v = 0; v < gltf_count(document_, "bufferViews"); ++v) {
      if (!extension_of(document_.json["bufferViews"].items[v], kMeshopt)) continue;
      if (const Result<void> done = unpack_view(v); !done) return done;
    }
    for (size_t m = 0; m < gltf_count(document_, "meshes"); ++m) {
      Json* primitives = document_.json["meshes"].items[m].find("primitives");
      for (size_t p = 0; primitives && p < primitives->items.size(); ++p) {
        if (!extension_of(primitives->items[p], kDraco)) continue;
        if (const Result<void> done = unpack_primitive(primitives->items[p], fmt::format("/meshes/{}/primitives/{}", m, p)); !done) return done;
      }
    }
    return {};
  }

 private:
  Error wrong(const std::string& where, std::string_view what) const { return input_error(fmt::format("{}: {}: {}", document_.name, where, what)); }

  /// Room for plain bytes at the end of the buffer.
  Result<size_t> grow(size_t bytes, const std::string& where) {
    unpacked_ += bytes;
    if (bytes > kMaxUnpacked || unpacked_ > kMaxUnpacked) return wrong(where, fmt::format("unpacks to more than {} MiB; it is damaged", kMaxUnpacked >> 20));
    const size_t begin = (document_.buffer.size() + 7) / 8 * 8;
    document_.buffer.resize(begin + bytes);
    return begin;
  }

  Result<void> unpack_view(size_t index) {
    const std::string where = fmt::format("/bufferViews/{}/extensions/{}", index, kMeshopt);
    const Json packed = *extension_of(document_.json["bufferViews"].items[index], kMeshopt);
    size_t values[4] = {0, 0, 0, 0};
    const char* keys[] = {"byteOffset", "byteLength", "byteStride", "count"};
    for (size_t k = 0; k < 4; ++k) {
      if (k == 0 && !packed.find(keys[k])) continue;
      const Result<size_t> value = gltf_index(document_, packed, keys[k], where);
      if (!value) return value.error();
      values[k] = *value;
    }
    const auto [offset, length, stride, count] = values;
    if (offset > document_.buffer.size() || length > document_.buffer.size() - offset) return wrong(where, "reaches beyond the end of the buffer");
    if (stride == 0 || stride > kMaxStride || count > kMaxUnpacked / stride) return wrong(where, "has a stride or count that cannot be");
    const Result<size_t> begin = grow(count * stride, where);
    if (!begin) return begin.error();
    const std::vector<std::byte> source(document_.buffer.begin() + static_cast<ptrdiff_t>(offset), document_.buffer.begin() + static_cast<ptrdiff_t>(offset + length));
    if (!decode(packed, source, stride, count, document_.buffer.data() + *begin)) return wrong(where, "cannot be unpacked; it is damaged");
    Json& view = document_.json["bufferViews"].items[index];
    view["buffer"] = 0;
    view["byteOffset"] = *begin;
    view["byteLength"] = count * stride;
    return {};
  }

  static bool decode(const Json& packed, const std::vector<std::byte>& source, size_t stride, size_t count, std::byte* to) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(source.data());
    const Json *mode = packed.find("mode"), *filter = packed.find("filter");
    const std::string kind = mode ? mode->text : "", how = filter ? filter->text : "NONE";
    if (kind == "ATTRIBUTES" && stride % 4 == 0) {
      if (meshopt_decodeVertexBuffer(to, count, stride, bytes, source.size()) != 0) return false;
    } else if (kind == "TRIANGLES" && count % 3 == 0 && (stride == 2 || stride == 4)) {
      return meshopt_decodeIndexBuffer(to, count, stride, bytes, source.size()) == 0;
    } else if (kind == "INDICES" && (stride == 2 || stride == 4)) {
      return meshopt_decodeIndexSequence(to, count, stride, bytes, source.size()) == 0;
    } else {
      return false;
    }
    if (how == "OCTAHEDRAL" && (stride == 4 || stride == 8)) meshopt_decodeFilterOct(to, count, stride);
    if (how == "QUATERNION" && stride == 8) meshopt_decodeFilterQuat(to, count, stride);
    if (how == "EXPONENTIAL") meshopt_decodeFilterExp(to, count, stride);
    return true;
  }

  Result<void> unpack_primitive(const Json& primitive, const std::string& where) {
    const Json packed = *extension_of(primitive, kDraco);
    const Result<std::span<const std::byte>> bytes = read_bytes(document_, packed, "bufferView", where);
    if (!bytes) return bytes.error();
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) return wrong(where, fmt::format("cannot be unpacked ({}); it is damaged", decoded.status().error_msg()));
    const draco::Mesh& mesh = *decoded.value();
    const Json* ids = packed.find("attributes");
    const Json* attributes = primitive.find("attributes");
    if (!ids || !attributes) return wrong(where, "has no attributes");
    for (const auto& [name, id] : ids->members) {
      if (!attributes->find(name) || !id.is_number()) continue;
      const draco::PointAttribute* values = mesh.GetAttributeByUniqueId(static_cast<uint32_t>(id.number));
      if (!values) return wrong(where, fmt::format("has no data for {}", name));
      if (const Result<void> done = put_attribute(mesh, *values, *attributes, name, where); !done) return done;
    }
    return put_indices(mesh, primitive, where);
  }

  /// The accessor that (*object)[key] names, to be given other bytes.
  Result<Json*> accessor_of(const Json& object, const std::string& key, const std::string& where) {
    const Result<size_t> index = gltf_index(document_, object, key, where);
    if (!index) return index.error();
    if (const Result<const Json*> item = gltf_item(document_, "accessors", *index, where); !item) return item.error();
    return &document_.json["accessors"].items[*index];
  }

  Result<void> point_to(Json& accessor, const std::vector<std::byte>& bytes, int component, size_t count, const std::string& where) {
    const Result<size_t> begin = grow(bytes.size(), where);
    if (!begin) return begin.error();
    std::copy(bytes.begin(), bytes.end(), document_.buffer.begin() + static_cast<ptrdiff_t>(*begin));
    Json& views = document_.json["bufferViews"];
    if (!views.is_array()) views = Json::array();
    views.push(Json::object({{"buffer", 0}, {"byteOffset", *begin}, {"byteLength", bytes.size()}}));
    accessor["bufferView"] = views.items.size() - 1;
    accessor["byteOffset"] = 0;
    accessor["componentType"] = component;
    accessor["normalized"] = false;
    accessor["count"] = count;
    return {};
  }

  /// As floats or, where the accessor is of whole numbers that are not fractions, as shorts: what any attribute may be read as.
  Result<void> put_attribute(const draco::Mesh& mesh, const draco::PointAttribute& values, const Json& attributes, const std::string& name, const std::string& where) {
    const Result<Json*> accessor = accessor_of(attributes, name, where + "/attributes");
    if (!accessor) return accessor.error();
    const auto width = static_cast<int8_t>(values.num_components());
    if (width < 1 || width > 4) return wrong(where, fmt::format("{} has {} numbers a vertex", name, int{width}));
    const bool is_index = name.starts_with("JOINTS_");
    std::vector<std::byte> bytes;
    for (uint32_t p = 0; p < mesh.num_points(); ++p) {
      const draco::AttributeValueIndex at_point = values.mapped_index(draco::PointIndex(p));
      std::array<float, 4> numbers{};
      std::array<uint16_t, 4> wholes{};
      const bool good = is_index ? values.ConvertValue<uint16_t>(at_point, width, wholes.data()) : values.ConvertValue<float>(at_point, width, numbers.data());
      if (!good) return wrong(where, fmt::format("{} cannot be unpacked", name));
      const auto* first = is_index ? reinterpret_cast<const std::byte*>(wholes.data()) : reinterpret_cast<const std::byte*>(numbers.data());
      bytes.insert(bytes.end(), first, first + width * (is_index ? sizeof(uint16_t) : sizeof(float)));
    }
    return point_to(**accessor, bytes, is_index ? kUnsignedShort : kFloat, mesh.num_points(), where);
  }

  Result<void> put_indices(const draco::Mesh& mesh, const Json& primitive, const std::string& where) {
    const Result<Json*> accessor = accessor_of(primitive, "indices", where);
    if (!accessor) return accessor.error();
    std::vector<std::byte> bytes;
    for (uint32_t f = 0; f < mesh.num_faces(); ++f) {
      for (const draco::PointIndex& point : mesh.face(draco::FaceIndex(f))) {
        const uint32_t value = point.value();
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), first, first + sizeof value);
      }
    }
    return point_to(**accessor, bytes, kUnsignedInt, size_t{3} * mesh.num_faces(), where);
  }

  GltfDocument& document_;
  size_t unpacked_ = 0;
};

}  // namespace

bool is_compression(std::string_view extension) {
  return extension == kMeshopt || extension == kDraco;
}

Result<void> unpack(GltfDocument& document) {
  const Json* used = document.json.find("extensionsUsed");
  const auto packs = [](const Json& name) { return is_compression(name.text); };
  if (!used || std::ranges::none_of(used->items, packs)) return {};
  return Unpacker(document).run();
}

}  // namespace crumple::io
