#include "crumple/rig/make_flat.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/math/single.h"
#include "crumple/math/union_find.h"
#include "crumple/rig/handles.h"

namespace crumple {
namespace {

constexpr double kPixelsPerMetre = 256;

class FlatMaker {
 public:
  FlatMaker(std::span<const FlatLayer> layers, const FlatSettings& settings, FlatReport& report) : layers_(layers), settings_(settings), report_(report) {}

  Result<Asset> make() {
    for (const auto step : {&FlatMaker::check, &FlatMaker::place_marks, &FlatMaker::mesh_layers, &FlatMaker::add_handles, &FlatMaker::weigh, &FlatMaker::add_pins}) {
      if (const Result<void> done = (this->*step)(); !done) return done.error();
    }
    asset_.examples.push_back({"rest", std::vector<HandleTransform>(asset_.handles.size())});
    return std::move(asset_);
  }

 private:
  Result<void> check() {
    if (layers_.empty()) return input_error("there is no picture");
    if (layers_.size() > kMaxFlatLayers) return input_error(fmt::format("{} layers are too many; at most {}", layers_.size(), kMaxFlatLayers));
    for (const FlatLayer& layer : layers_) {
      if (!layer.image || !layer.image->picture) return input_error(fmt::format("layer \"{}\" has no picture", layer.name));
      const Picture &first = *layers_[0].image->picture, &picture = *layer.image->picture;
      if (picture.width != first.width || picture.height != first.height) {
        return input_error(fmt::format("layer \"{}\" has {} x {} pixels and \"{}\" {} x {}; layers are drawn on one canvas", layer.name, picture.width, picture.height, layers_[0].name, first.width, first.height));
      }
    }
    const Picture& picture = *layers_[0].image->picture;
    size_ = {static_cast<double>(picture.width), static_cast<double>(picture.height)};
    scale_ = settings_.height > 0 ? settings_.height / size_.y() : 1 / kPixelsPerMetre;
    return {};
  }

  bool is_painted(size_t layer, const Vec2& at_pixel) const {
    const Picture& picture = *layers_[layer].image->picture;
    const bool is_inside = at_pixel.x() >= 0 && at_pixel.y() >= 0 && at_pixel.x() < picture.width && at_pixel.y() < picture.height;
    return is_inside && picture.pixel(static_cast<int>(at_pixel.x()), static_cast<int>(at_pixel.y()))[3] >= 128;
  }

  Result<size_t> layer_named(const std::string& name, const std::string& wanted_by) const {
    for (size_t l = 0; l < layers_.size(); ++l) {
      if (layers_[l].name == name) return l;
    }
    std::vector<std::string> names;
    for (const FlatLayer& layer : layers_) names.push_back(layer.name);
    return input_error(fmt::format("{} asks for the layer \"{}\"; there are {}", wanted_by, name, fmt::join(names, ", ")));
  }

  /// The layer of a mark: the named one, or the topmost that is painted there.
  Result<size_t> layer_at(const std::string& name, const Vec2& place, const std::string& wanted_by) const {
    if (!name.empty()) {
      Result<size_t> layer = layer_named(name, wanted_by);
      if (layer && !is_painted(*layer, place)) {
        return input_error(fmt::format("{} at ({:g}, {:g}) is outside of what layer \"{}\" shows", wanted_by, place.x(), place.y(), name));
      }
      return layer;
    }
    for (size_t l = layers_.size(); l-- > 0;) {
      if (is_painted(l, place)) return l;
    }
    return input_error(fmt::format("{} at ({:g}, {:g}) is outside of the drawing, which has {:g} x {:g} pixels", wanted_by, place.x(), place.y(), size_.x(), size_.y()));
  }

