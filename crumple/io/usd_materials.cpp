#include "crumple/io/usd_materials.h"

#include <fmt/format.h>

namespace crumple::io {
namespace {

constexpr const char* kScope = "/World/Materials";

/// A prim of a shader network.
std::string shader(const std::string& name, const std::string& id, const std::string& inputs) {
  return fmt::format("\n            def Shader \"{}\"\n            {{\n                uniform token info:id = \"{}\"\n{}            }}\n", name, id, inputs);
}

std::string line(const std::string& text) {
  return "                " + text + "\n";
}

const char* wrap_name(TextureWrap wrap) {
  return wrap == TextureWrap::Repeat ? "repeat" : wrap == TextureWrap::Clamp ? "clamp" : "mirror";
}

/// One material under construction: inputs of its surface, and the shaders they come from.
struct Network {
  std::string path;
  PictureFiles& pictures;
  std::string inputs, shaders;
  bool has_uvs = false;

  void set(const std::string& input) { inputs += line(input); }
  void connect(const char* type, const char* input, const char* from, const char* output) {
    set(fmt::format("{} inputs:{}.connect = <{}/{}.outputs:{}>", type, input, path, from, output));
  }
  /// A picture; what comes out is scale * texel + bias.
  void add_texture(const char* name, const Texture& texture, bool is_color, const Eigen::Vector4f& scale, const Eigen::Vector4f& bias = Eigen::Vector4f::Zero()) {
    has_uvs = true;
    const auto four = [](const Eigen::Vector4f& v) { return fmt::format("({:.5g}, {:.5g}, {:.5g}, {:.5g})", v.x(), v.y(), v.z(), v.w()); };
    std::string text = line(fmt::format("asset inputs:file = @./{}@", pictures.add(*texture.image)));
    text += line(fmt::format("token inputs:sourceColorSpace = \"{}\"", is_color ? "sRGB" : "raw"));
    text += line("float4 inputs:scale = " + four(scale)) + (bias.isZero() ? "" : line("float4 inputs:bias = " + four(bias)));
    text += line(fmt::format("float2 inputs:st.connect = <{}/st.outputs:result>", path));
    text += line(fmt::format("token inputs:wrapS = \"{}\"", wrap_name(texture.wrap_u))) + line(fmt::format("token inputs:wrapT = \"{}\"", wrap_name(texture.wrap_v)));
    for (const char* output : {"float outputs:r", "float outputs:g", "float outputs:b", "float outputs:a", "float3 outputs:rgb"}) text += line(output);
    shaders += shader(name, "UsdUVTexture", text);
  }
};

void add_color(const SurfaceMaterial& m, bool tinted, Network& network) {
  const char* color = m.unlit ? "emissiveColor" : "diffuseColor";
  if (m.unlit) network.set("color3f inputs:diffuseColor = (0, 0, 0)");
  if (m.color_texture) {
    network.add_texture("color", m.color_texture, true, {m.color.x(), m.color.y(), m.color.z(), m.alpha});
    network.connect("color3f", color, "color", "rgb");
    if (m.alpha_mode != AlphaMode::Opaque) network.connect("float", "opacity", "color", "a");
    return;
  }
  if (tinted) {
    network.shaders += shader("tint", "UsdPrimvarReader_float3", line("string inputs:varname = \"displayColor\"") + line("float3 outputs:result"));
    network.connect("color3f", color, "tint", "result");
  } else {
    network.set(fmt::format("color3f inputs:{} = ({:.5g}, {:.5g}, {:.5g})", color, m.color.x(), m.color.y(), m.color.z()));
  }
  if (m.alpha_mode != AlphaMode::Opaque) network.set(fmt::format("float inputs:opacity = {:.5g}", m.alpha));
}

void add_finish(const SurfaceMaterial& m, Network& network) {
  if (m.metal_texture) {
    network.add_texture("metal", m.metal_texture, false, {1, static_cast<float>(m.roughness), static_cast<float>(m.metal), 1});
    network.connect("float", "metallic", "metal", "b");
    network.connect("float", "roughness", "metal", "g");
  } else {
    network.set(fmt::format("float inputs:metallic = {:.5g}", m.metal));
    network.set(fmt::format("float inputs:roughness = {:.5g}", m.roughness));
  }
  if (m.normal_texture) {
    const float s = m.normal_scale;
    network.add_texture("normal", m.normal_texture, false, {2 * s, 2 * s, 2, 1}, {-s, -s, -1, 0});
    network.connect("normal3f", "normal", "normal", "rgb");
  }
  if (m.occlusion_texture) {
    network.add_texture("occlusion", m.occlusion_texture, false, Eigen::Vector4f::Ones());
    network.connect("float", "occlusion", "occlusion", "r");
  }
  if (m.emissive_texture && !m.unlit) {
    network.add_texture("glow", m.emissive_texture, true, {m.emissive.x(), m.emissive.y(), m.emissive.z(), 1});
    network.connect("color3f", "emissiveColor", "glow", "rgb");
  } else if (!m.emissive.isZero(0) && !m.unlit) {
    network.set(fmt::format("color3f inputs:emissiveColor = ({:.5g}, {:.5g}, {:.5g})", m.emissive.x(), m.emissive.y(), m.emissive.z()));
  }
}

}  // namespace

std::string usd_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

std::string UsdMaterials::add(const SurfaceMaterial& m, bool tinted) {
  const std::string prim = unique_name(m.name.empty() ? "look" : m.name, names_);
  Network network{fmt::format("{}/{}", kScope, prim), pictures_, {}, {}};
  add_color(m, tinted, network);
  add_finish(m, network);
  if (m.alpha_mode == AlphaMode::Mask) network.set(fmt::format("float inputs:opacityThreshold = {:.5g}", m.cutoff));
  network.set("token outputs:surface");
  if (network.has_uvs) network.shaders += shader("st", "UsdPrimvarReader_float2", line("string inputs:varname = \"st\"") + line("float2 outputs:result"));
  prims_ += fmt::format("        def Material \"{}\" (\n            displayName = {}\n        )\n        {{\n            token outputs:surface.connect = <{}/shader.outputs:surface>\n{}{}        }}\n", prim,
                        usd_quoted(m.name.empty() ? prim : m.name), network.path, shader("shader", "UsdPreviewSurface", network.inputs), network.shaders);
  return network.path;
}

std::string UsdMaterials::path_of(const Appearance& look, bool tinted, const std::string& item) {
  LookKey key = look_key(look);
  if (tinted) key.first[0] = -1;  // like no colour
  const auto [place, is_new] = looks_.try_emplace(std::move(key));
  if (is_new) place->second = add(look_material(look, tinted, item), tinted);
  return place->second;
}

const std::vector<std::string>& UsdMaterials::paths_of(const std::shared_ptr<const Materials>& materials) {
  const auto [place, is_new] = lists_.try_emplace(materials);
  if (is_new) {
    for (const SurfaceMaterial& material : *materials) place->second.push_back(add(material, false));
  }
  return place->second;
}

std::string UsdMaterials::text() const {
  return fmt::format("    def Scope \"Materials\"\n    {{\n{}    }}\n", prims_);
}

}  // namespace crumple::io
