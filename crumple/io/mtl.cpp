#include "crumple/io/mtl.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "crumple/core/characters.h"
#include "crumple/io/files.h"
#include "crumple/io/image.h"
#include "crumple/io/obj.h"
#include "crumple/io/text_cursor.h"

namespace crumple::io {
namespace {

constexpr size_t kMaxMaterials = 65535;
constexpr double kDefaultRoughness = 0.6;

/// The exponent of highlights as a roughness: Blender's rule, both ways, since most files of this kind come from it or go there.
double roughness_of(double exponent) {
  return std::clamp(1 - std::sqrt(std::max(exponent, 0.0) / 1000), 0.05, 1.0);
}
double exponent_of(double roughness) {
  return 1000 * (1 - roughness) * (1 - roughness);
}

class MtlReader {
 public:
  MtlReader(std::string_view text, std::string_view name, const std::filesystem::path& folder, std::vector<std::string>& lost)
      : cursor_(text, name), folder_(folder), lost_(lost) {}

  Result<Materials> read() {
    while (!cursor_.failed() && !cursor_.at_end()) {
      read_line();
      if (!cursor_.failed()) cursor_.skip_line();
    }
    if (cursor_.failed()) return cursor_.error();
    return std::move(materials_);
  }

 private:
  void lose(std::string what) {
    if (std::ranges::find(lost_, what) == lost_.end()) lost_.push_back(std::move(what));
  }

  void read_line() {
    const std::string_view keyword = cursor_.word_in_line();
    if (keyword == "newmtl") return start_material();
    if (materials_.empty() || keyword.empty() || keyword.starts_with('#')) return;
    SurfaceMaterial& m = materials_.back();
    if (keyword == "Kd") m.color = read_color();
    if (keyword == "Ke") m.emissive = read_color();
    if (keyword == "Ns") m.roughness = roughness_of(cursor_.number_in_line("an exponent"));
    if (keyword == "Pr") m.roughness = fraction();
    if (keyword == "Pm") m.metal = fraction();
    if (keyword == "d") set_alpha(fraction(), m);
    if (keyword == "Tr") set_alpha(1 - fraction(), m);
    if (keyword == "map_Kd") read_picture(m.color_texture);
    if (keyword == "map_Ke") read_picture(m.emissive_texture);
    if (keyword == "norm") read_picture(m.normal_texture);
    for (const char* other : {"map_Ks", "map_Ns", "map_Pr", "map_Pm", "map_Bump", "map_bump", "bump", "disp", "refl"}) {
      if (keyword == other) lose(fmt::format("{} of material \"{}\"", other, m.name));
    }
    if (keyword == "map_d" && !m.color_texture) lose(fmt::format("map_d of material \"{}\"", m.name));
    if (keyword == "map_d" && m.color_texture) m.alpha_mode = AlphaMode::Blend;  // the transparency of the same picture, in practice
  }

  void start_material() {
    if (materials_.size() >= kMaxMaterials) return cursor_.fail("there are more than 65535 materials");
    SurfaceMaterial material;
    material.name = as_utf8(rest_of_line());
    material.metal = 0, material.roughness = kDefaultRoughness;
    material.color = Vec3f::Constant(0.8f);
    materials_.push_back(std::move(material));
  }

  /// Names may hold blanks.
  std::string rest_of_line() {
    std::string text;
    for (std::string_view word = cursor_.word_in_line(); !word.empty(); word = cursor_.word_in_line()) text += (text.empty() ? "" : " ") + std::string(word);
    return text;
  }

  double fraction() { return std::clamp(cursor_.number_in_line("a number from 0 to 1"), 0.0, 1.0); }

  Vec3f read_color() {
    const std::string_view first = cursor_.word_in_line();
    if (first == "spectral" || first == "xyz") {
      lose(fmt::format("{} colour of material \"{}\"", first, materials_.back().name));
      return Vec3f::Constant(0.8f);
    }
    const auto part = [&](std::string_view word) { return static_cast<float>(std::clamp(cursor_.parse_number(word, "a colour"), 0.0, 1.0)); };
    const float red = part(first);
    const std::string_view second = cursor_.word_in_line();
    if (second.empty()) return Vec3f::Constant(red);
    const float green = part(second);
    return {red, green, part(cursor_.word_in_line())};
  }