  /// The other layer of a pin: the named one, or the next one below that is painted there, or, if there is none, the topmost.
  Result<size_t> partner_of(const FlatPin& pin, size_t layer, const std::string& title) const {
    if (!pin.to.empty()) return layer_at(pin.to, pin.at, title);
    for (size_t step = 1; step < layers_.size(); ++step) {
      const size_t other = (layer + layers_.size() - step) % layers_.size();
      if (is_painted(other, pin.at)) return other;
    }
    return input_error(fmt::format("{} at ({:g}, {:g}) has no layer to be pinned to: only \"{}\" is painted there", title, pin.at.x(), pin.at.y(), layers_[layer].name));
  }

  Result<void> place_marks() {
    for (const FlatHandle& handle : settings_.handles) {
      const Result<size_t> layer = layer_at(handle.layer, handle.at, fmt::format("handle \"{}\"", handle.name));
      if (!layer) return layer.error();
      handle_layer_.push_back(*layer);
      if (handle.to && !is_painted(*layer, *handle.to)) return input_error(fmt::format("the end of bone \"{}\" at ({:g}, {:g}) is outside of what layer \"{}\" shows", handle.name, handle.to->x(), handle.to->y(), layers_[*layer].name));
    }
    for (const FlatPin& pin : settings_.pins) {
      const std::string title = fmt::format("pin \"{}\"", pin.name);
      const Result<size_t> layer = layer_at(pin.layer, pin.at, title);
      if (!layer) return layer.error();
      const Result<size_t> to = partner_of(pin, *layer, title);
      if (!to) return to.error();
      if (*layer == *to) return input_error(fmt::format("{} joins layer \"{}\" with itself", title, layers_[*layer].name));
      pin_layers_.emplace_back(*layer, *to);
    }
    return {};
  }

  Vec2 to_outline(const Vec2& pixel) const { return {pixel.x(), size_.y() - pixel.y()}; }  // y up
  Vec3 to_metres(const Vec2& outline) const { return to_single(Vec3(scale_ * (outline.x() - 0.5 * size_.x()), scale_ * (outline.y() - 0.5 * size_.y()), 0)); }

  Result<void> mesh_layers() {
    TriMesh& surface = asset_.surface;
    Materials materials;
    asset_.flat.emplace();
    for (size_t l = 0; l < layers_.size(); ++l) {
      Result<PictureOutline> outline = trace_outline(*layers_[l].image->picture, settings_.outline);
      if (!outline) return input_error(layers_.size() > 1 ? fmt::format("layer \"{}\" {}", layers_[l].name, outline.error().text) : outline.error().text);
      // Each has a handle of its own.
      report_.islands += outline->regions.size();
      if (report_.islands > kMaxFlatIslands) return input_error(fmt::format("more than {} separate islands are painted; join them or erase the specks", kMaxFlatIslands));
      if (outline->dropped > 0) report_.warnings.push_back(fmt::format("{} specks of fewer than {:g} pixels were left out", outline->dropped, settings_.outline.smallest));
      if (!outline->is_sound) report_.warnings.push_back(fmt::format("layer \"{}\" is so thin in places that its outline crosses itself", layers_[l].name));
      std::vector<Vec2> wanted;
      for (size_t h = 0; h < handle_layer_.size(); ++h) {
        if (handle_layer_[h] == l && !settings_.handles[h].to) wanted.push_back(to_outline(settings_.handles[h].at));
      }
      for (size_t p = 0; p < pin_layers_.size(); ++p) {
        if (pin_layers_[p].first == l) wanted.push_back(to_outline(settings_.pins[p].at));
      }
      const FlatMesh mesh = mesh_outline(*outline, wanted);
      if (mesh.triangles.empty()) return input_error(fmt::format("layer \"{}\" is too small or too thin for triangles", layers_[l].name));
      report_.edge = std::max(report_.edge, scale_ * outline->edge);
      report_.smallest_angle = std::min(report_.smallest_angle, smallest_angle(mesh));
      const int first = static_cast<int>(surface.positions.size());
      for (const Vec2& p : mesh.points) {
        surface.positions.push_back(to_metres(p)), asset_.flat->layer.push_back(static_cast<int>(l));
        surface.uvs.emplace_back(static_cast<float>(p.x() / size_.x()), static_cast<float>(1 - p.y() / size_.y()));
      }
      for (const Triangle& t : mesh.triangles) surface.triangles.push_back({t[0] + first, t[1] + first, t[2] + first}), surface.material.push_back(static_cast<uint16_t>(l));
      asset_.flat->layers.push_back(layers_[l].name);
      SurfaceMaterial material;
      material.name = layers_[l].name, material.metal = 0, material.unlit = material.double_sided = true, material.alpha_mode = AlphaMode::Blend;
      material.color_texture = {layers_[l].image, TextureWrap::Clamp, TextureWrap::Clamp, false};
      materials.push_back(std::move(material));
    }
    surface.materials = std::make_shared<const Materials>(std::move(materials));
    report_.vertices = surface.positions.size(), report_.triangles = surface.triangles.size();
    return {};
  }

