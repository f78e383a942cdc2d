#include "crumple/io/gltf_maps.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace crumple::io {
namespace {

constexpr std::string_view kLayerKey = "crumple_paint";
constexpr std::string_view kLayerPrefix = "COLOR_";
constexpr double kNeutralGrey = 0.5;
constexpr size_t kColoredKnobs = 3;  // the first knobs: red, green and blue of a layer; alpha is left alone, programs fill it with 1
constexpr size_t kMaxAttributes = 1000;  // of a primitive; all names are looked at once for every node

std::string attribute_name(std::string_view knob) {
  std::string name = "_";
  for (const char c : knob) name.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return name;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

/// The attribute of a knob. Programs that put an underscore before each name of the artist's make "__GAIN" of "_GAIN"; the plain name counts first.
auto find_attribute(const Json& attributes, std::string_view knob) {
  const auto named = [&](const std::string& name) { return [&name](const auto& member) { return equal_but_for_case(member.first, name); }; };
  const std::string wanted = attribute_name(knob);
  const auto found = std::ranges::find_if(attributes.members, named(wanted));
  if (found != attributes.members.end()) return found;
  return std::ranges::find_if(attributes.members, [&](const auto& member) {
    const size_t underscores = member.first.find_first_not_of('_');
    return underscores != std::string::npos && underscores > 1 && equal_but_for_case(std::string_view(member.first).substr(underscores - 1), wanted);
  });
}

/// Numbers of a vertex attribute, row after row.
struct Values {
  std::vector<float> numbers;
  size_t width = 1;
};

class MapReader {
 public:
  MapReader(GltfScene& scene, size_t vertices) : scene_(scene), document_(scene.document()), vertices_(vertices) {}

  Result<std::vector<PaintedMap>> read() {
    for (size_t n = 0; n < scene_.node_count(); ++n) {
      const Result<std::optional<size_t>> mesh = scene_.reference(n, "mesh");
      if (!mesh) return mesh.error();
      if (!*mesh || !scene_.shown(n)) continue;
      if (const Result<void> done = read_mesh(n, **mesh); !done) return done.error();
    }
    return finished();
  }

 private:
  template <class... Args>
  Error wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return input_error(fmt::format("{}: {}", document_.name, fmt::format(format, std::forward<Args>(args)...)));
  }

  Result<void> read_mesh(size_t node, size_t index) {
    const Result<const Json*> mesh = gltf_item(document_, "meshes", index, "a node");
    if (!mesh) return mesh.error();
    const std::string where = fmt::format("/meshes/{}", index);
    const Result<std::string> layer = layer_of(scene_.node(node), **mesh, where);
    if (!layer) return layer.error();
    bool layer_found = layer->empty();
    const Json* primitives = (*mesh)->find("primitives");
    for (size_t p = 0; primitives && p < primitives->items.size(); ++p) {
      const Json* mode = primitives->items[p].find("mode");
      if (mode && mode->number != 4) continue;  // points and lines are no part of the surface
      const Json* attributes = primitives->items[p].find("attributes");
      if (!attributes) continue;
      layer_found = layer_found || attributes->find(*layer);
      if (const Result<void> done = read_primitive(*attributes, *layer, fmt::format("{}/primitives/{}", where, p)); !done) return done.error();
    }
    if (layer_found) return {};
    return wrong("{}: its \"{}\" names {}, but it has no such layer of vertex colours; export all layers, or name one that is there", where,
                 kLayerKey, *layer);
  }

  /// The layer of colours that is meant as strength; empty if there is none.
  Result<std::string> layer_of(const Json& node, const Json& mesh, const std::string& where) const {
    for (const Json* owner : {&node, &mesh}) {
      const Json* extras = owner->find("extras");
      const Json* layer = extras ? extras->find(kLayerKey) : nullptr;
      if (!layer) continue;
      const bool digits = layer->text.size() > kLayerPrefix.size() && std::all_of(layer->text.begin() + kLayerPrefix.size(), layer->text.end(),
                                                                                  [](unsigned char c) { return std::isdigit(c) != 0; });
      if (!layer->is_text() || !layer->text.starts_with(kLayerPrefix) || !digits) {
        return wrong("{}: \"{}\" must name a layer of vertex colours, such as \"COLOR_1\"", where, kLayerKey);
      }
      return layer->text;
    }
    return std::string();
  }

  Result<void> read_primitive(const Json& attributes, const std::string& layer, const std::string& where) {
    const Result<size_t> positions = gltf_index(document_, attributes, "POSITION", where + "/attributes");
    if (!positions) return positions.error();
    const Result<const Json*> accessor = gltf_item(document_, "accessors", *positions, where);
    if (!accessor) return accessor.error();
    const Result<size_t> count = gltf_index(document_, **accessor, "count", where);
    if (!count) return count.error();
    if (*count > vertices_ - seen_) return disagrees();
    if (attributes.members.size() > kMaxAttributes) return wrong("{}: has {} attributes; it is damaged", where, attributes.members.size());
    const size_t first = seen_;
    seen_ += *count;
    if (!layer.empty() && attributes.find(layer)) {
      if (const Result<void> done = take_layer(attributes, layer, first, where); !done) return done.error();
    }
    for (size_t knob = 0; knob < kPaintedKnobs.size(); ++knob) {
      if (const Result<void> done = take_attribute(attributes, knob, first, where); !done) return done.error();
    }
    return {};
  }

  Result<void> take_layer(const Json& attributes, const std::string& layer, size_t first, const std::string& where) {
    const Result<Values> colors = values_of(attributes, layer, first, where);
    if (!colors) return colors.error();
    if (colors->width < 3) return wrong("{}: {} has {} numbers for each vertex; a colour has three or four", where, layer, colors->width);
    for (size_t knob = 0; knob < kColoredKnobs; ++knob) {
      const auto factor = [&](size_t row) { return colors->numbers[row * colors->width + knob] / kNeutralGrey; };
      if (const Result<void> done = store(knob, first, layer, where, factor); !done) return done.error();
    }
    return {};
  }

  Result<void> take_attribute(const Json& attributes, size_t knob, size_t first, const std::string& where) {
    const auto found = find_attribute(attributes, kPaintedKnobs[knob]);
    if (found == attributes.members.end()) return {};
    const Result<Values> values = values_of(attributes, found->first, first, where);
    if (!values) return values.error();
    const auto factor = [&](size_t row) {
      const float* numbers = &values->numbers[row * values->width];
      return values->width == 1 ? double{numbers[0]} : (double{numbers[0]} + numbers[1] + numbers[2]) / (3 * kNeutralGrey);
    };
    return store(knob, first, found->first, where, factor);
  }

  Result<Values> values_of(const Json& attributes, const std::string& name, size_t first, const std::string& where) {
    const Result<size_t> index = gltf_index(document_, attributes, name, where + "/attributes");
    if (!index) return index.error();
    const Result<const Json*> accessor = gltf_item(document_, "accessors", *index, where);
    if (!accessor) return accessor.error();
    const Json* type = (*accessor)->find("type");
    const size_t width = type && type->text == "VEC4" ? 4 : type && type->text == "VEC3" ? 3 : 1;
    Result<std::vector<float>> numbers = scene_.floats(*index, static_cast<int>(width));
    if (!numbers) return Error{numbers.error().kind, fmt::format("{} (painted as {} of {})", numbers.error().text, name, where)};
    if (numbers->size() / width != seen_ - first) {
      return wrong("{}: {} is painted on {} vertices, but there are {}", where, name, numbers->size() / width, seen_ - first);
    }
    return Values{std::move(*numbers), width};
  }

  /// Checks here and not later, while it is known where the numbers stand.
  template <class Factor>
  Result<void> store(size_t knob, size_t first, const std::string& name, const std::string& where, const Factor& factor) {
    std::vector<float>& values = maps_[knob];
    if (values.empty()) values.assign(vertices_, 1.0f);
    for (size_t v = first; v < seen_; ++v) {
      const double value = factor(v - first);
      if (!(value >= 0 && value <= kMaxPainted)) {
        return wrong("{}: {} gives vertex {} a factor of {:g} for the {}; factors lie between 0 and {:g}", where, name, v - first, value,
                     kPaintedKnobs[knob], kMaxPainted);
      }
      values[v] = static_cast<float>(value);
    }
    return {};
  }

  Error disagrees() const { return wrong("its meshes have another number of vertices than the surface read from them ({})", vertices_); }

  Result<std::vector<PaintedMap>> finished() {
    if (seen_ != vertices_) return disagrees();
    std::vector<PaintedMap> maps;
    for (size_t knob = 0; knob < kPaintedKnobs.size(); ++knob) {
      if (!maps_[knob].empty()) maps.push_back({std::string(kPaintedKnobs[knob]), std::move(maps_[knob])});
    }
    return maps;
  }

  GltfScene& scene_;
  const GltfDocument& document_;
  size_t vertices_, seen_ = 0;                                 // of the surface; those met so far
  std::array<std::vector<float>, kPaintedKnobs.size()> maps_;  // of each knob: #vertices, or empty
};

}  // namespace

Result<std::vector<PaintedMap>> gather_maps(GltfScene& scene, size_t vertices) {
  return MapReader(scene, vertices).read();
}

Result<std::vector<PaintedMap>> read_maps(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (!equal_but_for_case(extension, ".glb") && !equal_but_for_case(extension, ".gltf")) return std::vector<PaintedMap>();
  const Result<GltfDocument> document = read_gltf(file);
  if (!document) return document.error();
  Result<GltfScene> scene = GltfScene::open(*document);
  if (!scene) return scene.error();
  const Result<TriMesh> surface = gather_surface(*scene, Eigen::Affine3d::Identity());
  if (!surface) return surface.error();
  return gather_maps(*scene, surface->positions.size());
}

void add_maps(std::span<const PaintedMap> maps, GltfBuilder& builder, Json& attributes) {
  for (const PaintedMap& map : maps) attributes[attribute_name(map.name)] = builder.add_scalars(map.values, GltfTarget::Vertices);
}

}  // namespace crumple::io