  static void set_alpha(double alpha, SurfaceMaterial& material) {
    material.alpha = static_cast<float>(alpha);
    material.alpha_mode = alpha < 1 ? AlphaMode::Blend : AlphaMode::Opaque;
  }

  /// "-s 2 2 1 -clamp on name.png": the options before the name are few numbers or words each.
  void read_picture(Texture& texture) {
    std::string name = rest_of_line();
    while (name.starts_with('-')) {
      const bool clamps = name.starts_with("-clamp on");
      if (clamps) texture.wrap_u = texture.wrap_v = TextureWrap::Clamp;
      const size_t words = name.starts_with("-s ") || name.starts_with("-o ") || name.starts_with("-t ") ? 4 : name.starts_with("-mm ") ? 3 : 2;
      if (words == 4) lose(fmt::format("placement of the picture of material \"{}\"", materials_.back().name));
      for (size_t i = 0; i < words; ++i) name.erase(0, std::min(name.size(), name.find(' ') == std::string::npos ? name.size() : name.find(' ') + 1));
    }
    if (name.empty()) return;
    std::ranges::replace(name, '\\', '/');
    const auto [place, is_new] = images_.try_emplace(name);
    if (is_new) place->second = load(name);
    texture.image = place->second;
  }

  /// Exporters write names of other machines: then the bare name is looked for.
  std::shared_ptr<const TextureImage> load(const std::string& name) {
    const std::filesystem::path given(name);
    const bool is_below = !given.is_absolute() && name.find(':') == std::string::npos && std::ranges::find(given, "..") == given.end();
    Result<std::string> bytes = input_error("");
    for (const std::filesystem::path& tried : {is_below ? folder_ / given : folder_ / given.filename(), folder_ / given.filename(), folder_ / "textures" / given.filename()}) {
      if (!bytes) bytes = read_file(tried);
    }
    if (!bytes) {
      lose(fmt::format("picture \"{}\", which is not there", name));
      return nullptr;
    }
    Result<Picture> picture = decode_any_picture(*bytes, name);
    if (!picture) {
      lose(fmt::format("picture \"{}\", which is neither a PNG nor a JPEG that can be decoded", name));
      return nullptr;
    }
    TextureImage image{given.stem().string(), mime_of(*bytes), std::move(*bytes), std::make_shared<const Picture>(std::move(*picture))};
    return std::make_shared<const TextureImage>(std::move(image));
  }

  TextCursor cursor_;
  const std::filesystem::path& folder_;
  std::vector<std::string>& lost_;
  Materials materials_;
  std::map<std::string, std::shared_ptr<const TextureImage>> images_;
};

}  // namespace

Result<Materials> parse_mtl(std::string_view text, std::string_view name, const std::filesystem::path& folder, std::vector<std::string>& lost) {
  return MtlReader(text, name, folder, lost).read();
}

std::string write_mtl(const Materials& materials, PictureFiles& pictures) {
  std::string text;
  auto out = std::back_inserter(text);
  for (const SurfaceMaterial& m : materials) {
    fmt::format_to(out, "newmtl {}\nKd {:.6g} {:.6g} {:.6g}\nNs {:.4g}\nPr {:.6g}\nPm {:.6g}\n", obj_name(m.name), m.color.x(), m.color.y(), m.color.z(), exponent_of(m.roughness), m.roughness, m.metal);
    if (m.emissive != Vec3f::Zero()) fmt::format_to(out, "Ke {:.6g} {:.6g} {:.6g}\n", m.emissive.x(), m.emissive.y(), m.emissive.z());
    if (m.alpha_mode != AlphaMode::Opaque) fmt::format_to(out, "d {:.6g}\n", m.alpha);
    const auto add = [&](const char* keyword, const Texture& texture) {
      if (texture) fmt::format_to(out, "{} {}{}\n", keyword, texture.wrap_u == TextureWrap::Clamp ? "-clamp on " : "", pictures.add(*texture.image));
    };
    add("map_Kd", m.color_texture);
    if (m.alpha_mode != AlphaMode::Opaque) add("map_d", m.color_texture);
    add("map_Ke", m.emissive_texture);
    add("norm", m.normal_texture);
    text += '\n';
  }
  return text;
}

}  // namespace crumple::io