  int nearest_vertex(const Vec3& place, size_t layer) const {
    int nearest = -1;
    double least = 1e300;
    for (size_t v = 0; v < asset_.surface.positions.size(); ++v) {
      const double distance = (asset_.surface.positions[v] - place).squaredNorm();
      if (at(asset_.flat->layer[v]) == layer && distance < least) least = distance, nearest = static_cast<int>(v);
    }
    return nearest;
  }

  /// Vertices along a bone: the nearest to points half an edge apart.
  std::vector<int> along_bone(const Vec3& from, const Vec3& to, size_t layer) const {
    const int pieces = std::clamp(static_cast<int>((to - from).norm() / (0.5 * report_.edge)), 1, 1000);
    std::vector<int> vertices;
    for (int k = 0; k <= pieces; ++k) vertices.push_back(nearest_vertex(from + (to - from) * k / pieces, layer));
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    return vertices;
  }

  Result<void> add_handles() {
    std::vector<char> taken(asset_.surface.positions.size(), 0);
    for (size_t h = 0; h < settings_.handles.size(); ++h) {
      const FlatHandle& given = settings_.handles[h];
      const Vec3 place = to_metres(to_outline(given.at));
      std::vector<int> held = {nearest_vertex(place, handle_layer_[h])};
      if (given.to) held = along_bone(place, to_metres(to_outline(*given.to)), handle_layer_[h]);
      std::erase_if(held, [&](int v) { return taken[at(v)] != 0; });
      if (held.empty()) return input_error(fmt::format("handle \"{}\" at ({:g}, {:g}) lies where another one is; move it or leave it out", given.name, given.at.x(), given.at.y()));
      for (const int v : held) taken[at(v)] = 1;
      asset_.handles.push_back({given.name, place}), held_.push_back({given.name, CageHandle{std::move(held)}});
    }
    choose_more(taken);
    name_handles(asset_.handles);
    return {};
  }

