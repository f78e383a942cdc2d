#include "crumple/io/gltf.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "crumple/core/bytes.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_unpack.h"

namespace crumple::io {
namespace {

constexpr uint32_t kMagic = 0x46546C67;      // "glTF"
constexpr uint32_t kJsonChunk = 0x4E4F534A;  // "JSON"
constexpr uint32_t kBinChunk = 0x004E4942;   // "BIN\0"
constexpr size_t kHeaderBytes = 12, kChunkHeaderBytes = 8;
constexpr size_t kLongestJson = size_t{64} << 20;

uint32_t word_at(std::string_view bytes, size_t offset) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

void append_word(std::string& bytes, size_t word) {
  const auto value = static_cast<uint32_t>(word);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::vector<std::byte> to_bytes(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  copy_bytes(bytes, std::as_bytes(std::span(text)));
  return bytes;
}

struct Chunks {
  std::string_view json, bin;
};

Result<Chunks> split_chunks(std::string_view bytes, std::string_view name) {
  Chunks chunks;
  for (size_t at = kHeaderBytes, index = 0; at < bytes.size(); ++index) {
    if (bytes.size() - at < kChunkHeaderBytes) return input_error(fmt::format("{}: ends inside the header of chunk {}; it is cut off", name, index));
    const size_t length = word_at(bytes, at);
    const uint32_t type = word_at(bytes, at + 4);
    at += kChunkHeaderBytes;
    if (length > bytes.size() - at) {
      return input_error(
          fmt::format("{}: chunk {} claims {} bytes but {} are left; it is cut off or damaged", name, index, length, bytes.size() - at));
    }
    const std::string_view content = bytes.substr(at, length);
    if (index == 0 && type != kJsonChunk) return input_error(fmt::format("{}: the first chunk is not JSON, so this is no valid .glb", name));
    if (index == 0) chunks.json = content;
    if (index == 1 && type == kBinChunk) chunks.bin = content;
    at += length;
  }
  return chunks;
}

/// Compression and the like change what accessors mean; everything else that may be required only changes looks.
bool can_read_extension(std::string_view extension) {
  return is_compression(extension) || extension == "CRUMPLE_tetrahedra" || extension == "KHR_mesh_quantization" || extension == "KHR_texture_transform" ||
         extension.starts_with("KHR_materials_") || extension.starts_with("KHR_lights_");
}

/// Members are found by walking over them, so an object with millions would take for ever. The parser limits the depth.
bool has_endless_object(const Json& json) {
  constexpr size_t kMaxMembers = 1000;
  if (json.members.size() > kMaxMembers) return true;
  for (const Json& item : json.items) {
    if (has_endless_object(item)) return true;
  }
  for (const auto& [key, value] : json.members) {
    if (has_endless_object(value)) return true;
  }
  return false;
}

Result<void> check_json(const Json& json, std::string_view name) {
  if (!json.is_object()) return input_error(fmt::format("{}: its JSON is {}, not an object", name, kind_name(json.kind)));
  const Json* asset = json.find("asset");
  const Json* version = asset ? asset->find("version") : nullptr;
  if (!version || !version->is_text()) return input_error(fmt::format("{}: /asset/version is missing; is this a glTF file?", name));
  if (!version->text.starts_with("2.")) return input_error(fmt::format("{}: glTF {} cannot be read; save it as glTF 2.0", name, version->text));
  if (has_endless_object(json)) return input_error(fmt::format("{}: an object in its JSON has too many members", name));
  const Json* required = json.find("extensionsRequired");
  if (!required) return {};
  for (const Json& extension : required->items) {
    if (!can_read_extension(extension.text)) {
      return input_error(
          fmt::format("{}: needs the extension \"{}\", which cannot be read; export it without", name, extension.text));
    }
  }
  return {};
}

Result<Json> parse_document_json(std::string_view text, std::string_view name) {
  if (text.size() > kLongestJson) return input_error(fmt::format("{}: its JSON part is larger than {} MiB", name, kLongestJson >> 20));
  Result<Json> json = parse_json(text, name, JsonDialect::Strict);
  if (!json) return json.error();
  if (const Result<void> fine = check_json(*json, name); !fine) return fine.error();
  return json;
}

/// A buffer that only readers without EXT_meshopt_compression need.
bool is_fallback(const Json& buffer) {
  const Json* extensions = buffer.find("extensions");
  const Json* packed = extensions ? extensions->find("EXT_meshopt_compression") : nullptr;
  const Json* fallback = packed ? packed->find("fallback") : nullptr;
  return fallback && fallback->boolean && !buffer.find("uri");
}

/// The bytes of one buffer, as long as the JSON says. `bin` is what a .glb brings along: nothing in a .gltf.
Result<std::vector<std::byte>> buffer_bytes(const GltfDocument& document, size_t index, const std::vector<std::byte>* bin) {
  const Json& entry = document.json.find("buffers")->items[index];
  const std::string where = fmt::format("/buffers/{}", index);
  const Json* uri = entry.find("uri");
  const bool is_data = uri && uri->is_text() && uri->text.starts_with("data:");
  std::vector<std::byte> bytes;
  if (is_fallback(entry)) return bytes;
  if (bin && uri && !is_data) return input_error(fmt::format("{}: {}: lies in another file; save as one binary glTF (.glb)", document.name, where));
  if ((!uri || !uri->is_text()) && (!bin || index > 0)) return input_error(fmt::format("{}: {}: has no uri; save as binary glTF (.glb)", document.name, where));
  if (uri && uri->is_text()) {
    Result<std::vector<std::byte>> fetched = fetch_uri(document, uri->text, where);
    if (!fetched) return fetched.error();
    bytes = std::move(*fetched);
  } else {
    bytes = *bin;
  }
  const Result<size_t> length = gltf_index(document, entry, "byteLength", where);
  if (!length) return length.error();
  if (*length > bytes.size()) {
    return input_error(fmt::format("{}: {}: claims {} bytes but only {} are there; the file is cut off or damaged", document.name, where, *length, bytes.size()));
  }
  bytes.resize(*length);
  return bytes;
}

/// Moves an offset into one of several buffers to where that begins in the one that holds all.
void shift_view(const std::vector<size_t>& begins, Json& view) {
  const int buffer = view.whole("buffer", -1);
  if (buffer <= 0 || static_cast<size_t>(buffer) >= begins.size()) return;
  const Json* offset = view.find("byteOffset");
  view["byteOffset"] = static_cast<double>(begins[static_cast<size_t>(buffer)]) + (offset && offset->is_number() ? offset->number : 0.0);
  view["buffer"] = 0;
}

/// Puts all buffers one after the other, so that every view points into one.
Result<void> join_buffers(GltfDocument& document, const std::vector<std::byte>* bin) {
  constexpr size_t kMaxBuffers = 10000;
  const size_t count = gltf_count(document, "buffers");
  if (count > kMaxBuffers) return input_error(fmt::format("{}: has {} buffers; it is damaged", document.name, count));
  std::vector<size_t> begins;
  for (size_t b = 0; b < count; ++b) {
    const Result<std::vector<std::byte>> bytes = buffer_bytes(document, b, bin);
    if (!bytes) return bytes.error();
    if (b > 0) document.buffer.resize((document.buffer.size() + 7) / 8 * 8);
    begins.push_back(document.buffer.size());
    document.buffer.insert(document.buffer.end(), bytes->begin(), bytes->end());
  }
  Json* views = document.json.find("bufferViews");
  for (size_t v = 0; count > 1 && views && v < views->items.size(); ++v) {
    shift_view(begins, views->items[v]);
    Json* extensions = views->items[v].find("extensions");
    if (Json* packed = extensions ? extensions->find("EXT_meshopt_compression") : nullptr) shift_view(begins, *packed);
  }
  return unpack(document);
}

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> value_of;
  value_of.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) value_of[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int bit_count = 0;
  for (const char digit : text) {
    const int value = value_of[static_cast<unsigned char>(digit)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<uint32_t>(value)) & 0xFFFFFF;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> bit_count & 0xFF));
  }
  return bytes;
}

