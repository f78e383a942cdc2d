#include "crumple/io/gltf_certificate.h"

#include <cmath>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "crumple/core/bytes.h"

namespace crumple::io {
namespace {

constexpr const char* kAdvice = "make the asset again, or remove its certificate";

Result<double> number(const GltfDocument& document, const Json& object, std::string_view key, const std::string& where) {
  const Json* value = object.find(key);
  if (value && value->is_number() && std::isfinite(value->number) && value->number >= 0) return value->number;
  return input_error(fmt::format("{}: {}/{}: must be a number, 0 or more; {}", document.name, where, key, kAdvice));
}

Result<std::vector<std::vector<int>>> read_held(const GltfDocument& document, const Json& certificate, size_t vertices, size_t handles,
                                                const std::string& where) {
  const Json* lists = certificate.find("held");
  const auto wrong = [&](const char* what) { return input_error(fmt::format("{}: {}/held: {}; {}", document.name, where, what, kAdvice)); };
  if (!lists || !lists->is_array() || lists->items.size() != handles) return wrong("must be a list for each joint");
  std::vector<std::vector<int>> held(handles);
  for (size_t h = 0; h < handles; ++h) {
    for (const Json& item : lists->items[h].items) {
      const bool known =
          item.is_number() && item.number >= 0 && item.number < static_cast<double>(vertices) && item.number == std::floor(item.number);
      if (!known) return wrong("names a vertex that there is not");
      held[h].push_back(static_cast<int>(item.number));
    }
    if (held[h].empty()) return wrong("names no vertex for a joint");
  }
  return held;
}

Result<std::vector<double>> read_raw(const GltfDocument& document, const Json& certificate, size_t vertices, size_t handles,
                                     const std::string& where) {
  const Result<std::span<const std::byte>> bytes = read_bytes(document, certificate, "raw", where);
  if (!bytes) return bytes.error();
  if (bytes->size() != 8 * vertices * handles) {
    return input_error(fmt::format("{}: {}/raw: {} bytes are not the doubles of {} vertices x {} joints; {}", document.name, where, bytes->size(),
                                   vertices, handles, kAdvice));
  }
  std::vector<double> raw(vertices * handles);
  copy_rows(raw, *bytes);
  for (const double weight : raw) {
    if (!std::isfinite(weight)) return input_error(fmt::format("{}: {}/raw: a weight is not finite; {}", document.name, where, kAdvice));
  }
  return raw;
}

}  // namespace

Json add_certificate(const WeightCertificate& certificate, GltfBuilder& builder) {
  Json held = Json::array();
  for (const std::vector<int>& vertices : certificate.held) {
    held.push(Json::array());
    for (const int v : vertices) held.items.back().push(v);
  }
  return Json::object({{"residual", certificate.kkt_residual},
                       {"floor", certificate.noise_floor},
                       {"target", certificate.target},
                       {"held", std::move(held)},
                       {"raw", builder.add_bytes(std::as_bytes(std::span(certificate.raw)))}});
}

Result<WeightCertificate> read_certificate(const GltfDocument& document, const Json& certificate, size_t vertices, size_t handles,
                                           const std::string& where) {
  WeightCertificate result;
  const std::pair<const char*, double*> members[] = {{"residual", &result.kkt_residual}, {"floor", &result.noise_floor}, {"target", &result.target}};
  for (const auto& [key, value] : members) {
    const Result<double> read = number(document, certificate, key, where);
    if (!read) return read.error();
    *value = *read;
  }
  Result<std::vector<std::vector<int>>> held = read_held(document, certificate, vertices, handles, where);
  if (!held) return held.error();
  Result<std::vector<double>> raw = read_raw(document, certificate, vertices, handles, where);
  if (!raw) return raw.error();
  result.held = std::move(*held), result.raw = std::move(*raw);
  return result;
}

}  // namespace crumple::io
