#include "crumple/io/gltf_materials.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/io/image.h"

namespace crumple::io {
namespace {

constexpr size_t kLongestUri = 80;  // of a message
constexpr int kNearest = 9728, kLinear = 9729, kMipmapLinear = 9987;
constexpr int kRepeat = 10497, kClamp = 33071, kMirror = 33648;

double fraction(const Json* value, double otherwise) {
  return value && value->is_number() && std::isfinite(value->number) ? std::clamp(value->number, 0.0, 1.0) : otherwise;
}

Vec3f color_of(const Json* value, const Vec3f& otherwise) {
  Vec3f color = otherwise;
  for (size_t c = 0; value && c < 3 && c < value->items.size(); ++c) color[static_cast<int>(c)] = static_cast<float>(fraction(&value->items[c], double{otherwise[static_cast<int>(c)]}));
  return color;
}

class MaterialReader {
 public:
  MaterialReader(const GltfDocument& document, std::vector<std::string>* lost) : document_(document), lost_(lost) {}

  Result<Materials> read() {
    Materials materials;
    for (size_t m = 0; m < gltf_count(document_, "materials"); ++m) {
      Result<SurfaceMaterial> material = read_material(m);
      if (!material) return material.error();
      materials.push_back(std::move(*material));
    }
    return materials;
  }

 private:
  void lose(std::string what) {
    if (lost_ && std::ranges::find(*lost_, what) == lost_->end()) lost_->push_back(std::move(what));
  }

  Result<SurfaceMaterial> read_material(size_t index) {
    const Result<const Json*> item = gltf_item(document_, "materials", index, "a primitive");
    if (!item) return item.error();
    const Json& json = **item;
    const std::string where = fmt::format("/materials/{}", index);
    SurfaceMaterial material;
    const Json* name = json.find("name");
    material.name = name && name->is_text() ? name->text : fmt::format("material {}", index);
    const Json nothing = Json::object();
    const Json* found = json.find("pbrMetallicRoughness");
    const Json& values = found ? *found : nothing;
    const Json* color = values.find("baseColorFactor");
    material.color = color_of(color, Vec3f::Ones());
    if (color && color->items.size() > 3) material.alpha = static_cast<float>(fraction(&color->items[3], 1));
    material.metal = fraction(values.find("metallicFactor"), 1), material.roughness = fraction(values.find("roughnessFactor"), 1);
    material.emissive = color_of(json.find("emissiveFactor"), Vec3f::Zero());
    const Json* mode = json.find("alphaMode");
    material.alpha_mode = mode && mode->text == "BLEND" ? AlphaMode::Blend : mode && mode->text == "MASK" ? AlphaMode::Mask : AlphaMode::Opaque;
    material.cutoff = static_cast<float>(fraction(json.find("alphaCutoff"), 0.5));
    const Json* sided = json.find("doubleSided");
    material.double_sided = sided && sided->boolean;
    const Json* extensions = json.find("extensions");
    material.unlit = extensions && extensions->find("KHR_materials_unlit");
    for (const auto& [extension, value] : extensions ? extensions->members : nothing.members) {
      if (extension != "KHR_materials_unlit") lose(fmt::format("{} of material \"{}\"", extension, material.name));
    }
    if (const Json* normal = json.find("normalTexture")) {
      const Json* scale = normal->find("scale");
      if (scale && scale->is_number() && std::isfinite(scale->number)) material.normal_scale = static_cast<float>(scale->number);
    }
    for (const auto& [object, key, texture] : {std::tuple{&values, "baseColorTexture", &material.color_texture}, {&values, "metallicRoughnessTexture", &material.metal_texture},
                                               {&json, "normalTexture", &material.normal_texture}, {&json, "emissiveTexture", &material.emissive_texture},
                                               {&json, "occlusionTexture", &material.occlusion_texture}}) {
      if (!object->find(key)) continue;
      Result<Texture> read = read_texture(*object->find(key), where + "/" + key);
      if (!read) return read.error();
      *texture = *read;
    }
    return material;
  }