/// "%20" and the like become what they stand for; nothing if they are damaged.
std::optional<std::string> decode_percent(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    int code = 0;
    for (size_t k = 1; k <= 2; ++k) {
      const char digit = i + k < text.size() ? text[i + k] : ' ';
      if (!std::isxdigit(static_cast<unsigned char>(digit))) return std::nullopt;
      code = 16 * code + (digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
    }
    plain += static_cast<char>(code), i += 2;
  }
  return plain;
}

Result<GltfDocument> parse_text_gltf(std::string_view text, const std::filesystem::path& file) {
  GltfDocument document{.name = file.string(), .json = {}, .buffer = {}, .folder = file.parent_path()};
  Result<Json> json = parse_document_json(text, document.name);
  if (!json) return json.error();
  document.json = std::move(*json);
  if (const Result<void> joined = join_buffers(document, nullptr); !joined) return joined.error();
  return document;
}

}  // namespace

Result<std::vector<std::byte>> fetch_uri(const GltfDocument& document, const std::string& uri, const std::string& where) {
  const auto wrong = [&](const std::string& what) { return input_error(fmt::format("{}: {}/uri: {}; save as binary glTF (.glb)", document.name, where, what)); };
  if (uri.starts_with("data:")) {
    const size_t comma = uri.find(";base64,");
    if (comma == std::string::npos) return wrong("not base64");
    auto bytes = decode_base64(std::string_view(uri).substr(comma + 8));
    if (!bytes) return wrong("damaged base64");
    return std::move(*bytes);
  }
  const std::optional<std::string> name = decode_percent(uri);
  const std::filesystem::path path = name.value_or("");
  const bool is_below = name && !name->empty() && !path.is_absolute() && name->find_first_of(std::string("\\:\0", 3)) == std::string::npos &&
                        std::find(path.begin(), path.end(), "..") == path.end() && path.has_filename();
  if (!is_below) return wrong(fmt::format("\"{}\" is not the name of a file beside it", uri));
  const Result<std::string> content = read_file(document.folder / path);
  if (!content)
    return input_error(fmt::format("{} ({} of {}; save as binary glTF (.glb) to keep all in one file)", content.error().text, where, document.name));
  return to_bytes(*content);
}