  /// Every connected part has one; further ones go where they are farthest from all others.
  void choose_more(std::vector<char>& taken) {
    const std::vector<Vec3>& positions = asset_.surface.positions;
    UnionFind parts(positions.size());
    for (const Triangle& t : asset_.surface.triangles) parts.merge(t[0], t[1]), parts.merge(t[0], t[2]);
    std::vector<char> has_handle(positions.size(), 0);
    std::vector<double> distance(positions.size(), 1e300);
    const auto add = [&](int v) {
      taken[at(v)] = 1, has_handle[at(parts.of(v))] = 1;
      asset_.handles.push_back({"", positions[at(v)]}), held_.push_back({"", CageHandle{{v}}});
    };
    for (size_t v = 0; v < positions.size(); ++v) {
      if (taken[v]) has_handle[at(parts.of(static_cast<int>(v)))] = 1;
    }
    for (size_t v = 0; v < positions.size(); ++v) {
      const int part = parts.of(static_cast<int>(v));
      if (!has_handle[at(part)]) add(middle_of(part, parts));
    }
    while (static_cast<int>(asset_.handles.size()) < settings_.chosen) {
      int farthest = -1;
      for (size_t v = 0; v < positions.size(); ++v) {
        for (size_t h = 0; h < asset_.handles.size(); ++h) {
          const bool is_same = parts.of(std::get<CageHandle>(held_[h].place).vertices[0]) == parts.of(static_cast<int>(v));
          if (is_same) distance[v] = std::min(distance[v], (positions[v] - asset_.handles[h].position).norm());
        }
        if (!taken[v] && (farthest < 0 || distance[v] > distance[at(farthest)])) farthest = static_cast<int>(v);
      }
      if (farthest < 0) return;
      add(farthest);
    }
  }
  int middle_of(int part, UnionFind& parts) const {
    const std::vector<Vec3>& positions = asset_.surface.positions;
    Vec3 middle = Vec3::Zero();
    int count = 0, nearest = -1;
    for (size_t v = 0; v < positions.size(); ++v) {
      if (parts.of(static_cast<int>(v)) == part) middle += positions[v], ++count;
    }
    middle /= count;
    for (size_t v = 0; v < positions.size(); ++v) {
      if (parts.of(static_cast<int>(v)) == part && (nearest < 0 || (positions[v] - middle).norm() < (positions[at(nearest)] - middle).norm())) nearest = static_cast<int>(v);
    }
    return nearest;
  }

  Result<void> weigh() {
    for (size_t h = 0; h < held_.size(); ++h) held_[h].name = asset_.handles[h].name;
    Result<WeightsResult> solved = compute_weights(asset_.elements(), held_, settings_.weights);
    if (!solved) return solved.error();
    asset_.weights = std::move(solved->weights);
    report_.weights_residual = solved->kkt_residual;
    report_.warnings.insert(report_.warnings.end(), solved->warnings.begin(), solved->warnings.end());
    return {};
  }

  Result<void> add_pins() {
    for (size_t p = 0; p < settings_.pins.size(); ++p) {
      Pin pin;
      pin.name = settings_.pins[p].name, pin.vertex = nearest_vertex(to_metres(to_outline(settings_.pins[p].at)), pin_layers_[p].first);
      if (!find_triangle(asset_.surface.positions[at(pin.vertex)], pin_layers_[p].second, pin)) {
        return input_error(fmt::format("pin \"{}\" is outside of the triangles of layer \"{}\"; move it farther inside", pin.name, layers_[pin_layers_[p].second].name));
      }
      asset_.flat->pins.push_back(std::move(pin));
    }
    return {};
  }
  bool find_triangle(const Vec3& place, size_t layer, Pin& pin) const {
    const std::vector<Vec3>& positions = asset_.surface.positions;
    for (const Triangle& t : asset_.surface.triangles) {
      if (at(asset_.flat->layer[at(t[0])]) != layer) continue;
      const Vec3 &a = positions[at(t[0])], b = positions[at(t[1])] - a, c = positions[at(t[2])] - a, d = place - a;
      const double area = b.x() * c.y() - b.y() * c.x();
      const double v = (d.x() * c.y() - d.y() * c.x()) / area, w = (b.x() * d.y() - b.y() * d.x()) / area;
      if (v < -1e-9 || w < -1e-9 || v + w > 1 + 1e-9) continue;
      pin.triangle = t, pin.shares = {1 - v - w, v, w};
      return true;
    }
    return false;
  }

  std::span<const FlatLayer> layers_;
  const FlatSettings& settings_;
  FlatReport& report_;
  Asset asset_;
  Vec2 size_ = Vec2::Zero();  // pixels
  double scale_ = 1;          // m for a pixel
  std::vector<size_t> handle_layer_;
  std::vector<std::pair<size_t, size_t>> pin_layers_;
  std::vector<WeightHandle> held_;
};

}  // namespace

Result<Asset> make_flat_rig(std::span<const FlatLayer> layers, const FlatSettings& settings, FlatReport& report) {
  return FlatMaker(layers, settings, report).make();
}

}  // namespace crumple