  Result<Texture> read_texture(const Json& use, const std::string& where) {
    const Result<size_t> index = gltf_index(document_, use, "index", where);
    if (!index) return index.error();
    const Result<const Json*> item = gltf_item(document_, "textures", *index, where);
    if (!item) return item.error();
    Texture texture;
    if ((*item)->find("sampler")) {
      const Result<size_t> number = gltf_index(document_, **item, "sampler", fmt::format("/textures/{}", *index));
      if (!number) return number.error();
      const Result<const Json*> sampler = gltf_item(document_, "samplers", *number, where);
      if (!sampler) return sampler.error();
      texture.wrap_u = wrap_of((*sampler)->whole("wrapS", kRepeat)), texture.wrap_v = wrap_of((*sampler)->whole("wrapT", kRepeat));
      texture.nearest = (*sampler)->whole("magFilter", kLinear) == kNearest;
    }
    if (!(*item)->find("source")) {
      lose(fmt::format("picture of {}, in a format that only an extension knows", where));
      return texture;
    }
    const Result<size_t> source = gltf_index(document_, **item, "source", fmt::format("/textures/{}", *index));
    if (!source) return source.error();
    Result<std::shared_ptr<const TextureImage>> image = read_image(*source);
    if (!image) return image.error();
    texture.image = *image;
    return texture;
  }

  static TextureWrap wrap_of(int code) { return code == kClamp ? TextureWrap::Clamp : code == kMirror ? TextureWrap::Mirror : TextureWrap::Repeat; }

  Result<std::shared_ptr<const TextureImage>> read_image(size_t index) {
    if (const auto found = images_.find(index); found != images_.end()) return found->second;
    const Result<const Json*> item = gltf_item(document_, "images", index, "a texture");
    if (!item) return item.error();
    TextureImage image;
    const Json *name = (*item)->find("name"), *mime = (*item)->find("mimeType"), *uri = (*item)->find("uri");
    image.name = name && name->is_text() ? name->text : fmt::format("image {}", index);
    const std::string where = fmt::format("/images/{}", index);
    if (uri && uri->is_text()) {
      // A picture that is not there is lost, not an error: the shape is worth having.
      if (const Result<std::vector<std::byte>> bytes = fetch_uri(document_, uri->text, where)) image.bytes.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    } else {
      const Result<std::span<const std::byte>> bytes = read_bytes(document_, **item, "bufferView", where);
      if (!bytes) return bytes.error();
      image.bytes.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    }
    image.mime = mime && mime->is_text() ? mime->text : mime_of(image.bytes);
    if (image.bytes.empty()) {
      lose(fmt::format("picture \"{}\", which is not there", uri && uri->is_text() ? uri->text.substr(0, kLongestUri) : image.name));
      return images_[index] = nullptr;
    }
    if (Result<Picture> picture = decode_any_picture(image.bytes, fmt::format("{}: {}", document_.name, where))) {
      image.picture = std::make_shared<const Picture>(std::move(*picture));
    } else {
      lose(fmt::format("picture \"{}\", which cannot be decoded", image.name));
    }
    return images_[index] = std::make_shared<const TextureImage>(std::move(image));
  }