Result<GltfDocument> parse_glb(std::string_view bytes, std::string_view name) {
  if (bytes.size() < kHeaderBytes) return input_error(fmt::format("{}: {} bytes are too few for a .glb file", name, bytes.size()));
  if (word_at(bytes, 0) != kMagic) return input_error(fmt::format("{}: is not a binary glTF file (.glb): it does not start with \"glTF\"", name));
  if (word_at(bytes, 4) != 2)
    return input_error(fmt::format("{}: binary glTF version {} cannot be read; save it as glTF 2.0", name, word_at(bytes, 4)));
  if (word_at(bytes, 8) != bytes.size()) {
    return input_error(fmt::format("{}: claims {} bytes but has {}; it is cut off or damaged", name, word_at(bytes, 8), bytes.size()));
  }
  const Result<Chunks> chunks = split_chunks(bytes, name);
  if (!chunks) return chunks.error();

  Result<Json> json = parse_document_json(chunks->json, name);
  if (!json) return json.error();
  GltfDocument document{.name = std::string(name), .json = std::move(*json), .buffer = {}, .folder = {}};
  const std::vector<std::byte> bin = to_bytes(chunks->bin);
  if (const Result<void> joined = join_buffers(document, &bin); !joined) return joined.error();
  return document;
}

Result<GltfDocument> read_gltf(const std::filesystem::path& file) {
  const Result<std::string> bytes = read_file(file);
  if (!bytes) return bytes.error();
  const size_t first = bytes->find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (*bytes)[first] == '{') return parse_text_gltf(*bytes, file);
  return parse_glb(*bytes, file.string());
}

Result<std::string> write_glb(const GltfDocument& document) {
  std::string json = write_json(document.json, 0);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const size_t padded = (document.buffer.size() + 3) / 4 * 4;
  const size_t total = kHeaderBytes + kChunkHeaderBytes + json.size() + (padded > 0 ? kChunkHeaderBytes + padded : 0);
  if (total > UINT32_MAX)
    return input_error(fmt::format("{}: would be {} bytes, but a .glb file holds at most 4 GiB; export less", document.name, total));

  std::string bytes;
  bytes.reserve(total);
  append_word(bytes, kMagic);
  append_word(bytes, 2);
  append_word(bytes, total);
  append_word(bytes, json.size());
  append_word(bytes, kJsonChunk);
  bytes += json;
  if (padded == 0) return bytes;
  append_word(bytes, padded);
  append_word(bytes, kBinChunk);
  bytes.append(reinterpret_cast<const char*>(document.buffer.data()), document.buffer.size());
  bytes.resize(total, '\0');
  return bytes;
}

Result<const Json*> gltf_item(const GltfDocument& document, std::string_view list, size_t index, std::string_view wanted_by) {
  const size_t count = gltf_count(document, list);
  if (index >= count) {
    return input_error(fmt::format("{}: {}: asks for /{}/{}, but there are {}", document.name, wanted_by, list, index, count));
  }
  const Json* item = &document.json.find(list)->items[index];
  if (!item->is_object()) return input_error(fmt::format("{}: /{}/{}: is {}, not an object", document.name, list, index, kind_name(item->kind)));
  return item;
}

size_t gltf_count(const GltfDocument& document, std::string_view list) {
  const Json* all = document.json.find(list);
  return all ? all->items.size() : 0;
}

Result<size_t> gltf_index(const GltfDocument& document, const Json& object, std::string_view key, std::string_view where) {
  const Json* value = object.find(key);
  if (!value) return input_error(fmt::format("{}: {}: has no \"{}\"", document.name, where, key));
  constexpr double kLargest = 9007199254740992.0;  // 2^53: beyond it, doubles skip whole numbers
  const double number = value->number;
  if (!value->is_number() || !(number >= 0) || number > kLargest || number != std::floor(number)) {
    return input_error(fmt::format("{}: {}/{}: must be a whole number from 0", document.name, where, key));
  }
  return static_cast<size_t>(number);
}

}  // namespace crumple::io