  const GltfDocument& document_;
  std::vector<std::string>* lost_;
  std::map<size_t, std::shared_ptr<const TextureImage>> images_;
};

}  // namespace

Result<Materials> read_materials(const GltfDocument& document, std::vector<std::string>* lost) {
  return MaterialReader(document, lost).read();
}

std::vector<size_t> add_materials(const Materials& materials, GltfBuilder& builder) {
  GltfMaterialWriter writer(builder);
  std::vector<size_t> numbers;
  for (const SurfaceMaterial& material : materials) numbers.push_back(writer.add(material));
  return numbers;
}

size_t GltfMaterialWriter::add(const SurfaceMaterial& material) {
  const Vec3 color = material.color.cast<double>();
  Json values = Json::object({{"baseColorFactor", Json::array({color.x(), color.y(), color.z(), double{material.alpha}})},
                              {"metallicFactor", material.metal}, {"roughnessFactor", material.roughness}});
  add_texture(material.color_texture, "baseColorTexture", values);
  add_texture(material.metal_texture, "metallicRoughnessTexture", values);
  Json json = Json::object({{"name", material.name}, {"pbrMetallicRoughness", std::move(values)}});
  add_texture(material.normal_texture, "normalTexture", json);
  add_texture(material.emissive_texture, "emissiveTexture", json);
  add_texture(material.occlusion_texture, "occlusionTexture", json);
  if (material.normal_texture && material.normal_scale != 1) json["normalTexture"]["scale"] = double{material.normal_scale};
  if (material.emissive != Vec3f::Zero()) json["emissiveFactor"] = Json::array({double{material.emissive.x()}, double{material.emissive.y()}, double{material.emissive.z()}});
  if (material.alpha_mode != AlphaMode::Opaque) json["alphaMode"] = material.alpha_mode == AlphaMode::Blend ? "BLEND" : "MASK";
  if (material.alpha_mode == AlphaMode::Mask) json["alphaCutoff"] = double{material.cutoff};
  if (material.double_sided) json["doubleSided"] = true;
  if (material.unlit) {
    json["extensions"] = Json::object({{"KHR_materials_unlit", Json::object()}});
    builder_.use_extension("KHR_materials_unlit");
  }
  return builder_.add("materials", std::move(json));
}

const std::vector<size_t>& GltfMaterialWriter::numbers_of(const std::shared_ptr<const Materials>& materials) {
  const auto [place, is_new] = lists_.try_emplace(materials);
  if (is_new) {
    for (const SurfaceMaterial& material : *materials) place->second.push_back(add(material));
  }
  return place->second;
}

void GltfMaterialWriter::add_texture(const Texture& texture, const char* key, Json& to) {
  if (!texture) return;
  const auto number = std::tuple(texture.image.get(), texture.wrap_u, texture.wrap_v, texture.nearest);
  if (const auto found = textures_.find(number); found != textures_.end()) {
    to[key] = Json::object({{"index", found->second}});
    return;
  }
  Json item = Json::object({{"sampler", sampler_of(texture)}, {"source", image_of(*texture.image)}});
  to[key] = Json::object({{"index", textures_[number] = builder_.add("textures", std::move(item))}});
}

size_t GltfMaterialWriter::image_of(const TextureImage& image) {
  if (const auto found = images_.find(&image); found != images_.end()) return found->second;
  const size_t view = builder_.add_bytes(std::as_bytes(std::span(image.bytes)));
  return images_[&image] = builder_.add("images", Json::object({{"name", image.name}, {"mimeType", image.mime}, {"bufferView", view}}));
}

size_t GltfMaterialWriter::sampler_of(const Texture& texture) {
  const auto number = std::tuple(texture.wrap_u, texture.wrap_v, texture.nearest);
  if (const auto found = samplers_.find(number); found != samplers_.end()) return found->second;
  const auto wrap = [](TextureWrap kind) { return kind == TextureWrap::Clamp ? kClamp : kind == TextureWrap::Mirror ? kMirror : kRepeat; };
  Json sampler = Json::object({{"magFilter", texture.nearest ? kNearest : kLinear}, {"minFilter", texture.nearest ? kNearest : kMipmapLinear}, {"wrapS", wrap(texture.wrap_u)}, {"wrapT", wrap(texture.wrap_v)}});
  return samplers_[number] = builder_.add("samplers", std::move(sampler));
}

std::vector<int> attach_materials(const Materials& all, TriMesh& surface) {
  if (surface.material.size() != surface.triangles.size()) surface.material.clear();
  std::vector<int> number(all.size() + 1, -1);
  const auto is_missing = [&](uint16_t material) { return material >= all.size(); };
  if (std::ranges::all_of(surface.material, is_missing)) surface.material.clear();
  Materials used;
  for (uint16_t& material : surface.material) {
    const size_t given = std::min<size_t>(material, all.size());
    if (number[given] < 0) {
      number[given] = static_cast<int>(used.size());
      used.push_back(given < all.size() ? all[given] : SurfaceMaterial());
      if (used.back().name.empty()) used.back().name = "default";
    }
    material = static_cast<uint16_t>(number[given]);
  }
  surface.materials = nullptr;
  if (used.empty()) return number;
  if (used.size() == 1) surface.material.clear();
  surface.materials = std::make_shared<const Materials>(std::move(used));
  return number;
}

}  // namespace crumple::io
